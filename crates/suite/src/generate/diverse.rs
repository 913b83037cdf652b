//! Several tests per goal, with different inputs.
//!
//! The input sequences of all tests so far form a tree. A monitor variable tracks the current node,
//! or is beyond the tree once the inputs differ from every test. A subgoal met beyond the tree is
//! met by a test with new inputs, and if it is unreachable there it has no other test. So one
//! search finds another test for all goals, or a proof that there is none.

use rustc_hash::FxHashMap;
use trapline_goals::decide;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Lift;
use trapline_model::{Domain, Expr, ExprId, Model, Role, Value, VarId, VarKind};
use trapline_source::Span;

use super::Work;
use crate::tracker::Tracker;

/// Maximum size of the tree.
const MAX_NODES: usize = 20_000;

/// Another test for each subgoal that some test meets, truncated where its last required subgoal is
/// met. Empty if there is none, or if there are too many tests.
pub fn others(tracker: &Tracker<'_>, tests: &[Trace], work: &Work<'_>) -> Vec<Trace> {
    let mut model = tracker.subgoals.model.clone();
    let inputs = inputs(&model);
    let tree = Tree::new(&inputs, tests).filter(|_| !inputs.is_empty());
    let Some(tree) = tree else { return Vec::new() };
    let watcher = tree.watch(&mut model);
    let beyond = tree.n_nodes();
    let (mut list, mut asked) = (Vec::new(), Vec::new());
    for (idx, subgoal) in tracker.subgoals.list.iter().enumerate() {
        if let (Subgoal::Reach(target), false) = (subgoal, tracker.is_left(idx)) {
            asked.push(list.len());
            list.push(Subgoal::Reach(late(&mut model, watcher, beyond, target)));
        }
    }
    let subgoals = Subgoals::of(model, list);
    let answers = decide::answer(&subgoals, &asked, &work.options.initial_engine, work.budget);
    let mut ends = vec![None; answers.traces.len()];
    for verdict in &answers.verdicts {
        if let decide::Verdict::Covered(shown) = verdict {
            for one in shown {
                ends[one.trace] = ends[one.trace].max(Some(one.state));
            }
        }
    }
    let back = Lift::First(tracker.subgoals.model.vars.len());
    let made = answers.traces.into_iter().zip(ends).filter_map(|(mut trace, end)| {
        trace.states.truncate(end? + 1);
        trace.loop_start = None;
        back.project(&mut trace);
        Some(trace)
    });
    made.collect()
}

/// The variables that the tester sets.
fn inputs(model: &Model) -> Vec<(VarId, VarKind)> {
    let inputs = model.var_ids().filter(|(_, var)| var.role == Role::Input);
    inputs.map(|(id, var)| (id, var.kind)).collect()
}

/// The inputs of a state, and of the step into it.
type Given = Vec<(VarId, Value)>;

/// The tree of input sequences.
struct Tree {
    edges: Vec<(Option<usize>, Given, usize)>,
    known: FxHashMap<(Option<usize>, Given), usize>,
}

impl Tree {
    fn new(inputs: &[(VarId, VarKind)], tests: &[Trace]) -> Option<Tree> {
        let mut tree = Tree { edges: Vec::new(), known: FxHashMap::default() };
        for test in tests {
            let mut node = None;
            for (idx, state) in test.states.iter().enumerate() {
                let before = idx.checked_sub(1).map(|before| &test.states[before]);
                node = Some(tree.add(node, given(inputs, before, state)));
                if tree.edges.len() > MAX_NODES {
                    return None;
                }
            }
        }
        Some(tree)
    }

    fn n_nodes(&self) -> i64 {
        self.edges.len() as i64
    }

    /// Adds a child of a node, or a root.
    fn add(&mut self, from: Option<usize>, given: Given) -> usize {
        let n_nodes = self.edges.len();
        let node = *self.known.entry((from, given.clone())).or_insert(n_nodes);
        if node == n_nodes {
            self.edges.push((from, given, node));
        }
        node
    }

    /// Adds the monitor variable.
    fn watch(&self, model: &mut Model) -> VarId {
        let beyond = self.n_nodes();
        let domain = Domain::Range(0, beyond);
        model.add_monitor("__inputs", domain, Span::default(), |model, read| {
            let mut first = model.exprs.value(Value::Int(beyond));
            let mut next = first;
            for (from, given, to) in &self.edges {
                let Some(from) = from else {
                    let same = all(model, given, Side::Now);
                    first = ite(model, same, *to, first);
                    continue;
                };
                let here = model.exprs.has_value(read, Value::Int(*from as i64));
                let same = all(model, given, Side::Next);
                let taken = model.exprs.and(here, same);
                next = ite(model, taken, *to, next);
            }
            (first, next)
        })
    }
}

fn given(inputs: &[(VarId, VarKind)], before: Option<&State>, state: &State) -> Given {
    // The inputs of a step are stored in its source state.
    let value = |var: VarId, kind: VarKind| match kind {
        VarKind::Input => before.and_then(|state| state.get(var)),
        VarKind::State | VarKind::Frozen => state.get(var),
    };
    inputs.iter().filter_map(|&(var, kind)| Some((var, value(var, kind)?))).collect()
}

/// The state of a step that inputs belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Now,
    Next,
}

/// The condition that the inputs have these values.
fn all(model: &mut Model, given: &[(VarId, Value)], side: Side) -> ExprId {
    let mut whole = model.exprs.bool(true);
    for &(var, value) in given {
        let read = model.var_expr(var);
        // Step inputs are read as they are.
        let read = match (side, model.var(var).kind) {
            (Side::Next, VarKind::State | VarKind::Frozen) => model.exprs.prime(read),
            _ => read,
        };
        let same = model.exprs.has_value(read, value);
        whole = model.exprs.and(whole, same);
    }
    whole
}

fn ite(model: &mut Model, condition: ExprId, node: usize, other: ExprId) -> ExprId {
    let node = model.exprs.value(Value::Int(node as i64));
    model.exprs.add(Expr::Ite(condition, node, other))
}

/// The target, met beyond the tree.
fn late(model: &mut Model, watcher: VarId, beyond: i64, target: &Target) -> Target {
    let read = model.var_expr(watcher);
    let node = model.exprs.value(Value::Int(beyond));
    let is_beyond = model.exprs.eq(read, node);
    let is_next = model.exprs.prime(is_beyond);
    match target {
        Target::State(expr) => Target::State(model.exprs.and(is_beyond, *expr)),
        Target::Step(expr) => Target::Step(model.exprs.and(is_next, *expr)),
        Target::Steps(exprs) => {
            let mut exprs = exprs.clone();
            if let Some(last) = exprs.last_mut() {
                *last = model.exprs.and(is_next, *last);
            }
            Target::Steps(exprs)
        }
    }
}
