//! Constraints that the user puts on a run.
//!
//! An expression without `next` and input variables is about a state; any other is about a
//! step.

use trapline_model::{ExprId, Model, Reads};

use crate::failure::Failure;

/// When a constraint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// In every state, or at every step.
    Always,
    /// In the state with this index, or at the step that leads to it.
    At(usize),
}

/// `--at K:EXPR`
#[derive(Clone, Debug)]
pub struct At {
    /// The index of the state.
    pub state_idx: usize,
    /// The expression.
    pub text: String,
}

/// The constraints of a run.
#[derive(Debug, Default)]
pub struct Constraints {
    list: Vec<(When, ExprId)>,
}

/// Reads `K:EXPR`.
pub fn parse_at(argument: &str) -> Result<At, String> {
    let parts = argument.split_once(':').map(|(at, text)| (at.trim().parse(), text.trim()));
    match parts {
        Some((Ok(state_idx), text)) if !text.is_empty() => Ok(At { state_idx, text: text.into() }),
        _ => Err("expected the number of a state, a colon and an expression, as in 3:x = 1".into()),
    }
}

impl Constraints {
    /// Adds an expression of the model.
    pub fn add(&mut self, model: &Model, when: When, expr: ExprId) -> Result<(), Failure> {
        let reads = model.exprs.info(expr).reads;
        if when == When::At(0) && reads.any(Reads::STEP) {
            let message = "a constraint on state 0 can't use next or input variables";
            return Err(Failure::refused(message)
                .help("state 0 has no step that leads to it; the first step leads to state 1"));
        }
        self.list.push((when, expr));
        Ok(())
    }

    /// What must hold in the state with this index, or at the step that leads to it; the
    /// simulator tells these apart.
    pub fn at(&self, state_idx: usize) -> Vec<ExprId> {
        let is_due = |when: When| when == When::Always || when == When::At(state_idx);
        self.list.iter().filter(|(when, _)| is_due(*when)).map(|(_, expr)| *expr).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Forgets all but the first ones.
    pub fn truncate(&mut self, length: usize) {
        self.list.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::parse_at;

    #[test]
    fn the_first_colon_ends_the_number() {
        let at = parse_at(" 3 : x = 0ud4_1 :: y ").unwrap();
        assert_eq!((at.state_idx, at.text.as_str()), (3, "x = 0ud4_1 :: y"));
        for wrong in ["", "3", "3:", ":x", "-1:x", "x:3"] {
            assert!(parse_at(wrong).is_err(), "{wrong}");
        }
    }
}
