//! Evaluates never-claims on a trace without an engine.
//!
//! All claims are brought to negation normal form together, so that common subformulas are
//! evaluated once, and all atoms are evaluated in one plan. Then every subformula gets its column
//! of values along the trace, operands first (see `column.rs`), which is dropped after its last
//! use.

use trapline_model::Model;
use trapline_model::trace::Trace;

use super::atom::Atoms;
use super::column::{Column, NEVER, Word};
use super::normal::{Node, NodeId, Normal, Scan};
use super::{NeverClaim, Refusal};

/// Never-claims, compiled.
#[derive(Clone, Debug)]
pub struct NeverClaims {
    roots: Vec<Result<NodeId, Refusal>>,
    nodes: Vec<Node>,
    atoms: Atoms,
    /// Which nodes are needed,
    is_needed: Vec<bool>,
    /// and how many needed nodes use each.
    n_uses: Vec<u32>,
}

impl NeverClaims {
    /// Prepares claims.
    pub fn new(model: &Model, claims: &[NeverClaim]) -> NeverClaims {
        let mut normal = Normal::default();
        let roots: Vec<_> =
            claims.iter().map(|&claim| normal.add_claim(&model.exprs, claim)).collect();
        let atoms = Atoms::new(model, &normal.atoms);
        let (is_needed, n_uses) = uses(&normal.nodes, &roots);
        NeverClaims { roots, nodes: normal.nodes, atoms, is_needed, n_uses }
    }

    /// Why the claim with this index cannot be evaluated.
    pub fn refusal(&self, claim_idx: usize) -> Option<Refusal> {
        self.roots[claim_idx].err()
    }

    /// For each claim that the trace violates, the first state by which that is certain; where it
    /// takes the whole loop, the last state. Refused claims are not violated.
    pub fn violated(&self, trace: &Trace) -> Vec<Option<usize>> {
        let n_states = trace.states.len();
        if n_states == 0 {
            return vec![None; self.roots.len()];
        }
        let first = self.evaluate(trace);
        let state = |root: NodeId| match first[root as usize] {
            NEVER => None,
            position => Some((position as usize).min(n_states - 1)),
        };
        self.roots.iter().map(|root| root.ok().and_then(state)).collect()
    }

    /// The value of every needed formula at the first position.
    fn evaluate(&self, trace: &Trace) -> Vec<u32> {
        let word = self.word(trace);
        let values = self.atoms.values(trace);
        let mut columns: Vec<Column> = vec![Column::new(); self.nodes.len()];
        let mut n_uses = self.n_uses.clone();
        let mut first = vec![NEVER; self.nodes.len()];
        for (idx, &node) in self.nodes.iter().enumerate() {
            if !self.is_needed[idx] {
                continue;
            }
            let column = match node {
                Node::Literal { atom, holds } => {
                    let values = &values[atom as usize];
                    let loop_start = values.len() - word.period.unwrap_or(0);
                    let turns = values[loop_start..].iter().cycle();
                    let all = values[..loop_start].iter().chain(turns);
                    let delay = u32::from(self.atoms.is_step[atom as usize]);
                    word.literal(all.map(|value| *value == Some(!holds)), delay)
                }
                _ => operator(word, node, &columns),
            };
            first[idx] = column[0];
            if n_uses[idx] > 0 {
                columns[idx] = column;
            }
            for operand in node.operands() {
                n_uses[operand as usize] -= 1;
                if n_uses[operand as usize] == 0 {
                    columns[operand as usize] = Column::new();
                }
            }
        }
        first
    }

    /// The positions of a trace: those of its states, with a loop unrolled until past formulas are
    /// periodic. A past operator carries one bit, whose map over one iteration is idempotent (see
    /// [`trapline_model::lasso`]).
    fn word(&self, trace: &Trace) -> Word {
        let n_states = trace.states.len();
        let Some(start) = trace.loop_start.filter(|&start| start < n_states) else {
            return Word { len: n_states, period: None };
        };
        let period = n_states - start;
        let mut settled = vec![0; self.nodes.len()];
        let mut most: usize = 0;
        for (idx, &node) in self.nodes.iter().enumerate().filter(|(idx, _)| self.is_needed[*idx]) {
            let operands = node.operands().map(|operand| settled[operand as usize]).max();
            let more = match node {
                Node::Back(search) => search.bounds.map_or(period, |(_, hi)| hi),
                _ => 0,
            };
            settled[idx] = operands.unwrap_or(0) + more;
            most = most.max(settled[idx]);
        }
        Word { len: n_states + most.next_multiple_of(period), period: Some(period) }
    }
}

fn operator(word: Word, node: Node, columns: &[Column]) -> Column {
    let column = |id: NodeId| columns[id as usize].as_slice();
    let pointwise = |a: NodeId, b: NodeId, op: fn(u32, u32) -> u32| {
        column(a).iter().zip(column(b)).map(|(&a, &b)| op(a, b)).collect()
    };
    let searched = |search: Scan<NodeId>| Scan {
        reach: search.reach,
        side: search.side.map(column),
        main: column(search.main),
        bounds: search.bounds,
        outside: search.outside,
    };
    match node {
        Node::Literal { .. } => unreachable!("literals are no operators"),
        Node::And(a, b) => pointwise(a, b, u32::min),
        Node::Or(a, b) => pointwise(a, b, u32::max),
        Node::Next(a) => word.next(column(a)),
        Node::Ahead(search) => word.ahead(searched(search)),
        Node::Back(search) => word.back(searched(search)),
    }
}

/// Which nodes the claims need, and how many of these use each.
fn uses(nodes: &[Node], roots: &[Result<NodeId, Refusal>]) -> (Vec<bool>, Vec<u32>) {
    let mut is_needed = vec![false; nodes.len()];
    for root in roots.iter().flatten() {
        is_needed[*root as usize] = true;
    }
    let mut n_uses = vec![0; nodes.len()];
    for (idx, node) in nodes.iter().enumerate().rev() {
        if is_needed[idx] {
            for operand in node.operands() {
                is_needed[operand as usize] = true;
                n_uses[operand as usize] += 1;
            }
        }
    }
    (is_needed, n_uses)
}
