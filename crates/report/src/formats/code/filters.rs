//! What templates can do beyond what templates can do everywhere.

use std::sync::Arc;

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind};
use trapline_model::Role;
use trapline_suite::steps::{Cell, Column, ExecutableSuite, ExecutableTest, Kind};

use super::java;
use super::language::{self, LANGUAGES, Language};
use super::objects::{TestView, changed};

/// Columns are lined up unless a value is wider than this.
const MAX_WIDTH: usize = 24;

/// Adds our filters and functions.
pub fn add(environment: &mut Environment<'_>) {
    environment.add_filter("identifier", |name: &str, language: &str| {
        Ok::<_, Error>(find(language)?.identifier(name))
    });
    environment.add_filter("literal", literal);
    environment.add_filter("comment", |text: &str, language: &str| {
        Ok::<_, Error>(find(language)?.comment(text))
    });
    environment.add_filter("rows", rows);
    environment.add_filter("java_parts", java::parts);
    environment.add_filter("tap", |name: &str| language::tap(name));
    environment.add_function("identifiers", identifiers);
}

fn find(language: &str) -> Result<Language, Error> {
    Language::find(language).ok_or_else(|| {
        let known: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        let message = format!("`{language}` is no language; known are {}", known.join(", "));
        Error::new(ErrorKind::InvalidOperation, message)
    })
}

/// Is there such a value? Otherwise the error names it.
fn check_defined(value: &Value) -> Result<(), Error> {
    match value.is_undefined() {
        // Whatever is asked of it, the answer is the error that names it.
        true => value.get_attr("name").and(Err(ErrorKind::UndefinedError.into())),
        false => Ok(()),
    }
}

/// A map from names to identifiers, all different. The first argument is a list of names, or of
/// things with a name.
fn identifiers(names: &Value, language: &str) -> Result<Value, Error> {
    let language = find(language)?;
    check_defined(names)?;
    let mut list: Vec<String> = Vec::new();
    for item in names.try_iter()? {
        let name = if item.kind() == ValueKind::String { item } else { item.get_attr("name")? };
        check_defined(&name)?;
        list.push(name.to_string());
    }
    let unique = language.identifiers(list.iter().map(String::as_str));
    Ok(Value::from_pairs(list.into_iter().zip(unique)))
}

/// A value as it is written in code.
fn literal(value: &Value, language: &str) -> Result<String, Error> {
    let language = find(language)?;
    check_defined(value)?;
    let cell = match value.kind() {
        ValueKind::Bool => Some(Cell::Bool(value.is_true())),
        ValueKind::String => Some(Cell::Text(value.as_str().unwrap_or_default().into())),
        ValueKind::None => None,
        ValueKind::Number => Some(number(value)?),
        kind => {
            let message = format!("a {kind} is no single value");
            return Err(Error::new(ErrorKind::InvalidOperation, message));
        }
    };
    Ok(language.literal(cell.as_ref()))
}

fn number(value: &Value) -> Result<Cell, Error> {
    if let Some(number) = value.as_i64().filter(|_| value.is_integer()) {
        return Ok(Cell::Int(number));
    }
    match u64::try_from(value.clone()) {
        Ok(number) if value.is_integer() => Ok(Cell::Unsigned(number)),
        _ => f64::try_from(value.clone()).map(Cell::Real),
    }
}

/// The states of a test that are judged, each with its inputs and what is expected, as code.
fn rows(test: &Value, language: &str) -> Result<Value, Error> {
    let language = find(language)?;
    let Some(view) = test.downcast_object::<TestView>() else {
        return Err(Error::new(ErrorKind::InvalidOperation, "`rows` is about a test"));
    };
    let (suite, test) = (view.suite(), view.test());
    let rows = &test.rows[..test.n_judged()];
    let (given_names, given) = lines(suite, rows, &suite.of_role(Role::Input), language);
    let (expected_names, expected) = lines(suite, rows, &suite.checked(), language);
    let row = |(idx, (given, expected)): (usize, (String, String))| {
        Value::from_pairs([
            ("index", Value::from(idx)),
            ("inputs", given.into()),
            ("outputs", expected.into()),
            ("input_names", given_names.as_str().into()),
            ("output_names", expected_names.as_str().into()),
            ("changes", changes(suite, test, idx).into()),
        ])
    };
    Ok(given.into_iter().zip(expected).enumerate().map(row).collect())
}

/// The names of some columns, and their values in each state, lined up.
fn lines(
    suite: &ExecutableSuite,
    rows: &[Vec<Option<Cell>>],
    columns: &[usize],
    language: Language,
) -> (String, Vec<String>) {
    let names = columns.iter().map(|&column| &*suite.columns[column].name);
    let fields = language.identifiers(names);
    let is_table = matches!(language, Language::JavaTable | Language::Gherkin);
    let mut lines: Vec<String> = vec![String::new(); rows.len() + 1];
    for (idx, (&column, field)) in columns.iter().zip(&fields).enumerate() {
        let Column { name, kind, .. } = &suite.columns[column];
        let head = if is_table { language.quote(name) } else { String::new() };
        let cells = rows.iter().map(|row| cell(language, *kind, field, row[column].as_ref()));
        let texts: Vec<String> = std::iter::once(head).chain(cells).collect();
        let is_last = idx + 1 == columns.len();
        let layout = match (language, kind) {
            (Language::JavaTable | Language::Gherkin, Kind::Int) => Layout::TableRight,
            (Language::JavaTable | Language::Gherkin, _) => Layout::Table,
            (Language::Python | Language::C | Language::Cpp, Kind::Int) => Layout::Right,
            _ => Layout::Left,
        };
        add_column(&mut lines, &texts, layout, is_last);
    }
    let head = lines.remove(0);
    (head, lines)
}

/// How a column is lined up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A list: a comma right behind each value.
    Left,
    /// A list of numbers.
    Right,
    /// A table: a border behind the gap.
    Table,
    /// A table with numbers.
    TableRight,
}

fn add_column(lines: &mut [String], texts: &[String], layout: Layout, is_last: bool) {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    for (line, text) in lines.iter_mut().zip(texts) {
        let n_missing = if width <= MAX_WIDTH { width - text.chars().count() } else { 0 };
        let gap = " ".repeat(n_missing);
        *line += &match (layout, is_last) {
            (Layout::Left, false) => format!("{text}, {gap}"),
            // Nothing is lined up behind it.
            (Layout::Left, true) => text.clone(),
            (Layout::Right, false) => format!("{gap}{text}, "),
            (Layout::Right | Layout::TableRight, true) => format!("{gap}{text}"),
            (Layout::Table, false) => format!("{text}{gap} | "),
            (Layout::TableRight, false) => format!("{gap}{text} | "),
            (Layout::Table, true) => format!("{text}{gap}"),
        };
    }
}

fn cell(language: Language, kind: Kind, field: &str, cell: Option<&Cell>) -> String {
    let value = match (language, kind, cell) {
        // Where all values of a column have one type, one stands for what is missing.
        (Language::Rust | Language::C | Language::Cpp, _, None) => match kind {
            Kind::Bool => "false".into(),
            Kind::Int | Kind::Unsigned => "0".into(),
            Kind::Real => "0.0".into(),
            Kind::Text => language.quote(""),
        },
        // Values of several kinds are all texts.
        (Language::Rust | Language::C | Language::Cpp, Kind::Text, Some(cell)) => {
            language.quote(&cell.show())
        }
        (_, Kind::Real, Some(Cell::Int(number))) => format!("{number}.0"),
        (_, _, cell) => language.literal(cell),
    };
    if language == Language::Rust { format!("{field}: {value}") } else { value }
}

/// What changes with a step, as text.
fn changes(suite: &ExecutableSuite, test: &ExecutableTest, state: usize) -> String {
    let change = |column: usize| {
        let name: &Arc<str> = &suite.columns[column].name;
        let value = test.rows[state][column].as_ref().map(Cell::show).unwrap_or_default();
        format!("{name} = {value}")
    };
    let changes: Vec<String> = changed(suite, test, state).into_iter().map(change).collect();
    match changes.is_empty() {
        true if suite.of_role(Role::Input).is_empty() => "a step".into(),
        true => "the same inputs".into(),
        false => changes.join(", "),
    }
}
