//! A CDCL solver for many small queries about a large circuit.
//!
//! Other solvers answer SAT only when every variable is assigned. IC3 poses thousands of queries,
//! each about a few next-state bits, and needs values only in their cone. This solver decides only
//! the variables of a given domain, and answers SAT when these are assigned and no clause is
//! falsified (Su, Yang, Ci, Li, Bu and Huang, *Deeply optimizing the SAT solver for the IC3
//! algorithm*). Such an answer extends to all clauses if those over other variables can always be
//! satisfied; UNSAT answers are unconditional.
//!
//! A query may bring a temporary clause, which is removed with everything learnt from it.
//!
//! Otherwise it is conventional CDCL (Eén and Sörensson, *An extensible SAT-solver*).

mod analyse;
mod clauses;
mod order;

use trapline_budget::Budget;

use super::solver::{Lit, Solver, Stop};
use clauses::{ClauseRef, Clauses};
use order::Order;

/// Conflicts before the first restart.
const RESTART: u64 = 100;
/// Conflicts after which a query counts as hard.
const HARD: u64 = 300;
/// Initial limit on learnt clauses, and its increment.
const MAX_LEARNT: usize = 2000;
const MORE_LEARNT: usize = 500;
/// Learnt clauses up to this literal block distance are always kept.
const GOOD: u32 = 2;
/// Domain variables whose set-up costs as much as one propagation.
const VARS: u64 = 8;
/// Propagations per unit of work.
const PROPAGATIONS: u64 = 2;

/// A query.
#[derive(Clone, Copy, Default)]
pub struct Question<'q> {
    /// The assumptions.
    pub assumptions: &'q [Lit],
    /// A temporary clause.
    pub clause: Option<&'q [Lit]>,
    /// The variables to be decided; all if `None`.
    pub domain: Option<&'q [u32]>,
}

/// A watch: a clause and its blocking literal.
#[derive(Clone, Copy)]
struct Watch {
    clause: ClauseRef,
    other: Lit,
}

/// The state of a variable.
#[derive(Clone, Copy)]
struct Var {
    /// Its decision level.
    level: u32,
    /// The reason of its value, unless it was decided.
    reason: Option<ClauseRef>,
    /// Its saved phase.
    phase: bool,
    /// The last query whose domain contains it.
    question: u32,
    /// True if it is the output of a gate.
    is_gate: bool,
    is_seen: bool,
}

/// The solver.
pub struct Local<'b> {
    budget: &'b Budget<'b>,
    until: u64,
    clauses: Clauses,
    learnt: Vec<ClauseRef>,
    max_learnt: usize,
    /// The watch list of each literal, visited when it becomes false.
    watches: Vec<Vec<Watch>>,
    /// The value of each literal.
    values: Vec<Option<bool>>,
    vars: Vec<Var>,
    order: Order,
    trail: Vec<Lit>,
    /// The trail length at each decision.
    levels: Vec<usize>,
    /// The propagated prefix of the trail.
    n_done: usize,
    /// Propagations not yet charged to the budget.
    n_unpaid: u64,
    question: u32,
    /// True if gates are decided too.
    decides_gates: bool,
    /// The activation literal of the temporary clause and of what is learnt from it.
    switch: Lit,
    once: Vec<ClauseRef>,
    core: Vec<Lit>,
    /// False once the clauses are unsatisfiable.
    is_possible: bool,
}

impl<'b> Solver<'b> for Local<'b> {
    fn new(budget: &'b Budget<'b>) -> Local<'b> {
        let mut solver = Local {
            budget,
            until: u64::MAX,
            clauses: Clauses::default(),
            learnt: Vec::new(),
            max_learnt: MAX_LEARNT,
            watches: Vec::new(),
            values: Vec::new(),
            vars: Vec::new(),
            order: Order::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            n_done: 0,
            n_unpaid: 0,
            question: 0,
            decides_gates: false,
            switch: Lit::new(0),
            once: Vec::new(),
            core: Vec::new(),
            is_possible: true,
        };
        solver.switch = solver.add_var();
        solver
    }

    fn budget(&self) -> &'b Budget<'b> {
        self.budget
    }

    fn add_var(&mut self) -> Lit {
        let lit = Lit::new(self.vars.len() as u32);
        let (level, reason, question) = (0, None, 0);
        let (phase, is_gate, is_seen) = (false, false, false);
        self.vars.push(Var { level, reason, phase, question, is_gate, is_seen });
        self.values.extend([None, None]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.order.add_var();
        lit
    }

    fn mark_gate(&mut self, var: Lit) {
        self.vars[var.var() as usize].is_gate = true;
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.undo(0);
        let mut lits: Vec<Lit> = clause.to_vec();
        lits.sort_unstable();
        lits.dedup();
        let is_needless = lits.windows(2).any(|pair| pair[0] == !pair[1])
            || lits.iter().any(|lit| self.values[lit.code()] == Some(true));
        if is_needless {
            return;
        }
        lits.retain(|lit| self.values[lit.code()].is_none());
        match lits[..] {
            [] => self.is_possible = false,
            [lit] => {
                self.set(lit, None);
                self.is_possible &= self.propagate().is_none();
            }
            _ => {
                let place = self.clauses.add(&lits);
                self.attach(place);
            }
        }
    }

    fn allow(&mut self, until: u64) {
        self.until = until;
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop> {
        self.ask(Question { assumptions, ..Question::default() })
    }

    fn value(&self, lit: Lit) -> bool {
        self.values[lit.code()] == Some(true)
    }

    fn is_in_core(&self, assumption: Lit) -> bool {
        self.core.contains(&assumption)
    }
}

impl Local<'_> {
    /// Solves a query. The assignment is valid until the next query or clause.
    ///
    /// # Errors
    /// When it takes more work than is allowed; it may be asked again.
    pub fn ask(&mut self, question: Question) -> Result<bool, Stop> {
        self.core.clear();
        if self.learnt.len() > self.max_learnt {
            self.clean_up();
        }
        self.undo(0);
        self.forget_once();
        self.is_possible &= self.propagate().is_none();
        if !self.is_possible {
            return Ok(false);
        }
        self.n_unpaid += self.fill(question.domain) as u64 / VARS;
        let mut assumptions = Vec::with_capacity(question.assumptions.len() + 1);
        if let Some(clause) = question.clause {
            let clause: Vec<Lit> =
                [!self.switch].into_iter().chain(clause.iter().copied()).collect();
            self.add_once(&clause);
            assumptions.push(self.switch);
        }
        assumptions.extend(question.assumptions);
        self.search(&assumptions)
    }

    /// Fills the decision heap with the domain. Gates follow from the others, so they are decided
    /// only in hard queries.
    fn fill(&mut self, domain: Option<&[u32]>) -> usize {
        self.question += 1;
        self.decides_gates = false;
        let all = 0..self.vars.len() as u32;
        let (values, vars, question) = (&self.values, &mut self.vars, self.question);
        let mut is_open = |var: &u32| {
            let known = &mut vars[*var as usize];
            known.question = question;
            !known.is_gate && values[Lit::new(*var).code()].is_none()
        };
        match domain {
            Some(domain) => {
                self.order.fill(domain.iter().copied().filter(|var| is_open(var)));
                domain.len()
            }
            None => {
                let n_vars = all.len();
                self.order.fill(all.filter(|var| is_open(var)));
                n_vars
            }
        }
    }

    /// Makes gates decidable too.
    fn fill_gates(&mut self) {
        self.decides_gates = true;
        let is_asked = |var: &u32| self.vars[*var as usize].question == self.question;
        let is_open = |var: &u32| self.values[Lit::new(*var).code()].is_none();
        let all = 0..self.vars.len() as u32;
        self.order.fill(all.filter(|var| is_asked(var) && is_open(var)));
    }

    /// Adds the temporary clause. Its literals are unassigned, or it is simplified.
    fn add_once(&mut self, clause: &[Lit]) {
        let mut lits: Vec<Lit> = clause.to_vec();
        if lits.iter().any(|lit| self.values[lit.code()] == Some(true)) {
            return;
        }
        lits.retain(|lit| self.values[lit.code()].is_none());
        if let [lit] = lits[..] {
            // Only the activation literal is left. It is disabled for this query alone, by a clause
            // that contains it twice.
            lits.push(lit);
        }
        let place = self.clauses.add(&lits);
        self.attach(place);
        self.once.push(place);
    }

    fn forget_once(&mut self) {
        for place in self.once.drain(..) {
            self.clauses.remove(place);
        }
        // Nothing is implied by the disabled activation literal.
        if self.value(!self.switch) {
            let n_done = self.n_done.min(self.trail.len());
            let off = self.trail[..n_done].iter().filter(|&&lit| lit == !self.switch).count();
            self.n_done -= off;
            let switch = self.switch;
            self.trail.retain(|&lit| lit != !switch);
            self.values[switch.code()] = None;
            self.values[(!switch).code()] = None;
        }
    }

    fn attach(&mut self, clause: ClauseRef) {
        let (a, b) = (self.clauses.lit(clause, 0), self.clauses.lit(clause, 1));
        self.watches[a.code()].push(Watch { clause, other: b });
        self.watches[b.code()].push(Watch { clause, other: a });
    }

    /// Charges the work since the last call.
    fn pay(&mut self) -> Result<(), Stop> {
        let work = self.n_unpaid / PROPAGATIONS;
        self.n_unpaid %= PROPAGATIONS;
        self.budget.spend(work)?;
        if self.budget.work() >= self.until { Err(Stop::Pause) } else { Ok(()) }
    }

    fn search(&mut self, assumptions: &[Lit]) -> Result<bool, Stop> {
        let mut n_conflicts = 0;
        let mut restart = 1;
        let mut next_restart = RESTART;
        loop {
            if let Some(conflict) = self.propagate() {
                n_conflicts += 1;
                if self.levels.is_empty() {
                    self.is_possible = false;
                    return Ok(false);
                }
                self.learn(conflict);
                continue;
            }
            if self.n_unpaid >= PROPAGATIONS {
                self.pay()?;
            }
            if n_conflicts >= next_restart {
                restart += 1;
                next_restart += RESTART * luby(restart);
                self.undo(0);
                if n_conflicts >= HARD && !self.decides_gates {
                    self.fill_gates();
                }
                continue;
            }
            match self.next(assumptions) {
                Next::Decide(lit) => {
                    self.levels.push(self.trail.len());
                    if self.values[lit.code()].is_none() {
                        self.set(lit, None);
                    }
                }
                Next::Impossible => return Ok(false),
                Next::Done => return Ok(true),
            }
        }
    }

    /// The next decision.
    fn next(&mut self, assumptions: &[Lit]) -> Next {
        if let Some(&lit) = assumptions.get(self.levels.len()) {
            return match self.values[lit.code()] {
                Some(false) => {
                    self.find_core(lit);
                    Next::Impossible
                }
                _ => Next::Decide(lit),
            };
        }
        while let Some(var) = self.order.pop() {
            let lit = Lit::new(var);
            if self.values[lit.code()].is_none() {
                return Next::Decide(lit.negated_if(!self.vars[var as usize].phase));
            }
        }
        Next::Done
    }

    /// Assigns a literal.
    fn set(&mut self, lit: Lit, reason: Option<ClauseRef>) {
        self.values[lit.code()] = Some(true);
        self.values[(!lit).code()] = Some(false);
        let var = &mut self.vars[lit.var() as usize];
        var.level = self.levels.len() as u32;
        var.reason = reason;
        self.trail.push(lit);
    }

    /// Backtracks to a level.
    fn undo(&mut self, n_levels: usize) {
        let Some(&end) = self.levels.get(n_levels) else { return };
        for lit in self.trail.drain(end..) {
            self.values[lit.code()] = None;
            self.values[(!lit).code()] = None;
            let var = &mut self.vars[lit.var() as usize];
            var.phase = !lit.is_negated();
            if var.question == self.question && (self.decides_gates || !var.is_gate) {
                self.order.insert(lit.var());
            }
        }
        self.levels.truncate(n_levels);
        self.n_done = end;
    }

    /// Unit propagation. Returns a falsified clause, if there is one.
    fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(&lit) = self.trail.get(self.n_done) {
            self.n_done += 1;
            self.n_unpaid += 1;
            let mut watches = std::mem::take(&mut self.watches[(!lit).code()]);
            let conflict = self.visit(!lit, &mut watches);
            self.watches[(!lit).code()] = watches;
            if conflict.is_some() {
                self.n_done = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Visits the watches of a literal that became false.
    fn visit(&mut self, lit: Lit, watches: &mut Vec<Watch>) -> Option<ClauseRef> {
        let (mut n_kept, mut idx) = (0, 0);
        let mut conflict = None;
        while idx < watches.len() {
            let Watch { clause, other } = watches[idx];
            idx += 1;
            if self.values[other.code()] == Some(true) {
                watches[n_kept] = Watch { clause, other };
                n_kept += 1;
                continue;
            }
            if self.clauses.is_gone(clause) {
                continue;
            }
            if self.clauses.lit(clause, 0) == lit {
                self.clauses.swap(clause, 0, 1);
            }
            let other = self.clauses.lit(clause, 0);
            let watch = Watch { clause, other };
            if self.values[other.code()] != Some(true) {
                let values = &self.values;
                let is_free = |lit: Lit| values[lit.code()] != Some(false);
                let free = self.clauses.lits(clause).skip(2).position(is_free);
                if let Some(free) = free {
                    let free = free + 2;
                    self.watches[self.clauses.lit(clause, free).code()].push(watch);
                    self.clauses.swap(clause, 1, free);
                    continue;
                }
            }
            watches[n_kept] = watch;
            n_kept += 1;
            match self.values[other.code()] {
                Some(true) => {}
                None if self.is_wanted(other) => self.set(other, Some(clause)),
                None => {}
                Some(false) => {
                    conflict = Some(clause);
                    break;
                }
            }
        }
        watches.copy_within(idx.., n_kept);
        watches.truncate(n_kept + watches.len() - idx);
        conflict
    }

    /// True if it is worth propagating a literal: at level 0 always, else within the domain.
    #[inline]
    fn is_wanted(&self, lit: Lit) -> bool {
        self.levels.is_empty() || self.vars[lit.var() as usize].question == self.question
    }

    /// Reduces the clause database: deletes poor learnt clauses, satisfied and obsolete ones.
    pub fn clean_up(&mut self) {
        self.undo(0);
        self.forget_once();
        self.is_possible &= self.propagate().is_none();
        if !self.is_possible {
            return;
        }
        let clauses = std::mem::take(&mut self.clauses);
        let mut learnt: Vec<ClauseRef> = std::mem::take(&mut self.learnt);
        learnt.retain(|&place| !clauses.is_gone(place));
        // Of equally good clauses, newer ones first.
        learnt.reverse();
        learnt.sort_by_key(|&place| clauses.n_levels(place));
        let n_kept = learnt.len() / 2;
        let last = learnt.get(n_kept).map_or(GOOD, |&place| clauses.n_levels(place).max(GOOD));
        let kept: rustc_hash::FxHashSet<ClauseRef> = learnt[..n_kept].iter().copied().collect();
        self.watches.iter_mut().for_each(Vec::clear);
        for &lit in &self.trail {
            self.vars[lit.var() as usize].reason = None;
        }
        let mut lits: Vec<Lit> = Vec::new();
        for place in clauses.iter() {
            let n_levels = clauses.n_levels(place);
            if n_levels > GOOD && n_levels >= last && !kept.contains(&place) {
                continue;
            }
            if clauses.lits(place).any(|lit| self.values[lit.code()] == Some(true)) {
                continue;
            }
            lits.clear();
            lits.extend(clauses.lits(place).filter(|lit| self.values[lit.code()].is_none()));
            let place = match n_levels {
                0 => self.clauses.add(&lits),
                _ => self.clauses.add_learnt(&lits, n_levels),
            };
            if n_levels > 0 {
                self.learnt.push(place);
            }
            self.attach(place);
        }
        self.max_learnt = MAX_LEARNT.max(self.learnt.len()) + MORE_LEARNT;
    }
}

/// The next action of the search.
enum Next {
    Decide(Lit),
    Impossible,
    Done,
}

/// The Luby sequence 1, 1, 2, 1, 1, 2, 4, 1, ...
fn luby(mut n: u64) -> u64 {
    loop {
        let size = u64::BITS - n.leading_zeros();
        if n + 1 == 1 << size {
            return 1 << (size - 1);
        }
        n -= (1 << (size - 1)) - 1;
    }
}
