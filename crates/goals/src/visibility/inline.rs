//! In-line expansion: what an output is, in terms of inputs and outputs alone (Black, Okun, Yesha,
//! *Testing with Model Checker: Insuring Fault Visibility*, 2002, 3.1).
//!
//! Internal variables are replaced by what they are made of, also by what they were made of in earlier
//! states, until none is left. Each path through the cases met on the way is a formula of its own: the
//! guards on the path, and the value that the output has where they hold. Whatever violates a mutated
//! formula shows at an output.
//!
//! The paper's formulas start in an initial state that is left out. Here the states from which a formula
//! would reach back beyond state 0 have formulas of their own, made of initial values. What reaches back
//! over more than one step is read from monitor variables.

mod frame;
mod paths;
mod rules;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{
    Assign, AssignKind, BinaryOp, DefineId, ExprId, Model, OccId, Scope, Value, VarId,
};
use trapline_source::Span;

use crate::builder::{Builder, Notice};
use crate::defined::Defined;
use crate::expound::Branch;
use crate::mutate::{PathFormula, Subject, SubjectKind};
use crate::site_name::Named;
pub use frame::Delays;
use frame::Frame;
use paths::{Path, Root, TooLarge, paths};
use rules::{Moment, Rules, Stop, is_output};

/// No more formulas are made of a model.
const MAX_FORMULAS: usize = 10_000;

/// The path formulas of a model.
#[derive(Debug, Default)]
pub struct Formulas {
    /// One for each path.
    pub subjects: Vec<Subject>,
    /// The monitors that they read.
    pub delays: Delays,
}

/// An output.
#[derive(Clone, Copy, Debug)]
enum Output {
    Var(VarId),
    Define(DefineId),
}

/// The paths to the value of an output, all about the same states.
struct Group {
    output: Output,
    roots: Vec<(Root, Span, Vec<Path>)>,
    /// The number of the state, if they are about one.
    state: Option<Moment>,
    /// How many earlier states must exist.
    depth: Moment,
    /// The last moment that they speak of.
    last: Moment,
}

/// The path formulas of the selected outputs.
pub fn formulas(builder: &mut Builder<'_>) -> Vec<Subject> {
    if builder.formulas.is_none() {
        let formulas = derive(builder);
        builder.formulas = Some(formulas);
    }
    builder.formulas.as_ref().map_or_else(Vec::new, |formulas| formulas.subjects.clone())
}

fn derive(builder: &mut Builder<'_>) -> Formulas {
    let rules = Rules::new(&builder.model);
    let mut formulas = Formulas::default();
    let mut remains: BTreeMap<VarId, Stop> = BTreeMap::new();
    let mut n_left_out = 0;
    let all = outputs(builder);
    if all.is_empty() {
        let text =
            "no output has an assignment or is a definition, so there are no formulas".into();
        builder.leave_out(Span::default(), text);
    }
    for (output, span) in all {
        let room = MAX_FORMULAS - formulas.subjects.len();
        let groups = match groups(builder, &rules, output) {
            Ok(groups) => groups,
            Err(too_large) => {
                leave_out(builder, output, span, too_large);
                continue;
            }
        };
        let has_paths = groups.iter().any(|group| !group.roots.is_empty());
        let place = if has_paths { not_expanded(&builder.model, output) } else { Some(span) };
        if let Some(place) = place {
            let rest = if has_paths { "all but its initial value is left out" } else { "left out" };
            let name = output.name(builder);
            let text = format!(
                "{name} is given by a table or by guarded commands, which are not expanded in line: \
                 {rest}; --visibility duplicate supports them"
            );
            builder.leave_out(place, text);
        }
        if !has_paths {
            continue;
        }
        let n_paths: usize = groups.iter().map(Group::n_paths).sum();
        if n_paths > room || builder.is_cut() {
            n_left_out += 1;
            continue;
        }
        for group in groups {
            let all = group.roots.iter().flat_map(|(.., paths)| paths);
            remains.extend(all.flat_map(|path| path.remains.clone()));
            write(builder, &rules, &mut formulas, &group);
        }
    }
    if n_left_out > 0 {
        let text = format!(
            "the formulas of {n_left_out} outputs are left out: there would be more than {MAX_FORMULAS}"
        );
        builder.leave_out(Span::default(), text);
    }
    for (var, stop) in remains {
        let var = builder.model.var(var);
        let (criterion, name, why) = (&builder.criterion, &var.name, stop.why());
        let text = format!(
            "{criterion}: {name} remains in formulas of outputs, where visibility is not promised: it {why}"
        );
        let notice = Notice { span: var.span, text, is_limit: false, is_caveat: true };
        builder.notices.push(notice);
    }
    formulas
}

/// The selected outputs, each with the span of its first rule.
fn outputs(builder: &Builder<'_>) -> Vec<(Output, Span)> {
    let (model, options) = (&builder.model, builder.options);
    let mut outputs = Vec::new();
    for (idx, define) in model.defines.iter().enumerate() {
        if is_output(model, define)
            && define.body.occ.is_some()
            && options.wants(&[&define.name], define.body.span)
        {
            outputs.push((Output::Define(DefineId(idx as u32)), define.body.span));
        }
    }
    let mut seen = FxHashSet::default();
    for assign in &model.assigns {
        let var = model.var(assign.var);
        let Some(part) = assign.parts.first() else { continue };
        if var.role == trapline_model::Role::Output
            && options.wants(&[&var.name], part.body.span)
            && seen.insert(assign.var)
        {
            outputs.push((Output::Var(assign.var), part.body.span));
        }
    }
    outputs
}

/// The table or the guarded commands that give an output its later values.
fn not_expanded(model: &Model, output: Output) -> Option<Span> {
    let Output::Var(var) = output else { return None };
    let is_later = |assign: &&Assign| assign.var == var && assign.kind != AssignKind::Init;
    let later = model.assigns.iter().find(is_later)?;
    let is_expanded = later.parts.iter().any(|part| part.body.occ.is_some());
    later.parts.first().filter(|_| !is_expanded).map(|part| part.body.span)
}

fn leave_out(builder: &mut Builder<'_>, output: Output, span: Span, too_large: TooLarge) {
    let name = output.name(builder).to_string();
    let (criterion, limit) = (&builder.criterion, builder.options.limit);
    let is_limit = too_large == TooLarge::Paths;
    let text = match too_large {
        TooLarge::Paths => format!("{criterion}: {name} has more than {limit} paths: left out"),
        TooLarge::Occurrences => format!("{criterion}: the paths to {name} are too long: left out"),
    };
    builder.notices.push(Notice { span, text, is_limit, is_caveat: false });
}

/// The paths to the value of an output: those of the first states, and those of all that follow.
fn groups(builder: &Builder<'_>, rules: &Rules, output: Output) -> Result<Vec<Group>, TooLarge> {
    let general = group(builder, rules, output, None)?;
    let is_empty = general.roots.is_empty();
    let n_states = if is_empty { 1 } else { general.depth };
    let mut groups = Vec::new();
    for state in 0..n_states {
        groups.push(group(builder, rules, output, Some(state))?);
    }
    groups.push(general);
    Ok(groups)
}

/// The paths to the value of an output in this state, or in any state that is late enough.
fn group(
    builder: &Builder<'_>,
    rules: &Rules,
    output: Output,
    state: Option<Moment>,
) -> Result<Group, TooLarge> {
    let model = &builder.model;
    let mut group = Group { output, roots: Vec::new(), state, depth: 0, last: 0 };
    let start = state.map(|state| -state);
    let mut room = builder.options.limit;
    let mut add = |occ: OccId, when: Option<ExprId>, moment: Moment, span: Span| {
        let root = Root { occ, when, moment, start };
        let found = paths(model, rules, root, room)?;
        room -= found.len();
        for path in &found {
            group.depth = group.depth.max(-path.first);
            group.last = group.last.max(path.last);
        }
        group.roots.push((root, span, found));
        Ok(())
    };
    match output {
        Output::Define(id) => {
            let body = model.define(id).body;
            if let Some(occ) = body.occ {
                add(occ, None, 0, body.span)?;
            }
        }
        Output::Var(var) => {
            for assign in model.assigns.iter().filter(|assign| assign.var == var) {
                let moment = match (assign.kind, state) {
                    (AssignKind::Current, _) | (AssignKind::Init, Some(0)) => 0,
                    (AssignKind::Next, Some(0)) | (AssignKind::Init, _) => continue,
                    (AssignKind::Next, _) => -1,
                };
                for part in &assign.parts {
                    if let Some(occ) = part.body.occ {
                        add(occ, part.when, moment, part.body.span)?;
                    }
                }
            }
        }
    }
    Ok(group)
}

impl Group {
    fn n_paths(&self) -> usize {
        self.roots.iter().map(|(.., paths)| paths.len()).sum()
    }

    /// The scope, the moment of the state that the step leaves, and how many steps were taken there, or
    /// at least that many.
    fn scope(&self) -> (Scope, Moment, Moment) {
        let before = self.state.unwrap_or(self.depth);
        match (before + self.last, self.state) {
            (0, Some(_)) => (Scope::Init, 0, 0),
            (0, None) => (Scope::State, 0, 0),
            (n_steps, _) => (Scope::Step, self.last - 1, n_steps - 1),
        }
    }

    fn named(&self, builder: &Builder<'_>, number: usize) -> Named {
        let name = self.output.name(builder);
        let (key, text) = match (self.state, self.output) {
            (None, _) => (name.to_string(), name.to_string()),
            (Some(0), Output::Var(_)) => {
                (format!("{name}@init"), builder.model.syntax.target(AssignKind::Init, name))
            }
            (Some(0), Output::Define(_)) => {
                (format!("{name}@init"), format!("{name} in an initial state"))
            }
            (Some(state), _) => (format!("{name}@{state}"), format!("{name} in state {state}")),
        };
        Named { key: format!("{key}.path{number}"), text: format!("path {number} to {text}") }
    }
}

impl Output {
    fn name<'b>(&self, builder: &'b Builder<'_>) -> &'b str {
        match *self {
            Output::Var(var) => &builder.model.var(var).name,
            Output::Define(define) => &builder.model.define(define).name,
        }
    }
}

/// Writes the formulas of some paths.
fn write(builder: &mut Builder<'_>, rules: &Rules, formulas: &mut Formulas, group: &Group) {
    let (scope, now, n_steps) = group.scope();
    let late = is_late(builder, &mut formulas.delays, group, scope, n_steps);
    let mut defined = Defined::default();
    let mut number = 0;
    for (root, span, paths) in &group.roots {
        for path in paths {
            number += 1;
            let named = group.named(builder, number);
            let moved = FxHashMap::default();
            let (delays, start) = (&mut formulas.delays, root.start);
            let mut frame = Frame { model: &mut builder.model, rules, delays, now, start, moved };
            let guard = frame.guard(path, *span);
            let value = frame.write(path, root.occ, root.moment);
            let when = root.when.map(|when| frame.at(when, root.moment));
            let (var, output) = match group.output {
                Output::Var(var) => (Some(var), frame.var(var, 0)),
                Output::Define(define) => (None, frame.define(define, 0)),
            };
            let model = &mut builder.model;
            let when = match (when, late) {
                (Some(when), Some(late)) => Some(model.exprs.and(late, when)),
                (when, late) => when.or(late),
            };
            let has_guard = !path.literals.is_empty();
            let kind = SubjectKind::Formula(PathFormula { var, output, has_guard, scope });
            let mut subject = Subject::new(named, *span, kind, value, when);
            subject.branches.push(Branch { guard, value });
            subject.caveat = caveat(builder, path);
            let parts = [guard, value].map(|occ| builder.model.occurrences.get(occ).expr);
            subject.can_fail = parts.iter().any(|it| defined.can_fail(&builder.model, *it));
            formulas.subjects.push(subject);
        }
    }
}

/// That the formulas do not reach back beyond state 0, or that the state is the one they are about.
fn is_late(
    builder: &mut Builder<'_>,
    delays: &mut Delays,
    group: &Group,
    scope: Scope,
    n_steps: Moment,
) -> Option<ExprId> {
    let operator = match group.state {
        Some(_) => BinaryOp::Eq,
        None => BinaryOp::Ge,
    };
    let is_sure = n_steps == 0 && group.state.is_none();
    if scope != Scope::Step || is_sure || group.roots.is_empty() {
        return None;
    }
    let steps = delays.steps(&mut builder.model);
    let wanted = builder.model.exprs.value(Value::Int(n_steps.into()));
    Some(builder.model.exprs.binary(operator, steps, wanted))
}

/// What remains in a formula that is neither an input nor an output.
fn caveat(builder: &Builder<'_>, path: &Path) -> Option<String> {
    let remains = path.remains.iter();
    let list: Vec<String> = remains
        .map(|(var, stop)| format!("{} {}", builder.model.var(*var).name, stop.why()))
        .collect();
    (!list.is_empty()).then(|| list.join(", "))
}
