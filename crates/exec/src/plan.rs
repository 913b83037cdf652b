//! Ways to subgoals, planned over sets of possible states.
//!
//! A tester sends only what is enabled in every state that the model may be in, and then knows the states
//! that explain the answer. A plan hopes for answers: the best one needs the fewest choices of the
//! implementation, then the fewest exchanges (Fraser and Wotawa, "Nondeterministic testing with linear
//! model-checker counterexamples", 2007, section 4.3, which asks for a way without choices first, and for
//! any if there is none). A choice that the implementation made before may be expected again: then it
//! counts as none, and plans do without the others. What was found out about sets of states is kept for
//! later plans.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use trapline_engine::Why;
use trapline_engine::possible::{Explicit, Inputs, Output, Outputs, StateList};
use trapline_model::trace::State;

use crate::pursuit::{Pursuits, Taken, Unmet};

/// A set with more steps is not planned with.
const MAX_STEPS: usize = 4_000;

/// A plan looks at no more steps than this.
const MAX_WORK: usize = 400_000;

/// Plans with the states of a model.
pub struct Planner<'e, 'm, 'b> {
    states: &'e Explicit<'m, 'b>,
    unseen: Vec<Output>,
    ids: FxHashMap<Vec<State>, usize>,
    beliefs: Vec<Belief>,
    guesses: FxHashMap<(usize, Inputs), Guess>,
}

/// A set of possible states.
struct Belief {
    states: Rc<Vec<State>>,
    /// What can come next, once that was asked for; nothing, if that is too much.
    next: Option<Option<Rc<Vec<Next>>>>,
}

/// An exchange that may come next.
pub struct Next {
    /// What is sent.
    pub inputs: Inputs,
    /// What is shown.
    pub outputs: Outputs,
    /// How many answers there may be.
    pub n_replies: usize,
    /// The steps that explain it.
    pub edges: Vec<Taken>,
    /// The set after it.
    pub belief: usize,
}

/// What an implementation answered when the same could be known of it.
enum Guess {
    Always(Outputs),
    /// It was not always the same.
    Withdrawn,
}

/// What a plan costs: choices, exchanges.
type Cost = (usize, usize);

/// An exchange of a plan: the set before it, and its index among those that may come next.
pub type Planned = (usize, usize);

/// How a search for a way ended.
pub enum Way {
    /// With one.
    Found(Vec<Planned>),
    /// There is none.
    None,
    /// There is none if the implementation repeats its choices.
    Unlikely,
    /// There is too much to be searched.
    TooMuch,
}

struct Node {
    belief: usize,
    unmet: Rc<Unmet>,
    cost: Cost,
    from: Option<(usize, Planned)>,
}

impl<'e, 'm, 'b> Planner<'e, 'm, 'b> {
    /// Prepares to plan; some outputs may not be seen.
    pub fn new(states: &'e Explicit<'m, 'b>, unseen: &[Output]) -> Planner<'e, 'm, 'b> {
        let (ids, guesses) = (FxHashMap::default(), FxHashMap::default());
        Planner { states, unseen: unseen.to_vec(), ids, beliefs: Vec::new(), guesses }
    }

    /// The set of these states.
    pub fn belief(&mut self, mut states: Vec<State>) -> usize {
        states.sort_unstable_by(|a, b| a.values.cmp(&b.values));
        let beliefs = &mut self.beliefs;
        *self.ids.entry(states).or_insert_with_key(|states| {
            beliefs.push(Belief { states: Rc::new(states.clone()), next: None });
            beliefs.len() - 1
        })
    }

    /// The states of a set, in their order.
    pub fn states(&self, belief: usize) -> &[State] {
        &self.beliefs[belief].states
    }

    /// What may come after a set, unless that is too much.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn next(&mut self, belief: usize) -> Result<Option<Rc<Vec<Next>>>, Why> {
        if let Some(next) = &self.beliefs[belief].next {
            return Ok(next.clone());
        }
        let set = StateList { states: self.beliefs[belief].states.to_vec() };
        let moves = self.states.moves(&set, &self.unseen, MAX_STEPS)?;
        let next = moves.map(|moves| {
            let mut list = Vec::new();
            for it in moves {
                let n_replies = it.replies.len();
                for reply in it.replies {
                    let mut states: Vec<State> = Vec::new();
                    for edge in &reply.edges {
                        if !states.contains(&edge.next) {
                            states.push(edge.next.clone());
                        }
                    }
                    let belief = self.belief(states);
                    let place =
                        |state: &State| self.states(belief).iter().position(|it| it == state);
                    let edges = reply.edges.into_iter();
                    let edges = edges
                        .filter_map(|edge| Some((edge.from, edge.current, place(&edge.next)?)));
                    let (edges, inputs) = (edges.collect(), it.inputs.clone());
                    list.push(Next { inputs, outputs: reply.outputs, n_replies, edges, belief });
                }
            }
            Rc::new(list)
        });
        self.beliefs[belief].next = Some(next.clone());
        Ok(next)
    }

    /// Learns how the implementation chose. A guess that turns out to be wrong is withdrawn for good.
    pub fn learn(&mut self, states: &[State], inputs: &Inputs, outputs: &Outputs) {
        let belief = self.belief(states.to_vec());
        let guess = self.guesses.entry((belief, inputs.clone()));
        let guess = guess.or_insert_with(|| Guess::Always(outputs.clone()));
        if matches!(guess, Guess::Always(known) if known != outputs) {
            *guess = Guess::Withdrawn;
        }
    }

    /// The best way from a set to where no explanation is left that has not met a subgoal.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn way(
        &mut self,
        (belief, unmet): (usize, Unmet),
        pursuits: &Pursuits,
        place: usize,
    ) -> Result<Way, Why> {
        let mut nodes = Vec::new();
        let mut ids: FxHashMap<(usize, Rc<Unmet>), usize> = FxHashMap::default();
        let mut heap = BinaryHeap::new();
        let mut marks: FxHashMap<Planned, Vec<FixedBitSet>> = FxHashMap::default();
        let (mut work, mut is_cut, mut is_guessed) = (0, false, false);
        let first = Node { belief, unmet: Rc::new(unmet), cost: (0, 0), from: None };
        ids.insert((first.belief, first.unmet.clone()), 0);
        heap.push(Reverse((first.cost, 0)));
        nodes.push(first);
        while let Some(Reverse((cost, id))) = heap.pop() {
            let Node { belief, unmet, cost: best, .. } = &nodes[id];
            let (belief, unmet) = (*belief, unmet.clone());
            if cost > *best {
                continue;
            }
            if unmet.is_empty() {
                return Ok(Way::Found(path(&nodes, id)));
            }
            let Some(next) = self.next(belief)? else {
                is_cut = true;
                continue;
            };
            for (idx, it) in next.iter().enumerate() {
                work += it.edges.len();
                let Some(cost) = self.cost(cost, belief, it) else {
                    is_guessed = true;
                    continue;
                };
                let planned = (belief, idx);
                let holds = marks.entry(planned).or_insert_with(|| {
                    pursuits.marks_of(&it.edges, &self.beliefs[it.belief].states)
                });
                let unmet = Rc::new(pursuits.advance(place, &unmet, &it.edges, holds));
                let key = (it.belief, unmet);
                let id_next = *ids.entry(key).or_insert_with_key(|(belief, unmet)| {
                    let (belief, unmet) = (*belief, unmet.clone());
                    let cost = (usize::MAX, 0);
                    nodes.push(Node { belief, unmet, cost, from: None });
                    nodes.len() - 1
                });
                let node = &mut nodes[id_next];
                if cost < node.cost {
                    (node.cost, node.from) = (cost, Some((id, planned)));
                    heap.push(Reverse((cost, id_next)));
                }
            }
            if work > MAX_WORK {
                return Ok(Way::TooMuch);
            }
        }
        Ok(match () {
            () if is_cut => Way::TooMuch,
            () if is_guessed => Way::Unlikely,
            () => Way::None,
        })
    }

    /// What a plan costs with one more exchange, unless the implementation is expected to answer otherwise.
    fn cost(&self, (n_choices, length): Cost, belief: usize, next: &Next) -> Option<Cost> {
        if next.n_replies == 1 {
            return Some((n_choices, length + 1));
        }
        match self.guesses.get(&(belief, next.inputs.clone())) {
            Some(Guess::Always(outputs)) if *outputs == next.outputs => {
                Some((n_choices, length + 1))
            }
            Some(Guess::Always(_)) => None,
            Some(Guess::Withdrawn) | None => Some((n_choices + 1, length + 1)),
        }
    }
}

/// The exchanges that lead to a node.
fn path(nodes: &[Node], mut id: usize) -> Vec<Planned> {
    let mut path = Vec::new();
    while let Some((before, planned)) = nodes[id].from {
        path.push(planned);
        id = before;
    }
    path.reverse();
    path
}
