//! The flat text of a model: reading and printing it again changes nothing.

use trapline_lang::{Input, Options, smv};
use trapline_model::eval::{Cell, evaluate};
use trapline_model::{Model, Value};
use trapline_source::{Diagnostics, Sources};

fn read(text: &str) -> Model {
    let mut sources = Sources::new();
    let file = sources.add("test.smv", text).expect("small");
    let input = Input::new(file);
    let mut diagnostics = Diagnostics::new();
    let output = smv::read(&input, &mut diagnostics);
    let findings: Vec<_> = diagnostics.list().iter().map(|d| (d.code, &d.message)).collect();
    assert!(!diagnostics.has_errors(), "{findings:?}\n{text}");
    output.model
}

/// Flat text is a fixpoint.
fn check(text: &str) -> String {
    let once = smv::print::flat(&read(text));
    let twice = smv::print::flat(&read(&once));
    assert_eq!(once, twice);
    once
}

#[test]
fn instances_become_dotted_names() {
    let text = check(
        "MODULE cell(feed) VAR x : boolean; DEFINE out := x xor feed; ASSIGN next(x) := out;
         CTLSPEC NAME live := AG EF out
         MODULE main VAR a : cell(TRUE); b : cell(a.out); LTLSPEC G F b.out",
    );
    assert!(text.contains("next(b.x) := b.out;"), "{text}");
    assert!(text.contains("CTLSPEC NAME b.live := AG EF b.out"), "{text}");
}

#[test]
fn arrays_stay_arrays() {
    let text = check(
        "MODULE main VAR a : array 0..1 of array -1..0 of 0..3; i : 0..1; f : {p, 3, -2};
         ASSIGN init(a[0][-1]) := 2; next(a[1][0]) := a[i][0]; INVAR a[i][-i] > 0",
    );
    assert!(text.contains("a : array 0..1 of array -1..0 of 0..3;"), "{text}");
}

#[test]
fn every_section_survives() {
    check(
        "MODULE main VAR x : 0..3; w : signed word[4]; IVAR i : {go, halt}; FROZENVAR f : 2..5;
         VAR late : boolean; CONSTANTS elsewhere;
         DEFINE d := next(late) & x > 1 & i = go; e := {1, 2}; s := elsewhere = elsewhere;
         ASSIGN init(x) := {0, 1}; next(x) := case d : 0..2; i = halt : e; TRUE : x; esac;
         INIT w = -0sd4_8 INVAR f != 3 TRANS d -> next(x) != x
         JUSTICE late COMPASSION (x = 0, x = 1)
         CTLSPEC A [x = 0 U x = 1 | EX x = 2] COMPUTE MIN [x = 0, x = 3]
         CTLSPEC ABG 1..3 (x = 0 -> E [x = 1 BU 0..2 x = 2])
         LTLSPEC x = 0 U (x = 1 S (Y x = 2)) LTLSPEC G [0,3] (late V x = 1)
         INVARSPEC NAME n := next(x) in (e union 3)",
    );
}

#[test]
fn processes_become_a_selector() {
    let text = check(
        "MODULE p(y) VAR x : boolean; ASSIGN next(x) := !x; next(y) := x; FAIRNESS running
         MODULE main VAR y : boolean; a : process p(y); b : process p(y); LTLSPEC G F a.running",
    );
    assert!(text.contains("_process_selector_ : {"), "{text}");
}

#[test]
fn processes_that_go_round_become_constraints() {
    let text = check(
        "MODULE p(o) VAR x : boolean; ASSIGN next(x) := next(o.x);
         MODULE main VAR a : process p(b); b : process p(a); SPEC AG a.x",
    );
    assert!(text.contains("TRANS next(a.x) = "), "{text}");
}

#[test]
fn a_variable_of_one_value_is_not_assigned() {
    let text = check(
        "MODULE main VAR x : 5..5; y : {only}; b : boolean;
         ASSIGN init(x) := 5; next(x) := b ? 5 : x; y := only;",
    );
    assert!(!text.contains(":="), "{text}");
    assert!(text.contains("TRANS x = case b : 5; TRUE : x; esac;"), "{text}");
}

#[test]
fn psl_stands_on_plain_names() {
    let text = check(
        "MODULE main VAR x : 0..3; b : boolean; always : boolean;
         PSLSPEC always (x = 1 -> next[2] (b until x = 2));
         PSLSPEC NAME n := next_event!(b)(x = 1 before! b);
         PSLSPEC AG (b -> EF x = 1); PSLSPEC [b W x = 1];",
    );
    assert!(text.contains("__p1 := x = 1;"), "{text}");
    assert!(text.contains("(b until __p2)"), "{text}");
}

#[test]
fn what_is_shared_gets_a_name() {
    let mut text = String::from("MODULE main VAR x : array 0..3 of 0..3;\nINVARSPEC ");
    let depth = 12;
    text += &"x[".repeat(depth);
    text += "x[0]";
    text += &"]".repeat(depth);
    text += " = 0;";
    let flat = check(&text);
    assert!(flat.contains("__e1 := "), "{flat}");
    assert!(flat.len() < 10_000, "{} bytes", flat.len());
}

/// Random numbers, always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Bool,
    Int,
    Word,
}

/// An expression with as few parentheses as the dice like: where it does not mean what was
/// meant, the types may not fit, and it is skipped.
fn expression(random: &mut Random, kind: Kind, depth: usize) -> String {
    if depth == 0 {
        return match kind {
            Kind::Bool => random.pick(&["b", "c", "TRUE", "next(b)"]).into(),
            Kind::Int => random.pick(&["x", "y", "1", "-2", "next(x)"]).into(),
            Kind::Word => random.pick(&["u", "v", "0ub3_101", "next(u)"]).into(),
        };
    }
    let mut sub = |kind| {
        let depth = random.below(depth);
        let text = expression(random, kind, depth);
        if random.below(3) > 0 { format!("({text})") } else { text }
    };
    let (p, q, r) = (sub(Kind::Bool), sub(Kind::Bool), sub(Kind::Bool));
    let (i, j) = (sub(Kind::Int), sub(Kind::Int));
    let (s, t) = (sub(Kind::Word), sub(Kind::Word));
    let choices = match kind {
        Kind::Bool => vec![
            format!("!{p}"),
            format!("{p} {} {q}", random.pick(&["&", "|", "xor", "xnor", "->", "<->", "=", "!="])),
            format!("{p} {} {q}", random.pick(&["&", "|", "->"])),
            format!("{i} {} {j}", random.pick(&["=", "!=", "<", "<=", ">", ">="])),
            format!("{s} {} {t}", random.pick(&["=", "!=", "<", ">="])),
            format!("{i} in {j} union 1..2"),
            format!("{i} in {{{j}, 3}}"),
            format!("{p} ? {q} : {r}"),
            format!("case {p} : {q}; {r} : {p}; TRUE : {q}; esac"),
            format!("bool({s}[1:1])"),
        ],
        Kind::Int => vec![
            format!("- {i}"),
            format!("{i} {} {j}", random.pick(&["+", "-", "*", "/", "mod"])),
            format!("{i} {} {j}", random.pick(&["+", "-"])),
            format!("{p} ? {i} : {j}"),
            format!("count({p}, {q})"),
            format!("max({i}, abs({j}))"),
            format!("toint({s})"),
        ],
        Kind::Word => vec![
            format!("!{s}"),
            format!("- {s}"),
            format!("{s} {} {t}", random.pick(&["+", "-", "*", "/", "mod", "&", "|", "xor", "->"])),
            format!("{s} {} {t}", random.pick(&["<<", ">>"])),
            format!("(word1({p}) :: {s})[3:1]"),
            format!("resize(signed({s}) >> 1, 2) = 0sd2_1 ? {s} : {t}"),
            format!("extend({s}, 2)[4:2]"),
            format!("unsigned(-signed({s}))"),
        ],
    };
    choices[random.below(choices.len())].clone()
}

fn try_read(expression: &str) -> Option<Model> {
    let vars = "VAR b : boolean; c : boolean; x : -3..3; y : 0..2; u : word[3]; v : word[3];";
    let text = format!("MODULE main {vars} DEFINE d := {expression};");
    let mut sources = Sources::new();
    let file = sources.add("test.smv", &text).ok()?;
    let mut diagnostics = Diagnostics::new();
    let options = Options { strict: true, ..Options::default() };
    let output = smv::read(&Input { options, ..Input::new(file) }, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(output.model)
}

fn value(model: &Model, current: &[Option<Value>], next: &[Option<Value>]) -> Option<Cell> {
    match evaluate(model, model.defines[0].body.expr, current, next) {
        // Failures know their places, which differ.
        Cell::Fail(_) => None,
        cell => Some(cell),
    }
}

#[test]
fn a_printed_expression_means_the_same() {
    let mut random = Random(1);
    let mut n_read = 0;
    for round in 0..6000 {
        let kind = [Kind::Bool, Kind::Int, Kind::Word][round % 3];
        let depth = 1 + random.below(4);
        let text = expression(&mut random, kind, depth);
        let Some(model) = try_read(&text) else { continue };
        n_read += 1;
        let printed = model.show_expr(model.defines[0].body.expr);
        let again = try_read(&printed);
        let again = again.unwrap_or_else(|| panic!("{text}\nis printed as\n{printed}"));
        assert_eq!(printed, again.show_expr(again.defines[0].body.expr), "{text}");
        for _ in 0..8 {
            let mut state = || {
                let domains = model.vars.iter().map(|var| &var.domain);
                let values: Vec<Option<Value>> = domains
                    .map(|d| d.size().map(|size| d.value(random.below(size as usize) as u64)))
                    .collect();
                values
            };
            let (current, next) = (state(), state());
            let (before, after) = (value(&model, &current, &next), value(&again, &current, &next));
            assert_eq!(before, after, "{text}\nis printed as\n{printed}");
        }
    }
    assert!(n_read > 3000, "only {n_read} expressions were read");
}
