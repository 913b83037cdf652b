//! The law of progression, on random formulas and words: a formula holds on a word exactly if
//! what is left of it after some states holds on the rest of the word.

use fastrand::Rng;
use trapline_model::eval::Plan;
use trapline_model::trace::{State as Valuation, Trace};
use trapline_model::{ExprId, Formula, Model, Value, lasso};

use super::formula::Unobservable;
use super::observer::{Observer, observe};
use trapline_testkit::read;

const HEAD: &str = "MODULE main VAR a : boolean; b : boolean; c : boolean;\n";

/// A random formula with so many operators on each way down.
fn random(rng: &mut Rng, depth: usize) -> String {
    if depth == 0 || rng.u8(0..6) == 0 {
        return ["a", "b", "c", "!a", "(a & c)", "(b != c)", "TRUE"][rng.usize(0..7)].into();
    }
    let prefix = ["!", "X", "G", "F", "X", "G", "F", "G [0,2]", "F [1,3]", "G [2,2]"];
    let infix = ["&", "|", "->", "<->", "xor", "U", "V"];
    let first = random(rng, depth - 1);
    match rng.bool() {
        true => format!("{} ({first})", prefix[rng.usize(0..prefix.len())]),
        false => {
            let second = random(rng, depth - 1);
            format!("(({first}) {} ({second}))", infix[rng.usize(0..infix.len())])
        }
    }
}

/// A model with this formula for its property.
fn with_formula(text: &str) -> (Model, ExprId) {
    let (model, _) = read(&format!("{HEAD}LTLSPEC {text}\n"), &[]);
    let Formula::Holds(clause) = model.properties[0].formula else { unreachable!("it is LTL") };
    (model, clause.expr)
}

/// A random word: three states, then three more that come again and again.
fn random_word(rng: &mut Rng) -> Trace {
    let mut letter =
        || Valuation { values: (0..3).map(|_| Some(Value::Bool(rng.bool()))).collect() };
    Trace { states: (0..6).map(|_| letter()).collect(), loop_start: Some(3) }
}

/// The word without its first states.
fn rest(word: &Trace, n_read: usize) -> Trace {
    let mut states = word.states.clone();
    states.extend_from_slice(&word.states[3..]);
    let start = n_read.min(3 + (n_read - n_read.min(3)) % 3);
    let states = states[start..].to_vec();
    let loop_start = states.len() - 3;
    Trace { states, loop_start: Some(loop_start) }
}

/// The state that follows; exactly one edge leads to it.
fn step(model: &Model, observer: &Observer, state: usize, rest: &Trace) -> usize {
    let edges = &observer.states[state].edges;
    if observer.states[state].sink.is_some() {
        assert!(edges.is_empty());
        return state;
    }
    let conditions: Vec<ExprId> = edges.iter().map(|edge| edge.condition).collect();
    let plan = Plan::new(model, &conditions);
    let mut cells = Vec::new();
    plan.run(&rest.states[0].values, &rest.states[1].values, &mut cells);
    let holds = |idx: &usize| plan.root(*idx, &cells).as_bool() == Some(true);
    let taken: Vec<usize> = (0..edges.len()).filter(holds).collect();
    assert_eq!(taken.len(), 1, "the edges are no partition");
    edges[taken[0]].to
}

#[test]
fn what_is_left_says_the_same_of_the_rest() {
    let mut rng = Rng::with_seed(7);
    let (mut n_compared, mut n_too_large) = (0, 0);
    for _ in 0..300 {
        let text = random(&mut rng, 3);
        let (mut model, root) = with_formula(&text);
        let observer = match observe(&mut model.exprs, root) {
            Ok(observer) => observer,
            Err(
                Unobservable::States(_)
                | Unobservable::Alternatives
                | Unobservable::Edges(_)
                | Unobservable::Cases(_),
            ) => {
                n_too_large += 1;
                continue;
            }
            Err(why) => unreachable!("{text}: {why}"),
        };
        for _ in 0..10 {
            let word = random_word(&mut rng);
            let wanted = lasso::holds(&model, root, &word).expect("a lasso");
            let mut state = 0;
            for n_read in 0..8 {
                let rest = rest(&word, n_read);
                if let Some(left) = observer.states[state].residual {
                    let found = lasso::holds(&model, left, &rest).expect("a lasso");
                    assert_eq!(found, wanted, "{text} after {n_read} states of {word:?}");
                    n_compared += 1;
                }
                state = step(&model, &observer, state, &rest);
            }
        }
    }
    assert!(n_too_large < 30 && n_compared > 15_000, "{n_too_large} {n_compared}");
}

#[test]
fn the_usual_patterns_have_small_observers() {
    for (text, n_states) in [
        ("a", 3),
        ("G a", 2),
        ("F a", 2),
        ("G F a", 2),
        ("G (a -> X b)", 3),
        ("G (a -> F b)", 2),
        ("G (a -> b U c)", 3),
        ("a V b", 3),
        ("X X a", 5),
        ("G [0,2] a", 5),
        ("F G a", 2),
        ("G (a -> G b)", 3),
        ("TRUE", 1),
        ("G (X a | X !a) -> F TRUE", 1),
    ] {
        let (mut model, root) = with_formula(text);
        let observer = observe(&mut model.exprs, root).expect("small");
        assert_eq!(observer.states.len(), n_states, "{text}: {observer:?}");
    }
}

#[test]
fn what_can_not_be_observed_is_refused() {
    let many: Vec<String> = (0..17).map(|idx| format!("F x{idx}")).collect();
    let vars: Vec<String> = (0..17).map(|idx| format!("x{idx} : boolean;")).collect();
    let text = format!("MODULE main VAR {} LTLSPEC {}\n", vars.concat(), many.join(" & "));
    let (mut model, _) = read(&text, &[]);
    let Formula::Holds(clause) = model.properties[0].formula else { unreachable!("it is LTL") };
    assert_eq!(observe(&mut model.exprs, clause.expr).err(), Some(Unobservable::Atoms));
    for (text, why) in [
        ("G (a -> O b)".to_string(), Unobservable::Past),
        ("a S b".to_string(), Unobservable::Past),
        ("G [0,100] a".to_string(), Unobservable::Bound),
        (format!("{} a", "X ".repeat(9_000)), Unobservable::Size),
        (format!("{} a", "X ".repeat(100)), Unobservable::States(64)),
    ] {
        let (mut model, root) = with_formula(&text);
        assert_eq!(observe(&mut model.exprs, root).err(), Some(why));
    }
}
