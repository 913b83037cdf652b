//! The adapters that users copy: each with an implementation that `trapline run` judges, a faulty one that it
//! catches, and requests that nobody should send.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::build::{Outcome, Version, Workshop, root};

/// A language that implementations are written in.
pub struct Adapter {
    /// Its folder.
    name: &'static str,
    /// The files that a user copies, with their folders.
    files: &'static [&'static str],
    /// The example's implementation.
    example: &'static str,
    /// What a skeleton is written to.
    skeleton: &'static str,
    /// Builds a source file, and says how it is started; `None` if this machine can't.
    build: fn(&Workshop, &str, Version) -> Option<String>,
}

pub const PYTHON: Adapter = Adapter {
    name: "python",
    files: &["python/trapline_sut.py"],
    example: "tank.py",
    skeleton: "sut.py",
    build: |_, source, version| {
        let wrong = if version == Version::Wrong { "1" } else { "0" };
        Some(format!("env WRONG={wrong} PYTHONDONTWRITEBYTECODE=1 python3 {source}"))
    },
};

pub const C: Adapter = Adapter {
    name: "c",
    files: &["c/trapline_sut.h"],
    example: "tank.c",
    skeleton: "sut.c",
    build: |workshop, source, version| compile(workshop, ("cc", "-std=c99"), source, version),
};

pub const CPP: Adapter = Adapter {
    name: "cpp",
    files: &["cpp/trapline_sut.hpp", "c/trapline_sut.h"],
    example: "tank.cpp",
    skeleton: "sut.cpp",
    build: |workshop, source, version| compile(workshop, ("c++", "-std=c++17"), source, version),
};

pub const RUST: Adapter = Adapter {
    name: "rust",
    files: &["rust/trapline_sut.rs"],
    example: "tank.rs",
    skeleton: "sut.rs",
    build: |workshop, source, version| {
        let mut args = vec!["--edition", "2021", source, "-o", "built", "-D", "warnings"];
        args.extend(["--check-cfg", "cfg(wrong)"]);
        args.extend(
            (version == Version::Wrong).then_some(["--cfg", "wrong"]).into_iter().flatten(),
        );
        workshop.compile("rustc", &args);
        Some("./built".into())
    },
};

pub const JAVA: Adapter = Adapter {
    name: "java",
    files: &["java/TraplineSut.java"],
    example: "Tank.java",
    skeleton: "Sut.java",
    build: |workshop, source, version| {
        Command::new("javac").arg("-version").output().ok()?;
        let lint = ["-encoding", "US-ASCII", "-Xlint:all,-path", "-proc:none", "-Werror"];
        let files = ["-d", "classes", "TraplineSut.java", source];
        workshop.compile("javac", &[&lint[..], &files[..]].concat());
        let class = source.trim_end_matches(".java");
        Some(format!("java -Dwrong={} -cp classes {class}", version == Version::Wrong))
    },
};

/// What goes wrong in memory ends the program.
const SANITIZE: &str = "-fsanitize=address,undefined";

fn compile(
    workshop: &Workshop,
    (compiler, standard): (&str, &str),
    source: &str,
    version: Version,
) -> Option<String> {
    let strict = [standard, "-Wall", "-Wextra", "-Werror", "-pedantic", SANITIZE];
    let wrong: &[&str] = if version == Version::Wrong { &["-DWRONG"] } else { &[] };
    let files = ["-fno-sanitize-recover=all", source, "-o", "built"];
    workshop.compile(compiler, &[&strict[..], wrong, &files[..]].concat());
    Some("./built".into())
}

/// A folder with the adapter, the example and its model.
fn workshop(area: &str, adapter: &Adapter) -> Workshop {
    let workshop = Workshop::new(area, adapter.name);
    let adapters = root().join("adapters");
    workshop.copy(&adapters.join("example"), "tank.smv");
    for file in adapter.files {
        let (folder, name) = file.split_once('/').expect("it is in a folder");
        workshop.copy(&adapters.join(folder), name);
    }
    workshop.copy(&adapters.join(adapter.name), adapter.example);
    workshop
}

fn run(workshop: &Workshop, suite: &str, sut: &str) -> Outcome {
    let args = ["run", "tank.smv", suite, "--sut", sut];
    workshop.run(Path::new(env!("CARGO_BIN_EXE_trapline")), &args, &[])
}

/// The right implementation passes, the wrong one fails, and what is not filled in breaks down.
pub fn finds_what_is_wrong(adapter: &Adapter) {
    let workshop = workshop("adapters", adapter);
    let criteria = ["--criteria", "mcdc-masking,boundary", "--strategy", "separate"];
    let generate = ["generate", "tank.smv", "-o", "suite.json"];
    workshop.trapline(&[&generate[..], &criteria[..]].concat());
    let judge = |version| {
        let sut = (adapter.build)(&workshop, adapter.example, version)?;
        Some(run(&workshop, "suite.json", &sut))
    };
    let Some(right) = judge(Version::Correct) else { return };
    assert!(right.is_success && right.text.contains(" passed, 0 failed"), "{}", right.text);
    let Some(wrong) = judge(Version::Wrong) else { return };
    assert!(!wrong.is_success && wrong.text.contains("expected  level = 5"), "{}", wrong.text);
    let format = format!("adapter-{}", adapter.name);
    workshop.trapline(&["render", "tank.smv", "--format", &format, "-o", adapter.skeleton]);
    let Some(sut) = (adapter.build)(&workshop, adapter.skeleton, Version::Correct) else { return };
    let stub = run(&workshop, "suite.json", &sut);
    assert!(!stub.is_success && stub.text.contains(" 0 passed, 0 failed"), "{}", stub.text);
    assert!(stub.text.contains("reset is not implemented yet"), "{}", stub.text);
}

/// A skeleton compiles whatever things are called. It is an error until it is filled in, and then its inputs
/// and outputs have the types of the model.
pub fn skeletons_take_any_name(adapter: &Adapter) {
    let workshop = workshop("skeletons", adapter);
    workshop.write("odd.smv", include_str!("odd.smv"));
    workshop.write("odd.txt", include_str!("odd.txt"));
    let simulate = ["simulate", "odd.smv", "--steps", "3", "--format", "json"];
    workshop.trapline(&[&simulate[..], &["-o", "odd.json"]].concat());
    let format = format!("adapter-{}", adapter.name);
    let path = workshop.place.join(adapter.skeleton);
    for map in [&[][..], &["--map", "odd.txt"][..]] {
        // What is filled in is kept, so it has to go.
        let _ = fs::remove_file(&path);
        let render = ["render", "odd.smv", "--format", &format, "-o", adapter.skeleton];
        workshop.trapline(&[&render[..], map].concat());
        let judge = || {
            let sut = (adapter.build)(&workshop, adapter.skeleton, Version::Correct)?;
            let judge = ["run", "odd.smv", "odd.json", "--sut", &sut];
            let judge = [&judge[..], map].concat();
            Some(workshop.run(Path::new(env!("CARGO_BIN_EXE_trapline")), &judge, &[]).text)
        };
        let Some(empty) = judge() else { return };
        assert!(empty.contains("exchange 0: it reports an error"), "{empty}");
        assert!(empty.contains("reset is not implemented yet"), "{empty}");
        let text = fs::read_to_string(&path).expect("it was just written");
        workshop.write(adapter.skeleton, &filled_in(&text));
        let Some(filled) = judge() else { return };
        assert!(filled.contains(" 0 errors") && !filled.contains("exchange 0: "), "{filled}");
    }
}

/// A skeleton without the lines that fail, or with what they say comes instead.
fn filled_in(text: &str) -> String {
    let line = |line: &str| match line.contains("is not implemented yet") {
        false => format!("{line}\n"),
        true => line
            .split_once(" when it is: ")
            .map_or(String::new(), |it| format!("        {}\n", it.1)),
    };
    text.lines().map(line).collect()
}

/// What is expected of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Outputs,
    Error,
    Any,
}

/// Requests as no tester sends them, and others that are unusual and right.
fn requests() -> Vec<(Vec<u8>, Expected)> {
    let mut requests: Vec<(Vec<u8>, Expected)> = Vec::new();
    let mut add = |text: &str, expected| requests.push((text.into(), expected));
    let right = r#""cmd":"hold","amount":0,"lock":false"#;
    add(r#"{"reset":{}}"#, Expected::Outputs);
    add(r#"{"step":{"cmd":"\u0066ill","amount":1,"lock":false}}"#, Expected::Outputs);
    add(&format!("  {{ \"step\" : {{ {right} }} }}\r"), Expected::Outputs);
    add(&format!(r#"{{"step":{{{right},"other":"\ud83e\udd80\n\"\\\/é"}}}}"#), Expected::Outputs);
    add(&format!(r#"{{"step":{{{right},"a":[[1,-2.5e3],["x"],[]]}}}}"#), Expected::Outputs);
    for text in [
        r#"{"step":{"cmd":"hold"}}"#,
        r#"{"step":{"cmd":"fill","amount":"x","lock":false}}"#,
        r#"{"step":{"cmd":"fill","amount":[1],"lock":false}}"#,
        r#"{"step":{"cmd":"fill","amount":{"x":1},"lock":false}}"#,
        r#"{"step":{"cmd":"\ud800","amount":1}}"#,
        r#"{"step":{"cmd":"\u12"#,
        r#"{"step":{"cmd":"\q"}}"#,
        r#"{"step":{"cmd":"\"#,
        r#"{"step":{"cmd":tru}}"#,
        r#"{"step":{"cmd":1,}}"#,
        r#"{"step":{"cmd"}}"#,
        r#"{"step":{:}}"#,
        r#"{"step":"#,
        r#"{"step":5}"#,
        r#"{"step":[]}"#,
        r#"{"jump":{}}"#,
        r#"{"reset":{},"step":{}}"#,
        r#"{"reset":{}} x"#,
        r#"{"reset":{}"#,
        r#"{"reset""#,
        "\"",
        "{}",
        "[]",
        "5",
        "hello",
        "\u{1}",
    ] {
        add(text, Expected::Error);
    }
    for depth in [9, 70, 100_000] {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        add(&format!(r#"{{"step":{{"a":{open}1{close}}}}}"#), Expected::Error);
        add(&format!(r#"{{"step":{{"a":{open}"#), Expected::Error);
        add(&open, Expected::Error);
        add(&"{\"step\":".repeat(depth), Expected::Error);
    }
    let members: Vec<String> = (0..20_000).map(|idx| format!("\"i{idx}\":{idx}")).collect();
    add(&format!(r#"{{"step":{{{right},{}}}}}"#, members.join(",")), Expected::Any);
    let elements = "7,".repeat(30_000);
    add(&format!(r#"{{"step":{{{right},"a":[{elements}7]}}}}"#), Expected::Any);
    let digits = "9".repeat(100_000);
    add(&format!(r#"{{"step":{{"cmd":"fill","amount":{digits},"lock":false}}}}"#), Expected::Any);
    let long = "x".repeat(3 << 20);
    add(&format!(r#"{{"step":{{{right},"long":"{long}"}}}}"#), Expected::Error);
    add(&long, Expected::Error);
    requests.push((b"\xff\xfe{\"reset\":{}}".to_vec(), Expected::Error));
    requests.push((b"{\"step\":{\"c\xe9d\":1}}".to_vec(), Expected::Error));
    requests.push((b"{\"reset\":{\0}}".to_vec(), Expected::Error));
    requests
}

/// Whatever is asked, there is one line that answers it, and the next request finds all in order.
pub fn answers_whatever_is_asked(adapter: &Adapter) {
    let workshop = workshop("requests", adapter);
    let built = (adapter.build)(&workshop, adapter.example, Version::Correct);
    let Some(sut) = built else { return };
    let requests = requests();
    let mut text = b"\n  \n".to_vec();
    for (request, _) in &requests {
        text.extend(request.iter().chain(b"\n{\"reset\":{}}\n"));
    }
    text.pop();
    fs::write(workshop.place.join("requests"), text).expect("a file can be written");
    let stdin = File::open(workshop.place.join("requests")).expect("it was just written");
    let words: Vec<&str> = sut.split(' ').collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(&workshop.place).stdin(stdin).stderr(Stdio::null());
    let output = command.output().expect("it can be started");
    let answers = String::from_utf8(output.stdout).expect("answers are UTF-8");
    assert!(output.status.success(), "it ended with {}:\n{answers}", output.status);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), 2 * requests.len(), "{answers:#?}");
    for ((request, expected), pair) in requests.iter().zip(answers.chunks(2)) {
        let start: String = String::from_utf8_lossy(request).chars().take(100).collect();
        let [answer, reset] = [0, 1].map(|idx| kind(pair[idx]));
        assert!(*expected == Expected::Any || answer == *expected, "{start}: {}", pair[0]);
        assert_eq!(reset, Expected::Outputs, "after {start}: {}", pair[1]);
    }
}

fn kind(answer: &str) -> Expected {
    let json: Json = serde_json::from_str(answer).expect("an answer is JSON");
    match (json.get("outputs"), json.get("error").and_then(Json::as_str)) {
        (Some(_), None) => Expected::Outputs,
        (None, Some(why)) if !why.is_empty() => Expected::Error,
        _ => Expected::Any,
    }
}
