//! How SCR is written: values, types and expressions, the latter with no more parentheses than needed.
//!
//! No recursion: a stack of what is still to be written.

use trapline_model::notation;
use trapline_model::syntax::ExprNames;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, PropertyKind, Ratio, Reads,
    Statement, Syntax, UnaryOp, Value,
};

/// The words that reports emphasise.
const KEYWORDS: &[&str] = &[
    "TYPES",
    "CONSTANTS",
    "MONITORED",
    "CONTROLLED",
    "TERMS",
    "MODECLASS",
    "INIT",
    "NAT",
    "ASSERT",
    "CTL",
    "LTL",
    "OPTIONS",
    "TABLE",
    "MODE",
    "EVENT",
    "CONDITION",
    "CLASS",
    "WHEN",
    "WHERE",
    "WHILE",
    "INMODE",
    "NEVER",
    "AND",
    "OR",
    "NOT",
    "XOR",
    "IN",
    "MOD",
    "True",
    "False",
    "Boolean",
];

/// The syntax of SCR.
#[derive(Clone, Copy, Debug)]
pub struct Scr;

impl Syntax for Scr {
    fn value(&self, model: &Model, value: Value) -> String {
        match value {
            Value::Bool(true) => "True".into(),
            Value::Bool(false) => "False".into(),
            Value::Real(ratio) => decimal(ratio),
            value => notation::value(model, value),
        }
    }

    fn domain(&self, model: &Model, domain: &Domain) -> String {
        match domain {
            Domain::Bool => "Boolean".into(),
            Domain::Range(lo, hi) => format!("{lo}..{hi}"),
            Domain::Enum(values) => {
                let shown: Vec<String> = values.iter().map(|&v| self.value(model, v)).collect();
                format!("{{{}}}", shown.join(", "))
            }
            Domain::Integer => "Integer".into(),
            Domain::Real => "Real".into(),
            Domain::Word { width, .. } => format!("word of {width} bits"),
            Domain::Clock => "clock".into(),
        }
    }

    fn expr_with_names(&self, model: &Model, root: ExprId, names: ExprNames<'_>) -> String {
        let mut text = String::new();
        let printer = Printer { model, names };
        let mut stack = printer.tasks(root, 0);
        stack.reverse();
        while let Some(task) = stack.pop() {
            match task {
                Task::Text(part) => text.push_str(&part),
                Task::Expr(expr, min) => match (printer.names)(expr) {
                    Some(name) => text.push_str(&name),
                    None => stack.extend(printer.tasks(expr, min).into_iter().rev()),
                },
            }
        }
        text
    }

    fn unary_op(&self, op: UnaryOp) -> &'static str {
        match op {
            UnaryOp::Not => "NOT",
            UnaryOp::Neg => "-",
            UnaryOp::Abs => "ABS",
            UnaryOp::Ex => "EX",
            UnaryOp::Ax => "AX",
            UnaryOp::Ef => "EF",
            UnaryOp::Af => "AF",
            UnaryOp::Eg => "EG",
            UnaryOp::Ag => "AG",
            UnaryOp::X => "X",
            UnaryOp::Y => "Y",
            UnaryOp::Z => "Z",
            UnaryOp::G => "G",
            UnaryOp::H => "H",
            UnaryOp::F => "F",
            UnaryOp::O => "O",
            UnaryOp::ToBool => "BOOL",
            UnaryOp::ToWord1 => "WORD",
            UnaryOp::ToSigned => "SIGNED",
            UnaryOp::ToUnsigned => "UNSIGNED",
            UnaryOp::ToInt => "INT",
            UnaryOp::Floor => "FLOOR",
        }
    }

    fn binary_op(&self, op: BinaryOp) -> &'static str {
        use BinaryOp as Op;
        match op {
            Op::And => "AND",
            Op::Or => "OR",
            Op::Xor => "XOR",
            Op::Xnor | Op::Iff => "<=>",
            Op::Implies => "=>",
            Op::Eq => "=",
            Op::Ne => "/=",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::Gt => ">",
            Op::Ge => ">=",
            Op::In => "IN",
            Op::Union => "or",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "MOD",
            Op::Concat => "::",
            Op::Min => "MIN",
            Op::Max => "MAX",
            Op::Eu => "E[ U ]",
            Op::Au => "A[ U ]",
            Op::U => "U",
            Op::S => "S",
            Op::V => "V",
            Op::T => "T",
        }
    }

    fn target(&self, kind: AssignKind, name: &str) -> String {
        match kind {
            AssignKind::Init => format!("initial {name}"),
            AssignKind::Next => format!("{name}'"),
            AssignKind::Current => name.into(),
        }
    }

    fn constraint(&self, kind: ConstraintKind) -> &'static str {
        match kind {
            ConstraintKind::Init => "INIT",
            ConstraintKind::Invar | ConstraintKind::Trans => "NAT",
        }
    }

    fn property(&self, kind: PropertyKind) -> &'static str {
        match kind {
            PropertyKind::Ctl => "CTL",
            PropertyKind::Ltl => "LTL",
            PropertyKind::Invar => "ASSERT",
            PropertyKind::Compute => "COMPUTE",
            PropertyKind::Psl => "PSL",
        }
    }

    fn statement(&self, statement: &Statement<'_>) -> String {
        match *statement {
            Statement::Assign(kind, name, body) => {
                format!("{} = {body}", self.target(kind, name))
            }
            Statement::Define(name, body) => format!("{name} = {body}"),
            Statement::Branch(guard, value) => format!("{guard} | {value}"),
            Statement::Constraint(kind, body) => format!("{} {body}", self.constraint(kind)),
            Statement::Property(kind, body) => format!("{} {body}", self.property(kind)),
        }
    }

    fn cases(&self, target: &str, branches: &[(String, String)]) -> String {
        let lines = branches.iter().map(|(guard, value)| {
            format!("  {}\n", self.statement(&Statement::Branch(guard, value)))
        });
        format!("{target}\n{}", lines.collect::<String>())
    }

    fn choice(&self) -> &'static str {
        "if"
    }

    fn keywords(&self) -> &'static [&'static str] {
        KEYWORDS
    }

    fn comments(&self) -> &'static [&'static str] {
        &["--"]
    }
}

enum Task {
    Text(String),
    Expr(ExprId, u8),
}

struct Printer<'m> {
    model: &'m Model,
    names: ExprNames<'m>,
}

/// How tightly operators bind; more is tighter.
const PREFIX: u8 = 7;
const TIGHTEST: u8 = 13;

fn level(op: BinaryOp) -> u8 {
    use BinaryOp as Op;
    match op {
        Op::Iff | Op::Xnor => 1,
        Op::Implies => 2,
        Op::Or | Op::Xor | Op::Union => 3,
        Op::And => 5,
        Op::U | Op::S | Op::V | Op::T => 6,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::In => 8,
        Op::Shl | Op::Shr | Op::Concat | Op::Add | Op::Sub => 10,
        Op::Mul | Op::Div | Op::Mod => 11,
        Op::Min | Op::Max | Op::Eu | Op::Au => TIGHTEST,
    }
}

impl Printer<'_> {
    fn tasks(&self, expr: ExprId, min: u8) -> Vec<Task> {
        let (own, mut tasks) = self.node(expr);
        if own < min {
            tasks.insert(0, text("("));
            tasks.push(text(")"));
        }
        tasks
    }

    fn node(&self, id: ExprId) -> (u8, Vec<Task>) {
        let (model, exprs) = (self.model, &self.model.exprs);
        let atom = |text: String| (TIGHTEST, vec![Task::Text(text)]);
        match exprs.get(id) {
            Expr::Const(constant) => {
                let shown = Scr.value(model, exprs.constant(constant));
                let level = if shown.starts_with('-') { 12 } else { TIGHTEST };
                (level, vec![Task::Text(shown)])
            }
            Expr::Var(var) => atom(model.var(var).name.clone()),
            Expr::Next(var) => atom(format!("{}'", model.var(var).name)),
            Expr::Define(define) => atom(model.define(define).name.clone()),
            Expr::NextDefine(define) => atom(format!("{}'", model.define(define).name)),
            Expr::Unary(UnaryOp::Neg, a) => (12, vec![text("-"), Task::Expr(a, TIGHTEST)]),
            Expr::Unary(op, a) if op == UnaryOp::Not || op.is_temporal() => {
                let name = format!("{} ", Scr.unary_op(op));
                (PREFIX, vec![Task::Text(name), Task::Expr(a, PREFIX)])
            }
            Expr::Unary(op, a) => {
                let name = format!("{}(", Scr.unary_op(op));
                (TIGHTEST, vec![Task::Text(name), Task::Expr(a, 0), text(")")])
            }
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::Ite(c, t, e) => (0, self.choice([c, t, e])),
            Expr::Range(lo, hi) => {
                let [lo, hi] = [lo, hi].map(|end| Scr.value(model, exprs.constant(end)));
                atom(format!("{{{lo}..{hi}}}"))
            }
            Expr::Count(list) => {
                let mut tasks = vec![text("COUNT(")];
                for (idx, &operand) in exprs.list(list).iter().enumerate() {
                    tasks.push(text(if idx == 0 { "" } else { ", " }));
                    tasks.push(Task::Expr(operand, 0));
                }
                tasks.push(text(")"));
                (TIGHTEST, tasks)
            }
            // SCR has no words of bits and no bounds: these come from nowhere.
            Expr::BitSelect(a, ..) | Expr::Resize(a, _) | Expr::Bounded(_, a, ..) => {
                (0, vec![Task::Expr(a, TIGHTEST)])
            }
            Expr::BoundedUntil(..) | Expr::Fail(_) => atom("nothing".into()),
        }
    }

    fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> (u8, Vec<Task>) {
        let name = Scr.binary_op(op);
        match op {
            BinaryOp::Min | BinaryOp::Max => {
                let open = Task::Text(format!("{name}("));
                let tasks = vec![open, Task::Expr(a, 0), text(", "), Task::Expr(b, 0), text(")")];
                (TIGHTEST, tasks)
            }
            BinaryOp::Eu | BinaryOp::Au => {
                let open = text(if op == BinaryOp::Eu { "E[" } else { "A[" });
                let tasks = vec![open, Task::Expr(a, 0), text(" U "), Task::Expr(b, 0), text("]")];
                (TIGHTEST, tasks)
            }
            // A set, in braces: the values of a choice.
            BinaryOp::Union => {
                let members = self.members(a, b);
                let mut tasks = vec![text("{")];
                for (idx, member) in members.into_iter().enumerate() {
                    tasks.push(text(if idx == 0 { "" } else { ", " }));
                    tasks.push(Task::Expr(member, 0));
                }
                tasks.push(text("}"));
                (TIGHTEST, tasks)
            }
            _ => {
                if let Some(event) = self.event(op, a, b) {
                    return (TIGHTEST, event);
                }
                let own = level(op);
                // Comparisons do not follow each other.
                let (left, right) = match op {
                    BinaryOp::Implies | BinaryOp::U => (own + 1, own),
                    _ if own == 8 => (own + 1, own + 1),
                    _ => (own, own + 1),
                };
                let name = Task::Text(format!(" {name} "));
                (own, vec![Task::Expr(a, left), name, Task::Expr(b, right)])
            }
        }
    }

    fn members(&self, a: ExprId, b: ExprId) -> Vec<ExprId> {
        let mut members = vec![b];
        let mut rest = a;
        while let Expr::Binary(BinaryOp::Union, a, b) = self.model.exprs.get(rest) {
            members.push(b);
            rest = a;
        }
        members.push(rest);
        members.reverse();
        members
    }

    /// `NOT c AND c'` is `@T(c)`, and so on.
    fn event(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Vec<Task>> {
        let exprs = &self.model.exprs;
        let negated = |expr| match exprs.get(expr) {
            Expr::Unary(UnaryOp::Not, inner) => Some(inner),
            _ => None,
        };
        let is_primed = |old: ExprId, new: ExprId| is_primed(self.model, old, new);
        let (name, inner) = match op {
            BinaryOp::And if negated(a).is_some_and(|old| is_primed(old, b)) => {
                ("@T(", negated(a)?)
            }
            BinaryOp::And if negated(b).is_some_and(|new| is_primed(a, new)) => ("@F(", a),
            BinaryOp::Ne if is_primed(a, b) => ("@C(", a),
            _ => return None,
        };
        Some(vec![text(name), Task::Expr(inner, 0), text(")")])
    }

    fn choice(&self, [c, t, e]: [ExprId; 3]) -> Vec<Task> {
        vec![
            text("if "),
            Task::Expr(c, 1),
            text(" then "),
            Task::Expr(t, 1),
            text(" else "),
            Task::Expr(e, 0),
        ]
    }
}

/// Is it the same in the new state? Constants are the same in both.
fn is_primed(model: &Model, old: ExprId, new: ExprId) -> bool {
    let exprs = &model.exprs;
    let mut stack = vec![(old, new)];
    let mut reads = false;
    while let Some((old, new)) = stack.pop() {
        let is_same = match (exprs.get(old), exprs.get(new)) {
            (Expr::Var(old), Expr::Next(new)) => {
                reads = true;
                old == new
            }
            (Expr::Unary(op, a), Expr::Unary(other, b)) => {
                stack.push((a, b));
                op == other
            }
            (Expr::Binary(op, a, b), Expr::Binary(other, c, d)) => {
                stack.extend([(a, c), (b, d)]);
                op == other
            }
            _ => old == new && exprs.info(old).reads == Reads::NOTHING,
        };
        if !is_same {
            return false;
        }
    }
    reads
}

/// A number as SCR writes it: with digits behind a point, if they come to an end.
fn decimal(ratio: Ratio) -> String {
    let (num, den) = (i128::from(ratio.num()), i128::from(ratio.den()));
    let Some(n_digits) = (1..=18).find(|&n| 10i128.pow(n) % den == 0) else {
        return format!("{num} / {den}");
    };
    let scale = 10i128.pow(n_digits);
    let digits = (num * (scale / den)).unsigned_abs();
    let sign = if num < 0 { "-" } else { "" };
    let (whole, part) = (digits / scale.unsigned_abs(), digits % scale.unsigned_abs());
    format!("{sign}{whole}.{part:0width$}", width = n_digits as usize)
}

fn text(text: &str) -> Task {
    Task::Text(text.into())
}
