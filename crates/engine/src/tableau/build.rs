//! A model to which bits and constraints are added.

use trapline_model::{
    BinaryOp, Clause, Constraint, ConstraintKind, Domain, Expr, ExprId, Model, Reads, Role, Type,
    UnaryOp, Value, Var, VarId, VarKind,
};
use trapline_source::Span;

use super::reads_step;

/// The model so far.
#[derive(Clone, Debug)]
pub struct Build {
    /// The model.
    pub model: Model,
    /// How many of its variables are fresh.
    pub n_fresh: usize,
    /// What no other name begins with.
    prefix: String,
    /// The place that constraints are said to have.
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
        self.model.exprs.add_leaf(Expr::Var(id), Type::Bool, Reads::STATE)
    }

    /// The expression about the next state.
    pub fn next(&mut self, a: ExprId) -> ExprId {
        self.model.exprs.prime(a)
    }

    /// Negation.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
        match (exprs.as_const(a), exprs.get(a)) {
            (Some(Value::Bool(value)), _) => exprs.bool(!value),
            (_, Expr::Unary(UnaryOp::Not, inner)) => inner,
            _ => exprs.not(a),
        }
    }

    /// Both.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
        match [a, b].map(|operand| exprs.as_const(operand)) {
            [Some(Value::Bool(false)), _] => a,
            [_, Some(Value::Bool(false))] => b,
            _ => exprs.and(a, b),
        }
    }

    /// One of them.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
        match [a, b].map(|operand| exprs.as_const(operand)) {
            [Some(Value::Bool(true)), _] | [_, Some(Value::Bool(false))] => a,
            [_, Some(Value::Bool(true))] | [Some(Value::Bool(false)), _] => b,
            _ => exprs.add(Expr::Binary(BinaryOp::Or, a, b), Type::Bool),
        }
    }

    /// The second where the first holds.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
        match [a, b].map(|operand| exprs.as_const(operand)) {
            [Some(Value::Bool(true)), _] | [_, Some(Value::Bool(true))] => b,
            [_, Some(Value::Bool(false))] => self.not(a),
            _ => exprs.add(Expr::Binary(BinaryOp::Implies, a, b), Type::Bool),
        }
    }

    /// Both or none.
    pub fn iff(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.model.exprs.add(Expr::Binary(BinaryOp::Iff, a, b), Type::Bool)
    }

    /// Says something of state 0.
    pub fn init(&mut self, expr: ExprId) {
        self.constrain(ConstraintKind::Init, expr);
    }

    /// Says something of all states, or of all steps if that is what it reads.
    pub fn require(&mut self, expr: ExprId) {
        let kind = match reads_step(&self.model.exprs, expr) {
            true => ConstraintKind::Trans,
            false => ConstraintKind::Invar,
        };
        self.constrain(kind, expr);
    }

    /// Says that something holds again and again.
    pub fn justice(&mut self, expr: ExprId) {
        let clause = self.clause(expr);
        if !self.model.justice.iter().any(|known| known.expr == expr) {
            self.model.justice.push(clause);
        }
    }

    /// Says that something which stays true once it is true becomes so. Another thing that holds
    /// again and again does so after that too, so that one constraint says both.
    pub fn stable(&mut self, expr: ExprId) {
        if self.model.exprs.as_const(expr) == Some(Value::Bool(true)) {
            return;
        }
        let Some(mut last) = self.model.justice.pop() else { return self.justice(expr) };
        (last.expr, last.occ) = (self.and(last.expr, expr), None);
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
