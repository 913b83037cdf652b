//! Random expressions over words.

use super::scope::{Reads, Writer};
use super::types::{Ty, WordTy};

impl Writer<'_> {
    /// A word of this type.
    pub fn word(&mut self, ty: WordTy, depth: u8, may: Reads) -> String {
        if depth == 0 {
            return self.word_leaf(ty, may);
        }
        let depth = depth - 1;
        match self.rng.u8(..12) {
            0..=2 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "xor", "xnor", "->", "<->"]);
                format!("({} {op} {})", self.word(ty, depth, may), self.word(ty, depth, may))
            }
            3 => {
                let op = self.pick(&["!", "-"]);
                format!("({op}({}))", self.word(ty, depth, may))
            }
            4 => self.shift(ty, depth, may),
            5 => self.word_quotient(ty, depth, may),
            6 => self.resized(ty, depth, may),
            7 => self.pieces(ty, depth, may),
            8 => {
                let condition = self.boolean(depth, may);
                let (yes, no) = (self.word(ty, depth, may), self.word(ty, depth, may));
                format!("case {condition} : {yes}; TRUE : {no}; esac")
            }
            9 if may.next > 0 => self.next(may, |writer, may| writer.word(ty, depth, may)),
            10 => {
                let other = WordTy { is_signed: !ty.is_signed, ..ty };
                let inner = self.word(other, depth, may);
                let cast = if ty.is_signed { "signed" } else { "unsigned" };
                format!("{cast}({inner})")
            }
            _ => self.word_leaf(ty, may),
        }
    }

    fn word_leaf(&mut self, ty: WordTy, may: Reads) -> String {
        match self.leaf(may, |other| *other == Ty::Word(ty)) {
            Some(leaf) if !self.one_in(5) => leaf.name,
            _ => ty.constant(self.rng),
        }
    }

    fn shift(&mut self, ty: WordTy, depth: u8, may: Reads) -> String {
        let op = self.pick(&["<<", ">>"]);
        let word = self.word(ty, depth, may);
        let width = i64::from(ty.width);
        let amount = match self.rng.u8(..3) {
            0 => self.rng.i64(0..=width).to_string(),
            // The greatest word of one bit is 1, and no word is narrower.
            1 => self.word(WordTy { is_signed: false, width: 1 }, depth, may),
            _ => {
                let amount = self.int(depth, may);
                self.clamp(amount, 0, width)
            }
        };
        format!("({word} {op} {amount})")
    }

    /// The divisor is odd, so it is not zero.
    fn word_quotient(&mut self, ty: WordTy, depth: u8, may: Reads) -> String {
        let op = self.pick(&["/", "mod"]);
        let sign = if ty.is_signed { 's' } else { 'u' };
        let (word, divisor) = (self.word(ty, depth, may), self.word(ty, depth, may));
        format!("({word} {op} ({divisor} | 0{sign}b{}_1))", ty.width)
    }

    fn resized(&mut self, ty: WordTy, depth: u8, may: Reads) -> String {
        // NuSMV crashes on a sign of its own.
        let is_sign = ty.is_signed && ty.width == 1;
        let width = if is_sign { 1 } else { self.rng.u32(1..=5) };
        let inner = self.word(WordTy { width, ..ty }, depth, may);
        if width < ty.width && self.rng.bool() {
            format!("extend({inner}, {})", ty.width - width)
        } else {
            format!("resize({inner}, {})", ty.width)
        }
    }

    /// A word put together from others, or cut out of one; such words have no sign.
    fn pieces(&mut self, ty: WordTy, depth: u8, may: Reads) -> String {
        let unsigned = |width: u32| WordTy { is_signed: false, width };
        let width = ty.width;
        let text = if width == 1 && self.rng.bool() {
            format!("word1({})", self.boolean(depth, may))
        } else if width > 1 && self.rng.bool() {
            let high = self.rng.u32(1..width);
            let (left, right) = (unsigned(high), unsigned(width - high));
            format!("({} :: {})", self.word(left, depth, may), self.word(right, depth, may))
        } else {
            let low = self.rng.u32(..2);
            let inner = self.word(unsigned(width + low), depth, may);
            format!("({inner})[{}:{low}]", width + low - 1)
        };
        if ty.is_signed { format!("signed({text})") } else { text }
    }
}
