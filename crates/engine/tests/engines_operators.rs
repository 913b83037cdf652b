//! Every operator over tiny domains: the code of every engine gives what the evaluator gives, for
//! every combination of operands, and has no value where that has none.

use std::collections::BTreeSet;

use trapline_engine::{Budget, ENGINES, Engine, Limits, Start, Why};
use trapline_model::eval::{Cell, Plan};
use trapline_model::{ExprId, Model, Value, VarId};

use trapline_testkit::read;
use trapline_testkit::valuations;

type Row = Vec<Option<Value>>;

/// What the symbolic engine may spend on wide words.
const WORK: u64 = 150_000;

/// Compares each expression together with all variables of the model, which are free; given
/// `states` are the only ones.
fn check_in(text: &str, expressions: &[String], states: Option<Vec<Row>>) {
    let (plain, _) = read(text, &[]);
    let names = plain.vars.iter().map(|var| var.name.clone());
    let all = expressions.iter().cloned().chain(names).enumerate();
    let defines: String = all.map(|(idx, e)| format!("DEFINE e_{idx} := {e};\n")).collect();
    let (model, _) = read(&format!("{text}\n{defines}"), &[]);
    let vars: Vec<VarId> = model.var_ids().map(|(var, _)| var).collect();
    let free = || valuations(&model, &vars, &vec![None; vars.len()]).collect();
    let states = states.unwrap_or_else(free);
    let exprs: Vec<ExprId> = model.defines.iter().map(|define| define.body.expr).collect();
    let (exprs, values_of_vars) = exprs.split_at(expressions.len());
    // All at a time, so that each state is looked for once.
    let exprs = [exprs, values_of_vars].concat();
    for engine in ENGINES {
        let what = format!("{}: {expressions:?}\n{text}", engine.name);
        check_project(engine, &model, &exprs, &states, &what);
    }
}

fn check_project(engine: &Engine, model: &Model, exprs: &[ExprId], states: &[Row], what: &str) {
    let plan = Plan::new(model, exprs);
    let expected: BTreeSet<Row> = states.iter().map(|state| row(&plan, state)).collect();
    let may_be_cut = engine.name == "bdd" && what.contains("FROZENVAR");
    let work = may_be_cut.then_some(WORK);
    let budget = Budget::new(Limits { work, ..Limits::default() });
    let projected = (engine.project)(model, exprs, &Start::Initial, &budget);
    let is_cut = may_be_cut && projected.incomplete == Some(Why::Work);
    assert!(is_cut || projected.incomplete.is_none(), "{:?}: {what}", projected.incomplete);
    let found: BTreeSet<Row> = projected.values.iter().map(|p| p.values.clone()).collect();
    assert_eq!(found.len(), projected.values.len(), "none comes twice: {what}");
    for projection in &projected.values {
        let state = &projection.trace.states[0].values;
        assert_eq!(row(&plan, state), projection.values, "what the trace shows: {what}");
    }
    let missing = expected.difference(&found).next().filter(|_| !is_cut);
    let missing = show(model, missing);
    let extra = show(model, found.difference(&expected).next());
    assert!(missing.is_empty() && extra.is_empty(), "not {extra} but {missing}: {what}");
}

fn check(text: &str, expressions: &[String]) {
    check_in(&format!("MODULE main\n{text}"), expressions, None);
}

fn row(plan: &Plan, state: &Row) -> Row {
    let mut cells = Vec::new();
    plan.run(state, &[], &mut cells);
    let value = |idx: usize| match plan.root(idx, &cells) {
        Cell::Value(value) => Some(*value),
        Cell::Fail(_) => None,
        cell => panic!("{cell:?} is no value"),
    };
    (0..plan.n_roots()).map(value).collect()
}

fn show(model: &Model, row: Option<&Row>) -> String {
    let value = |value: &Option<Value>| value.map_or("none".into(), |value| model.show(value));
    row.map_or(String::new(), |row| row.iter().map(value).collect::<Vec<_>>().join(" "))
}

/// Puts the operands in the place of `a` and `b` of each pattern.
fn fill(patterns: &[impl AsRef<str>], operands: &[(&str, &str)]) -> Vec<String> {
    let mut filled = Vec::new();
    for pattern in patterns {
        let place = |(a, b): &(&str, &str)| pattern.as_ref().replace('#', a).replace('@', b);
        filled.extend(operands.iter().map(place));
    }
    filled
}

const CONNECTIVES: &[&str] =
    &["# & @", "# | @", "# xor @", "# xnor @", "# -> @", "# <-> @", "# = @", "# != @", "!#"];

#[test]
fn connectives_and_what_they_hide() {
    let operands = [("a", "b"), ("a", "a"), ("a", "TRUE"), ("FALSE", "b"), ("b", "!a")];
    check("VAR a : boolean; b : boolean;", &fill(CONNECTIVES, &operands));
    // One side fails where its integer is 0: the other may still decide.
    let (x, y) = ("(2 / x > y)", "(2 mod y = x)");
    let operands = [(x, y), (x, "(y = 1)"), ("(y = 1)", x), (x, "TRUE"), ("FALSE", x), (x, x)];
    check("VAR x : -1..2; y : 0..2;", &fill(CONNECTIVES, &operands));
    let nested = ["((2 / x > y) & (y > 0)) | (x < y)", "!(x = 0 | 2 / x = 1) -> 1 / y = 1"];
    check("VAR x : -1..2; y : 0..2;", &nested.map(String::from));
}

const ARITHMETIC: &[&str] = &[
    "# + @",
    "# - @",
    "# * @",
    "# / @",
    "# mod @",
    "min(#, @)",
    "max(#, @)",
    "# = @",
    "# != @",
    "# < @",
    "# <= @",
    "# > @",
    "# >= @",
    "-#",
    "abs(#)",
    "bool(#)",
    "toint(#)",
    "# in {@, 1}",
    "# in (0..1 union @)",
    "{#, @} in -1..1",
    "{#, 0} in {@, 0, 1}",
    "0..1 in {#, @}",
];

#[test]
fn integers_and_their_sets() {
    let operands = [("a", "b"), ("a", "2"), ("(-3)", "b"), ("a", "a"), ("(a - b)", "(b * b)")];
    for (a, b) in
        [("-2..2", "-2..3"), ("0..3", "1..2"), ("{-1, 4}", "{0, 7, 2}"), ("-3..-1", "0..0")]
    {
        check(&format!("VAR a : {a}; b : {b};"), &fill(ARITHMETIC, &operands));
    }
}

#[test]
fn integers_near_their_limits() {
    let patterns = &ARITHMETIC[..17];
    let (least, most) = ("-9223372036854775807 - 1", "9223372036854775807");
    let constants = [("a", most), ("b", "(-1)"), ("(a + b)", "1"), ("(b - 1)", "a")];
    let operands: Vec<(&str, &str)> =
        [("a", "b"), ("a", "a"), ("b", "a")].into_iter().chain(constants).collect();
    let far = format!("{least}..-9223372036854775806");
    for (a, b) in [
        ("9223372036854775805..9223372036854775807", "-2..2"),
        (far.as_str(), "-2..2"),
        (far.as_str(), "9223372036854775806..9223372036854775807"),
        ("4611686018427387902..4611686018427387905", "4611686018427387903..4611686018427387904"),
        ("3037000499..3037000500", "{-3037000500, 3037000500}"),
        ("{-9223372036854775807, 0, 9223372036854775807}", "{4611686018427387904, -1, 1}"),
    ] {
        check(&format!("VAR a : {a}; b : {b};"), &fill(patterns, &operands));
    }
}

#[test]
fn symbols_and_mixed_enumerations() {
    let patterns =
        ["# = @", "# != @", "# in {@, p}", "{#, @} in {p, q}", "c ? # : @", "case c : #; esac"];
    let operands = [("a", "b"), ("a", "q"), ("p", "b"), ("b", "a"), ("a", "a")];
    for (a, b) in [("{p, q, r}", "{q, p}"), ("{p, 1, 0}", "{q, 1, p}"), ("{p, q}", "{0, q, 1}")] {
        let text = format!("CONSTANTS p, q, r; VAR a : {a}; b : {b}; c : boolean;");
        check(&text, &fill(&patterns, &operands));
    }
}

const WORDS: &[&str] = &[
    "# & @",
    "# | @",
    "# xor @",
    "# xnor @",
    "# -> @",
    "# <-> @",
    "# = @",
    "# != @",
    "# < @",
    "# <= @",
    "# > @",
    "# >= @",
    "# + @",
    "# - @",
    "# * @",
    "# / @",
    "# mod @",
    "# :: @",
    "# << @",
    "# >> @",
    "!#",
    "-#",
    "toint(#)",
    "min(#, @)",
    "max(#, @)",
];

/// What may be done to two words; the amount of a shift is unsigned.
fn of_words(signed: bool) -> Vec<String> {
    let amount = if signed { "unsigned(@)" } else { "@" };
    let shift = |pattern: &str| match pattern.contains("<<") || pattern.contains(">>") {
        true => pattern.replace('@', amount),
        false => pattern.into(),
    };
    WORDS.iter().map(|pattern| shift(pattern)).collect()
}

/// What may be done to one word.
fn word_patterns(signed: bool, width: usize) -> Vec<String> {
    let mut patterns = vec![if signed { "unsigned(#)" } else { "signed(#)" }.to_string()];
    for high in 0..width {
        patterns.extend((0..=high).map(|low| format!("#[{high}:{low}]")));
    }
    patterns.extend((1..=width + 2).map(|new| format!("resize(#, {new})")));
    patterns.extend((0..3).map(|more| format!("extend(#, {more})")));
    if width == 1 && !signed {
        patterns.push("bool(#)".into());
    }
    patterns
}

#[test]
fn words_of_a_few_bits() {
    for (signed, keyword, letter) in [(false, "unsigned", "u"), (true, "signed", "s")] {
        for width in 1..=4 {
            let text = format!("VAR a : {keyword} word[{width}]; b : {keyword} word[{width}];");
            let one = format!("0{letter}d{width}_{}", usize::from(width > 1));
            let patterns = of_words(signed);
            check(&text, &fill(&patterns, &[("a", "b")]));
            if width < 4 {
                let operands =
                    [("a", one.as_str()), (&one, "b"), ("a", "a"), ("(a + b)", "(a - b)")];
                check(&text, &fill(&patterns, &operands));
            }
            let single = word_patterns(signed, width);
            let constant = format!("0{letter}b{width}_0{}", "1".repeat(width - 1));
            check(&text, &fill(&single, &[("a", ""), ("(a * b)", ""), (&constant, "")]));
        }
    }
}

#[test]
fn shifts_by_integers_and_conversions() {
    for keyword in ["unsigned", "signed"] {
        for width in 1..=4 {
            let text = format!("VAR a : {keyword} word[{width}]; n : -1..6; c : boolean;");
            let patterns = ["# << n", "# >> n", "# << 1", "# >> 1", "c ? # << n : # >> n"];
            check(&text, &fill(&patterns, &[("a", ""), ("(!a)", "")]));
        }
    }
    check(
        "VAR c : boolean; n : -2..2; w : word[1];",
        &[
            "word1(c)",
            "word1(n > 0 & c)",
            "toint(c)",
            "bool(n)",
            "bool(w)",
            "count(c, n > 0, bool(w))",
            "count(c, 1 / n > 0)",
            "w :: word1(c) :: w",
            "uwconst(3, 4) >> toint(w)",
            "swconst(-2, 4)",
        ]
        .map(String::from),
    );
}

/// Choices, with branches that fail.
#[test]
fn conditions_cases_and_indices() {
    check(
        "VAR a : array 0..2 of -1..1; n : -1..3; c : boolean;",
        &[
            "a[n]",
            "a[n] + a[1]",
            "a[a[0]]",
            "a[n + 1]",
            "c ? a[n] : 0",
            "c ? 1 / n : n",
            "case c : n; n > 1 : 1 / (n - 2); esac",
            "case c : n; esac + 1",
            "1 / n > 0 ? n : 2",
            "case 1 / n > 0 : c; TRUE : !c; esac",
            "n in {a[0], a[n]}",
            "(c ? {n, 1} : 0) in {0, 1}",
            "n in (c ? {0, 1} : case n > 0 : 1; esac)",
            "count(c, n > 0, a[n] = 1)",
            "max(n, a[n])",
            "c & a[n] = 1",
            "n in 0..2 & a[n] = 0",
            "{a[n], n} in 0..1",
            "case c : {n, 1}; esac in 0..2",
        ]
        .map(String::from),
    );
}

const WIDE: &[(&str, &str, usize)] =
    &[("unsigned", "u", 64), ("signed", "s", 64), ("unsigned", "u", 63), ("signed", "s", 63)];

/// The word of so many bits, all of them ones.
fn all_ones(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

/// Compares expressions over two wide words, which take each of these values with each other; two
/// small numbers choose them.
fn check_wide((keyword, letter, width): (&str, &str, usize), bits: &[u64], expressions: &[String]) {
    let word = |bits: &u64| format!("0{letter}b{width}_{bits:0width$b}");
    let choice = |name: &str| {
        let branches =
            bits.iter().enumerate().map(|(n, bits)| format!("{name} = {n} : {}; ", word(bits)));
        format!("case {} TRUE : {}; esac", branches.collect::<String>(), word(&7))
    };
    let n_last = bits.len();
    let text = format!(
        "MODULE main\nFROZENVAR i : 0..{n_last}; j : 0..{n_last}; a : {keyword} word[{width}]; b : {keyword} word[{width}];\n\
         ASSIGN init(a) := {}; init(b) := {};",
        choice("i"),
        choice("j")
    );
    let (model, _) = read(&text, &[]);
    let choices: Vec<ExprId> = model.assigns.iter().map(|assign| assign.expr).collect();
    let plan = Plan::new(&model, &choices);
    let vars = [VarId(0), VarId(1)];
    let state = |mut state: Row| {
        let words = row(&plan, &state);
        state[2..].copy_from_slice(&words);
        state
    };
    let states = valuations(&model, &vars, &[None; 4]).map(state).collect();
    check_in(&text, expressions, Some(states));
}

/// What needs a multiplier or a divider: a SAT solver goes through all of its gates for each pair of
/// values, and its diagrams are too large for any order.
fn is_hard(pattern: &str) -> bool {
    ["*", "/", "mod"].iter().any(|operator| pattern.contains(operator))
}

/// The values are each other's corners, and those of shifts.
#[test]
fn words_of_63_and_64_bits() {
    for &wide in WIDE {
        let (keyword, letter, width) = wide;
        let (top, all) = (1u64 << (width - 1), all_ones(width));
        let word = |bits: &u64| format!("0{letter}b{width}_{bits:0width$b}");
        let mut patterns = of_words(letter == "s");
        patterns.retain(|pattern| pattern != "# :: @" && !is_hard(pattern));
        let mut expressions = fill(&patterns, &[("a", "b")]);
        expressions.extend(fill(
            &["# + @", "# - @"],
            &[("a", &word(&3)), (&word(&all), "b"), ("(a - b)", "(a + b)")],
        ));
        let high = width - 1;
        expressions.extend([
            format!("a[{high}:0]"),
            format!("a[{high}:{high}]"),
            format!("a[{high}:1] = b[{high}:1]"),
            "a[62:31]".into(),
            "resize(a, 62)".into(),
            "resize(a, 1)".into(),
            "resize(a, 64)".into(),
            "a[31:0] :: b[31:0]".into(),
            "a[62:0] :: b[0:0]".into(),
            "a << i".into(),
            "a >> j".into(),
            format!("{}(a)", if keyword == "signed" { "unsigned" } else { "signed" }),
        ]);
        let bits = [0, 1, 2, 63, 64, top - 1, top, all, all - 1, 0x1234_5678_9abc_def0 & all];
        check_wide(wide, &bits, &expressions);
    }
}

/// The values are those at which products and quotients change their nature: none, one, the least, the
/// greatest, all ones (which is -1), and two in between.
#[test]
fn products_and_quotients_of_63_and_64_bits() {
    for &wide in WIDE {
        let (_, letter, width) = wide;
        let (top, all) = (1u64 << (width - 1), all_ones(width));
        let three = format!("0{letter}d{width}_3");
        let mut operands = vec![("a", "b")];
        // What a constant folds is the same for both widths.
        if width == 64 {
            operands.push(("a", &three));
        }
        let bits = [top, all, 1, 0, top - 1, 0x1234_5678_9abc_def0 & all];
        // With one bit less only the places of the least, the greatest and all ones move.
        let bits = if width == 64 { &bits[..] } else { &bits[..3] };
        check_wide(wide, bits, &fill(&["# * @", "# / @", "# mod @"], &operands));
    }
}
