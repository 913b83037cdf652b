//! Tests as trees: paths that begin alike and go apart where the implementation may choose.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use trapline_model::trace::Trace;

/// A branch of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// The path that it is the end of, by its index.
    pub path: usize,
    /// The state of that path which it begins with. The path that it leaves has another one there.
    pub at: usize,
    /// What leaves it in turn.
    pub branches: Vec<Branch>,
}

/// The paths of a test, the trunk first, as a tree: each leaves the one before it with which it has the
/// most states in common. A path that adds nothing to those before is left out.
pub fn arrange(paths: &[&Trace]) -> Branch {
    // The numbers of branches that lead to each path, and the first path with each beginning.
    let mut places: Vec<Vec<usize>> = Vec::new();
    let mut begun: FxHashMap<u64, usize> = FxHashMap::default();
    let mut root = Branch::default();
    for (path, trace) in paths.iter().enumerate() {
        let numbers = numbers(trace);
        let nearest = numbers.iter().rev().find_map(|number| begun.get(number)).copied();
        let n_common = nearest.map_or(0, |nearest| n_common(paths[nearest], trace));
        if path > 0 && n_common == trace.states.len() {
            places.push(Vec::new());
            continue;
        }
        numbers.into_iter().for_each(|number| _ = begun.entry(number).or_insert(path));
        let mut place = nearest.map_or_else(Vec::new, |nearest| places[nearest].clone());
        if path > 0 {
            let parent = place.iter().fold(&mut root, |it, &idx| &mut it.branches[idx]);
            let n_states = paths[nearest.unwrap_or(0)].states.len();
            place.push(parent.branches.len());
            let at = n_common.min(n_states - 1);
            parent.branches.push(Branch { path, at, branches: Vec::new() });
        }
        places.push(place);
    }
    root
}

/// A number for each beginning of a path, equal for equal ones.
fn numbers(path: &Trace) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    let numbers = path.states.iter().map(|state| {
        state.hash(&mut hasher);
        hasher.finish()
    });
    numbers.collect()
}

/// The number of steps in the tree of some paths.
pub fn n_steps(paths: &[&Trace]) -> usize {
    let tree = arrange(paths);
    let own = |branch: &Branch| paths[branch.path].states.len() - branch.at;
    tree.all().iter().map(|(branch, _)| own(branch)).sum::<usize>() - 1
}

/// How many states two paths begin with.
fn n_common(a: &Trace, b: &Trace) -> usize {
    a.states.iter().zip(&b.states).take_while(|(a, b)| a == b).count()
}

impl Branch {
    /// Every branch in it, itself first, each with its numbers, counted from 1, outermost first.
    pub fn all(&self) -> Vec<(&Branch, Vec<usize>)> {
        let (mut all, mut stack) = (Vec::new(), vec![(self, Vec::new())]);
        while let Some((branch, numbers)) = stack.pop() {
            let inner = branch.branches.iter().enumerate().rev();
            stack.extend(inner.map(|(idx, it)| (it, [&numbers[..], &[idx + 1]].concat())));
            all.push((branch, numbers));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use trapline_model::Value;
    use trapline_model::trace::State;

    use super::*;

    fn path(values: &[i64]) -> Trace {
        let states = values.iter().map(|&value| State { values: vec![Some(Value::Int(value))] });
        Trace { states: states.collect(), loop_start: None }
    }

    #[test]
    fn paths_hang_where_they_leave_the_nearest() {
        let paths = [
            path(&[0, 1, 2, 3]),
            path(&[0, 1, 5, 6]),
            path(&[0, 1, 5, 7]),
            path(&[0, 1]),
            path(&[0, 9]),
        ];
        let tree = arrange(&paths.each_ref());
        let all: Vec<_> =
            tree.all().into_iter().map(|(it, numbers)| (it.path, it.at, numbers)).collect();
        let expected = [(0, 0, vec![]), (1, 2, vec![1]), (2, 3, vec![1, 1]), (4, 1, vec![2])];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_longer_path_replaces_the_last_state() {
        let paths = [path(&[0, 1]), path(&[0, 1, 2])];
        assert_eq!(arrange(&paths.each_ref()).branches[0].at, 1);
    }
}
