//! The model with the change of a mutant made.

use trapline_model::transform::Change;
use trapline_model::{
    Assign, Clause, Expr, ExprId, Failure, FailureKind, Formula, Model, Property,
};

use super::Mutant;
use super::group::{self, Function};
use super::kill::Meaning;
use super::subject::{Part, Subject, SubjectKind};
use crate::defined::Defined;

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
        let mut model = model.clone();
        let change = self.change(subject, &mut model);
        let mut mutated = change.apply(&model);
        if let Change::Properties = change {
            let clauses = mutated.properties.iter_mut().filter_map(holding);
            let own = clauses.filter(|clause| clause.occ == Some(subject.whole));
            own.for_each(|clause| clause.expr = self.root);
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
            SubjectKind::Group(id, _) => {
                let defined = &mut Defined::default();
                let allowed = Meaning { model, defined }.allowed(subject, self.part, self.root);
                Change::Group(id, allowed)
            }
            // A path formula is said of the model, and is none of its rules.
            SubjectKind::Property(_) | SubjectKind::Formula(_) => Change::Properties,
        }
    }

    /// The change of a table of one variable as an assignment, as it is where rows exclude each other.
    pub fn function(&self, subject: &Subject, model: &mut Model) -> Option<Function> {
        match subject.kind {
            SubjectKind::Group(id, _) if !subject.can_fail => {
                group::function(model, id, self.part, self.root)
            }
            _ => None,
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
pub(crate) fn meaning(model: &mut Model, assign: &Assign) -> ExprId {
    let mut rest = model.var_expr(assign.var);
    for part in assign.parts.iter().rev() {
        rest = match part.when {
            Some(when) => model.exprs.add(Expr::Ite(when, part.body.expr, rest)),
            None => part.body.expr,
        };
    }
    rest
}
