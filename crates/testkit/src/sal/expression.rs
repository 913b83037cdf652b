//! Random expressions with a value wherever they are read: indices are in their types, and nothing
//! divides by zero.

use fastrand::Rng;

use super::evaluate::values;
use super::{Expr, Op, Spec, Ty, Value};

/// What can be read.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Variables or what is bound, with their types.
    pub reads: Vec<(Expr, Ty)>,
}

/// What values are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Number,
    Enum(usize),
    Aggregate,
}

fn kind(ty: &Ty) -> Kind {
    match ty {
        Ty::Bool => Kind::Bool,
        Ty::Int | Ty::Range(..) => Kind::Number,
        Ty::Enum(idx) => Kind::Enum(*idx),
        Ty::Subtype(_, base, _) => kind(base),
        Ty::Array(..) | Ty::Record(..) | Ty::Tuple(..) => Kind::Aggregate,
    }
}

/// Makes expressions.
#[derive(Debug)]
pub struct Maker<'r> {
    /// Where chance comes from.
    pub rng: &'r mut Rng,
    /// The context so far.
    pub spec: &'r Spec,
    /// So many names are bound already.
    pub n_bound: usize,
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

/// A value as an expression.
pub fn constant(ty: &Ty, value: &Value) -> Expr {
    match (ty, value) {
        (Ty::Bool, Value::Scalar(number)) => Expr::Bool(*number == 1),
        (Ty::Enum(idx), Value::Scalar(number)) => Expr::Symbol(*idx, *number),
        (Ty::Subtype(_, base, _), value) => constant(base, value),
        (Ty::Tuple(types), Value::Many(parts)) => {
            Expr::Tuple(types.iter().zip(parts).map(|(ty, part)| constant(ty, part)).collect())
        }
        (Ty::Record(fields), Value::Many(parts)) => {
            let fields = fields.iter().zip(parts);
            Expr::Record(fields.map(|((n, ty), part)| (n.clone(), constant(ty, part))).collect())
        }
        (_, value) => Expr::Int(value.number()),
    }
}

impl Maker<'_> {
    /// One time in so many.
    pub fn one_in(&mut self, n: u32) -> bool {
        self.rng.u32(..n) == 0
    }

    /// One of several.
    pub fn pick<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| all[self.rng.usize(..all.len())].clone())
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self) -> String {
        self.n_bound += 1;
        format!("k{}", self.n_bound)
    }

    /// A constant of a scalar type.
    pub fn constant(&mut self, ty: &Ty) -> Expr {
        let all = values(self.spec, ty);
        let value = self.pick(&all).expect("no type is empty");
        constant(ty, &value)
    }

    /// An index into an array, never outside it.
    pub fn index(&mut self, ty: &Ty, scope: &Scope) -> Expr {
        let inside = values(self.spec, ty);
        let fits = |(_, own): &&(Expr, Ty)| {
            !matches!(own, Ty::Int)
                && kind(own) != Kind::Aggregate
                && kind(own) == kind(ty)
                && values(self.spec, own).iter().all(|value| inside.contains(value))
        };
        let known: Vec<Expr> =
            scope.reads.iter().filter(fits).map(|(expr, _)| expr.clone()).collect();
        match self.pick(&known) {
            Some(known) if !self.one_in(3) => known,
            _ => self.constant(ty),
        }
    }

    /// Something scalar that is read.
    fn leaf(&mut self, wanted: Kind, scope: &Scope) -> Option<(Expr, Ty)> {
        let mut all: Vec<(Expr, Ty)> = Vec::new();
        for (expr, ty) in &scope.reads {
            match ty {
                Ty::Array(index_ty, element) if kind(element) == wanted => {
                    let index = self.index(index_ty, scope);
                    let read = (boxed(expr.clone()), boxed(index));
                    let read = Expr::Element(read.0, (**index_ty).clone(), read.1);
                    all.push((read, (**element).clone()));
                }
                Ty::Record(fields) => {
                    for (at, (name, ty)) in fields.iter().enumerate() {
                        let read = Expr::Field(boxed(expr.clone()), at, name.clone());
                        all.push((read, ty.clone()));
                    }
                }
                Ty::Tuple(types) => {
                    for (at, ty) in types.iter().enumerate() {
                        all.push((Expr::Component(boxed(expr.clone()), at), ty.clone()));
                    }
                }
                ty => all.push((expr.clone(), ty.clone())),
            }
        }
        all.retain(|(_, ty)| kind(ty) == wanted);
        self.pick(&all)
    }

    /// A condition.
    pub fn boolean(&mut self, depth: u8, scope: &Scope) -> Expr {
        if depth == 0 || self.one_in(6) {
            return match self.leaf(Kind::Bool, scope) {
                Some((leaf, _)) if !self.one_in(8) => leaf,
                _ => self.comparison(0, scope),
            };
        }
        let depth = depth - 1;
        match self.rng.u8(..13) {
            0..=2 => self.comparison(depth, scope),
            3..=6 => {
                let ops = [Op::And, Op::And, Op::Or, Op::Or, Op::Xor, Op::Implies, Op::Iff, Op::Eq];
                let op = self.pick(&ops).expect("not empty");
                let l = self.boolean(depth, scope);
                Expr::Binary(op, boxed(l), boxed(self.boolean(depth, scope)))
            }
            7 | 8 => Expr::Not(boxed(self.boolean(depth, scope))),
            9 => {
                let test = self.boolean(depth, scope);
                let yes = self.boolean(depth, scope);
                Expr::If(boxed(test), boxed(yes), boxed(self.boolean(depth, scope)))
            }
            10 => {
                let ty = Ty::Range(0, self.rng.i64(1..3));
                let (name, inner) = self.binding(&ty, scope);
                let body = self.boolean(depth, &inner);
                Expr::Quantified(self.rng.bool(), name, ty, boxed(body))
            }
            11 => self.call(Kind::Bool, depth, scope),
            _ => self.bound(depth, scope, |maker, inner| maker.boolean(depth, inner)),
        }
    }

    fn binding(&mut self, ty: &Ty, scope: &Scope) -> (String, Scope) {
        let name = self.fresh();
        let mut inner = scope.clone();
        inner.reads.push((Expr::Bound(name.clone()), ty.clone()));
        (name, inner)
    }

    /// `LET`
    fn bound(
        &mut self,
        depth: u8,
        scope: &Scope,
        body: impl Fn(&mut Self, &Scope) -> Expr,
    ) -> Expr {
        let (ty, value) = match self.rng.bool() {
            true => (Ty::Bool, self.boolean(depth, scope)),
            false => (Ty::Int, self.number(depth, scope)),
        };
        let (name, inner) = self.binding(&ty, scope);
        let body = body(self, &inner);
        Expr::Let(name, ty, boxed(value), boxed(body))
    }

    fn comparison(&mut self, depth: u8, scope: &Scope) -> Expr {
        if self.rng.bool()
            && !self.spec.enums.is_empty()
            && let which = self.rng.usize(..self.spec.enums.len())
            && let Some((l, _)) = self.leaf(Kind::Enum(which), scope)
        {
            let op = if self.rng.bool() { Op::Eq } else { Op::Ne };
            return Expr::Binary(op, boxed(l), boxed(self.symbol(which, depth, scope)));
        }
        let op = self.pick(&[Op::Eq, Op::Ne, Op::Lt, Op::Le]).expect("not empty");
        let l = self.number(depth, scope);
        Expr::Binary(op, boxed(l), boxed(self.number(depth, scope)))
    }

    fn symbol(&mut self, which: usize, depth: u8, scope: &Scope) -> Expr {
        if depth > 0 && self.one_in(4) {
            let test = self.boolean(depth - 1, scope);
            let yes = self.symbol(which, depth - 1, scope);
            return Expr::If(boxed(test), boxed(yes), boxed(self.symbol(which, depth - 1, scope)));
        }
        match self.leaf(Kind::Enum(which), scope) {
            Some((leaf, _)) if self.rng.bool() => leaf,
            _ => self.constant(&Ty::Enum(which)),
        }
    }

    /// A number.
    pub fn number(&mut self, depth: u8, scope: &Scope) -> Expr {
        if depth == 0 || self.one_in(4) {
            return match self.leaf(Kind::Number, scope) {
                Some((leaf, _)) if !self.one_in(4) => leaf,
                _ => Expr::Int(self.rng.i64(0..4)),
            };
        }
        let depth = depth - 1;
        match self.rng.u8(..9) {
            0..=3 => {
                let op = self.pick(&[Op::Add, Op::Add, Op::Sub, Op::Mul]).expect("not empty");
                let l = self.number(depth, scope);
                Expr::Binary(op, boxed(l), boxed(self.number(depth, scope)))
            }
            4 => match self.leaf(Kind::Number, scope) {
                Some((leaf, Ty::Range(0.., _))) => {
                    let by = Expr::Int(self.rng.i64(2..4));
                    Expr::Binary(Op::Mod, boxed(leaf), boxed(by))
                }
                _ => Expr::Neg(boxed(self.number(depth, scope))),
            },
            5 | 6 => {
                let test = self.boolean(depth, scope);
                let yes = self.number(depth, scope);
                Expr::If(boxed(test), boxed(yes), boxed(self.number(depth, scope)))
            }
            7 => self.call(Kind::Number, depth, scope),
            _ => self.bound(depth, scope, |maker, inner| maker.number(depth, inner)),
        }
    }

    fn call(&mut self, wanted: Kind, depth: u8, scope: &Scope) -> Expr {
        let functions = self.spec.functions.iter().enumerate();
        let known: Vec<usize> =
            functions.filter(|(_, it)| kind(&it.ty) == wanted).map(|(idx, _)| idx).collect();
        match self.pick(&known) {
            Some(idx) => {
                let params = &self.spec.functions[idx].params;
                let actuals = params.iter().map(|(_, ty)| match ty {
                    Ty::Int => self.number(depth, scope),
                    ty => self.index(ty, scope),
                });
                let actuals = actuals.collect();
                Expr::Call(idx, actuals)
            }
            None if wanted == Kind::Bool => self.comparison(depth, scope),
            None => self.number(depth, scope),
        }
    }

    /// A value for a variable of a type; numbers may be outside it.
    pub fn of_type(&mut self, ty: &Ty, depth: u8, scope: &Scope) -> Expr {
        match kind(ty) {
            Kind::Bool => self.boolean(depth, scope),
            Kind::Number => self.number(depth, scope),
            Kind::Enum(which) => self.symbol(which, depth, scope),
            Kind::Aggregate => self.aggregate(ty, depth, scope),
        }
    }

    fn aggregate(&mut self, ty: &Ty, depth: u8, scope: &Scope) -> Expr {
        let same: Vec<Expr> =
            scope.reads.iter().filter(|(_, own)| own == ty).map(|(expr, _)| expr.clone()).collect();
        let same = self.pick(&same);
        let depth = depth.saturating_sub(1);
        match (self.rng.u8(..4), same) {
            (0, Some(same)) if depth > 0 => {
                let test = self.boolean(depth, scope);
                Expr::If(boxed(test), boxed(same), boxed(self.aggregate(ty, depth - 1, scope)))
            }
            (1 | 2, Some(same)) => self.updated(same, ty, depth, scope),
            (_, _) => self.literal(ty, depth, scope),
        }
    }

    fn updated(&mut self, same: Expr, ty: &Ty, depth: u8, scope: &Scope) -> Expr {
        match ty {
            Ty::Array(index_ty, element) => {
                let mut whole = same;
                for _ in 0..self.rng.u8(1..3) {
                    let index = self.index(index_ty, scope);
                    let value = self.of_type(element, depth, scope);
                    let parts = (boxed(whole), boxed(index), boxed(value));
                    whole = Expr::WithElement(parts.0, (**index_ty).clone(), parts.1, parts.2);
                }
                whole
            }
            Ty::Record(fields) => {
                let at = self.rng.usize(..fields.len());
                let value = self.of_type(&fields[at].1, depth, scope);
                Expr::WithField(boxed(same), at, fields[at].0.clone(), boxed(value))
            }
            Ty::Tuple(types) => {
                let at = self.rng.usize(..types.len());
                let value = self.of_type(&types[at], depth, scope);
                Expr::WithComponent(boxed(same), at, boxed(value))
            }
            _ => same,
        }
    }

    fn literal(&mut self, ty: &Ty, depth: u8, scope: &Scope) -> Expr {
        match ty {
            Ty::Array(index_ty, element) => {
                let (name, inner) = self.binding(index_ty, scope);
                let body = self.of_type(element, depth, &inner);
                Expr::Elements(name, (**index_ty).clone(), boxed(body))
            }
            Ty::Record(fields) => {
                let fields = fields.iter();
                let fields =
                    fields.map(|(name, ty)| (name.clone(), self.of_type(ty, depth, scope)));
                Expr::Record(fields.collect())
            }
            Ty::Tuple(types) => {
                Expr::Tuple(types.iter().map(|ty| self.of_type(ty, depth, scope)).collect())
            }
            ty => self.constant(ty),
        }
    }

    /// Is it a type of scalars?
    pub fn is_scalar(ty: &Ty) -> bool {
        kind(ty) != Kind::Aggregate
    }
}
