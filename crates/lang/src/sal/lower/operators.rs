//! Operators over what their operands mean.

use std::rc::Rc;

use trapline_model::{BinaryOp, Expr, ExprId, Ratio, Type as ExprType, UnaryOp, Value, eval};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::machine::At;
use super::term::{Kind, Place, SetTerm, Term, Type};
use crate::sal::syntax::{Binary, Context, Name, NodeId, Op, Unary};

impl Lowerer<'_> {
    /// What a node without operands means.
    pub(super) fn leaf(&mut self, at: &At, context: &Context) -> Term {
        let node = context.node(at.node);
        match &node.op {
            Op::Name(id) => self.named(Name { id: *id, span: node.span }, &at.place),
            Op::Primed(id) => self.primed(Name { id: *id, span: node.span }, &at.place),
            Op::Qualified { context, member } => {
                self.qualified(*context, Vec::new(), *member, &at.place)
            }
            Op::Int(number) => self.number(*number),
            Op::Decimal(num, den) => match Ratio::new((*num).into(), (*den).into()) {
                Some(ratio) if ratio.den() == 1 => self.number(ratio.num()),
                Some(ratio) => {
                    let expr = self.model.exprs.value(Value::Real(ratio));
                    Term::scalar(expr, Kind::Number)
                }
                None => unreachable!("no decimal has the denominator zero"),
            },
            Op::Text => self.refused(node.span, "strings"),
            Op::Unbounded => self.refused(node.span, "ranges without bounds"),
            Op::InitPred(_) => self.refused(node.span, "uses of `INIT_PRED`"),
            Op::TransPred(_) => self.refused(node.span, "uses of `TRANS_PRED`"),
            Op::StateType(_) => self.refused(node.span, "uses of `STATE_TYPE`"),
            op => unreachable!("{op:?} has operands"),
        }
    }

    fn refused(&mut self, span: Span, what: &str) -> Term {
        let text = format!("{what} are not supported");
        self.report(Diagnostic::error("unsupported", span, text));
        Term::Poison
    }

    pub(super) fn number(&mut self, number: i64) -> Term {
        Term::scalar(self.model.exprs.value(Value::Int(number)), Kind::Number)
    }

    /// What a node means whose operands mean this.
    pub(super) fn operator(&mut self, at: &At, context: &Context, operands: Vec<Term>) -> Term {
        if operands.iter().any(Term::is_poison) {
            return Term::Poison;
        }
        let node = context.node(at.node);
        match &node.op {
            Op::Qualified { context, member } => {
                self.qualified(*context, operands, *member, &at.place)
            }
            Op::Unary(op) => self.unary(at, *op, &operands[0]),
            Op::Binary(op) => self.binary(at, *op, &operands[0], &operands[1]),
            Op::Index => self.indexed(at, &operands[0], &operands[1]),
            Op::Field(name) => self.field(at, &operands[0], *name),
            Op::Component(number) => self.component(at, &operands[0], *number),
            Op::With(path) => self.with(at, path, operands),
            Op::Record(names) => {
                let mut fields: Vec<_> = names.iter().map(|name| name.id).zip(operands).collect();
                fields.sort_by_key(|(name, _)| *name);
                if fields.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    let text = "a field is given twice";
                    self.report(Diagnostic::error("declared-twice", node.span, text));
                    return Term::Poison;
                }
                self.shallow(Term::Record(fields.into()), at)
            }
            Op::Tuple => self.shallow(Term::Tuple(operands.into()), at),
            Op::Set => self.set(operands),
            _ => self.type_operator(at, context, operands),
        }
    }

    fn shallow(&mut self, term: Term, at: &At) -> Term {
        if self.is_shallow(&term, at) { term } else { Term::Poison }
    }

    fn type_operator(&mut self, at: &At, context: &Context, operands: Vec<Term>) -> Term {
        let node = context.node(at.node);
        let nodes = context.operands(at.node);
        if node.op == Op::RangeType {
            return self.range(at, &operands, nodes);
        }
        let mut types = Vec::new();
        for (term, &operand) in operands.iter().zip(nodes) {
            let Some(ty) = self.as_type(term, self.span(&at.place, operand)) else {
                return Term::Poison;
            };
            types.push(ty);
        }
        match &node.op {
            Op::TupleType => self.compound(Type::Tuple(types.into()), node.span),
            Op::FunctionType if !self.is_finite(&types[0]) => Term::Type(Type::Function),
            Op::ArrayType | Op::FunctionType => {
                let Some(index) = self.index(&types[0], self.span(&at.place, nodes[0])) else {
                    return Term::Poison;
                };
                let element = types.swap_remove(1);
                self.compound(Type::Array(Rc::new((index, element))), node.span)
            }
            Op::RecordType(groups) => {
                let fields = groups.iter().zip(&types);
                let fields =
                    fields.flat_map(|(names, ty)| names.iter().map(|name| (name.id, ty.clone())));
                let mut fields: Vec<_> = fields.collect();
                fields.sort_by_key(|(name, _)| *name);
                if fields.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    let text = "a field is declared twice";
                    self.report(Diagnostic::error("declared-twice", node.span, text));
                    return Term::Poison;
                }
                self.compound(Type::Record(fields.into()), node.span)
            }
            op => unreachable!("{op:?} is evaluated elsewhere"),
        }
    }

    fn range(&mut self, at: &At, operands: &[Term], nodes: &[NodeId]) -> Term {
        let mut bounds = [None, None];
        for ((bound, term), &node) in bounds.iter_mut().zip(operands).zip(nodes) {
            match self.constant(term) {
                Some(Value::Int(number)) => *bound = Some(number),
                _ => {
                    let span = self.span(&at.place, node);
                    let text = "the bounds of a range are constant numbers";
                    self.report(Diagnostic::error("not-constant", span, text));
                    return Term::Poison;
                }
            }
        }
        if let [Some(lo), Some(hi)] = bounds
            && lo > hi
        {
            let span = self.span(&at.place, at.node);
            let text = format!("the range {lo} .. {hi} has no values");
            self.report(Diagnostic::error("empty-type", span, text));
            return Term::Poison;
        }
        Term::Type(Type::Integer { lo: bounds[0], hi: bounds[1] })
    }

    fn set(&mut self, operands: Vec<Term>) -> Term {
        let always = self.model.exprs.bool(true);
        let mut expr = None;
        for (idx, term) in operands.iter().enumerate() {
            let Some(scalar) = term.as_scalar() else {
                expr = None;
                break;
            };
            if idx == 0 {
                expr = Some(scalar.expr);
                continue;
            }
            let Some(before) = expr else { break };
            let union = Expr::Binary(BinaryOp::Union, before, scalar.expr);
            expr = self.model.exprs.try_add(union).ok();
        }
        let members = operands.into_iter().map(|term| (always, term)).collect();
        Term::Set(Rc::new(SetTerm { expr, members }))
    }

    fn unary(&mut self, at: &At, op: Unary, operand: &Term) -> Term {
        let (model_op, kind, wanted) = match op {
            Unary::Not => (UnaryOp::Not, Kind::Bool, "a Boolean"),
            Unary::Neg => (UnaryOp::Neg, Kind::Number, "a number"),
        };
        match operand.as_scalar() {
            Some(scalar) if scalar.kind == kind => {
                let expr = match op {
                    Unary::Not if !at.record => self.model.exprs.not(scalar.expr),
                    _ => self.folded(Expr::Unary(model_op, scalar.expr), at),
                };
                Term::scalar(expr, kind)
            }
            _ => self.mismatch(at, operand, wanted),
        }
    }

    /// An expression, or its value if its operands are constant.
    pub(super) fn folded(&mut self, expr: Expr, at: &At) -> ExprId {
        let is_constant = {
            let exprs = &self.model.exprs;
            let operands = exprs.operands(expr);
            operands.as_slice().iter().all(|&operand| exprs.as_const(operand).is_some())
        };
        let added = self.model.exprs.add(expr);
        if !is_constant || self.model.exprs.ty(added) == ExprType::Temporal {
            return added;
        }
        match eval::constant(&self.model, added) {
            Ok(value) => self.model.exprs.value(value),
            Err(failure) => {
                let span = self.span(&at.place, at.node);
                let text = format!("this has no value: {}", failure.kind);
                self.report(Diagnostic::error("no-value", span, text));
                added
            }
        }
    }

    fn binary(&mut self, at: &At, op: Binary, left: &Term, right: &Term) -> Term {
        let (model_op, kind) = match op {
            Binary::Eq | Binary::Ne => return self.equation(at, op, left, right),
            Binary::And => (BinaryOp::And, Kind::Bool),
            Binary::Or => (BinaryOp::Or, Kind::Bool),
            Binary::Xor => (BinaryOp::Xor, Kind::Bool),
            Binary::Implies => (BinaryOp::Implies, Kind::Bool),
            Binary::Iff => (BinaryOp::Iff, Kind::Bool),
            Binary::Mul => (BinaryOp::Mul, Kind::Number),
            Binary::Divide => return self.quotient(at, left, right),
            Binary::Div => (BinaryOp::Div, Kind::Number),
            Binary::Mod => (BinaryOp::Mod, Kind::Number),
            Binary::Add => (BinaryOp::Add, Kind::Number),
            Binary::Sub => (BinaryOp::Sub, Kind::Number),
            Binary::Lt => (BinaryOp::Lt, Kind::Number),
            Binary::Le => (BinaryOp::Le, Kind::Number),
            Binary::Gt => (BinaryOp::Gt, Kind::Number),
            Binary::Ge => (BinaryOp::Ge, Kind::Number),
        };
        let is_comparison = matches!(op, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge);
        let wanted = if kind == Kind::Bool { "a Boolean" } else { "a number" };
        let fits = |term: &Term| term.as_scalar().filter(|scalar| scalar.kind == kind);
        let (Some(l), Some(r)) = (fits(left), fits(right)) else {
            let (wrong, idx) = if fits(left).is_none() { (left, 0) } else { (right, 1) };
            let operand = self.context(&at.place).operands(at.node)[idx];
            return self.mismatch_at(at, wrong, wanted, self.span(&at.place, operand));
        };
        let expr = match (op, at.record) {
            (Binary::And, false) => self.model.exprs.and(l.expr, r.expr),
            (Binary::Or, false) => self.model.exprs.or(l.expr, r.expr),
            (Binary::Implies, false) => self.model.exprs.implies(l.expr, r.expr),
            (Binary::Iff, false) => self.model.exprs.iff(l.expr, r.expr),
            (Binary::Xor, false) => self.model.exprs.xor(l.expr, r.expr),
            _ => self.folded(Expr::Binary(model_op, l.expr, r.expr), at),
        };
        Term::scalar(expr, if is_comparison { Kind::Bool } else { kind })
    }

    /// `/` divides real numbers.
    fn quotient(&mut self, at: &At, left: &Term, right: &Term) -> Term {
        let ratio = |value| match value {
            Value::Int(number) => Ratio::new(i128::from(number), 1),
            Value::Real(ratio) => Some(ratio),
            _ => None,
        };
        let constants = self.constant(left).zip(self.constant(right));
        let (Some((l, r)), span) = (constants, self.span(&at.place, at.node)) else {
            let text = "`/` divides real numbers, which must be constant here";
            let span = self.span(&at.place, at.node);
            let help = "integers are divided by `DIV`";
            self.report(Diagnostic::error("unsupported", span, text).help(help));
            return Term::Poison;
        };
        let quotient = ratio(l).zip(ratio(r)).and_then(|(l, r)| {
            Ratio::new(
                i128::from(l.num()) * i128::from(r.den()),
                i128::from(l.den()) * i128::from(r.num()),
            )
        });
        match quotient {
            Some(ratio) if ratio.den() == 1 => self.number(ratio.num()),
            Some(ratio) => Term::scalar(self.model.exprs.value(Value::Real(ratio)), Kind::Number),
            None => {
                let text = "this has no value: division by zero, or numbers that are too large";
                self.report(Diagnostic::error("no-value", span, text));
                Term::Poison
            }
        }
    }

    /// A condition: a Boolean that is no formula.
    pub(super) fn as_condition(
        &mut self,
        term: &Term,
        place: &Place,
        node: NodeId,
    ) -> Option<ExprId> {
        match term.as_scalar() {
            Some(scalar) if scalar.kind == Kind::Bool => Some(scalar.expr),
            _ => {
                if !term.is_poison() {
                    let span = self.span(place, node);
                    let text =
                        format!("this is {}, and a Boolean is expected", self.describe(term));
                    self.report(Diagnostic::error("type-mismatch", span, text));
                }
                None
            }
        }
    }

    /// Reports an operand that an operator does not take.
    pub(super) fn mismatch(&mut self, at: &At, operand: &Term, wanted: &str) -> Term {
        let span = self.span(&at.place, at.node);
        self.mismatch_at(at, operand, wanted, span)
    }

    fn mismatch_at(&mut self, at: &At, operand: &Term, wanted: &str, span: Span) -> Term {
        let context = self.context(&at.place);
        let node = context.node(at.node);
        let name = match &node.op {
            Op::Unary(Unary::Not) => "NOT",
            Op::Unary(Unary::Neg) => "-",
            Op::Binary(op) => binary_name(*op),
            _ => "this",
        };
        let text = format!("`{name}` takes {wanted}, and this is {}", self.describe(operand));
        self.report(Diagnostic::error("type-mismatch", span, text));
        Term::Poison
    }

    /// All of them, as a balanced tree: there may be thousands.
    pub(super) fn conjunction(&mut self, all: Vec<ExprId>) -> ExprId {
        self.balanced(all, true)
    }

    /// One of them, as a balanced tree.
    pub(super) fn disjunction(&mut self, all: Vec<ExprId>) -> ExprId {
        self.balanced(all, false)
    }

    fn balanced(&mut self, mut all: Vec<ExprId>, is_and: bool) -> ExprId {
        if all.is_empty() {
            return self.model.exprs.bool(is_and);
        }
        while all.len() > 1 {
            let exprs = &mut self.model.exprs;
            let join = |pair: &[ExprId]| match *pair {
                [l, r] if is_and => exprs.and(l, r),
                [l, r] => exprs.or(l, r),
                _ => pair[0],
            };
            all = all.chunks(2).map(join).collect();
        }
        all[0]
    }
}

/// How an operator is written.
pub(super) fn binary_name(op: Binary) -> &'static str {
    match op {
        Binary::Mul => "*",
        Binary::Divide => "/",
        Binary::Div => "DIV",
        Binary::Mod => "MOD",
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Eq => "=",
        Binary::Ne => "/=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::And => "AND",
        Binary::Or => "OR",
        Binary::Xor => "XOR",
        Binary::Implies => "=>",
        Binary::Iff => "<=>",
    }
}
