//! Test cases in the Intermediate Trace Representation of the University of Minnesota.
//!
//! As in figure 10 of the SAL-ATG manual (Hamon, de Moura and Rushby, 2005): each step has inputs,
//! outputs and internal values. Members of an instance are in an interface of its name. Truth
//! values are 1 and 0. Which command a step takes is left out, as in the manual's script.

use trapline_model::Role;
use trapline_model::name;
use trapline_suite::steps::{Cell, Column, ExecutableSuite, Kind, TURNS, steps};

use super::Traces;

/// Writes all traces.
pub fn write(traces: &Traces<'_>) -> String {
    let suite = steps(traces, TURNS);
    let mut text = String::from("DECLARATION\n");
    for column in suite.columns.iter().filter(|column| !is_command(column)) {
        let kind = match column.kind {
            Kind::Bool => "BOOLEAN",
            Kind::Int | Kind::Unsigned => "INTEGER",
            Kind::Real => "REAL",
            Kind::Text => "ENUMERATION",
        };
        text += &format!("{}:{kind};\n", word(&column.name));
    }
    let parts = [
        ("INPUT", ": READER", Role::Input),
        ("OUTPUT", ": SENDER", Role::Output),
        ("STATE", ": LOCAL", Role::Internal),
    ];
    let groups = parts.map(|(name, end, role)| (name, end, groups(&suite, role)));
    for (test_idx, test) in suite.tests.iter().enumerate() {
        let number = test_idx + 1;
        text += &format!("\nTESTCASE {number}\n");
        for (row_idx, row) in test.rows.iter().enumerate() {
            text += &format!("  STEP {}\n", row_idx + 1);
            for (name, end, groups) in &groups {
                add_part(&mut text, &suite.columns, (name, end), groups, row);
            }
            text += &format!("  ENDSTEP {}\n", row_idx + 1);
        }
        text += &format!("ENDTESTCASE {number}\n");
    }
    text
}

/// Does it say which command a step takes? In a suite without its model only the name tells.
fn is_command(column: &Column) -> bool {
    let (_, own) = name::split_member(&column.name);
    column.is_step && column.role == Role::Internal && own.trim_end_matches('_') == "command"
}

/// An instance, and the columns in it.
type Group = (Option<String>, Vec<usize>);

/// The columns of a role by their instances, in the order in which these come first.
fn groups(suite: &ExecutableSuite, role: Role) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let columns = suite.of_role(role).into_iter();
    for column in columns.filter(|column| !is_command(&suite.columns[*column])) {
        let instance = name::split_member(&suite.columns[column].name).0.map(word);
        match groups.iter_mut().find(|(known, _)| *known == instance) {
            Some((_, columns)) => columns.push(column),
            None => groups.push((instance, vec![column])),
        }
    }
    groups
}

fn add_part(
    text: &mut String,
    columns: &[Column],
    (name, end): (&str, &str),
    groups: &[Group],
    row: &[Option<Cell>],
) {
    *text += &format!("    {name}\n");
    for (instance, members) in groups {
        let indent = if instance.is_some() { "        " } else { "      " };
        if let Some(instance) = instance {
            *text += &format!("      INTERFACE {instance}{end}\n");
        }
        for &column in members {
            let name = &columns[column].name;
            let (_, own) = name::split_member(name);
            if let Some(cell) = &row[column] {
                *text += &format!("{indent}{} = {};\n", word(own), value(cell));
            }
        }
        if instance.is_some() {
            *text += "      ENDINTERFACE\n";
        }
    }
    *text += &format!("    END{name}\n");
}

fn value(cell: &Cell) -> String {
    match cell {
        Cell::Bool(b) => u8::from(*b).to_string(),
        cell => word(&cell.show()),
    }
}

/// A text without what ends a name or a value.
fn word(text: &str) -> String {
    let is_end = |c: char| c.is_control() || matches!(c, ';' | '=' | ':');
    text.chars().map(|c| if is_end(c) { '_' } else { c }).collect()
}
