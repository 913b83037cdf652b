//! The operator stack: Dijkstra's shunting-yard algorithm with frames.
//!
//! An operator waits here until its last operand is complete, and is then written behind its
//! operands. A bracket of any kind (also `case`, also the middle of `?:`) is a frame; operators
//! above a frame belong to what is inside it. SMV, PSL and SCR parse with this, each with its own
//! operators, frames and levels of precedence.

use trapline_source::Span;

/// One operator or operand of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<O> {
    /// What it is.
    pub op: O,
    /// The subexpression of which it is the root, without parentheses around it.
    pub span: Span,
}

/// The slice of all nodes that is one expression; its root is the last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The first node.
    pub start: u32,
    /// One past the root.
    pub end: u32,
}

/// How many frames and prefix operators may be open at once.
pub const MAX_DEPTH: usize = 10_000;

/// The level of a frame: below that of every operator.
const FRAME: u8 = 0;

/// The loosest level that an operator may have.
pub const LOOSEST: u8 = 1;

/// The nesting is too deep.
pub struct TooDeep;

/// Waiting operators and open frames.
pub struct Yard<F, O> {
    stack: Vec<Entry<F, O>>,
    /// The index of the innermost frame, plus one; zero for none.
    frame: u32,
    depth: usize,
    /// Where the operand that was completed last begins, its parentheses included.
    pub operand_start: u32,
}

struct Entry<F, O> {
    pending: Pending<F, O>,
    level: u8,
    /// Where the first operand begins, or the operator, whichever is first.
    start: u32,
}

enum Pending<F, O> {
    Prefix(O),
    Infix(O),
    /// A frame, and what `Yard::frame` was outside it.
    Frame(F, u32),
}

impl<F, O> Default for Yard<F, O> {
    fn default() -> Yard<F, O> {
        Yard { stack: Vec::new(), frame: 0, depth: 0, operand_start: 0 }
    }
}

impl<F: Copy, O: Copy + PartialEq> Yard<F, O> {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.stack.clear();
        self.frame = 0;
        self.depth = 0;
    }

    /// Pushes a prefix operator, which begins at `start`.
    pub fn push_prefix(&mut self, op: O, level: u8, start: u32) -> Result<(), TooDeep> {
        self.stack.push(Entry { pending: Pending::Prefix(op), level, start });
        self.deepen()
    }

    /// Pushes an operator whose first operand is complete.
    pub fn push_infix(&mut self, op: O, level: u8) {
        self.stack.push(Entry { pending: Pending::Infix(op), level, start: self.operand_start });
    }

    /// Opens a frame, which begins at `start`.
    pub fn open(&mut self, frame: F, start: u32) -> Result<(), TooDeep> {
        self.stack.push(Entry { pending: Pending::Frame(frame, self.frame), level: FRAME, start });
        self.frame = self.stack.len() as u32;
        self.deepen()
    }

    fn deepen(&mut self) -> Result<(), TooDeep> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(TooDeep) } else { Ok(()) }
    }

    /// Writes the operators on top that bind at least as tightly as `level`. The operand that was
    /// read last ends at `end`.
    #[inline]
    pub fn reduce(&mut self, level: u8, nodes: &mut Vec<Node<O>>, end: u32) {
        while let Some(top) = self.stack.last()
            && top.level >= level
        {
            let (op, is_prefix) = match top.pending {
                Pending::Prefix(op) => (op, true),
                Pending::Infix(op) => (op, false),
                Pending::Frame(..) => return,
            };
            self.operand_start = top.start;
            self.depth -= usize::from(is_prefix);
            nodes.push(Node { op, span: Span::new(top.start, end) });
            self.stack.pop();
        }
    }

    /// The innermost frame and where it begins.
    pub fn innermost(&self) -> Option<(F, u32)> {
        let entry = self.stack.get((self.frame as usize).checked_sub(1)?)?;
        match entry.pending {
            Pending::Frame(frame, _) => Some((frame, entry.start)),
            _ => None,
        }
    }

    /// Turns the innermost frame into another one.
    pub fn replace(&mut self, frame: F) {
        if let Some(idx) = (self.frame as usize).checked_sub(1)
            && let Pending::Frame(old, _) = &mut self.stack[idx].pending
        {
            *old = frame;
        }
    }

    /// Closes the innermost frame, which must be on top; it is a complete operand now.
    pub fn close(&mut self) {
        if let Some(Entry { pending: Pending::Frame(_, outer), start, .. }) = self.stack.pop() {
            self.frame = outer;
            self.depth -= 1;
            self.operand_start = start;
        }
    }

    /// Removes the prefix operator on top, and returns its start.
    pub fn pop_prefix(&mut self) -> Option<u32> {
        let is_prefix = |entry: &mut Entry<F, O>| matches!(entry.pending, Pending::Prefix(_));
        let entry = self.stack.pop_if(is_prefix)?;
        self.depth -= 1;
        Some(entry.start)
    }

    /// The level of the operator on top, looking through prefix operators `transparent`; that of
    /// a frame if there is none.
    pub fn top_level(&self, transparent: Option<O>) -> u8 {
        let is_seen = |entry: &&Entry<F, O>| match entry.pending {
            Pending::Prefix(op) => Some(op) != transparent,
            _ => true,
        };
        self.stack.iter().rev().find(is_seen).map_or(FRAME, |entry| entry.level)
    }

    /// Is nothing waiting above the innermost frame?
    pub fn is_at_frame(&self) -> bool {
        self.stack.len() == self.frame as usize
    }

    /// The open frames, outermost first.
    pub fn frames(&self) -> impl Iterator<Item = F> {
        self.stack.iter().filter_map(|entry| match entry.pending {
            Pending::Frame(frame, _) => Some(frame),
            _ => None,
        })
    }
}
