//! The tests of the languages that need more than a parser.

mod documents;
mod flat;
mod includes;
mod roles;
