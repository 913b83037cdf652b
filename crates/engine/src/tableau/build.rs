//! Extends a model by bits and constraints.

use trapline_model::transform::Extension;
use trapline_model::{ConstraintKind, Domain, ExprId, Model, Value, VarKind};
use trapline_source::Span;

/// The extended model.
#[derive(Clone, Debug)]
pub struct Build {
    /// The model.
    pub model: Extension,
    /// The span given to constraints.
    span: Span,
}

impl Build {
    /// Begins with this model.
    pub fn new(model: &Model, span: Span) -> Build {
        Build { model: Extension::new(model.clone()), span }
    }

    /// A fresh bit.
    pub fn fresh(&mut self) -> ExprId {
        let name = self.model.hidden_name("ltl");
        let bit = self.model.add_var(name, VarKind::State, Domain::Bool, self.span);
        self.model.var_expr(bit)
    }

    /// The expression over the next state.
    pub fn next(&mut self, a: ExprId) -> ExprId {
        self.model.exprs.prime(a)
    }

    /// Constrains the initial state.
    pub fn init(&mut self, expr: ExprId) {
        if self.says_something(expr) {
            self.model.constrain(ConstraintKind::Init, expr, self.span);
        }
    }

    /// Constrains all states, or all steps if the expression reads them.
    pub fn require(&mut self, expr: ExprId) {
        if self.says_something(expr) {
            self.model.require(expr, self.span);
        }
    }

    /// Adds a justice constraint.
    pub fn justice(&mut self, expr: ExprId) {
        if !self.model.justice.iter().any(|known| known.expr == expr) {
            self.model.add_justice(expr, self.span);
        }
    }

    /// Requires that an expression that stays true once it is true becomes so. Any other justice
    /// constraint holds after that too, so that one constraint can express both.
    pub fn stable(&mut self, expr: ExprId) {
        if !self.says_something(expr) {
            return;
        }
        let Some(mut last) = self.model.justice.pop() else { return self.justice(expr) };
        (last.expr, last.occ) = (self.model.exprs.and(last.expr, expr), None);
        self.model.justice.push(last);
    }

    fn says_something(&self, expr: ExprId) -> bool {
        self.model.exprs.as_const(expr) != Some(Value::Bool(true))
    }
}
