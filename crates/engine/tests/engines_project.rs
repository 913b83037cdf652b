//! Projections: the combinations of values are those that trying every valuation finds, each with
//! a shortest trace that shows it.

use std::collections::BTreeMap;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Engine, Start, Why};
use trapline_model::eval::Plan;
use trapline_model::{ExprId, Model, Reads as ExprReads};

use trapline_testkit::random::{Options, Reads, random_model};
use trapline_testkit::read;
use trapline_testkit::truth::{Truth, given_states, values};

/// Compares the projections of all engines, and returns how many combinations there are.
fn check(model: &Model, exprs: &[ExprId], start: &Start, what: &str) -> usize {
    let truth = Truth::new(model, start);
    let found = ENGINES.iter().map(|engine| {
        let what = format!("{} from {start:?}: {what}", engine.name);
        check_one(engine, &truth, (model, exprs, start), &what)
    });
    found.min().unwrap_or(0)
}

fn check_one(
    engine: &Engine,
    truth: &Truth,
    (model, exprs, start): (&Model, &[ExprId], &Start),
    what: &str,
) -> usize {
    let projected = (engine.project)(model, exprs, start, &Budget::unlimited());
    let found: BTreeMap<_, usize> = projected
        .values
        .iter()
        .map(|projection| (projection.values.clone(), projection.trace.states.len() - 1))
        .collect();
    assert_eq!(found.len(), projected.values.len(), "none comes twice\n{what}");
    let expected = truth.projection(exprs);
    match &projected.incomplete {
        None => assert_eq!(found, expected, "{what}"),
        // What was found before something failed is right.
        Some(Why::Failure { .. } | Why::Unsupported(_)) if truth.has_failure() => {
            let is_right = |(row, length): (&_, &_)| expected.get(row) == Some(length);
            assert!(found.iter().all(is_right), "{found:?}, not {expected:?}\n{what}");
        }
        Some(why) => panic!("{why:?}\n{what}"),
    }
    let plan = Plan::new(model, exprs);
    let step = ExprReads::NEXT.and(ExprReads::INPUT);
    let is_step = exprs.iter().any(|expr| model.exprs.info(*expr).reads.any(step));
    for projection in &projected.values {
        truth.check_trace(&projection.trace, what);
        let states: Vec<_> = projection.trace.states.iter().rev().take(2).collect();
        let shown = match (is_step, states.as_slice()) {
            (true, [next, current]) => values(&plan, &current.values, &next.values),
            (true, _) => panic!("a step has two states\n{what}"),
            (false, states) => values(&plan, &states[0].values, &[]),
        };
        assert_eq!(shown, projection.values, "{what}");
    }
    found.len()
}

fn check_models(seeds: std::ops::Range<u64>, is_wild: bool) -> usize {
    let mut n_found = 0;
    for seed in seeds {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild, max_states: 24 });
        let texts: Vec<String> = (0..6)
            .map(|idx| sketch.boolean(&mut rng, if idx < 3 { Reads::STATE } else { Reads::STEP }))
            .collect();
        let what = format!("seed {seed}: {texts:?}\n{}", sketch.text);
        let (mut model, mut exprs) =
            read(&sketch.text, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        // Variables have more values than conditions.
        let vars: Vec<_> = model.var_ids().map(|(id, _)| id).take(4).collect();
        exprs.extend(vars.into_iter().map(|var| model.var_expr(var)));
        let n_given = rng.usize(..3);
        let given = Start::States(given_states(&model, &mut rng, n_given));
        for start in [Start::Initial, given] {
            n_found += check(&model, &exprs[..3], &start, &what);
            n_found += check(&model, &exprs[3..6], &start, &what);
            n_found += check(&model, &exprs[2..4], &start, &what);
            n_found += check(&model, &exprs[6..], &start, &what);
            n_found += check(&model, &[exprs[1], exprs[5], exprs[6]], &start, &what);
        }
    }
    n_found
}

#[test]
fn projections_are_what_the_model_allows() {
    let n_found = check_models(0..150, false);
    assert!(n_found > 2000, "only {n_found} combinations");
}

#[test]
fn expressions_without_value_have_a_place_in_the_projection() {
    let n_found = check_models(5000..5100, true);
    assert!(n_found > 1000, "only {n_found} combinations");
}

#[test]
fn an_input_is_projected_with_all_its_values() {
    let text = "MODULE main IVAR i : -1..3; j : boolean; VAR x : 0..2;
        ASSIGN init(x) := 0; next(x) := i > 1 & x < 2 ? x + 1 : x;
        DEFINE d := i; e := j; f := i * x; g := next(x); h := x / i;";
    let (model, _) = read(text, &[]);
    let exprs: Vec<ExprId> = model.defines.iter().map(|define| define.body.expr).collect();
    assert_eq!(check(&model, &exprs[..1], &Start::Initial, text), 5);
    assert_eq!(check(&model, &exprs[1..2], &Start::Initial, text), 2);
    assert_eq!(check(&model, &exprs[..2], &Start::Initial, text), 10);
    for (first, last) in (0..5).flat_map(|first| (first..5).map(move |last| (first, last))) {
        check(&model, &exprs[first..=last], &Start::Initial, text);
    }
}

#[test]
fn nothing_is_projected_from_nowhere() {
    let (model, exprs) = read("MODULE main VAR x : 0..3; INIT x > 3", &["x = 1"]);
    assert_eq!(check(&model, &exprs, &Start::Initial, "no initial state"), 0);
    assert_eq!(check(&model, &exprs, &Start::States(Vec::new()), "no given state"), 0);
    let (model, exprs) = read("MODULE main VAR x : 0..3; TRANS FALSE", &["x = 1", "next(x) = x"]);
    assert_eq!(check(&model, &exprs[..1], &Start::Initial, "no step"), 2);
    assert_eq!(check(&model, &exprs, &Start::Initial, "no step"), 0);
}
