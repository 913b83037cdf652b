//! Definitions that depend on each other in a circle are no definitions any more, but constraints.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::dependency::{circles, support};
use trapline_model::{AssignKind, Clause, Constraint, ConstraintKind};

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
