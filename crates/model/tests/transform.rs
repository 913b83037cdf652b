//! Models made from models: what they allow is what the operation says, and their traces go back.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::transform::product::{Clash, Product, product};
use trapline_model::transform::{Defines, Extension, Substitution};
use trapline_model::{AssignKind, Domain, Expr, ExprId, Model, UnaryOp, Value, VarId, VarKind};
use trapline_source::Span;

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{Options, random_model};
use trapline_testkit::read;

const N_MODELS: usize = 30;

fn random(rng: &mut Rng, is_wild: bool) -> (Model, String) {
    let text = random_model(rng, Options { is_wild, max_states: 8 }).text;
    (read(&text, &[]).0, text)
}

/// Lets the models share variables, each once: the second no longer says what they are.
fn share(first: &Model, second: &mut Model) -> Vec<(VarId, VarId)> {
    let mut left: Vec<VarId> = second.var_ids().map(|(id, _)| id).collect();
    let mut shared = Vec::new();
    for (own, _) in first.var_ids() {
        let open = |other: VarId| {
            let mut open = second.clone();
            open.assigns.retain(|assign| assign.var != other);
            product(first, &open, &[(own, other)], "other").is_ok().then_some(open)
        };
        let found = left.iter().enumerate().find_map(|(idx, &other)| Some((idx, open(other)?)));
        if let Some((idx, open)) = found {
            *second = open;
            shared.push((own, left.swap_remove(idx)));
        }
    }
    shared
}

fn state(values: &Values) -> State {
    State { values: values.clone() }
}

/// The two states that a state of the product is.
fn halves(product: &Product, whole: &Values) -> [Values; 2] {
    [0, 1].map(|side| {
        let mut half = state(whole);
        product.back[side].state(&mut half);
        half.values
    })
}

/// Have these the same values of what is shared? Symbols are the same if their names are.
fn agree(models: [&Model; 2], shared: &[(VarId, VarId)], halves: [&Values; 2]) -> bool {
    let shown = |side: usize, var: VarId| match halves[side][var.0 as usize] {
        Some(Value::Symbol(symbol)) => models[side].symbols.name(symbol).to_string(),
        value => format!("{value:?}"),
    };
    shared.iter().all(|&(own, other)| shown(0, own) == shown(1, other))
}

/// Compares what a product allows with what both models allow together.
fn check(first: &Model, second: &Model, shared: &[(VarId, VarId)], what: &str) -> usize {
    let product = product(first, second, shared, "other").unwrap_or_else(|clash| {
        panic!("{clash:?}\n{what}");
    });
    let explorers = [Explorer::new(first), Explorer::new(second)];
    let whole = Explorer::new(&product.model);
    let is_together = |pair: &[Values; 2]| agree([first, second], shared, [&pair[0], &pair[1]]);
    let [a, b] = [0, 1].map(|side: usize| explorers[side].initial().allowed);
    let pairs = a.iter().flat_map(|a| b.iter().map(|b| [a.clone(), b.clone()]));
    let expected: BTreeSet<[Values; 2]> = pairs.filter(is_together).collect();
    let initial = whole.initial().allowed;
    let found: BTreeSet<[Values; 2]> = initial.iter().map(|s| halves(&product, s)).collect();
    assert_eq!((found.len(), &found), (initial.len(), &expected), "{what}");
    let (mut open, mut seen) = (initial.iter().cloned().collect::<Vec<_>>(), initial);
    while let Some(from) = open.pop() {
        let [left, right] = halves(&product, &from);
        let [a, b] = [explorers[0].successors(&left), explorers[1].successors(&right)];
        let mut expected = BTreeSet::new();
        for (from_a, to_a) in &a.allowed {
            for (from_b, to_b) in &b.allowed {
                let step = [[from_a.clone(), from_b.clone()], [to_a.clone(), to_b.clone()]];
                if step.iter().all(is_together) {
                    expected.insert(step);
                }
            }
        }
        let steps = whole.successors(&from).allowed;
        let found: BTreeSet<_> =
            steps.iter().map(|(from, to)| [halves(&product, from), halves(&product, to)]).collect();
        assert_eq!((found.len(), &found), (steps.len(), &expected), "{what}");
        for (_, to) in steps {
            if seen.insert(to.clone()) {
                open.push(to);
            }
        }
    }
    check_walk(&product, [first, second], what);
    seen.len()
}

/// Walks through the product, and lifts the walk.
fn check_walk(product: &Product, models: [&Model; 2], what: &str) {
    let whole = Explorer::new(&product.model);
    let Some(first) = whole.initial().allowed.pop_first() else { return };
    let mut trace = Trace { states: vec![state(&first)], loop_start: None };
    for _ in 0..4 {
        let Some(last) = trace.states.last_mut() else { return };
        let Some((from, to)) = whole.successors(&last.values).allowed.pop_last() else { break };
        *last = state(&from);
        trace.states.push(state(&to));
    }
    assert_eq!(Replayer::new(&product.model).replay(&trace), Ok(()), "{what}");
    for (back, model) in product.back.iter().zip(models) {
        let mut half = trace.clone();
        assert_eq!(back.lift(&Replayer::new(model), &mut half), Ok(()), "{what}");
        assert_eq!(half.states[0].values.len(), model.vars.len());
    }
}

#[test]
fn paths_of_a_product_are_the_pairs_of_paths_that_agree_on_what_is_shared() {
    let mut rng = Rng::with_seed(1);
    let (mut n_states, mut n_shared) = (0, 0);
    for idx in 0..N_MODELS {
        let is_wild = idx % 3 == 0;
        let ((first, left), (mut second, right)) =
            (random(&mut rng, is_wild), random(&mut rng, is_wild));
        let shared = share(&first, &mut second);
        n_shared += shared.len();
        n_states += check(&first, &second, &shared, &format!("{left}\n{right}"));
        n_states += check(&first, &second, &[], &format!("{left}\n{right}"));
    }
    assert!(n_states > 400 && n_shared > 10, "{n_states} states, {n_shared} shared variables");
}

#[test]
fn a_model_runs_beside_itself_on_the_same_inputs() {
    let mut rng = Rng::with_seed(2);
    let mut n_shared = 0;
    for _ in 0..N_MODELS {
        let (model, text) = random(&mut rng, false);
        let inputs = model.var_ids().filter(|(_, var)| var.kind == VarKind::Input);
        let shared: Vec<(VarId, VarId)> = inputs.map(|(id, _)| (id, id)).collect();
        n_shared += shared.len();
        check(&model, &model, &shared, &text);
    }
    assert!(n_shared > 5);
}

#[test]
fn what_can_not_be_shared_is_refused() {
    let model = |text: &str| read(&format!("MODULE main {text}"), &[]).0;
    let first = model("VAR x : 0..2; y : {p, q}; ASSIGN init(x) := 0;");
    let try_with = |text: &str| {
        let second = model(text);
        let shared =
            first.var_ids().filter_map(|(id, var)| Some((id, second.find_var(&var.name)?)));
        product(&first, &second, &shared.collect::<Vec<_>>(), "other").err()
    };
    assert_eq!(try_with("IVAR x : 0..2;"), Some(Clash::Kind(VarId(0))));
    assert_eq!(try_with("VAR x : 0..3;"), Some(Clash::Domain(VarId(0))));
    assert_eq!(
        try_with("VAR x : 0..2; ASSIGN init(x) := 1;"),
        Some(Clash::AssignedTwice(VarId(0)))
    );
    assert_eq!(try_with("VAR x : 0..2; ASSIGN x := 1;"), Some(Clash::AssignedTwice(VarId(0))));
    assert_eq!(try_with("VAR x : 0..2; ASSIGN next(x) := 1;"), None);
    assert_eq!(try_with("VAR y : {q, p};"), None);
}

#[test]
fn what_is_added_is_dropped_on_the_way_back_and_fresh_names_clash_with_nothing() {
    let (model, _) = read(
        "MODULE main CONSTANTS __seen_5; VAR x : 0..2; __seen : boolean; DEFINE __seen_2 := x;
         ASSIGN init(x) := 0; next(x) := (x + 1) mod 3; init(__seen) := FALSE; next(__seen) := TRUE;",
        &[],
    );
    let mut extension = Extension::new(model.clone());
    let var = extension.add_monitor("__seen", Domain::Bool, Span::default(), |model, read| {
        (model.exprs.bool(false), model.exprs.not(read))
    });
    assert_eq!(extension.var(var).name, "__seen_3");
    assert!(extension.has_added() && extension.is_added(var) && !extension.is_added(VarId(1)));
    let mut trace = Trace::default();
    for idx in 0..3 {
        let values = [Value::Int(idx), Value::Bool(idx > 0), Value::Bool(idx == 1)].map(Some);
        trace.states.push(State { values: values.to_vec() });
    }
    assert_eq!(Replayer::new(&extension).replay(&trace), Ok(()));
    let back = extension.back();
    let mut own = trace.clone();
    assert_eq!(back.lift(&extension.before(), &mut own), Ok(()));
    assert_eq!(Replayer::new(&model).replay(&own), Ok(()));
    // What the model itself does not allow is noticed on the way back.
    trace.states[1].values[0] = Some(Value::Int(2));
    assert!(back.lift(&extension.before(), &mut trace).is_err());
}

#[test]
fn a_variable_is_replaced_in_both_states_and_through_definitions() {
    let text = "MODULE main VAR x : 0..2; y : 0..2; DEFINE d := x + y;";
    let exprs = ["next(x) = x", "next(d) = 2", "next(y + 1) = y + 1", "next(y + 1 + y) = 2"];
    let (mut model, exprs) = read(text, &exprs);
    let Expr::Binary(_, _, more) = model.exprs.get(exprs[2]) else { panic!("an equation") };
    let x = model.find_var("x").expect("it is there");
    let mut staying = Substitution::default();
    staying.put_var(&mut model, x, more);
    assert_eq!(staying.apply(&mut model, exprs[0]), exprs[2]);
    assert_eq!(staying.apply(&mut model, exprs[1]), exprs[1], "definitions are leaves");
    let mut written_out = Substitution::new(Defines::WrittenOut);
    written_out.put_var(&mut model, x, more);
    assert_eq!(written_out.apply(&mut model, exprs[1]), exprs[3]);
}

#[test]
fn a_very_deep_expression_is_no_problem() {
    let (mut model, _) = read("MODULE main VAR a : boolean; b : boolean;", &[]);
    let [a, b] = ["a", "b"].map(|name| model.find_var(name).expect("it is there"));
    let [read_a, read_b] = [a, b].map(|var| model.var_expr(var));
    let mut deep = |inner: ExprId| {
        let negated = |inner| Expr::Unary(UnaryOp::Not, inner);
        (0..200_000).fold(inner, |whole, _| model.exprs.add(negated(whole)))
    };
    let (of_a, of_b) = (deep(read_a), deep(read_b));
    let mut substitution = Substitution::default();
    substitution.put(read_a, read_b);
    assert_eq!(substitution.apply(&mut model, of_a), of_b);
    model.assign(AssignKind::Next, a, of_b, Span::default());
    let product = product(&model, &model, &[(b, b)], "twin").expect("nothing clashes");
    let twin = product.model.assigns.last().expect("there are two").expr;
    assert!(matches!(product.model.exprs.get(twin), Expr::Unary(..)));
}
