//! Automata accept exactly the lassos on which their formula holds; on graphs, a path is found
//! whenever trying out all short lassos finds one, and what is found is right.

use fastrand::Rng;
use fixedbitset::FixedBitSet;
use trapline_model::eval::Plan;
use trapline_model::lasso::holds;
use trapline_model::trace::{State, Trace};
use trapline_model::{BinaryOp, ExprId, Model, Reads, UnaryOp, VarId};

use super::{Atoms, LtlFairness, find, is_fair_path};
use crate::explicit::automaton::tests::words;
use crate::explicit::automaton::{Automaton, Words};
use crate::explicit::graph::{Graph, GroupId, Path, StateId};
use crate::{Budget, Why};

/// A graph whose states have values.
struct Labelled {
    graph: Graph,
    states: Vec<State>,
}

fn graph(groups: &[usize], successors: &[Vec<GroupId>], initial: Vec<StateId>) -> Graph {
    let mut graph = Graph { initial, edge_start: vec![0], ..Graph::default() };
    graph.group_start.push(0);
    for (group, &size) in groups.iter().enumerate() {
        graph.group_of.extend(std::iter::repeat_n(group as GroupId, size));
        graph.group_start.push(graph.group_of.len() as StateId);
    }
    for groups in successors {
        graph.edges.extend(groups);
        graph.edge_start.push(graph.edges.len());
    }
    graph
}

fn truth(model: &Model, atom: ExprId, from: &State, to: &State) -> bool {
    let plan = Plan::new(model, &[atom]);
    let mut cells = Vec::new();
    plan.run(&from.values, &to.values, &mut cells);
    plan.root(0, &cells).as_bool().unwrap()
}

fn search(
    model: &Model,
    formula: ExprId,
    words: Words,
    labelled: &Labelled,
    fairness: &LtlFairness,
) -> Result<Option<Path>, Why> {
    let Labelled { graph, states } = labelled;
    let mut automaton = Automaton::new(&model.exprs, formula, words)?;
    let atoms = automaton.atoms().to_vec();
    let is_step = |atom: ExprId| model.exprs.info(atom).reads.any(Reads::NEXT);
    let holding = |&atom: &ExprId| {
        let holds = |state: &usize| truth(model, atom, &states[*state], &states[*state]);
        (!is_step(atom)).then(|| (0..states.len()).filter(holds).collect::<FixedBitSet>())
    };
    let step = |from: StateId, to: StateId, letter: &mut FixedBitSet| {
        for (idx, &atom) in atoms.iter().enumerate().filter(|(_, atom)| is_step(**atom)) {
            letter.set(idx, truth(model, atom, &states[from as usize], &states[to as usize]));
        }
        Ok(())
    };
    let atoms = Atoms { states: atoms.iter().map(holding).collect(), step: &step };
    find(graph, &atoms, &mut automaton, fairness, &Budget::unlimited())
}

#[test]
fn automata_accept_the_lassos_that_satisfy_the_formula() {
    let mut rng = Rng::with_seed(11);
    for round in 0..30_000 {
        let mut model = words::model();
        let (size, has_next) = (rng.usize(0..8), rng.u8(0..4) == 0);
        let formula = words::formula(&mut model, &mut rng, size, has_next);
        let trace = words::lasso(&mut rng, 6);
        let n_states = trace.states.len();
        let next = |i: usize| {
            vec![if i + 1 < n_states { i + 1 } else { trace.loop_start.unwrap() } as u32]
        };
        let successors: Vec<_> = (0..n_states).map(next).collect();
        let graph = graph(&vec![1; n_states], &successors, vec![0]);
        let labelled = Labelled { graph, states: trace.states.clone() };
        let expected = holds(&model, formula, &trace).unwrap();
        for (words, expected) in [(Words::Satisfying, expected), (Words::Violating, !expected)] {
            let found = search(&model, formula, words, &labelled, &LtlFairness::default());
            assert_eq!(found.unwrap().is_some(), expected, "round {round}, {words:?}");
        }
    }
}

/// A random set of states.
fn states(rng: &mut Rng, n_states: usize) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(n_states);
    set.extend((0..n_states).filter(|_| rng.u8(0..3) == 0));
    set
}

fn random_graph(rng: &mut Rng) -> Labelled {
    let sizes: Vec<usize> = (0..rng.usize(1..5)).map(|_| rng.usize(1..3)).collect();
    let n_states: usize = sizes.iter().sum();
    let pick = |rng: &mut Rng| {
        (0..sizes.len() as GroupId).filter(|_| rng.u8(0..5) < 2).collect::<Vec<_>>()
    };
    let successors: Vec<_> = (0..n_states).map(|_| pick(rng)).collect();
    let initial: Vec<StateId> = (0..n_states as StateId).filter(|_| rng.u8(0..3) == 0).collect();
    let states = (0..n_states).map(|_| words::state(rng.u32(0..1 << words::N_VARS))).collect();
    Labelled { graph: graph(&sizes, &successors, initial), states }
}

fn trace(labelled: &Labelled, path: &Path) -> Trace {
    let states = path.states.iter().map(|&state| labelled.states[state as usize].clone());
    Trace { states: states.collect(), loop_start: path.loop_start }
}

/// All lassos with up to so many states.
fn lassos(graph: &Graph, max_states: usize) -> Vec<Path> {
    let mut all = Vec::new();
    let mut open: Vec<Vec<StateId>> = graph.initial.iter().map(|&state| vec![state]).collect();
    while let Some(states) = open.pop() {
        let groups = graph.successors(states[states.len() - 1]);
        let targets: Vec<StateId> = groups.iter().flat_map(|&group| graph.group(group)).collect();
        for start in (0..states.len()).filter(|&start| targets.contains(&states[start])) {
            let marks = vec![None; states.len()];
            all.push(Path { states: states.clone(), marks, loop_start: Some(start) });
        }
        if states.len() < max_states {
            open.extend(targets.iter().map(|&target| [&states[..], &[target]].concat()));
        }
    }
    all
}

#[test]
fn paths_are_found_where_there_are_some() {
    let mut rng = Rng::with_seed(23);
    let (mut n_found, mut n_none) = (0, 0);
    for round in 0..4000 {
        let labelled = random_graph(&mut rng);
        let n_states = labelled.states.len();
        let fairness = LtlFairness {
            justice: (0..rng.usize(0..3)).map(|_| states(&mut rng, n_states)).collect(),
            compassion: (0..rng.usize(0..3))
                .map(|_| (states(&mut rng, n_states), states(&mut rng, n_states)))
                .collect(),
        };
        let mut model = words::model();
        let (size, has_next) = (rng.usize(0..5), rng.u8(0..4) == 0);
        let formula = words::formula(&mut model, &mut rng, size, has_next);
        let found = search(&model, formula, Words::Violating, &labelled, &fairness).unwrap();
        match found {
            Some(path) => {
                n_found += 1;
                assert!(is_fair_path(&labelled.graph, &fairness, &path), "round {round}");
                let truth = holds(&model, formula, &trace(&labelled, &path));
                assert_eq!(truth, Ok(false), "round {round}");
            }
            None => {
                n_none += 1;
                let is_counterexample = |path: &Path| {
                    is_fair_path(&labelled.graph, &fairness, path)
                        && holds(&model, formula, &trace(&labelled, path)) == Ok(false)
                };
                let missed = lassos(&labelled.graph, 6).into_iter().find(is_counterexample);
                assert_eq!(missed, None, "round {round}");
            }
        }
    }
    assert!(n_found > 500 && n_none > 500, "{n_found} {n_none}");
}

#[test]
fn there_may_be_more_acceptance_sets_and_atoms_than_bits_in_a_word() {
    for is_met in [true, false] {
        let mut model = words::model();
        let mut atom = model.var_expr(VarId(0));
        let exprs = &mut model.exprs;
        let mut formula = exprs.bool(true);
        for _ in 0..150 {
            // Alternately the variable and its negation, by many names.
            atom = exprs.unary(UnaryOp::Not, atom);
            let finally = exprs.unary(UnaryOp::F, atom);
            let again = exprs.unary(UnaryOp::G, finally);
            formula = exprs.binary(BinaryOp::And, formula, again);
        }
        let labels = [0, 1, u32::from(!is_met)];
        let graph = graph(&[1; 3], &[vec![1], vec![2], vec![1]], vec![0]);
        let labelled = Labelled { graph, states: labels.map(words::state).to_vec() };
        let fairness = LtlFairness::default();
        let found = search(&model, formula, Words::Satisfying, &labelled, &fairness).unwrap();
        assert_eq!(found.is_some(), is_met);
        let found = search(&model, formula, Words::Violating, &labelled, &fairness).unwrap();
        assert_eq!(found.is_some(), !is_met);
    }
}
