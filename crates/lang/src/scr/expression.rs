//! Expressions, events and formulas of SCR, into postfix code.
//!
//! The parser is before an operand or behind one, as that of SMV; see [`crate::yard`] for the stack.
//! From loose to tight: `<=>`, `=>`, `OR`, `WHEN`, `AND`, `U`, `NOT` and temporal operators,
//! comparisons, `+`, `*`, the sign. So the condition of an event goes on over `AND`, and `OR`
//! begins another event.

use logos::Logos;
use trapline_model::{BinaryOp, Event, UnaryOp};
use trapline_source::{Diagnostic, Diagnostics, Span};

use super::layout::Piece;
use super::syntax::{Code, Name, NameId, Node, Op};
use super::token::Token;
use crate::yard::{LOOSEST, TooDeep, Yard};

mod level {
    use super::LOOSEST;

    pub const IFF: u8 = LOOSEST;
    pub const IMPLIES: u8 = IFF + 1;
    pub const OR: u8 = IMPLIES + 1;
    pub const WHEN: u8 = OR + 1;
    pub const AND: u8 = WHEN + 1;
    pub const UNTIL: u8 = AND + 1;
    pub const NOT: u8 = UNTIL + 1;
    pub const COMPARISON: u8 = NOT + 1;
    pub const RANGE: u8 = COMPARISON + 1;
    pub const SUM: u8 = RANGE + 1;
    pub const PRODUCT: u8 = SUM + 1;
    pub const SIGN: u8 = PRODUCT + 1;
}

/// What may stand in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// Conditions and values.
    Plain,
    /// Types: no comparisons, so that `=` may follow.
    Type,
    /// A value that a table gives: `OR` between values is a choice.
    Value,
    /// Branching time.
    Ctl,
    /// Linear time.
    Ltl,
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// `( e`
    Paren,
    /// `| e`
    Bars,
    /// `ABS( e`
    Abs,
    /// `@T( e`
    Event(Event),
    /// `{ e`, after so many elements
    Set(u32),
    /// `MIN( e`
    First(BinaryOp),
    /// `MIN(_, e`
    Second(BinaryOp),
    /// `A[ e`
    UntilLeft(BinaryOp),
    /// `A[_ U e`
    UntilRight(BinaryOp),
}

/// Where the parser is.
enum Position {
    Operand,
    Operator,
    End,
}

/// What was not understood was reported.
#[derive(Debug)]
pub struct Wrong;

/// The names and nodes that were read so far.
#[derive(Debug, Default)]
pub struct Pool {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The names.
    pub names: Vec<String>,
    ids: rustc_hash::FxHashMap<String, NameId>,
}

impl Pool {
    /// A pool that goes on with what was read before.
    pub fn with(names: Vec<String>, nodes: Vec<Node>) -> Pool {
        let number = |(idx, name): (usize, &String)| (name.clone(), NameId(idx as u32));
        let ids = names.iter().enumerate().map(number).collect();
        Pool { nodes, names, ids }
    }

    /// The name with this text.
    pub fn intern(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }
}

/// Reads one piece of text.
pub struct Reader<'t, 'p> {
    pool: &'p mut Pool,
    diagnostics: &'p mut Diagnostics,
    /// The tokens, with the end last.
    tokens: Vec<(Token, Span)>,
    place: usize,
    text: Piece<'t>,
    grammar: Grammar,
    yard: Yard<Frame, Op>,
}

impl<'t, 'p> Reader<'t, 'p> {
    /// A reader at the start of a piece.
    pub fn new(
        text: Piece<'t>,
        pool: &'p mut Pool,
        diagnostics: &'p mut Diagnostics,
    ) -> Reader<'t, 'p> {
        let tokens = Token::lexer(text.text).spanned().map(|(token, range)| {
            let span = Span::new(text.at + range.start as u32, text.at + range.end as u32);
            (token.unwrap_or(Token::Unknown), span)
        });
        let mut tokens: Vec<(Token, Span)> = tokens.collect();
        let end = text.span().end;
        tokens.push((Token::End, Span::new(end, end)));
        let (grammar, yard) = (Grammar::Plain, Yard::default());
        Reader { pool, diagnostics, tokens, place: 0, text, grammar, yard }
    }

    /// The next token.
    pub fn token(&self) -> Token {
        self.tokens[self.place].0
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.tokens[self.place].1
    }

    fn next_token(&self) -> Token {
        self.tokens.get(self.place + 1).map_or(Token::End, |(token, _)| *token)
    }

    /// The text of the next token.
    pub fn token_text(&self) -> &'t str {
        self.text.of(self.span())
    }

    /// Takes the next token if it is this one.
    pub fn take(&mut self, token: Token) -> bool {
        let is_it = self.token() == token;
        if is_it {
            self.advance();
        }
        is_it
    }

    fn advance(&mut self) {
        self.place = (self.place + 1).min(self.tokens.len() - 1);
    }

    /// The end of the last token that was taken.
    pub fn last_end(&self) -> u32 {
        self.place.checked_sub(1).map_or(self.text.at, |before| self.tokens[before].1.end)
    }

    /// A name.
    pub fn name(&mut self, what: &str) -> Result<Name, Wrong> {
        if self.token() != Token::Name {
            return Err(self.expected(what));
        }
        let name = Name { id: self.pool.intern(self.token_text()), span: self.span() };
        self.advance();
        Ok(name)
    }

    /// The name that the piece begins with, if it does.
    pub fn first_name(&mut self) -> Option<NameId> {
        let (_, span) = *self.tokens.first().filter(|(token, _)| *token == Token::Name)?;
        Some(self.pool.intern(self.text.of(span)))
    }

    /// Nothing may follow.
    pub fn end(&mut self) -> Result<(), Wrong> {
        match self.token() {
            Token::End => Ok(()),
            _ => Err(self.expected("an operator, or the end")),
        }
    }

    /// Reports that something else is expected here.
    pub fn expected(&mut self, what: &str) -> Wrong {
        let (token, span) = (self.token(), self.span());
        let found = match token {
            Token::End if self.place == 0 => "nothing".into(),
            Token::End => "the end".into(),
            _ => format!("`{}`", self.token_text()),
        };
        let mut diagnostic =
            Diagnostic::error("syntax", span, format!("expected {what}, found {found}"));
        if token.is_word() && what.contains("name") {
            diagnostic = diagnostic.help(format!("{found} is a word of the notation"));
        }
        self.report(diagnostic)
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Wrong {
        self.diagnostics.push(diagnostic);
        Wrong
    }

    /// An expression up to where it can't go on.
    pub fn expression(&mut self, grammar: Grammar) -> Result<Code, Wrong> {
        self.grammar = grammar;
        self.yard.clear();
        let start = self.pool.nodes.len() as u32;
        let mut position = Position::Operand;
        loop {
            position = match position {
                Position::Operand => self.operand()?,
                Position::Operator => self.operator()?,
                Position::End => return Ok(Code { start, end: self.pool.nodes.len() as u32 }),
            };
        }
    }

    /// A type: what goes on up to a comparison.
    pub fn type_code(&mut self) -> Result<Code, Wrong> {
        self.expression(Grammar::Type)
    }

    /// An expression that is all that is left of the piece.
    pub fn whole(&mut self, grammar: Grammar) -> Result<Code, Wrong> {
        let code = self.expression(grammar)?;
        self.end()?;
        Ok(code)
    }

    fn operand(&mut self) -> Result<Position, Wrong> {
        use Token as T;
        let start = self.span().start;
        match self.token() {
            T::Name => self.name_operand(start),
            T::Number => {
                let Ok(number) = self.token_text().parse() else {
                    let text = "the number does not fit 64 bits";
                    let diagnostic = Diagnostic::error("bad-number", self.span(), text);
                    return Err(self.report(diagnostic));
                };
                Ok(self.leaf(Op::Int(number)))
            }
            T::Decimal => self.decimal(),
            T::True => Ok(self.leaf(Op::Bool(true))),
            T::False => Ok(self.leaf(Op::Bool(false))),
            T::Never => Ok(self.leaf(Op::Never)),
            T::Not => self.prefix(Op::Unary(UnaryOp::Not), level::NOT),
            T::Minus => self.prefix(Op::Unary(UnaryOp::Neg), level::SIGN),
            T::LParen => self.open(Frame::Paren, start),
            T::LBrace => self.open(Frame::Set(0), start),
            T::Bar => self.open(Frame::Bars, start),
            T::AtTrue => self.event(Event::Rise, start),
            T::AtFalse => self.event(Event::Fall, start),
            T::AtChange => self.event(Event::Change, start),
            T::Inmode => {
                let text = "`INMODE` stands alone in `@T(INMODE)` or `@F(INMODE)`";
                let help = "for a condition write a comparison, as in `Mode = Off`";
                let diagnostic = Diagnostic::error("bad-event", self.span(), text).help(help);
                Err(self.report(diagnostic))
            }
            _ => Err(self.expected("a condition, an event or a value")),
        }
    }

    fn name_operand(&mut self, start: u32) -> Result<Position, Wrong> {
        let text = self.token_text();
        let is_call = self.next_token() == Token::LParen;
        match text {
            "ABS" | "abs" if is_call => {
                self.advance();
                return self.open(Frame::Abs, start);
            }
            "MIN" | "min" | "MAX" | "max" if is_call => {
                let is_min = text.eq_ignore_ascii_case("min");
                let op = if is_min { BinaryOp::Min } else { BinaryOp::Max };
                self.advance();
                return self.open(Frame::First(op), start);
            }
            _ => {}
        }
        if let Some(op) = temporal_prefix(text, self.grammar) {
            return self.prefix(Op::Unary(op), level::NOT);
        }
        if self.grammar == Grammar::Ctl && self.next_token() == Token::LBracket {
            let op = match text {
                "A" => Some(BinaryOp::Au),
                "E" => Some(BinaryOp::Eu),
                _ => None,
            };
            if let Some(op) = op {
                self.advance();
                return self.open(Frame::UntilLeft(op), start);
            }
        }
        let name = self.name("a name")?;
        let primed = self.take(Token::Prime);
        let op = if primed { Op::Primed(name.id) } else { Op::Name(name.id) };
        self.push_leaf(op, Span::new(start, self.last_end()));
        Ok(Position::Operator)
    }

    fn decimal(&mut self) -> Result<Position, Wrong> {
        let text = self.token_text();
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let den = 10i64.checked_pow(part.len() as u32);
        let num = format!("{whole}{part}").parse::<i64>().ok();
        match (num, den) {
            (Some(num), Some(den)) => Ok(self.leaf(Op::Real(num, den))),
            _ => {
                let text = "the number has too many digits";
                let diagnostic = Diagnostic::error("bad-number", self.span(), text);
                Err(self.report(diagnostic))
            }
        }
    }

    fn event(&mut self, event: Event, start: u32) -> Result<Position, Wrong> {
        self.advance();
        if self.token() != Token::LParen {
            return Err(self.expected("`(` behind the event"));
        }
        if self.next_token() != Token::Inmode {
            return self.open(Frame::Event(event), start);
        }
        self.advance();
        let inmode = self.span();
        self.advance();
        let op = match (event, self.token()) {
            (Event::Rise, Token::RParen) => Op::Enter,
            (Event::Fall, Token::RParen) => Op::Leave,
            _ => {
                let text = "`INMODE` stands alone in `@T(INMODE)` or `@F(INMODE)`";
                let help = "join it with other events by OR, or with conditions by WHEN";
                let diagnostic = Diagnostic::error("bad-event", inmode, text).help(help);
                return Err(self.report(diagnostic));
            }
        };
        self.advance();
        self.push_leaf(op, Span::new(start, self.last_end()));
        Ok(Position::Operator)
    }

    fn leaf(&mut self, op: Op) -> Position {
        let span = self.span();
        self.advance();
        self.push_leaf(op, span);
        Position::Operator
    }

    fn push_leaf(&mut self, op: Op, span: Span) {
        self.yard.operand_start = span.start;
        self.pool.nodes.push(Node { op, span });
    }

    fn prefix(&mut self, op: Op, level: u8) -> Result<Position, Wrong> {
        let start = self.span().start;
        let pushed = self.yard.push_prefix(op, level, start);
        self.deep(pushed)?;
        self.advance();
        Ok(Position::Operand)
    }

    /// Opens a bracket, which is the next token.
    fn open(&mut self, frame: Frame, start: u32) -> Result<Position, Wrong> {
        let opened = self.yard.open(frame, start);
        self.deep(opened)?;
        self.advance();
        Ok(Position::Operand)
    }

    fn deep(&mut self, pushed: Result<(), TooDeep>) -> Result<(), Wrong> {
        pushed.map_err(|TooDeep| {
            let text = "this is nested too deeply";
            let help = "give parts of it to a term with a condition table";
            let diagnostic = Diagnostic::error("too-deep", self.span(), text).help(help);
            self.report(diagnostic)
        })
    }

    fn reduce(&mut self, level: u8) {
        let end = self.last_end();
        self.yard.reduce(level, &mut self.pool.nodes, end);
    }

    fn operator(&mut self) -> Result<Position, Wrong> {
        let is_choice = self.grammar == Grammar::Value && self.yard.innermost().is_none();
        let text = self.token_text();
        let is_until = matches!(self.yard.innermost(), Some((Frame::UntilLeft(_), _)));
        let infix = match self.token() {
            Token::Or if is_choice => Some((Op::Binary(BinaryOp::Union), level::OR)),
            Token::Name if text == "U" && is_until => None,
            Token::Name if self.grammar == Grammar::Ltl => temporal_infix(text),
            token => infix(token),
        };
        let is_type_end = |level: u8| self.grammar == Grammar::Type && level < level::RANGE;
        let infix = infix.filter(|(_, level)| !is_type_end(*level));
        let Some((op, level)) = infix else { return self.delimiter() };
        // Only the implication associates to the right.
        let is_right = matches!(op, Op::Binary(BinaryOp::Implies | BinaryOp::U));
        self.reduce(level + u8::from(is_right));
        self.advance();
        self.yard.push_infix(op, level);
        Ok(Position::Operand)
    }

    /// What is neither operand nor operator: it goes on with a bracket, closes it, or ends everything.
    fn delimiter(&mut self) -> Result<Position, Wrong> {
        self.reduce(LOOSEST);
        let Some((frame, start)) = self.yard.innermost() else { return Ok(Position::End) };
        let comma = self.token() == Token::Comma;
        match frame {
            Frame::Set(n_before) if comma => {
                self.yard.replace(Frame::Set(n_before + 1));
                self.advance();
                return Ok(Position::Operand);
            }
            Frame::First(op) if comma => {
                self.yard.replace(Frame::Second(op));
                self.advance();
                return Ok(Position::Operand);
            }
            Frame::UntilLeft(op) if self.token() == Token::Name => {
                self.yard.replace(Frame::UntilRight(op));
                self.advance();
                return Ok(Position::Operand);
            }
            _ => {}
        }
        let (closing, what, op) = match frame {
            Frame::Paren => (Token::RParen, "an operator or `)`", None),
            Frame::Bars => (Token::Bar, "an operator or `|`", Some(Op::Unary(UnaryOp::Abs))),
            Frame::Abs => (Token::RParen, "an operator or `)`", Some(Op::Unary(UnaryOp::Abs))),
            Frame::Event(event) => (Token::RParen, "an operator or `)`", Some(Op::Event(event))),
            Frame::Set(n) => (Token::RBrace, "an operator, `,` or `}`", Some(Op::Set(n + 1))),
            Frame::First(_) => (Token::Unknown, "an operator or `,`", None),
            Frame::Second(op) => (Token::RParen, "an operator or `)`", Some(Op::Binary(op))),
            Frame::UntilLeft(_) => (Token::Unknown, "an operator or `U`", None),
            Frame::UntilRight(op) => (Token::RBracket, "an operator or `]`", Some(Op::Binary(op))),
        };
        if self.token() != closing || closing == Token::Unknown {
            return Err(self.expected(what));
        }
        self.advance();
        self.yard.close();
        if let Some(op) = op {
            let span = Span::new(start, self.last_end());
            self.pool.nodes.push(Node { op, span });
        }
        Ok(Position::Operator)
    }
}

fn infix(token: Token) -> Option<(Op, u8)> {
    use Token as T;
    let binary = |op, level| Some((Op::Binary(op), level));
    match token {
        T::Iff => binary(BinaryOp::Iff, level::IFF),
        T::Implies => binary(BinaryOp::Implies, level::IMPLIES),
        T::Or => binary(BinaryOp::Or, level::OR),
        T::Xor => binary(BinaryOp::Xor, level::OR),
        T::When => Some((Op::When, level::WHEN)),
        T::Where => Some((Op::Where, level::WHEN)),
        T::While => Some((Op::While, level::WHEN)),
        T::And => binary(BinaryOp::And, level::AND),
        T::Eq => binary(BinaryOp::Eq, level::COMPARISON),
        T::Ne => binary(BinaryOp::Ne, level::COMPARISON),
        T::Lt => binary(BinaryOp::Lt, level::COMPARISON),
        T::Le => binary(BinaryOp::Le, level::COMPARISON),
        T::Gt => binary(BinaryOp::Gt, level::COMPARISON),
        T::Ge => binary(BinaryOp::Ge, level::COMPARISON),
        T::In => binary(BinaryOp::In, level::COMPARISON),
        T::DotDot => Some((Op::Range, level::RANGE)),
        T::Plus => binary(BinaryOp::Add, level::SUM),
        T::Minus => binary(BinaryOp::Sub, level::SUM),
        T::Star => binary(BinaryOp::Mul, level::PRODUCT),
        T::Slash => binary(BinaryOp::Div, level::PRODUCT),
        T::Mod => binary(BinaryOp::Mod, level::PRODUCT),
        _ => None,
    }
}

fn temporal_prefix(text: &str, grammar: Grammar) -> Option<UnaryOp> {
    use UnaryOp as Op;
    Some(match (grammar, text) {
        (Grammar::Ctl, "AG") => Op::Ag,
        (Grammar::Ctl, "AF") => Op::Af,
        (Grammar::Ctl, "AX") => Op::Ax,
        (Grammar::Ctl, "EG") => Op::Eg,
        (Grammar::Ctl, "EF") => Op::Ef,
        (Grammar::Ctl, "EX") => Op::Ex,
        (Grammar::Ltl, "G") => Op::G,
        (Grammar::Ltl, "F") => Op::F,
        (Grammar::Ltl, "X") => Op::X,
        (Grammar::Ltl, "Y") => Op::Y,
        (Grammar::Ltl, "Z") => Op::Z,
        (Grammar::Ltl, "H") => Op::H,
        (Grammar::Ltl, "O") => Op::O,
        _ => return None,
    })
}

fn temporal_infix(text: &str) -> Option<(Op, u8)> {
    let op = match text {
        "U" => BinaryOp::U,
        "V" | "R" => BinaryOp::V,
        "S" => BinaryOp::S,
        "T" => BinaryOp::T,
        _ => return None,
    };
    Some((Op::Binary(op), level::UNTIL))
}
