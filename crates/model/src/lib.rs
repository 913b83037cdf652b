//! The model: a flat, typed transition system with hash-consed expressions, and everything that
//! needs no engine: evaluation, replay, dependencies, slices. Its concrete notation belongs to a
//! language, which it knows as a [`Syntax`].

pub mod check;
pub mod columns;
pub mod commands;
pub mod coverage;
pub mod decide;
pub mod dependency;
pub mod eval;
pub mod expr;
pub mod goal;
pub mod group;
pub mod instance;
pub mod lasso;
mod logic;
pub mod model;
pub mod name;
pub mod notation;
pub mod op;
pub mod ops;
pub mod replay;
pub mod roles;
pub mod site;
pub mod syntax;
pub mod trace;
pub mod transform;
pub mod types;
pub mod typing;
pub mod value;

pub use check::Check;
pub use expr::{DefineId, Expr, ExprId, Exprs, Failure, FailureKind, Info, Reads, VarId};
pub use group::{Alternative, Given, GroupId, Guard, OwnBranch, Relation, SiteGroup};
pub use instance::{Argument, InstanceId, ModuleInstance};
pub use model::{
    Array, Assign, AssignKind, AssignPart, Clause, Constraint, ConstraintKind, Define, Formula,
    Model, Property, PropertyKind, Role, Selector, Selects, Symbols, Timing, Var, VarKind,
};
pub use op::{BinaryOp, BoundedOp, PathQuantifier, UnaryOp};
pub use site::{
    Event, OccId, Occurrence, Occurrences, Reach, ReachId, Scope, Shape, Site, SiteKind, SiteTarget,
};
pub use syntax::{Statement, Syntax};
pub use types::{Domain, SetOf, Type};
pub use typing::TypeError;
pub use value::{Ratio, SymbolId, Value, Word};
