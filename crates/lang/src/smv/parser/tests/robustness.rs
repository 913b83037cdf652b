//! Deep, long and broken texts: no overflow, no panic, no quadratic time.

use super::{errors, expression, parse_only, single};
use crate::smv::parser::Grammar;

const DEEP: &str = "expression is nested more than 10000 deep";

#[test]
fn deep_nesting_is_one_error() {
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("- ", ""),
        ("X ", ""),
        ("a[", "]"),
        ("{", "}"),
        ("abs(", ")"),
        ("a ? ", ": b"),
        ("case a : ", "; esac"),
        ("A [a U ", "]"),
    ] {
        let text = format!("{}a{}", open.repeat(100_000), close.repeat(100_000));
        let text = format!("MODULE main DEFINE x := {text}; y := b c; z := 3;");
        let (program, diagnostics) = parse_only(&text);
        let messages: Vec<_> = diagnostics.list().iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, [DEEP, "expected `;` after the definition, found `c`"], "{open}");
        assert_eq!(program.modules[0].items.len(), 2, "{open}");
    }
}

#[test]
fn nesting_up_to_the_limit_is_fine() {
    let text = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(expression(&text), "a");
    assert!(expression(&format!("({text})")).contains(DEEP));
    assert!(single(&"next ".repeat(100_000), Grammar::Psl).contains(DEEP));
}

#[test]
fn long_chains_are_not_deep() {
    for link in ["a -> ", "a ? b : ", "a & ", "a <-> ", "a + ", "-a - "] {
        let text = format!("MODULE main INIT {} a", link.repeat(100_000));
        assert!(!parse_only(&text).1.has_errors(), "{link}");
    }
    // Each `U` asks for the innermost frame, which is far down the stack.
    let text = format!("{}{} a", "a -> ".repeat(100_000), "a U ".repeat(100_000));
    assert!(!parse_only(&format!("MODULE main INIT {text}")).1.has_errors());
}

#[test]
fn errors_stop_after_fifty() {
    let text = format!("MODULE main DEFINE {}", "a b; ".repeat(100_000));
    assert_eq!(errors(&text).lines().count(), 50);
    let text = format!("MODULE main DEFINE {}", "@ ".repeat(100_000));
    assert_eq!(errors(&text).lines().count(), 50);
    let text = format!("MODULE main {}", "PSLSPEC a b; ".repeat(100_000));
    assert_eq!(errors(&text).lines().count(), 50);
}

#[test]
fn any_soup_of_tokens_ends() {
    let words = [
        "MODULE",
        "main",
        "VAR",
        "a",
        ":",
        "boolean",
        ";",
        "ASSIGN",
        "next",
        "init",
        "(",
        ")",
        ":=",
        "case",
        "esac",
        "?",
        "[",
        "]",
        "{",
        "}",
        ",",
        "..",
        "1",
        "0ub3_1",
        "-",
        "!",
        "X",
        "G",
        "U",
        "A",
        "E",
        "BU",
        "SPEC",
        "PSLSPEC",
        "IN",
        "NAME",
        "array",
        "of",
        "word",
        "process",
        ".",
        "é",
        "\"",
        "/--",
        "--/",
        "-- @input",
        "\n",
        "DEFINE",
        "COMPUTE",
        "MIN",
        "PRED",
        "<",
        "floor",
        "always",
        "next_event",
        "|->",
        "EBF",
        "self",
        "CONSTANTS",
        "signed",
        "1.5",
        "f'1/2",
        "'",
    ];
    let mut seed = 1_u64;
    for _ in 0..20_000 {
        let mut text = String::from("MODULE main ");
        for _ in 0..30 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text.push_str(words[(seed >> 33) as usize % words.len()]);
            text.push(if seed >> 60 == 0 { '\n' } else { ' ' });
        }
        // Printing also checks that every expression has one root.
        super::program(&text);
        single(&text, Grammar::Smv);
        single(&text, Grammar::Psl);
    }
}

#[test]
fn every_prefix_of_a_model_is_handled() {
    let text = include_str!("soup.smv");
    for (end, _) in text.char_indices() {
        super::program(&text[..end]);
    }
}
