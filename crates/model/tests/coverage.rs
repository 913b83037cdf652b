//! What is evaluated in columns is what is evaluated state by state.

use fastrand::Rng;
use trapline_model::coverage::{CoverageEvaluator, Met};
use trapline_model::eval::evaluate;
use trapline_model::goal::{Judge, Target};
use trapline_model::trace::{State, Trace};
use trapline_model::value::Ratio;
use trapline_model::{Domain, ExprId, Model, Value, VarKind};

use trapline_testkit::random::{Options, Reads, random_model};
use trapline_testkit::read;

/// A model with every type of variables.
const EVERY_TYPE: &str = "MODULE main\nCONSTANTS p, q;\n\
    VAR b : boolean; x : -2..3; n : integer; s : {p, q}; m : {p, 1, 2}; k : {q, 2, 3};\n\
    VAR u : unsigned word[3]; v : signed word[3]; l : unsigned word[64]; g : signed word[64];\n\
    VAR f : real;\nIVAR i : boolean;\n";

/// Expressions over it, for every instruction.
const EXPRESSIONS: &[&str] = &[
    "b -> next(b)",
    "b & i | !next(b)",
    "n / x > 0",
    "n + x > n",
    "n - x < 0 - 5",
    "-n > 0",
    "abs(n) mod 3 = 1",
    "n * 3 > n",
    "n in -3..3",
    "n in {x, 7, next(x)}",
    "x in {1 / x, 1}",
    "x in (b ? {1, 2} : -1..0)",
    "x in (n / x > 1 ? {1, x} : {next(x), 3})",
    "x in (b ? (i ? {0, 1} : 2) : {3} union {x, 2})",
    "b in {i, TRUE}",
    "s in {p}",
    "m in {p, 2}",
    "m in 0..1",
    "m = k",
    "m = 1",
    "m != s",
    "m = p | k = next(k)",
    "{x, 1} in {1, 2, 3}",
    "(b ? {1, x} : {2, 3}) in {1, 2, 3}",
    "case b : x; i : next(x); esac = 1",
    "case b : next(b); x > 0 : i; esac",
    "max(x, next(x)) = min(2, n)",
    "count(b, i, x > 0) = 2",
    "count(b, n / x = 0) = 1",
    "toint(b) = x",
    "bool(x)",
    "u < next(u)",
    "v < next(v)",
    "v >= 0sd3_0",
    "l > next(l)",
    "g <= next(g)",
    "u / next(u) = 0ud3_1",
    "v * next(v) = -v",
    "unsigned(v) = u",
    "signed(u) < v",
    "toint(v) < x",
    "toint(l) >= 0",
    "(u << x) = 0ud3_4",
    "(v >> 1) = 0sd3_1",
    "u[1:0] :: word1(b) = 0ud3_5",
    "extend(v, 2) < 0sd5_1",
    "resize(v, 2) = 0sd2_1",
    "swconst(1, 3) = v",
    "!u = next(u)",
    "(u & next(u)) = 0ud3_0",
    "f > 1",
    "f + x >= next(f)",
    "b & f = n",
    "floor(f) = x",
    "b <-> (x = 1 xor i)",
    "b = (s = q)",
];

/// A value of a variable, or none.
fn value(rng: &mut Rng, domain: &Domain) -> Option<Value> {
    let extremes = [i64::MIN, i64::MIN + 1, i64::MIN + (1 << 32), i64::MAX, -7, 0, 1, 2];
    match domain {
        _ if rng.u8(..100) == 0 => None,
        Domain::Integer => Some(Value::Int(extremes[rng.usize(..extremes.len())])),
        Domain::Real | Domain::Clock => Ratio::new(rng.i8(-3..4).into(), 2).map(Value::Real),
        Domain::Word { width: 64, .. } => Some(domain.value(rng.u64(..))),
        domain => domain.size().map(|size| domain.value(rng.u64(..size))),
    }
}

fn trace(rng: &mut Rng, model: &Model, n_states: usize) -> Trace {
    let state = |rng: &mut Rng| {
        let values = model.vars.iter().map(|var| value(rng, &var.domain)).collect();
        State { values }
    };
    let mut trace = Trace { states: (0..n_states).map(|_| state(rng)).collect(), loop_start: None };
    match rng.bool() {
        true if n_states > 0 => trace.loop_start = Some(rng.usize(..n_states)),
        _ => {
            for (idx, var) in model.vars.iter().enumerate() {
                if let Some(last) = trace.states.last_mut().filter(|_| var.kind == VarKind::Input) {
                    last.values[idx] = None;
                }
            }
        }
    }
    trace
}

/// Tests of many lengths, of so many states in all or some more.
fn suite(rng: &mut Rng, model: &Model, n_states: usize) -> Vec<Trace> {
    let mut tests = Vec::new();
    let mut n_left = n_states as i64;
    while n_left >= 0 {
        let most = [1, 4, 10, 700][rng.usize(..4)];
        let length = rng.usize(..=most);
        tests.push(trace(rng, model, length));
        n_left -= length as i64 + 1;
    }
    tests
}

fn targets(rng: &mut Rng, exprs: &[ExprId]) -> Vec<Target> {
    let mut targets = Vec::new();
    for &expr in exprs {
        targets.push(Target::State(expr));
        targets.push(Target::Step(expr));
        let steps = (0..rng.usize(1..4)).map(|_| exprs[rng.usize(..exprs.len())]);
        targets.push(Target::Steps(steps.collect()));
    }
    targets
}

/// The first state by which a test meets a target, by the definition.
fn first(model: &Model, target: &Target, test: &Trace) -> Option<usize> {
    let states = &test.states;
    let holds = |expr: ExprId, idx: usize| {
        let next = states.get(idx + 1).map_or(&[][..], |next| &next.values);
        evaluate(model, expr, &states[idx].values, next).as_bool() == Some(true)
    };
    let steps = match target {
        Target::State(expr) => return (0..states.len()).find(|&idx| holds(*expr, idx)),
        Target::Step(expr) => std::slice::from_ref(expr),
        Target::Steps(steps) => steps,
    };
    let ends = steps.len()..states.len();
    ends.into_iter()
        .find(|end| steps.iter().enumerate().all(|(at, &step)| holds(step, end - steps.len() + at)))
}

fn check(rng: &mut Rng, model: &Model, exprs: &[ExprId], n_states: usize) -> usize {
    let targets = targets(rng, exprs);
    let tests = suite(rng, model, n_states);
    let expected: Met = targets
        .iter()
        .map(|target| {
            let met = tests.iter().map(|test| first(model, target, test));
            met.enumerate().filter_map(|(idx, state)| Some((idx, state?))).collect()
        })
        .collect();
    let evaluator = CoverageEvaluator::new(model, &targets);
    for n_threads in 1..4 {
        let met = evaluator.met(&tests, n_threads, &|| true);
        for ((target, met), expected) in targets.iter().zip(met).zip(&expected) {
            assert_eq!(&met, expected, "{target:?} with {n_threads} threads");
        }
    }
    let judge = Judge::new(model, &targets);
    for (test_idx, test) in tests.iter().enumerate() {
        for (met, expected) in judge.met(test).into_iter().zip(&expected) {
            let expected = expected.iter().find(|(idx, _)| *idx == test_idx);
            assert_eq!(met, expected.map(|(_, state)| *state));
        }
    }
    expected.iter().map(Vec::len).sum()
}

#[test]
fn every_expression_is_met_where_evaluation_says_so() {
    let (model, exprs) = read(EVERY_TYPE, EXPRESSIONS);
    for seed in 0..4 {
        assert!(check(&mut Rng::with_seed(seed), &model, &exprs, 700) > 100);
    }
}

#[test]
fn threads_that_share_a_test_agree_with_one() {
    let text = "MODULE main\nVAR x : 0..9; y : 0..9;\n";
    let (model, exprs) = read(text, &["x = y", "x < next(y)", "x / y = 1", "x = 9 & y = 0"]);
    for seed in 0..3 {
        let rng = &mut Rng::with_seed(seed);
        check(rng, &model, &exprs, 13_000);
        // A sequence over the place where two threads meet, in one long test.
        let mut test = trace(rng, &model, 10_000);
        for (idx, state) in test.states.iter_mut().enumerate() {
            let rise = (4_995..5_005).contains(&idx).then(|| idx as i64 - 4_995);
            state.values.fill(Some(Value::Int(rise.unwrap_or(4))));
        }
        let step = |n_threads: usize, exprs: Vec<ExprId>| {
            CoverageEvaluator::new(&model, &[Target::Steps(exprs)]).met(
                std::slice::from_ref(&test),
                n_threads,
                &|| true,
            )
        };
        assert_eq!(step(2, vec![exprs[1]; 9]), [[(0, 5_004)]]);
        assert_eq!(step(1, vec![exprs[1]; 9]), [[(0, 5_004)]]);
    }
}

#[test]
fn random_models_are_evaluated_alike() {
    for seed in 0..300 {
        let rng = &mut Rng::with_seed(seed);
        let sketch = random_model(rng, Options { is_wild: seed % 2 == 0, max_states: 100 });
        let texts: Vec<String> = (0..6)
            .map(|idx| sketch.boolean(rng, if idx % 2 == 0 { Reads::STATE } else { Reads::STEP }))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (model, exprs) = read(&sketch.text, &texts);
        check(rng, &model, &exprs, 60);
    }
}

#[test]
fn a_jury_that_is_stopped_has_seen_nothing_that_is_not_there() {
    let (model, exprs) = read(
        "MODULE main VAR n : 0..9999; ASSIGN init(n) := 0; next(n) := n < 9999 ? n + 1 : n;",
        &["n = 0", "n = 9000"],
    );
    let state = |number: i64| State { values: vec![Some(Value::Int(number))] };
    let test = Trace { states: (0..10_000).map(state).collect(), loop_start: None };
    let evaluator =
        CoverageEvaluator::new(&model, &exprs.into_iter().map(Target::State).collect::<Vec<_>>());
    let all = [vec![(0, 0)], vec![(0, 9_000)]];
    let n_asked = std::cell::Cell::new(0);
    let goes_on_for = |n: usize| {
        n_asked.set(0);
        let goes_on = || n_asked.replace(n_asked.get() + 1) < n;
        evaluator.met(std::slice::from_ref(&test), 1, &goes_on)
    };
    assert_eq!(goes_on_for(0), [vec![], vec![]]);
    assert_eq!(goes_on_for(1), [all[0].clone(), vec![]]);
    assert_eq!(goes_on_for(usize::MAX), all);
}
