//! What guarded commands or a table allow after a mutation of one guard or value.
//!
//! A step is allowed if some alternative explains it: its guard holds, it assigns the values of the
//! step, and variables that it does not assign keep theirs. So where a mutation makes alternatives
//! overlap there is a choice, and where it leaves none nothing is allowed. The default alternative
//! is recomputed. Which alternative the model took plays no part.

use trapline_model::{AssignKind, ExprId, GroupId, SiteGroup, VarId};

use super::kill::Meaning;
use super::subject::{Part, Subject};

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
