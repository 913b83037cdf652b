//! Evaluates expressions: a stack of what waits for an operand, and a loop.
//!
//! Functions are unfolded, quantifiers and array literals expanded, `LET` and parameters substituted; so
//! what is left is an expression of the model, or a structure of them. Where a condition is constant
//! only the branch that it selects is evaluated, which is what ends recursive functions.
//!
//! Where the author made a decision, the occurrences of its parts are recorded on the way. What is
//! expanded is a leaf there: its parts stand elsewhere, or stand for several expressions.

use std::rc::Rc;

use trapline_model::{Expr, ExprId, OccId, Shape};
use trapline_source::{Diagnostic, Span};

use super::term::{Closure, Place, Term, Type};
use super::{Lowerer, limits};
use crate::sal::syntax::{Binary, NameId, NodeId, Op};

/// What to do next.
pub(super) enum Control {
    /// Evaluate a node.
    Eval(NodeId, Place, bool),
    /// This is the value of what was asked for last.
    Return(Term),
}

/// The node that a frame belongs to.
#[derive(Clone)]
pub(super) struct At {
    pub node: NodeId,
    pub place: Place,
    /// Are occurrences recorded?
    pub record: bool,
    /// Where its occurrences begin.
    pub start: usize,
}

/// What waits for a value.
pub(super) enum Frame {
    /// The next operand of an operator.
    Operands(At, Vec<Term>),
    /// The left operand of an operator that may need no other; then the right one.
    Logic(At, Option<Term>),
    /// A condition or a value of `IF`.
    If(At, Branches),
    /// A type or a value of `LET`.
    Let(At, Vec<Term>),
    /// The types of what is bound by a quantifier or the like.
    Bound(At, Vec<Term>),
    /// The body of one of these, for one choice of what is bound.
    Each(At, Each),
    /// The types of the parameters of a function, which is applied to arguments then.
    Params(At, Rc<Closure>, Vec<Term>, Vec<Type>),
    /// The body of a function.
    ///
    /// Its value is of this type, unless none is declared.
    Call(At, Option<(Type, Span)>),
}

/// How far an `IF` is.
#[derive(Default)]
pub(super) struct Branches {
    /// Conditions that may hold, each with its value.
    pub taken: Vec<(ExprId, Term)>,
    /// The condition whose value is evaluated; none for the last value.
    pub condition: Option<ExprId>,
    /// The operand that is evaluated.
    pub operand: usize,
    /// Where the occurrences of each branch begin.
    pub starts: Vec<usize>,
    /// Was a branch left out?
    pub is_pruned: bool,
}

/// How far an expansion is.
pub(super) struct Each {
    /// The names with all their values.
    pub vars: Vec<(NameId, Rc<[Term]>)>,
    /// Which values they have now, the last one fastest.
    pub counters: Vec<usize>,
    /// What came of the body.
    pub done: Vec<Term>,
}

impl Lowerer<'_> {
    /// What a node means. With `record`, its occurrences are added to the model.
    pub(super) fn eval(&mut self, node: NodeId, place: &Place, record: bool) -> Term {
        if self.n_nested >= limits::NESTED {
            let span = self.span(place, node);
            let help = "declare parts of it by themselves, from the inside out";
            let text = "types and declarations are nested too deeply here";
            self.report(Diagnostic::error("too-deep", span, text).help(help));
            return Term::Poison;
        }
        self.n_nested += 1;
        let mut stack: Vec<Frame> = Vec::new();
        let mut control = Control::Eval(node, place.clone(), record);
        let term = loop {
            self.n_steps += 1;
            if self.n_steps > limits::STEPS || stack.len() > limits::FRAMES {
                self.too_much(&stack, node, place);
                break Term::Poison;
            }
            control = match control {
                Control::Eval(node, place, record) => self.enter(node, place, record, &mut stack),
                Control::Return(term) => match stack.pop() {
                    None => break term,
                    Some(frame) => self.resume(frame, term, &mut stack),
                },
            };
        };
        self.n_nested -= 1;
        term
    }

    /// Reports that something is unfolded without end, once.
    fn too_much(&mut self, stack: &[Frame], node: NodeId, place: &Place) {
        if std::mem::replace(&mut self.gave_up, true) {
            return;
        }
        let call = stack.iter().find_map(|frame| match frame {
            Frame::Call(at, _) => Some(self.span(&at.place, at.node)),
            _ => None,
        });
        let span = call.unwrap_or_else(|| self.span(place, node));
        let text = "this is unfolded without end, or into too much";
        let help = "functions are unfolded and quantifiers expanded: recursion must end for constant \
                    arguments, and types must be small";
        self.report(Diagnostic::error("unfolding", span, text).help(help));
    }

    fn enter(
        &mut self,
        node: NodeId,
        place: Place,
        record: bool,
        stack: &mut Vec<Frame>,
    ) -> Control {
        if self.gave_up {
            return Control::Return(Term::Poison);
        }
        let context = Rc::clone(&self.instance(place.instance).context);
        let operands = context.operands(node);
        let start = self.model.occurrences.len();
        let at = At { node, place, record, start };
        match &context.node(node).op {
            Op::Lambda(groups) => Control::Return(self.lambda(&at, groups, &context)),
            Op::Binary(Binary::And | Binary::Or | Binary::Implies) => {
                self.then(operands[0], Frame::Logic(at, None), stack)
            }
            Op::If => {
                let branches = Branches { starts: vec![start], ..Branches::default() };
                self.then(operands[0], Frame::If(at, branches), stack)
            }
            Op::Let(_) => {
                let first = operands[0];
                self.quietly(first, Frame::Let(at, Vec::new()), stack)
            }
            Op::Forall(_) | Op::Exists(_) | Op::Array(_) | Op::Comprehension(_) => {
                let first = operands[0];
                self.quietly(first, Frame::Bound(at, Vec::new()), stack)
            }
            _ if operands.is_empty() => {
                let term = self.leaf(&at, &context);
                self.done(at, term)
            }
            // The function decides whether its arguments are operands of the author's.
            Op::Apply => self.quietly(operands[0], Frame::Operands(at, Vec::new()), stack),
            _ => self.then(operands[0], Frame::Operands(at, Vec::new()), stack),
        }
    }

    /// Evaluates an operand, recorded as the whole is.
    fn then(&mut self, operand: NodeId, frame: Frame, stack: &mut Vec<Frame>) -> Control {
        let at = frame.at();
        let next = Control::Eval(operand, at.place.clone(), at.record);
        stack.push(frame);
        next
    }

    /// Evaluates an operand that is no occurrence.
    fn quietly(&mut self, operand: NodeId, frame: Frame, stack: &mut Vec<Frame>) -> Control {
        let next = Control::Eval(operand, frame.at().place.clone(), false);
        stack.push(frame);
        next
    }

    fn resume(&mut self, frame: Frame, term: Term, stack: &mut Vec<Frame>) -> Control {
        match frame {
            Frame::Operands(at, mut done) => {
                done.push(term);
                self.next_operand(at, done, stack)
            }
            Frame::Logic(at, left) => self.logic(at, left, term, stack),
            Frame::If(at, branches) => self.branch(at, branches, term, stack),
            Frame::Let(at, mut done) => {
                done.push(term);
                self.next_binding(at, done, stack)
            }
            Frame::Bound(at, mut done) => {
                done.push(term);
                self.next_bound(at, done, stack)
            }
            Frame::Each(at, mut each) => {
                each.done.push(term);
                self.next_choice(at, each, stack)
            }
            Frame::Params(at, closure, args, mut types) => {
                let Some(ty) = self.as_type(&term, self.type_span(&closure, types.len())) else {
                    return self.done(at, Term::Poison);
                };
                types.push(ty);
                self.call(at, closure, args, types, stack)
            }
            Frame::Call(at, declared) => {
                let term = match declared {
                    Some((ty, span)) => self.coerce(&term, &ty, span),
                    None => term,
                };
                let term = if self.is_shallow(&term, &at) { term } else { Term::Poison };
                self.done(at, term)
            }
        }
    }

    fn next_operand(&mut self, at: At, done: Vec<Term>, stack: &mut Vec<Frame>) -> Control {
        let context = Rc::clone(&self.instance(at.place.instance).context);
        let operands = context.operands(at.node);
        if let Some(&next) = operands.get(done.len()) {
            let is_own = match (&context.node(at.node).op, &done[0]) {
                (Op::Apply, Term::Builtin(_)) => at.record,
                (Op::Apply, _) => false,
                _ => at.record,
            };
            let control = Control::Eval(next, at.place.clone(), is_own);
            stack.push(Frame::Operands(at, done));
            return control;
        }
        if context.node(at.node).op == Op::Apply {
            return self.apply(at, done, stack);
        }
        let term = self.operator(&at, &context, done);
        self.done(at, term)
    }

    /// A value is complete: its occurrence is added.
    pub(super) fn done(&mut self, at: At, term: Term) -> Control {
        if at.record {
            match &term {
                Term::Scalar(scalar) => self.occur(&at, scalar.expr),
                Term::Set(set) if set.expr.is_some() => {
                    let expr = set.expr.unwrap_or(ExprId(0));
                    self.occur(&at, expr);
                }
                _ => self.model.occurrences.truncate(at.start),
            }
        }
        Control::Return(term)
    }

    /// Adds the occurrence of a node, over those of its operands that were added.
    fn occur(&mut self, at: &At, expr: ExprId) {
        let context = Rc::clone(&self.instance(at.place.instance).context);
        let node = context.node(at.node);
        let mut shape = Shape::Operator;
        match &node.op {
            Op::Primed(_) => {
                let name = Span::new(node.span.start, node.span.end - 1);
                self.model.occurrences.push(at.start, expr, name, Shape::Leaf);
                shape = Shape::Next;
            }
            Op::If if matches!(self.model.exprs.get(expr), Expr::Ite(..)) => shape = Shape::Ite,
            // What is folded has lost its operands.
            _ if self.model.exprs.as_const(expr).is_some() => {
                self.model.occurrences.truncate(at.start);
            }
            _ => {}
        }
        if self.model.occurrences.len() == at.start {
            shape = Shape::Leaf;
        }
        self.model.occurrences.push(at.start, expr, node.span, shape);
    }

    fn logic(&mut self, at: At, left: Option<Term>, term: Term, stack: &mut Vec<Frame>) -> Control {
        let context = Rc::clone(&self.instance(at.place.instance).context);
        let op = context.node(at.node).op.clone();
        let Some(left) = left else {
            let is_decided = term.as_scalar().is_some_and(|left| match op {
                Op::Binary(Binary::Or) => self.model.exprs.is_true(left.expr),
                _ => self.model.exprs.is_false(left.expr),
            });
            if is_decided {
                let value = self.model.exprs.bool(op != Op::Binary(Binary::And));
                return self.done(at, Term::boolean(value));
            }
            let right = context.operands(at.node)[1];
            return self.then(right, Frame::Logic(at, Some(term)), stack);
        };
        let value = self.operator(&at, &context, vec![left, term]);
        self.done(at, value)
    }

    fn branch(
        &mut self,
        at: At,
        mut branches: Branches,
        term: Term,
        stack: &mut Vec<Frame>,
    ) -> Control {
        let context = Rc::clone(&self.instance(at.place.instance).context);
        let operands = context.operands(at.node);
        let last = operands.len() - 1;
        let is_condition = branches.operand.is_multiple_of(2) && branches.operand != last;
        let next = match branches.condition.take() {
            None if !is_condition => return self.all_branches(at, branches, term),
            Some(condition) => {
                branches.taken.push((condition, term));
                branches.starts.push(self.model.occurrences.len());
                branches.operand + 1
            }
            None => {
                let node = operands[branches.operand];
                let Some(condition) = self.as_condition(&term, &at.place, node) else {
                    return self.done(at, Term::Poison);
                };
                let is_false = self.model.exprs.is_false(condition);
                if !is_false && !self.model.exprs.is_true(condition) {
                    branches.condition = Some(condition);
                } else {
                    branches.is_pruned = true;
                }
                branches.operand + if is_false { 2 } else { 1 }
            }
        };
        branches.operand = next;
        self.then(operands[next], Frame::If(at, branches), stack)
    }

    /// The value of an `IF`, all of whose branches that may be taken have theirs.
    fn all_branches(&mut self, at: At, branches: Branches, last: Term) -> Control {
        let span = self.span(&at.place, at.node);
        let mut value = last;
        let is_written = at.record && !branches.is_pruned;
        let whole = self.model.occurrences.len();
        for (idx, &(condition, ref taken)) in branches.taken.iter().enumerate().rev() {
            value = self.choose(condition, taken, &value, span);
            let Term::Scalar(scalar) = value else { continue };
            if idx > 0 && is_written && whole > at.start {
                // `ELSIF` is an `IF` in the last branch of the one before.
                let start = branches.starts[idx];
                let first = self.model.occurrences.get(OccId(start as u32)).span;
                let text = Span::new(first.start, span.end);
                self.model.occurrences.push(start, scalar.expr, text, Shape::Ite);
            }
        }
        if at.record && (branches.is_pruned || !matches!(value, Term::Scalar(_))) {
            self.model.occurrences.truncate(at.start);
        }
        self.done(at, value)
    }
}

impl Frame {
    fn at(&self) -> &At {
        match self {
            Frame::Operands(at, _)
            | Frame::Logic(at, _)
            | Frame::If(at, _)
            | Frame::Let(at, _)
            | Frame::Bound(at, _)
            | Frame::Each(at, _)
            | Frame::Params(at, ..)
            | Frame::Call(at, _) => at,
        }
    }
}
