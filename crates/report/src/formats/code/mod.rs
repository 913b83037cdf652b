//! Test code, from templates.
//!
//! Each format is a template, a stub of what the user fills in, and a line in [`FORMATS`]. What
//! templates see is made by [`objects`], and what they can do is in [`filters`]. A template of the
//! user's sees and can do the same, and can read no files.
//!
//! In all languages a test is a table of states, and one loop gives inputs and compares outputs.

mod filters;
mod java;
mod language;
mod limits;
mod objects;
pub mod skeleton;

use std::io;
use std::sync::Arc;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, UndefinedBehavior, Value};

use objects::Root;
use trapline_suite::steps::ExecutableSuite;

/// Fuel of a template: base, and per value of the suite.
const FUEL: u64 = 50_000_000;
const FUEL_PER_VALUE: u64 = 1_000;

/// A template is no longer than this. How deep it nests is bounded, but for branches of one `if`.
const MAX_TEMPLATE: usize = 1 << 20;

/// A template writes no more than this.
const MAX_BYTES: usize = 1 << 30;

/// A format of test code.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// How its files end.
    pub ending: &'static str,
    /// What the user fills in: the name of the file, and the template of its first text.
    pub stub: Option<(&'static str, &'static str)>,
    template: &'static str,
}

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("templates/", $name, ".jinja"))
    };
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "pytest",
        about: "Python test functions",
        ending: ".py",
        stub: Some(("adapter.py", text!("adapter.py"))),
        template: text!("pytest"),
    },
    Format {
        name: "rust",
        about: "Rust #[test] functions",
        ending: ".rs",
        stub: Some(("adapter.rs", text!("adapter.rs"))),
        template: text!("rust"),
    },
    Format {
        name: "c",
        about: "C with a main function, whose output is TAP",
        ending: ".c",
        stub: Some(("adapter.h", text!("adapter.h"))),
        template: text!("c"),
    },
    Format {
        name: "c-unity",
        about: "C for the Unity framework",
        ending: ".c",
        stub: Some(("adapter.h", text!("adapter.h"))),
        template: text!("c"),
    },
    Format {
        name: "c-cmocka",
        about: "C for the CMocka framework",
        ending: ".c",
        stub: Some(("adapter.h", text!("adapter.h"))),
        template: text!("c"),
    },
    Format {
        name: "googletest",
        about: "C++ for GoogleTest",
        ending: ".cpp",
        stub: Some(("adapter.hpp", text!("adapter.hpp"))),
        template: text!("googletest"),
    },
    Format {
        name: "junit",
        about: "Java for JUnit 5",
        ending: ".java",
        stub: Some(("Adapter.java", text!("Adapter.java"))),
        template: text!("junit"),
    },
    Format {
        name: "gherkin",
        about: "Gherkin scenarios for Cucumber and similar tools",
        ending: ".feature",
        stub: None,
        template: text!("gherkin"),
    },
    Format {
        name: "template-data",
        about: "the data that templates see, as JSON",
        ending: ".data.json",
        stub: None,
        template: text!("data"),
    },
];

/// A template that can't be read or rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct TemplateError {
    /// The line in the template.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// The format with this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

impl Format {
    /// The whole template.
    pub fn template(&self) -> String {
        // Several formats may share a text, which asks for the style that is set here.
        format!("{{% set style = \"{}\" -%}}\n{}", self.name, self.template)
    }
}

/// Renders a template with a suite as data.
///
/// # Errors
/// The template is wrong, asks for what is not there, or does not come to an end.
pub fn render(
    template: &str,
    suite: Arc<ExecutableSuite>,
    name: &str,
) -> Result<String, TemplateError> {
    let n_columns = suite.columns.len();
    let n_values: usize = suite.tests.iter().map(|test| test.rows.len() * n_columns).sum();
    fill_in(template, Value::from_object(Root { suite, name: name.into() }), n_values)
}

/// Renders a template with data of so many values.
fn fill_in(template: &str, data: Value, n_values: usize) -> Result<String, TemplateError> {
    if template.len() > MAX_TEMPLATE {
        let message = format!("a template of more than {} KiB", MAX_TEMPLATE >> 10);
        return Err(TemplateError { line: None, message });
    }
    let mut environment = Environment::new();
    // Without it, which is how release builds begin, an error does not say which name is undefined.
    environment.set_debug(true);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL + FUEL_PER_VALUE * n_values as u64));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let mut syntax = SyntaxConfig::builder();
    let syntax = syntax.keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(syntax.map_err(wrong)?);
    filters::add(&mut environment);
    limits::add(&mut environment);
    let mut text = Limited(Vec::new());
    let template = environment.template_from_named_str("template", template).map_err(wrong)?;
    template.render_captured_to(data, &mut text).map_err(wrong)?;
    String::from_utf8(text.0)
        .map_err(|_| TemplateError { line: None, message: "the result is no text".into() })
}

fn wrong(error: Error) -> TemplateError {
    // Inside a macro or a loop the innermost error is the relevant one.
    let mut message = error.to_string();
    if let Some(detail) = error.detail() {
        message = format!("{}: {detail}", error.kind());
    } else if let Some(place) = message.find(" (in ") {
        message.truncate(place);
    }
    TemplateError { line: error.line(), message }
}

/// What is written, up to a limit.
struct Limited(Vec<u8>);

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_BYTES {
            return Err(io::Error::other("the result is too large"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
