//! Puts guarded commands and tables into a model, for every language that has them.
//!
//! Which of several free commands a step takes is a choice that nobody controls. It becomes a
//! variable of the step, so that "this command was taken" is an ordinary expression, and engines,
//! replay and coverage need to know nothing of commands. A constraint lets a command be selected
//! only where its guard holds; what is assigned is a function of the one that is selected.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_source::Span;

use crate::expr::{Expr, ExprId, Failure, FailureKind, VarId};
use crate::group::{Alternative, Given, GroupId, Guard, Relation, SiteGroup};
use crate::model::{
    Assign, AssignKind, AssignPart, Clause, Constraint, Model, Role, Selector, Selects, Var,
    VarKind,
};
use crate::op::BinaryOp;
use crate::site::Scope;
use crate::types::Domain;
use crate::value::Value;

/// What commands have in common.
#[derive(Clone, Copy, Debug)]
pub struct Commands<'n> {
    /// What the author calls them together.
    pub name: &'n str,
    /// A fresh name for the selector variable.
    pub selector: &'n str,
    /// Are they about initial states, or about steps?
    pub scope: Scope,
    /// What must hold for any of them to be taken.
    pub when: Option<ExprId>,
    /// All of them.
    pub span: Span,
}

/// Adds guarded commands, at least one: each step takes one whose guard holds, and there is no step
/// where none does. A variable that some command assigns keeps its value in the others. Commands of
/// initial states leave open what they do not assign.
pub fn add_commands(
    model: &mut Model,
    commands: Commands<'_>,
    mut alternatives: Vec<Alternative>,
) -> GroupId {
    let Commands { name, scope, when, span, .. } = commands;
    let id = GroupId(model.groups.len() as u32);
    let (selector, selected) = add_selector(model, commands, &alternatives, id);
    for (alternative, &is_selected) in alternatives.iter_mut().zip(&selected) {
        alternative.taken =
            Some(when.map_or(is_selected, |when| model.exprs.and(when, is_selected)));
    }
    let group = SiteGroup {
        relation: Relation::Free,
        scope,
        name: name.into(),
        when,
        alternatives,
        whole: None,
        selector: Some(selector),
        constraint: Some(model.constraints.len() as u32),
        span,
    };
    let ready: Vec<ExprId> =
        (0..group.alternatives.len()).map(|idx| ready(model, &group, idx)).collect();
    constrain(model, &group, &selected, &ready);
    if group.has_frame() {
        let taken = group.alternatives.iter().filter_map(|alternative| alternative.taken);
        let conditions: Vec<(ExprId, ExprId)> = taken.zip(ready).collect();
        for var in group.vars() {
            let keep = model.var_expr(var);
            assign(model, &group, var, &conditions, keep);
        }
    }
    model.groups.push(group);
    id
}

/// What a table is, besides its rows.
#[derive(Clone, Copy, Debug)]
pub struct Table<'n> {
    /// What the author calls it.
    pub name: &'n str,
    /// Are its rows about states, or about steps?
    pub scope: Scope,
    /// What holds where several rows apply.
    pub overlap: Overlap,
    /// What holds where none does.
    pub gap: Gap,
    /// All of it.
    pub span: Span,
}

/// What a table gives where several of its rows apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// That must not happen; the first one counts, whoever finds it out.
    Wrong,
    /// Any of their values.
    Choice,
}

/// What a table gives where no row applies, unless the last one is for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// No value.
    NoValue,
    /// That must not happen; the last row counts, whoever finds it out.
    Wrong,
}

/// Adds a table: its rows must exclude each other.
pub fn add_table(model: &mut Model, table: Table<'_>, rows: Vec<Alternative>) -> GroupId {
    let Table { name, scope, overlap, gap, span } = table;
    let mut group = SiteGroup {
        relation: Relation::Exclusive,
        scope,
        name: name.into(),
        when: None,
        alternatives: rows,
        whole: None,
        selector: None,
        constraint: None,
        span,
    };
    let always = model.exprs.bool(true);
    let last = group.alternatives.len().saturating_sub(1);
    let guards: Vec<ExprId> =
        (0..group.alternatives.len()).map(|idx| model.guard(&group, idx, None)).collect();
    let is_rest = |idx: usize, row: &Alternative| {
        idx == last && (matches!(row.guard, Guard::Else(..)) || gap == Gap::Wrong)
    };
    let rows = group.alternatives.iter().enumerate();
    let conditions: Vec<(ExprId, ExprId)> = rows
        .map(|(idx, row)| if is_rest(idx, row) { always } else { guards[idx] })
        .map(|applies| (applies, always))
        .collect();
    for var in group.vars() {
        match overlap {
            Overlap::Wrong => {
                let none = model.exprs.fail(Failure { kind: FailureKind::NotExhaustive, span });
                assign(model, &group, var, &conditions, none);
            }
            Overlap::Choice => choose_among(model, &mut group, (var, gap), &guards),
        }
    }
    model.groups.push(group);
    GroupId(model.groups.len() as u32 - 1)
}

/// Assigns a variable any value of the rows that apply. A row is taken where it gives the value.
fn choose_among(
    model: &mut Model,
    group: &mut SiteGroup,
    (var, gap): (VarId, Gap),
    guards: &[ExprId],
) {
    let span = group.span;
    let keep = model.var_expr(var);
    let read = match group.scope {
        Scope::Step => model.exprs.prime(keep),
        Scope::Init | Scope::State => keep,
    };
    let mut later = model.exprs.bool(false);
    let last = group.alternatives.last().and_then(|row| row.gives.first());
    let mut rest = match (gap, last) {
        (Gap::Wrong, Some(last)) => last.value.expr,
        _ => model.exprs.fail(Failure { kind: FailureKind::NotExhaustive, span }),
    };
    let mut parts = Vec::new();
    for (alternative, &applies) in group.alternatives.iter_mut().zip(guards).rev() {
        if let Guard::Else(..) = alternative.guard {
            rest = keep;
            continue;
        }
        let given = alternative.gives.iter().find(|given| given.var == var);
        let value = given.map_or(keep, |given| given.value.expr);
        let is_given = model.exprs.is_given(read, value);
        let taken = model.exprs.and(applies, is_given);
        let others = model.exprs.add(Expr::Ite(later, rest, value));
        let both = match model.exprs.is_false(later) || value == others {
            true => value,
            false => model.exprs.binary(BinaryOp::Union, value, others),
        };
        if let Some(given) = given {
            let body = Clause { expr: value, occ: None, span: given.value.span };
            let target_span = given.value.span;
            parts.push(AssignPart { body, when: Some(taken), target_span });
            alternative.taken = Some(taken);
        }
        rest = choose(model, applies, both, rest);
        later = model.exprs.or(applies, later);
    }
    parts.reverse();
    model.assigns.push(Assign { kind: group.assigns(), var, expr: rest, parts });
}

/// The selector variable, and for each alternative the condition that it is selected.
fn add_selector(
    model: &mut Model,
    commands: Commands<'_>,
    alternatives: &[Alternative],
    group: GroupId,
) -> (VarId, Vec<ExprId>) {
    let symbols = symbols(model, alternatives);
    let var = VarId(model.vars.len() as u32);
    let kind = if commands.scope == Scope::Step { VarKind::Input } else { VarKind::State };
    model.vars.push(Var {
        name: commands.selector.into(),
        kind,
        domain: Domain::Enum(symbols.clone().into()),
        role: Role::Internal,
        timing: None,
        span: Span::default(),
    });
    model.selectors.push(Selector { var, selects: Selects::Alternative(group) });
    let read = model.var_expr(var);
    let values: Vec<ExprId> = symbols.into_iter().map(|symbol| model.exprs.value(symbol)).collect();
    if let (VarKind::State, Some(&first)) = (kind, values.first()) {
        // The selection in the initial state must not distinguish later states.
        let body = Clause { expr: first, occ: None, span: commands.span };
        let part = AssignPart { body, when: None, target_span: commands.span };
        model.assigns.push(Assign { kind: AssignKind::Next, var, expr: first, parts: vec![part] });
    }
    let is_selected = |value| model.exprs.eq(read, value);
    (var, values.into_iter().map(is_selected).collect())
}

/// A symbol for each alternative that every language can write and that is no variable's name.
fn symbols(model: &mut Model, alternatives: &[Alternative]) -> Vec<Value> {
    let vars = model.vars.iter().map(|var| &var.name);
    let defines = model.defines.iter().map(|define| &define.name);
    let mut taken: FxHashSet<String> = vars.chain(defines).cloned().collect();
    let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
    let mut symbols = Vec::new();
    for (idx, alternative) in alternatives.iter().enumerate() {
        let label = alternative.label.clone().unwrap_or_else(|| format!("c{}", idx + 1));
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let mut wanted: String = label.chars().map(plain).collect();
        if !wanted.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            wanted.insert(0, '_');
        }
        let mut name = wanted.clone();
        while !taken.insert(name.clone()) {
            let number = numbers.entry(wanted.clone()).or_insert(1);
            *number += 1;
            name = format!("{wanted}_{number}");
        }
        symbols.push(Value::Symbol(model.symbols.intern(&name)));
    }
    symbols
}

/// That an alternative may be taken.
fn ready(model: &mut Model, group: &SiteGroup, idx: usize) -> ExprId {
    let guard = model.guard(group, idx, None);
    match group.alternatives[idx].possible {
        Some(possible) => model.exprs.and(guard, possible),
        None => guard,
    }
}

/// Only enabled alternatives are selected. Where none is, the selection is fixed to one value.
fn constrain(model: &mut Model, group: &SiteGroup, selected: &[ExprId], ready: &[ExprId]) {
    let mut all = model.exprs.bool(true);
    for (idx, (&is_selected, &ready)) in selected.iter().zip(ready).enumerate() {
        let mut must = ready;
        if !group.has_frame() {
            for given in &group.alternatives[idx].gives {
                let is_given = is_given(model, given);
                must = model.exprs.and(must, is_given);
            }
        }
        let rule = model.exprs.implies(is_selected, must);
        all = model.exprs.and(all, rule);
    }
    if let (Some(when), Some(&first)) = (group.when, selected.first()) {
        all = model.exprs.add(Expr::Ite(when, all, first));
    }
    let body = Clause { expr: all, occ: None, span: group.span };
    model.constraints.push(Constraint { kind: group.constrains(), body });
}

/// That a variable of an initial state has the value that it is given.
fn is_given(model: &mut Model, given: &Given) -> ExprId {
    let var = model.var_expr(given.var);
    let is_given = model.exprs.is_given(var, given.value.expr);
    match given.only_if {
        Some(only_if) => model.exprs.implies(only_if, is_given),
        None => is_given,
    }
}

/// Assigns a variable what the alternative gives that is taken: each has the condition for that, and
/// one without which its value need not make sense.
fn assign(
    model: &mut Model,
    group: &SiteGroup,
    var: VarId,
    conditions: &[(ExprId, ExprId)],
    otherwise: ExprId,
) {
    let mut parts = Vec::new();
    let mut expr = otherwise;
    for (alternative, &(taken, ready)) in group.alternatives.iter().zip(conditions).rev() {
        let keep = model.var_expr(var);
        let own: Vec<&Given> = alternative.gives.iter().filter(|given| given.var == var).collect();
        let mut value = keep;
        for given in own.iter().rev() {
            value = match given.only_if {
                Some(only_if) => choose(model, only_if, given.value.expr, value),
                None => given.value.expr,
            };
        }
        if !own.is_empty() {
            value = choose(model, ready, value, keep);
            let span = own[0].value.span;
            let body = Clause { expr: value, occ: None, span };
            parts.push(AssignPart { body, when: Some(taken), target_span: span });
        }
        expr = choose(model, taken, value, expr);
    }
    parts.reverse();
    model.assigns.push(Assign { kind: group.assigns(), var, expr, parts });
}

/// `condition ? then : otherwise`, of values and of sets.
fn choose(model: &mut Model, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
    if then == otherwise || model.exprs.is_true(condition) {
        return then;
    }
    model.exprs.add(Expr::Ite(condition, then, otherwise))
}
