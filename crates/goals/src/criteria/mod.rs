//! The criteria, one file each. A new one is a file and a line in [`CRITERIA`].

mod boundary;
mod branch;
mod branch_pair;
mod condition;
mod decision;
mod mcdc;
mod multi;
pub mod mutation;
mod pair;
mod property;
mod trap;
mod ufp;
mod value;

pub(crate) use value::ends;

use crate::builder::Builder;
use crate::goal::Goal;
use crate::mutate::OPERATORS;

/// A coverage criterion.
#[derive(Clone, Copy, Debug)]
pub struct Criterion {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its goals, in half a sentence.
    pub about: &'static str,
    /// Adds its goals.
    pub add: fn(&mut Builder<'_>),
}

/// All criteria.
pub const CRITERIA: &[Criterion] = &[
    value::CRITERION,
    branch::CRITERION,
    branch_pair::CRITERION,
    decision::CRITERION,
    condition::CRITERION,
    ufp::CRITERION,
    mcdc::UNIQUE,
    mcdc::MASKING,
    mcdc::COUPLED,
    multi::CRITERION,
    pair::CRITERION,
    boundary::CRITERION,
    property::CRITERION,
    mutation::CRITERION,
    trap::CRITERION,
];

/// The criteria whose evaluations of conditions can be required to matter at an output.
pub const OBSERVABLE: &[&str] =
    &["condition", "ufp", "mcdc-unique", "mcdc-masking", "mcdc-coupled"];

/// Other names of criteria.
pub const ALIASES: &[(&str, &str)] = &[("fp", "mcdc-masking")];

/// The goals of one criterion, or of one mutation operator; none for an unknown name.
pub fn goals(builder: &mut Builder<'_>, name: &str) -> Vec<Goal> {
    let Some(criterion) = find(name) else { return Vec::new() };
    let before = std::mem::take(&mut builder.goals);
    builder.criterion =
        if name.contains(':') { name.to_string() } else { criterion.name.to_string() };
    (criterion.add)(builder);
    std::mem::replace(&mut builder.goals, before)
}

/// The criterion with this name, or for a mutation operator.
pub fn find(name: &str) -> Option<&'static Criterion> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| name);
    match name.split_once(':') {
        Some(("mutation", operator)) => {
            let is_known = OPERATORS.iter().any(|known| known.name == operator);
            find("mutation").filter(|_| is_known)
        }
        Some(_) => None,
        None => CRITERIA.iter().find(|criterion| criterion.name == name),
    }
}
