//! What guarded commands or a table allow after a mutation of one guard or value.
//!
//! A step is allowed if some alternative explains it: its guard holds, it assigns the values of the
//! step, and variables that it does not assign keep theirs. So where a mutation makes alternatives
//! overlap there is a choice, and where it leaves none nothing is allowed. The default alternative
//! is recomputed. Which alternative the model took plays no part.

use trapline_model::{
    Assign, AssignKind, AssignPart, Clause, Domain, Expr, ExprId, Failure, FailureKind, GroupId,
    Guard, Relation, SiteGroup, Type, VarId,
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

impl Meaning<'_> {
    /// A table of one variable as an assignment, after a mutation.
    pub(super) fn function(
        &mut self,
        subject: &Subject,
        id: GroupId,
        part: Part,
        root: ExprId,
    ) -> Option<Function> {
        let group = self.model.group(id).clone();
        let [var] = group.vars()[..] else { return None };
        let has_choice = group.alternatives.iter().any(|alternative| alternative.taken.is_some());
        if group.relation != Relation::Exclusive || subject.can_fail || has_choice {
            return None;
        }
        let is_own = |assign: &Assign| assign.kind == group.assigns() && assign.var == var;
        let assign_idx = self.model.assigns.iter().position(is_own)?;
        let changed = match part {
            Part::Guard(idx) => Some((idx, root)),
            _ => None,
        };
        let value_occ = match part {
            Part::Given(place, given) => group.alternatives[place].gives[given].value.occ,
            _ => None,
        };
        let failure = Failure { kind: FailureKind::NotExhaustive, span: group.span };
        let mut expr = self.model.exprs.fail(failure);
        // The values of later rows, each with the condition that one of them applies.
        let mut later: Vec<(ExprId, ExprId)> = Vec::new();
        let mut overlap = self.model.exprs.bool(false);
        for (idx, alternative) in group.alternatives.iter().enumerate().rev() {
            if let Guard::Else(..) = alternative.guard {
                expr = self.model.var_expr(var);
                continue;
            }
            let given = alternative.gives.first()?.value;
            let is_changed = value_occ.is_some() && given.occ == value_occ;
            let value = if is_changed { root } else { given.expr };
            if !self.stays_in(var, value) {
                return None;
            }
            let guard = self.model.guard(&group, idx, changed);
            for &(other, applies) in &later {
                let differ = self.differ(value, other);
                let both = self.model.exprs.and(applies, differ);
                let both = self.model.exprs.and(guard, both);
                overlap = self.model.exprs.or(overlap, both);
            }
            match later.iter_mut().find(|(known, _)| *known == value) {
                Some((_, applies)) => *applies = self.model.exprs.or(*applies, guard),
                None => later.push((value, guard)),
            }
            expr = self.model.exprs.add(Expr::Ite(guard, value, expr));
        }
        let body = Clause::unwritten(expr, group.span);
        let parts = vec![AssignPart { body, when: None, target_span: group.span }];
        let assign = Assign { kind: group.assigns(), var, expr, parts };
        Some(Function { var, assign_idx, assign, overlap })
    }

    /// Is a value of the type of its variable, so that no copy needs more values?
    fn stays_in(&self, var: VarId, value: ExprId) -> bool {
        let domain = &self.model.var(var).domain;
        match self.model.exprs.as_const(value) {
            Some(value) => domain.contains(value),
            None => matches!(domain, Domain::Bool | Domain::Enum(_)),
        }
    }

    /// That two values differ.
    fn differ(&mut self, first: ExprId, second: ExprId) -> ExprId {
        let exprs = &mut self.model.exprs;
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
