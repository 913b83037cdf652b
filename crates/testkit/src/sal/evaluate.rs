//! What types contain and what expressions mean.

use std::collections::BTreeMap;

use super::{Expr, Op, Spec, Ty, Value};

/// A value for each variable of the whole.
pub type State = Vec<Value>;

/// A part of a variable of the whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The variable.
    pub var: usize,
    /// Positions of elements, fields or components, from outside in.
    pub inside: Vec<usize>,
}

/// What the names of a module stand for.
pub type Paths = BTreeMap<String, Path>;

/// Where an expression has a value.
#[derive(Clone, Debug)]
pub struct Env<'e> {
    /// The context.
    pub spec: &'e Spec,
    /// The state.
    pub now: &'e State,
    /// The next one, where there is one.
    pub next: Option<&'e State>,
    /// The variables.
    pub paths: &'e Paths,
    /// What is bound, the innermost last.
    pub bound: Vec<(String, Value)>,
}

impl Value {
    /// A number.
    ///
    /// # Panics
    /// If it is something else.
    pub fn number(&self) -> i64 {
        match self {
            Value::Scalar(number) => *number,
            Value::Many(_) => panic!("a scalar was expected"),
        }
    }

    /// A part.
    pub fn at(&self, inside: &[usize]) -> &Value {
        inside.iter().fold(self, |value, &position| match value {
            Value::Many(parts) => &parts[position],
            Value::Scalar(_) => panic!("a scalar has no parts"),
        })
    }

    /// Puts another value in the place of a part.
    pub fn put(&mut self, inside: &[usize], new: Value) {
        match (inside, self) {
            ([], value) => *value = new,
            ([first, rest @ ..], Value::Many(parts)) => parts[*first].put(rest, new),
            (_, Value::Scalar(_)) => panic!("a scalar has no parts"),
        }
    }

    /// Its scalars, in order.
    pub fn scalars(&self, all: &mut Vec<i64>) {
        match self {
            Value::Scalar(number) => all.push(*number),
            Value::Many(parts) => parts.iter().for_each(|part| part.scalars(all)),
        }
    }
}

/// How many values a type has at most.
pub fn size(spec: &Spec, ty: &Ty) -> u64 {
    match ty {
        Ty::Bool => 2,
        Ty::Int => u64::MAX,
        Ty::Range(lo, hi) => (hi - lo + 1) as u64,
        Ty::Enum(idx) => spec.enums[*idx].len() as u64,
        Ty::Subtype(_, base, _) => size(spec, base),
        Ty::Array(index, element) => {
            size(spec, element).saturating_pow(size(spec, index).min(64) as u32)
        }
        Ty::Record(fields) => {
            fields.iter().fold(1, |all: u64, (_, ty)| all.saturating_mul(size(spec, ty)))
        }
        Ty::Tuple(types) => types.iter().fold(1, |all: u64, ty| all.saturating_mul(size(spec, ty))),
    }
}

/// The values of a type.
pub fn values(spec: &Spec, ty: &Ty) -> Vec<Value> {
    let numbers = |n: i64| (0..n).map(Value::Scalar).collect();
    match ty {
        Ty::Bool => numbers(2),
        Ty::Int => panic!("integers have no end"),
        Ty::Range(lo, hi) => (*lo..=*hi).map(Value::Scalar).collect(),
        Ty::Enum(idx) => numbers(spec.enums[*idx].len() as i64),
        Ty::Subtype(_, base, holds) => {
            let (nothing, paths) = (State::new(), Paths::new());
            let is_in = |value: &Value| {
                let bound = vec![("z".to_string(), value.clone())];
                let env = Env { spec, now: &nothing, next: None, paths: &paths, bound };
                env.holds(holds)
            };
            values(spec, base).into_iter().filter(is_in).collect()
        }
        Ty::Array(index, element) => {
            product(values(spec, index).iter().map(|_| values(spec, element)))
        }
        Ty::Record(fields) => product(fields.iter().map(|(_, ty)| values(spec, ty))),
        Ty::Tuple(types) => product(types.iter().map(|ty| values(spec, ty))),
    }
}

fn product(parts: impl Iterator<Item = Vec<Value>>) -> Vec<Value> {
    let mut all = vec![Vec::new()];
    for part in parts {
        let longer = |before: &Vec<Value>| -> Vec<Vec<Value>> {
            part.iter().map(|value| [before.clone(), vec![value.clone()]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(Value::Many).collect()
}

/// Where a value stands among those of a type.
///
/// # Panics
/// If it is none of them.
pub fn position(spec: &Spec, ty: &Ty, value: &Value) -> usize {
    let found = values(spec, ty).iter().position(|known| known == value);
    found.unwrap_or_else(|| panic!("{value:?} is no index in {ty:?}"))
}

impl Env<'_> {
    /// The same with something bound.
    pub fn with(&self, name: &str, value: Value) -> Self {
        let mut env = self.clone();
        env.bound.push((name.into(), value));
        env
    }

    /// Is a condition true?
    pub fn holds(&self, of: &Expr) -> bool {
        self.value(of).number() == 1
    }

    /// The value of an expression.
    pub fn value(&self, of: &Expr) -> Value {
        let truth = |is_true: bool| Value::Scalar(is_true.into());
        match of {
            Expr::Int(number) | Expr::Symbol(_, number) => Value::Scalar(*number),
            Expr::Bool(value) => truth(*value),
            Expr::Var(name, is_primed) => {
                let path = &self.paths[name];
                let state = match is_primed {
                    true => self.next.expect("a prime only in steps"),
                    false => self.now,
                };
                state[path.var].at(&path.inside).clone()
            }
            Expr::Bound(name) => {
                let found = self.bound.iter().rev().find(|(known, _)| known == name);
                found.expect("bound").1.clone()
            }
            Expr::Binary(op, l, r) => self.binary(*op, l, r),
            Expr::Not(inner) => truth(!self.holds(inner)),
            Expr::Neg(inner) => Value::Scalar(-self.value(inner).number()),
            Expr::If(test, yes, no) => self.value(if self.holds(test) { yes } else { no }),
            Expr::Element(array, index_ty, index) => {
                let at = position(self.spec, index_ty, &self.value(index));
                self.value(array).at(&[at]).clone()
            }
            Expr::Field(whole, at, _) | Expr::Component(whole, at) => {
                self.value(whole).at(&[*at]).clone()
            }
            Expr::WithElement(array, index_ty, index, value) => {
                let at = position(self.spec, index_ty, &self.value(index));
                self.updated(array, at, value)
            }
            Expr::WithField(whole, at, _, value) | Expr::WithComponent(whole, at, value) => {
                self.updated(whole, *at, value)
            }
            Expr::Quantified(is_all, name, ty, body) => {
                let mut all = values(self.spec, ty).into_iter();
                let mut holds = |value: Value| self.with(name, value).holds(body);
                truth(if *is_all { all.all(&mut holds) } else { all.any(holds) })
            }
            Expr::Let(name, _, value, body) => self.with(name, self.value(value)).value(body),
            Expr::Elements(name, ty, body) => {
                let all = values(self.spec, ty).into_iter();
                Value::Many(all.map(|value| self.with(name, value).value(body)).collect())
            }
            Expr::Record(fields) => {
                Value::Many(fields.iter().map(|(_, value)| self.value(value)).collect())
            }
            Expr::Tuple(parts) => Value::Many(parts.iter().map(|part| self.value(part)).collect()),
            Expr::Call(idx, actuals) => {
                let function = &self.spec.functions[*idx];
                let actuals = actuals.iter().map(|actual| self.value(actual));
                let names = function.params.iter().map(|(name, _)| name.clone());
                let bound = names.zip(actuals).collect();
                Env { bound, ..self.clone() }.value(&function.body)
            }
        }
    }

    fn updated(&self, whole: &Expr, at: usize, value: &Expr) -> Value {
        let mut whole = self.value(whole);
        whole.put(&[at], self.value(value));
        whole
    }

    fn binary(&self, op: Op, l: &Expr, r: &Expr) -> Value {
        let number = |of: &Expr| self.value(of).number();
        Value::Scalar(match op {
            Op::Add => number(l) + number(r),
            Op::Sub => number(l) - number(r),
            Op::Mul => number(l) * number(r),
            Op::Mod => number(l) % number(r),
            Op::Eq | Op::Iff => (self.value(l) == self.value(r)).into(),
            Op::Ne | Op::Xor => (self.value(l) != self.value(r)).into(),
            Op::Lt => (number(l) < number(r)).into(),
            Op::Le => (number(l) <= number(r)).into(),
            Op::And => (self.holds(l) && self.holds(r)).into(),
            Op::Or => (self.holds(l) || self.holds(r)).into(),
            Op::Implies => (!self.holds(l) || self.holds(r)).into(),
        })
    }
}
