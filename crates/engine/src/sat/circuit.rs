//! A model as a circuit: next-state bits as functions of the current state and the step inputs.
//!
//! Nondeterminism is resolved by additional step inputs: the value of an unassigned variable, or
//! which member of a set is taken. Whether the model allows a step is an output. So the next state
//! is always a function, whatever the model.

mod derived;
mod part;

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::trace::State;
use trapline_model::{ConstraintKind, ExprId, Model, VarId, VarKind};

use crate::answer::{Bits, Start, Why};
use crate::blast::{Blaster, Gates, Number};
use crate::code::{Coder, Compiled, Slot, encode};
use crate::cone::cone;
use crate::encoding::Encoding;
use crate::explicit::complete::Known;
use crate::rules;
use trapline_budget::Budget;

use super::aig::{Aig, Bit, FALSE, TRUE};
use derived::derived;
use part::StateFunction;

/// Approximate minimum memory of a circuit.
const SMALL: u64 = 1 << 16;

/// A state bit.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    /// Its current value: an input of the circuit.
    pub now: Bit,
    /// Its next-state function.
    pub next: Bit,
    /// Its initial-state function.
    pub first: Bit,
}

/// A model as a circuit.
pub struct Circuit<'m, 'b> {
    /// The model.
    pub model: &'m Model,
    /// The gates.
    pub aig: Aig<'b>,
    /// The bits of the state.
    pub latches: Vec<Latch>,
    /// The step inputs.
    pub inputs: Vec<Bit>,
    /// The inputs that select the initial state.
    pub choices: Vec<Bit>,
    /// True if the model allows the initial state.
    pub starts: Bit,
    /// True if the model allows the step.
    pub steps: Bit,
    /// The same, or an assigned variable is undefined.
    pub may_step: Bit,
    /// True for every state of the model, reachable or not.
    pub is_state: Bit,
    /// True if a rule about the initial state is undefined.
    pub start_fails: Bit,
    /// True if a rule about the step is undefined.
    pub step_fails: Bit,
    /// The latches of each variable.
    states: Vec<(VarId, Encoding, Range<usize>)>,
    /// The step inputs of each input variable.
    shown: Vec<(VarId, Encoding, Range<usize>)>,
    wires: Wires,
    coder: Coder<'m>,
    blaster: Blaster<Bit>,
}

/// The bits of variables.
#[derive(Clone, Default)]
pub(super) struct Wires {
    encodings: FxHashMap<VarId, Encoding>,
    current: FxHashMap<VarId, Vec<Bit>>,
    next: FxHashMap<VarId, Vec<Bit>>,
}

impl Wires {
    /// Gives a variable its bits.
    pub fn insert(&mut self, slot: Slot, encoding: Encoding, bits: Vec<Bit>) {
        let (var, all) = match slot {
            Slot::Current(var) => (var, &mut self.current),
            Slot::Next(var) => (var, &mut self.next),
        };
        self.encodings.insert(var, encoding);
        all.insert(var, bits);
    }

    /// The bits of a variable, if it has some.
    pub fn bits(&self, slot: Slot) -> Option<&Vec<Bit>> {
        match slot {
            Slot::Current(var) => self.current.get(&var),
            Slot::Next(var) => self.next.get(&var),
        }
    }

    /// How a variable is written, if it has bits.
    pub fn encoding(&self, var: VarId) -> Option<&Encoding> {
        self.encodings.get(&var)
    }
}

/// Builds the gates of a model.
pub(super) struct Maker<'a, 'b> {
    pub aig: &'a mut Aig<'b>,
    pub wires: &'a Wires,
}

impl Gates for Maker<'_, '_> {
    type Bit = Bit;

    fn constant(&mut self, value: bool) -> Bit {
        value.into()
    }

    fn as_const(&self, bit: &Bit) -> Option<bool> {
        bit.as_const()
    }

    fn not(&mut self, a: &Bit) -> Bit {
        !*a
    }

    fn and(&mut self, a: &Bit, b: &Bit) -> Result<Bit, Why> {
        self.aig.and(*a, *b)
    }

    fn all(&mut self, bits: Vec<Bit>) -> Result<Bit, Why> {
        self.aig.all(bits)
    }

    fn xor(&mut self, a: &Bit, b: &Bit) -> Result<Bit, Why> {
        self.aig.xor(*a, *b)
    }

    fn mux(&mut self, c: &Bit, t: &Bit, e: &Bit) -> Result<Bit, Why> {
        self.aig.mux(*c, *t, *e)
    }

    fn slot(&mut self, slot: Slot) -> Result<Number<Bit>, Why> {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let Some(bits) = self.wires.bits(slot).cloned() else {
            return Err(Why::Unsupported("variables without bounds".into()));
        };
        self.wires.encodings[&var].clone().decode(self, bits)
    }
}

impl<'m, 'b> Circuit<'m, 'b> {
    /// The circuit of a model, restricted to the cone of these expressions.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn new(
        model: &'m Model,
        exprs: impl IntoIterator<Item = ExprId>,
        start: &Start,
        budget: &'b Budget<'b>,
    ) -> Result<Circuit<'m, 'b>, Why> {
        let kept = cone(model, exprs);
        budget.allows(SMALL)?;
        let mut aig = Aig::new(budget);
        let mut wires = Wires::default();
        for &var in &kept {
            wires.encodings.insert(var, Encoding::new(&model.var(var).domain)?);
        }
        let kind = |var: &VarId| model.var(*var).kind;
        let derived = derived(model, &kept);
        let others: FxHashSet<VarId> = derived.iter().map(|(var, _)| *var).collect();
        let (mut latches, mut inputs) = (Vec::new(), Vec::new());
        let (mut states, mut shown) = (Vec::new(), Vec::new());
        for &var in kept.iter().filter(|var| !others.contains(var)) {
            let encoding = wires.encodings[&var].clone();
            let mut bits = Vec::new();
            for _ in 0..encoding.n_bits {
                bits.push(aig.input()?);
            }
            let (all, places) = match kind(&var) {
                VarKind::Input => (&mut inputs, &mut shown),
                VarKind::State | VarKind::Frozen => (&mut latches, &mut states),
            };
            places.push((var, encoding, all.len()..all.len() + bits.len()));
            all.extend(&bits);
            wires.current.insert(var, bits);
        }
        derive(model, &mut aig, &mut wires, &derived)?;
        let first = match start {
            Start::Initial => {
                let rules = rules::initial(model, |var| kept.binary_search(&var).is_ok());
                let lacking: Vec<VarId> =
                    kept.iter().copied().filter(|var| kind(var) != VarKind::Input).collect();
                StateFunction::new(model, &mut aig, wires.clone(), &rules, &lacking)?
            }
            Start::States(given) => StateFunction::given(model, &mut aig, wires.clone(), given)?,
        };
        for &var in kept.iter().filter(|var| kind(var) == VarKind::Frozen) {
            wires.next.insert(var, wires.current[&var].clone());
        }
        let rules = rules::steps(model, |var| kept.binary_search(&var).is_ok());
        let lacking: Vec<VarId> =
            kept.iter().copied().filter(|var| kind(var) == VarKind::State).collect();
        let mut step = StateFunction::new(model, &mut aig, wires, &rules, &lacking)?;
        let mut steps = vec![step.allows];
        for (var, encoding, _) in &shown {
            let bits = step.wires.current[var].clone();
            let mut maker = Maker { aig: &mut aig, wires: &step.wires };
            steps.push(encoding.is_valid(&mut maker, &bits)?);
        }
        let may_step = [step.may_allow].into_iter().chain(steps[1..].iter().copied()).collect();
        let step_fails = match step.fails {
            FALSE => FALSE,
            fails => {
                aig.all([fails, step.weak].into_iter().chain(steps[1..].iter().copied()).collect())?
            }
        };
        let start_fails = aig.and(first.fails, first.weak)?;
        inputs.append(&mut step.choices);
        let of = |wires: &Wires| -> Vec<Bit> {
            states.iter().flat_map(|(var, ..)| wires.next[var].clone()).collect()
        };
        let (next, first_bits) = (of(&step.wires), of(&first.wires));
        let latches = latches.into_iter().zip(next).zip(first_bits);
        let mut circuit = Circuit {
            model,
            latches: latches.map(|((now, next), first)| Latch { now, next, first }).collect(),
            inputs,
            choices: first.choices,
            starts: first.allows,
            steps: aig.all(steps)?,
            may_step: aig.all(may_step)?,
            is_state: TRUE,
            start_fails,
            step_fails,
            states,
            shown,
            wires: step.wires,
            coder: step.coder,
            blaster: step.blaster,
            aig,
        };
        circuit.is_state = circuit.states_of_model()?;
        Ok(circuit)
    }

    /// True where every variable is in its domain and every invariant constraint holds.
    fn states_of_model(&mut self) -> Result<Bit, Why> {
        let mut parts = Vec::new();
        for (var, encoding, _) in &self.states {
            let bits = &self.wires.current[var];
            let mut maker = Maker { aig: &mut self.aig, wires: &self.wires };
            parts.push(encoding.is_valid(&mut maker, bits)?);
        }
        let model = self.model;
        for constraint in &model.constraints {
            if constraint.kind == ConstraintKind::Invar {
                parts.push(self.predicate(constraint.body.expr)?.0);
            }
        }
        self.aig.all(parts)
    }

    /// Where an expression over a state or a step is true, and where it is undefined.
    ///
    /// # Errors
    /// When it has parts that are no numbers, or the budget runs out.
    pub fn predicate(&mut self, expr: ExprId) -> Result<(Bit, Bit), Why> {
        let (holds, fails) = self.coder.truth(expr, false)?;
        let mut maker = Maker { aig: &mut self.aig, wires: &self.wires };
        let fails = self.blaster.truth(&mut maker, &self.coder, fails)?;
        let holds = self.blaster.truth(&mut maker, &self.coder, holds)?;
        Ok((self.aig.and(holds, !fails)?, fails))
    }

    /// The bits of the value of an expression, and where it is undefined.
    ///
    /// # Errors
    /// When it is a set or no number, or the budget runs out.
    pub fn value(&mut self, expr: ExprId) -> Result<(Vec<Bit>, Bit), Why> {
        let code = self.coder.compile(expr, false)?;
        let Compiled::One(reg) = code.value else {
            return Err(Why::Unsupported("a set of values".into()));
        };
        let mut maker = Maker { aig: &mut self.aig, wires: &self.wires };
        let fails = self.blaster.truth(&mut maker, &self.coder, code.fails)?;
        let number = self.blaster.number(&mut maker, &self.coder, reg)?.bits.clone();
        Ok((number, fails))
    }

    /// A new bit of the state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn add_latch(&mut self) -> Result<usize, Why> {
        let now = self.aig.input()?;
        self.latches.push(Latch { now, next: FALSE, first: FALSE });
        Ok(self.latches.len() - 1)
    }

    /// A new bit of the step.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn add_input(&mut self) -> Result<Bit, Why> {
        let input = self.aig.input()?;
        self.inputs.push(input);
        Ok(input)
    }

    /// The latches in chunks of at most this many, none of which spans two variables.
    pub fn fields(&self, n_bits: usize) -> Vec<Range<usize>> {
        let n_known = self.states.last().map_or(0, |(.., range)| range.end);
        let others = (n_known..self.latches.len()).map(|bit| bit..bit + 1);
        let ranges = self.states.iter().map(|(.., range)| range.clone()).chain(others);
        let pieces = ranges.flat_map(|range| {
            let end = range.end;
            range.step_by(n_bits).map(move |start| start..end.min(start + n_bits))
        });
        pieces.collect()
    }

    /// The latch values of a state of the model; monitor bits are false.
    pub fn state_bits(&self, state: &State) -> Vec<bool> {
        let mut bits = vec![false; self.latches.len()];
        for (var, encoding, places) in &self.states {
            let number = state.get(*var).and_then(|value| encode(value).ok()).unwrap_or(0);
            let number = encoding.bits(number);
            for (idx, place) in places.clone().enumerate() {
                bits[place] = number >> idx & 1 == 1;
            }
        }
        bits
    }

    /// The variable values that the bits of a state and of the step that leaves it determine.
    pub fn known(&self, state: &[bool], step: Option<&[bool]>) -> Known {
        let mut known = Known::default();
        let mut read = |places: &[(VarId, Encoding, Range<usize>)], bits: &[bool]| {
            for (var, encoding, place) in places {
                let bit = |(idx, bit): (usize, &bool)| u64::from(*bit) << idx;
                let number = bits[place.clone()].iter().enumerate().map(bit).sum();
                known.insert(*var, encoding.number(number));
            }
        };
        read(&self.states, state);
        if let Some(step) = step {
            read(&self.shown, step);
        }
        known
    }

    /// A cube over the latches (twice the index, plus 1 if false) as variable bits.
    pub fn bits(&self, cube: &[u32]) -> Vec<Bits> {
        let mut all: Vec<Bits> = Vec::new();
        for &bit in cube {
            let (place, is_set) = ((bit >> 1) as usize, bit & 1 == 0);
            let field = self.states.iter().find(|(.., range)| range.contains(&place));
            let Some((var, _, range)) = field else { continue };
            let weight = 1 << (place - range.start);
            let bits = if is_set { weight } else { 0 };
            match all.iter_mut().find(|known| known.var == *var) {
                Some(known) => {
                    known.mask |= weight;
                    known.bits |= bits;
                }
                None => all.push(Bits { var: *var, mask: weight, bits }),
            }
        }
        all
    }
}

/// Computes the bits of derived variables, in order.
fn derive(
    model: &Model,
    aig: &mut Aig,
    wires: &mut Wires,
    derived: &[(VarId, ExprId)],
) -> Result<(), Why> {
    let (mut coder, mut blaster) = (Coder::new(model), Blaster::new());
    for &(var, expr) in derived {
        let Compiled::One(reg) = coder.compile(expr, false)?.value else {
            unreachable!("what is derived has one value")
        };
        let mut maker = Maker { aig, wires };
        let number = blaster.number(&mut maker, &coder, reg)?.clone();
        let bits = wires.encodings[&var].bits_of(&mut maker, &number)?;
        wires.current.insert(var, bits);
    }
    Ok(())
}
