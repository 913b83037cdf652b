//! The content of a graph picture: boxes, frames and notes, before layout.
//!
//! A picture has a bounded number of boxes and lines. A larger graph is shown by its strongly
//! connected components, then by its instances, then not at all, with a note.

use std::collections::BTreeSet;

use super::{Graph, View, counted, kind_name, role_name};
use trapline_model::name;
use trapline_model::{Role, VarKind};

/// The most boxes of a picture.
pub const MAX_BOXES: usize = 300;
/// The most lines of a picture.
pub const MAX_LINES: usize = 1500;
/// The longest name in a box, in characters.
const MAX_NAME: usize = 36;
/// The most names in the box of a set or an instance.
const MAX_LIST: usize = 6;

/// What to draw.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The boxes.
    pub boxes: Vec<Box>,
    /// From reader to read, not from a box to itself, sorted.
    pub edges: Vec<(usize, usize)>,
    /// Every box is in exactly one.
    pub frames: Vec<Frame>,
    /// What is left out, and why.
    pub notes: Vec<String>,
}

/// A box: a variable, a set or an instance.
#[derive(Clone, Debug)]
pub struct Box {
    /// What tooltips call it.
    pub name: String,
    /// Its text.
    pub lines: Vec<String>,
    /// What is told of it when pointed at.
    pub tooltip: String,
    /// The role of all its variables, if they have the same.
    pub role: Option<Role>,
    /// The kind of a variable.
    pub kind: VarKind,
    /// Does it depend on itself?
    pub is_looped: bool,
}

/// Boxes that are drawn together.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The boxes.
    pub boxes: Vec<usize>,
    /// What is written on the frame; `None` for a box alone, which has no frame.
    pub label: Option<String>,
    /// Are the edges between its boxes too many to draw?
    pub is_dense: bool,
}

/// What to do about a large graph.
const HELP: &str = "try --focus NAME";

/// What to draw for a view of a graph.
pub fn picture(graph: &Graph, view: View) -> Picture {
    if view != View::Sets && graph.variables.len() <= MAX_BOXES {
        let picture = variables(graph, view);
        if picture.is_small() {
            return picture;
        }
    }
    // A single component with nearly everything is less informative than the instances.
    let largest = graph.components.iter().map(|set| set.variables.len()).max().unwrap_or(0);
    let is_split = 2 * largest <= graph.variables.len() || graph.instances.len() < 2;
    if view == View::Sets || (view == View::Variables && is_split) {
        let mut picture = sets(graph);
        if view == View::Variables {
            let note = "too large to show every variable: a box is a strongly connected set";
            picture.notes.push(format!("{note}; {HELP}"));
        }
        if picture.boxes.len() <= MAX_BOXES && !picture.is_small() {
            reduce(&mut picture);
            picture.notes.push("lines that follow from others are left out".into());
        }
        if picture.is_small() {
            return picture;
        }
    }
    let mut picture = instances(graph);
    if picture.boxes.len() > 1 && picture.is_small() {
        let note = "too large to show every variable: a box is a module instance";
        picture.notes.push(format!("{note}; {HELP}"));
        return picture;
    }
    let notes = vec![format!("too large to draw; {HELP}, or another format")];
    Picture { notes, ..Picture::default() }
}

impl Picture {
    fn is_small(&self) -> bool {
        self.boxes.len() <= MAX_BOXES && self.n_lines() <= MAX_LINES
    }

    /// How many lines it has: edges that are drawn, counted once for a frame and what it reads.
    fn n_lines(&self) -> usize {
        let frame_of = self.frame_of();
        let mut lines = BTreeSet::new();
        let mut n_inside = 0;
        for &(from, to) in &self.edges {
            let frame = frame_of[from];
            if frame != frame_of[to] {
                lines.insert((frame, to));
            } else if !self.frames[frame].is_dense {
                n_inside += 1;
            }
        }
        lines.len() + n_inside
    }

    fn frame_of(&self) -> Vec<usize> {
        let mut frame_of = vec![0; self.boxes.len()];
        for (frame_idx, frame) in self.frames.iter().enumerate() {
            for &idx in &frame.boxes {
                frame_of[idx] = frame_idx;
            }
        }
        frame_of
    }
}

fn variables(graph: &Graph, view: View) -> Picture {
    let mut picture = Picture::default();
    for (idx, variable) in graph.variables.iter().enumerate() {
        // The frame shows the instance's name.
        let own_name = match view {
            View::Instances => name::split_member(&variable.name).1,
            _ => &variable.name,
        };
        picture.boxes.push(Box {
            name: variable.name.clone(),
            lines: vec![shorten(own_name)],
            tooltip: format!(
                "{}: {}, {}, set {}\ndepends on {}",
                variable.name,
                role_name(variable.role),
                kind_name(variable.kind),
                variable.component,
                listed(graph, &variable.depends_on),
            ),
            role: Some(variable.role),
            kind: variable.kind,
            is_looped: variable.depends_on.contains(&idx),
        });
        let others = variable.depends_on.iter().filter(|&&on| on != idx);
        picture.edges.extend(others.map(|&on| (idx, on)));
    }
    picture.frames = if view == View::Instances { by_instance(graph) } else { by_set(graph) };
    for frame in picture.frames.iter_mut().filter(|frame| frame.boxes.len() > 1) {
        measure(&picture.edges, frame);
    }
    picture
}

fn by_set(graph: &Graph) -> Vec<Frame> {
    let frame = |(id, component): (usize, &super::Component)| {
        let n_variables = component.variables.len();
        let label =
            (n_variables > 1).then(|| format!("set {id} · {}", counted(n_variables, "variable")));
        Frame { boxes: component.variables.clone(), label, is_dense: false }
    };
    graph.components.iter().enumerate().map(frame).collect()
}

/// The variables of the main module are on their own, those of an instance in a frame.
fn by_instance(graph: &Graph) -> Vec<Frame> {
    let mut frames = Vec::new();
    for instance in &graph.instances {
        if instance.name.is_empty() {
            let alone = |&idx: &usize| Frame { boxes: vec![idx], label: None, is_dense: false };
            frames.extend(instance.variables.iter().map(alone));
        } else {
            let boxes = instance.variables.clone();
            frames.push(Frame { boxes, label: Some(shorten(&instance.name)), is_dense: false });
        }
    }
    frames
}

/// Checks whether the edges inside a frame can be drawn, and notes on it if not.
fn measure(edges: &[(usize, usize)], frame: &mut Frame) {
    let inside: BTreeSet<usize> = frame.boxes.iter().copied().collect();
    let mut pairs = BTreeSet::new();
    let mut n_edges = 0;
    for &(from, to) in edges {
        if inside.contains(&from) && inside.contains(&to) {
            n_edges += 1;
            pairs.insert((from.min(to), from.max(to)));
        }
    }
    let n_boxes = frame.boxes.len();
    frame.is_dense = pairs.len() > 6 + 2 * n_boxes;
    let hidden = if n_edges == n_boxes * (n_boxes - 1) {
        ", each depends on all others".into()
    } else {
        format!(", {n_edges} dependencies inside")
    };
    if let Some(label) = frame.label.as_mut().filter(|_| frame.is_dense) {
        label.push_str(&hidden);
    }
}

fn sets(graph: &Graph) -> Picture {
    let mut picture = Picture::default();
    for (id, component) in graph.components.iter().enumerate() {
        let title = format!("set {id} · {}", counted(component.variables.len(), "variable"));
        let tooltip = format!(
            "set {id}: {}\ndepends on {}",
            listed(graph, &component.variables),
            listed(graph, &component.inputs)
        );
        picture.boxes.push(group_box(graph, &component.variables, &title, tooltip));
        picture.edges.extend(component.depends_on.iter().map(|&on| (id, on)));
    }
    picture.frames = alone(picture.boxes.len());
    picture
}

fn instances(graph: &Graph) -> Picture {
    let mut picture = Picture::default();
    for (idx, instance) in graph.instances.iter().enumerate() {
        let name = if instance.name.is_empty() { "main" } else { &instance.name };
        let title =
            format!("{} · {}", shorten(name), counted(instance.variables.len(), "variable"));
        let tooltip = format!("{name}: {}", listed(graph, &instance.variables));
        picture.boxes.push(group_box(graph, &instance.variables, &title, tooltip));
        picture.edges.extend(instance.depends_on.iter().map(|&on| (idx, on)));
    }
    let n_boxes = picture.boxes.len();
    let label = Some(counted(n_boxes, "instance"));
    let mut all = Frame { boxes: (0..n_boxes).collect(), label, is_dense: false };
    measure(&picture.edges, &mut all);
    picture.frames = if all.is_dense { vec![all] } else { alone(n_boxes) };
    picture
}

fn alone(n_boxes: usize) -> Vec<Frame> {
    (0..n_boxes).map(|idx| Frame { boxes: vec![idx], label: None, is_dense: false }).collect()
}

fn group_box(graph: &Graph, variables: &[usize], title: &str, tooltip: String) -> Box {
    let role = graph.variables[variables[0]].role;
    let is_uniform = variables.iter().all(|&variable| graph.variables[variable].role == role);
    let n_shown = if variables.len() > MAX_LIST { MAX_LIST - 1 } else { variables.len() };
    let mut lines: Vec<String> = graph.names(&variables[..n_shown]).map(shorten).collect();
    if variables.len() > 1 {
        lines.insert(0, title.into());
    }
    if variables.len() > n_shown {
        lines.push(format!("and {} more", variables.len() - n_shown));
    }
    let is_single = variables.len() == 1;
    let only = &graph.variables[variables[0]];
    Box {
        name: if is_single { only.name.clone() } else { title.into() },
        lines,
        tooltip,
        role: is_uniform.then_some(role),
        kind: if is_single { only.kind } else { VarKind::State },
        is_looped: is_single && only.depends_on.contains(&variables[0]),
    }
}

/// Drops the edges that follow from others. Sets come after those that they depend on, so each
/// needs only what the sets before it reach.
fn reduce(picture: &mut Picture) {
    let n_boxes = picture.boxes.len();
    let mut reach: Vec<Vec<bool>> = Vec::with_capacity(n_boxes);
    let mut kept = Vec::new();
    for from in 0..n_boxes {
        let mut reached = vec![false; n_boxes];
        let on = picture.edges.iter().filter(|edge| edge.0 == from).map(|edge| edge.1);
        let mut on: Vec<usize> = on.collect();
        on.sort_unstable_by(|a, b| b.cmp(a));
        for to in on {
            if !reached[to] {
                kept.push((from, to));
                reached[to] = true;
                for (mine, theirs) in reached.iter_mut().zip(&reach[to]) {
                    *mine |= theirs;
                }
            }
        }
        reach.push(reached);
    }
    kept.sort_unstable();
    picture.edges = kept;
}

fn listed(graph: &Graph, variables: &[usize]) -> String {
    const MOST: usize = 40;
    if variables.is_empty() {
        return "nothing".into();
    }
    let shown = variables.len().min(MOST);
    let names: Vec<&str> = graph.names(&variables[..shown]).collect();
    let rest = variables.len() - shown;
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{rest}", names.join(", "))
}

/// A name with its middle left out if it is long.
fn shorten(name: &str) -> String {
    let n_chars = name.chars().count();
    if n_chars <= MAX_NAME {
        return name.into();
    }
    let half = MAX_NAME / 2;
    let head: String = name.chars().take(half).collect();
    let tail: String = name.chars().skip(n_chars - half + 1).collect();
    format!("{head}…{tail}")
}
