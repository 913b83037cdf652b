//! Partial tests: what the model says about the values that are missing.
