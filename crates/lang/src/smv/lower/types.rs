//! The types of variables: domains, bounds and the symbols of enumerations.

use rustc_hash::FxHashMap;
use trapline_model::{Domain, Value, Word};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::{self, BaseType, Code, Op, TypeExpr, Unary};
use super::declare::ScopeId;
use super::scope::dotted;
use super::{Lowerer, Operand};

/// More values than this are no range but an integer.
const MAX_RANGE: u64 = 1 << 32;

impl Lowerer<'_> {
    /// The symbols of an enumeration or of `CONSTANTS`.
    pub fn declare_symbols(&mut self, values: &[Code]) {
        for &value in values {
            let span = self.program.span(value);
            match self.code(value) {
                [node] => {
                    if let Op::Ident(name) = node.op {
                        let symbol = self.model.symbols.intern(self.program.name(name));
                        let expr = self.exprs().value(Value::Symbol(symbol));
                        self.constants.entry(name).or_insert((expr, span));
                        self.is_constant[name.0 as usize] = true;
                    }
                }
                nodes if nodes.iter().any(|n| matches!(n.op, Op::Dot(_))) => {
                    let text = dotted(self.program, nodes);
                    self.model.symbols.intern(&text);
                }
                _ => {}
            }
        }
    }

    pub fn domain(&mut self, ty: &TypeExpr, scope: ScopeId) -> Option<Domain> {
        match &ty.base {
            BaseType::Boolean => Some(Domain::Bool),
            BaseType::Integer => Some(Domain::Integer),
            BaseType::Real => Some(Domain::Real),
            BaseType::Clock => Some(Domain::Clock),
            BaseType::Word { signed, width } => {
                let bits = self.constant_int(*width, scope, "the width of a word")?;
                if !(1..=i64::from(Word::MAX_WIDTH)).contains(&bits) {
                    let text = format!("a word has 1 to {} bits, not {bits}", Word::MAX_WIDTH);
                    self.report(Diagnostic::error("bad-width", self.program.span(*width), text));
                    return None;
                }
                Some(Domain::Word { signed: *signed, width: bits as u8 })
            }
            BaseType::Range(lo, hi) => {
                let (lo, hi) = self.range(*lo, *hi, scope)?;
                self.check_range_size(lo, hi, ty.span)?;
                Some(Domain::Range(lo, hi))
            }
            BaseType::Enum(values) => self.enumeration(values),
            BaseType::Instance { .. } => unreachable!("instances are no variables"),
        }
    }

    fn check_range_size(&mut self, lo: i64, hi: i64, span: Span) -> Option<()> {
        let size = hi as i128 - lo as i128 + 1;
        if size > MAX_RANGE as i128 {
            let text = format!("a range of {size} values is too large");
            let help = "the limit is 2^32 values; use a word, or `integer` without bounds";
            self.report(Diagnostic::error("range-too-large", span, text).help(help));
            return None;
        }
        Some(())
    }

    fn enumeration(&mut self, codes: &[Code]) -> Option<Domain> {
        let mut values: Vec<Value> = Vec::with_capacity(codes.len());
        let mut seen = FxHashMap::default();
        for &code in codes {
            let span = self.program.span(code);
            let value = self.enum_value(self.code(code), span)?;
            if let Some(first) = seen.insert(value, span) {
                let text = format!("`{}` stands twice in this enumeration", self.model.show(value));
                let error = Diagnostic::error("duplicate-value", span, text);
                self.report(error.label(first, "first here"));
                return None;
            }
            values.push(value);
        }
        Some(Domain::Enum(values.into()))
    }

    fn enum_value(&mut self, nodes: &[syntax::Node], span: Span) -> Option<Value> {
        let int = |op: Op| match op {
            Op::Int(i) => Some(i64::from(i)),
            Op::Literal(idx) => match self.program.literals[idx as usize] {
                syntax::Literal::Int(i) => Some(i),
                _ => None,
            },
            _ => None,
        };
        match nodes {
            [node] if matches!(node.op, Op::True | Op::False) => {
                let text = "TRUE and FALSE can't be members of an enumeration";
                self.report(Diagnostic::error("bad-enum", span, text).help("use `boolean`"));
                None
            }
            [node] => match node.op {
                Op::Ident(name) => self.model.exprs.as_const(self.constants[&name].0),
                op => int(op).map(Value::Int),
            },
            [number, minus] if minus.op == Op::Unary(Unary::Neg) => {
                int(number.op).map(|i| Value::Int(-i))
            }
            _ => {
                let text = dotted(self.program, nodes);
                Some(Value::Symbol(self.model.symbols.intern(&text)))
            }
        }
    }

    /// The bounds of the dimensions of an array.
    pub fn bounds(&mut self, dims: &[(Code, Code)], scope: ScopeId) -> Option<Vec<(i64, i64)>> {
        let dims: Vec<_> =
            dims.iter().map(|&(lo, hi)| self.range(lo, hi, scope)).collect::<Option<_>>()?;
        Some(dims)
    }

    fn range(&mut self, lo: Code, hi: Code, scope: ScopeId) -> Option<(i64, i64)> {
        let span = self.program.span(lo).to(self.program.span(hi));
        let lo = self.constant_int(lo, scope, "a bound");
        let hi = self.constant_int(hi, scope, "a bound");
        let (lo, hi) = (lo?, hi?);
        if lo > hi {
            let text = format!("the range {lo}..{hi} is empty");
            self.report(
                Diagnostic::error("empty-range", span, text).help("write the lower bound first"),
            );
            return None;
        }
        Some((lo, hi))
    }

    fn constant_int(&mut self, code: Code, scope: ScopeId, what: &str) -> Option<i64> {
        let span = self.program.span(code);
        let expr = match self.lower_now(code, scope) {
            Operand::Expr(expr) => expr,
            Operand::Poison => return None,
            _ => return self.not_constant(span, what),
        };
        if self.model.exprs.info(expr).reads != trapline_model::Reads::NOTHING {
            return self.not_constant(span, what);
        }
        match trapline_model::eval::constant(&self.model, expr) {
            Ok(Value::Int(i)) => Some(i),
            _ => self.not_constant(span, what),
        }
    }

    fn not_constant(&mut self, span: Span, what: &str) -> Option<i64> {
        let text = format!("{what} must be a constant integer");
        self.report(Diagnostic::error("not-constant", span, text));
        None
    }
}
