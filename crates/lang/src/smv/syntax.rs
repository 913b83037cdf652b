//! The syntax tree of an SMV text.
//!
//! Expressions are postfix code: the operands of a node come right before it, so one loop over a
//! slice visits children before parents and no pass over expressions needs recursion. The nodes of
//! all expressions are in one vector; a [`Code`] is the slice of one expression.

use trapline_source::Span;

pub use crate::yard::Code;

/// An interned name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// A name with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Which name.
    pub id: NameId,
    /// Its span.
    pub span: Span,
}

/// A whole text.
#[derive(Debug, Default)]
pub struct Program {
    /// The modules in the order of the text.
    pub modules: Vec<Module>,
    /// The nodes of all expressions.
    pub nodes: Vec<Node>,
    /// Literals that do not fit into a node, see [`Op::Literal`].
    pub literals: Vec<Literal>,
    /// Bounds of bounded temporal operators, see [`Op::Bounded`].
    pub bounds: Vec<(i64, i64)>,
    /// The text of each [`NameId`].
    pub names: Vec<Box<str>>,
}

/// `MODULE name(params)` and its declarations.
#[derive(Debug)]
pub struct Module {
    /// Its name.
    pub name: Name,
    /// Its formal parameters.
    pub params: Vec<Name>,
    /// Its declarations in the order of the text.
    pub items: Vec<Item>,
}

/// A declaration.
#[derive(Debug)]
pub enum Item {
    /// One variable of a `VAR`, `IVAR` or `FROZENVAR` section.
    Var {
        /// Which section.
        kind: VarKind,
        /// A declared name: `Ident`, `Dot`, `DotNumber`, `Index` by an integer.
        name: Code,
        /// Its type.
        ty: TypeExpr,
    },
    /// `name := body`, in `DEFINE` or `MDEFINE`; the body may be an array literal.
    Define {
        /// A declared name.
        name: Code,
        /// Its definition.
        body: Code,
    },
    /// One assignment of an `ASSIGN` section.
    Assign {
        /// Which value is assigned.
        kind: AssignKind,
        /// The left-hand side without `init( )` or `next( )`.
        target: Code,
        /// The right-hand side.
        value: Code,
        /// The whole left-hand side.
        span: Span,
    },
    /// `INIT`, `INVAR`, `TRANS`, `FAIRNESS`, `JUSTICE`.
    Constraint {
        /// Which of them.
        kind: ConstraintKind,
        /// The expression.
        body: Code,
    },
    /// `COMPASSION(p, q)`.
    Compassion {
        /// If this holds infinitely often,
        p: Code,
        /// then so does this.
        q: Code,
    },
    /// A property.
    Spec(Spec),
    /// `CONSTANTS a, b.c`: each an `Ident` or a chain of `Dot`.
    Constants(Vec<Code>),
    /// `ISA module`.
    Isa(Name),
    /// `-- @input x y (step)` and the like: a role for each name, which is a dotted path as text.
    Pragma {
        /// `input`, `output` or `internal`.
        role: PragmaRole,
        /// The names with their spans.
        names: Vec<PragmaName>,
    },
}

/// The section that declares a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    /// `VAR`
    State,
    /// `IVAR`
    Input,
    /// `FROZENVAR`
    Frozen,
}

/// The value that an assignment gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignKind {
    /// `init(x) := e`
    Init,
    /// `next(x) := e`
    Next,
    /// `x := e`
    Current,
}

/// The kind of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// `INIT`
    Init,
    /// `INVAR`
    Invar,
    /// `TRANS`
    Trans,
    /// `FAIRNESS` and `JUSTICE`
    Justice,
}

/// What a pragma speaks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PragmaName {
    /// A dotted path.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// `(step)` or `(state)` behind it, or behind a list that it is in.
    pub timing: Option<PragmaTiming>,
}

/// When an input is sent, as a pragma says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaTiming {
    /// `(state)`
    State,
    /// `(step)`
    Step,
}

/// The role that a pragma gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaRole {
    /// `@input`
    Input,
    /// `@output`
    Output,
    /// `@internal`
    Internal,
}

/// A property.
#[derive(Debug)]
pub struct Spec {
    /// Its kind.
    pub kind: SpecKind,
    /// `NAME n :=`, a variable-like identifier.
    pub name: Option<Code>,
    /// Its formula; the first operand of `MIN` and `MAX`.
    pub body: Code,
    /// The second operand of `MIN` and `MAX`.
    pub second: Option<Code>,
    /// `IN instance`.
    pub context: Option<Code>,
    /// The whole property without its keyword.
    pub span: Span,
}

/// The kind of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecKind {
    /// `SPEC`, `CTLSPEC`
    Ctl,
    /// `LTLSPEC`
    Ltl,
    /// `INVARSPEC`
    Invar,
    /// `PSLSPEC`
    Psl,
    /// `COMPUTE MIN [p, q]`
    Min,
    /// `COMPUTE MAX [p, q]`
    Max,
}

/// A type as written.
#[derive(Debug)]
pub struct TypeExpr {
    /// `array lo..hi of` in front of it, outermost first.
    pub dims: Vec<(Code, Code)>,
    /// What the elements are.
    pub base: BaseType,
    /// The whole type.
    pub span: Span,
}

/// A type that is no array.
#[derive(Debug)]
pub enum BaseType {
    /// `boolean`
    Boolean,
    /// `integer`
    Integer,
    /// `real`
    Real,
    /// `clock`
    Clock,
    /// `word[n]`, `unsigned word[n]`, `signed word[n]`
    Word {
        /// True for `signed`.
        signed: bool,
        /// The number of bits.
        width: Code,
    },
    /// `lo..hi`
    Range(Code, Code),
    /// `{a, b, 3}`: each value is `Ident`, a chain of `Dot`, `True`, `False` or an integer
    /// (perhaps under `Neg`).
    Enum(Vec<Code>),
    /// `module(args)`, or `process module(args)`.
    Instance {
        /// True for a `process`.
        process: bool,
        /// The module.
        module: Name,
        /// The actual parameters.
        args: Vec<Code>,
    },
}

/// One operator or operand of an expression.
pub type Node = crate::yard::Node<Op>;

/// What a node is. The operands are the nodes before it, first operand first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A name: variable, define, parameter, instance or symbolic constant.
    Ident(NameId),
    /// `self`
    SelfRef,
    /// `operand.name`
    Dot(NameId),
    /// `operand.3`
    DotNumber(i32),
    /// `operand[index]`
    Index,
    /// `operand[high : low]`
    BitSelect,
    /// `TRUE`
    True,
    /// `FALSE`
    False,
    /// A small integer literal.
    Int(i32),
    /// Any other literal, by its index in [`Program::literals`].
    Literal(u32),
    /// One operand.
    Unary(Unary),
    /// Two operands.
    Binary(Binary),
    /// `c ? t : e`
    Ite,
    /// `case c1 : v1; c2 : v2; esac`: this many branches, two operands each.
    Case(u32),
    /// `{a, b, c}`: this many operands.
    Set(u32),
    /// `count(a, b, c)`: this many operands.
    Count(u32),
    /// `[a, b, c]`, the body of an array define: this many operands.
    ArrayLiteral(u32),
    /// A bounded temporal operator; the index of its bounds in [`Program::bounds`].
    Bounded(Bounded, u32),
    /// A temporal operator of PSL without counterpart in LTL.
    Psl(Psl),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `abs(e)`
    Abs,
    /// `next(e)`
    Next,
    /// `bool(e)`
    Bool,
    /// `word1(e)`
    Word1,
    /// `signed(e)`
    Signed,
    /// `unsigned(e)`
    Unsigned,
    /// `toint(e)`
    ToInt,
    /// `sizeof(e)`
    SizeOf,
    /// `floor(e)`
    Floor,
    /// `EX`
    Ex,
    /// `AX`
    Ax,
    /// `EF`
    Ef,
    /// `AF`
    Af,
    /// `EG`
    Eg,
    /// `AG`
    Ag,
    /// `X`
    X,
    /// `Y`
    Y,
    /// `Z`
    Z,
    /// `G`
    G,
    /// `H`
    H,
    /// `F`
    F,
    /// `O`
    O,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `&`
    And,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `xnor`
    Xnor,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `union`
    Union,
    /// `lo..hi`
    Range,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<<<`
    Rol,
    /// `>>>`
    Ror,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `mod`
    Mod,
    /// `::`
    Concat,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `extend(w, n)`
    Extend,
    /// `resize(w, n)`
    Resize,
    /// `uwconst(v, n)`
    UwConst,
    /// `swconst(v, n)`
    SwConst,
    /// `E [p U q]`
    Eu,
    /// `A [p U q]`
    Au,
    /// `U`
    U,
    /// `S`
    S,
    /// `V`
    V,
    /// `T`
    T,
}

/// Temporal operators with bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bounded {
    /// `EBF lo..hi p`
    Ebf,
    /// `ABF lo..hi p`
    Abf,
    /// `EBG lo..hi p`
    Ebg,
    /// `ABG lo..hi p`
    Abg,
    /// `E [p BU lo..hi q]`, two operands
    Ebu,
    /// `A [p BU lo..hi q]`, two operands
    Abu,
    /// `G [lo, hi] p`
    G,
    /// `F [lo, hi] p`
    F,
    /// `H [lo, hi] p`
    H,
    /// `O [lo, hi] p`
    O,
}

/// Operators of PSL that are translated to LTL when the text is lowered. `X`, `X!`, `next` and
/// `next!` are [`Unary::X`]; `G` and `always` are [`Unary::G`]; `F` and `eventually!` are
/// [`Unary::F`]; `[p U q]` and `until!` are [`Binary::U`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Psl {
    /// `never p`
    Never,
    /// `p until q`, `[p W q]`
    Until,
    /// `p until_ q`
    UntilInclusive,
    /// `p until!_ q`
    UntilStrongInclusive,
    /// `p before q`
    Before,
    /// `p before! q`
    BeforeStrong,
    /// `p before_ q`
    BeforeInclusive,
    /// `p before!_ q`
    BeforeStrongInclusive,
    /// `next[n](p)`, operands `n p`; `next![n](p)` is the same on infinite paths
    NextN,
    /// `next_a[lo:hi](p)`, operands `lo hi p`
    NextA,
    /// `next_e[lo:hi](p)`, operands `lo hi p`
    NextE,
    /// `next_event(b)(p)`, operands `b p`
    NextEvent,
    /// `next_event!(b)(p)`, operands `b p`
    NextEventStrong,
    /// `next_event(b)[n](p)`, operands `b n p`
    NextEventN,
    /// `next_event!(b)[n](p)`, operands `b n p`
    NextEventNStrong,
    /// `next_event_a(b)[lo:hi](p)`, operands `b lo hi p`
    NextEventA,
    /// `next_event_a!(b)[lo:hi](p)`, operands `b lo hi p`
    NextEventAStrong,
    /// `next_event_e(b)[lo:hi](p)`, operands `b lo hi p`
    NextEventE,
    /// `next_event_e!(b)[lo:hi](p)`, operands `b lo hi p`
    NextEventEStrong,
    /// `p abort b`
    Abort,
    /// A part of PSL beyond LTL (sequences, `forall`, `within`, ...): no operands.
    Unsupported,
}

/// A literal that does not fit into a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// An integer.
    Int(i64),
    /// A word: its bits, not yet sign-extended.
    Word {
        /// True for `0s...`.
        signed: bool,
        /// The number of bits, 1 to 64.
        width: u8,
        /// The bits.
        bits: u64,
    },
    /// `0.25`, `f'1/4`, `25e-2`: numerator and positive denominator, in lowest terms.
    Real(i64, i64),
}

impl Code {
    /// The indices of its nodes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Program {
    /// The nodes of an expression.
    pub fn code(&self, code: Code) -> &[Node] {
        &self.nodes[code.range()]
    }

    /// The span of an expression.
    pub fn span(&self, code: Code) -> Span {
        self.nodes[code.end as usize - 1].span
    }

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }
}
