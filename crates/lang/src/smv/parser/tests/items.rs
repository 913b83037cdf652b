//! Every kind of declaration.

use expect_test::expect;

use super::program;

#[test]
fn every_kind_of_item_is_read() {
    let text = r#"
MODULE main
VAR
  a : boolean; b.c : 0..N-1; b[3] : -1 .. 2; b[-1].2 : {x, y.z, -3, TRUE, 4};
  w : word[8]; s : signed word[N+1]; u : unsigned word[2]; W : Word[1];
  r : real; n : integer; k : clock; q : N .. M;
  m : array 0..2 of array -1..N of boolean; i : array 0..1 of sub(a);
  p : process sub(a, next(b), c = d); e : sub(); f : sub;
IVAR x : boolean;
FROZENVAR y : 2 + 1 .. (3);
VAR
DEFINE
  d := a & b; e.f := [1, 2]; g[1] := [[a], [b, c]];
MDEFINE h := [1];
ASSIGN
  init(a) := {TRUE, FALSE}; next(b[i].c) := case a : 1; TRUE : 0; esac; self.c := 1;
ASSIGN
INIT a;
INIT b INVAR c TRANS next(a) = b; FAIRNESS a JUSTICE b;
COMPASSION (a, b -> c)
CONSTANTS a, b.c; CONSTANTS;
ISA sub
SPEC AG a
CTLSPEC NAME n := AF a IN m.k[1];
LTLSPEC NAME n.o := G a;
INVARSPEC a IN m INVARSPEC next(a)
COMPUTE MIN [a, b & c]
COMPUTE NAME q := MAX [a, b] IN m;
PSLSPEC always a;
MODULE sub(a, b)
MODULE last()
"#;
    expect![[r#"
        MODULE main()
          State a : Boolean
          State (.c b) : 0 to N-1
          State ([] b 3) : (Neg 1) to 2
          State (.2 ([] b (Neg 1))) : {x (.z y) (Neg 3) TRUE 4}
          State w : word 8 signed=false
          State s : word (Add N 1) signed=true
          State u : word 2 signed=false
          State W : word 1 signed=false
          State r : Real
          State n : Integer
          State k : Clock
          State q : N to M
          State m : array 0 to 2 of array (Neg 1) to N of Boolean
          State i : array 0 to 1 of sub(a)
          State p : process sub(a (Next b) (Eq c d))
          State e : sub()
          State f : sub()
          Input x : Boolean
          Frozen y : (Add 2 1) to 3
          Define d := (And a b)
          Define (.f e) := (Array 1 2)
          Define ([] g 1) := (Array (Array a) (Array b c))
          Define h := (Array 1)
          Init a := (Set TRUE FALSE)
          Next (.c ([] b i)) := (Case a 1 TRUE 0)
          Current (.c self) := 1
          Init a
          Init b
          Invar c
          Trans (Eq (Next a) b)
          Justice a
          Justice b
          Compassion a (Implies b c)
          Constants a (.c b)
          Constants 
          Isa sub
          Spec Ctl name - body (Ag a) second - in -
          Spec Ctl name n body (Af a) second - in ([] (.k m) 1)
          Spec Ltl name (.o n) body (G a) second - in -
          Spec Invar name - body a second - in m
          Spec Invar name - body (Next a) second - in -
          Spec Min name - body a second (And b c) in -
          Spec Max name q body a second b in m
          Spec Psl name - body (G a) second - in -
        MODULE sub(a, b)
        MODULE last()
    "#]]
    .assert_eq(&program(text));
}

#[test]
fn comments_are_skipped_and_pragmas_kept() {
    let text = "-- @input lost
/-- MODULE no -- --/
MODULE a -- @input x y.z
VAR x : /-- in
 between --/ boolean; --@output q,r
--   @internal s
-- @unknown t
-- input u
MODULE b -- @output v";
    expect![[r#"
        MODULE a()
          Input x y.z
          State x : Boolean
          Output q r
          Internal s
        MODULE b()
          Output v
        1:11 ignored: a pragma before the first `MODULE` is ignored
    "#]]
    .assert_eq(&program(text));
}

#[test]
fn hints_for_abstraction_are_ignored() {
    let text = "MODULE main
VAR PRED : boolean; MIRROR : boolean;
PRED a & b
PRED < p > := a;
MIRROR a.b MIRROR c;
INIT a PRED b;
DEFINE PRED := a;
ASSIGN MIRROR := a;";
    expect![[r#"
        MODULE main()
          State PRED : Boolean
          State MIRROR : Boolean
          Init a
          Define PRED := a
          Current MIRROR := a
        3:1 ignored: `PRED` is ignored
        4:1 ignored: `PRED` is ignored
        5:1 ignored: `MIRROR` is ignored
        5:12 ignored: `MIRROR` is ignored
        6:8 ignored: `PRED` is ignored
    "#]]
    .assert_eq(&program(text));
}
