//! The prelude: what every context knows without declaring it.

use trapline_model::{BinaryOp, Expr, ExprId, Type as ExprType, UnaryOp, Value};
use trapline_source::Diagnostic;

use super::Lowerer;
use super::machine::At;
use super::term::{Kind, Term, Type};

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// A temporal operator with one operand.
    Unary(UnaryOp),
    /// A temporal operator with two operands.
    Binary(BinaryOp),
    /// `W(p, q)`: until, or for ever.
    WeakUntil,
    /// `M(p, q)`: release, and some time.
    StrongRelease,
    /// `AR(p, q)`
    AllRelease,
    /// `ER(p, q)`
    SomeRelease,
    /// `min`, `max`
    Extreme(BinaryOp),
    /// `exp(x, n)`
    Power,
    /// `nor`, `nand`, `xnor`
    Negated(BinaryOp),
    /// `rpred`, `rsucc`: the neighbour in a ring.
    Neighbour(i64),
    /// `up_to(n)`, `below(n)`, `above(n)`: sets of numbers.
    Numbers(BinaryOp),
    /// `int_pred?`, `nat_pred?`
    IsNatural(bool),
}

/// The names of the prelude that are functions.
const FUNCTIONS: &[(&str, Builtin)] = &[
    ("G", Builtin::Unary(UnaryOp::G)),
    ("F", Builtin::Unary(UnaryOp::F)),
    ("X", Builtin::Unary(UnaryOp::X)),
    ("AG", Builtin::Unary(UnaryOp::Ag)),
    ("AF", Builtin::Unary(UnaryOp::Af)),
    ("AX", Builtin::Unary(UnaryOp::Ax)),
    ("EG", Builtin::Unary(UnaryOp::Eg)),
    ("EF", Builtin::Unary(UnaryOp::Ef)),
    ("EX", Builtin::Unary(UnaryOp::Ex)),
    ("U", Builtin::Binary(BinaryOp::U)),
    ("R", Builtin::Binary(BinaryOp::V)),
    ("W", Builtin::WeakUntil),
    ("M", Builtin::StrongRelease),
    ("AU", Builtin::Binary(BinaryOp::Au)),
    ("EU", Builtin::Binary(BinaryOp::Eu)),
    ("AR", Builtin::AllRelease),
    ("ER", Builtin::SomeRelease),
    ("min", Builtin::Extreme(BinaryOp::Min)),
    ("max", Builtin::Extreme(BinaryOp::Max)),
    ("exp", Builtin::Power),
    ("nor", Builtin::Negated(BinaryOp::Or)),
    ("nand", Builtin::Negated(BinaryOp::And)),
    ("xnor", Builtin::Negated(BinaryOp::Xor)),
    ("rpred", Builtin::Neighbour(-1)),
    ("rsucc", Builtin::Neighbour(1)),
    ("up_to", Builtin::Numbers(BinaryOp::Le)),
    ("below", Builtin::Numbers(BinaryOp::Lt)),
    ("above", Builtin::Numbers(BinaryOp::Gt)),
    ("int_pred?", Builtin::IsNatural(false)),
    ("nat_pred?", Builtin::IsNatural(true)),
];

/// The names of the prelude that are types.
const TYPES: &[(&[&str], Type)] = &[
    (&["bool", "boolean", "BOOLEAN"], Type::Bool),
    (&["real", "REAL", "number", "nzreal", "NZREAL"], Type::Real),
    (&["int", "integer", "INTEGER", "nzint", "NZINTEGER"], Type::Integer { lo: None, hi: None }),
    (&["nat", "natural", "NATURAL"], Type::Integer { lo: Some(0), hi: None }),
    (&["nznat"], Type::Integer { lo: Some(1), hi: None }),
    (&["char"], Type::Integer { lo: Some(0), hi: Some(255) }),
    (&["string"], Type::Text),
];

/// All names of the prelude.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let types = TYPES.iter().flat_map(|(names, _)| names.iter().copied());
    FUNCTIONS.iter().map(|(name, _)| *name).chain(types).chain(["TRUE", "FALSE"])
}

/// So many arguments, for messages.
pub(super) fn arguments(n: usize) -> String {
    if n == 1 { "1 argument".into() } else { format!("{n} arguments") }
}

/// So many parameters, for messages.
pub(super) fn parameters(n: usize) -> String {
    if n == 1 { "1 parameter".into() } else { format!("{n} parameters") }
}

impl Lowerer<'_> {
    /// What a name means to those who declare nothing of that name.
    pub(super) fn prelude(&mut self, name: &str) -> Option<Term> {
        match name {
            "TRUE" | "true" => return Some(Term::boolean(self.model.exprs.bool(true))),
            "FALSE" | "false" => return Some(Term::boolean(self.model.exprs.bool(false))),
            _ => {}
        }
        let function = FUNCTIONS.iter().find(|(own, _)| *own == name);
        let ty = TYPES.iter().find(|(own, _)| own.contains(&name));
        let ty = ty.map(|(_, ty)| Term::Type(ty.clone()));
        function.map(|(_, builtin)| Term::Builtin(*builtin)).or(ty)
    }

    /// Applies what is no function of the user's.
    pub(super) fn apply_known(&mut self, at: &At, function: &Term, args: Vec<Term>) -> Term {
        match (function, args.as_slice()) {
            (Term::Builtin(builtin), args) => self.apply_builtin(at, *builtin, args),
            (Term::Array(_), [index]) => self.indexed(at, function, index),
            (Term::Array(_), _) => self.indexed(at, function, &Term::Tuple(args.into())),
            (Term::Set(set), [value]) => match self.is_member(value, set) {
                Some(is_member) => Term::boolean(is_member),
                None => self.no_such_part(function, self.span(&at.place, at.node)),
            },
            (Term::Constructor(id, idx), _) => {
                let span = self.span(&at.place, at.node);
                let types: Vec<Type> = self.datas[id.0 as usize].constructors[*idx as usize]
                    .fields
                    .iter()
                    .map(|(_, ty)| ty.clone())
                    .collect();
                if args.len() != types.len() {
                    let wanted = arguments(types.len());
                    let text = format!("this takes {wanted}, not {}", args.len());
                    self.report(Diagnostic::error("wrong-arguments", span, text));
                    return Term::Poison;
                }
                let fields: Vec<Term> =
                    args.iter().zip(&types).map(|(arg, ty)| self.coerce(arg, ty, span)).collect();
                match fields.iter().any(Term::is_poison) {
                    true => Term::Poison,
                    false => self.construct(*id, *idx as usize, fields),
                }
            }
            (Term::Recogniser(id, idx), [Term::Data(data)]) if data.data == *id => {
                let tag = self.datas[id.0 as usize].tags[*idx as usize];
                let tag = self.model.exprs.value(tag);
                Term::boolean(self.folded(Expr::Binary(BinaryOp::Eq, data.tag, tag), at))
            }
            (Term::Accessor(id, name), [Term::Data(data)]) if data.data == *id => {
                self.accessed(at, data, *name)
            }
            _ => {
                let span = self.span(&at.place, at.node);
                let text = format!("{} can't be applied to this", self.describe(function));
                self.report(Diagnostic::error("type-mismatch", span, text));
                Term::Poison
            }
        }
    }

    /// A field of a datatype: several constructors may have one of that name.
    fn accessed(
        &mut self,
        at: &At,
        data: &super::term::DataTerm,
        name: crate::sal::syntax::NameId,
    ) -> Term {
        let span = self.span(&at.place, at.node);
        let info = self.datas[data.data.0 as usize].clone();
        let mut value: Option<Term> = None;
        for (idx, constructor) in info.constructors.iter().enumerate().rev() {
            let Some(field) = constructor.fields.iter().position(|(own, _)| *own == name) else {
                continue;
            };
            let own = data.fields[idx][field].clone();
            value = Some(match value {
                None => own,
                Some(rest) => {
                    let tag = self.model.exprs.value(info.tags[idx]);
                    let is_it = self.folded(Expr::Binary(BinaryOp::Eq, data.tag, tag), at);
                    self.choose(is_it, &own, &rest, span)
                }
            });
        }
        value.unwrap_or(Term::Poison)
    }

    fn apply_builtin(&mut self, at: &At, builtin: Builtin, args: &[Term]) -> Term {
        let n_wanted = match builtin {
            Builtin::Unary(_) | Builtin::Neighbour(_) | Builtin::IsNatural(_) => 1,
            Builtin::Numbers(_) => args.len().clamp(1, 2),
            _ => 2,
        };
        let span = self.span(&at.place, at.node);
        let scalars: Option<Vec<_>> = args.iter().map(Term::as_scalar).collect();
        let (Some(scalars), true) = (scalars, args.len() == n_wanted) else {
            let text = match args.len() == n_wanted {
                true => "this takes scalars: Booleans or numbers".to_string(),
                false => format!("this takes {}, not {}", arguments(n_wanted), args.len()),
            };
            self.report(Diagnostic::error("wrong-arguments", span, text));
            return Term::Poison;
        };
        let wants_numbers = matches!(
            builtin,
            Builtin::Extreme(_) | Builtin::Power | Builtin::Numbers(_) | Builtin::IsNatural(_)
        );
        let wanted = match builtin {
            Builtin::Neighbour(_) => None,
            _ if wants_numbers => Some(Kind::Number),
            _ => Some(Kind::Bool),
        };
        for (term, scalar) in args.iter().zip(&scalars) {
            if wanted.is_some_and(|wanted| wanted != scalar.kind) {
                let wanted = if wants_numbers { "a number" } else { "a Boolean" };
                return self.mismatch(at, term, wanted);
            }
        }
        let exprs: Vec<ExprId> = scalars.iter().map(|scalar| scalar.expr).collect();
        match builtin {
            Builtin::Extreme(op) => {
                let expr = self.folded(Expr::Binary(op, exprs[0], exprs[1]), at);
                Term::scalar(expr, Kind::Number)
            }
            Builtin::Power => self.power(at, args),
            Builtin::Neighbour(by) => self.neighbour(at, scalars[0].kind, exprs[0], by),
            Builtin::Numbers(op) if exprs.len() == 2 => {
                Term::boolean(self.folded(Expr::Binary(op, exprs[1], exprs[0]), at))
            }
            Builtin::Numbers(_) => {
                let text = "infinite sets of numbers are not supported";
                let help = "write a set of a finite type, as in `{i: [0..9] | i < n}`";
                self.report(Diagnostic::error("unsupported", span, text).help(help));
                Term::Poison
            }
            Builtin::IsNatural(is_natural) => {
                let zero = self.model.exprs.value(Value::Int(0));
                let expr = match is_natural {
                    true => self.folded(Expr::Binary(BinaryOp::Ge, exprs[0], zero), at),
                    false => self.model.exprs.bool(true),
                };
                Term::boolean(expr)
            }
            Builtin::Negated(op) => {
                let inner = self.folded(Expr::Binary(op, exprs[0], exprs[1]), at);
                Term::boolean(self.model.exprs.not(inner))
            }
            _ => self.temporal(at, builtin, &exprs),
        }
    }

    fn power(&mut self, at: &At, args: &[Term]) -> Term {
        let span = self.span(&at.place, at.node);
        let value = match (self.constant(&args[0]), self.constant(&args[1])) {
            (Some(Value::Int(base)), Some(Value::Int(exponent))) => {
                u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))
            }
            _ => None,
        };
        match value {
            Some(value) => self.number(value),
            None => {
                let text = "`exp` takes constant numbers, whose power fits 64 bits";
                self.report(Diagnostic::error("not-constant", span, text));
                Term::Poison
            }
        }
    }

    fn neighbour(&mut self, at: &At, kind: Kind, of: ExprId, by: i64) -> Term {
        let Kind::Ring(size) = kind else {
            let text = "`rpred` and `rsucc` take a member of a ringset";
            self.report(Diagnostic::error("type-mismatch", self.span(&at.place, at.node), text));
            return Term::Poison;
        };
        let (end, other) = if by > 0 { (size - 1, 0) } else { (0, size - 1) };
        let end = self.model.exprs.value(Value::Int(end));
        let step = self.model.exprs.value(Value::Int(by));
        let is_end = self.folded(Expr::Binary(BinaryOp::Eq, of, end), at);
        let other = self.number(other);
        let next = self.folded(Expr::Binary(BinaryOp::Add, of, step), at);
        let next = Term::scalar(next, Kind::Number);
        let span = self.span(&at.place, at.node);
        let chosen = match self.model.exprs.as_const(is_end) {
            Some(Value::Bool(true)) => other,
            Some(_) => next,
            None => self.choose(is_end, &other, &next, span),
        };
        chosen.as_scalar().map_or(Term::Poison, |scalar| Term::scalar(scalar.expr, kind))
    }

    fn temporal(&mut self, at: &At, builtin: Builtin, operands: &[ExprId]) -> Term {
        let span = self.span(&at.place, at.node);
        let is_path = |op: UnaryOp| matches!(op, UnaryOp::G | UnaryOp::F | UnaryOp::X);
        let is_linear = match builtin {
            Builtin::Unary(op) => is_path(op),
            Builtin::Binary(op) => matches!(op, BinaryOp::U | BinaryOp::V),
            Builtin::AllRelease | Builtin::SomeRelease => false,
            _ => true,
        };
        if !self.in_formula {
            let text = "a temporal operator can't stand here";
            let help = "temporal operators stand in assertions: `p: THEOREM m |- G(x)`";
            self.report(Diagnostic::error("misplaced-operator", span, text).help(help));
            return Term::Poison;
        }
        self.logics.0 |= is_linear;
        self.logics.1 |= !is_linear;
        if self.logics == (true, true) {
            let text = "operators of LTL and of CTL can't be mixed in one assertion";
            self.report(Diagnostic::error("misplaced-operator", span, text));
            return Term::Poison;
        }
        let exprs = &mut self.model.exprs;
        let expr = match (builtin, operands) {
            (Builtin::Unary(op), &[p]) => exprs.unary(op, p),
            (Builtin::Binary(op), &[p, q]) => exprs.binary(op, p, q),
            (Builtin::WeakUntil, &[p, q]) => {
                let either = exprs.or(p, q);
                exprs.binary(BinaryOp::V, q, either)
            }
            (Builtin::StrongRelease, &[p, q]) => {
                let both = exprs.and(p, q);
                exprs.binary(BinaryOp::U, q, both)
            }
            (Builtin::AllRelease | Builtin::SomeRelease, &[p, q]) => {
                let (p, q) = (exprs.not(p), exprs.not(q));
                let op = match builtin {
                    Builtin::AllRelease => BinaryOp::Eu,
                    _ => BinaryOp::Au,
                };
                let until = exprs.binary(op, p, q);
                exprs.not(until)
            }
            _ => unreachable!("{builtin:?} is no temporal operator"),
        };
        debug_assert_eq!(exprs.ty(expr), ExprType::Temporal);
        Term::boolean(expr)
    }
}
