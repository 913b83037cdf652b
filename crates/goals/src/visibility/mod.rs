//! Faults that show at the outputs.
//!
//! A black box shows its outputs alone, so a test that only disturbs an internal variable finds nothing
//! (Black, Okun, Yesha, *Testing with Model Checker: Insuring Fault Visibility*, 2002).

mod acting;
mod candidates;
pub mod credit;
mod difference;
pub mod flip;
mod graph;
pub mod inline;
mod judge;
pub mod once;
pub mod product;
pub mod search;
pub mod sets;
pub mod simulate;
pub mod traps;
pub mod tree;
pub mod widen;
pub mod words;

use trapline_engine::Why;
use trapline_model::transform::{Change, Extension};
use trapline_model::{Model, Role, VarKind, roles};
use trapline_source::Span;

use crate::criteria::OBSERVABLE;
use crate::decide::{Verdict, Witness};
use crate::goal::{Goal, GoalKind};

/// Where a fault must show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// In some variable, perhaps not in an output.
    #[default]
    Reflect,
    /// In an output: only the relations of outputs are mutated, with intermediate variables
    /// substituted away.
    Inline,
    /// In an output: the mutant runs beside the model.
    Duplicate,
}

impl Visibility {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Visibility); 3] = [
        ("reflect", Visibility::Reflect),
        ("inline", Visibility::Inline),
        ("duplicate", Visibility::Duplicate),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Visibility::ALL.into_iter().find(|(_, it)| *it == self).map_or("", |(name, _)| name)
    }

    /// The one with a name.
    pub fn named(wanted: &str) -> Option<Visibility> {
        Visibility::ALL.into_iter().find(|(name, _)| *name == wanted).map(|(_, it)| it)
    }
}

/// What goals demand of tests that their ids do not say. A proof that nothing meets a goal counts only for
/// the same demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Where a mutant must show.
    pub visibility: Visibility,
    /// True if an evaluation of a condition must show at an output.
    pub observable: bool,
}

impl Demand {
    /// The part of it that the goals of a criterion, or of a product of criteria, know of.
    pub fn about(self, criterion: &str) -> Demand {
        let factors = || criterion.split('*');
        let has_mutants = factors().any(|name| name.starts_with("mutation"));
        let has_conditions = factors().any(|name| OBSERVABLE.contains(&name));
        Demand {
            visibility: if has_mutants { self.visibility } else { Visibility::default() },
            observable: self.observable && has_conditions,
        }
    }

    /// The part of it that some of these goals know of.
    pub fn of_goals(self, goals: &[Goal]) -> Demand {
        goals.iter().fold(Demand::default(), |known, goal| {
            let Demand { visibility, observable } = self.about(&goal.criterion);
            Demand {
                visibility: match known.visibility {
                    Visibility::Reflect => visibility,
                    known => known,
                },
                observable: known.observable || observable,
            }
        })
    }
}

/// A change of the model that a test is to show at the outputs.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Where the changed model first differs from the model in any way.
    pub when: GoalKind,
    /// The change.
    pub change: Change,
    /// Does the change last? Otherwise it counts once, where `when` holds.
    pub is_lasting: bool,
}

/// The model as something to be implemented: without monitors, and without purposes, which restrict
/// tests. The timing of inputs is that of the model, whatever a mutant reads.
pub fn implementation(model: &Extension) -> Model {
    let own = model.own();
    let mut model = Model::clone(model);
    model.vars.truncate(own.vars);
    model.assigns.truncate(own.assigns);
    model.constraints.truncate(own.constraints);
    model.constraints.retain(|constraint| constraint.body.span != Span::default());
    let timings = roles::timings(&model);
    for (var, timing) in model.vars.iter_mut().zip(timings) {
        if var.role == Role::Input && var.kind == VarKind::State {
            var.timing = Some(timing);
        }
    }
    model
}

/// What was found out about a fault.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A test surely shows it.
    Shown(Witness),
    /// Whether a test shows it depends on choices of the copy; none was found that surely does.
    MayBeShown(String),
    /// No run of the copy shows what the model does not allow, and the proof.
    Conforming(String),
    /// The same, and it shows all that the model allows.
    Equivalent(String),
    /// Undecided.
    Unknown(Why),
}

impl Finding {
    /// The verdict on the goal to show a fault.
    pub fn verdict(self, fault: &Fault) -> Verdict {
        match self {
            Finding::Shown(witness) => Verdict::Covered(vec![witness]),
            Finding::MayBeShown(how) => Verdict::MayKill(how),
            Finding::Conforming(proof) | Finding::Equivalent(proof) if !fault.is_lasting => {
                Verdict::Infeasible(proof)
            }
            Finding::Conforming(proof) => Verdict::Infeasible(format!("conforming: {proof}")),
            Finding::Equivalent(proof) => {
                Verdict::Infeasible(format!("equivalent at the outputs: {proof}"))
            }
            Finding::Unknown(why) => Verdict::Unknown(why),
        }
    }
}
