//! Model variables as BDD variables.
//!
//! Each bit of the current state has a partner in the next state; frozen variables and inputs have
//! none.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Model, VarId, VarKind};

use crate::answer::Why;
use crate::blast::{Gates, Number};
use crate::code::Slot;
use crate::encoding::Encoding;

use super::manager::{Bdd, Manager, Var};

/// The bits of a variable, least significant first.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its bit encoding.
    pub encoding: Encoding,
    /// In the current state, or among the inputs of the step.
    pub current: Vec<Var>,
    /// In the next state.
    pub next: Vec<Var>,
}

impl Field {
    /// The value that these literals give it in the current state; missing bits are 0.
    pub fn read(&self, literals: &FxHashMap<Var, bool>) -> i64 {
        let bit = |(idx, var): (usize, &Var)| {
            u64::from(literals.get(var).copied().unwrap_or(false)) << idx
        };
        self.encoding.number(self.current.iter().enumerate().map(bit).sum())
    }

    /// The literals of a value, in the current state.
    pub fn literals(&self, number: i64) -> impl Iterator<Item = (Var, bool)> + '_ {
        let bits = self.encoding.bits(number);
        self.current.iter().enumerate().map(move |(idx, &var)| (var, bits >> idx & 1 == 1))
    }
}

/// The bits of all variables in the cone of influence.
pub struct Bits<'a, 'b> {
    /// The BDD manager.
    pub manager: &'a Manager<'b>,
    /// The variables.
    pub fields: &'a FxHashMap<VarId, Field>,
    /// The model.
    pub model: &'a Model,
}

impl Bits<'_, '_> {
    /// The bits of a variable as functions.
    fn vars(&self, slot: Slot) -> Result<(&Encoding, Vec<Bdd>), Why> {
        let (Slot::Current(var) | Slot::Next(var)) = slot;
        let Some(field) = self.fields.get(&var) else {
            unreachable!("a variable that a question is about was left out")
        };
        // Frozen variables and inputs have no next-state copy.
        let is_state = self.model.var(var).kind == VarKind::State;
        let vars = match slot {
            Slot::Next(_) if is_state => &field.next,
            _ => &field.current,
        };
        let mut bits = Vec::new();
        for &var in vars {
            bits.push(self.manager.literal(var)?);
        }
        Ok((&field.encoding, bits))
    }

    /// True where the bits encode a value of the variable's domain.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn is_valid(&self, slot: Slot) -> Result<Bdd, Why> {
        let (encoding, bits) = self.vars(slot)?;
        let encoding = encoding.clone();
        encoding.is_valid(&mut Bits { ..*self }, &bits)
    }

    /// Domain constraints of the variables that some functions depend on. Outside the domains a
    /// function's value is a don't-care.
    fn domains(&self, functions: &[Bdd]) -> Result<Vec<Bdd>, Why> {
        let support: FxHashSet<Var> =
            functions.iter().flat_map(|function| self.manager.support(function)).collect();
        let mut domains = Vec::new();
        let mut ids: Vec<VarId> = self.fields.keys().copied().collect();
        ids.sort_unstable();
        for var in ids {
            let Field { current, next, .. } = &self.fields[&var];
            let is_read = |bits: &[Var]| bits.iter().any(|bit| support.contains(bit));
            if is_read(current) {
                domains.push(self.is_valid(Slot::Current(var))?);
            }
            if is_read(next) {
                domains.push(self.is_valid(Slot::Next(var))?);
            }
        }
        domains.retain(|domain| !domain.is_true());
        Ok(domains)
    }
}

impl Gates for Bits<'_, '_> {
    type Bit = Bdd;

    fn constant(&mut self, value: bool) -> Bdd {
        self.manager.constant(value)
    }

    fn as_const(&self, bit: &Bdd) -> Option<bool> {
        if bit.is_true() {
            Some(true)
        } else if bit.is_false() {
            Some(false)
        } else {
            None
        }
    }

    fn not(&mut self, a: &Bdd) -> Bdd {
        a.negated()
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.manager.and(a, b)
    }

    fn all(&mut self, mut bits: Vec<Bdd>) -> Result<Bdd, Why> {
        bits.extend(self.domains(&bits)?);
        self.manager.all(bits)
    }

    fn xor(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Why> {
        self.manager.xor(a, b)
    }

    fn mux(&mut self, c: &Bdd, t: &Bdd, e: &Bdd) -> Result<Bdd, Why> {
        self.manager.mux(c, t, e)
    }

    fn slot(&mut self, slot: Slot) -> Result<Number<Bdd>, Why> {
        let (encoding, bits) = self.vars(slot)?;
        let encoding = encoding.clone();
        encoding.decode(self, bits)
    }
}
