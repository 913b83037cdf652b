//! A model as functions of bits: the initial states and the steps, for a question.

use std::cell::{OnceCell, RefCell};

use rustc_hash::FxHashMap;
use trapline_model::dependency::support;
use trapline_model::{Domain, ExprId, Model, VarId, VarKind};

use crate::answer::Why;
use crate::blast::Blaster;
use crate::budget::Budget;
use crate::code::{Calc, Choice, Coder, Compiled, Members, Reg, Slot, encode};
use crate::cone::cone;
use crate::explicit::complete::{Completer, Known};
use crate::rules::{self, Rule};

use super::bits::{Bits, Field, Shape};
use super::manager::{Bdd, Manager, Var};
use super::order;
use super::relation::{Relation, Roles};

/// Operations recurse over the bits.
const MAX_BITS: usize = 6_000;

/// A model for a question.
pub struct System<'m, 'b> {
    /// The model.
    pub model: &'m Model,
    /// The model that traces are shown of: the same, or one that the first has more variables
    /// than.
    shown: &'m Model,
    /// Makes functions.
    pub manager: Manager<'b>,
    /// What is left to spend.
    pub budget: &'b Budget<'b>,
    /// The variables that matter, inputs too.
    pub fields: FxHashMap<VarId, Field>,
    /// The bits of a state.
    pub state_bits: Vec<Var>,
    /// The bits of a step.
    pub roles: Roles,
    /// The initial states.
    pub initial: Bdd,
    /// The steps.
    pub relation: Relation,
    /// Is an expression of the initial states without a value?
    pub initial_fails: bool,
    /// Steps in which an expression of the model has no value.
    pub step_fails: Bdd,
    /// Can a path end? Only constraints can end one.
    pub can_end: bool,
    code: RefCell<(Coder<'m>, Blaster<Bdd>)>,
    completer: OnceCell<Result<Completer<'m>, Why>>,
}

/// A truth value as a function of bits.
#[derive(Clone, Debug)]
pub struct Look {
    /// Where it holds.
    pub holds: Bdd,
    /// Where it has no value.
    pub fails: Bdd,
}

impl<'m, 'b> System<'m, 'b> {
    /// Prepares a model for questions about these expressions. Inputs that are in `steps` are
    /// not forgotten. Traces are those of `shown`, whose variables are the first of the model.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn new(
        model: &'m Model,
        shown: &'m Model,
        states: &[ExprId],
        steps: &[ExprId],
        budget: &'b Budget<'b>,
    ) -> Result<System<'m, 'b>, Why> {
        let kept = cone(model, states.iter().chain(steps).copied());
        let read = support(model, steps.iter().copied()).current;
        let manager = Manager::new(budget);
        let mut coder = Coder::new(model);
        let is_kept = |var: VarId| kept.binary_search(&var).is_ok();
        let rules = [rules::initial(model, is_kept), rules::steps(model, is_kept)];
        let fields = fields(model, &kept, &rules, &mut coder, &manager)?;
        let roles = roles(model, &fields, &kept, &read);
        let is_state = |var: &&VarId| model.var(**var).kind != VarKind::Input;
        let state_bits: Vec<Var> =
            kept.iter().filter(is_state).flat_map(|var| fields[var].current.clone()).collect();
        let blaster = Blaster::new();
        let mut builder =
            Builder { model, kept: &kept, manager: &manager, fields: &fields, coder, blaster };
        let (initial, initial_fails) = builder.initial(&rules[0])?;
        let (parts, fails) = builder.steps(&rules[1])?;
        let Builder { coder, mut blaster, .. } = builder;
        blaster.forget();
        manager.tidy()?;
        if std::env::var_os("BDDLOG").is_some() {
            eprintln!("parts {} nodes {} bits {} fields {} init {}", parts.len(), manager.n_nodes(), state_bits.len(), fields.len(), manager.size(&initial));
        }
        let relation = Relation::new(&manager, parts, &roles)?;
        if std::env::var_os("BDDLOG").is_some() {
            eprintln!("clusters {:?}", relation.size(&manager));
        }
        let step_fails = fails;
        manager.tidy()?;
        Ok(System {
            model,
            shown,
            manager,
            budget,
            fields,
            state_bits,
            roles,
            initial,
            relation,
            initial_fails: !initial_fails.is_false(),
            step_fails,
            can_end: !model.constraints.is_empty() || !cone(model, []).is_empty(),
            code: RefCell::new((coder, blaster)),
            completer: OnceCell::new(),
        })
    }

    /// Where a truth value holds.
    ///
    /// # Errors
    /// When it has parts that are no numbers, or the budget runs out.
    pub fn look(&self, expr: ExprId) -> Result<Look, Why> {
        let (coder, blaster) = &mut *self.code.borrow_mut();
        let (holds, fails) = coder.truth(expr, false)?;
        let mut bits =
            Bits { manager: &self.manager, fields: &self.fields, model: self.model };
        let fails = blaster.truth(&mut bits, coder, fails)?;
        let holds = blaster.truth(&mut bits, coder, holds)?;
        let holds = self.manager.minus(&holds, &fails)?;
        Ok(Look { holds, fails })
    }

    /// The bits of the value of an expression, and where it has none.
    ///
    /// # Errors
    /// When it is a set or no number, or the budget runs out.
    pub fn value(&self, expr: ExprId) -> Result<(Vec<Bdd>, Bdd), Why> {
        let (coder, blaster) = &mut *self.code.borrow_mut();
        let code = coder.compile(expr, false)?;
        let Compiled::One(reg) = code.value else {
            return Err(Why::Unsupported("a set of values".into()));
        };
        let mut bits =
            Bits { manager: &self.manager, fields: &self.fields, model: self.model };
        let fails = blaster.truth(&mut bits, coder, code.fails)?;
        let number = blaster.number(&mut bits, coder, reg)?.bits.clone();
        Ok((number, fails))
    }

    /// Lets intermediate results of expressions go.
    pub fn forget(&self) {
        self.code.borrow_mut().1.forget();
    }

    /// The states after one step from the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn image(&self, set: &Bdd) -> Result<Bdd, Why> {
        self.relation.image(&self.manager, set)
    }

    /// The states before one step into the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn preimage(&self, set: &Bdd) -> Result<Bdd, Why> {
        self.relation.preimage(&self.manager, set)
    }

    /// How many states a set has.
    pub fn count(&self, set: &Bdd) -> u128 {
        self.manager.count(set, &self.state_bits)
    }

    /// One state of a set that is not empty, as the literals of all its bits.
    pub fn pick(&self, set: &Bdd) -> Vec<(Var, bool)> {
        let picked: FxHashMap<Var, bool> = self.manager.pick(set).into_iter().collect();
        let value = |var: &Var| (*var, picked.get(var).copied().unwrap_or(false));
        self.state_bits.iter().map(value).collect()
    }

    /// A set of one state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn only(&self, state: &[(Var, bool)]) -> Result<Bdd, Why> {
        self.manager.literals(state)
    }

    /// The same state as a condition on the next state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn next_only(&self, state: &[(Var, bool)]) -> Result<Bdd, Why> {
        self.manager.shift(&self.only(state)?)
    }

    /// Inputs of a step between two states that meets a condition, as literals.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn inputs(
        &self,
        from: &[(Var, bool)],
        to: &[(Var, bool)],
        condition: Option<&Bdd>,
    ) -> Result<Vec<(Var, bool)>, Why> {
        let step = self.manager.and(&self.only(from)?, &self.next_only(to)?)?;
        let mut inputs = self.manager.constant(true);
        for part in condition.into_iter().chain(&self.relation.parts) {
            let part = self.manager.given(part, &step)?;
            inputs = self.manager.and(&inputs, &part)?;
        }
        Ok(self.manager.pick(&inputs))
    }

    /// What literals say about variables.
    pub fn known(&self, literals: &[(Var, bool)]) -> Known {
        let literals: FxHashMap<Var, bool> = literals.iter().copied().collect();
        let is_said = |(var, field): &(&VarId, &Field)| {
            let is_shown = (var.0 as usize) < self.shown.vars.len();
            is_shown && field.current.iter().any(|var| literals.contains_key(var))
        };
        let said = self.fields.iter().filter(is_said);
        said.map(|(&var, field)| (var, field.read(&literals))).collect()
    }

    /// What makes traces of the whole model.
    ///
    /// # Errors
    /// When the model has something that can't be enumerated.
    pub fn completer(&self) -> Result<&Completer<'m>, Why> {
        let completer = self.completer.get_or_init(|| Completer::new(self.shown));
        completer.as_ref().map_err(Why::clone)
    }
}

/// Gives every variable its bits, in a good order.
fn fields(
    model: &Model,
    kept: &[VarId],
    rules: &[Vec<Rule>; 2],
    coder: &mut Coder,
    manager: &Manager,
) -> Result<FxHashMap<VarId, Field>, Why> {
    let mut shapes = FxHashMap::default();
    for &var in kept {
        shapes.insert(var, Shape::new(&model.var(var).domain)?);
    }
    let n_bits: usize = shapes.values().map(|shape: &Shape| shape.n_bits).sum();
    if n_bits > MAX_BITS {
        return Err(Why::Unsupported(format!("{n_bits} bits of state and input")));
    }
    let mut sets = Vec::new();
    for rule in rules.iter().flatten() {
        coder.compile(rule.expr, rule.primed)?;
        let vars = support(model, [rule.expr]).all().into_iter().chain(rule.target);
        let mut set: Vec<usize> = vars.filter_map(|var| kept.binary_search(&var).ok()).collect();
        set.sort_unstable();
        set.dedup();
        sets.push(set);
    }
    let related = order::related(coder, &|var| shapes.get(&var).map_or(0, |shape| shape.n_bits));
    let mut fields: FxHashMap<VarId, Field> = FxHashMap::default();
    for (var, shape) in &shapes {
        let field = Field { shape: shape.clone(), current: Vec::new(), next: Vec::new() };
        fields.insert(*var, field);
    }
    let mut is_placed = vec![false; kept.len()];
    for place in order::force(kept.len(), &sets) {
        let var = kept[place];
        let set = related.iter().find(|set| set.contains(&var));
        let together = set.map_or(std::slice::from_ref(&var), Vec::as_slice);
        if is_placed[place] {
            continue;
        }
        for var in together {
            if let Ok(place) = kept.binary_search(var) {
                is_placed[place] = true;
            }
        }
        let width = together.iter().map(|var| shapes[var].n_bits).max().unwrap_or(0);
        // High bits first; the bits of numbers that belong together side by side.
        for bit in (0..width).rev() {
            for var in together.iter().filter(|var| bit < shapes[*var].n_bits) {
                let is_state = model.var(*var).kind == VarKind::State;
                let group = manager.add_group(if is_state { 2 } else { 1 });
                let Some(field) = fields.get_mut(var) else { continue };
                field.current.insert(0, group[0]);
                if let Some(&next) = group.get(1) {
                    field.next.insert(0, next);
                }
            }
        }
    }
    Ok(fields)
}

fn roles(
    model: &Model,
    fields: &FxHashMap<VarId, Field>,
    kept: &[VarId],
    shown: &[VarId],
) -> Roles {
    let mut roles = Roles::default();
    for var in kept {
        let field = &fields[var];
        match model.var(*var).kind {
            VarKind::State => {
                roles.current.extend(&field.current);
                roles.next.extend(&field.next);
            }
            VarKind::Input => {
                roles.inputs.extend(&field.current);
                if shown.contains(var) {
                    roles.shown.extend(&field.current);
                }
            }
            VarKind::Frozen => {}
        }
    }
    roles
}

/// Makes functions of the rules of a model.
struct Builder<'a, 'm, 'b> {
    model: &'m Model,
    kept: &'a [VarId],
    manager: &'a Manager<'b>,
    fields: &'a FxHashMap<VarId, Field>,
    coder: Coder<'m>,
    blaster: Blaster<Bdd>,
}

impl Builder<'_, '_, '_> {
    fn truth(&mut self, reg: Reg) -> Result<Bdd, Why> {
        let mut bits = Bits { manager: self.manager, fields: self.fields, model: self.model };
        self.blaster.truth(&mut bits, &self.coder, reg)
    }

    fn is_valid(&self, slot: Slot) -> Result<Bdd, Why> {
        Bits { manager: self.manager, fields: self.fields, model: self.model }.is_valid(slot)
    }

    /// The initial states, and where one of their rules has no value.
    fn initial(&mut self, rules: &[Rule]) -> Result<(Bdd, Bdd), Why> {
        let (parts, fails) = self.parts(rules)?;
        let mut valid = Vec::new();
        for &var in self.kept {
            if self.model.var(var).kind != VarKind::Input {
                valid.push(self.is_valid(Slot::Next(var))?);
            }
        }
        let mut all = self.manager.constant(true);
        let mut parts: Vec<Bdd> = parts.into_iter().chain(valid).collect();
        parts.sort_by_key(|part| self.manager.size(part));
        for part in parts {
            all = self.manager.and(&all, &part)?;
        }
        let fails = self.manager.and(&all, &fails)?;
        Ok((self.manager.shift(&all)?, fails))
    }

    /// The parts of the steps, and where one of them has no value.
    fn steps(&mut self, rules: &[Rule]) -> Result<(Vec<Bdd>, Bdd), Why> {
        let (mut parts, fails) = self.parts(rules)?;
        // The code takes it for granted that every variable has one of its values.
        for &var in self.kept {
            let slot = match self.model.var(var).kind {
                VarKind::State => Slot::Next(var),
                VarKind::Input => Slot::Current(var),
                VarKind::Frozen => continue,
            };
            parts.push(self.is_valid(slot)?);
        }
        parts.retain(|part| !part.is_true());
        Ok((parts, fails))
    }

    fn parts(&mut self, rules: &[Rule]) -> Result<(Vec<Bdd>, Bdd), Why> {
        let mut parts = Vec::new();
        let mut all_fails = self.manager.constant(false);
        for rule in rules {
            let code = self.coder.compile(rule.expr, rule.primed)?;
            let mut fails = self.truth(code.fails)?;
            let before = parts.len();
            match (rule.target, &code.value) {
                (None, Compiled::One(reg)) => parts.push(self.truth(*reg)?),
                (None, Compiled::Set(_)) => unreachable!("a constraint is no set"),
                (Some(var), value) => {
                    let outside = self.outside(var, value)?;
                    fails = self.manager.or(&fails, &outside)?;
                    self.assign(var, value, &mut parts)?;
                }
            }
            // Where a rule has no value it says nothing; such a step is found and reported.
            if !fails.is_false() {
                for part in &mut parts[before..] {
                    *part = self.manager.or(part, &fails)?;
                }
                all_fails = self.manager.or(&all_fails, &fails)?;
            }
        }
        Ok((parts, all_fails))
    }

    /// The value of the variable is that of the code.
    fn assign(&mut self, var: VarId, value: &Compiled, parts: &mut Vec<Bdd>) -> Result<(), Why> {
        let slot = self.coder.slot(Slot::Next(var));
        match value {
            Compiled::One(reg) => {
                let mut bits =
                    Bits { manager: self.manager, fields: self.fields, model: self.model };
                let ours = self.blaster.number(&mut bits, &self.coder, slot)?.clone();
                let theirs = self.blaster.number(&mut bits, &self.coder, *reg)?.clone();
                // Each bit is a part; those of a number that is moved are tied together.
                let n_bits = ours.bits.len().max(theirs.bits.len());
                for bit in 0..n_bits {
                    parts.push(self.manager.xor(ours.bit(bit), theirs.bit(bit))?.negated());
                }
            }
            Compiled::Set(choices) => {
                let is_member = self.coder.is_member(slot, choices);
                parts.push(self.truth(is_member)?);
            }
        }
        Ok(())
    }

    /// Where a value lies outside the domain of its variable.
    fn outside(&mut self, var: VarId, value: &Compiled) -> Result<Bdd, Why> {
        let domain = &self.model.var(var).domain;
        let all = match value {
            Compiled::One(reg) => {
                let guard = self.coder.constant(1);
                vec![Choice { guard, members: Members::One(*reg) }]
            }
            Compiled::Set(choices) => choices.clone(),
        };
        let mut any = self.coder.constant(0);
        for choice in all {
            let is_inside = match choice.members {
                Members::One(reg) => self.is_inside(reg, domain)?,
                Members::Range(lo, hi) => {
                    let [lo, hi] = [lo, hi].map(|end| self.coder.constant(end));
                    let [lo, hi] = [self.is_inside(lo, domain)?, self.is_inside(hi, domain)?];
                    self.coder.and(lo, hi)
                }
            };
            let is_outside = self.coder.not(is_inside);
            let is_outside = self.coder.and(choice.guard, is_outside);
            any = self.coder.or(any, is_outside);
        }
        self.truth(any)
    }

    fn is_inside(&mut self, reg: Reg, domain: &Domain) -> Result<Reg, Why> {
        Ok(match domain {
            Domain::Bool | Domain::Word { .. } => self.coder.constant(1),
            Domain::Range(lo, hi) => self.coder.is_between(reg, *lo, *hi),
            Domain::Enum(values) => {
                let mut any = self.coder.constant(0);
                for &value in values.iter() {
                    let value = self.coder.constant(encode(value)?);
                    let is_this = self.coder.calc(Calc::Eq, reg, value);
                    any = self.coder.or(any, is_this);
                }
                any
            }
            Domain::Integer | Domain::Real | Domain::Clock => self.coder.constant(1),
        })
    }
}
