//! Random expressions: Booleans, integers and words, each with a value in every state.
//!
//! Integers come with bounds, so that indices, divisors and assigned values can be kept within
//! their limits.

use super::scope::{Reads, Writer};
use super::types::{Ty, WordTy, integer};

/// Values beyond this make NuSMV's diagrams large.
const MAX_INT: i64 = 60;

/// An integer expression and what it lies between.
#[derive(Clone, Debug)]
pub struct Int {
    /// How it is written.
    pub text: String,
    /// It is never less.
    pub lo: i64,
    /// It is never greater.
    pub hi: i64,
}

/// Which answer is the likely one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lean {
    /// Mostly true.
    Yes,
    /// Mostly false.
    No,
}

impl Writer<'_> {
    /// A comparison of something that can be read with a constant.
    pub fn atom(&mut self, may: Reads, lean: Lean) -> String {
        let Some(leaf) = self.leaf(may, |_| true) else {
            return Ty::Bool.constant(self.rng);
        };
        let name = leaf.name;
        let equal = if lean == Lean::Yes { "!=" } else { "=" };
        match &leaf.ty {
            Ty::Bool if self.rng.bool() => name,
            Ty::Bool => format!("!{name}"),
            Ty::Range(..) | Ty::Ints(_) | Ty::Word(_) => {
                let constant = leaf.ty.constant(self.rng);
                let op = self.pick(&[equal, equal, "<", "<=", ">", ">="]);
                format!("{name} {op} {constant}")
            }
            Ty::Symbols(_) | Ty::Mixed(_) => {
                format!("{name} {equal} {}", leaf.ty.constant(self.rng))
            }
        }
    }

    /// A small Boolean expression without `case` and sets.
    pub fn condition(&mut self, may: Reads, lean: Lean) -> String {
        let first = self.atom(may, lean);
        let second = self.atom(may, lean);
        match (self.rng.u8(..6), lean) {
            (0..=1, _) => first,
            (2, _) => format!("!({first})"),
            (3, _) => format!("({first} <-> {second})"),
            (4, Lean::Yes) => format!("({first} -> {second})"),
            (_, Lean::Yes) => format!("({first} | {second})"),
            (_, Lean::No) => format!("({first} & {second})"),
        }
    }

    /// A Boolean expression.
    pub fn boolean(&mut self, depth: u8, may: Reads) -> String {
        if depth == 0 {
            let element = if self.one_in(4) { self.boolean_element(may) } else { None };
            let lean = if self.rng.bool() { Lean::Yes } else { Lean::No };
            return element.unwrap_or_else(|| self.atom(may, lean));
        }
        let depth = depth - 1;
        match self.rng.u8(..14) {
            0 => format!("!({})", self.boolean(depth, may)),
            1..=4 => {
                let op = self.pick(&["&", "|", "xor", "xnor", "->", "<->", "=", "!="]);
                format!("(({}) {op} ({}))", self.boolean(depth, may), self.boolean(depth, may))
            }
            5 | 6 => self.compare_integers(depth, may),
            7 => self.compare_words(depth, may),
            8 => self.member(depth, may),
            9 => self.compare_names(may),
            10 if may.next > 0 => self.next(may, |writer, may| writer.boolean(depth, may)),
            11 => {
                let condition = self.boolean(depth, may);
                let (yes, no) = (self.boolean(depth, may), self.boolean(depth, may));
                format!("(({condition}) ? ({yes}) : ({no}))")
            }
            12 => self.case(depth, may, |writer| writer.boolean(depth, may)),
            _ => self.boolean(depth, may),
        }
    }

    fn compare_integers(&mut self, depth: u8, may: Reads) -> String {
        let left = self.int(depth, may);
        let op = self.pick(&["=", "!=", "<", "<=", ">", ">="]);
        let right = if self.rng.bool() {
            integer(self.rng.i64(left.lo..=left.hi))
        } else {
            self.int(depth, may).text
        };
        format!("({} {op} {right})", left.text)
    }

    fn compare_words(&mut self, depth: u8, may: Reads) -> String {
        let Some(leaf) = self.leaf(may, |ty| matches!(ty, Ty::Word(_))) else {
            return self.compare_integers(depth, may);
        };
        let Ty::Word(ty) = leaf.ty else { unreachable!("only words are wanted") };
        let bit = self.rng.u32(..ty.width);
        match self.rng.u8(..5) {
            0 => format!("bool({}[{bit}:{bit}])", leaf.name),
            1 => {
                let other = WordTy { width: self.rng.u32(1..=5), ..ty };
                let (left, right) = (self.word(other, depth, may), self.word(other, depth, may));
                format!("({left} <= {right})")
            }
            _ => {
                let op = self.pick(&["=", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", leaf.name, self.word(ty, depth, may))
            }
        }
    }

    fn member(&mut self, depth: u8, may: Reads) -> String {
        let scalar = |ty: &Ty| !matches!(ty, Ty::Word(_) | Ty::Bool);
        match self.leaf(may, scalar) {
            Some(leaf) if leaf.ty.bounds().is_none() || self.rng.bool() => {
                let [one, other] = [(); 2].map(|()| leaf.ty.constant(self.rng));
                format!("({} in {{{one}, {other}}})", leaf.name)
            }
            _ => {
                let left = self.int(depth, may);
                let (lo, hi) = (self.rng.i64(left.lo..=left.hi), left.hi);
                if self.rng.bool() {
                    format!("({} in {lo}..{hi})", left.text)
                } else {
                    let right = self.int(depth, may).text;
                    format!("({} in {{{right}, {}}})", left.text, integer(lo))
                }
            }
        }
    }

    /// Compares two names, or a name and a constant of another type.
    fn compare_names(&mut self, may: Reads) -> String {
        let symbolic = |ty: &Ty| matches!(ty, Ty::Symbols(_));
        let op = self.pick(&["=", "!="]);
        match (self.leaf(may, symbolic), self.leaf(may, symbolic)) {
            (Some(left), Some(right)) => format!("({} {op} {})", left.name, right.name),
            _ => self.boolean(0, may),
        }
    }

    /// A `case` with a branch for every state.
    pub fn case(
        &mut self,
        depth: u8,
        may: Reads,
        mut branch: impl FnMut(&mut Self) -> String,
    ) -> String {
        let first = self.boolean(depth, may);
        let (one, other) = (branch(self), branch(self));
        match self.rng.u8(..3) {
            0 => format!("case {first} : {one}; !({first}) : {other}; esac"),
            1 => format!("case {first} : {one}; TRUE : {other}; esac"),
            _ => {
                let second = self.boolean(depth, may);
                let last = branch(self);
                format!("case {first} : {one}; {second} : {other}; TRUE : {last}; esac")
            }
        }
    }

    /// An integer expression.
    pub fn int(&mut self, depth: u8, may: Reads) -> Int {
        if depth == 0 {
            return self.int_leaf(may);
        }
        let int = match self.rng.u8(..10) {
            0..=3 => self.arithmetic(depth - 1, may),
            4 => self.quotient(depth - 1, may),
            5 => {
                let [a, b] = [(); 2].map(|()| self.boolean(depth - 1, may));
                Int { text: format!("count({a}, {b})"), lo: 0, hi: 2 }
            }
            6 => self.conversion(depth - 1, may),
            7 => self.chosen_int(depth - 1, may),
            8 if may.next > 0 => {
                let (mut lo, mut hi) = (0, 0);
                let text = self.next(may, |writer, may| {
                    let inner = writer.int(depth - 1, may);
                    (lo, hi) = (inner.lo, inner.hi);
                    inner.text
                });
                Int { text, lo, hi }
            }
            _ => self.int_leaf(may),
        };
        if int.lo < -MAX_INT || int.hi > MAX_INT { self.int_leaf(may) } else { int }
    }

    fn int_leaf(&mut self, may: Reads) -> Int {
        if self.one_in(3)
            && let Some(int) = self.int_element(may)
        {
            return int;
        }
        match self.leaf(may, |ty| ty.bounds().is_some()) {
            Some(leaf) => {
                let (lo, hi) = leaf.ty.bounds().unwrap_or_default();
                Int { text: leaf.name, lo, hi }
            }
            None => {
                let value = self.rng.i64(-2..5);
                Int { text: integer(value), lo: value, hi: value }
            }
        }
    }

    fn int_element(&mut self, may: Reads) -> Option<Int> {
        let row = self.row(may, |ty| ty.bounds().is_some())?;
        let (lo, hi) = row.element.ty.bounds()?;
        let index = self.index(row.lo, row.hi, may);
        Some(Int { text: format!("{}[{index}]", row.name), lo, hi })
    }

    fn boolean_element(&mut self, may: Reads) -> Option<String> {
        let row = self.row(may, |ty| *ty == Ty::Bool)?;
        let index = self.index(row.lo, row.hi, may);
        Some(format!("{}[{index}]", row.name))
    }

    fn index(&mut self, lo: i64, hi: i64, may: Reads) -> String {
        let index = self.int_leaf(Reads { next: 0, ..may });
        self.clamp(index, lo, hi)
    }

    /// The expression, or one near it that lies between these bounds.
    pub fn clamp(&mut self, int: Int, lo: i64, hi: i64) -> String {
        let Int { text, lo: least, hi: greatest } = int;
        if lo <= least && greatest <= hi {
            return text;
        }
        match self.rng.u8(..3) {
            0 => format!("max({}, min({}, {text}))", integer(lo), integer(hi)),
            1 => {
                let other = integer(self.rng.i64(lo..=hi));
                format!("case {text} in {lo}..{hi} : {text}; TRUE : {other}; esac")
            }
            _ => format!("({} + abs({text}) mod {})", integer(lo), hi - lo + 1),
        }
    }

    fn arithmetic(&mut self, depth: u8, may: Reads) -> Int {
        let (a, b) = (self.int(depth, may), self.int(depth, may));
        let (x, y) = (&a.text, &b.text);
        match self.rng.u8(..7) {
            0 | 1 => Int { text: format!("({x} + {y})"), lo: a.lo + b.lo, hi: a.hi + b.hi },
            2 => Int { text: format!("({x} - {y})"), lo: a.lo - b.hi, hi: a.hi - b.lo },
            3 => {
                let ends = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
                let [lo, hi] = [ends.iter().min(), ends.iter().max()].map(|end| *end.unwrap_or(&0));
                Int { text: format!("({x} * {y})"), lo, hi }
            }
            4 => Int { text: format!("(-({x}))"), lo: -a.hi, hi: -a.lo },
            5 => Int { text: format!("min({x}, {y})"), lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) },
            _ => Int { text: format!("max({x}, {y})"), lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) },
        }
    }

    fn quotient(&mut self, depth: u8, may: Reads) -> Int {
        let a = self.int(depth, may);
        let (divisor, most) = if self.rng.bool() {
            let value = self.rng.i64(1..5) * if self.one_in(3) { -1 } else { 1 };
            (integer(value), value.abs())
        } else {
            let b = self.int(depth, may);
            (format!("(abs({}) + 1)", b.text), b.lo.abs().max(b.hi.abs()) + 1)
        };
        let x = &a.text;
        let size = a.lo.abs().max(a.hi.abs());
        match self.rng.u8(..3) {
            0 => Int { text: format!("({x} / {divisor})"), lo: -size, hi: size },
            1 => Int { text: format!("abs({x})"), lo: 0, hi: size },
            _ => Int { text: format!("({x} mod {divisor})"), lo: 1 - most, hi: most - 1 },
        }
    }

    fn conversion(&mut self, depth: u8, may: Reads) -> Int {
        match self.leaf(may, |ty| matches!(ty, Ty::Word(_))) {
            Some(leaf) => {
                let Ty::Word(ty) = leaf.ty else { unreachable!("only words are wanted") };
                let (lo, hi) = ty.bounds();
                Int { text: format!("toint({})", self.word(ty, depth, may)), lo, hi }
            }
            None => Int { text: format!("toint({})", self.boolean(depth, may)), lo: 0, hi: 1 },
        }
    }

    fn chosen_int(&mut self, depth: u8, may: Reads) -> Int {
        let (mut lo, mut hi) = (i64::MAX, i64::MIN);
        let text = self.case(depth, may, |writer| {
            let int = writer.int(depth, may);
            (lo, hi) = (lo.min(int.lo), hi.max(int.hi));
            int.text
        });
        Int { text, lo, hi }
    }
}
