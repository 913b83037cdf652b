//! `pair`: transition pairs of each enumerated variable.
//!
//! `x = a`, then `x = b`, then `x = c`, in consecutive states. If `x` may stay at `b`, a monitor
//! variable that remembers the last other value of `x` is added; it starts with the value of `x`,
//! which means that there was none.

use trapline_model::{Domain, Expr, ExprId, Value, Var, VarId, VarKind, notation};

use super::Criterion;
use crate::builder::Builder;
use crate::goal::GoalKind;

/// Transition pairs of each enumerated variable.
pub const CRITERION: Criterion = Criterion {
    name: "pair",
    about: "every three values of an enumerated variable in consecutive states",
    add,
};

fn add(builder: &mut Builder<'_>) {
    for var in builder.vars() {
        let declared = builder.model.var(var).clone();
        let is_enumerated = matches!(declared.domain, Domain::Enum(_) | Domain::Bool);
        if !is_enumerated || declared.kind != VarKind::State {
            continue;
        }
        let n_values = declared.domain.size().unwrap_or(0) as usize;
        let n_others = if builder.options.self_loops { n_values } else { n_values - 1 };
        let n_goals = n_values.saturating_mul(n_others).saturating_mul(n_others);
        if n_goals > builder.options.limit {
            builder.exceed(declared.span, &format!("`{}`", declared.name), n_goals);
            continue;
        }
        let values = values(&declared.domain);
        let is_wanted = |a: &Value, b: &Value| builder.options.self_loops || a != b;
        let mut triples = Vec::with_capacity(n_goals);
        for first in &values {
            for middle in values.iter().filter(|middle| is_wanted(first, middle)) {
                let lasts = values.iter().filter(|last| is_wanted(middle, last));
                triples.extend(lasts.map(|last| [*first, *middle, *last]));
            }
        }
        let watcher = builder.options.staying.then(|| watch(builder, var, &declared));
        for triple in triples {
            triple_goal(builder, var, watcher, triple);
        }
    }
}

fn values(domain: &Domain) -> Vec<Value> {
    (0..domain.size().unwrap_or(0)).map(|idx| domain.value(idx)).collect()
}

fn triple_goal(
    builder: &mut Builder<'_>,
    var: VarId,
    watcher: Option<VarId>,
    [first, middle, last]: [Value; 3],
) {
    let declared = builder.model.var(var).clone();
    let (read, next) = both(builder, var);
    let exprs = &mut builder.model.exprs;
    let at_middle = exprs.has_value(read, middle);
    let to_last = exprs.has_value(next, last);
    let leave = exprs.and(at_middle, to_last);
    // With a loop of its own there is nothing to stay for.
    let is_loop = first == middle || middle == last;
    let (target, how) = match watcher {
        Some(watcher) if !is_loop => {
            let came_from = builder.model.var_expr(watcher);
            let exprs = &mut builder.model.exprs;
            let came = exprs.has_value(came_from, first);
            (GoalKind::Step(exprs.and(came, leave)), " for a while")
        }
        _ => {
            let at_first = exprs.has_value(read, first);
            (GoalKind::Steps(vec![at_first, leave]), "")
        }
    };
    let (name, model, values) = (&declared.name, &builder.model, [first, middle, last]);
    let keys = values.map(|value| notation::key(model, value));
    let [first, middle, last] = values.map(|value| model.show(value));
    let text = format!("{name} is {first}, then {middle}{how}, then {last}");
    builder.add(&format!("{name}:{}", keys.join(":")), text, declared.span, target);
}

/// The variable in the current and in the next state.
fn both(builder: &mut Builder<'_>, var: VarId) -> (ExprId, ExprId) {
    let read = builder.model.var_expr(var);
    (read, builder.model.exprs.prime(read))
}

/// Adds the monitor of the last other value.
fn watch(builder: &mut Builder<'_>, var: VarId, declared: &Var) -> VarId {
    let (read, next) = both(builder, var);
    let (name, domain) = (format!("__last_{}", declared.name), declared.domain.clone());
    builder.model.add_monitor(&name, domain, declared.span, |model, stored| {
        let stays = model.exprs.is_given(next, read);
        (read, model.exprs.add(Expr::Ite(stays, stored, read)))
    })
}
