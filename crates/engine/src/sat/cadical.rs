//! A solver for hard questions: CaDiCaL, which thinks between its guesses.
//!
//! It is in C++, and only there with the feature `cadical`. It can't ask the budget while it
//! works, so a question is asked in slices. It measures itself in *ticks*, about one for each look
//! at memory in its search; they are the same everywhere, and a slice ends after so many. At the
//! start of a slice it forgets which phase of the search it was in, so slices grow.

use cadical_sys::{CaDiCal, Status};
use fixedbitset::FixedBitSet;

use crate::answer::Why;
use trapline_budget::Budget;

use super::solver::{Kind, Lit, Solver, Stop};

/// Ticks in a unit of work, so that it takes as long as one of the other solver.
const TICKS: u64 = 10;

/// The work of the first slice of a question.
const FIRST_SLICE: u64 = 1 << 13;

/// The work of the longest slices: about half a second.
const LAST_SLICE: u64 = 1 << 20;

/// Bytes for a clause and for a variable, about: nobody else counts what it allocates.
const CLAUSE: u64 = 100;
const VAR: u64 = 250;

/// It asks for memory in pieces of so many bytes.
const PIECE: u64 = 1 << 20;

/// Settings that are not as they come. Lucky guesses take long in large circuits and are not
/// counted; with `factor` it would make variables of its own.
const SETTINGS: [(&str, i32); 2] = [("lucky", 0), ("factor", 0)];

/// The kind of solver.
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
    /// Bytes that the budget was asked for.
    n_bytes: u64,
    clause: Vec<i32>,
    /// After a yes: the variables that are true. It forgets them with the next clause.
    example: FixedBitSet,
    /// After a no: the assumptions that took part, in order.
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
    /// Works at a question for a while.
    fn solve_slice(&mut self, assumptions: &[Lit], work: u64) -> Result<Status, Why> {
        // It forgets assumptions and limits after each slice.
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
