//! The SAL language of SRI: contexts with types, functions and modules of guarded commands.

pub mod print;
mod syntax;
