//! Laws of criteria: what implies what, and what always holds.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, ENGINES, Limits};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::decision::Decision;
use trapline_goals::mutate::{OPERATORS, mutants};
use trapline_goals::pairs::Point;
use trapline_goals::traps::Trap;
use trapline_goals::{
    Builder, CRITERIA, Goal, GoalKind, GoalSet, Options, Pair, Reading, derive, reflect,
};
use trapline_model::eval::evaluate;
use trapline_model::trace::Trace;
use trapline_model::{ExprId, Model, Scope, Value};

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{self, random_model};
use trapline_testkit::read;
use trapline_testkit::score::{makeable, reached};

const N_MODELS: usize = 50;
const MAX_STATES: usize = 24;

fn model(rng: &mut Rng) -> (Model, String) {
    let options = random::Options { is_wild: false, max_states: MAX_STATES };
    let sketch = random_model(rng, options);
    (read(&sketch.text, &[]).0, sketch.text)
}

/// A model with decisions of several conditions, some of which depend on each other.
fn decisive(rng: &mut Rng) -> (Model, String) {
    let leaves = ["a", "b", "t", "n = 1", "n < 2", "n >= 1", "s = p", "s in {p, q}", "s != r"];
    let mut formula = || {
        let mut text = (*rng.choice(&leaves).expect("there are some")).to_string();
        for _ in 0..rng.usize(1..4) {
            let leaf = rng.choice(&leaves).expect("there are some");
            let leaf = if rng.bool() { format!("!({leaf})") } else { (*leaf).to_string() };
            let op = rng.choice(["&", "&", "|", "|", "->", "xor"]).expect("there are some");
            text = match rng.bool() {
                true => format!("({text}) {op} {leaf}"),
                false => format!("{leaf} {op} ({text})"),
            };
        }
        text
    };
    let text = format!(
        "MODULE main\nIVAR a : boolean; b : boolean;\nVAR n : 0..3; s : {{p, q, r}}; t : boolean;\n\
         ASSIGN init(n) := 0; next(n) := case {} : (n + 1) mod 4; TRUE : n; esac;\n\
         init(s) := p; next(s) := case {} : q; {} : r; TRUE : p; esac;\n\
         next(t) := {};\n",
        formula(),
        formula(),
        formula(),
        formula()
    );
    (read(&text, &[]).0, text)
}

#[test]
fn the_unmutated_reflection_is_true() {
    let mut rng = Rng::with_seed(11);
    let mut n_claims = 0;
    for _ in 0..N_MODELS {
        let (model, text) = model(&mut rng);
        let options = Options::default();
        let mut builder = Builder::new(model, &options);
        let reflected = reflect::reflect(&mut builder);
        let goals = reflected.iter().map(|one| {
            let Trap { kind, expr } = one.claim;
            let target = GoalKind::Trap(kind, expr);
            let (id, span) = (one.text.clone(), Default::default());
            Goal {
                id,
                criterion: "reflected".into(),
                text: String::new(),
                span,
                kind: target,
                is_property: false,
            }
        });
        let goals: Vec<Goal> = goals.collect();
        let set = GoalSet {
            model: builder.model,
            goals,
            points: Vec::new(),
            mutants: Vec::new(),
            faults: Vec::new(),
            notices: Vec::new(),
        };
        for (goal, verdict) in
            set.goals.iter().zip(decide(&set, &ENGINES[0], &Budget::unlimited()).verdicts)
        {
            assert!(matches!(verdict, Verdict::Infeasible(_)), "{} {verdict:?}\n{text}", goal.id);
            n_claims += 1;
        }
    }
    assert!(n_claims > 200);
}

/// All steps that can be reached, and all states.
fn everything(model: &Model) -> (BTreeSet<Values>, BTreeSet<Values>, BTreeSet<(Values, Values)>) {
    let explorer = Explorer::new(model);
    let initial = explorer.initial().allowed;
    let (mut states, mut steps) = (initial.clone(), BTreeSet::new());
    let mut open: Vec<Values> = initial.iter().cloned().collect();
    while let Some(state) = open.pop() {
        for (from, to) in explorer.successors(&state).allowed {
            if states.insert(to.clone()) {
                open.push(to.clone());
            }
            steps.insert((from, to));
        }
    }
    (initial, states, steps)
}

/// The truth assignments to the conditions of a decision that can be met, tried one by one.
fn assignments(model: &Model, scope: Scope, reach: ExprId, decision: &Decision) -> BTreeSet<u64> {
    let (initial, states, steps) = everything(model);
    let holds = |expr: ExprId, from: &Values, to: &[Option<Value>]| {
        evaluate(model, expr, from, to).as_bool() == Some(true)
    };
    let bits = |from: &Values, to: &[Option<Value>]| {
        let conditions = decision.conditions.iter().enumerate();
        conditions.map(|(idx, c)| u64::from(holds(c.expr, from, to)) << idx).sum::<u64>()
    };
    let plain = |states: &BTreeSet<Values>| {
        let reached = states.iter().filter(|state| holds(reach, state, &[]));
        reached.map(|state| bits(state, &[])).collect()
    };
    let reads = [reach].into_iter().chain(decision.conditions.iter().map(|c| c.expr));
    let of_steps = trapline_model::Reads::STEP;
    let is_step = reads.map(|expr| model.exprs.info(expr).reads).any(|reads| reads.any(of_steps));
    match scope {
        Scope::Init => plain(&initial),
        Scope::State if !is_step => plain(&states),
        Scope::State | Scope::Step => {
            let reached = steps.iter().filter(|(from, to)| holds(reach, from, to));
            reached.map(|(from, to)| bits(from, to)).collect()
        }
    }
}

/// Is there a pair, by definition? How many other conditions must change at least?
fn least_change(decision: &Decision, met: &BTreeSet<u64>, condition: usize) -> Option<u32> {
    let decides = |bits: u64| decision.value(bits) != decision.value(bits ^ 1 << condition);
    let mut least = None;
    for &a in met {
        for &b in met {
            let is_pair = (a ^ b) >> condition & 1 == 1
                && decision.value(a) != decision.value(b)
                && decides(a)
                && decides(b);
            let others = (a ^ b).count_ones().saturating_sub(1);
            if is_pair && least.is_none_or(|known| others < known) {
                least = Some(others);
            }
        }
    }
    least
}

#[test]
fn pairs_are_found_where_trying_everything_finds_them() {
    let mut rng = Rng::with_seed(12);
    let (mut n_covered, mut n_infeasible, mut n_coupled) = (0, 0, 0);
    for idx in 0..N_MODELS {
        let (model, text) = if idx % 2 == 0 { model(&mut rng) } else { decisive(&mut rng) };
        let names = ["mcdc-unique", "mcdc-masking", "mcdc-coupled"];
        let set = derive(&model, &names, &Options::default());
        let options = Options::default();
        let builder = Builder::new(model.clone(), &options);
        let places: Vec<_> = builder
            .places
            .iter()
            .filter(|place| !builder.decision(place).conditions.is_empty())
            .collect();
        let decided = decide(&set, &ENGINES[0], &Budget::unlimited());
        for (goal, verdict) in set.goals.iter().zip(&decided.verdicts) {
            let GoalKind::Pair(Pair { decision, condition, reading }) = goal.kind else {
                panic!("all of them are pairs")
            };
            let point = &set.points[decision];
            let reach = places[decision].reach;
            let met = assignments(&builder.model, point.scope, reach, &point.decision);
            let least = least_change(&point.decision, &met, condition);
            let expected = match reading {
                Reading::Unique => least == Some(0),
                Reading::Coupled | Reading::Masking => least.is_some(),
            };
            let is_covered = matches!(verdict, Verdict::Covered(_));
            assert_eq!(is_covered, expected, "{} {verdict:?}\n{text}", goal.id);
            if let (Verdict::Covered(shown), Reading::Coupled) = (verdict, reading) {
                let shown: Vec<usize> = shown.iter().filter_map(|one| one.evaluation).collect();
                assert_eq!(point.distance(condition, shown[0], shown[1]), least, "{}", goal.id);
                n_coupled += usize::from(least > Some(0));
            }
            n_covered += usize::from(is_covered);
            n_infeasible += usize::from(matches!(verdict, Verdict::Infeasible(_)));
        }
    }
    assert!(
        n_covered > 50 && n_infeasible > 50 && n_coupled > 0,
        "{n_covered} {n_infeasible} {n_coupled}"
    );
}

/// A few random walks.
fn suite(model: &Model, rng: &mut Rng) -> Vec<Trace> {
    let simulator = Simulator::new(model);
    let budget = Budget::unlimited();
    let mut traces = Vec::new();
    for _ in 0..rng.usize(1..6) {
        let mut trace = Trace::default();
        for _ in 0..rng.usize(1..12) {
            let choice = match trace.states.last() {
                None => simulator.initial(&[], rng, &budget),
                Some(last) => simulator.step(&last.clone(), &[], rng, &budget),
            };
            let Ok(Some(choice)) = choice else { break };
            if let (Some(from), Some(last)) = (choice.from, trace.states.last_mut()) {
                *last = from;
            }
            trace.states.push(choice.state);
        }
        if !trace.states.is_empty() {
            traces.push(trace);
        }
    }
    traces
}

#[test]
fn every_reading_of_mcdc_implies_the_weaker_ones_and_these_imply_ufp() {
    let mut rng = Rng::with_seed(13);
    let mut n_held = [0; 4];
    for _ in 0..2 * N_MODELS {
        let (model, text) = decisive(&mut rng);
        let names = ["mcdc-unique", "mcdc-coupled", "mcdc-masking", "ufp"];
        let set = derive(&model, &names, &Options::default());
        let all = makeable(&set, &ENGINES[0], &Budget::unlimited());
        let traces = suite(&model, &mut rng);
        let reached = reached(&set, &all, &traces);
        let is_met = |criterion: &str, key: &str| {
            let id = format!("{criterion}:{key}");
            let idx = set.goals.iter().position(|goal| goal.id == id);
            idx.and_then(|idx| reached[idx]) == Some(true)
        };
        for goal in set.goals.iter().filter(|goal| goal.criterion == "mcdc-unique") {
            let key = goal.id.trim_start_matches("mcdc-unique:");
            let both =
                ["true", "false"].iter().all(|value| is_met("ufp", &format!("{key}:{value}")));
            let held = [
                is_met("mcdc-unique", key),
                is_met("mcdc-coupled", key),
                is_met("mcdc-masking", key),
                both,
            ];
            for pair in held.windows(2) {
                assert!(!pair[0] || pair[1], "{key} {held:?}\n{text}");
            }
            for (count, held) in n_held.iter_mut().zip(held) {
                *count += usize::from(held);
            }
        }
    }
    assert!(n_held[0] > 10 && n_held[0] < n_held[2] && n_held[2] < n_held[3], "{n_held:?}");
}

/// The values of the decision `d` under each stuck-at mutant, and the two goals of each condition,
/// for every assignment to `a`, `b`, `c`.
struct Table {
    mutants: Vec<[bool; 8]>,
    ufp: Vec<[bool; 8]>,
}

fn table(formula: &str) -> Table {
    let text = format!(
        "MODULE main\nIVAR a : boolean; b : boolean; c : boolean;\nDEFINE d := {formula};\n"
    );
    let (model, _) = read(&text, &[]);
    let options = Options::default();
    let mut builder = Builder::new(model, &options);
    let stuck_at = OPERATORS.iter().position(|operator| operator.name == "stuck-at");
    let found = mutants(&mut builder, &[stuck_at.expect("it is an operator")]);
    let ufp: Vec<ExprId> = derive(&builder.model.clone(), &["ufp"], &options)
        .goals
        .iter()
        .map(|goal| match goal.kind {
            GoalKind::Step(expr) => expr,
            _ => panic!("inputs are read in steps"),
        })
        .collect();
    let model = derive(&builder.model, &["ufp"], &options).model;
    let whole = model.defines[0].body.expr;
    let values = |expr: ExprId| {
        std::array::from_fn(|bits| {
            let current: Values =
                (0..3).map(|var| Some(Value::Bool(bits >> var & 1 == 1))).collect();
            evaluate(&model, expr, &current, &[]).as_bool().expect("it is Boolean")
        })
    };
    let original: [bool; 8] = values(whole);
    let killed = found.list.iter().map(|mutant| {
        let mutated: [bool; 8] = values(mutant.root);
        std::array::from_fn(|bits| mutated[bits] != original[bits])
    });
    Table { mutants: killed.collect(), ufp: ufp.into_iter().map(values).collect() }
}

/// Is every goal that can be met at all met by one of these assignments?
fn is_adequate(goals: &[[bool; 8]], suite: u32) -> bool {
    goals.iter().all(|goal| {
        let met = |bits: usize| goal[bits];
        !(0..8).any(met) || (0..8).any(|bits| suite >> bits & 1 == 1 && met(bits))
    })
}

#[test]
fn stuck_at_implies_ufp_where_no_condition_stands_twice() {
    let ops = ["&", "|", "->", "<->", "xor"];
    let literals = |name: &str| [name.to_string(), format!("!{name}")];
    let mut n_formulas = 0;
    for first in ops {
        for second in ops {
            for a in literals("a") {
                for b in literals("b") {
                    for formula in [
                        format!("({a} {first} {b}) {second} c"),
                        format!("{a} {first} ({b} {second} c)"),
                        format!("!({a} {first} {b}) {second} !c"),
                    ] {
                        let table = table(&formula);
                        for suite in 0..256 {
                            let implies = !is_adequate(&table.mutants, suite)
                                || is_adequate(&table.ufp, suite);
                            assert!(implies, "{formula} {suite:b}");
                        }
                        n_formulas += 1;
                    }
                }
            }
        }
    }
    assert_eq!(n_formulas, 300);
}

/// The counterexample to the theorem without that proviso: each place of `a` is stuck at `FALSE`
/// only where `a` holds, and stuck at `TRUE` nowhere, since the other place still decides.
#[test]
fn stuck_at_does_not_imply_ufp_where_a_condition_stands_twice() {
    let table = table("a & a");
    let only_true = 0b0000_0010;
    assert!(is_adequate(&table.mutants, only_true));
    assert!(!is_adequate(&table.ufp, only_true));
}

/// The size of a smallest set of evaluations that shows all that can be shown, tried one by one.
fn fewest(point: &Point, reading: Reading) -> usize {
    let all: Vec<usize> = (0..point.evaluations.len()).collect();
    let pairs: Vec<Vec<(usize, usize)>> = (0..point.decision.conditions.len())
        .map(|condition| point.shown_by(condition, reading, &all))
        .collect();
    let is_enough = |set: u32| {
        let has = |idx: usize| set >> idx & 1 == 1;
        pairs.iter().all(|pairs| pairs.is_empty() || pairs.iter().any(|(a, b)| has(*a) && has(*b)))
    };
    let sets = (0..1u32 << all.len()).filter(|set| is_enough(*set));
    sets.map(|set| set.count_ones() as usize).min().unwrap_or(0)
}

#[test]
fn plans_have_the_fewest_evaluations() {
    for formula in ["a & b & c", "a | b & c", "a xor b", "(a -> b) & !c", "a & b | a & c", "a & !a"]
    {
        let text = format!(
            "MODULE main\nIVAR a : boolean; b : boolean; c : boolean;\nDEFINE d := {formula};\n"
        );
        let (model, _) = read(&text, &[]);
        let set = derive(&model, &["mcdc-masking"], &Options::default());
        let point = &set.points[0];
        let all: Vec<usize> = (0..point.evaluations.len()).collect();
        for reading in [Reading::Unique, Reading::Coupled, Reading::Masking] {
            let plan = point.plan(reading, &all);
            assert!(plan.is_fewest);
            assert_eq!(plan.chosen.len(), fewest(point, reading), "{formula} {reading:?}");
        }
    }
}

#[test]
fn derivatives_are_what_their_definition_says() {
    for formula in [
        "a & b | c",
        "a & b | a & c",
        "(a ? b : c) xor a",
        "!(a -> b) <-> c",
        "case a & b : c; c : !a; TRUE : b; esac",
        "(a = b) != c",
    ] {
        let text = format!(
            "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\nDEFINE d := {formula};\n"
        );
        let (mut model, _) = read(&text, &[]);
        let occ = model.defines[0].body.occ.expect("it was written");
        let decision = Decision::new(&model, occ);
        let derivatives = decision.derivatives(&mut model.exprs);
        for bits in 0..1u64 << decision.conditions.len() {
            let mut state = vec![None; 3];
            for (idx, condition) in decision.conditions.iter().enumerate() {
                let trapline_model::Expr::Var(var) = model.exprs.get(condition.expr) else {
                    panic!("conditions are names here")
                };
                state[var.0 as usize] = Some(Value::Bool(bits >> idx & 1 == 1));
            }
            let value = |expr| evaluate(&model, expr, &state, &[]).as_bool();
            assert_eq!(value(model.defines[0].body.expr), Some(decision.value(bits)), "{formula}");
            for (idx, &derivative) in derivatives.iter().enumerate() {
                let expected = decision.value(bits) != decision.value(bits ^ 1 << idx);
                assert_eq!(value(derivative), Some(expected), "{formula} {idx} {bits:b}");
            }
        }
    }
}

#[test]
fn every_goal_of_every_criterion_has_a_verdict_and_its_traces_reach_it() {
    let mut rng = Rng::with_seed(14);
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    for _ in 0..N_MODELS / 2 {
        let (model, text) = model(&mut rng);
        let set = derive(&model, &names, &Options::default());
        let mut ids = BTreeSet::new();
        let twice = set.goals.iter().find(|goal| !ids.insert(goal.id.as_str()));
        assert!(twice.is_none(), "{}\n{text}", twice.map_or("", |goal| &goal.id));
        let limits = Limits { work: Some(2_000_000), ..Limits::default() };
        let decided = decide(&set, &ENGINES[0], &Budget::new(limits));
        assert_eq!(decided.verdicts.len(), set.goals.len());
        for (goal, verdict) in set.goals.iter().zip(&decided.verdicts) {
            let Verdict::Covered(shown) = verdict else { continue };
            // Only what needs no watching can be judged by the model's own values.
            let own = GoalSet {
                model: set.model.clone(),
                goals: vec![goal.clone()],
                points: Vec::new(),
                mutants: Vec::new(),
                faults: Vec::new(),
                notices: Vec::new(),
            };
            let is_plain = matches!(
                goal.kind,
                GoalKind::Initial(_) | GoalKind::State(_) | GoalKind::Step(_) | GoalKind::Steps(_)
            );
            if is_plain && !set.model.has_added() {
                let trace = decided.traces[shown[0].trace].clone();
                assert_eq!(
                    reached(&own, &Vec::new(), &[trace]),
                    [Some(true)],
                    "{}\n{text}",
                    goal.id
                );
            }
        }
    }
}
