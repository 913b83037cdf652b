//! Certificates: every invariant that is handed out is inductive, and proves what it says.

use fastrand::Rng;
use trapline_engine::certificate::certificate;
use trapline_engine::{Budget, Invariant, Outcome, Proof, explicit, sat};
use trapline_model::{AssignKind, Clause, Constraint, ConstraintKind, Formula, Model};

use trapline_testkit::random::{Options, Reads, random_model};
use trapline_testkit::read;

/// Does every property hold in a model?
fn all_hold(model: &Model) -> bool {
    let properties: Vec<usize> = (0..model.properties.len()).collect();
    let checked = (explicit::ENGINE.check)(model, &properties, &Budget::unlimited());
    checked.outcomes.iter().all(|outcome| matches!(outcome, Outcome::True(_)))
}

/// The same model with other initial states: all those in which a condition holds.
fn starting_where(model: &Model, body: Clause) -> Model {
    let mut model = model.clone();
    model.assigns.retain(|assign| assign.kind != AssignKind::Init);
    model.constraints.retain(|constraint| constraint.kind != ConstraintKind::Init);
    model.constraints.push(Constraint { kind: ConstraintKind::Init, body });
    model
}

/// Every invariant of a model is inductive and proves what it says. How many are there, and how
/// many cubes have they?
fn check(text: &str) -> (usize, usize) {
    let (model, _) = read(text, &[]);
    let properties: Vec<usize> = (0..model.properties.len()).collect();
    let checked = (sat::ENGINE.check)(&model, &properties, &Budget::unlimited());
    for (idx, outcome) in checked.outcomes.iter().enumerate() {
        if let Outcome::True(Proof::Invariant { .. }) = outcome {
            let proves = |i: &Invariant| i.proves.iter().any(|(outcome, _)| *outcome == idx);
            assert!(checked.invariants.iter().any(proves), "{idx}\n{text}");
        }
    }
    let (certified, n_proved) = certificate(&model, &properties, &checked);
    assert_eq!(n_proved, checked.invariants.iter().map(|i| i.proves.len()).sum::<usize>());
    assert!(all_hold(&certified), "{text}");
    // From wherever one of them holds, it goes on to hold, and so does what it proves.
    let mut properties = certified.properties.iter();
    for invariant in &checked.invariants {
        let Some(Formula::Holds(body)) = properties.as_slice().first().map(|p| p.formula) else {
            panic!("an invariant is a property\n{text}");
        };
        let mut anywhere = starting_where(&certified, body);
        let own = properties.by_ref().take(1 + invariant.proves.len());
        anywhere.properties = own.cloned().collect();
        assert!(all_hold(&anywhere), "{invariant:?}\n{text}");
    }
    let n_cubes = checked.invariants.iter().map(|invariant| invariant.none.len()).sum();
    (checked.invariants.len(), n_cubes)
}

#[test]
fn every_invariant_is_inductive_and_proves_its_properties() {
    let mut n_invariants = 0;
    for seed in 0..500 {
        let mut rng = Rng::with_seed(9000 + seed);
        let sketch = random_model(&mut rng, Options { is_wild: false, max_states: 60 });
        let mut text = sketch.text.clone();
        for _ in 0..6 {
            let condition = sketch.boolean(&mut rng, Reads::STATE);
            text += &format!("INVARSPEC {condition};\n");
        }
        n_invariants += check(&text).0;
    }
    assert!(n_invariants > 60, "only {n_invariants} invariants");
}

/// What one step does not show, but a few bits do.
#[test]
fn invariants_of_several_bits() {
    let mut n_cubes = 0;
    for (step, odd) in [(2, 13), (4, 6), (8, 20), (6, 7), (12, 33)] {
        for text in [
            format!(
                "MODULE main VAR x : 0..63; b : boolean; IVAR i : boolean;
                 ASSIGN init(x) := 0; init(b) := FALSE; next(b) := b | x = 60;
                 next(x) := i ? (x + {step}) mod 64 : x;
                 INVARSPEC x != {odd}; INVARSPEC x != {odd} + 1 | b | x mod 2 = 0;"
            ),
            format!(
                "MODULE main VAR w : unsigned word[8]; v : unsigned word[8]; IVAR i : boolean;
                 ASSIGN init(w) := 0ud8_0; init(v) := 0ud8_1;
                 next(w) := i ? w + 0ud8_{step} : w; next(v) := i ? v : v + 0ud8_{step};
                 INVARSPEC w != 0ud8_{odd}; INVARSPEC v != w | v != 0ud8_{odd};"
            ),
            format!(
                "MODULE main VAR x : -40..1000; m : {{a, b, c, d, e}}; IVAR i : boolean;
                 ASSIGN init(x) := -40; init(m) := a;
                 next(m) := case i & m = a : c; i & m = c : e; i : a; TRUE : m; esac;
                 next(x) := x < 900 & m != b ? x + {step} : x;
                 INVARSPEC x != {odd} - 40; INVARSPEC m = b -> x < 0;"
            ),
        ] {
            n_cubes += check(&text).1;
        }
    }
    assert!(n_cubes > 5, "only {n_cubes} cubes");
}
