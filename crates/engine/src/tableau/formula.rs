//! Formulas over few operators, hash-consed; negation is a sign bit.
//!
//! `F`, `G`, `V`, `H`, `O`, `T` and `Z` are expressed as duals of the others, so that a formula and
//! its negation share everything. Operands are created before their parents, so indices are a
//! topological order.

use rustc_hash::FxHashMap;
use trapline_model::ExprId;

/// A formula or its negation: twice the node index, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

/// A formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `TRUE`
    True,
    /// An expression without temporal operators.
    Atom(ExprId),
    /// Both.
    And(Lit, Lit),
    /// Equivalence, of positive operands.
    Iff(Lit, Lit),
    /// In the next state, of a positive operand.
    Next(Lit),
    /// The second at some time, and the first until then.
    Until(Lit, Lit),
    /// In the previous state, and there is one.
    Before(Lit),
    /// The second at some time before or now, and the first since then.
    Since(Lit, Lit),
}

/// `TRUE`
pub const TRUE: Lit = Lit(0);
/// `FALSE`
pub const FALSE: Lit = Lit(1);

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl Lit {
    /// The formula with this index, not negated.
    pub fn positive(idx: usize) -> Lit {
        Lit(2 * idx as u32)
    }

    /// The index of its node.
    pub fn idx(self) -> usize {
        self.0 as usize / 2
    }

    /// Is it negated?
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its number, which is that of no other one.
    pub fn number(self) -> usize {
        self.0 as usize
    }

    /// With the sign of another literal.
    pub fn with_sign_of(self, other: Lit) -> Lit {
        Lit(self.0 ^ (other.0 & 1))
    }

    /// What is under the sign.
    fn stripped(self) -> Lit {
        Lit(self.0 & !1)
    }
}

/// All formulas.
#[derive(Clone, Debug)]
pub struct Pool {
    nodes: Vec<Node>,
    table: FxHashMap<Node, Lit>,
}

impl Pool {
    /// Only the constants.
    pub fn new() -> Pool {
        Pool { nodes: vec![Node::True], table: FxHashMap::from_iter([(Node::True, TRUE)]) }
    }

    /// The node under the sign.
    pub fn node(&self, lit: Lit) -> Node {
        self.nodes[lit.idx()]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All atoms.
    pub fn atoms(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.nodes.iter().filter_map(|node| match node {
            Node::Atom(expr) => Some(*expr),
            _ => None,
        })
    }

    /// An expression without temporal operators that is not constant.
    pub fn atom(&mut self, expr: ExprId) -> Lit {
        self.add(Node::Atom(expr))
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        // `G c & G d` is `G (c & d)`, and so is `F` of a disjunction.
        if let (Some(c), Some(d)) = (self.always(a), self.always(b)) {
            let both = self.plain_and(c, d);
            return self.globally(both);
        }
        // `(c U d) | G c` is `d V (c | d)`, the weak until.
        for (a, b) in [(a, b), (b, a)] {
            if let (Some((c, d)), Some(e)) = (self.as_until(!a), self.eventually(b))
                && c == !e
            {
                let neither = self.plain_and(!c, !d);
                return self.until(!d, neither);
            }
        }
        self.plain_and(a, b)
    }

    fn plain_and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a.min(b), a.max(b)) {
            (TRUE, b) => b,
            (FALSE, _) => FALSE,
            (a, b) if a == b => a,
            (a, b) if a == !b => FALSE,
            (a, b) => self.add(Node::And(a, b)),
        }
    }

    /// One of them.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Both or none.
    pub fn iff(&mut self, a: Lit, b: Lit) -> Lit {
        let sign = if a.is_negated() == b.is_negated() { TRUE } else { FALSE };
        let (a, b) = (a.stripped().min(b.stripped()), a.stripped().max(b.stripped()));
        let iff = match a {
            TRUE => b,
            _ if a == b => TRUE,
            _ => self.add(Node::Iff(a, b)),
        };
        iff.with_sign_of(sign)
    }

    /// `X a`
    pub fn next(&mut self, a: Lit) -> Lit {
        match a {
            TRUE | FALSE => a,
            _ => self.add(Node::Next(a.stripped())).with_sign_of(a),
        }
    }

    /// `a U b`
    pub fn until(&mut self, a: Lit, b: Lit) -> Lit {
        // `!b U b` is `F b`.
        let a = if a == !b { TRUE } else { a };
        let mut b = b;
        // `F (c U d)` is `F d`.
        while let (TRUE, Some((_, d))) = (a, self.as_until(b)) {
            b = d;
        }
        let is_settled = match self.as_until(b) {
            _ if b.idx() == TRUE.idx() || a == FALSE || a == b => true,
            Some((c, _)) => a == c,
            // `F G F c` is `G F c`.
            None => a == TRUE && self.recurrent(b).is_some(),
        };
        if is_settled { b } else { self.add(Node::Until(a, b)) }
    }

    /// `a V b`
    pub fn release(&mut self, a: Lit, b: Lit) -> Lit {
        !self.until(!a, !b)
    }

    /// `G a`
    pub fn globally(&mut self, a: Lit) -> Lit {
        self.release(FALSE, a)
    }

    /// `Y a`
    pub fn before(&mut self, a: Lit) -> Lit {
        if a == FALSE { FALSE } else { self.add(Node::Before(a)) }
    }

    /// `a S b`
    pub fn since(&mut self, a: Lit, b: Lit) -> Lit {
        let a = if a == !b { TRUE } else { a };
        let is_settled = b.idx() == TRUE.idx() || a == FALSE || a == b;
        if is_settled { b } else { self.add(Node::Since(a, b)) }
    }

    /// The operands, if this is `a U b`.
    pub fn as_until(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.node(lit) {
            Node::Until(a, b) if !lit.is_negated() => Some((a, b)),
            _ => None,
        }
    }

    /// The operand, if this is `F a`.
    pub fn eventually(&self, lit: Lit) -> Option<Lit> {
        self.as_until(lit).filter(|&(a, _)| a == TRUE).map(|(_, b)| b)
    }

    /// The operand, if this is `G a`.
    pub fn always(&self, lit: Lit) -> Option<Lit> {
        self.eventually(!lit).map(|a| !a)
    }

    /// The conjuncts.
    pub fn conjuncts(&self, lit: Lit) -> Vec<Lit> {
        let mut conjuncts = Vec::new();
        let mut stack = vec![lit];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(lit) = stack.pop() {
            match self.node(lit) {
                _ if lit == TRUE || !seen.insert(lit) => {}
                Node::And(a, b) if !lit.is_negated() => stack.extend([b, a]),
                _ => conjuncts.push(lit),
            }
        }
        conjuncts
    }

    /// The recurring formulas, if it has the form `G (F a & F b)`.
    pub fn recurrent(&self, lit: Lit) -> Option<Vec<Lit>> {
        let conjuncts = self.conjuncts(self.always(lit)?);
        conjuncts.into_iter().map(|conjunct| self.eventually(conjunct)).collect()
    }

    fn add(&mut self, node: Node) -> Lit {
        let lit = Lit::positive(self.nodes.len());
        let known = *self.table.entry(node).or_insert(lit);
        if known == lit {
            self.nodes.push(node);
        }
        known
    }
}
