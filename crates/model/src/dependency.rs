//! What depends on what.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Expr, ExprId, VarId};
use crate::model::Model;

/// The variables that expressions read, through defines too, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// In the current state or step.
    pub current: Vec<VarId>,
    /// In the next state.
    pub next: Vec<VarId>,
}

/// The variables that these expressions read.
pub fn support(model: &Model, roots: impl IntoIterator<Item = ExprId>) -> Support {
    let mut current = FxHashSet::default();
    let mut next = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<(ExprId, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    while let Some((id, primed)) = stack.pop() {
        if !seen.insert((id, primed)) {
            continue;
        }
        let expr = model.exprs.get(id);
        match expr {
            Expr::Var(v) if !primed => drop(current.insert(v)),
            Expr::Var(v) | Expr::Next(v) => drop(next.insert(v)),
            Expr::Define(d) => stack.push((model.define(d).body.expr, primed)),
            Expr::NextDefine(d) => stack.push((model.define(d).body.expr, true)),
            _ => {
                let operands = model.exprs.operands(expr);
                stack.extend(operands.as_slice().iter().map(|&operand| (operand, primed)));
            }
        }
    }
    let sorted = |set: FxHashSet<VarId>| {
        let mut list: Vec<VarId> = set.into_iter().collect();
        list.sort_unstable();
        list
    };
    Support { current: sorted(current), next: sorted(next) }
}

impl Support {
    /// All of them, current or next, sorted.
    pub fn all(&self) -> Vec<VarId> {
        let mut all = [self.current.as_slice(), &self.next].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The dependency graph of a model.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// For each variable, the variables that it depends on, sorted.
    pub on: Vec<Vec<VarId>>,
    /// The strongly connected sets: what a set depends on comes before it.
    pub components: Vec<Vec<VarId>>,
}

/// A constraint over more variables than this ties them in a ring and not each to each: what
/// depends on what in the end is the same, with far fewer arrows.
const MAX_SHARED: usize = 500;

/// A variable depends on those in its assignments, primed or not, and on those that share a
/// constraint with it.
pub fn dependencies(model: &Model) -> Dependencies {
    let mut on: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); model.vars.len()];
    for assign in &model.assigns {
        on[assign.var.0 as usize].extend(support(model, [assign.expr]).all());
    }
    for constraint in &model.constraints {
        let shared = support(model, [constraint.body.expr]).all();
        if shared.len() > MAX_SHARED {
            for (position, var) in shared.iter().enumerate() {
                on[var.0 as usize].insert(shared[(position + 1) % shared.len()]);
            }
            continue;
        }
        for var in &shared {
            on[var.0 as usize].extend(shared.iter().filter(|other| *other != var));
        }
    }
    let on: Vec<Vec<VarId>> = on
        .into_iter()
        .map(|set| {
            let mut list: Vec<VarId> = set.into_iter().collect();
            list.sort_unstable();
            list
        })
        .collect();
    let arrows =
        on.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from as u32, to.0)));
    let mut graph = DiGraph::<(), (), u32>::from_edges(arrows);
    while graph.node_count() < model.vars.len() {
        graph.add_node(());
    }
    let components = kosaraju_scc(&graph)
        .into_iter()
        .map(|set| {
            let mut vars: Vec<VarId> = set.into_iter().map(|n| VarId(n.index() as u32)).collect();
            vars.sort_unstable();
            vars
        })
        .collect();
    Dependencies { on, components }
}

/// The sets of nodes that go round in a circle, a node with an arrow to itself included.
pub fn circles(arrows: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut graph = DiGraph::<u32, (), u32>::new();
    let mut nodes = FxHashMap::default();
    for (from, to) in arrows {
        let [from, to] = [from, to].map(|n| *nodes.entry(n).or_insert_with(|| graph.add_node(n)));
        graph.add_edge(from, to, ());
    }
    kosaraju_scc(&graph)
        .into_iter()
        .filter(|set| set.len() > 1 || graph.contains_edge(set[0], set[0]))
        .map(|set| set.into_iter().map(|node| graph[node]).collect())
        .collect()
}
