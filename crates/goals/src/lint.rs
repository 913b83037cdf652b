//! Dead logic: comparisons, conditions and branches that make no difference.
//!
//! Some follow from the types alone. For the others an engine decides, in one search, which branches
//! are taken and which values conditions have; what is undecided is not reported. A text that several
//! instances share is dead only if it is in all of them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use trapline_engine::{Budget, Engine, Start, Verdict as Found};
use trapline_model::transform::cut::without_rules;
use trapline_model::{
    BinaryOp, Domain, Expr, ExprId, Model, OccId, Relation, Scope, Shape, SiteKind, SiteTarget,
    Value, VarId, eval, goal,
};
use trapline_source::{Diagnostic, Span};

use crate::builder::{Builder, GoalSet, Options, show};
use crate::decide::{Verdict, decide};
use crate::decision::Decision;
use crate::goal::GoalKind;
use crate::site_name::NamedSite;

/// What an engine found.
#[derive(Debug)]
pub struct Lints {
    /// What is dead.
    pub warnings: Vec<Diagnostic>,
    /// The expressions behind the warnings, each true in no reachable state or step.
    pub never: Vec<GoalKind>,
    /// Those expressions.
    pub exprs: trapline_model::Exprs,
    /// How many questions were left open.
    pub n_undecided: usize,
}

/// What is dead by the types alone, or because it stands behind a guard `TRUE`.
pub fn by_types(model: &Model) -> Vec<Diagnostic> {
    let mut shared = Shared::default();
    for (root, kind) in roots(model) {
        for occ in model.occurrences.subtree(root) {
            match model.occurrences.get(occ).shape {
                Shape::Case => after_true(model, occ, &mut shared),
                Shape::Operator => outside_type(model, occ, kind, &mut shared),
                _ => {}
            }
        }
    }
    shared.all().map(|(warning, _)| warning).collect()
}

/// What a text says: how the model is, or how it must be.
#[derive(Clone, Copy)]
enum Text {
    Model,
    Property,
}

/// Everything that was written.
fn roots(model: &Model) -> impl Iterator<Item = (OccId, Text)> {
    let parts = model.assigns.iter().flat_map(|assign| &assign.parts);
    let formulas = model.properties.iter().filter_map(|property| match property.formula {
        trapline_model::Formula::Holds(clause) => clause.occ,
        _ => None,
    });
    let assigned = parts.filter_map(|part| part.body.occ);
    let defined = model.defines.iter().filter_map(|define| define.body.occ);
    let constraints = model.constraints.iter().filter_map(|constraint| constraint.body.occ);
    let rules = assigned.chain(defined).chain(constraints).map(|occ| (occ, Text::Model));
    rules.chain(formulas.map(|occ| (occ, Text::Property)))
}

/// A warning, and what never holds if an engine proved that.
type Dead = (Diagnostic, Option<GoalKind>);

/// Warnings about a text, if all instances that share it agree.
#[derive(Default)]
struct Shared {
    /// By place and number: what was found, or that nothing was.
    found: BTreeMap<(Span, usize), Option<Dead>>,
}

impl Shared {
    /// Notes what was found at a place; the first warning counts, and none of one instance is none
    /// of all.
    fn note(&mut self, key: (Span, usize), found: Option<Dead>) {
        match self.found.get_mut(&key) {
            Some(known) if found.is_none() => *known = None,
            Some(_) => {}
            None => drop(self.found.insert(key, found)),
        }
    }

    fn all(self) -> impl Iterator<Item = Dead> {
        self.found.into_values().flatten()
    }
}

fn after_true(model: &Model, case: OccId, shared: &mut Shared) {
    let children = model.occurrences.children(case);
    let is_true = |branch: &[OccId]| {
        let guard = model.occurrences.get(branch[0]);
        guard.shape == Shape::Leaf && model.exprs.is_true(guard.expr)
    };
    let branches: Vec<&[OccId]> = children.chunks_exact(2).collect();
    let Some(first) = branches.iter().position(|branch| is_true(branch)) else { return };
    for branch in &branches[first + 1..] {
        let span = branch_span(model, branch);
        let always = model.occurrences.get(branches[first][0]).span;
        let text = "this branch is never taken";
        let warning = Diagnostic::warning("branch-after-true", span, text)
            .label(always, "this guard is always true")
            .help("remove the branch, or move it before the one that always applies");
        shared.note((span, 0), Some((warning, None)));
    }
}

fn branch_span(model: &Model, branch: &[OccId]) -> Span {
    let [guard, value] = [branch[0], branch[1]].map(|occ| model.occurrences.get(occ).span);
    guard.to(value)
}

fn outside_type(model: &Model, occ: OccId, kind: Text, shared: &mut Shared) {
    let occurrence = model.occurrences.get(occ);
    let Expr::Binary(op, ..) = model.exprs.get(occurrence.expr) else { return };
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    // A property may well state the bounds of a type.
    let is_meant = match kind {
        Text::Model => matches!(op, Eq | Ne | Lt | Le | Gt | Ge),
        Text::Property => matches!(op, Eq | Ne),
    };
    if !is_meant {
        return;
    }
    let truth = constant_truth(model, occ, op);
    let found = truth.map(|(var, truth)| {
        let declared = model.var(var);
        let word = if truth { "true" } else { "false" };
        let text = format!("`{}` is always {word}", show(model, occurrence.expr));
        let domain = model.syntax.domain(model, &declared.domain);
        let domain = match domain.chars().count() {
            0..=60 => domain,
            _ => "another type".into(),
        };
        let warning = Diagnostic::warning("constant-comparison", occurrence.span, text)
            .note_here(format!("the type alone decides it: `{}` is {domain}", declared.name))
            .help("compare with a value that the variable can have, or widen its type");
        (warning, None)
    });
    shared.note((occurrence.span, 1), found);
}

/// The truth of a comparison of a variable with a constant, if it is the same for all values of the
/// variable's type.
fn constant_truth(model: &Model, occ: OccId, op: BinaryOp) -> Option<(VarId, bool)> {
    let [left, right] = model.occurrences.children(occ)[..] else { return None };
    let var = |occ: OccId| match model.exprs.get(model.occurrences.get(occ).expr) {
        Expr::Var(var) | Expr::Next(var) => Some(var),
        _ => None,
    };
    let constant = |occ: OccId| {
        let is_small = model.occurrences.start(occ) + 1 >= occ.0 as usize;
        let expr = model.occurrences.get(occ).expr;
        is_small.then(|| eval::constant(model, expr).ok()).flatten()
    };
    let (var, value, is_left) = match (var(left), var(right)) {
        (Some(var), None) => (var, constant(right)?, true),
        (None, Some(var)) => (var, constant(left)?, false),
        _ => return None,
    };
    let domain = &model.var(var).domain;
    if domain.size() == Some(1) {
        return None;
    }
    let is_comparable = matches!(
        (domain, value),
        (Domain::Range(..), Value::Int(_)) | (Domain::Enum(_), Value::Symbol(_) | Value::Int(_))
    );
    let truth = match op {
        _ if !is_comparable => None,
        BinaryOp::Eq => (!domain.contains(value)).then_some(false),
        BinaryOp::Ne => (!domain.contains(value)).then_some(true),
        _ => order_truth(domain, op, value, is_left),
    };
    truth.map(|truth| (var, truth))
}

fn order_truth(domain: &Domain, op: BinaryOp, value: Value, is_left: bool) -> Option<bool> {
    let Value::Int(value) = value else { return None };
    // Between the ends nothing else can happen.
    let ends: Vec<i64> = match domain {
        Domain::Range(lo, hi) => vec![*lo, *hi],
        Domain::Enum(values) => {
            let number = |value: &Value| match value {
                Value::Int(number) => Some(*number),
                _ => None,
            };
            values.iter().map(number).collect::<Option<_>>()?
        }
        _ => return None,
    };
    let holds = |own: &i64| {
        let (a, b) = if is_left { (*own, value) } else { (value, *own) };
        match op {
            BinaryOp::Lt => a < b,
            BinaryOp::Le => a <= b,
            BinaryOp::Gt => a > b,
            _ => a >= b,
        }
    };
    let first = holds(ends.first()?);
    ends.iter().all(|own| holds(own) == first).then_some(first)
}

/// A question: can a decision, or one of its conditions, have this value?
#[derive(Clone, Copy)]
struct Question {
    place: usize,
    condition: Option<usize>,
    value: bool,
}

/// What no reachable state or step makes a difference with.
pub fn by_reachability(model: &Model, engine: &Engine, budget: &Budget<'_>) -> Lints {
    let options = Options { limit: usize::MAX, ..Options::default() };
    let mut builder = Builder::new(model.clone(), &options).within(budget);
    builder.criterion = "lint".into();
    // A constraint is true wherever it is looked at, and so may be its conditions.
    builder.places.retain(|place| !matches!(place.site.target, SiteTarget::Constraint(_)));
    let places = builder.places.clone();
    let mut questions = Vec::new();
    let mut decisions = Vec::new();
    for (idx, place) in places.iter().enumerate() {
        let decision = builder.decision(place);
        let whole = builder.model.occurrences.get(place.site.decision).expr;
        let conditions = decision.conditions.iter().map(|condition| condition.expr);
        let asked = std::iter::once((None, whole));
        for (condition, expr) in asked.chain(conditions.enumerate().map(|(i, e)| (Some(i), e))) {
            for value in [true, false] {
                let literal = builder.model.exprs.literal(expr, value);
                let target = builder.target(place, literal);
                builder.add("", String::new(), place.site.span, target);
                questions.push(Question { place: idx, condition, value });
            }
        }
        decisions.push(decision);
    }
    let Builder { model, goals, points, notices, .. } = builder;
    questions.truncate(goals.len());
    let points = points.unwrap_or_default();
    let set = GoalSet { model, goals, points, notices, mutants: Vec::new(), faults: Vec::new() };
    let verdicts = decide(&set, engine, budget).verdicts;
    let answers = Answers::new(&set, &questions, verdicts, engine, budget);
    let mut shared = Shared::default();
    for (idx, place) in places.iter().enumerate() {
        explain(&set.model, idx, place, &decisions[idx], &answers, &mut shared);
    }
    let exprs = set.model.exprs.clone();
    let mut lints =
        Lints { warnings: Vec::new(), never: Vec::new(), exprs, n_undecided: answers.n_undecided };
    for (warning, never) in shared.all() {
        lints.warnings.push(warning);
        lints.never.extend(never);
    }
    lints
}

/// What can't be, with the proof.
struct Answers {
    never: FxHashMap<(usize, Option<usize>, bool), (String, GoalKind)>,
    n_undecided: usize,
}

impl Answers {
    fn new(
        set: &GoalSet,
        questions: &[Question],
        verdicts: Vec<Verdict>,
        engine: &Engine,
        budget: &Budget<'_>,
    ) -> Answers {
        let mut answers = Answers { never: FxHashMap::default(), n_undecided: 0 };
        let mut proved = Vec::new();
        for ((question, goal), verdict) in questions.iter().zip(&set.goals).zip(verdicts) {
            match verdict {
                Verdict::Infeasible(proof) => proved.push((*question, goal.kind.clone(), proof)),
                Verdict::Unknown(_) => answers.n_undecided += 1,
                Verdict::Covered(_) | Verdict::MayKill(_) => {}
            }
        }
        // What not even a model without rules can do is no matter of reachability.
        let free = without_rules(&set.model);
        let targets: Vec<goal::Target> = proved.iter().map(|(_, kind, _)| target(kind)).collect();
        let found = match targets.is_empty() {
            true => Vec::new(),
            false => (engine.reach)(&free, &targets, &Start::Initial, budget).verdicts,
        };
        let is_never = |idx: usize| matches!(found.get(idx), Some(Found::Unreachable(_)));
        for (idx, (question, kind, proof)) in proved.into_iter().enumerate() {
            let proof = match (is_never(idx), &kind) {
                (true, GoalKind::Step(_)) => "no step at all, reachable or not, does".to_string(),
                (true, _) => "no state at all, reachable or not, does".to_string(),
                (false, _) => proof,
            };
            let Question { place, condition, value } = question;
            answers.never.insert((place, condition, value), (proof, kind));
        }
        answers
    }

    fn never(
        &self,
        place: usize,
        condition: Option<usize>,
        value: bool,
    ) -> Option<&(String, GoalKind)> {
        self.never.get(&(place, condition, value))
    }
}

fn target(kind: &GoalKind) -> goal::Target {
    match kind {
        GoalKind::Initial(expr) | GoalKind::State(expr) => goal::Target::State(*expr),
        GoalKind::Step(expr) => goal::Target::Step(*expr),
        _ => unreachable!("questions are about states and steps"),
    }
}

/// Says what is dead at a site.
fn explain(
    model: &Model,
    idx: usize,
    place: &NamedSite,
    decision: &Decision,
    answers: &Answers,
    shared: &mut Shared,
) {
    let occurrence = model.occurrences.get(place.site.decision);
    let is_branch = matches!(place.site.kind, SiteKind::Branch { .. });
    let [yes, no] = [true, false].map(|value| answers.never(idx, None, value));
    let is_dead = yes.is_some() && no.is_some();
    let found = match (is_branch, yes, no) {
        (true, Some((proof, never)), _) => {
            Some((dead_branch(model, place, proof, is_dead), Some(never.clone())))
        }
        // It stands in a branch that is dead, and that is said there.
        (false, Some(_), Some(_)) => None,
        (false, Some((proof, never)), None) => Some((
            constant(model, occurrence.expr, occurrence.span, false, proof),
            Some(never.clone()),
        )),
        (false, None, Some((proof, never))) => Some((
            constant(model, occurrence.expr, occurrence.span, true, proof),
            Some(never.clone()),
        )),
        _ => None,
    };
    let is_said = found.is_some() || is_dead;
    shared.note((occurrence.span, 0), found);
    let n_conditions = decision.conditions.len();
    for (condition_idx, condition) in decision.conditions.iter().enumerate() {
        let [yes, no] = [true, false].map(|value| answers.never(idx, Some(condition_idx), value));
        let found = match (yes, no) {
            // A single condition is the decision; a guard may well be true whenever it is asked.
            _ if is_said || n_conditions == 1 => None,
            (Some((proof, never)), None) => Some((false, proof, never)),
            (None, Some((proof, never))) => Some((true, proof, never)),
            _ => None,
        };
        let found = found.map(|(value, proof, never)| {
            let warning = constant(model, condition.expr, condition.span, value, proof);
            (warning, Some(never.clone()))
        });
        if n_conditions > 1 {
            shared.note((condition.span, 2), found);
        }
    }
}

fn dead_branch(model: &Model, place: &NamedSite, proof: &str, is_never_asked: bool) -> Diagnostic {
    let guard = model.occurrences.get(place.site.decision);
    let is_default = model.exprs.is_true(guard.expr);
    let what = match place.site.scope {
        Scope::Step => "step",
        Scope::State => "state",
        Scope::Init => "initial state",
    };
    let is_ordered = match place.site.kind {
        SiteKind::Branch { group, .. } => model.group(group).relation == Relation::Ordered,
        _ => false,
    };
    if is_default && is_ordered {
        return Diagnostic::warning("dead-default", guard.span, "this default is never needed")
            .note_here(format!("no {what} comes here: {proof}"))
            .help(
                "the guards before it cover everything; keep it only if it is meant as a safeguard",
            );
    }
    let why = match is_never_asked {
        true => format!("no {what} comes here: {proof}"),
        false => format!("no {what} that comes here meets this guard: {proof}"),
    };
    Diagnostic::warning("dead-branch", guard.span, format!("{} is never taken", place.text))
        .note_here(why)
        .help("correct the guard or those before it, or remove the branch")
}

fn constant(model: &Model, expr: ExprId, span: Span, value: bool, proof: &str) -> Diagnostic {
    let (word, other) = if value { ("true", "false") } else { ("false", "true") };
    let text = format!("`{}` is always {word} here", show(model, expr));
    Diagnostic::warning("constant-condition", span, text)
        .note_here(format!("never {other} where it is evaluated: {proof}"))
        .help("correct it, or leave it out")
}
