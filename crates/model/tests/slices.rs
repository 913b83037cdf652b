//! Dependency and slices: what can influence a variable is kept, and the rest may go.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use fastrand::Rng;
use trapline_model::dependency::{dependencies, support};
use trapline_model::slice::{cone, slice};
use trapline_model::{Model, Value, VarId};

use trapline_testkit::brute_force::{Explorer, Values};
use trapline_testkit::random::{Options, random_model};
use trapline_testkit::read;

fn names(model: &Model, vars: &[VarId]) -> String {
    let names: Vec<&str> = vars.iter().map(|&var| model.var(var).name.as_str()).collect();
    names.join(" ")
}

/// What each variable depends on, then the strongly connected sets.
fn check(text: &str, expect: Expect) {
    let (model, _) = read(text, &[]);
    let graph = dependencies(&model);
    let mut shown = String::new();
    for (var, on) in model.vars.iter().zip(&graph.on) {
        shown += format!("{} <- {}", var.name, names(&model, on)).trim_end();
        shown += "\n";
    }
    let components: Vec<_> = graph.components.iter().map(|set| names(&model, set)).collect();
    shown += &format!("[{}]\n", components.join("] ["));
    expect.assert_eq(&shown);
}

#[test]
fn a_variable_depends_on_what_its_init_next_and_current_expressions_read() {
    check(
        "MODULE main VAR a : 0..3; b : 0..3; c : 0..3; d : 0..3; free : boolean;
         ASSIGN init(a) := b; next(a) := free ? c : a; d := a; next(b) := next(c);",
        expect![[r#"
            a <- a b c free
            b <- c
            c <-
            d <- a
            free <-
            [free] [c] [b] [a] [d]
        "#]],
    );
}

#[test]
fn dependency_goes_through_defines() {
    check(
        "MODULE main VAR a : boolean; b : boolean; c : boolean;
         DEFINE d := e & b; e := next(c); ASSIGN next(a) := d;",
        expect![[r#"
            a <- b c
            b <-
            c <-
            [c] [b] [a]
        "#]],
    );
}

#[test]
fn variables_in_one_constraint_depend_on_each_other() {
    check(
        "MODULE main VAR a : boolean; b : boolean; c : boolean; d : boolean; e : boolean; f : boolean;
         INIT a = b INVAR c = d TRANS next(e) = f",
        expect![[r#"
            a <- b
            b <- a
            c <- d
            d <- c
            e <- f
            f <- e
            [e f] [c d] [a b]
        "#]],
    );
}

#[test]
fn a_constraint_on_one_variable_ties_nothing() {
    check(
        "MODULE main VAR a : 0..3; b : 0..3; TRANS next(a) > a INVAR b > 0",
        expect![[r#"
        a <-
        b <-
        [b] [a]
    "#]],
    );
}

#[test]
fn a_circle_is_one_component_and_comes_after_what_it_needs() {
    check(
        "MODULE main IVAR i : boolean; VAR a : boolean; b : boolean; c : boolean;
         ASSIGN next(a) := b; next(b) := a & i; next(c) := a;",
        expect![[r#"
            i <-
            a <- b
            b <- i a
            c <- a
            [i] [a b] [c]
        "#]],
    );
}

#[test]
fn what_a_process_assigns_depends_on_who_runs_and_on_its_old_value() {
    check(
        "MODULE p VAR x : boolean; ASSIGN next(x) := TRUE;
         MODULE main VAR a : process p; y : boolean;",
        expect![[r#"
            a.x <- a.x _process_selector_
            y <-
            _process_selector_ <-
            [_process_selector_] [y] [a.x]
        "#]],
    );
}

/// The cone of a variable, and whether the model can be cut down to it.
fn check_slice(text: &str, var: &str, expected: &str) {
    let (mut model, _) = read(text, &[]);
    let var = model.find_var(var).expect("a variable");
    let root = model.var_expr(var);
    let cone = cone(&model, &[root]);
    let verdict = if slice(&model, &cone).is_some() { "alone" } else { "not alone" };
    assert_eq!(format!("{} {verdict}", names(&model, &cone)), expected);
}

#[test]
fn a_slice_keeps_what_can_influence_it() {
    let chain = "MODULE main VAR a : boolean; b : boolean; c : boolean; d : boolean;
        ASSIGN next(a) := b; next(b) := c; next(d) := a;";
    check_slice(chain, "a", "a b c alone");
    check_slice(chain, "c", "c alone");
    check_slice(chain, "d", "a b c d alone");
}

#[test]
fn what_is_constrained_is_not_left_out() {
    for constraint in ["INIT c", "INVAR c", "TRANS next(c)", "INVAR b = c"] {
        let text = format!("MODULE main VAR a : boolean; b : boolean; c : boolean; {constraint}");
        check_slice(&text, "a", "a not alone");
    }
    check_slice("MODULE main VAR a : boolean; b : boolean; INVAR FALSE", "a", "a alone");
    check_slice("MODULE main VAR a : boolean; b : boolean; INVAR a = b", "a", "a b alone");
}

/// The values of some variables in the reachable states.
fn reachable(model: &Model, kept: &[VarId]) -> BTreeSet<Vec<Option<Value>>> {
    let explorer = Explorer::new(model);
    let mut seen: BTreeSet<Values> = explorer.initial().allowed;
    let mut todo: Vec<Values> = seen.iter().cloned().collect();
    while let Some(state) = todo.pop() {
        for (_, next) in explorer.successors(&state).allowed {
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    seen.iter().map(|state| kept.iter().map(|var| state[var.0 as usize]).collect()).collect()
}

#[test]
fn a_slice_reaches_the_same_values_as_the_whole() {
    let mut n_slices = 0;
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild: false, max_states: 36 });
        let (mut model, _) = read(&sketch.text, &[]);
        let var = VarId(rng.u32(..model.vars.len() as u32));
        let root = model.var_expr(var);
        let cone = cone(&model, &[root]);
        let Some(sliced) = slice(&model, &cone) else { continue };
        let is_state = |v: &&VarId| model.var(**v).kind != trapline_model::VarKind::Input;
        let kept: Vec<VarId> = cone.iter().filter(is_state).copied().collect();
        n_slices += usize::from(cone.len() < model.vars.len());
        let (part, whole) = (reachable(&sliced, &kept), reachable(&model, &kept));
        assert_eq!(part, whole, "{}\n{}", names(&model, &cone), sketch.text);
        let exprs = sliced.assigns.iter().map(|a| a.expr);
        let constraints = sliced.constraints.iter().map(|c| c.body.expr);
        let read = support(&sliced, exprs.chain(constraints)).all();
        assert!(read.iter().all(|var| cone.contains(var)), "{}", sketch.text);
    }
    assert!(n_slices > 60, "only {n_slices} models were cut down");
}
