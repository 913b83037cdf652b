//! Orders the cells of each layer so that few links cross.
//!
//! Sweeps down and up, each time sorting a layer by the mean position of the neighbours in the
//! previous layer (the barycentre heuristic), then exchanging neighbours while that helps. The best
//! order seen wins. The number of sweeps is determined by the size, so that the work is bounded.

use super::chains::{Link, Rows};

/// Maximum number of links visited in all sweeps.
const WORK: usize = 3_000_000;

/// Which neighbours a sweep uses.
#[derive(Clone, Copy)]
enum Sweep {
    Down,
    Up,
}

/// Reorders the layers.
pub fn reduce(rows: &mut Rows) {
    let n_links: usize = rows.down.iter().map(Vec::len).sum();
    let n_sweeps = (WORK / (20 * (n_links + rows.widths.len()) + 1)).clamp(2, 40);
    depth_first(rows);
    let mut best = rows.layers.clone();
    let mut fewest = count(rows);
    for sweep in 0..n_sweeps {
        if fewest == 0 {
            break;
        }
        sort_layers(rows, if sweep % 2 == 0 { Sweep::Down } else { Sweep::Up });
        if n_links < 2_000 {
            exchange(rows);
        }
        let n_crossings = count(rows);
        if n_crossings < fewest {
            fewest = n_crossings;
            best.clone_from(&rows.layers);
        }
    }
    rows.layers = best;
}

/// Puts what hangs together next to each other.
fn depth_first(rows: &mut Rows) {
    let mut is_seen = vec![false; rows.widths.len()];
    let mut layers = vec![Vec::new(); rows.layers.len()];
    let starts: Vec<usize> = rows.layers.iter().flatten().copied().collect();
    for start in starts {
        let mut stack = vec![start];
        while let Some(cell) = stack.pop() {
            if std::mem::replace(&mut is_seen[cell], true) {
                continue;
            }
            layers[rows.layer_of[cell]].push(cell);
            stack.extend(rows.up[cell].iter().rev().map(|link| link.to));
            stack.extend(rows.down[cell].iter().rev().map(|link| link.to));
        }
    }
    rows.layers = layers;
}

/// The index of each cell in its layer.
fn positions(rows: &Rows) -> Vec<usize> {
    let mut position = vec![0; rows.widths.len()];
    for layer in &rows.layers {
        for (idx, &cell) in layer.iter().enumerate() {
            position[cell] = idx;
        }
    }
    position
}

/// Where a link ends, as a place in the order: ends on a wide node are told apart.
fn end(rows: &Rows, position: &[usize], link: &Link) -> f64 {
    position[link.to] as f64 + 0.8 * link.to_at / rows.widths[link.to].max(1.0)
}

fn sort_layers(rows: &mut Rows, sweep: Sweep) {
    let mut position = positions(rows);
    let n_layers = rows.layers.len();
    for step in 1..n_layers {
        let layer_idx = match sweep {
            Sweep::Down => step,
            Sweep::Up => n_layers - 1 - step,
        };
        let layer = &rows.layers[layer_idx];
        let mut keyed: Vec<(f64, usize)> = layer
            .iter()
            .map(|&cell| {
                let links = match sweep {
                    Sweep::Down => &rows.up[cell],
                    Sweep::Up => &rows.down[cell],
                };
                let sum: f64 = links.iter().map(|link| end(rows, &position, link)).sum();
                // A cell without neighbours stays about where it is.
                let mean =
                    if links.is_empty() { position[cell] as f64 } else { sum / links.len() as f64 };
                (mean, cell)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (idx, &(_, cell)) in keyed.iter().enumerate() {
            position[cell] = idx;
        }
        rows.layers[layer_idx] = keyed.into_iter().map(|(_, cell)| cell).collect();
    }
}

/// Exchanges neighbours where that leaves fewer crossings, in one pass over all layers.
fn exchange(rows: &mut Rows) {
    let mut position = positions(rows);
    for layer_idx in 0..rows.layers.len() {
        for idx in 1..rows.layers[layer_idx].len() {
            let (left, right) = (rows.layers[layer_idx][idx - 1], rows.layers[layer_idx][idx]);
            let mut gain = 0;
            for links in [&rows.up, &rows.down] {
                let ends = |cell: usize| -> Vec<f64> {
                    links[cell].iter().map(|link| end(rows, &position, link)).collect()
                };
                let (left_ends, right_ends) = (ends(left), ends(right));
                // Two hubs side by side would cost more than they are worth.
                if left_ends.len() * right_ends.len() > 400 {
                    continue;
                }
                for a in &left_ends {
                    for b in &right_ends {
                        gain += i32::from(a > b) - i32::from(a < b);
                    }
                }
            }
            if gain > 0 {
                rows.layers[layer_idx].swap(idx - 1, idx);
                position[left] = idx;
                position[right] = idx - 1;
            }
        }
    }
}

/// How many pairs of links cross.
pub fn count(rows: &Rows) -> usize {
    let position = positions(rows);
    rows.layers.iter().map(|layer| count_below(rows, layer, &position)).sum()
}

/// Counts the inversions of the lower ends, sorted by the upper ones, with a Fenwick tree (Barth,
/// Jünger and Mutzel, 2002).
fn count_below(rows: &Rows, layer: &[usize], position: &[usize]) -> usize {
    let mut links: Vec<(f64, f64)> = Vec::new();
    for &cell in layer {
        for link in &rows.down[cell] {
            let start = position[cell] as f64 + 0.8 * link.at / rows.widths[cell].max(1.0);
            links.push((start, end(rows, position, link)));
        }
    }
    links.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut ends: Vec<f64> = links.iter().map(|link| link.1).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    let mut tree = vec![0_usize; ends.len() + 1];
    let mut n_crossings = 0;
    for (n_before, link) in links.iter().enumerate() {
        let rank = ends.partition_point(|end| *end < link.1) + 1;
        let mut n_not_right = 0;
        let mut idx = rank;
        while idx > 0 {
            n_not_right += tree[idx];
            idx &= idx - 1;
        }
        n_crossings += n_before - n_not_right;
        idx = rank;
        while idx < tree.len() {
            tree[idx] += 1;
            idx += idx & idx.wrapping_neg();
        }
    }
    n_crossings
}
