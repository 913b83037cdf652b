//! A solver for hard queries: CaDiCaL, with inprocessing.
//!
//! It is written in C++, and available only with the feature `cadical`. It cannot poll the budget
//! while it runs, so a query is run in slices. It measures its search in *ticks*, about one per
//! cache line accessed; they are deterministic, and a slice is limited in ticks. At the start of a
//! slice it loses its search phase, so slices grow.

use cadical_sys::{CaDiCal, Status};
use fixedbitset::FixedBitSet;

use crate::answer::Why;
use trapline_budget::Budget;

use super::solver::{Kind, Lit, Solver, Stop};

/// Ticks per unit of work, calibrated to the built-in solver.
const TICKS: u64 = 10;

/// Work of the first slice of a query.
const FIRST_SLICE: u64 = 1 << 13;

/// Maximum work of a slice: about half a second.
const LAST_SLICE: u64 = 1 << 20;

/// Approximate bytes per clause and per variable: its allocations are not counted elsewhere.
const CLAUSE: u64 = 100;
const VAR: u64 = 250;

/// Memory is requested from the budget in chunks of this many bytes.
const PIECE: u64 = 1 << 20;

/// Options that differ from the defaults. The lucky phases take long on large circuits and are not
/// counted in ticks; `factor` would introduce variables of its own.
const SETTINGS: [(&str, i32); 2] = [("lucky", 0), ("factor", 0)];

/// The solver kind.
pub enum Thorough {}

impl Kind for Thorough {
    type Solver<'b> = Cadical<'b>;
}

/// The solver.
pub struct Cadical<'b> {
    solver: CaDiCal,
    budget: &'b Budget<'b>,
    until: u64,
    n_vars: u32,
    /// Bytes requested from the budget.
    n_bytes: u64,
    clause: Vec<i32>,
    /// After SAT: the variables that are true. The solver loses its model with the next clause.
    example: FixedBitSet,
    /// After UNSAT: the failed assumptions, sorted.
    core: Vec<Lit>,
}

fn theirs(lit: Lit) -> i32 {
    let var = lit.var() as i32 + 1;
    if lit.is_negated() { -var } else { var }
}

impl<'b> Solver<'b> for Cadical<'b> {
    fn new(budget: &'b Budget<'b>) -> Cadical<'b> {
        let mut solver = CaDiCal::new();
        for (name, value) in SETTINGS {
            solver.set(name, value);
        }
        Cadical {
            solver,
            budget,
            until: u64::MAX,
            n_vars: 0,
            n_bytes: 0,
            clause: Vec::new(),
            example: FixedBitSet::new(),
            core: Vec::new(),
        }
    }

    fn budget(&self) -> &'b Budget<'b> {
        self.budget
    }

    fn add_var(&mut self) -> Lit {
        self.n_vars += 1;
        Lit::new(self.n_vars - 1)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clause.clear();
        self.clause.extend(clause.iter().map(|&lit| theirs(lit)));
        self.solver.clause6(&self.clause);
    }

    fn allow(&mut self, until: u64) {
        self.until = until;
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Stop> {
        self.budget.spend(1)?;
        let mut slice = FIRST_SLICE;
        loop {
            self.ask_for_memory()?;
            let left = self.until.saturating_sub(self.budget.work());
            match self.solve_slice(assumptions, slice.min(left))? {
                Status::SATISFIABLE => {
                    self.keep_example();
                    return Ok(true);
                }
                Status::UNSATISFIABLE => {
                    self.keep_core(assumptions);
                    return Ok(false);
                }
                Status::UNKNOWN if self.budget.work() >= self.until => return Err(Stop::Pause),
                Status::UNKNOWN => slice = LAST_SLICE.min(2 * slice),
            }
        }
    }

    fn value(&self, lit: Lit) -> bool {
        self.example.contains(lit.var() as usize) != lit.is_negated()
    }

    fn is_in_core(&self, assumption: Lit) -> bool {
        self.core.binary_search(&assumption).is_ok()
    }
}

impl Cadical<'_> {
    /// Runs one slice of a query.
    fn solve_slice(&mut self, assumptions: &[Lit], work: u64) -> Result<Status, Why> {
        // Assumptions and limits are reset after each slice.
        assumptions.iter().for_each(|&lit| self.solver.assume(theirs(lit)));
        self.solver.limit("ticks", (work * TICKS) as i32);
        let before = self.count("ticks");
        let status = self.solver.solve();
        self.budget.spend((self.count("ticks") - before) / TICKS)?;
        Ok(status)
    }

    fn count(&self, name: &str) -> u64 {
        let count = self.solver.get_statistic_value(name);
        u64::try_from(count).unwrap_or_else(|_| unreachable!("it counts {name}"))
    }

    fn ask_for_memory(&mut self) -> Result<(), Why> {
        let n_bytes = self.count("clauses") * CLAUSE + u64::from(self.n_vars) * VAR;
        if n_bytes >= self.n_bytes + PIECE {
            self.n_bytes = n_bytes;
            self.budget.allows(n_bytes)?;
        }
        Ok(())
    }

    fn keep_example(&mut self) {
        self.example.clear();
        self.example.grow(self.n_vars as usize);
        for var in 0..self.n_vars {
            let is_true = self.solver.val(theirs(Lit::new(var))) > 0;
            self.example.set(var as usize, is_true);
        }
    }

    fn keep_core(&mut self, assumptions: &[Lit]) {
        self.core.clear();
        self.core.extend(assumptions.iter().filter(|&&lit| self.solver.failed(theirs(lit))));
        self.core.sort_unstable();
    }
}
