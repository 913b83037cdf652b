//! A model compiled for a question: programs for initial states and for steps.
//!
//! The next-state variables fall into two parts. The part that a step decides (everything that
//! depends on the current state or an input, and what that reads) is found by the step program. The
//! rest depends on the next state alone: mostly free variables, which later steps read as inputs.
//! It is enumerated once for each new value of the first part, by the fill program, instead of once
//! per step.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::dependency::{Support, support};
use trapline_model::{ExprId, Model, Type, VarId, VarKind};

use crate::answer::Why;
use trapline_budget::Budget;

use super::complete::Completer;
use super::layout::Layout;
use super::program::Program;
use super::schedule::{Problem, schedule};
use crate::code::{Code, Coder, Compiled, Reg, Slot};
use crate::cone::cone;
use crate::rules::{self, Rule};

/// The expressions that a search must evaluate.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Boolean expressions evaluated in every state.
    pub states: Vec<ExprId>,
    /// Expressions evaluated in every step.
    pub steps: Vec<ExprId>,
    /// Boolean expressions over steps, stored with each edge.
    pub marks: Vec<ExprId>,
    /// Other expressions that belong to the cone of influence.
    pub others: Vec<ExprId>,
    /// Inputs that are treated as part of the state that their step leaves.
    pub lifted: Vec<VarId>,
    /// Variables that are forced into the decided part.
    pub settled: Vec<VarId>,
}

/// A model compiled for a question.
pub struct System<'m> {
    /// The model.
    pub model: &'m Model,
    /// The layout of packed states.
    pub layout: Layout,
    /// The observed inputs.
    pub inputs: Vec<VarId>,
    /// Enumerates the initial states.
    pub initial: StateProgram,
    /// Enumerates the decided parts of successors.
    pub step: StepProgram,
    /// Enumerates the rest of a state, if a step does not decide all of it.
    pub fill: Option<StateProgram>,
    /// Mask of the bits that a step decides.
    pub decided: Vec<u64>,
    /// Evaluates expressions in states.
    pub eval: EvalProgram,
    completer: OnceCell<Result<Completer<'m>, Why>>,
}

impl<'m> System<'m> {
    /// Completes traces of the whole model; created on first use.
    ///
    /// # Errors
    /// When the model has something that can't be enumerated.
    pub fn completer(&self, budget: &Budget) -> Result<&Completer<'m>, Why> {
        let completer = self.completer.get_or_init(|| Completer::new(self.model, budget));
        completer.as_ref().map_err(Why::clone)
    }
}

/// A program that enumerates values of state variables.
pub struct StateProgram {
    /// The program.
    pub program: Program,
    /// The given fields, with their nodes.
    pub given: Vec<(usize, Reg)>,
    /// The enumerated fields.
    pub found: Vec<(usize, Reg)>,
}

/// A program that enumerates the steps from a state.
pub struct StepProgram {
    /// The program; fields of the current state are given, decided ones of the next are enumerated.
    pub state: StateProgram,
    /// The nodes of the inputs.
    pub inputs: Vec<Reg>,
    /// The nodes of the evaluated expressions: the value, and whether it is undefined.
    pub exprs: Vec<(Reg, Reg)>,
    /// The nodes of the marks.
    pub marks: Vec<Reg>,
}

/// A program that evaluates expressions in a state.
pub struct EvalProgram {
    /// The program.
    pub program: Program,
    /// The given fields, with their nodes.
    pub given: Vec<(usize, Reg)>,
    /// The nodes of the expressions: the value, and whether it is undefined.
    pub exprs: Vec<(Reg, Reg)>,
}

/// Compiles a model.
///
/// # Errors
/// When it has something that can't be enumerated.
pub fn compile<'m>(
    model: &'m Model,
    question: &Question,
    budget: &Budget,
) -> Result<System<'m>, Why> {
    // Compiling takes a while, even if the budget is already exhausted.
    budget.allows(0)?;
    let looked = [&question.states, &question.steps, &question.marks, &question.others];
    let mut kept = cone(model, looked.into_iter().flatten().copied());
    kept.extend(&question.lifted);
    kept.sort_unstable();
    kept.dedup();
    let is_input =
        |var: &VarId| model.var(*var).kind == VarKind::Input && !question.lifted.contains(var);
    let inputs: Vec<VarId> = kept.iter().copied().filter(is_input).collect();
    let state_vars: Vec<VarId> = kept.iter().copied().filter(|var| !is_input(var)).collect();
    let layout = Layout::new(model, &state_vars)?;
    let compiler = Compiler {
        model,
        question,
        state_vars: &state_vars,
        inputs: &inputs,
        needs_all_inputs: false,
        budget,
    };
    let initial = compiler.initial()?;
    let (step, fill) = compiler.step()?;
    let mut decided = vec![0; layout.n_words];
    for &(field, _) in &step.state.found {
        let (word, bits) = layout.fields[field].occupied();
        decided[word] |= bits;
    }
    let eval = eval_program(model, &state_vars, &question.states, budget)?;
    let completer = OnceCell::new();
    Ok(System { model, layout, inputs, initial, step, fill, decided, eval, completer })
}

/// Programs over all variables of a model, for single states and steps.
pub struct Whole {
    /// For an initial state.
    pub initial: WholeProgram,
    /// For a step.
    pub step: WholeProgram,
}

/// A program with the nodes of its variables.
pub struct WholeProgram {
    /// The program.
    pub program: Program,
    /// Variables of the current state.
    pub current: Vec<(VarId, Reg)>,
    /// Inputs of the step.
    pub inputs: Vec<(VarId, Reg)>,
    /// Variables of the next state, or of the initial one.
    pub next: Vec<(VarId, Reg)>,
}

/// Compiles the whole model, regardless of any cone.
///
/// # Errors
/// When it has something that can't be enumerated.
pub fn whole(model: &Model, budget: &Budget) -> Result<Whole, Why> {
    let is_input = |var: &VarId| model.var(*var).kind == VarKind::Input;
    let all = || model.var_ids().map(|(var, _)| var);
    let inputs: Vec<VarId> = all().filter(is_input).collect();
    let state_vars: Vec<VarId> = all().filter(|var| !is_input(var)).collect();
    let question = &Question::default();
    let compiler = Compiler {
        model,
        question,
        state_vars: &state_vars,
        inputs: &inputs,
        needs_all_inputs: true,
        budget,
    };
    let vars = |fields: Vec<(usize, Reg)>| -> Vec<(VarId, Reg)> {
        fields.into_iter().map(|(field, reg)| (state_vars[field], reg)).collect()
    };
    let StateProgram { program, found, .. } = compiler.initial()?;
    let (current, next) = (Vec::new(), vars(found));
    let initial = WholeProgram { program, current, inputs: Vec::new(), next };
    let rules = rules::steps(model, |var| compiler.is_kept(var));
    let step = compiler.step_program(&rules, &state_vars)?;
    let StateProgram { program, given, found } = step.state;
    let inputs = inputs.iter().copied().zip(step.inputs).collect();
    let step = WholeProgram { program, current: vars(given), inputs, next: vars(found) };
    Ok(Whole { initial, step })
}

/// Compiles expressions over these state variables.
///
/// # Errors
/// When it has values that are no numbers here.
pub fn eval_program(
    model: &Model,
    state_vars: &[VarId],
    exprs: &[ExprId],
    budget: &Budget,
) -> Result<EvalProgram, Why> {
    let mut coder = Coder::new(model);
    coder.freezes = true;
    let mut compiled = Vec::new();
    for &expr in exprs {
        budget.has_patience()?;
        compiled.push(coder.truth(expr, false)?);
    }
    let given: Vec<Slot> = state_vars.iter().map(|&var| Slot::Current(var)).collect();
    let outputs = compiled.iter().flat_map(|&(value, fails)| [value, fails]).collect();
    let fields = fields(&mut coder, &given, state_vars);
    let program = schedule(&mut coder, Problem { given, outputs, ..Problem::default() }, budget)?;
    // Only fields that are read need to be unpacked.
    let mut read = program.reads();
    read.extend(compiled.iter().flat_map(|&(v, f)| [v, f]));
    let given = fields.into_iter().filter(|(_, reg)| read.contains(reg)).collect();
    Ok(EvalProgram { program, given, exprs: compiled })
}

struct Compiler<'a, 'm> {
    model: &'m Model,
    question: &'a Question,
    state_vars: &'a [VarId],
    inputs: &'a [VarId],
    needs_all_inputs: bool,
    budget: &'a Budget<'a>,
}

impl<'m> Compiler<'_, 'm> {
    fn initial(&self) -> Result<StateProgram, Why> {
        let rules = rules::initial(self.model, |var| self.is_kept(var));
        self.state_program(&mut Coder::new(self.model), &rules, self.state_vars, Sides::default())
    }

    fn is_kept(&self, var: VarId) -> bool {
        self.state_vars.binary_search(&var).is_ok()
    }

    fn step(&self) -> Result<(StepProgram, Option<StateProgram>), Why> {
        let rules = rules::steps(self.model, |var| self.is_kept(var));
        let decided = self.decided(&rules);
        let is_decided = |var: &VarId| decided.contains(var);
        let belongs = |rule: &&Rule| match rule.target {
            Some(var) => is_decided(&var),
            None => self.reads(rule).1.iter().all(is_decided),
        };
        let (now, later): (Vec<Rule>, Vec<Rule>) = rules.iter().partition(|rule| belongs(rule));
        let part = |wanted: bool| -> Vec<VarId> {
            self.state_vars.iter().copied().filter(|var| is_decided(var) == wanted).collect()
        };
        let (first, rest) = (part(true), part(false));
        let fill = match rest.is_empty() {
            true => None,
            false => {
                let given = first.iter().map(|&var| Slot::Next(var)).collect();
                let sides = Sides { given, ..Sides::default() };
                let coder = &mut Coder::new(self.model);
                Some(self.state_program(coder, &later, &rest, sides)?)
            }
        };
        Ok((self.step_program(&now, &first)?, fill))
    }

    fn step_program(&self, rules: &[Rule], found: &[VarId]) -> Result<StepProgram, Why> {
        let mut coder = Coder::new(self.model);
        let mut exprs = Vec::new();
        for &expr in &self.question.steps {
            self.budget.has_patience()?;
            exprs.push(coder.truth(expr, false)?);
        }
        let mut marks = Vec::new();
        for &expr in &self.question.marks {
            self.budget.has_patience()?;
            marks.push(coder.truth(expr, false)?.0);
        }
        let inputs: Vec<Slot> = self.inputs.iter().map(|&var| Slot::Current(var)).collect();
        let input_regs: Vec<Reg> = inputs.iter().map(|&slot| coder.slot(slot)).collect();
        let mut outputs: Vec<Reg> = exprs.iter().flat_map(|&(v, f)| [v, f]).collect();
        outputs.extend(&marks);
        // The inputs of a step are kept if something may ask for them.
        let shown = if outputs.is_empty() { Vec::new() } else { input_regs.clone() };
        let given = self.state_vars.iter().map(|&var| Slot::Current(var)).collect();
        let sides = Sides { given, inputs, outputs, shown };
        let state = self.state_program(&mut coder, rules, found, sides)?;
        Ok(StepProgram { state, inputs: input_regs, exprs, marks })
    }

    /// The program that enumerates these next-state variables.
    fn state_program(
        &self,
        coder: &mut Coder<'m>,
        rules: &[Rule],
        found: &[VarId],
        Sides { given, inputs, mut outputs, shown }: Sides,
    ) -> Result<StateProgram, Why> {
        let slots: Vec<Slot> = found.iter().map(|&var| Slot::Next(var)).collect();
        let needs_all_inputs = self.needs_all_inputs;
        let mut problem = Problem { given, shown, needs_all_inputs, ..Problem::default() };
        for rule in rules {
            match rule.target {
                Some(var) => {
                    problem.assigns.push((Slot::Next(var), coder.compile(rule.expr, rule.primed)?));
                }
                None => problem.constraints.push(coder.truth(rule.expr, rule.primed)?),
            }
        }
        if problem.given.iter().any(|slot| matches!(slot, Slot::Current(_))) {
            problem.assigns.extend(self.frozen(coder));
        }
        let given = fields(coder, &problem.given, self.state_vars);
        let found = fields(coder, &slots, self.state_vars);
        outputs.extend(found.iter().map(|(_, reg)| *reg));
        problem.outputs.clone_from(&outputs);
        problem.unknown = inputs.into_iter().chain(slots).collect();
        let program = schedule(coder, problem, self.budget)?;
        let mut read = program.reads();
        read.extend(outputs);
        let given = given.into_iter().filter(|(_, reg)| read.contains(reg)).collect();
        Ok(StateProgram { program, given, found })
    }

    /// Frozen variables keep their values.
    fn frozen(&self, coder: &mut Coder<'m>) -> Vec<(Slot, Code)> {
        let is_frozen = |var: &&VarId| self.model.var(**var).kind == VarKind::Frozen;
        let frozen = self.state_vars.iter().filter(is_frozen);
        let keep = |&var: &VarId| {
            let value = Compiled::One(coder.slot(Slot::Current(var)));
            (Slot::Next(var), Code { value, fails: coder.constant(0) })
        };
        frozen.map(keep).collect()
    }

    /// Whether a rule reads the current state or an input, and which next-state variables it reads.
    fn reads(&self, rule: &Rule) -> (bool, Vec<VarId>) {
        let Support { current, next } = support(self.model, [rule.expr]);
        match rule.primed {
            true => (false, Support { current, next }.all()),
            false => (!current.is_empty(), next),
        }
    }

    /// The next-state variables that a step decides.
    fn decided(&self, rules: &[Rule]) -> FxHashSet<VarId> {
        let is_frozen = |var: &VarId| self.model.var(*var).kind == VarKind::Frozen;
        let mut stack: Vec<VarId> = self.state_vars.iter().copied().filter(is_frozen).collect();
        let mut needs: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
        for rule in rules {
            let (is_step, next) = self.reads(rule);
            if is_step {
                stack.extend(next.iter().copied().chain(rule.target));
            }
            if let Some(var) = rule.target {
                needs.insert(var, next);
            }
        }
        let looked = self.question.steps.iter().chain(&self.question.marks);
        stack.extend(support(self.model, looked.copied()).next);
        stack.extend(&self.question.settled);
        let mut decided = FxHashSet::default();
        while let Some(var) = stack.pop() {
            if decided.insert(var) {
                stack.extend(needs.get(&var).into_iter().flatten());
            }
        }
        // If the decided part determines the rest, there is nothing to fill in.
        let is_single = |var: &VarId| needs.contains_key(var) && !self.is_choice(rules, *var);
        let rest = self.state_vars.iter().filter(|var| !decided.contains(var));
        if rest.clone().all(is_single) {
            decided.extend(self.state_vars);
        }
        decided
    }

    fn is_choice(&self, rules: &[Rule], var: VarId) -> bool {
        let rule = rules.iter().find(|rule| rule.target == Some(var));
        rule.is_none_or(|rule| matches!(self.model.exprs.ty(rule.expr), Type::Set(_)))
    }
}

/// Inputs and outputs of a program besides its rules.
#[derive(Default)]
struct Sides {
    given: Vec<Slot>,
    inputs: Vec<Slot>,
    outputs: Vec<Reg>,
    shown: Vec<Reg>,
}

/// The fields of slots, with their nodes.
fn fields(coder: &mut Coder, slots: &[Slot], state_vars: &[VarId]) -> Vec<(usize, Reg)> {
    let mut fields = Vec::new();
    for &slot in slots {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        if let Ok(field) = state_vars.binary_search(&var) {
            fields.push((field, coder.slot(slot)));
        }
    }
    fields
}
