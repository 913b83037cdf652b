//! What a test says about a formula.
