//! Contexts and what they declare.

use super::{check_all, context, declarations};

#[test]
fn contexts_have_parameters() {
    check_all(
        context,
        &[
            ("c: CONTEXT = BEGIN x: T; END", "c{}\nconstant x(): T\n"),
            (
                "c{N, M: nat; T: TYPE}: context = begin x: T; end",
                "c{N: nat; M: nat; T: TYPE}\nconstant x(): T\n",
            ),
            (
                "c{; N: nat, B: {x: nat | x > 1};}: CONTEXT = BEGIN x: T; END",
                "c{N: nat; B: (Comprehension x nat (Gt x 1))}\nconstant x(): T\n",
            ),
            ("c{}: CONTEXT = BEGIN x: T; END", "c{}\nconstant x(): T\n"),
        ],
    );
}

#[test]
fn everything_can_be_declared() {
    check_all(
        declarations,
        &[
            ("T: TYPE;", "type T"),
            ("T: TYPE = [0..3];", "type T = (RangeType 0 3)"),
            ("T: TYPE = {a, b};", "type T = {a,b}"),
            ("T: TYPE = {a};", "type T = {a}"),
            ("T: TYPE = {x: U | p};", "type T = (Comprehension x U p)"),
            ("T: TYPE = SCALARSET(n + 1);", "type T = scalarset (Add n 1)"),
            ("T: TYPE = ringset(3);", "type T = ringset 3"),
            (
                "T: TYPE = DATATYPE nil, cons(car: U, cdr, x: T) END;",
                "type T = datatype nil(), cons(car:U;cdr,x:T)",
            ),
            ("d: CONTEXT = e{3; T};", "context d = e{3, T}"),
            ("d: CONTEXT = e;", "context d = e"),
            ("m: MODULE = a [] b;", "module m[] = ([] a b)"),
            ("m[x, y: T, z: U]: MODULE = BEGIN END;", "module m[x,y:T;z:U] = {}"),
            ("p: THEOREM m |- G(a = b);", "claim p: m |- (Apply G (Eq a b))"),
            ("p: lemma a || b |- q;", "claim p: (|| a b) |- q"),
            ("p: CLAIM m IMPLEMENTS n [] o;", "claim p: m implements ([] n o)"),
            ("p: OBLIGATION m[3] |- q;", "claim p: m[3] |- q"),
            ("x: T;", "constant x(): T"),
            ("x: T = a = b;", "constant x(): T = (Eq a b)"),
            ("f(x, y: T, z: U): V = x;", "constant f(x,y:T;z:U): V = x"),
            ("f(x: T): V;", "constant f(x:T): V"),
            ("IMPORTING d{3};", "import d{3}"),
            ("IMPORTING d WITH a TO b, e TO f;", "import d a>b e>f"),
            ("importing d with (a TO b, e TO f);", "import d a>b e>f"),
        ],
    );
}

#[test]
fn keywords_are_keywords_in_any_case() {
    assert_eq!(declarations("T: Type; m: mOdUlE = Begin eNd;"), "type T\nmodule m[] = {}");
}
