//! Possible states as a diagram.
//!
//! The form for many states. A set is a function of the bits of a state; what an exchange says is a
//! cube that it is combined with. Inputs are enabled where no state is left that has no step with them.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_budget::Budget;
use trapline_model::trace::State;
use trapline_model::{DefineId, Model, Value, VarId, VarKind};

use super::{Exchange, Inputs, Listed, Output, Outputs, Ports, Possible, Sent, without_value};
use crate::answer::Why;
use crate::bdd::bits::Field;
use crate::bdd::manager::{Bdd, Var};
use crate::bdd::relation::{Relation, Roles};
use crate::bdd::system::System;
use crate::code::{decode, encode};

/// Diagrams of possible states.
pub struct Symbolic<'m, 'b> {
    system: System<'m, 'b>,
    ports: Ports<'m>,
    /// All steps; what they read is forgotten after them.
    steps: Relation,
    /// The same, where the states that steps leave and the inputs are remembered, and all else forgotten.
    taken: Relation,
    /// The value of each definition that is an output, and where it has none.
    defines: FxHashMap<DefineId, (Vec<Bdd>, Bdd)>,
    /// The bits that are settled only by what is sent with the step that leaves a state.
    leaving: Bdd,
    /// Of these, the bits of variables that follow from what is sent.
    following: Bdd,
    /// The other bits of states.
    staying: Bdd,
}

/// The bits that a variable has in a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Current,
    Next,
}

impl<'m, 'b> Symbolic<'m, 'b> {
    /// Prepares a model.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn new(model: &'m Model, budget: &'b Budget<'b>) -> Result<Symbolic<'m, 'b>, Why> {
        let system = System::whole(model, budget)?;
        let ports = Ports::new(model);
        let manager = &system.manager;
        let is_input: FxHashSet<VarId> = ports.inputs.iter().copied().collect();
        let (mut roles, mut leaving, mut following) = (Roles::default(), Vec::new(), Vec::new());
        for (var, declared) in model.var_ids() {
            let field = &system.fields[&var];
            match declared.kind {
                VarKind::State if ports.leaves_state(var) => {
                    leaving.extend(&field.current);
                    roles.next.extend(&field.next);
                }
                VarKind::State if !is_input.contains(&var) => {
                    if ports.is_unsettled(var) {
                        following.extend(&field.current);
                    }
                    roles.next.extend(&field.next);
                }
                VarKind::Input if !is_input.contains(&var) => roles.inputs.extend(&field.current),
                _ => {}
            }
        }
        leaving.extend(&following);
        let staying: Vec<Var> =
            system.state_bits.iter().copied().filter(|bit| !leaving.contains(bit)).collect();
        let taken = Relation::new(manager, system.relation.parts.clone(), &roles)?;
        let mut all = system.roles.clone();
        all.shown.extend(&system.roles.inputs);
        let steps = Relation::new(manager, system.relation.parts.clone(), &all)?;
        let mut defines = FxHashMap::default();
        for output in &ports.outputs {
            if let Output::Define(define) = *output {
                defines.insert(define, system.value(model.define(define).body.expr)?);
            }
        }
        let [leaving, staying, following] =
            [manager.cube(&leaving)?, manager.cube(&staying)?, manager.cube(&following)?];
        Ok(Symbolic { system, ports, steps, taken, defines, leaving, staying, following })
    }

    fn field(&self, var: VarId) -> &Field {
        &self.system.fields[&var]
    }

    fn bits(&self, var: VarId, at: At) -> &[Var] {
        let is_next = at == At::Next && self.ports.model.var(var).kind == VarKind::State;
        if is_next { &self.field(var).next } else { &self.field(var).current }
    }

    /// Where variables have these values.
    fn cube(&self, given: &[(VarId, At, Value)]) -> Result<Bdd, Why> {
        let mut literals: FxHashMap<Var, bool> = FxHashMap::default();
        for &(var, at, value) in given {
            if !self.ports.model.var(var).domain.contains(value) {
                return Ok(self.system.manager.constant(false));
            }
            let bits = self.field(var).encoding.bits(encode(value)?);
            for (idx, &bit) in self.bits(var, at).iter().enumerate() {
                let value = bits >> idx & 1 == 1;
                if literals.insert(bit, value).is_some_and(|known| known != value) {
                    return Ok(self.system.manager.constant(false));
                }
            }
        }
        let mut literals: Vec<(Var, bool)> = literals.into_iter().collect();
        literals.sort_unstable();
        self.system.manager.literals(&literals)
    }

    /// Where a step has these inputs.
    fn sent(&self, inputs: &Inputs) -> Result<Bdd, Why> {
        let given = inputs.iter().map(|&(var, value)| match self.ports.sent(var) {
            Sent::State => (var, At::Next, value),
            Sent::Once | Sent::Step => (var, At::Current, value),
        });
        self.cube(&given.collect::<Vec<_>>())
    }

    /// The states of a set that show these outputs.
    fn showing(&self, set: &Bdd, outputs: &Outputs) -> Result<Bdd, Why> {
        let mut set = set.clone();
        let mut vars = Vec::new();
        for &(output, value) in outputs {
            match output {
                Output::Var(var) => vars.push((var, At::Current, value)),
                Output::Define(define) => {
                    set = self.system.manager.and(&set, &self.defined_as(define, value)?)?;
                }
            }
        }
        self.system.manager.and(&set, &self.cube(&vars)?)
    }

    /// Where a definition has this value.
    fn defined_as(&self, define: DefineId, value: Value) -> Result<Bdd, Why> {
        let Some((bits, fails)) = self.defines.get(&define) else {
            return Err(Why::Unsupported("a definition that is no output".into()));
        };
        let number = encode(value)?;
        let mut parts = vec![fails.negated()];
        // The last bit is the sign, so it stands for all that would follow.
        for idx in 0..bits.len().max(i64::BITS as usize) {
            let bit = &bits[idx.min(bits.len() - 1)];
            let is_set = number >> idx.min(i64::BITS as usize - 1) & 1 == 1;
            parts.push(if is_set { bit.clone() } else { bit.negated() });
        }
        self.system.manager.all(parts)
    }

    /// The states of a set that show these outputs, where what is not said has no value.
    fn showing_all(&self, set: &Bdd, outputs: &Outputs) -> Result<Bdd, Why> {
        let mut set = self.showing(set, outputs)?;
        for (&define, (_, fails)) in &self.defines {
            if !outputs.iter().any(|(output, _)| *output == Output::Define(define)) {
                set = self.system.manager.and(&set, fails)?;
            }
        }
        Ok(set)
    }

    fn must_have_values(&self, set: &Bdd) -> Result<(), Why> {
        match &self.system.failing {
            Some(failing) if self.system.manager.meets(set, failing)? => Err(without_value()),
            _ => Ok(()),
        }
    }

    /// The states that may be left, with inputs that have steps from them.
    fn taken(&self, set: &Bdd, inputs: &Inputs) -> Result<Bdd, Why> {
        self.must_have_values(set)?;
        let manager = &self.system.manager;
        self.taken.before(manager, &manager.and(set, &self.sent(inputs)?)?)
    }

    /// The inputs of a step that satisfies a function of these.
    fn read_inputs(&self, literals: &FxHashMap<Var, bool>) -> Inputs {
        let sent = self.ports.inputs.iter().filter(|&&var| self.ports.sent(var) != Sent::Once);
        let value = |&var: &VarId| {
            let at = if self.ports.sent(var) == Sent::State { At::Next } else { At::Current };
            let bits = self.bits(var, at).iter().enumerate();
            let bits = bits
                .map(|(idx, bit)| u64::from(literals.get(bit).copied().unwrap_or(false)) << idx);
            let number = self.field(var).encoding.number(bits.sum());
            (var, decode(number, self.ports.model.var(var).domain.ty()))
        };
        sent.map(value).collect()
    }
}

impl Possible for Symbolic<'_, '_> {
    type Set = Bdd;

    fn ports(&self) -> &Ports<'_> {
        &self.ports
    }

    fn start(&self, exchange: &Exchange) -> Result<Bdd, Why> {
        if self.system.initial_fails {
            return Err(without_value());
        }
        let inputs = exchange.inputs.iter().filter(|(var, _)| self.ports.sent(*var) != Sent::Step);
        let inputs = inputs.map(|&(var, value)| (var, At::Current, value));
        let given = self.cube(&inputs.collect::<Vec<_>>())?;
        let set = self.system.manager.and(&self.system.initial, &given)?;
        self.showing(&set, &exchange.outputs)
    }

    fn step(&self, set: &Bdd, exchange: &Exchange) -> Result<Bdd, Why> {
        self.must_have_values(set)?;
        let manager = &self.system.manager;
        let steps = manager.and(set, &self.sent(&exchange.inputs)?)?;
        let after = self.steps.after(manager, &steps)?;
        let after = self.showing(&after, &exchange.outputs)?;
        manager.tidy()?;
        Ok(after)
    }

    fn is_enabled(&self, set: &Bdd, inputs: &Inputs) -> Result<bool, Why> {
        let manager = &self.system.manager;
        let taken = self.taken(set, inputs)?;
        let support: FxHashSet<Var> = manager.support(&taken).into_iter().collect();
        let staying: FxHashSet<Var> = manager.support(&self.staying).into_iter().collect();
        let mut sent: Vec<Var> = support.difference(&staying).copied().collect();
        sent.sort_unstable();
        let taken = manager.exists(&taken, &manager.cube(&sent)?)?;
        manager.implies(&manager.exists(set, &self.leaving)?, &taken)
    }

    fn enabled(&self, set: &Bdd, limit: usize) -> Result<Listed<Inputs>, Why> {
        let manager = &self.system.manager;
        let taken = self.taken(set, &Vec::new())?;
        let taken = manager.exists(&taken, &self.following)?;
        let left = manager.exists(set, &self.leaving)?;
        let stuck = manager.exists(&manager.minus(&left, &taken)?, &self.staying)?;
        let mut open = manager.minus(&manager.exists(&taken, &self.staying)?, &stuck)?;
        let mut list = Vec::new();
        while !open.is_false() && list.len() < limit {
            let literals = manager.pick(&open).into_iter().collect();
            let inputs = self.read_inputs(&literals);
            open = manager.minus(&open, &self.sent(&inputs)?)?;
            list.push(inputs);
        }
        Ok(Listed { list, is_complete: open.is_false() })
    }

    fn outputs(&self, set: &Bdd, limit: usize) -> Result<Listed<Outputs>, Why> {
        let mut open = set.clone();
        let mut list = Vec::new();
        while list.len() < limit
            && let Some(state) = self.example(&open)
        {
            let shown = self.ports.shown(&state);
            let same = self.showing_all(&open, &shown)?;
            open = self.system.manager.minus(&open, &same)?;
            list.push(shown);
        }
        Ok(Listed { list, is_complete: open.is_false() })
    }

    fn is_empty(&self, set: &Bdd) -> bool {
        set.is_false()
    }

    fn n_states(&self, set: &Bdd) -> u128 {
        self.system.count(set)
    }

    fn example(&self, set: &Bdd) -> Option<State> {
        if set.is_false() {
            return None;
        }
        let mut state = State::unknown(self.ports.model);
        for (var, number) in self.system.known(&self.system.pick(set)) {
            let ty = self.ports.model.var(var).domain.ty();
            state.values[var.0 as usize] = Some(decode(number, ty));
        }
        Some(state)
    }
}
