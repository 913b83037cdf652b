//! Tseitin encoding of circuits, on demand.

use std::ops::Range;

use crate::answer::Why;

use super::aig::{Aig, Bit, Gate};
use super::solver::{Lit, Solver};

/// Larger conjunctions are not flattened.
const MAX_MEMBERS: usize = 16;

/// The clauses of a circuit.
pub struct Cnf<S> {
    /// The solver that holds them.
    pub solver: S,
    /// The variable of each encoded gate.
    vars: Vec<Option<Lit>>,
    /// The operands of each gate's variable, as a range of the list.
    parts: Vec<Range<usize>>,
    list: Vec<u32>,
    /// The last cone that visited each variable.
    cones: Vec<u32>,
    n_cones: u32,
}

impl<'b, S: Solver<'b>> Cnf<S> {
    /// No clauses but those that the solver has.
    pub fn new(solver: S) -> Cnf<S> {
        Cnf {
            solver,
            vars: Vec::new(),
            parts: Vec::new(),
            list: Vec::new(),
            cones: Vec::new(),
            n_cones: 0,
        }
    }

    /// The cone of some literals, themselves included.
    pub fn cone(&mut self, lits: impl IntoIterator<Item = Lit>) -> Vec<u32> {
        self.n_cones += 1;
        let mut cone = Vec::new();
        let mut visit = |cone: &mut Vec<u32>, var: u32| {
            let idx = var as usize;
            if self.cones.len() <= idx {
                self.cones.resize(idx + 1, 0);
            }
            if self.cones[idx] != self.n_cones {
                self.cones[idx] = self.n_cones;
                cone.push(var);
            }
        };
        lits.into_iter().for_each(|lit| visit(&mut cone, lit.var()));
        let mut n_done = 0;
        while let Some(&var) = cone.get(n_done) {
            n_done += 1;
            if let Some(parts) = self.parts.get(var as usize) {
                self.list[parts.clone()].iter().for_each(|&part| visit(&mut cone, part));
            }
        }
        cone
    }

    /// The literal of a bit, encoded if necessary. All calls need the same circuit, which may have
    /// grown.
    ///
    /// # Errors
    /// When the budget runs out.
    pub fn lit(&mut self, aig: &Aig, bit: Bit) -> Result<Lit, Why> {
        self.vars.resize(aig.n_gates().max(self.vars.len()), None);
        let mut todo = Vec::new();
        let lit = self.touch(bit, &mut todo);
        while let Some(node) = todo.pop() {
            self.solver.budget().spend(1)?;
            self.define(aig, node, &mut todo);
        }
        Ok(lit)
    }

    /// The literal of a bit, if it is encoded.
    pub fn known(&self, bit: Bit) -> Option<Lit> {
        let var = self.vars.get(bit.node()).copied().flatten()?;
        Some(var.negated_if(bit.is_inverted()))
    }

    /// The literal of a bit whose clauses may still have to be added.
    fn touch(&mut self, bit: Bit, todo: &mut Vec<usize>) -> Lit {
        let var = match self.vars[bit.node()] {
            Some(var) => var,
            None => {
                let var = self.solver.add_var();
                self.vars[bit.node()] = Some(var);
                todo.push(bit.node());
                var
            }
        };
        var.negated_if(bit.is_inverted())
    }

    fn define(&mut self, aig: &Aig, node: usize, todo: &mut Vec<usize>) {
        let out = self.touch(Bit::of(node), todo);
        let first = self.list.len();
        if let Gate::And(..) = aig.gate(node) {
            self.solver.mark_gate(out);
        }
        match aig.gate(node) {
            Gate::Constant => self.solver.add_clause(&[!out]),
            Gate::Input(_) => {}
            Gate::And(a, b) => match choice(aig, a, b) {
                Some((c, t, e)) => {
                    let [c, t, e] = [c, t, e].map(|bit| self.touch(bit, todo));
                    self.list.extend([c, t, e].map(Lit::var));
                    // The output is the negation of the multiplexer.
                    self.solver.add_clause(&[!c, !t, !out]);
                    self.solver.add_clause(&[!c, t, out]);
                    self.solver.add_clause(&[c, !e, !out]);
                    self.solver.add_clause(&[c, e, out]);
                    if t != !e {
                        self.solver.add_clause(&[!t, !e, !out]);
                        self.solver.add_clause(&[t, e, out]);
                    }
                }
                None => {
                    let mut clause = vec![out];
                    for member in self.members(aig, a, b) {
                        let member = self.touch(member, todo);
                        self.list.push(member.var());
                        self.solver.add_clause(&[member, !out]);
                        clause.push(!member);
                    }
                    self.solver.add_clause(&clause);
                }
            },
        }
        let var = out.var() as usize;
        if self.parts.len() <= var {
            self.parts.resize(var + 1, 0..0);
        }
        self.parts[var] = first..self.list.len();
    }

    /// The operands of a conjunction, flattened through gates without other users.
    fn members(&self, aig: &Aig, a: Bit, b: Bit) -> Vec<Bit> {
        let mut members = Vec::new();
        let mut stack = vec![a, b];
        while let Some(bit) = stack.pop() {
            let is_open = !bit.is_inverted()
                && !aig.is_shared(bit.node())
                && self.vars[bit.node()].is_none()
                && members.len() + stack.len() < MAX_MEMBERS;
            match aig.gate(bit.node()) {
                Gate::And(x, y) if is_open && choice(aig, x, y).is_none() => stack.extend([x, y]),
                _ => members.push(bit),
            }
        }
        members
    }
}

/// The multiplexer `c ? t : e` whose negation is `a & b`, if it is one.
fn choice(aig: &Aig, a: Bit, b: Bit) -> Option<(Bit, Bit, Bit)> {
    if !a.is_inverted() || !b.is_inverted() {
        return None;
    }
    let (Gate::And(p, q), Gate::And(r, s)) = (aig.gate(a.node()), aig.gate(b.node())) else {
        return None;
    };
    let pairs = [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)];
    pairs.into_iter().find(|&(c, _, not_c, _)| c == !not_c).map(|(c, t, _, e)| (c, t, e))
}
