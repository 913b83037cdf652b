//! Well-formedness: an error is reported exactly if some valuation of the types is one, and the
//! state that the message shows is such a valuation.

use fastrand::Rng;
use trapline_engine::{Budget, wellformed};
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::{ConstraintKind, Domain, ExprId, Model, Value, VarId};
use trapline_source::{Diagnostic, Diagnostics, Severity};

use trapline_testkit::random::{Options, Reads, random_model};
use trapline_testkit::read;
use trapline_testkit::valuations;

/// What must have a value of its domain in every state or step: one assignment, or all
/// constraints of a kind, where one that is false hides that another one fails.
struct Obligation {
    roots: Vec<ExprId>,
    domain: Domain,
}

fn obligations(model: &Model) -> Vec<Obligation> {
    let assigns = model.assigns.iter().flat_map(|assign| {
        let domain = &model.var(assign.var).domain;
        let parts = assign.parts.iter();
        parts.map(|p| Obligation { roots: vec![p.body.expr], domain: domain.clone() })
    });
    let kinds = [ConstraintKind::Init, ConstraintKind::Invar, ConstraintKind::Trans];
    let constraints = kinds.into_iter().map(|kind| {
        let of_kind = model.constraints.iter().filter(|c| c.kind == kind);
        Obligation { roots: of_kind.map(|c| c.body.expr).collect(), domain: Domain::Bool }
    });
    assigns.chain(constraints).filter(|obligation| !obligation.roots.is_empty()).collect()
}

impl Obligation {
    /// The variables that are read: of the current and of the next state.
    fn slots(&self, model: &Model) -> [Vec<VarId>; 2] {
        let support = support(model, self.roots.iter().copied());
        [support.current, support.next]
    }

    fn is_violated(&self, plan: &Plan, current: &[Option<Value>], next: &[Option<Value>]) -> bool {
        let mut cells = Vec::new();
        plan.run(current, next, &mut cells);
        let roots: Vec<&Cell> = (0..self.roots.len()).map(|idx| plan.root(idx, &cells)).collect();
        let is_outside = |value: Value| !self.domain.contains(value);
        match roots.as_slice() {
            [Cell::Fail(_)] => true,
            [Cell::Value(value)] => is_outside(*value),
            [Cell::Set(set)] => set.iter().any(is_outside),
            [Cell::Unknown] => panic!("every variable has a value"),
            all => {
                let has_failure = all.iter().any(|cell| matches!(cell, Cell::Fail(_)));
                has_failure && all.iter().all(|cell| cell.as_bool() != Some(false))
            }
        }
    }

    /// On which valuations that agree with what is given is it violated: some, all?
    fn violations(&self, model: &Model, given: &Given) -> (bool, bool) {
        let plan = Plan::new(model, &self.roots);
        let [current, next] = self.slots(model);
        let open = |vars: Vec<VarId>, given: &[Option<Value>]| -> Vec<VarId> {
            vars.into_iter().filter(|var| given[var.0 as usize].is_none()).collect()
        };
        let (current, next) = (open(current, &given.current), open(next, &given.next));
        let (mut some, mut all) = (false, true);
        for here in valuations(model, &current, &given.current) {
            for there in valuations(model, &next, &given.next) {
                let is_violated = self.is_violated(&plan, &here, &there);
                some |= is_violated;
                all &= is_violated;
            }
        }
        (some, all)
    }

    /// Is it violated by what a message shows? The other constraints of a kind are not shown, so
    /// they may still go either way.
    fn is_shown(&self, model: &Model, given: &Given) -> bool {
        let (some, all) = self.violations(model, given);
        if self.roots.len() > 1 { some } else { all }
    }
}

struct Given {
    current: Vec<Option<Value>>,
    next: Vec<Option<Value>>,
}

impl Given {
    fn nothing(model: &Model) -> Given {
        let unknown = vec![None; model.vars.len()];
        Given { current: unknown.clone(), next: unknown }
    }

    /// Reads `when a = 1, next(b) = 2`.
    fn parse(model: &Model, label: &str) -> Given {
        let mut given = Given::nothing(model);
        if label == "in every state" {
            return given;
        }
        let list = label.strip_prefix("when ").unwrap_or_else(|| panic!("no state: {label:?}"));
        for equation in list.split(", ") {
            let (left, right) = equation.split_once(" = ").expect("name = value");
            let primed = left.strip_prefix("next(").and_then(|rest| rest.strip_suffix(')'));
            let var = model.find_var(primed.unwrap_or(left)).expect("a variable");
            let domain = &model.var(var).domain;
            let mut values = (0..domain.size().expect("finite")).map(|idx| domain.value(idx));
            let value = values.find(|&value| model.show(value) == right).expect("a value");
            let side = if primed.is_some() { &mut given.next } else { &mut given.current };
            side[var.0 as usize] = Some(value);
        }
        given
    }
}

fn errors(model: &Model) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::new();
    let options = wellformed::Options { strict: true };
    let report = wellformed::check(model, options, &Budget::unlimited(), &mut diagnostics);
    assert_eq!(report.undecided, [], "small models are decided");
    let errors = diagnostics.list().iter().filter(|d| d.severity == Severity::Error);
    errors.cloned().collect()
}

/// Checks a model, and returns whether it is well formed.
fn check(text: &str) -> bool {
    let (model, _) = read(text, &[]);
    let obligations = obligations(&model);
    let errors = errors(&model);
    let is_violated = |o: &&Obligation| o.violations(&model, &Given::nothing(&model)).0;
    let n_violated = obligations.iter().filter(is_violated).count();
    let is_found = |o: &Obligation| {
        errors.iter().any(|e| o.is_shown(&model, &Given::parse(&model, &e.labels[0].text)))
    };
    let shown: Vec<_> = errors.iter().map(|e| (&e.message, &e.labels[0].text)).collect();
    assert_eq!(errors.is_empty(), n_violated == 0, "{n_violated} violated, {shown:?}\n{text}");
    assert!(obligations.iter().filter(is_violated).all(is_found), "{shown:?}\n{text}");
    for error in &errors {
        let given = Given::parse(&model, &error.labels[0].text);
        let violated: Vec<_> = obligations.iter().filter(|o| o.is_shown(&model, &given)).collect();
        assert!(!violated.is_empty(), "{shown:?}\n{text}");
        if error.code == "out-of-range" {
            assert!(violated.iter().any(|o| o.domain != Domain::Bool), "{shown:?}\n{text}");
            let name = error.message.split('`').nth(1).unwrap_or_default();
            let value = error.message.split("can be ").nth(1).and_then(|m| m.split(',').next());
            assert!(!name.is_empty() && value.is_some_and(|v| !v.is_empty()), "{shown:?}\n{text}");
        }
    }
    errors.is_empty()
}

#[test]
fn random_models_are_refused_exactly_if_some_valuation_violates_them() {
    let mut counts = [0; 2];
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let sketch = random_model(&mut rng, Options { is_wild: true, max_states: 40 });
        counts[usize::from(check(&sketch.text))] += 1;
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

/// One rule at a time, so that no other one can be the reason.
#[test]
fn single_rules_are_refused_exactly_if_some_valuation_violates_them() {
    let mut counts = [0; 2];
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(10_000 + seed);
        let sketch = random_model(&mut rng, Options { is_wild: true, max_states: 40 });
        let is_rule =
            |line: &&str| ["ASSIGN", "INIT", "INVAR", "TRANS"].iter().any(|k| line.starts_with(k));
        let n_rules = sketch.text.lines().filter(is_rule).count();
        let kept = rng.usize(..n_rules.max(1));
        let mut rule_idx = 0;
        let mut text = String::new();
        for line in sketch.text.lines() {
            let is_dropped = is_rule(&line) && rule_idx != kept;
            rule_idx += usize::from(is_rule(&line));
            if !is_dropped {
                text += line;
                text += "\n";
            }
        }
        counts[usize::from(check(&text))] += 1;
    }
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

#[test]
fn constraints_of_a_kind_hide_each_others_failures_only_if_false() {
    let mut counts = [0; 2];
    for seed in 0..800 {
        let mut rng = Rng::with_seed(20_000 + seed);
        let sketch = random_model(&mut rng, Options { is_wild: true, max_states: 20 });
        let is_assign = |line: &&str| !line.starts_with("ASSIGN");
        let mut text: Vec<String> = sketch.text.lines().filter(is_assign).map(Into::into).collect();
        for _ in 0..2 {
            text.push(format!("INVAR {};", sketch.boolean(&mut rng, Reads::STATE)));
        }
        counts[usize::from(check(&text.join("\n")))] += 1;
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

/// The codes and states of what is reported.
fn check_errors(text: &str, expected: &[(&str, &str)]) {
    check(text);
    let (model, _) = read(text, &[]);
    let errors = errors(&model);
    let found: Vec<_> = errors.iter().map(|e| (e.code, e.labels[0].text.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn each_way_to_go_wrong_is_named_with_a_state() {
    check_errors(
        "MODULE main VAR x : 0..3; ASSIGN next(x) := x + 1;",
        &[("out-of-range", "when x = 3")],
    );
    check_errors(
        "MODULE main VAR x : 0..3; ASSIGN init(x) := {1, 7};",
        &[("out-of-range", "in every state")],
    );
    check_errors(
        "MODULE main VAR e : {a, b}; f : {b, c}; ASSIGN e := f;",
        &[("out-of-range", "when f = c")],
    );
    check_errors(
        "MODULE main VAR x : 0..3; b : boolean; ASSIGN next(b) := case x < 3 : b; esac;",
        &[("not-exhaustive", "when x = 3")],
    );
    check_errors(
        "MODULE main VAR x : 0..3; y : 0..3; TRANS 6 / next(x) > y;",
        &[("division-by-zero", "when next(x) = 0")],
    );
    check_errors(
        "MODULE main VAR x : 0..2; a : array 0..1 of boolean; INVAR a[x];",
        &[("index-out-of-bounds", "when x = 2")],
    );
    check_errors(
        "MODULE main VAR x : 0..3; w : word[2]; ASSIGN next(w) := w << x;",
        &[("bad-shift", "when x = 3, w = 0ud2_0")],
    );
    check_errors(
        "MODULE main VAR x : -1..2; w : word[2]; ASSIGN next(w) := w >> x;",
        &[("bad-shift", "when x = -1, w = 0ud2_0")],
    );
}

#[test]
fn a_guard_keeps_what_it_guards_from_going_wrong() {
    for rule in [
        "ASSIGN next(x) := x < 3 ? x + 1 : 0;",
        "ASSIGN next(x) := case x = 3 : 0; TRUE : x + 1; esac;",
        "INVAR x = 0 | 6 / x > 1",
        "INVAR x != 0 -> 6 / x > 1",
        "INVAR 6 / x > 1 & x > 0",
        "INVAR x > 0 INVAR 6 / x > 1",
        "INVAR case x < 2 : TRUE; x > 1 : FALSE; esac",
    ] {
        check_errors(&format!("MODULE main VAR x : 0..3; {rule}"), &[]);
    }
}

#[test]
fn one_failure_does_not_hide_another() {
    let zero = ("division-by-zero", "when x = 0");
    check_errors("MODULE main VAR x : 0..1; INVAR 1 / x = 1 INVAR 2 / x = 2", &[zero, zero]);
    check_errors("MODULE main VAR x : 0..1; INVAR 1 / x = 1 & 2 / x = 2", &[zero, zero]);
}

/// The least type that holds all results is enough, and anything less is not.
#[test]
fn the_results_of_an_operator_are_known_exactly() {
    let ends = |lo: i64| (lo..=2).map(move |hi| (lo, hi));
    let ranges: Vec<(i64, i64)> = (-2..=2).flat_map(ends).collect();
    let apply = |op: &str, x: i64, y: i64| match op {
        "x + y" => x + y,
        "x - y" => x - y,
        "x * y" => x * y,
        "max(x, y)" => x.max(y),
        "min(x, y)" => x.min(y),
        "-x" => -x,
        "abs(x)" => x.abs(),
        _ if y == 0 => 0,
        "y = 0 ? 0 : x / y" => x / y,
        "y = 0 ? 0 : x mod y" => x % y,
        _ => panic!("{op}"),
    };
    for op in [
        "x + y",
        "x - y",
        "x * y",
        "max(x, y)",
        "min(x, y)",
        "-x",
        "abs(x)",
        "y = 0 ? 0 : x / y",
        "y = 0 ? 0 : x mod y",
    ] {
        for (x, y) in ranges.iter().flat_map(|x| ranges.iter().map(move |y| (x, y))) {
            let results = (x.0..=x.1).flat_map(|a| (y.0..=y.1).map(move |b| (a, b)));
            let results: Vec<i64> = results.map(|(a, b)| apply(op, a, b)).collect();
            let least = *results.iter().min().expect("there are some");
            let greatest = *results.iter().max().expect("there are some");
            for (lo, hi) in [(least, greatest), (least + 1, greatest), (least, greatest - 1)] {
                if lo > hi {
                    continue;
                }
                let text = format!(
                    "MODULE main VAR x : {}..{}; y : {}..{}; z : {lo}..{hi}; ASSIGN z := {op};",
                    x.0, x.1, y.0, y.1
                );
                assert_eq!(check(&text), (lo, hi) == (least, greatest), "{text}");
            }
        }
    }
}

/// In the strict mode of the other tests it is an error.
#[test]
fn a_word_that_may_be_divided_by_zero_is_a_warning() {
    let (model, _) = read("MODULE main VAR u : word[2]; INVAR 0ud2_1 / u = u", &[]);
    let mut diagnostics = Diagnostics::new();
    wellformed::check(
        &model,
        wellformed::Options::default(),
        &Budget::unlimited(),
        &mut diagnostics,
    );
    assert_eq!((diagnostics.n_errors(), diagnostics.n_warnings()), (0, 1));
}

#[test]
fn a_property_without_a_value_is_a_warning() {
    let (model, _) = read("MODULE main VAR x : 0..1; INVARSPEC 1 / x = 1 SPEC AG 2 / x = 2", &[]);
    let mut diagnostics = Diagnostics::new();
    wellformed::check(
        &model,
        wellformed::Options { strict: true },
        &Budget::unlimited(),
        &mut diagnostics,
    );
    assert_eq!((diagnostics.n_errors(), diagnostics.n_warnings()), (0, 2));
}

#[test]
fn a_check_that_is_cut_leaves_open_what_it_did_not_look_at() {
    let text = "MODULE main VAR x : 0..7; y : 0..7; ASSIGN next(x) := x + 1; INVAR 4 / y > 0";
    let (model, _) = read(text, &[]);
    assert_eq!(errors(&model).len(), 2);
    let mut diagnostics = Diagnostics::new();
    let budget = Budget::unlimited().with_interrupt(&|| true);
    let report =
        wellformed::check(&model, wellformed::Options::default(), &budget, &mut diagnostics);
    assert_eq!((report.undecided.len(), diagnostics.has_errors()), (2, false));
}
