//! The evaluator: each operator against its definition, and with some variables unknown, what it
//! says it knows.

use fastrand::Rng;
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::{Model, Value, VarId};

use trapline_testkit::read;
use trapline_testkit::valuations;

/// What an expression gives, apart from the place of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Int(i128),
    Bool(bool),
    Other(Value),
    Fails,
    Unknown,
    Set { members: Vec<Value>, is_partial: bool },
}

impl From<&Cell> for Outcome {
    fn from(cell: &Cell) -> Outcome {
        match cell {
            Cell::Value(Value::Int(i)) => Outcome::Int((*i).into()),
            Cell::Value(Value::Bool(b)) => Outcome::Bool(*b),
            Cell::Value(Value::Word(w)) => Outcome::Int(w.to_i128()),
            Cell::Value(value) => Outcome::Other(*value),
            Cell::Fail(_) => Outcome::Fails,
            Cell::Unknown => Outcome::Unknown,
            Cell::Set(set) => {
                let mut members: Vec<Value> = set.iter().collect();
                members.sort_unstable();
                members.dedup();
                Outcome::Set { members, is_partial: set.is_partial }
            }
        }
    }
}

/// The numbers that the variables of a valuation stand for.
fn numbers(values: &[Option<Value>]) -> Vec<i128> {
    let number = |value: &Option<Value>| match value {
        Some(Value::Int(i)) => (*i).into(),
        Some(Value::Bool(b)) => i128::from(*b),
        Some(Value::Word(w)) => w.to_i128(),
        other => panic!("{other:?} is no number"),
    };
    values.iter().map(number).collect()
}

/// Evaluates an expression on all values of the variables, and compares with a definition over
/// the numbers that they stand for. `None` is a failure.
fn check<T: Into<i128>>(vars: &str, expression: &str, definition: impl Fn(&[i128]) -> Option<T>) {
    let text = format!("MODULE main VAR {vars} DEFINE d := {expression};");
    let (model, _) = read(&text, &[]);
    let plan = Plan::new(&model, &[model.defines[0].body.expr]);
    let all: Vec<VarId> = model.var_ids().map(|(var, _)| var).collect();
    let mut cells = Vec::new();
    for values in valuations(&model, &all, &vec![None; model.vars.len()]) {
        plan.run(&values, &[], &mut cells);
        let found = match Outcome::from(plan.root(0, &cells)) {
            Outcome::Bool(b) => Outcome::Int(b.into()),
            other => other,
        };
        let numbers = numbers(&values);
        let wanted = definition(&numbers).map_or(Outcome::Fails, |n| Outcome::Int(n.into()));
        assert_eq!(found, wanted, "{expression} at {numbers:?}");
    }
}

#[test]
fn connectives_mean_their_truth_tables() {
    let vars = "a : boolean; b : boolean;";
    check(vars, "!a", |n| Some(n[0] == 0));
    check(vars, "a & b", |n| Some(n[0] * n[1]));
    check(vars, "a | b", |n| Some(n[0].max(n[1])));
    for different in ["a xor b", "a != b"] {
        check(vars, different, |n| Some(n[0] != n[1]));
    }
    for same in ["a xnor b", "a <-> b", "a = b"] {
        check(vars, same, |n| Some(n[0] == n[1]));
    }
    check(vars, "a -> b", |n| Some(n[0] <= n[1]));
    check(vars, "a ? b : !b", |n| Some(n[0] == n[1]));
    check(vars, "count(a, b, a)", |n| Some(2 * n[0] + n[1]));
    check(vars, "toint(a)", |n| Some(n[0]));
    check(vars, "word1(a)", |n| Some(n[0]));
    check(vars, "case a : 1; b : 2; esac", |n| match (n[0], n[1]) {
        (1, _) => Some(1),
        (_, 1) => Some(2),
        _ => None,
    });
}

#[test]
fn a_connective_that_is_decided_hides_a_failure() {
    let vars = "x : 0..1;";
    for hidden in ["1 / x = 1 & FALSE", "FALSE & 1 / x = 1"] {
        check(vars, hidden, |_| Some(false));
    }
    for hidden in ["1 / x = 1 | TRUE", "TRUE | 1 / x = 1", "FALSE -> 1 / x = 1"] {
        check(vars, hidden, |_| Some(true));
    }
    for seen in ["1 / x = 1 & TRUE", "TRUE & 1 / x = 1", "1 / x = 1 | FALSE", "TRUE -> 1 / x = 1"] {
        check(vars, seen, |n| (n[0] == 1).then_some(true));
    }
    check(vars, "(1 / x = 1) xor TRUE", |n| (n[0] == 1).then_some(false));
    check(vars, "x = 0 ? 7 : 7 / x", |_| Some(7));
}

/// Division towards zero and the remainder that goes with it, by counting.
fn divide(a: i128, b: i128) -> Option<(i128, i128)> {
    if b == 0 {
        return None;
    }
    let mut quotient = 0;
    let mut rest = a.abs();
    while rest >= b.abs() {
        rest -= b.abs();
        quotient += 1;
    }
    let sign = |n: i128| if n < 0 { -1 } else { 1 };
    Some((quotient * sign(a) * sign(b), rest * sign(a)))
}

#[test]
fn integers_calculate_as_numbers_do() {
    let vars = "x : -4..4; y : -4..4;";
    check(vars, "-x", |n| Some(-n[0]));
    check(vars, "abs(x)", |n| Some(if n[0] < 0 { -n[0] } else { n[0] }));
    check(vars, "x + y", |n| Some(n[0] + n[1]));
    check(vars, "x - y", |n| Some(n[0] - n[1]));
    check(vars, "x * y", |n| Some(n[0] * n[1]));
    check(vars, "x / y", |n| divide(n[0], n[1]).map(|(quotient, _)| quotient));
    check(vars, "x mod y", |n| divide(n[0], n[1]).map(|(_, rest)| rest));
    check(vars, "min(x, y)", |n| Some(if n[0] < n[1] { n[0] } else { n[1] }));
    check(vars, "max(x, y)", |n| Some(if n[0] < n[1] { n[1] } else { n[0] }));
    check(vars, "x = y", |n| Some(n[0] == n[1]));
    check(vars, "x != y", |n| Some(n[0] != n[1]));
    check(vars, "x < y", |n| Some(n[0] < n[1]));
    check(vars, "x <= y", |n| Some(n[0] <= n[1]));
    check(vars, "x > y", |n| Some(n[0] > n[1]));
    check(vars, "x >= y", |n| Some(n[0] >= n[1]));
    check(vars, "x in {y, 2}", |n| Some(n[0] == n[1] || n[0] == 2));
    check(vars, "x in -1..1 union y", |n| Some(n[0].abs() <= 1 || n[0] == n[1]));
    check(vars, "{x, y} in 0..3", |n| Some(n.iter().all(|m| (0..=3).contains(m))));
    check(vars, "bool(x)", |n| Some(n[0] != 0));
    check(vars, "floor(x)", |n| Some(n[0]));
}

#[test]
fn an_index_outside_its_array_fails() {
    let vars = "a : array 1..2 of 0..1; x : 0..3;";
    check(vars, "a[x]", |n| match n[2] {
        1 => Some(n[0]),
        2 => Some(n[1]),
        _ => None,
    });
}

/// The number of a kind of word that has the same bits.
fn wrap(number: i128, signed: bool, width: u32) -> i128 {
    let size = 1 << width;
    let bits = ((number % size) + size) % size;
    if signed && bits >= size / 2 { bits - size } else { bits }
}

fn bit(number: i128, position: u32) -> i128 {
    (number >> position) & 1
}

/// Applies a truth table to each bit.
fn bitwise(n: &[i128], width: u32, table: impl Fn(i128, i128) -> bool) -> i128 {
    (0..width).map(|at| i128::from(table(bit(n[0], at), bit(n[1], at))) << at).sum()
}

#[test]
fn words_of_up_to_four_bits_calculate_modulo_their_size() {
    for (signed, width) in [false, true].into_iter().flat_map(|s| (1..=4).map(move |w| (s, w))) {
        let kind = if signed { "signed" } else { "unsigned" };
        let vars = format!("u : {kind} word[{width}]; v : {kind} word[{width}];");
        let check = |expression: &str, definition: &dyn Fn(&[i128]) -> Option<i128>| {
            check(&vars, expression, |n| definition(n).map(|m| wrap(m, signed, width)));
        };
        let bits = |n: &[i128], table: &dyn Fn(i128, i128) -> bool| Some(bitwise(n, width, table));
        check("!u", &|n| bits(n, &|a, _| a == 0));
        check("u & v", &|n| bits(n, &|a, b| a == 1 && b == 1));
        check("u | v", &|n| bits(n, &|a, b| a == 1 || b == 1));
        check("u xor v", &|n| bits(n, &|a, b| a != b));
        check("u xnor v", &|n| bits(n, &|a, b| a == b));
        check("u <-> v", &|n| bits(n, &|a, b| a == b));
        check("u -> v", &|n| bits(n, &|a, b| a == 0 || b == 1));
        check("-u", &|n| Some(-n[0]));
        check("u + v", &|n| Some(n[0] + n[1]));
        check("u - v", &|n| Some(n[0] - n[1]));
        check("u * v", &|n| Some(n[0] * n[1]));
        check("u / v", &|n| divide(n[0], n[1]).map(|(quotient, _)| quotient));
        check("u mod v", &|n| divide(n[0], n[1]).map(|(_, rest)| rest));
        check("max(u, v)", &|n| Some(n[0].max(n[1])));
        check("min(u, v)", &|n| Some(n[0].min(n[1])));
    }
}

#[test]
fn words_of_up_to_four_bits_compare_and_convert_by_their_bits() {
    for (signed, width) in [false, true].into_iter().flat_map(|s| (1..=4u32).map(move |w| (s, w))) {
        let kind = if signed { "signed" } else { "unsigned" };
        let vars = format!("u : {kind} word[{width}]; v : {kind} word[{width}];");
        check(&vars, "u = v", |n| Some(n[0] == n[1]));
        check(&vars, "u != v", |n| Some(n[0] != n[1]));
        check(&vars, "u < v", |n| Some(n[0] < n[1]));
        check(&vars, "u <= v", |n| Some(n[0] <= n[1]));
        check(&vars, "u > v", |n| Some(n[0] > n[1]));
        check(&vars, "u >= v", |n| Some(n[0] >= n[1]));
        check(&vars, "toint(u)", |n| Some(n[0]));
        check(&vars, "sizeof(u)", |_| Some(i128::from(width)));
        let other = if signed { "unsigned(u)" } else { "signed(u)" };
        check(&vars, other, |n| Some(wrap(n[0], !signed, width)));
        check(&vars, "u :: v", |n| {
            let [high, low] = [n[0], n[1]].map(|m| wrap(m, false, width));
            Some((high << width) + low)
        });
        check(&vars, "extend(u, 2)", |n| Some(n[0]));
        for (high, low) in (0..width).flat_map(|high| (0..=high).map(move |low| (high, low))) {
            check(&vars, &format!("u[{high}:{low}]"), |n| {
                Some((low..=high).map(|at| bit(n[0], at) << (at - low)).sum::<i128>())
            });
        }
        for new in 1..=6 {
            check(&vars, &format!("resize(u, {new})"), |n| {
                // A signed word that is cut keeps its sign bit and the lowest of the others.
                let is_cut = signed && new < width;
                let sign = bit(n[0], width - 1) << (new - 1);
                let low = wrap(n[0], false, if is_cut { new - 1 } else { new });
                Some(wrap(if is_cut { sign + low } else { low }, signed, new))
            });
        }
        let vars = format!("{vars} i : -1..6; a : unsigned word[3];");
        for (amount, idx) in [("i", 2), ("a", 3)] {
            let shifted = |n: &[i128], by: &dyn Fn(i128) -> i128| {
                let is_inside = (0..=i128::from(width)).contains(&n[idx]);
                is_inside.then(|| wrap(by(n[idx]), signed, width))
            };
            check(&vars, &format!("u << {amount}"), |n| shifted(n, &|by| n[0] << by));
            // Rounds down, which for a signed word brings in copies of the sign.
            check(&vars, &format!("u >> {amount}"), |n| shifted(n, &|by| n[0].div_euclid(1 << by)));
        }
    }
}

const VARS: &str = "VAR b : boolean; c : boolean; x : 0..2; y : -1..1; e : {p, q, r};
    u : unsigned word[2]; s : signed word[2]; a : array 0..1 of 0..2;
    DEFINE f := case b : x; c : y; esac; g := b xor x > y; h := {x, 2};";

#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Int,
    Symbol,
    Word,
    Set,
}

fn expression(rng: &mut Rng, kind: Kind, depth: usize) -> String {
    use Kind::{Bool, Int, Set, Symbol, Word};
    let mut pick = |list: &[&'static str]| *rng.choice(list).expect("there are some");
    if depth == 0 {
        return match kind {
            Bool => pick(&["b", "c", "next(b)", "TRUE", "g"]),
            Int => pick(&["x", "y", "next(x)", "a[x]", "a[y]", "f", "0", "1", "3"]),
            Symbol => pick(&["e", "next(e)", "p", "q"]),
            Word => pick(&["u", "next(u)", "0ud2_2", "unsigned(s)"]),
            Set => pick(&["0..1", "{x, y}", "h", "{a[x], 1}", "x union 1..2"]),
        }
        .into();
    }
    let connective = pick(&["&", "|", "xor", "xnor", "->", "<->", "=", "!="]);
    let comparison = pick(&["=", "!=", "<", "<=", ">", ">="]);
    let arithmetic = pick(&["+", "-", "*", "/", "mod"]);
    let bitwise = pick(&["+", "-", "*", "/", "&", "|", "xor", "->"]);
    let which = rng.u8(..7);
    let mut sub = |kind: Kind| {
        let depth = rng.usize(..depth);
        expression(rng, kind, depth)
    };
    match (kind, which) {
        (Bool, 0) => format!("({} {connective} {})", sub(Bool), sub(Bool)),
        (Bool, 1) => format!("({} {comparison} {})", sub(Int), sub(Int)),
        (Bool, 2) => format!("({} = {})", sub(Symbol), sub(Symbol)),
        (Bool, 3) => format!("({} {comparison} {})", sub(Word), sub(Word)),
        (Bool, 4) => format!("({} in {})", sub(Int), sub(Set)),
        (Int, 0..=1) => format!("({} {arithmetic} {})", sub(Int), sub(Int)),
        (Int, 2) => format!("max({}, abs({}))", sub(Int), sub(Int)),
        (Int, 3) => format!("count({}, {}, b)", sub(Bool), sub(Bool)),
        (Int, 4) => format!("toint({})", sub(Word)),
        (Word, 0..=1) => format!("({} {bitwise} {})", sub(Word), sub(Word)),
        (Word, 2) => format!("({} << (x + {}))", sub(Word), sub(Int)),
        (Word, 3) => format!("(word1({}) :: {})[1:0]", sub(Bool), sub(Word)),
        (Word, 4) => format!("resize({}[1:1], 2)", sub(Word)),
        (Set, 0..=1) => format!("({} union {})", sub(Set), sub(Int)),
        (Set, 2) => format!("{{{}, {}, 1}}", sub(Int), sub(Int)),
        (_, 5) => {
            let (first, second) = (sub(Bool), sub(Bool));
            format!("case {first} : {}; {second} : {}; esac", sub(kind), sub(kind))
        }
        (_, 6) => format!("({} ? {} : {})", sub(Bool), sub(kind), sub(kind)),
        _ => format!("({} ? {} : {})", sub(Bool), sub(kind), sub(kind)),
    }
}

/// Is what was said with some variables unknown right, now that this is the whole truth?
fn agrees(said: &Outcome, truth: &Outcome) -> bool {
    match (said, truth) {
        (Outcome::Unknown, _) => true,
        // Some members: they are there, unless it has no value at all.
        (Outcome::Set { is_partial: true, .. }, Outcome::Fails) => true,
        (Outcome::Set { members, is_partial: true }, Outcome::Set { members: all, .. }) => {
            members.iter().all(|member| all.contains(member))
        }
        _ => said == truth,
    }
}

/// Evaluates with a random part of the variables known, and compares with all completions.
/// Returns whether anything was said.
fn check_partial(model: &Model, define_idx: usize, rng: &mut Rng, text: &str) -> bool {
    let expr = model.defines[define_idx].body.expr;
    let plan = Plan::new(model, &[expr]);
    let support = support(model, [expr]);
    let mut known = |vars: &[VarId]| {
        let mut values = vec![None; model.vars.len()];
        for &var in vars {
            let domain = &model.var(var).domain;
            let size = domain.size().expect("finite");
            values[var.0 as usize] = rng.bool().then(|| domain.value(rng.u64(..size)));
        }
        values
    };
    let (current, next) = (known(&support.current), known(&support.next));
    let open = |vars: &[VarId], values: &[Option<Value>]| -> Vec<VarId> {
        vars.iter().copied().filter(|var| values[var.0 as usize].is_none()).collect()
    };
    let open_current = open(&support.current, &current);
    let open_next = open(&support.next, &next);
    let mut cells = Vec::new();
    plan.run(&current, &next, &mut cells);
    let said = Outcome::from(plan.root(0, &cells));
    if said == Outcome::Unknown {
        return false;
    }
    for here in valuations(model, &open_current, &current) {
        for there in valuations(model, &open_next, &next) {
            plan.run(&here, &there, &mut cells);
            let truth = Outcome::from(plan.root(0, &cells));
            let at = || format!("{text}\nknown {current:?}, {next:?}\nat {here:?}, {there:?}");
            assert!(truth != Outcome::Unknown, "nothing is unknown\n{}", at());
            assert!(agrees(&said, &truth), "{said:?}, but it is {truth:?}\n{}", at());
        }
    }
    !(open_current.is_empty() && open_next.is_empty())
}

#[test]
fn what_is_known_of_part_of_a_state_is_so_in_all_of_it() {
    let mut rng = Rng::with_seed(7);
    let mut n_said = 0;
    for round in 0..3000 {
        let kind = [Kind::Bool, Kind::Int, Kind::Symbol, Kind::Word, Kind::Set][round % 5];
        let depth = rng.usize(1..=3);
        let text = format!("MODULE main {VARS} t := {};", expression(&mut rng, kind, depth));
        let (model, _) = read(&text, &[]);
        for _ in 0..4 {
            let idx = model.defines.len() - 1;
            n_said += usize::from(check_partial(&model, idx, &mut rng, &text));
        }
    }
    assert!(n_said > 1500, "only {n_said} times anything was known");
}
