//! The dependency graph of a model's variables, its strongly connected sets and instances.
//!
//! [`of`] takes what is to be shown out of the model; each format is a file that shows it.

mod dot;
mod json;
mod picture;
mod svg;
mod table;
mod text;

use std::collections::BTreeSet;

use trapline_model::dependency::{dependencies, support};
use trapline_model::name;
use trapline_model::{Model, Role, VarId, VarKind};
use trapline_source::numbers::counted;

/// A format that graphs are written in.
#[derive(Debug)]
pub struct Format {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// Writes the graph.
    pub write: fn(&Graph, View) -> String,
}

/// All formats, the usual one first.
pub const FORMATS: &[Format] = &[
    Format { name: "text", write: text::write },
    Format { name: "json", write: json::write },
    Format { name: "dot", write: dot::write },
    Format { name: "svg", write: svg::write },
];

/// Which of its sides a graph shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The variables, framed by strongly connected set.
    Variables,
    /// The strongly connected sets alone.
    Sets,
    /// The variables, framed by instance.
    Instances,
}

/// Which variables a graph has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Focus {
    /// All.
    All,
    /// Those with these names and what they depend on.
    DependedOnBy(Vec<String>),
    /// Those with these names and what depends on them.
    DependingOn(Vec<String>),
}

/// A name to focus on that the model does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FocusError {
    /// Nothing has this name.
    #[error("the model has no variable, array, define or instance `{0}`")]
    Unknown(String),
    /// A define has it, and nothing depends on a define.
    #[error("`{0}` is a define: name the variables whose dependents you want")]
    Define(String),
}

/// A dependency graph. Variables and sets are known by their index.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The model's name.
    pub model: String,
    /// The variables, in the model's order.
    pub variables: Vec<Variable>,
    /// The strongly connected sets: what a set depends on comes before it.
    pub components: Vec<Component>,
    /// The module instances that have variables, by name.
    pub instances: Vec<Instance>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its full name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// When it may change.
    pub kind: VarKind,
    /// What it depends on, itself perhaps included.
    pub depends_on: Vec<usize>,
    /// Its strongly connected set.
    pub component: usize,
}

/// A strongly connected set of variables: with its inputs, a subsystem.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its variables.
    pub variables: Vec<usize>,
    /// The variables of other sets that it depends on.
    pub inputs: Vec<usize>,
    /// The sets of its inputs.
    pub depends_on: Vec<usize>,
}

/// A module instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Its full name; empty for the main module.
    pub name: String,
    /// Its own variables, without those of instances in it.
    pub variables: Vec<usize>,
    /// The other instances that it depends on.
    pub depends_on: Vec<usize>,
}

/// The dependency graph of a model, or a part of it.
pub fn of(model: &Model, name: &str, focus: &Focus) -> Result<Graph, FocusError> {
    let dependencies = dependencies(model);
    let is_kept = select(model, &dependencies.on, focus)?;
    let mut new_idx = vec![usize::MAX; model.vars.len()];
    let kept: Vec<usize> = (0..model.vars.len()).filter(|&old| is_kept[old]).collect();
    for (new, &old) in kept.iter().enumerate() {
        new_idx[old] = new;
    }
    let renumber = |vars: &[VarId]| -> Vec<usize> {
        let vars = vars.iter().map(|var| new_idx[var.0 as usize]);
        vars.filter(|&new| new != usize::MAX).collect()
    };
    let variable = |&old: &usize| Variable {
        name: model.vars[old].name.clone(),
        role: model.vars[old].role,
        kind: model.vars[old].kind,
        depends_on: renumber(&dependencies.on[old]),
        component: 0,
    };
    let mut variables: Vec<Variable> = kept.iter().map(variable).collect();
    // A focus keeps a set as a whole or not at all, so sets stay strongly connected.
    let sets: Vec<Vec<usize>> = dependencies
        .components
        .iter()
        .map(|set| renumber(set))
        .filter(|set| !set.is_empty())
        .collect();
    for (component, set) in sets.iter().enumerate() {
        for &variable in set {
            variables[variable].component = component;
        }
    }
    let components = sets.into_iter().map(|set| component(set, &variables)).collect();
    let instances = instances(&variables);
    Ok(Graph { model: name.into(), variables, components, instances })
}

fn component(set: Vec<usize>, variables: &[Variable]) -> Component {
    let own = variables[set[0]].component;
    let read = set.iter().flat_map(|&variable| &variables[variable].depends_on);
    let inputs: BTreeSet<usize> =
        read.copied().filter(|&input| variables[input].component != own).collect();
    let depends_on: BTreeSet<usize> =
        inputs.iter().map(|&input| variables[input].component).collect();
    Component {
        variables: set,
        inputs: inputs.into_iter().collect(),
        depends_on: depends_on.into_iter().collect(),
    }
}

fn instances(variables: &[Variable]) -> Vec<Instance> {
    let names: BTreeSet<&str> = variables
        .iter()
        .map(|variable| name::split_member(&variable.name).0.unwrap_or_default())
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let instance_of: Vec<usize> = variables
        .iter()
        .map(|variable| {
            names.partition_point(|name| {
                *name < name::split_member(&variable.name).0.unwrap_or_default()
            })
        })
        .collect();
    let mut members = vec![Vec::new(); names.len()];
    let mut depends_on = vec![BTreeSet::new(); names.len()];
    for (idx, variable) in variables.iter().enumerate() {
        let own = instance_of[idx];
        members[own].push(idx);
        let read = variable.depends_on.iter().map(|&read| instance_of[read]);
        depends_on[own].extend(read.filter(|&other| other != own));
    }
    names
        .into_iter()
        .zip(members)
        .zip(depends_on)
        .map(|((name, variables), depends_on)| Instance {
            name: name.into(),
            variables,
            depends_on: depends_on.into_iter().collect(),
        })
        .collect()
}

/// Which variables a focus keeps.
fn select(model: &Model, on: &[Vec<VarId>], focus: &Focus) -> Result<Vec<bool>, FocusError> {
    let mut is_kept = vec![*focus == Focus::All; on.len()];
    let mut next = vec![Vec::new(); on.len()];
    let names = match focus {
        Focus::All => return Ok(is_kept),
        Focus::DependedOnBy(names) => {
            for (var, read) in on.iter().enumerate() {
                next[var] = read.iter().map(|read| read.0 as usize).collect();
            }
            names
        }
        Focus::DependingOn(names) => {
            for (var, read) in on.iter().enumerate() {
                for read in read {
                    next[read.0 as usize].push(var);
                }
            }
            names
        }
    };
    for name in names {
        let mut stack = roots(model, name, focus)?;
        while let Some(var) = stack.pop() {
            if !std::mem::replace(&mut is_kept[var], true) {
                stack.extend(&next[var]);
            }
        }
    }
    Ok(is_kept)
}

/// The variables with a name: one, those of an array or an instance, or what a define reads.
fn roots(model: &Model, name: &str, focus: &Focus) -> Result<Vec<usize>, FocusError> {
    let is_meant = |full: &str| name::is_within(full, name);
    let is_named = |&var: &usize| is_meant(&model.vars[var].name);
    let vars: Vec<usize> = (0..model.vars.len()).filter(is_named).collect();
    if !vars.is_empty() {
        return Ok(vars);
    }
    let defines = model.defines.iter().filter(|define| is_meant(&define.name));
    let bodies: Vec<_> = defines.map(|define| define.body.expr).collect();
    match focus {
        _ if bodies.is_empty() => Err(FocusError::Unknown(name.into())),
        Focus::DependingOn(_) => Err(FocusError::Define(name.into())),
        _ => Ok(support(model, bodies).all().iter().map(|var| var.0 as usize).collect()),
    }
}

/// A role's name, as `--input` and the like have it.
fn role_name(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Output => "output",
        Role::Internal => "internal",
    }
}

/// A kind's name.
fn kind_name(kind: VarKind) -> &'static str {
    match kind {
        VarKind::State => "state",
        VarKind::Input => "ivar",
        VarKind::Frozen => "frozen",
    }
}

impl Graph {
    /// How large it is, in words.
    fn summary(&self) -> String {
        let n_edges: usize = self.variables.iter().map(|variable| variable.depends_on.len()).sum();
        let roles: Vec<String> = [Role::Input, Role::Output, Role::Internal]
            .into_iter()
            .map(|role| (role, self.variables.iter().filter(|v| v.role == role).count()))
            .filter(|(_, n)| *n > 0)
            .map(|(role, n)| format!("{n} {}", role_name(role)))
            .collect();
        let roles =
            if roles.is_empty() { String::new() } else { format!(" ({})", roles.join(", ")) };
        format!(
            "{}{roles}, {}, {}",
            counted(self.variables.len(), "variable"),
            counted(n_edges, "dependency"),
            counted(self.components.len(), "strongly connected set"),
        )
    }

    /// The names of some variables.
    fn names<'a>(&'a self, variables: &'a [usize]) -> impl Iterator<Item = &'a str> {
        variables.iter().map(|&variable| self.variables[variable].name.as_str())
    }
}

#[cfg(test)]
mod tests;
