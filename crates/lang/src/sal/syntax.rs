//! What a SAL context says, as written.
//!
//! Expressions and types are one language: a type may contain expressions (bounds, subtypes), an
//! expression types (of what it binds). Both are nodes in one arena; [`crate::sal::lower`] finds out
//! which is which.

use std::ops::Range;

use trapline_source::Span;

/// A name, by its index in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// A name and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Which one.
    pub id: NameId,
    /// Where.
    pub span: Span,
}

/// The names of all contexts that were read.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<String>,
    ids: rustc_hash::FxHashMap<String, NameId>,
}

/// A node of a context, by its index in [`Context::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

/// A module of a context, by its index in [`Context::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleId(pub u32);

/// An expression or a type.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub op: Op,
    /// Its text, without parentheses around it.
    pub span: Span,
    /// Its operands, by their index in [`Context::operands`].
    pub operands: Range<u32>,
}

/// What a node is, and what its operands are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `x`. No operands.
    Name(NameId),
    /// `x'`. No operands.
    Primed(NameId),
    /// `c!x`, `c{3, T}!x`: the operands are the actual parameters of the context.
    Qualified {
        /// The context.
        context: Name,
        /// What of it.
        member: Name,
    },
    /// `12`, `0xFF`, `0b101`
    Int(i64),
    /// `12.34`, as a fraction.
    Decimal(i64, i64),
    /// `"text"`
    Text,
    /// `_` as a bound of a range.
    Unbounded,
    /// `-e`, `NOT e`
    Unary(Unary),
    /// `l + r`. A chain of the same operator nests to the left, as it is written.
    Binary(Binary),
    /// `f(a, b)`: the function, then its arguments.
    Apply,
    /// `a[i]`
    Index,
    /// `r.name`
    Field(NameId),
    /// `t.2`, counted from 1.
    Component(u32),
    /// `a WITH [i].f := v`: what is changed, the indices and arguments on the way in order, the value.
    With(Vec<Access>),
    /// `IF c THEN v ELSIF d THEN w ELSE u ENDIF`: conditions and values in turn, then the last value.
    If,
    /// `LAMBDA (x, y: T, z: U): e`: a type for each group of names, then the body.
    Lambda(Vec<Vec<Name>>),
    /// `FORALL (x, y: T): e`
    Forall(Vec<Vec<Name>>),
    /// `EXISTS (x, y: T): e`
    Exists(Vec<Vec<Name>>),
    /// `LET x: T = e, y: U = f IN b`: type and value of each name in turn, then the body.
    Let(Vec<Name>),
    /// `[[i: T] e]`: the index type, then the element.
    Array(Name),
    /// `(# f := e, g := h #)`
    Record(Vec<Name>),
    /// `(e, f)`, at least two.
    Tuple,
    /// `{x: T | e}`, a set or a subtype: the type, then the condition.
    Comprehension(Name),
    /// `{e, f}`
    Set,
    /// `INIT_PRED(m)`
    InitPred(ModuleId),
    /// `TRANS_PRED(m)`
    TransPred(ModuleId),
    /// `STATE_TYPE(m)`
    StateType(ModuleId),
    /// `[l .. h]`
    RangeType,
    /// `[T, U]`
    TupleType,
    /// `[T -> U]`
    FunctionType,
    /// `ARRAY I OF T`
    ArrayType,
    /// `[# f, g: T, h: U #]`: a type for each group of names.
    RecordType(Vec<Vec<Name>>),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `NOT`
    Not,
    /// `-`
    Neg,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `*`
    Mul,
    /// `/`, of reals.
    Divide,
    /// `DIV`
    Div,
    /// `MOD`
    Mod,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `=`
    Eq,
    /// `/=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `AND`
    And,
    /// `OR`
    Or,
    /// `XOR`
    Xor,
    /// `=>`
    Implies,
    /// `<=>`
    Iff,
}

/// A step into a value: of `WITH`, of what is renamed, of what is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `[i]`
    Index,
    /// `.f`
    Field(NameId),
    /// `.2`
    Component(u32),
    /// `(a, b)`, with so many arguments.
    Apply(u32),
}

/// A context: one file.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it declares, in order.
    pub decls: Vec<Decl>,
    /// All expressions and types.
    pub nodes: Vec<Node>,
    /// The operands of all nodes.
    pub operands: Vec<NodeId>,
    /// All modules.
    pub modules: Vec<Module>,
    /// All of it.
    pub span: Span,
}

/// A parameter of a context.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type; `None`: it is a type itself.
    pub ty: Option<NodeId>,
}

/// Names of one type: `x, y: T`
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The names.
    pub names: Vec<Name>,
    /// Their type.
    pub ty: NodeId,
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What is declared; that of `IMPORTING` is the imported context.
    pub name: Name,
    /// As what.
    pub kind: DeclKind,
    /// The whole declaration.
    pub span: Span,
}

/// What is declared.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `T: TYPE`
    Type(TypeDef),
    /// `c: CONTEXT = d{3}`
    Context(ContextRef),
    /// `m [x: T]: MODULE = ...`
    Module {
        /// The parameters.
        params: Vec<VarDecl>,
        /// What it is.
        body: ModuleId,
    },
    /// `p: THEOREM m |- e`
    Assertion {
        /// The module.
        module: ModuleId,
        /// What is claimed of it.
        claim: Claim,
    },
    /// `c: T = e`, `f(x: T): U = e`
    Constant {
        /// The parameters of a function.
        params: Vec<VarDecl>,
        /// The type, or that of the result.
        ty: NodeId,
        /// The value; `None`: any value, the same for ever.
        value: Option<NodeId>,
    },
    /// `IMPORTING c WITH (a TO b)`
    Import {
        /// What is imported.
        context: ContextRef,
        /// The other names of what is in it.
        renamed: Vec<(Name, Name)>,
    },
}

/// The definition of a type.
#[derive(Clone, Debug)]
pub enum TypeDef {
    /// Another type.
    Type(NodeId),
    /// `{a, b}`
    Enumeration(Vec<Name>),
    /// `DATATYPE ... END`
    Datatype(Vec<Constructor>),
    /// `SCALARSET(n)`
    Scalarset(NodeId),
    /// `RINGSET(n)`
    Ringset(NodeId),
    /// Nothing is said of it.
    Uninterpreted,
}

/// `pair(left: T, right: U)`
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: Name,
    /// What it holds.
    pub fields: Vec<VarDecl>,
}

/// `c{3, T}`
#[derive(Clone, Debug)]
pub struct ContextRef {
    /// The context.
    pub name: Name,
    /// Its actual parameters.
    pub actuals: Vec<NodeId>,
}

/// What is claimed of a module.
#[derive(Clone, Debug)]
pub enum Claim {
    /// `m |- e`
    Holds(NodeId),
    /// `m IMPLEMENTS n`
    Implements(ModuleId),
}

/// A module, and where it stands.
#[derive(Clone, Debug)]
pub struct Module {
    /// What it is.
    pub kind: ModuleKind,
    /// Where it stands.
    pub span: Span,
}

/// What a module is.
#[derive(Clone, Debug)]
pub enum ModuleKind {
    /// `BEGIN ... END`
    Base(Base),
    /// `m`, `m[e]`, `c{3}!m[e]`
    Instance {
        /// The context and its actual parameters, if it is another one.
        context: Option<ContextRef>,
        /// The module.
        name: Name,
        /// Its actual parameters.
        actuals: Vec<NodeId>,
    },
    /// `m || n`: a chain of `||` nests to the left.
    Sync(ModuleId, ModuleId),
    /// `m [] n`: a chain of `[]` nests to the left.
    Async(ModuleId, ModuleId),
    /// `(|| (i: T): m)`
    MultiSync {
        /// The index.
        index: Name,
        /// Its type.
        ty: NodeId,
        /// What it is the index of.
        body: ModuleId,
    },
    /// `([] (i: T): m)`
    MultiAsync {
        /// The index.
        index: Name,
        /// Its type.
        ty: NodeId,
        /// What it is the index of.
        body: ModuleId,
    },
    /// `LOCAL x, y IN m`
    Hide(Vec<Name>, ModuleId),
    /// `OUTPUT x, y IN m`
    Export(Vec<Name>, ModuleId),
    /// `RENAME x TO y, z TO a[1] IN m`
    Rename(Vec<(Lhs, Lhs)>, ModuleId),
    /// `WITH INPUT x: T; OUTPUT y: U m`
    With(Vec<(Class, VarDecl)>, ModuleId),
    /// `OBSERVE m WITH n`
    Observe(ModuleId, ModuleId),
}

/// Who controls a variable, and who sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The environment controls it.
    Input,
    /// The module controls it.
    Output,
    /// Several modules that do not move together control it.
    Global,
    /// The module controls it, and nobody else sees it.
    Local,
}

/// A module that is no combination of others.
#[derive(Clone, Debug, Default)]
pub struct Base {
    /// Its variables.
    pub vars: Vec<(Class, VarDecl)>,
    /// What holds in every state.
    pub definitions: Vec<Definition>,
    /// The initial states.
    pub initialization: Section,
    /// The steps.
    pub transition: Section,
}

/// What is said of initial states, or of steps.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// What always holds of them.
    pub definitions: Vec<Definition>,
    /// The choices; `None`: there is no list of commands.
    pub commands: Option<Vec<Command>>,
    /// All lists of commands together.
    pub span: Span,
}

/// A definition or an assignment.
#[derive(Clone, Debug)]
pub enum Definition {
    /// `lhs = e`, `lhs IN e`
    Simple {
        /// What is given a value.
        lhs: Lhs,
        /// Is the value one of a set?
        is_in: bool,
        /// The value, or the set.
        value: NodeId,
        /// All of it.
        span: Span,
    },
    /// `(FORALL (i: T): definitions)`
    Forall {
        /// What it ranges over.
        vars: Vec<VarDecl>,
        /// The definitions.
        body: Vec<Definition>,
        /// All of it.
        span: Span,
    },
}

/// `x`, `x'[i].f`
#[derive(Clone, Debug)]
pub struct Lhs {
    /// The variable.
    pub name: Name,
    /// Is it about the next state?
    pub is_primed: bool,
    /// The part of it.
    pub path: Vec<Access>,
    /// The indices on the way.
    pub indices: Vec<NodeId>,
    /// All of it.
    pub span: Span,
}

/// A guarded command.
#[derive(Clone, Debug)]
pub struct Command {
    /// What a multi-command ranges over, outermost first; empty for one command.
    pub vars: Vec<VarDecl>,
    /// Its label.
    pub label: Option<Name>,
    /// When it may be taken.
    pub guard: CommandGuard,
    /// What it does.
    pub assignments: Vec<Definition>,
    /// All of it, from the label on, without what it ranges over.
    pub span: Span,
}

/// When a command may be taken.
#[derive(Clone, Debug)]
pub enum CommandGuard {
    /// When this holds.
    Condition(NodeId),
    /// When no other command may be. Where the keyword stands.
    Else(Span),
}

impl Names {
    /// The name with this text, made if it is new.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = NameId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// The name with this text, if it occurs.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.ids.get(text).copied()
    }

    /// Its text.
    pub fn text(&self, id: NameId) -> &str {
        &self.texts[id.0 as usize]
    }
}

impl Context {
    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The operands of a node.
    pub fn operands(&self, id: NodeId) -> &[NodeId] {
        let range = &self.node(id).operands;
        &self.operands[range.start as usize..range.end as usize]
    }

    /// The module.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
}
