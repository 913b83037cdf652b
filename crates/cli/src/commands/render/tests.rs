//! The tests that are rendered: of a suite and its model, or of a suite alone.

use std::collections::HashSet;
use std::path::Path;

use trapline_engine::Limits;
use trapline_model::trace::Trace;
use trapline_model::{Model, Role, VarId};
use trapline_suite::choices::choices;
use trapline_suite::read::{Document, RecordedGoal};
use trapline_suite::titled::{Covered, Titled};

use super::Args;
use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load;
use crate::search::{self, LimitArgs};
use crate::suite_input::{self, SuiteArgs, SuiteText, Writes};

/// Finding out where the model leaves a choice may take so much work: seconds. What is open then
/// counts as a choice.
const CHOICES_WORK: u64 = 200_000_000;

/// Tests and what is known of them.
pub struct Tests {
    /// The path of the model.
    pub path: String,
    /// The model, or what the suite says of it.
    pub model: Model,
    /// Was all the work done when the suite was made?
    pub is_complete: bool,
    /// Is it known where the model leaves a choice?
    pub says_choices: bool,
    /// How the command ends if nothing else goes wrong.
    pub exit: Exit,
    document: Document,
    traces: Vec<Trace>,
    /// Which of the tests in the document they are.
    origins: Vec<usize>,
    /// Has the model itself told what is in the tests? Then it is asked about choices too.
    has_model: bool,
    /// Has the user given other roles than those that the suite was made with?
    has_other_roles: bool,
}

fn covered(goal: &RecordedGoal) -> Covered {
    Covered { id: goal.id.clone(), text: goal.text.clone() }
}

/// Reads what the user named.
pub fn read(args: &Args, context: &Context) -> Result<Tests, Failure> {
    let [first, others @ ..] = args.files.as_slice() else {
        return Err(Failure::refused("there is no suite"));
    };
    let suite = others.first().unwrap_or(first).clone();
    // Without a model there is none that could be standard input too.
    let model = if others.is_empty() { Path::new("") } else { first };
    let suite = SuiteArgs { suite, suite_format: args.suite_format.clone() };
    let text = suite_input::read(&suite, model, Writes::Other, context)?;
    match others.is_empty() {
        true => alone(args, text, context),
        false => with_model(args, model, text, context),
    }
}

fn with_model(
    args: &Args,
    path: &Path,
    text: SuiteText,
    context: &Context,
) -> Result<Tests, Failure> {
    let limits = args.limit.limits();
    let model = ModelArgs { path: path.to_path_buf(), reading: args.reading.clone() };
    let mut loaded = load::load(&model, &limits, context)?;
    if !args.reading.has_roles() {
        text.set_roles(&mut loaded.model);
    }
    let input = text.tests(&loaded, &limits, context)?;
    let exit = input.exit();
    Ok(Tests {
        path: loaded.path,
        model: loaded.model,
        is_complete: input.document.is_complete.unwrap_or(true),
        says_choices: true,
        exit,
        document: input.document,
        traces: input.tests,
        origins: input.origins,
        has_model: true,
        has_other_roles: args.reading.has_roles(),
    })
}

fn alone(args: &Args, text: SuiteText, context: &Context) -> Result<Tests, Failure> {
    let inferred = text.infer(context)?;
    if inferred.has_unclear_steps {
        context.terminal.note(
            "all tests loop, so nothing tells which inputs belong to steps, and all are taken to \
             belong to states; pass the model too to be sure",
        );
    }
    let traces = inferred.traces();
    let mut model = inferred.model;
    let reading = &args.reading;
    if reading.has_roles() && inferred.has_roles {
        return Err(Failure::refused("the suite says already who sets and sees what")
            .help("pass the model before the suite to change that"));
    }
    load::set_roles(&mut model, reading)?;
    let document = inferred.document;
    Ok(Tests {
        path: inferred.path.unwrap_or_else(|| "a suite".into()),
        model,
        is_complete: document.is_complete.unwrap_or(true),
        says_choices: document.drafts.iter().all(|draft| !draft.open.is_empty()),
        exit: Exit::Done,
        origins: (0..traces.len()).collect(),
        document,
        traces,
        has_model: false,
        has_other_roles: false,
    })
}

/// How much is wanted of each test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The trace and its name.
    Trace,
    /// Goals and choices too.
    Everything,
}

impl Tests {
    /// The ids of the goals that none of them shows, as far as the suite says it.
    pub fn missed(&self) -> Vec<String> {
        let is_shown = |goal: &&RecordedGoal| goal.tests.iter().any(|it| self.origins.contains(it));
        let missed = self.document.goals.iter().filter(|goal| !is_shown(goal));
        missed.map(|goal| goal.id.clone()).collect()
    }

    /// The tests.
    pub fn titled(&self, detail: Detail, limit: &LimitArgs, context: &Context) -> Vec<Titled<'_>> {
        let named = self.traces.iter().zip(&self.origins);
        let named = named
            .map(|(trace, &origin)| Titled::new(self.document.drafts[origin].name.clone(), trace));
        let mut list: Vec<Titled<'_>> = named.collect();
        if detail == Detail::Everything {
            self.add_goals(&mut list);
            self.add_choices(&mut list, limit, context);
        }
        list
    }

    /// Adds the goals that running each test shows, as the suite says.
    fn add_goals(&self, list: &mut [Titled<'_>]) {
        let mut place_of = vec![None; self.document.drafts.len()];
        for (place, &origin) in self.origins.iter().enumerate() {
            place_of[origin] = Some(place);
        }
        for goal in self.document.goals.iter().filter(|_| self.says_shown()) {
            for place in goal.shown_by.iter().filter_map(|&origin| place_of[origin]) {
                list[place].goals.push(covered(goal));
            }
        }
    }

    /// Does the suite say what running it shows, and is that still so?
    pub fn says_shown(&self) -> bool {
        let mut reached = self.document.goals.iter().filter(|goal| !goal.tests.is_empty());
        self.n_reached() == 0 || !self.has_other_roles && reached.all(|goal| goal.shown.is_some())
    }

    /// Number of goals that the tests reach.
    pub fn n_reached(&self) -> usize {
        self.document.goals.iter().filter(|goal| !goal.tests.is_empty()).count()
    }

    /// The goals that the tests reach, but whose running does not show.
    pub fn lost(&self) -> Vec<Covered> {
        let reached = self.document.goals.iter().filter(|goal| !goal.tests.is_empty());
        reached.filter(|goal| goal.shown_by.is_empty()).map(covered).collect()
    }

    fn add_choices(&self, list: &mut [Titled<'_>], limit: &LimitArgs, context: &Context) {
        if self.has_model {
            let traces: Vec<&Trace> = self.traces.iter().collect();
            let name = |var: &VarId| self.model.var(*var).name.clone();
            let limits = Limits { work: Some(CHOICES_WORK), ..limit.limits() };
            let choices =
                search::within(&limits, context, |budget| choices(&self.model, &traces, budget));
            for (titled, states) in list.iter_mut().zip(choices) {
                titled.open = states.iter().map(|vars| vars.iter().map(name).collect()).collect();
            }
        } else {
            for (titled, &origin) in list.iter_mut().zip(&self.origins) {
                titled.open = self.document.drafts[origin].open.clone();
            }
        }
        // The tester chooses inputs, so these being free is no choice of the implementation's. That
        // is decided here, where names are still those of the model.
        let inputs = self.model.vars.iter().filter(|var| var.role == Role::Input);
        let inputs: HashSet<&str> = inputs.map(|var| var.name.as_str()).collect();
        for names in list.iter_mut().flat_map(|titled| &mut titled.open) {
            names.retain(|name| !inputs.contains(name.as_str()));
        }
    }
}
