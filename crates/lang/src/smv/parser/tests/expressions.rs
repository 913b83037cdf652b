//! Precedence, associativity and every kind of operand.

use super::{Grammar, Merged, check_all, load};
use trapline_source::Diagnostics;

fn check(cases: &[(&str, &str)]) {
    check_all(Grammar::Smv, cases);
}

#[test]
fn propositional_operators_nest_as_in_nusmv() {
    check(&[
        ("a -> b -> c", "(Implies a (Implies b c))"),
        ("a <-> b -> c", "(Implies (Iff a b) c)"),
        ("a -> b <-> c", "(Implies a (Iff b c))"),
        ("a <-> b <-> c", "(Iff (Iff a b) c)"),
        ("b | c xor d", "(Xor (Or b c) d)"),
        ("b xnor c | d", "(Or (Xnor b c) d)"),
        ("a | b & c", "(Or a (And b c))"),
        ("a & b | c", "(Or (And a b) c)"),
        ("!a & b", "(And (Not a) b)"),
        ("!a = b", "(Eq (Not a) b)"),
        ("!(a = b)", "(Not (Eq a b))"),
        ("!!a", "(Not (Not a))"),
        ("a & b = c", "(And a (Eq b c))"),
        ("a = b = c", "(Eq (Eq a b) c)"),
        ("a < b != c", "(Ne (Lt a b) c)"),
    ]);
}

#[test]
fn a_conditional_binds_between_iff_and_or() {
    check(&[
        ("a ? b : c ? d : e", "(Ite a b (Ite c d e))"),
        ("a ? b ? c : d : e", "(Ite a (Ite b c d) e)"),
        ("a | b ? c : d | e", "(Ite (Or a b) c (Or d e))"),
        ("a <-> b ? c : d <-> e", "(Iff (Iff a (Ite b c d)) e)"),
        ("a ? b -> c : d -> e", "(Implies (Ite a (Implies b c) d) e)"),
        ("a -> b ? c : d", "(Implies a (Ite b c d))"),
    ]);
}

#[test]
fn arithmetic_binds_tighter_than_sets_and_relations() {
    check(&[
        ("a + b * c - d", "(Sub (Add a (Mul b c)) d)"),
        ("a mod b * c / d", "(Div (Mul (Mod a b) c) d)"),
        ("-a * b", "(Mul (Neg a) b)"),
        ("- a :: b", "(Concat (Neg a) b)"),
        ("!a :: b", "(Concat (Not a) b)"),
        ("a * b :: c", "(Mul a (Concat b c))"),
        ("a << b + c", "(Shl a (Add b c))"),
        ("a >> b << c", "(Shl (Shr a b) c)"),
        ("a >>> b <<< c + d", "(Rol (Ror a b) (Add c d))"),
        ("1 .. 3 + 4", "(Range 1 (Add 3 4))"),
        ("-1 .. 3", "(Range (Neg 1) 3)"),
        ("1..3 union 5..6", "(Union (Range 1 3) (Range 5 6))"),
        ("a in b union c", "(In a (Union b c))"),
        ("a in b = c in d", "(Eq (In a b) (In c d))"),
        ("a in b in c", "(In (In a b) c)"),
        ("a - -1", "(Sub a (Neg 1))"),
        ("a + +1", "(Add a 1)"),
        ("- a . b [ 1 ]", "(Neg ([] (.b a) 1))"),
    ]);
}

#[test]
fn temporal_prefixes_take_a_relation() {
    check(&[
        ("X a = b", "(X (Eq a b))"),
        ("G a -> b", "(Implies (G a) b)"),
        ("AG a & b", "(And (Ag a) b)"),
        ("AG (a -> AF b)", "(Ag (Implies a (Af b)))"),
        ("AG AF a", "(Ag (Af a))"),
        ("! AG a = b", "(Not (Ag (Eq a b)))"),
        ("! AG a & b", "(And (Not (Ag a)) b)"),
        ("G !X !F a", "(G (Not (X (Not (F a)))))"),
        ("a U b U c", "(U (U a b) c)"),
        ("a S b V c T d", "(T (V (S a b) c) d)"),
        ("a & b U c & d", "(And (And a (U b c)) d)"),
        ("X a U Y b", "(U (X a) (Y b))"),
        ("Z a = 1 U H O b", "(U (Z (Eq a 1)) (H (O b)))"),
        ("EX EG EF AX a", "(Ex (Eg (Ef (Ax a))))"),
        ("X a ? b : c", "(Ite (X a) b c)"),
    ]);
}

#[test]
fn bounds_belong_to_their_operator() {
    check(&[
        ("EBF 1..3 a = b", "(Ebf:1..3 (Eq a b))"),
        ("ABG 0..2 EBG -1..+3 ABF 1..1 a", "(Abg:0..2 (Ebg:-1..3 (Abf:1..1 a)))"),
        ("G [2,5] a -> F [0,1] b", "(Implies (G:2..5 a) (F:0..1 b))"),
        ("H [2,5] O [0,1] b", "(H:2..5 (O:0..1 b))"),
        ("A [a BU 1..4 b]", "(Abu:1..4 a b)"),
        ("E [a BU 1..4 -b = 1]", "(Ebu:1..4 a (Eq (Neg b) 1))"),
    ]);
}

#[test]
fn until_in_path_brackets_separates_whole_expressions() {
    check(&[
        ("A [a -> b U c]", "(Au (Implies a b) c)"),
        ("E [a U b -> c]", "(Eu a (Implies b c))"),
        ("E [(a U b) U c]", "(Eu (U a b) c)"),
        ("A [E [a U b] U c]", "(Au (Eu a b) c)"),
        ("! E [a U b] & c", "(And (Not (Eu a b)) c)"),
        ("AG A [a U b]", "(Ag (Au a b))"),
        ("A [a ? b : c U d]", "(Au (Ite a b c) d)"),
    ]);
}

#[test]
fn a_temporal_operator_is_no_operand_of_a_tighter_one() {
    check(&[
        (
            "a = X b",
            "1:5 syntax: expected an expression, found `X`; put what `X` applies to in \
             parentheses, as in `(X p)`\n",
        ),
        (
            "a = ! AG b",
            "1:7 syntax: expected an expression, found `AG`; put what `AG` applies to in \
             parentheses, as in `(AG p)`\n",
        ),
        ("a = (X b)", "(Eq a (X b))"),
    ]);
}

#[test]
fn brackets_select_elements_and_bits() {
    check(&[
        ("w[7:0]", "([:] w 7 0)"),
        ("a[i]", "([] a i)"),
        ("a[i][j].c[7:1]", "([:] (.c ([] ([] a i) j)) 7 1)"),
        ("w[c ? 1 : 2 : 0]", "([:] w (Ite c 1 2) 0)"),
        ("self.a.3", "(.3 (.a self))"),
        ("(a).b", "(.b a)"),
        ("(a + b)[1:0]", "([:] (Add a b) 1 0)"),
        ("\"a b\".c", "(.c \"a b\")"),
        ("x-1", "x-1"),
        ("a#$-_9", "a#$-_9"),
    ]);
}

#[test]
fn a_colon_belongs_to_the_innermost_frame() {
    check(&[
        ("case a : b; TRUE : c; esac", "(Case a b TRUE c)"),
        ("case a ? b : c : d; esac", "(Case (Ite a b c) d)"),
        ("case a : b ? c : d; esac", "(Case a (Ite b c d))"),
        ("case a : case b : c; esac; d : e; esac + 1", "(Add (Case a (Case b c) d e) 1)"),
        ("case w[1:0] = 0 : {a, b}; esac", "(Case (Eq ([:] w 1 0) 0) (Set a b))"),
    ]);
}

#[test]
fn functions_take_their_arguments() {
    check(&[
        ("abs(-1)", "(Abs (Neg 1))"),
        ("min(a, b) + max(a, b)", "(Add (Min a b) (Max a b))"),
        ("count(a, b = c, d)", "(Count a (Eq b c) d)"),
        ("next(a) = bool(w)", "(Eq (Next a) (Bool w))"),
        ("word1(a) :: word1(b)", "(Concat (Word1 a) (Word1 b))"),
        ("signed(a) + unsigned(b)", "(Add (Signed a) (Unsigned b))"),
        ("toint(a) + sizeof(b)", "(Add (ToInt a) (SizeOf b))"),
        ("extend(a, 3) :: resize(b, 2)", "(Concat (Extend a 3) (Resize b 2))"),
        ("uwconst(1, 2) = swconst(3, 4)", "(Eq (UwConst 1 2) (SwConst 3 4))"),
        ("floor(x) + floor", "(Add (Floor x) floor)"),
        ("{1, 2..3, a}", "(Set 1 (Range 2 3) a)"),
        ("integer + real + clock", "(Add (Add integer real) clock)"),
    ]);
}

#[test]
fn spans_cover_the_operands_with_their_parentheses() {
    let text = "((a) + (b)) * -c[1]";
    let (sources, file) = load(text);
    let mut merged = Merged::default();
    let code = merged.add_expression(&file, Grammar::Smv, &mut Diagnostics::new());
    let code = merged.program.code(code.unwrap());
    let spans: Vec<_> = code.iter().map(|node| sources.text(node.span)).collect();
    assert_eq!(spans, ["a", "b", "(a) + (b)", "c", "1", "c[1]", "-c[1]", text]);
}
