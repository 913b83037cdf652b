//! `value`: every value of every finite variable.

use trapline_model::{Domain, Value, VarId, VarKind, Word, notation};

use super::Criterion;
use crate::builder::{Builder, Notice};
use crate::goal::GoalKind;

/// Every value of every finite variable.
pub const CRITERION: Criterion =
    Criterion { name: "value", about: "every value of every finite variable", add };

fn add(builder: &mut Builder<'_>) {
    for var in builder.vars() {
        let declared = builder.model.var(var).clone();
        let Some(size) = declared.domain.size() else {
            let text = format!("`{}` has no end of values: left out", declared.name);
            builder.leave_out(declared.span, text);
            continue;
        };
        let values: Vec<Value> = if size <= builder.options.limit as u64 {
            (0..size).map(|idx| declared.domain.value(idx)).collect()
        } else {
            let (name, limit) = (&declared.name, builder.options.limit);
            let (first, last) = match declared.domain {
                Domain::Enum(_) => ("first", "last"),
                _ => ("least", "greatest"),
            };
            let text = format!(
                "value: `{name}` has {size} values, more than {limit}: only the {first} and the \
                 {last}"
            );
            builder.notices.push(Notice {
                span: declared.span,
                text,
                is_limit: true,
                is_caveat: false,
            });
            ends(&declared.domain).to_vec()
        };
        for value in values {
            let shown = builder.model.show(value);
            let text = format!("{} = {shown}", declared.name);
            let target = has_value(builder, var, value);
            let key = format!("{}:{}", declared.name, notation::key(&builder.model, value));
            builder.add(&key, text, declared.span, target);
        }
    }
}

/// The least and the greatest value of a large domain.
pub fn ends(domain: &Domain) -> [Value; 2] {
    match domain {
        Domain::Word { signed: true, width } => {
            let least = 1u64 << (width - 1);
            [domain.value(least), domain.value(least - 1)]
        }
        Domain::Word { signed: false, width } => {
            [domain.value(0), domain.value(Word::mask(*width))]
        }
        _ => [domain.value(0), domain.value(domain.size().unwrap_or(1) - 1)],
    }
}

/// That a variable has a value: of a step if it is an input of steps, else of a state.
pub fn has_value(builder: &mut Builder<'_>, var: VarId, value: Value) -> GoalKind {
    let read = builder.model.var_expr(var);
    let expr = builder.model.exprs.has_value(read, value);
    match builder.model.var(var).kind {
        VarKind::Input => GoalKind::Step(expr),
        VarKind::State | VarKind::Frozen => GoalKind::State(expr),
    }
}
