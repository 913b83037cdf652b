//! How SAL is written: values, types and expressions, the latter with no more parentheses than needed.
//!
//! No recursion: a stack of what is still to be written.

use trapline_model::notation;
use trapline_model::syntax::ExprNames;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Domain, Expr, ExprId, Model, PropertyKind, Statement,
    Syntax, UnaryOp, Value,
};

/// The words that reports emphasise.
const KEYWORDS: &[&str] = &[
    "CONTEXT",
    "BEGIN",
    "END",
    "TYPE",
    "MODULE",
    "INPUT",
    "OUTPUT",
    "GLOBAL",
    "LOCAL",
    "DEFINITION",
    "INITIALIZATION",
    "TRANSITION",
    "THEOREM",
    "LEMMA",
    "CLAIM",
    "OBLIGATION",
    "IF",
    "THEN",
    "ELSE",
    "ELSIF",
    "ENDIF",
    "LET",
    "IN",
    "LAMBDA",
    "FORALL",
    "EXISTS",
    "ARRAY",
    "OF",
    "WITH",
    "RENAME",
    "TO",
    "OBSERVE",
    "DATATYPE",
    "SCALARSET",
    "RINGSET",
    "AND",
    "OR",
    "NOT",
    "XOR",
    "DIV",
    "MOD",
    "TRUE",
    "FALSE",
    "BOOLEAN",
    "INTEGER",
    "NATURAL",
    "REAL",
];

/// The syntax of SAL.
#[derive(Clone, Copy, Debug)]
pub struct Sal;

impl Syntax for Sal {
    fn value(&self, model: &Model, value: Value) -> String {
        match value {
            Value::Real(ratio) if ratio.den() == 1 => ratio.num().to_string(),
            Value::Real(ratio) => format!("{} / {}", ratio.num(), ratio.den()),
            value => notation::value(model, value),
        }
    }

    fn domain(&self, model: &Model, domain: &Domain) -> String {
        match domain {
            Domain::Bool => "BOOLEAN".into(),
            Domain::Range(lo, hi) => format!("[{lo}..{hi}]"),
            Domain::Enum(values) => {
                let shown: Vec<String> = values.iter().map(|&v| self.value(model, v)).collect();
                format!("{{{}}}", shown.join(", "))
            }
            Domain::Integer => "INTEGER".into(),
            Domain::Real => "REAL".into(),
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
            UnaryOp::Abs => "abs",
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
            UnaryOp::ToBool => "bool",
            UnaryOp::ToWord1 => "word",
            UnaryOp::ToSigned => "signed",
            UnaryOp::ToUnsigned => "unsigned",
            UnaryOp::ToInt => "int",
            UnaryOp::Floor => "floor",
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
            Op::Union => ",",
            Op::Shl => "<<",
            Op::Shr => ">>",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "DIV",
            Op::Mod => "MOD",
            Op::Concat => "::",
            Op::Min => "min",
            Op::Max => "max",
            Op::Eu => "EU",
            Op::Au => "AU",
            Op::U => "U",
            Op::S => "S",
            Op::V => "R",
            Op::T => "T",
        }
    }

    fn target(&self, kind: AssignKind, name: &str) -> String {
        match kind {
            AssignKind::Init | AssignKind::Current => name.into(),
            AssignKind::Next => primed(name),
        }
    }

    fn constraint(&self, kind: ConstraintKind) -> &'static str {
        match kind {
            ConstraintKind::Init => "INITIALIZATION",
            ConstraintKind::Invar => "DEFINITION",
            ConstraintKind::Trans => "TRANSITION",
        }
    }

    fn property(&self, _: PropertyKind) -> &'static str {
        "THEOREM"
    }

    fn statement(&self, statement: &Statement<'_>) -> String {
        match *statement {
            Statement::Assign(kind, name, body) if body.starts_with('{') => {
                format!("{} IN {body}", self.target(kind, name))
            }
            Statement::Assign(kind, name, body) => {
                format!("{} = {body}", self.target(kind, name))
            }
            Statement::Define(name, body) => format!("{name} = {body}"),
            Statement::Branch(guard, value) => format!("{guard} --> {value}"),
            Statement::Constraint(kind, body) => format!("{} {body}", self.constraint(kind)),
            Statement::Property(kind, body) => format!("{} {body}", self.property(kind)),
        }
    }

    fn cases(&self, target: &str, branches: &[(String, String)]) -> String {
        let mut text = format!("{target} =\n");
        for (idx, (guard, value)) in branches.iter().enumerate() {
            let is_last = idx + 1 == branches.len();
            text += &match (idx, is_last && guard == "TRUE") {
                (0, true) => format!("  {value}\n"),
                (_, true) => format!("  ELSE {value}\n"),
                (0, false) => format!("  IF {guard} THEN {value}\n"),
                (_, false) => format!("  ELSIF {guard} THEN {value}\n"),
            };
        }
        if branches.len() > 1 { text + "  ENDIF\n" } else { text }
    }

    fn choice(&self) -> &'static str {
        "IF"
    }

    fn keywords(&self) -> &'static [&'static str] {
        KEYWORDS
    }

    fn comments(&self) -> &'static [&'static str] {
        &["%"]
    }
}

/// The next value of a variable: the prime stands behind the identifier, before indices and fields.
fn primed(name: &str) -> String {
    let word = trapline_model::name::first_word(name);
    format!("{word}'{}", &name[word.len()..])
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
const COMPARISON: u8 = 8;
const TIGHTEST: u8 = 13;

fn level(op: BinaryOp) -> u8 {
    use BinaryOp as Op;
    match op {
        Op::Iff | Op::Xnor => 2,
        Op::Implies => 3,
        Op::Xor => 4,
        Op::Or => 5,
        Op::And => 6,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::In => COMPARISON,
        Op::Shl | Op::Shr | Op::Concat | Op::Add | Op::Sub => 10,
        Op::Mul | Op::Div | Op::Mod => 11,
        Op::Union => 0,
        Op::Min | Op::Max | Op::Eu | Op::Au | Op::U | Op::S | Op::V | Op::T => TIGHTEST,
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
                let shown = Sal.value(model, exprs.constant(constant));
                let level = if shown.starts_with('-') { 12 } else { TIGHTEST };
                (level, vec![Task::Text(shown)])
            }
            Expr::Var(var) => atom(model.var(var).name.clone()),
            Expr::Next(var) => atom(primed(&model.var(var).name)),
            Expr::Define(define) => atom(model.define(define).name.clone()),
            Expr::NextDefine(define) => atom(primed(&model.define(define).name)),
            Expr::Unary(UnaryOp::Neg, a) => (12, vec![text("-"), Task::Expr(a, TIGHTEST)]),
            Expr::Unary(UnaryOp::Not, a) => (7, vec![text("NOT "), Task::Expr(a, 8)]),
            Expr::Unary(op, a) => self.applied(Sal.unary_op(op), &[a]),
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::Ite(c, t, e) => (TIGHTEST, self.choice([c, t, e])),
            Expr::Range(lo, hi) => {
                let [lo, hi] = [lo, hi].map(|end| Sal.value(model, exprs.constant(end)));
                atom(format!("{{i: [{lo}..{hi}] | TRUE}}"))
            }
            Expr::Count(list) => self.applied("count", exprs.list(list)),
            // SAL has no words of bits and no bounds: these come from nowhere.
            Expr::BitSelect(a, ..) | Expr::Resize(a, _) | Expr::Bounded(_, a, ..) => {
                (0, vec![Task::Expr(a, TIGHTEST)])
            }
            Expr::BoundedUntil(..) | Expr::Fail(_) => atom("nothing".into()),
        }
    }

    fn applied(&self, name: &str, operands: &[ExprId]) -> (u8, Vec<Task>) {
        let mut tasks = vec![Task::Text(format!("{name}("))];
        for (idx, &operand) in operands.iter().enumerate() {
            tasks.push(text(if idx == 0 { "" } else { ", " }));
            tasks.push(Task::Expr(operand, 1));
        }
        tasks.push(text(")"));
        (TIGHTEST, tasks)
    }

    fn binary(&self, op: BinaryOp, a: ExprId, b: ExprId) -> (u8, Vec<Task>) {
        let own = level(op);
        if op == BinaryOp::Union {
            return (TIGHTEST, self.set(a, b));
        }
        if own == TIGHTEST {
            return self.applied(Sal.binary_op(op), &[a, b]);
        }
        let (left, right) = match op {
            BinaryOp::Implies => (own + 1, own),
            _ if own == COMPARISON => (own + 1, own + 1),
            _ => (own, own + 1),
        };
        let name = Task::Text(format!(" {} ", Sal.binary_op(op)));
        (own, vec![Task::Expr(a, left), name, Task::Expr(b, right)])
    }

    /// `{a, b, c}`
    fn set(&self, a: ExprId, b: ExprId) -> Vec<Task> {
        let mut tasks = vec![text("{")];
        let mut stack = vec![b, a];
        while let Some(member) = stack.pop() {
            if let Expr::Binary(BinaryOp::Union, a, b) = self.model.exprs.get(member) {
                stack.extend([b, a]);
                continue;
            }
            tasks.push(text(if tasks.len() == 1 { "" } else { ", " }));
            tasks.push(Task::Expr(member, 1));
        }
        tasks.push(text("}"));
        tasks
    }

    fn choice(&self, [c, t, e]: [ExprId; 3]) -> Vec<Task> {
        let mut tasks = vec![text("IF "), Task::Expr(c, 1), text(" THEN "), Task::Expr(t, 1)];
        let mut rest = e;
        // What has a name is written by it.
        while let Expr::Ite(c, t, e) = self.model.exprs.get(rest)
            && (self.names)(rest).is_none()
        {
            tasks.extend([text(" ELSIF "), Task::Expr(c, 1), text(" THEN "), Task::Expr(t, 1)]);
            rest = e;
        }
        tasks.extend([text(" ELSE "), Task::Expr(rest, 1), text(" ENDIF")]);
        tasks
    }
}

fn text(text: &str) -> Task {
    Task::Text(text.into())
}
