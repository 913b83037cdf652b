//! Roles: who sets a variable and who sees it, guessed from the model or given by pragmas.

use expect_test::{Expect, expect};
use trapline_lang::{Input, smv};
use trapline_model::roles::timings;
use trapline_model::{Role, Timing};
use trapline_source::{Diagnostics, Sources};

/// The names of each role, inputs with `!` if they go with the step, and whether the model gave no
/// clue; or what is wrong.
fn roles(text: &str) -> String {
    let mut sources = Sources::new();
    let file = sources.add("test.smv", text).expect("small");
    let input = Input::new(file);
    let mut diagnostics = Diagnostics::new();
    let output = smv::read(&input, &mut diagnostics);
    if diagnostics.has_errors() {
        let messages = diagnostics.list().iter().map(|d| format!("{}: {}\n", d.code, d.message));
        return messages.collect();
    }
    let model = &output.model;
    let is_sent_late = |role: Role, timing: Timing| role == Role::Input && timing == Timing::Step;
    let vars = model.vars.iter().zip(timings(model)).map(|(var, timing)| {
        let mark = if is_sent_late(var.role, timing) { "!" } else { "" };
        (format!("{}{mark}", var.name), var.role)
    });
    let defines = model.defines.iter().map(|define| (define.name.clone(), define.role));
    let all: Vec<_> = vars.chain(defines).collect();
    let mut shown = String::new();
    for (role, title) in
        [(Role::Input, "input"), (Role::Output, "output"), (Role::Internal, "internal")]
    {
        let names: Vec<&str> =
            all.iter().filter(|(_, r)| *r == role).map(|(name, _)| name.as_str()).collect();
        if !names.is_empty() {
            shown += &format!("{title}: {}\n", names.join(" "));
        }
    }
    if output.has_no_roles {
        shown += "no clue\n";
    }
    shown
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&roles(text));
}

#[test]
fn an_ivar_is_an_input_whatever_ties_it() {
    check(
        "MODULE main IVAR i : boolean; VAR x : boolean; ASSIGN next(x) := i; TRANS i -> x",
        expect![[r#"
            input: i!
            output: x
        "#]],
    );
}

#[test]
fn a_variable_without_next_and_current_value_is_an_input() {
    check(
        "MODULE main VAR free : boolean; only_init : 0..3; x : 0..3; y : boolean;
         ASSIGN init(only_init) := 2; next(x) := only_init; y := free;",
        expect![[r#"
            input: free only_init!
            output: x y
        "#]],
    );
}

#[test]
fn a_constant_set_or_range_is_no_more_than_the_type() {
    check(
        "MODULE main VAR range : 0..9; set : {a, b, c}; both : boolean; current : 0..9;
           named : 0..9; two_ranges : 0..9; x : 0..9;
         DEFINE some := {1, 2};
         ASSIGN next(range) := 0..3; next(set) := {a, c}; next(both) := {TRUE, FALSE};
           current := {3, 4}; next(named) := some; next(two_ranges) := 0..1 union 3..4;
           init(x) := {1, 2}; next(x) := x;",
        expect![[r#"
            input: range set both current named two_ranges
            output: x
            internal: some
        "#]],
    );
}

#[test]
fn a_single_value_or_one_that_reads_something_is_an_output() {
    check(
        "MODULE main VAR one : 0..9; only : 0..9; itself : 0..9; mixed : 0..9; chosen : 0..9;
           free : boolean;
         ASSIGN next(one) := 1; next(only) := {1}; next(itself) := itself;
           next(mixed) := {1, one}; next(chosen) := free ? {1, 2} : {3, 4};",
        expect![[r#"
            input: free!
            output: one only itself mixed chosen
        "#]],
    );
}

#[test]
fn a_frozen_variable_is_no_input() {
    check(
        "MODULE main FROZENVAR f : 0..3; VAR x : 0..3; ASSIGN next(x) := f;",
        expect![[r#"
            output: f x
        "#]],
    );
}

#[test]
fn a_define_is_an_output() {
    check(
        "MODULE main VAR i : boolean; x : boolean; DEFINE d := i; ASSIGN next(x) := d;",
        expect![[r#"
            input: i
            output: x d
        "#]],
    );
}

#[test]
fn a_step_constraint_ties_the_next_value_to_what_is_no_input() {
    check(
        "MODULE main VAR tied : boolean; x : boolean; ASSIGN next(x) := !x;
         TRANS next(tied) = x",
        expect![[r#"
            output: tied x
        "#]],
    );
    check(
        "MODULE main VAR tied : boolean; x : boolean; ASSIGN next(x) := !x;
         TRANS next(tied) = next(x)",
        expect![[r#"
            output: tied x
        "#]],
    );
    check(
        "MODULE main VAR tied : boolean; x : boolean; ASSIGN next(x) := !x;
         DEFINE d := next(tied); TRANS d = x",
        expect![[r#"
            output: tied x
            internal: d
        "#]],
    );
    check(
        "MODULE main FROZENVAR f : boolean; VAR tied : boolean; x : boolean;
         ASSIGN next(x) := !x; TRANS next(tied) = f",
        expect![[r#"
            output: f tied x
        "#]],
    );
}

#[test]
fn a_tie_reaches_through_other_variables() {
    check(
        "MODULE main VAR a : boolean; b : boolean; c : boolean; x : boolean;
         ASSIGN next(x) := !x; TRANS next(a) = b TRANS next(b) = c TRANS next(c) = x",
        expect![[r#"
            output: a b c x
        "#]],
    );
}

#[test]
fn ties_among_inputs_leave_them_inputs() {
    check(
        "MODULE main IVAR go : boolean; VAR a : boolean; b : boolean; x : boolean;
         ASSIGN next(x) := a; TRANS next(a) -> !a TRANS next(b) = a TRANS go -> next(b)",
        expect![[r#"
            input: go! a b
            output: x
        "#]],
    );
}

#[test]
fn only_the_next_value_is_tied() {
    check(
        "MODULE main VAR i : boolean; x : boolean; y : boolean;
         ASSIGN next(x) := !x; TRANS next(y) = (i & x) INVAR i -> x INIT i = x",
        expect![[r#"
            input: i
            output: x y
        "#]],
    );
}

#[test]
fn a_pure_trans_model_gives_no_clue() {
    check(
        "MODULE main VAR i : boolean; x : boolean; ASSIGN init(x) := FALSE;
         TRANS next(x) = (x | i)",
        expect![[r#"
            output: i x
            no clue
        "#]],
    );
    check(
        "MODULE main IVAR i : boolean; VAR x : boolean; TRANS next(x) = (x | i)",
        expect![[r#"
            input: i!
            output: x
        "#]],
    );
    check(
        "MODULE main VAR i : boolean; x : boolean; TRANS next(x) = (x | i)
         -- @input i",
        expect![[r#"
            input: i!
            output: x
        "#]],
    );
}

#[test]
fn a_model_without_any_rule_is_all_inputs() {
    check(
        "MODULE main VAR i : boolean; INIT i",
        expect![[r#"
        input: i
    "#]],
    );
}

#[test]
fn nobody_controls_which_process_runs() {
    check(
        "MODULE p VAR x : boolean; ASSIGN next(x) := {TRUE, FALSE};
         MODULE main VAR i : boolean; a : process p; b : process p;",
        expect![[r#"
            input: i
            output: a.x b.x
            internal: _process_selector_ a.running b.running running
        "#]],
    );
    check(
        "MODULE p VAR y : boolean; TRANS running -> next(y) = y
         MODULE main VAR i : boolean; x : boolean; a : process p; ASSIGN next(x) := i;",
        expect![[r#"
            input: i!
            output: x a.y
            internal: _process_selector_ a.running running
        "#]],
    );
    check(
        "MODULE p VAR y : boolean; MODULE main VAR a : process p; TRANS next(a.y) = !a.y",
        expect![[r#"
            output: a.y
            internal: _process_selector_ a.running running
            no clue
        "#]],
    );
}

#[test]
fn pragmas_overrule_the_guess() {
    check(
        "MODULE main VAR i : boolean; x : boolean; y : boolean; DEFINE d := x; e := y;
         -- @output i
         -- @input x
         -- @internal y d
         ASSIGN next(x) := i; next(y) := x;",
        expect![[r#"
            input: x!
            output: i
            internal: y d e
        "#]],
    );
}

#[test]
fn the_last_pragma_counts() {
    check(
        "MODULE main VAR x : boolean;
         -- @input x
         -- @internal x
         ASSIGN next(x) := !x;",
        expect![[r#"
            internal: x
        "#]],
    );
}

#[test]
fn a_pragma_in_a_module_is_about_each_instance() {
    check(
        "MODULE cell(feed) VAR x : boolean; hidden : boolean; DEFINE d := x;
         -- @internal hidden d
         ASSIGN next(x) := feed; next(hidden) := x;
         MODULE main VAR i : boolean; a : cell(i); b : cell(a.x); hidden : boolean;
         ASSIGN next(hidden) := i;",
        expect![[r#"
            input: i!
            output: a.x b.x hidden
            internal: a.hidden b.hidden a.d b.d
        "#]],
    );
}

#[test]
fn a_pragma_names_whole_instances_and_arrays() {
    check(
        "MODULE cell VAR x : boolean; DEFINE d := x; ASSIGN next(x) := !x;
         MODULE main VAR c : cell; c2 : cell; q : array 0..1 of boolean; q2 : boolean;
         -- @internal c
         -- @output q
         ASSIGN next(q2) := !q2;",
        expect![[r#"
            output: q[0] q[1]
            internal: c.x c2.x q2 c.d c2.d
        "#]],
    );
    check(
        "MODULE main VAR q : array 0..1 of boolean;
         -- @output q[1]",
        expect![[r#"
            input: q[0]
            output: q[1]
        "#]],
    );
}

#[test]
fn a_pragma_about_nothing_is_an_error() {
    check(
        "MODULE main VAR x : boolean;
         -- @input y",
        expect![[r#"
            unknown-name: there is no variable or definition `y` to give a role
        "#]],
    );
}

#[test]
fn constants_and_what_is_about_steps_are_internal() {
    check(
        "MODULE main IVAR i : boolean; VAR x : 0..3; DEFINE top := 3; half := top - 1;
           rises := next(x) > x; goes := i; high := x > half;
         ASSIGN next(x) := i ? top : x;",
        expect![[r#"
            input: i!
            output: x high
            internal: top half rises goes
        "#]],
    );
}

#[test]
fn once_outputs_are_named_nothing_else_is_one() {
    check(
        "MODULE main VAR i : boolean; x : boolean; y : boolean; DEFINE d := x; c := TRUE;
         ASSIGN next(x) := i; next(y) := x;
         -- @output y c",
        expect![[r#"
            input: i!
            output: y c
            internal: x d
        "#]],
    );
}

#[test]
fn an_input_that_only_decides_the_next_state_goes_with_the_step() {
    check(
        "MODULE main VAR cmd : {go, halt}; out : boolean;
         ASSIGN next(out) := case cmd = go : TRUE; TRUE : out; esac;",
        expect![[r#"
            input: cmd!
            output: out
        "#]],
    );
    // Also by way of a constraint, or a definition that nobody sees.
    check(
        "MODULE main VAR cmd : {go, halt}; key : boolean; out : boolean;
         DEFINE goes := cmd = go;
         ASSIGN next(out) := goes; TRANS key -> next(out) = out
         -- @output out",
        expect![[r#"
            input: cmd! key!
            output: out
            internal: goes
        "#]],
    );
}

#[test]
fn an_input_that_shows_in_its_own_state_goes_with_it() {
    for rest in [
        "DEFINE goes := cmd;",
        "VAR lamp : boolean; ASSIGN lamp := cmd;",
        "INVAR cmd -> out",
        "INIT cmd = out",
        "ASSIGN init(out) := cmd;",
        "VAR lamp : boolean; hidden : boolean; INVAR cmd -> hidden ASSIGN lamp := hidden;
         -- @internal hidden
        ",
        "TRANS next(cmd) -> !cmd",
        "VAR o2 : boolean; ASSIGN next(o2) := next(cmd);",
        "VAR hidden : boolean; o2 : boolean; ASSIGN hidden := cmd; next(o2) := next(hidden);
         -- @internal hidden
        ",
        "VAR hidden : boolean; o2 : boolean; ASSIGN hidden := cmd; TRANS next(hidden) -> next(o2)
         -- @internal hidden
        ",
    ] {
        let text = format!(
            "MODULE main VAR cmd : boolean; out : boolean; ASSIGN next(out) := cmd & out;\n{rest}"
        );
        let roles = roles(&text);
        assert!(roles.starts_with("input: cmd\n"), "{roles}\n{text}");
    }
    // A constraint over inputs alone shows nothing.
    check(
        "MODULE main VAR cmd : boolean; mode : boolean; out : boolean;
         ASSIGN next(out) := cmd & mode; INVAR cmd -> mode",
        expect![[r#"
            input: cmd! mode!
            output: out
        "#]],
    );
}

#[test]
fn an_input_that_nothing_reads_goes_with_its_state() {
    check(
        "MODULE main VAR i : boolean; x : boolean; ASSIGN next(x) := !x;",
        expect![[r#"
        input: i
        output: x
    "#]],
    );
}

#[test]
fn a_pragma_says_when_an_input_is_sent() {
    check(
        "MODULE main VAR a : boolean; b : boolean; c : boolean; d : boolean; x : boolean; y : boolean;
         ASSIGN next(x) := a & b; y := c & d;
         -- @input a (state)
         -- @input c d (step)",
        expect![[r#"
            input: a b! c! d!
            output: x y
        "#]],
    );
    check(
        "MODULE main IVAR i : boolean; FROZENVAR f : boolean; VAR x : boolean;
         ASSIGN next(x) := i & f;
         -- @input i (state)
         -- @input f (step)
         -- @output x (step)",
        expect![[r#"
            wrong-timing: `i` can't be sent with its state
            wrong-timing: `f` can't be sent with the step
            wrong-timing: `x` is no input, so it is not sent
        "#]],
    );
}
