//! Expressions as the author wrote them, and the points where the author made a decision.
//!
//! Hash-consing merges equal expressions; criteria and mutations are about each occurrence. So
//! every right-hand side and constraint keeps a tree of occurrences. The trees are stored in
//! postfix order, each node with the size of its subtree: children are found by stepping back over
//! the subtrees, and building costs one push per node.

use trapline_source::Span;

use crate::expr::{DefineId, Expr, ExprId, Exprs, VarId};
use crate::group::GroupId;
use crate::instance::InstanceId;
use crate::op::{BinaryOp, UnaryOp};
use crate::typing::TypeError;

/// An occurrence of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OccId(pub u32);

/// All occurrences of a model.
#[derive(Clone, Debug, Default)]
pub struct Occurrences {
    nodes: Vec<Occurrence>,
    /// Where the text of another instance begins, and which one it is.
    origins: Vec<(u32, InstanceId)>,
}

/// An occurrence of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// What it means.
    pub expr: ExprId,
    /// Its span.
    pub span: Span,
    /// How it is written.
    pub shape: Shape,
    /// How many occurrences the subtree has, itself included.
    size: u32,
}

/// How an occurrence is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A name or a constant: no children.
    Leaf,
    /// An operator over its children.
    Operator,
    /// `next(e)`; the child already means the next state.
    Next,
    /// `case`: guard and value of each branch in turn.
    Case,
    /// `c ? t : e`
    Ite,
    /// An event: what stands in it means the old state in the first child and the new state in the
    /// second, which has the same text.
    Event(Event),
    /// An event that needs no operands: `@T(INMODE)`.
    Named,
    /// `e WHEN c`: an event and a condition. Both must hold, but no operator is between them.
    When,
    /// The modes of a row, which are written once for all its cells, and a cell.
    Row,
}

/// How an event compares the old state with the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `@T(c)`: it becomes true.
    Rise,
    /// `@F(c)`: it becomes false.
    Fall,
    /// `@C(x)`: it changes.
    Change,
    /// `WHILE c`: it is true before and after.
    Stay,
}

/// A point where the author made a decision.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its kind.
    pub kind: SiteKind,
    /// When it counts.
    pub scope: Scope,
    /// The decision: the guard, or the Boolean right-hand side, as written.
    pub decision: OccId,
    /// What must hold for the decision to be evaluated.
    pub reach: Option<ReachId>,
    /// What the decision is for.
    pub target: SiteTarget,
    /// The branch or right-hand side.
    pub span: Span,
}

/// A condition on the path to a site, and those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReachId(pub u32);

/// One condition on the path to a site. Paths to the branches of a `case` share their prefixes, so
/// they are kept as conditions and turned into an expression only on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The conditions before it.
    pub before: Option<ReachId>,
    /// The condition.
    pub condition: ExprId,
    /// Must it be true, or false?
    pub holds: bool,
}

/// The kind of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// An alternative of a group, by its number from 0.
    Branch {
        /// The group.
        group: GroupId,
        /// The alternative.
        index: u32,
    },
    /// The condition of a `?:`.
    If {
        /// The whole expression.
        whole: OccId,
    },
    /// A Boolean right-hand side with an operator in it.
    Boolean,
}

/// What a site is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// State 0 only.
    Init,
    /// Every state.
    State,
    /// Every step.
    Step,
}

/// What a site decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SiteTarget {
    /// The value of a variable: a part of an assignment, both by their indices.
    Assign {
        /// The variable.
        var: VarId,
        /// The assignment.
        assign_idx: u32,
        /// The part.
        part_idx: u32,
    },
    /// The value of a define.
    Define(DefineId),
    /// The constraint with this index.
    Constraint(u32),
    /// Whether an alternative of a group that is no `case` may be taken.
    Guard(GroupId, u32),
    /// A value that such an alternative assigns, by its index.
    Given(GroupId, u32, u32),
}

impl Event {
    /// What it means, of what its operand means in the old state and in the new one.
    ///
    /// # Errors
    /// When there is no such event of operands of these types.
    pub fn of(self, exprs: &mut Exprs, old: ExprId, new: ExprId) -> Result<ExprId, TypeError> {
        let mut not = |a| exprs.try_add(Expr::Unary(UnaryOp::Not, a));
        let (op, left, right) = match self {
            Event::Rise => (BinaryOp::And, not(old)?, new),
            Event::Fall => (BinaryOp::And, old, not(new)?),
            Event::Change => (BinaryOp::Ne, old, new),
            Event::Stay => (BinaryOp::And, old, new),
        };
        exprs.try_add(Expr::Binary(op, left, right))
    }
}

impl Occurrences {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The occurrence.
    pub fn get(&self, id: OccId) -> Occurrence {
        self.nodes[id.0 as usize]
    }

    /// From here on, the text is that of an instance.
    pub fn begin(&mut self, instance: InstanceId) {
        let start = self.nodes.len() as u32;
        // What was dropped may have begun here or later.
        while self.origins.pop_if(|(known, _)| *known >= start).is_some() {}
        if self.origins.last().is_none_or(|(_, known)| *known != instance) {
            self.origins.push((start, instance));
        }
    }

    /// The instance whose text an occurrence is from; that of copies is not known.
    pub fn instance(&self, id: OccId) -> InstanceId {
        let n_before = self.origins.partition_point(|(start, _)| *start <= id.0);
        n_before.checked_sub(1).map_or(InstanceId(0), |idx| self.origins[idx].1)
    }

    /// Adds one whose subtree begins with the occurrence at `start`.
    pub fn push(&mut self, start: usize, expr: ExprId, span: Span, shape: Shape) -> OccId {
        let size = (self.nodes.len() - start + 1) as u32;
        self.nodes.push(Occurrence { expr, span, shape, size });
        OccId(self.nodes.len() as u32 - 1)
    }

    /// Adds a copy of a subtree, and gives its root.
    pub fn copy(&mut self, id: OccId) -> OccId {
        let start = self.start(id);
        self.nodes.extend_from_within(start..=id.0 as usize);
        OccId(self.nodes.len() as u32 - 1)
    }

    /// Drops everything from `start` on.
    pub fn truncate(&mut self, start: usize) {
        self.nodes.truncate(start);
    }

    /// Gives one occurrence another meaning.
    pub fn set_expr(&mut self, id: OccId, expr: ExprId) {
        self.nodes[id.0 as usize].expr = expr;
    }

    /// Gives all occurrences from `start` on another meaning.
    pub fn rewrite(&mut self, start: usize, mut meaning: impl FnMut(ExprId) -> ExprId) {
        for node in &mut self.nodes[start..] {
            node.expr = meaning(node.expr);
        }
    }

    /// The first occurrence of a subtree.
    pub fn start(&self, id: OccId) -> usize {
        (id.0 + 1 - self.get(id).size) as usize
    }

    /// The children, first one first.
    pub fn children(&self, id: OccId) -> Vec<OccId> {
        let start = self.start(id) as u32;
        let mut children = Vec::new();
        let mut end = id.0;
        while end > start {
            let child = OccId(end - 1);
            children.push(child);
            end -= self.get(child).size;
        }
        children.reverse();
        children
    }

    /// All occurrences of a subtree, children before parents, the root last.
    pub fn subtree(&self, id: OccId) -> impl Iterator<Item = OccId> + use<> {
        (self.start(id) as u32..=id.0).map(OccId)
    }
}
