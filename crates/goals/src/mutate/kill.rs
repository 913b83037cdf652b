//! What a subject allows, and how a mutant of it is killed: by an initial state, a state or a step
//! that the model allows and the mutant does not.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use trapline_model::{AssignKind, Expr, ExprId, Model, Type};

use super::Mutant;
use super::subject::{Part, Subject, SubjectKind};
use crate::builder::in_scope;
use crate::defined::Defined;
use crate::goal::GoalKind;

/// What subjects mean in a model.
pub struct Meaning<'m> {
    /// The model; expressions are added to it.
    pub model: &'m mut Model,
    /// When its expressions have values.
    pub defined: &'m mut Defined,
}

impl Meaning<'_> {
    /// What is given a value.
    fn value(&mut self, subject: &Subject) -> Option<ExprId> {
        match subject.kind {
            SubjectKind::Assign(kind, var) => {
                let read = self.model.var_expr(var);
                Some(if kind == AssignKind::Next { self.model.exprs.prime(read) } else { read })
            }
            SubjectKind::Define(id) => Some(self.model.define_expr(id)),
            SubjectKind::Formula(formula) => Some(formula.output),
            SubjectKind::Constraint(_) | SubjectKind::Property(_) | SubjectKind::Group(..) => None,
        }
    }

    /// That this is what is given.
    pub fn is_given(&mut self, subject: &Subject, by: ExprId) -> ExprId {
        match self.value(subject) {
            Some(value) => self.model.exprs.is_given(value, by),
            None => by,
        }
    }

    /// That this right-hand side, which may be a `case`, gives the value.
    pub fn given_whole(&mut self, subject: &Subject, by: ExprId) -> ExprId {
        match self.value(subject) {
            Some(value) => self.given(subject, value, by),
            None => by,
        }
    }

    /// What the mutant allows, if a part of it means something else: an expression that is true
    /// of the states or steps that it allows.
    pub fn allowed(&mut self, subject: &Subject, part: Part, root: ExprId) -> ExprId {
        if let SubjectKind::Group(id, _) = subject.kind {
            return self.allowed_by_group(subject, id, part, root);
        }
        let Some(value) = self.value(subject) else { return self.holds(subject, root) };
        let allowed = match part {
            Part::Whole | Part::Given(..) => self.given(subject, value, root),
            Part::Guard(_) | Part::Value(_) => {
                let mut rest = self.model.exprs.bool(false);
                for (idx, branch) in subject.branches.iter().enumerate().rev() {
                    let [mut guard, mut by] = [branch.guard, branch.value]
                        .map(|occ| self.model.occurrences.get(occ).expr);
                    let mut has_value = self.model.exprs.bool(true);
                    match part {
                        Part::Guard(changed) if changed == idx => {
                            guard = root;
                            has_value = self.defined(subject, root);
                        }
                        Part::Value(changed) if changed == idx => by = root,
                        _ => {}
                    }
                    let is_given = self.leaf(subject, value, by);
                    rest = self.model.exprs.ite(guard, is_given, rest);
                    rest = self.model.exprs.and(has_value, rest);
                }
                rest
            }
        };
        match subject.when {
            Some(when) => {
                let rests = self.model.exprs.not(when);
                self.model.exprs.or(rests, allowed)
            }
            None => allowed,
        }
    }

    /// The kill condition of a mutant. Exactly one guard of an expounded `case` holds, so that it
    /// can be stated without the other branches: the mutated guard holds where it should not and
    /// its value differs, or it does not hold where it should.
    pub fn kill(&mut self, subject: &Subject, mutant: &Mutant) -> GoalKind {
        let (part, root) = (mutant.part, mutant.root);
        if let SubjectKind::Property(kind) = subject.kind {
            return GoalKind::Trap(kind, root);
        }
        if let SubjectKind::Group(..) = subject.kind {
            let allowed = self.allowed(subject, part, root);
            let killed = self.model.exprs.not(allowed);
            return in_scope(self.model, subject.scope(), killed);
        }
        let killed = match (part, self.value(subject)) {
            (Part::Guard(idx), Some(value)) if matches!(subject.kind, SubjectKind::Formula(_)) => {
                let holds = self.implication(subject, idx, root, value);
                self.model.exprs.not(holds)
            }
            (Part::Guard(idx), Some(value)) => self.kill_guard(subject, idx, root, value),
            (Part::Value(idx), Some(value)) => {
                let guard = self.model.occurrences.get(subject.branches[idx].guard).expr;
                let is_given = self.leaf(subject, value, root);
                let is_other = self.model.exprs.not(is_given);
                self.model.exprs.and(guard, is_other)
            }
            // Where the model allows a state or step, the other conjuncts hold.
            (_, None) => {
                let holds = self.holds(subject, mutant.conjunct);
                self.model.exprs.not(holds)
            }
            _ => {
                let allowed = self.allowed(subject, part, root);
                self.model.exprs.not(allowed)
            }
        };
        let killed = match (part, subject.when) {
            (Part::Guard(_) | Part::Value(_), Some(when)) => self.model.exprs.and(when, killed),
            _ => killed,
        };
        in_scope(self.model, subject.scope(), killed)
    }

    /// That where a guard holds, which has a value, its branch gives the value. It says nothing of other
    /// branches: they have formulas of their own.
    fn implication(
        &mut self,
        subject: &Subject,
        idx: usize,
        guard: ExprId,
        value: ExprId,
    ) -> ExprId {
        let by = self.model.occurrences.get(subject.branches[idx].value).expr;
        let is_given = self.leaf(subject, value, by);
        let holds = self.model.exprs.implies(guard, is_given);
        let has_value = self.defined(subject, guard);
        self.model.exprs.and(has_value, holds)
    }

    fn kill_guard(&mut self, subject: &Subject, idx: usize, root: ExprId, value: ExprId) -> ExprId {
        let mut earlier = self.model.exprs.bool(false);
        for branch in &subject.branches[..idx] {
            let guard = self.model.occurrences.get(branch.guard).expr;
            earlier = self.model.exprs.or(earlier, guard);
        }
        let [guard, by] = [subject.branches[idx].guard, subject.branches[idx].value]
            .map(|occ| self.model.occurrences.get(occ).expr);
        let is_given = self.leaf(subject, value, by);
        let exprs = &mut self.model.exprs;
        let unless = exprs.or(earlier, is_given);
        let is_other = exprs.not(unless);
        let is_early = exprs.and(root, is_other);
        let is_off = exprs.not(root);
        let is_missing = exprs.and(guard, is_off);
        let killed = exprs.or(is_early, is_missing);
        // Where the changed guard has no value, and no earlier one holds, there is none at all.
        let has_value = self.defined(subject, root);
        let exprs = &mut self.model.exprs;
        let has_value = exprs.or(earlier, has_value);
        let has_none = exprs.not(has_value);
        exprs.or(has_none, killed)
    }

    /// That a value is what an expression gives; where it gives none, that is false.
    pub(super) fn given(&mut self, subject: &Subject, value: ExprId, by: ExprId) -> ExprId {
        // What the branches give, and what those of nested cases give; operands come first.
        let mut parts = BTreeSet::new();
        let mut stack = vec![by];
        while let Some(part) = stack.pop() {
            if let (true, Expr::Ite(_, then, other)) =
                (parts.insert(part), self.model.exprs.get(part))
            {
                stack.extend([then, other]);
            }
        }
        let mut allowed: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for part in parts {
            let is_given = match self.model.exprs.get(part) {
                Expr::Ite(guard, then, other) => {
                    let chosen = self.model.exprs.ite(guard, allowed[&then], allowed[&other]);
                    let has_value = self.defined(subject, guard);
                    self.model.exprs.and(has_value, chosen)
                }
                _ => self.leaf(subject, value, part),
            };
            allowed.insert(part, is_given);
        }
        allowed[&by]
    }

    /// That a value is what an expression gives, and that it gives one.
    fn leaf(&mut self, subject: &Subject, value: ExprId, by: ExprId) -> ExprId {
        let has_value = self.defined(subject, by);
        let is_given = self.model.exprs.is_given(value, by);
        self.model.exprs.and(has_value, is_given)
    }

    /// That a constraint has a value and holds.
    pub fn holds(&mut self, subject: &Subject, constraint: ExprId) -> ExprId {
        if self.model.exprs.ty(constraint) != Type::Bool {
            return constraint;
        }
        let has_value = self.defined(subject, constraint);
        self.model.exprs.and(has_value, constraint)
    }

    /// That an expression has a value.
    fn defined(&mut self, subject: &Subject, expr: ExprId) -> ExprId {
        match subject.can_fail {
            true => self.defined.defined(self.model, expr),
            false => self.model.exprs.bool(true),
        }
    }
}
