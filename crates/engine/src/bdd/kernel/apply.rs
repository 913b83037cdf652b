//! BDD operations by recursion over the levels, memoised in the computed table.

use super::{Edge, Entry, FALSE, Kernel, TRUE, Var};
use crate::bdd::budgeted::Stop;

/// Operation codes, stored as the third operand of a cache entry. All are less than any cube.
const AND: u32 = 1;
const XOR: u32 = 2;
const EXISTS: u32 = 3;
const SHIFT: u32 = 4;
const RESTRICT: u32 = 5;
const GIVEN: u32 = 6;

impl Kernel<'_> {
    pub(super) fn slot(&self, a: Edge, b: Edge, c: u32) -> usize {
        let pair = u64::from(a) << 32 | u64::from(b);
        let mixed = (pair ^ u64::from(c) << 16).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 36) as usize & (self.cache.len() - 1)
    }

    #[inline(always)]
    fn recall(&self, slot: usize, a: Edge, b: Edge, c: u32) -> Option<Edge> {
        let entry = &self.cache[slot];
        (entry.a == a && entry.b == b && entry.c == c).then_some(entry.result)
    }

    #[inline(always)]
    fn remember(&mut self, a: Edge, b: Edge, c: u32, result: Edge) {
        // The cache may have grown since.
        let slot = self.slot(a, b, c);
        self.cache[slot] = Entry { a, b, c, result };
    }

    /// Conjunction.
    pub fn and(&mut self, f: Edge, g: Edge) -> Result<Edge, Stop> {
        if f == g || g == TRUE {
            return Ok(f);
        }
        if f == TRUE {
            return Ok(g);
        }
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        let (f, g) = if f > g { (g, f) } else { (f, g) };
        if let Some(known) = self.recall(self.slot(f, g, AND), f, g, AND) {
            return Ok(known);
        }
        self.meter.tick()?;
        let level = self.top(f).min(self.top(g));
        let ((f1, f0), (g1, g0)) = (self.split(f, level), self.split(g, level));
        let hi = self.and(f1, g1)?;
        let lo = self.and(f0, g0)?;
        let result = self.make(self.var_at[level as usize], hi, lo)?;
        self.remember(f, g, AND, result);
        Ok(result)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Edge, g: Edge) -> Result<Edge, Stop> {
        Ok(self.and(f ^ 1, g ^ 1)? ^ 1)
    }

    /// Exclusive or.
    pub fn xor(&mut self, f: Edge, g: Edge) -> Result<Edge, Stop> {
        let sign = (f ^ g) & 1;
        let (f, g) = (f & !1, g & !1);
        if f == g {
            return Ok(FALSE ^ sign);
        }
        if f == TRUE || g == TRUE {
            return Ok((f | g) ^ 1 ^ sign);
        }
        let (f, g) = if f > g { (g, f) } else { (f, g) };
        if let Some(known) = self.recall(self.slot(f, g, XOR), f, g, XOR) {
            return Ok(known ^ sign);
        }
        self.meter.tick()?;
        let level = self.top(f).min(self.top(g));
        let ((f1, f0), (g1, g0)) = (self.split(f, level), self.split(g, level));
        let hi = self.xor(f1, g1)?;
        let lo = self.xor(f0, g0)?;
        let result = self.make(self.var_at[level as usize], hi, lo)?;
        self.remember(f, g, XOR, result);
        Ok(result ^ sign)
    }

    /// Existential quantification over the variables of the cube.
    pub fn exists(&mut self, f: Edge, cube: Edge) -> Result<Edge, Stop> {
        if f <= FALSE {
            return Ok(f);
        }
        let level = self.top(f);
        let cube = self.cube_from(cube, level);
        if cube == TRUE {
            return Ok(f);
        }
        if let Some(known) = self.recall(self.slot(f, cube, EXISTS), f, cube, EXISTS) {
            return Ok(known);
        }
        self.meter.tick()?;
        let (f1, f0) = self.children(f);
        let result = if self.top(cube) == level {
            let rest = self.children(cube).0;
            let hi = self.exists(f1, rest)?;
            if hi == TRUE {
                TRUE
            } else {
                let lo = self.exists(f0, rest)?;
                self.or(hi, lo)?
            }
        } else {
            let hi = self.exists(f1, cube)?;
            let lo = self.exists(f0, cube)?;
            self.make(self.var_at[level as usize], hi, lo)?
        };
        self.remember(f, cube, EXISTS, result);
        Ok(result)
    }

    /// The relational product: conjunction with existential quantification.
    pub fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Result<Edge, Stop> {
        if f == FALSE || g == FALSE || f == g ^ 1 {
            return Ok(FALSE);
        }
        if f == TRUE || f == g {
            return self.exists(g, cube);
        }
        if g == TRUE {
            return self.exists(f, cube);
        }
        let (f, g) = if f > g { (g, f) } else { (f, g) };
        let level = self.top(f).min(self.top(g));
        let cube = self.cube_from(cube, level);
        if cube == TRUE {
            return self.and(f, g);
        }
        if let Some(known) = self.recall(self.slot(f, g, cube), f, g, cube) {
            return Ok(known);
        }
        self.meter.tick()?;
        let ((f1, f0), (g1, g0)) = (self.split(f, level), self.split(g, level));
        let result = if self.top(cube) == level {
            let rest = self.children(cube).0;
            let hi = self.and_exists(f1, g1, rest)?;
            if hi == TRUE {
                TRUE
            } else {
                let lo = self.and_exists(f0, g0, rest)?;
                self.or(hi, lo)?
            }
        } else {
            let hi = self.and_exists(f1, g1, cube)?;
            let lo = self.and_exists(f0, g0, cube)?;
            self.make(self.var_at[level as usize], hi, lo)?
        };
        self.remember(f, g, cube, result);
        Ok(result)
    }

    /// The cube without its variables above a level.
    fn cube_from(&self, mut cube: Edge, level: u32) -> Edge {
        while self.top(cube) < level {
            cube = self.children(cube).0;
        }
        cube
    }

    /// Renames every variable to its partner. A variable and its partner must not both occur;
    /// partners are adjacent.
    pub fn shift(&mut self, f: Edge) -> Result<Edge, Stop> {
        if f <= FALSE {
            return Ok(f);
        }
        let (f, sign) = (f & !1, f & 1);
        if let Some(known) = self.recall(self.slot(f, TRUE, SHIFT), f, TRUE, SHIFT) {
            return Ok(known ^ sign);
        }
        self.meter.tick()?;
        let var: Var = self.partner[self.var(f) as usize];
        let (f1, f0) = self.children(f);
        let hi = self.shift(f1)?;
        let lo = self.shift(f0)?;
        let result = self.make(var, hi, lo)?;
        self.remember(f, TRUE, SHIFT, result);
        Ok(result ^ sign)
    }

    /// The restrict operator of Coudert and Madre: a small function that agrees with `f` where
    /// `care` holds.
    pub fn restrict(&mut self, f: Edge, care: Edge) -> Result<Edge, Stop> {
        if care <= FALSE || f <= FALSE {
            return Ok(f);
        }
        if f == care {
            return Ok(TRUE);
        }
        if f == care ^ 1 {
            return Ok(FALSE);
        }
        if let Some(known) = self.recall(self.slot(f, care, RESTRICT), f, care, RESTRICT) {
            return Ok(known);
        }
        self.meter.tick()?;
        let level = self.top(f);
        let result = if self.top(care) < level {
            let (c1, c0) = self.children(care);
            let care = self.or(c1, c0)?;
            self.restrict(f, care)?
        } else {
            let ((f1, f0), (c1, c0)) = (self.children(f), self.split(care, level));
            if c1 == FALSE {
                self.restrict(f0, c0)?
            } else if c0 == FALSE {
                self.restrict(f1, c1)?
            } else {
                let hi = self.restrict(f1, c1)?;
                let lo = self.restrict(f0, c0)?;
                self.make(self.var_at[level as usize], hi, lo)?
            }
        };
        self.remember(f, care, RESTRICT, result);
        Ok(result)
    }

    /// The cofactor with respect to a cube.
    pub fn cofactor(&mut self, f: Edge, cube: Edge) -> Result<Edge, Stop> {
        if f <= FALSE {
            return Ok(f);
        }
        let level = self.top(f);
        let mut cube = cube;
        while self.top(cube) < level {
            let (hi, lo) = self.children(cube);
            cube = if hi == FALSE { lo } else { hi };
        }
        if cube == TRUE {
            return Ok(f);
        }
        if let Some(known) = self.recall(self.slot(f, cube, GIVEN), f, cube, GIVEN) {
            return Ok(known);
        }
        self.meter.tick()?;
        let (f1, f0) = self.children(f);
        let result = if self.top(cube) == level {
            match self.children(cube) {
                (FALSE, rest) => self.cofactor(f0, rest)?,
                (rest, _) => self.cofactor(f1, rest)?,
            }
        } else {
            let hi = self.cofactor(f1, cube)?;
            let lo = self.cofactor(f0, cube)?;
            self.make(self.var_at[level as usize], hi, lo)?
        };
        self.remember(f, cube, GIVEN, result);
        Ok(result)
    }
}
