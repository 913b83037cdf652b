//! A model in which one rule is another one.

use crate::expr::{DefineId, ExprId};
use crate::group::GroupId;
use crate::model::{Assign, Clause, Model};

/// What becomes of a rule. The expressions are of the model that is changed.
#[derive(Clone, Debug)]
pub enum Change {
    /// The assignment with this index becomes this one.
    Assign(usize, Assign),
    /// The definition becomes this expression.
    Define(DefineId, ExprId),
    /// The constraints with these indices become this expression.
    Constraints(Vec<usize>, ExprId),
    /// What implements the group becomes one constraint.
    Group(GroupId, ExprId),
    /// No behaviour changes: only properties do.
    Properties,
}

impl Change {
    /// The model with the change made, in which expressions and variables keep their ids. What is known of
    /// its text, as occurrences and sites, is still that of the original.
    pub fn apply(&self, model: &Model) -> Model {
        let mut changed = model.clone();
        match self {
            Change::Assign(idx, assign) => changed.assigns[*idx] = assign.clone(),
            Change::Define(id, expr) => {
                let body = &mut changed.defines[id.0 as usize].body;
                *body = Clause::unwritten(*expr, body.span);
            }
            Change::Constraints(list, expr) => {
                list.iter().for_each(|&idx| changed.constraints[idx].body.expr = *expr);
            }
            Change::Group(id, allowed) => {
                let group = model.group(*id);
                let vars = group.vars();
                changed.assigns.retain(|a| a.kind != group.assigns() || !vars.contains(&a.var));
                match group.constraint {
                    Some(idx) => changed.constraints[idx as usize].body.expr = *allowed,
                    None => changed.constrain(group.constrains(), *allowed, group.span),
                }
            }
            Change::Properties => {}
        }
        changed
    }
}
