//! The truth of formulas, as expressions over the model and its fresh bits.
//!
//! A forward bit states that the next state satisfies a formula: `p U q` holds where `q` does, or
//! where `p` and its own forward bit do. A backward bit records what held in the previous state. A
//! formula is **exact** if both it and its negation are needed: below past operators, and below
//! equivalences. Its bits are equivalences, and so are forward bits of atoms and of past formulas:
//! they are a function of the path. Other forward bits are promises, which must be kept but need
//! not be made.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use trapline_model::ExprId;

use super::build::Build;
use super::formula::{Lit, Node, Pool};
use super::reads_step;

/// What an expression may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Only the current state: expressions over steps get a bit.
    State,
    /// The step to the next state, which saves bits.
    Step,
}

const LEVELS: [Level; 2] = [Level::State, Level::Step];

/// The formulas whose truth is needed, by literal number.
#[derive(Clone, Debug)]
pub struct Demands {
    state: FixedBitSet,
    step: FixedBitSet,
}

impl Demands {
    /// None yet.
    pub fn new(pool: &Pool) -> Demands {
        let none = FixedBitSet::with_capacity(2 * pool.len());
        Demands { state: none.clone(), step: none }
    }

    /// Adds one.
    pub fn add(&mut self, lit: Lit, level: Level) {
        match level {
            Level::State => self.state.insert(lit.number()),
            Level::Step => self.step.insert(lit.number()),
        }
    }

    /// Adds the operands of all demanded formulas.
    pub fn close(&mut self, pool: &Pool) {
        for idx in (0..pool.len()).rev() {
            let lit = Lit::positive(idx);
            self.add_forms(pool, lit);
            for level in LEVELS {
                for lit in [lit, !lit] {
                    if self.has(lit, level) {
                        self.add_parts(pool, lit, level);
                    }
                }
            }
        }
    }

    /// Adds the other forms in which a demanded formula is needed.
    fn add_forms(&mut self, pool: &Pool, lit: Lit) {
        // On a step, `p U q` would need everything that it needs in a state.
        if let Node::Until(..) = pool.node(lit) {
            for lit in [lit, !lit] {
                if self.has(lit, Level::Step) {
                    self.add(lit, Level::State);
                }
            }
        }
        if self.is_function(pool, lit) {
            for level in LEVELS {
                if self.has(!lit, level) {
                    self.add(lit, level);
                }
            }
        }
    }

    /// Adds the operands of one formula.
    fn add_parts(&mut self, pool: &Pool, lit: Lit, level: Level) {
        match pool.node(lit) {
            Node::True | Node::Atom(_) => {}
            Node::And(p, q) => {
                self.add(p.with_sign_of(lit), level);
                self.add(q.with_sign_of(lit), level);
            }
            Node::Next(p) => self.add(p.with_sign_of(lit), Level::State),
            Node::Until(p, q) => match pool.recurrent(lit).filter(|_| !self.is_exact(lit)) {
                Some(parts) => parts.into_iter().for_each(|p| self.add(p, Level::State)),
                None => {
                    self.add(p.with_sign_of(lit), Level::State);
                    self.add(q.with_sign_of(lit), Level::State);
                }
            },
            Node::Iff(p, q) => [p, !p, q, !q].into_iter().for_each(|p| self.add(p, level)),
            Node::Before(p) => [p, !p].into_iter().for_each(|p| self.add(p, Level::Step)),
            Node::Since(p, q) => {
                for p in [p, !p, q, !q] {
                    self.add(p, level);
                    self.add(p, Level::Step);
                }
                // The next step's backward bit reads this one.
                self.add(Lit::positive(lit.idx()), Level::Step);
            }
        }
    }

    fn has(&self, lit: Lit, level: Level) -> bool {
        match level {
            Level::State => self.state.contains(lit.number()),
            Level::Step => self.step.contains(lit.number()),
        }
    }

    fn is_exact(&self, lit: Lit) -> bool {
        let is_needed = |lit: Lit| self.has(lit, Level::State) || self.has(lit, Level::Step);
        is_needed(lit) && is_needed(!lit)
    }

    /// True if negating the formula's truth gives the truth of its negation.
    fn is_function(&self, pool: &Pool, lit: Lit) -> bool {
        match pool.node(lit) {
            Node::True | Node::Atom(_) | Node::Iff(..) | Node::Before(_) | Node::Since(..) => true,
            Node::And(..) | Node::Next(_) | Node::Until(..) => self.is_exact(lit),
        }
    }
}

/// The truth of formulas in the model that is being built.
#[derive(Clone, Debug)]
pub struct Truths<'p> {
    /// The model.
    pub build: Build,
    pool: &'p Pool,
    demands: Demands,
    /// The known truths, for each level.
    known: [FxHashMap<Lit, ExprId>; 2],
    /// The forward bits.
    ahead: FxHashMap<Lit, ExprId>,
    /// The backward bits.
    behind: FxHashMap<Lit, ExprId>,
    /// The bits of expressions over steps.
    lifted: FxHashMap<ExprId, ExprId>,
}

impl<'p> Truths<'p> {
    /// None yet.
    pub fn new(pool: &'p Pool, demands: Demands, build: Build) -> Truths<'p> {
        Truths {
            build,
            pool,
            demands,
            known: [FxHashMap::default(), FxHashMap::default()],
            ahead: FxHashMap::default(),
            behind: FxHashMap::default(),
            lifted: FxHashMap::default(),
        }
    }

    /// Builds the demanded expressions, operands first.
    pub fn compute(&mut self) {
        for idx in 0..self.pool.len() {
            let positive = Lit::positive(idx);
            let is_function = self.demands.is_function(self.pool, positive);
            for level in LEVELS {
                for lit in [positive, !positive] {
                    if !self.demands.has(lit, level) {
                        continue;
                    }
                    let truth = match is_function && lit.is_negated() {
                        true => {
                            let truth = self.get(positive, level);
                            self.build.model.exprs.not(truth)
                        }
                        false => self.truth(lit, level),
                    };
                    self.known[level as usize].insert(lit, truth);
                }
            }
        }
    }

    /// The truth of a formula that was demanded.
    pub fn get(&self, lit: Lit, level: Level) -> ExprId {
        match self.known[level as usize].get(&lit) {
            Some(&truth) => truth,
            None => unreachable!("what is needed was demanded, and operands come first"),
        }
    }

    /// The truth of all of these.
    pub fn all(&mut self, lits: &[Lit], level: Level) -> ExprId {
        let truths: Vec<ExprId> = lits.iter().map(|&lit| self.get(lit, level)).collect();
        self.build.model.exprs.all(truths)
    }

    /// The truth of a non-temporal expression, always over a state.
    pub fn at_state(&mut self, expr: ExprId) -> ExprId {
        if !reads_step(&self.build.model.exprs, expr) {
            return expr;
        }
        if let Some(&bit) = self.lifted.get(&expr) {
            return bit;
        }
        let bit = self.build.fresh();
        let bound = self.build.model.exprs.iff(bit, expr);
        self.build.require(bound);
        self.lifted.insert(expr, bit);
        bit
    }

    fn truth(&mut self, lit: Lit, level: Level) -> ExprId {
        match (self.pool.node(lit), level) {
            (Node::True, _) => self.build.model.exprs.bool(true),
            (Node::Atom(expr), Level::State) => self.at_state(expr),
            (Node::Atom(expr), Level::Step) => expr,
            (Node::And(p, q), _) => {
                let [p, q] = [p, q].map(|p| self.get(p.with_sign_of(lit), level));
                if lit.is_negated() {
                    self.build.model.exprs.or(p, q)
                } else {
                    self.build.model.exprs.and(p, q)
                }
            }
            (Node::Iff(p, q), _) => {
                let [p, q] = [p, q].map(|lit| self.get(lit, level));
                self.build.model.exprs.iff(p, q)
            }
            (Node::Next(p), Level::State) => self.ahead(p.with_sign_of(lit)),
            (Node::Next(p), Level::Step) => {
                self.build.next(self.get(p.with_sign_of(lit), Level::State))
            }
            (Node::Until(p, q), Level::State) => self.until(lit, p, q),
            (Node::Until(..), Level::Step) => self.get(lit, Level::State),
            (Node::Before(p), _) => self.before(p),
            (Node::Since(p, q), _) => {
                self.since(lit, self.get(p, level), self.get(q, level), level)
            }
        }
    }

    /// The next state satisfies a formula.
    fn ahead(&mut self, lit: Lit) -> ExprId {
        let bound = match self.demands.is_function(self.pool, lit) {
            true => Lit::positive(lit.idx()),
            false => lit,
        };
        let bit = match self.ahead.get(&bound) {
            Some(&bit) => bit,
            None => {
                let bit = self.build.fresh();
                self.bind(bit, bound, self.get(bound, Level::State));
                bit
            }
        };
        if lit == bound { bit } else { self.build.model.exprs.not(bit) }
    }

    /// Constrains a promise bit: the next state satisfies a formula.
    fn bind(&mut self, bit: ExprId, lit: Lit, truth: ExprId) {
        let later = self.build.next(truth);
        let bound = match self.demands.is_function(self.pool, lit) {
            true => self.build.model.exprs.iff(bit, later),
            false => self.build.model.exprs.implies(bit, later),
        };
        self.build.require(bound);
        self.ahead.insert(lit, bit);
    }

    /// `p U q` or its negation.
    fn until(&mut self, lit: Lit, p: Lit, q: Lit) -> ExprId {
        // If it were exact, it would not be negated.
        if let Some(parts) = self.pool.recurrent(lit) {
            return self.recurrent(&parts);
        }
        let bit = self.build.fresh();
        let [p, q] = [p, q].map(|p| self.get(p.with_sign_of(lit), Level::State));
        let truth = if lit.is_negated() {
            let goes_on = self.build.model.exprs.or(p, bit);
            self.build.model.exprs.and(q, goes_on)
        } else {
            let rests = self.build.model.exprs.not(bit);
            let is_met = self.build.model.exprs.or(rests, q);
            self.build.justice(is_met);
            let goes_on = self.build.model.exprs.and(p, bit);
            self.build.model.exprs.or(q, goes_on)
        };
        self.bind(bit, lit, truth);
        truth
    }

    /// Each of these holds infinitely often: constant along a path, so that one bit suffices.
    fn recurrent(&mut self, parts: &[Lit]) -> ExprId {
        let bit = self.build.fresh();
        let later = self.build.next(bit);
        let stays = self.build.model.exprs.iff(bit, later);
        self.build.require(stays);
        for &part in parts {
            let truth = self.get(part, Level::State);
            let recurs = self.build.model.exprs.implies(bit, truth);
            self.build.justice(recurs);
        }
        bit
    }

    /// `Y p`
    fn before(&mut self, p: Lit) -> ExprId {
        match self.behind.get(&p) {
            Some(&bit) => bit,
            None => {
                let bit = self.behind(p);
                self.remember(bit, self.get(p, Level::Step));
                bit
            }
        }
    }

    /// `p S q`
    fn since(&mut self, lit: Lit, p: ExprId, q: ExprId, level: Level) -> ExprId {
        let bit = self.behind.get(&lit).copied().unwrap_or_else(|| self.behind(lit));
        let goes_on = self.build.model.exprs.and(p, bit);
        let truth = self.build.model.exprs.or(q, goes_on);
        if level == Level::Step {
            self.remember(bit, truth);
        }
        truth
    }

    /// A bit that records what the previous state satisfied; false in state 0.
    fn behind(&mut self, lit: Lit) -> ExprId {
        let bit = self.build.fresh();
        let unset = self.build.model.exprs.not(bit);
        self.build.init(unset);
        self.behind.insert(lit, bit);
        bit
    }

    fn remember(&mut self, bit: ExprId, truth: ExprId) {
        let later = self.build.next(bit);
        let bound = self.build.model.exprs.iff(later, truth);
        self.build.require(bound);
    }
}
