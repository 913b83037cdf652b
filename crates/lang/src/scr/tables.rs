//! The tables of a specification as they are written, and its dictionaries as tables.
//!
//! Sections say in which order; what was parsed says which part of a row is which cell.

use trapline_model::PropertyKind;
use trapline_source::{Cell, SourceFile, Span, Table};

use super::layout::{Head, Piece, Section};
use super::syntax::{self, Code, Row, Spec, TableKind, Variable, VariableKind};

/// What stands for the modes of a row that has none.
const NO_MODES: &str = "*";

/// The tables of a specification that is right, in the order of its text.
pub fn tables(file: &SourceFile, sections: &[Section<'_>], spec: &Spec) -> Vec<Table> {
    let writer = Writer { whole: Piece::whole(file), spec };
    let mut tables: Vec<Table> = Vec::new();
    for table in sections.iter().filter_map(|section| writer.table(section)) {
        match tables.last_mut() {
            // Keywords are often repeated for each rule.
            Some(last) if last.name.is_none() && last.kind == table.kind => {
                last.rows.extend(table.rows);
            }
            _ => tables.push(table),
        }
    }
    tables
}

/// What a section is, as a heading that says so in every form.
pub fn kind(head: Head<'_>) -> &'static str {
    match head {
        Head::Types => "Types",
        Head::Constants => "Constants",
        Head::Variables(VariableKind::Monitored) => "Monitored variables",
        Head::Variables(VariableKind::Controlled) => "Controlled variables",
        Head::Variables(VariableKind::Term) => "Terms",
        Head::Variables(VariableKind::ModeClass) => "Mode classes",
        Head::Assumptions => "Environmental assumptions",
        Head::Properties(PropertyKind::Ctl) => "CTL properties",
        Head::Properties(PropertyKind::Ltl) => "LTL properties",
        Head::Properties(_) => "Assertions",
        Head::Options => "Options",
        Head::Table(TableKind::Mode, ..) => "Mode transition table",
        Head::Table(TableKind::Event, ..) => "Event table",
        Head::Table(TableKind::Condition, ..) => "Condition table",
    }
}

struct Writer<'s> {
    whole: Piece<'s>,
    spec: &'s Spec,
}

impl Writer<'_> {
    fn table(&self, section: &Section<'_>) -> Option<Table> {
        if let Head::Table(..) = section.head {
            let found = within(&self.spec.tables, section.span, |table| table.name.span);
            return found.first().map(|table| self.rules(section, table));
        }
        let (first, last) = (section.lines.first()?, section.lines.last()?);
        let rows = self.rows(section, first.span.to(last.span));
        let columns: &[&str] = match section.head {
            Head::Types => &["Name", "Values"],
            Head::Constants => &["Name", "Value"],
            Head::Variables(_) => &["Name", "Type", "Initial value"],
            Head::Assumptions => &["Assumption"],
            Head::Properties(_) => &["Name", "Formula"],
            _ => &["Option", "Value"],
        };
        let columns = columns.iter().map(|&column| column.into()).collect();
        let (name, class, values) = (None, None, Vec::new());
        let (kind, span) = (kind(section.head), section.span);
        (!rows.is_empty()).then_some(Table { kind, name, class, columns, rows, values, span })
    }

    /// The rows of a dictionary whose lines are here.
    fn rows(&self, section: &Section<'_>, span: Span) -> Vec<Vec<Cell>> {
        let spec = self.spec;
        match section.head {
            Head::Types => {
                let own = within(&spec.types, span, |one| one.name.span);
                own.iter()
                    .map(|one| vec![self.cell(one.name.span), self.cell(one.ty.span)])
                    .collect()
            }
            Head::Constants => {
                let own = within(&spec.constants, span, |one| one.name.span);
                own.iter().map(|one| vec![self.cell(one.name.span), self.code(one.value)]).collect()
            }
            Head::Variables(_) => {
                let own = within(&spec.variables, span, |one| one.name.span);
                own.iter().map(|one| self.variable(one)).collect()
            }
            Head::Assumptions => {
                let own = within(&spec.assumptions, span, |one| one.span);
                own.iter().map(|one| vec![self.cell(one.span)]).collect()
            }
            Head::Properties(_) => {
                let own = within(&spec.properties, span, |one| one.span);
                let name = |one: &syntax::Property| match one.name {
                    Some(name) => self.cell(name.span),
                    None => unwritten(one.span, ""),
                };
                own.iter().map(|one| vec![name(one), self.cell(one.span)]).collect()
            }
            Head::Options => {
                let own = section.lines.iter().filter(|line| !line.is_header);
                own.map(|line| self.option(line.span)).collect()
            }
            Head::Table(..) => Vec::new(),
        }
    }

    fn variable(&self, variable: &Variable) -> Vec<Cell> {
        let behind = Span::new(variable.ty.span.end, variable.ty.span.end);
        let init = variable.init.map_or(unwritten(behind, ""), |init| self.code(init));
        vec![self.cell(variable.name.span), self.cell(variable.ty.span), init]
    }

    /// Name and value, whatever stands between them.
    fn option(&self, span: Span) -> Vec<Cell> {
        let words = self.whole.of(span).split(|c: char| !c.is_ascii_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(|word| Cell { text: word.into(), span }).collect()
    }

    /// A table that gives values.
    fn rules(&self, section: &Section<'_>, table: &syntax::Table) -> Table {
        let name = self.spec.name(table.name.id).to_string();
        let class = table.class.map(|class| self.spec.name(class.id).to_string());
        let modes = class.clone().unwrap_or_default();
        let columns = match table.kind {
            TableKind::Mode => ["From", "Event", "To"].map(String::from).to_vec(),
            TableKind::Event => vec![modes, "Events".into()],
            TableKind::Condition => vec![modes, "Conditions".into()],
        };
        let mut known = None;
        let rows = table.rows.iter().map(|row| {
            let is_repeated = known.replace(row.modes_span) == Some(row.modes_span);
            self.row(row, is_repeated)
        });
        let rows = rows.collect();
        let mut values = Vec::new();
        if table.kind != TableKind::Mode {
            let start = table.values.first().map_or(section.span, |value| self.span(value.code));
            values.push(unwritten(start, &name));
            values.extend(table.values.iter().map(|value| self.code(value.code)));
        }
        let (kind, name, span) = (kind(section.head), Some(name), section.span);
        Table { kind, name, class, columns, rows, values, span }
    }

    fn row(&self, row: &Row, is_repeated: bool) -> Vec<Cell> {
        let is_first = |cell: &syntax::Cell| cell.span == row.modes_span;
        let modes = match () {
            () if row.cells.first().is_some_and(is_first) => unwritten(row.span, NO_MODES),
            () if is_repeated => unwritten(row.span, &self.cell(row.modes_span).text),
            () => self.cell(row.modes_span),
        };
        let cells = row.cells.iter().map(|cell| self.cell(cell.span));
        let target = row.target.map(|target| self.code(target.code));
        [modes].into_iter().chain(cells).chain(target).collect()
    }

    fn cell(&self, span: Span) -> Cell {
        Cell { text: plain(self.whole.of(span)), span }
    }

    fn code(&self, code: Code) -> Cell {
        self.cell(self.span(code))
    }

    fn span(&self, code: Code) -> Span {
        self.spec.nodes(code).last().map_or(Span::default(), |root| root.span)
    }
}

/// A cell that says what stands elsewhere, before the rest of a row.
fn unwritten(row: Span, text: &str) -> Cell {
    Cell { text: text.into(), span: Span::new(row.start, row.start) }
}

/// Those of a list in the order of the text that begin in a part of it.
fn within<T>(list: &[T], part: Span, span: impl Fn(&T) -> Span) -> &[T] {
    let start = list.partition_point(|one| span(one).start < part.start);
    let end = list.partition_point(|one| span(one).start < part.end);
    &list[start..end.max(start)]
}

/// A text in one line, without comments and without what the form needs before a bar.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("--").next().unwrap_or_default());
    let bare = lines.map(|line| line.replace("\\|", "|").replace(['\\', '\u{feff}'], " "));
    let bare: Vec<String> = bare.collect();
    bare.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ")
}
