//! A model as BDDs: initial states and transition relation, over a cone of influence.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use trapline_model::dependency::support;
use trapline_model::{Domain, ExprId, Model, VarId, VarKind};

use crate::answer::Why;
use crate::blast::Blaster;
use crate::cluster::is_total;
use crate::code::{Coder, Compiled};
use crate::cone::cone;
use crate::encoding::Encoding;
use crate::explicit::complete::{Completer, Known};
use trapline_budget::Budget;

use super::bits::{Bits, Field};
use super::build::{Builder, EncodedModel, Failing};
use super::manager::{Bdd, Manager, Var};
use super::relation::{Relation, Roles};

/// A model restricted to a cone of influence.
pub struct System<'m, 'b> {
    /// The model.
    pub model: &'m Model,
    /// The model that traces are shown in: the same, or the one that it extends.
    shown: &'m Model,
    /// The BDD manager.
    pub manager: Rc<Manager<'b>>,
    /// The budget.
    pub budget: &'b Budget<'b>,
    /// The variables in the cone, including inputs.
    pub fields: FxHashMap<VarId, Field>,
    /// The bits of a state.
    pub state_bits: Vec<Var>,
    /// The bits of a step.
    pub roles: Roles,
    /// The initial states.
    pub initial: Bdd,
    /// The transition relation.
    pub relation: Relation,
    /// True if an expression about the initial states is undefined.
    pub initial_fails: bool,
    /// The states with an undefined transition, if there can be any.
    pub failing: Option<Bdd>,
    /// True if deadlocks are possible; only constraints cause them.
    pub can_end: bool,
    code: RefCell<(Coder<'m>, Blaster<Bdd>)>,
    completer: OnceCell<Result<Completer<'m>, Why>>,
}

/// A Boolean expression as a BDD.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Where it is true.
    pub holds: Bdd,
    /// Where it is undefined.
    pub fails: Bdd,
}

impl<'m, 'b> System<'m, 'b> {
    /// Encodes a model for questions about these expressions. Inputs that occur in `steps` are not
    /// quantified.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn new(
        model: &'m Model,
        states: &[ExprId],
        steps: &[ExprId],
        budget: &'b Budget<'b>,
    ) -> Result<System<'m, 'b>, Why> {
        let kept = cone(model, states.iter().chain(steps).copied());
        System::of(model, &kept, &support(model, steps.iter().copied()).current, budget)
    }

    /// Encodes a model with all its variables.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn whole(model: &'m Model, budget: &'b Budget<'b>) -> Result<System<'m, 'b>, Why> {
        let kept: Vec<VarId> = model.var_ids().map(|(var, _)| var).collect();
        System::of(model, &kept, &[], budget)
    }

    /// Encodes some variables of a model; the inputs that are `read` are not quantified.
    fn of(
        model: &'m Model,
        kept: &[VarId],
        read: &[VarId],
        budget: &'b Budget<'b>,
    ) -> Result<System<'m, 'b>, Why> {
        let EncodedModel { manager, fields, coder, initial, initial_fails, parts, failing } =
            EncodedModel::best(model, kept, budget)?;
        let roles = roles(model, &fields, kept, read);
        let is_state = |var: &&VarId| model.var(**var).kind != VarKind::Input;
        let state_bits: Vec<Var> =
            kept.iter().filter(is_state).flat_map(|var| fields[var].current.clone()).collect();
        let failing = match failing {
            None => None,
            Some(Failing { fails, parts }) => {
                let mut roles = roles.clone();
                roles.shown.extend(manager.support(&fails));
                Some(Relation::new(&manager, parts, &roles)?.before(&manager, &fails)?)
            }
        };
        let relation = Relation::new(&manager, parts, &roles)?;
        manager.tidy()?;
        Ok(System {
            model,
            shown: model,
            manager: Rc::new(manager),
            budget,
            fields,
            state_bits,
            roles,
            initial,
            relation,
            initial_fails,
            failing,
            can_end: !is_total(model),
            code: RefCell::new((coder, Blaster::new())),
            completer: OnceCell::new(),
        })
    }

    /// The system of a model that extends this one by Boolean variables and constraints at the end.
    /// Traces are those of the original model.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn extended<'p>(
        &self,
        product: &'p Model,
        shown: &'p Model,
    ) -> Result<System<'p, 'b>, Why> {
        let manager = Rc::clone(&self.manager);
        let (mut fields, mut roles) = (self.fields.clone(), self.roles.clone());
        let mut state_bits = self.state_bits.clone();
        let added = product.var_ids().skip(self.model.vars.len()).map(|(var, _)| var);
        for var in added {
            let bits = manager.add_group(2);
            let encoding = Encoding::new(&Domain::Bool)?;
            fields.insert(var, Field { encoding, current: vec![bits[0]], next: vec![bits[1]] });
            state_bits.push(bits[0]);
            roles.current.push(bits[0]);
            roles.next.push(bits[1]);
        }
        let constraints = &product.constraints[self.model.constraints.len()..];
        let mut builder = Builder::new(product, &[], &manager, &fields);
        let (initial, parts) = builder.constraints(constraints)?;
        let coder = builder.coder;
        let relation = self.relation.with(&manager, parts, &roles)?;
        Ok(System {
            model: product,
            shown,
            budget: self.budget,
            fields,
            state_bits,
            roles,
            initial: manager.and(&self.initial, &initial)?,
            relation,
            initial_fails: false,
            failing: None,
            can_end: true,
            code: RefCell::new((coder, Blaster::new())),
            completer: OnceCell::new(),
            manager,
        })
    }

    /// Encodes a Boolean expression.
    ///
    /// # Errors
    /// When it has parts that are no numbers, or the budget runs out.
    pub fn predicate(&self, expr: ExprId) -> Result<Predicate, Why> {
        let (coder, blaster) = &mut *self.code.borrow_mut();
        let (holds, fails) = coder.truth(expr, false)?;
        let mut bits = Bits { manager: &self.manager, fields: &self.fields, model: self.model };
        let fails = blaster.truth(&mut bits, coder, fails)?;
        let holds = blaster.truth(&mut bits, coder, holds)?;
        let holds = self.manager.minus(&holds, &fails)?;
        Ok(Predicate { holds, fails })
    }

    /// The bits of the value of an expression, and where it is undefined.
    ///
    /// # Errors
    /// When it is a set or no number, or the budget runs out.
    pub fn value(&self, expr: ExprId) -> Result<(Vec<Bdd>, Bdd), Why> {
        let (coder, blaster) = &mut *self.code.borrow_mut();
        let code = coder.compile(expr, false)?;
        let Compiled::One(reg) = code.value else {
            return Err(Why::Unsupported("a set of values".into()));
        };
        let mut bits = Bits { manager: &self.manager, fields: &self.fields, model: self.model };
        let fails = blaster.truth(&mut bits, coder, code.fails)?;
        let number = blaster.number(&mut bits, coder, reg)?.bits.clone();
        Ok((number, fails))
    }

    /// Drops intermediate results of expressions.
    pub fn forget(&self) {
        self.code.borrow_mut().1.forget();
    }

    /// The image of the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn image(&self, set: &Bdd) -> Result<Bdd, Why> {
        self.relation.image(&self.manager, set)
    }

    /// The preimage of the set.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn preimage(&self, set: &Bdd) -> Result<Bdd, Why> {
        self.relation.preimage(&self.manager, set)
    }

    /// The number of states in a set.
    pub fn count(&self, set: &Bdd) -> u128 {
        self.manager.count(set, &self.state_bits)
    }

    /// A state of a nonempty set, as a full assignment to its bits.
    pub fn pick(&self, set: &Bdd) -> Vec<(Var, bool)> {
        let picked: FxHashMap<Var, bool> = self.manager.pick(set).into_iter().collect();
        let value = |var: &Var| (*var, picked.get(var).copied().unwrap_or(false));
        self.state_bits.iter().map(value).collect()
    }

    /// The singleton of a state.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn only(&self, state: &[(Var, bool)]) -> Result<Bdd, Why> {
        self.manager.literals(state)
    }

    /// The same, over next-state bits.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn next_only(&self, state: &[(Var, bool)]) -> Result<Bdd, Why> {
        self.manager.shift(&self.only(state)?)
    }

    /// Input literals of a step between two states that satisfies a condition.
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
            let part = self.manager.cofactor(part, &step)?;
            inputs = self.manager.and(&inputs, &part)?;
        }
        Ok(self.manager.pick(&inputs))
    }

    /// The variable values that literals determine.
    pub fn known(&self, literals: &[(Var, bool)]) -> Known {
        let literals: FxHashMap<Var, bool> = literals.iter().copied().collect();
        let is_said = |(var, field): &(&VarId, &Field)| {
            let is_shown = (var.0 as usize) < self.shown.vars.len();
            is_shown && field.current.iter().any(|var| literals.contains_key(var))
        };
        let said = self.fields.iter().filter(is_said);
        said.map(|(&var, field)| (var, field.read(&literals))).collect()
    }

    /// Completes paths to traces of the whole model.
    ///
    /// # Errors
    /// When the model has something that can't be enumerated.
    pub fn completer(&self) -> Result<&Completer<'m>, Why> {
        let completer = self.completer.get_or_init(|| Completer::new(self.shown, self.budget));
        completer.as_ref().map_err(Why::clone)
    }
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
