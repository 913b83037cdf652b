//! Trap properties: each states that a goal is unreachable, for other tools to refute or confirm.
//!
//! What a single state or step cannot express gets monitor variables: one that is true in initial
//! states, and for sequences one for each prefix just taken.

use rustc_hash::FxHashMap;
use trapline_engine::cluster::is_total;
use trapline_model::transform::Extension;
use trapline_model::{
    Clause, Domain, ExprId, Formula, Model, PropertyKind, Reads, UnaryOp, VarKind, goal,
};
use trapline_source::Span;

use crate::builder::GoalSet;
use crate::defined::Defined;
use crate::goal::{Goal, GoalKind};
use crate::subgoals::{Subgoal, Subgoals};
use crate::total;
use crate::visibility::traps::{NO_TRAP, with_copy};

/// The trap property of a goal, or of one evaluation of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Its logic.
    pub kind: PropertyKind,
    /// Its formula.
    pub expr: ExprId,
}

/// The traps of all goals.
#[derive(Debug)]
pub struct Traps {
    /// The model with monitor variables, and with a copy for faults.
    pub model: Extension,
    /// For each goal its trap; for a pair, one for each candidate evaluation; for a fault that no
    /// trap expresses, none.
    pub claims: Vec<Vec<Trap>>,
}

/// A model whose properties are traps, to be printed.
#[derive(Debug)]
pub struct Commented {
    /// The model.
    pub model: Model,
    /// The comment on each property, which names its goal.
    pub comments: Vec<String>,
    /// What to say of goals that have no trap.
    pub left_out: Vec<String>,
}

/// The traps of subgoals, one each.
pub fn of_subgoals(subgoals: &Subgoals) -> Traps {
    // They are evaluated on tests, which end even where the model does not.
    let mut writer = Writer { is_total: false, ..Writer::new(&subgoals.model) };
    let claims = subgoals.list.iter().map(|part| {
        let target = match part {
            Subgoal::Initial(expr) => GoalKind::Initial(*expr),
            Subgoal::Reach(goal::Target::State(expr)) => GoalKind::State(*expr),
            Subgoal::Reach(goal::Target::Step(expr)) => GoalKind::Step(*expr),
            Subgoal::Reach(goal::Target::Steps(steps)) => GoalKind::Steps(steps.clone()),
            // The evaluation on tests handles undefined values.
            Subgoal::Trap(kind, expr) => return vec![Trap { kind: *kind, expr: *expr }],
            // No state or step alone shows a fault.
            Subgoal::Fault(_) => {
                let expr = writer.model.exprs.bool(true);
                return vec![Trap { kind: PropertyKind::Invar, expr }];
            }
        };
        vec![writer.claim(&target, Span::default())]
    });
    let claims = claims.collect();
    Traps { model: writer.model, claims }
}

/// The traps of some goals.
pub fn traps(set: &GoalSet) -> Traps {
    let (model, faults) = with_copy(set);
    let mut writer = Writer { faults, ..Writer::new(&model) };
    let claims = set.goals.iter().map(|goal| writer.claims(set, goal)).collect();
    Traps { model: writer.model, claims }
}

/// The model with the traps of some goals as its only properties.
pub fn commented(set: &GoalSet) -> Commented {
    let Traps { model, claims } = traps(set);
    let (mut comments, mut left_out) = (Vec::new(), Vec::new());
    for (goal, claims) in set.goals.iter().zip(&claims) {
        match goal.kind {
            GoalKind::Pair(_) => {
                comments.extend((1..=claims.len()).map(|n| format!("{} part {n}", goal.id)));
            }
            GoalKind::Fault(_) if claims.is_empty() => {
                left_out.push(format!("{} left out: {NO_TRAP}", goal.id));
            }
            _ => comments.push(goal.id.clone()),
        }
    }
    let model = with_traps(model.into_model(), claims.into_iter().flatten());
    Commented { model, comments, left_out }
}

/// The model with these as its only properties.
pub fn with_traps(mut model: Model, claims: impl Iterator<Item = Trap>) -> Model {
    model.properties.clear();
    for Trap { kind, expr } in claims {
        let formula = Formula::Holds(Clause::unwritten(expr, Span::default()));
        model.add_property(kind, None, formula);
    }
    model
}

/// A tautology over steps that turns an expression into one over steps.
pub fn has_next(model: &mut Model) -> Option<ExprId> {
    let (var, _) = model.var_ids().find(|(_, var)| var.kind == VarKind::State)?;
    let read = model.var_expr(var);
    let next = model.exprs.prime(read);
    Some(model.exprs.eq(next, next))
}

/// Builds traps, goal by goal.
#[derive(Debug)]
pub struct Writer {
    model: Extension,
    /// True if every state has a successor.
    is_total: bool,
    /// Definedness of its expressions.
    defined: Defined,
    /// The monitor of initial states.
    first: Option<ExprId>,
    /// The states in which each fault surely shows at the outputs, if there are such states.
    faults: Vec<Option<ExprId>>,
    /// The monitors of sequences of steps.
    histories: FxHashMap<Vec<ExprId>, ExprId>,
}

impl Writer {
    /// For goals of a model.
    pub fn new(model: &Extension) -> Writer {
        Writer {
            model: model.clone(),
            is_total: is_total(model),
            defined: Defined::default(),
            first: None,
            faults: Vec::new(),
            histories: FxHashMap::default(),
        }
    }

    /// The model with the monitors added so far.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The trap of a goal, if it is neither a pair nor a fault and has at most this many nodes.
    pub fn short(&mut self, goal: &Goal, max_nodes: usize) -> Option<Trap> {
        let is_short = |expr: &ExprId| self.model.exprs.is_short(*expr, max_nodes);
        let is_short = match &goal.kind {
            GoalKind::Pair(_) | GoalKind::Fault(_) => false,
            GoalKind::Initial(expr) | GoalKind::State(expr) | GoalKind::Step(expr) => {
                is_short(expr)
            }
            GoalKind::Trap(_, expr) => is_short(expr),
            GoalKind::Steps(steps) => steps.iter().all(is_short),
        };
        is_short.then(|| self.claim(&goal.kind, goal.span))
    }

    fn claims(&mut self, set: &GoalSet, goal: &Goal) -> Vec<Trap> {
        match &goal.kind {
            GoalKind::Pair(pair) => {
                let point = &set.points[pair.decision];
                let serving = point.serving(pair.condition).into_iter();
                let mut targets: Vec<GoalKind> =
                    serving.map(|idx| point.target(&set.model, idx)).collect();
                targets.retain(|target| match target {
                    GoalKind::Fault(fault) => self.faults[*fault].is_some(),
                    _ => true,
                });
                targets.iter().map(|target| self.claim(target, goal.span)).collect()
            }
            // No state or step alone shows it.
            GoalKind::Fault(fault) if self.faults[*fault].is_none() => Vec::new(),
            target => vec![self.claim(target, goal.span)],
        }
    }

    fn claim(&mut self, target: &GoalKind, span: Span) -> Trap {
        let reached = match target {
            // An undefined invariant is not violated.
            GoalKind::Trap(PropertyKind::Invar, expr) => {
                let violated = self.model.exprs.not(*expr);
                let violated = self.holds(violated);
                let expr = self.model.exprs.not(violated);
                return Trap { kind: PropertyKind::Invar, expr };
            }
            GoalKind::Trap(kind, expr) => {
                return Trap {
                    kind: *kind,
                    expr: total::total(&mut self.model, &mut self.defined, *expr),
                };
            }
            GoalKind::State(expr) => self.holds(*expr),
            GoalKind::Fault(fault) => {
                let shown = self.faults[*fault];
                shown.unwrap_or_else(|| unreachable!("only what has states has a trap"))
            }
            GoalKind::Step(expr) => self.of_step(*expr),
            GoalKind::Initial(expr) => {
                let first = self.first(span);
                let holds = self.holds(*expr);
                self.model.exprs.and(first, holds)
            }
            GoalKind::Steps(steps) => {
                let steps: Vec<ExprId> = steps.iter().map(|&step| self.holds(step)).collect();
                let Some((last, before)) = steps.split_last() else {
                    unreachable!("a sequence has steps")
                };
                let last = self.of_step(*last);
                match self.history(before, span) {
                    Some(history) => self.model.exprs.and(history, last),
                    None => last,
                }
            }
            GoalKind::Pair(_) => unreachable!("pairs are made of states or steps"),
        };
        let expr = self.model.exprs.unary(UnaryOp::Not, reached);
        Trap { kind: PropertyKind::Invar, expr }
    }

    /// A step needs its target state. Where a state may be a deadlock, a condition on a step must
    /// read the next state: an input alone may have a value without a step.
    fn of_step(&mut self, expr: ExprId) -> ExprId {
        let expr = self.holds(expr);
        let reads = self.model.exprs.info(expr).reads;
        if self.is_total || reads.any(Reads::NEXT) {
            return expr;
        }
        match has_next(&mut self.model) {
            Some(has_next) => self.model.exprs.and(expr, has_next),
            None => expr,
        }
    }

    fn holds(&mut self, expr: ExprId) -> ExprId {
        total::holds(&mut self.model, &mut self.defined, expr)
    }

    fn first(&mut self, span: Span) -> ExprId {
        if let Some(first) = self.first {
            return first;
        }
        let var = self.model.add_monitor("__first", Domain::Bool, span, |model, _| {
            (model.exprs.bool(true), model.exprs.bool(false))
        });
        let first = self.model.var_expr(var);
        self.first = Some(first);
        first
    }

    /// True right after these steps.
    fn history(&mut self, steps: &[ExprId], span: Span) -> Option<ExprId> {
        let mut known = None;
        for n_steps in 1..=steps.len() {
            let key = steps[..n_steps].to_vec();
            if let Some(&history) = self.histories.get(&key) {
                known = Some(history);
                continue;
            }
            let step = steps[n_steps - 1];
            let taken = match known {
                Some(before) => self.model.exprs.and(before, step),
                None => step,
            };
            let var = self.model.add_monitor("__after", Domain::Bool, span, |model, _| {
                (model.exprs.bool(false), taken)
            });
            let history = self.model.var_expr(var);
            self.histories.insert(key, history);
            known = Some(history);
        }
        known
    }
}
