//! The tests of the languages that need more than a parser.

mod flat;
mod includes;
mod roles;
