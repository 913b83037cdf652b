//! A test as a model that can do nothing else: the constrained finite state machine of Ammann,
//! Black and Ding, 2.1.1.
//!
//! A counter enumerates the states, and every other variable is a function of the counter. After
//! the last state comes a sink that is not part of the test; `Sustain` is false there, and the
//! claims are rewritten so that it does not count (see `rewrite.rs`). The machine of a lasso loops
//! back instead, and its claims need no guard.
//!
//! An atom that may be undefined, or that is over inputs or the next state, becomes a define over
//! the counter, so that every checker can read it.

use trapline_engine::{Budget, Engine, Exhausted, Outcome, Why};
use trapline_goals::defined::Defined;
use trapline_model::trace::Trace;
use trapline_model::transform::cut::without_rules;
use trapline_model::{
    AssignKind, BinaryOp, Clause, Domain, Expr, ExprId, Formula, Model, PropertyKind, Reads, Type,
    Value, VarId, VarKind,
};
use trapline_source::Span;

use super::atom::Atoms;
use super::native::NeverClaims;
use super::rewrite::{self, rewrite};
use super::{NeverClaim, Refusal};

/// For each claim whether the trace violates it, decided by an engine.
///
/// # Errors
/// For a claim that is refused or that the engine can't decide, the reason.
pub fn violated(
    model: &Model,
    trace: &Trace,
    claims: &[NeverClaim],
    engine: &Engine,
    budget: &Budget,
) -> Vec<Result<bool, Why>> {
    let machine = match self::model(model, trace, claims, budget) {
        Ok(machine) => machine,
        Err(exhausted) => return vec![Err(exhausted.into()); claims.len()],
    };
    let all: Vec<usize> = (0..machine.properties.len()).collect();
    let checked = (engine.check)(&machine, &all, budget);
    let said = checked.outcomes.into_iter().map(|outcome| match outcome {
        Outcome::True(_) => Ok(false),
        Outcome::False(_) => Ok(true),
        Outcome::Unknown(why) => Err(why),
        Outcome::Value(..) => Err(Why::Unsupported(Refusal::Distance.text().into())),
    });
    said.collect()
}

/// The model whose only path is a trace. Its properties are the claims, in order; each is false iff
/// the trace violates the claim. Refused ones are unsupported.
///
/// # Errors
/// When the budget does not allow it: there may be many claims about a long trace.
pub fn model(
    model: &Model,
    trace: &Trace,
    claims: &[NeverClaim],
    budget: &Budget,
) -> Result<Model, Exhausted> {
    let prepared = NeverClaims::new(model, claims);
    let mut machine = Machine::new(model, trace);
    for var_idx in 0..model.vars.len() {
        budget.spend(0)?;
        machine.walk(VarId(var_idx as u32));
    }
    let atoms = machine.atoms(model, claims, budget)?;
    for (idx, &claim) in claims.iter().enumerate() {
        budget.spend(0)?;
        let formula = match prepared.refusal(idx) {
            Some(refusal) => Formula::Unsupported(refusal.text()),
            None => {
                let expr = machine.claim(claim, &atoms);
                Formula::Holds(Clause::unwritten(expr, Span::default()))
            }
        };
        let (kind, _) = claim;
        machine.model.add_property(kind, None, formula);
    }
    Ok(machine.model)
}

struct Machine<'t> {
    model: Model,
    trace: &'t Trace,
    /// The counter.
    at: ExprId,
    /// True in the states of the test; `None` for a lasso.
    sustain: Option<ExprId>,
}

impl Machine<'_> {
    /// The variables of the model, not assigned yet, and the counter.
    fn new<'t>(model: &Model, trace: &'t Trace) -> Machine<'t> {
        let mut machine = without_rules(model);
        let n_states = trace.states.len() as i64;
        let loop_start = trace.loop_start.filter(|&start| start < trace.states.len());
        let (last, follows) = match loop_start {
            Some(start) => (n_states - 1, start as i64),
            None => (n_states, n_states),
        };
        let domain = Domain::Range(0, last);
        let at = machine.add_monitor("__at", domain, Span::default(), |model, at| {
            let exprs = &mut model.exprs;
            let [first, one, last, follows] =
                [0, 1, last, follows].map(|number| exprs.value(Value::Int(number)));
            let is_before = exprs.binary(BinaryOp::Lt, at, last);
            let next = exprs.binary(BinaryOp::Add, at, one);
            (first, exprs.add(Expr::Ite(is_before, next, follows)))
        });
        let at = machine.var_expr(at);
        let mut machine = Machine { model: machine, trace, at, sustain: None };
        if loop_start.is_none() {
            let is_inside = machine.is_before(n_states);
            machine.sustain = Some(machine.define("Sustain", is_inside));
        }
        machine
    }

    /// Assigns a variable its values. In the sink, and where the trace leaves it open, it keeps the
    /// previous value.
    fn walk(&mut self, var: VarId) {
        let known = self.trace.states.iter().map(|state| state.get(var));
        let domain = &self.model.var(var).domain;
        let mut value = known.clone().flatten().next().unwrap_or_else(|| any_value(domain));
        let values: Vec<Value> = known
            .map(|known| {
                value = known.unwrap_or(value);
                value
            })
            .collect();
        let expr = match values.is_empty() {
            true => self.model.exprs.value(value),
            false => self.by_state(&values),
        };
        let declared = &mut self.model.vars[var.0 as usize];
        declared.kind = VarKind::State;
        if declared.domain == Domain::Integer {
            let numbers = || values.iter().filter_map(|value| value.as_int());
            declared.domain =
                Domain::Range(numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        }
        self.model.assign(AssignKind::Current, var, expr, Span::default());
    }

    /// Replacements for the atoms of claims that cannot be kept.
    fn atoms(
        &mut self,
        model: &Model,
        claims: &[NeverClaim],
        budget: &Budget,
    ) -> Result<rewrite::Atoms, Exhausted> {
        let exprs = &model.exprs;
        let mut atoms: Vec<ExprId> =
            claims.iter().flat_map(|&(_, formula)| exprs.temporal_parts(formula)).collect();
        atoms.retain(|&part| exprs.ty(part) != Type::Temporal);
        atoms.sort_unstable();
        atoms.dedup();
        let mut standing = rewrite::Atoms::default();
        budget.allows(self.trace.states.len().saturating_mul(atoms.len()) as u64)?;
        let values = Atoms::new(model, &atoms).values(self.trace);
        let mut defined = Defined::default();
        for (atom, values) in atoms.into_iter().zip(values) {
            budget.spend(0)?;
            let is_plain = !exprs.info(atom).reads.any(Reads::STEP)
                && !defined.can_fail(model, atom)
                && values.iter().all(Option::is_some);
            if !is_plain && !values.is_empty() {
                // Where it is undefined, each polarity gets its weak value.
                let both = [true, false].map(|weak| {
                    let value = |value: &Option<bool>| Value::Bool(value.unwrap_or(weak));
                    let values: Vec<Value> = values.iter().map(value).collect();
                    let expr = self.by_state(&values);
                    self.define("__atom", expr)
                });
                standing.insert(atom, both);
            }
        }
        Ok(standing)
    }

    fn claim(&mut self, (kind, formula): NeverClaim, atoms: &rewrite::Atoms) -> ExprId {
        let exprs = &mut self.model.exprs;
        match (kind, self.sustain) {
            (PropertyKind::Invar, Some(sustain)) => {
                let atom = atoms.get(&formula).map_or(formula, |[atom, _]| *atom);
                exprs.binary(BinaryOp::Implies, sustain, atom)
            }
            (_, sustain) => rewrite(exprs, formula, sustain, atoms),
        }
    }

    /// The expression with these values in the states of the test.
    fn by_state(&mut self, values: &[Value]) -> ExprId {
        let mut n_left = values.len();
        let mut expr = None;
        for run in values.chunk_by(|a, b| a == b).rev() {
            let value = self.model.exprs.value(run[0]);
            expr = Some(match expr {
                None => value,
                Some(rest) => {
                    let is_here = self.is_before(n_left as i64);
                    self.model.exprs.add(Expr::Ite(is_here, value, rest))
                }
            });
            n_left -= run.len();
        }
        expr.unwrap_or_else(|| unreachable!("there are values"))
    }

    fn is_before(&mut self, state: i64) -> ExprId {
        let state = self.model.exprs.value(Value::Int(state));
        self.model.exprs.binary(BinaryOp::Lt, self.at, state)
    }

    /// A new define.
    fn define(&mut self, name: &str, expr: ExprId) -> ExprId {
        let id = self.model.add_define(name, expr, Span::default());
        self.model.define_expr(id)
    }
}

fn any_value(domain: &Domain) -> Value {
    match domain.size() {
        Some(_) => domain.value(0),
        None => Value::Int(0),
    }
}
