//! Rotations of words, as a choice between selected bits: NuSMV 2.6 reserves `<<<` and `>>>` but
//! has no rotation, so neither has the model.

use trapline_model::{BinaryOp, Expr, ExprId, Failure, FailureKind, Type, UnaryOp, Value};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::Binary;
use super::{Item, Lowerer, Operand};

impl Lowerer<'_> {
    pub fn rotate(&mut self, op: Binary, word: Item, amount: Item, span: Span) -> Option<ExprId> {
        if self.options.strict {
            let text = "NuSMV 2.6 has no rotation of words";
            let help = "write it with `::` and bit selections, or leave out --strict";
            self.report(Diagnostic::error("not-supported", span, text).help(help));
            return None;
        }
        let text = if op == Binary::Rol { "<<<" } else { ">>>" };
        let (Operand::Expr(bits), Operand::Expr(by)) = (word.operand, amount.operand) else {
            self.wrong_type(text, &[word, amount], span);
            return None;
        };
        let by = match self.ty(by) {
            Type::Int => by,
            Type::Word { signed: false, .. } => self.exprs().unary(UnaryOp::ToInt, by),
            _ => {
                self.wrong_type(text, &[word, amount], span);
                return None;
            }
        };
        let Type::Word { width, .. } = self.ty(bits) else {
            self.wrong_type(text, &[word, amount], span);
            return None;
        };
        let failure = Failure { kind: FailureKind::ShiftOutOfRange, span };
        let mut whole = self.exprs().fail(failure);
        for places in (0..=width).rev() {
            let left = if op == Binary::Rol { places } else { width - places };
            let rotated = self.rotate_left(bits, left % width);
            let here = self.exprs().value(Value::Int(places.into()));
            let is_here = self.exprs().eq(by, here);
            whole = self.exprs().add(Expr::Ite(is_here, rotated, whole));
        }
        Some(whole)
    }

    /// The low bits before the high ones, with the sign of the word.
    fn rotate_left(&mut self, bits: ExprId, places: u8) -> ExprId {
        let Type::Word { signed, width } = self.ty(bits) else { return bits };
        if places == 0 {
            return bits;
        }
        let [low, high] = [(width - 1 - places, 0), (width - 1, width - places)]
            .map(|(high, low)| self.exprs().add(Expr::BitSelect(bits, high, low)));
        let joined = self.exprs().binary(BinaryOp::Concat, low, high);
        match signed {
            true => self.exprs().unary(UnaryOp::ToSigned, joined),
            false => joined,
        }
    }
}
