//! Another language is one folder and one line: it goes through every command, and each speaks it.
//!
//! The test program is the command line itself when it is asked to be, with the language in its list.

mod counter;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
use trapline_lang::Language;

/// The one line.
const LANGUAGES: &[Language] = &[counter::LANGUAGE];

/// Set in the process that is the command line.
const AS_PROGRAM: &str = "TRAPLINE_TOY";

const LIFT: &str = "\
type Floor from 0 to 3
input up                 # a button
counter floor of Floor starts at 0
when up and floor below 3 it becomes floor plus 1
when not up and floor above 0 it becomes floor minus 1
when floor above -1 it becomes floor
never floor is 2
";

/// A file of goals in its own words, one of them wrong.
const GOALS: &str = "\
reach floor is 3 and up as top   # of a step
violate floor below 2
reach ten
";

/// What SMV would say instead.
const FOREIGN: &[&str] =
    &["next(", "init(", ":=", " & ", "!up", "TRUE", "FALSE", "case", "esac", "SPEC", "0..3"];

/// A command, its exit code, and what it says.
type Run = (&'static str, &'static str, i32, &'static [&'static str]);

const RUNS: &[Run] = &[
    ("check", "check lift.count", 1, &["not floor is 2", "= yes", "floor = 2"]),
    (
        "goals",
        "goals lift.count --criteria branch,condition,value,multi --verdicts",
        0,
        &["branch 1 of the new floor", "floor below 3 is true", "up = yes", "value:up:true"],
    ),
    ("cases", "goals lift.count --cases", 0, &["# the new floor", "it becomes floor plus 1"]),
    ("reflect", "goals lift.count --reflect", 0, &["# ", "always "]),
    (
        "mutants",
        "mutants lift.count",
        0,
        &[
            "mutation:negate:floor:1",
            "+ the new floor is when not up and floor below 3 it becomes floor plus 1",
        ],
    ),
    (
        "generate",
        "generate lift.count --criteria branch,value -o suite.json",
        0,
        &["9 goals: 9 covered"],
    ),
    ("evaluate", "evaluate lift.count suite.json", 0, &["100"]),
    ("show", "show suite.json", 0, &["1 test of lift.count"]),
    (
        "render",
        "render lift.count suite.json --format gherkin",
        0,
        &["(up = yes)", "1 of the new floor"],
    ),
    ("report", "report lift.count suite.json --format markdown", 0, &["9 of 9 goals covered"]),
    (
        "own goals",
        "goals lift.count --traps mine.txt --verdicts",
        2,
        &[
            "trap:top",
            "floor is 3 and up is reached",
            "trap:line2",
            "floor below 2 is violated",
            "mine.txt:3:1",
            "no goal of a counter",
        ],
    ),
    ("wrong", "check wrong.count", 2, &["wrong.count:2:1", "no statement of a counter"]),
    (
        "outside",
        "check outside.count",
        2,
        &["`the new floor` can be 4, which is outside its type", "takes Floor", "when floor = 3"],
    ),
];

fn main() -> ExitCode {
    if env::var_os(AS_PROGRAM).is_some() {
        return trapline::main(LANGUAGES);
    }
    let trial = Trial::test("a_language_is_one_folder_and_one_line", every_command_speaks_it);
    let smv = Trial::test("other_tools_get_smv", other_tools_get_smv);
    libtest_mimic::run(&Arguments::from_args(), vec![trial, smv]).exit_code()
}

fn every_command_speaks_it() -> Result<(), Failed> {
    let folder = folder("speaks")?;
    fs::write(folder.join("mine.txt"), GOALS)?;
    fs::write(folder.join("wrong.count"), "input up\ncount to ten\n")?;
    let outside = "type Floor from 0 to 3\ncounter floor of Floor starts at 0\n\
                   when floor above -1 it becomes floor plus 1\n";
    fs::write(folder.join("outside.count"), outside)?;
    for (name, command, exit, says) in RUNS {
        let (code, text) = run(&folder, command)?;
        if code != Some(*exit) {
            return Err(format!("{name}: exit {code:?}\n{text}").into());
        }
        // Help speaks of options, which are the same for all languages.
        let lines = text.lines().filter(|line| !line.contains("help:"));
        let spoken = lines.collect::<Vec<_>>().join("\n");
        let missing = says.iter().find(|part| !spoken.contains(**part));
        let foreign = FOREIGN.iter().find(|part| spoken.contains(**part));
        if missing.is_some() || foreign.is_some() {
            return Err(format!("{name}: without {missing:?}, with {foreign:?}\n{text}").into());
        }
    }
    let (code, help) = run(&folder, "goals --help")?;
    let has_forms = help.contains("for a model in counter:\n  reach CONDITION ");
    assert_eq!((code, has_forms), (Some(0), true), "{help}");
    let (code, _) = run(&folder, "report lift.count suite.json -o lift.html")?;
    let page = fs::read_to_string(folder.join("lift.html"))?;
    let words = r##""keywords":["type","input","counter","when","never","becomes"]"##;
    assert_eq!((code, page.contains(words)), (Some(0), true), "the page knows the words");
    Ok(())
}

fn other_tools_get_smv() -> Result<(), Failed> {
    let folder = folder("smv")?;
    let (_, text) = run(&folder, "convert lift.count --to smv")?;
    for part in ["MODULE main", "next(floor) := case", "up & floor < 3 : floor + 1;"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let (_, text) = run(&folder, "goals lift.count --format json")?;
    assert!(text.contains("\"trap\":\"!(up & floor < 3)\""), "{text}");
    Ok(())
}

fn folder(name: &str) -> Result<PathBuf, Failed> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("toy").join(name);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("lift.count"), LIFT)?;
    Ok(folder)
}

/// The exit code of a command, and everything that it writes.
fn run(folder: &Path, command: &str) -> Result<(Option<i32>, String), Failed> {
    let program = env::current_exe()?;
    let arguments = command.split_whitespace();
    let output =
        Command::new(program).env(AS_PROGRAM, "1").args(arguments).current_dir(folder).output()?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&text).into_owned()))
}
