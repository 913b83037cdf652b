//! What is added to a model: variables that watch it and change nothing, and constraints.

use trapline_model::{
    Assign, AssignKind, AssignPart, Clause, Constraint, ConstraintKind, Domain, ExprId, Model,
    Role, Var, VarId, VarKind,
};
use trapline_source::Span;

/// A name that begins like this and that nothing has.
pub fn fresh_name(model: &Model, wanted: &str) -> String {
    let base: String =
        wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let is_free = |name: &str| {
        let used = |other: &str| other.split(['.', '[']).next() == Some(name);
        !model.vars.iter().any(|var| used(&var.name))
            && !model.defines.iter().any(|define| used(&define.name))
            && model.symbols.find(name).is_none()
    };
    let mut name = base.clone();
    // Every variable that watches makes the next number larger, so that few are tried.
    let mut number = model.vars.len();
    while !is_free(&name) {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

/// Adds a constraint that nobody wrote.
pub fn constrain(model: &mut Model, kind: ConstraintKind, expr: ExprId) {
    let body = Clause { expr, occ: None, span: Span::default() };
    model.constraints.push(Constraint { kind, body });
}

/// Adds a variable with a first value and a value after each step.
pub fn add(
    model: &mut Model,
    name: &str,
    domain: Domain,
    span: Span,
    values: impl FnOnce(&mut Model, ExprId) -> (ExprId, ExprId),
) -> VarId {
    let name = fresh_name(model, name);
    let var = VarId(model.vars.len() as u32);
    model.vars.push(Var {
        name,
        kind: VarKind::State,
        domain,
        role: Role::Internal,
        timing: None,
        span,
    });
    let read = model.var_expr(var);
    let (first, next) = values(model, read);
    for (kind, expr) in [(AssignKind::Init, first), (AssignKind::Next, next)] {
        let body = Clause { expr, occ: None, span };
        let part = AssignPart { body, when: None, target_span: span };
        model.assigns.push(Assign { kind, var, expr, parts: vec![part] });
    }
    var
}
