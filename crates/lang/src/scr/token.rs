//! The tokens of what stands in cells and rules.

use logos::Logos;

/// A token; its text is the slice of the source that it covers.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0C]+")]
#[logos(skip "\u{feff}")]
#[logos(skip("--[^\n]*", allow_greedy = true))]
// A line that goes on, and what Markdown needs before a bar in a cell.
#[logos(skip r"\\")]
pub enum Token {
    /// The end of the text; the lexer never yields it.
    End,
    /// A name.
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*", priority = 1)]
    Name,
    /// `12`
    #[regex("[0-9]+")]
    Number,
    /// `0.5`
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal,
    /// `True`
    #[token("True")]
    #[token("TRUE")]
    #[token("true")]
    True,
    /// `False`
    #[token("False")]
    #[token("FALSE")]
    #[token("false")]
    False,
    /// `NEVER`
    #[token("NEVER")]
    #[token("Never")]
    #[token("never")]
    Never,
    /// `INMODE`
    #[token("INMODE")]
    #[token("Inmode")]
    #[token("InMode")]
    #[token("inmode")]
    Inmode,
    /// `@T`
    #[token("@T")]
    AtTrue,
    /// `@F`
    #[token("@F")]
    AtFalse,
    /// `@C`
    #[token("@C")]
    AtChange,
    /// `WHEN`
    #[token("WHEN")]
    #[token("when")]
    When,
    /// `WHERE`
    #[token("WHERE")]
    #[token("where")]
    Where,
    /// `WHILE`
    #[token("WHILE")]
    #[token("while")]
    While,
    /// `AND`
    #[token("AND")]
    #[token("and")]
    #[token("&")]
    #[token("&&")]
    #[token("∧")]
    And,
    /// `OR`
    #[token("OR")]
    #[token("or")]
    #[token("∨")]
    Or,
    /// `XOR`
    #[token("XOR")]
    #[token("xor")]
    Xor,
    /// `NOT`
    #[token("NOT")]
    #[token("not")]
    #[token("!")]
    #[token("~")]
    #[token("¬")]
    Not,
    /// `=>`
    #[token("=>")]
    #[token("->")]
    #[token("⇒")]
    Implies,
    /// `<=>`
    #[token("<=>")]
    #[token("<->")]
    #[token("⇔")]
    Iff,
    /// `IN`
    #[token("IN")]
    #[token("in")]
    #[token("∈")]
    In,
    /// `MOD`
    #[token("MOD")]
    #[token("mod")]
    Mod,
    /// `=`
    #[token("=")]
    #[token("==")]
    Eq,
    /// `/=`
    #[token("/=")]
    #[token("!=")]
    #[token("<>")]
    #[token("≠")]
    Ne,
    /// `<`
    #[token("<")]
    Lt,
    /// `<=`
    #[token("<=")]
    #[token("≤")]
    Le,
    /// `>`
    #[token(">")]
    Gt,
    /// `>=`
    #[token(">=")]
    #[token("≥")]
    Ge,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,
    /// `..`
    #[token("..")]
    DotDot,
    /// `'`
    #[token("'")]
    #[token("’")]
    Prime,
    /// `|`
    #[token("|")]
    Bar,
    /// `,`
    #[token(",")]
    Comma,
    /// `:`
    #[token(":")]
    Colon,
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
    /// What is no token.
    Unknown,
}

impl Token {
    /// Is it a word that no variable may be called?
    pub fn is_word(self) -> bool {
        use Token as T;
        matches!(
            self,
            T::True
                | T::False
                | T::Never
                | T::Inmode
                | T::When
                | T::Where
                | T::While
                | T::And
                | T::Or
                | T::Xor
                | T::Not
                | T::In
                | T::Mod
        )
    }
}
