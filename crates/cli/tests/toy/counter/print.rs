//! How the language of counters is written.

use trapline_model::syntax::ExprNames;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, PropertyKind, Statement,
    Syntax, UnaryOp, Value, notation,
};

/// The operators and their words.
pub const OPERATORS: &[(BinaryOp, &str)] = &[
    (BinaryOp::And, "and"),
    (BinaryOp::Eq, "is"),
    (BinaryOp::Lt, "below"),
    (BinaryOp::Gt, "above"),
    (BinaryOp::Add, "plus"),
    (BinaryOp::Sub, "minus"),
];

/// The syntax of counters.
#[derive(Clone, Copy, Debug)]
pub struct Counter;

impl Syntax for Counter {
    fn value(&self, model: &Model, value: Value) -> String {
        match value {
            Value::Bool(value) => if value { "yes" } else { "no" }.into(),
            value => notation::value(model, value),
        }
    }

    fn domain(&self, _: &Model, domain: &Domain) -> String {
        match domain {
            Domain::Range(lo, hi) => format!("from {lo} to {hi}"),
            _ => "yes or no".into(),
        }
    }

    // Its texts are lines, so that this may recurse.
    fn expr_with_names(&self, model: &Model, root: ExprId, names: ExprNames<'_>) -> String {
        let show = |id: ExprId| match names(id) {
            Some(name) => name,
            None => self.expr_with_names(model, id, names),
        };
        match model.exprs.get(root) {
            Expr::Const(constant) => self.value(model, model.exprs.constant(constant)),
            Expr::Var(var) => model.var(var).name.clone(),
            Expr::Next(var) => self.target(AssignKind::Next, &model.var(var).name),
            Expr::Unary(op, a) => format!("{} {}", self.unary_op(op), show(a)),
            Expr::Binary(op, a, b) => format!("{} {} {}", show(a), self.binary_op(op), show(b)),
            Expr::Ite(guard, value, rest) => {
                let branch = format!("when {} it becomes {}", show(guard), show(value));
                match model.exprs.get(rest) {
                    Expr::Fail(_) => branch,
                    _ => format!("{branch}, {}", show(rest)),
                }
            }
            _ => "something else".into(),
        }
    }

    fn unary_op(&self, op: UnaryOp) -> &'static str {
        if op == UnaryOp::Not { "not" } else { "always" }
    }

    fn binary_op(&self, op: BinaryOp) -> &'static str {
        match op {
            BinaryOp::Or => "or",
            BinaryOp::Ne => "is not",
            _ => OPERATORS.iter().find(|(known, _)| *known == op).map_or("with", |(_, word)| word),
        }
    }

    fn target(&self, kind: AssignKind, name: &str) -> String {
        match kind {
            AssignKind::Init => format!("the start of {name}"),
            AssignKind::Next => format!("the new {name}"),
            AssignKind::Current => name.into(),
        }
    }

    fn constraint(&self, _: ConstraintKind) -> &'static str {
        "rule"
    }

    fn property(&self, _: PropertyKind) -> &'static str {
        "always"
    }

    fn statement(&self, statement: &Statement<'_>) -> String {
        match *statement {
            Statement::Assign(kind, name, body) => {
                format!("{} is {body}", self.target(kind, name))
            }
            Statement::Define(name, body) => format!("{name} is {body}"),
            Statement::Branch(guard, value) => format!("when {guard} it becomes {value}"),
            Statement::Constraint(_, body) => format!("rule {body}"),
            Statement::Property(_, body) => format!("always {body}"),
        }
    }

    fn cases(&self, target: &str, branches: &[(String, String)]) -> String {
        let lines = branches.iter().map(|(guard, value)| {
            format!("{}\n", self.statement(&Statement::Branch(guard, value)))
        });
        format!("# {target}\n{}", lines.collect::<String>())
    }

    fn keywords(&self) -> &'static [&'static str] {
        &["type", "input", "counter", "when", "never", "becomes"]
    }

    fn comments(&self) -> &'static [&'static str] {
        &["#"]
    }
}
