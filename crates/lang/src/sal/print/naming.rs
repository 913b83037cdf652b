//! The names of everything in a context.
//!
//! The order says who keeps a name that several want: the module, variables and definitions, symbols,
//! types, what was added, functions, theorems.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use trapline_model::{Domain, ExprId, Model, Type, VarId};

use super::bounds::of_domain;
use super::enums::{Enums, type_name};
use super::helpers::Helper;
use super::names::Names;
use super::properties::Theorem;
use super::share::Shared;
use super::system::System;
use super::text;

/// The names of everything in a context.
#[derive(Debug)]
pub(super) struct Naming {
    /// The module.
    pub main: String,
    /// What expressions are made of.
    pub names: text::Names,
    /// The types of variables that have a name.
    pub types: FxHashMap<VarId, String>,
    /// The types to be declared, with their definitions.
    pub declared: Vec<(String, String)>,
    /// The monitors.
    pub monitors: Vec<String>,
    /// The theorems.
    pub theorems: Vec<String>,
}

impl Naming {
    /// Names everything; symbols get theirs in `enums`.
    pub fn new(
        system: &System,
        theorems: &[Theorem],
        shared: &Shared,
        enums: &mut Enums,
    ) -> Naming {
        let model = &system.model;
        let mut names = Names::new();
        let main = names.fresh("main");
        let own = model.vars.iter().map(|var| var.name.as_str());
        let defines = model.defines.iter().map(|define| define.name.as_str());
        let mut vars = names.all(own.chain(defines));
        let defines = vars.split_off(model.vars.len());
        let mut types = FxHashMap::default();
        let mut declared = enums.declare(model, &mut names, &vars, &mut types);
        declared.extend(integer_types(model, &mut names, &vars, &mut types));
        let monitors = system.monitors.iter().map(|monitor| names.fresh(&monitor.wanted)).collect();
        let shared = name_shared(model, shared, &mut names);
        let helpers = helpers(model).into_iter().map(|it| (it, names.fresh(&it.wanted())));
        let helpers = helpers.collect();
        let theorems = names.all(theorems.iter().map(|theorem| theorem.wanted.as_str()));
        let bound = system.bound.iter().copied().collect();
        let names = text::Names { vars, defines, bound, shared, helpers };
        Naming { main, names, types, declared, monitors, theorems }
    }
}

/// The names of shared expressions.
fn name_shared(model: &Model, shared: &Shared, names: &mut Names) -> FxHashMap<ExprId, String> {
    let mut named = FxHashMap::default();
    for &id in &shared.states {
        let name = names.fresh("shared");
        if let Some(primed) = model.exprs.known_prime(id) {
            named.insert(primed, format!("{name}'"));
        }
        named.insert(id, name);
    }
    let mut steps: Vec<ExprId> = shared.steps.iter().copied().collect();
    steps.sort_unstable();
    for id in steps {
        named.insert(id, names.fresh("step"));
    }
    named
}

/// The functions that may be needed.
fn helpers(model: &Model) -> Vec<Helper> {
    let mut helpers = vec![Helper::Abs, Helper::Rem];
    let mut widths = BTreeSet::new();
    for idx in 0..model.exprs.len() {
        if let Type::Word { width, .. } = model.exprs.ty(ExprId(idx as u32)) {
            widths.insert(width);
        }
    }
    if !widths.is_empty() {
        helpers.extend([Helper::Modulo, Helper::Floor]);
    }
    let of_width = [
        Helper::Signed as fn(u8) -> Helper,
        Helper::Cut,
        Helper::And,
        Helper::Or,
        Helper::Xor,
        Helper::Power,
    ];
    helpers.extend(widths.iter().flat_map(|&width| of_width.map(|helper| helper(width))));
    helpers
}

/// The types of integers with gaps.
fn integer_types(
    model: &Model,
    names: &mut Names,
    var_names: &[String],
    types: &mut FxHashMap<VarId, String>,
) -> Vec<(String, String)> {
    let mut declared = Vec::new();
    let mut known: FxHashMap<Vec<i64>, String> = FxHashMap::default();
    for (id, var) in model.var_ids() {
        let Domain::Enum(values) = &var.domain else { continue };
        let Some((lo, hi)) = of_domain(&var.domain) else { continue };
        if hi.saturating_sub(lo).saturating_add(1) == values.len() as i64 {
            continue;
        }
        let mut numbers: Vec<i64> = values.iter().filter_map(|value| value.as_int()).collect();
        numbers.sort_unstable();
        let name = known.entry(numbers).or_insert_with_key(|numbers| {
            let wanted = type_name(model, &var.domain, &var_names[id.0 as usize]);
            let name = names.fresh(&wanted);
            let cases: Vec<String> = numbers.iter().map(|number| format!("v = {number}")).collect();
            let definition = format!("{{v: [{lo}..{hi}] | {}}}", cases.join(" OR "));
            declared.push((name.clone(), definition));
            name
        });
        types.insert(id, name.clone());
    }
    declared
}
