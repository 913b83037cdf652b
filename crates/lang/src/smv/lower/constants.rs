//! Operators that take constants: ranges, widths of words, bits of words.

use trapline_model::{Expr, ExprId, Shape, Type, Value, Word};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::Binary;
use super::{Item, Lowerer, Operand};

impl Lowerer<'_> {
    pub fn bit_select(&mut self, span: Span) {
        let (low, high, word) = (self.pop(), self.pop(), self.pop());
        self.model.occurrences.truncate(high.occ_start);
        let expr = self.select(word, high, low, span);
        self.push_expr(expr, word.occ_start, span, Shape::Operator);
    }

    fn select(&mut self, word: Item, high: Item, low: Item, span: Span) -> Option<ExprId> {
        let (high_bit, low_bit) = (self.constant(high)?, self.constant(low)?);
        let Operand::Expr(expr) = word.operand else {
            self.wrong_type("[ : ]", &[word], span);
            return None;
        };
        let Type::Word { width, .. } = self.ty(expr) else {
            self.wrong_type("[ : ]", &[word], span);
            return None;
        };
        if !(0 <= low_bit && low_bit <= high_bit && high_bit < i64::from(width)) {
            let text = format!("there are no bits {high_bit}:{low_bit} in a word of {width} bits");
            let help = "write the higher bit first; the lowest bit is 0";
            self.report(Diagnostic::error("bad-bits", span, text).help(help));
            return None;
        }
        Some(self.exprs().add(Expr::BitSelect(expr, high_bit as u8, low_bit as u8)))
    }

    pub fn constant(&mut self, item: Item) -> Option<i64> {
        let value = match item.operand {
            Operand::Expr(expr) => trapline_model::eval::constant(&self.model, expr).ok(),
            Operand::Poison => return None,
            _ => None,
        };
        if let Some(Value::Int(int)) = value {
            return Some(int);
        }
        self.report(Diagnostic::error(
            "not-constant",
            item.span,
            "a constant integer is needed here",
        ));
        None
    }

    pub fn range_set(&mut self, left: Item, right: Item) -> Option<ExprId> {
        let (lo, hi) = (self.constant(left)?, self.constant(right)?);
        if lo > hi {
            let text = format!("the range {lo}..{hi} is empty");
            let help = "write the lower bound first";
            let span = left.span.to(right.span);
            self.report(Diagnostic::error("empty-range", span, text).help(help));
            return None;
        }
        Some(self.exprs().range(lo, hi))
    }

    pub fn resize(&mut self, op: Binary, word: Item, width: Item, span: Span) -> Option<ExprId> {
        let by = self.constant(width)?;
        let Operand::Expr(expr) = word.operand else { return None };
        let Type::Word { width: old, .. } = self.ty(expr) else {
            let text = if op == Binary::Extend { "extend" } else { "resize" };
            self.wrong_type(text, &[word], span);
            return None;
        };
        let new = if op == Binary::Extend { i64::from(old).saturating_add(by) } else { by };
        if !(1..=i64::from(Word::MAX_WIDTH)).contains(&new) || (op == Binary::Extend && by < 0) {
            let text = format!("a word has 1 to {} bits, not {new}", Word::MAX_WIDTH);
            self.report(Diagnostic::error("bad-width", span, text));
            return None;
        }
        Some(self.exprs().add(Expr::Resize(expr, new as u8)))
    }

    pub fn word_constant(
        &mut self,
        op: Binary,
        value: Item,
        width: Item,
        span: Span,
    ) -> Option<ExprId> {
        let (number, bits) = (self.constant(value)?, self.constant(width)?);
        if !(1..=i64::from(Word::MAX_WIDTH)).contains(&bits) {
            let text = format!("a word has 1 to {} bits, not {bits}", Word::MAX_WIDTH);
            self.report(Diagnostic::error("bad-width", width.span, text));
            return None;
        }
        let signed = op == Binary::SwConst;
        let half = 1i128 << (bits - 1);
        // As NuSMV: a negative number may always be written, a positive one must fit.
        let greatest = if signed { (half - 1).max(1) } else { 2 * half - 1 };
        if i128::from(number) < -half || i128::from(number) > greatest {
            let text = format!("{number} does not fit into {bits} bits");
            self.report(Diagnostic::error("bad-number", span, text));
            return None;
        }
        let word = Word::new(signed, bits as u8, number as u64);
        Some(self.exprs().value(Value::Word(word)))
    }
}
