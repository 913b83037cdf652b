//! Variables that the others of the same state determine: `x := e`. They need no bits of their
//! own, and nothing has to be found out about how they change.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::dependency::support;
use trapline_model::{AssignKind, ExprId, Model, VarId, VarKind};

use crate::code::{Coder, Compiled};
use crate::plain::is_within;

/// These variables with what they are, in an order in which each reads only what is known.
pub fn derived(model: &Model, kept: &[VarId]) -> Vec<(VarId, ExprId)> {
    let mut coder = Coder::new(model);
    let mut waiting: FxHashMap<VarId, (ExprId, Vec<VarId>)> = FxHashMap::default();
    for assign in &model.assigns {
        let declared = model.var(assign.var);
        let is_derived = assign.kind == AssignKind::Current
            && declared.kind == VarKind::State
            && kept.binary_search(&assign.var).is_ok()
            && is_within(model, assign.expr, &declared.domain)
            && has_value(&mut coder, assign.expr);
        if is_derived {
            let reads = support(model, [assign.expr]).current;
            waiting.insert(assign.var, (assign.expr, reads));
        }
    }
    in_order(kept, waiting)
}

/// Is there always one value?
fn has_value(coder: &mut Coder, expr: ExprId) -> bool {
    let code = coder.compile(expr, false);
    code.is_ok_and(|code| {
        matches!(code.value, Compiled::One(_)) && coder.as_const(code.fails) == Some(0)
    })
}

/// What is in a circle is left out.
fn in_order(
    kept: &[VarId],
    waiting: FxHashMap<VarId, (ExprId, Vec<VarId>)>,
) -> Vec<(VarId, ExprId)> {
    let mut order = Vec::new();
    let mut stack: Vec<(VarId, bool)> = kept.iter().rev().map(|&var| (var, false)).collect();
    let (mut begun, mut done) = (FxHashSet::default(), FxHashSet::default());
    while let Some((var, is_read)) = stack.pop() {
        let Some((expr, reads)) = waiting.get(&var) else { continue };
        if !is_read {
            if begun.insert(var) {
                stack.push((var, true));
                stack.extend(reads.iter().map(|&read| (read, false)));
            }
        } else if reads.iter().all(|read| !waiting.contains_key(read) || done.contains(read)) {
            done.insert(var);
            order.push((var, *expr));
        }
    }
    order
}
