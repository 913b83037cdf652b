//! Sifting with the exchange of levels that the library offers. The order of turns and the limit
//! of growth are those of our kernel, so that both exchange the same levels.

use oxidd::{HasLevel, LevelNo, Manager, VarNo};
use oxidd_core::LevelView;
use oxidd_reorder::level_down;

/// A variable goes on in one direction until there are this many times the least number of
/// nodes, in percent.
const MAX_GROWTH: usize = 120;

/// Moves every variable to its best level.
pub fn sift<M: Manager<InnerNode: HasLevel>>(manager: &mut M) {
    let turn = |level: LevelNo| (manager.level(level).len(), manager.level_to_var(level));
    let mut turns: Vec<(usize, VarNo)> = (0..manager.num_levels()).map(turn).collect();
    turns.sort_by_key(|&(size, var)| (std::cmp::Reverse(size), var));
    for (size, var) in turns {
        if size > 1 {
            sift_var(manager, var);
        }
    }
}

/// Moves a variable through all levels, and to the best.
fn sift_var<M: Manager<InnerNode: HasLevel>>(manager: &mut M, var: VarNo) {
    let start = manager.var_to_level(var);
    let last = manager.num_levels() - 1;
    let mut best = (manager.num_inner_nodes(), start);
    let mut at = start;
    let step = |at: &mut LevelNo, is_down: bool| {
        let upper = if is_down { *at } else { *at - 1 };
        // SAFETY: the caller reorders, and nobody else has the manager.
        unsafe { level_down(manager, upper) };
        *at = if is_down { *at + 1 } else { *at - 1 };
        manager.num_inner_nodes()
    };
    let down_first = last - start < start;
    for is_down in [down_first, !down_first] {
        while at != (if is_down { last } else { 0 }) {
            let n_nodes = step(&mut at, is_down);
            if n_nodes < best.0 {
                best = (n_nodes, at);
            }
            if n_nodes * 100 > best.0 * MAX_GROWTH + 10_000 {
                break;
            }
        }
    }
    while at != best.1 {
        let is_down = at < best.1;
        step(&mut at, is_down);
    }
}
