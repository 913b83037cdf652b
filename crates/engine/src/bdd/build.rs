//! Encodes the rules of a model as BDDs, under the best of several variable orders.

use rustc_hash::FxHashMap;
use trapline_model::dependency::support;
use trapline_model::{Constraint, ConstraintKind, Model, VarId, VarKind};

use crate::answer::Why;
use crate::blast::Blaster;
use crate::code::{Coder, Compiled, Reg, Slot};
use crate::encoding::Encoding;
use crate::rules::{self, Rule};
use trapline_budget::Budget;

use super::bits::{Bits, Field};
use super::manager::{Bdd, Manager};
use super::order;

/// Limit on the bits, since operations recurse over them.
const MAX_BITS: usize = 6_000;
/// Below this many bits any order will do.
const FEW_BITS: usize = 10;
/// An order that needs more nodes is abandoned, if there are others to try.
const MAX_NODES: usize = 1 << 20;

/// A model encoded as BDDs.
pub struct EncodedModel<'m, 'b> {
    /// The BDD manager.
    pub manager: Manager<'b>,
    /// The bits of the variables.
    pub fields: FxHashMap<VarId, Field>,
    /// The compiled rules.
    pub coder: Coder<'m>,
    /// The initial states.
    pub initial: Bdd,
    /// True if a rule about the initial states is undefined.
    pub initial_fails: bool,
    /// The conjuncts of the transition relation.
    pub parts: Vec<Bdd>,
    /// Steps in which a rule is undefined, if there can be any.
    pub failing: Option<Failing>,
}

/// Steps in which a rule is undefined, as a conjunction. An undefined rule constrains nothing.
pub struct Failing {
    /// Some rule is undefined.
    pub fails: Bdd,
    /// The remaining conjuncts.
    pub parts: Vec<Bdd>,
}

/// Bit layout of numbers that are compared or added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// All most significant bits first, then the next ones: best for wide numbers.
    Interleaved,
    /// One number after the other: best for many narrow ones.
    Blocks,
}

/// What all candidate orders have in common.
struct Plan<'a> {
    kept: &'a [VarId],
    rules: [Vec<Rule>; 2],
    encodings: FxHashMap<VarId, Encoding>,
    /// Variables whose bits are interleaved.
    related: Vec<Vec<VarId>>,
    /// Variables that occur together, as indices into `kept`.
    sets: Vec<Vec<usize>>,
    /// Variables that are compared, likewise.
    pairs: Vec<Vec<usize>>,
    n_bits: usize,
}

impl<'m, 'b> EncodedModel<'m, 'b> {
    /// Encodes the model under the best of several candidate orders, then sifts it.
    ///
    /// # Errors
    /// When the model is not finite, or the budget runs out.
    pub fn best(
        model: &'m Model,
        kept: &[VarId],
        budget: &'b Budget<'b>,
    ) -> Result<EncodedModel<'m, 'b>, Why> {
        let plan = Plan::new(model, kept)?;
        let orders = order::candidates(kept.len(), &plan.sets, &plan.pairs);
        let mut best: Option<(usize, EncodedModel)> = None;
        let mut layout = Layout::Interleaved;
        let mut try_out = |order: &[usize], layout: Layout| -> Result<bool, Why> {
            let max_nodes = best.as_ref().map_or(MAX_NODES, |(size, _)| 4 * size + MAX_NODES / 8);
            match EncodedModel::new(model, &plan, order, layout, budget, max_nodes) {
                Ok(encoded) => {
                    let size = encoded.manager.shared_size(&encoded.parts);
                    let is_best = best.as_ref().is_none_or(|(least, _)| size < *least);
                    if is_best {
                        best = Some((size, encoded));
                    }
                    Ok(is_best)
                }
                // Only this order ran out of nodes, unless the budget itself is exhausted.
                Err(Why::Memory) => Ok(budget.allows(0).map(|()| false)?),
                Err(why) => Err(why),
            }
        };
        if plan.n_bits > FEW_BITS && (orders.len() > 1 || !plan.related.is_empty()) {
            for (idx, order) in orders.iter().enumerate() {
                try_out(order, layout)?;
                if idx == 0 && !plan.related.is_empty() && try_out(order, Layout::Blocks)? {
                    layout = Layout::Blocks;
                }
            }
        }
        let encoded = match best {
            Some((_, encoded)) => encoded,
            None => EncodedModel::new(model, &plan, &orders[0], layout, budget, usize::MAX)?,
        };
        encoded.manager.limit_nodes(usize::MAX);
        if plan.n_bits > FEW_BITS {
            encoded.manager.improve()?;
        }
        Ok(encoded)
    }

    fn new(
        model: &'m Model,
        plan: &Plan,
        order: &[usize],
        layout: Layout,
        budget: &'b Budget<'b>,
        max_nodes: usize,
    ) -> Result<EncodedModel<'m, 'b>, Why> {
        let manager = Manager::new(budget);
        manager.limit_nodes(max_nodes);
        let fields = plan.fields(model, order, layout, &manager);
        let mut builder = Builder::new(model, plan.kept, &manager, &fields);
        let (initial, initial_fails) = builder.initial(&plan.rules[0])?;
        let (parts, failing) = builder.steps(&plan.rules[1])?;
        let coder = builder.coder;
        Ok(EncodedModel { manager, fields, coder, initial, initial_fails, parts, failing })
    }
}

impl<'a> Plan<'a> {
    fn new(model: &Model, kept: &'a [VarId]) -> Result<Plan<'a>, Why> {
        let mut encodings = FxHashMap::default();
        for &var in kept {
            encodings.insert(var, Encoding::new(&model.var(var).domain)?);
        }
        let n_bits: usize = encodings.values().map(|encoding: &Encoding| encoding.n_bits).sum();
        if n_bits > MAX_BITS {
            return Err(Why::Unsupported(format!("{n_bits} bits of state and input")));
        }
        let is_kept = |var: VarId| kept.binary_search(&var).is_ok();
        let rules = [rules::initial(model, is_kept), rules::steps(model, is_kept)];
        let mut coder = Coder::new(model);
        let mut sets = Vec::new();
        for rule in rules.iter().flatten() {
            coder.compile(rule.expr, rule.primed)?;
            let vars = support(model, [rule.expr]).all().into_iter().chain(rule.target);
            let mut set: Vec<usize> =
                vars.filter_map(|var| kept.binary_search(&var).ok()).collect();
            set.sort_unstable();
            set.dedup();
            sets.push(set);
        }
        let width = |var: VarId| encodings.get(&var).map_or(0, |encoding| encoding.n_bits);
        let related = order::related(&coder, &width);
        let place = |var: VarId| kept.binary_search(&var).ok();
        let compared = order::compared(&coder);
        let pairs =
            compared.iter().filter_map(|&[a, b]| Some(vec![place(a)?, place(b)?])).collect();
        Ok(Plan { kept, rules, encodings, related, sets, pairs, n_bits })
    }

    /// Allocates the bits of all variables, in a given variable order.
    fn fields(
        &self,
        model: &Model,
        order: &[usize],
        layout: Layout,
        manager: &Manager,
    ) -> FxHashMap<VarId, Field> {
        let empty = |encoding: &Encoding| Field {
            encoding: encoding.clone(),
            current: Vec::new(),
            next: Vec::new(),
        };
        let mut fields: FxHashMap<VarId, Field> =
            self.encodings.iter().map(|(&var, encoding)| (var, empty(encoding))).collect();
        for &place in order {
            let var = self.kept[place];
            if !fields[&var].current.is_empty() {
                continue;
            }
            let is_one_of = |set: &&Vec<VarId>| layout == Layout::Interleaved && set.contains(&var);
            let set = self.related.iter().find(is_one_of);
            let together = set.map_or(std::slice::from_ref(&var), Vec::as_slice);
            let width = together.iter().map(|var| self.encodings[var].n_bits).max().unwrap_or(0);
            // Most significant bits first, with the bits of related numbers side by side.
            for bit in (0..width).rev() {
                for var in together.iter().filter(|var| bit < self.encodings[*var].n_bits) {
                    let is_state = model.var(*var).kind == VarKind::State;
                    let group = manager.add_group(if is_state { 2 } else { 1 });
                    let Some(field) = fields.get_mut(var) else { continue };
                    field.current.insert(0, group[0]);
                    field.next.splice(0..0, group.get(1).copied());
                }
            }
        }
        fields
    }
}

/// Encodes the rules of a model.
pub struct Builder<'a, 'm, 'b> {
    model: &'m Model,
    kept: &'a [VarId],
    manager: &'a Manager<'b>,
    fields: &'a FxHashMap<VarId, Field>,
    /// The compiled rules.
    pub coder: Coder<'m>,
    blaster: Blaster<Bdd>,
}

impl<'a, 'm, 'b> Builder<'a, 'm, 'b> {
    /// A builder that has encoded nothing yet.
    pub fn new(
        model: &'m Model,
        kept: &'a [VarId],
        manager: &'a Manager<'b>,
        fields: &'a FxHashMap<VarId, Field>,
    ) -> Builder<'a, 'm, 'b> {
        let (coder, blaster) = (Coder::new(model), Blaster::new());
        Builder { model, kept, manager, fields, coder, blaster }
    }

    /// The initial-state and transition conjuncts of constraints. Where a constraint is undefined
    /// it does not hold.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn constraints(&mut self, constraints: &[Constraint]) -> Result<(Bdd, Vec<Bdd>), Why> {
        let (mut first, mut steps) = (Vec::new(), Vec::new());
        for Constraint { kind, body } in constraints {
            let rule = |primed| Rule { target: None, expr: body.expr, primed };
            if *kind != ConstraintKind::Trans {
                first.push(rule(true));
            }
            match kind {
                ConstraintKind::Init => {}
                ConstraintKind::Invar => steps.push(rule(true)),
                ConstraintKind::Trans => steps.push(rule(false)),
            }
        }
        let (first, _) = self.parts(&first)?;
        let (steps, _) = self.parts(&steps)?;
        Ok((self.manager.shift(&self.manager.all(first)?)?, steps))
    }

    fn truth(&mut self, reg: Reg) -> Result<Bdd, Why> {
        let mut bits = Bits { manager: self.manager, fields: self.fields, model: self.model };
        self.blaster.truth(&mut bits, &self.coder, reg)
    }

    fn is_valid(&self, slot: Slot) -> Result<Bdd, Why> {
        Bits { manager: self.manager, fields: self.fields, model: self.model }.is_valid(slot)
    }

    /// The initial states, and whether one of their rules is undefined.
    fn initial(&mut self, rules: &[Rule]) -> Result<(Bdd, bool), Why> {
        let (parts, failing) = self.parts(rules)?;
        let mut valid = Vec::new();
        for &var in self.kept {
            if self.model.var(var).kind != VarKind::Input {
                valid.push(self.is_valid(Slot::Next(var))?);
            }
        }
        let all = self.manager.all([parts.as_slice(), &valid].concat())?;
        let fails = match failing {
            None => false,
            Some(Failing { fails, mut parts }) => {
                parts.extend(valid);
                parts.push(fails);
                !self.manager.all(parts)?.is_false()
            }
        };
        Ok((self.manager.shift(&all)?, fails))
    }

    /// The conjuncts of the transition relation, and those of undefined steps.
    fn steps(&mut self, rules: &[Rule]) -> Result<(Vec<Bdd>, Option<Failing>), Why> {
        let (mut parts, mut failing) = self.parts(rules)?;
        // The compiled code assumes that every variable is within its domain.
        for &var in self.kept {
            let slot = match self.model.var(var).kind {
                VarKind::State => Slot::Next(var),
                VarKind::Input => Slot::Current(var),
                VarKind::Frozen => continue,
            };
            let valid = self.is_valid(slot)?;
            if let Some(failing) = &mut failing {
                failing.parts.push(valid.clone());
            }
            parts.push(valid);
        }
        parts.retain(|part| !part.is_true());
        Ok((parts, failing))
    }

    /// The conjuncts of rules, and of the steps in which they are undefined.
    fn parts(&mut self, rules: &[Rule]) -> Result<(Vec<Bdd>, Option<Failing>), Why> {
        let (mut parts, mut weak) = (Vec::new(), Vec::new());
        let mut all_fails = self.manager.constant(false);
        for rule in rules {
            let code = self.coder.compile(rule.expr, rule.primed)?;
            let mut fails = self.truth(code.fails)?;
            let before = parts.len();
            match (rule.target, &code.value) {
                (None, Compiled::One(reg)) => parts.push(self.truth(*reg)?),
                (None, Compiled::Set(_)) => unreachable!("a constraint is no set"),
                (Some(var), value) => {
                    let domain = &self.coder.model.var(var).domain;
                    let outside = rules::outside(&mut self.coder, domain, value)?;
                    let outside = self.truth(outside)?;
                    fails = self.manager.or(&fails, &outside)?;
                    self.assign(var, value, &mut parts)?;
                }
            }
            if fails.is_false() {
                weak.extend_from_slice(&parts[before..]);
                continue;
            }
            for part in &parts[before..] {
                weak.push(self.manager.or(part, &fails)?);
            }
            parts.push(fails.negated());
            all_fails = self.manager.or(&all_fails, &fails)?;
        }
        let fails = !all_fails.is_false();
        Ok((parts, fails.then_some(Failing { fails: all_fails, parts: weak })))
    }

    /// Adds conjuncts that equate the variable with the compiled value.
    fn assign(&mut self, var: VarId, value: &Compiled, parts: &mut Vec<Bdd>) -> Result<(), Why> {
        let slot = self.coder.slot(Slot::Next(var));
        match value {
            Compiled::One(reg) => {
                let mut bits =
                    Bits { manager: self.manager, fields: self.fields, model: self.model };
                let ours = self.blaster.number(&mut bits, &self.coder, slot)?.clone();
                let theirs = self.blaster.number(&mut bits, &self.coder, *reg)?.clone();
                // One conjunct per bit, so that the relation stays partitioned.
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
}
