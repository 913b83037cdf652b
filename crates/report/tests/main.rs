//! The tests of the formats.

mod read_back;
