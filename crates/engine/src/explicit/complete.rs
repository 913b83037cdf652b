//! Completes paths over the cone of influence to traces of the whole model.
//!
//! The search omits variables outside the cone and stores no inputs. Both are filled in here, step
//! by step: known values are pinned, every other variable takes the first value that the model
//! allows, its old one if possible.

mod close;

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, VarId};

use crate::answer::Why;
use trapline_budget::Budget;

use super::program::{Options, Program, Stage};
use super::system::{Whole, whole};
use crate::code::{Op, Reg, decode, encode};

/// Maximum number of options tried per step.
const MAX_WORK: u64 = 1 << 24;

/// Known values of a state and of the step that leaves it.
pub type Known = FxHashMap<VarId, i64>;

/// Completes traces of a model.
pub struct Completer<'m> {
    model: &'m Model,
    whole: Whole,
    replayer: Replayer<'m>,
}

impl<'m> Completer<'m> {
    /// Compiles the whole model.
    ///
    /// # Errors
    /// When it has something that can't be enumerated, or the time is over for good.
    pub fn new(model: &'m Model, budget: &Budget) -> Result<Completer<'m>, Why> {
        // What was found must be shown, whatever is left to spend.
        let whole = whole(model, &budget.grace())?;
        Ok(Completer { model, whole, replayer: Replayer::new(model) })
    }

    /// The trace through partially known states; `first` is the full first state, if given.
    ///
    /// # Errors
    /// When there is none within reasonable work.
    pub fn trace(
        &self,
        first: Option<&State>,
        known: &[Known],
        loop_start: Option<usize>,
    ) -> Result<Trace, Why> {
        let mut states = vec![match first {
            Some(state) => state.clone(),
            None => self.initial(&known[0])?,
        }];
        states[0].drop_inputs(self.model);
        for step in known.windows(2) {
            self.push(&mut states, &step[0], &step[1], Preference::Old)?;
        }
        let trace = match loop_start {
            Some(start) => self.close(states, known, start)?,
            None => Trace { states, loop_start: None },
        };
        self.check(first, &trace);
        Ok(trace)
    }

    /// A trace that the model's evaluator rejects is a bug.
    fn check(&self, first: Option<&State>, trace: &Trace) {
        let result = match first {
            Some(_) => self.replayer.replay_from(trace),
            None => self.replayer.replay(trace),
        };
        if let Err(violation) = result {
            unreachable!("a trace of the explicit engine does not replay: {violation:?}")
        }
    }

    fn initial(&self, known: &Known) -> Result<State, Why> {
        let initial = &self.whole.initial;
        let pins = self.pins(known, &initial.next);
        let numbers =
            find(&initial.program, &[], &pins, &Preferred::Numbers(FxHashMap::default()))?;
        let mut state = State::unknown(self.model);
        self.read(&numbers, &initial.next, &mut state);
        Ok(state)
    }

    /// Adds a step.
    fn push(
        &self,
        states: &mut Vec<State>,
        here: &Known,
        there: &Known,
        preference: Preference,
    ) -> Result<(), Why> {
        let step = &self.whole.step;
        let Some(last) = states.last_mut() else { unreachable!("a trace has a first state") };
        let mut given = Vec::new();
        for &(var, reg) in &step.current {
            if let Some(number) = last.get(var).and_then(|value| encode(value).ok()) {
                given.push((reg, number));
            }
        }
        let preferred = match preference {
            Preference::Always(seed) => Preferred::Always(seed),
            Preference::Old => Preferred::Numbers(old(last, &step.next)),
        };
        let mut pins = self.pins(there, &step.next);
        pins.extend(self.pins(here, &step.inputs));
        let numbers = find(&step.program, &given, &pins, &preferred)?;
        self.read(&numbers, &step.inputs, last);
        let mut next = State::unknown(self.model);
        self.read(&numbers, &step.next, &mut next);
        states.push(next);
        Ok(())
    }

    fn pins(&self, known: &Known, regs: &[(VarId, Reg)]) -> FxHashMap<Reg, i64> {
        regs.iter().filter_map(|(var, reg)| known.get(var).map(|&number| (*reg, number))).collect()
    }

    fn read(&self, numbers: &[i64], regs: &[(VarId, Reg)], state: &mut State) {
        for &(var, reg) in regs {
            let ty = self.model.var(var).domain.ty();
            state.values[var.0 as usize] = Some(decode(numbers[reg as usize], ty));
        }
    }
}

/// How to resolve remaining choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preference {
    /// Keep the variable's value.
    Old,
    /// The same option for a variable every time, selected by the seed.
    Always(u64),
}

/// The same for the registers of a program.
enum Preferred {
    Numbers(FxHashMap<Reg, i64>),
    Always(u64),
}

impl Preferred {
    fn number(&self, slot: Reg, options: &Options, numbers: &[i64]) -> Option<i64> {
        match self {
            Preferred::Numbers(preferred) => preferred.get(&slot).copied(),
            Preferred::Always(seed) => {
                let mixed = FxBuildHasher.hash_one((*seed, slot)) >> 16;
                choice(options, 1 + mixed % options.n_options().max(1), None, numbers)
            }
        }
    }
}

/// The current values of variables.
fn old(state: &State, regs: &[(VarId, Reg)]) -> FxHashMap<Reg, i64> {
    let number = |var: VarId| state.get(var).and_then(|value| encode(value).ok());
    regs.iter().filter_map(|&(var, reg)| Some((reg, number(var)?))).collect()
}

/// Runs a program on one lane until its first solution, choosing only pinned values.
fn find(
    program: &Program,
    given: &[(Reg, i64)],
    pins: &FxHashMap<Reg, i64>,
    preferred: &Preferred,
) -> Result<Vec<i64>, Why> {
    let mut numbers: Vec<i64> =
        program.ops.iter().map(|op| if let Op::Const(number) = op { *number } else { 0 }).collect();
    for &(reg, number) in given {
        numbers[reg as usize] = number;
    }
    let mut waiting: Vec<(usize, u64)> = Vec::new();
    let mut stage = 0;
    for _ in 0..MAX_WORK {
        match advance(program, stage, &mut numbers, pins) {
            Reached::End => return Ok(numbers),
            Reached::Failure => {
                let text = "an expression without value in a part that does not matter";
                return Err(Why::Unsupported(text.into()));
            }
            Reached::Choice(at) => waiting.push((at, 0)),
            Reached::Nothing => {}
        }
        // Backtrack to the deepest choice with an option left.
        loop {
            let Some((at, option)) = waiting.last_mut() else {
                unreachable!("the search went through states that the model does not have")
            };
            let (slot, options) = match &program.stages[*at] {
                Stage::Choose { slot, options, .. } => (slot, options),
                Stage::Fork { starts } => {
                    if let Some(&start) = starts.get(*option as usize) {
                        *option += 1;
                        stage = start;
                        break;
                    }
                    waiting.pop();
                    continue;
                }
                _ => unreachable!("only choices wait"),
            };
            let pin = pins.get(slot).copied();
            let wanted = pin.or_else(|| preferred.number(*slot, options, &numbers));
            let is_tried = *option > options.n_options();
            *option += 1;
            if is_tried {
                waiting.pop();
                continue;
            }
            let chosen = choice(options, *option - 1, wanted, &numbers);
            if let Some(number) = chosen.filter(|&number| pin.is_none_or(|pin| pin == number)) {
                numbers[*slot as usize] = number;
                stage = *at + 1;
                break;
            }
        }
    }
    Err(Why::Work)
}

/// Option 0 is the preferred value, if available; the others follow in order.
fn choice(options: &Options, option: u64, wanted: Option<i64>, numbers: &[i64]) -> Option<i64> {
    let is_open = |(guard, _): &&(Reg, Reg)| numbers[*guard as usize] != 0;
    match (options, option.checked_sub(1)) {
        (Options::Listed(listed), None) => {
            let mut open = listed.iter().filter(is_open).map(|(_, value)| numbers[*value as usize]);
            open.find(|number| wanted == Some(*number))
        }
        (Options::Values(values), None) => wanted.filter(|number| values.contains(number)),
        (Options::Range(lo, hi), None) => wanted.filter(|number| lo <= number && number <= hi),
        (Options::Listed(listed), Some(idx)) => {
            let option = &listed[idx as usize];
            is_open(&option).then(|| numbers[option.1 as usize])
        }
        (Options::Values(values), Some(idx)) => Some(values[idx as usize]),
        (Options::Range(lo, _), Some(idx)) => Some(lo.wrapping_add(idx as i64)),
    }
}

/// Where a run on one lane stopped.
enum Reached {
    End,
    Failure,
    Choice(usize),
    Nothing,
}

fn advance(
    program: &Program,
    mut stage: usize,
    numbers: &mut [i64],
    pins: &FxHashMap<Reg, i64>,
) -> Reached {
    loop {
        match &program.stages[stage] {
            Stage::Compute(regs) => {
                for &reg in regs {
                    numbers[reg as usize] = compute(program.ops[reg as usize], numbers, reg);
                }
            }
            Stage::Copy { slot, value } => {
                let number = numbers[*value as usize];
                if pins.get(slot).is_some_and(|&pin| pin != number) {
                    return Reached::Nothing;
                }
                numbers[*slot as usize] = number;
            }
            Stage::Filter { cond, .. } => {
                if numbers[*cond as usize] == 0 {
                    return Reached::Nothing;
                }
            }
            Stage::Choose { .. } | Stage::Fork { .. } => return Reached::Choice(stage),
            Stage::End { fails: Some(reg) } if numbers[*reg as usize] != 0 => {
                return Reached::Failure;
            }
            Stage::End { .. } => return Reached::End,
        }
        stage += 1;
    }
}

fn compute(op: Op, numbers: &[i64], reg: Reg) -> i64 {
    let of = |reg: Reg| numbers[reg as usize];
    match op {
        Op::Const(_) | Op::Slot(_) => of(reg),
        _ => op.compute(of),
    }
}
