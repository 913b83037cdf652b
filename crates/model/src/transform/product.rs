//! Two models side by side.
//!
//! They move in step and agree on the variables that they share: a path of the product is a path
//! of each, and two paths that agree on what is shared are one of the product. So a mutant can run
//! beside the model on the same inputs, or a system beside its environment.

use rustc_hash::FxHashMap;

use super::import::{self, Import};
use super::lift::{Column, Lift};
use crate::expr::VarId;
use crate::model::{
    Array, Assign, AssignKind, AssignPart, Constraint, Formula, Model, Property, Selector, Var,
};
use crate::types::Domain;
use crate::value::Value;

/// Two models as one.
#[derive(Clone, Debug)]
pub struct Product {
    /// The first model, and behind it what the second has besides. Sites and occurrences are those
    /// of the first.
    pub model: Model,
    /// Where each variable of the second model is.
    pub second: Vec<VarId>,
    /// The lifts to the first model and to the second.
    pub back: [Lift; 2],
}

/// Why two models can't share a variable, which is that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// It may change at other times in the second.
    Kind(VarId),
    /// It has other values in the second.
    Domain(VarId),
    /// Both determine it.
    AssignedTwice(VarId),
}

/// The product of two models with shared variables, each given by its ids in both. What else the
/// second has gets its name there behind that of an instance, which is made fresh.
///
/// # Errors
/// When a variable can't be shared.
pub fn product(
    first: &Model,
    second: &Model,
    shared: &[(VarId, VarId)],
    instance: &str,
) -> Result<Product, Clash> {
    let mut model = first.clone();
    let instance = model.fresh_name(instance);
    let shared: FxHashMap<VarId, VarId> = shared.iter().map(|&(own, other)| (other, own)).collect();
    let mut vars = Vec::with_capacity(second.vars.len());
    for (id, var) in second.var_ids() {
        let domain = import::domain(second, &mut model, &var.domain);
        vars.push(match shared.get(&id) {
            Some(&own) => {
                check(first, own, second, id, &domain)?;
                own
            }
            None => {
                let name = format!("{instance}.{}", var.name);
                model.declare(Var { name, domain, ..var.clone() })
            }
        });
    }
    let columns = second.var_ids().zip(&vars);
    let columns = columns.map(|((_, var), &source)| column(second, &mut model, var, source));
    let back = [Lift::First(first.vars.len()), Lift::Columns(columns.collect())];
    add_arrays(&mut model, second, &vars, &instance);
    let name = |name: &str| format!("{instance}.{name}");
    let import = Import::new(second, vars.clone(), &mut model, name);
    add_rules(&mut model, second, import, &instance);
    Ok(Product { model, second: vars, back })
}

/// Can these be one variable?
fn check(
    first: &Model,
    own: VarId,
    second: &Model,
    other: VarId,
    domain: &Domain,
) -> Result<(), Clash> {
    let (declared, theirs) = (first.var(own), second.var(other));
    if declared.kind != theirs.kind {
        return Err(Clash::Kind(own));
    }
    let is_same = match (&declared.domain, domain) {
        (Domain::Enum(a), Domain::Enum(b)) => {
            a.len() == b.len() && a.iter().all(|value| b.contains(value))
        }
        (a, b) => a == b,
    };
    if !is_same {
        return Err(Clash::Domain(own));
    }
    let kinds = |model: &Model, var: VarId| -> Vec<AssignKind> {
        model.assigns.iter().filter(|a| a.var == var).map(|a| a.kind).collect()
    };
    let theirs = kinds(second, other);
    let is_twice = |kind: AssignKind| {
        theirs.iter().any(|&other| kind == other || [kind, other].contains(&AssignKind::Current))
    };
    match kinds(first, own).into_iter().any(is_twice) {
        true => Err(Clash::AssignedTwice(own)),
        false => Ok(()),
    }
}

/// Where a variable of the second model has its value, with the second model's symbols.
fn column(second: &Model, model: &mut Model, var: &Var, source: VarId) -> Column {
    let mut values: FxHashMap<Value, Value> = FxHashMap::default();
    if let Domain::Enum(members) = &var.domain {
        values.extend(members.iter().map(|&own| (import::value(second, model, own), own)));
        values.retain(|new, own| new != own);
    }
    Column { source, values }
}

/// The second model's arrays that share no element, under their new names.
fn add_arrays(model: &mut Model, second: &Model, vars: &[VarId], instance: &str) {
    for array in &second.arrays {
        let own = &vars[array.elements.start as usize..array.elements.end as usize];
        let Some(&VarId(first)) = own.first() else { continue };
        if own.iter().enumerate().all(|(idx, var)| var.0 == first + idx as u32) {
            let elements = first..first + own.len() as u32;
            let name = format!("{instance}.{}", array.name);
            model.arrays.push(Array { name, dims: array.dims.clone(), elements });
        }
    }
    let offset = model.defines.len() as u32;
    for array in &second.define_arrays {
        let elements = array.elements.start + offset..array.elements.end + offset;
        let name = format!("{instance}.{}", array.name);
        model.define_arrays.push(Array { name, dims: array.dims.clone(), elements });
    }
}

/// Adds the rules of the second model.
fn add_rules(model: &mut Model, second: &Model, mut import: Import<'_>, instance: &str) {
    for assign in &second.assigns {
        let (kind, var) = (assign.kind, import.var(assign.var));
        let expr = import.expr(model, assign.expr);
        let parts = assign.parts.iter().map(|part| AssignPart {
            body: import.clause(model, part.body),
            when: part.when.map(|when| import.expr(model, when)),
            target_span: part.target_span,
        });
        let parts = parts.collect();
        model.assigns.push(Assign { kind, var, expr, parts });
    }
    for constraint in &second.constraints {
        let body = import.clause(model, constraint.body);
        model.constraints.push(Constraint { kind: constraint.kind, body });
    }
    for &clause in &second.justice {
        let clause = import.clause(model, clause);
        model.justice.push(clause);
    }
    for &(p, q) in &second.compassion {
        let pair = (import.clause(model, p), import.clause(model, q));
        model.compassion.push(pair);
    }
    for property in &second.properties {
        let formula = match property.formula {
            Formula::Holds(clause) => Formula::Holds(import.clause(model, clause)),
            Formula::Min(p, q) => Formula::Min(import.clause(model, p), import.clause(model, q)),
            Formula::Max(p, q) => Formula::Max(import.clause(model, p), import.clause(model, q)),
            Formula::Unsupported(what) => Formula::Unsupported(what),
        };
        let name = property.name.as_ref().map(|name| format!("{instance}.{name}"));
        let instance = Some(match &property.instance {
            Some(inner) => format!("{instance}.{inner}"),
            None => instance.to_string(),
        });
        let (kind, span) = (property.kind, property.span);
        model.properties.push(Property { kind, name, formula, instance, span });
    }
    for selector in &second.selectors {
        let var = import.var(selector.var);
        if !model.is_selector(var) {
            model.selectors.push(Selector { var, ..*selector });
        }
    }
}
