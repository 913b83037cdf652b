//! The initial or next state as a function, compiled from the rules of the model.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::trace::State;
use trapline_model::{Model, VarId};

use crate::answer::Why;
use crate::blast::Blaster;
use crate::code::{Choice, Code, Coder, Compiled, Members, Reg, Slot, encode, operands};
use crate::rules::{self, Rule};

use super::super::aig::{Aig, Bit, FALSE, TRUE};
use super::{Maker, Wires};

/// The initial or the next state.
pub struct StateFunction<'m> {
    pub wires: Wires,
    pub coder: Coder<'m>,
    pub blaster: Blaster<Bit>,
    /// The inputs that resolve nondeterminism.
    pub choices: Vec<Bit>,
    /// True if the model allows it.
    pub allows: Bit,
    /// The same, or an assigned variable is undefined.
    pub may_allow: Bit,
    /// True if a rule is undefined.
    pub fails: Bit,
    /// True if all defined rules hold.
    pub weak: Bit,
}

impl<'m> StateFunction<'m> {
    /// One of the given states.
    pub fn given(
        model: &'m Model,
        aig: &mut Aig,
        mut wires: Wires,
        given: &[State],
    ) -> Result<StateFunction<'m>, Why> {
        let width = usize::BITS - given.len().saturating_sub(1).leading_zeros();
        let mut choices = Vec::new();
        for _ in 0..width {
            choices.push(aig.input()?);
        }
        let mut is_chosen = Vec::new();
        for idx in 0..given.len() {
            let bits = choices.iter().enumerate();
            let bits = bits.map(|(place, bit)| bit.inverted_if(idx >> place & 1 == 0)).collect();
            is_chosen.push(aig.all(bits)?);
        }
        let vars: Vec<VarId> = wires.current.keys().copied().collect();
        for var in vars {
            let encoding = &wires.encodings[&var];
            let mut bits = Vec::new();
            for place in 0..encoding.n_bits {
                let mut members = Vec::new();
                for (state, is_chosen) in given.iter().zip(&is_chosen) {
                    let number = state.get(var).and_then(|value| encode(value).ok()).unwrap_or(0);
                    if encoding.bits(number) >> place & 1 == 1 {
                        members.push(*is_chosen);
                    }
                }
                bits.push(if members.len() == given.len() { TRUE } else { aig.any(members)? });
            }
            wires.next.insert(var, bits);
        }
        Ok(StateFunction {
            wires,
            coder: Coder::new(model),
            blaster: Blaster::new(),
            choices,
            allows: aig.any(is_chosen)?,
            may_allow: TRUE,
            fails: FALSE,
            weak: TRUE,
        })
    }

    /// The next state of these variables, in order, as given by the rules.
    pub fn new(
        model: &'m Model,
        aig: &mut Aig,
        wires: Wires,
        rules: &[Rule],
        lacking: &[VarId],
    ) -> Result<StateFunction<'m>, Why> {
        let mut part = StateFunction {
            wires,
            coder: Coder::new(model),
            blaster: Blaster::new(),
            choices: Vec::new(),
            allows: TRUE,
            may_allow: TRUE,
            fails: FALSE,
            weak: TRUE,
        };
        let mut codes: Vec<Code> = Vec::new();
        for rule in rules {
            let mut code = part.coder.compile(rule.expr, rule.primed)?;
            if let Some(var) = rule.target {
                let outside = rules::outside(&mut part.coder, &model.var(var).domain, &code.value)?;
                code.fails = part.coder.or(code.fails, outside);
            }
            codes.push(code);
        }
        let order = part.order(rules, &codes, lacking);
        let (mut strong, mut loose) = (Vec::new(), Vec::new());
        let (mut weak, mut fails) = (Vec::new(), Vec::new());
        let is_in_order: FxHashSet<usize> = order.iter().copied().collect();
        let defined: FxHashSet<VarId> = order.iter().filter_map(|&idx| rules[idx].target).collect();
        for &var in lacking.iter().filter(|var| !defined.contains(var)) {
            part.choose(aig, var)?;
        }
        let others = (0..rules.len()).filter(|idx| !is_in_order.contains(idx));
        for idx in order.iter().copied().chain(others) {
            let (rule, code) = (&rules[idx], &codes[idx]);
            let failing = part.truth(aig, code.fails)?;
            let is_defined = is_in_order.contains(&idx);
            let holds = match (rule.target, &code.value) {
                (None, Compiled::One(reg)) => part.truth(aig, *reg)?,
                (None, Compiled::Set(_)) => unreachable!("a constraint is no set"),
                (Some(var), value) if is_defined => part.assign(aig, var, value, failing)?,
                (Some(var), value) => part.is_assigned(aig, var, value)?,
            };
            let holds_if_known = aig.or(holds, failing)?;
            weak.push(holds_if_known);
            strong.extend([holds, !failing]);
            match is_defined {
                true => loose.push(holds_if_known),
                false => loose.extend([holds, !failing]),
            }
            fails.push(failing);
        }
        part.allows = aig.all(strong)?;
        part.may_allow = aig.all(loose)?;
        part.fails = aig.any(fails)?;
        part.weak = if part.fails == FALSE { TRUE } else { aig.all(weak)? };
        Ok(part)
    }

    /// Assignments in dependency order over next values; cyclic ones are left out.
    fn order(&self, rules: &[Rule], codes: &[Code], lacking: &[VarId]) -> Vec<usize> {
        let defines =
            |idx: usize| rules[idx].target.filter(|var| lacking.binary_search(var).is_ok());
        let rule_of: FxHashMap<VarId, usize> =
            (0..rules.len()).filter_map(|idx| Some((defines(idx)?, idx))).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); rules.len()];
        let mut n_waiting = vec![0; rules.len()];
        for (idx, code) in codes.iter().enumerate() {
            for read in self.reads(code).iter().filter_map(|var| rule_of.get(var)) {
                users[*read].push(idx);
                n_waiting[idx] += 1;
            }
        }
        let is_ready = |idx: &usize| defines(*idx).is_some() && n_waiting[*idx] == 0;
        let mut order: Vec<usize> = (0..rules.len()).filter(is_ready).collect();
        let mut at = 0;
        while let Some(&idx) = order.get(at) {
            for &user in &users[idx] {
                n_waiting[user] -= 1;
                if n_waiting[user] == 0 && defines(user).is_some() {
                    order.push(user);
                }
            }
            at += 1;
        }
        order
    }

    /// The variables whose next values a code reads.
    fn reads(&self, code: &Code) -> Vec<VarId> {
        let mut stack = vec![code.fails];
        match &code.value {
            Compiled::One(reg) => stack.push(*reg),
            Compiled::Set(choices) => {
                for choice in choices {
                    stack.push(choice.guard);
                    if let Members::One(reg) = choice.members {
                        stack.push(reg);
                    }
                }
            }
        }
        let mut seen: FxHashSet<Reg> = FxHashSet::default();
        let mut vars = Vec::new();
        while let Some(reg) = stack.pop() {
            if seen.insert(reg) {
                if let crate::code::Op::Slot(Slot::Next(var)) = self.coder.op(reg) {
                    vars.push(var);
                }
                stack.extend(operands(self.coder.op(reg)));
            }
        }
        vars
    }

    /// Leaves a variable unconstrained within its domain.
    fn choose(&mut self, aig: &mut Aig, var: VarId) -> Result<Vec<Bit>, Why> {
        let mut bits = Vec::new();
        for _ in 0..self.wires.encodings[&var].n_bits {
            bits.push(aig.input()?);
        }
        self.choices.extend(&bits);
        let encoding = &self.wires.encodings[&var];
        let is_valid = encoding.is_valid(&mut Maker { aig, wires: &self.wires }, &bits)?;
        // Invalid codes are mapped to the first value.
        for bit in &mut bits {
            *bit = aig.and(*bit, is_valid)?;
        }
        self.wires.next.insert(var, bits.clone());
        Ok(bits)
    }

    /// Chooses a member of a set. Returns whether the set is nonempty.
    fn choose_member(&mut self, aig: &mut Aig, var: VarId, choices: &[Choice]) -> Result<Bit, Why> {
        let mut bits = self.choose(aig, var)?;
        let slot = self.coder.slot(Slot::Next(var));
        let is_member = self.coder.is_member(slot, choices);
        // The blaster must not cache anything that reads these bits: they are not those of the next
        // state.
        let mut blaster = Blaster::new();
        let is_member =
            blaster.truth(&mut Maker { aig, wires: &self.wires }, &self.coder, is_member)?;
        let (mut first, mut is_any) = (bits.clone(), FALSE);
        let encoding = self.wires.encodings[&var].clone();
        for choice in choices.iter().rev() {
            let is_in = self.truth(aig, choice.guard)?;
            let value: Vec<Bit> = match choice.members {
                Members::One(reg) => {
                    let mut maker = Maker { aig, wires: &self.wires };
                    let number = self.blaster.number(&mut maker, &self.coder, reg)?.clone();
                    encoding.bits_of(&mut maker, &number)?
                }
                Members::Range(first, _) => {
                    let code = encoding.bits(first);
                    (0..encoding.n_bits).map(|idx| (code >> idx & 1 == 1).into()).collect()
                }
            };
            for (bit, value) in first.iter_mut().zip(value) {
                *bit = aig.mux(is_in, value, *bit)?;
            }
            is_any = aig.or(is_in, is_any)?;
        }
        // Invalid choices are mapped to the first member.
        for (bit, first) in bits.iter_mut().zip(first) {
            *bit = aig.mux(is_member, *bit, first)?;
        }
        self.wires.next.insert(var, bits);
        Ok(is_any)
    }

    fn truth(&mut self, aig: &mut Aig, reg: Reg) -> Result<Bit, Why> {
        self.blaster.truth(&mut Maker { aig, wires: &self.wires }, &self.coder, reg)
    }

    /// Assigns a variable. Returns the side condition.
    fn assign(
        &mut self,
        aig: &mut Aig,
        var: VarId,
        value: &Compiled,
        failing: Bit,
    ) -> Result<Bit, Why> {
        let reg = match value {
            Compiled::One(reg) => *reg,
            Compiled::Set(choices) => return self.choose_member(aig, var, choices),
        };
        let mut maker = Maker { aig, wires: &self.wires };
        let number = self.blaster.number(&mut maker, &self.coder, reg)?.clone();
        let encoding = self.wires.encodings[&var].clone();
        let mut bits = encoding.bits_of(&mut maker, &number)?;
        if failing != FALSE {
            // Where the value is undefined it is arbitrary.
            let open = self.choose(aig, var)?;
            for (bit, open) in bits.iter_mut().zip(open) {
                *bit = aig.mux(failing, open, *bit)?;
            }
        }
        self.wires.next.insert(var, bits);
        Ok(TRUE)
    }

    /// True if a variable that already has a value equals its assigned one.
    fn is_assigned(&mut self, aig: &mut Aig, var: VarId, value: &Compiled) -> Result<Bit, Why> {
        let slot = self.coder.slot(Slot::Next(var));
        match value {
            Compiled::One(reg) => {
                let mut maker = Maker { aig, wires: &self.wires };
                let ours = self.blaster.number(&mut maker, &self.coder, slot)?.clone();
                let theirs = self.blaster.number(&mut maker, &self.coder, *reg)?.clone();
                let n_bits = ours.bits.len().max(theirs.bits.len());
                let mut same = Vec::new();
                for idx in 0..n_bits {
                    same.push(!aig.xor(*ours.bit(idx), *theirs.bit(idx))?);
                }
                aig.all(same)
            }
            Compiled::Set(choices) => {
                let is_member = self.coder.is_member(slot, choices);
                self.truth(aig, is_member)
            }
        }
    }
}
