//! Kinds of models that sets of states are good at, or could get wrong: each engine says what
//! trying every valuation says, or, where there are too many, what can be counted by hand.

use fastrand::Rng;
use trapline_engine::{
    Budget, ENGINES, Engine, Finding, Outcome, Proof, Start, Verdict, Why, bdd, explicit,
};
use trapline_model::goal::{Judge, Target};
use trapline_model::replay::replay;
use trapline_model::{ExprId, Model};

use trapline_testkit::read;
use trapline_testkit::truth::{Truth, given_states};

/// Targets of all kinds: the states, the steps, and all sequences of two and three steps.
fn targets(states: &[ExprId], steps: &[ExprId]) -> Vec<Target> {
    let mut targets: Vec<Target> = states.iter().map(|&expr| Target::State(expr)).collect();
    for &a in steps {
        targets.push(Target::Step(a));
        for &b in steps {
            targets.push(Target::Steps(vec![a, b]));
            targets.extend(steps.iter().map(|&c| Target::Steps(vec![a, b, c])));
        }
    }
    targets
}

/// Compares all engines with the truth, from the initial states and from others.
fn check(text: &str, states: &[&str], steps: &[&str]) {
    let (model, exprs) = read(text, &[states, steps].concat());
    let targets = targets(&exprs[..states.len()], &exprs[states.len()..]);
    let mut rng = Rng::with_seed(text.len() as u64);
    let [one, some, all] =
        [1, 3, usize::MAX].map(|n| Start::States(given_states(&model, &mut rng, n)));
    for start in [Start::Initial, one, some, all, Start::States(Vec::new())] {
        let truth = Truth::new(&model, &start);
        for engine in ENGINES {
            let what = format!("{} from {start:?}\n{text}", engine.name);
            let reached = (engine.reach)(&model, &targets, &start, &Budget::unlimited());
            truth.check(&targets, &reached, &what);
            check_projection(engine, &truth, (&model, &exprs, &start), &what);
            check_projection(engine, &truth, (&model, &exprs[..states.len()], &start), &what);
        }
    }
}

fn check_projection(
    engine: &Engine,
    truth: &Truth,
    (model, exprs, start): (&Model, &[ExprId], &Start),
    what: &str,
) {
    let projected = (engine.project)(model, exprs, start, &Budget::unlimited());
    if truth.has_failure() && projected.incomplete.is_some() {
        return;
    }
    assert_eq!(projected.incomplete, None, "{what}");
    let row = |p: &trapline_engine::Projection| (p.values.clone(), p.trace.states.len() - 1);
    let found = projected.values.iter().map(row).collect();
    assert_eq!(truth.projection(exprs), found, "{what}");
    projected.values.iter().for_each(|p| truth.check_trace(&p.trace, what));
}

/// The number of all reachable states of a model whose variables all matter.
fn n_states(engine: &Engine, model: &Model, never: ExprId) -> u128 {
    let targets = [Target::State(never)];
    let reached = (engine.reach)(model, &targets, &Start::Initial, &Budget::unlimited());
    match &reached.verdicts[0] {
        Verdict::Unreachable(Proof::AllStates { n_states }) => *n_states,
        verdict => panic!("{}: {verdict:?}", engine.name),
    }
}

#[test]
fn enumerations_with_gaps() {
    let text = "MODULE main VAR x : {0, 2, 7, a, b}; y : {-3, 9, 4, 5}; z : {a, 7}; IVAR i : {0, 7, b, -1};
        ASSIGN init(x) := {0, b}; init(y) := 4;
        next(x) := case x = 0 : {2, 7}; x = b : z; i = b : i; TRUE : x; esac;
        next(y) := case y = 4 : {9, -3, 5}; i = -1 & y > 0 : -y + 6; TRUE : y; esac;
        TRANS y = 9 -> next(y) in {9, -3}";
    check(
        text,
        &["x = a & y = 9", "x = 2", "y + 3 = 0 & x = 7", "z = a"],
        &["i = b", "i = 0", "next(x) = x & y < next(y)"],
    );
    // The least and the greatest value are allowed, those between are not.
    for rule in ["next(x) := 0..2", "next(x) := {0, 2}", "init(x) := 0..2", "next(x) := x + 2"] {
        let text = format!("MODULE main VAR x : {{0, 2, 7}}; ASSIGN {rule};");
        check(&text, &["x = 2", "x = 7 & FALSE"], &["next(x) = 2"]);
    }
}

#[test]
fn ranges_below_zero() {
    let text = "MODULE main VAR x : -5..-2; y : -3..4; w : signed word[3]; IVAR i : -2..1;
        ASSIGN init(x) := -3; init(w) := 0sd3_0;
        next(x) := case x + i < -5 : -2; x + i > -2 : -5; TRUE : x + i; esac;
        next(y) := case y * i > 4 | y * i < -3 : 0; TRUE : y * i; esac;
        next(w) := i < 0 ? w - 0sd3_1 : w;";
    let steps = ["i = -2", "next(y) < y & i = 1", "next(x) - x = 3"];
    check(text, &["x = -5 & y = 4", "w < -0sd3_2", "x + y = -8 & w = 0sd3_3", "y > 4"], &steps);
}

#[test]
fn frozen_variables() {
    let text = "MODULE main FROZENVAR f : 0..3; g : {p, q, r}; h : boolean; VAR x : 0..3; IVAR i : boolean;
        INIT f != 2 INVAR h -> g != p TRANS g = q -> next(x) >= x
        ASSIGN init(x) := 0; next(x) := case x = f : 0; i & x < 3 : x + 1; TRUE : x; esac;";
    let steps = ["i & g = q", "next(x) < x", "next(f) = f & h", "next(g) != g"];
    check(text, &["x = 3", "f = 2", "x = 3 & g = q & h", "h & g = p", "x = 1 & f = 0"], &steps);
    check("MODULE main FROZENVAR f : 0..4; INIT f > 2", &["f = 3", "f = 1"], &["next(f) = 4"]);
}

/// Inputs that one rule reads, that several read, that only the target reads, and nothing.
#[test]
fn inputs_of_some_parts() {
    let text = "MODULE main IVAR i : 0..4; j : {p, q, r}; k : boolean; l : 0..5; VAR x : 0..2; y : {p, q, r}; b : boolean;
        ASSIGN init(x) := 0; next(x) := i < 3 ? i : x; next(y) := {y} union j; next(b) := k & i > 1;
        INIT y = p TRANS j != q | k TRANS j = r -> x = 2";
    let steps = ["j = q", "l = 5 & j = p", "i = 4 & next(b)", "k & next(y) = r & y = p"];
    check(text, &["y = q", "y = r & b", "x = 1 & b", "y = r & x = 0"], &steps);
    check(text, &["y = q"], &["next(x) > x", "next(y) != y", "next(b) & !b"]);
    check(text, &["b & x = 0", "TRUE"], &["l in {2, 3}", "l = x & k"]);
}

#[test]
fn models_that_start_nowhere_or_end() {
    check("MODULE main VAR x : 0..3; INIT x > 3", &["x = 0", "TRUE"], &["TRUE", "next(x) = x"]);
    check("MODULE main VAR x : 0..3; INVAR x > 3", &["x = 0"], &["TRUE"]);
    check("MODULE main VAR x : 0..3; TRANS FALSE", &["x = 3", "x > 3"], &["TRUE"]);
    check("MODULE main VAR x : 0..3; IVAR i : 0..2; TRANS i > 2", &["x = 3"], &["TRUE", "i = 1"]);
    let text = "MODULE main VAR x : 0..6; b : boolean; INIT x = 0 & !b TRANS x < 5 & next(x) = x + 1 + toint(b)
        TRANS x = 3 -> b INVAR x = 2 -> !b";
    check(text, &["x = 5", "x = 6", "x = 2 & b", "x = 6 & b"], &["b", "next(b) & !b", "x = 4"]);
}

#[test]
fn dead_ends_are_found_and_counted() {
    let text =
        "MODULE main VAR x : 0..6; y : boolean; INIT x = 0 TRANS x < 5 & next(x) in {x + 1, x + 2}
        INVARSPEC x < 6; CTLSPEC AG x < 6; CTLSPEC EF x = 6; LTLSPEC F x = 6; CTLSPEC EG y";
    let (model, _) = read(text, &[]);
    let properties: Vec<usize> = (0..model.properties.len()).collect();
    let expected = (explicit::ENGINE.check)(&model, &properties, &Budget::unlimited());
    let dead_end = |findings: &[Finding]| {
        let ends = findings.iter().filter_map(|finding| match finding {
            Finding::DeadEnd { trace, n_states } => Some((trace.states.len(), *n_states)),
            _ => None,
        });
        ends.collect::<Vec<_>>()
    };
    assert!(!dead_end(&expected.findings).is_empty());
    // A SAT solver finds paths; that there is none from a state is not for it to say.
    for engine in ENGINES.iter().filter(|engine| !engine.name.starts_with("sat")) {
        let checked = (engine.check)(&model, &properties, &Budget::unlimited());
        assert_eq!(dead_end(&checked.findings), dead_end(&expected.findings), "{}", engine.name);
        let kinds =
            |outcomes: &[Outcome]| outcomes.iter().map(std::mem::discriminant).collect::<Vec<_>>();
        assert_eq!(kinds(&checked.outcomes), kinds(&expected.outcomes), "{}", engine.name);
    }
}

#[test]
fn a_step_that_fails_meets_no_target() {
    let text = "MODULE main VAR x : 0..1; y : boolean; ASSIGN init(x) := 0; next(x) := x + 2;";
    check(text, &["x = 0", "x = 1"], &["next(x) = 1", "x = 0", "next(y)"]);
    let text = "MODULE main VAR x : 0..1; IVAR i : 0..2; ASSIGN init(x) := 0; next(x) := x + i;
        TRANS i = 2 -> x = 1";
    check(text, &["x = 1"], &["i = 2", "next(x) = x", "i = 0 & x = 1"]);
}

/// What fails, where, and after how many steps is the same for all engines.
#[test]
fn failures_are_those_of_the_explicit_engine() {
    let mut n_failures = 0;
    for rules in [
        "init(x) := 0; next(x) := 6 / (3 - x);",
        "init(x) := 0; next(x) := x + 1;",
        "init(x) := 0; next(x) := case x < 3 : x + 1; esac;",
        "init(x) := 0; next(x) := case x < 2 : x + 1; TRUE : {x, 5}; esac;",
        "init(x) := 1 / a[1];",
        "init(x) := 0; next(x) := x < 3 ? (x + 1) : (1 / (x - 3));",
        // These can't be reached.
        "init(x) := 0; next(x) := x < 2 ? x + 1 : x = 3 ? 9 : 0;",
        "init(x) := 0; next(x) := case x < 2 : 1 - x; esac;",
        "init(x) := 0; next(x) := 2 / (2 + x) + a[x];",
        "init(x) := 0; next(x) := a[x + 1] + 1;",
        "init(x) := 0; next(x) := i = 5 ? x : i = 4 ? 9 : x;",
        "init(x) := 0; next(x) := i = 5 ? x : 4 / i;",
    ] {
        let text = format!(
            "MODULE main VAR x : 0..3; a : array 0..3 of 0..1; IVAR i : 0..4;
            ASSIGN init(a[0]) := 0; next(a[0]) := 0; {rules}
            INVARSPEC x < 4; INVARSPEC 3 / (3 - x) > 0; CTLSPEC AG 1 / (x - 1) < 7; LTLSPEC G 2 / (2 - x) < 7"
        );
        let (model, exprs) = read(&text, &["x = 0 & FALSE", "x = 0"]);
        let targets = [Target::State(exprs[0]), Target::State(exprs[1])];
        let failure = |why: &Why| match why {
            Why::Failure { failure, span, trace } => (*failure, *span, trace.states.len()),
            why => panic!("{why:?}\n{text}"),
        };
        let answers = |engine: &Engine| {
            let reached = (engine.reach)(&model, &targets, &Start::Initial, &Budget::unlimited());
            let mut all: Vec<_> = reached
                .verdicts
                .iter()
                .map(|verdict| match verdict {
                    Verdict::Unknown(why) => Some(failure(why)),
                    _ => None,
                })
                .collect();
            let properties: Vec<usize> = (0..model.properties.len()).collect();
            let checked = (engine.check)(&model, &properties, &Budget::unlimited());
            all.extend(checked.outcomes.iter().map(|outcome| match outcome {
                Outcome::Unknown(why) => Some(failure(why)),
                _ => None,
            }));
            all
        };
        let expected = answers(&explicit::ENGINE);
        n_failures += expected.iter().flatten().count();
        for engine in ENGINES {
            assert_eq!(answers(engine), expected, "{}\n{text}", engine.name);
        }
    }
    assert!(n_failures > 20, "only {n_failures} failures");
}

/// Independent counters: the number of states is the product, the depth the greatest.
#[test]
fn very_many_states_are_counted_exactly() {
    let sizes = [7u128, 10, 6, 9, 5, 12, 3, 11, 2, 8, 13, 4, 9, 10, 7, 6, 10, 5];
    let mut text = String::from("MODULE main\n");
    let mut sum = vec![];
    for (n, size) in sizes.iter().enumerate() {
        text += &format!("VAR x{n} : 0..{}; IVAR i{n} : boolean;\n", size - 1);
        text += &format!(
            "ASSIGN init(x{n}) := 0; next(x{n}) := i{n} ? (x{n} + 1) mod {size} : x{n};\n"
        );
        sum.push(format!("x{n} < {size}"));
    }
    let all = sum.join(" & ");
    let last: Vec<String> =
        sizes.iter().enumerate().map(|(n, size)| format!("x{n} = {}", size - 1)).collect();
    let last = last.join(" & ");
    let (model, exprs) = read(&text, &[&format!("!({all})"), &last]);
    let product: u128 = sizes.iter().product();
    assert!(product > 1_000_000_000_000_000);
    assert_eq!(n_states(&bdd::ENGINE, &model, exprs[0]), product);
    let targets = [Target::State(exprs[1])];
    let reached = (bdd::ENGINE.reach)(&model, &targets, &Start::Initial, &Budget::unlimited());
    assert_eq!(reached.verdicts, [Verdict::Reached { trace: 0, state: 12 }]);
    assert_eq!(replay(&model, &reached.traces[0]), Ok(()));
    assert_eq!(Judge::new(&model, &targets).met(&reached.traces[0]), [Some(12)]);
}

#[test]
fn a_word_of_64_bits_has_all_its_values() {
    let text = "MODULE main VAR w : unsigned word[64]; b : boolean; IVAR i : unsigned word[64];
        ASSIGN init(w) := 0ud64_0; init(b) := FALSE; next(w) := w xor i; next(b) := w[63:63] = 0ub1_1;";
    let (model, exprs) = read(
        text,
        &["w = 0ud64_18446744073709551615 & b", "w != w | b != b", "w = 0ud64_3 & FALSE"],
    );
    let targets: Vec<Target> = exprs.iter().map(|&expr| Target::State(expr)).collect();
    let reached = (bdd::ENGINE.reach)(&model, &targets[..2], &Start::Initial, &Budget::unlimited());
    assert!(
        matches!(reached.verdicts[0], Verdict::Reached { state: 2, .. }),
        "{:?}",
        reached.verdicts
    );
    assert_eq!(reached.verdicts[1], Verdict::Unreachable(Proof::AllStates { n_states: 1 << 65 }));
    assert_eq!(replay(&model, &reached.traces[0]), Ok(()));
}

/// The product of two numbers is large in every order: nodes are freed and variables moved.
#[test]
fn a_diagram_that_is_large_in_every_order_changes_no_verdict() {
    let text = "MODULE main FROZENVAR a : unsigned word[7]; b : unsigned word[7]; VAR p : unsigned word[14];
        ASSIGN init(p) := 0ud14_0; next(p) := extend(a, 7) * extend(b, 7);";
    let products: std::collections::BTreeSet<u32> =
        (0..128).flat_map(|a| (0..128).map(move |b| a * b)).collect();
    let wanted: Vec<u32> = (0..16384).step_by(331).chain([131, 16129, 16002, 1, 15625]).collect();
    let texts: Vec<String> = wanted.iter().map(|p| format!("p = 0ud14_{p}")).collect();
    let (model, exprs) = read(text, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let targets: Vec<Target> = exprs.iter().map(|&expr| Target::State(expr)).collect();
    let reached = (bdd::ENGINE.reach)(&model, &targets, &Start::Initial, &Budget::unlimited());
    let judge = Judge::new(&model, &targets);
    // With p = 0 every pair is there once; of the others those that are not 0.
    let n_states = 16384 + 127 * 127;
    for (idx, (verdict, wanted)) in reached.verdicts.iter().zip(&wanted).enumerate() {
        match verdict {
            Verdict::Reached { trace, state } => {
                assert!(products.contains(wanted), "{wanted}");
                assert_eq!(*state, usize::from(*wanted > 0));
                assert_eq!(replay(&model, &reached.traces[*trace]), Ok(()));
                assert_eq!(judge.met(&reached.traces[*trace])[idx], Some(*state));
            }
            verdict => {
                assert!(!products.contains(wanted), "{wanted}");
                let Verdict::Unreachable(proof) = verdict else { panic!("{verdict:?}") };
                let is_back = matches!(proof, Proof::Backward { .. });
                assert!(is_back || *proof == Proof::AllStates { n_states }, "{proof:?}");
            }
        }
    }
}

/// A loop may be far from the start, and before it no state comes again.
#[test]
fn loops_far_from_the_start_are_found() {
    let text = "MODULE main VAR x : 0..60; b : boolean;
        ASSIGN init(x) := 0; next(x) := case x < 40 : x + 1; x = 40 : 41; TRUE : 40; esac;
        JUSTICE b
        CTLSPEC AF x > 50; CTLSPEC !EG x <= 41; LTLSPEC F x > 50; LTLSPEC G F x = 0;
        LTLSPEC G F (x = 41 & b) -> F x = 59;";
    for text in [text, &text.replace("JUSTICE b", "COMPASSION (x > 3, b)")] {
        let (model, _) = read(text, &[]);
        let properties: Vec<usize> = (0..model.properties.len()).collect();
        for engine in ENGINES {
            let checked = (engine.check)(&model, &properties, &Budget::unlimited());
            for outcome in &checked.outcomes {
                if matches!(outcome, Outcome::Unknown(Why::Unsupported(_))) {
                    assert!(engine.name.starts_with("sat"), "{}: {outcome:?}", engine.name);
                    continue;
                }
                let Outcome::False(trace) = outcome else {
                    panic!("{}: {outcome:?}", engine.name);
                };
                assert_eq!(replay(&model, trace), Ok(()), "{}", engine.name);
                let start = trace.loop_start.expect("a path that never ends");
                assert!(start >= 40 && trace.states.len() > start, "{}: {start}", engine.name);
            }
        }
    }
}

/// What is far away forward may be near backward: a counter that goes on for long, beside a
/// machine of five modes whose reachable ones are known.
#[test]
fn a_search_back_says_what_a_search_forward_would() {
    let mut n_back = 0;
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let next: Vec<Vec<usize>> =
            (0..5).map(|_| (0..rng.usize(1..3)).map(|_| rng.usize(0..5)).collect()).collect();
        let mut reachable = vec![0];
        let mut at = 0;
        while let Some(&mode) = reachable.get(at) {
            reachable.extend(
                next[mode]
                    .iter()
                    .filter(|mode| !reachable.contains(mode))
                    .copied()
                    .collect::<std::collections::BTreeSet<_>>(),
            );
            at += 1;
        }
        let rules: Vec<String> = next
            .iter()
            .enumerate()
            .map(|(mode, next)| {
                format!("mode = {mode} : {next:?};")
                    .replace(['[', ']'], "")
                    .replace(": ", ": {")
                    .replace(';', "};")
            })
            .collect();
        let text = format!(
            "MODULE main VAR n : 0..4000000; mode : 0..4;
             ASSIGN init(n) := 0; next(n) := n = 4000000 ? 0 : n + 1;
             init(mode) := 0; next(mode) := case {} esac;",
            rules.join(" ")
        );
        for mode in 0..5 {
            let goals = [format!("mode = {mode} & n != 3"), format!("mode = {mode} & n > 5000000")];
            let (model, exprs) = read(&text, &[&goals[0], &goals[1]]);
            let targets = [Target::State(exprs[0]), Target::Step(exprs[1])];
            let reached =
                (bdd::ENGINE.reach)(&model, &targets, &Start::Initial, &Budget::unlimited());
            if !reachable.contains(&mode) {
                n_back += 1;
                for verdict in &reached.verdicts {
                    assert!(
                        matches!(verdict, Verdict::Unreachable(Proof::Backward { .. })),
                        "{verdict:?}\n{text}"
                    );
                }
                continue;
            }
            let Verdict::Reached { trace, .. } = reached.verdicts[0] else {
                panic!("{reached:?}\n{text}")
            };
            assert_eq!(replay(&model, &reached.traces[trace]), Ok(()));
        }
    }
    assert!(n_back > 5, "{n_back}");
}
