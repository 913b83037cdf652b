//! The program `trapline`.

use std::process::ExitCode;

fn main() -> ExitCode {
    trapline::main(trapline_lang::LANGUAGES)
}
