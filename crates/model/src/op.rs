//! The operators of expressions and formulas.

/// For all paths, or for some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathQuantifier {
    /// `A`
    All,
    /// `E`
    Some,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negation, of all bits of a word.
    Not,
    /// Arithmetic negation.
    Neg,
    /// Absolute value.
    Abs,
    /// From an integer or a word of one bit.
    ToBool,
    /// From a Boolean to a word of one bit.
    ToWord1,
    /// The same bits, signed.
    ToSigned,
    /// The same bits, unsigned.
    ToUnsigned,
    /// From a word or a Boolean.
    ToInt,
    /// From a real.
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
    /// In the next state of the path.
    X,
    /// In the previous state, and there is one.
    Y,
    /// In the previous state, if there is one.
    Z,
    /// Always from here.
    G,
    /// Always up to here.
    H,
    /// Some time from here.
    F,
    /// Some time up to here.
    O,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
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
    /// The left value, or every member of the left set, is in the right set.
    In,
    /// Union of two sets; a value counts as the set of itself.
    Union,
    /// `<<`
    Shl,
    /// `>>`, with the sign of a signed word.
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// Division, towards zero.
    Div,
    /// Remainder, with the sign of the left operand.
    Mod,
    /// The bits of both, as an unsigned word.
    Concat,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// `E [p U q]`
    Eu,
    /// `A [p U q]`
    Au,
    /// `U`
    U,
    /// `S`
    S,
    /// `V`, release
    V,
    /// `T`, triggered
    T,
}

/// Temporal operators with bounds and one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundedOp {
    /// `EBF`
    Ebf,
    /// `ABF`
    Abf,
    /// `EBG`
    Ebg,
    /// `ABG`
    Abg,
    /// `G [lo, hi]`
    G,
    /// `F [lo, hi]`
    F,
    /// `H [lo, hi]`
    H,
    /// `O [lo, hi]`
    O,
}

impl UnaryOp {
    /// True for temporal operators.
    pub fn is_temporal(self) -> bool {
        use UnaryOp as Op;
        matches!(
            self,
            Op::Ex
                | Op::Ax
                | Op::Ef
                | Op::Af
                | Op::Eg
                | Op::Ag
                | Op::X
                | Op::Y
                | Op::Z
                | Op::G
                | Op::H
                | Op::F
                | Op::O
        )
    }
}

impl BinaryOp {
    /// True for temporal operators.
    pub fn is_temporal(self) -> bool {
        use BinaryOp as Op;
        matches!(self, Op::Eu | Op::Au | Op::U | Op::S | Op::V | Op::T)
    }
}
