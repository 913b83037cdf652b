//! What the rules say of the values, given what is known.

use trapline_model::eval::{Cell, Instr, ValueSet};
use trapline_model::{BinaryOp, Domain, Failure, FailureKind, Ratio, UnaryOp, Value};

use super::domain::{MAX_LISTED, Possible};
use super::{Conflict, Demand, Rule, Search, Slot, Values, When};

impl Search<'_> {
    /// Looks at all rules that have something new to say.
    pub(super) fn propagate(&mut self) -> Result<(), Conflict> {
        while self.exhausted.is_none()
            && !self.is_hard()
            && let Some(rule_idx) = self.queue.pop()
        {
            self.is_queued[rule_idx as usize] = false;
            self.apply(rule_idx as usize)?;
        }
        Ok(())
    }

    /// Evaluates the rules together, once, and is done with those that are decided.
    pub(super) fn apply_shared(&mut self) -> Result<(), Conflict> {
        let problem = self.problem;
        let Some(plan) = &problem.shared else { return Ok(()) };
        let mut cells = std::mem::take(&mut self.cells);
        let mut is_done = vec![false; problem.rules.len()];
        self.spend(plan.instrs().len() as u64);
        plan.run(&self.values.current, &self.values.next, &mut cells);
        let mut result = Ok(());
        for (rule_idx, rule) in problem.rules.iter().enumerate().take(plan.n_roots()) {
            let root = plan.root(rule_idx, &cells);
            // The plan is about this state; what is said of the next one is not known yet.
            if rule.when == When::Here && is_decided(root) && result.is_ok() {
                is_done[rule_idx] = true;
                self.is_queued[rule_idx] = false;
                result = self.conclude(rule, root, &[]);
                if !matches!(root, Cell::Fail(_)) {
                    self.settle(rule_idx);
                }
            }
        }
        self.cells = cells;
        self.queue.retain(|&rule_idx| !is_done[rule_idx as usize]);
        result
    }

    fn apply(&mut self, rule_idx: usize) -> Result<(), Conflict> {
        self.evaluate(rule_idx);
        let rule = &self.problem.rules[rule_idx];
        let cells = std::mem::take(&mut self.cells);
        let root = &cells[rule.plan.root_cell(0)];
        let result = self.conclude(rule, root, &cells);
        if is_decided(root) && !matches!(root, Cell::Fail(_)) {
            self.settle(rule_idx);
        }
        self.cells = cells;
        result
    }

    /// More values can't change what the rule says.
    fn settle(&mut self, rule_idx: usize) {
        if !std::mem::replace(&mut self.is_settled[rule_idx], true) {
            self.settled.push(rule_idx as u32);
        }
    }

    /// Fills in the cells of a rule.
    fn evaluate(&mut self, rule_idx: usize) {
        let rule = &self.problem.rules[rule_idx];
        self.spend(rule.plan.instrs().len() as u64);
        rule.run(&self.values, &mut self.cells);
    }

    /// What follows from the value of a rule. The other cells are needed only where the value is
    /// not known.
    fn conclude(&mut self, rule: &Rule, root: &Cell, cells: &[Cell]) -> Result<(), Conflict> {
        if let Demand::Escape(domain) = &rule.demand {
            let escapes = match root.members() {
                Some(set) => domain.as_ref().is_some_and(|d| set.is_partial || !fits(&set, d)),
                None => true,
            };
            return if escapes { Ok(()) } else { Err(Conflict) };
        }
        if let Demand::Avoid(unwanted) = rule.demand {
            return if root.as_bool() == Some(unwanted) { Err(Conflict) } else { Ok(()) };
        }
        if rule.failure(root).is_some() {
            // Another rule may yet exclude this state; then the failure does not count. One
            // that does count is enough.
            self.has_failing = true;
            return if self.failure.is_some() { Err(Conflict) } else { Ok(()) };
        }
        match rule.demand {
            Demand::Choose(slot, ref domain) => match root.members() {
                Some(set) if set.is_partial => Ok(()),
                Some(mut set) => {
                    // A real variable holds reals, so that its quotients are exact.
                    if matches!(domain, Domain::Real | Domain::Clock) {
                        set.values.iter_mut().for_each(make_real);
                    }
                    self.restrict(slot, &set)
                }
                None => Ok(()),
            },
            Demand::True | Demand::False => {
                let wanted = matches!(rule.demand, Demand::True);
                match root.as_bool() {
                    Some(value) if value == wanted => Ok(()),
                    Some(_) => Err(Conflict),
                    None => self.push_down(rule, cells, wanted),
                }
            }
            Demand::Escape(_) | Demand::Avoid(_) => Ok(()),
        }
    }

    /// Does a rule fail, now that everything has a value? Then this is no solution.
    pub(super) fn note_failure(&mut self) -> Result<(), Conflict> {
        if !self.has_failing {
            return Ok(());
        }
        for rule_idx in 0..self.problem.rules.len() {
            let rule = &self.problem.rules[rule_idx];
            self.evaluate(rule_idx);
            if let Some(failure) = rule.failure(&self.cells[rule.plan.root_cell(0)]) {
                self.failure = Some((failure, rule.span));
                return Err(Conflict);
            }
        }
        Ok(())
    }

    /// Pushes what must hold down through the operators, as far as one operand is left to give
    /// way.
    fn push_down(&mut self, rule: &Rule, cells: &[Cell], wanted: bool) -> Result<(), Conflict> {
        let instrs = rule.plan.instrs();
        let mut stack = vec![(rule.plan.root_cell(0), wanted)];
        while let Some((idx, wanted)) = stack.pop() {
            match cells[idx].as_bool() {
                Some(value) if value == wanted => continue,
                Some(_) => return Err(Conflict),
                None => {}
            }
            let known = |cell: u32| cells[cell as usize].as_bool();
            let mut push = |cell: u32, wanted: bool| stack.push((cell as usize, wanted));
            match instrs[idx] {
                Instr::Unary(UnaryOp::Not, a) => push(a, !wanted),
                Instr::Binary(op, a, b) => match (op, known(a), known(b)) {
                    (BinaryOp::And, ..) if wanted => {
                        push(a, true);
                        push(b, true);
                    }
                    (BinaryOp::Or, ..) if !wanted => {
                        push(a, false);
                        push(b, false);
                    }
                    (BinaryOp::Implies, ..) if !wanted => {
                        push(a, true);
                        push(b, false);
                    }
                    (BinaryOp::And, Some(true), _) | (BinaryOp::Or, Some(false), _) => {
                        push(b, wanted)
                    }
                    (BinaryOp::And, _, Some(true)) | (BinaryOp::Or, _, Some(false)) => {
                        push(a, wanted)
                    }
                    (BinaryOp::Implies, Some(true), _) => push(b, true),
                    (BinaryOp::Implies, _, Some(false)) => push(a, false),
                    (BinaryOp::Iff | BinaryOp::Xnor | BinaryOp::Eq, Some(value), _) => {
                        push(b, value == wanted);
                    }
                    (BinaryOp::Iff | BinaryOp::Xnor | BinaryOp::Eq, _, Some(value)) => {
                        push(a, value == wanted);
                    }
                    (BinaryOp::Xor | BinaryOp::Ne, Some(value), _) => push(b, value != wanted),
                    (BinaryOp::Xor | BinaryOp::Ne, _, Some(value)) => push(a, value != wanted),
                    _ => self.compare(rule, cells, (op, a, b), wanted)?,
                },
                Instr::Ite(c, t, e) => match known(c) {
                    Some(true) => push(t, wanted),
                    Some(false) => push(e, wanted),
                    // If one branch can't be, the other one is taken.
                    None if known(t) == Some(!wanted) => {
                        push(c, false);
                        push(e, wanted);
                    }
                    None if known(e) == Some(!wanted) => {
                        push(c, true);
                        push(t, wanted);
                    }
                    None => {}
                },
                ref leaf => {
                    if let Some(slot) = rule.leaf(leaf) {
                        self.restrict(slot, &single(Value::Bool(wanted)))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A comparison of a variable with something known removes values.
    fn compare(
        &mut self,
        rule: &Rule,
        cells: &[Cell],
        (op, a, b): (BinaryOp, u32, u32),
        wanted: bool,
    ) -> Result<(), Conflict> {
        let slot = |cell: u32| rule.leaf(&rule.plan.instrs()[cell as usize]);
        let known = |cell: u32| match &cells[cell as usize] {
            Cell::Value(value) => Some(*value),
            _ => None,
        };
        if op == BinaryOp::In {
            let set = cells[b as usize].members().filter(|set| !set.is_partial);
            return match (slot(a), set) {
                (Some(slot), Some(set)) if wanted => self.restrict(slot, &set),
                (Some(slot), Some(set)) => self.retain(slot, |value| !set.contains(value)),
                _ => Ok(()),
            };
        }
        match (slot(a), known(b), slot(b), known(a)) {
            (Some(slot), Some(value), ..) | (_, _, Some(slot), Some(value))
                if op == BinaryOp::Eq && wanted || op == BinaryOp::Ne && !wanted =>
            {
                self.restrict(slot, &single(value))
            }
            (Some(slot), Some(right), ..) => {
                self.retain(slot, |left| holds(op, left, right) == wanted)
            }
            (_, _, Some(slot), Some(left)) => {
                self.retain(slot, |right| holds(op, left, right) == wanted)
            }
            _ => Ok(()),
        }
    }

    fn restrict(&mut self, slot: Slot, set: &ValueSet) -> Result<(), Conflict> {
        match self.slot_id(slot) {
            None => {
                // A value that is given can't change any more.
                let value = self.values.get(slot);
                let fits = value.is_none_or(|value| set.contains(value));
                if fits { Ok(()) } else { Err(Conflict) }
            }
            Some(id) => {
                self.spend(set.n_entries().min(MAX_LISTED));
                let possible = self.possible[id as usize].intersect(set);
                self.narrow(id, possible)
            }
        }
    }

    fn retain(&mut self, slot: Slot, test: impl Fn(Value) -> bool) -> Result<(), Conflict> {
        match self.slot_id(slot) {
            None => Ok(()),
            Some(id) => {
                self.spend(self.possible[id as usize].size().unwrap_or(0).min(MAX_LISTED));
                let possible = self.possible[id as usize].retain(test);
                self.narrow(id, possible)
            }
        }
    }

    fn narrow(&mut self, id: u32, possible: Option<Possible>) -> Result<(), Conflict> {
        let Some(possible) = possible else { return Ok(()) };
        let single = possible.single();
        let is_empty = possible.size() == Some(0);
        if is_empty {
            return Err(Conflict);
        }
        let slot = self.slots[id as usize];
        let old_value = self.values.get(slot);
        if possible == self.possible[id as usize] && old_value == single {
            return Ok(());
        }
        let old = std::mem::replace(&mut self.possible[id as usize], possible);
        self.trail.push((id, old, old_value));
        if single.is_some() && old_value.is_none() {
            self.set_value(id, single);
            self.wake(id);
        }
        Ok(())
    }

    /// Gives a slot its value.
    pub(super) fn fix(&mut self, id: u32, value: Value) {
        let slot = self.slots[id as usize];
        let old = std::mem::replace(&mut self.possible[id as usize], Possible::List(vec![value]));
        self.trail.push((id, old, self.values.get(slot)));
        self.set_value(id, Some(value));
        self.wake(id);
    }

    fn wake(&mut self, id: u32) {
        for &rule in &self.readers_of[id as usize] {
            if self.is_settled[rule as usize] {
                continue;
            }
            if !std::mem::replace(&mut self.is_queued[rule as usize], true) {
                self.queue.push(rule);
            }
        }
    }
}

impl Rule {
    /// Evaluates its expression.
    pub(super) fn run(&self, values: &Values, cells: &mut Vec<Cell>) {
        match self.when {
            When::Here => self.plan.run(&values.current, &values.next, cells),
            When::There => self.plan.run(&values.next, &[], cells),
        }
    }

    /// Why the rule has no meaning where its expression gives this, if it has none.
    pub(super) fn failure(&self, root: &Cell) -> Option<Failure> {
        match (&self.demand, root) {
            (Demand::Escape(_) | Demand::Avoid(_), _) => None,
            (_, Cell::Fail(failure)) => Some(*failure),
            (Demand::Choose(_, domain), _) => {
                let set = root.members().filter(|set| !set.is_partial)?;
                let kind = FailureKind::OutOfRange;
                (!fits(&set, domain)).then_some(Failure { kind, span: self.span })
            }
            (Demand::True | Demand::False, _) => None,
        }
    }
}

/// Is this all that there will be, whatever else gets a value?
fn is_decided(cell: &Cell) -> bool {
    match cell {
        Cell::Unknown => false,
        Cell::Set(set) => !set.is_partial,
        Cell::Value(_) | Cell::Fail(_) => true,
    }
}

fn single(value: Value) -> ValueSet {
    ValueSet { values: vec![value], ..ValueSet::default() }
}

fn holds(op: BinaryOp, left: Value, right: Value) -> bool {
    let is_comparison = matches!(
        op,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    );
    // Anything else says nothing of single values.
    !is_comparison
        || trapline_model::ops::binary(op, left, right).is_ok_and(|v| v == Value::Bool(true))
}

pub(super) fn make_real(value: &mut Value) {
    if let Value::Int(int) = *value
        && let Some(ratio) = Ratio::new(int.into(), 1)
    {
        *value = Value::Real(ratio);
    }
}

/// Are all members in the domain?
pub(super) fn fits(set: &ValueSet, domain: &Domain) -> bool {
    let inside = |value| domain.contains(value);
    set.values.iter().all(|&value| inside(value))
        && set.ranges.iter().all(|&(lo, hi)| match domain {
            Domain::Range(least, greatest) => *least <= lo && hi <= *greatest,
            Domain::Integer | Domain::Real | Domain::Clock => true,
            _ => (lo..=hi).map(Value::Int).all(inside),
        })
}
