//! From sections, rows and cells to a specification.
//!
//! A row that is wrong is reported and left out, and the others are read.

use trapline_model::PropertyKind;
use trapline_source::{Diagnostic, Diagnostics, Span};

use super::expression::{Grammar, Pool, Reader, Wrong};
use super::layout::{Head, Line, Piece, Section};
use super::syntax::{
    Cell, Code, Constant, Inmode, Inputs, Name, Property, Row, Rule, Spec, Table, TableKind,
    TypeDecl, TypeExpr, TypeKind, Value, Variable, VariableKind,
};
use super::token::Token;

/// What may stand in a cell that never applies.
const NOTHING: &[&str] = &["", "-", "–", "—", "X", "x"];
/// What stands for all modes.
const ALL: &[&str] = &["*", "any", "ANY", "Any", "all", "ALL", "All"];
/// How the rows of a table that only name its columns begin.
const MODE_COLUMNS: &[&str] = &["mode", "modes", "mode(s)", "from", "current mode", "old mode"];

/// Reads the sections.
pub fn parse(sections: &[Section<'_>], diagnostics: &mut Diagnostics) -> Spec {
    let spec = Spec { is_partial: diagnostics.has_errors(), ..Spec::default() };
    let mut parser = Parser { pool: Pool::default(), spec, diagnostics };
    for section in sections {
        match section.head {
            Head::Table(kind, name, class) => parser.table(section, kind, name, class),
            head => parser.dictionary(section, head),
        }
    }
    let Parser { pool, mut spec, .. } = parser;
    spec.names = pool.names;
    spec.nodes = pool.nodes;
    spec
}

/// Reads an expression that stands alone, over the names of a specification.
pub fn expression(
    spec: &mut Spec,
    piece: Piece<'_>,
    grammar: Grammar,
    diagnostics: &mut Diagnostics,
) -> Option<Code> {
    let mut pool = Pool::with(std::mem::take(&mut spec.names), std::mem::take(&mut spec.nodes));
    let code = Reader::new(piece, &mut pool, diagnostics).whole(grammar).ok();
    spec.names = pool.names;
    spec.nodes = pool.nodes;
    code
}

struct Parser<'d> {
    pool: Pool,
    spec: Spec,
    diagnostics: &'d mut Diagnostics,
}

/// The columns of a dictionary.
struct Columns {
    name: usize,
    ty: usize,
    value: usize,
}

impl Parser<'_> {
    fn reader<'t>(&mut self, piece: Piece<'t>) -> Reader<'t, '_> {
        Reader::new(piece, &mut self.pool, self.diagnostics)
    }

    fn error(&mut self, diagnostic: Diagnostic, help: &str) {
        self.diagnostics.push(diagnostic.help(help));
    }

    fn dictionary(&mut self, section: &Section<'_>, head: Head<'_>) {
        let mut columns = Columns::usual(head);
        for (idx, line) in section.lines.iter().enumerate() {
            let is_header = line.is_header || idx == 0 && Columns::are_named(line);
            if is_header && line.cells.len() > 1 {
                columns = Columns::of(head, line);
                continue;
            }
            if line.is_header {
                continue;
            }
            if self.entry(head, line, &columns).is_err() {
                self.forget(line, &columns);
            }
        }
    }

    /// Keeps the name that a row declares which can't be read, so that its uses are no mistakes too.
    fn forget(&mut self, line: &Line<'_>, columns: &Columns) {
        let is_alone = line.cells.len() == 1;
        let place = if is_alone { line.cells.first() } else { line.cells.get(columns.name) };
        let Some(first) = place.map(|cell| self.reader(*cell).first_name()) else { return };
        self.spec.unread.extend(first);
    }

    fn entry(&mut self, head: Head<'_>, line: &Line<'_>, columns: &Columns) -> Result<(), Wrong> {
        let whole = line.cells[0];
        let is_alone = line.cells.len() == 1;
        let cell = |idx: usize| line.cells.get(idx).copied().filter(|cell| !cell.text.is_empty());
        let behind = Piece { text: "", at: line.span.end };
        match head {
            Head::Types => {
                let (name, ty) = if is_alone {
                    let mut reader = self.reader(whole);
                    let name = reader.name("the name of a type")?;
                    let _ = reader.take(Token::Eq) || reader.take(Token::Colon);
                    (name, type_expr(&mut reader)?)
                } else {
                    let name = self.single_name(cell(columns.name).unwrap_or(behind))?;
                    (name, self.whole_type(cell(columns.ty).unwrap_or(behind))?)
                };
                self.spec.types.push(TypeDecl { name, ty });
            }
            Head::Constants => {
                let (name, value) = if is_alone {
                    let mut reader = self.reader(whole);
                    let name = reader.name("the name of a constant")?;
                    if !reader.take(Token::Eq) {
                        return Err(reader.expected("`=` and a value"));
                    }
                    (name, reader.whole(Grammar::Plain)?)
                } else {
                    let name = self.single_name(cell(columns.name).unwrap_or(behind))?;
                    let value = cell(columns.value).unwrap_or(behind);
                    (name, self.reader(value).whole(Grammar::Plain)?)
                };
                self.spec.constants.push(Constant { name, value });
            }
            Head::Variables(kind) => self.variables(kind, line, columns)?,
            Head::Assumptions => {
                let body = self.reader(whole).whole(Grammar::Plain)?;
                self.spec.assumptions.push(Rule { body, span: whole.span() });
            }
            Head::Properties(kind) => {
                let (name, formula) = match cell(1) {
                    Some(formula) => (cell(0), formula),
                    None => named(whole),
                };
                let name = name.map(|name| self.title(name)).transpose()?;
                let grammar = match kind {
                    PropertyKind::Ctl => Grammar::Ctl,
                    PropertyKind::Ltl => Grammar::Ltl,
                    _ => Grammar::Plain,
                };
                let body = self.reader(formula).whole(grammar)?;
                self.spec.properties.push(Property { kind, name, body, span: formula.span() });
            }
            Head::Options => self.option(line),
            Head::Table(..) => unreachable!("tables are read elsewhere"),
        }
        Ok(())
    }

    fn single_name(&mut self, piece: Piece<'_>) -> Result<Name, Wrong> {
        let mut reader = self.reader(piece);
        let name = reader.name("a name")?;
        reader.end()?;
        Ok(name)
    }

    /// The name of a property, which may be a word of the notation: no formula speaks of it.
    fn title(&mut self, piece: Piece<'_>) -> Result<Name, Wrong> {
        if !is_plain(piece.text) {
            return self.single_name(piece);
        }
        Ok(Name { id: self.pool.intern(piece.text), span: piece.span() })
    }

    fn whole_type(&mut self, piece: Piece<'_>) -> Result<TypeExpr, Wrong> {
        let mut reader = self.reader(piece);
        let ty = type_expr(&mut reader)?;
        reader.end()?;
        Ok(ty)
    }

    /// `a, b : type INIT value`, or a cell for each of the three.
    fn variables(
        &mut self,
        kind: VariableKind,
        line: &Line<'_>,
        columns: &Columns,
    ) -> Result<(), Wrong> {
        let cell = |idx: usize| line.cells.get(idx).copied().filter(|cell| !cell.text.is_empty());
        let mut names = Vec::new();
        let (ty, init);
        if line.cells.len() == 1 {
            let mut reader = self.reader(line.cells[0]);
            names.push(reader.name("the name of a variable")?);
            while reader.take(Token::Comma) {
                names.push(reader.name("the name of another variable")?);
            }
            if !reader.take(Token::Colon) && reader.token() != Token::LBrace {
                return Err(reader.expected("`:` and a type"));
            }
            ty = type_expr(&mut reader)?;
            let has_init = reader.token() == Token::Name && reader.token_text() == "INIT";
            let _ = has_init && reader.name("`INIT`").is_ok();
            let starts = has_init || reader.take(Token::Eq);
            init = starts.then(|| reader.expression(Grammar::Value)).transpose()?;
            reader.end()?;
        } else {
            let behind = Piece { text: "", at: line.span.end };
            names.push(self.single_name(cell(columns.name).unwrap_or(behind))?);
            ty = self.whole_type(cell(columns.ty).unwrap_or(behind))?;
            let value = cell(columns.value).filter(|value| !NOTHING.contains(&value.text));
            init = value.map(|value| self.reader(value).whole(Grammar::Value)).transpose()?;
        }
        let declared = names.into_iter().map(|name| Variable { kind, name, ty, init });
        self.spec.variables.extend(declared);
        Ok(())
    }

    /// `inputs: one`
    fn option(&mut self, line: &Line<'_>) {
        let (span, text) = (line.span, line.cells.iter().map(|cell| cell.text));
        let text = text.collect::<Vec<_>>().join(" ");
        let words: Vec<&str> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let options = &mut self.spec.options;
        match words[..] {
            ["inputs", "one"] => options.inputs = Inputs::One,
            ["inputs", "any"] => options.inputs = Inputs::Any,
            ["stutter", "yes"] => options.stutter = true,
            ["stutter", "no"] => options.stutter = false,
            ["inmode", "each"] => options.inmode = Inmode::Each,
            ["inmode", "group"] => options.inmode = Inmode::Group,
            ["inmode", "old"] => options.inmode = Inmode::Old,
            _ => {
                let help = "there are `inputs: one` and `any`, `stutter: yes` and `no`, \
                            `inmode: each`, `group` and `old`";
                self.error(Diagnostic::error("bad-option", span, "there is no such option"), help);
            }
        }
    }

    fn table(
        &mut self,
        section: &Section<'_>,
        kind: TableKind,
        name: Piece<'_>,
        class: Option<Piece<'_>>,
    ) {
        let own = name.text;
        let Ok(name) = self.single_name(name) else { return };
        let class = class.and_then(|class| self.single_name(class).ok());
        let (values, rows) = (Vec::new(), Vec::new());
        let span = section.span;
        let is_partial = self.spec.is_partial;
        let mut table = Table { kind, name, class, values, rows, is_partial, span };
        let mut values_span = None;
        let values = section.lines.iter().find(|line| line.cells[0].text == own);
        let n_values = values.map(|line| line.cells.len() - 1);
        for (idx, line) in section.lines.iter().enumerate() {
            let first = line.cells[0];
            let is_values = kind != TableKind::Mode && first.text == own;
            let names_columns = idx == 0
                && line.cells.len() > 1
                && MODE_COLUMNS.contains(&first.text.to_lowercase().as_str());
            if is_values {
                if let Some(before) = values_span.replace(line.span) {
                    let text = format!("the values of `{own}` are given twice");
                    let error = Diagnostic::error("bad-table", line.span, text);
                    let error = error.label(before, "the first ones");
                    self.diagnostics.push(error.help("a table has one row of values"));
                    continue;
                }
                table.values =
                    line.cells[1..].iter().filter_map(|cell| self.value(*cell).ok()).collect();
                if table.values.len() + 1 != line.cells.len() {
                    table.is_partial = true;
                    table.values.clear();
                }
            } else if !line.is_header && !names_columns {
                let before = table.rows.last().map(|row: &Row| (row.modes.clone(), row.modes_span));
                let row = match kind {
                    TableKind::Mode => self.transition(line, before),
                    _ => self.row(line, class.is_some(), n_values),
                };
                table.is_partial |= row.is_none();
                table.rows.extend(row);
            }
        }
        self.check_shape(&mut table, own, values_span);
        self.spec.tables.push(table);
    }

    /// Every row has a cell for each value.
    fn check_shape(&mut self, table: &mut Table, own: &str, values: Option<Span>) {
        if table.rows.is_empty() && !table.is_partial {
            let text = format!("the {} of `{own}` has no rows", table.kind.name());
            self.error(
                Diagnostic::error("bad-table", table.span, text),
                "write a row for each mode",
            );
        }
        if table.kind == TableKind::Mode {
            return;
        }
        if values.is_none() && self.spec.is_partial {
            return;
        }
        let Some(values) = values else {
            let text = format!("the {} of `{own}` does not say its values", table.kind.name());
            let help = format!("end it with a row `{own} | value | value`");
            self.error(Diagnostic::error("bad-table", table.span, text), &help);
            return;
        };
        if table.values.is_empty() {
            return;
        }
        let n_values = table.values.len();
        let mut wrong = Vec::new();
        table.rows.retain(|row| {
            let is_right = row.cells.len() == n_values;
            if !is_right {
                wrong.push((row.span, row.cells.len()));
            }
            is_right
        });
        for (span, n_cells) in wrong {
            table.is_partial = true;
            let text = format!(
                "this row has {}, and the table has {}",
                counted(n_cells, "cell"),
                counted(n_values, "value")
            );
            let help = match n_cells < n_values {
                true => "write NEVER or False into a cell that never applies",
                false => "leave a cell away, or add a value to the last row",
            };
            let error = Diagnostic::error("bad-table", span, text).label(values, "the values");
            self.diagnostics.push(error.help(help));
        }
    }

    /// The value of a column, or where a transition leads.
    fn value(&mut self, cell: Piece<'_>) -> Result<Value, Wrong> {
        let code = self.reader(cell).whole(Grammar::Value)?;
        Ok(Value { code })
    }

    fn row(&mut self, line: &Line<'_>, has_class: bool, n_values: Option<usize>) -> Option<Row> {
        let first = line.cells[0];
        let is_all = |cell: Piece<'_>| ALL.contains(&cell.text) || NOTHING.contains(&cell.text);
        // A row with a cell for each value has none for modes.
        let is_longer = line.cells.len() > 1 && n_values != Some(line.cells.len());
        let has_modes = has_class || is_longer && is_all(first);
        let modes = match has_class {
            true => self.modes(first)?,
            false => None,
        };
        let cells = &line.cells[usize::from(has_modes)..];
        let cells = cells.iter().map(|cell| self.cell(*cell).ok()).collect::<Option<Vec<_>>>()?;
        let (modes_span, span) = (first.span(), line.span);
        Some(Row { modes, modes_span, cells, target: None, span })
    }

    /// `from | event | to`
    fn transition(
        &mut self,
        line: &Line<'_>,
        before: Option<(Option<Vec<Name>>, Span)>,
    ) -> Option<Row> {
        let [from, event, to] = line.cells[..] else {
            let n_cells = counted(line.cells.len(), "cell");
            let text = format!("a transition has 3 cells, and this row has {n_cells}");
            let help = "write `mode | event | new mode`";
            self.error(Diagnostic::error("bad-table", line.span, text), help);
            return None;
        };
        let (modes, modes_span) = match before {
            Some(before) if from.text.is_empty() => before,
            _ => (self.modes(from)?, from.span()),
        };
        let cells = vec![self.cell(event).ok()?];
        let target = Some(self.value(to).ok()?);
        Some(Row { modes, modes_span, cells, target, span: line.span })
    }

    /// A list of modes; `None` inside for all of them.
    fn modes(&mut self, cell: Piece<'_>) -> Option<Option<Vec<Name>>> {
        if ALL.contains(&cell.text) || cell.text == "-" {
            return Some(None);
        }
        let mut reader = self.reader(cell);
        let mut modes = vec![reader.name("the name of a mode").ok()?];
        while reader.take(Token::Comma) || reader.take(Token::Or) {
            modes.push(reader.name("the name of another mode").ok()?);
        }
        reader.end().ok()?;
        Some(Some(modes))
    }

    fn cell(&mut self, cell: Piece<'_>) -> Result<Cell, Wrong> {
        let span = cell.span();
        // An `X` may be a variable's name, which is not known yet.
        let is_name = cell.text.starts_with(|c: char| c.is_alphabetic());
        if NOTHING.contains(&cell.text) && !is_name {
            return Ok(Cell { code: None, span });
        }
        let code = self.reader(cell).whole(Grammar::Plain)?;
        Ok(Cell { code: Some(code), span })
    }
}

impl Columns {
    fn usual(head: Head<'_>) -> Columns {
        let value = if head == Head::Constants { 1 } else { 2 };
        Columns { name: 0, ty: 1, value }
    }

    /// Does a first row only say what its columns are?
    fn are_named(line: &Line<'_>) -> bool {
        let first = line.cells[0].text.to_lowercase();
        line.cells.len() > 1
            && ["name", "names", "variable", "constant", "type", "mode class"]
                .contains(&first.as_str())
    }

    /// The columns that a row names.
    fn of(head: Head<'_>, line: &Line<'_>) -> Columns {
        let usual = Columns::usual(head);
        let find = |starts: &[&str], usual: usize| {
            let is_meant = |cell: &Piece<'_>| {
                let text = cell.text.to_lowercase();
                starts.iter().any(|start| text.starts_with(start))
            };
            line.cells.iter().position(is_meant).unwrap_or(usual)
        };
        let ty: &[&str] = match head {
            Head::Types => &["values", "definition", "range", "base"],
            _ => &["type", "values", "modes", "range"],
        };
        let value: &[&str] = if head == Head::Constants { &["value"] } else { &["init"] };
        Columns {
            name: find(&["name", "variable", "constant", "mode class"], usual.name),
            ty: find(ty, usual.ty),
            value: find(value, usual.value),
        }
    }
}

/// May it be a name?
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// `1 cell`, `2 cells`
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `Boolean`, a name, `a..b` or `{a, b}`
fn type_expr(reader: &mut Reader<'_, '_>) -> Result<TypeExpr, Wrong> {
    let span = reader.span();
    let simple = match reader.token_text() {
        "Boolean" | "BOOLEAN" | "boolean" | "Bool" | "bool" => Some(TypeKind::Bool),
        "Integer" | "INTEGER" | "integer" => Some(TypeKind::Integer),
        "Real" | "REAL" | "real" => Some(TypeKind::Real),
        _ => None,
    };
    if let Some(kind) = simple {
        reader.name("a type")?;
        return Ok(TypeExpr { kind, span });
    }
    if !matches!(
        reader.token(),
        Token::Name | Token::Number | Token::Minus | Token::LBrace | Token::LParen
    ) {
        return Err(reader.expected("a type"));
    }
    // A bound is no comparison, so that `=` may follow.
    let code = reader.type_code()?;
    let end = reader.last_end();
    Ok(TypeExpr { kind: TypeKind::Of(code), span: Span::new(span.start, end) })
}

/// `name: formula`
pub fn named(whole: Piece<'_>) -> (Option<Piece<'_>>, Piece<'_>) {
    let split = whole.text.split_once(':').filter(|(name, _)| is_plain(name.trim()));
    match split {
        Some((name, formula)) => {
            let start = whole.text.len() - formula.len();
            let name = whole.part(0..name.len()).trimmed();
            (Some(name), whole.part(start..whole.text.len()).trimmed())
        }
        None => (None, whole),
    }
}
