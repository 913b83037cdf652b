//! Small graphs and formulas at random.

use fixedbitset::FixedBitSet;
use trapline_model::{BinaryOp, BoundedOp, Expr, ExprId, Model, PathQuantifier, UnaryOp, VarId};

pub use crate::explicit::automaton::tests::words::model;
use crate::explicit::fair::{Fairness, Justice};
use crate::explicit::graph::Graph;

/// How many atoms there are; atom `i` is the variable `i`.
pub const N_ATOMS: usize = 3;
/// How many marks there are.
pub const N_MARKS: usize = 2;

/// A graph with its fairness and where the atoms are true.
pub struct Example {
    pub graph: Graph,
    pub fairness: Fairness,
    pub atoms: Vec<FixedBitSet>,
}

pub fn example(rng: &mut fastrand::Rng) -> Example {
    let graph = graph(rng);
    let set = |rng: &mut fastrand::Rng, rarity| random_set(rng, graph.n_states(), rarity);
    let justice = (0..rng.usize(..3).saturating_sub(rng.usize(..2)))
        .map(|_| match rng.bool() {
            true => Justice::States(set(rng, 3)),
            false => Justice::Edges(rng.usize(..N_MARKS)),
        })
        .collect();
    let atoms = (0..N_ATOMS).map(|atom| set(rng, atom + 1)).collect();
    Example { fairness: Fairness { justice }, atoms, graph }
}

/// Up to six groups of up to three states.
fn graph(rng: &mut fastrand::Rng) -> Graph {
    let mut graph = Graph { mark_words: 1, group_start: vec![0], ..Graph::default() };
    let max_size = rng.u32(1..=3);
    for group in 0..rng.u32(1..=6) {
        let start = graph.n_states() as u32;
        let n_states = rng.u32(1..=max_size);
        graph.group_start.push(start + n_states);
        graph.group_of.extend((0..n_states).map(|_| group));
    }
    // Both ways to write it when every state is a group.
    if graph.n_groups() == graph.n_states() && rng.bool() {
        graph.group_of.clear();
    }
    let rarity = rng.usize(2..=5);
    graph.edge_start.push(0);
    for state in 0..graph.n_states() as u32 {
        let groups = (0..graph.n_groups() as u32).filter(|_| rng.usize(..rarity) == 0);
        graph.edges.extend(groups);
        graph.edge_start.push(graph.edges.len());
        if rng.usize(..3) == 0 {
            graph.initial.push(state);
        }
    }
    graph.marks = graph.edges.iter().map(|_| rng.u64(..4) & rng.u64(..4)).collect();
    graph
}

fn random_set(rng: &mut fastrand::Rng, n_states: usize, rarity: usize) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(n_states);
    (0..n_states).filter(|_| rng.usize(..=rarity) == 0).for_each(|state| set.insert(state));
    set
}

/// A formula with about so many operators.
pub fn formula(rng: &mut fastrand::Rng, model: &mut Model, size: usize) -> ExprId {
    if size == 0 {
        return model.var_expr(VarId(rng.u32(..N_ATOMS as u32)));
    }
    let left = rng.usize(..size);
    let (p, q) = (formula(rng, model, left), formula(rng, model, size - 1 - left));
    let exprs = &mut model.exprs;
    let one = if rng.bool() { p } else { q };
    let lo = if rng.bool() { 0 } else { rng.i64(0..9) };
    let bounds = (lo, lo + if rng.u8(..9) == 0 { 60 } else { rng.i64(0..7) });
    match rng.u8(..8) {
        0..=2 => exprs.unary(unary(rng), one),
        3..=5 => exprs.binary(binary(rng), p, q),
        6 => {
            let ops = [BoundedOp::Ebf, BoundedOp::Abf, BoundedOp::Ebg, BoundedOp::Abg];
            exprs.bounded(ops[rng.usize(..4)], one, bounds)
        }
        _ => {
            let quantifiers = [PathQuantifier::Some, PathQuantifier::All];
            exprs.bounded_until(quantifiers[rng.usize(..2)], [p, q], bounds)
        }
    }
}

fn unary(rng: &mut fastrand::Rng) -> UnaryOp {
    use UnaryOp as Op;
    [Op::Not, Op::Ex, Op::Ax, Op::Ef, Op::Af, Op::Eg, Op::Ag][rng.usize(..7)]
}

fn binary(rng: &mut fastrand::Rng) -> BinaryOp {
    use BinaryOp as Op;
    let ops = [Op::And, Op::Or, Op::Xor, Op::Xnor, Op::Implies, Op::Iff, Op::Eu, Op::Au];
    ops[(rng.usize(..14)).min(7) ^ rng.usize(..2)]
}

/// Where an atom is true: a variable, or operators without time over variables.
pub fn atom(example: &Example, model: &Model, formula: ExprId) -> FixedBitSet {
    use BinaryOp as Op;
    let all = || {
        let mut all = FixedBitSet::with_capacity(example.atoms[0].len());
        all.insert_range(..);
        all
    };
    let of = |formula| atom(example, model, formula);
    match model.exprs.get(formula) {
        Expr::Var(VarId(atom)) => example.atoms[atom as usize].clone(),
        Expr::Unary(UnaryOp::Not, p) => &all() ^ &of(p),
        Expr::Binary(Op::And, p, q) => &of(p) & &of(q),
        Expr::Binary(Op::Or, p, q) => &of(p) | &of(q),
        Expr::Binary(Op::Implies, p, q) => &(&all() ^ &of(p)) | &of(q),
        Expr::Binary(Op::Xor, p, q) => &of(p) ^ &of(q),
        Expr::Binary(Op::Xnor | Op::Iff, p, q) => &all() ^ &(&of(p) ^ &of(q)),
        _ => unreachable!("atoms have no operators of time"),
    }
}
