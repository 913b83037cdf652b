//! Invariants: a second look at them, and how they are written for others.

use crate::budget::Budget;

use super::circuit::Circuit;
use super::cnf::Cnf;
use super::ic3::Cube;
use super::search::Board;
use super::solver::{Lit, Solver, Stop};

/// Does a new solver agree that these cubes can't be reached, and that without them the goals
/// can't be met? The first states are none of them, no step leads from outside into one, and
/// outside of them no goal is met.
///
/// # Errors
/// When the budget runs out.
pub fn holds<'b, S: Solver<'b>>(
    circuit: &Circuit,
    cubes: &[Cube],
    board: &Board,
    goals: &[usize],
    budget: &'b Budget<'b>,
) -> Result<bool, Stop> {
    let aig = &circuit.aig;
    let mut cnf = Cnf::new(S::new(budget));
    let mut first = Vec::new();
    for latch in &circuit.latches {
        first.push(cnf.lit(aig, latch.first)?);
    }
    let mut lits = |bits: &mut dyn Iterator<Item = super::aig::Bit>| -> Result<Vec<Lit>, Stop> {
        bits.map(|bit| Ok(cnf.lit(aig, bit)?)).collect()
    };
    let now = lits(&mut circuit.latches.iter().map(|latch| latch.now))?;
    let next = lits(&mut circuit.latches.iter().map(|latch| latch.next))?;
    let [starts, steps, is_state] =
        lits(&mut [circuit.starts, circuit.steps, circuit.is_state].into_iter())?[..]
    else {
        unreachable!("three bits have three literals")
    };
    let member = |lits: &[Lit], bit: u32| lits[(bit >> 1) as usize].negated_if(bit & 1 == 1);
    let meets = |cnf: &mut Cnf<S>, lits: &[Lit], given: Lit| -> Result<bool, Stop> {
        for cube in cubes {
            let cube = cube.iter().map(|&bit| member(lits, bit));
            let assumptions: Vec<Lit> = [given].into_iter().chain(cube).collect();
            if cnf.solver.solve(&assumptions)? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    if meets(&mut cnf, &first, starts)? {
        return Ok(false);
    }
    // From here on states are outside.
    cnf.solver.add_clause(&[is_state]);
    for cube in cubes {
        let clause: Vec<Lit> = cube.iter().map(|&bit| !member(&now, bit)).collect();
        cnf.solver.add_clause(&clause);
    }
    if meets(&mut cnf, &next, steps)? {
        return Ok(false);
    }
    for &goal in goals {
        let met = cnf.lit(aig, board.goals[goal].bit)?;
        if cnf.solver.solve(&[met])? {
            return Ok(false);
        }
    }
    Ok(true)
}
