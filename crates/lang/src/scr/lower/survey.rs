//! A cell of an event table before it is lowered: around which of its parts the modes of the row stand, and
//! which events it joins.

use trapline_model::BinaryOp;

use crate::scr::syntax::{Node, Op};

/// The events of a cell with more nodes are not told apart.
const MAX_SPLIT: usize = 10_000;

/// How many nodes the subtree of each node has.
pub fn sizes(nodes: &[Node]) -> Vec<u32> {
    let mut sizes: Vec<u32> = Vec::with_capacity(nodes.len());
    for (idx, node) in nodes.iter().enumerate() {
        let mut size = 1;
        for _ in 0..n_operands(node.op) {
            size += sizes.get(idx.wrapping_sub(size as usize)).copied().unwrap_or(0);
        }
        sizes.push(size);
    }
    sizes
}

/// How many operands an operator has.
pub fn n_operands(op: Op) -> usize {
    match op {
        Op::Name(_) | Op::Primed(_) | Op::Int(_) | Op::Real(..) | Op::Bool(_) | Op::Never => 0,
        Op::Enter | Op::Leave => 0,
        Op::Event(_) | Op::Unary(_) => 1,
        Op::When | Op::Where | Op::While | Op::Binary(_) | Op::Range => 2,
        Op::Set(n) => n as usize,
    }
}

/// One of several events that a cell joins by `OR`.
pub struct Part {
    /// Its root.
    pub root: usize,
    /// The words around it, with their conditions.
    pub conditions: Vec<(Op, usize)>,
    /// Do the modes of the row stand around it, with other events?
    pub needs_modes: bool,
}

/// A cell, by what matters for its modes and its parts.
pub struct Survey<'n> {
    nodes: &'n [Node],
    sizes: &'n [u32],
    /// Does a part speak of `INMODE`?
    has_inmode: Vec<bool>,
    /// Can it happen without `INMODE`?
    is_plain: Vec<bool>,
    /// Does it join events by `OR`?
    joins: Vec<bool>,
}

impl<'n> Survey<'n> {
    /// Looks at every node once.
    pub fn new(nodes: &'n [Node], sizes: &'n [u32]) -> Survey<'n> {
        let (has_inmode, is_plain, joins) = (Vec::new(), Vec::new(), Vec::new());
        let mut survey = Survey { nodes, sizes, has_inmode, is_plain, joins };
        for (idx, node) in nodes.iter().enumerate() {
            let operands = survey.operands(idx);
            let has = operands.iter().any(|&operand| survey.has_inmode[operand]);
            let plain = |operand: &usize| survey.is_plain[*operand];
            let is_plain = match node.op {
                Op::Enter | Op::Leave => false,
                Op::Binary(BinaryOp::Or) => operands.iter().any(plain),
                _ => operands.iter().all(plain),
            };
            let joins = match node.op {
                Op::When | Op::Where | Op::While => survey.joins[operands[0]],
                op => op == Op::Binary(BinaryOp::Or),
            };
            survey.has_inmode.push(has || matches!(node.op, Op::Enter | Op::Leave));
            survey.is_plain.push(is_plain);
            survey.joins.push(joins);
        }
        survey
    }

    /// The operands of a node that joins events, guards them or is one; of others nobody asks.
    fn operands(&self, idx: usize) -> Vec<usize> {
        let last = idx.wrapping_sub(1);
        match n_operands(self.nodes[idx].op) {
            1 => vec![last],
            2 => vec![last - self.sizes[last] as usize, last],
            _ => Vec::new(),
        }
    }

    /// The largest parts that do not speak of `INMODE` and happen without it, each from its first
    /// node to its root, in the order of the text.
    pub fn rows(&self) -> Vec<(usize, usize)> {
        let mut rows = Vec::new();
        let mut stack = vec![self.nodes.len() - 1];
        while let Some(root) = stack.pop() {
            if !self.has_inmode[root] {
                rows.push((root + 1 - self.sizes[root] as usize, root));
            } else if self.is_plain[root] {
                let operands = self.operands(root);
                match self.nodes[root].op {
                    Op::Binary(BinaryOp::Or) => stack.extend(operands.into_iter().rev()),
                    // What happens without `INMODE` tests the modes in one operand; that is enough.
                    Op::Binary(BinaryOp::And) => {
                        stack.extend(operands.into_iter().find(|&part| self.has_inmode[part]));
                    }
                    _ => stack.push(operands[0]),
                }
            }
        }
        rows
    }

    /// The events that are joined by `OR`; none of a cell that nobody could survey.
    pub fn parts(&self, rows: &[(usize, usize)]) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.nodes.len() > MAX_SPLIT {
            return parts;
        }
        let is_inside = |root: usize| rows.iter().any(|&(start, end)| start <= root && root < end);
        let mut stack = vec![(self.nodes.len() - 1, Vec::new())];
        while let Some((root, mut conditions)) = stack.pop() {
            let operands = self.operands(root);
            match self.nodes[root].op {
                Op::Binary(BinaryOp::Or) => {
                    stack.push((operands[1], conditions.clone()));
                    stack.push((operands[0], conditions));
                }
                word @ (Op::When | Op::Where | Op::While) if self.joins[root] => {
                    conditions.push((word, operands[1]));
                    stack.push((operands[0], conditions));
                }
                _ => parts.push(Part { root, conditions, needs_modes: is_inside(root) }),
            }
        }
        parts
    }
}
