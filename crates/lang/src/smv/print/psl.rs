//! Formulas in the syntax of PSL, every operator in parentheses.
//!
//! Atoms are names: PSL has a different syntax for their contents.

use trapline_model::{BinaryOp, Expr, ExprId, Model, Type, UnaryOp};

use super::binary_text;

/// A larger text is of no use to anybody.
const MAX_LEN: usize = 1 << 28;

/// Words that mean something in PSL, and may be names elsewhere.
const KEYWORDS: &[&str] = &[
    "A",
    "AF",
    "AG",
    "AX",
    "E",
    "EF",
    "EG",
    "EX",
    "F",
    "G",
    "U",
    "W",
    "X",
    "abort",
    "always",
    "assert",
    "assume",
    "before",
    "before_",
    "boolean",
    "case",
    "clock",
    "const",
    "cover",
    "default",
    "endpoint",
    "eventually",
    "false",
    "forall",
    "hdltype",
    "in",
    "inf",
    "inherit",
    "is",
    "never",
    "next",
    "next_a",
    "next_e",
    "next_event",
    "next_event_a",
    "next_event_e",
    "onehot",
    "property",
    "prev",
    "report",
    "restrict",
    "rose",
    "fell",
    "sequence",
    "strong",
    "to",
    "true",
    "union",
    "until",
    "until_",
    "vmode",
    "vprop",
    "vunit",
    "whilenot",
    "within",
];

enum Task {
    Text(&'static str),
    Formula(ExprId),
}

/// A formula over atoms that `atom` gives a name.
///
/// # Errors
/// When PSL has no operator for it; says why.
pub fn formula(
    model: &Model,
    root: ExprId,
    mut atom: impl FnMut(ExprId) -> String,
) -> Result<String, &'static str> {
    let mut text = String::new();
    let mut stack = vec![Task::Formula(root)];
    while let Some(task) = stack.pop() {
        if text.len() > MAX_LEN {
            return Err("its text would be too large");
        }
        match task {
            Task::Text(part) => text.push_str(part),
            Task::Formula(id) if model.exprs.ty(id) != Type::Temporal => {
                text.push_str(&atom(id));
            }
            Task::Formula(id) => {
                stack.extend(tasks(model, id).ok_or("it has no form in PSL")?.into_iter().rev());
            }
        }
    }
    Ok(text)
}

fn tasks(model: &Model, id: ExprId) -> Option<Vec<Task>> {
    use Task::{Formula as Sub, Text};
    Some(match model.exprs.get(id) {
        Expr::Unary(op, a) => {
            let text = match op {
                UnaryOp::Not => "!",
                UnaryOp::X => "X ",
                UnaryOp::G => "G ",
                UnaryOp::F => "F ",
                UnaryOp::Ex => "EX ",
                UnaryOp::Ax => "AX ",
                UnaryOp::Ef => "EF ",
                UnaryOp::Af => "AF ",
                UnaryOp::Eg => "EG ",
                UnaryOp::Ag => "AG ",
                _ => return None,
            };
            vec![Text("("), Text(text), Sub(a), Text(")")]
        }
        Expr::Binary(op, a, b) => {
            if let Some((p, q)) = weak_until(model, op, a, b) {
                return Some(vec![Text("("), Sub(p), Text(" until "), Sub(q), Text(")")]);
            }
            let (open, text, close) = match op {
                BinaryOp::U => ("[", "U", "]"),
                BinaryOp::Eu => ("E [", "U", "]"),
                BinaryOp::Au => ("A [", "U", "]"),
                BinaryOp::Xnor => ("(", "<->", ")"),
                BinaryOp::S | BinaryOp::T | BinaryOp::V => return None,
                _ => ("(", binary_text(op), ")"),
            };
            vec![Text(open), Sub(a), Text(" "), Text(text), Text(" "), Sub(b), Text(close)]
        }
        _ => return None,
    })
}

/// `(p U q) | G p` is `p until q`, which says `p` once.
fn weak_until(model: &Model, op: BinaryOp, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId)> {
    match (op, model.exprs.get(a), model.exprs.get(b)) {
        (BinaryOp::Or, Expr::Binary(BinaryOp::U, p, q), Expr::Unary(UnaryOp::G, always))
            if p == always =>
        {
            Some((p, q))
        }
        _ => None,
    }
}

/// True if PSL reads it as one name.
pub fn is_plain(name: &str) -> bool {
    let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_word && !KEYWORDS.contains(&name)
}
