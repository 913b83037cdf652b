//! More than one test for each goal, with different inputs.
//!
//! The inputs of all tests so far are a tree. A variable that watches the model follows it: it is
//! the node that the inputs have come to, or beyond the tree once they differ from every test. A
//! part that is met beyond it is met by a test with other inputs than all before, and what can't be
//! met there has no other test. So one search finds another test for all goals, or a proof.

use rustc_hash::FxHashMap;
use trapline_goals::subgoals::{Subgoal, Subgoals};
use trapline_goals::{decide, logic};
use trapline_model::goal::Target;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::Lift;
use trapline_model::{BinaryOp, Domain, Expr, ExprId, Model, Role, Value, VarId, VarKind};
use trapline_source::Span;

use super::Work;
use crate::tracker::Tracker;

/// Trees with more nodes are too much for a search.
const MAX_NODES: usize = 20_000;

/// Another test for each part that some test meets; each ends where the last part that needs it is
/// met. Empty when there is none, or the tests are too many.
pub fn others(tracker: &Tracker<'_>, tests: &[Trace], work: &Work<'_>) -> Vec<Trace> {
    let mut model = tracker.parts.model.clone();
    let inputs = inputs(&model);
    let tree = Tree::new(&inputs, tests).filter(|_| !inputs.is_empty());
    let Some(tree) = tree else { return Vec::new() };
    let watcher = tree.watch(&mut model);
    let beyond = tree.n_nodes();
    let (mut list, mut asked) = (Vec::new(), Vec::new());
    for (idx, part) in tracker.parts.list.iter().enumerate() {
        if let (Subgoal::Reach(target), false) = (part, tracker.is_left(idx)) {
            asked.push(list.len());
            list.push(Subgoal::Reach(late(&mut model, watcher, beyond, target)));
        }
    }
    let parts = Subgoals::of(model, list);
    let answers = decide::answer(&parts, &asked, &work.options.initial_engine, work.budget);
    let mut ends = vec![None; answers.traces.len()];
    for verdict in &answers.verdicts {
        if let decide::Verdict::Covered(shown) = verdict {
            for one in shown {
                ends[one.trace] = ends[one.trace].max(Some(one.state));
            }
        }
    }
    let back = Lift::First(tracker.parts.model.vars.len());
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

/// The inputs of tests: after which node, or at the start, which inputs lead to which node.
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

    /// The node after another one, or the first.
    fn add(&mut self, from: Option<usize>, given: Given) -> usize {
        let n_nodes = self.edges.len();
        let node = *self.known.entry((from, given.clone())).or_insert(n_nodes);
        if node == n_nodes {
            self.edges.push((from, given, node));
        }
        node
    }

    /// Adds the variable that follows the tree.
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
                let here = logic::equals(&mut model.exprs, read, Value::Int(*from as i64));
                let same = all(model, given, Side::Next);
                let taken = logic::and(&mut model.exprs, here, same);
                next = ite(model, taken, *to, next);
            }
            (first, next)
        })
    }
}

fn given(inputs: &[(VarId, VarKind)], before: Option<&State>, state: &State) -> Given {
    // The inputs of a step belong to the state before.
    let value = |var: VarId, kind: VarKind| match kind {
        VarKind::Input => before.and_then(|state| state.get(var)),
        VarKind::State | VarKind::Frozen => state.get(var),
    };
    inputs.iter().filter_map(|&(var, kind)| Some((var, value(var, kind)?))).collect()
}

/// Which state of a step inputs are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Now,
    Next,
}

/// That inputs are these.
fn all(model: &mut Model, given: &[(VarId, Value)], side: Side) -> ExprId {
    let mut whole = model.exprs.bool(true);
    for &(var, value) in given {
        let read = model.var_expr(var);
        // The inputs of a step are read as they are.
        let read = match (side, model.var(var).kind) {
            (Side::Next, VarKind::State | VarKind::Frozen) => model.exprs.prime(read),
            _ => read,
        };
        let same = logic::equals(&mut model.exprs, read, value);
        whole = logic::and(&mut model.exprs, whole, same);
    }
    whole
}

fn ite(model: &mut Model, condition: ExprId, node: usize, other: ExprId) -> ExprId {
    let node = model.exprs.value(Value::Int(node as i64));
    let ty = model.exprs.ty(node);
    model.exprs.add(Expr::Ite(condition, node, other), ty)
}

/// The target, where the inputs have left the tree by its end.
fn late(model: &mut Model, watcher: VarId, beyond: i64, target: &Target) -> Target {
    let read = model.var_expr(watcher);
    let node = model.exprs.value(Value::Int(beyond));
    let is_beyond = logic::binary(&mut model.exprs, BinaryOp::Eq, read, node);
    let is_next = model.exprs.prime(is_beyond);
    match target {
        Target::State(expr) => Target::State(logic::and(&mut model.exprs, is_beyond, *expr)),
        Target::Step(expr) => Target::Step(logic::and(&mut model.exprs, is_next, *expr)),
        Target::Steps(exprs) => {
            let mut exprs = exprs.clone();
            if let Some(last) = exprs.last_mut() {
                *last = logic::and(&mut model.exprs, is_next, *last);
            }
            Target::Steps(exprs)
        }
    }
}
