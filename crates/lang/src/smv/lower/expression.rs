//! One expression: a loop over its postfix code with a stack of operands.

use trapline_model::{
    BinaryOp, Expr, ExprId, InstanceId, OccId, PathQuantifier, Reads, Shape, Syntax as _, Type,
    UnaryOp, Value,
};
use trapline_source::{Diagnostic, Span};

use super::super::print::Smv;
use super::super::syntax::{Binary, Bounded, Code, Node, Op, Unary};
use super::declare::ScopeId;
use super::operators::{binary_op, bounded_op, is_ctl_unary, literal, unary_op};
use super::{Item, Lowerer, Operand};

/// Which temporal operators an expression may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    None,
    Ctl,
    Ltl,
    Psl,
}

impl Lowerer<'_> {
    /// Lowers an expression. Cells that are not lowered yet end up in `missing`.
    pub fn lower_code(&mut self, code: Code, scope: ScopeId, logic: Logic) -> Item {
        let base = self.stack.len();
        self.model.occurrences.begin(InstanceId(scope.0));
        let nodes = self.code(code);
        for (idx, node) in nodes.iter().enumerate() {
            let is_path = matches!(nodes.get(idx + 1), Some(Node { op: Op::Dot(_), .. }));
            self.lower_node(node, scope, logic, is_path);
        }
        debug_assert_eq!(self.stack.len(), base + 1, "postfix code leaves one operand");
        self.stack.truncate(base + 1);
        self.pop()
    }

    pub fn last_occurrence(&self, start: usize) -> Option<OccId> {
        let len = self.model.occurrences.len();
        (len > start).then(|| OccId(len as u32 - 1))
    }

    fn lower_node(&mut self, node: &Node, scope: ScopeId, logic: Logic, is_path: bool) {
        let span = node.span;
        match node.op {
            Op::Ident(name) => {
                let operand = self.resolve(name, scope, span, is_path);
                self.push_leaf(operand, span);
            }
            Op::SelfRef => self.push_leaf(Operand::Instance(scope), span),
            Op::Dot(name) => {
                let base = self.pop_name();
                let operand = self.member(base, name, span, is_path);
                self.push_leaf(operand, span);
            }
            Op::DotNumber(number) => {
                let base = self.pop_name();
                let operand = self.numbered_member(base, number.into(), span);
                self.push_leaf(operand, span);
            }
            Op::Index => self.index(span),
            Op::BitSelect => self.bit_select(span),
            Op::True | Op::False => {
                let expr = self.common.bools[usize::from(node.op == Op::True)];
                self.push_leaf(Operand::Expr(expr), span);
            }
            Op::Int(int) => {
                let expr = match self.common.ints.get(int as usize) {
                    Some(&expr) => expr,
                    None => self.exprs().value(Value::Int(int.into())),
                };
                self.push_leaf(Operand::Expr(expr), span);
            }
            Op::Literal(idx) => {
                let value = literal(self.program.literals[idx as usize]);
                let expr = self.exprs().value(value);
                self.push_leaf(Operand::Expr(expr), span);
            }
            Op::Unary(Unary::Next) => self.next(span),
            Op::Unary(op) => self.unary(op, span, logic),
            Op::Binary(op) => self.binary(op, span, logic),
            Op::Ite => self.ite(span),
            Op::Case(n_branches) => self.case(n_branches as usize, span),
            Op::Set(n_members) => self.set(n_members as usize, span),
            Op::Count(n_operands) => self.count(n_operands as usize, span),
            Op::ArrayLiteral(n_elements) => {
                let items = self.pop_many(n_elements as usize);
                let start = items[0].occ_start;
                let operand = self.array_literal(&items, span);
                self.push(operand, start, span, Shape::Operator);
            }
            Op::Bounded(op, bounds) => self.bounded(op, bounds, span, logic),
            Op::Psl(op) => {
                let items = self.pop_many(Self::psl_arity(op));
                let start = items.first().map_or(self.model.occurrences.len(), |i| i.occ_start);
                let operand = self.psl(op, &items, span);
                self.push(operand, start, span, Shape::Operator);
            }
        }
    }

    pub fn pop(&mut self) -> Item {
        self.stack.pop().unwrap_or_else(|| unreachable!("the parser emits enough operands"))
    }

    pub fn pop_many(&mut self, n_items: usize) -> Vec<Item> {
        self.stack.split_off(self.stack.len() - n_items)
    }

    /// A part of a dotted name: it is no occurrence of its own.
    fn pop_name(&mut self) -> Item {
        let item = self.pop();
        self.model.occurrences.truncate(item.occ_start);
        item
    }

    fn push_leaf(&mut self, operand: Operand, span: Span) {
        let start = self.model.occurrences.len();
        self.push(operand, start, span, Shape::Leaf);
    }

    pub fn push(&mut self, operand: Operand, occ_start: usize, span: Span, shape: Shape) {
        match operand {
            Operand::Expr(expr) => {
                self.model.occurrences.push(occ_start, expr, span, shape);
            }
            _ => self.model.occurrences.truncate(occ_start),
        }
        self.stack.push(Item { operand, span, occ_start });
    }

    pub fn push_expr(&mut self, expr: Option<ExprId>, occ_start: usize, span: Span, shape: Shape) {
        self.push(expr.map_or(Operand::Poison, Operand::Expr), occ_start, span, shape);
    }

    fn index(&mut self, span: Span) {
        let index = self.pop();
        let mut base = self.pop();
        if matches!(base.operand, Operand::Expr(_))
            && let Some(space) = self.space_of(base.operand)
        {
            base.operand = Operand::Instance(space);
        }
        let operand = match base.operand {
            Operand::Array(array) => self.index_array(array, index, span),
            Operand::Instances(array) => self.instance_element(array, index, span),
            Operand::Instance(_) => match index.operand {
                Operand::Expr(expr) => match trapline_model::eval::constant(&self.model, expr) {
                    Ok(Value::Int(number)) => self.numbered_member(base, number, span),
                    _ => self.wrong_type("[ ]", &[base], span),
                },
                _ => Operand::Poison,
            },
            Operand::Poison => Operand::Poison,
            Operand::Expr(_) | Operand::Path(_) => self.wrong_type("[ ]", &[base], span),
        };
        // With a constant index the whole is a name; otherwise the index is an operand.
        let is_constant = matches!(index.operand, Operand::Expr(i)
            if self.model.exprs.info(i).reads == Reads::NOTHING);
        let (start, shape) = match operand {
            Operand::Expr(_) if !is_constant => (base.occ_start, Shape::Operator),
            _ => {
                self.model.occurrences.truncate(base.occ_start);
                (base.occ_start, Shape::Leaf)
            }
        };
        self.push(operand, start, span, shape);
    }

    fn next(&mut self, span: Span) {
        let item = self.pop();
        self.seen.next = true;
        let operand = match item.operand {
            Operand::Expr(expr) if self.ty(expr) == Type::Temporal => {
                self.wrong_type("next", &[item], span)
            }
            Operand::Expr(expr) => match self.check_next(expr, span) {
                true => {
                    let primed = self.exprs().prime(expr);
                    let exprs = &mut self.model.exprs;
                    self.model.occurrences.rewrite(item.occ_start, |e| exprs.prime(e));
                    Operand::Expr(primed)
                }
                false => Operand::Poison,
            },
            Operand::Array(array)
                if !self
                    .arrays
                    .elements(array)
                    .to_vec()
                    .iter()
                    .all(|&e| self.check_next(e, span)) =>
            {
                Operand::Poison
            }
            Operand::Array(array) => {
                let (dims, elements) =
                    (self.arrays.dims(array).to_vec(), self.arrays.elements(array).to_vec());
                let elements = elements.into_iter().map(|e| self.exprs().prime(e)).collect();
                Operand::Array(self.arrays.add(dims, elements))
            }
            Operand::Poison => Operand::Poison,
            _ => self.wrong_type("next", &[item], span),
        };
        self.push(operand, item.occ_start, span, Shape::Next);
    }

    fn check_next(&mut self, expr: ExprId, span: Span) -> bool {
        let reads = self.model.exprs.info(expr).reads;
        if reads.any(Reads::NEXT.and(Reads::NEXT_INPUT)) {
            let text = "`next` inside `next`: a step has only one next state";
            self.report(Diagnostic::error("nested-next", span, text));
            return false;
        }
        if reads.any(Reads::INPUT) {
            let text = "`next` of an input variable: an IVAR belongs to a step, not to a state";
            let help = "declare it in VAR to speak of its next value";
            self.report(Diagnostic::error("next-of-input", span, text).help(help));
            return false;
        }
        true
    }

    fn unary(&mut self, op: Unary, span: Span, logic: Logic) {
        let item = self.pop();
        // `bool` of a Boolean is the Boolean, except in NuSMV.
        if op == Unary::Bool
            && !self.options.strict
            && matches!(item.operand, Operand::Expr(e) if self.ty(e) == Type::Bool)
        {
            return self.stack.push(Item { span, ..item });
        }
        let Some(model_op) = unary_op(op) else {
            let size = self.size_of(item, span);
            self.model.occurrences.truncate(item.occ_start);
            return self.push_expr(size, item.occ_start, span, Shape::Leaf);
        };
        let allowed = !model_op.is_temporal() || self.check_logic(is_ctl_unary(op), logic, span);
        let expr = if allowed { self.unary_expr(model_op, item, span) } else { None };
        self.push_expr(expr, item.occ_start, span, Shape::Operator);
    }

    fn unary_expr(&mut self, op: UnaryOp, item: Item, span: Span) -> Option<ExprId> {
        let Operand::Expr(operand) = item.operand else {
            self.wrong_type(Smv.unary_op(op), &[item], span);
            return None;
        };
        let mut expr = self.exprs().try_add(Expr::Unary(op, operand)).ok();
        let wants_boolean = op == UnaryOp::Not || op.is_temporal();
        if expr.is_none() && wants_boolean {
            let end = self.model.occurrences.len();
            let boolean = self.as_boolean(item, end);
            expr = boolean.and_then(|b| self.exprs().try_add(Expr::Unary(op, b)).ok());
        }
        if expr.is_none() {
            self.wrong_type(Smv.unary_op(op), &[item], span);
        }
        expr
    }

    fn size_of(&mut self, item: Item, span: Span) -> Option<ExprId> {
        if let Operand::Expr(expr) = item.operand
            && let Type::Word { width, .. } = self.ty(expr)
        {
            return Some(self.exprs().value(Value::Int(width.into())));
        }
        self.wrong_type("sizeof", &[item], span);
        None
    }

    fn binary(&mut self, op: Binary, span: Span, logic: Logic) {
        let right = self.pop();
        let left = self.pop();
        let expr = match op {
            Binary::Range => self.range_set(left, right),
            Binary::Extend | Binary::Resize => self.resize(op, left, right, span),
            Binary::UwConst | Binary::SwConst => self.word_constant(op, left, right, span),
            Binary::Rol | Binary::Ror => self.rotate(op, left, right, span),
            _ => {
                let op = binary_op(op);
                let allowed = !op.is_temporal()
                    || self.check_logic(matches!(op, BinaryOp::Eu | BinaryOp::Au), logic, span);
                if allowed { self.binary_expr(op, left, right, span) } else { None }
            }
        };
        let is_constant = matches!(op, Binary::Range | Binary::UwConst | Binary::SwConst);
        if is_constant {
            self.model.occurrences.truncate(left.occ_start);
        } else if matches!(op, Binary::Extend | Binary::Resize) {
            self.model.occurrences.truncate(right.occ_start);
        }
        let shape = if is_constant { Shape::Leaf } else { Shape::Operator };
        self.push_expr(expr, left.occ_start, span, shape);
    }

    fn binary_expr(&mut self, op: BinaryOp, left: Item, right: Item, span: Span) -> Option<ExprId> {
        let (left, right) = (self.with_value(left), self.with_value(right));
        match (left.operand, right.operand) {
            (Operand::Expr(l), Operand::Expr(r)) => {
                if self.is_shift_too_far(op, l, r) {
                    let text = "a shift takes 0 to the width of the word";
                    self.report(Diagnostic::error("bad-shift", right.span, text));
                    return None;
                }
                if let Ok(expr) = self.exprs().try_add(Expr::Binary(op, l, r)) {
                    return Some(expr);
                }
                if let Some(expr) = self.binary_old(op, left, right) {
                    return Some(expr);
                }
            }
            (Operand::Array(l), Operand::Array(r)) if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                if let Some(expr) = self.compare_arrays(op, l, r) {
                    return Some(expr);
                }
            }
            (Operand::Poison, _) | (_, Operand::Poison) => return None,
            _ => {}
        }
        self.wrong_type(Smv.binary_op(op), &[left, right], span);
        None
    }

    fn with_value(&mut self, item: Item) -> Item {
        Item { operand: self.as_value(item.operand), ..item }
    }

    fn is_shift_too_far(&self, op: BinaryOp, word: ExprId, amount: ExprId) -> bool {
        let Type::Word { width, .. } = self.ty(word) else { return false };
        let amount = match self.model.exprs.as_const(amount) {
            Some(Value::Int(amount)) => i128::from(amount),
            Some(Value::Word(amount)) => amount.to_i128(),
            _ => return false,
        };
        matches!(op, BinaryOp::Shl | BinaryOp::Shr) && !(0..=i128::from(width)).contains(&amount)
    }

    /// Old SMV: numbers as Booleans, when that makes the types fit.
    fn binary_old(&mut self, op: BinaryOp, left: Item, right: Item) -> Option<ExprId> {
        use BinaryOp as Op;
        let takes_booleans = matches!(
            op,
            Op::And
                | Op::Or
                | Op::Xor
                | Op::Xnor
                | Op::Implies
                | Op::Iff
                | Op::Eq
                | Op::Ne
                | Op::In
        ) || op.is_temporal();
        let is_number = |lowerer: &Self, item: Item| match item.operand {
            Operand::Expr(e) => {
                matches!(lowerer.ty(e), Type::Int | Type::Set(trapline_model::SetOf::Int))
            }
            _ => false,
        };
        // Two numbers that are compared stay numbers; connectives never take numbers.
        let compared = matches!(op, Op::Eq | Op::Ne | Op::In);
        if !takes_booleans || (compared && is_number(self, left) && is_number(self, right)) {
            return None;
        }
        let end = self.model.occurrences.len();
        let l = self.as_boolean(left, right.occ_start)?;
        let r = self.as_boolean(right, end)?;
        self.exprs().try_add(Expr::Binary(op, l, r)).ok()
    }

    fn compare_arrays(
        &mut self,
        op: BinaryOp,
        left: super::ArrayRef,
        right: super::ArrayRef,
    ) -> Option<ExprId> {
        let (_, equal) = self.zip_arrays(left, right, |lowerer, l, r| {
            lowerer.exprs().try_add(Expr::Binary(BinaryOp::Eq, l, r)).ok()
        })?;
        let all = self.exprs().all(equal);
        Some(self.exprs().literal(all, op == BinaryOp::Eq))
    }

    fn set(&mut self, n_members: usize, span: Span) {
        let items = self.pop_many(n_members);
        let start = items[0].occ_start;
        // `{e}` is `e`, as in NuSMV.
        if let [only] = items[..] {
            return self.stack.push(Item { span, ..only });
        }
        let mut union = items[0];
        for &item in &items[1..] {
            let expr = self.binary_expr(BinaryOp::Union, union, item, span);
            union.operand = expr.map_or(Operand::Poison, Operand::Expr);
        }
        self.push(union.operand, start, span, Shape::Operator);
    }

    fn count(&mut self, n_operands: usize, span: Span) {
        let items = self.pop_many(n_operands);
        let start = items[0].occ_start;
        let mut operands = Vec::with_capacity(items.len());
        for item in &items {
            match item.operand {
                Operand::Expr(expr) if self.ty(expr) == Type::Bool => operands.push(expr),
                Operand::Poison => {}
                _ => {
                    self.wrong_type("count", &[*item], span);
                }
            }
        }
        let is_whole = operands.len() == items.len();
        let expr = is_whole.then(|| self.exprs().count(&operands));
        self.push_expr(expr, start, span, Shape::Operator);
    }

    fn bounded(&mut self, op: Bounded, bounds: u32, span: Span, logic: Logic) {
        let (lo, hi) = self.program.bounds[bounds as usize];
        let is_until = matches!(op, Bounded::Ebu | Bounded::Abu);
        let items = self.pop_many(if is_until { 2 } else { 1 });
        let start = items[0].occ_start;
        let end = self.model.occurrences.len();
        let is_ctl = !matches!(op, Bounded::G | Bounded::F | Bounded::H | Bounded::O);
        if lo < 0 || lo > hi {
            let text = format!("the bounds {lo}..{hi} are empty or negative");
            self.report(Diagnostic::error("bad-bounds", span, text));
            return self.push(Operand::Poison, start, span, Shape::Operator);
        }
        let ends: Vec<usize> = items.iter().skip(1).map(|i| i.occ_start).chain([end]).collect();
        let operands: Option<Vec<ExprId>> = items
            .iter()
            .zip(ends)
            .map(|(&item, end)| {
                let operand = self.as_boolean(item, end)?;
                matches!(self.ty(operand), Type::Bool | Type::Temporal).then_some(operand)
            })
            .collect();
        let expr = match operands.as_deref() {
            _ if !self.check_logic(is_ctl, logic, span) => None,
            Some(&[p, q]) => {
                let quantifier =
                    if op == Bounded::Abu { PathQuantifier::All } else { PathQuantifier::Some };
                Some(self.exprs().bounded_until(quantifier, [p, q], (lo, hi)))
            }
            Some(&[p]) => Some(self.exprs().bounded(bounded_op(op), p, (lo, hi))),
            _ => {
                self.wrong_type("a bounded operator", &items, span);
                None
            }
        };
        self.push_expr(expr, start, span, Shape::Operator);
    }

    fn check_logic(&mut self, is_ctl: bool, logic: Logic, span: Span) -> bool {
        self.seen.ctl |= is_ctl;
        self.seen.ltl |= !is_ctl;
        if self.seen.ctl && self.seen.ltl && logic == Logic::Psl {
            let text = "a PSL property is either linear or branching, not both";
            self.report(Diagnostic::error("misplaced-operator", span, text));
            return false;
        }
        let (operator, help) = match (is_ctl, logic) {
            (true, Logic::Ctl | Logic::Psl) | (false, Logic::Ltl | Logic::Psl) => return true,
            (true, Logic::Ltl) => {
                ("a CTL operator", "this is an LTL property; use CTLSPEC for CTL")
            }
            (false, Logic::Ctl) => {
                ("an LTL operator", "this is a CTL property; use LTLSPEC for LTL")
            }
            (true, Logic::None) => ("a CTL operator", "temporal operators may stand in SPEC only"),
            (false, Logic::None) => {
                ("an LTL operator", "temporal operators may stand in LTLSPEC only")
            }
        };
        let text = format!("{operator} can't stand here");
        self.report(Diagnostic::error("misplaced-operator", span, text).help(help));
        false
    }

    /// Reports operands that an operator does not take, unless one was reported before.
    pub fn wrong_type(&mut self, op: &str, items: &[Item], span: Span) -> Operand {
        if items.iter().any(|item| matches!(item.operand, Operand::Poison)) {
            return Operand::Poison;
        }
        let types: Vec<String> = items.iter().map(|item| self.describe(item.operand)).collect();
        let text = format!("`{op}` does not take {}", types.join(" and "));
        let mut error = Diagnostic::error("type-mismatch", span, text);
        for (item, ty) in items.iter().zip(&types) {
            error = error.label(item.span, ty.clone());
        }
        if types.iter().any(|ty| ty.starts_with("set of")) && matches!(op, "=" | "!=") {
            error = error.help("use `in` to ask for membership in a set");
        }
        if let Some(help) = word_help(op, &types) {
            error = error.help(help);
        }
        self.report(error);
        Operand::Poison
    }
}

/// What is likely meant when words meet something else.
fn word_help(op: &str, types: &[String]) -> Option<String> {
    let width = types.iter().find_map(|ty| ty.split_once("word[")?.1.split(']').next());
    let is_word = |ty: &String| ty.contains("word[");
    match (op, width) {
        ("[ ]", Some(_)) => Some("one bit of a word is written `w[1:1]`".into()),
        ("[ ]", None) => Some("only arrays have elements".into()),
        (_, Some(width)) if types.iter().any(|ty| ty == "integer") => {
            Some(format!("write the number as a word, such as `0ud{width}_1`, or use toint( )"))
        }
        (_, Some(_)) if types.len() == 2 && types.iter().all(is_word) => {
            Some("both words need the same width and sign; see resize, signed and unsigned".into())
        }
        _ => None,
    }
}
