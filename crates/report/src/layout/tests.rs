//! Laws of the layout, on small graphs made by a fixed random sequence.

use super::*;

/// A random graph: the numbers come from a linear congruence with a fixed start.
fn random(seed: u64) -> (Vec<Node>, Vec<Edge>) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1);
    let mut draw = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let n_nodes = 2 + draw(20);
    let nodes = (0..n_nodes)
        .map(|_| Size { width: 20.0 + draw(200) as f64, height: 20.0 + draw(60) as f64 })
        .map(|size| Node { size, pin: Pin::Free })
        .collect();
    let n_edges = draw(3 * n_nodes);
    let edges = (0..n_edges)
        .map(|_| (draw(n_nodes), draw(n_nodes)))
        .filter(|(from, to)| from != to)
        .map(|(from, to)| Edge { from, to, from_at: 0.0, to_at: 0.0, bundle: to })
        .collect();
    (nodes, edges)
}

fn downward(n_nodes: usize, edges: &[Edge]) -> Vec<(usize, usize)> {
    let arrows: Vec<_> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let is_reversed = cycles::break_cycles(n_nodes, &arrows);
    let turn = |(&(from, to), turned): (&(usize, usize), bool)| {
        if turned { (to, from) } else { (from, to) }
    };
    arrows.iter().zip(is_reversed).map(turn).collect()
}

#[test]
fn every_edge_goes_down_once_cycles_are_broken() {
    for seed in 0..200 {
        let (nodes, edges) = random(seed);
        let downward = downward(nodes.len(), &edges);
        let layer_of = layers::assign(&nodes, &downward);
        assert!(downward.iter().all(|&(from, to)| layer_of[from] < layer_of[to]), "seed {seed}");
    }
}

#[test]
fn no_two_nodes_overlap() {
    for seed in 0..200 {
        let (nodes, edges) = random(seed);
        let placed = layered(&nodes, &edges);
        for a in 0..nodes.len() {
            for b in 0..a {
                let apart_x = (placed.nodes[a].x - placed.nodes[b].x).abs()
                    - (nodes[a].size.width + nodes[b].size.width) / 2.0;
                let apart_y = (placed.nodes[a].y - placed.nodes[b].y).abs()
                    - (nodes[a].size.height + nodes[b].size.height) / 2.0;
                assert!(apart_x > 1.0 || apart_y > 1.0, "seed {seed}: {a} and {b} overlap");
            }
        }
    }
}

#[test]
fn routes_start_and_end_at_their_nodes() {
    for seed in 0..100 {
        let (nodes, edges) = random(seed);
        let placed = layered(&nodes, &edges);
        for (edge, route) in edges.iter().zip(&placed.routes) {
            for (node, end) in [(edge.from, route.first()), (edge.to, route.last())] {
                let end = end.copied().unwrap_or_default();
                assert_eq!(end.x, placed.nodes[node].x, "seed {seed}");
                let off = (end.y - placed.nodes[node].y).abs() - nodes[node].size.height / 2.0;
                assert!(off.abs() < 0.01, "seed {seed}");
            }
        }
    }
}

#[test]
fn everything_is_inside_the_size() {
    for seed in 0..100 {
        let (nodes, edges) = random(seed);
        let placed = layered(&nodes, &edges);
        for (node, place) in nodes.iter().zip(&placed.nodes) {
            assert!(place.x - node.size.width / 2.0 >= -0.1, "seed {seed}");
            assert!(place.x + node.size.width / 2.0 <= placed.size.width + 0.1, "seed {seed}");
            assert!(place.y + node.size.height / 2.0 <= placed.size.height + 0.1, "seed {seed}");
        }
    }
}

#[test]
fn sweeps_never_add_crossings() {
    for seed in 0..100 {
        let (nodes, edges) = random(seed);
        let arrows: Vec<_> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let is_reversed = cycles::break_cycles(nodes.len(), &arrows);
        let layer_of = layers::assign(&nodes, &downward(nodes.len(), &edges));
        let mut rows = chains::split(&nodes, &edges, &is_reversed, &layer_of);
        crossing::reduce(&mut rows);
        let once = crossing::count(&rows);
        crossing::reduce(&mut rows);
        assert!(rows.layers.iter().map(Vec::len).sum::<usize>() == rows.widths.len());
        assert!(crossing::count(&rows) <= once.max(1) * 2, "seed {seed}");
    }
}

#[test]
fn the_same_graph_gives_the_same_drawing() {
    let (nodes, edges) = random(7);
    let (first, second) = (layered(&nodes, &edges), layered(&nodes, &edges));
    assert_eq!(first.nodes, second.nodes);
    assert_eq!(first.routes, second.routes);
}

#[test]
fn a_path_is_drawn_upright() {
    let size = Size { width: 50.0, height: 20.0 };
    let nodes = [Node { size, pin: Pin::Free }; 4];
    let edges: Vec<Edge> = (0..3)
        .map(|from| Edge { from, to: from + 1, from_at: 0.0, to_at: 0.0, bundle: from })
        .collect();
    let placed = layered(&nodes, &edges);
    assert!(placed.nodes.iter().all(|place| place.x == placed.nodes[0].x));
}

#[test]
fn frames_hold_their_nodes_and_nothing_else() {
    use compound::{Group, Sheet, Style, draw};
    for seed in 0..100 {
        let (nodes, edges) = random(seed);
        let groups: Vec<Group> = (0..nodes.len())
            .step_by(4)
            .map(|first| (first..nodes.len().min(first + 4)).collect())
            .zip([Style::Framed, Style::Table].into_iter().cycle())
            .map(|(members, style)| Group { members, style, label_width: 60.0 })
            .collect();
        let mut pairs: Vec<_> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let sizes = nodes.iter().map(|node| node.size).collect();
        let drawing = draw(&Sheet { nodes: sizes, edges: pairs, groups });
        for (node, rect) in drawing.nodes.iter().enumerate() {
            for (group_idx, frame) in drawing.frames.iter().enumerate() {
                let apart_x = (rect.middle.x - frame.middle.x).abs() - frame.size.width / 2.0;
                let apart_y = (rect.middle.y - frame.middle.y).abs() - frame.size.height / 2.0;
                let (half_x, half_y) = (rect.size.width / 2.0, rect.size.height / 2.0);
                let is_inside = apart_x <= -half_x && apart_y <= -half_y;
                let is_outside = apart_x >= half_x || apart_y >= half_y;
                let is_right = if node / 4 == group_idx { is_inside } else { is_outside };
                assert!(is_right, "seed {seed}: node {node}, frame {group_idx}");
            }
        }
    }
}
