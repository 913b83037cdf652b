//! `variable`: a variable becomes another one of its type; ranges and words stay.

use rustc_hash::FxHashMap;
use trapline_model::{
    DefineId, Domain, Expr, ExprId, Model, OccId, Role, Value, Var, VarId, VarKind,
};

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
    vars: FxHashMap<(Domain, bool, u32), Vec<VarId>>,
    /// The monitors of earlier values: what each delays, and by how many steps.
    delayed: FxHashMap<VarId, (VarId, u32)>,
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
        let delayed = builder.formulas.iter().flat_map(|formulas| &formulas.delays.of);
        kin.delayed = delayed.map(|(monitor, delayed)| (*monitor, *delayed)).collect();
        // Path formulas speak of inputs and outputs, now and earlier.
        let is_inline = builder.formulas.is_some();
        let is_wanted = |var: &Var| is_own(var) && !(is_inline && var.role == Role::Internal);
        let own = model.var_ids().take(n_vars).filter(|(_, var)| is_wanted(var));
        let mut all: Vec<VarId> = own.map(|(id, _)| id).collect();
        let is_shown = |var: VarId| model.var(var).role != Role::Internal;
        let monitors = kin.delayed.iter().filter(|(_, (var, _))| is_shown(*var));
        all.extend(monitors.map(|(monitor, _)| *monitor));
        all.sort_unstable();
        for id in all {
            let key = kin.key(model, id);
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

    /// What variables have in common that can replace each other.
    fn key(&self, model: &Model, var: VarId) -> (Domain, bool, u32) {
        let (var, age) = self.delayed.get(&var).copied().unwrap_or((var, 0));
        let declared = model.var(var);
        (declared.domain.clone(), declared.kind == VarKind::Input, age)
    }

    /// The others of the same type.
    pub fn of(&self, model: &Model, var: VarId) -> Vec<VarId> {
        let all = self.vars.get(&self.key(model, var)).map_or(&[][..], Vec::as_slice);
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
    let is_fixed = scene.tree.role(occ) == super::Role::Fixed;
    if !is_leaf
        || is_fixed
        || !is_wanted(&scene.model.var(var).domain)
        || !may_take(scene.model, var)
    {
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
