//! The remaining obligation of a formula, and its progression.
//!
//! A residual is a positive disjunctive normal form over subformulas, so its minimal form is
//! unique, and there are finitely many: the states of an observer. Reading a state is progression
//! (Bacchus and Kabanza, *Using temporal logics to express search control knowledge for planning*):
//! `p U q` becomes `q`, or `p` and later again `p U q`. Atoms are evaluated one by one, and only
//! those that the others leave relevant.

use rustc_hash::FxHashMap;

use super::formula::{Formula, Node, NodeId, Unobservable};

/// Maximum number of alternatives.
const MAX_ALTERNATIVES: usize = 128;

/// A disjunction of conjunctions of subformulas. All lists are sorted, and none contains another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Residual(Vec<Vec<NodeId>>);

/// The obligation after a state, if all relevant atoms are known.
#[derive(Clone, Debug)]
pub enum Ahead {
    /// It depends on this atom.
    Open(usize),
    /// This.
    Known(Residual),
}

impl Residual {
    /// The trivial or the unsatisfiable residual.
    pub fn truth(value: bool) -> Residual {
        Residual(if value { vec![Vec::new()] } else { Vec::new() })
    }

    /// Its value, if it is `TRUE` or `FALSE`.
    pub fn as_truth(&self) -> Option<bool> {
        match self.0.as_slice() {
            [] => Some(false),
            [list] if list.is_empty() => Some(true),
            _ => None,
        }
    }

    /// The alternatives.
    pub fn lists(&self) -> &[Vec<NodeId>] {
        &self.0
    }

    fn or(&self, other: &Residual) -> Result<Residual, Unobservable> {
        shortest(self.0.iter().chain(&other.0).cloned().collect())
    }

    fn and(&self, other: &Residual, formula: &Formula) -> Result<Residual, Unobservable> {
        let mut lists = Vec::new();
        for a in &self.0 {
            for b in &other.0 {
                let mut list: Vec<NodeId> = a.iter().chain(b).copied().collect();
                list.sort_unstable();
                list.dedup();
                if !is_contradiction(formula, &list) {
                    lists.push(list);
                }
            }
        }
        shortest(lists)
    }
}

fn is_contradiction(formula: &Formula, list: &[NodeId]) -> bool {
    let literals: Vec<NodeId> =
        list.iter().copied().filter(|&id| matches!(formula.get(id), Node::Literal(..))).collect();
    literals.iter().any(|&a| literals.iter().any(|&b| formula.are_opposite(a, b)))
}

/// Removes subsumed alternatives.
fn shortest(mut lists: Vec<Vec<NodeId>>) -> Result<Residual, Unobservable> {
    lists.sort_unstable();
    lists.dedup();
    if lists.len() > MAX_ALTERNATIVES {
        return Err(Unobservable::Alternatives);
    }
    let is_part = |part: &[NodeId], of: &[NodeId]| {
        part.len() < of.len() && part.iter().all(|id| of.binary_search(id).is_ok())
    };
    let kept = lists.iter().filter(|list| !lists.iter().any(|other| is_part(other, list)));
    Ok(Residual(kept.cloned().collect()))
}

/// The progression of one formula.
pub struct Progress<'f> {
    formula: &'f Formula,
    /// The formula and the operands of `X`, as residuals.
    later: FxHashMap<NodeId, Residual>,
}

impl Progress<'_> {
    /// Nothing is read yet.
    ///
    /// # Errors
    /// Where the formula has too many alternatives.
    pub fn new(formula: &Formula) -> Result<Progress<'_>, Unobservable> {
        let mut starts = vec![formula.root];
        for id in reachable(formula, vec![formula.root], operands) {
            if let Node::Next(inner) = formula.get(id) {
                starts.push(inner);
            }
        }
        let mut later: FxHashMap<NodeId, Residual> = FxHashMap::default();
        for id in reachable(formula, starts, connected) {
            let residual = match formula.get(id) {
                Node::Const(value) => Residual::truth(value),
                Node::And(a, b) => later[&a].and(&later[&b], formula)?,
                Node::Or(a, b) => later[&a].or(&later[&b])?,
                _ => Residual(vec![vec![id]]),
            };
            later.insert(id, residual);
        }
        Ok(Progress { formula, later })
    }

    /// The initial obligation.
    pub fn start(&self) -> Residual {
        self.later[&self.formula.root].clone()
    }

    /// The subformulas that a state decides under this obligation, operands first.
    pub fn decided(&self, residual: &Residual) -> Vec<NodeId> {
        let starts = residual.0.iter().flatten().copied().collect();
        reachable(self.formula, starts, present)
    }

    /// The obligation after a state in which atoms have these values.
    ///
    /// # Errors
    /// Where that has too many alternatives.
    pub fn read(
        &self,
        residual: &Residual,
        decided: &[NodeId],
        values: &[Option<bool>],
    ) -> Result<Ahead, Unobservable> {
        let mut ahead: FxHashMap<NodeId, Ahead> = FxHashMap::default();
        for &id in decided {
            let again = || Ahead::Known(Residual(vec![vec![id]]));
            let this = match self.formula.get(id) {
                Node::Const(value) => Ahead::Known(Residual::truth(value)),
                Node::Literal(atom, holds) => match values[atom] {
                    Some(value) => Ahead::Known(Residual::truth(value == holds)),
                    None => Ahead::Open(atom),
                },
                Node::Next(inner) => Ahead::Known(self.later[&inner].clone()),
                Node::And(a, b) => self.both(&ahead[&a], &ahead[&b])?,
                Node::Or(a, b) => self.either(&ahead[&a], &ahead[&b])?,
                Node::Until(a, b) => {
                    let goes_on = self.both(&ahead[&a], &again())?;
                    self.either(&ahead[&b], &goes_on)?
                }
                Node::Release(a, b) => {
                    let goes_on = self.either(&ahead[&a], &again())?;
                    self.both(&ahead[&b], &goes_on)?
                }
            };
            ahead.insert(id, this);
        }
        let mut whole = Ahead::Known(Residual::truth(false));
        for list in &residual.0 {
            let mut all = Ahead::Known(Residual::truth(true));
            for id in list {
                all = self.both(&all, &ahead[id])?;
            }
            whole = self.either(&whole, &all)?;
        }
        Ok(whole)
    }

    fn both(&self, a: &Ahead, b: &Ahead) -> Result<Ahead, Unobservable> {
        join(a, b, false, |a, b| a.and(b, self.formula))
    }

    fn either(&self, a: &Ahead, b: &Ahead) -> Result<Ahead, Unobservable> {
        join(a, b, true, Residual::or)
    }
}

/// Combines what is known; a controlling value makes the other operand irrelevant.
fn join(
    a: &Ahead,
    b: &Ahead,
    decides: bool,
    join: impl Fn(&Residual, &Residual) -> Result<Residual, Unobservable>,
) -> Result<Ahead, Unobservable> {
    let is_decided = |side: &Ahead| match side {
        Ahead::Known(residual) => residual.as_truth() == Some(decides),
        Ahead::Open(_) => false,
    };
    if is_decided(a) || is_decided(b) {
        return Ok(Ahead::Known(Residual::truth(decides)));
    }
    Ok(match (a, b) {
        (Ahead::Open(a), Ahead::Open(b)) => Ahead::Open(*a.min(b)),
        (Ahead::Open(atom), _) | (_, Ahead::Open(atom)) => Ahead::Open(*atom),
        (Ahead::Known(a), Ahead::Known(b)) => Ahead::Known(join(a, b)?),
    })
}

/// All operands.
fn operands(node: Node) -> Vec<NodeId> {
    match node {
        Node::Const(_) | Node::Literal(..) => Vec::new(),
        Node::Next(a) => vec![a],
        Node::And(a, b) | Node::Or(a, b) | Node::Until(a, b) | Node::Release(a, b) => vec![a, b],
    }
}

/// The operands that the current state constrains.
fn present(node: Node) -> Vec<NodeId> {
    match node {
        Node::Next(_) => Vec::new(),
        _ => operands(node),
    }
}

/// The operands of connectives.
fn connected(node: Node) -> Vec<NodeId> {
    match node {
        Node::And(..) | Node::Or(..) => operands(node),
        _ => Vec::new(),
    }
}

/// All descendants of some nodes, operands first.
fn reachable(
    formula: &Formula,
    starts: Vec<NodeId>,
    below: fn(Node) -> Vec<NodeId>,
) -> Vec<NodeId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = starts;
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            stack.extend(below(formula.get(id)));
        }
    }
    let mut ids: Vec<NodeId> = seen.into_iter().collect();
    ids.sort_unstable();
    ids
}
