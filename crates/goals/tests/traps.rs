//! Traps say what goals ask for: read again from the printed text, each is false exactly if its goal
//! can be reached.

use std::collections::BTreeMap;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Limits, Outcome};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::visibility::simulate::is_determined;
use trapline_goals::{CRITERIA, GoalKind, GoalSet, Options, Visibility, derive, traps};
use trapline_lang::smv;
use trapline_model::{Model, PropertyKind, Role, roles};

use trapline_testkit::random::{self, random_model};
use trapline_testkit::{exchanges, read};

/// What the traps of each goal are, as the engine says of the printed text: `None` is not known.
fn said(set: &GoalSet) -> Vec<Vec<Option<bool>>> {
    let claims = traps::traps(set).claims;
    let printed = traps::commented(set);
    let (model, _) = read(&smv::print::flat_with_comments(&printed.model, &printed.comments), &[]);
    let all: Vec<usize> = (0..model.properties.len()).collect();
    let limits = Limits { work: Some(3_000_000), ..Limits::default() };
    let checked = (ENGINES[0].check)(&model, &all, &Budget::new(limits));
    // The properties of a model are in the order of their kinds.
    let mut next: BTreeMap<PropertyKind, usize> = BTreeMap::new();
    for (idx, property) in model.properties.iter().enumerate().rev() {
        next.insert(property.kind, idx);
    }
    let said = claims.iter().map(|claims| {
        let one = claims.iter().map(|claim| {
            let place = next.get_mut(&claim.kind).expect("every claim is printed");
            *place += 1;
            match checked.outcomes[*place - 1] {
                Outcome::True(_) => Some(true),
                Outcome::False(_) => Some(false),
                _ => None,
            }
        });
        one.collect()
    });
    said.collect()
}

/// Is a goal reached, if its traps are these?
fn is_reached(set: &GoalSet, target: &GoalKind, said: &[Option<bool>]) -> Option<bool> {
    // A fault that nothing surely shows has no trap.
    let GoalKind::Pair(pair) = target else { return (*said.first()?).map(|holds| !holds) };
    let point = &set.points[pair.decision];
    let serving = point.serving(pair.condition).into_iter().zip(said);
    let mut made = Vec::new();
    for (idx, said) in serving {
        if !(*said)? {
            made.push(idx);
        }
    }
    Some(!point.shown_by(pair.condition, pair.reading, &made).is_empty())
}

/// How many goals were compared: reached ones, and others.
fn compare(text: &str, options: &Options) -> (usize, usize) {
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    compare_goals(&read(text, &[]).0, &names, options, text)
}

fn compare_goals(model: &Model, names: &[&str], options: &Options, what: &str) -> (usize, usize) {
    let set = derive(model, names, options);
    let limits = Limits { work: Some(3_000_000), ..Limits::default() };
    let verdicts = decide(&set, &ENGINES[0], &Budget::new(limits)).verdicts;
    let said = said(&set);
    let (mut n_reached, mut n_others) = (0, 0);
    for (idx, goal) in set.goals.iter().enumerate() {
        let ours = match verdicts[idx] {
            Verdict::Covered(_) => true,
            Verdict::Infeasible(_) => false,
            Verdict::Unknown(_) | Verdict::MayKill(_) => continue,
        };
        let Some(theirs) = is_reached(&set, &goal.kind, &said[idx]) else { continue };
        // A formula of CTL or LTL with a part that has no value gets some value in print.
        let is_formula =
            matches!(goal.kind, GoalKind::Trap(PropertyKind::Ctl | PropertyKind::Ltl, _));
        assert!(ours == theirs || is_formula, "{}: {ours}\n{what}", goal.id);
        n_reached += usize::from(ours);
        n_others += usize::from(!ours);
    }
    (n_reached, n_others)
}

#[test]
fn traps_of_random_models_are_false_where_goals_are_reached() {
    let mut rng = Rng::with_seed(31);
    let (mut n_reached, mut n_others) = (0, 0);
    for idx in 0..40 {
        let options = random::Options { is_wild: false, max_states: 16 };
        let sketch = random_model(&mut rng, options);
        let (staying, self_loops) = (idx % 2 == 0, idx % 3 == 0);
        let options = Options { limit: 40, staying, self_loops, ..Options::default() };
        let (reached, others) = compare(&sketch.text, &options);
        n_reached += reached;
        n_others += others;
    }
    assert!(n_reached > 500 && n_others > 500, "{n_reached} {n_others}");
}

/// What can fail stands behind a guard.
const GUARDED: &[&str] = &[
    "VAR a : array 0..1 of boolean; i : 0..2; x : boolean;
     ASSIGN next(x) := case i < 2 & a[i] : TRUE; TRUE : x; esac;
     INVARSPEC i < 2 & a[i] -> i != 2",
    "VAR d : 0..2; x : boolean; ASSIGN next(x) := d != 0 & 4 / d = 2; INVARSPEC d = 0 | 4 / d >= 2",
    "VAR w : unsigned word[3]; v : unsigned word[3]; b : boolean;
     ASSIGN next(w) := case v > 0ud3_0 : w / v | v; b : w mod 0ud3_3; TRUE : w << 1; esac;",
    "VAR a : boolean; b : boolean; x : boolean; DEFINE d := case a : b; !a : x; esac & b;
     ASSIGN next(x) := d | a; TRANS next(a) -> !x;",
];

#[test]
fn traps_behind_guards_say_what_goals_ask_for() {
    let (mut n_reached, mut n_others) = (0, 0);
    for text in GUARDED {
        for expound in [true, false] {
            let options = Options { expound, ..Options::default() };
            let (reached, others) = compare(&format!("MODULE main\n{text}\n"), &options);
            n_reached += reached;
            n_others += others;
        }
    }
    assert!(n_reached > 300 && n_others > 100, "{n_reached} {n_others}");
}

/// Internal states hide faults for a while; `o` and `d` are seen.
const HIDING: &[&str] = &[
    "VAR i : boolean; j : boolean; s : 0..2; t : boolean; o : {a, b};
     ASSIGN
       init(s) := 0; next(s) := case i & s < 2 : s + 1; !i & j : 0; TRUE : s; esac;
       init(t) := FALSE; next(t) := case s = 2 : !t; j : FALSE; TRUE : t; esac;
       o := case t & s >= 1 : a; TRUE : b; esac;",
    "VAR i : -1..2; s : 0..4; o : boolean; DEFINE d := s mod 2 + (o ? 1 : 0);
     ASSIGN
       init(s) := 2; next(s) := case s + i >= 0 & s + i <= 4 : s + i; TRUE : s; esac;
       init(o) := FALSE; next(o) := 4 / (s + 1) > 1;
     INVAR i + s < 6; TRANS s > 3 -> next(i) != 2;",
];

/// By duplication, alone and with criteria that need monitors.
#[test]
fn traps_of_faults_are_false_where_a_test_kills_the_mutant() {
    let options = Options { visibility: Visibility::Duplicate, limit: 40, ..Options::default() };
    let names = ["mutation", "branch-pair", "mutation:arithmetic", "mutation:range-variable"];
    let (mut n_killed, mut n_others) = (0, 0);
    for text in HIDING {
        let mut model = read(&format!("MODULE main\n{text}\n"), &[]).0;
        for (wanted, role) in
            [("i", Role::Input), ("j", Role::Input), ("o", Role::Output), ("d", Role::Output)]
        {
            roles::set(&mut model, wanted, role);
        }
        let (killed, others) = compare_goals(&model, &names, &options, text);
        n_killed += killed;
        n_others += others;
    }
    assert!(n_killed > 200 && n_others > 10, "{n_killed} {n_others}");
}

/// Makes what has choices an input.
fn leave_choices_to_inputs(model: &mut Model) {
    for idx in 0..model.vars.len() {
        let mut alone = model.clone();
        let others = alone.vars.iter_mut().enumerate().filter(|(other, _)| *other != idx);
        others.for_each(|(_, var)| var.role = Role::Input);
        if !is_determined(&alone) {
            model.vars[idx].role = Role::Input;
        }
    }
}

#[test]
fn traps_of_faults_of_random_models_say_what_goals_ask_for() {
    let options = Options { visibility: Visibility::Duplicate, ..Options::default() };
    let (mut n_killed, mut n_others) = (0, 0);
    for seed in 0..180 {
        let (_, mut model) = exchanges::random_model(2 * seed);
        leave_choices_to_inputs(&mut model);
        let what = format!("seed {seed}");
        let (killed, others) = compare_goals(&model, &["mutation"], &options, &what);
        n_killed += killed;
        n_others += others;
    }
    assert!(n_killed > 100 && n_others > 20, "{n_killed} {n_others}");
}
