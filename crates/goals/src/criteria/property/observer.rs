//! Observers: a property as a deterministic automaton over finite prefixes.
//!
//! A state of the observer is the obligation that remains from the current state of the model on;
//! the edges that leave it partition the steps. `TRUE` and `FALSE` are sinks: the property is
//! satisfied, or violated, whatever follows. An observer sees only finite prefixes, so that it
//! never reports a violation of `F p`.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, Expr, ExprId, Exprs, UnaryOp, Value};

use super::formula::{Formula, Node, NodeId, Unobservable};
use super::residual::{Ahead, Progress, Residual};

/// Maximum number of states.
const MAX_STATES: usize = 64;
/// Maximum number of edges.
const MAX_EDGES: usize = 512;
/// Maximum number of cases of the atoms in one state.
const MAX_CASES: usize = 256;
/// Larger obligations are not shown.
const MAX_SHOWN: u64 = 60;

/// An observer.
#[derive(Debug)]
pub struct Observer {
    /// Its states, the initial one first.
    pub states: Vec<State>,
    /// The atoms that it reads in each state or step.
    pub atoms: Vec<ExprId>,
}

/// A state of an observer.
#[derive(Debug)]
pub struct State {
    /// The remaining obligation; `None` if it is too long to be shown.
    pub residual: Option<ExprId>,
    /// The value of a sink.
    pub sink: Option<bool>,
    /// The outgoing edges: each step satisfies exactly one condition. A sink has none.
    pub edges: Vec<Edge>,
}

/// An edge of an observer.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The target state.
    pub to: usize,
    /// The condition on the state or step read.
    pub condition: ExprId,
}

/// Makes the observer of a formula of LTL.
///
/// # Errors
/// Where the formula is something else, or the observer too large.
pub fn observe(exprs: &mut Exprs, root: ExprId) -> Result<Observer, Unobservable> {
    let formula = Formula::new(exprs, root)?;
    let progress = Progress::new(&formula)?;
    let start = progress.start();
    let mut maker = Maker { exprs, formula: &formula, progress, numbers: FxHashMap::default() };
    let mut waiting = VecDeque::from([start.clone()]);
    maker.numbers.insert(start, 0);
    let mut states = Vec::new();
    let mut n_edges = 0;
    while let Some(residual) = waiting.pop_front() {
        let sink = residual.as_truth();
        let edges = match sink {
            None => maker.edges(&residual, &mut waiting)?,
            Some(_) => Vec::new(),
        };
        n_edges += edges.len();
        if n_edges > MAX_EDGES {
            return Err(Unobservable::Edges(MAX_EDGES));
        }
        states.push(State { residual: maker.shown(&residual), sink, edges });
    }
    Ok(Observer { states, atoms: formula.atoms })
}

impl Observer {
    /// The next-state function of an observer.
    pub fn next(&self, exprs: &mut Exprs, current: ExprId) -> ExprId {
        // Sinks are never left.
        let mut next = current;
        for (idx, state) in self.states.iter().enumerate().rev() {
            let Some((last, others)) = state.edges.split_last() else { continue };
            let mut to = exprs.value(number(last.to));
            for edge in others.iter().rev() {
                let there = exprs.value(number(edge.to));
                to = exprs.add(Expr::Ite(edge.condition, there, to));
            }
            let is_here = exprs.has_value(current, number(idx));
            next = exprs.add(Expr::Ite(is_here, to, next));
        }
        next
    }
}

/// The value that encodes a state.
pub fn number(state: usize) -> Value {
    Value::Int(state as i64)
}

struct Maker<'m> {
    exprs: &'m mut Exprs,
    formula: &'m Formula,
    progress: Progress<'m>,
    numbers: FxHashMap<Residual, usize>,
}

/// The outgoing cases of a state, under construction.
struct Cases<'c> {
    residual: &'c Residual,
    decided: Vec<NodeId>,
    values: Vec<Option<bool>>,
    n_cases: usize,
    waiting: &'c mut VecDeque<Residual>,
}

impl Maker<'_> {
    fn edges(
        &mut self,
        residual: &Residual,
        waiting: &mut VecDeque<Residual>,
    ) -> Result<Vec<Edge>, Unobservable> {
        let decided = self.progress.decided(residual);
        let values = vec![None; self.formula.atoms.len()];
        let mut cases = Cases { residual, decided, values, n_cases: 0, waiting };
        let ways = self.branch(&mut cases)?;
        Ok(ways.into_iter().map(|(to, condition)| Edge { to, condition }).collect())
    }

    /// Where the open atoms lead, and when. Recurses once per atom, which are few.
    fn branch(&mut self, cases: &mut Cases<'_>) -> Result<BTreeMap<usize, ExprId>, Unobservable> {
        match self.progress.read(cases.residual, &cases.decided, &cases.values)? {
            Ahead::Known(residual) => {
                cases.n_cases += 1;
                if cases.n_cases > MAX_CASES {
                    return Err(Unobservable::Cases(MAX_CASES));
                }
                let to = self.state(residual, cases.waiting)?;
                Ok(BTreeMap::from([(to, self.exprs.bool(true))]))
            }
            Ahead::Open(atom) => {
                cases.values[atom] = Some(true);
                let yes = self.branch(cases)?;
                cases.values[atom] = Some(false);
                let no = self.branch(cases)?;
                cases.values[atom] = None;
                Ok(self.split(self.formula.atoms[atom], &yes, &no))
            }
        }
    }

    /// The index of a state, perhaps a new one.
    fn state(
        &mut self,
        residual: Residual,
        waiting: &mut VecDeque<Residual>,
    ) -> Result<usize, Unobservable> {
        if let Some(&known) = self.numbers.get(&residual) {
            return Ok(known);
        }
        let number = self.numbers.len();
        if number == MAX_STATES {
            return Err(Unobservable::States(MAX_STATES));
        }
        waiting.push_back(residual.clone());
        self.numbers.insert(residual, number);
        Ok(number)
    }

    fn split(
        &mut self,
        atom: ExprId,
        yes: &BTreeMap<usize, ExprId>,
        no: &BTreeMap<usize, ExprId>,
    ) -> BTreeMap<usize, ExprId> {
        let never = self.exprs.bool(false);
        let targets = yes.keys().chain(no.keys());
        let ways = targets.map(|to| {
            let [yes, no] = [yes, no].map(|ways| ways.get(to).copied().unwrap_or(never));
            (*to, choose(self.exprs, atom, yes, no))
        });
        ways.collect()
    }

    /// A residual as an expression.
    fn shown(&mut self, residual: &Residual) -> Option<ExprId> {
        let sizes = residual.lists().iter().flatten().map(|&id| self.formula.size(id));
        if sizes.fold(0, u64::saturating_add) > MAX_SHOWN {
            return None;
        }
        let mut whole = self.exprs.bool(false);
        for (idx, list) in residual.lists().iter().enumerate() {
            let mut all = self.exprs.bool(true);
            for (idx, &id) in list.iter().enumerate() {
                let part = self.expr(id);
                all = if idx == 0 { part } else { self.exprs.binary(BinaryOp::And, all, part) };
            }
            whole = if idx == 0 { all } else { self.exprs.binary(BinaryOp::Or, whole, all) };
        }
        Some(whole)
    }

    /// A subformula as an expression. Recurses over no more than `MAX_SHOWN` operators.
    fn expr(&mut self, id: NodeId) -> ExprId {
        let is = |id: NodeId, value: bool| self.formula.get(id) == Node::Const(value);
        let (op, a, b) = match self.formula.get(id) {
            Node::Const(value) => return self.exprs.bool(value),
            Node::Literal(atom, holds) => {
                return self.exprs.literal(self.formula.atoms[atom], holds);
            }
            Node::Next(a) => return self.prefixed(UnaryOp::X, a),
            Node::Until(a, b) if is(a, true) => return self.prefixed(UnaryOp::F, b),
            Node::Release(a, b) if is(a, false) => return self.prefixed(UnaryOp::G, b),
            Node::And(a, b) => (BinaryOp::And, a, b),
            Node::Or(a, b) => (BinaryOp::Or, a, b),
            Node::Until(a, b) => (BinaryOp::U, a, b),
            Node::Release(a, b) => (BinaryOp::V, a, b),
        };
        let [a, b] = [a, b].map(|operand| self.expr(operand));
        self.exprs.binary(op, a, b)
    }

    fn prefixed(&mut self, op: UnaryOp, operand: NodeId) -> ExprId {
        let operand = self.expr(operand);
        self.exprs.unary(op, operand)
    }
}

/// `c ? t : e`, without the constants.
fn choose(exprs: &mut Exprs, c: ExprId, t: ExprId, e: ExprId) -> ExprId {
    let otherwise = exprs.not(c);
    if t == e {
        t
    } else if exprs.is_false(t) {
        exprs.and(otherwise, e)
    } else if exprs.is_true(e) {
        exprs.or(otherwise, t)
    } else {
        exprs.ite(c, t, e)
    }
}
