//! Circuits as clauses, as far as questions need them.

use crate::answer::Why;

use super::aig::{Aig, Bit, Gate};
use super::solver::{Lit, Solver};

/// A conjunction of more members is not taken as a whole.
const MAX_MEMBERS: usize = 16;

/// The clauses of a circuit.
pub struct Cnf<S> {
    /// The solver that has them.
    pub solver: S,
    /// The variable of each gate that has one.
    vars: Vec<Option<Lit>>,
}

impl<'b, S: Solver<'b>> Cnf<S> {
    /// No clauses but those that the solver has.
    pub fn new(solver: S) -> Cnf<S> {
        Cnf { solver, vars: Vec::new() }
    }

    /// The literal of a bit. All calls need the same circuit, which may have grown.
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

    /// The literal of a bit, if it has one.
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
        match aig.gate(node) {
            Gate::Constant => self.solver.add_clause(&[!out]),
            Gate::Input(_) => {}
            Gate::And(a, b) => match choice(aig, a, b) {
                Some((c, t, e)) => {
                    let [c, t, e] = [c, t, e].map(|bit| self.touch(bit, todo));
                    // It is the negation of the choice.
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
                        self.solver.add_clause(&[member, !out]);
                        clause.push(!member);
                    }
                    self.solver.add_clause(&clause);
                }
            },
        }
    }

    /// The members of a conjunction, through gates that nothing else needs.
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

/// The choice `c ? t : e` whose negation `a & b` is, if it is one.
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
