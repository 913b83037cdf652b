//! Small SAL contexts as plain data: random ones ([`random`]), as text ([`write`]), and what they mean by
//! the definition of the language ([`interpret`]). Nothing here knows how the tool reads them.
//!
//! A scalar is a number: 0 and 1 of Booleans, the position in an enumeration, an integer itself.

pub mod compare;
pub mod evaluate;
pub mod expression;
pub mod interpret;
pub mod random;
pub mod write;

/// A context.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// The elements of each enumeration.
    pub enums: Vec<Vec<String>>,
    /// Types with names.
    pub types: Vec<(String, Ty)>,
    /// Functions; each calls earlier ones only.
    pub functions: Vec<Function>,
    /// Modules with names; the last one is the whole.
    pub modules: Vec<Declared>,
    /// What is claimed of the whole.
    pub claims: Vec<Claim>,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `BOOLEAN`
    Bool,
    /// `INTEGER`, of parameters and results alone.
    Int,
    /// `[0..2]`
    Range(i64, i64),
    /// An enumeration, by its index.
    Enum(usize),
    /// `{x: T | p}`, by its index among the types with names.
    Subtype(usize, Box<Ty>, Box<Expr>),
    /// `ARRAY T OF U`
    Array(Box<Ty>, Box<Ty>),
    /// `[# a: T #]`
    Record(Vec<(String, Ty)>),
    /// `[T, U]`
    Tuple(Vec<Ty>),
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// A number.
    Scalar(i64),
    /// Elements, fields or components.
    Many(Vec<Value>),
}

/// What stands between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are called what they are")]
pub enum Op {
    Add,
    Sub,
    Mul,
    Mod,
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
    Xor,
    Implies,
    Iff,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Int(i64),
    /// A Boolean.
    Bool(bool),
    /// An element of an enumeration.
    Symbol(usize, i64),
    /// A variable, of the next state if it is primed.
    Var(String, bool),
    /// What `LET`, a quantifier, a function or a command binds.
    Bound(String),
    /// Two operands.
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `NOT`
    Not(Box<Expr>),
    /// `-`
    Neg(Box<Expr>),
    /// `IF`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An element of an array with this type of indices.
    Element(Box<Expr>, Ty, Box<Expr>),
    /// A field: its position and its name.
    Field(Box<Expr>, usize, String),
    /// A component, counted from 0.
    Component(Box<Expr>, usize),
    /// `a WITH [i] := e`, the array with this type of indices.
    WithElement(Box<Expr>, Ty, Box<Expr>, Box<Expr>),
    /// `r WITH .f := e`
    WithField(Box<Expr>, usize, String, Box<Expr>),
    /// `t WITH .1 := e`, counted from 0.
    WithComponent(Box<Expr>, usize, Box<Expr>),
    /// `FORALL`, or `EXISTS`.
    Quantified(bool, String, Ty, Box<Expr>),
    /// `LET`
    Let(String, Ty, Box<Expr>, Box<Expr>),
    /// `[[i: T] e]`
    Elements(String, Ty, Box<Expr>),
    /// `(# a := e #)`
    Record(Vec<(String, Expr)>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// A function by its index.
    Call(usize, Vec<Expr>),
}

/// What stands behind `IN`.
#[derive(Clone, Debug)]
pub enum Set {
    /// `{a, b}`
    Listed(Vec<Expr>),
    /// `{x: T | p}`
    Where(String, Ty, Expr),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<(String, Ty)>,
    /// The type of its result.
    pub ty: Ty,
    /// Its result.
    pub body: Expr,
}

/// A module with a name.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub params: Vec<(String, Ty)>,
    /// What it is.
    pub module: Module,
}

/// Who controls a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are called what they are")]
pub enum Class {
    Input,
    Output,
    Global,
    Local,
}

/// A variable with its class.
#[derive(Clone, Debug)]
pub struct Var {
    /// Who controls it.
    pub class: Class,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// A module.
#[derive(Clone, Debug)]
pub enum Module {
    /// `BEGIN ... END`
    Base(Base),
    /// A declared module by its index, with its parameters.
    Instance(usize, Vec<Expr>),
    /// `a || b`, or `a [] b`.
    Composed(bool, Box<Module>, Box<Module>),
    /// `(|| (i: T): m)`, or `([] (i: T): m)`.
    Multi(bool, String, Ty, Box<Module>),
    /// `RENAME x TO y IN m`
    Rename(Vec<(String, Renamed)>, Box<Module>),
    /// `LOCAL x IN m`, or `OUTPUT x IN m`.
    Reclassed(Class, Vec<String>, Box<Module>),
    /// `WITH OUTPUT x: T m`
    With(Vec<Var>, Box<Module>),
}

/// What a variable is renamed to.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// A variable.
    pub name: String,
    /// Its element at this index of this type.
    pub index: Option<(Expr, Ty)>,
}

/// A base module.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// Its variables.
    pub vars: Vec<Var>,
    /// `DEFINITION`
    pub definitions: Vec<Def>,
    /// `INITIALIZATION`
    pub initial: Section,
    /// `TRANSITION`
    pub step: Section,
}

/// Definitions and commands.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The definitions.
    pub definitions: Vec<Def>,
    /// The commands, if there is a list of them.
    pub commands: Option<Vec<Command>>,
}

/// What stands on the left.
#[derive(Clone, Debug)]
pub struct Lhs {
    /// The variable.
    pub name: String,
    /// Which part of it, if not all.
    pub part: Part,
}

/// A part of a variable.
#[derive(Clone, Debug)]
pub enum Part {
    /// All of it.
    Whole,
    /// An element, by an index of this type.
    Element(Expr, Ty),
    /// A field: its position and its name.
    Field(usize, String),
    /// A component, counted from 0.
    Component(usize),
}

/// A definition.
#[derive(Clone, Debug)]
pub enum Def {
    /// `x = e`
    Is(Lhs, Expr),
    /// `x IN s`
    In(Lhs, Set),
    /// `(FORALL (i: T): ...)`
    Forall(String, Ty, Box<Def>),
}

/// A command.
#[derive(Clone, Debug)]
pub enum Command {
    /// One command; without a guard it is `ELSE`.
    One(Option<String>, Option<Expr>, Vec<Def>),
    /// `([] (i: T): ...)`
    Multi(String, Ty, Box<Command>),
}

/// What is claimed.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// The form.
    pub form: Form,
    /// A condition on states.
    pub holds: Expr,
    /// Another one, of forms that take two.
    pub other: Expr,
}

/// The forms of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are called what they are")]
pub enum Form {
    Now,
    G,
    F,
    X,
    GF,
    Response,
    U,
    R,
    W,
    M,
    AG,
    EF,
    AF,
    EG,
    AX,
    EX,
    AGEF,
    AU,
    EU,
    AR,
    ER,
}

/// All forms.
pub const FORMS: &[Form] = &[
    Form::Now,
    Form::G,
    Form::F,
    Form::X,
    Form::GF,
    Form::Response,
    Form::U,
    Form::R,
    Form::W,
    Form::M,
    Form::AG,
    Form::EF,
    Form::AF,
    Form::EG,
    Form::AX,
    Form::EX,
    Form::AGEF,
    Form::AU,
    Form::EU,
    Form::AR,
    Form::ER,
];
