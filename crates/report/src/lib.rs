//! Reports: what was found, as bytes in one format or another.
//!
//! Nothing here reads files or prints; formats take data and return text.

pub mod formats;
pub mod layout;
pub mod page;
pub mod run;
pub mod xml;
