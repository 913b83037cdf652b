//! Random properties of all kinds.
//!
//! Most random formulas are trivially true or false. So what must always hold is built from atoms
//! that mostly hold, and what must hold at some time from atoms that mostly do not.

use super::expression::Lean;
use super::scope::{Reads, Writer};
use super::types::Ty;

/// A property of some kind, as it stands in a module.
pub type Kind = fn(&mut Writer<'_>) -> String;

/// All kinds.
pub const KINDS: &[Kind] = &[ctl_property, compute, ltl_property, psl_property, invariant];

fn ctl_property(writer: &mut Writer<'_>) -> String {
    let keyword = writer.pick(&["SPEC", "CTLSPEC"]);
    let depth = writer.rng.u8(1..=3);
    format!("{keyword} {};", writer.ctl(depth, Lean::Yes))
}

fn ltl_property(writer: &mut Writer<'_>) -> String {
    let depth = writer.rng.u8(1..=3);
    let may = match writer.rng.u8(..4) {
        0 => Reads::LTL,
        1 => Reads { inputs: true, ..Reads::STATE },
        _ => Reads::STATE,
    };
    format!("LTLSPEC {};", writer.ltl(depth, may, Lean::Yes))
}

fn psl_property(writer: &mut Writer<'_>) -> String {
    let depth = writer.rng.u8(1..=2);
    format!("PSLSPEC {};", writer.psl(depth, Lean::Yes))
}

fn invariant(writer: &mut Writer<'_>) -> String {
    let may = match writer.rng.u8(..4) {
        0 => Reads::STEP,
        1 => Reads { inputs: true, ..Reads::STATE },
        _ => Reads::STATE,
    };
    let body = match writer.rng.u8(..4) {
        0 => writer.boolean(2, may),
        1 => writer.condition(may, Lean::Yes),
        2 => {
            let [a, b, c] = [(); 3].map(|()| writer.condition(may, Lean::Yes));
            format!("({a}) | ({b}) | ({c})")
        }
        _ => format!("({}) -> ({})", writer.condition(may, Lean::No), writer.boolean(1, may)),
    };
    format!("INVARSPEC {body};")
}

fn compute(writer: &mut Writer<'_>) -> String {
    let which = writer.pick(&["MIN", "MAX"]);
    // From one value of a variable to another: so that some distances are positive.
    if let Some(leaf) = writer.leaf(Reads::STATE, |ty| *ty != Ty::Bool)
        && !writer.one_in(4)
    {
        let [from, to] = [(); 2].map(|()| leaf.ty.constant(writer.rng));
        return format!("COMPUTE {which} [{0} = {from}, {0} = {to}];", leaf.name);
    }
    let start = match writer.rng.u8(..6) {
        0 => "TRUE".into(),
        1 => writer.state_formula(),
        2 | 3 => writer.condition(Reads::STATE, Lean::Yes),
        _ => writer.condition(Reads::STATE, Lean::No),
    };
    let end = match writer.rng.u8(..6) {
        0 => writer.state_formula(),
        1 => writer.condition(Reads::STATE, Lean::Yes),
        _ => writer.condition(Reads::STATE, Lean::No),
    };
    format!("COMPUTE {which} [{start}, {end}];")
}

impl Writer<'_> {
    fn bounds(&mut self) -> (u8, u8) {
        let least = self.rng.u8(..3);
        (least, least + self.rng.u8(..4))
    }

    fn connective(&mut self, left: &str, right: &str) -> String {
        let op = self.pick(&["&", "|", "->", "<->", "&", "|", "->", "xor", "xnor"]);
        format!("(({left}) {op} ({right}))")
    }

    fn state_atom(&mut self, may: Reads, lean: Lean) -> String {
        if self.one_in(4) { self.boolean(2, may) } else { self.condition(may, lean) }
    }

    /// CTL whose value in states without fair paths matters. There NuSMV says that `A [p BU q]` is
    /// false, unlike all other universal formulas.
    fn state_formula(&mut self) -> String {
        let formula = self.ctl(1, Lean::No);
        let is_odd = formula.contains("A [") && formula.contains("BU");
        if is_odd { self.condition(Reads::STATE, Lean::No) } else { formula }
    }

    fn ctl(&mut self, depth: u8, lean: Lean) -> String {
        if depth == 0 {
            return self.state_atom(Reads::STATE, lean);
        }
        let depth = depth - 1;
        let (a, b) = self.bounds();
        match self.rng.u8(..20) {
            0..=2 => {
                let op = self.pick(&["AG", "EG", "AG", "AX"]);
                format!("{op} ({})", self.ctl(depth, Lean::Yes))
            }
            3..=6 => {
                let op = self.pick(&["AF", "EF", "EX", "AF", "EX"]);
                format!("{op} ({})", self.ctl(depth, Lean::No))
            }
            7 | 8 => {
                let op = self.pick(&["ABF", "EBF"]);
                format!("{op} {a}..{b} ({})", self.ctl(depth, Lean::No))
            }
            9 | 10 => {
                let op = self.pick(&["ABG", "EBG"]);
                format!("{op} {a}..{b} ({})", self.ctl(depth, Lean::Yes))
            }
            11..=13 => {
                let path = self.pick(&["A", "E"]);
                let until = if self.one_in(2) { format!("BU {a}..{b}") } else { "U".into() };
                let (left, right) = (self.ctl(depth, Lean::Yes), self.ctl(depth, Lean::No));
                format!("{path} [({left}) {until} ({right})]")
            }
            14 => format!("!({})", self.ctl(depth, lean)),
            15 | 16 => {
                let (left, right) = (self.ctl(depth, lean), self.ctl(depth, lean));
                self.connective(&left, &right)
            }
            17 => format!("AG (({}) -> {})", self.ctl(0, Lean::No), self.ctl(depth, lean)),
            18 => format!("AG (AF ({}))", self.ctl(depth, Lean::No)),
            _ => format!("AG (EF ({}))", self.ctl(depth, Lean::No)),
        }
    }

    fn ltl(&mut self, depth: u8, may: Reads, lean: Lean) -> String {
        if depth == 0 {
            return self.state_atom(may, lean);
        }
        let depth = depth - 1;
        let (a, b) = self.bounds();
        match self.rng.u8(..20) {
            0..=2 => {
                let op = self.pick(&["G", "X", "H", "Z"]);
                format!("{op} ({})", self.ltl(depth, may, Lean::Yes))
            }
            3..=5 => {
                let op = self.pick(&["F", "X", "O", "Y"]);
                format!("{op} ({})", self.ltl(depth, may, Lean::No))
            }
            6 => {
                let op = self.pick(&["F", "O"]);
                format!("{op} [{a},{b}] ({})", self.ltl(depth, may, Lean::No))
            }
            7 => {
                let op = self.pick(&["G", "H"]);
                format!("{op} [{a},{b}] ({})", self.ltl(depth, may, Lean::Yes))
            }
            8..=10 => {
                let op = self.pick(&["U", "S"]);
                let (left, right) =
                    (self.ltl(depth, may, Lean::Yes), self.ltl(depth, may, Lean::No));
                format!("(({left}) {op} ({right}))")
            }
            11 | 12 => {
                let op = self.pick(&["V", "T"]);
                let (left, right) =
                    (self.ltl(depth, may, Lean::No), self.ltl(depth, may, Lean::Yes));
                format!("(({left}) {op} ({right}))")
            }
            13 => format!("!({})", self.ltl(depth, may, lean)),
            14..=16 => {
                let (left, right) = (self.ltl(depth, may, lean), self.ltl(depth, may, lean));
                self.connective(&left, &right)
            }
            17 => {
                let (left, right) = (self.ltl(0, may, Lean::No), self.ltl(depth, may, lean));
                format!("G (({left}) -> ({right}))")
            }
            18 => format!("G (F ({}))", self.ltl(depth, may, Lean::No)),
            _ => format!("F (G ({}))", self.ltl(depth, may, Lean::Yes)),
        }
    }

    /// The part of PSL that means LTL; NuSMV crashes on inputs in it.
    fn psl(&mut self, depth: u8, lean: Lean) -> String {
        if depth == 0 {
            return self.condition(Reads::STATE, lean);
        }
        let depth = depth - 1;
        let (n, (i, j)) = (self.rng.u8(1..4), self.bounds());
        match self.rng.u8(..16) {
            0 | 1 => format!("(always ({}))", self.psl(depth, Lean::Yes)),
            2 => format!("(never ({}))", self.psl(depth, Lean::No)),
            3 => format!("(eventually! ({}))", self.psl(depth, Lean::No)),
            4 => {
                let op = self.pick(&["next", "next!", "X", "F", "G"]);
                format!("({op} ({}))", self.psl(depth, lean))
            }
            5 => format!("(next[{n}] ({}))", self.psl(depth, lean)),
            6 => {
                let op = self.pick(&["next_a", "next_e", "next_a!", "next_e!"]);
                format!("({op}[{i}:{j}] ({}))", self.psl(depth, lean))
            }
            7 | 8 => {
                let op = self.pick(&["next_event", "next_event!"]);
                let times = if self.one_in(3) { format!("[{n}]") } else { String::new() };
                let (event, then) = (self.psl(0, Lean::No), self.psl(depth, lean));
                format!("({op}({event}){times}({then}))")
            }
            9..=11 => {
                let op = self.pick(&["until", "until!", "until_", "until!_"]);
                let (left, right) = (self.psl(depth, Lean::Yes), self.psl(depth, Lean::No));
                format!("(({left}) {op} ({right}))")
            }
            12 => {
                let op = self.pick(&["before", "before!", "before_", "before!_"]);
                let (left, right) = (self.psl(0, Lean::No), self.psl(0, Lean::No));
                format!("(({left}) {op} ({right}))")
            }
            13 => {
                let op = self.pick(&["U", "W"]);
                let (left, right) = (self.psl(depth, Lean::Yes), self.psl(depth, Lean::No));
                format!("[({left}) {op} ({right})]")
            }
            14 => format!("!({})", self.psl(depth, lean)),
            _ => {
                let (left, right) = (self.psl(depth, lean), self.psl(depth, lean));
                let op = self.pick(&["&", "|", "->", "<->"]);
                format!("(({left}) {op} ({right}))")
            }
        }
    }
}
