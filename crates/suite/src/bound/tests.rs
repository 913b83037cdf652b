//! Bounds and routes on random graphs, against all walks.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::Budget;
use trapline_engine::explicit::labelled::{Edge, LabelledGraph};

use super::{by_classes, price};
use crate::generate::Fewest;
use crate::goal_graph::{GoalGraph, Step};
use crate::tour::{Walk, find_tours};

/// A graph in which every need can be met.
fn random(rng: &mut Rng) -> Option<GoalGraph> {
    let (n_nodes, n_targets) = (rng.usize(1..10), rng.usize(1..8));
    let mut classes = vec![Vec::new()];
    for _ in 0..rng.usize(1..8) {
        classes.push((0..n_targets).filter(|_| rng.u8(..4) == 0).collect());
    }
    let mut edge = || {
        let class = if rng.bool() { 0 } else { rng.u32(..classes.len() as u32) };
        Edge { to: rng.u32(..n_nodes as u32), class }
    };
    let starts = vec![edge()];
    let mut map = LabelledGraph { edge_start: vec![0], starts, ..LabelledGraph::default() };
    let sizes: Vec<usize> = (0..n_nodes).map(|node| 1 + node % 3).collect();
    for size in sizes {
        let mut edges: Vec<Edge> = (0..size).map(|_| edge()).collect();
        edges.sort_unstable();
        edges.dedup();
        map.edges.extend(edges);
        map.edge_start.push(map.edges.len());
    }
    map.classes = classes;
    // What no walk meets is no need, which only those who have walked know.
    let all: Vec<Vec<usize>> = (0..n_targets).map(|target| vec![target]).collect();
    let graph = GoalGraph::new(&map, &all, &[]);
    let is_met = graph.depths().iter().all(|&depth| depth != u64::MAX);
    (is_met && graph.n_needs > 0).then_some(graph)
}

fn bits(graph: &GoalGraph, step: Step) -> u64 {
    graph.met(step).iter().fold(0, |bits, need| bits | 1 << need)
}

/// The fewest steps of walks that meet all needs; a further walk costs so many.
fn optimum(graph: &GoalGraph, another: u64) -> u64 {
    let all: u64 = (1 << graph.n_needs) - 1;
    let mut seen: BTreeSet<(u32, u64)> = BTreeSet::new();
    let starts = graph.starts.iter();
    let mut waiting: BTreeSet<(u64, u32, u64)> =
        starts.map(|start| (0, start.to, bits(graph, *start))).collect();
    while let Some((cost, node, met)) = waiting.pop_first() {
        if met == all {
            return cost;
        }
        if seen.insert((node, met)) {
            let steps = graph.steps(node).iter();
            waiting.extend(steps.map(|step| (cost + 1, step.to, met | bits(graph, *step))));
            let starts = graph.starts.iter();
            waiting
                .extend(starts.map(|start| (cost + another, start.to, met | bits(graph, *start))));
        }
    }
    unreachable!("every need can be met")
}

/// Are these walks of the graph that meet all needs?
fn check(graph: &GoalGraph, walks: &[Walk]) {
    let mut met = 0;
    for walk in walks {
        assert!(graph.starts.contains(&walk.start));
        met |= bits(graph, walk.start);
        let mut node = walk.start.to;
        for step in &walk.steps {
            assert!(graph.steps(node).contains(step));
            met |= bits(graph, *step);
            node = step.to;
        }
    }
    assert_eq!(met, (1 << graph.n_needs) - 1);
}

#[test]
fn bounds_are_no_higher_than_the_best_walks_and_routes_no_shorter() {
    let mut rng = Rng::with_seed(7);
    let (mut n_graphs, mut n_tight, mut n_best) = (0, 0, 0);
    for seed in 0..3_000 {
        let Some(graph) = random(&mut rng) else { continue };
        let budget = Budget::unlimited();
        let depths = graph.depths();
        let best = optimum(&graph, 0);
        let prices = price::fewest_steps(&graph, &depths, &budget);
        let classes = by_classes(&graph, &depths, &budget);
        assert!(prices <= best && classes <= best, "{prices} {classes} {best} {graph:?}");
        let walks = find_tours(&graph, Fewest::Steps, seed, &budget.part(Some(20_000))).walks;
        check(&graph, &walks);
        let n_steps: usize = walks.iter().map(|walk| walk.steps.len()).sum();
        assert!(n_steps as u64 >= best, "{n_steps} {best} {graph:?}");
        let is_hard = best > 3;
        n_graphs += usize::from(is_hard);
        n_tight += usize::from(is_hard && prices.max(classes) == best);
        n_best += usize::from(is_hard && n_steps as u64 == best);
    }
    assert!(n_graphs > 150, "{n_graphs}");
    assert!(n_tight * 10 > n_graphs * 6, "{n_tight} of {n_graphs}");
    assert!(n_best * 100 > n_graphs * 95, "{n_best} of {n_graphs}");
}

#[test]
fn the_fewest_tests_come_before_the_fewest_steps() {
    let mut rng = Rng::with_seed(8);
    let (mut n_graphs, mut n_best) = (0, 0);
    for seed in 0..1_500 {
        let Some(graph) = random(&mut rng) else { continue };
        let best = optimum(&graph, 1_000);
        let budget = Budget::unlimited();
        let walks = find_tours(&graph, Fewest::Tests, seed, &budget.part(Some(20_000))).walks;
        check(&graph, &walks);
        let n_steps: usize = walks.iter().map(|walk| walk.steps.len()).sum();
        let size = (walks.len() as u64 - 1) * 1_000 + n_steps as u64;
        assert!(size >= best, "{size} {best} {graph:?}");
        n_graphs += usize::from(best > 3);
        n_best += usize::from(best > 3 && size == best);
    }
    assert!(n_graphs > 100 && n_best * 10 > n_graphs * 9, "{n_best} of {n_graphs}");
}
