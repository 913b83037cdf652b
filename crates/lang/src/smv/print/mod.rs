//! The concrete syntax of SMV: values, types and expressions, the latter with no more parentheses
//! than needed.
//!
//! No recursion: a stack of what is still to be written.

mod flat;
mod legal;
mod psl;
mod share;

use trapline_model::notation;
use trapline_model::syntax::ExprNames;
use trapline_model::{
    AssignKind, BinaryOp, BoundedOp, ConstraintKind, Domain, Expr, ExprId, Model, PathQuantifier,
    PropertyKind, Statement, Syntax, UnaryOp, Value,
};

pub use flat::{flat, flat_with_comments};
pub use legal::legal;

/// The words of SMV that reports emphasise.
const KEYWORDS: &[&str] = &[
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "INVARSPEC",
    "PSLSPEC",
    "COMPUTE",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "CONSTANTS",
    "ISA",
    "PRED",
    "NAME",
    "case",
    "esac",
    "init",
    "next",
    "self",
    "process",
    "array",
    "of",
    "boolean",
    "integer",
    "real",
    "word",
    "signed",
    "unsigned",
    "TRUE",
    "FALSE",
    "in",
    "union",
    "mod",
    "xor",
    "xnor",
    "MIN",
    "MAX",
];

/// The syntax of SMV.
#[derive(Clone, Copy, Debug)]
pub struct Smv;

impl Syntax for Smv {
    fn value(&self, model: &Model, value: Value) -> String {
        notation::value(model, value)
    }

    fn domain(&self, model: &Model, domain: &Domain) -> String {
        match domain {
            Domain::Bool => "boolean".into(),
            Domain::Range(lo, hi) => format!("{lo}..{hi}"),
            Domain::Enum(values) => {
                let shown: Vec<String> = values.iter().map(|&v| self.value(model, v)).collect();
                format!("{{{}}}", shown.join(", "))
            }
            Domain::Word { signed, width } => {
                format!("{} word[{width}]", if *signed { "signed" } else { "unsigned" })
            }
            Domain::Integer => "integer".into(),
            Domain::Real => "real".into(),
            Domain::Clock => "clock".into(),
        }
    }

    fn expr_with_names(&self, model: &Model, root: ExprId, names: ExprNames<'_>) -> String {
        let mut printer = Printer { model, names, text: String::new() };
        printer.print_body(root);
        printer.text
    }

    fn unary_op(&self, op: UnaryOp) -> &'static str {
        unary_text(op)
    }

    fn binary_op(&self, op: BinaryOp) -> &'static str {
        binary_text(op)
    }

    fn target(&self, kind: AssignKind, name: &str) -> String {
        match kind {
            AssignKind::Init => format!("init({name})"),
            AssignKind::Next => format!("next({name})"),
            AssignKind::Current => name.into(),
        }
    }

    fn constraint(&self, kind: ConstraintKind) -> &'static str {
        match kind {
            ConstraintKind::Init => "INIT",
            ConstraintKind::Invar => "INVAR",
            ConstraintKind::Trans => "TRANS",
        }
    }

    fn property(&self, kind: PropertyKind) -> &'static str {
        match kind {
            PropertyKind::Ctl => "CTLSPEC",
            PropertyKind::Compute => "COMPUTE",
            PropertyKind::Ltl => "LTLSPEC",
            PropertyKind::Psl => "PSLSPEC",
            PropertyKind::Invar => "INVARSPEC",
        }
    }

    fn statement(&self, statement: &Statement<'_>) -> String {
        match *statement {
            Statement::Assign(kind, name, body) => {
                format!("{} := {body};", self.target(kind, name))
            }
            Statement::Define(name, body) => format!("{name} := {body};"),
            Statement::Branch(guard, value) => format!("{guard} : {value};"),
            Statement::Constraint(kind, body) => format!("{} {body};", self.constraint(kind)),
            Statement::Property(kind, body) => format!("{} {body};", self.property(kind)),
        }
    }

    fn cases(&self, target: &str, branches: &[(String, String)]) -> String {
        let branches = branches.iter().map(|(guard, value)| {
            format!("  {}\n", self.statement(&Statement::Branch(guard, value)))
        });
        format!("{target} := case\n{}esac;\n", branches.collect::<String>())
    }

    fn keywords(&self) -> &'static [&'static str] {
        KEYWORDS
    }

    fn comments(&self) -> &'static [&'static str] {
        &["--", "/--", "--/"]
    }
}

/// A constant in an expression. The least signed word is written without its sign, which SMV
/// takes for that word: `-0sd4_8` would be the negation of it.
fn literal(model: &Model, constant: Value) -> String {
    match constant {
        Value::Word(w) if w.signed && w.bits == 1 << (w.width - 1) => {
            notation::word(w)[1..].to_string()
        }
        _ => notation::value(model, constant),
    }
}

/// An expression, parenthesised if it cannot be the right operand of the operator.
fn right_operand_with_names(
    model: &Model,
    op: BinaryOp,
    root: ExprId,
    names: ExprNames<'_>,
) -> String {
    let mut printer = Printer { model, names, text: String::new() };
    printer.print(root, Prec::of(op).tighter());
    printer.text
}

/// How tightly an operator binds, as in NuSMV's grammar; more is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Prec(u8);

impl Prec {
    const LOOSEST: Prec = Prec(0);
    const TEMPORAL: Prec = Prec(7);
    const RANGE: Prec = Prec(11);
    const PREFIX: Prec = Prec(16);
    const TIGHTEST: Prec = Prec(17);

    fn of(op: BinaryOp) -> Prec {
        use BinaryOp as Op;
        Prec(match op {
            Op::Implies => 1,
            Op::Iff => 2,
            Op::Or | Op::Xor | Op::Xnor => 4,
            Op::And => 5,
            Op::U | Op::S | Op::V | Op::T => 6,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 8,
            Op::In => 9,
            Op::Union => 10,
            Op::Shl | Op::Shr => 12,
            Op::Add | Op::Sub => 13,
            Op::Mul | Op::Div | Op::Mod => 14,
            Op::Concat => 15,
            Op::Min | Op::Max | Op::Eu | Op::Au => 17,
        })
    }

    fn tighter(self) -> Prec {
        Prec(self.0 + 1)
    }
}

enum Task {
    Text(&'static str),
    Owned(String),
    Expr(ExprId, Prec),
}

struct Printer<'m> {
    model: &'m Model,
    names: ExprNames<'m>,
    text: String,
}

impl Printer<'_> {
    fn print(&mut self, root: ExprId, min: Prec) {
        self.finish(vec![Task::Expr(root, min)]);
    }

    /// Prints the root even if it has a name.
    fn print_body(&mut self, root: ExprId) {
        let mut tasks = self.tasks(root, Prec::LOOSEST);
        tasks.reverse();
        self.finish(tasks);
    }

    fn finish(&mut self, mut stack: Vec<Task>) {
        while let Some(task) = stack.pop() {
            match task {
                Task::Text(text) => self.text.push_str(text),
                Task::Owned(text) => self.text.push_str(&text),
                Task::Expr(id, min) => match (self.names)(id) {
                    Some(name) => self.text.push_str(&name),
                    None => stack.extend(self.tasks(id, min).into_iter().rev()),
                },
            }
        }
    }

    fn tasks(&self, id: ExprId, min: Prec) -> Vec<Task> {
        let (own, mut tasks) = self.node(id);
        if own < min {
            tasks.insert(0, Task::Text("("));
            tasks.push(Task::Text(")"));
        }
        tasks
    }

    fn node(&self, id: ExprId) -> (Prec, Vec<Task>) {
        let (model, exprs) = (self.model, &self.model.exprs);
        let atom = |text: String| (Prec::TIGHTEST, vec![Task::Owned(text)]);
        match exprs.get(id) {
            Expr::Const(c) => {
                let text = literal(model, exprs.constant(c));
                let prec = if text.starts_with('-') { Prec::PREFIX } else { Prec::TIGHTEST };
                (prec, vec![Task::Owned(text)])
            }
            Expr::Var(v) => atom(model.var(v).name.clone()),
            Expr::Next(v) => atom(format!("next({})", model.var(v).name)),
            Expr::Define(d) => atom(model.define(d).name.clone()),
            Expr::NextDefine(d) => atom(format!("next({})", model.define(d).name)),
            Expr::Unary(op, a) => unary(op, a),
            Expr::Binary(op, a, b) => binary(op, a, b),
            Expr::Ite(..) => (Prec::TIGHTEST, self.case(id)),
            Expr::Range(lo, hi) => {
                let [lo, hi] = [lo, hi].map(|c| notation::value(model, exprs.constant(c)));
                (Prec::RANGE, vec![Task::Owned(format!("{lo}..{hi}"))])
            }
            Expr::BitSelect(a, high, low) => {
                let bits = Task::Owned(format!("[{high}:{low}]"));
                (Prec::TIGHTEST, vec![Task::Expr(a, Prec::TIGHTEST), bits])
            }
            Expr::Resize(a, width) => {
                let by = Task::Owned(format!(", {width})"));
                (Prec::TIGHTEST, vec![Task::Text("resize("), Task::Expr(a, Prec::LOOSEST), by])
            }
            Expr::Count(list) => {
                let mut tasks = vec![Task::Text("count(")];
                for (idx, &operand) in exprs.list(list).iter().enumerate() {
                    tasks.push(Task::Text(if idx == 0 { "" } else { ", " }));
                    tasks.push(Task::Expr(operand, Prec::LOOSEST));
                }
                tasks.push(Task::Text(")"));
                (Prec::TIGHTEST, tasks)
            }
            Expr::Bounded(op, a, lo, hi) => {
                let [lo, hi] = [lo, hi].map(|c| notation::value(model, exprs.constant(c)));
                let text = match bounded_text(op) {
                    (name, true) => format!("{name} {lo}..{hi} "),
                    (name, false) => format!("{name} [{lo},{hi}] "),
                };
                (Prec::TEMPORAL, vec![Task::Owned(text), Task::Expr(a, Prec::TEMPORAL)])
            }
            Expr::BoundedUntil(quantifier, list, lo, hi) => {
                let [lo, hi] = [lo, hi].map(|c| notation::value(model, exprs.constant(c)));
                let operands = exprs.list(list);
                let start = match quantifier {
                    PathQuantifier::All => "A [",
                    PathQuantifier::Some => "E [",
                };
                let tasks = vec![
                    Task::Text(start),
                    Task::Expr(operands[0], Prec(4)),
                    Task::Owned(format!(" BU {lo}..{hi} ")),
                    Task::Expr(operands[1], Prec(4)),
                    Task::Text("]"),
                ];
                (Prec::TIGHTEST, tasks)
            }
            // A `case` without a matching branch: what is left of it on its own.
            Expr::Fail(_) => atom("case FALSE : FALSE; esac".into()),
        }
    }

    /// A chain of `?:` as one `case`.
    fn case(&self, id: ExprId) -> Vec<Task> {
        let exprs = &self.model.exprs;
        let mut tasks = vec![Task::Text("case ")];
        let mut rest = id;
        loop {
            match exprs.get(rest) {
                Expr::Ite(c, t, e) if rest == id || (self.names)(rest).is_none() => {
                    tasks.push(Task::Expr(c, Prec::LOOSEST));
                    tasks.push(Task::Text(" : "));
                    tasks.push(Task::Expr(t, Prec::LOOSEST));
                    tasks.push(Task::Text("; "));
                    rest = e;
                }
                Expr::Fail(_) => break,
                _ => {
                    tasks.push(Task::Text("TRUE : "));
                    tasks.push(Task::Expr(rest, Prec::LOOSEST));
                    tasks.push(Task::Text("; "));
                    break;
                }
            }
        }
        tasks.push(Task::Text("esac"));
        tasks
    }
}

fn unary(op: UnaryOp, a: ExprId) -> (Prec, Vec<Task>) {
    let text = unary_text(op);
    match op {
        UnaryOp::Not => (Prec::PREFIX, vec![Task::Text(text), Task::Expr(a, Prec::PREFIX)]),
        // Two minus signs in a row would begin a comment.
        UnaryOp::Neg => (Prec::PREFIX, vec![Task::Text(text), Task::Expr(a, Prec::TIGHTEST)]),
        _ if op.is_temporal() => {
            let tasks = vec![Task::Text(text), Task::Text(" "), Task::Expr(a, Prec::TEMPORAL)];
            (Prec::TEMPORAL, tasks)
        }
        _ => {
            let open = [Task::Text(text), Task::Text("(")];
            let close = [Task::Expr(a, Prec::LOOSEST), Task::Text(")")];
            (Prec::TIGHTEST, open.into_iter().chain(close).collect())
        }
    }
}

fn binary(op: BinaryOp, a: ExprId, b: ExprId) -> (Prec, Vec<Task>) {
    use BinaryOp as Op;
    let prec = Prec::of(op);
    let text = binary_text(op);
    let tasks = match op {
        Op::Min | Op::Max => vec![
            Task::Text(text),
            Task::Text("("),
            Task::Expr(a, Prec::LOOSEST),
            Task::Text(", "),
            Task::Expr(b, Prec::LOOSEST),
            Task::Text(")"),
        ],
        // Neither `?:` nor a looser operator may be bare inside the brackets.
        Op::Eu | Op::Au => vec![
            Task::Text(if op == Op::Eu { "E [" } else { "A [" }),
            Task::Expr(a, Prec(4)),
            Task::Text(" U "),
            Task::Expr(b, Prec(4)),
            Task::Text("]"),
        ],
        Op::Implies => infix(text, a, prec.tighter(), b, prec),
        // A temporal operator under a comparison can't be, so its operand needs no care there.
        _ => infix(text, a, prec, b, prec.tighter()),
    };
    (prec, tasks)
}

fn infix(text: &'static str, a: ExprId, left: Prec, b: ExprId, right: Prec) -> Vec<Task> {
    let gap = || Task::Text(" ");
    vec![Task::Expr(a, left), gap(), Task::Text(text), gap(), Task::Expr(b, right)]
}

fn unary_text(op: UnaryOp) -> &'static str {
    use UnaryOp as Op;
    match op {
        Op::Not => "!",
        Op::Neg => "-",
        Op::Abs => "abs",
        Op::ToBool => "bool",
        Op::ToWord1 => "word1",
        Op::ToSigned => "signed",
        Op::ToUnsigned => "unsigned",
        Op::ToInt => "toint",
        Op::Floor => "floor",
        Op::Ex => "EX",
        Op::Ax => "AX",
        Op::Ef => "EF",
        Op::Af => "AF",
        Op::Eg => "EG",
        Op::Ag => "AG",
        Op::X => "X",
        Op::Y => "Y",
        Op::Z => "Z",
        Op::G => "G",
        Op::H => "H",
        Op::F => "F",
        Op::O => "O",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    use BinaryOp as Op;
    match op {
        Op::And => "&",
        Op::Or => "|",
        Op::Xor => "xor",
        Op::Xnor => "xnor",
        Op::Implies => "->",
        Op::Iff => "<->",
        Op::Eq => "=",
        Op::Ne => "!=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::In => "in",
        Op::Union => "union",
        Op::Shl => "<<",
        Op::Shr => ">>",
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Mod => "mod",
        Op::Concat => "::",
        Op::Min => "min",
        Op::Max => "max",
        Op::Eu => "E [ U ]",
        Op::Au => "A [ U ]",
        Op::U => "U",
        Op::S => "S",
        Op::V => "V",
        Op::T => "T",
    }
}

/// The operator's name, and whether its bounds are written `lo..hi`.
fn bounded_text(op: BoundedOp) -> (&'static str, bool) {
    match op {
        BoundedOp::Ebf => ("EBF", true),
        BoundedOp::Abf => ("ABF", true),
        BoundedOp::Ebg => ("EBG", true),
        BoundedOp::Abg => ("ABG", true),
        BoundedOp::G => ("G", false),
        BoundedOp::F => ("F", false),
        BoundedOp::H => ("H", false),
        BoundedOp::O => ("O", false),
    }
}
