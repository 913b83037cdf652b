//! The built-in solver: batsat, a port of MiniSat to Rust.

use std::cell::Cell;

use batsat::{Callbacks, SolverInterface, lbool};

use trapline_budget::Budget;

use super::solver::{Kind, Lit, Solver, Stop};

/// Work charged for each decision while a query is running; the actual work is settled at the end.
const DECISION: u64 = 8;

/// Polls the budget during a query.
struct Watch<'b> {
    budget: &'b Budget<'b>,
    until: Cell<u64>,
    /// Work charged during this query.
    counted: Cell<u64>,
}

impl Callbacks for Watch<'_> {
    fn stop(&self) -> bool {
        self.counted.set(self.counted.get() + DECISION);
        self.budget.spend(DECISION).is_err() || self.budget.work() >= self.until.get()
    }
}

/// The solver kind.
pub enum Plain {}

impl Kind for Plain {
    type Solver<'b> = Batsat<'b>;
}

/// The solver.
pub struct Batsat<'b> {
    solver: batsat::Solver<Watch<'b>>,
    n_vars: u32,
    clause: Vec<batsat::Lit>,
}

fn theirs(lit: Lit) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(lit.var()), !lit.is_negated())
}

impl<'b> Solver<'b> for Batsat<'b> {
    fn new(budget: &'b Budget<'b>) -> Batsat<'b> {
        let watch = Watch { budget, until: Cell::new(u64::MAX), counted: Cell::new(0) };
        let solver = batsat::Solver::new(batsat::SolverOpts::default(), watch);
        Batsat { solver, n_vars: 0, clause: Vec::new() }
    }

    fn budget(&self) -> &'b Budget<'b> {
        self.solver.cb().budget
    }

    fn add_var(&mut self) -> Lit {
        self.solver.new_var_default();
        self.n_vars += 1;
        Lit::new(self.n_vars - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&lit| theirs(lit)));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn allow(&mut self, until: u64) {
        self.solver.cb().until.set(until);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop> {
        self.budget().spend(1)?;
        let assumptions: Vec<batsat::Lit> = assumptions.iter().map(|&lit| theirs(lit)).collect();
        let before = self.solver.num_propagations();
        self.solver.cb().counted.set(0);
        let answer = self.solver.solve_limited(&assumptions);
        let work = self.solver.num_propagations() - before;
        self.budget().spend(work.saturating_sub(self.solver.cb().counted.get()))?;
        if answer == lbool::TRUE {
            Ok(true)
        } else if answer == lbool::FALSE {
            Ok(false)
        } else {
            Err(Stop::Pause)
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(theirs(lit)) == lbool::TRUE
    }

    fn is_in_core(&self, assumption: Lit) -> bool {
        // The core contains the negated literal.
        self.solver.unsat_core_contains_lit(!theirs(assumption))
    }
}
