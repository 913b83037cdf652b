//! The ways in which models are written: relations instead of assignments, steps listed one by
//! one, circles, sets, inputs that hardly matter. The engines order their work by them.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Start, Verdict, Why};
use trapline_model::goal::Target;

use trapline_testkit::read;
use trapline_testkit::truth::{Truth, given_states};

/// Looks for all states and steps of these kinds, from the initial states and from others. The
/// distances are what trying every valuation gives. The verdicts are those of each engine from
/// the initial states, then those from others.
fn check(text: &str, states: &[&str], steps: &[&str]) -> Vec<Vec<Verdict>> {
    let (model, exprs) = read(text, &[states, steps].concat());
    let (states, steps) = exprs.split_at(states.len());
    let mut targets: Vec<Target> = states.iter().map(|&expr| Target::State(expr)).collect();
    targets.extend(steps.iter().map(|&expr| Target::Step(expr)));
    targets.extend(steps.windows(2).map(|pair| Target::Steps(pair.to_vec())));
    targets.extend(steps.windows(3).map(|three| Target::Steps(three.to_vec())));
    let mut rng = Rng::with_seed(text.len() as u64);
    let given = given_states(&model, &mut rng, 2);
    let mut verdicts = Vec::new();
    for start in [Start::Initial, Start::States(given)] {
        let truth = Truth::new(&model, &start);
        for engine in ENGINES {
            let what = format!("{} from {start:?}\n{text}\n{targets:?}", engine.name);
            let reached = (engine.reach)(&model, &targets, &start, &Budget::unlimited());
            truth.check(&targets, &reached, &what);
            verdicts.push(reached.verdicts);
        }
    }
    verdicts
}

/// The first target is met after so many steps.
fn check_distance(text: &str, target: &str, expected: Option<usize>) {
    for verdicts in &check(text, &[target], &[])[..ENGINES.len()] {
        let distance = match &verdicts[0] {
            Verdict::Reached { state, .. } => Some(*state),
            Verdict::Unreachable(_) => None,
            Verdict::Unknown(why) => panic!("{why:?}\n{text}"),
        };
        assert_eq!(distance, expected, "{text}");
    }
}

/// A variable: its name, type and values.
type Var = (&'static str, &'static str, &'static [&'static str]);

const VARS: &[Var] = &[
    ("x", "0..2", &["0", "1", "2"]),
    ("b", "boolean", &["FALSE", "TRUE"]),
    ("e", "{p, q, r}", &["p", "q", "r"]),
    ("y", "0..2", &["0", "1", "2"]),
    ("c", "boolean", &["FALSE", "TRUE"]),
];
const INPUTS: &[&str] =
    &["(i < 3)", "(i >= 5)", "(i = x)", "j", "(i in {1, 2, 7})", "(j -> i > 5)"];

fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.usize(..list.len())]
}

/// A condition on one variable, or on one in the next state.
fn atom(rng: &mut Rng, vars: &[Var], is_step: bool) -> String {
    let (name, _, values) = vars[rng.usize(..vars.len())];
    let name = if is_step && rng.bool() { format!("next({name})") } else { name.into() };
    let others: Vec<&Var> = vars.iter().filter(|other| other.2 == values).collect();
    let other = others[rng.usize(..others.len())].0;
    match rng.u8(..8) {
        0 => format!("({name} != {})", pick(rng, values)),
        1 => format!("({name} = {other})"),
        2 if values.len() == 3 => {
            format!("({name} in {{{}, {}, {other}}})", pick(rng, values), pick(rng, values))
        }
        3 if is_step => pick(rng, INPUTS).into(),
        _ => format!("({name} = {})", pick(rng, values)),
    }
}

fn condition(rng: &mut Rng, vars: &[Var], is_step: bool) -> String {
    let mut text = atom(rng, vars, is_step);
    for _ in 0..rng.usize(..3) {
        let connective = pick(rng, &["&", "|", "->", "<->", "& !", "| !"]);
        text = format!("({text} {connective} {})", atom(rng, vars, is_step));
    }
    text
}

/// What a step does to some of the variables.
fn update(rng: &mut Rng, vars: &[Var]) -> String {
    let mut parts = vec![String::from("TRUE")];
    for (name, _, values) in vars {
        parts.push(match rng.u8(..6) {
            0 => continue,
            1 => format!("next({name}) in {{{}, {name}}}", pick(rng, values)),
            2 => format!("next({name}) = (j ? {} : {name})", pick(rng, values)),
            3 => format!("next({name}) = {name}"),
            _ => format!("next({name}) = {}", pick(rng, values)),
        });
    }
    parts[usize::from(parts.len() > 1)..].join(" & ")
}

/// One rule in a random style.
fn rule(rng: &mut Rng, vars: &[Var]) -> String {
    let one = |rng: &mut Rng| format!("({} & {})", condition(rng, vars, false), update(rng, vars));
    match rng.u8(..9) {
        0..3 => {
            let clauses: Vec<String> = (0..rng.usize(1..=4)).map(|_| one(rng)).collect();
            format!("TRANS {};\n", clauses.join(" | "))
        }
        3..5 => {
            let (first, second) = (condition(rng, vars, false), condition(rng, vars, true));
            let [a, b, c] = [(); 3].map(|()| update(rng, vars));
            format!(
                "TRANS case {first} : case {second} : {a}; TRUE : {b}; esac; TRUE : {c}; esac;\n"
            )
        }
        5 => format!("TRANS {};\n", condition(rng, vars, true)),
        6 => format!("INVAR {};\n", condition(rng, vars, false)),
        7 => format!("INIT {};\n", condition(rng, vars, false)),
        _ => {
            let (name, _, values) = vars[0];
            let (guard, value) = (condition(rng, vars, false), pick(rng, values));
            format!("ASSIGN next({name}) := {guard} ? {{{name}, {value}, {value}}} : {value};\n")
        }
    }
}

#[test]
fn relations_are_searched_like_assignments() {
    let mut n_reached = [0; 2];
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let mut vars: Vec<Var> = VARS.to_vec();
        rng.shuffle(&mut vars[1..]);
        vars.truncate(rng.usize(1..=3));
        let mut text =
            String::from("MODULE main\nCONSTANTS p, q, r;\nIVAR i : 0..9; j : boolean;\n");
        for (idx, (name, ty, _)) in vars.iter().enumerate() {
            let section = if idx > 1 && rng.u8(..4) == 0 { "FROZENVAR" } else { "VAR" };
            text += &format!("{section} {name} : {ty};\n");
        }
        let mut has_assign = false;
        for _ in 0..rng.usize(1..=3) {
            let rule = rule(&mut rng, &vars);
            let is_assign = rule.starts_with("ASSIGN");
            text += if is_assign && has_assign { "" } else { &rule };
            has_assign |= is_assign;
        }
        let states: Vec<String> = (0..3).map(|_| condition(&mut rng, &vars, false)).collect();
        let steps: Vec<String> = (0..4).map(|_| condition(&mut rng, &vars, true)).collect();
        let [states, steps] =
            [&states, &steps].map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
        for verdict in check(&text, &states, &steps).concat() {
            n_reached[usize::from(matches!(verdict, Verdict::Reached { .. }))] += 1;
        }
    }
    assert!(n_reached.iter().all(|&count| count > 4500), "{n_reached:?}");
}

#[test]
fn steps_that_are_listed_one_by_one() {
    let text = "MODULE main VAR x : 0..3; y : 0..3; b : boolean; INIT x = 0 & y = 0 & !b
        TRANS (x < 3 & next(x) = x + 1 & next(y) = y & next(b) = b)
            | (x = 3 & y < 3 & next(x) = 0 & next(y) = y + 1 & next(b) = !b)
            | (b & next(x) = x & next(y) = 0 & next(b) in {FALSE, b})";
    check_distance(text, "x = 3 & y = 3", Some(15));
    check_distance(text, "x = 3 & y = 0 & b", Some(8));
    check(text, &["x = 2 & y = 3"], &["x = next(x)", "next(y) < y", "b != next(b)", "x = 3"]);
}

/// What is known before the step is one member of the disjunction.
#[test]
fn a_disjunction_may_have_members_that_are_known() {
    check_distance(
        "MODULE main VAR x : boolean; y : boolean; TRANS x | y | next(x)",
        "x & y",
        Some(0),
    );
    let text = "MODULE main VAR x : 0..2; y : 0..2; INIT x + y = 0
        TRANS (x = 2 | y = 2) | (next(x) = x + 1 & next(y) = y) | (next(x) = x & next(y) = y + 1)";
    check_distance(text, "x = 2 & y = 1", Some(3));
    check_distance(text, "x = 2 & y = 2", Some(3));
}

#[test]
fn relations_between_variables_of_a_state() {
    let text = "MODULE main VAR x : 0..4; y : 0..4; z : 0..4; INVAR x + y = z INVAR x <= y
        INIT z = 0 TRANS next(z) = z + 1 | next(z) = 0 & x = 2";
    check_distance(text, "x = 2 & y = 2", Some(4));
    check_distance(text, "z = 0 & x = 1", None);
    check(text, &["y = 4"], &["x = 2 & next(y) = 0", "next(x) > x", "next(x) = next(y)"]);
}

#[test]
fn assignments_may_read_each_other_in_a_circle() {
    let text = "MODULE main VAR x : boolean; y : boolean; n : 0..2;
        ASSIGN x := y; next(y) := !next(x); init(n) := 0; next(n) := (n + 1) mod 3;";
    check_distance(text, "n = 1", None);
    check_distance(text, "n = 0 & x", Some(0));
    let text = "MODULE main VAR x : 0..3; y : 0..3; n : 0..2;
        ASSIGN x := {y, 3}; next(y) := next(x) = 3 ? 2 : (n + 1) mod 3; init(n) := 0;
        next(n) := (n + 1) mod 3; INIT y = 0";
    check_distance(text, "n = 1 & x = 1 & y = 1", Some(1));
    check_distance(text, "x = 3 & y = 0 & n = 2", None);
}

#[test]
fn a_member_of_a_set_may_come_twice() {
    let text = "MODULE main VAR x : 0..3; y : {0, 2, 7};
        ASSIGN init(x) := {0, 0}; next(x) := {x, 1, x, (x + 1) mod 4} union {1, x};
        init(y) := {0}; next(y) := {y, 0, 2} union (x = 3 ? 7 : y);";
    check_distance(text, "x = 3", Some(3));
    check_distance(text, "y = 7", Some(4));
    check(text, &["x = 2 & y = 2"], &["next(x) = x", "y = 7 & next(y) = 0", "x = 2"]);
}

/// Values of an input that make no difference are not tried; those that do are.
#[test]
fn inputs_are_told_apart_where_it_matters() {
    let text = "MODULE main IVAR i : 0..20; j : boolean; k : {p, q}; VAR x : 0..3;
        ASSIGN init(x) := 0; next(x) := case i < 3 : 0; i > 15 & x < 3 : x + 1; TRUE : x; esac;";
    check_distance(text, "x = 3", Some(3));
    check(text, &[], &["i = 17", "i = 2", "i = 9 & next(x) = x", "j", "!j", "k = q & j & i = 20"]);
    check(text, &[], &["i = 16 & next(x) = 3", "i + x = 23", "i mod 7 = 3 & x = 3", "j & i = x"]);
    check("MODULE main IVAR i : 0..9; VAR x : boolean;", &[], &["i = 5", "i > 5 & next(x)"]);
    check("MODULE main IVAR j : boolean; VAR x : boolean;", &["x"], &["j", "!j", "j & next(x)"]);
    check("MODULE main IVAR j : boolean; VAR x : boolean; TRANS j", &["x"], &["j", "!j"]);
}

#[test]
fn what_later_steps_decide_is_filled_in() {
    let text =
        "MODULE main VAR x : boolean; z : boolean; ASSIGN init(x) := FALSE; next(x) := TRUE;";
    check_distance(text, "x & z", Some(1));
    let text = "MODULE main VAR x : 0..2; f : 0..3; g : boolean;
        ASSIGN init(x) := 0; init(f) := 3; next(x) := f = 1 & g ? 1 : f = 0 ? 2 : x; INVAR f > 1 -> g";
    check_distance(text, "x = 1", Some(2));
    check_distance(text, "x = 2 & f = 3", Some(2));
    check(text, &["f = 2 & !g"], &["f = 3", "f = 0 & next(x) = 2", "next(f) = 1 & g", "next(g)"]);
}

/// Two given states that differ only in what does not matter are one state.
#[test]
fn states_may_be_given_more_than_once() {
    let text = "MODULE main VAR x : 0..1; f : boolean; n : 0..1; ASSIGN next(x) := f ? 1 : x;";
    let (model, exprs) = read(text, &["x = 0 & !f", "x = 0 & f", "x = 1"]);
    let [start, others @ ..] = exprs.as_slice() else { unreachable!("there are three") };
    let mut states = given_states(&model, &mut Rng::with_seed(0), usize::MAX);
    states.retain(|state| {
        let cell = trapline_model::eval::evaluate(&model, *start, &state.values, &[]);
        cell.as_bool() == Some(true)
    });
    states.extend(states.clone());
    assert_eq!(states.len(), 4);
    let targets: Vec<Target> = others.iter().map(|&expr| Target::State(expr)).collect();
    let start = Start::States(states);
    for engine in ENGINES {
        let reached = (engine.reach)(&model, &targets, &start, &Budget::unlimited());
        let what = format!("{}: {text}", engine.name);
        Truth::new(&model, &start).check(&targets, &reached, &what);
    }
}

/// Long searches look for sequences before all states are known.
#[test]
fn a_sequence_that_is_found_early_is_shortest() {
    let text = "MODULE main IVAR k : 0..19; VAR x : 0..9999; ASSIGN init(x) := 0;
        next(x) := case x = 0 : 1..300; x <= 300 : {0, 1000 + x * 20 + k}; TRUE : x; esac;";
    let first = "x = 0 & next(x) = 300 | x = 1 & next(x) = 0";
    let (model, exprs) = read(text, &[first, "x = 300 | x = 0"]);
    let targets = [Target::Steps(exprs)];
    for engine in ENGINES {
        let reached = (engine.reach)(&model, &targets, &Start::Initial, &Budget::unlimited());
        let expected = [Verdict::Reached { trace: 0, state: 2 }];
        assert_eq!(reached.verdicts, expected, "{}", engine.name);
    }
}

/// An expression of the model that has no value is no reason to call a target unreachable.
#[test]
fn what_fails_is_reported() {
    for rules in [
        "init(x) := 0; next(x) := 1 / x;",
        "init(x) := 0; next(x) := case c : 1; esac;",
        "init(x) := 0; next(x) := case c : {0, 1}; esac;",
        "init(x) := 3; next(x) := x + 1;",
        "init(x) := 0; next(x) := {x, 4};",
        "init(x) := 0; next(x) := -1..1;",
        "init(x) := case c : {0, 1}; esac;",
        "init(x) := 5;",
        "init(x) := 0..9;",
    ] {
        let text =
            format!("MODULE main VAR x : 0..3; c : boolean; ASSIGN init(c) := FALSE; {rules}");
        let verdicts = &check(&text, &["x = 2 & FALSE"], &[])[..ENGINES.len()];
        for (verdicts, engine) in verdicts.iter().zip(ENGINES) {
            let is_failure = matches!(verdicts[0], Verdict::Unknown(Why::Failure { .. }));
            assert!(is_failure, "{}: {verdicts:?}\n{text}", engine.name);
        }
    }
}

/// So is one of a variable that the target does not depend on, when a trace needs it.
#[test]
fn what_fails_outside_the_question_breaks_no_trace() {
    let text = "MODULE main VAR x : 0..2; z : 0..2;
        ASSIGN init(x) := 0; init(z) := 2; next(x) := (x + 1) mod 3; next(z) := z + 1;";
    for verdicts in &check(text, &["x = 2"], &[])[..ENGINES.len()] {
        assert!(matches!(verdicts[0], Verdict::Unknown(_)), "{verdicts:?}");
    }
}

/// Where many conditions meet few states, it matters in which order they are joined, and what the
/// domains leave: three values take two bits.
#[test]
fn conjunctions_of_many() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let mut conjunction = |is_step: bool| {
            let pair = |rng: &mut Rng| {
                format!("({} | {})", atom(rng, VARS, is_step), atom(rng, VARS, is_step))
            };
            let parts: Vec<String> = (0..rng.usize(7..14)).map(|_| pair(&mut rng)).collect();
            parts.join(" & ")
        };
        let (rare, common) = (conjunction(false), conjunction(false));
        let declared: Vec<String> =
            VARS.iter().map(|(name, ty, _)| format!("{name} : {ty};")).collect();
        let text = format!(
            "MODULE main VAR {} IVAR i : 0..7; j : boolean; ASSIGN init(b) := FALSE;
             next(b) := {rare}; next(x) := case !({common}) : {{x, y}}; TRUE : 2 - x; esac;
             TRANS !({}) | next(e) != e;",
            declared.join(" "),
            conjunction(true)
        );
        let denied = format!("!({rare})");
        check(&text, &[&rare, &denied, &common], &[&conjunction(true)]);
    }
}
