//! Translates an expression into negation normal form and a program for its past operators.
//!
//! A single pass over the nodes, operands first, computes each formula and its negation; both are
//! shared, so that equivalences do not double them. Operands of past operators are also given a
//! value.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{BinaryOp, BoundedOp, Expr, ExprId, Exprs, Type, UnaryOp, Value};

use super::formula::{FALSE, Formula, FormulaId, Pool, TRUE, operands};
use super::past::{Before, Instr, Past};
use crate::Why;

/// Maximum number of future formulas below past operators: each doubles the choices of a step.
const MAX_GUESSES: usize = 16;

/// A formula and its negation.
type Pair = [FormulaId; 2];

/// A translated expression.
#[derive(Clone, Debug)]
pub struct Translation {
    /// All formulas.
    pub pool: Pool,
    /// The formula and its negation.
    pub root: [FormulaId; 2],
    /// The maximal non-temporal subformulas.
    pub atoms: Vec<ExprId>,
    /// The program for past operators.
    pub past: Past,
    /// The future formulas below past operators, each with its negation.
    pub guesses: Vec<[FormulaId; 2]>,
}

/// Translates a formula of LTL.
///
/// # Errors
/// When there are other operators in it, or too much past.
pub fn translate(exprs: &Exprs, formula: ExprId) -> Result<Translation, Why> {
    let nodes = exprs.temporal_parts(formula);
    let mut translator = Translator {
        exprs,
        result: Translation {
            pool: Pool::new(),
            root: [FALSE, TRUE],
            atoms: Vec::new(),
            past: Past::default(),
            guesses: Vec::new(),
        },
        pairs: FxHashMap::default(),
        values: FxHashMap::default(),
    };
    let valued = valued(exprs, &nodes);
    for id in nodes {
        if is_past(exprs.get(id)) {
            translator.past(id)?;
        } else {
            let pair = translator.pair(id)?;
            translator.pairs.insert(id, pair);
            if valued.contains(&id) {
                translator.value(id)?;
            }
        }
    }
    translator.result.root = translator.pairs[&formula];
    Ok(translator.result)
}

/// The `U` subformulas, sorted.
pub fn untils(pool: &Pool, roots: &[FormulaId]) -> Vec<FormulaId> {
    let mut seen = FxHashSet::default();
    let mut stack = roots.to_vec();
    let mut untils = Vec::new();
    while let Some(id) = stack.pop() {
        if seen.insert(id) {
            let formula = pool.get(id);
            untils.extend(matches!(formula, Formula::Until(..)).then_some(id));
            stack.extend(operands(formula).into_iter().flatten());
        }
    }
    untils.sort_unstable();
    untils
}

/// The nodes whose values past operators need.
fn valued(exprs: &Exprs, nodes: &[ExprId]) -> FxHashSet<ExprId> {
    let mut valued = FxHashSet::default();
    for &id in nodes.iter().rev() {
        let expr = exprs.get(id);
        let is_connective = exprs.ty(id) == Type::Temporal && is_connective(expr);
        if is_past(expr) || (is_connective && valued.contains(&id)) {
            valued.extend(exprs.operands(expr).as_slice());
        }
    }
    valued
}

fn is_past(expr: Expr) -> bool {
    use UnaryOp as Op;
    matches!(
        expr,
        Expr::Unary(Op::Y | Op::Z | Op::H | Op::O, _)
            | Expr::Binary(BinaryOp::S | BinaryOp::T, ..)
            | Expr::Bounded(BoundedOp::H | BoundedOp::O, ..)
    )
}

fn is_connective(expr: Expr) -> bool {
    use BinaryOp as Op;
    matches!(
        expr,
        Expr::Unary(UnaryOp::Not, _)
            | Expr::Binary(Op::And | Op::Or | Op::Xor | Op::Xnor | Op::Implies | Op::Iff, ..)
    )
}

struct Translator<'e> {
    exprs: &'e Exprs,
    result: Translation,
    pairs: FxHashMap<ExprId, Pair>,
    values: FxHashMap<ExprId, u32>,
}

impl Translator<'_> {
    /// The formula of a non-past node and its negation.
    fn pair(&mut self, id: ExprId) -> Result<Pair, Why> {
        let expr = self.exprs.get(id);
        if self.exprs.ty(id) != Type::Temporal {
            return Ok(self.atom(id));
        }
        Ok(match expr {
            Expr::Unary(op, p) => {
                let pair @ [p, not_p] = self.pairs[&p];
                let pool = &mut self.result.pool;
                match op {
                    UnaryOp::Not => [not_p, p],
                    UnaryOp::X => pair.map(|p| pool.next(p)),
                    UnaryOp::F => [pool.until(TRUE, p), pool.release(FALSE, not_p)],
                    UnaryOp::G => [pool.release(FALSE, p), pool.until(TRUE, not_p)],
                    _ => return Err(not_ltl()),
                }
            }
            Expr::Binary(op, p, q) => self.binary(op, self.pairs[&p], self.pairs[&q])?,
            Expr::Bounded(op, p, lo, hi) => {
                let [p, not_p] = self.pairs[&p];
                let (lo, hi) = self.bounds([lo, hi].map(|c| self.exprs.constant(c)))?;
                let pool = &mut self.result.pool;
                match op {
                    BoundedOp::F => [pool.within(lo, hi, p), pool.throughout(lo, hi, not_p)],
                    BoundedOp::G => [pool.throughout(lo, hi, p), pool.within(lo, hi, not_p)],
                    _ => return Err(not_ltl()),
                }
            }
            _ => return Err(not_ltl()),
        })
    }

    fn atom(&mut self, id: ExprId) -> Pair {
        if let Some(Value::Bool(value)) = self.exprs.as_const(id) {
            return [value, !value].map(|value| self.result.pool.constant(value));
        }
        let atom = self.result.atoms.len() as u32;
        self.result.atoms.push(id);
        [true, false].map(|truth| self.result.pool.add(Formula::Atom(atom, truth)))
    }

    fn binary(&mut self, op: BinaryOp, p: Pair, q: Pair) -> Result<Pair, Why> {
        let pool = &mut self.result.pool;
        let negate = |[p, not_p]: Pair| [not_p, p];
        let and = |pool: &mut Pool, p: Pair, q: Pair| [pool.and(p[0], q[0]), pool.or(p[1], q[1])];
        let iff = |pool: &mut Pool, p: Pair, q: Pair| {
            let (both, none) = (pool.and(p[0], q[0]), pool.and(p[1], q[1]));
            let (only_p, only_q) = (pool.and(p[0], q[1]), pool.and(p[1], q[0]));
            [pool.or(both, none), pool.or(only_p, only_q)]
        };
        Ok(match op {
            BinaryOp::And => and(pool, p, q),
            BinaryOp::Or => negate(and(pool, negate(p), negate(q))),
            BinaryOp::Implies => negate(and(pool, p, negate(q))),
            BinaryOp::Iff | BinaryOp::Xnor => iff(pool, p, q),
            BinaryOp::Xor => negate(iff(pool, p, q)),
            BinaryOp::U => [pool.until(p[0], q[0]), pool.release(p[1], q[1])],
            BinaryOp::V => [pool.release(p[0], q[0]), pool.until(p[1], q[1])],
            _ => return Err(not_ltl()),
        })
    }

    /// The value of a non-past node.
    fn value(&mut self, id: ExprId) -> Result<(), Why> {
        let expr = self.exprs.get(id);
        let pair = self.pairs[&id];
        let instr = match (self.result.pool.get(pair[0]), expr) {
            (Formula::Const(value), _) => Instr::Const(value),
            (Formula::Atom(atom, true), _) => Instr::Atom(atom),
            (_, Expr::Unary(UnaryOp::Not, p)) => Instr::Not(self.values[&p]),
            (_, Expr::Binary(op, p, q)) if is_connective(expr) => {
                Instr::Connective(op, self.values[&p], self.values[&q])
            }
            _ => {
                self.result.guesses.push(pair);
                Instr::Guess(self.result.guesses.len() as u32 - 1)
            }
        };
        if self.result.guesses.len() > MAX_GUESSES {
            let text = format!("more than {MAX_GUESSES} future formulas below past operators");
            return Err(Why::Unsupported(text));
        }
        let value = self.result.past.push(instr);
        self.values.insert(id, value);
        Ok(())
    }

    /// The value of a past node, which is also its formula.
    fn past(&mut self, id: ExprId) -> Result<(), Why> {
        let past = &mut self.result.past;
        let value = match self.exprs.get(id) {
            Expr::Unary(op, p) => {
                let p = self.values[&p];
                match op {
                    UnaryOp::Y => past.delay(p, 1)?,
                    UnaryOp::Z => {
                        let not_p = past.push(Instr::Not(p));
                        let before = past.delay(not_p, 1)?;
                        past.push(Instr::Not(before))
                    }
                    UnaryOp::O => {
                        let always = past.push(Instr::Const(true));
                        past.since(always, p)
                    }
                    _ => {
                        let never = past.push(Instr::Const(false));
                        past.triggered(never, p)
                    }
                }
            }
            Expr::Binary(BinaryOp::S, p, q) => past.since(self.values[&p], self.values[&q]),
            Expr::Binary(_, p, q) => past.triggered(self.values[&p], self.values[&q]),
            Expr::Bounded(op, p, lo, hi) => {
                let bounds = self.bounds([lo, hi].map(|c| self.exprs.constant(c)))?;
                self.bounded_past(op, self.values[&p], bounds)?
            }
            _ => return Err(not_ltl()),
        };
        self.values.insert(id, value);
        let literal = |truth: bool| Formula::Past(value, truth);
        let pair = [true, false].map(|truth| self.result.pool.add(literal(truth)));
        self.pairs.insert(id, pair);
        Ok(())
    }

    fn bounded_past(&mut self, op: BoundedOp, p: u32, (lo, hi): (u64, u64)) -> Result<u32, Why> {
        let past = &mut self.result.past;
        let p = past.delay(p, lo)?;
        let n_steps = (hi - lo).saturating_add(1);
        if op == BoundedOp::H {
            return past.held(p, n_steps, Before::Failed);
        }
        let not_p = past.push(Instr::Not(p));
        let never = past.held(not_p, n_steps, Before::Held)?;
        Ok(past.push(Instr::Not(never)))
    }

    fn bounds(&self, bounds: [Value; 2]) -> Result<(u64, u64), Why> {
        let [lo, hi] = bounds.map(|bound| bound.as_int().and_then(|i| u64::try_from(i).ok()));
        match (lo, hi) {
            (Some(lo), Some(hi)) if lo <= hi => Ok((lo, hi)),
            _ => Err(Why::Unsupported("empty or negative bounds of a temporal operator".into())),
        }
    }
}

fn not_ltl() -> Why {
    Why::Unsupported("operators in an LTL formula that are not of LTL".into())
}
