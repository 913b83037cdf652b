//! The verdict on a copy, from its graph and that of the model.
//!
//! The tester does not see states, so a run of the copy goes with the set of states that the model may be in
//! after the same exchanges: a *node*. The copy leaves the model where it has no successor with an input that
//! is enabled, which every possible state of the model takes, or one with outputs that the model does not allow.
//!
//! - Some run leaves: a node from which the copy leaves is reachable. Otherwise the copy conforms.
//! - A test surely shows the fault: an input word after which no run is left. A tester sends only what is enabled
//!   in all states of a node. A node *survives* if some run goes on from it whatever is sent: where the first
//!   one does, no test is sure. Otherwise words are searched for on sets of nodes, of which none survives.
//! - The copy is equivalent if, besides, the model never leaves it.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_engine::{Budget, Why};

use super::graph::{Graph, Move, ROOT};

/// Nodes, or sets of them, that one question may meet.
const MAX_NODES: usize = 50_000;

/// What is true of a copy.
pub enum Judged {
    /// This input word surely shows the fault.
    Sure(Vec<u32>),
    /// After so many exchanges its choices may show it, and nothing surely does.
    May(usize),
    /// The same, but whether something surely does is open.
    Open(usize),
    /// It shows nothing that the model does not allow; so many nodes were seen.
    Conforms(usize),
    /// Nor does it lack anything.
    Equals(usize),
}

/// The sets of states that a model may be in after exchanges, with numbers.
pub struct Beliefs<'g> {
    graph: &'g Graph<'g>,
    list: Vec<Rc<[u32]>>,
    known: FxHashMap<Rc<[u32]>, u32>,
    after: FxHashMap<u32, After>,
}

/// What comes after a set.
#[derive(Clone)]
struct After {
    /// What may be exchanged, and the sets that it leads to.
    moves: Rc<[Move]>,
    /// The inputs that are enabled: every state takes them.
    enabled: Rc<[u32]>,
}

impl<'g> Beliefs<'g> {
    /// Before the first exchange.
    pub fn new(graph: &'g Graph<'g>) -> Beliefs<'g> {
        let root: Rc<[u32]> = Rc::from([ROOT]);
        let known = FxHashMap::from_iter([(root.clone(), 0)]);
        Beliefs { graph, list: vec![root], known, after: FxHashMap::default() }
    }

    fn after(&mut self, set: u32) -> Result<After, Why> {
        if let Some(known) = self.after.get(&set) {
            return Ok(known.clone());
        }
        let mut all: Vec<Move> = Vec::new();
        let mut enabled: Option<Vec<u32>> = None;
        for &state in self.list[set as usize].clone().iter() {
            let moves = self.graph.moves(state)?;
            let takes = |input: &u32| moves.binary_search_by_key(input, |it| it.input).is_ok();
            match &mut enabled {
                Some(enabled) => enabled.retain(takes),
                None => enabled = Some(moves.iter().map(|it| it.input).collect()),
            }
            all.extend(moves.iter());
        }
        all.sort_unstable();
        all.dedup();
        let mut moves = Vec::new();
        for group in all.chunk_by(|a, b| (a.input, a.output) == (b.input, b.output)) {
            let next = self.number(group.iter().map(|it| it.next).collect());
            moves.push(Move { next, ..group[0] });
        }
        let enabled = Rc::from(enabled.unwrap_or_default());
        let after = After { moves: Rc::from(moves), enabled };
        self.after.insert(set, after.clone());
        Ok(after)
    }

    fn number(&mut self, set: Rc<[u32]>) -> u32 {
        let list = &mut self.list;
        *self.known.entry(set).or_insert_with_key(|set| {
            list.push(set.clone());
            list.len() as u32 - 1
        })
    }
}

/// The verdict on a copy of a model.
///
/// # Errors
/// When the budget runs out, or there is too much to look at.
pub fn judge(
    model: &mut Beliefs<'_>,
    copy: &Graph<'_>,
    budget: &Budget<'_>,
) -> Result<Judged, Why> {
    let runs = Runs::explore(model, copy, budget)?;
    let Some(n_exchanges) = runs.leaves else {
        let n_nodes = runs.nodes.len();
        return Ok(match has_word_beyond(model.graph, &mut Beliefs::new(copy), budget) {
            Ok(false) => Judged::Equals(n_nodes),
            Ok(true) | Err(_) => Judged::Conforms(n_nodes),
        });
    };
    if !runs.is_complete {
        return Ok(Judged::Open(n_exchanges));
    }
    Ok(match surely_leaving(&runs, budget) {
        Ok(Some(word)) => Judged::Sure(word),
        Ok(None) => Judged::May(n_exchanges),
        Err(Why::Work) => Judged::Open(n_exchanges),
        Err(why) => return Err(why),
    })
}

/// What becomes of a node with an input that its model takes.
struct Reply {
    input: u32,
    /// May a tester send it?
    is_enabled: bool,
    /// The nodes that runs go on from.
    next: Vec<u32>,
}

/// The runs of a copy beside what the model may be in.
struct Runs {
    /// By node, the replies.
    nodes: Vec<Vec<Reply>>,
    /// After how many exchanges some run leaves at the earliest.
    leaves: Option<usize>,
    /// Were all nodes seen?
    is_complete: bool,
}

impl Runs {
    fn explore(
        model: &mut Beliefs<'_>,
        copy: &Graph<'_>,
        budget: &Budget<'_>,
    ) -> Result<Runs, Why> {
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::from_iter([((ROOT, 0), 0)]);
        let mut runs = Runs { nodes: Vec::new(), leaves: None, is_complete: true };
        let mut queue = VecDeque::from([(ROOT, 0u32, 0usize)]);
        while let Some((state, set, depth)) = queue.pop_front() {
            let found = expand(model, copy, (state, set), budget);
            let (replies, has_left) = match found {
                Ok(found) if known.len() <= MAX_NODES => found,
                // What was found is worth something.
                _ if runs.leaves.is_some() => {
                    runs.is_complete = false;
                    return Ok(runs);
                }
                Ok(_) => return Err(Why::Work),
                Err(why) => return Err(why),
            };
            if has_left && runs.leaves.is_none() {
                runs.leaves = Some(depth + 1);
            }
            let replies = replies.into_iter().map(|(input, is_enabled, pairs)| {
                let next = pairs.into_iter().map(|pair| {
                    let n_known = known.len() as u32;
                    *known.entry(pair).or_insert_with(|| {
                        queue.push_back((pair.0, pair.1, depth + 1));
                        n_known
                    })
                });
                let mut next: Vec<u32> = next.collect();
                next.sort_unstable();
                next.dedup();
                Reply { input, is_enabled, next }
            });
            let replies: Vec<Reply> = replies.collect();
            runs.nodes.push(replies);
        }
        Ok(runs)
    }

    /// The nodes from which some run goes on whatever is sent.
    fn surviving(&self) -> Vec<bool> {
        let mut survives = vec![true; self.nodes.len()];
        let mut before: Vec<Vec<(u32, usize)>> = vec![Vec::new(); self.nodes.len()];
        let mut n_left: Vec<Vec<usize>> = Vec::new();
        let mut open = Vec::new();
        for (node, replies) in self.nodes.iter().enumerate() {
            for (idx, reply) in replies.iter().enumerate().filter(|(_, it)| it.is_enabled) {
                reply.next.iter().for_each(|&next| before[next as usize].push((node as u32, idx)));
                if reply.next.is_empty() && survives[node] {
                    survives[node] = false;
                    open.push(node);
                }
            }
            n_left.push(replies.iter().map(|reply| reply.next.len()).collect());
        }
        while let Some(node) = open.pop() {
            for &(from, idx) in &before[node] {
                let from = from as usize;
                n_left[from][idx] -= 1;
                if n_left[from][idx] == 0 && survives[from] {
                    survives[from] = false;
                    open.push(from);
                }
            }
        }
        survives
    }
}

type Replies = Vec<(u32, bool, Vec<(u32, u32)>)>;

/// For each input that the model takes, whether it is enabled, and the states of the copy and the sets of the
/// model that go on. Also whether some run leaves.
fn expand(
    model: &mut Beliefs<'_>,
    copy: &Graph<'_>,
    (state, set): (u32, u32),
    budget: &Budget<'_>,
) -> Result<(Replies, bool), Why> {
    let After { moves: allowed, enabled } = model.after(set)?;
    let moves = copy.moves(state)?;
    budget.spend((allowed.len() + moves.len()) as u64)?;
    let (mut replies, mut has_left) = (Vec::new(), false);
    for group in allowed.chunk_by(|a, b| a.input == b.input) {
        let input = group[0].input;
        let start = moves.partition_point(|it| it.input < input);
        let own = moves[start..].iter().take_while(|it| it.input == input);
        let (mut next, mut n_own) = (Vec::new(), 0);
        for it in own {
            n_own += 1;
            match group.binary_search_by_key(&it.output, |it| it.output) {
                Ok(place) => next.push((it.next, group[place].next)),
                Err(_) => has_left = true,
            }
        }
        // Nobody may be sent what is not enabled, so that refusing it is no fault.
        let is_enabled = enabled.binary_search(&input).is_ok();
        has_left |= n_own == 0 && is_enabled;
        replies.push((input, is_enabled, next));
    }
    Ok((replies, has_left))
}

/// Has a model an exchange word that another has not?
fn has_word_beyond(
    graph: &Graph<'_>,
    other: &mut Beliefs<'_>,
    budget: &Budget<'_>,
) -> Result<bool, Why> {
    let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut queue = VecDeque::from([(ROOT, 0u32)]);
    while let Some((state, set)) = queue.pop_front() {
        let possible = other.after(set)?.moves;
        for it in graph.moves(state)?.iter() {
            budget.spend(1)?;
            let place =
                possible.binary_search_by_key(&(it.input, it.output), |it| (it.input, it.output));
            let Ok(place) = place else { return Ok(true) };
            let pair = (it.next, possible[place].next);
            if known.insert(pair) {
                queue.push_back(pair);
            }
        }
        if known.len() > MAX_NODES {
            return Err(Why::Work);
        }
    }
    Ok(false)
}

/// A shortest input word after which no run is left.
fn surely_leaving(runs: &Runs, budget: &Budget<'_>) -> Result<Option<Vec<u32>>, Why> {
    let survives = runs.surviving();
    if survives.first() != Some(&false) {
        return Ok(None);
    }
    let first: Rc<[u32]> = Rc::from([0]);
    // By set, the input that led to it and the set before.
    let mut ways: Vec<(u32, usize)> = vec![(0, 0)];
    let mut known: FxHashSet<Rc<[u32]>> = FxHashSet::from_iter([first.clone()]);
    let mut queue = VecDeque::from([(0usize, first)]);
    while let Some((place, set)) = queue.pop_front() {
        for reply in &runs.nodes[set[0] as usize] {
            let Some(next) = after_all(runs, &set, reply.input) else { continue };
            budget.spend(1 + next.len() as u64)?;
            if next.is_empty() {
                return Ok(Some(word(&ways, place, reply.input)));
            }
            if next.iter().any(|&node| survives[node as usize]) {
                continue;
            }
            if known.insert(next.clone()) {
                ways.push((reply.input, place));
                queue.push_back((ways.len() - 1, next));
            }
            if known.len() > MAX_NODES {
                return Err(Why::Work);
            }
        }
    }
    Ok(None)
}

fn word(ways: &[(u32, usize)], mut place: usize, last: u32) -> Vec<u32> {
    let mut word = vec![last];
    while place > 0 {
        word.push(ways[place].0);
        place = ways[place].1;
    }
    word.reverse();
    word
}

/// The nodes after an input; `None` if a tester may not send it after one of them.
fn after_all(runs: &Runs, set: &[u32], input: u32) -> Option<Rc<[u32]>> {
    let mut next = Vec::new();
    for &node in set {
        let replies = &runs.nodes[node as usize];
        let place = replies.binary_search_by_key(&input, |reply| reply.input).ok()?;
        let reply = &replies[place];
        reply.is_enabled.then(|| next.extend_from_slice(&reply.next))?;
    }
    next.sort_unstable();
    next.dedup();
    Some(Rc::from(next))
}
