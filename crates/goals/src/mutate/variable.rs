//! `variable`: a variable becomes another one of its type; ranges and words stay.

use rustc_hash::FxHashMap;
use trapline_model::{DefineId, Domain, Expr, ExprId, Model, OccId, Value, Var, VarId, VarKind};

use super::{Operator, Rewrite, Scene};
use crate::builder::Builder;
use crate::site_name::is_inside;

/// A variable becomes another one of its type.
pub const OPERATOR: Operator = Operator {
    name: "variable",
    about: "a Boolean or enumerated variable becomes another one of its type",
    is_usual: true,
    changes,
};

/// Which variables can replace which.
#[derive(Debug, Default)]
pub struct Kin {
    /// Variables by their domain, those of steps apart.
    vars: FxHashMap<(Domain, bool), Vec<VarId>>,
    /// The numeric defines, in this state; each can replace every other.
    pub numbers: Vec<ExprId>,
}

impl Kin {
    /// The variables and defines of a model, without those that watch it.
    pub fn new(builder: &mut Builder<'_>) -> Kin {
        let (options, n_vars, model) =
            (builder.options, builder.model.own().vars, &mut builder.model);
        let is_own = |var: &Var| !options.hidden.iter().any(|span| is_inside(var.span, *span));
        let mut kin = Kin::default();
        for (id, var) in model.var_ids().take(n_vars).filter(|(_, var)| is_own(var)) {
            let key = (var.domain.clone(), var.kind == VarKind::Input);
            kin.vars.entry(key).or_default().push(id);
        }
        let is_number = |id| matches!(model.exprs.as_const(id), Some(Value::Int(_)));
        let defines = model.defines.iter().enumerate();
        let numbers: Vec<usize> =
            defines.filter(|(_, d)| is_number(d.body.expr)).map(|(idx, _)| idx).collect();
        for idx in numbers {
            kin.numbers.push(model.define_expr(DefineId(idx as u32)));
        }
        kin
    }

    /// The others of the same type.
    pub fn of(&self, model: &Model, var: VarId) -> Vec<VarId> {
        let declared = model.var(var);
        let key = (declared.domain.clone(), declared.kind == VarKind::Input);
        let all = self.vars.get(&key).map_or(&[][..], Vec::as_slice);
        all.iter().copied().filter(|&other| other != var).collect()
    }
}

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let is_enumerated = |domain: &Domain| matches!(domain, Domain::Enum(_) | Domain::Bool);
    exchange(scene, occ, is_enumerated, |_, _| true);
}

/// A variable of a selected domain is replaced by each other selected one of its type.
pub fn exchange(
    scene: &mut Scene<'_>,
    occ: OccId,
    is_wanted: impl Fn(&Domain) -> bool,
    may_take: impl Fn(&Model, VarId) -> bool,
) {
    let occurrence = scene.model.occurrences.get(occ);
    let (var, is_next) = match scene.model.exprs.get(occurrence.expr) {
        Expr::Var(var) => (var, false),
        Expr::Next(var) => (var, true),
        _ => return,
    };
    let is_leaf = occurrence.shape == trapline_model::Shape::Leaf;
    if !is_leaf || !is_wanted(&scene.model.var(var).domain) || !may_take(scene.model, var) {
        return;
    }
    for other in scene.kin.of(scene.model, var) {
        if may_take(scene.model, other) {
            let read = scene.model.var_expr(other);
            let read = if is_next { scene.model.exprs.prime(read) } else { read };
            scene.becomes(occ, Rewrite::Name, read);
        }
    }
}
