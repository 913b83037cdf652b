//! What becomes of each mutant: killable, equivalent, excluded only, invalid.

use rustc_hash::FxHashSet;
use trapline_engine::{Budget, Engine, Start, Verdict as Found};
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
    let mut circles = Circles::new(&set.model);
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
    let mut circles = Circles::new(model);
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
    /// For each variable those that are made of it, in every state.
    current: Vec<Vec<VarId>>,
    /// The same for first values.
    first: Vec<Vec<VarId>>,
    /// The same for next values.
    next: Vec<Vec<VarId>>,
    /// The last subject asked about: for each of its variables, or for its define, what its value is made of
    /// must be none of these. Mutants come subject by subject.
    last: Option<(usize, Vec<Vec<bool>>)>,
}

impl Circles {
    fn new(model: &Model) -> Circles {
        let none = vec![Vec::new(); model.vars.len()];
        let [mut current, mut first, mut next] = [none.clone(), none.clone(), none];
        let add = |made: &mut Vec<Vec<VarId>>, of: &[VarId], var: VarId| {
            of.iter().for_each(|of| made[of.0 as usize].push(var));
        };
        for assign in &model.assigns {
            let support = dependency::support(model, [assign.expr]);
            match assign.kind {
                AssignKind::Init => add(&mut first, &support.current, assign.var),
                AssignKind::Next => add(&mut next, &support.next, assign.var),
                AssignKind::Current => {
                    for made in [&mut current, &mut first, &mut next] {
                        add(made, &support.current, assign.var);
                    }
                }
            }
        }
        Circles { current, first, next, last: None }
    }

    /// The variable or define that would depend on itself. The model has no circle, so that a new
    /// one goes through what is new.
    fn made_by(&mut self, model: &Model, mutants: &Mutants, mutant: &Mutant) -> Option<String> {
        let kind = match mutants.subjects[mutant.subject].kind {
            SubjectKind::Assign(kind, _) => kind,
            SubjectKind::Group(id, _) => model.group(id).assigns(),
            SubjectKind::Define(_) => AssignKind::Current,
            SubjectKind::Constraint(_) | SubjectKind::Property(_) => return None,
            SubjectKind::Formula(_) => return None,
        };
        let read = dependency::support(model, [mutant.new]);
        let read = match kind {
            AssignKind::Next => read.next,
            AssignKind::Current | AssignKind::Init => read.current,
        };
        if self.last.as_ref().is_none_or(|(subject, _)| *subject != mutant.subject) {
            let barred = self.barred(model, &mutants.subjects[mutant.subject].kind);
            self.last = Some((mutant.subject, barred));
        }
        let (_, barred) = self.last.as_ref()?;
        let is_circle = |barred: &Vec<bool>| read.iter().any(|var| barred[var.0 as usize]);
        let place = barred.iter().position(is_circle)?;
        let var = match mutants.subjects[mutant.subject].kind {
            SubjectKind::Assign(_, var) => var,
            SubjectKind::Group(id, _) => model.group(id).vars()[place],
            SubjectKind::Define(id) => return Some(model.define(id).name.clone()),
            _ => return None,
        };
        Some(model.var(var).name.clone())
    }

    /// For each variable of a subject, or for its define, the variables that are made of it.
    fn barred(&self, model: &Model, subject: &SubjectKind) -> Vec<Vec<bool>> {
        match *subject {
            SubjectKind::Assign(kind, var) => vec![self.made_of(kind, vec![var])],
            SubjectKind::Group(id, _) => {
                let (group, kind) = (model.group(id), model.group(id).assigns());
                group.vars().iter().map(|&var| self.made_of(kind, vec![var])).collect()
            }
            SubjectKind::Define(id) => {
                let own = model.assigns.iter().filter(|assign| {
                    assign.kind == AssignKind::Current && reads_define(model, vec![assign.expr], id)
                });
                vec![self.made_of(AssignKind::Current, own.map(|assign| assign.var).collect())]
            }
            _ => Vec::new(),
        }
    }

    /// True for these variables, and for those whose values are made of theirs, perhaps through others.
    fn made_of(&self, kind: AssignKind, mut stack: Vec<VarId>) -> Vec<bool> {
        let made = match kind {
            AssignKind::Next => &self.next,
            AssignKind::Current => &self.current,
            AssignKind::Init => &self.first,
        };
        let mut seen = vec![false; made.len()];
        while let Some(var) = stack.pop() {
            if !std::mem::replace(&mut seen[var.0 as usize], true) {
                stack.extend(&made[var.0 as usize]);
            }
        }
        seen
    }
}
