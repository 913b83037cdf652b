//! Drawing graphs in layers, after Sugiyama, Tagawa and Toda (1981).
//!
//! Cycles are broken, nodes are put into layers so that every edge goes down, long edges get a
//! cell in each layer that they cross, cells are ordered to avoid crossings and then moved
//! sideways until edges are short and straight. One file is one of these steps. [`compound`]
//! does it twice: inside framed groups, and between them.
//!
//! We differ in one thing: edges of one bundle share their cells, so that what goes to the same
//! node is drawn as a tree instead of a sheaf of parallel lines.

mod chains;
pub mod compound;
mod coordinates;
mod crossing;
mod cycles;
mod layers;

/// The least room between two neighbours of a layer.
pub const GAP: f64 = 28.0;

/// A point; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// The room that something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// From left to right.
    pub width: f64,
    /// From top to bottom.
    pub height: f64,
}

/// A node to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its size.
    pub size: Size,
    /// Which layer it must be in.
    pub pin: Pin,
}

/// Which layer a node must be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// Any.
    Free,
    /// The first, which holds only such nodes. No edge may lead to it.
    Top,
    /// The last, which holds only such nodes. No edge may leave it.
    Bottom,
}

/// An edge to draw. It may not lead from a node to itself.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The node that it leaves.
    pub from: usize,
    /// The node that it leads to.
    pub to: usize,
    /// How far right of the middle of `from` it starts.
    pub from_at: f64,
    /// How far right of the middle of `to` it ends.
    pub to_at: f64,
    /// Edges with the same number share an end, and as much of their route as possible.
    pub bundle: usize,
}

/// A drawing, its upper left corner at (0, 0).
#[derive(Clone, Debug, Default)]
pub struct Placed {
    /// The middle of each node.
    pub nodes: Vec<Point>,
    /// The route of each edge, from `from` to `to`. Where x changes, the route is between two
    /// layers.
    pub routes: Vec<Vec<Point>>,
    /// The whole size.
    pub size: Size,
}

/// Places nodes and edges.
pub fn layered(nodes: &[Node], edges: &[Edge]) -> Placed {
    let arrows: Vec<(usize, usize)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let is_reversed = cycles::break_cycles(nodes.len(), &arrows);
    let downward: Vec<(usize, usize)> = arrows
        .iter()
        .zip(&is_reversed)
        .map(|(&(from, to), &is_reversed)| if is_reversed { (to, from) } else { (from, to) })
        .collect();
    let layer_of = layers::assign(nodes, &downward);
    let mut rows = chains::split(nodes, edges, &is_reversed, &layer_of);
    crossing::reduce(&mut rows);
    let xs = coordinates::assign(&rows);
    place(nodes, edges, &is_reversed, &rows, &xs)
}

/// Where a layer begins and ends.
struct Band {
    top: f64,
    bottom: f64,
}

fn place(
    nodes: &[Node],
    edges: &[Edge],
    is_reversed: &[bool],
    rows: &chains::Rows,
    xs: &[f64],
) -> Placed {
    let bands = stack(nodes, rows, xs);
    let middle = |band: &Band| (band.top + band.bottom) / 2.0;
    let places: Vec<Point> = (0..nodes.len())
        .map(|node| Point { x: xs[node], y: middle(&bands[rows.layer_of[node]]) })
        .collect();
    let routes = edges
        .iter()
        .enumerate()
        .map(|(idx, edge)| {
            let (first, last) = if is_reversed[idx] {
                ((edge.to, edge.to_at), (edge.from, edge.from_at))
            } else {
                ((edge.from, edge.from_at), (edge.to, edge.to_at))
            };
            let mut route = Vec::new();
            let chain = &rows.chains[idx];
            for (step, &cell) in chain.iter().enumerate() {
                let band = &bands[rows.layer_of[cell]];
                let (mut x, mut top, mut bottom) = (xs[cell], band.top, band.bottom);
                if step == 0 {
                    x += first.1;
                    top = middle(band) + nodes[first.0].size.height / 2.0;
                } else if step + 1 == chain.len() {
                    x += last.1;
                    bottom = middle(band) - nodes[last.0].size.height / 2.0;
                }
                route.push(Point { x, y: top });
                route.push(Point { x, y: bottom });
            }
            route.dedup();
            if is_reversed[idx] {
                route.reverse();
            }
            route
        })
        .collect();
    let right = |cell: &usize| xs[*cell] + rows.widths[*cell] / 2.0;
    let width = rows.layers.iter().flatten().map(right).fold(0.0, f64::max);
    let height = bands.last().map_or(0.0, |band| band.bottom);
    Placed { nodes: places, routes, size: Size { width, height } }
}

/// Stacks the layers. Where edges go far sideways there is more room between two, so that they
/// do not become flat.
fn stack(nodes: &[Node], rows: &chains::Rows, xs: &[f64]) -> Vec<Band> {
    let mut bands: Vec<Band> = Vec::new();
    let mut top = 0.0;
    for layer in &rows.layers {
        let heights = layer.iter().filter_map(|&cell| nodes.get(cell)).map(|node| node.size.height);
        let bottom = top + heights.fold(0.0, f64::max);
        bands.push(Band { top, bottom });
        let spread = layer
            .iter()
            .flat_map(|&cell| rows.down[cell].iter().map(move |link| (cell, link)))
            .map(|(cell, link)| (xs[cell] + link.at - xs[link.to] - link.to_at).abs())
            .fold(0.0, f64::max);
        top = bottom + 40.0 + (spread * 0.12).min(120.0);
    }
    bands
}

#[cfg(test)]
mod tests;
