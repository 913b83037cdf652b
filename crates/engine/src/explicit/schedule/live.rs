//! Liveness of columns.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::program::{Options, Stage};
use crate::code::{Coder, Reg, operands};

/// Computes the columns that are live after each lane-dropping stage. Returns the number of such
/// stages on the longest path.
pub fn find_live(coder: &Coder, stages: &mut [Stage], outputs: &[Reg]) -> usize {
    let is_column = |reg: &Reg| coder.as_const(*reg).is_none();
    let sorted = |live: &FxHashSet<Reg>| {
        let mut list: Vec<Reg> = live.iter().copied().filter(is_column).collect();
        list.sort_unstable();
        list
    };
    let mut live: FxHashSet<Reg> = FxHashSet::default();
    let mut n_cuts = 0;
    // The live columns and number of cuts of each branch, by the stage at which it starts.
    let mut branches: FxHashMap<usize, (FxHashSet<Reg>, usize)> = FxHashMap::default();
    for (idx, stage) in stages.iter_mut().enumerate().rev() {
        match stage {
            Stage::End { fails } => {
                // Here a branch ends, and the one after it has begun.
                branches.insert(idx + 1, (std::mem::take(&mut live), n_cuts));
                live = outputs.iter().copied().chain(*fails).collect();
                n_cuts = 0;
            }
            Stage::Fork { starts } => {
                branches.insert(idx + 1, (std::mem::take(&mut live), n_cuts));
                let parts: Vec<_> = starts.iter().filter_map(|at| branches.remove(at)).collect();
                n_cuts = parts.iter().map(|(_, n_cuts)| *n_cuts).max().unwrap_or(0) + 1;
                live = parts.into_iter().flat_map(|(live, _)| live).collect();
            }
            Stage::Compute(regs) => {
                for &reg in regs.iter().rev() {
                    live.remove(&reg);
                    live.extend(operands(coder.op(reg)));
                }
            }
            Stage::Filter { cond, live: after } => {
                *after = sorted(&live);
                live.insert(*cond);
                n_cuts += 1;
            }
            Stage::Copy { slot, value } => {
                live.remove(slot);
                live.insert(*value);
            }
            Stage::Choose { slot, options, live: after } => {
                *after = sorted(&live);
                live.remove(slot);
                n_cuts += 1;
                if let Options::Listed(listed) = options {
                    live.extend(listed.iter().flat_map(|&(guard, value)| [guard, value]));
                }
            }
        }
    }
    n_cuts
}
