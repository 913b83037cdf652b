//! Solvers, circuits and the clauses of circuits against brute force.

use super::aig::{Aig, Bit, Copied, FALSE, TRUE, value};
use super::batsat::Plain;
#[cfg(feature = "cadical")]
use super::cadical::Thorough;
use super::cnf::Cnf;
use super::local::{Local, Question};
use super::solver::{Kind, Lit, Solver, Stop};
use crate::answer::Why;
use trapline_budget::{Budget, Limits};

/// The solver of IC3, asked about everything.
enum Whole {}

impl Kind for Whole {
    type Solver<'b> = Local<'b>;
}

/// Checks every solver that is there.
macro_rules! check_all {
    ($check:ident) => {
        $check::<Plain>();
        $check::<Whole>();
        #[cfg(feature = "cadical")]
        $check::<Thorough>();
    };
}

// Solvers.

#[test]
fn small_questions_are_answered_as_by_brute_force() {
    check_all!(check_small_questions);
}

fn check_small_questions<K: Kind>() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..1500 {
        let budget = Budget::unlimited();
        let mut solver = K::Solver::new(&budget);
        let mut vars = Vec::new();
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..rng.usize(1..6) {
            let n_more = rng.usize(usize::from(vars.is_empty())..4);
            vars.extend((0..n_more).map(|_| solver.add_var()));
            for _ in 0..rng.usize(0..8) {
                // Literals may be there twice, and both ways; one in a hundred is empty.
                let len = if rng.u8(0..100) == 0 { 0 } else { rng.usize(1..4) };
                let clause = some_lits(&mut rng, &vars, len);
                solver.add_clause(&clause);
                clauses.push(clause);
            }
            for _ in 0..3 {
                let n_assumptions = rng.usize(0..5);
                let assumptions = some_lits(&mut rng, &vars, n_assumptions);
                let n_vars = vars.last().map_or(0, |lit| lit.var() as usize + 1);
                check_answer(&mut solver, n_vars, &clauses, &assumptions);
            }
        }
    }
}

fn some_lits(rng: &mut fastrand::Rng, vars: &[Lit], len: usize) -> Vec<Lit> {
    (0..len).map(|_| vars[rng.usize(..vars.len())].negated_if(rng.bool())).collect()
}

fn check_answer<'b, S: Solver<'b>>(
    solver: &mut S,
    n_vars: usize,
    clauses: &[Vec<Lit>],
    assumptions: &[Lit],
) {
    let answer = solver.solve(assumptions).unwrap();
    assert_eq!(answer, is_possible(n_vars, clauses, assumptions), "{clauses:?}, {assumptions:?}");
    if answer {
        check_example(solver, clauses, assumptions);
    } else {
        let core = core(solver, assumptions);
        assert!(!is_possible(n_vars, clauses, &core), "{clauses:?}, {assumptions:?}, {core:?}");
    }
}

fn is_possible(n_vars: usize, clauses: &[Vec<Lit>], assumptions: &[Lit]) -> bool {
    (0..1 << n_vars).any(|valuation: u32| {
        let is_true = |lit: &Lit| (valuation >> lit.var() & 1 == 1) != lit.is_negated();
        assumptions.iter().all(is_true) && clauses.iter().all(|clause| clause.iter().any(is_true))
    })
}

fn check_example<'b, S: Solver<'b>>(solver: &S, clauses: &[Vec<Lit>], assumptions: &[Lit]) {
    let is_true = |lit: &Lit| solver.value(*lit);
    assert!(assumptions.iter().all(is_true));
    assert!(clauses.iter().all(|clause| clause.iter().any(is_true)));
    assert!(clauses.iter().flatten().all(|&lit| solver.value(lit) != solver.value(!lit)));
}

fn core<'b, S: Solver<'b>>(solver: &S, assumptions: &[Lit]) -> Vec<Lit> {
    assumptions.iter().copied().filter(|&lit| solver.is_in_core(lit)).collect()
}

#[test]
fn the_clause_of_a_question_is_gone_with_it() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..300 {
        let budget = Budget::unlimited();
        let mut solver = Local::new(&budget);
        let vars: Vec<Lit> = (0..8).map(|_| solver.add_var()).collect();
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..20 {
            let clause = some_lits(&mut rng, &vars, 3);
            solver.add_clause(&clause);
            clauses.push(clause);
            let len = rng.usize(0..4);
            let once = some_lits(&mut rng, &vars, len);
            let assumptions = some_lits(&mut rng, &vars, 2);
            let question =
                Question { assumptions: &assumptions, clause: Some(&once), domain: None };
            let answer = solver.ask(question).unwrap();
            let with_once: Vec<Vec<Lit>> = clauses.iter().cloned().chain([once]).collect();
            assert_eq!(answer, is_possible(9, &with_once, &assumptions));
            if answer {
                check_example(&solver, &with_once, &assumptions);
            } else {
                assert!(!is_possible(9, &with_once, &core(&solver, &assumptions)));
            }
            check_answer(&mut solver, 9, &clauses, &assumptions);
        }
    }
}

#[test]
fn what_a_question_is_about_is_enough_to_answer_it() {
    let mut n_answers = [0; 2];
    for seed in 0..60 {
        let budget = Budget::unlimited();
        let mut aig = Aig::new(&budget);
        let mut sample = Sample::new(&mut aig, seed);
        sample.grow(&mut aig, 40);
        let mut cnf = Cnf::new(Local::new(&budget));
        let mut judge = Cnf::new(<Plain as Kind>::Solver::new(&budget));
        for _ in 0..30 {
            let bits = [sample.pick().0, sample.pick().0, sample.pick().0];
            let lits = bits.map(|bit| cnf.lit(&aig, bit).unwrap());
            let domain = cnf.cone(lits);
            let question = Question { assumptions: &lits, clause: None, domain: Some(&domain) };
            let answer = cnf.solver.ask(question).unwrap();
            let core = core(&cnf.solver, &lits);
            let theirs = bits.map(|bit| judge.lit(&aig, bit).unwrap());
            assert_eq!(judge.solver.solve(&theirs), Ok(answer));
            if !answer {
                let kept = theirs.into_iter().zip(lits).filter(|(_, lit)| core.contains(lit));
                let kept: Vec<Lit> = kept.map(|(lit, _)| lit).collect();
                assert_eq!(judge.solver.solve(&kept), Ok(false));
            }
            n_answers[usize::from(answer)] += 1;
        }
    }
    assert!(n_answers.iter().all(|&n| n > 100), "{n_answers:?}");
}

#[test]
fn larger_questions_get_examples_and_cores_that_stand_alone() {
    check_all!(check_larger_questions);
}

/// Questions that take conflicts by the hundred, so that clauses are forgotten and variables
/// eliminated between them.
fn check_larger_questions<K: Kind>() {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut n_answers = [0; 2];
    for _ in 0..8 {
        let budget = Budget::unlimited();
        let mut solver = K::Solver::new(&budget);
        let vars: Vec<Lit> = (0..150).map(|_| solver.add_var()).collect();
        let mut clauses = Vec::new();
        for n_clauses in [500, 600, 640, 660, 680] {
            while clauses.len() < n_clauses {
                let clause = some_lits(&mut rng, &vars, 3);
                solver.add_clause(&clause);
                clauses.push(clause);
            }
            for n_assumptions in [0, 3, 6] {
                let assumptions = some_lits(&mut rng, &vars, n_assumptions);
                let answer = solver.solve(&assumptions).unwrap();
                n_answers[usize::from(answer)] += 1;
                match answer {
                    true => check_example(&solver, &clauses, &assumptions),
                    false => check_core(&clauses, &core(&solver, &assumptions)),
                }
            }
        }
    }
    assert!(n_answers.iter().all(|&n| n > 20), "{n_answers:?}");
}

fn check_core(clauses: &[Vec<Lit>], core: &[Lit]) {
    let budget = Budget::unlimited();
    let mut judge = <Plain as Kind>::Solver::new(&budget);
    let last = clauses.iter().flatten().chain(core).map(|lit| lit.var()).max();
    while Some(judge.add_var().var()) < last {}
    clauses.iter().for_each(|clause| judge.add_clause(clause));
    core.iter().for_each(|&lit| judge.add_clause(&[lit]));
    assert_eq!(judge.solve(&[]), Ok(false));
}

/// If the result holds, each of these pigeons sits in one of too few holes.
fn add_pigeons<'b, S: Solver<'b>>(solver: &mut S, n_pigeons: usize) -> Lit {
    let is_asked = solver.add_var();
    let n_holes = n_pigeons - 1;
    let sits: Vec<Vec<Lit>> =
        (0..n_pigeons).map(|_| (0..n_holes).map(|_| solver.add_var()).collect()).collect();
    for (pigeon, holes) in sits.iter().enumerate() {
        solver.add_clause(&[&[!is_asked], holes.as_slice()].concat());
        for other in &sits[..pigeon] {
            for (&one, &two) in holes.iter().zip(other) {
                solver.add_clause(&[!one, !two]);
            }
        }
    }
    is_asked
}

#[test]
fn a_question_that_is_paused_is_answered_later() {
    check_all!(check_pause);
}

fn check_pause<K: Kind>() {
    let budget = Budget::unlimited();
    let mut solver = K::Solver::new(&budget);
    let [easy, hard] = [4, 8].map(|n_pigeons| add_pigeons(&mut solver, n_pigeons));
    for allowed in [10, 1000, 4000] {
        let until = budget.work() + allowed;
        solver.allow(until);
        assert_eq!(solver.solve(&[hard]), Err(Stop::Pause));
        assert!((until..until + 2 * allowed).contains(&budget.work()), "of {allowed}");
    }
    solver.allow(u64::MAX);
    assert_eq!(solver.solve(&[!easy, hard]), Ok(false));
    assert_eq!([!easy, hard].map(|lit| solver.is_in_core(lit)), [false, true]);
    assert_eq!(solver.solve(&[easy]), Ok(false));
    assert_eq!(solver.solve(&[!easy, !hard]), Ok(true));
}

#[test]
fn a_budget_that_runs_out_ends_a_question() {
    check_all!(check_budget);
}

fn check_budget<K: Kind>() {
    let budget = Budget::new(Limits { work: Some(5000), ..Limits::default() });
    let mut solver = K::Solver::new(&budget);
    let hard = add_pigeons(&mut solver, 9);
    assert_eq!(solver.solve(&[hard]), Err(Stop::Budget(Why::Work)));
    assert_eq!(solver.solve(&[!hard]), Err(Stop::Budget(Why::Work)), "it stays so");
    let budget = Budget::unlimited().with_interrupt(&|| true);
    let mut solver = K::Solver::new(&budget);
    let hard = add_pigeons(&mut solver, 9);
    assert_eq!(solver.solve(&[hard]), Err(Stop::Budget(Why::Interrupted)));
}

#[test]
fn the_same_questions_take_the_same_work() {
    check_all!(check_work);
}

fn check_work<K: Kind>() {
    let work = || {
        let budget = Budget::unlimited();
        let mut solver = K::Solver::new(&budget);
        let hard = add_pigeons(&mut solver, 7);
        assert_eq!(solver.solve(&[hard]), Ok(false));
        budget.work()
    };
    assert_eq!(work(), work());
}

// Circuits: the values of a bit for all valuations of six inputs are one word.

const N_INPUTS: usize = 6;

/// The values of each input: all valuations, one after the other.
const INPUTS: [u64; N_INPUTS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Bits of a circuit with the values that they should have.
struct Sample {
    rng: fastrand::Rng,
    bits: Vec<(Bit, u64)>,
}

impl Sample {
    fn new(aig: &mut Aig, seed: u64) -> Sample {
        let mut bits = vec![(FALSE, 0), (TRUE, !0)];
        bits.extend(INPUTS.map(|values| (aig.input().unwrap(), values)));
        Sample { rng: fastrand::Rng::with_seed(seed), bits }
    }

    /// One of the bits, with or without an inverter.
    fn pick(&mut self) -> (Bit, u64) {
        let (bit, values) = self.bits[self.rng.usize(..self.bits.len())];
        if self.rng.bool() { (bit, values) } else { (!bit, !values) }
    }

    fn pick_some(&mut self) -> (Vec<Bit>, Vec<u64>) {
        let n_bits = self.rng.usize(0..24);
        (0..n_bits).map(|_| self.pick()).unzip()
    }

    /// Adds bits of all kinds.
    fn grow(&mut self, aig: &mut Aig, n_bits: usize) {
        for _ in 0..n_bits {
            let [(a, x), (b, y), (c, z)] = [(); 3].map(|()| self.pick());
            let bit = match self.rng.u8(0..10) {
                0..3 => (aig.and(a, b), x & y),
                3 => (aig.or(a, b), x | y),
                4..6 => (aig.xor(a, b), x ^ y),
                6..8 => (aig.mux(a, b, c), x & y | !x & z),
                8 => {
                    let (bits, values) = self.pick_some();
                    (aig.all(bits), values.iter().fold(!0, |all, values| all & values))
                }
                _ => {
                    let (bits, values) = self.pick_some();
                    (aig.any(bits), values.iter().fold(0, |any, values| any | values))
                }
            };
            self.bits.push((bit.0.unwrap(), bit.1));
        }
    }
}

#[test]
fn gates_compute_what_their_names_say() {
    let budget = Budget::unlimited();
    for seed in 0..300 {
        let mut aig = Aig::new(&budget);
        let mut sample = Sample::new(&mut aig, seed);
        sample.grow(&mut aig, 60);
        let mut values = Vec::new();
        aig.simulate(&INPUTS, &mut values);
        for &(bit, expected) in &sample.bits {
            assert_eq!(value(&values, bit), expected, "{bit:?}, seed {seed}");
            assert_eq!(value(&values, !bit), !expected, "{bit:?}, seed {seed}");
        }
    }
}

#[test]
fn equal_gates_are_made_once() {
    let budget = Budget::unlimited();
    let mut aig = Aig::new(&budget);
    let [a, b] = [(); 2].map(|()| aig.input().unwrap());
    let both = aig.and(a, b).unwrap();
    let n_gates = aig.n_gates();
    assert_eq!(aig.and(b, a), Ok(both));
    assert_eq!(aig.or(!a, !b), Ok(!both));
    assert_eq!(aig.and(both, a), Ok(both));
    assert_eq!(aig.and(both, !b), Ok(FALSE));
    assert_eq!(aig.and(!both, !a), Ok(!a));
    assert_eq!(aig.n_gates(), n_gates);
    assert!(!aig.is_shared(a.node()));
    aig.and(a, !b).unwrap();
    assert!(aig.is_shared(a.node()));
}

#[test]
fn a_copy_computes_the_same_from_other_inputs() {
    let budget = Budget::unlimited();
    for seed in 0..200 {
        let mut from = Aig::new(&budget);
        let mut sample = Sample::new(&mut from, seed);
        sample.grow(&mut from, 40);
        let mut to = Aig::new(&budget);
        let mut other = Sample::new(&mut to, seed + 1000);
        other.grow(&mut to, 20);
        // The first input stays without another bit, and the second is given inverted.
        let mut copied = Copied::new();
        let mut inputs = [0; N_INPUTS];
        let inputs_of_from = sample.bits[2..][..N_INPUTS].iter().map(|&(bit, _)| bit);
        for (number, input) in inputs_of_from.enumerate().skip(1) {
            let (bit, values) = other.pick();
            let is_inverted = number == 1;
            copied.set(input.inverted_if(is_inverted), bit.inverted_if(is_inverted));
            inputs[number] = values;
        }
        let mut expected = Vec::new();
        from.simulate(&inputs, &mut expected);
        let copies: Vec<Bit> =
            sample.bits.iter().map(|&(bit, _)| copied.bit(&from, &mut to, bit).unwrap()).collect();
        let mut values = Vec::new();
        to.simulate(&INPUTS, &mut values);
        for (&(bit, _), &copy) in sample.bits.iter().zip(&copies) {
            assert_eq!(value(&values, copy), value(&expected, bit), "{bit:?}, seed {seed}");
        }
    }
}

// Clauses of circuits.

#[test]
fn clauses_give_each_gate_the_value_that_the_circuit_gives_it() {
    check_all!(check_clauses);
}

fn check_clauses<K: Kind>() {
    for seed in 0..12 {
        let budget = Budget::unlimited();
        let mut aig = Aig::new(&budget);
        let mut sample = Sample::new(&mut aig, seed);
        let mut cnf = Cnf::new(K::Solver::new(&budget));
        // What is asked for, and in which order, decides which gates have a variable.
        for _ in 0..2 {
            sample.grow(&mut aig, 12);
            let mut asked: Vec<(Bit, u64)> = (0..10).map(|_| sample.pick()).collect();
            asked.push(sample.bits[sample.bits.len() - 1]);
            check_valuations(&mut cnf, &aig, &sample, &asked);
        }
    }
}

/// For each valuation of the inputs no other value of these bits is possible.
fn check_valuations<'b, S: Solver<'b>>(
    cnf: &mut Cnf<S>,
    aig: &Aig,
    sample: &Sample,
    asked: &[(Bit, u64)],
) {
    let lits: Vec<Lit> = asked.iter().map(|&(bit, _)| cnf.lit(aig, bit).unwrap()).collect();
    let inputs: Vec<Lit> =
        sample.bits[2..][..N_INPUTS].iter().map(|&(bit, _)| cnf.lit(aig, bit).unwrap()).collect();
    let mut values = Vec::new();
    aig.simulate(&INPUTS, &mut values);
    for valuation in 0..1 << N_INPUTS {
        let is_set = |values: u64| values >> valuation & 1 == 1;
        let mut assumptions: Vec<Lit> = inputs
            .iter()
            .zip(INPUTS)
            .map(|(lit, values)| lit.negated_if(!is_set(values)))
            .collect();
        assert_eq!(cnf.solver.solve(&assumptions), Ok(true));
        for (&(bit, _), &lit) in asked.iter().zip(&lits) {
            let is_true = is_set(value(&values, bit));
            assert_eq!(cnf.solver.value(lit), is_true, "{bit:?}");
            assert_eq!(cnf.known(bit), Some(lit));
            assumptions.push(lit.negated_if(is_true));
            assert_eq!(cnf.solver.solve(&assumptions), Ok(false), "{bit:?}");
            assumptions.pop();
            // The question took the example.
            assert_eq!(cnf.solver.solve(&assumptions), Ok(true));
        }
    }
}
