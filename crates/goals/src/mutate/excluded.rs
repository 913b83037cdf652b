//! Mutants that allow what the model forbids.
//!
//! One search for all of them: a variable selects which assignment or constraint, if any, was
//! ignored for the state just reached. Such a state has no successor. A mutant allows more if some
//! state or step that violates only its own rule is allowed by the mutant.

use trapline_engine::{Budget, Engine, Start, Verdict, Why};
use trapline_model::trace::Trace;
use trapline_model::transform::Lift;
use trapline_model::{
    Assign, AssignKind, Constraint, ConstraintKind, Domain, ExprId, GroupId, Model, Scope, Value,
    VarKind, goal,
};
use trapline_source::Span;

use super::kill::Meaning;
use super::subject::{Part, Subject, SubjectKind};
use super::{Mutant, Mutants};
use crate::defined::Defined;

/// What a mutant allows that the model does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Excluded {
    /// The last state of this trace, or the step to it.
    Allows(Trace),
    /// Nothing.
    Nothing,
    /// Undecided, with the reason.
    Unknown(String),
}

/// What these mutants, by their indices, allow that the model does not.
pub fn excluded(
    model: &Model,
    mutants: &Mutants,
    asked: &[usize],
    engine: &Engine,
    budget: &Budget<'_>,
) -> Vec<Excluded> {
    let (mut broken, back) = (Broken::new(model, mutants, asked), Lift::First(model.vars.len()));
    let mut found: Vec<Option<Excluded>> = vec![None; asked.len()];
    for is_initial in [true, false] {
        let of_kind = |place: &usize| {
            (mutants.subjects[mutants.list[asked[*place]].subject].scope() == Scope::Init)
                == is_initial
        };
        let places: Vec<usize> = (0..asked.len()).filter(of_kind).collect();
        let targets: Vec<goal::Target> =
            places.iter().map(|&place| broken.target(&mutants.list[asked[place]])).collect();
        if targets.is_empty() {
            continue;
        }
        let mut question = broken.model.clone();
        if is_initial {
            question.forbid_steps();
        }
        let answer = (engine.reach)(&question, &targets, &Start::Initial, budget);
        for (place, verdict) in places.into_iter().zip(answer.verdicts) {
            found[place] = Some(match verdict {
                Verdict::Reached { trace, state } => {
                    let mut trace = answer.traces[trace].clone();
                    trace.states.truncate(state + 1);
                    back.project(&mut trace);
                    Excluded::Allows(trace)
                }
                Verdict::Unreachable(_) => Excluded::Nothing,
                Verdict::Unknown(why) => Excluded::Unknown(why.to_string()),
            });
        }
    }
    let unknown = || Excluded::Unknown(Why::NotAsked.to_string());
    found.into_iter().map(|found| found.unwrap_or_else(unknown)).collect()
}

/// A model in which one rule may be violated once.
struct Broken<'m> {
    model: Model,
    subjects: &'m [Subject],
    /// For each subject its value of the variable; 0 is for none.
    numbers: Vec<i64>,
    /// What each of them allows.
    allowed: Vec<Option<ExprId>>,
    which: ExprId,
    defined: Defined,
}

impl<'m> Broken<'m> {
    fn new(model: &Model, mutants: &'m Mutants, asked: &[usize]) -> Broken<'m> {
        let mut model = model.clone();
        let mut numbers = vec![0; mutants.subjects.len()];
        let mut n_broken = 0;
        // What several processes assign is one rule.
        let is_same = |a: &Subject, b: &Subject| {
            matches!(a.kind, SubjectKind::Assign(..)) && a.kind == b.kind
        };
        for &idx in asked {
            let own = mutants.list[idx].subject;
            if numbers[own] == 0 {
                n_broken += 1;
                for (number, subject) in numbers.iter_mut().zip(&mutants.subjects) {
                    if is_same(subject, &mutants.subjects[own]) {
                        *number = n_broken;
                    }
                }
                numbers[own] = n_broken;
            }
        }
        let (name, domain) = (model.hidden_name("broken"), Domain::Range(0, n_broken));
        let which = model.add_var(name, VarKind::State, domain, Span::default());
        let which = model.var_expr(which);
        let allowed = vec![None; mutants.subjects.len()];
        let (subjects, defined) = (mutants.subjects.as_slice(), Defined::default());
        let mut broken = Broken { model, subjects, numbers, allowed, which, defined };
        broken.loosen();
        let is_whole = broken.model.exprs.has_value(which, Value::Int(0));
        broken.model.constrain(ConstraintKind::Trans, is_whole, Span::default());
        broken
    }

    /// Every numbered rule holds, or is the ignored one.
    fn loosen(&mut self) {
        let mut dropped = Vec::new();
        for (idx, subject) in self.subjects.iter().enumerate() {
            if self.numbers[idx] == 0 {
                continue;
            }
            let is_broken = self.is_broken(idx);
            match subject.kind {
                SubjectKind::Assign(kind, var) => {
                    let Some(place) =
                        self.model.assigns.iter().position(|a| a.kind == kind && a.var == var)
                    else {
                        continue;
                    };
                    let by = self.model.assigns[place].expr;
                    // It may be made of the parts of several processes.
                    let whole = Subject { can_fail: true, ..subject.clone() };
                    let allowed = self.meaning().given_whole(&whole, by);
                    self.allowed[idx] = Some(allowed);
                    let loose = self.model.exprs.or(is_broken, allowed);
                    let kind = match kind {
                        AssignKind::Init => ConstraintKind::Init,
                        AssignKind::Next => ConstraintKind::Trans,
                        AssignKind::Current => ConstraintKind::Invar,
                    };
                    if !dropped.contains(&place) {
                        self.model.constrain(kind, loose, Span::default());
                        dropped.push(place);
                    }
                }
                SubjectKind::Constraint(_) => {
                    let written = self.model.occurrences.get(subject.whole).expr;
                    let meaning = self.meaning().holds(subject, written);
                    self.allowed[idx] = Some(meaning);
                    let loose = self.model.exprs.or(is_broken, meaning);
                    let is_this = |c: &&mut Constraint| c.body.occ == Some(subject.whole);
                    if let Some(own) = self.model.constraints.iter_mut().find(is_this) {
                        own.body.expr = loose;
                    }
                }
                SubjectKind::Group(id, _) => {
                    let written = self.model.occurrences.get(subject.whole).expr;
                    let allowed = self.meaning().allowed(subject, Part::Whole, written);
                    self.allowed[idx] = Some(allowed);
                    dropped.extend(self.loosen_group(subject, id, is_broken));
                }
                SubjectKind::Define(_) | SubjectKind::Property(_) | SubjectKind::Formula(_) => {}
            }
        }
        let mut place = 0;
        self.model.assigns.retain(|_| {
            place += 1;
            !dropped.contains(&(place - 1))
        });
    }

    /// All rules of a group hold, or it is the ignored one. Returns the removed assignments.
    fn loosen_group(&mut self, subject: &Subject, id: GroupId, is_broken: ExprId) -> Vec<usize> {
        let group = self.model.group(id).clone();
        let mut holds = self.model.exprs.bool(true);
        if let Some(idx) = group.constraint {
            let own = self.model.constraints[idx as usize].body.expr;
            holds = self.meaning().holds(subject, own);
        }
        let mut gone = Vec::new();
        for var in group.vars() {
            let kind = SubjectKind::Assign(group.assigns(), var);
            let is_own = |assign: &Assign| assign.kind == group.assigns() && assign.var == var;
            let Some(place) = self.model.assigns.iter().position(is_own) else { continue };
            let by = self.model.assigns[place].expr;
            let whole = Subject { kind, can_fail: true, ..subject.clone() };
            let is_given = self.meaning().given_whole(&whole, by);
            holds = self.model.exprs.and(holds, is_given);
            gone.push(place);
        }
        let loose = self.model.exprs.or(is_broken, holds);
        match group.constraint {
            Some(idx) => self.model.constraints[idx as usize].body.expr = loose,
            None => self.model.constrain(group.constrains(), loose, group.span),
        }
        gone
    }

    fn meaning(&mut self) -> Meaning<'_> {
        Meaning { model: &mut self.model, defined: &mut self.defined }
    }

    /// The condition that the rule of a subject is the ignored one: of the step, or of the state.
    fn is_broken(&mut self, subject: usize) -> ExprId {
        let which = match self.subjects[subject].scope() {
            Scope::Step => self.model.exprs.prime(self.which),
            Scope::Init | Scope::State => self.which,
        };
        self.model.exprs.has_value(which, Value::Int(self.numbers[subject]))
    }

    /// A state or step that violates the rule of a mutant and that the mutant allows.
    fn target(&mut self, mutant: &Mutant) -> goal::Target {
        let subject = &self.subjects[mutant.subject];
        let is_broken = self.is_broken(mutant.subject);
        let allowed = self.meaning().allowed(subject, mutant.part, mutant.root);
        let original = self.allowed[mutant.subject];
        let exprs = &mut self.model.exprs;
        let original = original.unwrap_or_else(|| exprs.bool(true));
        let is_forbidden = exprs.not(original);
        let mut more = exprs.and(allowed, is_forbidden);
        if let Some(when) = subject.when {
            more = exprs.and(when, more);
        }
        let expr = exprs.and(is_broken, more);
        match subject.scope() {
            Scope::Step => goal::Target::Step(expr),
            Scope::Init | Scope::State => goal::Target::State(expr),
        }
    }
}
