//! A decision as written: its conditions, and the Boolean operators over them.
//!
//! Conditions that are the same expression are one condition, wherever they occur. The Boolean
//! derivative of a decision is true where a condition determines it (Akers, *On a theory of Boolean
//! functions*): `dD/dc = D[c:=TRUE] xor D[c:=FALSE]`. For a condition that occurs once it is a
//! condition on the siblings on the path to the root, which stays small however large the decision
//! is.

use rustc_hash::FxHashMap;
use trapline_model::{BinaryOp, Event, Expr, ExprId, Exprs, Model, OccId, Shape, Type, UnaryOp};
use trapline_source::Span;

/// A Boolean function of conditions.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Operands before operators, the whole decision last.
    nodes: Vec<Node>,
    /// The distinct conditions, in textual order.
    pub conditions: Vec<Condition>,
}

/// An atomic condition.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Its expression.
    pub expr: ExprId,
    /// Its first occurrence.
    pub span: Span,
    /// Its number of occurrences.
    pub n_places: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    op: Op,
    expr: ExprId,
}

/// Operands are indices of nodes.
#[derive(Clone, Copy, Debug)]
enum Op {
    Condition(usize),
    Const(bool),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Implies(usize, usize),
    Xor(usize, usize),
    Iff(usize, usize),
    Ite(usize, usize, usize),
}

/// A pending task: visit an occurrence, or apply an operator to the results.
enum Task {
    Enter(OccId),
    Leave(OccId),
}

/// Two conditions whose disjunction replaces one.
pub type Replacement = [ExprId; 2];

impl Decision {
    /// The decision with some conditions replaced by the disjunction of two others.
    pub fn refined(&self, replacements: &[Option<Replacement>]) -> Decision {
        let mut refined = Decision { nodes: Vec::new(), conditions: Vec::new() };
        let mut known = FxHashMap::default();
        let mut places = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |idx: usize| places[idx];
            let op = match node.op {
                Op::Condition(idx) => {
                    let condition = self.conditions[idx];
                    let mut leaf = |expr: ExprId| {
                        let condition = Condition { expr, ..condition };
                        refined.condition(condition, &mut known)
                    };
                    match replacements[idx] {
                        Some([a, b]) => Op::Or(leaf(a), leaf(b)),
                        None => {
                            places.push(leaf(condition.expr));
                            continue;
                        }
                    }
                }
                Op::Const(value) => Op::Const(value),
                Op::Not(a) => Op::Not(at(a)),
                Op::And(a, b) => Op::And(at(a), at(b)),
                Op::Or(a, b) => Op::Or(at(a), at(b)),
                Op::Implies(a, b) => Op::Implies(at(a), at(b)),
                Op::Xor(a, b) => Op::Xor(at(a), at(b)),
                Op::Iff(a, b) => Op::Iff(at(a), at(b)),
                Op::Ite(c, t, e) => Op::Ite(at(c), at(t), at(e)),
            };
            places.push(refined.push(op, node.expr));
        }
        refined
    }

    fn condition(&mut self, condition: Condition, known: &mut FxHashMap<ExprId, usize>) -> usize {
        let idx = *known.entry(condition.expr).or_insert_with(|| {
            self.conditions.push(Condition { n_places: 0, ..condition });
            self.conditions.len() - 1
        });
        self.conditions[idx].n_places += 1;
        self.push(Op::Condition(idx), condition.expr)
    }

    /// The decision at an occurrence.
    pub fn new(model: &Model, root: OccId) -> Decision {
        let mut decision = Decision { nodes: Vec::new(), conditions: Vec::new() };
        let mut known = FxHashMap::default();
        let mut tasks = vec![Task::Enter(root)];
        let mut found: Vec<usize> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(occ) => match operands(model, occ) {
                    Some(children) => {
                        tasks.push(Task::Leave(occ));
                        tasks.extend(children.into_iter().rev().map(Task::Enter));
                    }
                    None => found.push(decision.leaf(model, occ, &mut known)),
                },
                Task::Leave(occ) => {
                    let n_operands = operands(model, occ).map_or(0, |children| children.len());
                    let operands = found.split_off(found.len() - n_operands);
                    found.push(decision.operator(model, occ, &operands));
                }
            }
        }
        decision
    }

    fn leaf(&mut self, model: &Model, occ: OccId, known: &mut FxHashMap<ExprId, usize>) -> usize {
        let occurrence = model.occurrences.get(occ);
        let expr = occurrence.expr;
        let constant = model.exprs.as_const(expr).and_then(|value| value.as_bool());
        match constant {
            Some(value) => self.push(Op::Const(value), expr),
            None => {
                let condition = Condition { expr, span: occurrence.span, n_places: 0 };
                self.condition(condition, known)
            }
        }
    }

    fn operator(&mut self, model: &Model, occ: OccId, operands: &[usize]) -> usize {
        let occurrence = model.occurrences.get(occ);
        let expr = occurrence.expr;
        let op = match (occurrence.shape, model.exprs.get(expr)) {
            (Shape::Next, _) => return operands[0],
            (Shape::Case, _) => return self.case(model, expr, operands),
            (Shape::Ite, _) => Op::Ite(operands[0], operands[1], operands[2]),
            (Shape::Event(event), Expr::Binary(_, left, right)) => {
                let (old, new) = (operands[0], operands[1]);
                match event {
                    Event::Rise => {
                        let before = self.push(Op::Not(old), left);
                        Op::And(before, new)
                    }
                    Event::Fall => {
                        let after = self.push(Op::Not(new), right);
                        Op::And(old, after)
                    }
                    Event::Change => Op::Xor(old, new),
                    Event::Stay => Op::And(old, new),
                }
            }
            (_, Expr::Unary(..)) => Op::Not(operands[0]),
            (_, Expr::Binary(op, ..)) => {
                let (a, b) = (operands[0], operands[1]);
                match op {
                    BinaryOp::And => Op::And(a, b),
                    BinaryOp::Or => Op::Or(a, b),
                    BinaryOp::Implies => Op::Implies(a, b),
                    BinaryOp::Xor | BinaryOp::Ne => Op::Xor(a, b),
                    _ => Op::Iff(a, b),
                }
            }
            _ => unreachable!("only these have operands"),
        };
        self.push(op, expr)
    }

    /// A `case`: where no branch applies it is undefined, which counts as false.
    fn case(&mut self, model: &Model, expr: ExprId, operands: &[usize]) -> usize {
        let mut ends = vec![expr];
        while let Expr::Ite(_, _, rest) = model.exprs.get(ends[ends.len() - 1]) {
            ends.push(rest);
        }
        let mut rest = self.push(Op::Const(false), expr);
        for (branch_idx, branch) in operands.chunks_exact(2).enumerate().rev() {
            let whole = ends.get(branch_idx).copied().unwrap_or(expr);
            rest = self.push(Op::Ite(branch[0], branch[1], rest), whole);
        }
        rest
    }

    fn push(&mut self, op: Op, expr: ExprId) -> usize {
        self.nodes.push(Node { op, expr });
        self.nodes.len() - 1
    }

    /// Its value under an assignment; bit *i* is condition *i*.
    pub fn value(&self, assignment: u64) -> bool {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |idx: usize| values[idx];
            values.push(match node.op {
                Op::Condition(idx) => assignment >> idx & 1 == 1,
                Op::Const(value) => value,
                Op::Not(a) => !at(a),
                Op::And(a, b) => at(a) && at(b),
                Op::Or(a, b) => at(a) || at(b),
                Op::Implies(a, b) => !at(a) || at(b),
                Op::Xor(a, b) => at(a) != at(b),
                Op::Iff(a, b) => at(a) == at(b),
                Op::Ite(c, t, e) => at(if at(c) { t } else { e }),
            });
        }
        values.last().copied().unwrap_or(false)
    }

    /// The decision with its conditions substituted.
    pub fn with(&self, exprs: &mut Exprs, mut condition: impl FnMut(usize) -> ExprId) -> ExprId {
        let mut built: Vec<ExprId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let at = |idx: usize| built[idx];
            let expr = match node.op {
                Op::Condition(idx) => condition(idx),
                Op::Const(value) => exprs.bool(value),
                Op::Not(a) => exprs.not(at(a)),
                Op::And(a, b) => exprs.and(at(a), at(b)),
                Op::Or(a, b) => exprs.or(at(a), at(b)),
                Op::Implies(a, b) => {
                    let not_a = exprs.not(at(a));
                    exprs.or(not_a, at(b))
                }
                Op::Xor(a, b) => exprs.xor(at(a), at(b)),
                Op::Iff(a, b) => {
                    let differ = exprs.xor(at(a), at(b));
                    exprs.not(differ)
                }
                Op::Ite(c, t, e) => exprs.ite(at(c), at(t), at(e)),
            };
            built.push(expr);
        }
        built.last().copied().unwrap_or_else(|| exprs.bool(false))
    }

    /// For each condition, where it determines the decision.
    pub fn derivatives(&self, exprs: &mut Exprs) -> Vec<ExprId> {
        let ways = self.ways(exprs);
        (0..self.conditions.len())
            .map(|idx| match ways[idx] {
                Some(way) if self.conditions[idx].n_places == 1 => way,
                _ => self.derivative(exprs, idx),
            })
            .collect()
    }

    /// `D[c:=TRUE] xor D[c:=FALSE]`
    fn derivative(&self, exprs: &mut Exprs, idx: usize) -> ExprId {
        let [yes, no] = [true, false].map(|value| {
            let constant = exprs.bool(value);
            let plain: Vec<ExprId> = self.conditions.iter().map(|c| c.expr).collect();
            self.with(exprs, |other| if other == idx { constant } else { plain[other] })
        });
        exprs.xor(yes, no)
    }

    /// For each condition, where its last occurrence determines the decision.
    fn ways(&self, exprs: &mut Exprs) -> Vec<Option<ExprId>> {
        let yes = exprs.bool(true);
        let mut ways = vec![yes; self.nodes.len()];
        let mut conditions = vec![None; self.conditions.len()];
        // Parents follow their operands.
        for (idx, node) in self.nodes.iter().enumerate().rev() {
            let way = ways[idx];
            let expr = |idx: usize| self.nodes[idx].expr;
            let mut along = |at: usize, neighbour: ExprId, holds: bool| {
                let must = exprs.literal(neighbour, holds);
                ways[at] = exprs.and(way, must);
            };
            match node.op {
                Op::Condition(condition) => conditions[condition] = Some(way),
                Op::Const(_) => {}
                Op::Not(a) => ways[a] = way,
                Op::And(a, b) => {
                    along(a, expr(b), true);
                    along(b, expr(a), true);
                }
                Op::Or(a, b) => {
                    along(a, expr(b), false);
                    along(b, expr(a), false);
                }
                Op::Implies(a, b) => {
                    along(a, expr(b), false);
                    along(b, expr(a), true);
                }
                Op::Xor(a, b) | Op::Iff(a, b) => {
                    ways[a] = way;
                    ways[b] = way;
                }
                Op::Ite(c, t, e) => {
                    along(t, expr(c), true);
                    along(e, expr(c), false);
                    let other = match self.nodes[e].op {
                        Op::Const(value) => exprs.bool(value),
                        _ => expr(e),
                    };
                    let differ = exprs.xor(expr(t), other);
                    ways[c] = exprs.and(way, differ);
                }
            }
        }
        conditions
    }
}

/// Where a decision has a condition, in textual order.
pub fn places(model: &Model, root: OccId, condition: ExprId) -> Vec<OccId> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(occ) = open.pop() {
        match operands(model, occ) {
            Some(children) => open.extend(children.into_iter().rev()),
            None if model.occurrences.get(occ).expr == condition => found.push(occ),
            None => {}
        }
    }
    found
}

/// The operands of a Boolean operator; `None` for a condition.
fn operands(model: &Model, occ: OccId) -> Option<Vec<OccId>> {
    let occurrence = model.occurrences.get(occ);
    let is_leaf = matches!(occurrence.shape, Shape::Leaf | Shape::Named);
    if model.exprs.ty(occurrence.expr) != Type::Bool || is_leaf {
        return None;
    }
    let children = model.occurrences.children(occ);
    let meaning = |child: OccId| model.occurrences.get(child).expr;
    let is_boolean = |child: &OccId| model.exprs.ty(meaning(*child)) == Type::Bool;
    let are_boolean = children.iter().all(is_boolean);
    let is_operator = match (occurrence.shape, model.exprs.get(occurrence.expr)) {
        (Shape::Next | Shape::Ite | Shape::Case | Shape::Event(_), _) => true,
        (_, Expr::Unary(UnaryOp::Not, a)) => children.len() == 1 && meaning(children[0]) == a,
        (_, Expr::Binary(op, a, b)) => {
            use BinaryOp as Op;
            let is_logical = matches!(
                op,
                Op::And | Op::Or | Op::Xor | Op::Xnor | Op::Implies | Op::Iff | Op::Eq | Op::Ne
            );
            is_logical
                && children.len() == 2
                && [a, b] == [meaning(children[0]), meaning(children[1])]
        }
        _ => false,
    };
    // `next` of a name is a condition like the name.
    let is_name = occurrence.shape == Shape::Next
        && children.iter().all(|&child| model.occurrences.get(child).shape == Shape::Leaf);
    (are_boolean && is_operator && !is_name).then_some(children)
}
