//! Moves the cells of each layer sideways until links are short and straight.
//!
//! Layer by layer, each cell wishes to be at the weighted mean of its neighbours, and the whole
//! layer gets the nearest placement (in least squares) that keeps the order and the gaps: an
//! isotonic regression, by pooling adjacent violators. Repeated, this goes to the least sum of
//! squared lengths. The last rounds weigh a link by the inverse of its length, which tends to
//! the least sum of lengths and makes lines upright.

use super::GAP;
use super::chains::Rows;

/// How many rounds weigh links alike, and how many by the inverse of their length.
const ROUNDS: (usize, usize) = (10, 24);
/// Maximum number of links visited in all rounds.
const WORK: usize = 6_000_000;
/// The gap between adjacent lanes.
const LANE_GAP: f64 = 10.0;

/// Bends that are smaller are taken out.
const SMALL_BEND: f64 = 12.0;

/// What a round is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// Links alike.
    Short,
    /// Short links first.
    Upright,
}

/// The x of the middle of each cell; the leftmost edge is at 0.
pub fn assign(rows: &Rows) -> Vec<f64> {
    let mut xs = vec![0.0; rows.widths.len()];
    for layer in &rows.layers {
        let places = gaps(rows, layer);
        let middle = places.last().copied().unwrap_or(0.0) / 2.0;
        for (&cell, place) in layer.iter().zip(places) {
            xs[cell] = place - middle;
        }
    }
    let n_links: usize = rows.down.iter().map(Vec::len).sum();
    let most = (WORK / (4 * (n_links + rows.widths.len()) + 1)).max(2);
    for round in 0..(ROUNDS.0 + ROUNDS.1).min(most) {
        let aim = if round < ROUNDS.0 { Aim::Short } else { Aim::Upright };
        for layer in &rows.layers {
            settle(rows, layer, &mut xs, aim);
        }
        for layer in rows.layers.iter().rev() {
            settle(rows, layer, &mut xs, aim);
        }
    }
    straighten(rows, &mut xs);
    let left = xs.iter().zip(&rows.widths).map(|(x, width)| x - width / 2.0);
    let left = left.fold(f64::INFINITY, f64::min);
    xs.iter().map(|x| ((x - left) * 10.0).round() / 10.0).collect()
}

/// The positions of a layer's cells when packed, the first at 0.
fn gaps(rows: &Rows, layer: &[usize]) -> Vec<f64> {
    let mut places = Vec::with_capacity(layer.len());
    let mut place = 0.0;
    for (idx, &cell) in layer.iter().enumerate() {
        if idx > 0 {
            let before = layer[idx - 1];
            let gap = match (rows.is_lane(before), rows.is_lane(cell)) {
                (true, true) => LANE_GAP,
                (false, false) => GAP,
                _ => GAP * 0.75,
            };
            place += (rows.widths[before] + rows.widths[cell]) / 2.0 + gap;
        }
        places.push(place);
    }
    places
}

/// Takes small bends out of long edges: a lane goes right under what it comes from, if that is
/// near and leaves the gaps.
fn straighten(rows: &Rows, xs: &mut [f64]) {
    for layer in &rows.layers {
        let packed = gaps(rows, layer);
        for (idx, &cell) in layer.iter().enumerate() {
            let [link] = rows.up[cell].as_slice() else { continue };
            let x = xs[link.to] + link.to_at - link.at;
            let is_clear = |other: usize| {
                let gap = (packed[other] - packed[idx]).abs();
                (x - xs[layer[other]]) * if other < idx { 1.0 } else { -1.0 } >= gap
            };
            let is_free =
                (idx == 0 || is_clear(idx - 1)) && (idx + 1 == layer.len() || is_clear(idx + 1));
            if rows.is_lane(cell) && (x - xs[cell]).abs() < SMALL_BEND && is_free {
                xs[cell] = x;
            }
        }
    }
}

/// Some neighbours in a layer that touch each other.
struct Block {
    /// How many.
    n_cells: usize,
    /// Where the first would go.
    place: f64,
    weight: f64,
}

fn settle(rows: &Rows, layer: &[usize], xs: &mut [f64], aim: Aim) {
    let packed = gaps(rows, layer);
    let mut blocks: Vec<Block> = Vec::new();
    for (&cell, gap) in layer.iter().zip(&packed) {
        let (wish, weight) = wish(rows, cell, xs, aim);
        let mut block = Block { n_cells: 1, place: wish - gap, weight };
        while let Some(before) = blocks.pop_if(|before| before.place > block.place) {
            let weight = before.weight + block.weight;
            block = Block {
                n_cells: before.n_cells + block.n_cells,
                place: (before.place * before.weight + block.place * block.weight) / weight,
                weight,
            };
        }
        blocks.push(block);
    }
    let mut cells = layer.iter().zip(&packed);
    for block in blocks {
        for (&cell, gap) in cells.by_ref().take(block.n_cells) {
            xs[cell] = block.place + gap;
        }
    }
}

/// Where a cell would like to be, and how much.
fn wish(rows: &Rows, cell: usize, xs: &[f64], aim: Aim) -> (f64, f64) {
    let (mut sum, mut total) = (0.0, 0.0);
    for link in rows.up[cell].iter().chain(&rows.down[cell]) {
        let place = xs[link.to] + link.to_at - link.at;
        let mut weight = match (rows.is_lane(cell), rows.is_lane(link.to)) {
            (true, true) => 6.0,
            (false, false) => 1.0,
            _ => 2.0,
        };
        if aim == Aim::Upright {
            weight *= 40.0 / ((xs[cell] - place).abs() + 0.5);
        }
        sum += place * weight;
        total += weight;
    }
    if total > 0.0 { (sum / total, total) } else { (xs[cell], 0.01) }
}
