//! Derives test goals from a model.
//!
//! A criterion is a file under `criteria` and a line in [`CRITERIA`]; a mutation operator is a
//! file under `mutate` and a line in [`mutate::OPERATORS`]. Both read the model as its author
//! wrote it: sites and occurrences, never the transition relation.

pub mod builder;
pub mod criteria;
pub mod decide;
pub mod decision;
pub mod defined;
pub mod expound;
pub mod goal;
pub mod latch;
pub mod lint;
pub mod mutate;
pub mod pairs;
pub mod product;
pub mod reflect;
pub mod sent;
pub mod site_name;
pub mod subgoals;
pub mod total;
pub mod traps;
pub mod visibility;
pub mod winnow;

pub use builder::{Builder, GoalSet, Mutate, Notice, Options, Trap};
pub use criteria::{ALIASES, CRITERIA, Criterion};
pub use goal::{Goal, GoalKind, Pair, Reading};
pub use visibility::{Demand, Fault, Visibility};

use trapline_engine::{Budget, Why};
use trapline_model::Model;

/// The goals that criteria derive from a model. A criterion goes by its name; `mutation:x` is one
/// operator. Unknown names derive nothing: see [`criteria::find`].
pub fn derive(model: &Model, names: &[&str], options: &Options) -> GoalSet {
    derive_in(Builder::new(model.clone(), options), names).0
}

/// The same under the time and memory limits and the interruption of a budget. Also returns why
/// goals are missing, if any are.
pub fn derive_within(
    model: &Model,
    names: &[&str],
    options: &Options,
    budget: &Budget<'_>,
) -> (GoalSet, Option<Why>) {
    derive_in(Builder::new(model.clone(), options).within(budget), names)
}

fn derive_in(mut builder: Builder<'_>, names: &[&str]) -> (GoalSet, Option<Why>) {
    for name in names {
        let goals = criteria::goals(&mut builder, name);
        builder.goals.extend(goals);
    }
    for (left, right) in &builder.options.products {
        product::add(&mut builder, left, right);
    }
    let Builder { model, goals, points, mutants, faults, notices, cut, .. } = builder;
    let points = points.unwrap_or_default();
    (GoalSet { model, goals, points, mutants, faults, notices }, cut)
}
