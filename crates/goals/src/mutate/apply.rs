//! The model with the change of a mutant made.

use trapline_model::{Clause, Expr, ExprId, Failure, FailureKind, Formula, Model, Property, Type};

use super::Mutant;
use super::subject::{Part, Subject, SubjectKind};

impl Mutant {
    /// The model with the change made, in which expressions and variables keep their ids. What is
    /// known of its text, as occurrences and sites, is still that of the original.
    ///
    /// The model is the one that the mutant was made from, or an extension of it.
    pub fn apply(&self, subjects: &[Subject], model: &Model) -> Model {
        let subject = &subjects[self.subject];
        let mut mutated = model.clone();
        let expr = self.changed(subject, &mut mutated);
        let is_whole = |clause: &Clause| clause.occ == Some(subject.whole);
        match subject.kind {
            SubjectKind::Assign(kind, var) => {
                let mut assigns = 0..mutated.assigns.len();
                let is_own = |a: &trapline_model::Assign| a.kind == kind && a.var == var;
                let Some(idx) = assigns.find(|&idx| is_own(&mutated.assigns[idx])) else {
                    unreachable!("the mutant is of this model")
                };
                for part in &mut mutated.assigns[idx].parts {
                    if is_whole(&part.body) {
                        part.body = Clause::unwritten(expr, part.body.span);
                    }
                }
                mutated.assigns[idx].expr = meaning(&mut mutated, idx);
            }
            SubjectKind::Define(id) => {
                let body = &mut mutated.defines[id.0 as usize].body;
                *body = Clause::unwritten(expr, body.span);
            }
            SubjectKind::Constraint(_) => {
                let bodies = mutated.constraints.iter_mut().map(|constraint| &mut constraint.body);
                bodies.filter(|body| is_whole(body)).for_each(|body| body.expr = expr);
            }
            SubjectKind::Property(_) => {
                let clauses = mutated.properties.iter_mut().filter_map(holding);
                clauses.filter(|clause| is_whole(clause)).for_each(|clause| clause.expr = expr);
            }
        }
        mutated
    }

    /// What the subject becomes: an expounded one is the `case` of its branches.
    fn changed(&self, subject: &Subject, model: &mut Model) -> ExprId {
        if self.part == Part::Whole {
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
            rest = choice(model, guard, value, rest);
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
            Some(when) => choice(model, when, part.body.expr, rest),
            None => part.body.expr,
        };
    }
    rest
}

fn choice(model: &mut Model, condition: ExprId, then: ExprId, other: ExprId) -> ExprId {
    let ty = model.exprs.ty(then).join(model.exprs.ty(other));
    model.exprs.add(Expr::Ite(condition, then, other), ty.unwrap_or(Type::Never))
}
