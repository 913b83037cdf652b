//! How a language writes what a model is made of.
//!
//! A model carries the syntax of the language that it was read from, which is used for everything
//! that is displayed: so messages, goals, diffs and reports are in the author's language.

use std::fmt::Debug;

use crate::expr::ExprId;
use crate::model::{AssignKind, ConstraintKind, Model, PropertyKind};
use crate::op::{BinaryOp, UnaryOp};
use crate::types::Domain;
use crate::value::Value;

/// Names that replace expressions where they occur.
pub type ExprNames<'a> = &'a dyn Fn(ExprId) -> Option<String>;

/// The concrete syntax of a language.
pub trait Syntax: Debug + Sync {
    /// A value.
    fn value(&self, model: &Model, value: Value) -> String;

    /// The type with these values.
    fn domain(&self, model: &Model, domain: &Domain) -> String;

    /// An expression in which some others have names. The root is written out even if it has one.
    fn expr_with_names(&self, model: &Model, root: ExprId, names: ExprNames<'_>) -> String;

    /// An expression over the names of the flat model.
    fn expr(&self, model: &Model, root: ExprId) -> String {
        self.expr_with_names(model, root, &|_| None)
    }

    /// The name of an operator, for messages.
    fn unary_op(&self, op: UnaryOp) -> &'static str;

    /// The name of an operator, for messages.
    fn binary_op(&self, op: BinaryOp) -> &'static str;

    /// The value of a variable that an assignment of this kind gives: `next(x)`.
    fn target(&self, kind: AssignKind, name: &str) -> String;

    /// What a constraint of this kind is called in sentences.
    fn constraint(&self, kind: ConstraintKind) -> &'static str;

    /// The keyword of a property.
    fn property(&self, kind: PropertyKind) -> &'static str;

    /// A statement, in one line.
    fn statement(&self, statement: &Statement<'_>) -> String;

    /// An assignment or definition whose value depends on guards, over several lines.
    fn cases(&self, target: &str, branches: &[(String, String)]) -> String;

    /// What a choice between two values by a condition is called.
    fn choice(&self) -> &'static str {
        "?:"
    }

    /// The keywords of the language, for syntax highlighting.
    fn keywords(&self) -> &'static [&'static str];

    /// What begins a comment that ends with its line; behind it perhaps what begins and what ends a
    /// longer one.
    fn comments(&self) -> &'static [&'static str];

    /// A line that is a comment.
    fn comment(&self, text: &str) -> String {
        format!("{} {text}", self.comments()[0])
    }

    /// A comment with a pragma: `pragma("input", "x y")`.
    fn pragma(&self, name: &str, operands: &str) -> String {
        self.comment(&format!("@{name} {operands}"))
    }
}

/// A statement of a flat model, its expressions already written.
#[derive(Clone, Copy, Debug)]
pub enum Statement<'a> {
    /// A variable is given a value.
    Assign(AssignKind, &'a str, &'a str),
    /// A definition.
    Define(&'a str, &'a str),
    /// One guard with its value.
    Branch(&'a str, &'a str),
    /// A constraint.
    Constraint(ConstraintKind, &'a str),
    /// A property.
    Property(PropertyKind, &'a str),
}
