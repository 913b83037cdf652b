//! The combinations of values that expressions take in reachable states.

use rustc_hash::FxHashMap;
use trapline_model::{ExprId, Model, Reads, Type, Value};

use crate::answer::{Projected, Projection, Start, Why};
use trapline_budget::Budget;

use super::explore::{End, Exploration, KeepEdges, Visitor};
use super::failure;
use super::graph::StateId;
use super::program::Lanes;
use super::reach::{Hit, given};
use super::system::{Question, System, compile};
use super::tracer::Tracer;
use crate::code::{Reg, decode};

/// Decides which combinations of values the expressions take.
pub fn project(model: &Model, exprs: &[ExprId], start: &Start, budget: &Budget) -> Projected {
    let is_step = |expr: &ExprId| model.exprs.info(*expr).reads.any(Reads::STEP);
    let mut question = Question::default();
    match exprs.iter().any(is_step) {
        true => question.steps = exprs.to_vec(),
        false => question.states = exprs.to_vec(),
    }
    let is_value = |expr: &ExprId| !matches!(model.exprs.ty(*expr), Type::Set(_) | Type::Temporal);
    let system = match exprs.iter().all(is_value) {
        true => compile(model, &question, budget),
        false => Err(Why::Unsupported("values of sets and formulas".into())),
    };
    match system {
        Ok(system) => search(&system, exprs, start, budget),
        Err(why) => Projected { incomplete: Some(why), ..Projected::default() },
    }
}

fn search(system: &System, exprs: &[ExprId], start: &Start, budget: &Budget) -> Projected {
    let mut seen = Seen { system, rows: FxHashMap::default(), found: Vec::new() };
    let mut exploration = Exploration::new(system, KeepEdges::No);
    let end = exploration.run(given(system, start).as_deref(), &mut seen, budget);
    let mut incomplete = match end {
        End::Complete | End::Answered | End::Paused => None,
        End::Cut(why) => Some(why),
        End::Failure(_) | End::InitialFailure => {
            Some(failure::describe(&exploration, &end, start, budget))
        }
    };
    let types: Vec<Type> = exprs.iter().map(|&expr| system.model.exprs.ty(expr)).collect();
    let mut values = Vec::new();
    match Tracer::new(system, &exploration.space, start, budget) {
        Err(why) => incomplete = Some(why),
        Ok(tracer) => {
            for (row, hit) in seen.found {
                match tracer.trace(&tracer.way(&hit), None) {
                    Ok(trace) => values.push(Projection { values: decoded(&row, &types), trace }),
                    Err(why) => incomplete = Some(why),
                }
            }
        }
    }
    Projected { values, incomplete, stats: exploration.stats, log: Vec::new() }
}

fn decoded(row: &Row, types: &[Type]) -> Vec<Option<Value>> {
    row.iter().zip(types).map(|(number, ty)| number.map(|number| decode(number, *ty))).collect()
}

/// One value per expression; `None` where it is undefined.
type Row = Box<[Option<i64>]>;

/// The combinations seen so far.
struct Seen<'s, 'm> {
    system: &'s System<'m>,
    rows: FxHashMap<Row, ()>,
    found: Vec<(Row, Hit)>,
}

impl Seen<'_, '_> {
    fn see(&mut self, exprs: &[(Reg, Reg)], lanes: Lanes<'_>, lane: usize, hit: impl Fn() -> Hit) {
        let number = |&(value, fails): &(Reg, Reg)| {
            (lanes.column(fails)[lane] == 0).then(|| lanes.column(value)[lane])
        };
        let row: Row = exprs.iter().map(number).collect();
        if !self.rows.contains_key(&row) {
            self.rows.insert(row.clone(), ());
            self.found.push((row, hit()));
        }
    }
}

impl Visitor for Seen<'_, '_> {
    fn states(&mut self, first: StateId, lanes: Lanes<'_>) -> Result<(), Why> {
        let system = self.system;
        for lane in 0..lanes.len() {
            let hit = || Hit { at: first + lane as StateId, steps: Vec::new() };
            self.see(&system.eval.exprs, lanes, lane, hit);
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Option<(StateId, StateId)>], lanes: Lanes<'_>) -> Result<(), Why> {
        let system = self.system;
        for (lane, step) in steps.iter().enumerate() {
            let Some((at, after)) = *step else { continue };
            let input = |&reg: &Reg| lanes.column(reg)[lane];
            let hit =
                || Hit { at, steps: vec![(system.step.inputs.iter().map(input).collect(), after)] };
            self.see(&system.step.exprs, lanes, lane, hit);
        }
        Ok(())
    }

    fn n_open(&self) -> usize {
        1
    }
}
