//! Fair CTL by the textbook: fixpoints over an explicit list of successors.
//!
//! Sets are the bits of a number.

use fixedbitset::FixedBitSet;
use trapline_model::expr::{Expr, ExprId, Exprs};
use trapline_model::{BinaryOp, BoundedOp, PathQuantifier, UnaryOp, Value, VarId};

use super::random::{Example, N_MARKS};
use crate::Distance;
use crate::explicit::fair::Justice;

pub struct Naive {
    n_states: usize,
    successors: Vec<u32>,
    /// For each mark, the successors that are reached by it.
    marked: Vec<Vec<u32>>,
    justice: Vec<Result<u32, usize>>,
    atoms: Vec<u32>,
    pub fair: u32,
}

pub fn bits(set: &FixedBitSet) -> u32 {
    set.ones().fold(0, |bits, state| bits | 1 << state)
}

impl Naive {
    pub fn new(Example { graph, fairness, atoms }: &Example) -> Naive {
        let mut naive = Naive {
            n_states: graph.n_states(),
            successors: vec![0; graph.n_states()],
            marked: vec![vec![0; graph.n_states()]; N_MARKS],
            justice: Vec::new(),
            atoms: atoms.iter().map(bits).collect(),
            fair: 0,
        };
        for state in 0..graph.n_states() {
            for edge in graph.edges_of(state as u32) {
                for successor in graph.group(graph.edges[edge]) {
                    naive.successors[state] |= 1 << successor;
                    for mark in (0..N_MARKS).filter(|&mark| graph.is_marked(edge, mark)) {
                        naive.marked[mark][state] |= 1 << successor;
                    }
                }
            }
        }
        naive.justice = fairness
            .justice
            .iter()
            .map(|justice| match justice {
                Justice::States(set) => Ok(bits(set)),
                Justice::Edges(mark) => Err(*mark),
            })
            .collect();
        naive.fair = naive.fair_eg(u32::MAX);
        naive
    }

    pub fn is_step(&self, from: u32, to: u32) -> bool {
        self.successors[from as usize] >> to & 1 == 1
    }

    pub fn shows(&self, mark: usize, from: u32, to: u32) -> bool {
        self.marked[mark][from as usize] >> to & 1 == 1
    }

    fn before(&self, successors: &[u32], set: u32) -> u32 {
        let is_before = |&state: &usize| successors[state] & set != 0;
        (0..self.n_states).filter(is_before).fold(0, |before, state| before | 1 << state)
    }

    fn ex(&self, set: u32) -> u32 {
        self.before(&self.successors, set & self.fair)
    }

    fn until(&self, through: u32, set: u32) -> u32 {
        fixpoint(set, |known| known | through & self.before(&self.successors, known))
    }

    /// Emerson and Lei's fixpoint.
    fn fair_eg(&self, set: u32) -> u32 {
        fixpoint(set, |known| {
            let mut known = known & set & self.before(&self.successors, known);
            for justice in &self.justice {
                let met = match *justice {
                    Ok(states) => states & known,
                    Err(mark) => set & self.before(&self.marked[mark], known),
                };
                known &= self.until(set, met);
            }
            known
        })
    }

    fn eu(&self, p: u32, q: u32) -> u32 {
        self.until(p, q & self.fair)
    }

    fn au(&self, p: u32, q: u32) -> u32 {
        !(self.eu(!q, !p & !q) | self.fair_eg(!q))
    }

    fn ebu(&self, p: u32, q: u32, (lo, hi): (i64, i64)) -> u32 {
        backwards(hi, |n_steps, later| {
            let now = if n_steps >= lo { q & self.fair } else { 0 };
            now | if n_steps < hi { p & self.ex(later) } else { 0 }
        })
    }

    fn abu(&self, p: u32, q: u32, (lo, hi): (i64, i64)) -> u32 {
        backwards(hi, |n_steps, later| {
            let now = if n_steps >= lo { q } else { 0 };
            now | if n_steps < hi { p & !self.ex(!later) } else { 0 }
        })
    }

    fn ebg(&self, p: u32, (lo, hi): (i64, i64)) -> u32 {
        backwards(hi, |n_steps, later| {
            let now = if n_steps >= lo { p & self.fair } else { self.fair };
            now & if n_steps < hi { self.ex(later) } else { u32::MAX }
        })
    }

    /// Where the formula is true. Only bits of states that start a fair path mean anything.
    pub fn satisfying(&self, exprs: &Exprs, formula: ExprId) -> u32 {
        use {BinaryOp as B, UnaryOp as U};
        let set = |formula: ExprId| self.satisfying(exprs, formula);
        let int = |constant| match exprs.constant(constant) {
            Value::Int(int) => int,
            _ => unreachable!("bounds are numbers"),
        };
        match exprs.get(formula) {
            Expr::Var(VarId(atom)) => self.atoms[atom as usize],
            Expr::Unary(U::Not, p) => !set(p),
            Expr::Unary(U::Ex, p) => self.ex(set(p)),
            Expr::Unary(U::Ax, p) => !self.ex(!set(p)),
            Expr::Unary(U::Ef, p) => self.eu(u32::MAX, set(p)),
            Expr::Unary(U::Ag, p) => !self.eu(u32::MAX, !set(p)),
            Expr::Unary(U::Eg, p) => self.fair_eg(set(p)),
            Expr::Unary(U::Af, p) => !self.fair_eg(!set(p)),
            Expr::Binary(B::And, p, q) => set(p) & set(q),
            Expr::Binary(B::Or, p, q) => set(p) | set(q),
            Expr::Binary(B::Xor, p, q) => set(p) ^ set(q),
            Expr::Binary(B::Xnor | B::Iff, p, q) => !(set(p) ^ set(q)),
            Expr::Binary(B::Implies, p, q) => !set(p) | set(q),
            Expr::Binary(B::Eu, p, q) => self.eu(set(p), set(q)),
            Expr::Binary(B::Au, p, q) => self.au(set(p), set(q)),
            Expr::Bounded(op, p, lo, hi) => {
                let (p, bounds) = (set(p), (int(lo), int(hi)));
                match op {
                    BoundedOp::Ebf => self.ebu(u32::MAX, p, bounds),
                    BoundedOp::Abf => self.abu(u32::MAX, p, bounds),
                    BoundedOp::Ebg => self.ebg(p, bounds),
                    BoundedOp::Abg => !self.ebu(u32::MAX, !p, bounds),
                    _ => unreachable!("no operator of CTL"),
                }
            }
            Expr::BoundedUntil(quantifier, operands, lo, hi) => {
                let (operands, bounds) = (exprs.list(operands), (int(lo), int(hi)));
                match quantifier {
                    PathQuantifier::Some => self.ebu(set(operands[0]), set(operands[1]), bounds),
                    PathQuantifier::All => self.abu(set(operands[0]), set(operands[1]), bounds),
                }
            }
            _ => unreachable!("no formula of CTL"),
        }
    }

    /// `COMPUTE MIN`, as NuSMV goes about it.
    pub fn min(&self, start: u32, end: u32) -> Distance {
        let (mut seen, end) = (start & self.fair, end & self.fair);
        for n_steps in 0..40 {
            if seen & end != 0 {
                return Distance::Steps(n_steps);
            }
            let after = (0..self.n_states)
                .filter(|state| seen >> state & 1 == 1)
                .fold(0, |after, state| after | self.successors[state]);
            seen |= after & self.fair;
        }
        Distance::Infinite
    }

    /// `COMPUTE MAX`, as NuSMV goes about it.
    pub fn max(&self, start: u32, end: u32) -> Distance {
        let counting = if self.fair == 0 { u32::MAX } else { self.fair };
        if start & counting == 0 || end & counting == 0 {
            return Distance::Undefined;
        }
        let mut outside = !end & self.fair;
        for n_steps in 0..40 {
            if outside & start == 0 {
                return Distance::Steps(n_steps);
            }
            outside &= self.before(&self.successors, outside);
        }
        Distance::Infinite
    }
}

fn fixpoint(start: u32, step: impl Fn(u32) -> u32) -> u32 {
    let (mut set, mut next) = (start, step(start));
    while next != set {
        (set, next) = (next, step(next));
    }
    set
}

fn backwards(hi: i64, at: impl Fn(i64, u32) -> u32) -> u32 {
    (0..=hi).rev().fold(0, |later, n_steps| at(n_steps, later))
}
