//! What guarded commands or a table allow after a mutation of one guard or value.
//!
//! A step is allowed if some alternative explains it: its guard holds, it assigns the values of the
//! step, and variables that it does not assign keep theirs. So where a mutation makes alternatives
//! overlap there is a choice, and where it leaves none nothing is allowed. The default alternative
//! is recomputed. Which alternative the model took plays no part.

use trapline_engine::impossible::Question;
use trapline_model::transform::Change;
use trapline_model::{
    Assign, AssignKind, AssignPart, Clause, Domain, Expr, ExprId, Failure, FailureKind, GroupId,
    Guard, Model, Relation, SiteGroup, Type, VarId,
};

use super::kill::Meaning;
use super::subject::{Part, Subject};

/// A table after a mutation as an assignment: that is what it is where its rows exclude each other.
#[derive(Clone, Debug)]
pub struct Function {
    /// The variable.
    pub var: VarId,
    /// The index of the assignment in the model.
    pub assign_idx: usize,
    /// What it becomes. It has no value where no row applies.
    pub assign: Assign,
    /// That several rows apply, with different values.
    pub overlap: ExprId,
}

/// Work for finding out which changed tables overlap: seconds.
pub const OVERLAP_WORK: u64 = 20_000_000;

impl Function {
    /// A table with another guard in one row.
    pub fn of_guard(
        model: &mut Model,
        (id, idx): (GroupId, usize),
        guard: ExprId,
    ) -> Option<Function> {
        function(model, id, Part::Guard(idx), guard)
    }

    /// Can several rows apply?
    pub fn question(&self) -> Question {
        Question { expr: self.overlap, without: self.var }
    }

    /// The change that makes the table this one, where that is not so.
    pub fn change(self) -> Change {
        Change::Assign(self.assign_idx, self.assign)
    }
}

impl Meaning<'_> {
    /// The condition that some alternative of a group explains a state or a step.
    pub(super) fn allowed_by_group(
        &mut self,
        subject: &Subject,
        id: GroupId,
        part: Part,
        root: ExprId,
    ) -> ExprId {
        let group = self.model.group(id).clone();
        let changed = match part {
            Part::Guard(idx) => Some((idx, root)),
            _ => None,
        };
        let vars = group.vars();
        let mut any = self.model.exprs.bool(false);
        for idx in 0..group.alternatives.len() {
            let guard = self.model.guard(&group, idx, changed);
            let mut explains = self.holds(subject, guard);
            for &var in &vars {
                let is_given = self.given_by_alternative(subject, (&group, idx), var, (part, root));
                explains = self.model.exprs.and(explains, is_given);
            }
            any = self.model.exprs.or(any, explains);
        }
        match group.when {
            Some(when) => {
                let rests = self.model.exprs.not(when);
                self.model.exprs.or(rests, any)
            }
            None => any,
        }
    }

    /// The condition that a variable has the value that an alternative assigns.
    fn given_by_alternative(
        &mut self,
        subject: &Subject,
        (group, idx): (&SiteGroup, usize),
        var: VarId,
        (part, root): (Part, ExprId),
    ) -> ExprId {
        let alternative = &group.alternatives[idx];
        let changed = match part {
            Part::Given(place, given) => group.alternatives[place].gives[given].value.occ,
            _ => None,
        };
        let read = self.model.var_expr(var);
        let value = match group.assigns() {
            AssignKind::Next => self.model.exprs.prime(read),
            AssignKind::Init | AssignKind::Current => read,
        };
        let mut is_given = match group.has_frame() {
            true => self.model.exprs.is_given(value, read),
            false => self.model.exprs.bool(true),
        };
        for given in alternative.gives.iter().filter(|given| given.var == var).rev() {
            let is_changed = changed.is_some() && given.value.occ == changed;
            let by = if is_changed { root } else { given.value.expr };
            let this = self.given(subject, value, by);
            is_given = match given.only_if {
                Some(only_if) => self.model.exprs.ite(only_if, this, is_given),
                None => this,
            };
        }
        is_given
    }
}

/// A table of one variable as an assignment, after a mutation.
pub(super) fn function(
    model: &mut Model,
    id: GroupId,
    part: Part,
    root: ExprId,
) -> Option<Function> {
    let group = model.group(id).clone();
    let [var] = group.vars()[..] else { return None };
    let has_choice = group.alternatives.iter().any(|alternative| alternative.taken.is_some());
    if group.relation != Relation::Exclusive || has_choice {
        return None;
    }
    let is_own = |assign: &Assign| assign.kind == group.assigns() && assign.var == var;
    let assign_idx = model.assigns.iter().position(is_own)?;
    let changed = match part {
        Part::Guard(idx) => Some((idx, root)),
        _ => None,
    };
    let value_occ = match part {
        Part::Given(place, given) => group.alternatives[place].gives[given].value.occ,
        _ => None,
    };
    let failure = Failure { kind: FailureKind::NotExhaustive, span: group.span };
    let mut expr = model.exprs.fail(failure);
    // The values of later rows, each with the condition that one of them applies.
    let mut later: Vec<(ExprId, ExprId)> = Vec::new();
    let mut overlap = model.exprs.bool(false);
    for (idx, alternative) in group.alternatives.iter().enumerate().rev() {
        if let Guard::Else(..) = alternative.guard {
            expr = model.var_expr(var);
            continue;
        }
        let given = alternative.gives.first()?.value;
        let is_changed = value_occ.is_some() && given.occ == value_occ;
        let value = if is_changed { root } else { given.expr };
        if !stays_in(model, var, value) {
            return None;
        }
        let guard = model.guard(&group, idx, changed);
        for &(other, applies) in &later {
            let differ = differ(model, value, other);
            let both = model.exprs.and(applies, differ);
            let both = model.exprs.and(guard, both);
            overlap = model.exprs.or(overlap, both);
        }
        match later.iter_mut().find(|(known, _)| *known == value) {
            Some((_, applies)) => *applies = model.exprs.or(*applies, guard),
            None => later.push((value, guard)),
        }
        expr = model.exprs.add(Expr::Ite(guard, value, expr));
    }
    let body = Clause::unwritten(expr, group.span);
    let parts = vec![AssignPart { body, when: None, target_span: group.span }];
    let assign = Assign { kind: group.assigns(), var, expr, parts };
    Some(Function { var, assign_idx, assign, overlap })
}

/// Is a value of the type of its variable, so that no copy needs more values?
fn stays_in(model: &Model, var: VarId, value: ExprId) -> bool {
    let domain = &model.var(var).domain;
    match model.exprs.as_const(value) {
        Some(value) => domain.contains(value),
        None => matches!(domain, Domain::Bool | Domain::Enum(_)),
    }
}

/// That two values differ.
fn differ(model: &mut Model, first: ExprId, second: ExprId) -> ExprId {
    let exprs = &mut model.exprs;
    let constants = (exprs.as_const(first), exprs.as_const(second));
    let is_set = |expr| matches!(exprs.ty(expr), Type::Set(_));
    match constants {
        (Some(first), Some(second)) => exprs.bool(first != second),
        _ if is_set(first) || is_set(second) => exprs.bool(true),
        _ => {
            let is_same = exprs.is_given(first, second);
            exprs.not(is_same)
        }
    }
}
