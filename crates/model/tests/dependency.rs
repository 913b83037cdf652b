//! Dependencies: what can influence a variable.

use expect_test::{Expect, expect};
use trapline_model::dependency::dependencies;
use trapline_model::{Model, VarId};

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
