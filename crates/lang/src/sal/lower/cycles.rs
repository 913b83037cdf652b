//! Definitions that depend on each other in a circle are no definitions any more, but constraints.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::dependency::{circles, support};
use trapline_model::{Assign, AssignKind, Clause, Constraint, ConstraintKind, Expr};
use trapline_source::Diagnostic;

use super::Lowerer;

impl Lowerer<'_> {
    /// Turns assignments into constraints until no value depends on itself.
    pub(super) fn break_cycles(&mut self) {
        for kind in [AssignKind::Current, AssignKind::Init, AssignKind::Next] {
            let circular = self.circular(kind);
            let assigns = std::mem::take(&mut self.model.assigns);
            for (idx, assign) in assigns.into_iter().enumerate() {
                if !circular.contains(&idx) {
                    self.model.assigns.push(assign);
                    continue;
                }
                self.check_own_value(&assign);
                let read = self.model.var_expr(assign.var);
                let (read, about) = match kind {
                    AssignKind::Init => (read, ConstraintKind::Init),
                    AssignKind::Current => (read, ConstraintKind::Invar),
                    AssignKind::Next => (self.model.exprs.prime(read), ConstraintKind::Trans),
                };
                let rule = self.model.exprs.is_given(read, assign.expr);
                let span = assign.parts.first().map(|part| part.target_span).unwrap_or_default();
                let body = Clause::unwritten(rule, span);
                self.model.constraints.push(Constraint { kind: about, body });
            }
        }
    }

    /// Reports a definition whose value is that of the variable itself.
    fn check_own_value(&mut self, assign: &Assign) {
        let name = self.model.var(assign.var).name.clone();
        let own = self.model.var_expr(assign.var);
        for part in &assign.parts {
            // Where a command is not taken the variable is kept: its guard is no part of the value.
            let value = match self.model.exprs.get(part.body.expr) {
                Expr::Ite(_, value, keep) if keep == own => value,
                _ => part.body.expr,
            };
            let read = support(&self.model, [value]);
            let (reads_itself, shown) = match assign.kind {
                AssignKind::Next => (read.next.contains(&assign.var), format!("{name}'")),
                _ => (read.current.contains(&assign.var), name.clone()),
            };
            if reads_itself {
                let text = format!("`{shown}` is given a value that depends on `{shown}` itself");
                let help = match assign.kind {
                    AssignKind::Next => format!("read the value before the step: `{name}`"),
                    _ => "values that fulfil a condition are chosen by `x IN {v: T | ...}`".into(),
                };
                let span = part.target_span;
                self.report(Diagnostic::error("circular-assignment", span, text).help(help));
                return;
            }
        }
    }

    /// The assignments of a kind that are part of a circle, with those of every state.
    fn circular(&self, kind: AssignKind) -> FxHashSet<usize> {
        let counts = |other: AssignKind| other == kind || other == AssignKind::Current;
        let assigns = self.model.assigns.iter().enumerate();
        let assigns: Vec<_> = assigns.filter(|(_, assign)| counts(assign.kind)).collect();
        let mut arrows = Vec::new();
        for (_, assign) in &assigns {
            let read = support(&self.model, [assign.expr]);
            // In the state that is determined: what a step gives reads that as the next one.
            let read = match assign.kind {
                AssignKind::Next => read.next,
                AssignKind::Init | AssignKind::Current => read.current,
            };
            arrows.extend(read.into_iter().map(|other| (assign.var.0, other.0)));
        }
        let mut ring: FxHashMap<u32, usize> = FxHashMap::default();
        for (idx, circle) in circles(arrows.into_iter()).into_iter().enumerate() {
            ring.extend(circle.into_iter().map(|var| (var, idx)));
        }
        let own = assigns.iter().filter(|(_, assign)| assign.kind == kind);
        own.filter(|(_, assign)| ring.contains_key(&assign.var.0)).map(|(idx, _)| *idx).collect()
    }
}
