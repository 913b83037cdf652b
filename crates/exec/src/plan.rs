//! Ways to subgoals, planned over sets of possible states.
//!
//! A tester sends only what is enabled in every state that the model may be in, and then knows the states
//! that explain the answer. A plan hopes for answers: the best one needs the fewest choices of the
//! implementation, then the fewest exchanges (Fraser and Wotawa, "Nondeterministic testing with linear
//! model-checker counterexamples", 2007, section 4.3, which asks for a way without choices first, and for
//! any if there is none). A choice that the implementation made before may be expected again: then it
//! counts as none, and plans do without the others. So may what it always chose at a place of the model. What was found out about sets of states is kept for
//! later plans.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use trapline_engine::Why;
use trapline_engine::possible::{
    Edge, Exchange, Explicit, Inputs, Move, Output, Outputs, StateList,
};
use trapline_model::Value;
use trapline_model::trace::State;
use trapline_source::Span;

use crate::places::Evaluator;
use crate::pursuit::{Pursuits, Taken, Unmet};
use crate::tester::{Step, Tester};

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
    places: Evaluator<'m>,
    /// What was answered to inputs after a set of states.
    guesses: FxHashMap<(usize, Inputs), Guess<Outputs>>,
    /// What was chosen at a place of the model.
    habits: FxHashMap<(Output, Span), Guess<Value>>,
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
    /// The outputs that could have been others, with the places of the model that left that open.
    chosen: Vec<(Output, Span, Value)>,
}

/// What an implementation chose before.
enum Guess<T> {
    Always(T),
    /// It was not always the same.
    Withdrawn,
}

impl<T: PartialEq> Guess<T> {
    /// A guess that turns out to be wrong is withdrawn for good.
    fn learn(&mut self, seen: &T) {
        if matches!(self, Guess::Always(known) if known != seen) {
            *self = Guess::Withdrawn;
        }
    }
}

/// What a plan costs: choices against a habit, other choices, exchanges.
type Cost = (usize, usize, usize);

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
    pub fn new(tester: &'e Tester<'m, 'b>, unseen: &[Output]) -> Planner<'e, 'm, 'b> {
        Planner {
            states: tester.listed(),
            unseen: unseen.to_vec(),
            ids: FxHashMap::default(),
            beliefs: Vec::new(),
            places: Evaluator::new(tester.model()),
            guesses: FxHashMap::default(),
            habits: FxHashMap::default(),
        }
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
            let all = moves.into_iter().flat_map(|it| self.replies(it)).collect();
            Rc::new(all)
        });
        self.beliefs[belief].next = Some(next.clone());
        Ok(next)
    }

    /// What may come of a move.
    fn replies(&mut self, Move { inputs, replies }: Move) -> Vec<Next> {
        let n_replies = replies.len();
        let is_open = |output: Output, value: Value| {
            let mut others = replies.iter().flat_map(|reply| &reply.outputs);
            others.any(|(it, other)| *it == output && *other != value)
        };
        let open: Vec<Outputs> = replies
            .iter()
            .map(|reply| {
                let values = reply.outputs.iter().copied();
                values.filter(|&(output, value)| is_open(output, value)).collect()
            })
            .collect();
        let next = replies.into_iter().zip(open).map(|(reply, open)| {
            let mut states: Vec<State> = Vec::new();
            for edge in &reply.edges {
                if !states.contains(&edge.next) {
                    states.push(edge.next.clone());
                }
            }
            let chosen = reply.edges.first().map(|edge| self.chosen(edge, &open));
            let belief = self.belief(states);
            let place = |state: &State| self.states(belief).iter().position(|it| it == state);
            let edges = reply.edges.into_iter();
            let edges =
                edges.filter_map(|edge| Some((edge.from, edge.current, place(&edge.next)?)));
            let (edges, inputs) = (edges.collect(), inputs.clone());
            let (outputs, chosen) = (reply.outputs, chosen.unwrap_or_default());
            Next { inputs, outputs, n_replies, edges, belief, chosen }
        });
        next.collect()
    }

    /// The places of the model that left outputs open.
    fn chosen(&self, edge: &Edge, open: &Outputs) -> Vec<(Output, Span, Value)> {
        let step = Step { before: Some(edge.current.clone()), after: edge.next.clone() };
        let place = |output: Output| self.places.place(output, &step);
        let open = open.iter();
        open.filter_map(|&(output, value)| Some((output, place(output)?, value))).collect()
    }

    /// Learns how the implementation chose.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn learn(&mut self, states: &[State], exchange: &Exchange) -> Result<(), Why> {
        let belief = self.belief(states.to_vec());
        let Some(next) = self.next(belief)? else { return Ok(()) };
        let Exchange { inputs, outputs } = exchange;
        // What is shown once need not be shown again.
        let is_taken = |it: &&Next| outputs.iter().all(|output| it.outputs.contains(output));
        let same = next.iter().filter(|it| it.n_replies > 1 && it.inputs == *inputs);
        let taken: Vec<&Next> = same.filter(is_taken).collect();
        let [taken] = taken.as_slice() else { return Ok(()) };
        let guess = self.guesses.entry((belief, inputs.clone()));
        guess.or_insert_with(|| Guess::Always(taken.outputs.clone())).learn(&taken.outputs);
        for &(output, span, value) in &taken.chosen {
            self.habits.entry((output, span)).or_insert(Guess::Always(value)).learn(&value);
        }
        Ok(())
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
        let mut search = ShortestPaths::default();
        let mut marks: FxHashMap<Planned, Vec<FixedBitSet>> = FxHashMap::default();
        let (mut work, mut is_cut, mut is_guessed) = (0, false, false);
        search.reach((belief, Rc::new(unmet)), (0, 0, 0), None);
        while let Some(id) = search.nearest() {
            let Node { belief, ref unmet, cost, .. } = search.nodes[id];
            let unmet = unmet.clone();
            if unmet.is_empty() {
                return Ok(Way::Found(search.path(id)));
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
                let unmet = Rc::new(pursuits.advance(place, &unmet, &it.edges, holds).0);
                search.reach((it.belief, unmet), cost, Some((id, planned)));
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

    /// What a plan costs with one more exchange, unless the implementation answered otherwise when the same
    /// was known of it. What it always chose at a place of the model is expected there.
    fn cost(&self, (against, others, length): Cost, belief: usize, next: &Next) -> Option<Cost> {
        if next.n_replies == 1 {
            return Some((against, others, length + 1));
        }
        match self.guesses.get(&(belief, next.inputs.clone())) {
            Some(Guess::Always(outputs)) if *outputs == next.outputs => {
                return Some((against, others, length + 1));
            }
            Some(Guess::Always(_)) => return None,
            Some(Guess::Withdrawn) | None => {}
        }
        let mut habits = next.chosen.iter().map(|(output, span, value)| {
            let habit = self.habits.get(&(*output, *span));
            habit.map(|habit| matches!(habit, Guess::Always(known) if known == value))
        });
        let is_against = habits.clone().any(|is_habit| is_habit == Some(false));
        let is_habit = !next.chosen.is_empty() && habits.all(|is_habit| is_habit == Some(true));
        let (against, others) = match () {
            () if is_habit => (against, others),
            () if is_against => (against + 1, others),
            () => (against, others + 1),
        };
        Some((against, others, length + 1))
    }
}

/// Dijkstra's algorithm.
#[derive(Default)]
struct ShortestPaths {
    nodes: Vec<Node>,
    ids: FxHashMap<(usize, Rc<Unmet>), usize>,
    open: BinaryHeap<Reverse<(Cost, usize)>>,
}

impl ShortestPaths {
    /// Notes a way to a node, if it is the best so far.
    fn reach(&mut self, key: (usize, Rc<Unmet>), cost: Cost, from: Option<(usize, Planned)>) {
        let id = *self.ids.entry(key).or_insert_with_key(|(belief, unmet)| {
            let (belief, unmet) = (*belief, unmet.clone());
            self.nodes.push(Node { belief, unmet, cost: (usize::MAX, 0, 0), from: None });
            self.nodes.len() - 1
        });
        let node = &mut self.nodes[id];
        if cost < node.cost {
            (node.cost, node.from) = (cost, from);
            self.open.push(Reverse((cost, id)));
        }
    }

    /// Takes the nearest node that is still open.
    fn nearest(&mut self) -> Option<usize> {
        loop {
            let Reverse((cost, id)) = self.open.pop()?;
            if cost == self.nodes[id].cost {
                return Some(id);
            }
        }
    }

    /// The exchanges that lead to a node.
    fn path(&self, mut id: usize) -> Vec<Planned> {
        let mut path = Vec::new();
        while let Some((before, planned)) = self.nodes[id].from {
            path.push(planned);
            id = before;
        }
        path.reverse();
        path
    }
}
