//! Writing and reading back is the identity.

use std::convert::Infallible;

use fastrand::Rng;
use trapline_engine::Budget;
use trapline_goals::{Demand, GoalSet};
use trapline_model::trace::Trace;
use trapline_model::{Model, VarKind};
use trapline_source::Sources;
use trapline_suite::complete::{Completer, Limits};
use trapline_suite::generate::generate;
use trapline_suite::journal::NoJournal;
use trapline_suite::read::{find, read};
use trapline_suite::suite::{Suite, assemble};
use trapline_suite::write::goals::Origin;
use trapline_suite::write::{SuiteDocument, write};

use crate::laws::models::{Case, Nature, case, goals, options};

/// A suite as it is written.
pub fn written(model: &Model, text: &str, set: &GoalSet, suite: &Suite) -> String {
    let mut sources = Sources::new();
    sources.add("m.smv", text).expect("small");
    let document = SuiteDocument {
        model,
        origin: Origin { path: "m.smv", sources: &sources, requirements: &[] },
        trap_syntax: model.syntax,
        sha256: "abc",
        language: "smv",
        main: "main",
        purposes: &["x > 0".to_string()],
        observers: &[],
        demand: Demand::default(),
        set,
        suite,
    };
    let mut all = String::new();
    let Ok(()) = write(&document, &Budget::unlimited(), &mut |piece| {
        all.push_str(piece);
        Ok::<(), Infallible>(())
    });
    all
}

/// The trace without inputs of a step that it does not take: files do not say them.
fn ended(model: &Model, trace: &Trace) -> Trace {
    let mut trace = trace.clone();
    if let (None, Some(last)) = (trace.loop_start, trace.states.last_mut()) {
        let inputs = model.vars.iter().zip(&mut last.values);
        let inputs = inputs.filter(|(var, _)| var.kind == VarKind::Input);
        inputs.for_each(|(_, value)| *value = None);
    }
    trace
}

#[test]
fn a_suite_that_is_written_and_read_is_the_same() {
    let (mut n_tests, mut n_loops) = (0, 0);
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let nature = if seed % 2 == 0 { Nature::Tame } else { Nature::Wild };
        let Case { model, text } = case(&mut rng, nature, 3);
        let set = goals(&mut rng, &model, 2);
        let made = generate(&set, &options(&mut rng), &mut NoJournal, &Budget::unlimited());
        let (suite, _) = assemble(&set, &made, None, &Budget::unlimited());
        let json = written(&model, &text, &set, &suite);
        let document = read(&model, find("json").expect("our own"), &json)
            .unwrap_or_else(|errors| panic!("{errors:?}\n{json}"));
        assert_eq!(document.is_complete, Some(suite.is_complete));
        assert_eq!(document.model_sha256.as_deref(), Some("abc"));
        assert_eq!(document.purposes, ["x > 0"]);
        let completer = Completer::new(&model);
        for (draft, test) in document.drafts.iter().zip(&suite.tests) {
            let trace: Trace = completer
                .complete(draft, &Limits::default(), &Budget::unlimited())
                .unwrap_or_else(|why| panic!("{why:?}\n{text}\n{json}"));
            assert_eq!(
                (&draft.name, &trace),
                (&test.name, &ended(&model, &test.trace)),
                "{text}\n{json}"
            );
            n_loops += usize::from(trace.loop_start.is_some());
        }
        assert_eq!(document.drafts.len(), suite.tests.len());
        for ((recorded, goal), scored) in document.goals.iter().zip(&set.goals).zip(&suite.goals) {
            assert_eq!((&recorded.id, &recorded.tests), (&goal.id, &scored.shown.tests()));
            assert_eq!(recorded.verdict.as_deref(), Some(scored.word()));
        }
        assert_eq!(document.goals.len(), set.goals.len());
        n_tests += suite.tests.len();
    }
    assert!(n_tests > 150 && n_loops > 3, "{n_tests} {n_loops}");
}
