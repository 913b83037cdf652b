//! Decomposition of obligations that start only once.
//!
//! The formula as a whole starts once, in state 0. So do its conjuncts, and if one is `p U q`, so
//! does `q`, at a moment that can be chosen. Each such moment opens a **scope**, which lasts from
//! then on.

use trapline_model::Exprs;

use super::formula::{Lit, Node, Pool, TRUE};
use super::truth::Level;

/// An interval that starts once and lasts for ever.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The index of the enclosing scope, which is smaller.
    pub parent: Option<usize>,
    /// What holds inside the parent until it starts.
    pub hold: Lit,
    /// What holds when it starts.
    pub starts: Vec<Lit>,
    /// What holds in it always.
    pub always: Vec<Lit>,
    /// What holds in it infinitely often.
    pub recurs: Vec<Lit>,
    /// True if it encloses another scope.
    pub has_child: bool,
    /// When its bit is set.
    pub marking: Marking,
}

/// When the bit of a scope is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// In its first state.
    Early,
    /// One state later, so that its starting condition may be over the step in between.
    Late,
}

/// The possible forms of a conjunct.
#[derive(Clone, Copy, Debug)]
enum Conjunct {
    Start(Lit),
    Always(Lit),
}

impl Scope {
    fn new(parent: Option<usize>, hold: Lit) -> Scope {
        Scope {
            parent,
            hold,
            starts: Vec::new(),
            always: Vec::new(),
            recurs: Vec::new(),
            has_child: false,
            marking: Marking::Early,
        }
    }

    /// The level at which its starting formulas are evaluated.
    pub fn start_level(&self) -> Level {
        match self.marking {
            Marking::Early => Level::State,
            Marking::Late => Level::Step,
        }
    }
}

/// The scopes of a formula, the first of which is the whole path.
pub fn scopes(pool: &Pool, exprs: &Exprs, root: Lit) -> Vec<Scope> {
    let mut scopes = vec![Scope::new(None, TRUE)];
    let mut stack = vec![(0, Conjunct::Start(root))];
    while let Some((idx, conjunct)) = stack.pop() {
        match conjunct {
            Conjunct::Start(lit) => {
                for lit in pool.conjuncts(lit) {
                    if let Some(operand) = pool.always(lit) {
                        stack.push((idx, Conjunct::Always(operand)));
                    } else if let Some((hold, start)) = pool.as_until(lit) {
                        stack.push((scopes.len(), Conjunct::Start(start)));
                        scopes[idx].has_child = true;
                        scopes.push(Scope::new(Some(idx), hold));
                    } else {
                        scopes[idx].starts.push(lit);
                    }
                }
            }
            Conjunct::Always(lit) => {
                for lit in pool.conjuncts(lit) {
                    match pool.eventually(lit) {
                        Some(operand) => scopes[idx].recurs.push(operand),
                        None => scopes[idx].always.push(lit),
                    }
                }
            }
        }
    }
    let is_step = steps(pool, exprs);
    for scope in &mut scopes {
        let starts_with_step = scope.starts.iter().any(|lit| is_step[lit.idx()]);
        if scope.parent.is_some() && !scope.has_child && starts_with_step {
            scope.marking = Marking::Late;
        }
    }
    scopes
}

/// The formulas that need fewer bits when evaluated on a step.
fn steps(pool: &Pool, exprs: &Exprs) -> Vec<bool> {
    let mut is_step = Vec::with_capacity(pool.len());
    for idx in 0..pool.len() {
        is_step.push(match pool.node(Lit::positive(idx)) {
            Node::Atom(expr) => super::reads_step(exprs, expr),
            Node::Next(_) => true,
            Node::And(a, b) | Node::Iff(a, b) | Node::Since(a, b) => {
                is_step[a.idx()] || is_step[b.idx()]
            }
            Node::True | Node::Until(..) | Node::Before(_) => false,
        });
    }
    is_step
}
