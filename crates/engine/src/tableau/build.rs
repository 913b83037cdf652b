//! Extends a model by bits and constraints.

use trapline_model::{
    Clause, Constraint, ConstraintKind, Domain, ExprId, Model, Role, Value, Var, VarId, VarKind,
};
use trapline_source::Span;

use super::reads_step;

/// The extended model.
#[derive(Clone, Debug)]
pub struct Build {
    /// The model.
    pub model: Model,
    /// Number of fresh variables.
    pub n_fresh: usize,
    /// A prefix that no other name has.
    prefix: String,
    /// The span given to constraints.
    span: Span,
}

impl Build {
    /// Begins with this model.
    pub fn new(model: &Model, span: Span) -> Build {
        let vars = model.vars.iter().map(|var| &var.name);
        let names: Vec<&String> =
            vars.chain(model.defines.iter().map(|define| &define.name)).collect();
        let mut prefix = String::from("_ltl_");
        while names.iter().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        Build { model: model.clone(), n_fresh: 0, prefix, span }
    }

    /// A fresh bit.
    pub fn fresh(&mut self) -> ExprId {
        let id = VarId(self.model.vars.len() as u32);
        self.model.vars.push(Var {
            name: format!("{}{}", self.prefix, self.n_fresh),
            kind: VarKind::State,
            domain: Domain::Bool,
            role: Role::Internal,
            timing: None,
            span: self.span,
        });
        self.n_fresh += 1;
        self.model.var_expr(id)
    }

    /// The expression over the next state.
    pub fn next(&mut self, a: ExprId) -> ExprId {
        self.model.exprs.prime(a)
    }

    /// Constrains the initial state.
    pub fn init(&mut self, expr: ExprId) {
        self.constrain(ConstraintKind::Init, expr);
    }

    /// Constrains all states, or all steps if the expression reads them.
    pub fn require(&mut self, expr: ExprId) {
        let kind = match reads_step(&self.model.exprs, expr) {
            true => ConstraintKind::Trans,
            false => ConstraintKind::Invar,
        };
        self.constrain(kind, expr);
    }

    /// Adds a justice constraint.
    pub fn justice(&mut self, expr: ExprId) {
        let clause = self.clause(expr);
        if !self.model.justice.iter().any(|known| known.expr == expr) {
            self.model.justice.push(clause);
        }
    }

    /// Requires that an expression that stays true once it is true becomes so. Any other justice
    /// constraint holds after that too, so that one constraint can express both.
    pub fn stable(&mut self, expr: ExprId) {
        if self.model.exprs.as_const(expr) == Some(Value::Bool(true)) {
            return;
        }
        let Some(mut last) = self.model.justice.pop() else { return self.justice(expr) };
        (last.expr, last.occ) = (self.model.exprs.and(last.expr, expr), None);
        self.model.justice.push(last);
    }

    fn constrain(&mut self, kind: ConstraintKind, expr: ExprId) {
        if self.model.exprs.as_const(expr) != Some(Value::Bool(true)) {
            let body = self.clause(expr);
            self.model.constraints.push(Constraint { kind, body });
        }
    }

    fn clause(&self, expr: ExprId) -> Clause {
        Clause { expr, occ: None, span: self.span }
    }
}
