//! Finding values for variables that meet a list of rules: the initial states of a model, the
//! steps from a state, or whatever else a [`Problem`] says of two states.
//!
//! Values that assignments determine are computed, and only real choices are guessed. A small
//! constraint solver over the evaluator's plans does that. It keeps a domain for each unknown
//! value. A rule is evaluated as far as its variables are known; what must hold for it to become
//! true is pushed down through its operators, and removes values from domains (unit propagation,
//! in the language of satisfiability). When no rule has more to say, it guesses a value for the
//! smallest domain of a variable that nothing determines, and goes back to the last guess when a
//! domain runs empty.
//!
//! It has nothing against bad guesses. A question that it does not answer with little work goes to
//! a SAT solver (`circuit`); only what has no bits, unbounded integers and reals, stays here.

mod circuit;
mod domain;
mod draw;
mod problem;
mod propagate;

use trapline_budget::{Budget, Exhausted};
use trapline_model::eval::Cell;
use trapline_model::{Failure, Model, Value, VarId};
use trapline_source::Span;

use crate::answer::Why;
pub use crate::code::Slot;
use circuit::Circuit;
pub use domain::Possible;
pub use draw::Draw;
use problem::{Demand, Rule};
pub use problem::{Problem, Values, When};

/// What the constraint solver may do between two answers before the SAT solver is asked: so much,
/// and so many times what it takes to evaluate all rules. Making the circuit takes about as long.
const EASY_WORK: u64 = 20_000;
const EASY_ROUNDS: u64 = 16;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An expression of the model has no value in a state that was reached.
    Failure {
        /// Why.
        failure: Failure,
        /// The assignment or constraint.
        span: Span,
    },
    /// A variable has infinitely many values and nothing determines it.
    Unbounded(VarId),
    /// Something ran out before.
    Exhausted(Exhausted),
}

/// A search for values.
pub struct Search<'p> {
    model: &'p Model,
    problem: &'p Problem,
    budget: &'p Budget<'p>,
    /// What the small solver may do until the next answer, and what it has done since the last.
    easy_work: u64,
    work: u64,
    /// What has run out.
    exhausted: Option<Exhausted>,
    /// What was found, so that the circuit does not find it again.
    found: Vec<Values>,
    circuit: Backend<'p>,
    slots: Vec<Slot>,
    /// Where each slot of the current and of the next state is in `slots`.
    slot_ids: [Vec<Option<u32>>; 2],
    possible: Vec<Possible>,
    values: Values,
    /// The rules that read or give each slot.
    rules_of: Vec<Vec<u32>>,
    /// The rules that read each slot, and so have more to say when it gets its value.
    readers_of: Vec<Vec<u32>>,
    /// The slots that each rule reads or gives.
    slots_of: Vec<Vec<u32>>,
    /// How many slots each rule has left.
    n_open: Vec<u32>,
    /// Where the search for a rule with one slot left goes on.
    rule_cursor: usize,
    /// No slot before this one is open, once the rules have none left.
    first_open: u32,
    /// Is it assigned one value, which is computed and not guessed?
    is_determined: Vec<bool>,
    /// Rules that have said all they can, given the guesses so far, in the order that they did.
    settled: Vec<u32>,
    is_settled: Vec<bool>,
    /// Rules to look at again.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    /// What each change replaced, so that it can be undone.
    trail: Vec<(u32, Possible, Option<Value>)>,
    guesses: Vec<Guess>,
    /// Did a rule fail, perhaps in a state that another rule excludes?
    has_failing: bool,
    /// A failure in a state that no rule excludes.
    failure: Option<(Failure, Span)>,
    cells: Vec<Cell>,
    is_started: bool,
}

/// Who looks for the next answer.
enum Backend<'p> {
    /// The small solver, as long as that is easy.
    Small,
    /// The small solver: there are values that have no bits.
    OnlySmall,
    /// A SAT solver.
    Circuit(Box<Circuit<'p>>),
}

/// A guess that can be taken back.
struct Guess {
    slot: u32,
    /// The values that were not tried yet.
    rest: Possible,
    trail_len: usize,
    settled_len: usize,
}

/// A value was ruled out for which there is no other.
struct Conflict;

impl<'p> Search<'p> {
    /// Looks for values of these slots; all others are given.
    pub fn new(
        model: &'p Model,
        problem: &'p Problem,
        slots: Vec<Slot>,
        values: Values,
        budget: &'p Budget<'p>,
    ) -> Search<'p> {
        let mut slot_ids = [vec![None; model.vars.len()], vec![None; model.vars.len()]];
        for (idx, slot) in slots.iter().enumerate() {
            match slot {
                Slot::Current(var) => slot_ids[0][var.0 as usize] = Some(idx as u32),
                Slot::Next(var) => slot_ids[1][var.0 as usize] = Some(idx as u32),
            }
        }
        let possible = slots
            .iter()
            .map(|slot| match slot {
                Slot::Current(var) | Slot::Next(var) => Possible::all(&model.var(*var).domain),
            })
            .collect();
        let mut search = Search {
            model,
            problem,
            budget,
            easy_work: EASY_WORK.saturating_add(problem.size().saturating_mul(EASY_ROUNDS)),
            work: 0,
            exhausted: None,
            found: Vec::new(),
            circuit: Backend::Small,
            is_determined: vec![false; slots.len()],
            rules_of: vec![Vec::new(); slots.len()],
            readers_of: vec![Vec::new(); slots.len()],
            slots_of: vec![Vec::new(); problem.rules.len()],
            settled: Vec::new(),
            is_settled: vec![false; problem.rules.len()],
            n_open: vec![0; problem.rules.len()],
            rule_cursor: 0,
            first_open: 0,
            slots,
            slot_ids,
            possible,
            values,
            queue: Vec::new(),
            is_queued: vec![true; problem.rules.len()],
            trail: Vec::new(),
            guesses: Vec::new(),
            has_failing: false,
            failure: None,
            cells: Vec::new(),
            is_started: false,
        };
        search.find_determined();
        search.index_rules();
        search
    }

    /// The same by the SAT solver from the start, if that is possible.
    pub fn by_circuit(self) -> Search<'p> {
        Search { easy_work: 0, ..self }
    }

    /// The next solution in the order of the search; `None` when there are no more. With a source
    /// of random numbers every guess is made at random, so that each solution may come next.
    ///
    /// # Errors
    /// When it can't be found out.
    pub fn next(&mut self, rng: &mut Option<&mut fastrand::Rng>) -> Result<Option<Values>, Stop> {
        self.work = 0;
        if let Backend::Circuit(circuit) = &mut self.circuit {
            return circuit.next(rng);
        }
        let mut is_consistent = if self.is_started {
            self.go_back()
        } else {
            self.is_started = true;
            self.apply_shared().is_ok()
        };
        loop {
            if !is_consistent {
                return self.no_more();
            }
            let propagated = self.propagate();
            if let Some(exhausted) = self.exhausted {
                return Err(Stop::Exhausted(exhausted));
            }
            if self.is_hard() && self.is_replaced()? {
                return self.next(rng);
            }
            if propagated.is_err() {
                is_consistent = self.go_back();
                continue;
            }
            if !self.queue.is_empty() {
                continue;
            }
            let open = match self.choose_open() {
                // What would determine the variable fails: that is the better reason.
                Err(Stop::Unbounded(_)) if self.note_failure().is_err() => return self.no_more(),
                open => open?,
            };
            match open {
                None if self.note_failure().is_err() => is_consistent = self.go_back(),
                None => {
                    self.found.push(self.values.clone());
                    return Ok(Some(self.values.clone()));
                }
                Some(slot) => self.guess(slot, rng),
            }
        }
    }

    /// Counts work.
    fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
        self.exhausted = self.exhausted.or(self.budget.spend(work).err());
    }

    /// Is it time to ask the SAT solver?
    fn is_hard(&self) -> bool {
        matches!(self.circuit, Backend::Small) && self.work > self.easy_work
    }

    /// Lets the SAT solver go on, unless there are values that have no bits.
    fn is_replaced(&mut self) -> Result<bool, Stop> {
        match Circuit::new(self) {
            Ok(circuit) => self.circuit = Backend::Circuit(Box::new(circuit)),
            Err(Why::Unsupported(_)) => self.circuit = Backend::OnlySmall,
            Err(why) => return Err(circuit::stop(&why)),
        }
        Ok(matches!(self.circuit, Backend::Circuit(_)))
    }

    fn no_more(&self) -> Result<Option<Values>, Stop> {
        match self.failure {
            Some((failure, span)) => Err(Stop::Failure { failure, span }),
            None => Ok(None),
        }
    }

    /// Finds the slots that are assigned one value of others, unless they are assigned each other.
    fn find_determined(&mut self) {
        let rules = &self.problem.rules;
        let mut rule_of = vec![None; self.slots.len()];
        for (rule_idx, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.is_single) {
            if let Demand::Choose(slot, _) = rule.demand
                && let Some(id) = self.slot_id(slot)
            {
                rule_of[id as usize] = Some(rule_idx);
            }
        }
        // Each waits for those that it reads.
        let mut n_waiting = vec![0; rule_of.len()];
        let mut readers = vec![Vec::new(); rule_of.len()];
        for (id, rule_idx) in rule_of.iter().enumerate() {
            let Some(rule) = rule_idx.map(|idx| &rules[idx]) else { continue };
            let reads = rule.reads.iter().filter_map(|&slot| self.slot_id(slot));
            for read in reads.filter(|&read| rule_of[read as usize].is_some()) {
                n_waiting[id] += 1;
                readers[read as usize].push(id);
            }
        }
        let is_ready = |id: &usize| rule_of[*id].is_some() && n_waiting[*id] == 0;
        let mut ready: Vec<usize> = (0..rule_of.len()).filter(is_ready).collect();
        while let Some(id) = ready.pop() {
            self.is_determined[id] = true;
            for &reader in &readers[id] {
                n_waiting[reader] -= 1;
                if n_waiting[reader] == 0 {
                    ready.push(reader);
                }
            }
        }
    }

    /// Which rules mention which slots. One that is determined is no reason to guess.
    fn index_rules(&mut self) {
        let note = |rules: &mut Vec<u32>, rule_idx: usize| {
            let is_new = rules.last() != Some(&(rule_idx as u32));
            if is_new {
                rules.push(rule_idx as u32);
            }
            is_new
        };
        for (rule_idx, rule) in self.problem.rules.iter().enumerate() {
            self.queue.push(rule_idx as u32);
            for &slot in &rule.reads {
                let Some(id) = self.slot_id(slot) else { continue };
                note(&mut self.readers_of[id as usize], rule_idx);
                if !self.is_determined[id as usize]
                    && note(&mut self.rules_of[id as usize], rule_idx)
                {
                    self.slots_of[rule_idx].push(id);
                }
            }
            if let Demand::Choose(slot, _) = rule.demand
                && let Some(id) = self.slot_id(slot)
                && !self.is_determined[id as usize]
                && note(&mut self.rules_of[id as usize], rule_idx)
            {
                self.slots_of[rule_idx].push(id);
            }
        }
        // The first rules are looked at first.
        self.queue.reverse();
        // What is looked for is unknown until it is found.
        for (n_open, slots) in self.n_open.iter_mut().zip(&self.slots_of) {
            *n_open = slots.len() as u32;
        }
    }

    fn slot_id(&self, slot: Slot) -> Option<u32> {
        match slot {
            Slot::Current(var) => self.slot_ids[0][var.0 as usize],
            Slot::Next(var) => self.slot_ids[1][var.0 as usize],
        }
    }

    /// The slot to guess next: from the rule with the fewest slots left, which it will decide
    /// soonest, the one with the fewest possible values; then whatever no rule mentions.
    fn choose_open(&mut self) -> Result<Option<u32>, Stop> {
        let chosen = match self.nearest_rule() {
            Some(rule) => {
                let open = self.slots_of[rule].iter().copied().filter(|&id| self.is_open(id));
                open.min_by_key(|&id| self.possible[id as usize].size().unwrap_or(u64::MAX))
            }
            None => self.first_open(),
        };
        match chosen {
            Some(id) if self.possible[id as usize].size().is_none() => {
                let (Slot::Current(var) | Slot::Next(var)) = self.slots[id as usize];
                Err(Stop::Unbounded(var))
            }
            _ => Ok(chosen),
        }
    }

    /// A rule with the fewest slots left. One with a single slot is as good as any, so the search
    /// for it goes on where the last one ended: models have many such rules.
    fn nearest_rule(&mut self) -> Option<usize> {
        let n_rules = self.n_open.len();
        for offset in 0..n_rules {
            let rule = (self.rule_cursor + offset) % n_rules;
            if self.n_open[rule] == 1 {
                self.rule_cursor = rule;
                return Some(rule);
            }
        }
        (0..n_rules).filter(|&rule| self.n_open[rule] > 0).min_by_key(|&rule| self.n_open[rule])
    }

    fn first_open(&mut self) -> Option<u32> {
        let n_slots = self.slots.len() as u32;
        let open = (self.first_open..n_slots).find(|&id| self.is_open(id));
        self.first_open = open.unwrap_or(n_slots);
        open
    }

    fn is_open(&self, id: u32) -> bool {
        self.values.get(self.slots[id as usize]).is_none()
    }

    /// Sets or forgets a value, and keeps count of what the rules have left.
    fn set_value(&mut self, id: u32, value: Option<Value>) {
        let was_open = self.is_open(id);
        self.values.set(self.slots[id as usize], value);
        if was_open == value.is_none() {
            return;
        }
        for &rule in &self.rules_of[id as usize] {
            let n_open = &mut self.n_open[rule as usize];
            *n_open = if was_open { *n_open - 1 } else { *n_open + 1 };
        }
    }

    fn guess(&mut self, slot: u32, rng: &mut Option<&mut fastrand::Rng>) {
        let trail_len = self.trail.len();
        let mut rest = self.possible[slot as usize].clone();
        if let Some(rng) = rng {
            rest.shuffle(rng);
        }
        let value = rest.take_first();
        let settled_len = self.settled.len();
        self.guesses.push(Guess { slot, rest, trail_len, settled_len });
        if let Some(value) = value {
            self.fix(slot, value);
        }
    }

    /// Undoes the last guess that has another value left, and tries that one.
    fn go_back(&mut self) -> bool {
        for &rule in &self.queue {
            self.is_queued[rule as usize] = false;
        }
        self.queue.clear();
        while let Some(mut guess) = self.guesses.pop() {
            for rule in self.settled.drain(guess.settled_len..) {
                self.is_settled[rule as usize] = false;
            }
            let undone: Vec<_> = self.trail.drain(guess.trail_len..).rev().collect();
            for (slot, possible, value) in undone {
                self.possible[slot as usize] = possible;
                self.set_value(slot, value);
                self.first_open = self.first_open.min(slot);
            }
            if let Some(value) = guess.rest.take_first() {
                let slot = guess.slot;
                self.guesses.push(guess);
                self.fix(slot, value);
                return true;
            }
        }
        false
    }
}
