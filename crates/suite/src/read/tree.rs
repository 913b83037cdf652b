//! Tests as trees.
//!
//! A test may branch where the model is nondeterministic. Each branch becomes a test of its own,
//! from the root: branch 2 of `t1` is `t1/2`, and branch 1 of that is `t1/2/1`. A branch is `at` a
//! state of the test so far, which it replaces.

use serde_json::Value as Json;

use super::{At, Document, Draft, Keeps, PartialState, Reader, members};

/// Maximum number of values copied for the branches of one document, since the total may be
/// quadratic in its size.
const MAX_COPIED: usize = 4_000_000;

/// A branch still to be read, with the path to it.
struct Pending<'j> {
    name: String,
    way: Vec<PartialState>,
    /// What had another choice on the path.
    open: Vec<Vec<String>>,
    branch: Vec<usize>,
    json: &'j Json,
}

/// Reads a test and adds it, and its branches after it.
pub(super) fn read(reader: &mut Reader<'_>, document: &mut Document, name: String, test: &Json) {
    // The parser bounds how deep branches nest, but not how many there are.
    let (way, open, branch) = (Vec::new(), Vec::new(), Vec::new());
    let mut stack = vec![Pending { name, way, open, branch, json: test }];
    while let Some(Pending { name, way, open, branch, json }) = stack.pop() {
        if reader.errors.is_full() {
            return;
        }
        let (mut states, mut open) = (way, open);
        add_open(&mut open, states.len(), json);
        members::add_states(reader, &mut states, json.get("states"), &name);
        add_back(&mut open, states.len(), json);
        let branches = json.get("branches").and_then(Json::as_array);
        let mut pending = Vec::new();
        for (idx, further) in branches.into_iter().flatten().enumerate() {
            let name = format!("{name}/{}", idx + 1);
            let Some(at) = branch_point(reader, further, states.len(), &name) else { continue };
            reader.n_copied += at * reader.model.vars.len();
            if reader.n_copied > MAX_COPIED {
                let at = At { test: Some(&name), ..At::default() };
                return reader.malformed(at, "the branches of the test have too many states");
            }
            let way = states[..at].to_vec();
            // A branch is there because there was a choice, so what is open in the state that it
            // replaces is open in it.
            let open = open.iter().take(at + 1).cloned().collect();
            let branch = [&branch[..], &[idx + 1]].concat();
            pending.push(Pending { name, way, open, branch, json: further });
        }
        stack.extend(pending.into_iter().rev());
        let loop_start = members::loop_start(reader, json.get("loop"), &name);
        let keeps = Keeps::Inputs;
        reader.finish(document, Draft { name, states, loop_start, keeps, open, branch });
    }
}

fn branch_point(
    reader: &mut Reader<'_>,
    branch: &Json,
    n_states: usize,
    name: &str,
) -> Option<usize> {
    let at = branch.get("at").and_then(Json::as_u64).and_then(|at| usize::try_from(at).ok());
    let at = at.filter(|&at| at < n_states);
    if at.is_none() {
        let place = At { test: Some(name), ..At::default() };
        reader.malformed(place, "`at` is the index of a state that the branch replaces");
    }
    at
}

/// Adds the variables that had another choice, for each state of a test or branch.
fn add_open(open: &mut Vec<Vec<String>>, n_before: usize, json: &Json) {
    let lists = json.get("nondeterministic").and_then(Json::as_array).into_iter().flatten();
    for (idx, list) in lists.enumerate() {
        let state_idx = n_before + idx;
        if open.len() <= state_idx {
            open.resize(state_idx + 1, Vec::new());
        }
        for name in list.as_array().into_iter().flatten().filter_map(Json::as_str) {
            if !open[state_idx].iter().any(|known| known == name) {
                open[state_idx].push(name.into());
            }
        }
    }
}

/// Adds those that have another choice when a test loops, behind those of its last state.
fn add_back(open: &mut Vec<Vec<String>>, n_states: usize, json: &Json) {
    open.truncate(n_states);
    let list = json.get("nondeterministic_back").and_then(Json::as_array);
    if let Some(list) = list.filter(|_| !open.is_empty()) {
        open.resize(n_states, Vec::new());
        open.push(list.iter().filter_map(Json::as_str).map(String::from).collect());
    }
}
