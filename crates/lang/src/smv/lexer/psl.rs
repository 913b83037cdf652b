//! The tokens of PSL properties.

use logos::Logos;

use super::{Remarks, block_comment, line_comment, slash_comment};
use crate::smv::syntax::{Binary, Psl, Unary};

/// A token; its text is the slice of the source that it covers.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(extras = Remarks)]
#[logos(skip r"[ \t\r\n\x0C]+")]
#[logos(skip "\u{feff}")]
#[logos(skip("--", line_comment))]
#[logos(skip("//", slash_comment))]
#[logos(skip("/--", block_comment))]
pub enum PslToken {
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
    /// `0.5`
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal,

    /// A keyword that begins a declaration of SMV: the `;` before it is missing.
    #[regex("MODULE|VAR|IVAR|FROZENVAR|M?DEFINE|FUN|ASSIGN|INIT|INVAR|TRANS|FAIRNESS|JUSTICE")]
    #[regex("COMPASSION|SPEC|CTLSPEC|LTLSPEC|PSLSPEC|INVARSPEC|COMPUTE|CONSTANTS|ISA")]
    Section,
    /// `NAME`
    #[token("NAME")]
    Name,
    /// `IN`
    #[token("IN")]
    InContext,

    /// `TRUE`
    #[token("TRUE")]
    True,
    /// `FALSE`
    #[token("FALSE")]
    False,
    /// `case`
    #[token("case")]
    Case,
    /// `esac`
    #[token("esac")]
    Esac,

    /// A function with one argument.
    #[token("bool", |_| Unary::Bool)]
    #[token("word1", |_| Unary::Word1)]
    #[token("signed", |_| Unary::Signed)]
    #[token("unsigned", |_| Unary::Unsigned)]
    #[token("sizeof", |_| Unary::SizeOf)]
    #[token("toint", |_| Unary::ToInt)]
    Function(Unary),
    /// A function with two arguments.
    #[token("extend", |_| Binary::Extend)]
    #[token("resize", |_| Binary::Resize)]
    #[token("uwconst", |_| Binary::UwConst)]
    #[token("swconst", |_| Binary::SwConst)]
    Function2(Binary),
    /// `select(word, high, low)`
    #[token("select")]
    Select,

    /// `always`, `G`
    #[token("always")]
    #[token("G")]
    Always,
    /// `never`
    #[token("never")]
    Never,
    /// `eventually!`
    #[token("eventually!")]
    Eventually,
    /// `F`
    #[token("F")]
    F,
    /// `next`, `next!`
    #[token("next")]
    #[token("next!")]
    Next,
    /// `X`, `X!`
    #[token("X")]
    #[token("X!")]
    X,
    /// An operator of branching time.
    #[token("EX", |_| Unary::Ex)]
    #[token("AX", |_| Unary::Ax)]
    #[token("EF", |_| Unary::Ef)]
    #[token("AF", |_| Unary::Af)]
    #[token("EG", |_| Unary::Eg)]
    #[token("AG", |_| Unary::Ag)]
    Branching(Unary),
    /// `A`
    #[token("A")]
    A,
    /// `E`
    #[token("E")]
    E,
    /// `U`
    #[token("U")]
    U,
    /// `W`
    #[token("W")]
    W,
    /// `next_a[lo:hi](p)` and `next_e[lo:hi](p)`
    #[token("next_a", |_| Psl::NextA)]
    #[token("next_a!", |_| Psl::NextA)]
    #[token("next_e", |_| Psl::NextE)]
    #[token("next_e!", |_| Psl::NextE)]
    NextRange(Psl),
    /// `next_event(b)(p)` and `next_event(b)[n](p)`
    #[token("next_event", |_| Psl::NextEvent)]
    #[token("next_event!", |_| Psl::NextEventStrong)]
    NextEvent(Psl),
    /// `next_event_a(b)[lo:hi](p)` and `next_event_e(b)[lo:hi](p)`
    #[token("next_event_a", |_| Psl::NextEventA)]
    #[token("next_event_a!", |_| Psl::NextEventAStrong)]
    #[token("next_event_e", |_| Psl::NextEventE)]
    #[token("next_event_e!", |_| Psl::NextEventEStrong)]
    NextEventRange(Psl),
    /// `before` and its kin.
    #[token("before", |_| Psl::Before)]
    #[token("before!", |_| Psl::BeforeStrong)]
    #[token("before_", |_| Psl::BeforeInclusive)]
    #[token("before!_", |_| Psl::BeforeStrongInclusive)]
    Before(Psl),
    /// `until` and its kin, except `until!`.
    #[token("until", |_| Psl::Until)]
    #[token("until_", |_| Psl::UntilInclusive)]
    #[token("until!_", |_| Psl::UntilStrongInclusive)]
    Until(Psl),
    /// `until!`
    #[token("until!")]
    UntilStrong,
    /// `abort`
    #[token("abort")]
    Abort,

    /// What stands for a part of PSL that we do not have: sequences and replication.
    #[regex(
        "forall|forany|within!?_?|whilenot!?_?|sequence|grsequence|property|inf|posedge|negedge"
    )]
    #[token("|->")]
    #[token("|=>")]
    #[token("[*")]
    #[token("[+]")]
    #[token("[=")]
    #[token("[->")]
    #[regex("~[&|^]?|\\^~|===|!==|<<<|>>>|\\*\\*|or")]
    Sequence,

    /// A binary operator that means the same in SMV.
    #[token("->", |_| Binary::Implies)]
    #[token("<->", |_| Binary::Iff)]
    #[token("in", |_| Binary::In)]
    #[token("union", |_| Binary::Union)]
    #[token("|", |_| Binary::Or)]
    #[token("^", |_| Binary::Xor)]
    #[token("xor", |_| Binary::Xor)]
    #[token("xnor", |_| Binary::Xnor)]
    #[token("&", |_| Binary::And)]
    #[token("=", |_| Binary::Eq)]
    #[token("==", |_| Binary::Eq)]
    #[token("!=", |_| Binary::Ne)]
    #[token("<", |_| Binary::Lt)]
    #[token("<=", |_| Binary::Le)]
    #[token(">", |_| Binary::Gt)]
    #[token(">=", |_| Binary::Ge)]
    #[token("<<", |_| Binary::Shl)]
    #[token(">>", |_| Binary::Shr)]
    #[token("*", |_| Binary::Mul)]
    #[token("/", |_| Binary::Div)]
    #[token("mod", |_| Binary::Mod)]
    #[token("::", |_| Binary::Concat)]
    Binary(Binary),
    /// `||`, looser than `|`.
    #[token("||")]
    OrOr,
    /// `&&`, looser than `|`.
    #[token("&&")]
    AndAnd,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `!`
    #[token("!")]
    Not,
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
    /// `.`
    #[token(".")]
    Dot,
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
}
