//! Expressions and types: their shape, and where they stand.

use trapline_source::{Diagnostics, Span};

use super::{check_all, declarations, empty_context, expression, load};
use crate::sal::parser;
use crate::sal::syntax::Names;

#[test]
fn every_operator_binds_as_tightly_as_the_manual_says() {
    check_all(
        expression,
        &[
            ("a <=> b => c", "(Iff a (Implies b c))"),
            ("a => b <=> c", "(Iff (Implies a b) c)"),
            ("a => b XOR c", "(Implies a (Xor b c))"),
            ("a XOR b OR c", "(Xor a (Or b c))"),
            ("a OR b XOR c", "(Xor (Or a b) c)"),
            ("a OR b AND c", "(Or a (And b c))"),
            ("NOT a AND b", "(And (Not a) b)"),
            ("NOT a = b", "(Not (Eq a b))"),
            ("NOT NOT a", "(Not (Not a))"),
            ("a AND NOT b OR c", "(Or (And a (Not b)) c)"),
            ("a = NOT b = c", "(Eq a (Not (Eq b c)))"),
            ("a < b + c", "(Lt a (Add b c))"),
            ("a + b * c - d", "(Sub (Add a (Mul b c)) d)"),
            ("a DIV b MOD c / d", "(Divide (Mod (Div a b) c) d)"),
            ("- a * b", "(Mul (Neg a) b)"),
            ("a - -b", "(Sub a (Neg b))"),
            ("-a.f[i]", "(Neg (Index (.f a) i))"),
            ("a.f(x)", "(Apply (.f a) x)"),
            ("a + b WITH [i] := c", "(With[] (Add a b) i c)"),
            ("a = b WITH [i] := c = d", "(Eq (Eq a (With[] b i c)) d)"),
        ],
    );
}

#[test]
fn only_implication_associates_to_the_right() {
    for (sign, op) in [
        ("<=>", "Iff"),
        ("XOR", "Xor"),
        ("or", "Or"),
        ("AND", "And"),
        ("=", "Eq"),
        ("/=", "Ne"),
        ("<", "Lt"),
        ("<=", "Le"),
        (">", "Gt"),
        (">=", "Ge"),
        ("+", "Add"),
        ("-", "Sub"),
        ("*", "Mul"),
        ("/", "Divide"),
        ("div", "Div"),
        ("MOD", "Mod"),
    ] {
        let text = format!("a {sign} b {sign} c");
        assert_eq!(expression(&text), format!("({op} ({op} a b) c)"));
    }
    assert_eq!(expression("a => b => c"), "(Implies a (Implies b c))");
}

#[test]
fn bodies_go_on_as_far_as_they_can() {
    check_all(
        expression,
        &[
            ("FORALL (x: T): p => q <=> r", "(Forall x T (Iff (Implies p q) r))"),
            ("a AND EXISTS (x: T): p OR q", "(And a (Exists x T (Or p q)))"),
            ("(FORALL (x: T): p) AND q", "(And (Forall x T p) q)"),
            ("LAMBDA (x, y: T, z: [0..1]): f(x)", "(Lambda x,y;z T (RangeType 0 1) (Apply f x))"),
            ("let x: T = a, y: U = b = c in x + y", "(Let x,y T a U (Eq b c) (Add x y))"),
            ("LET x: T = LET y: T = a IN y IN x", "(Let x T (Let y T a y) x)"),
            ("NOT FORALL (x: T): p AND q", "(Not (Forall x T (And p q)))"),
            ("forall (x: T): exists (y: U): p", "(Forall x T (Exists y U p))"),
        ],
    );
}

#[test]
fn operands() {
    check_all(
        expression,
        &[
            ("x'", "x'"),
            ("x'[i].f.2", "(.2 (.f (Index x' i)))"),
            ("t.1.2", "(.2 (.1 t))"),
            ("12.34", "1234/100"),
            ("x = 0.50 + 1", "(Eq x (Add 50/100 1))"),
            ("0xFf + 0b101", "(Add 255 5)"),
            ("9223372036854775807", "9223372036854775807"),
            ("\"a \\\" text\"", "Text"),
            ("(a)", "a"),
            ("(a, (b, c))", "(Tuple a (Tuple b c))"),
            ("f(a, b)(c)", "(Apply (Apply f a b) c)"),
            ("{a, b + 1}", "(Set a (Add b 1))"),
            ("{x: T | x > 0}", "(Comprehension x T (Gt x 0))"),
            ("(# f := 1, g := {a} #)", "(Record f,g 1 (Set a))"),
            ("[[i: T] a[i]]", "(Array i T (Index a i))"),
            ("[ [i : [0..2]] [ [j: T] 0 ] ]", "(Array i (RangeType 0 2) (Array j T 0))"),
            ("c!x + c{3, T; 5}!y", "(Add c!x (c!y 3 T 5))"),
            ("c{; 3}!x", "(c!x 3)"),
            ("c{3;}!f(x)", "(Apply (c!f 3) x)"),
            ("c{[0..2], {a, b}, [T -> U]}!x", "(c!x (RangeType 0 2) (Set a b) (FunctionType T U))"),
            ("nil?(x)", "(Apply nil? x)"),
            ("&+(x, ~)", "(Apply &+ x ~)"),
            ("And", "And"),
            ("IF a THEN b ELSE c ENDIF", "(If a b c)"),
            ("If a then b elsif c then d elsif e then f else g endif", "(If a b c d e f g)"),
            ("IF a THEN b ELSE c ENDIF.f", "(.f (If a b c))"),
            ("init_pred(m || n) AND TRANS_PRED(c!m)", "(And InitPred:(|| m n) TransPred:c!m)"),
            ("a WITH [i] := 1 WITH .f := 2", "(With.f (With[] a i 1) 2)"),
            ("a WITH .f[i](b, c).2 := d", "(With.f[](2).2 a i b c d)"),
            ("a WITH [b WITH [i] := 1] := 2", "(With[] a (With[] b i 1) 2)"),
            ("% a comment\n a % b\n + c", "(Add a c)"),
        ],
    );
}

#[test]
fn types() {
    let shown = |text: &str| declarations(&format!("x: {text} = v;"));
    for (text, expected) in [
        ("T", "T"),
        ("c{3}!T", "(c!T 3)"),
        ("[0 .. n - 1]", "(RangeType 0 (Sub n 1))"),
        ("[_..3]", "(RangeType _ 3)"),
        ("[0.._]", "(RangeType 0 _)"),
        ("[T, U, V]", "(TupleType T U V)"),
        ("[T -> U]", "(FunctionType T U)"),
        ("[[T, U] -> [V -> W]]", "(FunctionType (TupleType T U) (FunctionType V W))"),
        ("[[0..2] -> T]", "(FunctionType (RangeType 0 2) T)"),
        ("[ARRAY I OF T -> U]", "(FunctionType (ArrayType I T) U)"),
        ("ARRAY I OF ARRAY [0..1] OF T", "(ArrayType I (ArrayType (RangeType 0 1) T))"),
        ("[# f, g: T, h: [0..1] #]", "(RecordType f,g;h T (RangeType 0 1))"),
        ("{y: T | y = 1}", "(Comprehension y T (Eq y 1))"),
        ("[{y: T | p} -> T]", "(FunctionType (Comprehension y T p) T)"),
        ("STATE_TYPE(m)", "StateType:m"),
    ] {
        assert_eq!(shown(text), format!("constant x(): {expected} = v"), "{text}");
    }
}

#[test]
fn spans_leave_out_parentheses() {
    let (_, file) = load("((a + b')) * (c[i] WITH [j] := (d))");
    let (mut names, mut diagnostics) = (Names::default(), Diagnostics::new());
    let mut context = empty_context(&mut names);
    parser::expression(&file, &mut context, &mut names, &mut diagnostics).unwrap();
    let text =
        |span: Span| &file.text[(span.start - file.base) as usize..(span.end - file.base) as usize];
    let texts: Vec<_> = context.nodes.iter().map(|node| text(node.span)).collect();
    let whole = &file.text[..];
    assert_eq!(
        texts,
        ["a", "b'", "a + b'", "c", "i", "c[i]", "j", "d", "c[i] WITH [j] := (d)", whole]
    );
}
