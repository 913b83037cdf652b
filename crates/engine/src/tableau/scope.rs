//! What a path has to do once, taken apart.
//!
//! The whole formula starts once, in state 0. What is a conjunct of it starts then too, and if
//! that is `p U q`, so does `q`, at one moment that can be chosen. Each such moment opens a
//! **scope**, the time from then on.

use trapline_model::Exprs;

use super::formula::{Lit, Node, Pool, TRUE};
use super::truth::Level;

/// A time that begins once and lasts.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The scope that it lies in, by its index, which is less.
    pub parent: Option<usize>,
    /// What holds inside the parent before it starts.
    pub hold: Lit,
    /// What holds when it starts.
    pub starts: Vec<Lit>,
    /// What holds in it always.
    pub always: Vec<Lit>,
    /// What holds in it again and again.
    pub recurs: Vec<Lit>,
    /// Is it the parent of another one?
    pub has_child: bool,
    /// When it is seen to have started.
    pub marking: Marking,
}

/// When a scope is seen to have started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// In its first state.
    Early,
    /// One state later, so that what starts it may be said of the step between.
    Late,
}

/// One way to speak of a conjunct.
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

    /// What the formulas that start it are said of.
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

/// Which formulas need fewer bits when they are said of a step?
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
