//! Groups of alternatives: what the author lets a state or a step choose from.
//!
//! The branches of a `case`, the rows of a table and guarded commands are all alternatives with
//! guards. They differ in what happens where several guards hold, which is given by a [`Relation`].
//! Criteria and mutations work on groups, so that they are independent of the language.

use std::ops::Range;

use rustc_hash::FxHashSet;
use trapline_source::Span;

use crate::expr::{ExprId, VarId};
use crate::model::{AssignKind, Clause, ConstraintKind, Model, Selects, VarKind};
use crate::site::{OccId, Scope};

/// A group, by its index in [`Model::groups`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub u32);

/// How the alternatives of a group relate where several guards hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The first one is taken: the branches of a `case`.
    Ordered,
    /// That must not happen: the rows of a table.
    Exclusive,
    /// Any of them may be taken: guarded commands.
    Free,
}

/// Alternatives that belong together.
#[derive(Clone, Debug)]
pub struct SiteGroup {
    /// How the alternatives relate.
    pub relation: Relation,
    /// When they count.
    pub scope: Scope,
    /// What the author calls them together: a module, a table. Empty for a `case`, which has the
    /// name of what it decides.
    pub name: String,
    /// What must hold for any of them to be taken. `None`: nothing.
    pub when: Option<ExprId>,
    /// The alternatives, in the order of the text.
    pub alternatives: Vec<Alternative>,
    /// The whole expression, of a `case`.
    pub whole: Option<OccId>,
    /// For free alternatives, the selector variable.
    pub selector: Option<VarId>,
    /// The constraint that keeps alternatives from being taken where their guards do not hold.
    pub constraint: Option<u32>,
    /// All of them.
    pub span: Span,
}

/// One of several things that may happen.
#[derive(Clone, Debug)]
pub struct Alternative {
    /// The author's name for it.
    pub label: Option<String>,
    /// When it may be taken.
    pub guard: Guard,
    /// A further condition for it to be taken that is not a decision of the author's: that values
    /// are in their types, where the language requires it.
    pub possible: Option<ExprId>,
    /// The condition that it is taken, where its guard and position do not determine that: for free
    /// alternatives, that it was selected.
    pub taken: Option<ExprId>,
    /// The values that it assigns; those of a `case` are below its occurrence. Several may share
    /// one occurrence: an element of an array whose index is not constant is any of them.
    pub gives: Vec<Given>,
    /// What counts as a branch of its own; none if the alternative is one branch.
    pub branches: Vec<OwnBranch>,
    /// The text.
    pub span: Span,
}

/// A case of an alternative that counts as a branch of its own: one of several events in a cell, or
/// that nothing changes in one of several modes.
#[derive(Clone, Debug)]
pub struct OwnBranch {
    /// Its name in ids, behind that of the alternative.
    pub key: String,
    /// In sentences: `event 2 of cell 1.1 of Overridden`.
    pub text: String,
    /// The condition that it is taken.
    pub taken: ExprId,
    /// The text.
    pub span: Span,
}

/// When an alternative may be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// When this holds, which the author wrote.
    Written(OccId),
    /// When no guard of these alternatives holds. The occurrence is the keyword: it means `TRUE`,
    /// as the guard of a last branch does.
    Else(Range<u32>, OccId),
}

/// A value that an alternative gives to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The variable.
    pub var: VarId,
    /// Its value, or the set that contains it. Without an occurrence it is derived.
    pub value: Clause,
    /// Where this does not hold, the variable keeps its value.
    pub only_if: Option<ExprId>,
}

impl Guard {
    /// What was written.
    pub fn occ(&self) -> OccId {
        match self {
            Guard::Written(occ) | Guard::Else(_, occ) => *occ,
        }
    }
}

impl SiteGroup {
    /// The name of an alternative in ids: its label if unique, otherwise its number.
    pub fn label(&self, idx: usize) -> String {
        match &self.alternatives[idx].label {
            Some(label) if self.labelled(label).count() == 1 => label.clone(),
            _ => (idx + 1).to_string(),
        }
    }

    /// The alternative with this label or number.
    pub fn find(&self, label: &str) -> Option<usize> {
        let labelled = self.labelled(label).next();
        let number = || label.parse::<usize>().ok()?.checked_sub(1);
        labelled.or_else(number).filter(|&idx| idx < self.alternatives.len())
    }

    fn labelled<'s>(&'s self, label: &'s str) -> impl Iterator<Item = usize> + 's {
        let all = self.alternatives.iter().enumerate();
        all.filter(move |(_, a)| a.label.as_deref() == Some(label)).map(|(idx, _)| idx)
    }

    /// The variables that some alternative gives a value to, in the order of the text.
    pub fn vars(&self) -> Vec<VarId> {
        let mut seen = FxHashSet::default();
        let all = self.alternatives.iter().flat_map(|alternative| &alternative.gives);
        all.map(|given| given.var).filter(|var| seen.insert(*var)).collect()
    }

    /// Which value of its variables it gives.
    pub fn assigns(&self) -> AssignKind {
        match self.scope {
            Scope::Init => AssignKind::Init,
            Scope::State => AssignKind::Current,
            Scope::Step => AssignKind::Next,
        }
    }

    /// What a constraint on the choice among its alternatives is about.
    pub fn constrains(&self) -> ConstraintKind {
        match self.scope {
            Scope::Init => ConstraintKind::Init,
            Scope::State => ConstraintKind::Invar,
            Scope::Step => ConstraintKind::Trans,
        }
    }

    /// Does a variable that no value is given to keep its own?
    pub fn has_frame(&self) -> bool {
        self.scope == Scope::Step
    }
}

impl Alternative {
    /// The distinct values that the author wrote, by their index among those assigned.
    pub fn written(&self) -> impl Iterator<Item = (usize, OccId)> + '_ {
        let mut seen = FxHashSet::default();
        let all = self.gives.iter().enumerate();
        all.filter_map(move |(idx, given)| {
            given.value.occ.filter(|occ| seen.insert(*occ)).map(|occ| (idx, occ))
        })
    }
}

impl Model {
    /// The variable of steps that selects the command, if there is one list of commands and the
    /// name is free: suites and traces call it `command`.
    pub fn command(&self) -> Option<(VarId, GroupId)> {
        let is_of_step = |var: VarId| self.var(var).kind == VarKind::Input;
        let mut lists = self.selectors.iter().filter_map(|selector| match selector.selects {
            Selects::Alternative(group) if is_of_step(selector.var) => Some((selector.var, group)),
            _ => None,
        });
        let (Some(only), None) = (lists.next(), lists.next()) else { return None };
        let is_so = |name: &str| name == "command" || name.starts_with("command.");
        let is_taken = self.vars.iter().any(|var| is_so(&var.name))
            || self.arrays.iter().chain(&self.define_arrays).any(|array| is_so(&array.name))
            || self.defines.iter().any(|define| is_so(&define.name));
        (!is_taken).then_some(only)
    }

    /// The group.
    pub fn group(&self, id: GroupId) -> &SiteGroup {
        &self.groups[id.0 as usize]
    }

    /// The condition that an alternative is taken; not for those of a `case`, which depend on the
    /// path to it.
    pub fn taken(&mut self, group: &SiteGroup, idx: usize) -> ExprId {
        let guard = self.guard(group, idx, None);
        match (group.alternatives[idx].taken, group.when) {
            (Some(taken), _) => taken,
            (None, Some(when)) => self.exprs.and(when, guard),
            (None, None) => guard,
        }
    }

    /// That the guard of an alternative holds, if that of one of them means something else.
    pub fn guard(
        &mut self,
        group: &SiteGroup,
        idx: usize,
        changed: Option<(usize, ExprId)>,
    ) -> ExprId {
        let of = |model: &Model, idx: usize, occ: OccId| match changed {
            Some((place, guard)) if place == idx => guard,
            _ => model.occurrences.get(occ).expr,
        };
        match &group.alternatives[idx].guard {
            Guard::Written(occ) => of(self, idx, *occ),
            Guard::Else(others, _) => {
                let mut none = self.exprs.bool(true);
                for other in others.clone().map(|other| other as usize).filter(|&o| o != idx) {
                    if let Guard::Written(occ) = group.alternatives[other].guard {
                        let guard = of(self, other, occ);
                        let off = self.exprs.not(guard);
                        none = self.exprs.and(none, off);
                    }
                }
                none
            }
        }
    }
}
