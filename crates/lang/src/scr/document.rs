//! A specification from its tables: in Markdown, and in the plain form.
//!
//! Reading what is written here gives the same model again. Comments are not part of tables.

use std::iter::repeat;

use trapline_source::{Cell, Table};

/// How each kind of section begins in the plain form; tables say it behind their name.
const KEYWORDS: &[(&str, &str)] = &[
    ("Types", "TYPES"),
    ("Constants", "CONSTANTS"),
    ("Monitored variables", "MONITORED"),
    ("Controlled variables", "CONTROLLED"),
    ("Terms", "TERMS"),
    ("Mode classes", "MODECLASS"),
    ("Environmental assumptions", "NAT"),
    ("Assertions", "ASSERT"),
    ("CTL properties", "CTL"),
    ("LTL properties", "LTL"),
    ("Options", "OPTIONS"),
    ("Mode transition table", "MODE"),
    ("Event table", "EVENT"),
    ("Condition table", "CONDITION"),
];

/// Values that stand for nothing in a cell of a dictionary.
const NOTHING: &[&str] = &["X", "x"];

/// The tables as a Markdown document.
pub fn markdown(tables: &[Table]) -> String {
    let mut text = String::from("# Specification\n");
    for table in tables {
        text += &format!("\n## {}\n\n", heading(table));
        // What a table gives is what its columns are about.
        let columns = match &table.values[..] {
            [] => table.columns.clone(),
            values => values.iter().map(|cell| code(&cell.text)).collect(),
        };
        text += &row(&columns);
        text += &row(&vec!["---".into(); columns.len()]);
        for cells in &table.rows {
            let cells = cells.iter().enumerate().map(|cell| code(&shown(table, cell)));
            text += &row(&cells.collect::<Vec<_>>());
        }
    }
    text
}

/// The tables in the plain form.
pub fn plain(tables: &[Table]) -> String {
    let sections: Vec<String> = tables.iter().map(section).collect();
    sections.join("\n")
}

/// A name in backticks is no word of the heading.
fn heading(table: &Table) -> String {
    let class = table.class.as_ref().map_or(String::new(), |class| format!(" (`{class}`)"));
    match &table.name {
        Some(name) => format!("{}: `{name}`{class}", table.kind),
        None => table.kind.into(),
    }
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// A cell as code, unless Markdown shows it as it is anyway.
fn code(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == ' ' || c == ',';
    match text.chars().all(is_plain) || text == "*" {
        true => text.into(),
        false => format!("`{}`", text.replace('|', "\\|")),
    }
}

/// A cell; an initial value must not look like none.
fn shown(table: &Table, (column, cell): (usize, &Cell)) -> String {
    let is_init = table.name.is_none() && column == 2;
    match is_init && NOTHING.contains(&cell.text.as_str()) {
        true => format!("({})", cell.text),
        false => cell.text.clone(),
    }
}

fn section(table: &Table) -> String {
    let keyword = KEYWORDS.iter().find(|(kind, _)| *kind == table.kind);
    let keyword = keyword.map_or(table.kind, |(_, keyword)| *keyword);
    let Some(name) = &table.name else {
        let lines = table.rows.iter().map(|cells| format!("  {}\n", entry(keyword, cells)));
        return format!("{keyword}\n{}", lines.collect::<String>());
    };
    let class = table.class.as_ref().map_or(String::new(), |class| format!(" CLASS {class}"));
    format!("TABLE {name} {keyword}{class}\n{}", rules(table))
}

/// A row of a dictionary in a line.
fn entry(keyword: &str, cells: &[Cell]) -> String {
    let texts: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
    match (keyword, &texts[..]) {
        ("TYPES" | "CONSTANTS", [name, value]) => format!("{name} = {value}"),
        ("ASSERT" | "CTL" | "LTL", ["", formula]) => (*formula).into(),
        ("ASSERT" | "CTL" | "LTL" | "OPTIONS", [name, value]) => format!("{name}: {value}"),
        (_, [name, ty, ""]) => format!("{name} : {ty}"),
        (_, [name, ty, init]) => format!("{name} : {ty} INIT {init}"),
        _ => texts.join(" "),
    }
}

/// A text with spaces behind it; `format!` has a limit.
fn padded(text: &str, width: usize) -> String {
    text.chars().chain(repeat(' ')).take(width).collect()
}

/// The rows of a table, with bars below each other.
fn rules(table: &Table) -> String {
    let escaped = |cells: &[Cell]| -> Vec<String> {
        cells.iter().map(|cell| cell.text.replace('|', "\\|")).collect()
    };
    let rows: Vec<Vec<String>> = table.rows.iter().map(|cells| escaped(cells)).collect();
    let values = escaped(&table.values);
    let width = |column: usize| {
        let cells = rows.iter().chain([&values]).filter_map(|cells| cells.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.width()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths).map(|(cell, &width)| padded(cell, width));
        format!("  {}\n", cells.collect::<Vec<_>>().join(" | ").trim_end())
    };
    let mut text: String = rows.iter().map(|cells| line(cells)).collect();
    if !values.is_empty() {
        let rulers: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        text += &format!("  {}\n", rulers.join("-+-"));
        text += &line(&values);
    }
    text
}
