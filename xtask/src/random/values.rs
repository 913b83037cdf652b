//! Random right-hand sides: values of a given type, or sets of them, never values outside it.

use super::scope::{Reads, Writer};
use super::types::Ty;

impl Writer<'_> {
    /// The next value of a variable: often one that has to do with the value before, so that
    /// models have some depth.
    pub fn successor(&mut self, name: &str, ty: &Ty, may: Reads) -> String {
        let free = self.choice(ty, 2, may);
        let rest = match self.rng.u8(..3) {
            0 => name.to_string(),
            1 => ty.constant(self.rng),
            _ => free.clone(),
        };
        let condition = self.boolean(1, may);
        let stays = if self.rng.bool() { format!("{condition} : {name}; ") } else { String::new() };
        match ty {
            Ty::Range(_, hi) if self.rng.bool() => {
                format!("case {stays}{name} < {hi} : {name} + 1; TRUE : {rest}; esac")
            }
            Ty::Word(word) if self.rng.bool() => {
                let sign = if word.is_signed { 's' } else { 'u' };
                let one = format!("0{sign}b{}_1", word.width);
                format!("case {stays}TRUE : {name} + {one}; esac")
            }
            _ if self.rng.bool() => {
                let mut branches = String::new();
                for _ in 0..self.rng.usize(1..4) {
                    let (from, to) = (ty.constant(self.rng), self.choice(ty, 0, may));
                    branches += &format!("{name} = {from} : {to}; ");
                }
                format!("case {stays}{branches}TRUE : {rest}; esac")
            }
            _ => free,
        }
    }

    /// A value of the type, or a choice between several.
    pub fn choice(&mut self, ty: &Ty, depth: u8, may: Reads) -> String {
        if self.one_in(4)
            && let Some(define) = self.defined_choice(may, ty)
        {
            return define;
        }
        let has_sets = !matches!(ty, Ty::Word(_));
        match self.rng.u8(..if depth == 0 { 5 } else { 10 }) {
            0 if has_sets => {
                let [one, other] = [(); 2].map(|()| ty.constant(self.rng));
                format!("{{{one}, {other}}}")
            }
            1 if has_sets => self.subset(ty, depth, may),
            0..=2 => ty.constant(self.rng),
            3 | 4 => self.value(ty, depth, may),
            5 | 6 => self.case(depth - 1, may, |writer| writer.choice(ty, depth - 1, may)),
            7 => {
                let condition = self.boolean(depth - 1, may);
                let [yes, no] = [(); 2].map(|()| self.choice(ty, depth - 1, may));
                format!("(({condition}) ? ({yes}) : ({no}))")
            }
            _ => self.value(ty, depth, may),
        }
    }

    fn subset(&mut self, ty: &Ty, depth: u8, may: Reads) -> String {
        match ty {
            Ty::Range(lo, hi) if self.rng.bool() => {
                let start = self.rng.i64(lo..hi);
                format!("{start}..{}", self.rng.i64(start + 1..=*hi))
            }
            Ty::Bool => "{TRUE, FALSE}".into(),
            _ if self.rng.bool() => {
                let (one, other) = (self.value(ty, 0, may), self.value(ty, depth, may));
                format!("{{{one}, {other}}}")
            }
            _ => {
                let (one, other) = (self.value(ty, depth, may), self.value(ty, 0, may));
                format!("(({one}) union ({other}))")
            }
        }
    }

    /// One value of the type.
    pub fn value(&mut self, ty: &Ty, depth: u8, may: Reads) -> String {
        match ty {
            Ty::Bool => self.boolean(depth, may),
            Ty::Word(word) => self.word(*word, depth, may),
            Ty::Range(lo, hi) => {
                let int = self.int(depth, may);
                self.clamp(int, *lo, *hi)
            }
            Ty::Ints(_) => self.listed(ty, depth, may),
            Ty::Symbols(_) | Ty::Mixed(_) => self.named(ty, may),
        }
    }

    /// An integer that an enumeration lists.
    fn listed(&mut self, ty: &Ty, depth: u8, may: Reads) -> String {
        match self.leaf(may, |other| ty.includes(other)) {
            Some(leaf) if self.rng.bool() => leaf.name,
            _ => {
                let int = self.int(depth, may).text;
                let other = ty.constant(self.rng);
                format!("case {int} in {} : {int}; TRUE : {other}; esac", ty.text())
            }
        }
    }

    /// A value of an enumeration with symbols.
    fn named(&mut self, ty: &Ty, may: Reads) -> String {
        let is_near = |other: &Ty| match ty {
            Ty::Mixed(_) => ty.includes(other),
            _ => matches!(other, Ty::Symbols(_)),
        };
        match self.leaf(may, is_near) {
            Some(leaf) if ty.includes(&leaf.ty) => leaf.name,
            Some(leaf) => {
                let (name, other) = (leaf.name, ty.constant(self.rng));
                format!("case {name} in {} : {name}; TRUE : {other}; esac", ty.text())
            }
            None => ty.constant(self.rng),
        }
    }
}
