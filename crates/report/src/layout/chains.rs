//! Cuts long edges into links between neighbouring layers.
//!
//! A cell is a node, or a lane: a position that an edge passes through in a layer where it has no
//! node. Edges of one bundle share lanes.

use std::collections::BTreeMap;

use super::{Edge, Node};

/// The width of a lane.
const LANE: f64 = 4.0;

/// A graph whose every link leads to the next layer.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The cells of each layer, from left to right. Those below `n_nodes` are the nodes.
    pub layers: Vec<Vec<usize>>,
    /// How many cells are nodes.
    pub n_nodes: usize,
    /// The layer of each cell.
    pub layer_of: Vec<usize>,
    /// The width of each cell.
    pub widths: Vec<f64>,
    /// The links of each cell to the next layer.
    pub down: Vec<Vec<Link>>,
    /// The same links, seen from the other end.
    pub up: Vec<Vec<Link>>,
    /// The cells of each edge, from top to bottom.
    pub chains: Vec<Vec<usize>>,
}

/// A link between cells of neighbouring layers, seen from one of them.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The other cell.
    pub to: usize,
    /// How far right of the middle of this cell it starts.
    pub at: f64,
    /// How far right of the middle of the other cell it ends.
    pub to_at: f64,
}

/// Cuts the edges.
pub fn split(nodes: &[Node], edges: &[Edge], is_reversed: &[bool], layer_of: &[usize]) -> Rows {
    let n_layers = layer_of.iter().max().map_or(0, |last| last + 1);
    let mut rows = Rows {
        layers: vec![Vec::new(); n_layers],
        n_nodes: nodes.len(),
        layer_of: layer_of.to_vec(),
        widths: nodes.iter().map(|node| node.size.width).collect(),
        down: vec![Vec::new(); nodes.len()],
        up: vec![Vec::new(); nodes.len()],
        chains: Vec::new(),
    };
    for (node, &layer) in layer_of.iter().enumerate() {
        rows.layers[layer].push(node);
    }
    let mut lanes = BTreeMap::new();
    for (edge, &is_reversed) in edges.iter().zip(is_reversed) {
        let (from, to) = if is_reversed { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let mut chain = vec![from];
        for layer in layer_of[from] + 1..layer_of[to] {
            let lane = lanes
                .entry((edge.bundle, is_reversed, layer))
                .or_insert_with(|| rows.add_lane(layer));
            chain.push(*lane);
        }
        chain.push(to);
        let (first_at, last_at) =
            if is_reversed { (edge.to_at, edge.from_at) } else { (edge.from_at, edge.to_at) };
        rows.link(&chain, first_at, last_at);
        rows.chains.push(chain);
    }
    rows
}

impl Rows {
    /// True if this cell is a lane.
    pub fn is_lane(&self, cell: usize) -> bool {
        cell >= self.n_nodes
    }

    fn add_lane(&mut self, layer: usize) -> usize {
        let cell = self.widths.len();
        self.layers[layer].push(cell);
        self.layer_of.push(layer);
        self.widths.push(LANE);
        self.down.push(Vec::new());
        self.up.push(Vec::new());
        cell
    }

    fn link(&mut self, chain: &[usize], first_at: f64, last_at: f64) {
        let n_links = chain.len() - 1;
        for (idx, pair) in chain.windows(2).enumerate() {
            let at = if idx == 0 { first_at } else { 0.0 };
            let to_at = if idx + 1 == n_links { last_at } else { 0.0 };
            // Bundled edges share links as well as cells.
            let differs = |link: &Link| link.to != pair[1] || link.at != at || link.to_at != to_at;
            let is_new = if self.down[pair[0]].len() <= self.up[pair[1]].len() {
                self.down[pair[0]].iter().all(differs)
            } else {
                self.up[pair[1]]
                    .iter()
                    .all(|link| link.to != pair[0] || link.at != to_at || link.to_at != at)
            };
            if is_new {
                self.down[pair[0]].push(Link { to: pair[1], at, to_at });
                self.up[pair[1]].push(Link { to: pair[0], at: to_at, to_at: at });
            }
        }
    }
}
