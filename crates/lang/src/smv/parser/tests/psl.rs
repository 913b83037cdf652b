//! PSL, with the precedences that NuSMV's answers show.

use expect_test::expect;

use super::{Grammar, check_all, program};

#[test]
fn operators_nest_as_in_nusmv() {
    check_all(
        Grammar::Psl,
        &[
            ("a -> b -> c", "(Implies (Implies a b) c)"),
            ("a <-> b -> c", "(Implies (Iff a b) c)"),
            ("always a -> b", "(G (Implies a b))"),
            ("G a -> b", "(G (Implies a b))"),
            ("never a | b", "(Never (Or a b))"),
            ("next a -> b", "(Implies (X a) b)"),
            ("next! a until b", "(X (Until a b))"),
            ("X a & b", "(X (And a b))"),
            ("X! a until! b", "(U (X a) b)"),
            ("EF a & b", "(Ef (And a b))"),
            ("a until b until c", "(Until (Until a b) c)"),
            ("a before b -> c", "(Implies (Before a b) c)"),
            ("a before! b until_ c", "(BeforeStrong a (UntilInclusive b c))"),
            ("a || b | c", "(Or a (Or b c))"),
            ("a | b && c", "(And (Or a b) c)"),
            ("a ^ b & c == d", "(Xor a (And b (Eq c d)))"),
            ("eventually! a & b until c", "(F (Until (And a b) c))"),
            ("F a until!_ b", "(UntilStrongInclusive (F a) b)"),
            ("a before_ b before!_ c", "(BeforeStrongInclusive (BeforeInclusive a b) c)"),
            ("a abort b", "(Abort a b)"),
            ("a ? b : c", "(Ite a b c)"),
            ("-x = 1", "(Eq (Neg x) 1)"),
            ("!a & b", "(And (Not a) b)"),
            ("x + 1 mod 2 >> 3 < 4", "(Lt (Shr (Add x (Mod 1 2)) 3) 4)"),
        ],
    );
}

#[test]
fn brackets_are_untils_counts_or_indices() {
    check_all(
        Grammar::Psl,
        &[
            ("[a U b]", "(U a b)"),
            ("[a -> b W c]", "(Until (Implies a b) c)"),
            ("A [a U b] & E [c U d]", "(And (Au a b) (Eu c d))"),
            ("next [a U b]", "(X (U a b))"),
            ("next[2](a) -> b", "(Implies (NextN 2 a) b)"),
            ("X![n](a)", "(NextN n a)"),
            ("next_a[1:2](a)", "(NextA 1 2 a)"),
            ("next_e![1:2](a)", "(NextE 1 2 a)"),
            ("next_event(a)(b)", "(NextEvent a b)"),
            ("next_event!(a)[3](b)", "(NextEventNStrong a 3 b)"),
            ("next_event(a | b)[3](b)", "(NextEventN (Or a b) 3 b)"),
            ("next_event_a(a)[1:2](b)", "(NextEventA a 1 2 b)"),
            ("next_event_e!(a)[1:2](b)", "(NextEventEStrong a 1 2 b)"),
            ("a.b[i].3", "(.3 ([] (.b a) i))"),
            ("select(w, 3, 1) :: extend(v, 2)", "(Concat ([:] w 3 1) (Extend v 2))"),
            ("case a : b; TRUE : c; esac", "(Case a b TRUE c)"),
            ("x in {1, 2}", "(In x (Set 1 2))"),
            ("bool(0ub1_1)", "(Bool Word { signed: false, width: 1, bits: 1 })"),
        ],
    );
}

#[test]
fn what_needs_more_than_ltl_is_one_node() {
    check_all(
        Grammar::Psl,
        &[
            ("never {a; b}", "Unsupported"),
            ("{a; b[*3]} |-> {c}", "Unsupported"),
            ("{a}(b)", "Unsupported"),
            ("{a} |=> {b}!", "Unsupported"),
            ("forall i in {1, 2} : a", "Unsupported"),
            ("within(a, b) {c; d}", "Unsupported"),
            ("!X a", "1:2 syntax: expected an operand in parentheses, found `X`\n"),
        ],
    );
}

#[test]
fn smv_goes_on_behind_the_semicolon() {
    let text = "MODULE main
PSLSPEC NAME p := always (a -> next! b) IN m[1].n;
PSLSPEC never {a; b; c[*]};
PSLSPEC always ) c; -- @input a
VAR always : boolean;
PSLSPEC a
VAR next_a : boolean;";
    expect![[r#"
        MODULE main()
          Spec Psl name p body (G (Implies a (X b))) second - in (.n ([] m 1))
          Spec Psl name - body Unsupported second - in -
          Input a
          State always : Boolean
          State next_a : Boolean
        4:16 syntax: expected a property, found `)`
        7:1 syntax: expected `;` after the property, found `VAR`
    "#]]
    .assert_eq(&program(text));
}
