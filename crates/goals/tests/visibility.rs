//! Verdicts on mutants at the outputs, compared with brute force over all exchange words.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use trapline_engine::possible::{Exchange, Inputs, Outputs};
use trapline_engine::{Budget, ENGINES};
use trapline_goals::mutate::status::invalid;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::visibility::search::search;
use trapline_goals::visibility::tree::{Outcome, Played, outcomes};
use trapline_goals::visibility::widen::faulty;
use trapline_goals::visibility::words::Words;
use trapline_goals::visibility::{Finding, implementation};
use trapline_goals::{GoalSet, Options, Visibility, derive};
use trapline_model::replay::Replayer;
use trapline_model::trace::{State, Trace};
use trapline_model::{Model, Role};
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::{Exchanges, random_model};
use trapline_testkit::read;

/// What a copy may be in, up to inputs that are not sent yet, and what the model may be in.
type Element = (BTreeSet<Values>, BTreeSet<Values>);

#[derive(Debug, PartialEq, Eq, Clone, Copy, PartialOrd, Ord)]
enum Truth {
    Killed,
    MayBeKilled,
    Conforming,
    Equivalent,
}

/// Copies with more states are not compared.
const MAX_STATES: u64 = 200;

/// More sets of elements are not looked at.
const MAX_SETS: usize = 3_000;

fn classes(of: &Exchanges<'_>, states: BTreeSet<Values>) -> Vec<BTreeSet<Values>> {
    let mut classes: BTreeMap<(Values, Outputs), BTreeSet<Values>> = BTreeMap::new();
    for state in states {
        let key = of.ports.settled(&State { values: state.clone() }).values;
        let shown = of.ports.shown(&State { values: state.clone() });
        classes.entry((key, shown)).or_default().insert(state);
    }
    classes.into_values().collect()
}

fn after(
    of: &Exchanges<'_>,
    states: &BTreeSet<Values>,
    exchange: &Exchange,
    is_first: bool,
) -> BTreeSet<Values> {
    if is_first { of.start(exchange) } else { of.step(states, exchange) }
}

/// What becomes of an element with an input.
struct After {
    /// The elements that go on.
    elements: Vec<Element>,
    /// Has some run left?
    has_left: bool,
    /// May a tester send the input?
    is_enabled: bool,
}

/// The same; `None` if the model does not take the input.
fn next(
    truth: &Exchanges<'_>,
    copy: &Exchanges<'_>,
    (states, possible): &Element,
    inputs: &Inputs,
    is_first: bool,
) -> Option<After> {
    let sent = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
    if after(truth, possible, &sent, is_first).is_empty() {
        return None;
    }
    let takes = |class: &BTreeSet<Values>| !after(truth, class, &sent, is_first).is_empty();
    let is_enabled = is_first || classes(truth, possible.clone()).iter().all(takes);
    let answers = after(copy, states, &sent, is_first);
    let mut has_left = answers.is_empty() && is_enabled;
    let mut elements = Vec::new();
    for class in classes(copy, answers) {
        let state = class.first().cloned().expect("a class has states");
        let outputs = copy.ports.shown(&State { values: state });
        let exchange = Exchange { inputs: inputs.clone(), outputs: outputs.clone() };
        let fitting: BTreeSet<Values> = after(truth, possible, &exchange, is_first)
            .into_iter()
            .filter(|state| truth.ports.shown(&State { values: state.clone() }) == outputs)
            .collect();
        match fitting.is_empty() {
            true => has_left = true,
            false => elements.push((class, fitting)),
        }
    }
    Some(After { elements, has_left, is_enabled })
}

fn inputs_of(of: &Exchanges<'_>, model: &Model) -> (Vec<Inputs>, Vec<Inputs>) {
    let first = of.initial.iter().map(|state| {
        let sent = of.ports.inputs.iter().filter(|var| {
            !of.ports.leaves_state(**var) && model.var(**var).kind != trapline_model::VarKind::Input
        });
        sent.map(|&var| (var, state[var.0 as usize].expect("a state has values"))).collect()
    });
    let first: BTreeSet<Inputs> = first.collect();
    let later: BTreeSet<Inputs> = of.steps.values().flatten().map(|step| of.inputs(step)).collect();
    (first.into_iter().collect(), later.into_iter().collect())
}

/// What is true of a copy; `None` if that is too much to find out.
fn judge(model: &Model, truth: &Exchanges<'_>, copy: &Exchanges<'_>) -> Option<Truth> {
    let (first, later) = inputs_of(truth, model);
    let inputs_of = |is_first: bool| if is_first { &first } else { &later };
    let mut may = false;
    let mut known: BTreeSet<Element> = BTreeSet::new();
    let mut queue = VecDeque::from([(true, Element::default())]);
    while let Some((is_first, element)) = queue.pop_front() {
        for inputs in inputs_of(is_first) {
            let Some(after) = next(truth, copy, &element, inputs, is_first) else { continue };
            may |= after.has_left;
            let new = after.elements.into_iter().filter(|it| known.insert(it.clone()));
            queue.extend(new.map(|element| (false, element)));
        }
    }
    let mut sure = false;
    let mut known: BTreeSet<BTreeSet<Element>> = BTreeSet::new();
    let mut queue = VecDeque::from([(true, BTreeSet::from([Element::default()]))]);
    while let Some((is_first, set)) = queue.pop_front() {
        for inputs in inputs_of(is_first) {
            let after: Option<Vec<After>> = set
                .iter()
                .map(|it| next(truth, copy, it, inputs, is_first).filter(|it| it.is_enabled))
                .collect();
            let Some(after) = after else { continue };
            let all: BTreeSet<Element> = after.into_iter().flat_map(|it| it.elements).collect();
            sure |= all.is_empty();
            if !all.is_empty() && known.insert(all.clone()) {
                queue.push_back((false, all));
            }
        }
        if known.len() > MAX_SETS {
            return None;
        }
    }
    Some(match (sure, may) {
        (true, _) => Truth::Killed,
        (_, true) => Truth::MayBeKilled,
        _ => match has_word_beyond(model, truth, copy) {
            true => Truth::Conforming,
            false => Truth::Equivalent,
        },
    })
}

/// Has the model an exchange word that the copy has not?
fn has_word_beyond(model: &Model, truth: &Exchanges<'_>, copy: &Exchanges<'_>) -> bool {
    let (first, later) = inputs_of(truth, model);
    let mut known: BTreeSet<Element> = BTreeSet::new();
    let mut queue = VecDeque::from([(true, Element::default())]);
    while let Some((is_first, (states, possible))) = queue.pop_front() {
        for inputs in if is_first { &first } else { &later } {
            let sent = Exchange { inputs: inputs.clone(), outputs: Outputs::new() };
            for class in classes(truth, after(truth, &states, &sent, is_first)) {
                let state = class.first().cloned().expect("a class has states");
                let outputs = truth.ports.shown(&State { values: state });
                let exchange = Exchange { inputs: inputs.clone(), outputs: outputs.clone() };
                let fitting: BTreeSet<Values> = after(copy, &possible, &exchange, is_first)
                    .into_iter()
                    .filter(|state| copy.ports.shown(&State { values: state.clone() }) == outputs)
                    .collect();
                if fitting.is_empty() {
                    return true;
                }
                if known.insert((class.clone(), fitting.clone())) {
                    queue.push_back((false, (class, fitting)));
                }
            }
        }
    }
    false
}

fn word(finding: &Finding) -> Option<Truth> {
    match finding {
        Finding::Shown(_) => Some(Truth::Killed),
        Finding::MayBeShown(_) => Some(Truth::MayBeKilled),
        Finding::Conforming(_) => Some(Truth::Conforming),
        Finding::Equivalent(_) => Some(Truth::Equivalent),
        Finding::Unknown(_) => None,
    }
}

fn duplicate(model: &Model) -> GoalSet {
    let options = Options { visibility: Visibility::Duplicate, ..Options::default() };
    let names = ["mutation", "mutation:arithmetic", "mutation:range-variable"];
    derive(model, &names, &options)
}

/// Compares all verdicts on one model; counts them.
fn check(model: &Model, what: &str, engine: usize, counts: &mut BTreeMap<Truth, usize>) {
    let set = duplicate(model);
    let own = implementation(&set.model);
    let Some(truth) = Exchanges::new(&own) else { return };
    if truth.initial.is_empty() {
        return;
    }
    let subgoals = Subgoals::new(&set, &Budget::unlimited());
    let asked: Vec<usize> = (0..set.faults.len()).collect();
    let mut traces = Vec::new();
    let found = search(&subgoals, &asked, &ENGINES[engine], &Budget::unlimited(), &mut traces);
    let replayer = Replayer::new(&own);
    for trace in &traces {
        let mut trace = trace.clone();
        set.model.back().project(&mut trace);
        assert!(replayer.replay(&trace).is_ok(), "{what}: {:?}", replayer.replay(&trace));
    }
    for mutants in &set.mutants {
        assert!(invalid(&set.model, mutants).iter().all(Option::is_none), "{what}");
    }
    for (idx, finding) in found.iter().enumerate() {
        let copy = faulty(set.faults[idx].change.apply(&own));
        // Brute force tries all pairs of states.
        let sizes = copy.vars.iter().map(|var| var.domain.size().unwrap_or(u64::MAX));
        if sizes.fold(1, u64::saturating_mul) > MAX_STATES {
            continue;
        }
        let Some(copied) = Exchanges::new(&copy) else { continue };
        let Some(expected) = judge(&own, &truth, &copied) else { continue };
        let goal = &set.goals[idx];
        assert_eq!(word(finding), Some(expected), "{what}: {} {}: {finding:?}", goal.id, goal.text);
        *counts.entry(expected).or_default() += 1;
    }
}

/// What words show of the mutants of a model is true; counts the verdicts of those that surely show.
fn check_words(model: &Model, what: &str, counts: &mut BTreeMap<Truth, usize>) {
    let set = duplicate(model);
    let own = implementation(&set.model);
    let Some(truth) = Exchanges::new(&own) else { return };
    let (free, replayer) = (Budget::unlimited(), Replayer::new(&own));
    let mut words = Words::new(&own, &free);
    let tests: Vec<Trace> = (0..10).map_while(|_| words.make()).collect();
    for test in &tests {
        assert!(replayer.replay(test).is_ok(), "{what}: {:?}", replayer.replay(test));
    }
    let played: Vec<Played> =
        tests.iter().map(|test| Played::new(&own, std::slice::from_ref(test))).collect();
    for (fault, goal) in set.faults.iter().zip(&set.goals) {
        let copy = faulty(fault.change.apply(&own));
        let sizes = copy.vars.iter().map(|var| var.domain.size().unwrap_or(u64::MAX));
        if sizes.fold(1, u64::saturating_mul) > MAX_STATES {
            continue;
        }
        let Some(copied) = Exchanges::new(&copy) else { continue };
        let Some(expected) = judge(&own, &truth, &copied) else { continue };
        let outcomes = outcomes(&own, fault, &played, &free);
        let is_sure = outcomes.iter().any(|it| matches!(it, Outcome::Sure(_)));
        let may = outcomes.iter().any(|it| matches!(it, Outcome::May(_)));
        let is_true = match expected {
            Truth::Killed => true,
            Truth::MayBeKilled => !is_sure,
            Truth::Conforming | Truth::Equivalent => !is_sure && !may,
        };
        assert!(is_true, "{what}: {} {}: {outcomes:?}, {expected:?}", goal.id, goal.text);
        if is_sure || may && expected == Truth::MayBeKilled {
            *counts.entry(expected).or_default() += 1;
        }
    }
}

#[test]
fn what_words_show_in_random_models_equals_brute_force() {
    let mut counts = BTreeMap::new();
    for seed in 0..30 {
        let (_, model) = random_model(seed);
        check_words(&model, &format!("seed {seed}"), &mut counts);
    }
    assert!(counts.values().all(|&n| n > 10) && counts.len() == 2, "{counts:?}");
}

/// Inputs with tens of thousands of values together, and choices.
const WIDE: &str = "MODULE main
    VAR a : 0..255; b : 0..255; acc : 0..65535; h : {p, q, r}; o : boolean;
    ASSIGN
      init(acc) := 0;
      next(acc) := case a > b : (acc + a) mod 65536; h = q : {acc, 0}; TRUE : acc; esac;
      init(h) := p; next(h) := case a = 7 : q; b = 9 : {p, r}; TRUE : h; esac;
      o := acc > 300 & h = r;";

#[test]
fn wide_inputs_beside_choices_do_not_hide_what_a_word_shows() {
    let mut model = read(WIDE, &[]).0;
    for var in &mut model.vars {
        var.role = match var.name.as_str() {
            "a" | "b" => Role::Input,
            "o" => Role::Output,
            _ => Role::Internal,
        };
    }
    let set = duplicate(&model);
    let budget = Budget::unlimited();
    let subgoals = Subgoals::new(&set, &budget);
    let told = [
        ("r becomes q in o", Truth::Killed),
        ("h = r becomes !(h = r) in o", Truth::Killed),
        ("a = 7 becomes a != 7 in next(h)", Truth::MayBeKilled),
    ];
    let is_told = |idx: &usize| told.iter().any(|(text, _)| set.goals[*idx].text == *text);
    let asked: Vec<usize> = (0..set.faults.len()).filter(is_told).collect();
    let engine = ENGINES.iter().find(|engine| engine.name == "explicit").expect("there is one");
    let found = search(&subgoals, &asked, engine, &budget, &mut Vec::new());
    let verdicts: Vec<_> = found.iter().map(word).collect();
    assert_eq!(verdicts, told.map(|(_, truth)| Some(truth)), "{found:?}");
}

#[test]
fn verdicts_on_random_models_equal_brute_force() {
    let mut counts = BTreeMap::new();
    for seed in 0..120 {
        let (_, model) = random_model(seed);
        check(&model, &format!("seed {seed}"), seed as usize % ENGINES.len(), &mut counts);
    }
    assert!(counts.get(&Truth::Killed).is_some_and(|&n| n > 100), "{counts:?}");
    assert!(counts.len() == 4, "{counts:?}");
}

/// A hidden range whose value is chosen after the first state.
const LOOSE: &str = "MODULE main
    VAR i : boolean; k : 0..2; o : boolean;
    ASSIGN init(k) := 0; o := i & k > 1;";

#[test]
fn a_first_value_out_of_range_shows_only_at_an_output() {
    let mut model = read(LOOSE, &[]).0;
    for (var, role) in model.vars.iter_mut().zip([Role::Input, Role::Internal, Role::Output]) {
        var.role = role;
    }
    let set = duplicate(&model);
    let idx = set.goals.iter().position(|goal| goal.text == "0 becomes 0 - 1 in init(k)");
    let (idx, budget) = (idx.expect("it has the mutant"), Budget::unlimited());
    let subgoals = Subgoals::new(&set, &budget);
    let found = search(&subgoals, &[idx], &ENGINES[0], &budget, &mut Vec::new());
    assert_eq!(word(&found[0]), Some(Truth::Equivalent), "{found:?}");
}

/// Deterministic, with an internal state that hides faults for a while.
const HIDING: &str = "MODULE main
    VAR i : boolean; j : boolean; s : 0..2; t : boolean; o : {a, b};
    ASSIGN
      init(s) := 0; next(s) := case i & s < 2 : s + 1; !i & j : 0; TRUE : s; esac;
      init(t) := FALSE; next(t) := case s = 2 : !t; j : FALSE; TRUE : t; esac;
      o := case t & s >= 1 : a; TRUE : b; esac;";

#[test]
fn every_engine_decides_a_deterministic_model() {
    let mut model = read(HIDING, &[]).0;
    for var in &mut model.vars {
        var.role = match var.name.as_str() {
            "i" | "j" => Role::Input,
            "o" => Role::Output,
            _ => Role::Internal,
        };
    }
    for (idx, engine) in ENGINES.iter().enumerate() {
        let mut counts = BTreeMap::new();
        check(&model, engine.name, idx, &mut counts);
        assert!(counts[&Truth::Killed] > 20, "{counts:?}");
        assert!(
            counts.keys().all(|it| matches!(it, Truth::Killed | Truth::Equivalent)),
            "{counts:?}"
        );
    }
}
