//! Conflict analysis.

use super::super::solver::Lit;
use super::{ClauseRef, Local};

impl Local<'_> {
    /// Learns a clause from a conflict, backjumps to its assertion level and propagates it.
    pub(super) fn learn(&mut self, conflict: ClauseRef) {
        let mut clause = self.analyse(conflict);
        self.minimise(&mut clause);
        // The second watch is a literal of the highest remaining level.
        if let Some(latest) = (1..clause.len()).max_by_key(|&idx| self.level(clause[idx])) {
            clause.swap(1, latest);
        }
        let back = clause.get(1).map_or(0, |&lit| self.level(lit));
        let mut levels: Vec<u32> = clause.iter().map(|&lit| self.level(lit)).collect();
        levels.sort_unstable();
        levels.dedup();
        self.undo(back as usize);
        self.order.decay();
        if let [lit] = clause[..] {
            self.set(lit, None);
            return;
        }
        let place = self.clauses.add_learnt(&clause, levels.len() as u32);
        if clause.contains(&!self.switch) {
            self.once.push(place);
        } else {
            self.learnt.push(place);
        }
        self.attach(place);
        self.set(clause[0], Some(place));
    }

    fn level(&self, lit: Lit) -> u32 {
        self.vars[lit.var() as usize].level
    }

    /// The first unique implication point clause of a conflict. The asserting literal comes first.
    fn analyse(&mut self, conflict: ClauseRef) -> Vec<Lit> {
        let mut clause = vec![self.switch];
        let mut n_open = 0;
        let mut reason = conflict;
        let mut idx = self.trail.len();
        loop {
            for at in 0..self.clauses.len(reason) {
                let lit = self.clauses.lit(reason, at);
                let level = self.level(lit);
                let var = &mut self.vars[lit.var() as usize];
                // The literal implied by a reason is true; all others are false.
                let is_cause = self.values[lit.code()] == Some(false);
                if var.is_seen || level == 0 || !is_cause {
                    continue;
                }
                var.is_seen = true;
                self.order.bump(lit.var());
                if level as usize == self.levels.len() {
                    n_open += 1;
                } else {
                    clause.push(lit);
                }
            }
            let lit = loop {
                idx -= 1;
                let lit = self.trail[idx];
                if self.vars[lit.var() as usize].is_seen {
                    break lit;
                }
            };
            self.vars[lit.var() as usize].is_seen = false;
            n_open -= 1;
            match self.vars[lit.var() as usize].reason {
                Some(next) if n_open > 0 => reason = next,
                _ => {
                    clause[0] = !lit;
                    return clause;
                }
            }
        }
    }

    /// Removes redundant literals. Marks are as [`Local::analyse`] left them.
    fn minimise(&mut self, clause: &mut Vec<Lit>) {
        let marked: Vec<Lit> = clause[1..].to_vec();
        let is_needed = |lit: Lit| {
            let Some(reason) = self.vars[lit.var() as usize].reason else { return true };
            let mut causes = self.clauses.lits(reason).filter(|&cause| cause.var() != lit.var());
            causes.any(|cause| {
                let var = &self.vars[cause.var() as usize];
                !var.is_seen && var.level > 0
            })
        };
        let mut kept = vec![clause[0]];
        kept.extend(clause[1..].iter().copied().filter(|&lit| is_needed(lit)));
        *clause = kept;
        for lit in marked {
            self.vars[lit.var() as usize].is_seen = false;
        }
    }

    /// The assumptions responsible for falsifying another one.
    pub(super) fn find_core(&mut self, failed: Lit) {
        self.core.push(failed);
        let first = self.levels.first().copied().unwrap_or(self.trail.len());
        if self.level(failed) == 0 {
            return;
        }
        self.vars[failed.var() as usize].is_seen = true;
        for idx in (first..self.trail.len()).rev() {
            let lit = self.trail[idx];
            if !std::mem::take(&mut self.vars[lit.var() as usize].is_seen) {
                continue;
            }
            match self.vars[lit.var() as usize].reason {
                None => self.core.push(lit),
                Some(reason) => {
                    for at in 0..self.clauses.len(reason) {
                        let cause = self.clauses.lit(reason, at);
                        if self.level(cause) > 0 && cause.var() != lit.var() {
                            self.vars[cause.var() as usize].is_seen = true;
                        }
                    }
                }
            }
        }
    }
}
