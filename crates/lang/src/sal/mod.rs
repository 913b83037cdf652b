//! The SAL language of SRI: contexts with types, functions and modules of guarded commands.

mod parser;
mod syntax;
mod token;
