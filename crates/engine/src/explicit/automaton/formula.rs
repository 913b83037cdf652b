//! Formulas in negation normal form, hash-consed.
//!
//! Operands are created before their parents, so ids are a topological order. Only future operators
//! appear: a past subformula is a literal whose truth is known in every step (see [`super::past`]).

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A formula id.
pub type FormulaId = u32;

/// A formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A constant.
    Const(bool),
    /// A literal of the atom with this index.
    Atom(u32, bool),
    /// A literal of the past value with this index.
    Past(u32, bool),
    /// Both.
    And(FormulaId, FormulaId),
    /// One of them.
    Or(FormulaId, FormulaId),
    /// In the next state.
    Next(FormulaId),
    /// The second at some time, and the first until then.
    Until(FormulaId, FormulaId),
    /// The second as long as the first has not held.
    Release(FormulaId, FormulaId),
    /// Some time between two numbers of steps from here.
    Within(u64, u64, FormulaId),
    /// Always between two numbers of steps from here.
    Throughout(u64, u64, FormulaId),
}

/// `FALSE`
pub const FALSE: FormulaId = 0;
/// `TRUE`
pub const TRUE: FormulaId = 1;

/// All formulas.
#[derive(Clone, Debug)]
pub struct Pool {
    formulas: Vec<Formula>,
    /// True if it depends on the past, now or later.
    has_past: Vec<bool>,
    table: HashTable<FormulaId>,
}

impl Pool {
    /// Only the constants.
    pub fn new() -> Pool {
        let mut pool =
            Pool { formulas: Vec::new(), has_past: Vec::new(), table: HashTable::default() };
        pool.add(Formula::Const(false));
        pool.add(Formula::Const(true));
        pool
    }

    /// The formula.
    pub fn get(&self, id: FormulaId) -> Formula {
        self.formulas[id as usize]
    }

    /// True if it depends on the past, now or later.
    pub fn has_past(&self, id: FormulaId) -> bool {
        self.has_past[id as usize]
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> FormulaId {
        if value { TRUE } else { FALSE }
    }

    /// Interns a formula without simplification.
    pub fn add(&mut self, formula: Formula) -> FormulaId {
        let Pool { formulas, has_past, table } = self;
        let hash = FxBuildHasher.hash_one(formula);
        if let Some(&id) = table.find(hash, |&id| formulas[id as usize] == formula) {
            return id;
        }
        has_past.push(match formula {
            Formula::Past(..) => true,
            _ => operands(formula).into_iter().flatten().any(|id| has_past[id as usize]),
        });
        let id = formulas.len() as FormulaId;
        formulas.push(formula);
        table.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(formulas[id as usize]));
        id
    }

    /// Both.
    pub fn and(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (a.min(b), a.max(b)) {
            (FALSE, _) => FALSE,
            (TRUE, b) => b,
            (a, b) if a == b => a,
            (a, b) if self.are_opposite(a, b) => FALSE,
            (a, b) => self.add(Formula::And(a, b)),
        }
    }

    /// One of them.
    pub fn or(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        // `F c | F d` is `F (c | d)`: one until instead of two.
        let mut is_eventual = false;
        let (mut a, mut b) = (a, b);
        while let (Formula::Until(TRUE, c), Formula::Until(TRUE, d)) = (self.get(a), self.get(b)) {
            (a, b, is_eventual) = (c, d, true);
        }
        let either = self.plain_or(a, b);
        if is_eventual { self.until(TRUE, either) } else { either }
    }

    fn plain_or(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        match (a.min(b), a.max(b)) {
            (FALSE, b) => b,
            (TRUE, _) => TRUE,
            (a, b) if a == b => a,
            (a, b) if self.are_opposite(a, b) => TRUE,
            (a, b) => self.add(Formula::Or(a, b)),
        }
    }

    /// In the next state.
    pub fn next(&mut self, a: FormulaId) -> FormulaId {
        if a <= TRUE { a } else { self.add(Formula::Next(a)) }
    }

    /// `a U b`
    pub fn until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let mut b = b;
        // `F (c U d)` is `F d`.
        while let (TRUE, Formula::Until(_, d)) = (a, self.get(b)) {
            b = d;
        }
        match (a, self.get(b)) {
            (FALSE, _) | (_, Formula::Const(_)) => b,
            (a, Formula::Until(c, _)) if a == c => b,
            (TRUE, Formula::Release(FALSE, c)) if self.is_eventually(c) => b,
            _ => self.add(Formula::Until(a, b)),
        }
    }

    /// `a V b`
    pub fn release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let mut b = b;
        while let (FALSE, Formula::Release(_, d)) = (a, self.get(b)) {
            b = d;
        }
        match (a, self.get(b)) {
            (TRUE, _) | (_, Formula::Const(_)) => b,
            (a, Formula::Release(c, _)) if a == c => b,
            (FALSE, Formula::Until(TRUE, c)) if self.is_always(c) => b,
            _ => self.add(Formula::Release(a, b)),
        }
    }

    /// `F [lo, hi] a`
    pub fn within(&mut self, lo: u64, hi: u64, a: FormulaId) -> FormulaId {
        if a <= TRUE || hi == 0 { a } else { self.add(Formula::Within(lo, hi, a)) }
    }

    /// `G [lo, hi] a`
    pub fn throughout(&mut self, lo: u64, hi: u64, a: FormulaId) -> FormulaId {
        match a <= TRUE || hi == 0 {
            true => a,
            // A canonical form for bounds of one step makes equal obligations identical.
            false if lo == hi => self.add(Formula::Within(lo, hi, a)),
            false => self.add(Formula::Throughout(lo, hi, a)),
        }
    }

    /// The conjuncts of a formula, sorted: nothing for `TRUE`.
    pub fn conjuncts(&self, id: FormulaId) -> Vec<FormulaId> {
        let mut all = self.parts(id, |formula| match formula {
            Formula::And(a, b) => Some((a, b)),
            _ => None,
        });
        all.retain(|&id| id != TRUE);
        all
    }

    /// The disjuncts of a formula, sorted.
    pub fn disjuncts(&self, id: FormulaId) -> Vec<FormulaId> {
        self.parts(id, |formula| match formula {
            Formula::Or(a, b) => Some((a, b)),
            _ => None,
        })
    }

    fn parts(
        &self,
        id: FormulaId,
        split: impl Fn(Formula) -> Option<(FormulaId, FormulaId)>,
    ) -> Vec<FormulaId> {
        if split(self.get(id)).is_none() {
            return vec![id];
        }
        let mut parts = Vec::new();
        let mut stack = vec![id];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(id) = stack.pop() {
            match split(self.get(id)) {
                _ if !seen.insert(id) => {}
                Some((a, b)) => stack.extend([a, b]),
                None => parts.push(id),
            }
        }
        parts.sort_unstable();
        parts
    }

    fn is_eventually(&self, id: FormulaId) -> bool {
        matches!(self.get(id), Formula::Until(TRUE, _))
    }

    fn is_always(&self, id: FormulaId) -> bool {
        matches!(self.get(id), Formula::Release(FALSE, _))
    }

    fn are_opposite(&self, a: FormulaId, b: FormulaId) -> bool {
        match (self.get(a), self.get(b)) {
            (Formula::Atom(i, v), Formula::Atom(j, w))
            | (Formula::Past(i, v), Formula::Past(j, w)) => i == j && v != w,
            _ => false,
        }
    }
}

/// The operands of a formula.
pub fn operands(formula: Formula) -> [Option<FormulaId>; 2] {
    match formula {
        Formula::Const(_) | Formula::Atom(..) | Formula::Past(..) => [None, None],
        Formula::Next(a) | Formula::Within(_, _, a) | Formula::Throughout(_, _, a) => {
            [Some(a), None]
        }
        Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Release(a, b) => {
            [Some(a), Some(b)]
        }
    }
}
