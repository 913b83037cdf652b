//! And-inverter graphs.
//!
//! Structurally hashed, with constants folded, also across two levels of gates. Operands have
//! smaller numbers, so that a traversal in order sees them first.

use rustc_hash::FxHashMap;

use crate::answer::Why;
use trapline_budget::Budget;

/// Gates between two polls of the budget about memory.
const INTERVAL: usize = 1 << 14;

/// A literal: the output of a gate or an input, possibly inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bit(u32);

/// Never true.
pub const FALSE: Bit = Bit(0);
/// Always true.
pub const TRUE: Bit = Bit(1);

/// Marks the operands of an input.
const NOTHING: Bit = Bit(u32::MAX);

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The constant false.
    Constant,
    /// An input, by its number.
    Input(u32),
    /// Both are true.
    And(Bit, Bit),
}

impl Bit {
    /// The literal of a node, not inverted.
    pub fn of(node: usize) -> Bit {
        Bit((node as u32) << 1)
    }

    /// The node.
    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// True if it is inverted.
    #[inline]
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// Inverted if requested.
    pub fn inverted_if(self, is_inverted: bool) -> Bit {
        Bit(self.0 ^ u32::from(is_inverted))
    }

    /// The constant that it is.
    pub fn as_const(self) -> Option<bool> {
        (self.0 < 2).then_some(self == TRUE)
    }
}

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

impl From<bool> for Bit {
    fn from(value: bool) -> Bit {
        if value { TRUE } else { FALSE }
    }
}

/// An and-inverter graph.
pub struct Aig<'b> {
    gates: Vec<[Bit; 2]>,
    known: FxHashMap<[Bit; 2], u32>,
    /// Fan-out of each node, saturating at 255.
    n_users: Vec<u8>,
    n_inputs: u32,
    /// The budget.
    pub budget: &'b Budget<'b>,
}

impl<'b> Aig<'b> {
    /// No gates yet.
    pub fn new(budget: &'b Budget<'b>) -> Aig<'b> {
        Aig {
            gates: vec![[FALSE, FALSE]],
            known: FxHashMap::default(),
            n_users: vec![0],
            n_inputs: 0,
            budget,
        }
    }

    /// Number of nodes, including inputs and the constant.
    pub fn n_gates(&self) -> usize {
        self.gates.len()
    }

    /// How many inputs there are.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs as usize
    }

    /// A gate.
    #[inline]
    pub fn gate(&self, node: usize) -> Gate {
        match self.gates[node] {
            _ if node == 0 => Gate::Constant,
            [NOTHING, number] => Gate::Input(number.0),
            [a, b] => Gate::And(a, b),
        }
    }

    /// True if its fan-out exceeds one.
    pub fn is_shared(&self, node: usize) -> bool {
        self.n_users[node] > 1
    }

    /// A new input.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn input(&mut self) -> Result<Bit, Why> {
        self.budget.spend(1)?;
        self.n_inputs += 1;
        self.push([NOTHING, Bit(self.n_inputs - 1)])
    }

    fn push(&mut self, operands: [Bit; 2]) -> Result<Bit, Why> {
        let node = self.gates.len();
        if node.is_multiple_of(INTERVAL) {
            self.budget.allows((INTERVAL * 64) as u64)?;
        }
        if node > (u32::MAX / 2 - 2) as usize {
            return Err(Why::Memory);
        }
        self.gates.push(operands);
        self.n_users.push(0);
        Ok(Bit::of(node))
    }

    /// Conjunction.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn and(&mut self, a: Bit, b: Bit) -> Result<Bit, Why> {
        self.budget.spend(1)?;
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == FALSE || a == !b {
            return Ok(FALSE);
        }
        if a == TRUE || a == b {
            return Ok(b);
        }
        for (one, other) in [(a, b), (b, a)] {
            if let Some(simple) = self.absorbed(one, other) {
                return Ok(simple);
            }
        }
        if let Some(simple) = self.resolved(a, b) {
            return Ok(simple);
        }
        if let Some(&known) = self.known.get(&[a, b]) {
            return Ok(Bit::of(known as usize));
        }
        let bit = self.push([a, b])?;
        for operand in [a, b] {
            let n_users = &mut self.n_users[operand.node()];
            *n_users = n_users.saturating_add(1);
        }
        self.known.insert([a, b], bit.node() as u32);
        Ok(bit)
    }

    /// Simplifies `one & other` by the operands of `one`.
    fn absorbed(&self, one: Bit, other: Bit) -> Option<Bit> {
        let Gate::And(x, y) = self.gate(one.node()) else { return None };
        match one.is_inverted() {
            false if x == other || y == other => Some(one),
            false if x == !other || y == !other => Some(FALSE),
            true if x == !other || y == !other => Some(other),
            _ => None,
        }
    }

    /// Simplifies `!(x & y) & !(x & !y)` to `!x`.
    fn resolved(&self, a: Bit, b: Bit) -> Option<Bit> {
        if !a.is_inverted() || !b.is_inverted() {
            return None;
        }
        let (Gate::And(p, q), Gate::And(r, s)) = (self.gate(a.node()), self.gate(b.node())) else {
            return None;
        };
        let pairs = [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)];
        pairs.into_iter().find(|&(x, y, other, not_y)| x == other && y == !not_y).map(|it| !it.0)
    }

    /// Disjunction.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn or(&mut self, a: Bit, b: Bit) -> Result<Bit, Why> {
        Ok(!self.and(!a, !b)?)
    }

    /// If-then-else.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn mux(&mut self, c: Bit, t: Bit, e: Bit) -> Result<Bit, Why> {
        if t == e {
            return Ok(t);
        }
        let (then, other) = (self.and(c, t)?, self.and(!c, e)?);
        self.or(then, other)
    }

    /// Exclusive or.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Result<Bit, Why> {
        self.mux(a, !b, b)
    }

    /// Conjunction of many, as a balanced tree.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn all(&mut self, mut bits: Vec<Bit>) -> Result<Bit, Why> {
        bits.sort_unstable();
        bits.dedup();
        while bits.len() > 1 {
            let mut halves = Vec::with_capacity(bits.len().div_ceil(2));
            for pair in bits.chunks(2) {
                halves.push(match *pair {
                    [a, b] => self.and(a, b)?,
                    _ => pair[0],
                });
            }
            bits = halves;
        }
        Ok(bits.pop().unwrap_or(TRUE))
    }

    /// Disjunction of many.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn any(&mut self, bits: impl IntoIterator<Item = Bit>) -> Result<Bit, Why> {
        Ok(!self.all(bits.into_iter().map(|bit| !bit).collect())?)
    }

    /// The values of all gates under 64 input assignments at once; missing inputs are 0.
    pub fn simulate(&self, inputs: &[u64], values: &mut Vec<u64>) {
        values.clear();
        values.reserve(self.gates.len());
        // The constant reads itself.
        values.push(0);
        for &[a, b] in &self.gates[1..] {
            values.push(match a {
                NOTHING => inputs.get(b.0 as usize).copied().unwrap_or(0),
                _ => value(values, a) & value(values, b),
            });
        }
    }
}

/// The values of a bit, from those of all gates.
#[inline]
pub fn value(values: &[u64], bit: Bit) -> u64 {
    values[bit.node()] ^ u64::from(bit.is_inverted()).wrapping_neg()
}

/// A copy of part of a circuit in another one, with its inputs substituted.
#[derive(Clone, Debug, Default)]
pub struct Copied {
    bits: Vec<Option<Bit>>,
}

impl Copied {
    /// Nothing is copied yet.
    pub fn new() -> Copied {
        Copied::default()
    }

    /// Substitutes a literal for an input.
    pub fn set(&mut self, input: Bit, bit: Bit) {
        let node = input.node();
        self.bits.resize((node + 1).max(self.bits.len()), None);
        self.bits[node] = Some(bit.inverted_if(input.is_inverted()));
    }

    /// The copy of a literal; inputs without a substitute are false.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn bit(&mut self, from: &Aig, to: &mut Aig, bit: Bit) -> Result<Bit, Why> {
        self.bits.resize(from.n_gates().max(self.bits.len()), None);
        let mut stack = vec![bit.node()];
        while let Some(&node) = stack.last() {
            if self.bits[node].is_none() {
                let known =
                    |bit: Bit| self.bits[bit.node()].map(|b| b.inverted_if(bit.is_inverted()));
                self.bits[node] = match from.gate(node) {
                    Gate::Constant | Gate::Input(_) => Some(FALSE),
                    Gate::And(a, b) => match (known(a), known(b)) {
                        (Some(a), Some(b)) => Some(to.and(a, b)?),
                        (known_a, known_b) => {
                            stack.extend(known_a.is_none().then_some(a.node()));
                            stack.extend(known_b.is_none().then_some(b.node()));
                            continue;
                        }
                    },
                };
            }
            stack.pop();
        }
        let copy = self.bits[bit.node()].unwrap_or(FALSE);
        Ok(copy.inverted_if(bit.is_inverted()))
    }
}
