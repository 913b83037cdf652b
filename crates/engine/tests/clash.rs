//! Why there is no initial state: what is named clashes, and nothing of it is superfluous.

use fastrand::Rng;
use trapline_engine::Budget;
use trapline_engine::clash::clash;
use trapline_testkit::brute_force::Explorer;
use trapline_testkit::read;

const DECLARED: &str = "MODULE main\n\
    VAR x : 0..2; y : 0..2; b : boolean; e : {p, q, r};\n\
    DEFINE d := b & x > 0;\n";

const RULES: &[&str] = &[
    "INIT x = y",
    "INVAR x < y",
    "INIT b -> x = 2",
    "INVAR b",
    "INIT d",
    "INVAR !d",
    "INVAR e = p | e = q",
    "INIT e = r | x = 0",
    "INIT x + y > 2",
    "INVAR y != 2",
    "INIT case e = p : b; TRUE : !b; esac",
    "ASSIGN init(x) := {0, 1};",
    "ASSIGN init(y) := x;",
    "ASSIGN init(e) := b ? p : {q, r};",
];

fn has_initial_state(rules: &[&str]) -> bool {
    let (model, _) = read(&format!("{DECLARED}{}", rules.join("\n")), &[]);
    !Explorer::new(&model).initial().allowed.is_empty()
}

#[test]
fn what_clashes_is_minimal() {
    let mut rng = Rng::with_seed(1);
    let mut n_clashes = 0;
    for _ in 0..400 {
        let mut rules = RULES.to_vec();
        rng.shuffle(&mut rules);
        rules.truncate(rng.usize(1..=7));
        let text = format!("{DECLARED}{}", rules.join("\n"));
        let (model, _) = read(&text, &[]);
        let found = clash(&model, |_| false, &Budget::unlimited());
        assert_eq!(found.is_none(), has_initial_state(&rules), "{text}");
        let Some(found) = found else { continue };
        n_clashes += 1;
        let line = |offset: u32| text[..offset as usize].lines().count();
        let lines: Vec<usize> = found.spans.iter().map(|span| line(span.start)).collect();
        let named: Vec<&str> = text
            .lines()
            .enumerate()
            .filter(|(idx, _)| lines.contains(&(idx + 1)))
            .map(|l| l.1)
            .collect();
        assert!(found.is_minimal && named.len() == found.spans.len(), "{text}\n{named:?}");
        assert!(!has_initial_state(&named), "{text}\n{named:?}");
        for idx in 0..named.len() {
            let rest = [&named[..idx], &named[idx + 1..]].concat();
            assert!(has_initial_state(&rest), "{text}\n{named:?} without {idx}");
        }
    }
    assert!(n_clashes > 100, "{n_clashes}");
}

#[test]
fn the_conjuncts_of_a_constraint_are_rules_of_their_own() {
    let text = "MODULE main VAR x : 0..9; b : boolean; INIT b & x > 3 & (x < 8 & x < 2)";
    let (model, _) = read(text, &[]);
    let found = clash(&model, |_| false, &Budget::unlimited()).expect("nothing meets it");
    let named: Vec<&str> =
        found.spans.iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
    assert_eq!(named, ["x > 3", "x < 2"]);
}

#[test]
fn rules_that_come_last_are_named_only_if_the_others_do_not_clash() {
    let text = "MODULE main VAR x : 0..9; INVAR x > 3 INIT x < 5 INIT x > 6 INIT x < 7";
    let (model, _) = read(text, &[]);
    let is_last = |word: &'static str| {
        move |span: trapline_source::Span| text[span.start as usize..span.end as usize] == *word
    };
    let named = |word| {
        let found = clash(&model, is_last(word), &Budget::unlimited()).expect("it clashes");
        let text = |span: &trapline_source::Span| &text[span.start as usize..span.end as usize];
        found.spans.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(named("x < 5"), ["x > 6", "x < 7"]);
    assert_eq!(named("x < 7"), ["x < 5", "x > 6"]);
}
