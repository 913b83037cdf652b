//! Goals of guarded commands and tables, on every engine, against what trying everything says.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::criteria::mutation;
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::decision::Decision;
use trapline_goals::mutate::status::statuses;
use trapline_goals::mutate::{Mutant, Mutants, OPERATORS, Part, SubjectKind, mutants};
use trapline_goals::{Builder, GoalKind, GoalSet, Options, Reading, derive};
use trapline_model::eval::evaluate;
use trapline_model::{Guard, Model, Scope};

use trapline_testkit::commands::{
    Behaviour, Listed, Values, all_states, behaviour, commands, table,
};

/// Overlapping guards, a guard that never holds, two variables at once, a command that explains
/// the same steps as another, one for all other cases.
const OVERLAPPING: &str = "MODULE main
VAR x : 0..3; y : boolean; go : boolean;
INIT x = 0 & !y;
DEFINE
  up__when := go & x < 3; up__x := x + 1;
  both__when := go & (y | x = 1); both__x := 0; both__y := !y;
  same__when := go & x < 2; same__x := x + 1;
  never__when := x > 1 & x < 1; never__x := 2;
  pick__when := x = 3 | y; pick__x := {1, 2}; pick__y := go;
  rest__else := TRUE;  rest__y := TRUE;
";

/// A table of the next state, one with nothing for other cases, and one of states.
const TABLES: [(&str, Scope); 3] = [
    (
        "MODULE main
VAR r : 0..2; a : boolean; b : boolean;
INIT r = 0;
DEFINE
  one__when := r = 0 & a & !next(a); one__r := 1;
  two__when := r = 1 & (b | a); two__r := {0, 2};
  three__when := r = 2 & !b; three__r := 0;
  four__else := TRUE; four__r := r;
",
        Scope::Step,
    ),
    (
        "MODULE main
VAR r : 0..2; a : boolean; b : boolean;
INIT r = 0;
DEFINE
  one__when := a & b; one__r := 1;
  two__when := a & !b | !a & r = 2; two__r := 2;
  three__when := !a & r < 2; three__r := 0;
",
        Scope::Step,
    ),
    (
        "MODULE main
VAR r : 0..2; a : boolean; b : boolean;
DEFINE
  one__when := a & b; one__r := 1;
  two__when := a & !b; two__r := 2;
  three__when := !a; three__r := 0;
",
        Scope::State,
    ),
];

/// Commands of initial states, and one of them with nothing to say of a variable.
const FIRST: &str = "MODULE main
VAR x : 0..2; y : boolean; z : boolean;
DEFINE
  low__when := z; low__x := 0; low__y := z & x < 2;
  high__when := x > 1 | z; high__x := 2;
";

fn random_commands(rng: &mut Rng) -> String {
    let atoms = ["x = 0", "x < 2", "y", "go", "x = w", "w > 0", "!y", "next(go)"];
    let guard = |rng: &mut Rng| {
        let mut atom = || atoms[rng.usize(..atoms.len())];
        let (a, b, c) = (atom(), atom(), atom());
        match rng.usize(..4) {
            0 => a.to_string(),
            1 => format!("{a} & {b}"),
            2 => format!("{a} & ({b} | {c})"),
            _ => format!("{a} & !({b} & {c})"),
        }
    };
    let mut text = String::from(
        "MODULE main\nVAR x : 0..2; w : 0..2; y : boolean; go : boolean;\nINIT x = 0 & w = 1;\nDEFINE\n",
    );
    let values = [
        ("x", &["0", "1", "w", "{0, 2}", "(y ? 2 : x)"][..]),
        ("w", &["x", "2", "{1, 2}", "case go : 0; TRUE : x; esac"]),
        ("y", &["TRUE", "go & x = 1", "!y", "next(go) | y"]),
    ];
    let n_commands = rng.usize(2..5);
    for idx in 0..n_commands {
        text += &format!("  c{idx}__when := {};", guard(rng));
        for (name, values) in values {
            if rng.bool() {
                text += &format!(" c{idx}__{name} := {};", values[rng.usize(..values.len())]);
            }
        }
        text.push('\n');
    }
    if rng.bool() {
        text += "  rest__else := TRUE; rest__x := 1;\n";
    }
    text
}

fn models() -> Vec<(String, Model)> {
    let mut models = vec![
        (OVERLAPPING.to_string(), commands(OVERLAPPING, Scope::Step)),
        (FIRST.to_string(), commands(FIRST, Scope::Init)),
    ];
    models.extend(TABLES.map(|(text, scope)| (text.to_string(), table(text, scope))));
    let mut rng = Rng::with_seed(7);
    models.extend((0..10).map(|_| {
        let text = random_commands(&mut rng);
        let model = commands(&text, Scope::Step);
        (text, model)
    }));
    models
}

/// What is evaluated where the group counts: each with the alternatives that explain it.
fn moments(model: &Model, known: &Behaviour) -> Vec<(Values, Values, Vec<usize>)> {
    match model.groups[0].scope {
        Scope::Init => {
            known.initial.iter().map(|(s, by)| (s.clone(), s.clone(), by.clone())).collect()
        }
        Scope::State => {
            let by = |state: &Values| Listed::new(model).explaining(model, state, state);
            known.states.iter().map(|s| (s.clone(), s.clone(), by(s))).collect()
        }
        Scope::Step => {
            known.steps.iter().map(|((s, t), by)| (s.clone(), t.clone(), by.clone())).collect()
        }
    }
}

/// The ids of the goals that a criterion derives of guards, with what each engine says of them.
fn decided(model: &Model, criterion: &str) -> Vec<(GoalSet, Vec<bool>)> {
    let mut all = Vec::new();
    for engine in ENGINES {
        let set = derive(model, &[criterion], &Options::default());
        let found = decide(&set, engine, &Budget::unlimited());
        let is_covered = |verdict: &Verdict| match verdict {
            Verdict::Covered(_) => true,
            Verdict::Infeasible(_) => false,
            Verdict::MayKill(how) => unreachable!("no fault is asked about: {how}"),
            Verdict::Unknown(why) => panic!("{}: {why}", engine.name),
        };
        let covered = found.verdicts.iter().map(is_covered).collect();
        all.push((set, covered));
    }
    all
}

fn expect_covered(text: &str, model: &Model, criterion: &str, expected: &BTreeSet<String>) {
    for (engine, (set, covered)) in ENGINES.iter().zip(decided(model, criterion)) {
        // What stands in values and elsewhere is not asked here.
        let is_own = |id: &str| id.contains(&format!(":{}.", model.groups[0].name));
        let own = set.goals.iter().zip(covered);
        let own = own.filter(|(goal, _)| is_own(&goal.id) && !is_of_value(&goal.id));
        let found: BTreeSet<String> =
            own.filter(|(_, covered)| *covered).map(|(goal, _)| goal.id.clone()).collect();
        assert_eq!(&found, expected, "{} with {}\n{text}", criterion, engine.name);
    }
}

/// `branch:list.up:x:if1`
fn is_of_value(id: &str) -> bool {
    ["x", "y", "w", "r"].iter().any(|name| id.contains(&format!(":{name}:")))
}

#[test]
fn a_branch_is_covered_iff_its_alternative_can_be_taken() {
    for (text, model) in models() {
        let known = behaviour(&model, &Listed::new(&model));
        let group = &model.groups[0];
        let taken: BTreeSet<usize> =
            moments(&model, &known).into_iter().flat_map(|(.., by)| by).collect();
        let id = |idx: &usize| format!("branch:{}.{}", group.name, group.label(*idx));
        expect_covered(&text, &model, "branch", &taken.iter().map(id).collect());
    }
}

#[test]
fn branch_pairs_are_commands_that_are_taken_one_after_the_other() {
    for (text, model) in models() {
        let group = &model.groups[0];
        if group.scope != Scope::Step {
            continue;
        }
        let known = behaviour(&model, &Listed::new(&model));
        let mut expected = BTreeSet::new();
        for ((_, middle), first) in &known.steps {
            for ((_, _), second) in known.steps.iter().filter(|((from, _), _)| from == middle) {
                for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))) {
                    let label = |idx: usize| format!("{}.{}", group.name, group.label(idx));
                    expected.insert(format!("branch-pair:{}:{}", label(a), label(b)));
                }
            }
        }
        expect_covered(&text, &model, "branch-pair", &expected);
    }
}

/// The name of a guard, its decision, and the evaluations that can be made of it.
type Evaluated = (String, Decision, BTreeSet<(u64, bool)>);

/// For each guard its conditions, and what the values of these can be where it counts: where it is
/// false, or its alternative is taken.
fn evaluations(model: &Model, known: &Behaviour) -> Vec<Evaluated> {
    let listed = Listed::new(model);
    let group = &model.groups[0];
    let mut all = Vec::new();
    for (idx, alternative) in group.alternatives.iter().enumerate() {
        let Guard::Written(occ) = alternative.guard else { continue };
        let decision = Decision::new(model, occ);
        let mut seen = BTreeSet::new();
        for (from, to, by) in moments(model, known) {
            let value = listed.holds(model, idx, &from, &to);
            let truth = |expr| evaluate(model, expr, &from, &to).as_bool().expect("total");
            if !value || by.contains(&idx) {
                let conditions = decision.conditions.iter().enumerate();
                let bits = conditions.map(|(at, c)| u64::from(truth(c.expr)) << at).sum();
                seen.insert((bits, value));
            }
        }
        all.push((format!("{}.{}", group.name, group.label(idx)), decision, seen));
    }
    all
}

#[test]
fn guards_count_where_they_are_false_or_their_alternative_is_taken() {
    for (text, model) in models() {
        let known = behaviour(&model, &Listed::new(&model));
        let (mut of_decision, mut of_condition, mut of_multi) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for (key, decision, seen) in evaluations(&model, &known) {
            let n_conditions = decision.conditions.len();
            for (bits, value) in seen {
                of_decision.insert(format!("decision:{key}:{value}"));
                for at in 0..n_conditions {
                    let holds = bits >> at & 1 == 1;
                    of_condition.insert(format!("condition:{key}:{}:{holds}", at + 1));
                }
                let digits =
                    (0..n_conditions).map(|at| if bits >> at & 1 == 1 { '1' } else { '0' });
                of_multi.insert(format!("multi:{key}:{}", digits.collect::<String>()));
            }
        }
        expect_covered(&text, &model, "decision", &of_decision);
        expect_covered(&text, &model, "condition", &of_condition);
        expect_covered(&text, &model, "multi", &of_multi);
    }
}

#[test]
fn pairs_of_evaluations_are_made_of_guards_that_count() {
    for (criterion, reading) in
        [("mcdc-unique", Reading::Unique), ("mcdc-masking", Reading::Masking)]
    {
        for (text, model) in models() {
            let known = behaviour(&model, &Listed::new(&model));
            let mut expected = BTreeSet::new();
            for (key, decision, seen) in evaluations(&model, &known) {
                let decides =
                    |bits: u64, at: usize| decision.value(bits) != decision.value(bits ^ 1 << at);
                for at in 0..decision.conditions.len() {
                    let serves = |a: &(u64, bool), b: &(u64, bool)| {
                        let differ = (a.0 ^ b.0) >> at & 1 == 1 && a.1 != b.1;
                        differ
                            && match reading {
                                Reading::Unique => a.0 ^ b.0 == 1 << at,
                                _ => decides(a.0, at) && decides(b.0, at),
                            }
                    };
                    if seen.iter().any(|a| seen.iter().any(|b| serves(a, b))) {
                        expected.insert(format!("{criterion}:{key}:{}", at + 1));
                    }
                }
            }
            expect_covered(&text, &model, criterion, &expected);
        }
    }
}

/// The list of alternatives with one change.
fn changed(model: &Model, set: &GoalSet, mutant: &Mutant) -> Listed {
    let mut listed = Listed::new(&set.model);
    match mutant.part {
        Part::Guard(idx) => listed.guards[idx] = Some(mutant.root),
        Part::Given(idx, given) => {
            let var = model.groups[0].alternatives[idx].gives[given].var;
            let own = listed.gives[idx].iter_mut().find(|(other, _)| *other == var);
            own.expect("it gives this").1 = mutant.root;
        }
        Part::Whole | Part::Value(_) => panic!("groups have guards and values"),
    }
    listed
}

fn made(model: &Model, options: &Options, rng: &mut Rng) -> (GoalSet, Mutants) {
    let mut builder = Builder::new(model.clone(), options);
    builder.criterion = "mutation".into();
    let usual: Vec<usize> = (0..OPERATORS.len()).filter(|&idx| OPERATORS[idx].is_usual).collect();
    let mut found = mutants(&mut builder, &usual);
    let is_of_group =
        |mutant: &Mutant| matches!(found.subjects[mutant.subject].kind, SubjectKind::Group(..));
    found.list = found.list.iter().copied().filter(is_of_group).collect();
    rng.shuffle(&mut found.list);
    found.list.truncate(15);
    mutation::add_goals(&mut builder, &found);
    let Builder { model, goals, faults, notices, .. } = builder;
    (GoalSet { model, goals, points: Vec::new(), mutants: Vec::new(), faults, notices }, found)
}

/// What the changed list forbids, and what it allows beyond, where the model can be.
fn differences(set: &GoalSet, known: &Behaviour, mutant: &Listed) -> (bool, bool) {
    let model = &set.model;
    let own = Listed::new(model);
    let explains = |listed: &Listed, from: &Values, to: &Values| {
        !listed.explaining(model, from, to).is_empty()
    };
    let all = all_states(model);
    let moments: Vec<(Values, Values)> = match model.groups[0].scope {
        Scope::Step => {
            let from = known.states.iter();
            from.flat_map(|from| all.iter().map(|to| (from.clone(), to.clone()))).collect()
        }
        // What is reached by steps that leave everything open.
        Scope::Init | Scope::State => all.iter().map(|s| (s.clone(), s.clone())).collect(),
    };
    let (mut forbids, mut allows) = (false, false);
    for (from, to) in moments {
        match (explains(&own, &from, &to), explains(mutant, &from, &to)) {
            (true, false) => forbids = true,
            (false, true) => allows = true,
            _ => {}
        }
    }
    (forbids, allows)
}

#[test]
fn mutants_are_killed_iff_no_alternative_of_the_changed_list_explains_a_step() {
    let mut rng = Rng::with_seed(3);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (text, model) in models() {
        let known = behaviour(&model, &Listed::new(&model));
        let tried = crate::mutants::behaviour(&model);
        {
            let options = Options { expound: rng.bool(), ..Options::default() };
            let (set, found) = made(&model, &options, &mut rng);
            for mutant in &found.list {
                let applied = mutant.apply(&found.subjects, &set.model);
                let (forbids, _) = crate::mutants::differences(&tried, &applied);
                let changed = changed(&model, &set, mutant);
                let id = mutant.id(&found.subjects);
                assert_eq!(forbids, differences(&set, &known, &changed).0, "{id}\n{text}");
            }
            for engine in ENGINES {
                let statuses = statuses(&set, &found, engine, &Budget::unlimited());
                for (mutant, status) in found.list.iter().zip(&statuses) {
                    if status.word() == "invalid" {
                        continue;
                    }
                    let changed = changed(&model, &set, mutant);
                    let expected = match differences(&set, &known, &changed) {
                        (true, _) => "killable",
                        (false, true) => "excluded only",
                        (false, false) => "equivalent",
                    };
                    let id = mutant.id(&found.subjects);
                    let (word, name) = (status.word(), engine.name);
                    assert_eq!(word, expected, "{id} with {name}: {status:?}\n{text}");
                    *seen.entry(expected).or_default() += 1;
                }
            }
        }
    }
    assert!(seen.len() == 3 && seen.values().all(|n| *n > 20), "{seen:?}");
}

#[test]
fn what_is_not_changed_kills_nothing() {
    for (text, model) in models() {
        let options = Options::default();
        let mut builder = Builder::new(model.clone(), &options);
        let reflected = trapline_goals::reflect::reflect(&mut builder);
        assert!(!reflected.is_empty() || model.groups[0].scope == Scope::Init, "{text}");
        let known = behaviour(&model, &Listed::new(&model));
        for one in reflected {
            let expr = one.claim.expr;
            if model.groups[0].scope == Scope::State {
                continue;
            }
            for (from, to) in known.steps.keys() {
                let truth = evaluate(&builder.model, expr, from, to).as_bool();
                assert_eq!(truth, Some(true), "{}\n{text}", one.text);
            }
        }
    }
}

#[test]
fn goals_of_values_are_reached_only_by_commands_that_are_taken() {
    let text = "MODULE main
VAR x : 0..3; go : boolean;
INIT x = 0;
DEFINE
  a__when := go; a__x := go & x < 1 ? 1 : 2;
  b__when := x = 3; b__x := x = 3 ? 1 : 2;
";
    let model = commands(text, Scope::Step);
    let set = derive(&model, &["branch"], &Options::default());
    let ids: Vec<&str> = set.goals.iter().map(|goal| goal.id.as_str()).collect();
    let expected = [
        "branch:list.a",
        "branch:list.a:x:if1:true",
        "branch:list.a:x:if1:false",
        "branch:list.b",
        "branch:list.b:x:if1:true",
        "branch:list.b:x:if1:false",
    ];
    assert_eq!(ids, expected);
    let found = decide(&set, &ENGINES[0], &Budget::unlimited());
    let covered: Vec<bool> =
        found.verdicts.iter().map(|verdict| matches!(verdict, Verdict::Covered(_))).collect();
    // `x` is never 3, and where `a` is taken it is 0, 1 or 2.
    assert_eq!(covered, [true, true, true, false, false, false]);
    let GoalKind::Step(_) = set.goals[0].kind else { panic!("commands are about steps") };
}
