//! What becomes an assignment, and what stays a constraint.

use std::borrow::Cow;

use trapline_model::{AssignKind, ConstraintKind, Model};

use super::{Form, formed, functional_form, with_choices};
use trapline_testkit::read;

/// The assignments that the plain model has more than the model, then its constraints.
fn shown(model: &Model) -> Vec<String> {
    shown_as(model, functional_form(model))
}

fn shown_as(model: &Model, functional: Cow<'_, Model>) -> Vec<String> {
    if let Cow::Borrowed(_) = functional {
        return vec!["as it is".into()];
    }
    let mut lines = Vec::new();
    for assign in &functional.assigns[model.assigns.len()..] {
        let name = &functional.var(assign.var).name;
        let target = match assign.kind {
            AssignKind::Init => format!("init({name})"),
            AssignKind::Next => format!("next({name})"),
            AssignKind::Current => name.to_string(),
        };
        lines.push(format!("{target} := {}", functional.show_expr(assign.expr)));
    }
    for constraint in &functional.constraints {
        let keyword = match constraint.kind {
            ConstraintKind::Init => "INIT",
            ConstraintKind::Invar => "INVAR",
            ConstraintKind::Trans => "TRANS",
        };
        lines.push(format!("{keyword} {}", functional.show_expr(constraint.body.expr)));
    }
    lines
}

const VARS: &str = "MODULE main VAR x : 0..3; y : 0..3; z : 0..3; b : boolean; c : boolean;
    e : {p, q, r}; w : unsigned word[2]; IVAR i : 0..3; j : boolean; FROZENVAR f : 0..3;\n";

#[track_caller]
fn check(rules: &str, expected: &[&str]) {
    let (model, _) = read(&format!("{VARS}{rules}"), &[]);
    assert_eq!(shown(&model), expected, "{rules}");
    let once = functional_form(&model);
    assert!(matches!(functional_form(&once), Cow::Borrowed(_)), "twice is once\n{rules}");
}

#[track_caller]
fn check_kept(rules: &str) {
    check(rules, &["as it is"]);
}

#[test]
fn an_equation_becomes_an_assignment() {
    check("INVAR x = y", &["x := y"]);
    check("INIT x = y", &["init(x) := y"]);
    check("TRANS next(x) = y", &["next(x) := y"]);
    check("TRANS y = next(x)", &["next(x) := y"]);
    check("INVAR e = (b ? p : r)", &["e := case b : p; TRUE : r; esac"]);
    check("INVAR x = y & y = z", &["x := y", "y := z"]);
    check("TRANS next(w) = w + 0ud2_1", &["next(w) := w + 0ud2_1"]);
    check("INVAR b <-> x > y", &["b := x > y"]);
    check("INVAR b xnor c", &["b := c"]);
    check("INIT x = 0 & y = 1 INVAR z = 2", &["z := 2", "init(x) := 0", "init(y) := 1"]);
}

#[test]
fn a_literal_is_an_equation() {
    check("INVAR b & !c", &["b := TRUE", "c := FALSE"]);
    check("INIT !b", &["init(b) := FALSE"]);
    check("TRANS next(b) & !next(c)", &["next(b) := TRUE", "next(c) := FALSE"]);
    check_kept("TRANS b");
    check_kept("INVAR b | c");
}

#[test]
fn what_else_a_conjunction_says_stays() {
    check("INVAR x = y & y < z", &["x := y", "INVAR y < z"]);
    check(
        "TRANS (j -> next(x) = y & b) & (!j -> next(x) = 0)",
        &["next(x) := case j : y; TRUE : 0; esac", "TRANS j -> b"],
    );
    check("INVAR x = y INVAR x = z", &["x := y", "z := x"]);
    check("INVAR x = 1 INVAR x = 2", &["x := 1", "INVAR x = 2"]);
}

#[test]
fn guards_must_leave_out_no_case() {
    check(
        "TRANS (j -> next(x) = y) & (!j -> next(x) = 0)",
        &["next(x) := case j : y; TRUE : 0; esac"],
    );
    check_kept("TRANS j -> next(x) = y");
    check_kept("TRANS (i = 0 -> next(x) = y) & (i = 1 -> next(x) = 0) & (i = 2 -> next(x) = 1)");
    check(
        "TRANS i = 0 -> next(x) = y TRANS i in {1, 3} -> next(x) = 0 TRANS i = 2 -> next(x) = 1",
        &["next(x) := case i = 0 : y; i in 1 union 3 : 0; TRUE : 1; esac"],
    );
    check("INVAR b -> x = 1 INVAR !b -> x = 2", &["x := case b : 1; TRUE : 2; esac"]);
    check("INIT (b -> x = 1) & (!b -> x = 2)", &["init(x) := case b : 1; TRUE : 2; esac"]);
}

#[test]
fn a_guard_may_be_written_in_many_ways() {
    check(
        "TRANS (!(i < 2) | next(x) = y) & (!(i > 1) | next(x) = 0)",
        &["next(x) := case i < 2 : y; TRUE : 0; esac"],
    );
    check_kept("TRANS (!j | next(x) = y) & (j | next(x) = 0)");
    check(
        "TRANS case j : next(x) = y; b : next(x) = 0; TRUE : next(x) = x; esac",
        &["next(x) := case j : y; !j & b : 0; TRUE : x; esac"],
    );
    check("TRANS j ? next(x) = y : next(x) = 0", &["next(x) := case j : y; TRUE : 0; esac"]);
    check(
        "TRANS j -> (b -> next(x) = y) & (!b -> next(x) = 1) TRANS !j -> next(x) = 0",
        &["next(x) := case j & b : y; j & !b : 1; TRUE : 0; esac"],
    );
}

#[test]
fn a_define_is_its_body() {
    check("DEFINE d := x = y; INVAR d", &["x := y"]);
    check("DEFINE d := next(x) = y & !next(b); TRANS d", &["next(x) := y", "next(b) := FALSE"]);
    check("DEFINE d := y; INVAR x = d", &["x := d"]);
    check_kept("DEFINE d := x; INVAR x = d");
    check_kept("DEFINE d := y > 1; INVAR d -> x = 1");
}

#[test]
fn what_overlaps_stays_a_constraint() {
    // What holds anyway comes first.
    check("TRANS (j -> next(x) = y) & next(x) = 0", &["next(x) := 0", "TRANS j -> next(x) = y"]);
    check(
        "TRANS (i < 2 -> next(x) = y) & (i > 0 -> next(x) = 0)",
        &["next(x) := case i < 2 : y; TRUE : 0; esac", "TRANS i > 0 -> next(x) = 0"],
    );
    // Nothing is left for the last one to say first.
    check(
        "TRANS (j -> next(x) = y) & (!j -> next(x) = 0) & (b -> next(x) = 1)",
        &["next(x) := case j : y; TRUE : 0; esac", "TRANS b -> next(x) = 1"],
    );
}

#[test]
fn no_circle_is_made() {
    check("INVAR x = y & y = x", &["x := y", "INVAR y = x"]);
    check("INVAR x = y & y = z & z = x", &["x := y", "y := z", "INVAR z = x"]);
    check_kept("INVAR x = x");
    check_kept("TRANS next(x) = next(x)");
    check_kept("INVAR x = (b ? x : y)");
    check(
        "TRANS next(x) = next(y) & next(y) = next(x)",
        &["next(x) := next(y)", "TRANS next(y) = next(x)"],
    );
    check_kept("TRANS next(x) = (next(x) > 1 ? 1 : 2)");
    let guarded = "TRANS (next(y) = 1 -> next(x) = 1) & (next(y) != 1 -> next(x) = 2)";
    check(
        &format!("{guarded} & (b -> next(y) = next(x)) & (!b -> next(y) = 0)"),
        &[
            "next(x) := case next(y) = 1 : 1; TRUE : 2; esac",
            "TRANS b -> next(y) = next(x)",
            "TRANS !b -> next(y) = 0",
        ],
    );
    // The next value may depend on the value before.
    check("TRANS next(x) = y & next(y) = x", &["next(x) := y", "next(y) := x"]);
}

#[test]
fn no_circle_is_made_with_assignments() {
    check_kept("ASSIGN y := x; INVAR x = y");
    check_kept("ASSIGN next(y) := next(x); TRANS next(x) = next(y)");
    check_kept("ASSIGN init(y) := x; INIT x = y");
    check_kept("ASSIGN next(y) := next(x); INVAR x = y");
    check_kept("ASSIGN init(y) := x; INVAR x = y");
    check_kept("ASSIGN y := x; TRANS next(x) = next(y)");
    check("ASSIGN next(y) := next(x); INIT x = y", &["init(x) := y"]);
    check("ASSIGN next(y) := x; TRANS next(x) = next(y)", &["next(x) := next(y)"]);
    check("INVAR y = x INIT x = y", &["y := x", "INIT x = y"]);
}

#[test]
fn values_outside_of_the_type_are_no_assignment() {
    check_kept("TRANS next(x) = y + 1");
    check_kept("INVAR x = 4");
    check_kept("INVAR x = y - 1");
    check_kept("VAR n : 0..9; INVAR x = n ASSIGN n := 1;");
    check("VAR n : 0..9; INVAR x = n", &["n := x"]);
    check("TRANS next(x) = (y + 1) mod 4", &["next(x) := (y + 1) mod 4"]);
    check_kept("TRANS next(x) = (y < 3 ? y + 1 : 0)");
    check("VAR g : {q, p}; INVAR g = e", &["e := g"]);
    check_kept("VAR g : {q, s}; INVAR g = e");
    check("VAR h : {0, 2}; INVAR h = x", &["x := h"]);
    check_kept("VAR h : {0, 5}; INVAR h = x");
    check("VAR h : {0, 2}; INVAR h = (b ? 0 : 2)", &["h := case b : 0; TRUE : 2; esac"]);
    check_kept("VAR h : {0, 2}; INVAR h = (b ? 0 : 1)");
}

#[test]
fn what_may_have_no_value_is_no_assignment() {
    check_kept("TRANS next(x) = y / z");
    check_kept("INVAR b = (1 mod x = 0)");
    check_kept("INVAR x = case b : 1; c : 2; esac");
    check_kept("VAR a : array 0..1 of 0..3; TRANS next(x) = a[y]");
    check("VAR a : array 0..3 of 0..3; k : 0..1; TRANS next(a[0]) = a[1]", &["next(a[0]) := a[1]"]);
    // Nor is what stands beside.
    check_kept("TRANS next(x) = 0 & y / z = 1");
    check_kept("TRANS (y / z = 1 -> next(x) = 0) & (y / z != 1 -> next(x) = 1)");
    check("TRANS next(x) = 0 TRANS y / z = 1", &["next(x) := 0", "TRANS y / z = 1"]);
}

/// That the only value of a variable is its value may be known though the guard has none.
#[test]
fn a_guard_without_a_value_gives_none() {
    let text = "MODULE main VAR s : 1..1; z : 0..2; n : boolean;
        INVAR (1 / z = 1) -> s = 1 INVAR z != 1 -> s = 1 INIT n";
    let (model, _) = read(text, &[]);
    assert_eq!(
        shown(&model),
        ["init(n) := TRUE", "INVAR 1 / z = 1 -> s = 1", "INVAR z != 1 -> s = 1",]
    );
}

#[test]
fn what_is_assigned_stays_so() {
    check("ASSIGN x := 0; INVAR x = y", &["y := x"]);
    check_kept("ASSIGN x := 0; INVAR x = 1");
    check("ASSIGN x := 0; INIT x = f", &["init(f) := x"]);
    check_kept("ASSIGN x := 0; INIT x = 1");
    check_kept("ASSIGN x := 0; TRANS next(x) = y");
    check_kept("ASSIGN init(x) := 0; INIT x = 1");
    check_kept("ASSIGN next(x) := 0; TRANS next(x) = y");
    check_kept("ASSIGN init(x) := 0; INVAR x = f");
    check_kept("ASSIGN next(x) := 0; INVAR x = f");
    check("ASSIGN init(x) := 0; TRANS next(x) = y", &["next(x) := y"]);
    check("ASSIGN next(x) := 0; INIT x = y", &["init(x) := y"]);
    check(
        "INVAR x = y INIT x = 0 TRANS next(x) = z",
        &["x := y", "INIT x = 0", "TRANS next(x) = z"],
    );
}

#[test]
fn inputs_and_frozen_variables_keep_their_constraints() {
    check_kept("TRANS i = 0");
    check_kept("TRANS j");
    check_kept("TRANS i = x");
    check_kept("INVAR f = 2");
    check("INIT f = x", &["init(f) := x"]);
    check("INVAR f = x", &["x := f"]);
    check("TRANS next(x) = i & (next(b) <-> j)", &["next(x) := i", "next(b) := j"]);
}

#[test]
fn a_model_without_equations_is_not_copied() {
    check_kept("");
    check_kept("ASSIGN init(x) := 0; next(x) := y; z := 1;");
    check_kept("INVAR x < y INIT x + y = 3 TRANS next(x) > x | next(y) > y");
    check_kept("INVAR x in {1, 2} TRANS next(x) != x");
}

/// The same for the model with choices in place of alternatives: the new inputs, too.
#[track_caller]
fn check_split(rules: &str, expected: &[&str]) {
    let (model, _) = read(&format!("{VARS}{rules}"), &[]);
    let split_model = formed(&model, Form::WithChoices);
    let inputs = split_model.vars[model.vars.len()..].iter();
    let mut lines: Vec<String> =
        inputs.map(|var| format!("{} : {:?}", var.name, var.domain)).collect();
    lines.extend(shown_as(&model, split_model.clone()));
    assert_eq!(lines, expected, "{rules}");
    assert!(matches!(with_choices(&split_model), Cow::Borrowed(_)), "twice is once\n{rules}");
}

#[test]
fn alternatives_that_the_state_tells_apart_need_no_choice() {
    check_split(
        "TRANS (b & next(x) = 1 & next(y) = y) | (!b & next(x) = x & next(y) = z)",
        &[
            "next(x) := case b : 1; TRUE : x; esac",
            "next(y) := case b : y; TRUE : z; esac",
            "TRANS b | !b",
        ],
    );
    // Where none of them can be taken there is no step.
    check_split(
        "TRANS (x = 0 & next(x) = 1) | (x = 1 & next(x) = 2 & j)",
        &["next(x) := case x = 0 : 1; TRUE : 2; esac", "TRANS x = 0 | x = 1 & j"],
    );
    check_split(
        "TRANS (i = 0 & next(x) = 1) | (i != 0 & next(x) = x)",
        &["next(x) := case i = 0 : 1; TRUE : x; esac", "TRANS i = 0 | i != 0"],
    );
}

#[test]
fn what_most_alternatives_keep_is_said_once() {
    check_split(
        "TRANS (x = 0 & next(y) = y) | (x = 1 & next(y) = 1) | (x = 2 & next(y) = y)",
        &["next(y) := case x = 1 : 1; TRUE : y; esac", "TRANS x = 0 | x = 1 | x = 2"],
    );
}

#[test]
fn which_of_the_others_is_taken_is_a_choice() {
    check_split(
        "TRANS next(x) = 0 | next(x) = x",
        &["(choice 10) : Range(0, 1)", "next(x) := case (choice 10) = 0 : 0; TRUE : x; esac"],
    );
    check_split(
        "TRANS (b & next(x) = 0) | (b & j & next(x) = 1) | (!b & next(x) = x)",
        &[
            "(choice 10) : Range(0, 1)",
            "next(x) := case b & (choice 10) = 0 : 0; b & (choice 10) = 1 : 1; TRUE : x; esac",
            "TRANS b | !b",
            "TRANS b & (choice 10) = 1 -> j",
        ],
    );
}

#[test]
fn a_variable_that_an_alternative_leaves_open_may_be_anything() {
    check_split(
        "TRANS (b & next(x) = 1) | !b & next(y) = 2",
        &[
            "(choice 10) : Range(0, 3)",
            "(choice 11) : Range(0, 3)",
            "next(x) := case b : 1; TRUE : (choice 10); esac",
            "next(y) := case !b : 2; TRUE : (choice 11); esac",
            "TRANS b | !b",
        ],
    );
    check_split(
        "TRANS j -> next(x) = y",
        &["(choice 10) : Range(0, 3)", "next(x) := case j : y; TRUE : (choice 10); esac"],
    );
}

#[test]
fn what_says_it_again_counts_where_both_do() {
    check_split(
        "TRANS (b & next(x) = 1) | (!b & next(x) = x) TRANS i = 0 -> next(x) = y",
        &[
            "next(x) := case b : 1; !b : x; TRUE : y; esac",
            "TRANS b | !b",
            "TRANS i = 0 & (b | !b) -> next(x) = y",
        ],
    );
}

#[test]
fn alternatives_that_say_nothing_or_have_no_value_stay() {
    check_split("TRANS next(x) > x | next(y) > y", &["as it is"]);
    check_split("INVAR x = 1 | x = 2", &["as it is"]);
    check_split("TRANS (y / z = 1 & next(x) = 0) | next(x) = 1", &["as it is"]);
    check_split("ASSIGN next(x) := y; TRANS next(x) = 0 | next(x) = 1", &["as it is"]);
}
