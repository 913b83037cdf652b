//! The tokens of SMV.

use logos::Logos;

use super::{Remarks, block_comment, directive, line_comment, slash_comment};

/// A token; its text is the slice of the source that it covers.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(extras = Remarks)]
#[logos(skip r"[ \t\r\n\x0C]+")]
#[logos(skip "\u{feff}")]
// What the C preprocessor leaves behind: `# 12 "file.smv"`.
#[logos(skip(r"#[ \t]*[0-9]+[^\n]*", allow_greedy = true))]
#[logos(skip("#[ \t]*[A-Za-z_]+", directive))]
#[logos(skip("--", line_comment))]
#[logos(skip("//", slash_comment))]
#[logos(skip("/--", block_comment))]
pub enum Token {
    /// The end of the text; the lexer never yields it.
    Eof,
    /// A name, perhaps in quotes.
    #[regex(r"[A-Za-z_][A-Za-z0-9_$#-]*", priority = 1)]
    #[regex("\"[^\"\n]*\"")]
    Ident,
    /// `12`
    #[regex("[0-9]+")]
    Number,
    /// `0ub4_1010`
    #[regex("0[us]?[bBoOdDhH][0-9]*_[0-9a-fA-F][0-9a-fA-F_]*")]
    WordNumber,
    /// `0.5`, `5e-1`
    #[regex(r"[0-9]+\.[0-9]+")]
    #[regex(r"[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+")]
    Decimal,
    /// `f'1/2`
    #[regex("[fF]'[0-9]+/[0-9]+")]
    Fraction,

    /// `MODULE`
    #[token("MODULE")]
    Module,
    /// `VAR`
    #[token("VAR")]
    Var,
    /// `IVAR`
    #[token("IVAR")]
    Ivar,
    /// `FROZENVAR`
    #[token("FROZENVAR")]
    Frozenvar,
    /// `DEFINE`
    #[token("DEFINE")]
    Define,
    /// `MDEFINE`
    #[token("MDEFINE")]
    Mdefine,
    /// `FUN`
    #[token("FUN")]
    Fun,
    /// `ASSIGN`
    #[token("ASSIGN")]
    Assign,
    /// `INIT`
    #[token("INIT")]
    Init,
    /// `INVAR`
    #[token("INVAR")]
    Invar,
    /// `TRANS`
    #[token("TRANS")]
    Trans,
    /// `FAIRNESS`
    #[token("FAIRNESS")]
    Fairness,
    /// `JUSTICE`
    #[token("JUSTICE")]
    Justice,
    /// `COMPASSION`
    #[token("COMPASSION")]
    Compassion,
    /// `SPEC`
    #[token("SPEC")]
    Spec,
    /// `CTLSPEC`
    #[token("CTLSPEC")]
    Ctlspec,
    /// `LTLSPEC`
    #[token("LTLSPEC")]
    Ltlspec,
    /// `PSLSPEC`
    #[token("PSLSPEC")]
    Pslspec,
    /// `INVARSPEC`
    #[token("INVARSPEC")]
    Invarspec,
    /// `COMPUTE`
    #[token("COMPUTE")]
    Compute,
    /// `CONSTANTS`
    #[token("CONSTANTS")]
    Constants,
    /// `ISA`
    #[token("ISA")]
    Isa,
    /// Words that NuSMV reserves for its commands.
    #[token("CONSTRAINT")]
    #[token("ITYPE")]
    #[token("SIMPWFF")]
    #[token("NEXTWFF")]
    #[token("CTLWFF")]
    #[token("LTLWFF")]
    #[token("COMPWFF")]
    #[token("COMPID")]
    Command,
    /// `NAME`
    #[token("NAME")]
    Name,
    /// `IN`
    #[token("IN")]
    InContext,

    /// `process`
    #[token("process")]
    Process,
    /// `array`
    #[token("array")]
    Array,
    /// `of`
    #[token("of")]
    Of,
    /// `boolean`
    #[token("boolean")]
    Boolean,
    /// `word`, `Word`
    #[token("word")]
    #[token("Word")]
    Word,
    /// `signed`
    #[token("signed")]
    Signed,
    /// `unsigned`
    #[token("unsigned")]
    Unsigned,

    /// `bool`
    #[token("bool")]
    Bool,
    /// `word1`
    #[token("word1")]
    Word1,
    /// `extend`
    #[token("extend")]
    Extend,
    /// `resize`
    #[token("resize")]
    Resize,
    /// `sizeof`
    #[token("sizeof")]
    SizeOf,
    /// `toint`
    #[token("toint")]
    ToInt,
    /// `uwconst`
    #[token("uwconst")]
    UwConst,
    /// `swconst`
    #[token("swconst")]
    SwConst,
    /// `count`
    #[token("count")]
    Count,
    /// `abs`
    #[token("abs")]
    Abs,
    /// `min`
    #[token("min")]
    Min,
    /// `max`
    #[token("max")]
    Max,
    /// `next`
    #[token("next")]
    Next,
    /// `init`
    #[token("init")]
    SmallInit,
    /// Functions on word arrays.
    #[token("READ")]
    #[token("WRITE")]
    #[token("CONSTARRAY")]
    #[token("typeof")]
    Unsupported,
    /// `case`
    #[token("case")]
    Case,
    /// `esac`
    #[token("esac")]
    Esac,
    /// `self`
    #[token("self")]
    SelfRef,
    /// `TRUE`
    #[token("TRUE")]
    True,
    /// `FALSE`
    #[token("FALSE")]
    False,

    /// `EX`
    #[token("EX")]
    Ex,
    /// `AX`
    #[token("AX")]
    Ax,
    /// `EF`
    #[token("EF")]
    Ef,
    /// `AF`
    #[token("AF")]
    Af,
    /// `EG`
    #[token("EG")]
    Eg,
    /// `AG`
    #[token("AG")]
    Ag,
    /// `E`
    #[token("E")]
    E,
    /// `A`
    #[token("A")]
    A,
    /// `X`
    #[token("X")]
    X,
    /// `Y`
    #[token("Y")]
    Y,
    /// `Z`
    #[token("Z")]
    Z,
    /// `G`
    #[token("G")]
    G,
    /// `H`
    #[token("H")]
    H,
    /// `F`
    #[token("F")]
    F,
    /// `O`
    #[token("O")]
    O,
    /// `U`
    #[token("U")]
    U,
    /// `S`
    #[token("S")]
    S,
    /// `V`
    #[token("V")]
    V,
    /// `T`
    #[token("T")]
    T,
    /// `BU`
    #[token("BU")]
    Bu,
    /// `EBF`
    #[token("EBF")]
    Ebf,
    /// `ABF`
    #[token("ABF")]
    Abf,
    /// `EBG`
    #[token("EBG")]
    Ebg,
    /// `ABG`
    #[token("ABG")]
    Abg,
    /// `MIN`
    #[token("MIN")]
    MinDistance,
    /// `MAX`
    #[token("MAX")]
    MaxDistance,

    /// `union`
    #[token("union")]
    Union,
    /// `in`
    #[token("in")]
    In,
    /// `mod`
    #[token("mod")]
    Mod,
    /// `xor`
    #[token("xor")]
    Xor,
    /// `xnor`
    #[token("xnor")]
    Xnor,

    /// `(`
    #[token("(")]
    LParen,
    /// `)`
    #[token(")")]
    RParen,
    /// `[`
    #[token("[")]
    LBracket,
    /// `]`
    #[token("]")]
    RBracket,
    /// `{`
    #[token("{")]
    LBrace,
    /// `}`
    #[token("}")]
    RBrace,
    /// `:=`
    #[token(":=")]
    Becomes,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Times,
    /// `/`
    #[token("/")]
    Divide,
    /// `<<`
    #[token("<<")]
    Shl,
    /// `>>`
    #[token(">>")]
    Shr,
    /// `<<<`
    #[token("<<<")]
    Rol,
    /// `>>>`
    #[token(">>>")]
    Ror,
    /// `=`
    #[token("=")]
    Eq,
    /// `!=`
    #[token("!=")]
    Ne,
    /// `<=`
    #[token("<=")]
    Le,
    /// `>=`
    #[token(">=")]
    Ge,
    /// `<`
    #[token("<")]
    Lt,
    /// `>`
    #[token(">")]
    Gt,
    /// `..`
    #[token("..")]
    DotDot,
    /// `.`
    #[token(".")]
    Dot,
    /// `->`
    #[token("->")]
    Implies,
    /// `<->`
    #[token("<->")]
    Iff,
    /// `|`
    #[token("|")]
    Or,
    /// `&`
    #[token("&")]
    And,
    /// `!`
    #[token("!")]
    Not,
    /// `?`
    #[token("?")]
    Question,
    /// `,`
    #[token(",")]
    Comma,
    /// `:`
    #[token(":")]
    Colon,
    /// `;`
    #[token(";")]
    Semi,
    /// `::`
    #[token("::")]
    Concat,
    /// `==`, which C has and SMV has not.
    #[token("==")]
    CEq,
    /// `&&`, likewise.
    #[token("&&")]
    CAnd,
    /// `||`, likewise.
    #[token("||")]
    COr,
}

impl Token {
    /// Does it begin a declaration, so that the one before must have ended?
    pub fn is_section(self) -> bool {
        use Token::*;
        matches!(
            self,
            Module
                | Var
                | Ivar
                | Frozenvar
                | Define
                | Mdefine
                | Fun
                | Assign
                | Init
                | Invar
                | Trans
                | Fairness
                | Justice
                | Compassion
                | Spec
                | Ctlspec
                | Ltlspec
                | Pslspec
                | Invarspec
                | Compute
                | Constants
                | Isa
        )
    }
}
