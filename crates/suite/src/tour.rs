//! Short walks that meet all requirements.
//!
//! Constructed first ([`greedy`], [`beam`]), then improved by large neighbourhood search, one
//! window at a time, as for the travelling salesman (Shaw, 1998; Pisinger and Ropke, 2010): the
//! steps of a window are removed, and another path through it is searched for that meets what
//! nothing outside meets, and is no longer ([`window`]). One of equal length is accepted too: it
//! may relieve another window. Or what is met in a short window is moved into another one, as in
//! Or-opt (Or, 1976).

mod beam;
mod distance;
mod greedy;
mod window;

use fastrand::Rng;
use rustc_hash::FxHashMap;
use trapline_engine::{Budget, Why};

use self::distance::Distances;
use self::greedy::Tie;
use self::window::{Window, reroute};
use crate::generate::Fewest;
use crate::goal_graph::{GoalGraph, Step};

/// Beam widths, in successive searches.
const WIDTHS: [usize; 3] = [1, 16, 64];

/// Number of further greedy constructions.
const N_GREEDY: usize = 7;

/// Maximum length of a window, and of one that is emptied.
const MAX_WINDOW: usize = 24;
const MAX_EMPTIED: usize = 8;

/// Maximum number of requirements met in a window.
const MAX_NEEDS: usize = 64;

/// Work limit for construction: base, per step and requirement, and cap.
const MAKE_WORK: [u64; 3] = [5_000, 300, 5_000_000];

/// Work limit for improvement: base, per step and requirement, and cap.
const IMPROVE_WORK: [u64; 3] = [5_000, 50, 5_000_000];

/// Attempts per step without improvement before the search stops: base, and more for long walks,
/// where each attempt covers a smaller part.
const PATIENCE: [usize; 2] = [12, 4];

/// Maximum number of cached distances to window ends.
const MAX_KEPT: usize = 1 << 22;

/// Maximum number of walks kept from other suites.
const MAX_OTHERS: usize = 16;

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Its initial node.
    pub start: Step,
    /// Its steps.
    pub steps: Vec<Step>,
}

impl Walk {
    /// Its last node.
    pub fn end(&self) -> u32 {
        self.steps.last().unwrap_or(&self.start).to
    }

    /// The node after this many steps.
    fn node(&self, n_steps: usize) -> u32 {
        n_steps.checked_sub(1).map_or(self.start, |last| self.steps[last]).to
    }
}

/// The size of walks, lexicographically by the objective.
fn size(walks: &[Walk], fewest: Fewest) -> (usize, usize) {
    match fewest {
        Fewest::Tests => (walks.len(), n_steps(walks)),
        Fewest::Steps => (n_steps(walks), walks.len()),
    }
}

fn n_steps(walks: &[Walk]) -> usize {
    walks.iter().map(|walk| walk.steps.len()).sum()
}

/// The walks found.
#[derive(Debug, Default)]
pub struct Tours {
    /// They meet all requirements; empty if some cannot be met.
    pub walks: Vec<Walk>,
    /// Alternatives to choose from, where several walks are needed.
    pub others: Vec<Walk>,
}

/// Short walks that meet all requirements, if all can be met; the best so far when the budget runs
/// out.
pub fn find_tours(graph: &GoalGraph, fewest: Fewest, seed: u64, budget: &Budget<'_>) -> Tours {
    let mut rng = Rng::with_seed(seed);
    let Ok(distances) = Distances::new(graph, budget) else { return Tours::default() };
    let first = greedy::greedy(graph, &distances, (fewest, Tie::Start), &mut rng, budget);
    let Ok(Some(walks)) = first else { return Tours::default() };
    let least = least(graph);
    let mut best = Best { tours: Tours { walks, others: Vec::new() }, fewest, least };
    // What was found before the budget ran out is valid.
    let part = part(budget, MAKE_WORK, n_steps(&best.tours.walks) * graph.n_needs);
    let _ = make(graph, &distances, &mut best, &mut rng, &part);
    drop(part);
    if !best.is_least() {
        let part = self::part(budget, IMPROVE_WORK, n_steps(&best.tours.walks) * graph.n_wanted);
        let mut improver = Improver::new(graph, &distances, best.tours.walks, rng);
        while improver.is_patient(least) && improver.improve(&part).is_ok() {}
        best.tours.walks = improver.walks;
    }
    let mut tours = best.tours;
    tours.walks.retain(|walk| !walk.steps.is_empty() || !graph.met(walk.start).is_empty());
    if tours.walks.len() == 1 {
        tours.others.clear();
    }
    tours
}

/// A part of a budget: base, increment per unit, and cap.
fn part<'b>(budget: &'b Budget<'_>, [some, each, most]: [u64; 3], n_looks: usize) -> Budget<'b> {
    let work = (n_looks as u64).saturating_mul(each).saturating_add(some);
    budget.part(Some(work.min(most)))
}

/// A lower bound on the steps: the distance of the farthest requirement; and pairwise incompatible
/// requirements need a step each.
fn least(graph: &GoalGraph) -> usize {
    let depths = graph.depths();
    let mut of_need = vec![Vec::new(); graph.n_needs];
    for (set, needs) in graph.sets.iter().enumerate() {
        needs.iter().for_each(|&need| of_need[need].push(set));
    }
    // Requirements in few labels are incompatible with most.
    let mut order: Vec<usize> = (0..graph.n_needs).filter(|&need| depths[need] > 0).collect();
    order.sort_by_key(|&need| of_need[need].len());
    let mut is_taken = vec![false; graph.sets.len()];
    let mut n_apart = 0;
    for need in order {
        if of_need[need].iter().all(|&set| !is_taken[set]) {
            of_need[need].iter().for_each(|&set| is_taken[set] = true);
            n_apart += 1;
        }
    }
    n_apart.max(depths.into_iter().max().unwrap_or(0) as usize)
}

/// The best walks so far.
struct Best {
    tours: Tours,
    fewest: Fewest,
    /// The lower bound on the steps.
    least: usize,
}

impl Best {
    fn keep(&mut self, walks: Option<Vec<Walk>>) {
        let Tours { walks: best, others } = &mut self.tours;
        let Some(mut walks) = walks else { return };
        if size(&walks, self.fewest) < size(best, self.fewest) {
            std::mem::swap(&mut walks, best);
        }
        let n_more = MAX_OTHERS.saturating_sub(others.len());
        others.extend(walks.into_iter().take(n_more));
    }

    /// True if they are optimal.
    fn is_least(&self) -> bool {
        matches!(&self.tours.walks[..], [walk] if walk.steps.len() == self.least)
    }
}

/// The best walks of several constructions.
fn make(
    graph: &GoalGraph,
    distances: &Distances,
    best: &mut Best,
    rng: &mut Rng,
    budget: &Budget<'_>,
) -> Result<(), Why> {
    let fewest = best.fewest;
    for _ in 0..N_GREEDY {
        if best.is_least() {
            return Ok(());
        }
        best.keep(greedy::greedy(graph, distances, (fewest, Tie::Chance), rng, budget)?);
    }
    for width in WIDTHS {
        if best.is_least() {
            return Ok(());
        }
        let options = beam::Options { fewest, width, most: n_steps(&best.tours.walks) };
        best.keep(beam::beam(graph, distances, options, rng, budget)?);
    }
    Ok(())
}

/// Walks under improvement.
struct Improver<'t> {
    graph: &'t GoalGraph,
    distances: &'t Distances,
    walks: Vec<Walk>,
    /// How often each requirement is met.
    n_met: Vec<usize>,
    /// Cached distances to nodes.
    kept: FxHashMap<u32, Vec<u16>>,
    /// The fewest steps so far, and the attempts since then.
    n_best: usize,
    n_tries: usize,
    rng: Rng,
}

/// A window: some steps of a walk.
#[derive(Clone, Copy, Debug)]
struct Span {
    walk: usize,
    start: usize,
    end: usize,
}

impl<'t> Improver<'t> {
    fn new(
        graph: &'t GoalGraph,
        distances: &'t Distances,
        walks: Vec<Walk>,
        rng: Rng,
    ) -> Improver<'t> {
        let mut n_met = vec![0; graph.n_needs];
        for walk in &walks {
            for step in walk.steps.iter().chain([&walk.start]) {
                graph.met(*step).iter().for_each(|&need| n_met[need] += 1);
            }
        }
        let (n_best, kept) = (usize::MAX, FxHashMap::default());
        Improver { graph, distances, walks, n_met, kept, n_best, n_tries: 0, rng }
    }

    /// True if another attempt is worthwhile.
    fn is_patient(&mut self, least: usize) -> bool {
        let n_steps = self.n_steps();
        if n_steps < self.n_best {
            (self.n_best, self.n_tries) = (n_steps, 0);
        }
        self.n_tries += 1;
        let [some, share] = PATIENCE;
        n_steps > least && self.n_tries <= n_steps * (some + n_steps / share)
    }

    /// Improves a window, or empties one into another.
    fn improve(&mut self, budget: &Budget<'_>) -> Result<(), Why> {
        budget.spend(1)?;
        if self.rng.u8(..4) > 0 {
            let span = self.span(MAX_WINDOW);
            let needs = self.alone(span, &[]);
            if let Some(way) = self.other(span, &needs, span.end - span.start, budget)? {
                self.replace(span, way);
            }
            return Ok(());
        }
        self.shift(budget)
    }

    /// Empties a short window into another one.
    fn shift(&mut self, budget: &Budget<'_>) -> Result<(), Why> {
        let span = self.span(MAX_EMPTIED);
        let moved = self.alone(span, &[]);
        let n_steps = span.end - span.start;
        let Some(short) = self.other(span, &[], n_steps.saturating_sub(1), budget)? else {
            return Ok(());
        };
        if moved.is_empty() {
            self.replace(span, short);
            return Ok(());
        }
        // Whatever is left must have a window.
        if self.n_steps() == n_steps {
            return Ok(());
        }
        let n_saved = n_steps - short.len();
        let before = self.walks[span.walk].steps[span.start..span.end].to_vec();
        let emptied = Span { end: span.start + short.len(), ..span };
        self.replace(span, short);
        let other = self.near(moved[0]);
        let needs = self.alone(other, &moved);
        let most = other.end - other.start + n_saved;
        let is_apart =
            other.walk != span.walk || other.end <= emptied.start || other.start >= emptied.end;
        let way = if is_apart { self.other(other, &needs, most, budget) } else { Ok(None) };
        match way {
            Ok(Some(way)) => self.replace(other, way),
            Ok(None) => self.replace(emptied, before),
            Err(why) => {
                self.replace(emptied, before);
                return Err(why);
            }
        }
        Ok(())
    }

    fn n_steps(&self) -> usize {
        n_steps(&self.walks)
    }

    /// A random window.
    fn span(&mut self, most: usize) -> Span {
        let mut at = self.rng.usize(..self.n_steps());
        let mut walk = 0;
        while at >= self.walks[walk].steps.len() {
            at -= self.walks[walk].steps.len();
            walk += 1;
        }
        let end = at + self.rng.usize(1..=most);
        Span { walk, start: at, end: end.min(self.walks[walk].steps.len()) }
    }

    /// A random window close to a requirement: the nearest of some.
    fn near(&mut self, need: usize) -> Span {
        let spans: Vec<Span> = (0..8).map(|_| self.span(MAX_WINDOW / 2)).collect();
        let distance =
            |span: &Span| self.distances.from(self.walks[span.walk].node(span.start))[need];
        let best = spans.iter().min_by_key(|span| distance(span));
        best.copied().unwrap_or(spans[0])
    }

    /// The requirements that nothing outside a window meets, and the unmet ones of some.
    fn alone(&self, span: Span, unmet: &[usize]) -> Vec<usize> {
        let steps = &self.walks[span.walk].steps[span.start..span.end];
        let mut needs: Vec<usize> =
            steps.iter().flat_map(|step| self.graph.met(*step).iter().copied()).collect();
        needs.sort_unstable();
        let same = needs.chunk_by(|a, b| a == b);
        let alone = same.filter(|same| same.len() == self.n_met[same[0]]).map(|same| same[0]);
        let unmet = unmet.iter().copied().filter(|&need| self.n_met[need] == 0);
        alone.chain(unmet).collect()
    }

    /// Another path through a window that meets these, within a step limit.
    fn other(
        &mut self,
        span: Span,
        needs: &[usize],
        most: usize,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<Step>>, Why> {
        if needs.len() > MAX_NEEDS {
            return Ok(None);
        }
        let walk = &self.walks[span.walk];
        let from = walk.node(span.start);
        let to = (span.end < walk.steps.len()).then(|| walk.node(span.end));
        if let Some(node) = to {
            if self.kept.len() * self.graph.n_nodes() > MAX_KEPT {
                self.kept.clear();
            }
            if !self.kept.contains_key(&node) {
                self.kept.insert(node, self.distances.to(node, MAX_WINDOW + MAX_EMPTIED, budget)?);
            }
        }
        let to = to.and_then(|node| self.kept.get(&node)).map(Vec::as_slice);
        let window = Window { from, to, needs, most };
        reroute(self.graph, self.distances, &window, &mut self.rng, budget)
    }

    fn replace(&mut self, span: Span, way: Vec<Step>) {
        let steps = &mut self.walks[span.walk].steps;
        for step in &way {
            self.graph.met(*step).iter().for_each(|&need| self.n_met[need] += 1);
        }
        for step in steps.splice(span.start..span.end, way) {
            self.graph.met(step).iter().for_each(|&need| self.n_met[need] -= 1);
        }
    }
}
