//! What tables must be like, as questions about reachable states and steps.

use rustc_hash::FxHashMap;
use trapline_model::check::{Check, Wanted};
use trapline_model::goal::Target;
use trapline_model::{Clause, ExprId, Model, Reads, Value, VarId, eval};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use crate::scr::syntax::{Table, TableKind};

/// A table with more pairs of cells is asked about each cell and all later ones.
const MAX_PAIRS: usize = 2_000;

/// When a cell applies.
#[derive(Clone, Debug)]
pub struct Applies {
    /// Its row.
    pub row: usize,
    /// Its name in ids.
    pub label: String,
    /// When.
    pub guard: ExprId,
    /// What it gives.
    pub value: Clause,
    /// Where it stands.
    pub span: Span,
    /// The modes of its row.
    pub modes: Vec<Value>,
    /// Does it test modes in a way of its own, by `INMODE`?
    pub has_inmode: bool,
}

impl Lowerer<'_, '_> {
    /// The initial value of a condition table's variable is what the table says.
    pub(super) fn check_initial(&mut self, var: VarId, init: Clause) {
        let name = self.model.var(var).name.clone();
        let read = self.model.var_expr(var);
        let is_so = self.model.exprs.is_given(read, init.expr);
        let differs = self.model.exprs.not(is_so);
        let message = format!("the initial value of `{name}` is not what its table says");
        let help = "the table determines the value: correct one of them, or leave INIT away";
        let diagnostic = Diagnostic::error("initial-value", init.span, message).help(help);
        self.checks.push(Check {
            name: format!("initial_{name}"),
            target: Target::State(differs),
            wanted: Wanted::NotAtFirst,
            diagnostic,
        });
    }

    pub(super) fn check_table(
        &mut self,
        table: &Table,
        applies: &[Applies],
        rows: &[Option<Option<ExprId>>],
    ) {
        self.check_duplicates(table, applies);
        if !self.options.allow_overlap {
            self.check_overlap(table, applies);
        }
        if table.kind == TableKind::Condition {
            self.check_coverage(table, applies, rows);
        }
        if table.kind == TableKind::Mode {
            self.check_reachable(table);
        }
    }

    /// Two cells say the same.
    fn check_duplicates(&mut self, table: &Table, applies: &[Applies]) {
        let mut known: FxHashMap<(ExprId, ExprId), usize> = FxHashMap::default();
        for (idx, cell) in applies.iter().enumerate() {
            let before = *known.entry((cell.guard, cell.value.expr)).or_insert(idx);
            if before != idx {
                let [first, second] = [before, idx].map(|idx| applies[idx].row + 1);
                let message = match table.kind {
                    TableKind::Mode => format!("row {second} says what row {first} says"),
                    _ => "this cell says what another one says".into(),
                };
                let warning = Diagnostic::warning("duplicate-row", cell.span, message);
                let warning = warning.label(applies[before].span, "the same");
                self.error(warning.help("leave one of them away"));
            }
        }
    }

    fn check_overlap(&mut self, table: &Table, applies: &[Applies]) {
        let mut pairs = Vec::new();
        for (idx, first) in applies.iter().enumerate() {
            for (other, second) in applies.iter().enumerate().skip(idx + 1) {
                if pairs.len() > MAX_PAIRS {
                    return self.check_overlap_at_once(table, applies);
                }
                if may_overlap(first, second) {
                    pairs.push((idx, other));
                }
            }
        }
        for (idx, other) in pairs {
            self.check_pair(table, &applies[idx], &applies[other]);
        }
    }

    /// Two cells that give different values exclude each other.
    fn check_pair(&mut self, table: &Table, first: &Applies, second: &Applies) {
        let both = self.model.exprs.and(first.guard, second.guard);
        let differ = self.differ(first.value.expr, second.value.expr);
        let overlap = self.model.exprs.and(both, differ);
        if self.model.exprs.is_false(overlap) {
            return;
        }
        let [one, other] = [first, second].map(|cell| cell.row + 1);
        let message = match (table.kind, one == other) {
            (TableKind::Event, true) => {
                format!("two events of row {one} can happen at the same time")
            }
            (TableKind::Condition, true) => {
                format!("two conditions of row {one} can hold at the same time")
            }
            (TableKind::Mode, _) => format!("rows {one} and {other} can both apply"),
            _ => format!("cells of rows {one} and {other} can both apply"),
        };
        let note = match table.kind {
            TableKind::Mode => "can happen at the same time",
            TableKind::Event | TableKind::Condition => "the other one",
        };
        let diagnostic = Diagnostic::error("rows-overlap", second.span, message)
            .label(first.span, note)
            .help("make them exclude each other, or pass --allow-overlap to make it a choice");
        let name = self.name(table.name);
        let name = format!("overlap_{name}_{}_and_{}", plain(&first.label), plain(&second.label));
        self.push(name, table, overlap, diagnostic);
    }

    /// For each cell, that some later one applies too.
    fn check_overlap_at_once(&mut self, table: &Table, applies: &[Applies]) {
        // For each value that later cells give: that one of them applies.
        let mut later: Vec<(ExprId, ExprId)> = Vec::new();
        for cell in applies.iter().rev() {
            let mut any = self.model.exprs.bool(false);
            for &(value, applies) in &later {
                let differ = self.differ(cell.value.expr, value);
                let both = self.model.exprs.and(applies, differ);
                any = self.model.exprs.or(any, both);
            }
            match later.iter_mut().find(|(value, _)| *value == cell.value.expr) {
                Some((_, applies)) => *applies = self.model.exprs.or(*applies, cell.guard),
                None => later.push((cell.value.expr, cell.guard)),
            }
            let overlap = self.model.exprs.and(cell.guard, any);
            if self.model.exprs.is_false(overlap) {
                continue;
            }
            let message = "this and a later row can both apply";
            let help = "make them exclude each other, or pass --allow-overlap to make it a choice";
            let diagnostic = Diagnostic::error("rows-overlap", cell.span, message).help(help);
            let name = format!("overlap_{}_{}", self.name(table.name), plain(&cell.label));
            self.push(name, table, overlap, diagnostic);
        }
    }

    /// That two values differ.
    fn differ(&mut self, first: ExprId, second: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
        if first == second {
            return exprs.bool(false);
        }
        let is_set = |expr| matches!(exprs.ty(expr), trapline_model::Type::Set(_));
        let are_constant = [first, second].iter().all(|&e| exprs.info(e).reads == Reads::NOTHING);
        if is_set(first) || is_set(second) {
            let known = |expr| are_constant.then(|| members(&self.model, expr)).flatten();
            let is_same = known(first).is_some_and(|values| Some(values) == known(second));
            return self.model.exprs.bool(!is_same);
        }
        if are_constant {
            let [a, b] = [first, second].map(|expr| eval::constant(&self.model, expr).ok());
            return self.model.exprs.bool(a != b);
        }
        let is_same = exprs.is_given(first, second);
        exprs.not(is_same)
    }

    /// In each row one cell applies; in one of them, where rows have no modes.
    fn check_coverage(
        &mut self,
        table: &Table,
        applies: &[Applies],
        rows: &[Option<Option<ExprId>>],
    ) {
        let name = self.name(table.name);
        // Rows without modes cover all cases together.
        let has_no_modes = rows.iter().all(|row| matches!(row, Some(None)));
        let n_rows = if has_no_modes { rows.len().min(1) } else { rows.len() };
        for (row_idx, row) in rows.iter().enumerate().take(n_rows) {
            let Some(inside) = *row else { continue };
            let own = applies.iter().filter(|cell| has_no_modes || cell.row == row_idx);
            let own: Vec<ExprId> = own.map(|cell| cell.guard).collect();
            let any = self.model.exprs.any(own);
            let none = self.model.exprs.not(any);
            let inside = inside.unwrap_or_else(|| self.model.exprs.bool(true));
            let gap = self.model.exprs.and(inside, none);
            let written = &table.rows[row_idx];
            let message = match has_no_modes && rows.len() > 1 {
                true => "there is a case that no row covers".into(),
                false => format!("there is a case that row {} does not cover", row_idx + 1),
            };
            let help = "one of its conditions must hold in every state: make one the negation of the \
                        others";
            let diagnostic = Diagnostic::error("not-covered", written.span, message).help(help);
            self.push(format!("coverage_{name}_{}", row_idx + 1), table, gap, diagnostic);
        }
    }

    /// Every mode can be reached.
    fn check_reachable(&mut self, table: &Table) {
        let Some((class, modes)) = self.class(table.name) else { return };
        let name = self.name(table.name);
        let read = self.model.var_expr(class);
        for mode in modes {
            let shown = self.model.show(mode);
            let is_in = self.model.exprs.has_value(read, mode);
            let message = format!("the mode `{shown}` of `{name}` is never reached");
            let to_it = table.rows.iter().find(|row| {
                let target = row.target.map(|target| self.spec.nodes(target.code));
                matches!(target, Some([node]) if matches!(node.op, crate::scr::syntax::Op::Name(id) if self.spec.name(id) == shown))
            });
            let span = to_it.map_or(table.name.span, |row| row.span);
            let help = match to_it {
                Some(_) => {
                    "the events of the transitions to it never happen in their modes: change one"
                }
                None => "no transition leads to it: add one, or remove the mode",
            };
            let diagnostic = Diagnostic::error("unreachable-mode", span, message).help(help);
            self.checks.push(Check {
                name: format!("reachable_{name}_{shown}"),
                target: Target::State(is_in),
                wanted: Wanted::Sometime,
                diagnostic,
            });
        }
    }

    fn push(&mut self, name: String, table: &Table, bad: ExprId, diagnostic: Diagnostic) {
        let target = match table.kind {
            TableKind::Condition => Target::State(bad),
            TableKind::Mode | TableKind::Event => Target::Step(bad),
        };
        self.checks.push(Check { name, target, wanted: Wanted::Never, diagnostic });
    }
}

/// Rows for other modes exclude each other, unless `INMODE` tests the mode in another way.
fn may_overlap(first: &Applies, second: &Applies) -> bool {
    let share_modes =
        first.modes.is_empty() || first.modes.iter().any(|mode| second.modes.contains(mode));
    let has_inmode = first.has_inmode || second.has_inmode;
    first.value.expr != second.value.expr && (share_modes || has_inmode)
}

/// The values of a constant, or of a choice between some, in order.
fn members(model: &Model, expr: ExprId) -> Option<Vec<Value>> {
    let set = eval::evaluate(model, expr, &[], &[]).members()?;
    let mut values = set.values;
    for (lo, hi) in set.ranges {
        if hi.saturating_sub(lo) > MAX_PAIRS as i64 {
            return None;
        }
        values.extend((lo..=hi).map(Value::Int));
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

fn plain(label: &str) -> String {
    label.replace('.', "_")
}
