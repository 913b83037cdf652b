//! One group of a drawing, with ports on its frame.

use std::collections::{BTreeMap, BTreeSet};

use super::{Drawing, Group, Heads, Rect, Sheet, Side, Style, Tie, Wire, add};
use crate::layout::{Edge, GAP, Node, Pin, Point, Size, layered};

/// The room between a frame and what it holds.
const PADDING: f64 = 24.0;
/// The height of a frame's label.
const LABEL: f64 = 22.0;

/// A group, drawn by itself.
pub struct Block {
    /// Its size with the frame.
    pub size: Size,
    /// Its nodes, from its upper left corner.
    nodes: Vec<(usize, Point)>,
    wires: Vec<Wire>,
    /// For each node that is read across the frame, how far right of the middle its port is.
    ports: BTreeMap<(usize, Side), f64>,
}

impl Block {
    /// How far right of the middle the port of this node is; the middle if it has none.
    pub fn port(&self, node: usize, side: Side) -> f64 {
        self.ports.get(&(node, side)).copied().unwrap_or(0.0)
    }

    /// Puts it into the drawing.
    pub fn put(&self, sheet: &Sheet, group_idx: usize, middle: Point, drawing: &mut Drawing) {
        drawing.frames[group_idx] = Rect { middle, size: self.size };
        let corner =
            Point { x: middle.x - self.size.width / 2.0, y: middle.y - self.size.height / 2.0 };
        for &(node, place) in &self.nodes {
            drawing.nodes[node] = Rect { middle: add(place, corner), size: sheet.nodes[node] };
        }
        for wire in &self.wires {
            let points = wire.points.iter().map(|&point| add(point, corner)).collect();
            drawing.wires.push(Wire { points, ..wire.clone() });
        }
    }
}

/// Draws a group.
pub fn block(sheet: &Sheet, group_of: &[usize], ties: &[Tie], group_idx: usize) -> Block {
    let group = &sheet.groups[group_idx];
    match group.style {
        Style::Bare => {
            let size = sheet.nodes[group.members[0]];
            let middle = Point { x: size.width / 2.0, y: size.height / 2.0 };
            let nodes = vec![(group.members[0], middle)];
            Block { size, nodes, wires: Vec::new(), ports: BTreeMap::new() }
        }
        Style::Table => table(sheet, group),
        Style::Framed => framed(sheet, group_of, ties, group_idx),
    }
}

/// Whether the edge of a wire leads from reader to read or back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Along,
    Against,
}

/// All members in rows and columns.
fn table(sheet: &Sheet, group: &Group) -> Block {
    let sizes = group.members.iter().map(|&node| sheet.nodes[node]);
    let cell = sizes.fold(Size::default(), |most, size| Size {
        width: most.width.max(size.width),
        height: most.height.max(size.height),
    });
    let (step_x, step_y) = (cell.width + GAP, cell.height + GAP / 2.0);
    let n_members = group.members.len() as f64;
    let n_columns = (n_members * 2.0 * step_y / step_x).sqrt().ceil().max(1.0) as usize;
    let n_rows = group.members.len().div_ceil(n_columns);
    let n_columns = group.members.len().div_ceil(n_rows);
    let inside = n_columns as f64 * step_x - GAP;
    let width = inside.max(group.label_width) + 2.0 * PADDING;
    let left = (width - inside) / 2.0;
    let nodes = group.members.iter().enumerate().map(|(idx, &node)| {
        let (row, column) = ((idx / n_columns) as f64, (idx % n_columns) as f64);
        let x = left + column * step_x + cell.width / 2.0;
        (node, Point { x, y: PADDING / 2.0 + LABEL + row * step_y + cell.height / 2.0 })
    });
    let nodes = nodes.collect();
    let height = LABEL + n_rows as f64 * step_y + PADDING;
    Block { size: Size { width, height }, nodes, wires: Vec::new(), ports: BTreeMap::new() }
}

/// What a framed group's own layout is made of: its members, then its ports.
#[derive(Default)]
struct Inside {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// For each edge, its wire, still without points.
    wires: Vec<(Wire, Way)>,
    ports: Vec<(usize, Side)>,
}

fn framed(sheet: &Sheet, group_of: &[usize], ties: &[Tie], group_idx: usize) -> Block {
    let group = &sheet.groups[group_idx];
    let inside = inside(sheet, group_of, ties, group_idx);
    let placed = layered(&inside.nodes, &inside.edges);
    let has = |side| inside.ports.iter().any(|port| port.1 == side);
    let top = if has(Side::Top) { 0.0 } else { LABEL + PADDING / 2.0 };
    let bottom = if has(Side::Bottom) { 0.0 } else { PADDING };
    let width = placed.size.width.max(group.label_width) + 2.0 * PADDING;
    let corner = Point { x: (width - placed.size.width) / 2.0, y: top };
    let n_members = group.members.len();
    let port_x = |idx: usize| placed.nodes[n_members + idx].x + corner.x - width / 2.0;
    let ports = inside.ports.iter().enumerate().map(|(idx, &port)| (port, port_x(idx))).collect();
    let nodes = group.members.iter().zip(&placed.nodes);
    let nodes = nodes.map(|(&node, &place)| (node, add(place, corner))).collect();
    let wires = inside.wires.into_iter().zip(placed.routes).map(|((wire, way), route)| {
        let mut points: Vec<Point> = route.into_iter().map(|point| add(point, corner)).collect();
        if way == Way::Against {
            points.reverse();
        }
        Wire { points, ..wire }
    });
    let size = Size { width, height: top + placed.size.height + bottom };
    Block { size, nodes, wires: wires.collect(), ports }
}

fn inside(sheet: &Sheet, group_of: &[usize], ties: &[Tie], group_idx: usize) -> Inside {
    let members = &sheet.groups[group_idx].members;
    let local: BTreeMap<usize, usize> =
        members.iter().enumerate().map(|(idx, &node)| (node, idx)).collect();
    let free = |&node: &usize| Node { size: sheet.nodes[node], pin: Pin::Free };
    let mut inside = Inside { nodes: members.iter().map(free).collect(), ..Inside::default() };
    let is_within =
        |edge: &&(usize, usize)| local.contains_key(&edge.0) && local.contains_key(&edge.1);
    let within: BTreeSet<(usize, usize)> = sheet.edges.iter().filter(is_within).copied().collect();
    for &(from, to) in &within {
        let is_mutual = within.contains(&(to, from));
        if !(is_mutual && from > to) {
            let heads = if is_mutual { Heads::Both } else { Heads::Read };
            inside.edges.push(edge(local[&from], local[&to], 3 * to));
            inside.wires.push((wire(vec![from], vec![to], heads), Way::Along));
        }
    }
    for tie in ties {
        if tie.reader == group_idx {
            inside.enter(tie, &local);
        } else if group_of[tie.read] == group_idx {
            inside.leave(tie, ties, &local);
        }
    }
    inside
}

fn edge(from: usize, to: usize, bundle: usize) -> Edge {
    Edge { from, to, from_at: 0.0, to_at: 0.0, bundle }
}

fn wire(readers: Vec<usize>, reads: Vec<usize>, heads: Heads) -> Wire {
    Wire { points: Vec::new(), readers, reads, heads }
}

impl Inside {
    /// Connects the readers of a node outside with its port.
    fn enter(&mut self, tie: &Tie, local: &BTreeMap<usize, usize>) {
        let side = tie.side_of_readers();
        let port = self.add_port(tie.read, side);
        for reader in &tie.readers {
            let way = if side == Side::Top { Way::Against } else { Way::Along };
            self.connect(local[reader], port, side, tie.read);
            self.wires.push((wire(vec![*reader], tie.reads.clone(), Heads::None), way));
        }
    }

    /// Connects a node that is read outside with its port, once.
    fn leave(&mut self, tie: &Tie, ties: &[Tie], local: &BTreeMap<usize, usize>) {
        let side = tie.side_of_read();
        if self.ports.contains(&(tie.read, side)) {
            return;
        }
        let port = self.add_port(tie.read, side);
        let same = ties.iter().filter(|other| other.read == tie.read);
        let readers = same.flat_map(|other| other.readers.iter().copied()).collect();
        let way = if side == Side::Top { Way::Along } else { Way::Against };
        self.connect(local[&tie.read], port, side, tie.read);
        self.wires.push((wire(readers, vec![tie.read], Heads::Read), way));
    }

    fn add_port(&mut self, read: usize, side: Side) -> usize {
        let pin = if side == Side::Top { Pin::Top } else { Pin::Bottom };
        self.nodes.push(Node { size: Size { width: 4.0, height: 0.0 }, pin });
        self.ports.push((read, side));
        self.nodes.len() - 1
    }

    fn connect(&mut self, node: usize, port: usize, side: Side, read: usize) {
        self.edges.push(match side {
            Side::Top => edge(port, node, 3 * read + 1),
            Side::Bottom => edge(node, port, 3 * read + 2),
        });
    }
}
