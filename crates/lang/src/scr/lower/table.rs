//! Tables: each cell becomes an alternative of a group, and where none of an event table applies
//! the variable keeps its value.

use rustc_hash::FxHashMap;
use trapline_model::commands::{Gap, Overlap, Table as ModelTable, add_table};
use trapline_model::{
    Alternative, Assign, AssignKind, AssignPart, BinaryOp, Clause, Domain, ExprId, Given, Guard,
    OwnBranch, Scope, Shape, Value, VarId,
};
use trapline_source::{Diagnostic, Span};

use super::checks::Applies;
use super::expression::{Happens, Modes, Place};
use super::{Lowerer, Meaning};
use crate::scr::syntax::{self, Name, NameId, Op, Row, Table, TableKind, VariableKind};

/// A mode class and its modes.
type Class = (VarId, Vec<Value>);

/// A row with its modes.
struct RowModes {
    modes: Option<Modes>,
    /// The modes, of a class that has some.
    list: Vec<Value>,
}

impl Lowerer<'_, '_> {
    pub(super) fn tables(&mut self) {
        let mut known: FxHashMap<VarId, Span> = FxHashMap::default();
        for table in &self.spec.tables {
            self.used[table.name.id.0 as usize] |= table.kind == TableKind::Mode;
            let Some(var) = self.dependent(table.name, table.kind) else { continue };
            if let Some(before) = known.insert(var, table.name.span) {
                let message = format!("`{}` has two tables", self.name(table.name));
                let error = Diagnostic::error("bad-table", table.name.span, message);
                self.error(error.label(before, "the first one").help("join them, or remove one"));
                continue;
            }
            self.table(table, var);
        }
        if self.spec.is_partial {
            return;
        }
        for (idx, variable) in self.spec.variables.iter().enumerate() {
            let meaning = self.meanings.get(&variable.name.id).map(|(meaning, _)| *meaning);
            let Some(Meaning::Variable(var, own)) = meaning else { continue };
            let needs_table = variable.kind != VariableKind::Monitored;
            let has_table = known.contains_key(&var) || self.spec.table(variable.name.id).is_some();
            if own == idx && needs_table && !has_table {
                let name = self.name(variable.name);
                let message = format!("the {} `{name}` has no table", variable.kind.name());
                let help = "every variable that is not monitored has one table";
                let span = variable.name.span;
                self.error(Diagnostic::error("no-table", span, message).help(help));
            }
        }
    }

    fn table(&mut self, table: &Table, var: VarId) {
        let Some(class) = self.class_of(table) else { return };
        let rows: Vec<Option<RowModes>> =
            table.rows.iter().map(|row| self.row_modes(row, class.as_ref())).collect();
        self.check_modes(table, class.as_ref(), &rows);
        let (mut alternatives, applies) = self.alternatives(table, var, &rows);
        self.check_table(table, &applies, &rows.iter().map(row_guard).collect::<Vec<_>>());
        let scope = match table.kind {
            TableKind::Condition => Scope::State,
            TableKind::Mode | TableKind::Event => Scope::Step,
        };
        if alternatives.is_empty() {
            if scope == Scope::Step {
                self.keep(table, var);
            }
            return;
        }
        if scope == Scope::Step {
            let unchanged = self.unchanged(table, class.as_ref(), &applies, &rows);
            alternatives.push(unchanged);
        }
        let overlap = match self.options.allow_overlap {
            true => Overlap::Choice,
            false => Overlap::Wrong,
        };
        let (name, span) = (self.name(table.name), table.span);
        let table = ModelTable { name, scope, overlap, gap: Gap::Wrong, span };
        add_table(&mut self.model, table, alternatives);
    }

    /// The mode class of a table, if it has one; nothing if what is said of it is wrong.
    fn class_of(&mut self, table: &Table) -> Option<Option<Class>> {
        match (table.kind, table.class) {
            (TableKind::Mode, class) => {
                if let Some(class) = class {
                    let message = "a mode transition table has no other mode class";
                    let help = "leave it away: the rows are for the modes that it leads from";
                    self.error(Diagnostic::error("bad-table", class.span, message).help(help));
                }
                Some(self.class(table.name))
            }
            (_, Some(class)) => self.class(class).map(Some),
            (_, None) => Some(None),
        }
    }

    /// The cells that may apply.
    fn alternatives(
        &mut self,
        table: &Table,
        var: VarId,
        rows: &[Option<RowModes>],
    ) -> (Vec<Alternative>, Vec<Applies>) {
        let values: Vec<Option<Clause>> =
            table.values.iter().map(|value| self.given(*value, table.kind, var)).collect();
        let (mut alternatives, mut applies) = (Vec::new(), Vec::new());
        for (row_idx, (row, modes)) in table.rows.iter().zip(rows).enumerate() {
            let Some(modes) = modes else { continue };
            let target = row.target.map(|target| self.given(target, table.kind, var));
            for (column, cell) in row.cells.iter().enumerate() {
                let given = target.unwrap_or_else(|| values.get(column).copied().flatten());
                let Some((guard, parts)) = self.guard(table.kind, *cell, modes) else { continue };
                let (Some(value), Some(occ)) = (given, guard.occ) else { continue };
                let label = match table.kind {
                    TableKind::Mode => format!("{}", row_idx + 1),
                    _ => format!("{}.{}", row_idx + 1, column + 1),
                };
                applies.push(Applies {
                    row: row_idx,
                    label: label.clone(),
                    guard: guard.expr,
                    value,
                    span: cell.span,
                    modes: modes.list.clone(),
                    has_inmode: cell.code.is_some_and(|code| self.has_inmode(code)),
                });
                alternatives.push(Alternative {
                    branches: self.own_branches(table, &label, parts),
                    label: Some(label),
                    guard: Guard::Written(occ),
                    possible: None,
                    taken: None,
                    gives: vec![Given { var, value, only_if: None }],
                    span: cell.span,
                });
            }
        }
        (alternatives, applies)
    }

    /// A table in which nothing ever happens.
    fn keep(&mut self, table: &Table, var: VarId) {
        let expr = self.model.var_expr(var);
        let body = Clause { expr, occ: None, span: table.span };
        let parts = vec![AssignPart { body, when: None, target_span: table.span }];
        self.model.assigns.push(Assign { kind: AssignKind::Next, var, expr, parts });
    }

    /// The modes of a row, as a condition on the state.
    fn row_modes(&mut self, row: &Row, class: Option<&Class>) -> Option<RowModes> {
        let Some((class, all)) = class else {
            return Some(RowModes { modes: None, list: Vec::new() });
        };
        let span = row.modes_span;
        let Some(names) = &row.modes else {
            let modes = Modes { class: *class, inside: None, span };
            return Some(RowModes { modes: Some(modes), list: all.clone() });
        };
        let mut list = Vec::new();
        for &name in names {
            let mode = self.mode(name, *class, all)?;
            if list.contains(&mode) {
                let message = format!("`{}` stands twice in this row", self.name(name));
                let error = Diagnostic::error("mode-twice", name.span, message);
                self.error(error.help("remove one"));
                return None;
            }
            list.push(mode);
        }
        let inside = self.is_in(*class, &list);
        let modes = Modes { class: *class, inside: Some(inside), span };
        Some(RowModes { modes: Some(modes), list })
    }

    fn mode(&mut self, name: Name, class: VarId, all: &[Value]) -> Option<Value> {
        let text = self.name(name);
        if let Some(&(Meaning::Symbol(value), _)) = self.meanings.get(&name.id)
            && all.contains(&value)
        {
            return Some(value);
        }
        let declared = self.model.var(class);
        let takes = format!("`{}` takes {}", declared.name, self.model.show_type(&declared.domain));
        let message = format!("`{text}` is no mode of `{}`", declared.name);
        self.error(Diagnostic::error("not-a-value", name.span, message).help(takes));
        None
    }

    /// That a variable has one of some values.
    fn is_in(&mut self, var: VarId, values: &[Value]) -> ExprId {
        let read = self.model.var_expr(var);
        let mut values = values.iter().map(|&value| self.model.exprs.value(value));
        let values: Vec<ExprId> = values.by_ref().collect();
        let exprs = &mut self.model.exprs;
        match values[..] {
            [value] => exprs.eq(read, value),
            _ => {
                let mut values = values.into_iter();
                let first = values.next().unwrap_or(read);
                let set =
                    values.fold(first, |set, value| exprs.binary(BinaryOp::Union, set, value));
                exprs.binary(BinaryOp::In, read, set)
            }
        }
    }

    /// In an event or a condition table a mode stands in one row; in a condition table each does.
    fn check_modes(&mut self, table: &Table, class: Option<&Class>, rows: &[Option<RowModes>]) {
        let Some((class, all)) = class else { return };
        let has_wrong = table.is_partial || rows.iter().any(Option::is_none);
        if table.kind == TableKind::Mode || has_wrong {
            return;
        }
        for &mode in all {
            let is_of = |(_, row): &(usize, &Option<RowModes>)| {
                row.as_ref().is_some_and(|row| row.list.contains(&mode))
            };
            let own: Vec<usize> =
                rows.iter().enumerate().filter(is_of).map(|(idx, _)| idx).collect();
            let shown = self.model.show(mode);
            match own[..] {
                [] if table.kind == TableKind::Condition => {
                    let class = self.model.var(*class).name.clone();
                    let message = format!("no row is for the mode `{shown}` of `{class}`");
                    let help = "a condition table gives a value in every mode: add a row";
                    self.error(Diagnostic::error("mode-missing", table.span, message).help(help));
                }
                [first, second, ..] => {
                    let message = format!("the mode `{shown}` stands in two rows");
                    let place = table.rows[second].modes_span;
                    let before = table.rows[first].modes_span;
                    let error = Diagnostic::error("mode-twice", place, message);
                    let help = "a mode has one row of a table: join the rows";
                    self.error(error.label(before, "the other one").help(help));
                }
                _ => {}
            }
        }
    }

    /// The value of a column, or where a transition leads.
    fn given(&mut self, value: syntax::Value, kind: TableKind, var: VarId) -> Option<Clause> {
        if self.is_unknown_value(var, value.code) {
            return None;
        }
        let place = if kind == TableKind::Condition { Place::State } else { Place::Step };
        let clause = self.value(value.code, place)?;
        let reads = self.model.exprs.info(clause.expr).reads;
        if reads == trapline_model::Reads::NOTHING {
            return self.fits(var, clause.expr, clause.span).then_some(clause);
        }
        let ty = self.model.exprs.ty(clause.expr);
        let domain = self.model.var(var).domain.clone();
        if !super::declare::is_assignable(&domain, ty) {
            let name = self.model.var(var).name.clone();
            let takes = format!("`{name}` takes {}", self.model.show_type(&domain));
            let message = format!("this is no value of `{name}`");
            self.error(Diagnostic::error("not-a-value", clause.span, message).help(takes));
            return None;
        }
        Some(clause)
    }

    /// When a cell applies, and the events that it joins; nothing if it never does.
    fn guard(
        &mut self,
        kind: TableKind,
        cell: syntax::Cell,
        row: &RowModes,
    ) -> Option<(Clause, Vec<(ExprId, Span)>)> {
        let code = cell.code?;
        let is_never = match self.spec.nodes(code) {
            [node] => match node.op {
                Op::Bool(false) | Op::Never => true,
                Op::Name(id) => self.is_mark(id, kind),
                _ => false,
            },
            _ => false,
        };
        if is_never {
            return None;
        }
        match kind {
            TableKind::Condition => Some((self.cell(code, row.modes.as_ref())?, Vec::new())),
            TableKind::Event => {
                let Happens { clause, parts } = self.event(code, row.modes.as_ref())?;
                Some((clause, parts))
            }
            TableKind::Mode => {
                if self.has_inmode(code) {
                    let message = "a mode transition can't depend on the mode that it leads to";
                    let help = "INMODE stands in event tables";
                    self.error(Diagnostic::error("bad-event", cell.span, message).help(help));
                    return None;
                }
                let Happens { clause, parts } = self.event(code, row.modes.as_ref())?;
                Some((clause, parts))
            }
        }
    }

    /// Is it the `X` of a cell that never applies? Where a condition is called like that, it is meant.
    fn is_mark(&self, id: NameId, kind: TableKind) -> bool {
        let is_condition = match self.meanings.get(&id) {
            Some(&(Meaning::Variable(var, _), _)) => self.model.var(var).domain == Domain::Bool,
            _ => false,
        };
        let is_meant = kind == TableKind::Condition && is_condition;
        self.spec.name(id).eq_ignore_ascii_case("x") && !is_meant
    }

    fn has_inmode(&self, code: syntax::Code) -> bool {
        self.spec.nodes(code).iter().any(|node| matches!(node.op, Op::Enter | Op::Leave))
    }

    /// Each event of a cell is a branch of its own.
    fn own_branches(
        &self,
        table: &Table,
        label: &str,
        parts: Vec<(ExprId, Span)>,
    ) -> Vec<OwnBranch> {
        let name = self.name(table.name);
        let word = if table.kind == TableKind::Mode { "row" } else { "cell" };
        let parts = parts.into_iter().enumerate();
        let own = parts.map(|(idx, (taken, span))| OwnBranch {
            key: format!("event{}", idx + 1),
            text: format!("event {} of {word} {label} of {name}", idx + 1),
            taken,
            span,
        });
        own.collect()
    }

    /// That nothing happens: a branch for each mode.
    fn unchanged(
        &mut self,
        table: &Table,
        class: Option<&Class>,
        applies: &[Applies],
        rows: &[Option<RowModes>],
    ) -> Alternative {
        let start = self.model.occurrences.len();
        let yes = self.model.exprs.bool(true);
        let occ = self.model.occurrences.push(start, yes, table.span, Shape::Leaf);
        let name = self.name(table.name);
        let guards: Vec<ExprId> = applies.iter().map(|applies| applies.guard).collect();
        let happens = self.model.exprs.any(guards);
        let nothing = self.model.exprs.not(happens);
        let mut branches = Vec::new();
        if let Some((class, all)) = class {
            for &mode in all {
                let is_in = self.is_in(*class, &[mode]);
                let taken = self.model.exprs.and(is_in, nothing);
                let shown = self.model.show(mode);
                let own = rows.iter().zip(&table.rows).find(|(modes, _)| {
                    modes.as_ref().is_some_and(|modes| modes.list.contains(&mode))
                });
                branches.push(OwnBranch {
                    text: format!("no change of {name} in {shown}"),
                    key: shown,
                    taken,
                    span: own.map_or(table.name.span, |(_, row)| row.modes_span),
                });
            }
        }
        Alternative {
            label: Some("unchanged".into()),
            guard: Guard::Else(0..applies.len() as u32, occ),
            possible: None,
            taken: None,
            gives: Vec::new(),
            branches,
            span: table.name.span,
        }
    }
}

/// When a row applies, by its modes alone.
fn row_guard(row: &Option<RowModes>) -> Option<Option<ExprId>> {
    row.as_ref().map(|row| row.modes.and_then(|modes| modes.inside))
}
