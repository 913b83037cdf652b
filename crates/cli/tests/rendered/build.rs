//! Rendering, building and running test code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

/// A language and its framework.
pub struct Language {
    /// What `--format` takes.
    pub format: &'static str,
    /// The generated file.
    pub tests: &'static str,
    /// The file that connects it with the implementation.
    pub adapter: &'static str,
    /// The implementation of the example.
    pub implementation: &'static str,
    /// An adapter whose output `out` is the input `given`.
    pub echo: &'static str,
    /// An adapter whose implementation shows `no` at first, and then what each step gives it.
    pub late: &'static str,
    run: fn(&Workshop, Version) -> Option<Outcome>,
}

/// Which implementation of the example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Correct,
    Wrong,
}

/// How a program ended, and all that it printed.
#[derive(Debug)]
pub struct Outcome {
    pub is_success: bool,
    pub text: String,
}

/// A folder of its own for one test.
pub struct Workshop {
    pub place: PathBuf,
}

pub const PYTEST: Language = Language {
    format: "pytest",
    tests: "test_suite.py",
    adapter: "adapter.py",
    implementation: "safety_injection.py",
    echo: "class Adapter:\n    def reset(self, inputs):\n        return {\"out\": inputs[\"given\"]}\n\n    \
        step = reset\n",
    late: "class Adapter:\n    def reset(self, inputs):\n        return {\"out\": \"no\"}\n\n    \
        def step(self, inputs):\n        return {\"out\": inputs[\"given\"]}\n",
    run: run_pytest,
};

pub const RUST: Language = Language {
    format: "rust",
    tests: "suite.rs",
    adapter: "adapter.rs",
    implementation: "safety_injection.rs",
    echo: "use super::{Inputs, Outputs};\npub struct Adapter;\nimpl Adapter {\n    \
        pub fn new() -> Adapter { Adapter }\n    \
        pub fn reset(&mut self, inputs: &Inputs) -> Outputs { Outputs { out: inputs.given.into() } }\n    \
        pub fn step(&mut self, inputs: &Inputs) -> Outputs { self.reset(inputs) }\n}\n",
    late: "use super::{Inputs, Outputs};\npub struct Adapter;\nimpl Adapter {\n    \
        pub fn new() -> Adapter { Adapter }\n    \
        pub fn reset(&mut self, _: &Inputs) -> Outputs { Outputs { out: \"no\".into() } }\n    \
        pub fn step(&mut self, inputs: &Inputs) -> Outputs { Outputs { out: inputs.given.into() } }\n}\n",
    run: run_rust,
};

const C_LATE: &str = "static void adapter_reset(const struct inputs *inputs, struct outputs *outputs)\n\
    {\n    (void)inputs;\n    outputs->out = \"no\";\n}\n\n\
    static void adapter_step(const struct inputs *inputs, struct outputs *outputs)\n\
    {\n    outputs->out = inputs->given;\n}\n";

const C_ECHO: &str = "static void adapter_reset(const struct inputs *inputs, struct outputs *outputs)\n\
    {\n    outputs->out = inputs->given;\n}\n\n\
    static void adapter_step(const struct inputs *inputs, struct outputs *outputs)\n\
    {\n    adapter_reset(inputs, outputs);\n}\n";

pub const C: Language = Language {
    format: "c",
    tests: "suite.c",
    adapter: "adapter.h",
    implementation: "safety_injection.h",
    echo: C_ECHO,
    late: C_LATE,
    run: |workshop, version| run_c(workshop, version, &[]),
};

pub const C_UNITY: Language = Language { format: "c-unity", ..C };

pub const C_CMOCKA: Language = Language {
    format: "c-cmocka",
    run: |workshop, version| {
        need(Path::new("/usr/include/cmocka.h"));
        run_c(workshop, version, &["-lcmocka"])
    },
    ..C
};

pub const GOOGLETEST: Language = Language {
    format: "googletest",
    tests: "suite.cpp",
    adapter: "adapter.hpp",
    implementation: "safety_injection.h",
    echo: "struct Adapter {\n    Outputs reset(const Inputs &inputs) { return { inputs.given }; }\n    \
        Outputs step(const Inputs &inputs) { return { inputs.given }; }\n};\n",
    late: "struct Adapter {\n    Outputs reset(const Inputs &) { return { \"no\" }; }\n    \
        Outputs step(const Inputs &inputs) { return { inputs.given }; }\n};\n",
    run: run_googletest,
};

pub const JUNIT: Language = Language {
    format: "junit",
    tests: "SuiteTest.java",
    adapter: "Adapter.java",
    implementation: "SafetyInjection.java",
    echo: "import java.util.Map;\n\nclass Adapter {\n    \
        Map<String, Object> reset(Map<String, Object> inputs) { return Map.of(\"out\", inputs.get(\"given\")); }\n    \
        Map<String, Object> step(Map<String, Object> inputs) { return Map.of(\"out\", inputs.get(\"given\")); }\n}\n",
    late: "import java.util.Map;\n\nclass Adapter {\n    \
        Map<String, Object> reset(Map<String, Object> inputs) { return Map.of(\"out\", \"no\"); }\n    \
        Map<String, Object> step(Map<String, Object> inputs) { return Map.of(\"out\", inputs.get(\"given\")); }\n}\n",
    run: run_junit,
};

impl Workshop {
    /// An empty folder.
    pub fn new(area: &str, format: &str) -> Workshop {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rendered").join(area).join(format);
        if place.exists() {
            fs::remove_dir_all(&place).expect("the folder of the last run can be removed");
        }
        fs::create_dir_all(&place).expect("a folder can be made");
        Workshop { place }
    }

    /// Runs trapline, which must do what it is asked.
    pub fn trapline(&self, args: &[&str]) {
        let outcome = self.run(Path::new(env!("CARGO_BIN_EXE_trapline")), args, &[]);
        assert!(outcome.is_success, "trapline {args:?}\n{}", outcome.text);
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.place.join(name), text).expect("a file can be written");
    }

    /// Builds and runs what is there; `None` if this machine can't.
    pub fn try_it(&self, language: &Language, version: Version) -> Option<Outcome> {
        (language.run)(self, version)
    }

    /// Copies a file from a folder.
    pub fn copy(&self, from: &Path, name: &str) {
        fs::copy(from.join(name), self.place.join(name)).expect("a file of the example is there");
    }

    pub fn run(&self, program: &Path, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.place).envs(variables.iter().copied());
        let Ok(output) = command.output() else {
            panic!("{} can't be started: run scripts/install-test-tools", program.display());
        };
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        Outcome { is_success: output.status.success(), text }
    }

    /// Runs a compiler, which must find nothing wrong.
    pub fn compile(&self, program: &str, args: &[&str]) {
        let outcome = self.run(Path::new(program), args, &[]);
        assert!(outcome.is_success, "{program} {args:?}\n{}", outcome.text);
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the correct implementation, the wrong one and the stub say.
pub fn example(workshop: &Workshop, language: &Language) -> Option<[Outcome; 3]> {
    let example = root().join("examples/safety-injection");
    workshop.copy(&example, "safety_injection.smv");
    let roles = ["--internal", "Overridden", "Low", "Permit", "Blocked", "WasReset"];
    let generate = ["generate", "safety_injection.smv", "--criteria", "branch,mcdc-masking"];
    workshop.trapline(&[&generate, &roles[..], &["-o", "suite.json"]].concat());
    let render = ["render", "suite.json", "--format", language.format];
    workshop.trapline(&[&render[..], &["-o", language.tests]].concat());
    let implementation = example.join("implementation");
    workshop.copy(&implementation, language.adapter);
    workshop.copy(&implementation, language.implementation);
    let correct = workshop.try_it(language, Version::Correct)?;
    let wrong = workshop.try_it(language, Version::Wrong)?;
    fs::remove_file(workshop.place.join(language.adapter)).expect("the adapter is there");
    workshop.trapline(&[&render[..], &["--stub", "-o", language.adapter]].concat());
    let stub = workshop.try_it(language, Version::Correct)?;
    Some([correct, wrong, stub])
}

/// A model whose output is free after the first step; the implementation always says `yes`, which is
/// its input.
const FREE: &str = "MODULE main\nVAR given : {yes}; out : {yes, no};\n\
    ASSIGN init(out) := yes; next(out) := {yes, no};\n";

/// What an implementation says that takes another choice than the test.
pub fn choices(workshop: &Workshop, language: &Language) -> Option<Outcome> {
    workshop.write("free.smv", FREE);
    let generate = ["generate", "free.smv", "--output", "out", "--criteria", "value"];
    workshop.trapline(&[&generate[..], &["-o", "suite.json"]].concat());
    let suite = fs::read_to_string(workshop.place.join("suite.json")).expect("the suite is there");
    assert!(suite.contains("\"no\""), "the test takes no choice:\n{suite}");
    workshop.trapline(&["render", "suite.json", "--format", language.format, "-o", language.tests]);
    workshop.write(language.adapter, language.echo);
    workshop.try_it(language, Version::Correct)
}

/// A model whose input decides the next state.
const LATE: &str = "MODULE main\nVAR given : {yes, no}; out : {yes, no};\n\
    ASSIGN init(out) := no; next(out) := given;\n";

/// What an implementation says whose step shows what its input did; and one that is a step late.
pub fn late(workshop: &Workshop, language: &Language) -> Option<[Outcome; 2]> {
    workshop.write("late.smv", LATE);
    workshop.trapline(&["generate", "late.smv", "--criteria", "pair", "-o", "suite.json"]);
    workshop.trapline(&["render", "suite.json", "--format", language.format, "-o", language.tests]);
    workshop.write(language.adapter, language.late);
    let right = workshop.try_it(language, Version::Correct)?;
    let state = ["generate", "late.smv", "--criteria", "pair", "--input", "given:state"];
    workshop.trapline(&[&state[..], &["-o", "suite.json"]].concat());
    workshop.trapline(&["render", "suite.json", "--format", language.format, "-o", language.tests]);
    let wrong = workshop.try_it(language, Version::Correct)?;
    Some([right, wrong])
}

/// What an implementation says that echoes what is given, of a parameter that is the first of it; and
/// of one that is not.
pub fn parameter(workshop: &Workshop, language: &Language) -> Option<[Outcome; 2]> {
    workshop.write(language.adapter, language.echo);
    let outcome = |out: &str| {
        let states =
            [("yes", out), ("no", out)].map(|(given, out)| json!({"given": given, "out": out}));
        let suite = json!({"roles": {"input": ["given"], "output": ["out"]}, "parameters": ["out"],
            "tests": [{"name": "t", "states": states, "nondeterministic": [[], []]}]});
        workshop.write("suite.json", &suite.to_string());
        let render = ["render", "suite.json", "--format", language.format, "-o", language.tests];
        workshop.trapline(&render);
        workshop.try_it(language, Version::Correct)
    };
    Some([outcome("yes")?, outcome("no")?])
}

fn need(path: &Path) {
    assert!(path.exists(), "{} is missing: run scripts/install-test-tools", path.display());
}

fn run_pytest(workshop: &Workshop, version: Version) -> Option<Outcome> {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache");
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    let python = cache.join("trapline/python/bin/python");
    need(&python);
    let wrong = if version == Version::Wrong { "1" } else { "0" };
    // Compiled files of the last run would hide that a file has changed within a second.
    let variables = [("WRONG", wrong), ("PYTHONDONTWRITEBYTECODE", "1")];
    let args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py"];
    Some(workshop.run(&python, &args, &variables))
}

fn run_rust(workshop: &Workshop, version: Version) -> Option<Outcome> {
    let mut args = vec!["--edition", "2021", "--test", "suite.rs", "-o", "suite"];
    args.extend(["--check-cfg", "cfg(wrong, test)", "-D", "warnings"]);
    if version == Version::Wrong {
        args.extend(["--cfg", "wrong"]);
    }
    workshop.compile("rustc", &args);
    Some(workshop.run(&workshop.place.join("suite"), &[], &[]))
}

fn run_c(workshop: &Workshop, version: Version, libraries: &[&str]) -> Option<Outcome> {
    let frameworks = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/tests/rendered/frameworks");
    let mut args = vec!["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", frameworks];
    if version == Version::Wrong {
        args.push("-DWRONG");
    }
    args.extend(["suite.c", "-o", "suite"]);
    workshop.compile("cc", &[&args, libraries].concat());
    Some(workshop.run(&workshop.place.join("suite"), &[], &[]))
}

fn run_googletest(workshop: &Workshop, version: Version) -> Option<Outcome> {
    need(Path::new("/usr/include/gtest/gtest.h"));
    let mut args = vec!["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic"];
    if version == Version::Wrong {
        args.push("-DWRONG");
    }
    args.extend(["suite.cpp", "-o", "suite", "-lgtest", "-lgtest_main", "-lpthread"]);
    workshop.compile("c++", &args);
    Some(workshop.run(&workshop.place.join("suite"), &[], &[]))
}

/// Java is not everywhere, and JUnit is in fewer places still: without it, a stand-in has what is used of
/// it.
fn run_junit(workshop: &Workshop, version: Version) -> Option<Outcome> {
    Command::new("javac").arg("-version").output().ok()?;
    let mut sources: Vec<String> = Vec::new();
    for entry in fs::read_dir(&workshop.place).expect("the folder is there") {
        let name = entry.expect("its entries are there").file_name().to_string_lossy().into_owned();
        sources.extend(Some(name).filter(|name| name.ends_with(".java")));
    }
    let wrong = if version == Version::Wrong { "-Dwrong=true" } else { "-Dwrong=false" };
    let jars = std::env::var("JUNIT_JARS").unwrap_or_else(|_| "/usr/share/java".into());
    let args =
        ["-encoding", "US-ASCII", "-Xlint:all,-path", "-proc:none", "-Werror", "-d", "classes"];
    let mut args: Vec<&str> = args.into();
    if Path::new(&jars).join("junit-platform-console.jar").exists() {
        let jars = format!("{jars}/*");
        args.extend(["-cp", &jars]);
        args.extend(sources.iter().map(String::as_str));
        workshop.compile("javac", &args);
        let classes = format!("classes:{jars}");
        let launcher = "org.junit.platform.console.ConsoleLauncher";
        let args = ["-cp", &classes, wrong, launcher, "--select-class", "SuiteTest"];
        let plain = ["--disable-banner", "--disable-ansi-colors"];
        return Some(workshop.run(Path::new("java"), &[&args[..], &plain[..]].concat(), &[]));
    }
    let frameworks = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/rendered/frameworks/junit");
    sources.push(format!("{frameworks}/Run.java"));
    args.extend(["-sourcepath", frameworks, "-implicit:class"]);
    args.extend(sources.iter().map(String::as_str));
    workshop.compile("javac", &args);
    Some(workshop.run(Path::new("java"), &["-cp", "classes", wrong, "Run", "SuiteTest"], &[]))
}
