//! Replay: a trace of the model passes, and one change breaks exactly one rule at one state.

use fastrand::Rng;
use trapline_model::replay::{Replayer, Rule, Violation, replay};
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, ConstraintKind, Model, Value, VarId, VarKind};

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{Options, random_model};
use trapline_testkit::read;
use trapline_testkit::valuations;

fn value(model: &Model, var: VarId, text: &str) -> Value {
    let domain = &model.var(var).domain;
    let known = (0..domain.size().expect("finite")).map(|idx| domain.value(idx));
    let outside = || text.parse().map(Value::Int).unwrap_or_else(|_| panic!("no value: {text}"));
    known.into_iter().find(|&value| model.show(value) == text).unwrap_or_else(outside)
}

/// Reads a trace: a state a line, with its inputs, `x = 1, b = TRUE`; then perhaps `loop 0`.
fn trace(model: &Model, text: &str) -> Trace {
    let mut trace = Trace::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(start) = line.strip_prefix("loop ") {
            trace.loop_start = Some(start.parse().expect("a number"));
            continue;
        }
        let mut state = State::unknown(model);
        for equation in line.split(", ") {
            let (name, text) = equation.split_once(" = ").expect("name = value");
            let var = model.find_var(name).unwrap_or_else(|| panic!("no variable {name}"));
            state.values[var.0 as usize] = Some(value(model, var, text));
        }
        trace.states.push(state);
    }
    trace
}

fn describe(model: &Model, text: &str, violation: &Violation) -> String {
    let name = |var: VarId| model.var(var).name.clone();
    let span_text = |span: trapline_source::Span| &text[span.start as usize..span.end as usize];
    let rule = match &violation.rule {
        Rule::Shape => "shape".into(),
        Rule::Missing(var) => format!("missing {}", name(*var)),
        Rule::Domain(var) => format!("domain {}", name(*var)),
        Rule::Frozen(var) => format!("frozen {}", name(*var)),
        Rule::Assign(idx) => {
            let assign = &model.assigns[*idx];
            match assign.kind {
                AssignKind::Init => format!("init({})", name(assign.var)),
                AssignKind::Next => format!("next({})", name(assign.var)),
                AssignKind::Current => format!("{} :=", name(assign.var)),
            }
        }
        Rule::Constraint(idx) => {
            let constraint = &model.constraints[*idx];
            let keyword = match constraint.kind {
                ConstraintKind::Init => "INIT",
                ConstraintKind::Invar => "INVAR",
                ConstraintKind::Trans => "TRANS",
            };
            format!("{keyword} {}", span_text(constraint.body.span))
        }
        Rule::Failure { failure, span } => format!("{:?} in {}", failure.kind, span_text(*span)),
    };
    format!("state {}: {rule}", violation.state)
}

#[track_caller]
fn check(model_text: &str, trace_text: &str, expected: &str) {
    let (model, _) = read(model_text, &[]);
    let found = match replay(&model, &trace(&model, trace_text)) {
        Ok(()) => "allowed".into(),
        Err(violation) => describe(&model, model_text, &violation),
    };
    assert_eq!(found, expected);
}

/// One of everything.
const ALL: &str = "MODULE main
    IVAR go : boolean; FROZENVAR limit : 1..3; VAR x : 0..3; y : 0..9; busy : boolean;
    ASSIGN init(x) := {0, 1}; next(x) := case go & x < limit : x + 1; TRUE : {x, 0}; esac;
    y := x * 2;
    INIT limit > 1 INVAR x = 3 -> busy TRANS busy -> next(x) >= x
    INVAR 12 / (limit - 1) > x";

const LEGAL: &str = "
    go = TRUE, limit = 2, x = 0, y = 0, busy = FALSE
    go = TRUE, limit = 2, x = 1, y = 2, busy = TRUE
    go = FALSE, limit = 2, x = 2, y = 4, busy = FALSE
    limit = 2, x = 0, y = 0, busy = FALSE";

#[test]
fn a_legal_trace_replays() {
    check(ALL, LEGAL, "allowed");
    check(ALL, "limit = 3, x = 1, y = 2, busy = TRUE", "allowed");
}

/// Changes one value in one line of the legal trace.
#[track_caller]
fn check_change(line: usize, old: &str, new: &str, expected: &str) {
    let mut lines: Vec<String> = LEGAL.trim().lines().map(|line| line.trim().into()).collect();
    assert!(lines[line].contains(old), "{old} is in line {line}");
    lines[line] = lines[line].replace(old, new);
    check(ALL, &lines.join("\n"), expected);
}

#[test]
fn a_trace_has_states_and_its_loop_starts_in_one() {
    check(ALL, "", "state 0: shape");
    check(ALL, "loop 0", "state 0: shape");
    check(ALL, &format!("{LEGAL}\nloop 4"), "state 0: shape");
}

#[test]
fn every_variable_has_a_value() {
    check_change(0, ", y = 0", "", "state 0: missing y");
    check_change(2, "limit = 2, ", "", "state 2: missing limit");
    check_change(3, ", busy = FALSE", "", "state 3: missing busy");
}

#[test]
fn an_input_has_a_value_exactly_where_a_step_follows() {
    check_change(0, "go = TRUE, ", "", "state 0: missing go");
    check_change(2, "go = FALSE, ", "", "state 2: missing go");
    check_change(3, "limit", "go = TRUE, limit", "allowed");
    check(ALL, &format!("{LEGAL}\nloop 0"), "state 3: missing go");
}

#[test]
fn values_are_in_their_domains() {
    check_change(1, "x = 1", "x = 4", "state 1: domain x");
    check_change(3, "limit = 2", "limit = 0", "state 3: domain limit");
}

#[test]
fn frozen_variables_stay() {
    check_change(1, "limit = 2", "limit = 3", "state 1: frozen limit");
    check_change(3, "limit = 2", "limit = 3", "state 3: frozen limit");
}

#[test]
fn init_counts_in_state_0_only() {
    let model = "MODULE main VAR x : 0..3; ASSIGN init(x) := {0, 1};";
    check(model, "x = 1\nx = 3", "allowed");
    check(model, "x = 2\nx = 3", "state 0: init(x)");
}

#[test]
fn next_counts_in_every_step() {
    check_change(1, "x = 1, y = 2", "x = 2, y = 4", "state 1: next(x)");
    check_change(3, "x = 0, y = 0", "x = 1, y = 2", "state 3: next(x)");
    check_change(2, "go = FALSE", "go = TRUE", "allowed");
    check_change(1, "go = TRUE", "go = FALSE", "state 2: next(x)");
}

#[test]
fn a_current_assignment_counts_in_every_state() {
    check_change(0, "y = 0", "y = 1", "state 0: y :=");
    check_change(3, "y = 0", "y = 9", "state 3: y :=");
}

#[test]
fn an_init_constraint_counts_in_state_0_only() {
    let model = "MODULE main VAR x : 0..3; INIT x < 2";
    check(model, "x = 1\nx = 3", "allowed");
    check(model, "x = 2\nx = 1", "state 0: INIT x < 2");
}

#[test]
fn an_invariant_counts_in_every_state() {
    let model = "MODULE main VAR x : 0..3; INVAR x < 2";
    check(model, "x = 1\nx = 0\nx = 1", "allowed");
    for (idx, text) in ["x = 2\nx = 1\nx = 1", "x = 1\nx = 2\nx = 1", "x = 1\nx = 1\nx = 2"]
        .into_iter()
        .enumerate()
    {
        check(model, text, &format!("state {idx}: INVAR x < 2"));
    }
}

#[test]
fn a_step_constraint_counts_in_every_step() {
    check_change(2, "busy = FALSE", "busy = TRUE", "state 3: TRANS busy -> next(x) >= x");
}

#[test]
fn a_failure_is_named_with_its_rule() {
    let model = "MODULE main VAR x : 0..3; y : 0..3;
        ASSIGN init(y) := 3 / x; next(y) := case x = 1 : 2; x = 3 : 3; esac; INVAR 6 mod x = 0";
    check(model, "x = 1, y = 3\nx = 3, y = 2\nx = 3, y = 3", "allowed");
    check(model, "x = 0, y = 3", "state 0: DivisionByZero in 3 / x");
    check(model, "x = 1, y = 3\nx = 0, y = 2", "state 1: DivisionByZero in 6 mod x = 0");
    check(
        model,
        "x = 2, y = 1\nx = 1, y = 2",
        "state 1: NotExhaustive in case x = 1 : 2; x = 3 : 3; esac",
    );
}

const COUNTER: &str = "MODULE main FROZENVAR top : 1..3; IVAR go : boolean; VAR x : 0..3;
    ASSIGN next(x) := case !go : x; x < top : x + 1; TRUE : 1; esac; TRANS x = 0 -> go";

#[test]
fn the_step_of_a_lasso_back_to_its_loop_is_a_step() {
    let stem = "go = TRUE, top = 2, x = 0\ngo = TRUE, top = 2, x = 1\ngo = TRUE, top = 2, x = 2";
    check(COUNTER, &format!("{stem}\nloop 1"), "allowed");
    check(COUNTER, &format!("{stem}\nloop 0"), "state 0: next(x)");
    check(COUNTER, &format!("{stem}\nloop 2"), "state 2: next(x)");
    check(COUNTER, "go = FALSE, top = 2, x = 1\nloop 0", "allowed");
    check(COUNTER, "top = 2, x = 1\nloop 0", "state 0: missing go");
}

#[test]
fn an_input_belongs_to_the_step_that_leaves_its_state() {
    check(COUNTER, "go = TRUE, top = 1, x = 0\ngo = FALSE, top = 1, x = 1", "allowed");
    check(
        COUNTER,
        "go = FALSE, top = 1, x = 0\ngo = TRUE, top = 1, x = 0",
        "state 1: TRANS x = 0 -> go",
    );
    check(COUNTER, "go = FALSE, top = 1, x = 1\ngo = TRUE, top = 1, x = 2", "state 1: next(x)");
}

#[test]
fn a_process_moves_only_what_it_assigns_and_only_while_it_runs() {
    let model = "MODULE p(shared) VAR x : boolean; ASSIGN next(x) := !x; next(shared) := x;
        MODULE main VAR s : boolean; a : process p(s); b : process p(s);";
    let first =
        |who: &str| format!("_process_selector_ = {who}, s = FALSE, a.x = TRUE, b.x = FALSE\n");
    let check = |who: &str, next: &str, expected| check(model, &(first(who) + next), expected);
    check("a", "s = TRUE, a.x = FALSE, b.x = FALSE", "allowed");
    check("b", "s = FALSE, a.x = TRUE, b.x = TRUE", "allowed");
    check("main", "s = FALSE, a.x = TRUE, b.x = FALSE", "allowed");
    check("main", "s = TRUE, a.x = TRUE, b.x = FALSE", "state 1: next(s)");
    check("b", "s = FALSE, a.x = FALSE, b.x = TRUE", "state 1: next(a.x)");
    check("a", "s = TRUE, a.x = TRUE, b.x = FALSE", "state 1: next(a.x)");
    check("a", "s = FALSE, a.x = FALSE, b.x = FALSE", "state 1: next(s)");
}

/// Replay agrees with trying every rule on every pair of states that the types admit.
#[test]
fn a_random_step_replays_exactly_if_the_model_allows_it() {
    let mut counts = [0; 2];
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        // No expression gives a value outside its type, where the two differ in what they report.
        let sketch = random_model(&mut rng, Options { is_wild: false, max_states: 30 });
        let (model, _) = read(&sketch.text, &[]);
        let explorer = Explorer::new(&model);
        let initial = explorer.initial().allowed;
        let all = explorer.states();
        let inputs: Vec<VarId> =
            model.var_ids().filter(|(_, v)| v.kind == VarKind::Input).map(|(id, _)| id).collect();
        let mut sources: Vec<&Values> = initial.iter().take(2).collect();
        sources.extend(rng.choice(&all));
        for from in sources {
            let allowed = explorer.successors(from).allowed;
            for here in valuations(&model, &inputs, from) {
                for next in &all {
                    let states = [&here, next].map(|v| State { values: v.clone() }).to_vec();
                    let is_allowed =
                        initial.contains(from) && allowed.contains(&(here.clone(), next.clone()));
                    let trace = Trace { states, loop_start: None };
                    let found = replay(&model, &trace);
                    assert_eq!(found.is_ok(), is_allowed, "{found:?}\n{trace:?}\n{}", sketch.text);
                    counts[usize::from(is_allowed)] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

#[test]
fn threads_find_the_first_mistake_of_a_long_trace() {
    let (model, _) =
        read("MODULE main VAR x : 0..9; ASSIGN init(x) := 0; next(x) := (x + 1) mod 10;", &[]);
    let state = |number: usize| State { values: vec![Some(Value::Int(number as i64 % 10))] };
    let n_states = 40_000;
    let whole = Trace { states: (0..n_states).map(state).collect(), loop_start: Some(0) };
    let replayer = Replayer::new(&model);
    assert_eq!(replayer.replay(&whole), Ok(()));
    let broken = |places: &[usize]| {
        let mut trace = whole.clone();
        places.iter().for_each(|&place| trace.states[place] = state(place + 1));
        trace
    };
    for (places, first) in [
        (&[1][..], 1),
        (&[39_998, 20_000], 20_000),
        (&[30_000, 3], 3),
        (&[19_999], 19_999),
        (&[39_999], 39_999),
    ] {
        let found = replayer.replay(&broken(places)).expect_err("it is wrong");
        assert_eq!((found.state, found.rule), (first, Rule::Assign(1)), "{places:?}");
    }
    let open = Trace { states: whole.states[..n_states - 1].to_vec(), loop_start: Some(0) };
    assert_eq!(replayer.replay(&open).expect_err("no step leads there").state, 0);
    let short = Trace { states: whole.states[..7].to_vec(), loop_start: None };
    let mut all = vec![&short; 3_000];
    assert_eq!(replayer.replay_all(&all), Ok(()));
    let (wrong, late) = (broken(&[5]), broken(&[2]));
    let wrong = Trace { states: wrong.states[..7].to_vec(), loop_start: None };
    (all[2_500], all[2_999]) = (&wrong, &late);
    let (idx, found) = replayer.replay_all(&all).expect_err("one is wrong");
    assert_eq!((idx, found.state), (2_500, 5));
}
