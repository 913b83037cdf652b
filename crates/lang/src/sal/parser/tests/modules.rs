//! Modules, definitions and commands.

use expect_test::expect;
use trapline_source::{Diagnostics, Span};

use super::{check_all, errors, listed, load, module};
use crate::sal::parser;
use crate::sal::syntax::{Definition, ModuleKind, Names};

#[test]
fn modules_are_combined() {
    check_all(
        module,
        &[
            ("m", "m"),
            ("bakery{5,15}!system", "bakery{5, 15}!system"),
            ("c!m[1, x + 2]", "c!m[1, (Add x 2)]"),
            ("(@ mutex peterson)", "peterson!mutex"),
            ("a || b [] c || d", "([] (|| a b) (|| c d))"),
            ("a || b || c", "(|| (|| a b) c)"),
            ("a [] (b [] c)", "([] a ([] b c))"),
            ("([] (i: T): m[i])", "([] i:T m[i])"),
            ("(|| (i: [0..2]): a [] b) || c", "(|| (|| i:(RangeType 0 2) ([] a b)) c)"),
            ("LOCAL x, y IN a || b", "(LOCAL x,y (|| a b))"),
            ("(LOCAL x IN a) || b", "(|| (LOCAL x a) b)"),
            ("OUTPUT x IN a [] b", "(OUTPUT x ([] a b))"),
            ("RENAME x TO y, z TO a[i].f IN a || b", "(RENAME x>y,z>a[].f<i> (|| a b))"),
            ("a || RENAME x TO y IN b || c", "(|| a (RENAME x>y (|| b c)))"),
            ("WITH INPUT x: T; OUTPUT y, z: U; m", "(WITH Input x:T; Output y,z:U m)"),
            ("WITH OUTPUT x: T (m) || n", "(WITH Output x:T (|| m n))"),
            ("WITH INPUT x: T; OUTPUT y IN m", "(WITH Input x:T (OUTPUT y m))"),
            ("OBSERVE a || b WITH c || d", "(OBSERVE (|| a b) (|| c d))"),
            ("OBSERVE WITH GLOBAL x: T a WITH b", "(OBSERVE (WITH Global x:T a) b)"),
        ],
    );
}

#[test]
fn base_modules() {
    check_all(
        module,
        &[
            ("BEGIN END", "{}"),
            (
                "begin input x: T, y, z: U output w: V local x2: T definition x = 1; y = 2 end",
                "{Input x:T; Input y,z:U; Output w:V; Local x2:T | Def x=1; y=2}",
            ),
            (
                "BEGIN TRANSITION x' = x2' = tval; y'[i].f IN {a}; DEFINITION z = 1; END",
                "{Def z=1 | Trans x'=(Eq x2' tval); y'[].f<i> IN (Set a)}",
            ),
            (
                "BEGIN INITIALIZATION (FORALL (i: T, j: U): a[i] = 1; (FORALL (k: V): b = 2;)) END",
                "{Init (FORALL i:T;j:U: a[]<i>=1; (FORALL k:V: b=2))}",
            ),
        ],
    );
}

#[test]
fn lists_of_commands_are_one_choice() {
    check_all(
        module,
        &[
            (
                "BEGIN TRANSITION [a --> x' = 1; y' = 2; [] b --> [] l: c --> x' = 3] END",
                "{Trans [a --> x'=1; y'=2 [] b --> [] l: c --> x'=3]}",
            ),
            (
                "BEGIN TRANSITION z' = 1; [a -->]; w' = 2; TRANSITION [b --> [] m: ELSE -->] END",
                "{Trans z'=1; w'=2 | Trans [a --> [] b --> [] m: ELSE -->]}",
            ),
            (
                "BEGIN INITIALIZATION [([] (i: T): l: p --> (FORALL (j: U): a[j] = i))] END",
                "{Init [<i:T> l: p --> (FORALL j:U: a[]<j>=i)]}",
            ),
            (
                "BEGIN TRANSITION [([] (i, j: T): ([] (k: U): p --> x' = i;)) [] ELSE --> ] END",
                "{Trans [<i,j:T;k:U> p --> x'=i [] ELSE -->]}",
            ),
            (
                "BEGIN TRANSITION [[[i: T] i] = a --> a' = [[i: T] 0] [] f(x)[1] --> ] END",
                "{Trans [(Eq (Array i T i) a) --> a'=(Array i T 0) [] (Index (Apply f x) 1) -->]}",
            ),
        ],
    );
}

#[test]
fn else_is_last_and_alone() {
    fn within(commands: &str) -> String {
        errors(&format!("c: CONTEXT = BEGIN m: MODULE = BEGIN TRANSITION\n{commands}\nEND; END"))
    }
    let texts = [
        "[a --> [] ELSE --> ]",
        "[ELSE --> [] a --> ]",
        "[ELSE --> [] ELSE --> ]",
        "[a --> [] ELSE -->]; [ELSE -->]",
        "[a --> [] ELSE -->]; [b -->]",
        "[([] (i: T): ELSE --> )]",
    ];
    expect![[r#"
        [a --> [] ELSE --> ]
        [ELSE --> [] a --> ]
            2:2 syntax: only the last command can be `ELSE`
              help: move it to the end of the list
        [ELSE --> [] ELSE --> ]
            2:2 syntax: only the last command can be `ELSE`
              help: move it to the end of the list
            2:14 syntax: this is a second `ELSE`, but all command lists of a section are one choice
              help: remove one; `ELSE` applies when no other guard holds
        [a --> [] ELSE -->]; [ELSE -->]
            2:23 syntax: this is a second `ELSE`, but all command lists of a section are one choice
              help: remove one; `ELSE` applies when no other guard holds
        [a --> [] ELSE -->]; [b -->]
        [([] (i: T): ELSE --> )]
            2:14 syntax: `ELSE` cannot be inside `([] (i: T): ...)`
              help: make it a command of its own, at the end of the list
    "#]]
    .assert_eq(&listed(within, &texts));
}

#[test]
fn spans_are_exact() {
    let text = "c: CONTEXT = BEGIN m: MODULE = (BEGIN TRANSITION x'[i] = (a + 1); [ ([] (i: T): l: \
                a --> x' = 1; ) ]; [ELSE --> ]; END || n); END";
    let (_, file) = load(text);
    let context = parser::parse(&file, &mut Names::default(), &mut Diagnostics::new()).unwrap();
    let text =
        |span: Span| &text[(span.start - file.base) as usize..(span.end - file.base) as usize];
    let texts: Vec<_> = context.modules.iter().map(|module| text(module.span)).collect();
    assert!(texts[0].starts_with("BEGIN TRANSITION") && texts[0].ends_with("END"));
    assert_eq!(texts[1..], ["n", &format!("{} || n", texts[0])]);
    assert_eq!(text(context.decls[0].span), format!("m: MODULE = ({})", texts[2]));
    let ModuleKind::Base(base) = &context.modules[0].kind else { panic!("a base module") };
    let Definition::Simple { lhs, span, .. } = &base.transition.definitions[0] else {
        panic!("a definition")
    };
    assert_eq!((text(lhs.span), text(*span)), ("x'[i]", "x'[i] = (a + 1)"));
    let list = text(base.transition.span);
    assert!(list.starts_with("[ ([]") && list.ends_with("[ELSE --> ]"));
    let commands = base.transition.commands.as_ref().unwrap().iter();
    let commands: Vec<_> = commands.map(|command| text(command.span)).collect();
    assert_eq!(commands, ["l: a --> x' = 1", "ELSE -->"]);
}
