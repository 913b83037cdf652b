//! Random formulas and words, and the truth of formulas on words, straight from the definitions.

use fastrand::Rng;
use trapline_lang::smv::Smv;
use trapline_model::trace::{State, Trace};
use trapline_model::{
    BinaryOp, BoundedOp, Domain, Expr, ExprId, Model, Role, UnaryOp, Value, Var, VarId, VarKind,
};
use trapline_source::Span;

/// How many variables there are.
pub const N_VARS: usize = 3;

/// A model with a few Boolean variables and nothing else.
pub fn model() -> Model {
    let mut model = Model::new(&Smv);
    for name in ["a", "b", "c"] {
        model.vars.push(Var {
            name: name.into(),
            kind: VarKind::State,
            domain: Domain::Bool,
            role: Role::Internal,
            timing: None,
            span: Span::default(),
        });
    }
    model
}

/// A random formula with about so many operators.
pub fn formula(model: &mut Model, rng: &mut Rng, size: usize, has_next: bool) -> ExprId {
    use {BinaryOp as Bin, UnaryOp as Un};
    if size == 0 {
        let read = model.var_expr(VarId(rng.u32(0..N_VARS as u32)));
        return match rng.u8(0..16) {
            0 => model.exprs.bool(rng.bool()),
            1..4 if has_next => model.exprs.prime(read),
            _ => read,
        };
    }
    if rng.u8(0..10) < 5 {
        let operand = formula(model, rng, size - 1, has_next);
        let bounds = rng.i64(0..4);
        let bounds = (bounds, bounds + rng.i64(0..4));
        let ops = [Un::Not, Un::Not, Un::X, Un::Y, Un::Z, Un::G, Un::H, Un::F, Un::O];
        return match rng.usize(0..ops.len() + 4) {
            idx if idx < ops.len() => model.exprs.unary(ops[idx], operand),
            idx => {
                let ops = [BoundedOp::G, BoundedOp::F, BoundedOp::H, BoundedOp::O];
                model.exprs.bounded(ops[idx - 9], operand, bounds)
            }
        };
    }
    let left_size = rng.usize(0..size);
    let left = formula(model, rng, left_size, has_next);
    let right = formula(model, rng, size - 1 - left_size, has_next);
    let ops = [
        (Bin::And, Bin::Or, Bin::Implies, Bin::Iff, Bin::Xor),
        (Bin::U, Bin::S, Bin::V, Bin::T, Bin::Xnor),
    ];
    let (v, w, x, y, z) = ops[rng.usize(0..2)];
    let op = [v, w, x, y, z][rng.usize(0..5)];
    model.exprs.binary(op, left, right)
}

/// A state with these values, given as bits.
pub fn state(bits: u32) -> State {
    State { values: (0..N_VARS).map(|i| Some(Value::Bool(bits >> i & 1 == 1))).collect() }
}

/// A random lasso.
pub fn lasso(rng: &mut Rng, max_states: usize) -> Trace {
    let n_states = rng.usize(1..=max_states);
    let states = (0..n_states).map(|_| state(rng.u32(0..1 << N_VARS))).collect();
    Trace { states, loop_start: Some(rng.usize(0..n_states)) }
}

/// The truth of a formula in the first state, from the definitions: every subformula at every
/// position up to one from which on all values repeat, whatever the operators.
pub fn naive(model: &Model, formula: ExprId, trace: &Trace) -> bool {
    let start = trace.loop_start.expect("a lasso");
    let period = trace.states.len() - start;
    let nodes = model.exprs.reachable([formula]);
    let settled = start + nodes.len() * (period + 8);
    let word = Word { start, period, settled };
    let mut truth: Vec<(ExprId, Vec<bool>)> = Vec::new();
    for &id in &nodes {
        let of = |id: ExprId, i: usize| {
            let idx = truth.binary_search_by_key(&id, |(id, _)| *id).expect("operands first");
            truth[idx].1[word.fold(i)]
        };
        let values = (0..settled + period).map(|i| value(model, id, i, trace, &word, &of));
        let values = values.collect();
        truth.push((id, values));
    }
    truth.last().expect("the formula").1[0]
}

struct Word {
    start: usize,
    period: usize,
    settled: usize,
}

impl Word {
    /// The position with the same values that was computed.
    fn fold(&self, i: usize) -> usize {
        if i < self.settled { i } else { self.settled + (i - self.settled) % self.period }
    }

    fn state(&self, i: usize) -> usize {
        if i < self.start { i } else { self.start + (i - self.start) % self.period }
    }

    /// From `i` on, as far as anything can differ.
    fn future(&self, i: usize) -> std::ops::Range<usize> {
        i..i + self.settled + 2 * self.period
    }
}

fn value(
    model: &Model,
    id: ExprId,
    i: usize,
    trace: &Trace,
    word: &Word,
    of: &dyn Fn(ExprId, usize) -> bool,
) -> bool {
    use {BinaryOp as Bin, UnaryOp as Un};
    let read =
        |var: VarId, i: usize| trace.states[word.state(i)].get(var) == Some(Value::Bool(true));
    match model.exprs.get(id) {
        Expr::Const(c) => model.exprs.constant(c) == Value::Bool(true),
        Expr::Var(var) => read(var, i),
        Expr::Next(var) => read(var, i + 1),
        Expr::Unary(op, p) => match op {
            Un::Not => !of(p, i),
            Un::X => of(p, i + 1),
            Un::Y => i > 0 && of(p, i - 1),
            Un::Z => i == 0 || of(p, i - 1),
            Un::G => word.future(i).all(|j| of(p, j)),
            Un::F => word.future(i).any(|j| of(p, j)),
            Un::H => (0..=i).all(|j| of(p, j)),
            Un::O => (0..=i).any(|j| of(p, j)),
            _ => panic!("{op:?}"),
        },
        Expr::Binary(op, p, q) => match op {
            Bin::And => of(p, i) && of(q, i),
            Bin::Or => of(p, i) || of(q, i),
            Bin::Implies => !of(p, i) || of(q, i),
            Bin::Xor => of(p, i) != of(q, i),
            Bin::Xnor | Bin::Iff => of(p, i) == of(q, i),
            Bin::U => word.future(i).any(|j| of(q, j) && (i..j).all(|k| of(p, k))),
            Bin::V => !word.future(i).any(|j| !of(q, j) && (i..j).all(|k| !of(p, k))),
            Bin::S => (0..=i).any(|j| of(q, j) && (j + 1..=i).all(|k| of(p, k))),
            Bin::T => !(0..=i).any(|j| !of(q, j) && (j + 1..=i).all(|k| !of(p, k))),
            _ => panic!("{op:?}"),
        },
        Expr::Bounded(op, p, lo, hi) => {
            let bound = |c| model.exprs.constant(c).as_int().expect("a number") as usize;
            let mut steps = bound(lo)..=bound(hi);
            let before = |k: usize| i >= k && of(p, i - k);
            match op {
                BoundedOp::G => steps.all(|k| of(p, i + k)),
                BoundedOp::F => steps.any(|k| of(p, i + k)),
                BoundedOp::H => steps.all(before),
                BoundedOp::O => steps.any(before),
                _ => panic!("{op:?}"),
            }
        }
        other => panic!("{other:?}"),
    }
}
