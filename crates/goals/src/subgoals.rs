//! The subgoals of goals.
//!
//! Most goals have one subgoal; a pair needs two evaluations of its decision. A subgoal shared by
//! several goals is decided once and searched for once.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_engine::Budget;
use trapline_model::transform::Extension;
use trapline_model::{ExprId, PropertyKind, goal};

use crate::builder::GoalSet;
use crate::decide::trap::{self, Paths};
use crate::goal::{Goal, GoalKind};
use crate::visibility::Fault;

/// A single target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subgoal {
    /// Start in a state in which this holds.
    Initial(ExprId),
    /// Visit a state, or take steps.
    Reach(goal::Target),
    /// Violate a temporal property.
    Trap(PropertyKind, ExprId),
    /// Show a fault at the outputs.
    Fault(usize),
}

/// The subgoals of all goals, without duplicates.
#[derive(Debug)]
pub struct Subgoals {
    /// The model, with the expressions of subgoals and with monitor variables.
    pub model: Extension,
    /// What is known of its paths.
    pub paths: Paths,
    /// The faults that subgoals want shown.
    pub faults: Rc<[Fault]>,
    /// The subgoals.
    pub list: Vec<Subgoal>,
    /// For each goal its subgoal; for a pair, the evaluations of its decision in order.
    pub of_goal: Vec<Rc<[usize]>>,
}

impl Subgoals {
    /// The subgoals of some goals. If there are temporal properties, and it is not obvious that all
    /// paths are infinite, the model is searched for deadlocks.
    pub fn new(set: &GoalSet, budget: &Budget<'_>) -> Subgoals {
        let is_trap = |goal: &Goal| matches!(goal.kind, GoalKind::Trap(..));
        let paths = match set.goals.iter().any(is_trap) {
            true => trap::paths_by_search(&set.model, budget),
            false => trap::paths(&set.model),
        };
        let mut subgoals = Subgoals {
            paths,
            model: set.model.clone(),
            faults: Rc::from(set.faults.as_slice()),
            list: Vec::new(),
            of_goal: Vec::new(),
        };
        let mut known = FxHashMap::default();
        let mut of_point: Vec<Option<Rc<[usize]>>> = vec![None; set.points.len()];
        for goal in &set.goals {
            let own = match &goal.kind {
                GoalKind::Pair(pair) => of_point[pair.decision]
                    .get_or_insert_with(|| {
                        let point = &set.points[pair.decision];
                        (0..point.evaluations.len())
                            .map(|idx| subgoals.add(&point.target(&set.model, idx), &mut known))
                            .collect()
                    })
                    .clone(),
                target => Rc::from([subgoals.add(target, &mut known)]),
            };
            subgoals.of_goal.push(own);
        }
        subgoals
    }

    /// Subgoals without goals.
    pub fn of(model: Extension, list: Vec<Subgoal>) -> Subgoals {
        let (paths, faults) = (trap::paths(&model), Rc::from([]));
        Subgoals { paths, model, faults, list, of_goal: Vec::new() }
    }

    fn add(&mut self, target: &GoalKind, known: &mut FxHashMap<Subgoal, usize>) -> usize {
        let subgoal = match target {
            GoalKind::Initial(expr) => Subgoal::Initial(*expr),
            GoalKind::State(expr) => Subgoal::Reach(goal::Target::State(*expr)),
            GoalKind::Step(expr) => Subgoal::Reach(goal::Target::Step(*expr)),
            GoalKind::Steps(steps) => Subgoal::Reach(goal::Target::Steps(steps.clone())),
            GoalKind::Trap(kind, expr) => {
                match trap::as_target(&mut self.model, self.paths, *kind, *expr) {
                    Some(target) => Subgoal::Reach(target),
                    None => Subgoal::Trap(*kind, *expr),
                }
            }
            GoalKind::Fault(fault) => Subgoal::Fault(*fault),
            GoalKind::Pair(_) => unreachable!("pairs are made of evaluations"),
        };
        *known.entry(subgoal.clone()).or_insert_with(|| {
            self.list.push(subgoal);
            self.list.len() - 1
        })
    }
}
