//! Traps say what goals ask for: read again from the printed text, each is false exactly if its goal
//! can be reached.

use std::collections::BTreeMap;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Limits, Outcome};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::{CRITERIA, GoalKind, GoalSet, Options, derive, traps};
use trapline_lang::smv;
use trapline_model::PropertyKind;

use trapline_testkit::random::{self, random_model};
use trapline_testkit::read;

/// What the traps of each goal are, as the engine says of the printed text: `None` is not known.
fn said(set: &GoalSet) -> Vec<Vec<Option<bool>>> {
    let claims = traps::traps(set).claims;
    let (model, comments) = traps::commented(set);
    let (model, _) = read(&smv::print::flat_with_comments(&model, &comments), &[]);
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
    let GoalKind::Pair(pair) = target else { return said[0].map(|holds| !holds) };
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
    let (model, _) = read(text, &[]);
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let set = derive(&model, &names, options);
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
        assert!(ours == theirs || is_formula, "{}: {ours}\n{text}", goal.id);
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
     ASSIGN next(w) := case v > 0ud3_0 : w / v; b : w mod 0ud3_3; TRUE : w << 1; esac;",
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
