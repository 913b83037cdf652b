//! What stands in the brackets of expressions besides operands: members, steps, actual parameters.

use trapline_source::Span;

use super::expression::{Pending, Position};
use super::frames::Frame;
use super::operators::level;
use super::{Parsed, Parser};
use crate::sal::syntax::{Access, Name, NameId, Op};
use crate::sal::token::Token;

impl Parser<'_> {
    /// `x`, `x'`, `c!x`, `c{e}!x`
    pub fn name_operand(&mut self) -> Parsed<Position> {
        let name = self.take_name();
        match self.token() {
            Token::LBrace => {
                let base = self.n_values();
                self.work.bound.push(vec![vec![name]]);
                self.advance();
                self.eat(Token::Semi);
                self.opened(Frame::Actuals(base), name.span.start)
            }
            // What looks like `x != y` is a comparison.
            Token::Bang if self.peek(1) != Token::Eq => {
                let member = self.member_of_context()?;
                let op = Op::Qualified { context: name, member };
                Ok(self.complete_leaf(op, name.span.to(member.span)))
            }
            Token::Prime if !self.is_in_type() => {
                let span = name.span.to(self.span());
                self.advance();
                Ok(self.complete_leaf(Op::Primed(name.id), span))
            }
            _ => Ok(self.complete_leaf(Op::Name(name.id), name.span)),
        }
    }

    /// `!x`, behind a context.
    pub fn member_of_context(&mut self) -> Parsed<Name> {
        self.expect(Token::Bang, "`!` and what of this context is meant")?;
        self.name("a name that the context declares")
    }

    /// The next actual parameter of a context, or what the context declares.
    pub fn next_actual(&mut self, base: u32, start: u32) -> Parsed<Position> {
        match self.token() {
            Token::Comma | Token::Semi => {
                self.advance();
                if self.token() != Token::RBrace {
                    return Ok(Position::Operand);
                }
            }
            Token::RBrace => {}
            _ => return self.unexpected_behind("`,` or `}` after an actual parameter"),
        }
        self.work.yard.close();
        self.advance();
        let member = self.member_of_context()?;
        let Some(context) = self.pop_names().pop() else {
            unreachable!("the actual parameters are those of a context")
        };
        let span = Span::new(start, member.span.end);
        self.build(Op::Qualified { context, member }, span, base);
        Ok(Position::Operator)
    }

    /// `.f` or `.2` behind an operand.
    pub fn member(&mut self) -> Parsed<Position> {
        let start = self.work.yard.operand_start;
        let op = match self.step()? {
            Access::Component(number) => Op::Component(number),
            Access::Field(name) => Op::Field(name),
            Access::Index | Access::Apply(_) => unreachable!("a step behind a dot"),
        };
        self.build(op, self.span_from(start), self.n_values() - 1);
        Ok(Position::Operator)
    }

    /// `.f` or `.2`
    pub fn step(&mut self) -> Parsed<Access> {
        self.advance();
        if self.token() == Token::Number {
            let Ok(number) = self.token_text().parse() else {
                return self.unexpected("the number of a component");
            };
            self.advance();
            return Ok(Access::Component(number));
        }
        let name: NameId = self.name("a field or the number of a component")?.id;
        Ok(Access::Field(name))
    }

    /// `WITH` behind an operand.
    pub fn with(&mut self) -> Parsed<Position> {
        self.reduce(level::WITH);
        let base = self.n_values() - 1;
        self.work.paths.push(Vec::new());
        self.open_behind(Frame::With(base))?;
        self.steps(base)
    }

    /// The steps behind `WITH`, up to one with operands or to the value.
    fn steps(&mut self, base: u32) -> Parsed<Position> {
        loop {
            let is_first = self.work.paths.last().is_none_or(Vec::is_empty);
            match self.token() {
                Token::Dot => {
                    let step = self.step()?;
                    self.push_step(step);
                }
                Token::LBracket => {
                    self.work.yard.replace(Frame::WithIndex(base));
                    self.advance();
                    return Ok(Position::Operand);
                }
                Token::LParen => {
                    let first = self.n_values();
                    self.work.yard.replace(Frame::WithArguments(base, first));
                    self.advance();
                    return Ok(Position::Operand);
                }
                Token::Becomes if !is_first => {
                    self.work.yard.close();
                    self.work.yard.push_infix(Pending::With(base), level::WITH);
                    self.advance();
                    return Ok(Position::Operand);
                }
                Token::Eq if !is_first => {
                    let diagnostic = self.expected("`:=`");
                    return self.fail(diagnostic.help("after `WITH` the new value follows `:=`"));
                }
                _ if is_first => return self.unexpected("`[`, `.` or `(`"),
                _ => return self.unexpected("`[`, `.`, `(` or `:=`"),
            }
        }
    }

    fn push_step(&mut self, step: Access) {
        if let Some(path) = self.work.paths.last_mut() {
            path.push(step);
        }
    }

    /// `]` behind `WITH [i`
    pub fn next_step(&mut self, base: u32) -> Parsed<Position> {
        self.push_step(Access::Index);
        self.work.yard.replace(Frame::With(base));
        self.advance();
        self.steps(base)
    }

    /// `)` behind `WITH (a, b`
    pub fn with_arguments(&mut self, base: u32, n_arguments: u32) -> Parsed<Position> {
        self.push_step(Access::Apply(n_arguments));
        self.work.yard.replace(Frame::With(base));
        self.advance();
        self.steps(base)
    }

    /// `INIT_PRED(m)`, `TRANS_PRED(m)`, `STATE_TYPE(m)`
    pub fn module_operand(&mut self) -> Parsed<Position> {
        let (token, start) = (self.token(), self.span().start);
        self.advance();
        self.expect(Token::LParen, "`(` and a module")?;
        let module = self.module()?;
        self.expect(Token::RParen, "`)` after the module")?;
        let op = match token {
            Token::InitPred => Op::InitPred(module),
            Token::TransPred => Op::TransPred(module),
            _ => Op::StateType(module),
        };
        Ok(self.complete_leaf(op, self.span_from(start)))
    }
}
