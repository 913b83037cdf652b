//! Tests as trees: paths that begin alike and go apart where the implementation may choose.

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
    // The numbers of branches that lead to each path that is in the tree.
    let mut places: Vec<Option<Vec<usize>>> = vec![Some(Vec::new())];
    let mut root = Branch::default();
    for (path, trace) in paths.iter().enumerate().skip(1) {
        let known = (0..path).filter(|&other| places[other].is_some());
        // The earliest of those that are equally near.
        let nearest = known.rev().max_by_key(|&other| n_common(paths[other], trace)).unwrap_or(0);
        let n_common = n_common(paths[nearest], trace);
        let is_new = n_common < trace.states.len();
        let place = places[nearest].clone().filter(|_| is_new).map(|mut place| {
            let parent = place.iter().fold(&mut root, |it, &idx| &mut it.branches[idx]);
            let at = n_common.min(paths[nearest].states.len() - 1);
            place.push(parent.branches.len());
            parent.branches.push(Branch { path, at, branches: Vec::new() });
            place
        });
        places.push(place);
    }
    root
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
