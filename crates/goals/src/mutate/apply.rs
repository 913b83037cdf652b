//! The model with the change of a mutant made.

use trapline_model::{
    Assign, Clause, DefineId, Expr, ExprId, Failure, FailureKind, Formula, GroupId, Model, Property,
};

use super::Mutant;
use super::kill::Meaning;
use super::subject::{Part, Subject, SubjectKind};
use crate::defined::Defined;

/// What a mutant changes in its model.
#[derive(Clone, Debug)]
pub enum Change {
    /// The assignment with this index becomes this one.
    Assign(usize, Assign),
    /// The definition becomes this expression.
    Define(DefineId, ExprId),
    /// The constraints with these indices become this expression.
    Constraints(Vec<usize>, ExprId),
    /// What implements the group becomes a constraint.
    Group(GroupId),
    /// No behaviour: properties.
    Properties,
}

impl Mutant {
    /// The model with the change made, in which expressions and variables keep their ids. What is
    /// known of its text, as occurrences and sites, is still that of the original.
    ///
    /// The model is the one that the mutant was made from, or an extension of it.
    pub fn apply(&self, subjects: &[Subject], model: &Model) -> Model {
        self.apply_to(&subjects[self.subject], model)
    }

    /// The same, given what is changed.
    pub fn apply_to(&self, subject: &Subject, model: &Model) -> Model {
        let mut mutated = model.clone();
        match self.change(subject, &mut mutated) {
            Change::Assign(idx, assign) => mutated.assigns[idx] = assign,
            Change::Define(id, expr) => {
                let body = &mut mutated.defines[id.0 as usize].body;
                *body = Clause::unwritten(expr, body.span);
            }
            Change::Constraints(list, expr) => {
                list.into_iter().for_each(|idx| mutated.constraints[idx].body.expr = expr);
            }
            Change::Group(id) => self.apply_to_group(subject, id, &mut mutated),
            Change::Properties => {
                let clauses = mutated.properties.iter_mut().filter_map(holding);
                clauses
                    .filter(|clause| clause.occ == Some(subject.whole))
                    .for_each(|clause| clause.expr = self.root);
            }
        }
        mutated
    }

    /// The change that makes a mutant of a model, which only gets more expressions.
    pub fn change(&self, subject: &Subject, model: &mut Model) -> Change {
        let is_whole = |clause: &Clause| clause.occ == Some(subject.whole);
        match subject.kind {
            SubjectKind::Assign(kind, var) => {
                let is_own = |a: &Assign| a.kind == kind && a.var == var;
                let Some(idx) = model.assigns.iter().position(is_own) else {
                    unreachable!("the mutant is of this model")
                };
                let expr = self.changed(subject, model);
                let mut assign = model.assigns[idx].clone();
                for part in assign.parts.iter_mut().filter(|part| is_whole(&part.body)) {
                    part.body = Clause::unwritten(expr, part.body.span);
                }
                assign.expr = meaning(model, &assign);
                Change::Assign(idx, assign)
            }
            SubjectKind::Define(id) => Change::Define(id, self.changed(subject, model)),
            SubjectKind::Constraint(_) => {
                let is_own = |idx: &usize| is_whole(&model.constraints[*idx].body);
                let list = (0..model.constraints.len()).filter(is_own).collect();
                Change::Constraints(list, self.root)
            }
            SubjectKind::Group(id, _) => Change::Group(id),
            SubjectKind::Property(_) => Change::Properties,
        }
    }

    /// One constraint states what the mutated group allows, in place of all that implemented the
    /// group.
    fn apply_to_group(&self, subject: &Subject, id: GroupId, model: &mut Model) {
        let defined = &mut Defined::default();
        let allowed = Meaning { model, defined }.allowed(subject, self.part, self.root);
        let group = model.group(id).clone();
        let vars = group.vars();
        model.assigns.retain(|a| a.kind != group.assigns() || !vars.contains(&a.var));
        match group.constraint {
            Some(idx) => model.constraints[idx as usize].body.expr = allowed,
            None => model.constrain(group.constrains(), allowed, group.span),
        }
    }

    /// What the subject becomes: an expounded one is the `case` of its branches.
    fn changed(&self, subject: &Subject, model: &mut Model) -> ExprId {
        if matches!(self.part, Part::Whole | Part::Given(..)) {
            return self.root;
        }
        let failure = Failure { kind: FailureKind::NotExhaustive, span: subject.span };
        let mut rest = model.exprs.fail(failure);
        for (idx, branch) in subject.branches.iter().enumerate().rev() {
            let [mut guard, mut value] =
                [branch.guard, branch.value].map(|occ| model.occurrences.get(occ).expr);
            match self.part {
                Part::Guard(at) if at == idx => guard = self.root,
                Part::Value(at) if at == idx => value = self.root,
                _ => {}
            }
            rest = model.exprs.add(Expr::Ite(guard, value, rest));
        }
        rest
    }
}

fn holding(property: &mut Property) -> Option<&mut Clause> {
    match &mut property.formula {
        Formula::Holds(clause) => Some(clause),
        Formula::Min(..) | Formula::Max(..) | Formula::Unsupported(_) => None,
    }
}

/// What an assignment means: the part that counts, and the old value where none does.
fn meaning(model: &mut Model, assign: &Assign) -> ExprId {
    let mut rest = model.var_expr(assign.var);
    for part in assign.parts.iter().rev() {
        rest = match part.when {
            Some(when) => model.exprs.add(Expr::Ite(when, part.body.expr, rest)),
            None => part.body.expr,
        };
    }
    rest
}
