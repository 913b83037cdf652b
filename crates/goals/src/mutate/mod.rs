//! Mutants: the specification with one change.
//!
//! An operator maps one occurrence at a time to its mutants. A new operator is a file and a line in
//! [`OPERATORS`].

pub(crate) mod apply;
mod arithmetic;
mod constant;
mod disconnect;
pub mod edit;
pub mod excluded;
pub mod group;
pub mod kill;
mod negate;
mod operator;
mod range_variable;
mod redirect;
mod remove;
pub(crate) mod replace;
pub mod status;
mod stuck_at;
mod subject;
mod tree;
mod variable;

use trapline_model::{BinaryOp, ExprId, OccId};

use replace::Replaced;
pub use subject::{Part, PathFormula, Subject, SubjectKind, subjects};
pub use tree::{Role, Tree};

use crate::builder::{Builder, Mutate};
use crate::visibility::{Visibility, inline};

/// A mutation operator.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// Its name on the command line, after `mutation:`.
    pub name: &'static str,
    /// What it does, in half a sentence.
    pub about: &'static str,
    /// True if it is included in `mutation`.
    pub is_usual: bool,
    /// The mutants of an occurrence: each is a position and its replacement.
    pub changes: fn(&mut Scene<'_>, OccId),
}

/// All operators.
pub const OPERATORS: &[Operator] = &[
    constant::OPERATOR,
    negate::OPERATOR,
    operator::OPERATOR,
    variable::OPERATOR,
    stuck_at::OPERATOR,
    remove::OPERATOR,
    arithmetic::OPERATOR,
    disconnect::OPERATOR,
    redirect::OPERATOR,
    range_variable::OPERATOR,
];

/// A subject is skipped if the paths from its occurrences to the root are longer than this in
/// total: each mutant rebuilds the expressions on its path.
const MAX_STEPS: usize = 50_000_000;

/// Limits on the number of mutants, and of new expressions for them.
const MAX_MUTANTS: usize = 2_000_000;
const MAX_NODES: usize = 10_000_000;

/// What an operator sees.
pub struct Scene<'s> {
    /// The model; expressions are added to it.
    pub model: &'s mut trapline_model::Model,
    /// The tree that the occurrence is in.
    pub tree: &'s Tree,
    /// The variables that can replace each other.
    pub kin: &'s variable::Kin,
    /// What was found.
    pub changes: Vec<(OccId, Rewrite, ExprId)>,
}

/// How the text of an occurrence becomes that of its replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A name or a constant stands in its place.
    Name,
    /// It is negated.
    Negation,
    /// Its operator becomes this one.
    Operator(BinaryOp),
    /// Only this operand remains.
    Operand(OccId),
    /// One is added to it, or subtracted.
    Offset(BinaryOp),
}

impl Scene<'_> {
    /// Adds a mutant with this replacement at this position.
    pub fn becomes(&mut self, place: OccId, rewrite: Rewrite, expr: ExprId) {
        self.changes.push((place, rewrite, expr));
    }
}

/// A specification with one change.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Its operator, in [`OPERATORS`].
    pub operator: usize,
    /// What was changed, in the list of subjects.
    pub subject: usize,
    /// Which part of it.
    pub part: Part,
    /// The position.
    pub place: OccId,
    /// The replacement.
    pub new: ExprId,
    /// How its text is made.
    pub rewrite: Rewrite,
    /// What the part has become.
    pub root: ExprId,
    /// Of a conjunction, what the changed conjunct has become.
    pub conjunct: ExprId,
    /// Its number among the mutants of its operator and subject, from 1.
    pub number: usize,
}

/// The mutants of a model, in the order of the text.
#[derive(Debug, Default)]
pub struct Mutants {
    /// What was changed.
    pub subjects: Vec<Subject>,
    /// The mutants.
    pub list: Vec<Mutant>,
}

/// All mutants by these operators, one operator after the other.
pub fn mutants(builder: &mut Builder<'_>, operators: &[usize]) -> Mutants {
    let is_inline = builder.options.visibility == Visibility::Inline;
    let subjects = match is_inline && builder.options.mutate == Mutate::Model {
        true => inline::formulas(builder),
        false => subjects(builder),
    };
    let kin = variable::Kin::new(builder);
    let mut trees: Vec<(usize, Part, Tree)> = Vec::new();
    for (subject_idx, subject) in subjects.iter().enumerate() {
        let first = trees.len();
        trees.extend(subject.parts().into_iter().map(|(part, root)| {
            (subject_idx, part, Tree::new(&builder.model, root, subject.assigned(part)))
        }));
        let size: usize = trees[first..].iter().map(|(.., tree)| tree.n_steps()).sum();
        if size > MAX_STEPS {
            trees.truncate(first);
            let text = format!("{} is too large to be mutated: left out", subject.named.text);
            builder.leave_out(subject.span, text);
        }
    }
    let mut list = Vec::new();
    let first_len = builder.model.exprs.len();
    for &operator in operators {
        let mut numbers = vec![0; subjects.len()];
        for (subject, part, tree) in &trees {
            if builder.is_cut() {
                return Mutants { subjects, list };
            }
            let is_full = builder.model.exprs.len() >= first_len + MAX_NODES;
            if is_full || list.len() > MAX_MUTANTS {
                let text =
                    format!("after {} mutants there is no room: others are left out", list.len());
                builder.leave_out(subjects[*subject].span, text);
                return Mutants { subjects, list };
            }
            let max_len = first_len + MAX_NODES;
            for (place, rewrite, new, replaced) in changes(builder, tree, &kin, operator, max_len) {
                numbers[*subject] += 1;
                list.push(Mutant {
                    operator,
                    subject: *subject,
                    part: *part,
                    place,
                    new,
                    rewrite,
                    root: replaced.root,
                    conjunct: replaced.conjunct,
                    number: numbers[*subject],
                });
            }
        }
    }
    Mutants { subjects, list }
}

/// The mutants of a tree by one operator: positions, replacements, and the mutated whole.
fn changes(
    builder: &mut Builder<'_>,
    tree: &Tree,
    kin: &variable::Kin,
    operator: usize,
    max_len: usize,
) -> Vec<(OccId, Rewrite, ExprId, Replaced)> {
    let mut scene = Scene { model: &mut builder.model, tree, kin, changes: Vec::new() };
    for occ in scene.model.occurrences.subtree(tree.root) {
        (OPERATORS[operator].changes)(&mut scene, occ);
    }
    let changes = scene.changes;
    let mut whole = Vec::new();
    for (place, rewrite, new) in changes {
        if builder.model.exprs.len() >= max_len || builder.is_cut() {
            break;
        }
        let replaced = replace::replace(&mut builder.model, tree, place, new);
        whole.extend(replaced.map(|replaced| (place, rewrite, new, replaced)));
    }
    whole
}

impl Mutant {
    /// Its id.
    pub fn id(&self, subjects: &[Subject]) -> String {
        let operator = OPERATORS[self.operator].name;
        format!("mutation:{operator}:{}:{}", subjects[self.subject].named.key, self.number)
    }
}
