//! Partial tests are completed where the model determines them, and nowhere else.

use fastrand::Rng;
use trapline_engine::Budget;
use trapline_engine::simulate::Simulator;
use trapline_model::replay::{Rule, replay};
use trapline_model::trace::Trace;
use trapline_model::{ConstraintKind, Model, Role, Value, VarKind, roles};
use trapline_suite::complete::{Completer, Impossible, Limits};
use trapline_suite::read::{self, Draft, Keeps, PartialState};
use trapline_testkit::random::{self, random_model};

/// Models that are deterministic once the inputs are known; the last has no assignments.
const DETERMINISTIC: &[&str] = &[
    "MODULE main
     IVAR go : boolean; k : 0..2;
     VAR x : 0..7; s : {idle, busy}; total : unsigned word[4];
     ASSIGN init(x) := 0; next(x) := go ? (x + k) mod 8 : x;
       init(s) := idle; next(s) := x > 3 ? busy : idle;
       total := s = busy ? 0ud4_9 : 0ud4_1;",
    "MODULE main
     VAR press : boolean; level : 0..5; alarm : boolean; old : boolean;
     ASSIGN init(level) := 0; next(level) := case press & level < 5 : level + 1;
         !press & level > 0 : level - 1; TRUE : level; esac;
       alarm := level > 3 | old; init(old) := FALSE; next(old) := press;",
    "MODULE main
     FROZENVAR f : 0..3;
     VAR i : boolean; a : 0..7; b : 0..7;
     ASSIGN init(i) := {TRUE, FALSE}; next(i) := {TRUE, FALSE};
     INIT a = f & f = 2
     INVAR b = 7 - a
     TRANS next(a) = (i ? (a + 1) mod 8 : (a + f) mod 8)",
];

fn smv(text: &str) -> Model {
    let mut model = trapline_testkit::read(text, &[]).0;
    roles::guess(&mut model);
    roles::set(&mut model, "y", Role::Output);
    model
}

fn draft_of(trace: &Trace) -> Draft {
    let state = |values: &Vec<_>| PartialState { vars: values.clone(), defines: Vec::new() };
    Draft {
        name: "t".into(),
        states: trace.states.iter().map(|state_| state(&state_.values)).collect(),
        loop_start: trace.loop_start,
        keeps: Keeps::Inputs,
        open: Vec::new(),
        branch: Vec::new(),
    }
}

fn run(model: &Model, n_steps: usize, rng: &mut Rng) -> Trace {
    try_run(model, n_steps, rng).expect("there are runs of every length")
}

/// A random run; `None` where the model has no initial state, or a deadlock.
fn try_run(model: &Model, n_steps: usize, rng: &mut Rng) -> Option<Trace> {
    let (simulator, budget) = (Simulator::new(model), Budget::unlimited());
    let first = simulator.initial(&[], rng, &budget).expect("small")?;
    let mut trace = Trace { states: vec![first.state], loop_start: None };
    for _ in 0..n_steps {
        let last = trace.states.last_mut()?;
        let choice = simulator.step(last, &[], rng, &budget).expect("small")?;
        *last = choice.from?;
        trace.states.push(choice.state);
    }
    Some(trace)
}

fn steps(model: &Model, text: &str) -> Draft {
    let document = read::read(model, read::find("steps").expect("a format"), text);
    document.unwrap_or_else(|errors| panic!("{errors:?}")).drafts.remove(0)
}

/// The test with only the values that are written, inputs kept.
fn sparse(model: &Model, text: &str) -> Draft {
    Draft { keeps: Keeps::Inputs, ..steps(model, text) }
}

fn complete(model: &Model, draft: &Draft) -> Result<Trace, Impossible> {
    Completer::new(model).complete(draft, &Limits::default(), &Budget::unlimited())
}

#[track_caller]
fn check_error(model: &Model, draft: &Draft, state: usize, message: &str) -> Impossible {
    let error = complete(model, draft).expect_err("something is wrong");
    assert_eq!((error.state(), error.message(model).as_str()), (state, message), "{error:?}");
    error
}

#[test]
fn what_was_deleted_comes_back() {
    let mut rng = Rng::with_seed(7);
    for text in DETERMINISTIC {
        let model = smv(text);
        let completer = Completer::new(&model);
        for _ in 0..40 {
            let n_steps = rng.usize(0..12);
            let trace = run(&model, n_steps, &mut rng);
            let mut draft = draft_of(&trace);
            let share = rng.f64();
            for state in &mut draft.states {
                for (value, var) in state.vars.iter_mut().zip(&model.vars) {
                    // What only an `INVAR` determines is guessed to be an input.
                    let is_input = var.role == Role::Input && var.name != "b";
                    if !is_input && var.kind != VarKind::Input && rng.f64() < share {
                        *value = None;
                    }
                }
            }
            let completed = completer.complete(&draft, &Limits::default(), &Budget::unlimited());
            assert_eq!(completed.as_ref(), Ok(&trace), "{text}\n{draft:?}");
        }
    }
}

/// Random models, each with some runs; one that comes back to a state is made a lasso.
fn each_random_run(mut check: impl FnMut(&Model, &Trace, &mut Rng)) {
    let mut rng = Rng::with_seed(23);
    for _ in 0..150 {
        let options = random::Options { is_wild: false, max_states: 40 };
        let mut model = trapline_testkit::read(&random_model(&mut rng, options).text, &[]).0;
        model.vars.iter_mut().for_each(|var| var.role = Role::Output);
        for _ in 0..6 {
            let n_steps = rng.usize(0..8);
            let Some(mut trace) = try_run(&model, n_steps, &mut rng) else { continue };
            let mut last = trace.states.last().expect("one at least").clone();
            last.drop_inputs(&model);
            let repeated = trace.states[..trace.states.len() - 1].iter().position(|state| {
                let mut state = state.clone();
                state.drop_inputs(&model);
                state == last
            });
            if repeated.is_some() && rng.bool() {
                trace.states.pop();
                trace.loop_start = repeated;
            }
            assert_eq!(replay(&model, &trace), Ok(()));
            check(&model, &trace, &mut rng);
        }
    }
}

#[test]
fn whatever_is_deleted_a_run_stays_possible() {
    let (mut n_same, mut n_open) = (0, 0);
    each_random_run(|model, trace, rng| {
        let mut draft = draft_of(trace);
        let share = rng.f64() * 0.7;
        for state in &mut draft.states {
            for (value, var) in state.vars.iter_mut().zip(&model.vars) {
                if var.kind != VarKind::Input && rng.f64() < share {
                    *value = None;
                }
            }
        }
        match complete(model, &draft) {
            Ok(found) => {
                assert_eq!(&found, trace);
                n_same += 1;
            }
            Err(Impossible::Undetermined { state, var, values: [one, other] }) => {
                assert!(one != other && draft.states[state].vars[var.0 as usize].is_none());
                n_open += 1;
            }
            Err(error) => panic!("{}: {}", error.state(), error.message(model)),
        }
    });
    assert!(n_same > 100 && n_open > 20, "{n_same} {n_open}");
}

#[test]
fn changed_values_are_kept_or_forbidden() {
    let (mut n_other, mut n_forbidden) = (0, 0);
    each_random_run(|model, trace, rng| {
        let mut draft = draft_of(trace);
        for value in draft.states.iter_mut().flat_map(|state| &mut state.vars) {
            *value = value.filter(|_| rng.u8(..3) > 0);
        }
        let (state, var) = (rng.usize(0..trace.states.len()), rng.usize(0..model.vars.len()));
        let domain = &model.vars[var].domain;
        let value = domain.value(rng.u64(0..domain.size().expect("small")));
        draft.states[state].vars[var] = Some(value);
        match complete(model, &draft) {
            Ok(found) => {
                let is_last = |idx| idx + 1 == found.states.len() && found.loop_start.is_none();
                for (idx, (state, given)) in found.states.iter().zip(&draft.states).enumerate() {
                    for ((value, given), var) in
                        state.values.iter().zip(&given.vars).zip(&model.vars)
                    {
                        let is_dropped = is_last(idx) && var.kind == VarKind::Input;
                        assert!(given.is_none() || value == given || is_dropped);
                    }
                }
                n_other += usize::from(found != *trace);
            }
            Err(Impossible::Forbidden { state, rules, .. }) => {
                assert!(!rules.is_empty() && state < draft.states.len());
                n_forbidden += 1;
            }
            Err(error) => assert!(matches!(error, Impossible::Undetermined { .. })),
        }
    });
    assert!(n_other > 10 && n_forbidden > 100, "{n_other} {n_forbidden}");
}

#[test]
fn what_does_not_change_need_not_be_said() {
    each_random_run(|model, trace, _| {
        let mut draft = Draft { keeps: Keeps::Everything, ..draft_of(trace) };
        for idx in (1..draft.states.len()).rev() {
            let (before, state) = draft.states.split_at_mut(idx);
            for (value, before) in state[0].vars.iter_mut().zip(&before[idx - 1].vars) {
                *value = value.filter(|_| value != before);
            }
        }
        assert_eq!(complete(model, &draft).as_ref(), Ok(trace));
    });
}

#[test]
fn missing_inputs_keep_their_values() {
    let model = smv(DETERMINISTIC[0]);
    let trace = complete(&model, &sparse(&model, "go = 1; k = 2; STEP; STEP; k = 1; STEP; STEP"));
    let trace = trace.unwrap();
    let x = model.find_var("x").unwrap();
    let xs: Vec<_> = trace.states.iter().map(|state| state.get(x).unwrap()).collect();
    assert_eq!(xs, [0, 2, 4, 5].map(Value::Int));
    let go = model.find_var("go").unwrap();
    assert_eq!(trace.states[3].get(go), None, "no step leaves the last state");
}

#[test]
fn in_the_line_form_everything_keeps_its_value() {
    let model = smv(DETERMINISTIC[1]);
    assert!(complete(&model, &steps(&model, "press = FALSE; STEP; STEP; STEP")).is_ok());
    let draft = steps(&model, "press = TRUE; STEP; STEP");
    let error = check_error(
        &model,
        &draft,
        1,
        "the assignment of `next(level)` forbids it (not given, so kept: `level`)",
    );
    assert_eq!(error.spans(&model).len(), 1);
    // Without keeping, the model says what the values are.
    assert!(complete(&model, &Draft { keeps: Keeps::Inputs, ..draft }).is_ok());
}

#[test]
fn later_values_decide_earlier_ones() {
    let model = smv("MODULE main
        VAR hidden : 0..9; shown : 0..9;
        ASSIGN next(hidden) := hidden; init(shown) := 0; next(shown) := hidden;");
    let trace = complete(&model, &sparse(&model, "STEP; STEP; shown = 7; STEP")).unwrap();
    assert!(trace.states.iter().all(|state| state.values[0] == Some(Value::Int(7))));
    let draft = sparse(&model, "STEP; STEP; STEP");
    check_error(&model, &draft, 0, "`hidden` is missing, and could be 0 or 1");
}

#[test]
fn ways_that_meet_again_are_two_tests() {
    let model = smv("MODULE main
        VAR x : 0..3;
        ASSIGN init(x) := 0; next(x) := case x = 0 : {1, 2}; TRUE : 3; esac;");
    let draft = sparse(&model, "STEP; STEP; x = 3; STEP; x = 3; STEP");
    check_error(&model, &draft, 1, "`x` is missing, and could be 1 or 2");
}

#[test]
fn an_input_of_a_step_is_found_from_its_effect() {
    let model = smv("MODULE main IVAR i : 0..3; VAR x : 0..9;
        ASSIGN init(x) := 0; next(x) := (x + i) mod 10;");
    let trace = complete(&model, &sparse(&model, "STEP; x = 2; STEP; i = 1; STEP; STEP")).unwrap();
    let column = |idx: usize| trace.states.iter().map(|s| s.values[idx]).collect::<Vec<_>>();
    let ints = |values: &[i64]| values.iter().map(|&i| Some(Value::Int(i))).collect::<Vec<_>>();
    assert_eq!(column(1), ints(&[0, 2, 4, 5]));
    assert_eq!(column(0)[..3], ints(&[2, 2, 1]));
    assert_eq!(column(0)[3], None);
}

#[test]
fn full_tests_name_the_rule_that_forbids_them() {
    let mut rng = Rng::with_seed(3);
    let model = smv(DETERMINISTIC[1]);
    let level = model.find_var("level").unwrap();
    for _ in 0..50 {
        let trace = run(&model, 6, &mut rng);
        let mut draft = draft_of(&trace);
        let state = rng.usize(1..7);
        let value = &mut draft.states[state].vars[level.0 as usize];
        *value = value.map(|old| Value::Int((old.as_int().unwrap() + 3) % 6));
        let error = complete(&model, &draft).unwrap_err();
        let Impossible::Forbidden { state: found, rules, kept } = error else {
            panic!("{error:?}")
        };
        assert_eq!((found, kept), (state, vec![]));
        let Rule::Assign(idx) = rules[0] else { panic!("{rules:?}") };
        assert_eq!(model.assigns[idx].var, level);
    }
}

#[test]
fn partial_tests_name_the_rules_that_forbid_them() {
    let model = smv(DETERMINISTIC[2]);
    let draft = sparse(&model, "i = TRUE; STEP; a = 3; STEP; b = 6; STEP");
    let Err(Impossible::Forbidden { state: 2, rules, .. }) = complete(&model, &draft) else {
        panic!("state 2 is impossible");
    };
    let kinds: Vec<_> = rules
        .iter()
        .map(|rule| match rule {
            Rule::Constraint(idx) => model.constraints[*idx].kind,
            _ => panic!("{rule:?}"),
        })
        .collect();
    assert_eq!(kinds, [ConstraintKind::Invar, ConstraintKind::Trans]);
    let message = "these can't hold together: a constraint `INVAR`, a constraint `TRANS` \
        (not given, so kept: `i`)";
    check_error(&model, &draft, 2, message);
    let draft = sparse(&model, "i = TRUE; STEP; f = 3; STEP");
    assert_eq!(complete(&model, &draft).unwrap_err().state(), 0, "INIT says 2");
    let draft = sparse(&model, "f = 2; i = TRUE; STEP; f = 3; STEP");
    check_error(&model, &draft, 1, "`f` is frozen and changes");
}

#[test]
fn initial_states_are_completed_or_asked_for() {
    let model = smv(DETERMINISTIC[1]);
    let draft = sparse(&model, "STEP");
    check_error(&model, &draft, 0, "`press` is missing, and could be FALSE or TRUE");
    let draft = sparse(&model, "press = TRUE; level = 2; STEP");
    check_error(&model, &draft, 0, "the assignment of `init(level)` forbids it");
    let unbounded = smv("MODULE main VAR n : integer; c : boolean;");
    let draft = sparse(&unbounded, "c = TRUE; STEP");
    let message = "`n` is missing, and could be any of infinitely many values";
    check_error(&unbounded, &draft, 0, message);
    let wide = smv("MODULE main VAR n : 0..9999; c : boolean;");
    let draft = sparse(&wide, "c = TRUE; STEP");
    let message = "too many values are missing: `n` could be 0 or 1, say";
    check_error(&wide, &draft, 0, message);
}

#[test]
fn loops_are_closed_by_the_model() {
    let model = smv("MODULE main IVAR i : boolean; VAR x : 0..3; h : 0..3; c : boolean;
        ASSIGN init(x) := 0; next(x) := i ? (x + 1) mod 4 : x; next(h) := h;
          init(c) := FALSE; next(c) := h = 2;");
    let text = "i = 1; STEP; STEP; STEP; STEP; LOOP 0";
    let open = check_error(&model, &sparse(&model, text), 0, "`h` is missing, and could be 0 or 1");
    assert!(matches!(open, Impossible::Undetermined { .. }));
    let draft = sparse(&model, "i = 1; STEP; c = TRUE; STEP; STEP; STEP; STEP; LOOP 1");
    let trace = complete(&model, &draft).unwrap();
    assert_eq!((trace.loop_start, trace.states.len()), (Some(1), 5));
    assert_eq!(replay(&model, &trace), Ok(()));
    assert!(trace.states.iter().all(|state| state.values[2] == Some(Value::Int(2))));
    let draft = sparse(&model, "i = 1; h = 0; STEP; STEP; STEP; LOOP 0");
    check_error(&model, &draft, 0, "the assignment of `next(x)` forbids it");
    // The step back is the one whose input is missing.
    let draft = sparse(&model, "h = 0; i = 0; STEP; x = 0; i = 0; STEP; LOOP 1");
    assert!(complete(&model, &draft).is_ok());
}

#[test]
fn definitions_are_checked() {
    let model =
        smv("MODULE main IVAR i : boolean; VAR x : 0..3; DEFINE d := x + 1; e := next(x) > x;
        ASSIGN init(x) := 0; next(x) := i ? (x + 1) mod 4 : x;");
    let text = "i = 1; d = 1; e = TRUE; STEP; d = 2; STEP; d = 3; STEP";
    assert!(complete(&model, &sparse(&model, text)).is_ok());
    let draft = sparse(&model, "i = 1; d = 1; STEP; d = 1; STEP");
    check_error(&model, &draft, 1, "`d` is 2, not 1");
    let draft = sparse(&model, "i = 1; STEP; e = TRUE; STEP");
    check_error(&model, &draft, 1, "`e` has no value here, but TRUE is given");
}

#[test]
fn completion_agrees_with_enumeration() {
    // Every subset of values of every run of two steps of a model with choices.
    let model = smv("MODULE main IVAR i : boolean; VAR x : 0..2; y : boolean;
        ASSIGN init(x) := {0, 1}; next(x) := i ? {0, 2} : x; INVAR y -> x != 2");
    let simulator = Simulator::new(&model);
    let budget = Budget::unlimited();
    let mut runs = Vec::new();
    for first in simulator.choices(None, &[], 100, &budget).unwrap() {
        for second in simulator.choices(Some(&first.state), &[], 100, &budget).unwrap() {
            let states = vec![second.from.unwrap(), second.state];
            runs.push(Trace { states, loop_start: None });
        }
    }
    assert_eq!(runs.len(), 20);
    let completer = Completer::new(&model);
    let slots: Vec<(usize, usize)> = (0..2).flat_map(|s| (0..3).map(move |v| (s, v))).collect();
    for trace in &runs {
        for mask in 0..1u32 << slots.len() {
            let mut draft = draft_of(trace);
            for (bit, &(state, var)) in slots.iter().enumerate() {
                if mask >> bit & 1 == 1 {
                    draft.states[state].vars[var] = None;
                }
            }
            // Nothing but the input is kept, and that is in state 0.
            let fits = |run: &&Trace| {
                let states = run.states.iter().zip(&draft.states);
                states.into_iter().all(|(state, given)| {
                    state.values.iter().zip(&given.vars).all(|(v, g)| g.is_none() || v == g)
                })
            };
            let fitting = runs.iter().filter(fits).count();
            match completer.complete(&draft, &Limits::default(), &Budget::unlimited()) {
                Ok(found) => assert_eq!((fitting, &found), (1, trace)),
                Err(Impossible::Undetermined { state, var, values }) => {
                    assert!(fitting > 1);
                    let may_be = |value| {
                        runs.iter().filter(fits).any(|r| r.states[state].get(var) == Some(value))
                    };
                    assert!(values.into_iter().all(may_be));
                }
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

#[test]
fn long_tests_take_linear_time() {
    let model = smv(DETERMINISTIC[1]);
    let mut draft = sparse(&model, "press = TRUE; STEP");
    draft.states.resize(50_000, PartialState::unknown(&model));
    let trace = complete(&model, &draft).unwrap();
    assert_eq!(trace.states.len(), 50_000);
    // A search at every state.
    let model = smv("MODULE main VAR i : boolean; a : 0..7; INIT a = 0
        TRANS next(a) = (i ? (a + 1) mod 8 : a)");
    let mut draft = sparse(&model, "i = TRUE; STEP");
    draft.states[0].vars[0] = Some(Value::Bool(true));
    let next = PartialState { vars: vec![Some(Value::Bool(true)), None], defines: Vec::new() };
    draft.states.resize(5_000, next);
    assert_eq!(complete(&model, &draft).unwrap().states.len(), 5_000);
}

#[test]
fn what_an_invariant_makes_a_function_is_not_kept() {
    let model = smv("MODULE main VAR a : boolean; b : boolean; out : boolean; n : 0..3;
        INVAR (out = (a & b)) & toint(out) + 1 = n");
    assert!(model.vars.iter().all(|var| var.role == Role::Input), "it is guessed so");
    let text = "a = TRUE; b = TRUE; STEP; b = FALSE; STEP; STEP; b = TRUE; STEP";
    let trace = complete(&model, &sparse(&model, text)).expect("the inputs decide it");
    let values = |name: &str| -> Vec<Option<Value>> {
        let var = model.find_var(name).expect("a variable");
        trace.states.iter().map(|state| state.get(var)).collect()
    };
    let outs = [true, false, false, true];
    assert_eq!(values("out"), outs.map(|out| Some(Value::Bool(out))));
    assert_eq!(values("n"), outs.map(|out| Some(Value::Int(1 + i64::from(out)))));
    assert_eq!(values("a"), [Some(Value::Bool(true)); 4], "inputs are kept");
    // In the line form everything stays that is not said to change.
    let error = complete(&model, &steps(&model, text)).expect_err("`out` is kept");
    assert_eq!(error.state(), 1, "{error:?}");
    // What it is a function of is still an input, and what is given must agree.
    let wrong = sparse(&model, "a = TRUE; b = TRUE; STEP; b = FALSE; out = TRUE; STEP");
    assert_eq!(complete(&model, &wrong).expect_err("it is FALSE").state(), 1);
}

#[test]
fn functions_of_each_other_are_no_functions() {
    let model = smv("MODULE main VAR a : 0..3; b : 0..3; INVAR a = b INVAR b = a");
    let trace = complete(&model, &sparse(&model, "b = 2; STEP; b = 1; STEP; STEP"));
    let a = model.find_var("a").expect("a variable");
    let values = trace.expect("`b` decides it");
    let values: Vec<_> = values.states.iter().map(|state| state.get(a)).collect();
    assert_eq!(values, [2, 1, 1].map(|value| Some(Value::Int(value))));
}
