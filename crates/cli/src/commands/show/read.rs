//! What there is to show: from the suite alone, or with its model.

use std::path::Path;

use trapline_suite::hits::{Hits, hits};
use trapline_suite::inferred::Inferred;
use trapline_suite::property::Property;
use trapline_suite::read::RecordedGoal;

use super::{Args, Shown, Test};
use crate::args::ModelArgs;
use crate::commands::evaluate::unseen_notice;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::goal_args::{self, Prepared};
use crate::interrupt;
use crate::proofs::{Known, Proofs};
use crate::search;
use crate::suite_input::{self, SuiteInput, Writes};

/// Reads a self-contained suite.
pub fn alone(args: &Args, context: &Context) -> Result<Shown, Failure> {
    let text = suite_input::read(&args.suite, Path::new(""), Writes::Other, context)?;
    let inferred = text.infer(context).map_err(|why| why.help("pass it with --model MODEL"))?;
    let traces = inferred.traces();
    let Inferred { model, document, path, .. } = inferred;
    let tests = document.drafts.iter().zip(traces).map(|(draft, trace)| Test {
        name: draft.name.clone(),
        trace,
        is_branch: !draft.branch.is_empty(),
        reached: Vec::new(),
    });
    let tests = tests.collect();
    let is_cut = document.is_complete == Some(false);
    Ok(Shown { path, model, tests, goals: document.goals, is_cut, exit: Exit::Done })
}

/// Reads a suite, and asks the model what it reaches.
pub fn with_model(args: &Args, model: &ModelArgs, context: &Context) -> Result<Shown, Failure> {
    let text = suite_input::read(&args.suite, &model.path, Writes::Other, context)?;
    let prepared = goal_args::prepare_for(model, &args.goals, Some(&text), &args.search, context)?;
    let input = text.tests(&prepared.loaded, &args.search.limits(), context)?;
    let found = search::run_by_the_way(&args.search, context, |budget| {
        hits(&prepared.set, &input.tests, args.search.engine(), budget)
    });
    let unseen = found.cut.as_ref().map(unseen_notice);
    for text in unseen.into_iter().chain(search::cut_notice(found.n_open)) {
        context.terminal.note(&text);
    }
    let is_cut = prepared.cut.is_some() || found.cut.is_some();
    let mut tests = tests(&input);
    for (goal, hits) in prepared.set.goals.iter().zip(&found.goals) {
        for &(test, state) in hits {
            if let Some(ids) = tests[test].reached.get_mut(state) {
                ids.push(goal.id.clone());
            }
        }
    }
    let goals = goals(&prepared, &input, &found);
    Ok(Shown {
        path: Some(prepared.loaded.path.clone()),
        tests,
        goals,
        is_cut: is_cut || input.document.is_complete == Some(false),
        exit: exit(&input, is_cut),
        model: prepared.loaded.model,
    })
}

fn exit(input: &SuiteInput, is_cut: bool) -> Exit {
    match input.exit() {
        _ if is_cut && interrupt::is_raised() => Exit::Interrupted,
        Exit::Done if is_cut => Exit::Undecided,
        exit => exit,
    }
}

fn tests(input: &SuiteInput) -> Vec<Test> {
    let trunks: Vec<usize> = input.trees().iter().map(|tree| tree.start).collect();
    let tests = input.tests.iter().enumerate().map(|(place, trace)| Test {
        name: input.name(place).into(),
        trace: trace.clone(),
        is_branch: trunks.binary_search(&place).is_err(),
        reached: vec![Vec::new(); trace.states.len()],
    });
    tests.collect()
}

/// The goals of the model, with the tests that reach them. The suite may record why others are not
/// reached, if it is of this model.
fn goals(prepared: &Prepared, input: &SuiteInput, found: &Hits) -> Vec<RecordedGoal> {
    let proofs = Proofs::new(prepared, &input.document);
    let goals =
        prepared.set.goals.iter().zip(&found.goals).enumerate().map(|(idx, (goal, hits))| {
            let mut tests: Vec<usize> = hits.iter().map(|(test, _)| *test).collect();
            tests.dedup();
            let (word, reason) = match proofs.of(idx) {
                _ if !tests.is_empty() => ("covered", None),
                Known::Infeasible(reason) => ("infeasible", reason),
                Known::Unknown(reason) => ("unknown", reason),
                Known::Nothing => match &found.cut {
                    Some(why) => ("unknown", Some(why.to_string())),
                    None => ("not covered", None),
                },
            };
            RecordedGoal {
                id: goal.id.clone(),
                criterion: Some(goal.criterion.clone()),
                text: Some(goal.text.clone()),
                trap: None,
                line: prepared
                    .loaded
                    .sources
                    .location(goal.span.start)
                    .map(|place| place.line as u64),
                verdict: Some(word.into()),
                property: Property::of(goal, word, reason.as_deref())
                    .filter(|_| word != "not covered"),
                reason,
                tests,
                shown: found.evidence[idx].word().map(String::from),
                shown_by: found.evidence[idx].tests().to_vec(),
                appears: Vec::new(),
            }
        });
    goals.collect()
}
