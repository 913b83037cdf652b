//! A model made ready for walking: read, with its constraints.

use trapline_source::Diagnostics;

use super::Args;
use super::constraint::{Constraints, When};
use crate::context::Context;
use crate::failure::Failure;
use crate::files::Extra;
use crate::load::{self, Also, Loaded, Text};

/// A model made ready for walking.
#[derive(Debug)]
pub struct Request {
    /// The model.
    pub loaded: Loaded,
    /// What the user wants of the run.
    pub constraints: Constraints,
}

/// An expression and when it must hold.
#[derive(Clone, Debug)]
pub struct Wish {
    /// When it must hold.
    pub when: When,
    /// The expression.
    pub extra: Extra,
}

/// What the options ask for.
pub fn wishes(args: &Args) -> Vec<Wish> {
    let always = args.constraint.iter().enumerate().map(|(idx, text)| Wish {
        when: When::Always,
        extra: Extra { place: format!("<constraint {}>", idx + 1), text: text.clone() },
    });
    let at = args.at.iter().map(|at| Wish {
        when: When::At(at.state_idx),
        extra: Extra { place: format!("<at {}>", at.state_idx), text: at.text.clone() },
    });
    always.chain(at).collect()
}

/// Reads the model with its constraints. The result is whole only if there is no error.
pub fn prepare(
    args: &Args,
    text: &Text,
    wishes: &[Wish],
    context: &Context,
) -> Result<(Request, Diagnostics), Failure> {
    let expressions = wishes.iter().map(|wish| wish.extra.clone()).collect();
    let also = Also { expressions, ..Also::default() };
    let (loaded, diagnostics) = load::lower(text, &args.model, &also, context)?;
    let mut constraints = Constraints::default();
    if !diagnostics.has_errors() {
        for (wish, &expr) in wishes.iter().zip(&loaded.expressions) {
            constraints.add(&loaded.model, wish.when, expr)?;
        }
    }
    Ok((Request { loaded, constraints }, diagnostics))
}
