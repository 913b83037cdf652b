//! Properties that are decided on the reachability graph.

use std::cell::RefCell;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use trapline_model::trace::Trace;
use trapline_model::{Expr, ExprId, Formula, Model, Reads, UnaryOp, VarId, lasso};
use trapline_source::Span;

use crate::answer::{Checked, Distance, Finding, Outcome, Proof, Start, Why};
use trapline_budget::{Budget, Progress};

use super::automaton::{Automaton, Words};
use super::check::Finished;
use super::explore::{Exploration, StateEvaluator, Visitor};
use super::fair::{FairGraph, Fairness, Justice};
use super::graph::{Graph, Path, StateId};
use super::program::{Lanes, Machine, Program};
use super::schedule::{Problem, schedule};
use super::system::{Question, eval_program};
use super::tracer::Tracer;
use super::{compute, ctl, failure, product, witness};
use crate::code::{Coder, Reg, Slot};
use crate::obligation::{Logic, Obligation, is_about_steps, note};

/// Decides these properties.
pub fn decide(
    search: &mut Finished,
    obligations: &[Obligation],
    question: &Question,
    checked: &mut Checked,
) {
    let graph = search.exploration.graph();
    let search = &*search;
    let sets = Sets { search, known: RefCell::default() };
    let fairness = fairness(search.model, &sets, question);
    let fair = fairness.and_then(|fairness| FairGraph::new(&graph, fairness, search.budget));
    let fair = match fair {
        Ok(fair) => fair,
        Err(why) => {
            obligations
                .iter()
                .for_each(|c| checked.outcomes[c.idx] = Outcome::Unknown(why.clone()));
            return;
        }
    };
    findings(search, &fair, question, checked);
    for (n_done, obligation) in obligations.iter().enumerate() {
        search.budget.note(Progress {
            phase: "deciding",
            n_open: obligations.len() - n_done,
            ..search.budget.progress()
        });
        let outcome = match obligation.logic {
            Logic::Ltl => path(search, &sets, &fair, obligation),
            Logic::Compute => distance(search, &sets, &fair, obligation.formula),
            _ => tree(search, &sets, &fair, obligation.formula),
        };
        checked.outcomes[obligation.idx] = outcome.unwrap_or_else(Outcome::Unknown);
    }
}

/// The fairness constraints, except compassion.
fn fairness(model: &Model, sets: &Sets, question: &Question) -> Result<Fairness, Why> {
    let mut justice = Vec::new();
    for clause in &model.justice {
        justice.push(match question.marks.iter().position(|&mark| mark == clause.expr) {
            Some(mark) => Justice::Edges(mark),
            None => Justice::States(sets.of(clause.expr, clause.span)?),
        });
    }
    Ok(Fairness { justice })
}

/// Warnings about fairness.
fn findings(search: &Finished, fair: &FairGraph, question: &Question, checked: &mut Checked) {
    let graph = fair.graph;
    if graph.initial.is_empty() {
        return;
    }
    if fair.states.is_clear() {
        let is_never = |justice: &Justice| match justice {
            Justice::States(states) => states.is_clear(),
            Justice::Edges(mark) => !(0..graph.edges.len()).any(|e| graph.is_marked(e, *mark)),
        };
        let justice = fair.fairness.justice.iter().enumerate();
        let never = justice.filter(|(_, justice)| is_never(justice)).map(|(idx, _)| idx);
        note(checked, Finding::NoFairPath { never: never.collect() });
        return;
    }
    let is_unfair = |state: &&StateId| !fair.states.contains(**state as usize);
    if let (Some(&state), true) = (graph.initial.iter().find(is_unfair), question.lifted.is_empty())
    {
        let tracer =
            Tracer::new(search.system, &search.exploration.space, &Start::Initial, search.budget);
        if let Ok(trace) = tracer.and_then(|tracer| tracer.trace_to(state)) {
            note(checked, Finding::UnfairInitialState { trace });
        }
    }
}

/// The proof of a property that is not violated.
fn proof(search: &Finished, fair: &FairGraph) -> Proof {
    match fair.states.is_clear() && search.exploration.n_starts > 0 {
        true => Proof::NoFairPath,
        false => search.proof(),
    }
}

/// Decides a CTL property.
fn tree(
    search: &Finished,
    sets: &Sets,
    fair: &FairGraph,
    formula: Formula,
) -> Result<Outcome, Why> {
    let (model, budget) = (search.model, search.budget);
    let Formula::Holds(clause) = formula else { unreachable!("only a distance has two operands") };
    let mut atoms = |expr: ExprId| sets.of(expr, clause.span);
    let truth = ctl::satisfying(fair, model, clause.expr, &mut atoms, budget)?;
    let Some(state) = ctl::violation(fair, clause.expr, &truth) else {
        return Ok(Outcome::True(proof(search, fair)));
    };
    let path = match model.exprs.get(clause.expr) {
        Expr::Unary(UnaryOp::Ag, inner) => nearest(search, fair, &truth, inner)?,
        _ => witness::counterexample(fair, model, clause.expr, &truth, state, budget)?,
    };
    Ok(Outcome::False(trace(search, fair.graph, &path)?))
}

/// A counterexample to `AG`: the path to the nearest state in which the operand is false, from
/// whichever initial state is nearest, and on from there.
fn nearest(
    search: &Finished,
    fair: &FairGraph,
    truth: &ctl::Truth,
    inner: ExprId,
) -> Result<Path, Why> {
    let holds = truth.of(inner);
    let Some(state) = fair.states.ones().find(|&state| !holds.contains(state)) else {
        unreachable!("what always holds is not violated")
    };
    let state = state as StateId;
    let rest = witness::counterexample(fair, search.model, inner, truth, state, search.budget)?;
    let mut stem = search.exploration.space.path_to(state);
    stem.pop();
    let n_stem = stem.len();
    Ok(Path {
        states: stem.into_iter().chain(rest.states).collect(),
        marks: std::iter::repeat_n(None, n_stem).chain(rest.marks).collect(),
        loop_start: rest.loop_start.map(|start| start + n_stem),
    })
}

/// Decides a property about a distance.
fn distance(
    search: &Finished,
    sets: &Sets,
    fair: &FairGraph,
    formula: Formula,
) -> Result<Outcome, Why> {
    let (model, budget) = (search.model, search.budget);
    let set = |expr: ExprId, span: Span| -> Result<FixedBitSet, Why> {
        let mut atoms = |expr: ExprId| sets.of(expr, span);
        let truth = ctl::satisfying(fair, model, expr, &mut atoms, budget)?;
        Ok(truth.of(expr).clone())
    };
    let value: Distance = match formula {
        Formula::Min(from, to) => {
            compute::min(fair, &set(from.expr, from.span)?, &set(to.expr, to.span)?, budget)?
        }
        Formula::Max(from, to) => {
            compute::max(fair, &set(from.expr, from.span)?, &set(to.expr, to.span)?, budget)?
        }
        _ => unreachable!("only one kind asks for a distance"),
    };
    Ok(Outcome::Value(value, proof(search, fair)))
}

/// Decides an LTL property.
fn path(
    search: &Finished,
    sets: &Sets,
    fair: &FairGraph,
    obligation: &Obligation,
) -> Result<Outcome, Why> {
    let model = search.model;
    let Formula::Holds(clause) = obligation.formula else {
        unreachable!("only a distance has two operands")
    };
    let mut automaton = Automaton::new(&model.exprs, clause.expr, Words::Violating)?;
    // Inputs are part of the states here.
    let reads_next = |expr: &ExprId| {
        model.exprs.info(*expr).reads.any(Reads::NEXT) && is_about_steps(model, *expr)
    };
    let mut states = Vec::new();
    let mut steps = Vec::new();
    for (idx, &atom) in automaton.atoms().iter().enumerate() {
        match reads_next(&atom) {
            true => steps.push((idx, atom)),
            false => {
                states.push(Some(sets.of(atom, clause.span)?));
                continue;
            }
        }
        states.push(None);
    }
    let pairs = RefCell::new(Pairs::new(search, &steps)?);
    let step = |from, to, holds: &mut FixedBitSet| {
        pairs.borrow_mut().evaluate(from, to, clause.span, holds)
    };
    let atoms = product::Atoms { states, step: &step };
    let fairness = ltl_fairness(model, sets, fair)?;
    match product::find(fair.graph, &atoms, &mut automaton, &fairness, search.budget)? {
        None => Ok(Outcome::True(proof(search, fair))),
        Some(path) => {
            let trace = trace(search, fair.graph, &path)?;
            if lasso::holds(model, clause.expr, &trace) == Ok(true) {
                unreachable!("the evaluator does not see that a trace violates its property");
            }
            Ok(Outcome::False(trace))
        }
    }
}

fn ltl_fairness(model: &Model, sets: &Sets, fair: &FairGraph) -> Result<product::LtlFairness, Why> {
    let mut fairness = product::LtlFairness::default();
    for justice in &fair.fairness.justice {
        match justice {
            Justice::States(states) => fairness.justice.push(states.clone()),
            Justice::Edges(_) => unreachable!("inputs are part of the states here"),
        }
    }
    for (p, q) in &model.compassion {
        fairness.compassion.push((sets.of(p.expr, p.span)?, sets.of(q.expr, q.span)?));
    }
    Ok(fairness)
}

/// The trace of a path.
fn trace(search: &Finished, graph: &Graph, path: &Path) -> Result<Trace, Why> {
    let exploration = &search.exploration;
    let tracer = Tracer::new(search.system, &exploration.space, &Start::Initial, search.budget)?;
    let mut known: Vec<_> = path.states.iter().map(|&state| tracer.known(state)).collect();
    for (idx, mark) in path.marks.iter().enumerate() {
        let after = path.states.get(idx + 1).or(path.loop_start.map(|start| &path.states[start]));
        let (Some(mark), Some(&after)) = (mark, after) else { continue };
        let inputs = marked_inputs(search, graph, (path.states[idx], after), *mark)?;
        known[idx].extend(inputs);
    }
    tracer.trace(&known, path.loop_start)
}

/// The inputs of a step with a given mark.
fn marked_inputs(
    search: &Finished,
    graph: &Graph,
    (from, to): (StateId, StateId),
    mark: usize,
) -> Result<Vec<(VarId, i64)>, Why> {
    let step = &search.system.step;
    let mut found = None;
    search.exploration.revisit(
        from..from + 1,
        &mut |steps, lanes| {
            let leads = |lane: &usize| {
                let is_there = steps[*lane].is_some_and(|(_, group)| group == graph.group_of(to));
                is_there && lanes.column(step.marks[mark])[*lane] != 0
            };
            if let (None, Some(lane)) = (&found, (0..lanes.len()).find(leads)) {
                let numbers = step.inputs.iter().map(|&reg| lanes.column(reg)[lane]);
                found = Some(search.system.inputs.iter().copied().zip(numbers).collect());
            }
            Ok(())
        },
        search.budget,
    )?;
    Ok(found.unwrap_or_default())
}

/// Satisfaction sets of non-temporal expressions.
struct Sets<'a, 'b, 's, 'm> {
    search: &'a Finished<'b, 's, 'm>,
    known: RefCell<FxHashMap<ExprId, FixedBitSet>>,
}

impl Sets<'_, '_, '_, '_> {
    /// The states that satisfy an expression of the property at `span`.
    fn of(&self, expr: ExprId, span: Span) -> Result<FixedBitSet, Why> {
        if let Some(set) = self.known.borrow().get(&expr) {
            return Ok(set.clone());
        }
        let Finished { system, exploration, budget, .. } = self.search;
        let vars: Vec<VarId> = system.layout.fields.iter().map(|field| field.var).collect();
        let program = eval_program(system.model, &vars, &[expr], budget)?;
        let n_states = exploration.space.n_states();
        budget.allows(n_states as u64 / 8)?;
        let mut filter = Filter {
            predicate: program.exprs[0],
            set: FixedBitSet::with_capacity(n_states),
            failed: None,
        };
        StateEvaluator::new(&program).run(
            0,
            &exploration.space,
            &system.layout,
            &mut filter,
            budget,
        )?;
        if let Some(state) = filter.failed {
            let tracer = Tracer::new(system, &exploration.space, &Start::Initial, budget)?;
            return Err(failure::at(system.model, expr, span, tracer.trace_to(state)?));
        }
        self.known.borrow_mut().insert(expr, filter.set.clone());
        Ok(filter.set)
    }
}

/// Collects the states that satisfy an expression.
struct Filter {
    predicate: (Reg, Reg),
    set: FixedBitSet,
    failed: Option<StateId>,
}

impl Visitor for Filter {
    fn states(&mut self, first: StateId, lanes: Lanes<'_>) -> Result<(), Why> {
        let (value, fails) = self.predicate;
        let numbers = lanes.column(value).iter().zip(lanes.column(fails)).enumerate();
        for (lane, (&holds, &fails)) in numbers {
            if fails != 0 && self.failed.is_none() {
                self.failed = Some(first + lane as StateId);
            }
            self.set.set(first as usize + lane, holds != 0);
        }
        Ok(())
    }

    fn steps(&mut self, _: &[Option<(StateId, StateId)>], _: Lanes<'_>) -> Result<(), Why> {
        Ok(())
    }

    fn n_open(&self) -> usize {
        1
    }
}

/// Evaluates expressions that read the next state, one pair of states at a time.
struct Pairs<'a, 's, 'm> {
    exploration: &'a Exploration<'s, 'm>,
    budget: &'a Budget<'a>,
    program: Program,
    machine: Machine,
    /// The fields of both states, with their nodes.
    given: [Vec<(usize, Reg)>; 2],
    /// The indices of the expressions, with their nodes.
    exprs: Vec<(usize, ExprId, Reg, Reg)>,
}

impl<'a, 's, 'm> Pairs<'a, 's, 'm> {
    fn new(
        search: &'a Finished<'_, 's, 'm>,
        steps: &[(usize, ExprId)],
    ) -> Result<Pairs<'a, 's, 'm>, Why> {
        let fields = &search.system.layout.fields;
        let mut coder = Coder::new(search.model);
        let mut exprs = Vec::new();
        for &(idx, expr) in steps {
            let (value, fails) = coder.truth(expr, false)?;
            exprs.push((idx, expr, value, fails));
        }
        let slots = [Slot::Current as fn(VarId) -> Slot, Slot::Next];
        let given = slots.map(|slot| -> Vec<(usize, Reg)> {
            let regs = fields.iter().map(|field| coder.slot(slot(field.var)));
            regs.enumerate().collect()
        });
        let both = slots.iter().flat_map(|slot| fields.iter().map(|field| slot(field.var)));
        let outputs = exprs.iter().flat_map(|&(.., value, fails)| [value, fails]).collect();
        let problem = Problem { given: both.collect(), outputs, ..Problem::default() };
        let program = schedule(&mut coder, problem, search.budget)?;
        let machine = Machine::new(&program);
        let (exploration, budget) = (&search.exploration, search.budget);
        Ok(Pairs { exploration, budget, program, machine, given, exprs })
    }

    /// Inserts the indices of the expressions that hold.
    fn evaluate(
        &mut self,
        from: StateId,
        to: StateId,
        span: Span,
        holds: &mut FixedBitSet,
    ) -> Result<(), Why> {
        let Pairs { exploration, budget, program, machine, given, exprs } = self;
        let layout = &exploration.system.layout;
        machine.start(1);
        for (given, state) in given.iter().zip([from, to]) {
            super::explore::unpack(layout, given, exploration.space.state(state), machine);
        }
        let mut failed = None;
        machine.run(program, budget, &mut |lanes| {
            for &(idx, expr, value, fails) in exprs.iter() {
                if lanes.column(fails)[0] != 0 {
                    failed = Some(expr);
                }
                holds.set(idx, lanes.column(value)[0] != 0);
            }
            Ok(())
        })?;
        match failed {
            None => Ok(()),
            Some(expr) => {
                let tracer =
                    Tracer::new(exploration.system, &exploration.space, &Start::Initial, budget)?;
                let trace = tracer.trace_to(from)?;
                Err(failure::at(exploration.system.model, expr, span, trace))
            }
        }
    }
}
