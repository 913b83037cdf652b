//! What each step of a model meets: steps that meet the same targets are one class.
//!
//! Every step of every test is of some class, so that whatever is needed of classes is needed of
//! tests.

use rustc_hash::FxHashMap;
use trapline_model::goal::Target;
use trapline_model::{ExprId, Model};

use crate::answer::Why;
use crate::budget::Budget;
use crate::code::Reg;

use super::explore::{End, Exploration, KeepEdges, Visitor};
use super::graph::StateId;
use super::program::Lanes;
use super::system::{Question, System, compile};

/// More classes are too many to be of use.
const MAX_CLASSES: usize = 200_000;

/// Steps that meet the same targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The targets, by their indices; one about a state is met by the steps that lead to it.
    pub targets: Vec<usize>,
    /// How many steps a test has at least that ends with one of them.
    pub n_steps: u64,
}

/// All classes of steps that meet anything.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The classes.
    pub classes: Vec<Class>,
    /// For each target, is it met in a first state, without any step?
    pub is_free: Vec<bool>,
}

/// Looks at all steps. Targets that are sequences are met by none.
///
/// # Errors
/// When there are too many, or the budget runs out.
pub fn survey(model: &Model, targets: &[Target], budget: &Budget) -> Result<Survey, Why> {
    let mut model = model.clone();
    let never = model.exprs.bool(false);
    let mut question = Question::default();
    for target in targets {
        let (state, step): (ExprId, ExprId) = match target {
            Target::State(expr) => (*expr, model.exprs.prime(*expr)),
            Target::Step(expr) => (never, *expr),
            Target::Steps(_) => (never, never),
        };
        question.states.push(state);
        question.steps.push(step);
    }
    let system = compile(&model, &question, budget)?;
    let mut seen = Seen {
        system: &system,
        classes: FxHashMap::default(),
        found: Vec::new(),
        is_free: vec![false; targets.len()],
        has_begun: false,
    };
    let mut exploration = Exploration::new(&system, KeepEdges::No);
    match exploration.begin(None, &mut seen, budget) {
        End::Paused => {}
        end => return Err(why(end)),
    }
    seen.has_begun = true;
    match exploration.proceed(usize::MAX, &mut seen, budget) {
        End::Complete => {}
        end => return Err(why(end)),
    }
    let classes = seen.found.into_iter().map(|(targets, at)| Class {
        targets,
        n_steps: exploration.space.path_to(at).len() as u64,
    });
    Ok(Survey { classes: classes.collect(), is_free: seen.is_free })
}

fn why(end: End) -> Why {
    match end {
        End::Cut(why) => why,
        _ => Why::Unsupported("a rule has no value".into()),
    }
}

struct Seen<'s, 'm> {
    system: &'s System<'m>,
    classes: FxHashMap<Vec<u64>, ()>,
    /// The targets of each class, and the first state that a step of it leaves.
    found: Vec<(Vec<usize>, StateId)>,
    is_free: Vec<bool>,
    has_begun: bool,
}

/// Does a look hold?
fn holds(lanes: Lanes<'_>, (value, fails): (Reg, Reg), lane: usize) -> bool {
    lanes.column(value)[lane] != 0 && lanes.column(fails)[lane] == 0
}

impl Visitor for Seen<'_, '_> {
    fn states(&mut self, _first: StateId, lanes: Lanes<'_>) -> Result<(), Why> {
        if !self.has_begun {
            for (is_free, &look) in self.is_free.iter_mut().zip(&self.system.look.looks) {
                *is_free |= (0..lanes.len()).any(|lane| holds(lanes, look, lane));
            }
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Option<(StateId, StateId)>], lanes: Lanes<'_>) -> Result<(), Why> {
        let looks = &self.system.step.looks;
        for (lane, step) in steps.iter().enumerate() {
            let Some((at, _)) = *step else { continue };
            let mut bits = vec![0u64; looks.len().div_ceil(64)];
            for (idx, &look) in looks.iter().enumerate() {
                bits[idx / 64] |= u64::from(holds(lanes, look, lane)) << (idx % 64);
            }
            if bits.iter().all(|word| *word == 0) || self.classes.contains_key(&bits) {
                continue;
            }
            let is_met = |idx: &usize| bits[idx / 64] >> (idx % 64) & 1 == 1;
            self.found.push(((0..looks.len()).filter(is_met).collect(), at));
            self.classes.insert(bits, ());
            if self.found.len() > MAX_CLASSES {
                return Err(Why::Memory);
            }
        }
        Ok(())
    }

    fn n_open(&self) -> usize {
        1
    }
}
