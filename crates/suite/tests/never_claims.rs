//! What tests say about never-claims: the evaluator and the machine agree on every formula, and both
//! say what can be seen by other means.

mod formulas;

use fastrand::Rng;
use trapline_engine::{Budget, Outcome, Why, explicit};
use trapline_lang::smv;
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, DefineId, Expr, Model, PropertyKind, Value, VarKind, lasso};
use trapline_suite::never_claim::{NeverClaim, NeverClaims, Refusal, machine};

use trapline_testkit::read;

fn by_machine(model: &Model, trace: &Trace, claims: &[NeverClaim]) -> Vec<Result<bool, Why>> {
    machine::violated(model, trace, claims, &explicit::ENGINE, &Budget::unlimited())
}

#[test]
fn evaluator_and_machine_agree() {
    let mut rng = Rng::with_seed(7);
    let (mut n_violated, mut n_others) = (0, 0);
    for _ in 0..200 {
        let model = formulas::model(&mut rng, 30);
        let claims = formulas::claims(&model);
        let prepared = NeverClaims::new(&model, &claims);
        for _ in 0..4 {
            let trace = formulas::trace(&model, &mut rng);
            let fast = prepared.violated(&trace);
            for (idx, slow) in by_machine(&model, &trace, &claims).into_iter().enumerate() {
                let text = model.show_expr(claims[idx].1);
                assert_eq!(prepared.refusal(idx), None, "{text}");
                assert_eq!(Ok(fast[idx].is_some()), slow, "{text}\n{trace:?}");
                n_violated += usize::from(fast[idx].is_some());
                n_others += usize::from(fast[idx].is_none());
            }
        }
    }
    assert!(n_violated > 6000 && n_others > 6000, "{n_violated} {n_others}");
}

/// Gives every variable, and every atom that is a define, some other value beyond the end.
fn scramble(machine: &mut Model, rng: &mut Rng) {
    let sustain = machine.defines.iter().position(|define| define.name == "Sustain");
    let sustain = DefineId(sustain.expect("the test has an end") as u32);
    let sustain = machine.define_expr(sustain);
    let Model { exprs, vars, assigns, defines, .. } = machine;
    for assign in assigns.iter_mut().filter(|assign| assign.kind == AssignKind::Current) {
        let domain = &vars[assign.var.0 as usize].domain;
        let other = exprs.value(domain.value(rng.u64(..domain.size().expect("finite"))));
        assign.expr = exprs.add(Expr::Ite(sustain, assign.expr, other));
    }
    for define in defines.iter_mut().filter(|define| define.name.starts_with("__atom")) {
        let other = exprs.bool(rng.bool());
        define.body.expr = exprs.add(Expr::Ite(sustain, define.body.expr, other));
    }
}

#[test]
fn what_is_true_beyond_the_end_does_not_matter() {
    let mut rng = Rng::with_seed(11);
    for _ in 0..150 {
        let model = formulas::model(&mut rng, 30);
        let claims = formulas::claims(&model);
        let trace = Trace { loop_start: None, ..formulas::trace(&model, &mut rng) };
        let mut machine = machine::model(&model, &trace, &claims, &Budget::unlimited())
            .expect("nothing is limited");
        scramble(&mut machine, &mut rng);
        let all: Vec<usize> = (0..claims.len()).collect();
        let checked = (explicit::ENGINE.check)(&machine, &all, &Budget::unlimited());
        let violated = NeverClaims::new(&model, &claims).violated(&trace);
        for (idx, outcome) in checked.outcomes.iter().enumerate() {
            let is_false = matches!(outcome, Outcome::False(_));
            let text = model.show_expr(claims[idx].1);
            assert_eq!(violated[idx].is_some(), is_false, "{text}\n{trace:?}");
        }
    }
}

#[test]
fn lassos_are_infinite_words() {
    let mut rng = Rng::with_seed(8);
    let mut n_compared = 0;
    for _ in 0..300 {
        let model = formulas::model(&mut rng, 30);
        let claims = formulas::claims(&model);
        let trace = formulas::trace(&model, &mut rng);
        if trace.loop_start.is_none() {
            continue;
        }
        let violated = NeverClaims::new(&model, &claims).violated(&trace);
        for (&(kind, formula), violated) in claims.iter().zip(violated) {
            if kind == PropertyKind::Ltl
                && let Ok(holds) = lasso::holds(&model, formula, &trace)
            {
                let text = model.show_expr(formula);
                assert_eq!(violated.is_none(), holds, "{text}\n{trace:?}");
                n_compared += 1;
            }
        }
    }
    assert!(n_compared > 1000, "{n_compared}");
}

/// The state by which a violation is certain is the last one of the shortest beginning that
/// violates the claim.
#[test]
fn violations_are_certain_from_the_given_state_on() {
    let mut rng = Rng::with_seed(9);
    for _ in 0..200 {
        let model = formulas::model(&mut rng, 30);
        let prepared = NeverClaims::new(&model, &formulas::claims(&model));
        let whole = Trace { loop_start: None, ..formulas::trace(&model, &mut rng) };
        let by = prepared.violated(&whole);
        for n_states in 1..=whole.states.len() {
            let states = whole.states[..n_states].to_vec();
            let beginning = prepared.violated(&Trace { states, loop_start: None });
            for (by, beginning) in by.iter().zip(beginning) {
                assert_eq!(beginning, by.filter(|&by| by < n_states));
            }
        }
    }
}

#[test]
fn whatever_follows_a_violation_it_stays_one() {
    let mut rng = Rng::with_seed(10);
    let (mut n_certain, mut n_later) = (0, 0);
    for _ in 0..300 {
        let model = formulas::model(&mut rng, 30);
        let prepared = NeverClaims::new(&model, &formulas::claims(&model));
        let start = Trace { loop_start: None, ..formulas::trace(&model, &mut rng) };
        let Trace { states, loop_start } = formulas::trace(&model, &mut rng);
        let mut longer = start.clone();
        longer.states.extend(states);
        longer.loop_start = loop_start.map(|loop_start| start.states.len() + loop_start);
        let is_frozen = |idx: &usize| model.vars[*idx].kind == VarKind::Frozen;
        for idx in (0..model.vars.len()).filter(is_frozen) {
            let value = start.states[0].values[idx];
            longer.states.iter_mut().for_each(|state| state.values[idx] = value);
        }
        for (by, later) in prepared.violated(&start).into_iter().zip(prepared.violated(&longer)) {
            assert!(by.is_none() || later.is_some());
            n_certain += usize::from(by.is_some());
            n_later += usize::from(by.is_none() && later.is_some());
        }
    }
    assert!(n_certain > 500 && n_later > 300, "{n_certain} {n_later}");
}

/// The simplified Safety Injection of the paper, and its test: `Reset` goes on, then off again.
const SAFETY: &str = "MODULE main
VAR Reset : {On, Off}; Block : {On, Off}; Pressure : {TooLow, Permitted, High};
";

/// A trace with these values of the variables, in order.
fn walk(model: &Model, states: &[&[&str]]) -> Trace {
    let value = |var: usize, text: &str| {
        let domain = &model.vars[var].domain;
        let values = (0..domain.size().expect("finite")).map(|idx| domain.value(idx));
        values.into_iter().find(|&value: &Value| model.show(value) == text)
    };
    let state = |texts: &&[&str]| {
        let values = texts.iter().enumerate().map(|(var, text)| value(var, text));
        State { values: values.collect() }
    };
    Trace { states: states.iter().map(state).collect(), loop_start: None }
}

/// Says of each claim by which state the test violates it.
fn check(
    vars: &str,
    states: &[&[&str]],
    loop_start: Option<usize>,
    claims: &[(&str, Option<usize>)],
) {
    for (text, expected) in claims {
        let (model, _) = read(&format!("{vars}{text};\n"), &[]);
        let claims = formulas::claims(&model);
        let trace = Trace { loop_start, ..walk(&model, states) };
        assert_eq!(NeverClaims::new(&model, &claims).violated(&trace), [*expected], "{text}");
        assert_eq!(by_machine(&model, &trace, &claims), [Ok(expected.is_some())], "{text}");
    }
}

const RESET: &[&[&str]] =
    &[&["Off", "Off", "TooLow"], &["On", "Off", "TooLow"], &["Off", "Off", "TooLow"]];

#[test]
fn the_papers_test_violates_what_it_should() {
    let claims = [
        ("SPEC AG (Reset = Off & Block = On -> AX (Reset = On -> Block = On))", None),
        ("SPEC AG !(Reset = On)", Some(1)),
        ("SPEC AG (Reset = On -> AX !(Reset = Off))", Some(2)),
        ("SPEC AG (Reset = Off -> AX Reset = On)", None),
        ("SPEC AF Pressure = High", None),
        ("SPEC A [Reset = Off U Block = On]", Some(1)),
        ("SPEC A [Reset = On | Block = Off U Pressure = High]", None),
        ("SPEC !EF (Reset = On & EX Reset = Off)", Some(2)),
        ("SPEC AX AX AX FALSE", None),
        ("SPEC AX AX FALSE", Some(2)),
        ("SPEC Reset = On", Some(0)),
        ("INVARSPEC Reset = On -> next(Reset) = On", Some(2)),
        ("INVARSPEC Reset = Off -> next(Reset) = On", None),
        ("LTLSPEC G (Reset = Off -> Z Reset = Off)", Some(2)),
        ("LTLSPEC G (Reset = On -> X (O Block = On))", Some(2)),
        ("PSLSPEC never (Reset = On)", Some(1)),
        ("PSLSPEC always (Reset = Off -> next (Reset = On))", None),
    ];
    check(SAFETY, RESET, None, &claims);
}

#[test]
fn a_loop_has_no_end() {
    let claims = [
        ("SPEC AF Pressure = High", Some(2)),
        ("SPEC AG (Reset = Off -> AX Reset = On)", Some(2)),
        ("SPEC AG AF Reset = On", Some(2)),
        ("SPEC AG !(Reset = On)", Some(1)),
        ("LTLSPEC F G Reset = Off", None),
        ("INVARSPEC Reset = Off -> next(Reset) = On", Some(2)),
    ];
    check(SAFETY, RESET, Some(2), &claims);
}

/// `4 / n` has no value where `n` is 0: that neither violates a claim nor its negation.
#[test]
fn what_has_no_value_violates_nothing() {
    let vars = "MODULE main\nVAR n : 0..2; DEFINE d := 4 / n = 2;\n";
    let claims = [
        ("INVARSPEC d", None),
        ("INVARSPEC !d", Some(1)),
        ("LTLSPEC d", None),
        ("LTLSPEC !d", None),
        ("LTLSPEC d <-> d", None),
        ("LTLSPEC d & n = 1", Some(0)),
    ];
    check(vars, &[&["0"], &["2"]], None, &claims);
}

/// The example of the paper, word by word but for the parentheses; and negations.
#[test]
fn formulas_are_rewritten_as_in_the_paper() {
    let claims = [
        "SPEC AG (Reset = Off & Block = On -> AX (Reset = On -> Block = On))",
        "SPEC !EF (Reset = On & EX Block = On)",
        "SPEC A [AX Reset = On U Block = On]",
        "SPEC Reset = On -> !EX Block = On",
    ];
    let (model, _) = read(&format!("{SAFETY}{};\n", claims.join(";\n")), &[]);
    let machine = machine::model(
        &model,
        &walk(&model, RESET),
        &formulas::claims(&model),
        &Budget::unlimited(),
    );
    let text = smv::print::flat(&machine.expect("nothing is limited"));
    let wanted = [
        "Sustain := __at < 3;",
        "AG (Sustain -> Reset = Off & Block = On -> AX (Sustain -> Reset = On -> Block = On));",
        "Sustain -> !(EF (Sustain & (Reset = On & EX (Sustain & Block = On))));",
        "A [AX (Sustain -> Reset = On) U (Sustain -> Block = On)];",
        "Sustain -> Reset = On -> !(EX (Sustain & Block = On));",
    ];
    for line in wanted {
        assert!(text.contains(line), "{line}\n{text}");
    }
    read(&text, &[]);
}

#[test]
fn claims_that_some_path_exists_are_refused() {
    let claims = [
        ("SPEC AG EF a", Some(Refusal::SomePath)),
        ("SPEC EF a", Some(Refusal::SomePath)),
        ("SPEC !AG a", Some(Refusal::SomePath)),
        ("SPEC AX a <-> b", Some(Refusal::SomePath)),
        ("SPEC AG !EF a", None),
        ("SPEC AF AG a", None),
        ("SPEC AG (EX a -> AX b)", None),
        ("COMPUTE MIN [a, b]", Some(Refusal::Distance)),
        ("LTLSPEC O [0,1000000000] a", Some(Refusal::TooFar)),
        ("LTLSPEC F [0,1000000000] a", None),
    ];
    for (text, refusal) in claims {
        let (model, _) =
            read(&format!("MODULE main\nVAR a : boolean; b : boolean;\n{text};\n"), &[]);
        let claims = formulas::claims(&model);
        let trace = walk(&model, &[&["FALSE", "FALSE"]]);
        assert_eq!(NeverClaims::new(&model, &claims).refusal(0), refusal, "{text}");
        assert_eq!(NeverClaims::new(&model, &claims).violated(&trace), [None], "{text}");
        assert_eq!(by_machine(&model, &trace, &claims)[0].is_err(), refusal.is_some(), "{text}");
    }
}
