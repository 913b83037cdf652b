//! Assignments, constraints and properties of every instance.

use trapline_model::name;
use trapline_model::{
    AssignKind, AssignPart, Clause, Constraint, ConstraintKind, Expr, ExprId, Formula, Property,
    PropertyKind, Reads, Role, Timing, Type, VarId, VarKind,
};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::{
    self, BaseType, Code, Item as SyntaxItem, PragmaName, PragmaRole, PragmaTiming, Spec, SpecKind,
};
use super::declare::ScopeId;
use super::expression::Logic;
use super::{Lowerer, Operand, Pragma};

impl Lowerer<'_> {
    /// Lowers everything except declarations, with instances in textual order: that is the order of
    /// NuSMV's list of properties.
    pub fn lower_items(&mut self) {
        let program = self.program;
        let main = self.instances[0].module.unwrap_or_default();
        let mut stack = vec![(ScopeId::MAIN, main, 0)];
        while let Some((scope, module, item_idx)) = stack.pop() {
            let Some(item) = program.modules[module].items.get(item_idx) else { continue };
            stack.push((scope, module, item_idx + 1));
            match item {
                SyntaxItem::Var { name, ty, .. }
                    if matches!(ty.base, BaseType::Instance { .. }) =>
                {
                    let made = self.made.get(&(scope, name.start)).cloned().unwrap_or(0..0);
                    for inner in made.rev() {
                        if let Some(module) = self.instances[inner as usize].module {
                            stack.push((ScopeId(inner), module, 0));
                        }
                    }
                }
                SyntaxItem::Isa(name) => {
                    // A module that includes itself was reported; going on would never end.
                    let included = self.modules.get(&name.id).filter(|_| !self.has_bad_isa);
                    stack.extend(included.map(|&included| (scope, included, 0)));
                }
                _ => self.lower_item(item, scope),
            }
        }
        self.model.properties.sort_by_key(|property| property.kind);
    }

    fn lower_item(&mut self, item: &SyntaxItem, scope: ScopeId) {
        match item {
            SyntaxItem::Assign { kind, target, value, span } => {
                self.assign(*kind, *target, *value, *span, scope);
            }
            SyntaxItem::Constraint { kind, body } => self.constraint(*kind, *body, scope),
            SyntaxItem::Compassion { p, q } => {
                let p = self.fairness(*p, scope, "COMPASSION");
                let q = self.fairness(*q, scope, "COMPASSION");
                self.model.compassion.extend(p.zip(q));
            }
            SyntaxItem::Spec(spec) => self.property(spec, scope),
            SyntaxItem::Pragma { role, names } => {
                names.iter().for_each(|name| self.pragma(*role, name, scope));
            }
            SyntaxItem::Var { .. }
            | SyntaxItem::Define { .. }
            | SyntaxItem::Constants(_)
            | SyntaxItem::Isa(_) => {}
        }
    }

    /// An expression after all cells were lowered.
    fn clause(&mut self, code: Code, scope: ScopeId, logic: Logic) -> Option<Clause> {
        let occ_start = self.model.occurrences.len();
        self.seen = super::Seen::default();
        let item = loop {
            let item = self.lower_code(code, scope, logic);
            let missing = std::mem::take(&mut self.missing);
            if missing.is_empty() {
                break item;
            }
            // Parameters are lowered when something uses them.
            self.model.occurrences.truncate(occ_start);
            for cell in missing {
                self.lower_cell(cell);
            }
        };
        match item.operand {
            Operand::Expr(expr) => {
                let occ = self.last_occurrence(occ_start);
                Some(Clause { expr, occ, span: self.program.span(code) })
            }
            Operand::Poison => None,
            other => {
                let text = format!("expected a value, found {}", self.describe(other));
                self.report(Diagnostic::error("type-mismatch", item.span, text));
                None
            }
        }
    }

    /// A Boolean expression, or a formula of this logic.
    pub fn boolean_clause(
        &mut self,
        code: Code,
        scope: ScopeId,
        logic: Logic,
        what: &str,
    ) -> Option<Clause> {
        let occ_start = self.model.occurrences.len();
        let mut clause = self.clause(code, scope, logic)?;
        let item =
            super::Item { operand: Operand::Expr(clause.expr), span: clause.span, occ_start };
        let end = self.model.occurrences.len();
        let boolean = self.as_boolean(item, end);
        match boolean.filter(|&e| matches!(self.ty(e), Type::Bool | Type::Temporal)) {
            Some(expr) => {
                clause.expr = expr;
                Some(clause)
            }
            None => {
                let text = format!("{what} must be Boolean, but this is {}", self.ty(clause.expr));
                self.report(Diagnostic::error("type-mismatch", clause.span, text));
                None
            }
        }
    }

    fn constraint(&mut self, kind: syntax::ConstraintKind, code: Code, scope: ScopeId) {
        use syntax::ConstraintKind as Kind;
        let (what, kind) = match kind {
            Kind::Init => ("INIT", ConstraintKind::Init),
            Kind::Invar => ("INVAR", ConstraintKind::Invar),
            Kind::Trans => ("TRANS", ConstraintKind::Trans),
            Kind::Justice => {
                let clause = self.fairness(code, scope, "FAIRNESS");
                return self.model.justice.extend(clause);
            }
        };
        let Some(body) = self.boolean_clause(code, scope, Logic::None, what) else { return };
        if kind == ConstraintKind::Trans || self.check_state_only(body.expr, body.span, what) {
            self.model.constraints.push(Constraint { kind, body });
        }
    }

    fn fairness(&mut self, code: Code, scope: ScopeId, what: &str) -> Option<Clause> {
        let clause = self.boolean_clause(code, scope, Logic::None, what)?;
        self.check_no_next(clause.expr, clause.span, what).then_some(clause)
    }

    fn check_no_next(&mut self, expr: ExprId, span: Span, what: &str) -> bool {
        let reads = self.model.exprs.info(expr).reads;
        let has_next = self.seen.next || reads.any(Reads::NEXT.and(Reads::NEXT_INPUT));
        if has_next {
            let text = format!("`next` can't stand in {what}");
            let help = "it speaks of one state; use TRANS, or next(x) := ..., to speak of steps";
            self.report(Diagnostic::error("misplaced-next", span, text).help(help));
        }
        !has_next
    }

    fn check_state_only(&mut self, expr: ExprId, span: Span, what: &str) -> bool {
        let has_input = self.model.exprs.info(expr).reads.any(Reads::INPUT);
        if has_input {
            let text = format!("an input variable can't stand in {what}");
            let help = "an IVAR belongs to a step, not to a state; declare it in VAR if it is one";
            self.report(Diagnostic::error("misplaced-input", span, text).help(help));
        }
        !has_input && self.check_no_next(expr, span, what)
    }

    fn assign(
        &mut self,
        kind: syntax::AssignKind,
        target: Code,
        value: Code,
        span: Span,
        scope: ScopeId,
    ) {
        let kind = match kind {
            syntax::AssignKind::Init => AssignKind::Init,
            syntax::AssignKind::Next => AssignKind::Next,
            syntax::AssignKind::Current => AssignKind::Current,
        };
        let target_operand = self.lower_now(target, scope);
        match target_operand {
            Operand::Poison => {
                // The right-hand side may have errors of its own.
                let occ_start = self.model.occurrences.len();
                self.lower_now(value, scope);
                self.model.occurrences.truncate(occ_start);
            }
            Operand::Array(array) => self.assign_array(kind, array, value, span, scope),
            Operand::Expr(expr) => {
                if let Some(var) = self.assigned_var(kind, expr, span)
                    && let Some(body) = self.clause(value, scope, Logic::None)
                {
                    self.assign_var(kind, var, body, span, scope);
                }
            }
            _ => self.not_assignable(span),
        }
    }

    fn not_assignable(&mut self, span: Span) {
        let text = "only a variable can be assigned";
        let help =
            "the left-hand side may be a variable, or an array element with a constant index";
        self.report(Diagnostic::error("not-a-variable", span, text).help(help));
    }

    fn assigned_var(&mut self, kind: AssignKind, expr: ExprId, span: Span) -> Option<VarId> {
        let Expr::Var(var) = self.model.exprs.get(expr) else {
            self.not_assignable(span);
            return None;
        };
        let declared = self.model.var(var);
        let (name, declaration) = (declared.name.clone(), declared.span);
        let problem = match (declared.kind, kind) {
            (VarKind::Input, _) => "input variable",
            (VarKind::Frozen, AssignKind::Next | AssignKind::Current) => "frozen variable",
            _ => return Some(var),
        };
        let help = match problem {
            "input variable" => "an IVAR is chosen freely; declare it in VAR to assign it",
            _ => "a FROZENVAR keeps its first value; only init() may be assigned",
        };
        let text = format!("the {problem} `{name}` can't be assigned like this");
        let error = Diagnostic::error("not-assignable", span, text);
        self.report(error.label(declaration, "declared here").help(help));
        None
    }

    fn assign_var(
        &mut self,
        kind: AssignKind,
        var: VarId,
        mut body: Clause,
        span: Span,
        scope: ScopeId,
    ) {
        let what = match kind {
            AssignKind::Init => "an init assignment",
            AssignKind::Current => "an assignment of the current value",
            AssignKind::Next => "a next assignment",
        };
        if kind != AssignKind::Next && !self.check_state_only(body.expr, body.span, what) {
            return;
        }
        let var_ty = self.model.var(var).domain.ty();
        if !trapline_model::typing::assignable(var_ty, self.ty(body.expr)) {
            let occ_start = body.occ.map_or(0, |occ| self.model.occurrences.start(occ));
            let occ_end = body.occ.map_or(0, |occ| occ.0 as usize + 1);
            let item =
                super::Item { operand: Operand::Expr(body.expr), span: body.span, occ_start };
            let old = (var_ty == Type::Bool).then(|| self.as_boolean(item, occ_end)).flatten();
            match old.filter(|&e| self.ty(e) != Type::Temporal) {
                Some(expr) => body.expr = expr,
                None => return self.wrong_assignment(var, body, span),
            }
        }
        let when = self.running_guard(kind, scope);
        let part = AssignPart { body, when, target_span: span };
        self.add_assign(kind, var, part);
    }

    /// Next values are assigned only while the process runs.
    fn running_guard(&mut self, kind: AssignKind, scope: ScopeId) -> Option<ExprId> {
        if kind != AssignKind::Next {
            return None;
        }
        let process = self.instances[scope.0 as usize].process;
        let define = *self.running.get(&process)?;
        match self.define_operand(define) {
            Operand::Expr(guard) => Some(guard),
            _ => None,
        }
    }

    fn wrong_assignment(&mut self, var: VarId, body: Clause, span: Span) {
        let declared = self.model.var(var);
        let text = format!(
            "`{}` is {}, but the value is {}",
            declared.name,
            declared.domain.ty(),
            self.ty(body.expr)
        );
        let (declaration, ty) = (declared.span, self.ty(body.expr).to_string());
        self.report(
            Diagnostic::error("type-mismatch", body.span, text)
                .note_here(ty)
                .label(declaration, "declared here")
                .label(span, "assigned here"),
        );
    }

    /// `next(a) := b` for whole arrays assigns each element.
    fn assign_array(
        &mut self,
        kind: AssignKind,
        array: super::ArrayRef,
        value: Code,
        span: Span,
        scope: ScopeId,
    ) {
        let targets = self.arrays.elements(array).to_vec();
        let body_span = self.program.span(value);
        let values = match self.lower_now(value, scope) {
            Operand::Array(values) if self.arrays.dims(values) == self.arrays.dims(array) => {
                self.arrays.elements(values).to_vec()
            }
            Operand::Poison => return,
            other => {
                let text = format!(
                    "an array of this shape is needed, but the value is {}",
                    self.describe(other)
                );
                return self.report(Diagnostic::error("type-mismatch", body_span, text));
            }
        };
        for (target, expr) in targets.into_iter().zip(values) {
            if let Some(var) = self.assigned_var(kind, target, span) {
                let body = Clause { expr, occ: None, span: body_span };
                self.assign_var(kind, var, body, span, scope);
            }
        }
    }

    fn property(&mut self, spec: &Spec, scope: ScopeId) {
        let (kind, logic) = match spec.kind {
            SpecKind::Ctl => (PropertyKind::Ctl, Logic::Ctl),
            SpecKind::Ltl => (PropertyKind::Ltl, Logic::Ltl),
            SpecKind::Invar => (PropertyKind::Invar, Logic::None),
            SpecKind::Psl => (PropertyKind::Psl, Logic::Psl),
            SpecKind::Min | SpecKind::Max => (PropertyKind::Compute, Logic::Ctl),
        };
        let Some(inner) = self.property_scope(spec, scope) else { return };
        self.has_unsupported_psl = false;
        let first = self.property_clause(spec.body, inner, (logic, kind), "a property");
        let formula = match (spec.kind, spec.second) {
            _ if self.has_unsupported_psl => {
                Some(Formula::Unsupported("only the LTL-like part of PSL is supported"))
            }
            (SpecKind::Min, Some(second)) => {
                let second = self.property_clause(second, inner, (logic, kind), "a property");
                first.zip(second).map(|(p, q)| Formula::Min(p, q))
            }
            (SpecKind::Max, Some(second)) => {
                let second = self.property_clause(second, inner, (logic, kind), "a property");
                first.zip(second).map(|(p, q)| Formula::Max(p, q))
            }
            _ => first.map(Formula::Holds),
        };
        let name = spec.name.map(|name| self.full_name(scope, name));
        let instance = Some(self.instances[inner.0 as usize].name.clone());
        let instance = instance.filter(|name| !name.is_empty());
        if let Some(formula) = formula {
            self.check_property_name(name.as_deref(), spec.span);
            self.model.properties.push(Property { kind, name, formula, instance, span: spec.span });
        }
    }

    fn check_property_name(&mut self, name: Option<&str>, span: Span) {
        let Some(name) = name else { return };
        if let Some(&first) = self.property_names.get(name) {
            let text = format!("two properties have the name `{name}`");
            let error = Diagnostic::error("duplicate-name", span, text);
            return self.report(error.label(first, "first here"));
        }
        self.property_names.insert(name.to_string(), span);
    }

    fn property_scope(&mut self, spec: &Spec, scope: ScopeId) -> Option<ScopeId> {
        let Some(context) = spec.context else { return Some(scope) };
        match self.lower_now(context, ScopeId::MAIN) {
            Operand::Instance(inner) => Some(inner),
            Operand::Poison => None,
            _ => {
                let text = "`IN` takes an instance of a module";
                self.report(Diagnostic::error("type-mismatch", self.program.span(context), text));
                None
            }
        }
    }

    pub fn property_clause(
        &mut self,
        code: Code,
        scope: ScopeId,
        (logic, kind): (Logic, PropertyKind),
        what: &str,
    ) -> Option<Clause> {
        let clause = self.boolean_clause(code, scope, logic, what)?;
        let fits = match kind {
            PropertyKind::Ctl | PropertyKind::Compute => {
                self.check_state_only(clause.expr, clause.span, "a CTL property")
            }
            PropertyKind::Ltl | PropertyKind::Psl | PropertyKind::Invar => true,
        };
        fits.then_some(clause)
    }

    fn pragma(&mut self, role: PragmaRole, of: &PragmaName, scope: ScopeId) {
        let role = match role {
            PragmaRole::Input => Role::Input,
            PragmaRole::Output => Role::Output,
            PragmaRole::Internal => Role::Internal,
        };
        let timing = of.timing.map(|timing| match timing {
            PragmaTiming::State => Timing::State,
            PragmaTiming::Step => Timing::Step,
        });
        let name = name::member(&self.instances[scope.0 as usize].name, &of.name);
        self.pragmas.push(Pragma { name, role, timing, span: of.span });
    }
}
