//! The tokens of SAL.
//!
//! Keywords may be written in any mix of cases, so they are told from names by a table. Only the
//! operators that are words (`AND`, `MOD`) are all in upper or all in lower case.

use logos::Logos;

/// A token; its text is the slice of the source that it covers.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0B\x0C]+")]
#[logos(skip "\u{feff}")]
#[logos(skip("%[^\n]*", allow_greedy = true))]
pub enum Token {
    /// The end of the text; the lexer never yields it.
    End,
    /// A name, perhaps one that is made of operator characters.
    #[regex("[A-Za-z_][A-Za-z0-9_?]*", priority = 1)]
    #[regex("[$&@^~][-$&@^~*+/<=>'\"`]*")]
    Name,
    /// `12`
    #[regex("[0-9]+")]
    Number,
    /// `0xFF`, `0b101`
    #[regex("0[xX][0-9A-Za-z]+")]
    #[regex("0[bB][0-9A-Za-z]+")]
    BasedNumber,
    /// `"text"`
    #[regex(r#""(\\[^\n]|[^"\\\n])*""#)]
    Text,
    /// `"text`, up to the end of the line.
    #[regex(r#""(\\[^\n]|[^"\\\n])*"#)]
    OpenText,
    /// `_`
    #[token("_")]
    Underscore,

    /// `TYPE`; no keyword is yielded by the lexer, see [`keyword`].
    Type,
    /// `ARRAY`
    Array,
    /// `OF`
    Of,
    /// `WITH`
    With,
    /// `LAMBDA`
    Lambda,
    /// `FORALL`
    Forall,
    /// `EXISTS`
    Exists,
    /// `LET`
    Let,
    /// `IN`
    In,
    /// `IF`
    If,
    /// `THEN`
    Then,
    /// `ELSE`
    Else,
    /// `ELSIF`
    Elsif,
    /// `ENDIF`
    Endif,
    /// `BEGIN`
    Begin,
    /// `END`
    EndWord,
    /// `RENAME`
    Rename,
    /// `TO`
    To,
    /// `CONTEXT`
    Context,
    /// `MODULE`
    Module,
    /// `INPUT`
    Input,
    /// `OUTPUT`
    Output,
    /// `GLOBAL`
    Global,
    /// `LOCAL`
    Local,
    /// `INITIALIZATION`
    Initialization,
    /// `DEFINITION`
    Definition,
    /// `TRANSITION`
    Transition,
    /// `THEOREM`
    Theorem,
    /// `LEMMA`
    Lemma,
    /// `CLAIM`
    Claim,
    /// `OBLIGATION`
    Obligation,
    /// `OBSERVE`
    Observe,
    /// `IMPLEMENTS`
    Implements,
    /// `DATATYPE`
    Datatype,
    /// `STATE_TYPE`
    StateType,
    /// `INIT_PRED`
    InitPred,
    /// `TRANS_PRED`
    TransPred,
    /// `SCALARSET`
    Scalarset,
    /// `RINGSET`
    Ringset,
    /// `IMPORTING`
    Importing,
    /// `SUFFIX`, `PREFIX`: words without a meaning.
    Reserved,

    /// `AND`
    #[token("AND")]
    #[token("and")]
    And,
    /// `OR`
    #[token("OR")]
    #[token("or")]
    Or,
    /// `XOR`
    #[token("XOR")]
    #[token("xor")]
    Xor,
    /// `NOT`
    #[token("NOT")]
    #[token("not")]
    Not,
    /// `DIV`
    #[token("DIV")]
    #[token("div")]
    Div,
    /// `MOD`
    #[token("MOD")]
    #[token("mod")]
    Mod,

    /// `[#`
    #[token("[#")]
    OpenRecordType,
    /// `#]`
    #[token("#]")]
    CloseRecordType,
    /// `(#`
    #[token("(#")]
    OpenRecord,
    /// `#)`
    #[token("#)")]
    CloseRecord,
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
    /// `[]`, without white space.
    #[token("[]")]
    Async,
    /// `||`
    #[token("||")]
    Sync,
    /// `|`
    #[token("|")]
    Bar,
    /// `|-`
    #[token("|-")]
    Turnstile,
    /// `-->`
    #[token("-->")]
    LongArrow,
    /// `->`
    #[token("->")]
    Arrow,
    /// `:=`
    #[token(":=")]
    Becomes,
    /// `:`
    #[token(":")]
    Colon,
    /// `;`
    #[token(";")]
    Semi,
    /// `,`
    #[token(",")]
    Comma,
    /// `..`
    #[token("..")]
    DotDot,
    /// `.`
    #[token(".")]
    Dot,
    /// `'`
    #[token("'")]
    Prime,
    /// `!`
    #[token("!")]
    Bang,
    /// `<=>`
    #[token("<=>")]
    Iff,
    /// `=>`
    #[token("=>")]
    Therefore,
    /// `=`
    #[token("=")]
    Eq,
    /// `/=`
    #[token("/=")]
    Ne,
    /// `<`
    #[token("<")]
    Lt,
    /// `<=`
    #[token("<=")]
    Le,
    /// `>`
    #[token(">")]
    Gt,
    /// `>=`
    #[token(">=")]
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
}

/// The keywords, as messages write them.
pub const KEYWORDS: &[(&str, Token)] = &[
    ("TYPE", Token::Type),
    ("ARRAY", Token::Array),
    ("OF", Token::Of),
    ("WITH", Token::With),
    ("LAMBDA", Token::Lambda),
    ("FORALL", Token::Forall),
    ("EXISTS", Token::Exists),
    ("LET", Token::Let),
    ("IN", Token::In),
    ("IF", Token::If),
    ("THEN", Token::Then),
    ("ELSE", Token::Else),
    ("ELSIF", Token::Elsif),
    ("ENDIF", Token::Endif),
    ("BEGIN", Token::Begin),
    ("END", Token::EndWord),
    ("RENAME", Token::Rename),
    ("TO", Token::To),
    ("CONTEXT", Token::Context),
    ("MODULE", Token::Module),
    ("INPUT", Token::Input),
    ("OUTPUT", Token::Output),
    ("GLOBAL", Token::Global),
    ("LOCAL", Token::Local),
    ("INITIALIZATION", Token::Initialization),
    ("DEFINITION", Token::Definition),
    ("TRANSITION", Token::Transition),
    ("THEOREM", Token::Theorem),
    ("LEMMA", Token::Lemma),
    ("CLAIM", Token::Claim),
    ("OBLIGATION", Token::Obligation),
    ("OBSERVE", Token::Observe),
    ("IMPLEMENTS", Token::Implements),
    ("DATATYPE", Token::Datatype),
    ("STATE_TYPE", Token::StateType),
    ("INIT_PRED", Token::InitPred),
    ("TRANS_PRED", Token::TransPred),
    ("SCALARSET", Token::Scalarset),
    ("RINGSET", Token::Ringset),
    ("IMPORTING", Token::Importing),
    ("SUFFIX", Token::Reserved),
    ("PREFIX", Token::Reserved),
];

/// The keyword that a word is, in whatever case.
pub fn keyword(word: &str) -> Option<Token> {
    let is_it = |(text, _): &&(&str, Token)| text.eq_ignore_ascii_case(word);
    KEYWORDS.iter().find(is_it).map(|(_, token)| *token)
}

impl Token {
    /// Is it a word that nothing may be called?
    pub fn is_word(self) -> bool {
        use Token as T;
        let is_operator = matches!(self, T::And | T::Or | T::Xor | T::Not | T::Div | T::Mod);
        is_operator || KEYWORDS.iter().any(|(_, token)| *token == self)
    }

    /// Does a section of a module begin with it?
    pub fn is_section(self) -> bool {
        use Token as T;
        self.is_class() || matches!(self, T::Definition | T::Initialization | T::Transition)
    }

    /// Do declarations of variables begin with it?
    pub fn is_class(self) -> bool {
        use Token as T;
        matches!(self, T::Input | T::Output | T::Global | T::Local)
    }

    /// Does a claim begin with it?
    pub fn is_claim(self) -> bool {
        use Token as T;
        matches!(self, T::Theorem | T::Lemma | T::Claim | T::Obligation)
    }
}
