//! A model as one SAL context: a module with all its variables, and its properties as theorems.
//!
//! The module has the runs of the model. What SAL can't say is refused by name: fairness, real time,
//! numbers that are computed among symbols. A property that it can't say is left out, as in SMV's
//! flat text. A value outside the type of its variable takes a step away in SAL, while it is an error
//! of the model: a model that is well formed has none, and nothing else is printed.

mod bounds;
mod enums;
mod fold;
mod helpers;
mod module;
mod names;
mod naming;
mod properties;
mod sets;
mod share;
mod system;
mod text;
mod words;

use rustc_hash::FxHashSet;
use trapline_model::{BinaryOp, Domain, Expr, ExprId, Model, SetOf, Type, UnaryOp};
use trapline_source::{Diagnostic, Diagnostics, Span};

pub use names::context_name;
use properties::{Says, Theorem};
use system::{Gives, System};

/// The most bits of a word: its numbers, and their products, fit 64 bits.
const MAX_WIDTH: u8 = 31;

/// A context.
#[derive(Debug)]
pub struct Printed {
    /// Its text.
    pub text: String,
    /// The properties that are left out, and why.
    pub left_out: Vec<(Span, &'static str)>,
}

/// The model as a context of this name, with a comment before each of the first theorems.
///
/// # Errors
/// What SAL can't say.
pub fn context(model: &Model, name: &str, comments: &[String]) -> Result<Printed, Diagnostics> {
    let mut refused = Diagnostics::new();
    let (mut system, found) = System::new(model);
    for (span, what) in found {
        refused.push(refusal(span, what));
    }
    check_model(&system.model, &mut refused);
    let theorems = properties::theorems(&mut system);
    system.finish();
    check_expressions(&system, &mut refused);
    if refused.has_errors() {
        return Err(refused);
    }
    let spans = system.model.properties.iter().map(|property| property.span);
    let left_out = spans.zip(&theorems).filter_map(|(span, theorem)| match theorem.says {
        Says::LeftOut(why) => Some((span, why)),
        _ => None,
    });
    let left_out = left_out.collect();
    let text = module::write(&system, &theorems, name, comments)?;
    Ok(Printed { text, left_out })
}

fn refusal(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("no-sal-form", span, format!("SAL has no form for {what}"))
}

/// What the model has besides expressions.
fn check_model(model: &Model, refused: &mut Diagnostics) {
    let fairness = model.compassion.iter().map(|(p, _)| p.span);
    let justice = model.justice.iter().filter(|clause| !model.exprs.is_true(clause.expr));
    for span in justice.map(|clause| clause.span).chain(fairness) {
        let help = "leave it out, and write it as a condition of the properties that need it";
        refused.push(refusal(span, "fairness").help(help));
    }
    for var in &model.vars {
        match var.domain {
            Domain::Clock => refused.push(refusal(var.span, "clocks")),
            Domain::Word { width, .. } if width > MAX_WIDTH => {
                refused.push(refusal(var.span, &format!("words of more than {MAX_WIDTH} bits")));
            }
            _ => {}
        }
    }
}

/// What expressions have that SAL has not.
fn check_expressions(system: &System, refused: &mut Diagnostics) {
    let model = &system.model;
    let mut seen = FxHashSet::default();
    for (root, span) in spans(model) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(what) = unsaid(model, id) {
                refused.push(refusal(span, &what));
            }
            stack.extend(model.exprs.operands(model.exprs.get(id)).as_slice());
        }
    }
}

/// Everything that is printed, with its place.
fn spans(model: &Model) -> Vec<(ExprId, Span)> {
    let mut spans: Vec<(ExprId, Span)> = Vec::new();
    for assign in &model.assigns {
        let span = assign.parts.first().map_or(Span::default(), |part| part.body.span);
        spans.push((assign.expr, span));
    }
    let constraints = model.constraints.iter().map(|it| (it.body.expr, it.body.span));
    spans.extend(constraints);
    spans.extend(model.defines.iter().map(|define| (define.body.expr, define.body.span)));
    for property in &model.properties {
        if let trapline_model::Formula::Holds(clause) = property.formula {
            spans.push((clause.expr, property.span));
        }
    }
    spans
}

/// What a node is if SAL has no form for it.
fn unsaid(model: &Model, id: ExprId) -> Option<String> {
    let exprs = &model.exprs;
    let of_real = |a: ExprId| exprs.ty(a) == Type::Real;
    match (exprs.get(id), exprs.ty(id)) {
        (_, Type::Word { width, .. }) if width > MAX_WIDTH => {
            Some(format!("words of more than {MAX_WIDTH} bits"))
        }
        (Expr::Unary(UnaryOp::Floor, a), _) if of_real(a) => Some("`floor`".into()),
        (Expr::Unary(UnaryOp::Abs, a), _) if of_real(a) => Some("`abs` of a real number".into()),
        (Expr::Binary(BinaryOp::Union, ..), Type::Set(SetOf::Mixed)) => {
            let is_bool = |ty| matches!(ty, Type::Bool | Type::Set(SetOf::Bool));
            let members = exprs.chain(BinaryOp::Union, id);
            let has_bool = members.iter().any(|&member| is_bool(exprs.ty(member)));
            has_bool.then(|| "a set of truth values and others".into())
        }
        _ => None,
    }
}

/// Every expression of a module and its theorems.
fn roots(system: &System, theorems: &[Theorem]) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = Vec::new();
    for (define, used) in system.model.defines.iter().zip(&system.defines) {
        if *used != system::DefineUse::Inlined {
            roots.push(define.body.expr);
        }
    }
    roots.extend(system.definitions.iter().chain(&system.first).map(|&(_, expr)| expr));
    roots.extend(&system.first_guards);
    roots.extend(system.steps.iter().filter_map(|(_, gives)| match gives {
        Gives::Expr(expr) => Some(*expr),
        Gives::Any | Gives::Same => None,
    }));
    for command in &system.commands {
        roots.extend(&command.guards);
        roots.extend(command.gives.iter().map(|&(_, expr)| expr));
    }
    for theorem in theorems {
        match &theorem.says {
            Says::Formula(expr, looked_at) => {
                let exprs = &system.model.exprs;
                let is_atom = |id: &ExprId| {
                    exprs.ty(*id) != Type::Temporal && looked_at.iter().all(|(part, _)| part != id)
                };
                roots.extend(exprs.temporal_parts(*expr).into_iter().filter(is_atom));
            }
            Says::Always(expr) => roots.push(*expr),
            Says::Monitor(_) | Says::LeftOut(_) => {}
        }
    }
    roots
}
