//! Types of variables.

use trapline_source::{Diagnostic, Span};

use super::expression::{Context, Position};
use super::messages::reserved_word;
use super::operators;
use super::{Parsed, Parser};
use crate::smv::lexer::Token;
use crate::smv::syntax::{BaseType, Code, Name, Op, TypeExpr, Unary};

/// Deeper JSON than this is not read by many programs.
const MAX_DIMS: usize = 100;

impl Parser<'_, '_> {
    /// The type in a declaration.
    pub fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.span.start;
        let mut dims = Vec::new();
        while self.eat(Token::Array) {
            self.refuse_unbounded_array()?;
            if dims.len() == MAX_DIMS {
                let what = format!("arrays of more than {MAX_DIMS} dimensions are");
                return self.not_supported(self.span, &what);
            }
            dims.push(self.range()?);
            self.expect(Token::Of, "`of` after the range of the array")?;
        }
        let base = self.base_type()?;
        Ok(TypeExpr { dims, base, span: Span::new(start, self.prev_end) })
    }

    /// Refuses `array word[4] of t` and its kin, which nuXmv has.
    fn refuse_unbounded_array(&mut self) -> Parsed<()> {
        let arrays = match self.text() {
            "integer" => "arrays indexed by `integer`",
            "boolean" => "arrays indexed by `boolean`",
            "word" | "Word" | "signed" | "unsigned" => "arrays indexed by words",
            "of" => "arrays without a range of indices",
            _ => return Ok(()),
        };
        let message = format!("{arrays} are not supported");
        let help = "give the range of the indices, as in `array 0..15 of boolean`";
        self.fail(Diagnostic::error("not-supported", self.span, message).help(help))
    }

    fn base_type(&mut self) -> Parsed<BaseType> {
        match self.token {
            Token::Boolean => {
                self.advance();
                Ok(BaseType::Boolean)
            }
            Token::Word => self.word_type(false),
            Token::Unsigned => {
                self.advance();
                self.word_type(false)
            }
            Token::Signed => {
                self.advance();
                self.word_type(true)
            }
            Token::LBrace => self.enumeration(),
            Token::Process => {
                self.advance();
                if self.token != Token::Ident {
                    return self.no_name("the name of a module after `process`");
                }
                let module = self.name_here();
                self.advance();
                self.instance(module, true)
            }
            Token::Ident => self.named_type(),
            Token::Number | Token::Minus | Token::Plus | Token::LParen => self.range_type(),
            token if operators::function(token).is_some() => self.function_type(),
            token if operators::function2(token).is_some() => self.range_type(),
            _ => self.unexpected("a type"),
        }
    }

    fn range_type(&mut self) -> Parsed<BaseType> {
        self.range().map(|(low, high)| BaseType::Range(low, high))
    }

    /// A range that starts with a function, or `bool` instead of `boolean`.
    fn function_type(&mut self) -> Parsed<BaseType> {
        if self.token == Token::Bool {
            let diagnostic = self.expected("a type").help("write `boolean`");
            return self.fail(diagnostic);
        }
        self.range_type()
    }

    fn word_type(&mut self, signed: bool) -> Parsed<BaseType> {
        self.expect(Token::Word, "`word`")?;
        self.expect(Token::LBracket, "`[` and a width after `word`")?;
        let width = self.expression(Context::Plain)?;
        self.expect(Token::RBracket, "`]` after the width")?;
        Ok(BaseType::Word { signed, width })
    }

    /// A module, one of the unbounded types, or a range that begins with a name.
    fn named_type(&mut self) -> Parsed<BaseType> {
        let module = self.name_here();
        self.advance();
        if !matches!(self.token, Token::Semi | Token::LParen | Token::Eof)
            && !self.token.is_section()
            && self.token != Token::Ident
        {
            let start = self.here();
            self.emit(Op::Ident(module.id), module.span);
            self.yard.operand_start = module.span.start;
            let low = self.expression_from(start, Context::Bound, Position::Operator)?;
            return self.upper_bound(low).map(|(low, high)| BaseType::Range(low, high));
        }
        match self.program.name(module.id) {
            "integer" => Ok(BaseType::Integer),
            "real" => Ok(BaseType::Real),
            "clock" => Ok(BaseType::Clock),
            _ => self.instance(module, false),
        }
    }

    fn instance(&mut self, module: Name, process: bool) -> Parsed<BaseType> {
        let mut args = Vec::new();
        if self.eat(Token::LParen) && !self.eat(Token::RParen) {
            loop {
                args.push(self.expression(Context::Plain)?);
                if !self.eat(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::RParen, "`,` or `)` after the argument")?;
        }
        Ok(BaseType::Instance { process, module, args })
    }

    /// `lo..hi`, both constant expressions.
    fn range(&mut self) -> Parsed<(Code, Code)> {
        let low = self.expression(Context::Bound)?;
        self.upper_bound(low)
    }

    fn upper_bound(&mut self, low: Code) -> Parsed<(Code, Code)> {
        self.expect(Token::DotDot, "`..` and an upper bound")?;
        Ok((low, self.expression(Context::Bound)?))
    }

    fn enumeration(&mut self) -> Parsed<BaseType> {
        self.advance();
        let mut values = Vec::new();
        loop {
            values.push(self.enum_value()?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RBrace, "`,` or `}` after the value")?;
        Ok(BaseType::Enum(values))
    }

    fn enum_value(&mut self) -> Parsed<Code> {
        let node_start = self.here();
        let start = self.span.start;
        match self.token {
            Token::Number => {
                let op = self.integer();
                self.emit(op, self.span);
            }
            Token::Minus | Token::Plus => return self.signed_value(),
            Token::True => self.emit(Op::True, self.span),
            Token::False => self.emit(Op::False, self.span),
            Token::Ident => return self.constant_name(),
            _ if self.is_reserved_word() => {
                let diagnostic = reserved_word(self.text(), self.span);
                self.report(diagnostic);
                self.emit(Op::True, Span::new(start, self.span.end));
            }
            _ => return self.unexpected("a name or an integer"),
        }
        self.advance();
        Ok(self.code_from(node_start))
    }

    fn signed_value(&mut self) -> Parsed<Code> {
        let node_start = self.here();
        let start = self.span.start;
        let is_negative = self.token == Token::Minus;
        self.advance();
        if self.token != Token::Number {
            return self.unexpected("an integer");
        }
        let op = self.integer();
        self.emit(op, self.span);
        self.advance();
        if is_negative {
            self.emit(Op::Unary(Unary::Neg), Span::new(start, self.prev_end));
        }
        Ok(self.code_from(node_start))
    }

    /// A symbolic constant, perhaps with dots.
    pub fn constant_name(&mut self) -> Parsed<Code> {
        let node_start = self.here();
        let start = self.span.start;
        if self.token != Token::Ident {
            return self.no_name("a name");
        }
        let id = self.intern_token();
        self.emit(Op::Ident(id), self.span);
        self.advance();
        while self.token == Token::Dot {
            let op = self.member_op()?;
            self.emit(op, Span::new(start, self.prev_end));
        }
        Ok(self.code_from(node_start))
    }
}
