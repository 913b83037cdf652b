//! What the user reads, and where parsing goes on.

use expect_test::{Expect, expect};

use super::errors;

fn check(body: &str, expected: Expect) {
    expected.assert_eq(&errors(&format!("MODULE main\n{body}")));
}

#[test]
fn several_errors_are_reported_in_one_run() {
    check(
        "VAR a boolean; b : ;
  c : boolean
DEFINE d := a b; e = 3;
ASSIGN next(a) := case b : 1; c d; TRUE : 2; esac; x = 5;
  next(b := 1;
TRANS (a & b;
INIT a ]
LTLSPEC G;",
        expect![[r#"
            2:7 syntax: expected `:` and a type, found `boolean`
            2:20 syntax: expected a type, found `;`
            4:1 syntax: expected `;` after the type, found `DEFINE`
            4:15 syntax: expected `;` after the definition, found `b`
            4:20 syntax: expected `:=`, found `=`; write `:=` to say what a name stands for
            5:33 syntax: expected `:` after the condition, found `d`
            5:54 syntax: expected `:=`, found `=`; write `:=` to say what a name stands for
            6:10 syntax: expected `)` after the variable, found `:=`
            7:13 syntax: expected `)`, found `;`
            8:8 syntax: expected `;` after the constraint, found `]`
            9:10 syntax: expected an expression, found `;`
        "#]],
    );
}

#[test]
fn a_forgotten_esac_costs_one_error() {
    check(
        "ASSIGN
  next(a) := case b : 1; TRUE : 2;
  next(c) := case d : 1; esac;
  next(d) := ;
  init(e) := case TRUE : 1;
VAR x : boolean;",
        expect![[r#"
            4:11 syntax: expected `:` after the condition, found `:=`; is the `esac` of the `case` missing?
            5:14 syntax: expected an expression, found `;`
            7:1 syntax: expected a condition or `esac`, found `VAR`; is the `esac` of the `case` missing?
        "#]],
    );
}

#[test]
fn a_case_says_what_is_missing() {
    check(
        "DEFINE a := case b 1; esac; c := case b : 1 esac; d := case esac; e := case b : 1; 2 esac;",
        expect![[r#"
            2:20 syntax: expected `:` after the condition, found `1`
            2:45 syntax: expected `;` after the value, found `esac`
            2:61 syntax: expected an expression, found `esac`; a `case` needs a branch, as in `TRUE : 0;`
            2:86 syntax: expected `:` after the condition, found `esac`
        "#]],
    );
}

#[test]
fn habits_from_c_are_understood() {
    check(
        "INIT a == b && c || !d // why
INVAR a != b;
VAR b : bool;
INVARSPEC a := b;",
        expect![[r#"
            2:8 syntax: use `=`, not `==`
            2:13 syntax: use `&`, not `&&`
            2:18 syntax: use `|`, not `||`
            2:24 syntax: a comment begins with `--`, not with `//`; write `--`
            4:9 syntax: expected a type, found `bool`; write `boolean`
            5:13 syntax: expected `;` after the property, found `:=`; to compare two values write `=`
        "#]],
    );
}

#[test]
fn reserved_words_are_no_names() {
    check(
        "VAR min : 0..3; x : {A, b, INIT, U}; INIT : boolean;
DEFINE next := 3; y := a.F; z := x = init; v := T & E; u := max;
MODULE U(a)
VAR a : boolean;
MODULE b(X)
VAR c boolean;",
        expect![[r#"
            2:5 reserved-word: `min` is a reserved word; pick another name
            2:22 reserved-word: `A` is a reserved word; pick another name
            2:28 reserved-word: `INIT` is a reserved word; pick another name
            2:34 reserved-word: `U` is a reserved word; pick another name
            2:38 reserved-word: `INIT` is a reserved word; pick another name
            3:8 reserved-word: `next` is a reserved word; pick another name
            3:26 reserved-word: `F` is a reserved word; pick another name
            3:38 reserved-word: `init` is a reserved word; pick another name
            3:49 syntax: expected an expression, found `T`; `T` is a temporal operator and cannot be a name
            3:64 syntax: expected `(` after `max`, found `;`; `max` is a function and cannot be a name
            4:8 reserved-word: `U` is a reserved word; pick another name
            6:10 reserved-word: `X` is a reserved word; pick another name
            7:7 syntax: expected `:` and a type, found `boolean`
        "#]],
    );
}

#[test]
fn misplaced_entries_are_explained() {
    check(
        "VAR a : boolean; b := a; init(a) := 1; next(a) := 2; c 3;
DEFINE a[i] := 3; b : boolean; INIT a; a := b;",
        expect![[r#"
            2:20 syntax: expected `:` and a type, found `:=`; definitions follow `DEFINE`
            2:26 syntax: expected a declaration, found `init`; assignments follow `ASSIGN`
            2:56 syntax: expected `:=`, found `3`
            3:8 syntax: the index in a declared name must be an integer
            3:21 syntax: expected `:=`, found `:`
            3:40 syntax: expected a section such as `VAR` or `ASSIGN`, found `a`
        "#]],
    );
}

#[test]
fn what_we_do_not_have_is_said() {
    check(
        "VAR a : array word[3] of boolean; b : array of boolean;
DEFINE c := READ(a, b); d := f(x); e := CONSTARRAY(typeof(a), 0); g := m.f(x); h := a + [1];
FUN f : boolean -> boolean; g : boolean -> boolean;
VAR a b;",
        expect![[r#"
            2:15 not-supported: arrays indexed by words are not supported; give the range of the indices, as in `array 0..15 of boolean`
            2:45 not-supported: arrays without a range of indices are not supported; give the range of the indices, as in `array 0..15 of boolean`
            3:13 not-supported: word arrays and so `READ` are not supported
            3:30 not-supported: uninterpreted functions (`FUN`) are not supported
            3:41 not-supported: word arrays and so `CONSTARRAY` are not supported
            3:72 not-supported: uninterpreted functions (`FUN`) are not supported
            3:89 syntax: expected an expression, found `[`; an array `[a, b]` can only be the whole body of a definition
            4:1 not-supported: uninterpreted functions (`FUN`) are not supported
            5:7 syntax: expected `:` and a type, found `b`
        "#]],
    );
}

#[test]
fn strange_characters_are_skipped() {
    check(
        "DEFINE a := @b + 3; c := d@@@e \u{a0}; \u{fc} := 2; \"x := 3; 'y' := 4;",
        expect![[r#"
            2:13 bad-character: unknown character `@`
            2:27 bad-character: unknown characters `@@@`
            2:35 bad-character: unknown character `ü`
            2:43 bad-character: this quoted name is not closed on its line
        "#]],
    );
}

#[test]
fn the_end_of_the_text_is_behind_the_last_token() {
    for (body, expected) in [
        ("DEFINE a := b  \n\n", "2:14 syntax: expected `;` after the definition"),
        ("DEFINE a := (b", "2:15 syntax: expected `)`"),
        ("DEFINE a :=", "2:12 syntax: expected an expression"),
        ("VAR a", "2:6 syntax: expected `:` and a type"),
        ("VAR a : {b, -- c", "2:12 syntax: expected a name or an integer"),
        ("COMPUTE", "2:8 syntax: expected `MIN` or `MAX`"),
        ("PSLSPEC always a", "2:17 syntax: expected `;` after the property"),
        ("PSLSPEC", "2:8 syntax: expected a property"),
        ("ISA", "2:4 syntax: expected the name of a module after `ISA`"),
        ("MODULE", "2:7 syntax: expected the name of the module"),
    ] {
        let found = errors(&format!("MODULE main\n{body}"));
        assert_eq!(found, format!("{expected}, found the end of the text\n"), "{body}");
    }
    let found = errors("");
    assert!(found.starts_with("1:1 syntax: expected a `MODULE`, found the end of the text; "));
}

#[test]
fn an_open_comment_hides_what_is_missing_behind_it() {
    check(
        "DEFINE a := b /-- c;\nVAR\n",
        expect![[r#"
        2:15 unterminated-comment: this comment is never closed; close it with `--/`
    "#]],
    );
    check(
        "DEFINE a b /-- c;\nVAR\n",
        expect![[r#"
        2:10 syntax: expected `:=`, found `b`
        2:12 unterminated-comment: this comment is never closed; close it with `--/`
    "#]],
    );
    check(
        "PSLSPEC a & /-- c;\nVAR\n",
        expect![[r#"
        2:13 unterminated-comment: this comment is never closed; close it with `--/`
    "#]],
    );
}

#[test]
fn text_before_the_first_module_is_one_error() {
    expect![[r#"
        1:1 syntax: expected `MODULE`, found `VAR`; a model is a list of modules, and begins with `MODULE main`
        2:18 syntax: expected `:` and a type, found `;`
    "#]]
    .assert_eq(&errors("VAR x : boolean; y; z\nMODULE main VAR a;"));
}
