//! Small automata for common formulas, and the evaluation of formulas on lassos against their
//! definitions. That automata accept the right words is tested with the product.

pub mod words;

use std::collections::BTreeSet;

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use trapline_lang::{Input, smv};
use trapline_model::lasso::{Trouble, holds};
use trapline_model::trace::Trace;
use trapline_model::{ExprId, Formula, Model, UnaryOp};
use trapline_source::{Diagnostics, Sources};

use super::{Automaton, Words};
use crate::{Budget, Why};

/// A model with three Boolean variables and this property.
fn read(formula: &str) -> (Model, ExprId) {
    let text = format!("MODULE main\nVAR p: boolean; q: boolean; r: boolean;\nLTLSPEC {formula}");
    let mut sources = Sources::new();
    let file = sources.add("test.smv", &text).unwrap().clone();
    let mut diagnostics = Diagnostics::new();
    let input = Input::new(&file);
    let model = smv::read(&input, &mut diagnostics).model;
    assert!(!diagnostics.has_errors(), "{formula}");
    let Formula::Holds(clause) = model.properties[0].formula else { panic!("{formula}") };
    (model, clause.expr)
}

/// Goes everywhere with every letter; the number of states and of acceptance sets.
fn size(automaton: &mut Automaton) -> Result<(usize, usize), Why> {
    let n_atoms = automaton.atoms().len();
    let mut seen = BTreeSet::new();
    let mut open = vec![automaton.initial()];
    while let Some(location) = open.pop() {
        if !seen.insert(location) {
            continue;
        }
        for bits in 0..1usize << n_atoms {
            let mut atoms = FixedBitSet::with_capacity(n_atoms);
            atoms.extend((0..n_atoms).filter(|i| bits >> i & 1 == 1));
            let letter = automaton.letter(&atoms);
            let moves = automaton.moves(location, letter, &Budget::unlimited())?;
            open.extend(moves.iter().map(|step| step.to));
        }
    }
    Ok((seen.len(), automaton.n_acceptance_sets()))
}

/// The sizes of the automata for the words that satisfy and violate a formula.
fn sizes(formula: &str) -> [(usize, usize); 2] {
    let (model, expr) = read(formula);
    [Words::Satisfying, Words::Violating]
        .map(|words| size(&mut Automaton::new(&model.exprs, expr, words).unwrap()).unwrap())
}

#[test]
fn common_formulas_have_tiny_automata() {
    assert_eq!(sizes("p"), [(2, 0), (2, 0)]);
    assert_eq!(sizes("G p"), [(1, 0), (2, 1)]);
    assert_eq!(sizes("F p"), [(2, 1), (1, 0)]);
    assert_eq!(sizes("X p"), [(3, 0), (3, 0)]);
    assert_eq!(sizes("p U q"), [(2, 1), (2, 0)]);
    assert_eq!(sizes("G F p"), [(1, 1), (2, 1)]);
    assert_eq!(sizes("F G p"), [(2, 1), (1, 1)]);
    assert_eq!(sizes("G (p -> F q)"), [(2, 1), (2, 1)]);
    assert_eq!(sizes("G (p -> X q)"), [(2, 0), (3, 1)]);
    assert_eq!(sizes("G F p & G F q & G F r"), [(1, 3), (4, 1)]);
    assert_eq!(sizes("G F p -> G F q"), [(4, 2), (2, 2)]);
    assert_eq!(sizes("G F G F p"), [(1, 1), (2, 1)]);
}

#[test]
fn the_past_costs_a_bit() {
    assert_eq!(sizes("G (p -> O q)"), [(2, 0), (3, 1)]);
    assert_eq!(sizes("G (p -> Y q)"), [(2, 0), (3, 1)]);
    assert_eq!(sizes("G (p -> H q)"), [(2, 0), (3, 1)]);
    assert_eq!(sizes("G (p -> q S r)"), [(2, 0), (3, 1)]);
}

#[test]
fn bounds_count_instead_of_unrolling() {
    assert_eq!(sizes("F [0,1000] p"), [(1001 + 1, 0), (1001 + 1, 0)]);
    assert_eq!(sizes("G (p -> F [0,50] q)"), [(51, 0), (52, 1)]);
    assert_eq!(sizes("G (p -> H [0,50] q)"), [(52, 0), (52 + 1, 1)]);
    assert_eq!(sizes("G (p -> O [0,50] q)"), [(52, 0), (52 + 1, 1)]);
}

#[test]
fn bounds_need_not_be_small_to_be_supported() {
    let (model, expr) = read("F [1000000000,2000000000] p & O [0,2000000000] q");
    let mut automaton = Automaton::new(&model.exprs, expr, Words::Satisfying).unwrap();
    let letter = automaton.letter(&FixedBitSet::with_capacity(2));
    let initial = automaton.initial();
    assert!(automaton.moves(initial, letter, &Budget::unlimited()).unwrap().is_empty());

    let (model, expr) = read("G O [5000,5001] p");
    let refused = Automaton::new(&model.exprs, expr, Words::Satisfying);
    assert!(matches!(refused, Err(Why::Unsupported(_))));
}

#[test]
fn deep_formulas_do_not_overflow() {
    for op in [UnaryOp::Not, UnaryOp::X, UnaryOp::F, UnaryOp::G, UnaryOp::O] {
        let (mut model, mut expr) = read("F p");
        for i in 0..100_000 {
            let op = if i % 2 == 0 || op == UnaryOp::Not { op } else { UnaryOp::F };
            expr = model.exprs.unary(op, expr);
        }
        match Automaton::new(&model.exprs, expr, Words::Violating) {
            Ok(mut automaton) => {
                let letter = automaton.letter(&FixedBitSet::with_capacity(1));
                let initial = automaton.initial();
                assert!(automaton.moves(initial, letter, &Budget::unlimited()).is_ok());
            }
            Err(why) => assert!(matches!(why, Why::Unsupported(_)) && op == UnaryOp::O),
        }
    }
}

#[test]
fn lassos_are_evaluated_as_defined() {
    let mut rng = Rng::with_seed(7);
    for round in 0..30_000 {
        let mut model = words::model();
        let size = rng.usize(0..8);
        let formula = words::formula(&mut model, &mut rng, size, true);
        let trace = words::lasso(&mut rng, 6);
        let expected = words::naive(&model, formula, &trace);
        assert_eq!(holds(&model, formula, &trace), Ok(expected), "round {round}");
    }
}

#[test]
fn state_zero_has_no_past() {
    let holds_at_start = |formula: &str| {
        let (model, expr) = read(formula);
        let trace = Trace { states: vec![words::state(1), words::state(2)], loop_start: Some(1) };
        holds(&model, expr, &trace).unwrap()
    };
    // As NuSMV 2.6 answers on the model with this path only.
    let truths = ["Z FALSE", "H p", "O p", "FALSE S p", "FALSE T p", "X O [1,2] p", "H [0,0] p"];
    let more = ["X H [0,1] TRUE", "X X H [1,2] TRUE", "G (q -> O p)", "F (Y p S p)", "F [1,1] q"];
    for formula in truths.into_iter().chain(more) {
        assert!(holds_at_start(formula), "{formula}");
    }
    for formula in ["Y TRUE", "H [0,1] TRUE", "O [1,2] p", "X H [1,2] TRUE", "p T FALSE"] {
        assert!(!holds_at_start(formula), "{formula}");
    }
}

#[test]
fn only_lassos_have_a_truth_value() {
    let (model, expr) = read("F p");
    let trace = Trace { states: vec![words::state(1)], loop_start: None };
    assert_eq!(holds(&model, expr, &trace), Err(Trouble::NotALasso));
}
