//! A model without rules, made from a suite alone.
//!
//! A suite contains enough information to be written in another format: its variables, their values
//! and their roles. Definitions are treated as variables, since nothing distinguishes them. What
//! belongs to a step, not to a state, is what the suite declares; without a declaration, it is what
//! no last state of a test has, unless the test loops.

mod seen;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json};
use trapline_model::name;
use trapline_model::trace::{State, Trace};
use trapline_model::{Array, Model, Role, Syntax, Timing, Var, VarKind};
use trapline_source::Span;

use crate::read::{self, Document, Draft, Location, ReadError, Wrong, json};
use seen::Seen;

/// Maximum number of empty cells in states, beyond one per given value: a short text must not
/// become a huge table.
const MAX_EMPTY: usize = 1_000_000;

/// What a suite tells about itself.
#[derive(Clone, Debug)]
pub struct Inferred {
    /// The variables. There are no rules, so no step is impossible.
    pub model: Model,
    /// The suite, over these variables.
    pub document: Document,
    /// The path of the model that it was made from.
    pub path: Option<String>,
    /// True if it declares roles. Otherwise step variables are inputs, and everything else is an
    /// output.
    pub has_roles: bool,
    /// True if an input might belong to steps, and it cannot be determined.
    pub has_unclear_steps: bool,
}

/// Reads a suite without its model: `trapline-suite/1`, `trapline-trace/1`, the counterexamples of
/// `trapline-check/1`, or the Informal Trace Format. `syntax_of` knows how to show what the model's
/// language wrote, by the name that the suite gives it.
///
/// # Errors
/// What is wrong with the text, or that it is in a format which needs the model.
pub fn infer(
    text: &str,
    syntax_of: &dyn Fn(Option<&str>) -> &'static dyn Syntax,
) -> Result<Inferred, Vec<ReadError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with('{') {
        return Err(wrong(None, "this is no suite: one in JSON is an object with a list `tests`"));
    }
    let json = json::tree(text).map_err(|(place, message)| wrong(Some(place), message))?;
    let survey = Survey::of(&json).map_err(|message| wrong(None, message))?;
    let language = json.get("model").and_then(|model| model.get("language")?.as_str());
    let model = survey.model(&json, syntax_of(language));
    let document = read::read_parsed(&model, &json)?;
    let path = match json.get("model") {
        Some(Json::String(path)) => Some(path.clone()),
        Some(model) => model.get("path").and_then(Json::as_str).map(String::from),
        None => None,
    };
    let has_roles = json.get("roles").is_some_and(Json::is_object);
    let has_inputs = model.vars.iter().any(|var| var.role == Role::Input);
    let has_unclear_steps = has_inputs && survey.n_ends == 0 && names(&json, "steps").is_none();
    Ok(Inferred { model, document, path, has_roles, has_unclear_steps })
}

impl Inferred {
    /// The tests. An input that is not given keeps its value; what else is not given is missing.
    pub fn traces(&self) -> Vec<Trace> {
        self.document.drafts.iter().map(|draft| self.trace(draft)).collect()
    }

    fn trace(&self, draft: &Draft) -> Trace {
        let mut states: Vec<State> = Vec::with_capacity(draft.states.len());
        let last = draft.states.len() - 1;
        for (idx, given) in draft.states.iter().enumerate() {
            let mut values = given.vars.clone();
            let before = states.last();
            for (var_idx, var) in self.model.vars.iter().enumerate() {
                let is_step = var.kind == VarKind::Input;
                let has_one = !is_step || idx < last || draft.loop_start.is_some();
                if values[var_idx].is_none() && var.role == Role::Input && has_one {
                    values[var_idx] = before.and_then(|before| before.values[var_idx]);
                }
            }
            states.push(State { values });
        }
        Trace { states, loop_start: draft.loop_start }
    }
}

/// What the states of a document have, by name.
#[derive(Default)]
struct Survey {
    names: FxHashMap<String, usize>,
    /// In the order of the text.
    members: Vec<Member>,
    n_states: usize,
    n_given: usize,
    /// How many tests end with their last state.
    n_ends: usize,
}

/// A name and what stands under it.
struct Member {
    name: String,
    /// The lengths of the dimensions; none for a single value.
    dims: Vec<usize>,
    seen: Seen,
    /// How many of the last states have it.
    n_at_ends: usize,
}

impl Survey {
    fn of(json: &Json) -> Result<Survey, String> {
        let mut survey = Survey::default();
        let mut pending: Vec<&Json> = match json::tests(json) {
            Some(tests) => tests.into_iter().map(|(_, test)| test).collect(),
            None => vec![json],
        };
        // Tests that take steps come first, for only these have what belongs to steps, and so
        // the order of the names.
        pending.sort_by_key(|test| !has_steps(test));
        pending.reverse();
        while let Some(test) = pending.pop() {
            survey.add_test(test)?;
            let branches = test.get("branches").and_then(Json::as_array);
            pending.extend(branches.into_iter().flatten());
        }
        let n_places: usize = survey.members.iter().map(Member::size).sum();
        if n_places.saturating_mul(survey.n_states) > survey.n_given + MAX_EMPTY {
            return Err("too many states lack what others have".into());
        }
        Ok(survey)
    }

    fn add_test(&mut self, test: &Json) -> Result<(), String> {
        let states = test.get("states").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let loops = test.get("loop").is_some_and(|start| !start.is_null());
        for (idx, state) in states.iter().enumerate() {
            let is_end = idx + 1 == states.len() && !loops;
            self.n_states += 1;
            self.n_ends += usize::from(is_end);
            if let Some(members) = state.as_object() {
                self.add_members("", members, is_end)?;
            }
        }
        Ok(())
    }

    /// Recurses no deeper than the parser did.
    fn add_members(
        &mut self,
        instance: &str,
        members: &Map<String, Json>,
        is_end: bool,
    ) -> Result<(), String> {
        for (key, json) in members.iter().filter(|(key, _)| !key.starts_with('#')) {
            let name = &name::member(instance, key);
            match json {
                Json::Object(inner) if !inner.keys().any(|key| key.starts_with('#')) => {
                    self.add_members(name, inner, is_end)?;
                }
                _ => self.add(name, json, is_end)?,
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, json: &Json, is_end: bool) -> Result<(), String> {
        let dims = dims(json);
        let idx = match self.names.get(name) {
            Some(&idx) => idx,
            None => {
                let seen = Seen::default();
                self.members.push(Member {
                    name: name.into(),
                    dims: dims.clone(),
                    seen,
                    n_at_ends: 0,
                });
                self.names.insert(name.into(), self.members.len() - 1);
                self.members.len() - 1
            }
        };
        let member = &mut self.members[idx];
        if json.is_null() {
            return Ok(());
        }
        if member.dims != dims {
            return Err(format!("`{}` has several shapes", read::shortened(name)));
        }
        member.n_at_ends += usize::from(is_end);
        let mut pending = vec![json];
        while let Some(json) = pending.pop() {
            match items(json) {
                Some(items) => pending.extend(items),
                None => {
                    self.n_given += 1;
                    member.seen.add(json);
                }
            }
        }
        Ok(())
    }

    fn model(&self, json: &Json, syntax: &'static dyn Syntax) -> Model {
        let mut model = Model::new(syntax);
        let roles = roles(json);
        let first = first_indices(&roles);
        let steps = names(json, "steps");
        let parameters = names(json, "parameters").unwrap_or_default();
        for member in &self.members {
            let domain = member.seen.domain(&mut model.symbols);
            let bounds = bounds(member, &first);
            let n_elements = bounds.iter().map(|&(lo, hi)| (hi - lo + 1) as u64).product();
            let names: Vec<String> = (0..n_elements)
                .map(|position| name::element_at(&member.name, &bounds, position))
                .collect();
            let is_step = match &steps {
                Some(steps) => names.iter().any(|name| steps.contains(name.as_str())),
                None => self.n_ends > 0 && member.n_at_ends == 0,
            };
            let kind = match names.iter().any(|name| parameters.contains(name.as_str())) {
                _ if is_step => VarKind::Input,
                true => VarKind::Frozen,
                false => VarKind::State,
            };
            let other = match (roles.is_empty(), is_step) {
                (true, true) => Role::Input,
                (true, false) => Role::Output,
                (false, _) => Role::Internal,
            };
            let start = model.vars.len() as u32;
            for name in names {
                let role = roles.get(name.as_str()).or_else(|| roles.get(member.name.as_str()));
                let role = role.copied().unwrap_or(other);
                let (domain, span) = (domain.clone(), Span::default());
                let timing = recorded_timing(json, &name);
                model.declare(Var { name, kind, domain, role, timing, span });
            }
            if !bounds.is_empty() {
                let elements = start..model.vars.len() as u32;
                model.arrays.push(Array { name: member.name.clone(), dims: bounds, elements });
            }
        }
        model
    }
}

impl Member {
    fn size(&self) -> usize {
        self.dims.iter().fold(1, |size, &length| size.saturating_mul(length))
    }
}

fn has_steps(test: &Json) -> bool {
    let loops = test.get("loop").is_some_and(|start| !start.is_null());
    loops || test.get("states").and_then(Json::as_array).is_some_and(|states| states.len() > 1)
}

/// The items of an array.
fn items(json: &Json) -> Option<&Vec<Json>> {
    json.as_array().or_else(|| json.get("#tup")?.as_array())
}

/// The lengths of the dimensions, by the first item of each.
fn dims(json: &Json) -> Vec<usize> {
    let mut dims = Vec::new();
    let mut part = json;
    while let Some(items) = items(part) {
        dims.push(items.len());
        match items.first() {
            Some(first) => part = first,
            None => break,
        }
    }
    dims
}

/// The declared roles. The elements of an array are named one by one.
fn roles(json: &Json) -> FxHashMap<&str, Role> {
    let mut roles = FxHashMap::default();
    for (key, role) in
        [("internal", Role::Internal), ("output", Role::Output), ("input", Role::Input)]
    {
        let names = json.get("roles").and_then(|roles| roles.get(key)).and_then(Json::as_array);
        let names = names.into_iter().flatten().filter_map(Json::as_str);
        roles.extend(names.map(|name| (name, role)));
    }
    roles
}

/// When an input is sent, if the suite says. The elements of an array are named one by one.
pub fn recorded_timing(json: &Json, name: &str) -> Option<Timing> {
    let is_step = json.get("timing")?.as_object()?.get(name).and_then(Json::as_str) == Some("step");
    Some(if is_step { Timing::Step } else { Timing::State })
}

/// A list of names in a suite, if it has one. The elements of an array are named one by one.
fn names<'j>(json: &'j Json, key: &str) -> Option<FxHashSet<&'j str>> {
    let names = json.get(key)?.as_array()?;
    Some(names.iter().filter_map(Json::as_str).collect())
}

/// The bounds of the dimensions. A state does not say where indices start, but the names of the
/// elements among the roles do.
fn bounds(member: &Member, first: &FxHashMap<&str, Vec<i64>>) -> Vec<(i64, i64)> {
    let starts = first.get(member.name.as_str()).filter(|list| list.len() == member.dims.len());
    let start = |dim: usize| starts.map_or(0, |starts| starts[dim]);
    let bounds = member.dims.iter().enumerate();
    bounds
        .map(|(dim, &length)| (start(dim), start(dim).saturating_add(length as i64 - 1)))
        .collect()
}

/// The least index of each dimension, by the names of arrays: `b[1][0]` is an element of `b`.
fn first_indices<'j>(roles: &FxHashMap<&'j str, Role>) -> FxHashMap<&'j str, Vec<i64>> {
    let mut first: FxHashMap<&str, Vec<i64>> = FxHashMap::default();
    for name in roles.keys() {
        let (array, indices) = name::split_indices(name);
        if indices.iter().any(|&index| i32::try_from(index).is_err()) {
            continue;
        }
        match first.get_mut(array) {
            Some(least) if least.len() == indices.len() => {
                least.iter_mut().zip(indices).for_each(|(least, idx)| *least = idx.min(*least));
            }
            _ => {
                first.insert(array, indices);
            }
        }
    }
    first
}

fn wrong(place: Option<Location>, message: impl Into<String>) -> Vec<ReadError> {
    let wrong = Wrong::Text(message.into());
    vec![ReadError { test: None, state: None, place, wrong }]
}
