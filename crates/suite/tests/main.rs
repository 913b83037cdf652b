//! The tests of the suites.

mod commands;
mod complete;
mod inferred;
mod laws;
mod never_claims;
mod read;
mod rename;
mod set_cover;
mod visibility;
