//! Layered drawings with framed groups.
//!
//! Each group is drawn by itself first, with ports on its frame for the edges that cross it; then
//! the groups are drawn as big nodes. So frames never overlap and hold nothing foreign, and no
//! edge runs through a node. There is one port for each node that is read across the frame,
//! however many read it: at the bottom of a group one sees its inputs.

mod block;
mod shelf;

use std::collections::{BTreeMap, BTreeSet};

use super::{Edge, Node, Pin, Placed, Point, Size, cycles, layered};
use block::{Block, block};

/// A graph with groups.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// The size of each node.
    pub nodes: Vec<Size>,
    /// From reader to read; none from a node to itself, none twice.
    pub edges: Vec<(usize, usize)>,
    /// Every node is in exactly one.
    pub groups: Vec<Group>,
}

/// Nodes that are drawn together.
#[derive(Clone, Debug)]
pub struct Group {
    /// The nodes.
    pub members: Vec<usize>,
    /// How they are drawn.
    pub style: Style,
    /// The width of the label.
    pub label_width: f64,
}

/// How a group is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One node without a frame.
    Bare,
    /// A frame with the nodes and the edges between them.
    Framed,
    /// A frame with the nodes alone, as a table.
    Table,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Its middle.
    pub middle: Point,
    /// Its size.
    pub size: Size,
}

/// A line to draw: an edge, or a part of several.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Its route, from readers to read. Where x changes it is a curve with vertical ends.
    pub points: Vec<Point>,
    /// The readers.
    pub readers: Vec<usize>,
    /// What is read: one node, unless it leads to a table.
    pub reads: Vec<usize>,
    /// Which of its ends have arrow heads.
    pub heads: Heads,
}

/// Which ends of a wire have arrow heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heads {
    /// Neither.
    None,
    /// The one at what is read.
    Read,
    /// Both: each reads the other.
    Both,
}

/// A drawing.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Where each node is.
    pub nodes: Vec<Rect>,
    /// Where each group is.
    pub frames: Vec<Rect>,
    /// The lines.
    pub wires: Vec<Wire>,
    /// The whole size.
    pub size: Size,
}

/// Draws the graph.
pub fn draw(sheet: &Sheet) -> Drawing {
    let group_of = group_of(sheet);
    let ties = ties(sheet, &group_of);
    let blocks: Vec<Block> = (0..sheet.groups.len())
        .map(|group_idx| block(sheet, &group_of, &ties, group_idx))
        .collect();
    let mut drawing = Drawing {
        nodes: vec![Rect::default(); sheet.nodes.len()],
        frames: vec![Rect::default(); sheet.groups.len()],
        ..Drawing::default()
    };
    let parts = parts(&ties, &group_of, sheet.groups.len());
    let placed: Vec<Placed> =
        parts.iter().map(|part| draw_part(part, &ties, &group_of, &blocks)).collect();
    let sizes: Vec<Size> = placed.iter().map(|placed| placed.size).collect();
    let (corners, size) = shelf::pack(&sizes);
    drawing.size = size;
    for ((part, placed), corner) in parts.iter().zip(&placed).zip(corners) {
        for (&group_idx, &middle) in part.groups.iter().zip(&placed.nodes) {
            blocks[group_idx].put(sheet, group_idx, add(middle, corner), &mut drawing);
        }
        for (&tie_idx, route) in part.ties.iter().zip(&placed.routes) {
            let tie = &ties[tie_idx];
            let mut points: Vec<Point> = route.iter().map(|&point| add(point, corner)).collect();
            if tie.is_upward {
                points.reverse();
            }
            let is_end = sheet.groups[group_of[tie.read]].style != Style::Framed;
            let heads = if is_end { Heads::Read } else { Heads::None };
            let (readers, reads) = (tie.readers.clone(), tie.reads.clone());
            drawing.wires.push(Wire { points, readers, reads, heads });
        }
    }
    drawing
}

/// That some members of a group read a node outside it, or some nodes of a table.
struct Tie {
    reader: usize,
    readers: Vec<usize>,
    /// The node, or the first of the table.
    read: usize,
    reads: Vec<usize>,
    /// Is what is read drawn above its readers?
    is_upward: bool,
}

/// Which side of a frame a port is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Top,
    Bottom,
}

impl Tie {
    fn side_of_readers(&self) -> Side {
        if self.is_upward { Side::Top } else { Side::Bottom }
    }

    fn side_of_read(&self) -> Side {
        if self.is_upward { Side::Bottom } else { Side::Top }
    }
}

fn group_of(sheet: &Sheet) -> Vec<usize> {
    let mut group_of = vec![0; sheet.nodes.len()];
    for (group_idx, group) in sheet.groups.iter().enumerate() {
        for &node in &group.members {
            group_of[node] = group_idx;
        }
    }
    group_of
}

/// The edges between groups, one for each group and node or table that it reads.
fn ties(sheet: &Sheet, group_of: &[usize]) -> Vec<Tie> {
    let mut ends: BTreeMap<(usize, usize), (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
    for &(from, to) in sheet.edges.iter().filter(|(from, to)| group_of[*from] != group_of[*to]) {
        let owner = &sheet.groups[group_of[to]];
        let read = if owner.style == Style::Table { owner.members[0] } else { to };
        let (readers, reads) = ends.entry((group_of[from], read)).or_default();
        readers.insert(from);
        reads.insert(to);
    }
    let between: BTreeSet<(usize, usize)> =
        ends.keys().map(|&(reader, read)| (reader, group_of[read])).collect();
    let between: Vec<(usize, usize)> = between.into_iter().collect();
    let is_upward = cycles::break_cycles(sheet.groups.len(), &between);
    let mut ties = Vec::with_capacity(ends.len());
    for ((reader, read), (readers, reads)) in ends {
        let pair = between.partition_point(|pair| *pair < (reader, group_of[read]));
        ties.push(Tie {
            reader,
            readers: readers.into_iter().collect(),
            read,
            reads: reads.into_iter().collect(),
            is_upward: is_upward[pair],
        });
    }
    ties
}

/// Groups that hang together, and the ties between them.
#[derive(Default)]
struct Component {
    groups: Vec<usize>,
    ties: Vec<usize>,
}

/// The connected parts, those with the most groups first.
fn parts(ties: &[Tie], group_of: &[usize], n_groups: usize) -> Vec<Component> {
    let mut neighbours = vec![Vec::new(); n_groups];
    for tie in ties {
        neighbours[tie.reader].push(group_of[tie.read]);
        neighbours[group_of[tie.read]].push(tie.reader);
    }
    let mut part_of = vec![usize::MAX; n_groups];
    let mut parts: Vec<Component> = Vec::new();
    for start in 0..n_groups {
        if part_of[start] != usize::MAX {
            continue;
        }
        let mut stack = vec![start];
        while let Some(group_idx) = stack.pop() {
            if part_of[group_idx] == usize::MAX {
                part_of[group_idx] = parts.len();
                stack.extend(&neighbours[group_idx]);
            }
        }
        parts.push(Component::default());
    }
    for (group_idx, &part) in part_of.iter().enumerate() {
        parts[part].groups.push(group_idx);
    }
    for (tie_idx, tie) in ties.iter().enumerate() {
        parts[part_of[tie.reader]].ties.push(tie_idx);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.groups.len()));
    parts
}

fn draw_part(part: &Component, ties: &[Tie], group_of: &[usize], blocks: &[Block]) -> Placed {
    let local: BTreeMap<usize, usize> =
        part.groups.iter().enumerate().map(|(idx, &group_idx)| (group_idx, idx)).collect();
    let node = |&group_idx: &usize| Node { size: blocks[group_idx].size, pin: Pin::Free };
    let nodes: Vec<Node> = part.groups.iter().map(node).collect();
    let edge = |&tie_idx: &usize| {
        let tie = &ties[tie_idx];
        let reader = (tie.reader, blocks[tie.reader].port(tie.read, tie.side_of_readers()));
        let owner = group_of[tie.read];
        let read = (owner, blocks[owner].port(tie.read, tie.side_of_read()));
        let (from, to) = if tie.is_upward { (read, reader) } else { (reader, read) };
        Edge {
            from: local[&from.0],
            to: local[&to.0],
            from_at: from.1,
            to_at: to.1,
            bundle: 2 * tie.read + usize::from(tie.is_upward),
        }
    };
    let edges: Vec<Edge> = part.ties.iter().map(edge).collect();
    layered(&nodes, &edges)
}

fn add(a: Point, b: Point) -> Point {
    Point { x: a.x + b.x, y: a.y + b.y }
}
