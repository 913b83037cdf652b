//! The model with the change of a mutant made.

use trapline_model::{
    Assign, Clause, Expr, ExprId, Failure, FailureKind, Formula, GroupId, Model, Property,
};

use super::Mutant;
use super::kill::Meaning;
use super::subject::{Part, Subject, SubjectKind};
use crate::defined::Defined;

impl Mutant {
    /// The model with the change made, in which expressions and variables keep their ids. What is
    /// known of its text, as occurrences and sites, is still that of the original.
    ///
    /// The model is the one that the mutant was made from, or an extension of it.
    pub fn apply(&self, subjects: &[Subject], model: &Model) -> Model {
        let subject = &subjects[self.subject];
        let mut mutated = model.clone();
        let is_whole = |clause: &Clause| clause.occ == Some(subject.whole);
        match subject.kind {
            SubjectKind::Assign(kind, var) => {
                let mut assigns = 0..mutated.assigns.len();
                let is_own = |a: &Assign| a.kind == kind && a.var == var;
                let Some(idx) = assigns.find(|&idx| is_own(&mutated.assigns[idx])) else {
                    unreachable!("the mutant is of this model")
                };
                let expr = self.changed(subject, &mut mutated);
                for part in &mut mutated.assigns[idx].parts {
                    if is_whole(&part.body) {
                        part.body = Clause::unwritten(expr, part.body.span);
                    }
                }
                mutated.assigns[idx].expr = meaning(&mut mutated, idx);
            }
            SubjectKind::Define(id) => {
                let expr = self.changed(subject, &mut mutated);
                let body = &mut mutated.defines[id.0 as usize].body;
                *body = Clause::unwritten(expr, body.span);
            }
            SubjectKind::Constraint(_) => {
                let bodies = mutated.constraints.iter_mut().map(|constraint| &mut constraint.body);
                bodies.filter(|body| is_whole(body)).for_each(|body| body.expr = self.root);
            }
            SubjectKind::Group(id, _) => self.apply_to_group(subject, id, &mut mutated),
            SubjectKind::Property(_) => {
                let clauses = mutated.properties.iter_mut().filter_map(holding);
                clauses
                    .filter(|clause| is_whole(clause))
                    .for_each(|clause| clause.expr = self.root);
            }
        }
        mutated
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
fn meaning(model: &mut Model, assign_idx: usize) -> ExprId {
    let assign = model.assigns[assign_idx].clone();
    let mut rest = model.var_expr(assign.var);
    for part in assign.parts.iter().rev() {
        rest = match part.when {
            Some(when) => model.exprs.add(Expr::Ite(when, part.body.expr, rest)),
            None => part.body.expr,
        };
    }
    rest
}
