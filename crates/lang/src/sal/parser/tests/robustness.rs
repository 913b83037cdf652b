//! Deep, long and broken texts: no overflow, no panic, no quadratic time.

use trapline_source::Diagnostics;

use super::{empty_context, errors, expression, load, module, parse_only};
use crate::sal::parser;
use crate::sal::syntax::{Access, Context, ModuleKind, Names, NodeId, Op};

const DEEP: &str = "expression is nested more than 10000 deep";

const NESTED: &str = "modules and definitions are nested more than 100 deep";

/// Every operator has as many operands as it needs, and they stand within it.
fn check(context: &Context) {
    for (idx, node) in context.nodes.iter().enumerate() {
        let id = NodeId(idx as u32);
        let operands = context.operands(id);
        for operand in operands {
            assert!(operand.0 < id.0, "operands come first");
            let inner = context.node(*operand).span;
            assert!(node.span.start <= inner.start && inner.end <= node.span.end);
        }
        let n_operands = operands.len();
        let expected = match &node.op {
            Op::Qualified { .. } | Op::Set => continue,
            Op::Apply => n_operands.max(2),
            Op::Tuple => n_operands.max(2),
            Op::TupleType => n_operands.max(2),
            Op::If => (n_operands | 1).max(3),
            Op::Unary(_) | Op::Field(_) | Op::Component(_) => 1,
            Op::Binary(_) | Op::Index | Op::Array(_) | Op::Comprehension(_) => 2,
            Op::RangeType | Op::FunctionType | Op::ArrayType => 2,
            Op::With(path) => {
                let steps = path.iter().map(|step| match step {
                    Access::Index => 1,
                    Access::Apply(n_arguments) => *n_arguments as usize,
                    _ => 0,
                });
                2 + steps.sum::<usize>()
            }
            Op::Lambda(groups) | Op::Forall(groups) | Op::Exists(groups) => groups.len() + 1,
            Op::Let(names) => 2 * names.len() + 1,
            Op::Record(names) => names.len(),
            Op::RecordType(groups) => groups.len(),
            _ => 0,
        };
        assert_eq!(n_operands, expected, "{:?}", node.op);
    }
}

fn check_text(text: &str) {
    let (context, _) = parse_only(text);
    if let Some(context) = context {
        check(&context);
    }
    let (_, file) = load(text);
    let mut names = Names::default();
    let mut context = empty_context(&mut names);
    parser::expression(&file, &mut context, &mut names, &mut Diagnostics::new());
    parser::module(&file, &mut context, &mut names, &mut Diagnostics::new());
    check(&context);
}

#[test]
fn deep_nesting_is_one_error() {
    for (open, close) in [
        ("(", ")"),
        ("NOT ", ""),
        ("- ", ""),
        ("a[", "]"),
        ("f(", ")"),
        ("{", "}"),
        ("c{", "}!x"),
        ("[[i: T] ", "]"),
        ("(# f := ", "#)"),
        ("IF a THEN b ELSE ", " ENDIF"),
        ("IF ", " THEN b ELSE c ENDIF"),
        ("FORALL (x: T): ", ""),
        ("LET x: T = ", " IN x"),
        ("LET x: T = a IN ", ""),
        ("{x: T | ", "}"),
        ("a WITH [", "] := b"),
        ("[", "..2]"),
    ] {
        let text = format!("{}a{}", open.repeat(100_000), close.repeat(100_000));
        let text = format!("c: CONTEXT = BEGIN x: T = {text}; y: T = b c; z: T; END");
        let (context, diagnostics) = parse_only(&text);
        let messages: Vec<_> = diagnostics.list().iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [DEEP, "expected `;` after the declaration, found `c`"], "{open}");
        assert_eq!(context.unwrap().decls.len(), 2, "{open}");
    }
}

#[test]
fn deep_types_are_one_error() {
    for (open, close) in [
        ("ARRAY I OF ", ""),
        ("ARRAY ", " OF U"),
        ("[T -> ", "]"),
        ("[T, ", "]"),
        ("[# f: ", "#]"),
        ("{x: ", "| p}"),
    ] {
        let text = format!("{}U{}", open.repeat(100_000), close.repeat(100_000));
        let (_, diagnostics) = parse_only(&format!("c: CONTEXT = BEGIN x: {text}; END"));
        let messages: Vec<_> = diagnostics.list().iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [DEEP], "{open}");
    }
}

#[test]
fn nesting_up_to_the_limit_is_fine() {
    let text = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(expression(&text), "a");
    assert!(expression(&format!("({text})")).contains(DEEP));
}

#[test]
fn modules_and_definitions_are_nested_up_to_a_limit() {
    for (open, close) in [
        ("(", ")"),
        ("LOCAL x IN ", ""),
        ("RENAME x TO y IN ", ""),
        ("WITH INPUT x: T ", ""),
        ("OBSERVE ", " WITH n"),
        ("(|| (i: T): ", ")"),
        ("n[TRANS_PRED(", ")]"),
        ("BEGIN DEFINITION x = (FORALL (y: STATE_TYPE(", ")): TRUE) END"),
    ] {
        let nested = |n: usize| format!("{}m{}", open.repeat(n), close.repeat(n));
        assert!(!module(&nested(99)).contains("1:"), "{open}");
        assert!(module(&nested(100)).contains(NESTED), "{open}");
        assert!(module(&nested(100_000)).contains(NESTED), "{open}");
    }
    let nested = |n: usize| {
        let (open, close) = ("(FORALL (i: T): ".repeat(n), ")".repeat(n));
        module(&format!("BEGIN DEFINITION {open} x = 1 {close} END"))
    };
    assert!(!nested(99).contains(NESTED));
    assert!(nested(100).contains(NESTED));
    assert!(nested(100_000).contains(NESTED));
}

#[test]
fn long_chains_are_not_deep() {
    for link in [
        "a + ",
        "a AND ",
        "a => ",
        "a <=> ",
        "a = ",
        "-a - ",
        "NOT a OR ",
        "a WITH [i] := ",
        "f(a) * ",
    ] {
        let text = format!("c: CONTEXT = BEGIN x: T = {} a; END", link.repeat(100_000));
        let (context, diagnostics) = parse_only(&text);
        assert!(!diagnostics.has_errors(), "{link}");
        check(&context.unwrap());
    }
    for link in ["[i]", ".f", ".1", "(a, b)", " WITH .f := b"] {
        let text = format!("c: CONTEXT = BEGIN x: T = a{}; END", link.repeat(100_000));
        assert!(!parse_only(&text).1.has_errors(), "{link}");
    }
    let cases = "ELSIF a THEN b ".repeat(100_000);
    let text = format!("c: CONTEXT = BEGIN x: T = IF a THEN b {cases} ELSE c ENDIF; END");
    assert!(!parse_only(&text).1.has_errors());
}

#[test]
fn long_chains_of_modules_nest_to_the_left() {
    for (sign, is_sync) in [("||", true), ("[]", false)] {
        let text = format!("{} m", format!("m {sign} ").repeat(100_000));
        let (context, diagnostics) =
            parse_only(&format!("c: CONTEXT = BEGIN x: MODULE = {text}; END"));
        assert!(!diagnostics.has_errors(), "{sign}");
        let context = context.unwrap();
        let mut module = &context.modules[context.modules.len() - 1];
        let mut length = 0;
        while let ModuleKind::Sync(left, _) | ModuleKind::Async(left, _) = module.kind {
            assert_eq!(matches!(module.kind, ModuleKind::Sync(..)), is_sync);
            module = context.module(left);
            length += 1;
        }
        assert_eq!(length, 100_000);
    }
}

#[test]
fn errors_stop_after_fifty() {
    let text = format!("c: CONTEXT = BEGIN {} END", "x: T = a b; ".repeat(100_000));
    assert_eq!(parse_only(&text).1.n_errors(), 50);
    let text = format!("c: CONTEXT = BEGIN {} END", "# ".repeat(100_000));
    assert_eq!(parse_only(&text).1.n_errors(), 50);
    let text = format!("c: CONTEXT = BEGIN x: T = {} a; END", "a == ".repeat(100_000));
    assert_eq!(parse_only(&text).1.n_errors(), 50);
    let commands = "a b --> x' = 1 [] ".repeat(100_000);
    let text = format!("c: CONTEXT = BEGIN m: MODULE = BEGIN TRANSITION [{commands}] END; END");
    assert_eq!(parse_only(&text).1.n_errors(), 50);
}

const WORDS: &[&str] = &[
    "c",
    "x",
    "y'",
    "m",
    "T",
    "&",
    "~",
    "@",
    "_",
    "0",
    "12",
    "0x1F",
    "0b1",
    "\"t\"",
    "\"",
    "é",
    "TYPE",
    "ARRAY",
    "OF",
    "WITH",
    "LAMBDA",
    "FORALL",
    "EXISTS",
    "LET",
    "IN",
    "IF",
    "THEN",
    "ELSE",
    "ELSIF",
    "ENDIF",
    "BEGIN",
    "END",
    "RENAME",
    "TO",
    "CONTEXT",
    "MODULE",
    "INPUT",
    "OUTPUT",
    "GLOBAL",
    "LOCAL",
    "INITIALIZATION",
    "DEFINITION",
    "TRANSITION",
    "TRANSITON",
    "THEOREM",
    "OBSERVE",
    "IMPLEMENTS",
    "DATATYPE",
    "STATE_TYPE",
    "INIT_PRED",
    "SCALARSET",
    "IMPORTING",
    "SUFFIX",
    "AND",
    "or",
    "NOT",
    "DIV",
    "[#",
    "#]",
    "(#",
    "#)",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "[]",
    "||",
    "|",
    "|-",
    "-->",
    "->",
    ":=",
    ":",
    ";",
    ",",
    "..",
    ".",
    "'",
    "!",
    "=",
    "/=",
    "<",
    "<=>",
    "=>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "\n",
    "x: T",
    "x: T = ",
    "m: MODULE =",
    "(FORALL (i: T):",
    "([] (i: T):",
    "a -->",
    "[[i: T]",
    "{x: T |",
    "a WITH [",
    "\u{0}",
];

#[test]
fn any_soup_of_tokens_ends() {
    let mut random = fastrand::Rng::with_seed(11);
    let starts = [
        "c: CONTEXT = BEGIN ",
        "c: CONTEXT = BEGIN x: T = ",
        "c: CONTEXT = BEGIN m: MODULE = ",
        "c: CONTEXT = BEGIN m: MODULE = BEGIN TRANSITION ",
        "c: CONTEXT = BEGIN m: MODULE = BEGIN LOCAL x: T TRANSITION [ a --> x' = ",
        "",
    ];
    for _ in 0..20_000 {
        let mut text = String::from(starts[random.usize(..starts.len())]);
        for _ in 0..30 {
            text.push_str(WORDS[random.usize(..WORDS.len())]);
            text.push(' ');
        }
        check_text(&text);
    }
}

const MODEL: &str = include_str!("soup.sal");

#[test]
fn every_prefix_of_a_context_is_handled() {
    assert_eq!(errors(MODEL), "");
    for (end, _) in MODEL.char_indices() {
        check_text(&MODEL[..end]);
    }
}

#[test]
fn a_context_with_changed_bytes_is_handled() {
    let mut random = fastrand::Rng::with_seed(12);
    for _ in 0..5_000 {
        let mut bytes = MODEL.as_bytes().to_vec();
        for _ in 0..random.usize(1..6) {
            let idx = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[idx] = random.u8(..),
                1 => drop(bytes.remove(idx)),
                _ => bytes.insert(idx, b"()[]{};:,.'!|-><=#"[random.usize(..18)]),
            }
        }
        check_text(&String::from_utf8_lossy(&bytes));
    }
}
