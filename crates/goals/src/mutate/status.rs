//! What becomes of each mutant: killable, equivalent, excluded only, invalid.

use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Engine};
use trapline_model::trace::Trace;
use trapline_model::{AssignKind, Model, VarId, dependency};

use super::excluded::{Excluded, excluded};
use super::subject::SubjectKind;
use super::{Mutant, Mutants};
use crate::builder::GoalSet;
use crate::decide::{Verdict, decide};

/// What becomes of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Some test kills it.
    Killable,
    /// No test can tell it from the model.
    Equivalent,
    /// It forbids nothing that the model allows, but allows more: the last state of this trace,
    /// or the step to it.
    ExcludedOnly(Trace),
    /// It is no model: a variable would depend on itself.
    Invalid(String),
    /// It is not known, and why.
    Unknown(String),
}

impl Status {
    /// A word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Status::Killable => "killable",
            Status::Equivalent => "equivalent",
            Status::ExcludedOnly(_) => "excluded only",
            Status::Invalid(_) => "invalid",
            Status::Unknown(_) => "unknown",
        }
    }
}

/// The status of every mutant; the goals of the set are theirs, in order.
pub fn statuses(
    set: &GoalSet,
    mutants: &Mutants,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Vec<Status> {
    let decided = decide(set, engine, budget);
    let circles = Circles::new(&set.model);
    let mut statuses: Vec<Status> = Vec::with_capacity(mutants.list.len());
    let mut open = Vec::new();
    for (idx, (mutant, verdict)) in mutants.list.iter().zip(decided.verdicts).enumerate() {
        let circle = circles.made_by(&set.model, mutants, mutant);
        statuses.push(match (circle, verdict) {
            (Some(name), _) => Status::Invalid(format!("{name} would depend on itself")),
            (None, Verdict::Covered(_)) => Status::Killable,
            (None, Verdict::Unknown(why)) => Status::Unknown(why),
            (None, Verdict::Infeasible(_)) => {
                let kind = mutants.subjects[mutant.subject].kind;
                if matches!(kind, SubjectKind::Assign(..) | SubjectKind::Constraint(_)) {
                    open.push(idx);
                }
                Status::Equivalent
            }
        });
    }
    if !open.is_empty() {
        let found = excluded(&set.model, mutants, &open, engine, budget);
        for (idx, found) in open.into_iter().zip(found) {
            statuses[idx] = match found {
                Excluded::Allows(trace) => Status::ExcludedOnly(trace),
                Excluded::Nothing => Status::Equivalent,
                Excluded::Unknown(why) => Status::Unknown(why),
            };
        }
    }
    statuses
}

/// What depends on what at the same time: values of one state on each other.
struct Circles {
    /// For each variable those that its value is made of, if it is assigned in every state.
    current: Vec<Vec<VarId>>,
    /// The same for its next value.
    next: Vec<Vec<VarId>>,
}

impl Circles {
    fn new(model: &Model) -> Circles {
        let mut current = vec![Vec::new(); model.vars.len()];
        let mut next = vec![Vec::new(); model.vars.len()];
        for assign in &model.assigns {
            let support = dependency::support(model, [assign.expr]);
            let idx = assign.var.0 as usize;
            match assign.kind {
                AssignKind::Next => next[idx].extend(support.next.iter().copied()),
                AssignKind::Current => {
                    current[idx].extend(support.current.iter().copied());
                    next[idx].extend(support.current.iter().copied());
                }
                AssignKind::Init => {}
            }
        }
        Circles { current, next }
    }

    /// The variable that would depend on itself.
    fn made_by(&self, model: &Model, mutants: &Mutants, mutant: &Mutant) -> Option<String> {
        let subject = &mutants.subjects[mutant.subject];
        let SubjectKind::Assign(kind, var) = subject.kind else { return None };
        // The model has no circle, so that a new one goes through what is new.
        let read = dependency::support(model, [mutant.new]);
        let (read, arrows) = match kind {
            AssignKind::Next => (read.next.to_vec(), &self.next),
            AssignKind::Current => (read.current.to_vec(), &self.current),
            AssignKind::Init => return None,
        };
        let mut stack: Vec<VarId> = read;
        let mut seen = FxHashSet::default();
        while let Some(other) = stack.pop() {
            if other == var {
                return Some(model.var(var).name.clone());
            }
            if seen.insert(other) {
                stack.extend(&arrows[other.0 as usize]);
            }
        }
        None
    }
}
