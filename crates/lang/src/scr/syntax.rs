//! What an SCR specification says, as written: dictionaries, rules and tables.

use trapline_model::{BinaryOp, Event, PropertyKind, UnaryOp};
use trapline_source::Span;

pub use crate::yard::Code;

/// One operator or operand of an expression.
pub type Node = crate::yard::Node<Op>;

/// A name, by its index in [`Spec::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(pub u32);

/// A name and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Which one.
    pub id: NameId,
    /// Where.
    pub span: Span,
}

/// What a node is. The operands are the nodes before it, first operand first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A variable, a constant or a value.
    Name(NameId),
    /// `x'`
    Primed(NameId),
    /// `12`
    Int(i64),
    /// `0.5`, as a fraction.
    Real(i64, i64),
    /// `True`, `False`
    Bool(bool),
    /// `NEVER`
    Never,
    /// `@T(INMODE)`
    Enter,
    /// `@F(INMODE)`
    Leave,
    /// `@T(c)` and the others
    Event(Event),
    /// `e WHEN c`
    When,
    /// `e WHERE c`
    Where,
    /// `e WHILE c`
    While,
    /// An operator before its operand.
    Unary(UnaryOp),
    /// An operator between its operands, or a function of two.
    Binary(BinaryOp),
    /// `a..b`
    Range,
    /// `{a, b}`, with so many elements.
    Set(u32),
}

/// A specification.
#[derive(Debug, Default)]
pub struct Spec {
    /// The names that occur.
    pub names: Vec<String>,
    /// The nodes of all expressions.
    pub nodes: Vec<Node>,
    /// The types with a name.
    pub types: Vec<TypeDecl>,
    /// The constants.
    pub constants: Vec<Constant>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// What the environment does.
    pub assumptions: Vec<Rule>,
    /// What is to be proved.
    pub properties: Vec<Property>,
    /// The tables.
    pub tables: Vec<Table>,
    /// How steps are made.
    pub options: Options,
    /// Were parts of the text reported and left out that nobody knows the meaning of?
    pub is_partial: bool,
    /// What is declared in rows that were reported and left out.
    pub unread: Vec<NameId>,
}

/// How inputs change, and what `INMODE` means.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How many monitored variables change in a step.
    pub inputs: Inputs,
    /// Are there steps in which none changes?
    pub stutter: bool,
    /// What `@T(INMODE)` means.
    pub inmode: Inmode,
}

/// How many monitored variables change in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inputs {
    /// One: the one-input assumption.
    #[default]
    One,
    /// Any number.
    Any,
}

/// What `@T(INMODE)` means in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inmode {
    /// A mode of the row is entered, from any other mode.
    #[default]
    Each,
    /// A mode of the row is entered, from one that is not in the row.
    Group,
    /// The mode changes, and the old one is in the row.
    Old,
}

/// A type with a name.
#[derive(Clone, Copy, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Name,
    /// Its values.
    pub ty: TypeExpr,
}

/// A type as written.
#[derive(Clone, Copy, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind {
    /// `Boolean`
    Bool,
    /// `Integer`
    Integer,
    /// `Real`
    Real,
    /// A name, a range `a..b` or a set `{a, b}`.
    Of(Code),
}

/// A constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: Code,
}

/// A variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// What it is.
    pub kind: VariableKind,
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: TypeExpr,
    /// Its initial value.
    pub init: Option<Code>,
}

/// The kinds of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// The environment sets it.
    Monitored,
    /// The system sets it.
    Controlled,
    /// In between.
    Term,
    /// A state machine; its type lists the modes.
    ModeClass,
}

/// A condition on states or steps.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What holds.
    pub body: Code,
    /// All of it.
    pub span: Span,
}

/// Something to prove.
#[derive(Clone, Copy, Debug)]
pub struct Property {
    /// Its logic.
    pub kind: PropertyKind,
    /// Its name.
    pub name: Option<Name>,
    /// The formula.
    pub body: Code,
    /// All of it.
    pub span: Span,
}

/// The kinds of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Mode transitions.
    Mode,
    /// Values at events.
    Event,
    /// Values under conditions.
    Condition,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// What it is.
    pub kind: TableKind,
    /// The variable that it gives values to.
    pub name: Name,
    /// The mode class of its rows.
    pub class: Option<Name>,
    /// The values of the columns; of a mode transition table, none.
    pub values: Vec<Value>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Were some rows reported and left out?
    pub is_partial: bool,
    /// The heading.
    pub span: Span,
}

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    /// The modes in which it applies; `None` for all.
    pub modes: Option<Vec<Name>>,
    /// Where they stand.
    pub modes_span: Span,
    /// The cells, one a column; of a mode transition, only the event.
    pub cells: Vec<Cell>,
    /// Where a mode transition leads.
    pub target: Option<Value>,
    /// All of it.
    pub span: Span,
}

/// An event or a condition.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// What it says; nothing if it never applies.
    pub code: Option<Code>,
    /// Where.
    pub span: Span,
}

/// A value that a table gives: one of several where there is a choice.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The value, or a set of values.
    pub code: Code,
}

impl Spec {
    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }

    /// The nodes of an expression.
    pub fn nodes(&self, code: Code) -> &[Node] {
        &self.nodes[code.start as usize..code.end as usize]
    }

    /// The table of a variable.
    pub fn table(&self, name: NameId) -> Option<&Table> {
        self.tables.iter().find(|table| table.name.id == name)
    }
}

impl TableKind {
    /// In sentences.
    pub fn name(self) -> &'static str {
        match self {
            TableKind::Mode => "mode transition table",
            TableKind::Event => "event table",
            TableKind::Condition => "condition table",
        }
    }
}

impl VariableKind {
    /// In sentences.
    pub fn name(self) -> &'static str {
        match self {
            VariableKind::Monitored => "monitored variable",
            VariableKind::Controlled => "controlled variable",
            VariableKind::Term => "term",
            VariableKind::ModeClass => "mode class",
        }
    }
}
