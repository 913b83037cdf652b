//! What becomes of each mutant: killable, equivalent, excluded only, invalid.

use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Engine, Start, Verdict as Found};
use trapline_model::dependency::Support;
use trapline_model::trace::Trace;
use trapline_model::transform::cut::without_rules;
use trapline_model::{AssignKind, DefineId, Expr, ExprId, Model, VarId, dependency, goal};

use super::excluded::{Excluded, excluded};
use super::subject::SubjectKind;
use super::{Mutant, Mutants};
use crate::builder::GoalSet;
use crate::decide::{Verdict, decide};
use crate::goal::GoalKind;
use crate::subgoals::Subgoals;
use crate::visibility::Finding;
use crate::visibility::search::search;

/// What becomes of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Some test kills it.
    Killable,
    /// With duplication: some test surely catches it.
    Killed,
    /// With duplication: whether a test catches it depends on its choices, and how.
    MayKill(String),
    /// With duplication: no run of it shows anything that the model does not allow, and the proof.
    Conforming(String),
    /// The same, and it shows all that the model allows.
    EquivalentAtOutputs(String),
    /// No test can distinguish it from the model.
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
            Status::Killed => "killed",
            Status::MayKill(_) => "may be killed",
            Status::Conforming(_) => "conforming",
            Status::EquivalentAtOutputs(_) => "equivalent at the outputs",
            Status::Equivalent => "equivalent",
            Status::ExcludedOnly(_) => "excluded only",
            Status::Invalid(_) => "invalid",
            Status::Unknown(_) => "unknown",
        }
    }
}

impl Status {
    /// How it was found out, or why it was not.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Status::Killable | Status::Killed | Status::Equivalent | Status::ExcludedOnly(_) => {
                None
            }
            Status::MayKill(why) | Status::Conforming(why) | Status::EquivalentAtOutputs(why) => {
                Some(why)
            }
            Status::Invalid(why) | Status::Unknown(why) => Some(why),
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
    if !set.faults.is_empty() {
        return statuses_at_outputs(set, mutants, engine, budget);
    }
    let decided = decide(set, engine, budget);
    let circles = Circles::new(&set.model);
    let mut statuses: Vec<Status> = Vec::with_capacity(mutants.list.len());
    let (mut open, mut used) = (Vec::new(), Vec::new());
    for (idx, (mutant, verdict)) in mutants.list.iter().zip(decided.verdicts).enumerate() {
        let circle = circles.made_by(&set.model, mutants, mutant);
        statuses.push(match (circle, verdict) {
            (Some(name), _) => Status::Invalid(circular(&name)),
            (None, Verdict::Covered(_)) => Status::Killable,
            (None, Verdict::MayKill(how)) => Status::MayKill(how),
            (None, Verdict::Unknown(why)) => Status::Unknown(why.to_string()),
            (None, Verdict::Infeasible(_)) => {
                match mutants.subjects[mutant.subject].kind {
                    SubjectKind::Assign(..)
                    | SubjectKind::Constraint(_)
                    | SubjectKind::Group(..) => open.push(idx),
                    SubjectKind::Define(id) if is_used(&set.model, id) => used.push(idx),
                    SubjectKind::Define(_) | SubjectKind::Property(_) => {}
                    // What else it allows would be other outputs, which other formulas forbid.
                    SubjectKind::Formula(_) => {}
                }
                Status::Equivalent
            }
        });
    }
    for idx in differing(set, used, engine, budget) {
        let why = "it is used elsewhere, and whether it allows more there is not looked into";
        statuses[idx] = Status::Unknown(why.into());
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

/// The same where mutants must show at the outputs.
fn statuses_at_outputs(
    set: &GoalSet,
    mutants: &Mutants,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Vec<Status> {
    let invalid = invalid(&set.model, mutants);
    let subgoals = Subgoals::new(set, budget);
    let asked: Vec<usize> = (0..invalid.len()).filter(|&idx| invalid[idx].is_none()).collect();
    let found = search(&subgoals, &asked, engine, budget, &mut Vec::new());
    let mut statuses: Vec<Status> =
        invalid.into_iter().map(|why| Status::Invalid(why.unwrap_or_default())).collect();
    for (idx, finding) in asked.into_iter().zip(found) {
        statuses[idx] = match finding {
            Finding::Shown(_) => Status::Killed,
            Finding::MayBeShown(how) => Status::MayKill(how),
            Finding::Conforming(proof) => Status::Conforming(proof),
            Finding::Equivalent(proof) => Status::EquivalentAtOutputs(proof),
            Finding::Unknown(why) => Status::Unknown(why.to_string()),
        };
    }
    statuses
}

/// Why each mutant is no model, if it is none: something would depend on itself.
pub fn invalid(model: &Model, mutants: &Mutants) -> Vec<Option<String>> {
    let circles = Circles::new(model);
    let list = mutants.list.iter();
    list.map(|mutant| circles.made_by(model, mutants, mutant).map(|name| circular(&name))).collect()
}

fn circular(name: &str) -> String {
    format!("{name} would depend on itself")
}

/// Drops the mutants that are no models: no test can say anything about them.
pub fn drop_invalid(model: &Model, mutants: &mut Mutants) {
    let mut invalid = invalid(model, mutants).into_iter();
    mutants.list.retain(|_| invalid.next().flatten().is_none());
}

/// Does an assignment or a constraint read a define, perhaps through others?
fn is_used(model: &Model, define: DefineId) -> bool {
    let assigns = model.assigns.iter().map(|assign| assign.expr);
    let rules = assigns.chain(model.constraints.iter().map(|constraint| constraint.body.expr));
    reads_define(model, rules.collect(), define)
}

fn reads_define(model: &Model, mut stack: Vec<ExprId>, define: DefineId) -> bool {
    let mut seen = FxHashSet::default();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match model.exprs.get(id) {
            Expr::Define(read) | Expr::NextDefine(read) if read == define => return true,
            Expr::Define(read) | Expr::NextDefine(read) => {
                stack.push(model.define(read).body.expr);
            }
            expr => stack.extend(model.exprs.operands(expr).as_slice()),
        }
    }
    false
}

/// The mutants among these that differ from the model in some state or step of the types.
fn differing(
    set: &GoalSet,
    mutants: Vec<usize>,
    engine: &Engine,
    budget: &Budget<'_>,
) -> Vec<usize> {
    let free = without_rules(&set.model);
    let targets: Vec<goal::Target> = mutants
        .iter()
        .filter_map(|&idx| match set.goals[idx].kind {
            GoalKind::State(expr) => Some(goal::Target::State(expr)),
            GoalKind::Step(expr) => Some(goal::Target::Step(expr)),
            _ => None,
        })
        .collect();
    if targets.is_empty() || targets.len() != mutants.len() {
        return mutants;
    }
    let found = (engine.reach)(&free, &targets, &Start::Initial, budget);
    let pairs = mutants.into_iter().zip(found.verdicts);
    pairs.filter(|(_, found)| !matches!(found, Found::Unreachable(_))).map(|(idx, _)| idx).collect()
}

/// What depends on what at the same time: values of one state on each other.
struct Circles {
    /// For each variable those that its value is made of, if it is assigned in every state.
    current: Vec<Vec<VarId>>,
    /// The same for its first value.
    first: Vec<Vec<VarId>>,
    /// The same for its next value.
    next: Vec<Vec<VarId>>,
}

impl Circles {
    fn new(model: &Model) -> Circles {
        let none = vec![Vec::new(); model.vars.len()];
        let mut circles = Circles { current: none.clone(), first: none.clone(), next: none };
        for assign in &model.assigns {
            let support = dependency::support(model, [assign.expr]);
            let idx = assign.var.0 as usize;
            match assign.kind {
                AssignKind::Init => circles.first[idx].extend(support.current),
                AssignKind::Next => circles.next[idx].extend(support.next),
                AssignKind::Current => {
                    circles.current[idx].extend(&support.current);
                    circles.first[idx].extend(&support.current);
                    circles.next[idx].extend(&support.current);
                }
            }
        }
        circles
    }

    /// The variable or define that would depend on itself. The model has no circle, so that a new
    /// one goes through what is new.
    fn made_by(&self, model: &Model, mutants: &Mutants, mutant: &Mutant) -> Option<String> {
        let read = dependency::support(model, [mutant.new]);
        match mutants.subjects[mutant.subject].kind {
            SubjectKind::Assign(kind, var) => self.through(model, read, kind, &[var]),
            SubjectKind::Group(id, _) => {
                let group = model.group(id);
                self.through(model, read, group.assigns(), &group.vars())
            }
            SubjectKind::Define(id) => {
                let is_made_of = |var: VarId| {
                    let assigns = model.assigns.iter();
                    let own = assigns.filter(|a| a.var == var && a.kind == AssignKind::Current);
                    reads_define(model, own.map(|assign| assign.expr).collect(), id)
                };
                let is_circle = leads_to(&self.current, read.current, is_made_of);
                is_circle.then(|| model.define(id).name.clone())
            }
            SubjectKind::Constraint(_) | SubjectKind::Property(_) => None,
            SubjectKind::Formula(_) => None,
        }
    }
}

impl Circles {
    /// The first of some variables that would depend on itself if its value were made of what was
    /// read.
    fn through(
        &self,
        model: &Model,
        read: Support,
        kind: AssignKind,
        vars: &[VarId],
    ) -> Option<String> {
        let (read, arrows) = match kind {
            AssignKind::Next => (read.next, &self.next),
            AssignKind::Current => (read.current, &self.current),
            AssignKind::Init => (read.current, &self.first),
        };
        let is_circle = |var: &&VarId| leads_to(arrows, read.clone(), |other| other == **var);
        vars.iter().find(is_circle).map(|var| model.var(*var).name.clone())
    }
}

/// True if a path leads from these variables to a relevant one.
fn leads_to(
    arrows: &[Vec<VarId>],
    mut stack: Vec<VarId>,
    is_meant: impl Fn(VarId) -> bool,
) -> bool {
    let mut seen = FxHashSet::default();
    while let Some(var) = stack.pop() {
        if is_meant(var) {
            return true;
        }
        if seen.insert(var) {
            stack.extend(&arrows[var.0 as usize]);
        }
    }
    false
}
