//! Conditions whose effect must arrive at an output, compared with brute force over all traces.
//!
//! The brute force knows nothing of faults. A second text of the model has a variable `flip`, and the condition
//! is `(c xor flip)` in it: the copy is that model with `flip` true where the evaluation takes place.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trapline_engine::possible::{Exchange, Outputs};
use trapline_engine::{Budget, ENGINES};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::pairs::Seen;
use trapline_goals::subgoals::Subgoals;
use trapline_goals::visibility::{credit, implementation};
use trapline_goals::{GoalKind, GoalSet, Options, Reading, derive};
use trapline_model::eval::Plan;
use trapline_model::goal::{Judge, Target};
use trapline_model::trace::{State, Trace};
use trapline_model::{ExprId, Model, Role, Value};
use trapline_testkit::brute_force::Values;
use trapline_testkit::exchanges::Exchanges;
use trapline_testkit::read;

/// A decision: `{k}` stands for leaf `k`.
struct Formula {
    text: String,
    /// The leaves, in the order in which they occur first.
    leaves: Vec<&'static str>,
}

impl Formula {
    fn random(rng: &mut Rng, leaves: &[&'static str]) -> Formula {
        let mut formula = Formula { text: String::new(), leaves: Vec::new() };
        let n_leaves = rng.usize(2..5);
        let mut order: Vec<&'static str> =
            (0..n_leaves).map(|_| leaves[rng.usize(..leaves.len())]).collect();
        if order.iter().all(|leaf| *leaf == order[0]) {
            order.push(if order[0] == leaves[0] { leaves[1] } else { leaves[0] });
        }
        for leaf in order {
            let known = formula.leaves.iter().position(|known| *known == leaf);
            let number = known.unwrap_or_else(|| {
                formula.leaves.push(leaf);
                formula.leaves.len() - 1
            });
            let leaf = if rng.usize(..4) == 0 {
                format!("!{{{number}}}")
            } else {
                format!("{{{number}}}")
            };
            let op = ["&", "|", "->", "xor", "&", "|"][rng.usize(..6)];
            formula.text = match formula.text.is_empty() {
                true => leaf,
                false => format!("({}) {op} {leaf}", formula.text),
            };
        }
        formula
    }

    /// The formula, and that this is true as well.
    fn and(mut self, leaf: &'static str) -> Formula {
        self.leaves.push(leaf);
        self.text = format!("({}) & {{{}}}", self.text, self.leaves.len() - 1);
        self
    }

    /// The text, with one leaf flipped where `flip` is true.
    fn written(&self, flipped: Option<usize>) -> String {
        let mut text = self.text.clone();
        for (idx, leaf) in self.leaves.iter().enumerate() {
            let leaf = match flipped {
                Some(flipped) if flipped == idx => format!("(({leaf}) xor flip)"),
                _ => format!("({leaf})"),
            };
            text = text.replace(&format!("{{{idx}}}"), &leaf);
        }
        text
    }
}

/// When a decision is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    First,
    State,
    Step,
}

/// The rules: the keys of their decisions, when these are evaluated, and what they may read.
const RULES: [(&str, When, &[&str]); 7] = [
    ("d:value1", When::State, &["i", "j", "n = 1", "n < 2"]),
    ("g:value1", When::Step, &["i", "d", "next(n) = 1", "next(j)"]),
    ("n@init:1", When::First, &["i", "j"]),
    ("n:1", When::Step, &["i", "t", "u", "d", "n = 1"]),
    ("t:value1", When::Step, &["i", "d", "next(d)", "g", "t", "n = 1"]),
    ("u:value1", When::State, &["t", "d", "n = 0", "i"]),
    ("o:value1", When::Step, &["u", "t", "d", "next(t)", "g", "n = 2"]),
];

/// A random model.
struct Sketch {
    formulas: BTreeMap<&'static str, Formula>,
    roles: Vec<(&'static str, Role)>,
    has_choices: bool,
}

impl Sketch {
    fn random(rng: &mut Rng, has_choices: bool) -> Sketch {
        let mut formulas = BTreeMap::new();
        for (key, when, leaves) in RULES {
            let mut leaves = leaves.to_vec();
            if has_choices && when == When::Step {
                leaves.push("h");
            }
            let formula = Formula::random(rng, &leaves);
            // What is counted stays in its range.
            formulas.insert(key, if key == "n:1" { formula.and("n < 2") } else { formula });
        }
        let mut roles = vec![("o", Role::Output), ("i", Role::Input), ("j", Role::Input)];
        for name in ["n", "t", "u", "d"] {
            let is_shown = rng.usize(..4) == 0;
            roles.push((name, if is_shown { Role::Output } else { Role::Internal }));
        }
        Sketch { formulas, roles, has_choices }
    }

    /// The model; with `flip`, if a condition is named that it flips.
    fn model(&self, flipped: Option<(&str, usize)>) -> Model {
        let of = |key: &str| {
            self.formulas[key].written(flipped.filter(|(at, _)| *at == key).map(|(_, idx)| idx))
        };
        // A copy may leave a range, by one.
        let (greatest, more, flip) = match flipped {
            Some(_) => (3, "(n + 1) mod 4", "flip : boolean;"),
            None => (2, "n + 1", ""),
        };
        let (hidden, choice) = match self.has_choices {
            true => {
                ("h : boolean;", "next(h) := case h : {TRUE, FALSE}; d : TRUE; TRUE : FALSE; esac;")
            }
            false => ("", ""),
        };
        let text = format!(
            "MODULE main
             VAR i : boolean; j : boolean; n : 0..{greatest}; t : boolean; u : boolean; o : boolean;
               {hidden} {flip}
             DEFINE d := {}; g := {};
             ASSIGN init(n) := case {} : 1; TRUE : 0; esac;
               next(n) := case {} : {more}; TRUE : 0; esac;
               init(t) := FALSE; next(t) := {};
               u := {};
               init(o) := FALSE; next(o) := {};
               {choice}",
            of("d:value1"),
            of("g:value1"),
            of("n@init:1"),
            of("n:1"),
            of("t:value1"),
            of("u:value1"),
            of("o:value1"),
        );
        let mut model = read(&text, &[]).0;
        let role = |name: &str| {
            let known = self.roles.iter().find(|(known, _)| *known == name);
            known.map_or(Role::Internal, |(_, role)| *role)
        };
        model.vars.iter_mut().for_each(|var| var.role = role(&var.name));
        model.defines.iter_mut().for_each(|define| define.role = role(&define.name));
        model
    }

    /// By decision and condition the model with `flip`, whose inputs are sent as those of the model.
    fn flips(&self, own: &Model) -> BTreeMap<Place, Model> {
        let mut flips = BTreeMap::new();
        for (key, formula) in &self.formulas {
            for condition in 0..formula.leaves.len() {
                let mut model = self.model(Some((key, condition)));
                for (var, own) in model.vars.iter_mut().zip(&own.vars) {
                    var.timing = own.timing;
                }
                flips.insert((*key, condition), model);
            }
        }
        flips
    }
}

fn exchanges(flips: &BTreeMap<Place, Model>) -> BTreeMap<Place, Exchanges<'_>> {
    let all = flips.iter();
    all.map(|(&place, model)| (place, Exchanges::new(model).expect("rules have values"))).collect()
}

/// A decision and one of its conditions.
type Place = (&'static str, usize);

/// The decision and the condition of a goal: `ufp:n@init:1:2:true` is about condition 2 of `n@init:1`.
fn place(id: &str) -> Place {
    let rest = id.split_once(':').expect("it has a criterion").1;
    let key = RULES.iter().map(|(key, ..)| *key).find(|key| rest.starts_with(key));
    let key = key.expect("it is a rule");
    let number = rest[key.len() + 1..].split(':').next().expect("it has a number");
    (key, number.parse::<usize>().expect("it is a number") - 1)
}

fn when(key: &str) -> When {
    RULES.iter().find(|rule| rule.0 == key).expect("it is a rule").1
}

/// The evaluations of a condition, and what they show, by brute force.
struct Truth<'t> {
    /// The model with `flip`.
    all: &'t Exchanges<'t>,
    n_vars: usize,
    when: When,
    /// What holds of the evaluations, over the model without `flip`.
    holds: Plan,
}

impl<'t> Truth<'t> {
    fn new(all: &'t Exchanges<'t>, key: &str, model: &Model, expr: ExprId) -> Truth<'t> {
        let n_vars = all.initial.first().map_or(0, |state| state.len() - 1);
        Truth { all, n_vars, when: when(key), holds: Plan::new(model, &[expr]) }
    }

    fn is_flipped(&self, state: &Values) -> bool {
        state[self.n_vars] == Some(Value::Bool(true))
    }

    fn with_flip(&self, state: &Values, flip: bool) -> Values {
        let mut state = state[..self.n_vars].to_vec();
        state.push(Some(Value::Bool(flip)));
        state
    }

    fn holds(&self, state: &Values, next: &[Option<Value>]) -> bool {
        let mut cells = Vec::new();
        self.holds.run(state, next, &mut cells);
        self.holds.root(0, &cells).as_bool() == Some(true)
    }

    fn shown(&self, state: &Values) -> Outputs {
        self.all.ports.shown(&State { values: state.clone() })
    }

    /// The next states with these inputs, without `flip`, or with it.
    fn after(&self, state: &Values, next: &Values, flip: bool) -> Vec<Values> {
        let steps = self.all.steps[state].iter().map(|(_, next)| next);
        let fits = |other: &&Values| self.is_flipped(other) == flip && self.has_inputs(other, next);
        steps.filter(fits).cloned().collect()
    }

    fn has_inputs(&self, state: &Values, other: &Values) -> bool {
        self.all.ports.inputs.iter().all(|var| state[var.0 as usize] == other[var.0 as usize])
    }

    /// Where inputs determine everything: does some trace show some evaluation?
    fn is_shown(&self) -> bool {
        let firsts = self.all.initial.iter().filter(|state| !self.is_flipped(state));
        let mut queue: Vec<(Values, Option<Values>)> = Vec::new();
        for state in firsts {
            queue.push((state.clone(), None));
            if self.when != When::Step && self.holds(state, &[]) {
                let copies = self
                    .all
                    .initial
                    .iter()
                    .filter(|copy| self.is_flipped(copy) && self.has_inputs(copy, state));
                let copies: Vec<Values> = copies.cloned().collect();
                if self.leaves(state, &copies) {
                    return true;
                }
                queue.extend(copies.into_iter().map(|copy| (state.clone(), Some(copy))));
            }
        }
        let mut known: BTreeSet<(Values, Option<Values>)> = queue.iter().cloned().collect();
        while let Some((state, copy)) = queue.pop() {
            for (_, next) in self.all.steps[&state].iter().filter(|it| !self.is_flipped(&it.1)) {
                let copies = match &copy {
                    Some(copy) => Some(self.after(copy, next, false)),
                    None if self.when == When::State && self.holds(next, &[]) => {
                        Some(self.after(&state, next, true))
                    }
                    None if self.when == When::Step && self.holds(&state, next) => {
                        Some(self.after(&self.with_flip(&state, true), next, false))
                    }
                    None => None,
                };
                if copies.as_ref().is_some_and(|copies| self.leaves(next, copies)) {
                    return true;
                }
                let copies = copies.into_iter().flatten().map(|copy| (next.clone(), Some(copy)));
                let alone = copy.is_none().then(|| (next.clone(), None));
                for node in copies.chain(alone) {
                    if known.insert(node.clone()) {
                        queue.push(node);
                    }
                }
            }
        }
        false
    }

    fn leaves(&self, state: &Values, copies: &[Values]) -> bool {
        assert!(copies.len() < 2, "inputs determine everything");
        copies.iter().all(|copy| self.shown(copy) != self.shown(state))
    }
}

fn observable(model: &Model, names: &[&str]) -> GoalSet {
    derive(model, names, &Options { observable: true, ..plain() })
}

/// Goals about the decisions in [`RULES`].
fn plain() -> Options {
    let on = ["d", "g", "n", "t", "u", "o"].map(String::from).to_vec();
    Options { on, ..Options::default() }
}

/// What holds in the evaluations of a goal.
fn evaluated(goal: &GoalKind) -> ExprId {
    match goal {
        GoalKind::Initial(expr) | GoalKind::State(expr) | GoalKind::Step(expr) => *expr,
        GoalKind::Steps(exprs) => exprs[0],
        other => panic!("{other:?} is no evaluation"),
    }
}

fn meets(set: &GoalSet, kind: &GoalKind, trace: &Trace) -> bool {
    let (target, is_first) = match kind {
        GoalKind::Initial(expr) => (Target::State(*expr), true),
        GoalKind::State(expr) => (Target::State(*expr), false),
        GoalKind::Step(expr) => (Target::Step(*expr), false),
        GoalKind::Steps(exprs) => (Target::Steps(exprs.clone()), false),
        other => panic!("{other:?} is no evaluation"),
    };
    let mut trace = trace.clone();
    if is_first {
        trace.states.truncate(1);
    }
    Judge::new(&set.model, &[target]).met(&trace)[0].is_some()
}

/// Each condition is true and false, where that matters at an output, as brute force has it; what shows it
/// also reaches the goal without that. Returns how many are covered, how many are not, and how many are only
/// without.
fn check_evaluations(sketch: &Sketch, engine: usize, what: &str) -> [usize; 3] {
    let model = sketch.model(None);
    let names = ["condition", "ufp"];
    let (set, plain) = (observable(&model, &names), derive(&model, &names, &plain()));
    let own = implementation(&set.model);
    let decided = decide(&set, &ENGINES[engine], &Budget::unlimited());
    let without = decide(&plain, &ENGINES[engine], &Budget::unlimited());
    assert_eq!(set.goals.len(), plain.goals.len(), "{what}: {:?}", set.notices);
    let mut counts = [0; 3];
    let flips = sketch.flips(&own);
    let copies = exchanges(&flips);
    for (idx, goal) in set.goals.iter().enumerate() {
        let flipped = place(&goal.id);
        let all = &copies[&flipped];
        let expr = evaluated(&plain.goals[idx].kind);
        let expected = Truth::new(all, flipped.0, &plain.model, expr).is_shown();
        let what = format!("{what}: {} {}: {:?}", goal.id, goal.text, decided.verdicts[idx]);
        assert_eq!(plain.goals[idx].id, goal.id);
        match &decided.verdicts[idx] {
            Verdict::Covered(shown) => {
                assert!(expected, "{what}");
                assert!(matches!(without.verdicts[idx], Verdict::Covered(_)), "{what}");
                let trace = &decided.traces[shown[0].trace];
                assert!(meets(&plain, &plain.goals[idx].kind, trace), "{what}");
                counts[0] += 1;
            }
            Verdict::Infeasible(_) => {
                assert!(!expected, "{what}");
                counts[1] += 1;
                counts[2] += usize::from(matches!(without.verdicts[idx], Verdict::Covered(_)));
            }
            _ => panic!("{what}"),
        }
    }
    counts
}

#[test]
fn verdicts_on_random_models_equal_brute_force() {
    let mut counts = [0; 3];
    for seed in 0..8 {
        let sketch = Sketch::random(&mut Rng::with_seed(seed), false);
        let found =
            check_evaluations(&sketch, seed as usize % ENGINES.len(), &format!("seed {seed}"));
        (0..3).for_each(|idx| counts[idx] += found[idx]);
    }
    assert!(counts.iter().all(|&n| n > 50), "{counts:?}");
}

/// MC/DC: the evaluations that can be seen at an output, and the pairs that they give, as brute force has them.
fn check_pairs(sketch: &Sketch, engine: usize, what: &str) -> [usize; 2] {
    let model = sketch.model(None);
    let set = observable(&model, &["mcdc-unique", "mcdc-masking", "mcdc-coupled"]);
    let flips = sketch.flips(&implementation(&set.model));
    let copies = exchanges(&flips);
    let decided = decide(&set, &ENGINES[engine], &Budget::unlimited());
    let mut seen: BTreeMap<Place, Vec<u64>> = BTreeMap::new();
    let mut counts = [0; 2];
    for (goal, verdict) in set.goals.iter().zip(&decided.verdicts) {
        let GoalKind::Pair(pair) = &goal.kind else { panic!("{what}: {} is no pair", goal.id) };
        let (flipped, point) = (place(&goal.id), &set.points[pair.decision]);
        assert_eq!(flipped.1, pair.condition);
        let decides =
            |bits: &u64| point.decision.value(*bits) != point.decision.value(bits ^ 1 << flipped.1);
        let seen = seen.entry(flipped).or_insert_with(|| {
            let all = (0..1u64 << point.decision.conditions.len()).filter(decides);
            let is_seen = |bits: &u64| {
                let serving = point.evaluations.iter().find(|one| one.seen == Seen::All(*bits));
                let expr = serving.expect("it could serve").expr;
                Truth::new(&copies[&flipped], flipped.0, &set.model, expr).is_shown()
            };
            all.filter(is_seen).collect()
        });
        let is_pair = |a: u64, b: u64| {
            let is_alone = a ^ b == 1 << flipped.1;
            let differs = (a ^ b) >> flipped.1 & 1 == 1;
            let changes = point.decision.value(a) != point.decision.value(b);
            changes && differs && (is_alone || pair.reading != Reading::Unique)
        };
        let expected = seen.iter().any(|&a| seen.iter().any(|&b| is_pair(a, b)));
        let what = format!("{what}: {} {}: {verdict:?}, {seen:?}", goal.id, goal.text);
        match verdict {
            Verdict::Covered(shown) => {
                assert!(expected && shown.len() == 2, "{what}");
                counts[0] += 1;
            }
            Verdict::Infeasible(_) => {
                assert!(!expected, "{what}");
                counts[1] += 1;
            }
            _ => panic!("{what}"),
        }
    }
    counts
}

#[test]
fn pairs_of_random_models_equal_brute_force() {
    let mut counts = [0; 2];
    for seed in 100..108 {
        let sketch = Sketch::random(&mut Rng::with_seed(seed), false);
        let found = check_pairs(&sketch, seed as usize % ENGINES.len(), &format!("seed {seed}"));
        (0..2).for_each(|idx| counts[idx] += found[idx]);
    }
    assert!(counts.iter().all(|&n| n > 20), "{counts:?}");
}

/// What the copy may be in, up to inputs that are not sent yet, and what the model may be in.
type Element = (BTreeSet<Values>, BTreeSet<Values>);

impl Truth<'_> {
    /// The states of a test that begin or end an evaluation, from which it acts.
    fn starts(&self, test: &[Values]) -> Vec<usize> {
        let starts = (0..test.len()).filter(|&at| match self.when {
            When::First => at == 0 && self.holds(&test[0], &[]),
            When::State => self.holds(&test[at], &[]),
            When::Step => at > 0 && self.holds(&test[at - 1], &test[at]),
        });
        starts.collect()
    }

    /// With choices: the state of a test in which an evaluation is surely seen.
    fn is_seen(&self, test: &[Values], start: usize) -> Option<usize> {
        let (first, mut elements): (usize, Vec<Element>) = match self.when {
            When::Step => {
                let before = &test[start - 1];
                let copy = BTreeSet::from([self.with_flip(before, true)]);
                (start, vec![(copy, BTreeSet::from([before.clone()]))])
            }
            _ => {
                let copies: BTreeSet<Values> = match start {
                    0 => self.all.initial.clone(),
                    _ => self.all.steps[&test[start - 1]].iter().map(|it| it.1.clone()).collect(),
                };
                let fits = |copy: &&Values| {
                    self.is_flipped(copy)
                        && self.has_inputs(copy, &test[start])
                        && self.shown(copy) == self.shown(&test[start])
                };
                let copies: BTreeSet<Values> = copies.iter().filter(fits).cloned().collect();
                if copies.is_empty() {
                    return Some(start);
                }
                (start + 1, vec![(copies, BTreeSet::from([test[start].clone()]))])
            }
        };
        for at in first..test.len() {
            let sent = self.all.inputs(&(test[at - 1].clone(), test[at].clone()));
            let sent = Exchange { inputs: sent, outputs: Outputs::new() };
            let mut next = Vec::new();
            for (copies, possible) in elements {
                let allowed = self.taken(&possible, &sent);
                if allowed.is_empty() {
                    return None;
                }
                for class in self.classes(copies) {
                    let answers = self.taken(&class, &sent);
                    let outputs: BTreeSet<Outputs> =
                        answers.iter().map(|it| self.shown(it)).collect();
                    for outputs in outputs {
                        let of = |states: &BTreeSet<Values>| -> BTreeSet<Values> {
                            states.iter().filter(|it| self.shown(it) == outputs).cloned().collect()
                        };
                        let fitting = of(&allowed);
                        if !fitting.is_empty() {
                            next.push((of(&answers), fitting));
                        }
                    }
                }
            }
            if next.is_empty() {
                return Some(at);
            }
            elements = next;
        }
        None
    }

    fn taken(&self, states: &BTreeSet<Values>, sent: &Exchange) -> BTreeSet<Values> {
        let mut taken = self.all.step(states, sent);
        taken.retain(|state| !self.is_flipped(state));
        taken
    }

    fn classes(&self, states: BTreeSet<Values>) -> Vec<BTreeSet<Values>> {
        let mut classes: BTreeMap<Values, BTreeSet<Values>> = BTreeMap::new();
        for state in states {
            let mut key = state.clone();
            for &var in self.all.ports.inputs.iter().filter(|&&var| self.all.is_late(var)) {
                key[var.0 as usize] = None;
            }
            classes.entry(key).or_default().insert(state);
        }
        classes.into_values().collect()
    }
}

/// On random walks in a model with choices, what is surely seen equals brute force. Returns how often something
/// is seen, and how often not.
fn check_walks(sketch: &Sketch, rng: &mut Rng, what: &str) -> [usize; 2] {
    let model = sketch.model(None);
    let names = ["condition", "ufp"];
    let (set, plain) = (observable(&model, &names), derive(&model, &names, &plain()));
    let own = implementation(&set.model);
    let flips = sketch.flips(&own);
    let copies = exchanges(&flips);
    let world = Exchanges::new(&own).expect("every rule has a value");
    let walks: Vec<Trace> = (0..3).filter_map(|_| world.walk(rng, 6)).collect();
    let subgoals = Subgoals::new(&set, &Budget::unlimited());
    let shown = credit::shown(&subgoals, &|_| true, &walks, &Budget::unlimited());
    let shown: BTreeMap<usize, Vec<(usize, usize)>> = shown.list.into_iter().collect();
    let mut counts = [0; 2];
    for (idx, goal) in set.goals.iter().enumerate() {
        let flipped = place(&goal.id);
        let expr = evaluated(&plain.goals[idx].kind);
        let truth = Truth::new(&copies[&flipped], flipped.0, &plain.model, expr);
        let mut expected = Vec::new();
        for (walk_idx, walk) in walks.iter().enumerate() {
            let test: Vec<Values> =
                walk.states.iter().map(|state| truth.with_flip(&state.values, false)).collect();
            let starts = truth.starts(&test);
            let seen = starts.iter().find_map(|&start| truth.is_seen(&test, start));
            counts[usize::from(seen.is_none())] += usize::from(!starts.is_empty());
            expected.extend(seen.map(|state| (walk_idx, state)));
        }
        let found = &shown[&subgoals.of_goal[idx][0]];
        assert_eq!(*found, expected, "{what}: {} {}", goal.id, goal.text);
    }
    counts
}

#[test]
fn what_walks_show_in_models_with_choices_equals_brute_force() {
    let mut counts = [0; 2];
    for seed in 200..208 {
        let mut rng = Rng::with_seed(seed);
        let sketch = Sketch::random(&mut rng, true);
        let found = check_walks(&sketch, &mut rng, &format!("seed {seed}"));
        (0..2).for_each(|idx| counts[idx] += found[idx]);
    }
    assert!(counts.iter().all(|&n| n > 100), "{counts:?}");
}

/// What is held is passed on twice before it is seen; what is lost never is.
const LATE: &str = "MODULE main
    VAR on : boolean; go : boolean; held : boolean; sent : boolean; out : boolean; lost : boolean;
    ASSIGN init(held) := FALSE; next(held) := on & !held;
      init(sent) := FALSE; next(sent) := held & go;
      init(out) := FALSE; next(out) := sent;
      init(lost) := FALSE; next(lost) := on & go;";

#[test]
fn a_condition_may_show_two_steps_later_or_never() {
    let mut model = read(LATE, &[]).0;
    for var in &mut model.vars {
        var.role = match var.name.as_str() {
            "on" | "go" => Role::Input,
            "out" => Role::Output,
            _ => Role::Internal,
        };
    }
    let options = Options { observable: true, ..Options::default() };
    let set = derive(&model, &["condition"], &options);
    for engine in ENGINES {
        let decided = decide(&set, engine, &Budget::unlimited());
        let verdict = |id: &str| {
            let idx = set.goals.iter().position(|goal| goal.id == id).expect("there is one");
            decided.verdicts[idx].clone()
        };
        let Verdict::Covered(shown) = verdict("condition:held:value1:1:true") else {
            panic!("{}: {:?}", engine.name, decided.verdicts)
        };
        // It decides in state 0 at the earliest, `held` is in state 1, `sent` in 2, and `out` in 3.
        let trace = &decided.traces[shown[0].trace];
        assert!(shown[0].state >= 3 && trace.states.len() > 3, "{}: {shown:?}", engine.name);
        for id in ["condition:lost:value1:1:true", "condition:lost:value1:2:false"] {
            let Verdict::Infeasible(how) = verdict(id) else { panic!("{}: {id}", engine.name) };
            assert!(how.contains("no difference arrives at an output"), "{how}");
        }
    }
}
