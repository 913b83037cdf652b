//! Loops close for all variables, also for those that the property does not read.

use trapline_engine::{Budget, ENGINES, Outcome};
use trapline_model::Formula;
use trapline_model::lasso;
use trapline_model::replay::replay;
use trapline_model::trace::Trace;

use trapline_testkit::read;

/// The counterexamples that every engine finds to the only property; each must be right.
fn counterexamples(text: &str) -> Vec<Trace> {
    let (model, _) = read(text, &[]);
    let Formula::Holds(clause) = model.properties[0].formula else { unreachable!("a formula") };
    let traces = ENGINES.iter().map(|engine| {
        let checked = (engine.check)(&model, &[0], &Budget::unlimited());
        let Outcome::False(trace) = &checked.outcomes[0] else {
            panic!("{}: {:?}", engine.name, checked.outcomes)
        };
        assert_eq!(replay(&model, trace), Ok(()), "{}", engine.name);
        if trace.loop_start.is_some() {
            assert_eq!(lasso::holds(&model, clause.expr, trace), Ok(false), "{}", engine.name);
        }
        trace.clone()
    });
    traces.collect()
}

const STUCK: &str = "VAR d : boolean; ASSIGN init(d) := FALSE; next(d) := d ? d : {FALSE, TRUE};
    LTLSPEC G (d -> F !d)";

#[test]
fn a_loop_beside_a_long_counter_has_all_its_turns() {
    let text = format!(
        "MODULE main VAR w : unsigned word[14];
         ASSIGN init(w) := 0ud14_0; next(w) := w + 0ud14_1; {STUCK}"
    );
    for trace in counterexamples(&text) {
        let start = trace.loop_start.expect("it closes");
        assert_eq!(trace.states.len() - start, 1 << 14);
    }
}

#[test]
fn turns_of_a_loop_and_of_a_counter_come_together() {
    let text = "MODULE main VAR w : unsigned word[12]; x : 0..2;
         ASSIGN init(w) := 0ud12_0; next(w) := w + 0ud12_1;
           init(x) := 0; next(x) := (x + 1) mod 3;
         LTLSPEC F G x = 1";
    for trace in counterexamples(text) {
        let start = trace.loop_start.expect("it closes");
        assert_eq!(trace.states.len() - start, 3 << 12);
    }
}

#[test]
fn a_choice_that_nobody_asked_for_closes_a_loop() {
    for reset in ["IVAR reset : boolean;", "VAR reset : boolean;"] {
        let text = format!(
            "MODULE main {reset} VAR w : unsigned word[48];
             ASSIGN init(w) := 0ud48_0; next(w) := reset ? 0ud48_0 : w + 0ud48_1; {STUCK}"
        );
        for trace in counterexamples(&text) {
            assert!(trace.loop_start.is_some() && trace.states.len() < 100, "{text}");
        }
    }
}

#[test]
fn a_loop_that_can_not_close_is_shown_as_a_path() {
    let text = format!(
        "MODULE main VAR w : unsigned word[48];
         ASSIGN init(w) := 0ud48_0; next(w) := w + 0ud48_1; {STUCK}"
    );
    for trace in counterexamples(&text) {
        assert!(trace.loop_start.is_none() && trace.states.len() < 100);
    }
}
