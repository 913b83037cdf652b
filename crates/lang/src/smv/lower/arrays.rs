//! Arrays: they live only here. A model has one variable an element.

use trapline_model::{Expr, ExprId, Failure, FailureKind, Type, UnaryOp, Value};
use trapline_source::{Diagnostic, Span};

use super::{Item, Lowerer, Operand};

/// An array, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArrayRef {
    array: u32,
    /// How many dimensions are indexed already.
    depth: u32,
    /// The position of its first element.
    offset: u32,
}

/// All arrays that an expression can mean.
#[derive(Debug, Default)]
pub(super) struct ArrayTable {
    arrays: Vec<ArrayValue>,
}

#[derive(Debug)]
struct ArrayValue {
    dims: Vec<(i64, i64)>,
    /// The last index fastest.
    elements: Vec<ExprId>,
}

/// The dimensions and elements of an array that is not in the table yet.
type Elements = (Vec<(i64, i64)>, Vec<ExprId>);

impl ArrayTable {
    pub fn add(&mut self, dims: Vec<(i64, i64)>, elements: Vec<ExprId>) -> ArrayRef {
        self.arrays.push(ArrayValue { dims, elements });
        ArrayRef { array: self.arrays.len() as u32 - 1, depth: 0, offset: 0 }
    }

    pub fn dims(&self, array: ArrayRef) -> &[(i64, i64)] {
        &self.arrays[array.array as usize].dims[array.depth as usize..]
    }

    pub fn elements(&self, array: ArrayRef) -> &[ExprId] {
        let size = n_elements(self.dims(array));
        &self.arrays[array.array as usize].elements[array.offset as usize..][..size]
    }

    /// The part at a position of the first dimension that is not indexed yet.
    fn part(&self, array: ArrayRef, position: usize) -> ArrayRef {
        let size = n_elements(&self.dims(array)[1..]);
        let offset = array.offset + (position * size) as u32;
        ArrayRef { depth: array.depth + 1, offset, ..array }
    }
}

impl Lowerer<'_> {
    /// `array[index]`
    pub fn index_array(&mut self, array: ArrayRef, index: Item, span: Span) -> Operand {
        let Operand::Expr(index_expr) = index.operand else {
            return self.bad_index(index);
        };
        let (lo, hi) = self.arrays.dims(array)[0];
        let key = match self.ty(index_expr) {
            Type::Int => index_expr,
            Type::Word { .. } | Type::Bool => self.exprs().unary(UnaryOp::ToInt, index_expr),
            _ => return self.bad_index(index),
        };
        let reads = self.model.exprs.info(key).reads;
        if reads == trapline_model::Reads::NOTHING
            && let Ok(Value::Int(position)) = trapline_model::eval::constant(&self.model, key)
        {
            if position < lo || hi < position {
                let text = format!("index {position} is outside the array, which has {lo}..{hi}");
                self.report(Diagnostic::error("index-out-of-bounds", index.span, text));
                return Operand::Poison;
            }
            return self.array_operand(self.arrays.part(array, (position - lo) as usize));
        }
        let parts = (lo..=hi).map(|i| self.arrays.part(array, (i - lo) as usize)).collect();
        self.choose_part(parts, key, lo, span)
    }

    /// The part that a variable index chooses: a chain of comparisons, for each element.
    fn choose_part(&mut self, parts: Vec<ArrayRef>, key: ExprId, lo: i64, span: Span) -> Operand {
        let dims = self.arrays.dims(parts[0]).to_vec();
        let failure = Failure { kind: FailureKind::IndexOutOfBounds, span };
        let fail = self.exprs().fail(failure);
        let mut chosen: Vec<ExprId> = vec![fail; self.arrays.elements(parts[0]).len()];
        for (position, &part) in parts.iter().enumerate().rev() {
            let index = self.exprs().value(Value::Int(lo + position as i64));
            let is_here = self.exprs().eq(key, index);
            for (element, choice) in chosen.iter_mut().enumerate() {
                let value = self.arrays.elements(part)[element];
                *choice = self.exprs().add(Expr::Ite(is_here, value, *choice));
            }
        }
        let array = self.arrays.add(dims, chosen);
        self.array_operand(array)
    }

    fn array_operand(&self, array: ArrayRef) -> Operand {
        match self.arrays.dims(array) {
            [] => Operand::Expr(self.arrays.elements(array)[0]),
            _ => Operand::Array(array),
        }
    }

    fn bad_index(&mut self, index: Item) -> Operand {
        if !matches!(index.operand, Operand::Poison) {
            let text = "an index must be an integer or a word";
            self.report(Diagnostic::error("type-mismatch", index.span, text));
        }
        Operand::Poison
    }

    /// An array literal: all items are values, or all are arrays of one shape.
    pub fn array_literal(&mut self, items: &[Item], span: Span) -> Operand {
        let mut inner: Option<Vec<(i64, i64)>> = None;
        let mut elements = Vec::new();
        for item in items {
            let dims = match item.operand {
                Operand::Expr(expr) => {
                    elements.push(expr);
                    Vec::new()
                }
                Operand::Array(array) => {
                    elements.extend_from_slice(self.arrays.elements(array));
                    self.arrays.dims(array).to_vec()
                }
                _ => return Operand::Poison,
            };
            if inner.get_or_insert_with(|| dims.clone()) != &dims {
                let text = "the elements of an array literal must have one shape";
                self.report(Diagnostic::error("type-mismatch", span, text));
                return Operand::Poison;
            }
        }
        let mut types = elements.iter().map(|&element| self.ty(element));
        if types.try_fold(Type::Never, Type::join).is_none() {
            let text = "the elements of an array literal must have one type";
            self.report(Diagnostic::error("type-mismatch", span, text));
            return Operand::Poison;
        }
        let mut dims = vec![(0, items.len() as i64 - 1)];
        dims.extend(inner.unwrap_or_default());
        Operand::Array(self.arrays.add(dims, elements))
    }

    /// Two arrays of one shape, combined element by element; `None` when they differ in shape.
    pub fn zip_arrays(
        &mut self,
        left: ArrayRef,
        right: ArrayRef,
        mut combine: impl FnMut(&mut Self, ExprId, ExprId) -> Option<ExprId>,
    ) -> Option<Elements> {
        if self.arrays.dims(left) != self.arrays.dims(right) {
            return None;
        }
        let pairs: Vec<_> = self
            .arrays
            .elements(left)
            .iter()
            .copied()
            .zip(self.arrays.elements(right).iter().copied())
            .collect();
        let elements =
            pairs.into_iter().map(|(l, r)| combine(self, l, r)).collect::<Option<_>>()?;
        Some((self.arrays.dims(left).to_vec(), elements))
    }
}

fn n_elements(dims: &[(i64, i64)]) -> usize {
    dims.iter().map(|&(lo, hi)| (hi - lo + 1) as usize).product()
}
