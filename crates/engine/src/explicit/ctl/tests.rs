//! Truth, distances and components against the textbook, on small graphs at random.

pub mod naive;
pub mod random;

use fixedbitset::FixedBitSet;
use trapline_model::{Model, UnaryOp};

use self::naive::{Naive, bits};
use self::random::{Example, N_ATOMS};
use super::*;
use crate::Distance;
use crate::explicit::compute;
use crate::explicit::fair::Fairness;
use crate::explicit::graph::Graph;
use crate::explicit::scc::{self, Components, Digraph, Within};

/// Truth of a formula over an example, and the graph that it is about.
pub fn truth_of<'a>(
    example: &'a Example,
    model: &Model,
    formula: ExprId,
) -> (FairGraph<'a>, Truth) {
    let budget = Budget::unlimited();
    let fair = FairGraph::new(&example.graph, example.fairness.clone(), &budget)
        .expect("there is no limit");
    let mut atoms = |atom| Ok(random::atom(example, model, atom));
    let truth = satisfying(&fair, model, formula, &mut atoms, &budget).expect("there is no limit");
    (fair, truth)
}

#[test]
fn formulas_are_true_where_the_textbook_says() {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut n_interesting = 0;
    for round in 0..6000 {
        let example = random::example(&mut rng);
        let mut model = random::model();
        let size = rng.usize(1..=5);
        let formula = random::formula(&mut rng, &mut model, size);
        if model.exprs.ty(formula) != Type::Temporal {
            continue;
        }
        let (fair, truth) = truth_of(&example, &model, formula);
        let naive = Naive::new(&example);
        assert_eq!(bits(&fair.states), naive.fair & bits(&fair.backward.all()), "{round}");
        for part in model.exprs.temporal_parts(formula) {
            let (found, expected) = (bits(truth.of(part)), naive.satisfying(&model.exprs, part));
            let expr = model.exprs.get(part);
            assert_eq!(found & naive.fair, expected & naive.fair, "{round}: {expr:?}");
        }
        let is_mixed = |set: u32| set & naive.fair != 0 && !set & naive.fair != 0;
        n_interesting += usize::from(is_mixed(bits(truth.of(formula))));
    }
    assert!(n_interesting > 800, "{n_interesting}");
}

#[test]
fn distances_are_what_they_should_be() {
    let mut rng = fastrand::Rng::with_seed(2);
    let budget = Budget::unlimited();
    for round in 0..4000 {
        let example = random::example(&mut rng);
        let fair = FairGraph::new(&example.graph, example.fairness.clone(), &budget)
            .expect("there is no limit");
        let naive = Naive::new(&example);
        let [p, q] = [(); 2].map(|()| &example.atoms[rng.usize(..N_ATOMS)]);
        let min = compute::min(&fair, p, q, &budget);
        assert_eq!(min, Ok(naive.min(bits(p), bits(q))), "{round}");
        let max = compute::max(&fair, p, q, &budget);
        assert_eq!(max, Ok(naive.max(bits(p), bits(q))), "{round}");
    }
}

/// A path of so many states, the last of which leads to itself or not.
fn line(n_states: u32, last: &[u32]) -> Graph {
    let mut edges: Vec<u32> = (1..n_states).collect();
    let mut edge_start: Vec<usize> = (0..n_states as usize).collect();
    edges.extend(last);
    edge_start.push(edges.len());
    let group_start = (0..=n_states).collect();
    Graph { group_start, initial: vec![0], edge_start, edges, ..Graph::default() }
}

fn states(graph: &Graph, states: &[usize]) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(graph.n_states());
    states.iter().for_each(|&state| set.insert(state));
    set
}

#[test]
fn longest_way_is_zero_without_fair_states() {
    let graph = line(4, &[]);
    let budget = Budget::unlimited();
    let fair = FairGraph::new(&graph, Fairness::default(), &budget).expect("there is no limit");
    let ask = |from, to| {
        let (from, to) = (states(&graph, from), states(&graph, to));
        [compute::min(&fair, &from, &to, &budget), compute::max(&fair, &from, &to, &budget)]
    };
    assert_eq!(ask(&[0], &[3]), [Ok(Distance::Infinite), Ok(Distance::Steps(0))]);
    assert_eq!(ask(&[0], &[]), [Ok(Distance::Infinite), Ok(Distance::Undefined)]);
    assert_eq!(ask(&[], &[3]), [Ok(Distance::Infinite), Ok(Distance::Undefined)]);
}

#[test]
fn large_bounds_end_with_the_sets_repeating() {
    // A loop of ten states: each lower bound gives another set, ten in all.
    let graph = line(10, &[0]);
    let atom = states(&graph, &[3]);
    let budget = Budget::new(crate::Limits { work: Some(10_000), ..crate::Limits::default() });
    let fair = FairGraph::new(&graph, Fairness::default(), &budget).expect("this is little work");
    let at = |lo, hi| {
        reaching(&fair, None, atom.clone(), Some(Bounds { lo, hi }), &budget).map(|set| bits(&set))
    };
    assert_eq!(at(1_000_000_003, 1_000_000_003), Ok(1));
    assert_eq!(at(1_000_000_003, 1_000_000_004), Ok(0b10_0000_0001));
    assert_eq!(at(0, u64::MAX), Ok(0b11_1111_1111));
}

#[test]
fn work_that_runs_out_is_reported() {
    let mut model = random::model();
    let atom = random::formula(&mut fastrand::Rng::with_seed(3), &mut model, 0);
    let formula = model.exprs.unary(UnaryOp::Ag, atom);
    let graph = line(100_000, &[0]);
    let fair = FairGraph::new(&graph, Fairness::default(), &Budget::unlimited())
        .expect("there is no limit");
    let budget = Budget::new(crate::Limits { work: Some(50_000), ..crate::Limits::default() });
    let mut atoms = |_| Ok(states(&graph, &[7]));
    let truth = satisfying(&fair, &model, formula, &mut atoms, &budget);
    assert_eq!(truth.map(|_| ()), Err(Why::Work));
}

/// Two nodes are in one component if each can be reached from the other.
#[test]
fn components_are_what_reaches_each_other() {
    let mut rng = fastrand::Rng::with_seed(4);
    for round in 0..2000 {
        let Example { graph, atoms, .. } = random::example(&mut rng);
        let mut inside = atoms[0].clone();
        inside.union_with(&atoms[1]);
        let within = Within { graph: &graph, states: &inside };
        let components = scc::components(&within, &Budget::unlimited()).expect("there is no limit");
        let n_nodes = within.n_nodes() as u32;
        let reached: Vec<FixedBitSet> = (0..n_nodes).map(|node| after(&within, node)).collect();
        for (a, b) in (0..n_nodes).flat_map(|a| (0..n_nodes).map(move |b| (a, b))) {
            let (of_a, of_b) = (components.of[a as usize], components.of[b as usize]);
            assert_eq!(of_a == Components::NONE, !within.contains(a), "{round}");
            let there = reached[a as usize].contains(b as usize);
            let and_back = reached[b as usize].contains(a as usize);
            if within.contains(a) && within.contains(b) {
                assert_eq!(of_a == of_b, a == b || there && and_back, "{round}: {a} {b}");
                assert!(!there || of_a >= of_b, "{round}: {a} {b}");
            }
        }
        for node in (0..n_nodes).filter(|&node| within.contains(node)) {
            let is_on_cycle = reached[node as usize].contains(node as usize);
            assert_eq!(components.is_on_cycle(node), is_on_cycle, "{round}: {node}");
        }
    }
}

/// What can be reached in one step or more.
fn after(within: &Within, node: u32) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(within.n_nodes());
    let mut open = if within.contains(node) { vec![node] } else { Vec::new() };
    while let Some(node) = open.pop() {
        let successors = (0..).map_while(|position| within.successor(node, position));
        for successor in successors.filter(|&successor| within.contains(successor)) {
            if !seen.put(successor as usize) {
                open.push(successor);
            }
        }
    }
    seen
}
