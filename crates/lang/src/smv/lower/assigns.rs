//! What the assignments of a model must be together: at most one for each value, no circles.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::dependency::{self, Support};
use trapline_model::{Assign, AssignKind, AssignPart, Expr, ExprId, Reads, Role, VarId, roles};
use trapline_source::{Diagnostic, Span};

use super::{Lowerer, Pragma};

impl Lowerer<'_> {
    /// Notes an assignment. Several processes may assign one variable; otherwise it is an error.
    pub fn add_assign(&mut self, kind: AssignKind, var: VarId, part: AssignPart) {
        let Some(&idx) = self.assign_ids.get(&(kind, var)) else {
            self.assign_ids.insert((kind, var), self.model.assigns.len());
            let (expr, parts) = (part.body.expr, vec![part]);
            return self.model.assigns.push(Assign { kind, var, expr, parts });
        };
        let assign = &mut self.model.assigns[idx];
        let same = assign.parts.iter().find(|p| p.when == part.when);
        match (same.map(|p| p.target_span), part.when) {
            (None, Some(_)) => assign.parts.push(part),
            (first, _) => {
                let first = first.unwrap_or(assign.parts[0].target_span);
                self.assigned_twice(var, part.target_span, first);
            }
        }
    }

    fn assigned_twice(&mut self, var: VarId, span: Span, first: Span) {
        let text = format!("`{}` is assigned twice", self.model.var(var).name);
        let error =
            Diagnostic::error("assigned-twice", span, text).label(first, "first assigned here");
        self.report(error.help("join the two into one assignment, with `case`"));
    }

    /// Checks all assignments together and gives them their meaning.
    pub fn finish_assigns(&mut self) {
        self.check_kinds();
        self.check_circles();
        for idx in 0..self.model.assigns.len() {
            let Assign { var, parts, .. } = &self.model.assigns[idx];
            let (var, parts) = (*var, parts.clone());
            if parts[0].when.is_some() {
                let keep = self.var_expr(var);
                // The process that was declared last comes first, as in NuSMV; they exclude
                // each other, so the order does not matter.
                let expr = parts.iter().rev().fold(keep, |rest, part| {
                    let guard = part.when.unwrap_or(rest);
                    self.exprs().add(Expr::Ite(guard, part.body.expr, rest))
                });
                self.model.assigns[idx].expr = expr;
            }
        }
    }

    /// `x := e` fixes every value of `x`, so there is no other assignment.
    fn check_kinds(&mut self) {
        let currents: Vec<(VarId, Span)> = self
            .model
            .assigns
            .iter()
            .filter(|a| a.kind == AssignKind::Current)
            .map(|a| (a.var, a.parts[0].target_span))
            .collect();
        for (var, span) in currents {
            for kind in [AssignKind::Init, AssignKind::Next] {
                if let Some(&idx) = self.assign_ids.get(&(kind, var)) {
                    let other = self.model.assigns[idx].parts[0].target_span;
                    let name = &self.model.var(var).name;
                    let text = format!(
                        "`{name}` is assigned twice: `{name} := ...` gives every value of it"
                    );
                    let error = Diagnostic::error("assigned-twice", other.max(span), text);
                    self.report(
                        error
                            .label(other.min(span), "first assigned here")
                            .help("keep either the current value, or init and next"),
                    );
                }
            }
        }
    }

    /// Values must be computable one after the other: current ones from current ones, initial
    /// ones from initial ones, next ones from next ones (inside one process).
    fn check_circles(&mut self) {
        let mut current = Vec::new();
        let mut init = Vec::new();
        let mut next: FxHashMap<Option<ExprId>, Vec<Edge>> = FxHashMap::default();
        for assign in &self.model.assigns {
            for part in &assign.parts {
                let reads = self.model.exprs.info(part.body.expr).reads;
                let edge =
                    |on| reads.any(on).then_some((assign.var, part.body.expr, part.target_span));
                match assign.kind {
                    AssignKind::Current => {
                        current.extend(edge(Reads::STATE));
                        init.extend(edge(Reads::STATE));
                    }
                    AssignKind::Init => init.extend(edge(Reads::STATE)),
                    AssignKind::Next => {
                        next.entry(part.when).or_default().extend(edge(Reads::NEXT));
                    }
                }
            }
        }
        self.report_circles(&current, |support| support.current);
        self.report_circles(&init, |support| support.current);
        for edges in next.into_values() {
            self.report_circles(&edges, |support| support.next);
        }
    }

    fn report_circles(&mut self, edges: &[Edge], select: fn(Support) -> Vec<VarId>) {
        let spans: FxHashMap<VarId, Span> =
            edges.iter().map(|(var, _, span)| (*var, *span)).collect();
        // Each right-hand side is a node of its own, so that variables may share one.
        let node = |expr: ExprId| expr.0 | RIGHT_HAND_SIDE;
        let mut arrows: Vec<(u32, u32)> = Vec::new();
        let mut seen = FxHashSet::default();
        for &(var, expr, _) in edges {
            arrows.push((var.0, node(expr)));
            if seen.insert(expr) {
                let read = select(dependency::support(&self.model, [expr]));
                arrows.extend(read.into_iter().map(|read| (node(expr), read.0)));
            }
        }
        for mut circle in dependency::circles(arrows.into_iter()) {
            circle.retain(|node| node & RIGHT_HAND_SIDE == 0);
            circle.sort_unstable();
            let names: Vec<String> = circle
                .iter()
                .take(6)
                .map(|&var| format!("`{}`", self.model.var(VarId(var)).name))
                .collect();
            let Some(&span) = circle.iter().find_map(|&var| spans.get(&VarId(var))) else {
                continue;
            };
            let text = match names.as_slice() {
                [one] => format!("the value of {one} depends on itself"),
                _ => format!("the values of {} depend on each other", names.join(", ")),
            };
            let mut error = Diagnostic::error("circular-assignment", span, text);
            for var in circle.iter().skip(1).take(5) {
                if let Some(&other) = spans.get(&VarId(*var)).filter(|&&other| other != span) {
                    error = error.label(other, "which depends on this one");
                }
            }
            self.report(error.help("break the circle with the value of the step before"));
        }
    }

    /// The roles that the model suggests, then those that its comments give.
    pub fn set_roles(&mut self) {
        let is_pure_trans = roles::guess(&mut self.model);
        let pragmas = std::mem::take(&mut self.pragmas);
        let has = |role: Role| pragmas.iter().any(|pragma| pragma.role == role);
        if is_pure_trans && !has(Role::Input) {
            self.no_inputs = true;
        }
        if has(Role::Output) {
            roles::forget_outputs(&mut self.model);
        }
        for pragma in pragmas {
            self.set_role(&pragma);
        }
    }

    fn set_role(&mut self, Pragma { name, role, timing, span }: &Pragma) {
        if name.starts_with('(') {
            let text = format!("`{name}` is no timing");
            let help = "write (step) or (state)";
            self.report(Diagnostic::error("wrong-timing", *span, text).help(help));
            return;
        }
        if !roles::set(&mut self.model, name, *role) {
            let text = format!("there is no variable or definition `{name}` to give a role");
            self.report(Diagnostic::error("unknown-name", *span, text));
        }
        let Some(timing) = *timing else { return };
        if *role != Role::Input {
            let text = format!("`{name}` is no input, so it is not sent");
            self.report(Diagnostic::error("wrong-timing", *span, text));
        } else if !roles::set_timing(&mut self.model, name, timing) {
            let text = format!("`{name}` can't be sent {}", timing.with());
            let help = "an IVAR goes with the step, and a FROZENVAR with the first state";
            self.report(Diagnostic::error("wrong-timing", *span, text).help(help));
        }
    }
}

/// A variable, its right-hand side, and where it is assigned.
type Edge = (VarId, ExprId, Span);

/// Tells the nodes of right-hand sides from those of variables.
const RIGHT_HAND_SIDE: u32 = 1 << 31;
