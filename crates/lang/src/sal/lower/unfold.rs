//! What binds names and what is applied: `LET`, quantifiers, array literals, functions.

use std::cell::OnceCell;
use std::rc::Rc;

use trapline_source::{Diagnostic, Span};

use super::machine::{At, Control, Each, Frame};
use super::term::{ArrayTerm, Closure, Index, Place, SetTerm, Term, Type};
use super::{Lowerer, limits};
use crate::sal::syntax::{Context, Name, NodeId, Op, VarDecl};

impl Lowerer<'_> {
    /// A function without a name.
    pub(super) fn lambda(&mut self, at: &At, groups: &[Vec<Name>], context: &Context) -> Term {
        let operands = context.operands(at.node);
        let params = groups.iter().zip(operands);
        let params = params.flat_map(|(names, ty)| names.iter().map(|name| (*name, *ty)));
        Term::Function(Rc::new(Closure {
            name: None,
            params: params.collect(),
            result: None,
            types: OnceCell::new(),
            body: operands[groups.len()],
            place: at.place.clone(),
        }))
    }

    /// `LET`: types and values in turn, then the body, in which the names are bound.
    pub(super) fn next_binding(
        &mut self,
        at: At,
        done: Vec<Term>,
        stack: &mut Vec<Frame>,
    ) -> Control {
        let context = self.context(&at.place);
        let (Op::Let(names), operands) = (&context.node(at.node).op, context.operands(at.node))
        else {
            unreachable!("a frame of LET belongs to LET")
        };
        if done.len() < 2 * names.len() {
            return self.go_on(operands[done.len()], Frame::Let(at, done), stack);
        }
        if done.len() > 2 * names.len() {
            let last = done.into_iter().next_back().unwrap_or(Term::Poison);
            return self.done(at, last);
        }
        let mut bindings = Vec::new();
        for ((name, pair), ty) in names.iter().zip(done.chunks_exact(2)).zip(operands.chunks(2)) {
            let span = self.span(&at.place, ty[1]);
            let declared = self.as_type(&pair[0], self.span(&at.place, ty[0]));
            let value = declared.map_or(Term::Poison, |ty| self.coerce(&pair[1], &ty, span));
            bindings.push((name.id, value));
        }
        let place = at.place.binding(bindings);
        stack.push(Frame::Let(at, done));
        Control::Eval(operands[operands.len() - 1], place, false)
    }

    fn go_on(&mut self, operand: NodeId, frame: Frame, stack: &mut Vec<Frame>) -> Control {
        let place = match &frame {
            Frame::Let(at, _) | Frame::Bound(at, _) => at.place.clone(),
            _ => unreachable!("only what binds names asks for more"),
        };
        stack.push(frame);
        Control::Eval(operand, place, false)
    }

    /// The types of what is bound; then the body for each choice.
    pub(super) fn next_bound(
        &mut self,
        at: At,
        done: Vec<Term>,
        stack: &mut Vec<Frame>,
    ) -> Control {
        let context = self.context(&at.place);
        let (op, operands) = (&context.node(at.node).op, context.operands(at.node));
        let body = operands.len() - 1;
        if done.len() < body {
            return self.go_on(operands[done.len()], Frame::Bound(at, done), stack);
        }
        let groups: Vec<Vec<Name>> = match op {
            Op::Forall(groups) | Op::Exists(groups) => groups.clone(),
            Op::Array(name) | Op::Comprehension(name) => vec![vec![*name]],
            _ => unreachable!("a frame of what is bound belongs to what binds"),
        };
        let mut vars = Vec::new();
        for ((names, term), &node) in groups.iter().zip(&done).zip(operands) {
            let span = self.span(&at.place, node);
            let Some(ty) = self.as_type(term, span) else { return self.done(at, Term::Poison) };
            if let (Op::Comprehension(name), false) = (op, self.is_finite(&ty)) {
                let closure = self.predicate(&at, *name, operands);
                return self.done(at, Term::Function(closure));
            }
            let Some(members) = self.members(&ty, span) else {
                return self.done(at, Term::Poison);
            };
            vars.extend(names.iter().map(|name| (name.id, Rc::clone(&members))));
        }
        let n_choices = vars.iter().map(|(_, all)| all.len() as u128).product::<u128>();
        if n_choices > limits::MEMBERS as u128 {
            let span = self.span(&at.place, at.node);
            let text = format!("this has {n_choices} cases, which are expanded");
            let help = format!("{} at most are", limits::MEMBERS);
            self.report(Diagnostic::error("too-large", span, text).help(help));
            return self.done(at, Term::Poison);
        }
        let counters = vec![0; vars.len()];
        let each = Each { vars, counters, done: Vec::new() };
        if n_choices == 0 {
            return self.all_choices(at, each);
        }
        self.choice(at, each, stack)
    }

    /// `{x: T | p}` as a function from `x`.
    fn predicate(&mut self, at: &At, name: Name, operands: &[NodeId]) -> Rc<Closure> {
        Rc::new(Closure {
            name: None,
            params: vec![(name, operands[0])],
            result: None,
            types: OnceCell::new(),
            body: operands[1],
            place: at.place.clone(),
        })
    }

    /// Evaluates the body for the next choice.
    fn choice(&mut self, at: At, each: Each, stack: &mut Vec<Frame>) -> Control {
        let context = self.context(&at.place);
        let body = *context.operands(at.node).last().unwrap_or(&at.node);
        let values = each.vars.iter().zip(&each.counters);
        let place = at.place.binding(values.map(|((name, all), &idx)| (*name, all[idx].clone())));
        stack.push(Frame::Each(at, each));
        Control::Eval(body, place, false)
    }

    /// What to do after the body was evaluated for a choice.
    pub(super) fn next_choice(
        &mut self,
        at: At,
        mut each: Each,
        stack: &mut Vec<Frame>,
    ) -> Control {
        let op = self.context(&at.place).node(at.node).op.clone();
        let is_decided = each.done.last().and_then(Term::as_scalar).is_some_and(|last| match op {
            Op::Forall(_) => self.model.exprs.is_false(last.expr),
            Op::Exists(_) => self.model.exprs.is_true(last.expr),
            _ => false,
        });
        if is_decided || !advance(&mut each.counters, |idx| each.vars[idx].1.len()) {
            return self.all_choices(at, each);
        }
        self.choice(at, each, stack)
    }

    fn all_choices(&mut self, at: At, each: Each) -> Control {
        let context = self.context(&at.place);
        let (op, operands) = (&context.node(at.node).op, context.operands(at.node));
        let body = operands[operands.len() - 1];
        let term = match op {
            Op::Array(_) => {
                let members = &each.vars[0].1;
                let ty = self.eval(operands[0], &at.place, false);
                let span = self.span(&at.place, operands[0]);
                match self.as_type(&ty, span).and_then(|ty| self.index(&ty, span)) {
                    Some(index) if index.members.len() == members.len() => {
                        self.array(&at, index, each.done)
                    }
                    _ => Term::Poison,
                }
            }
            _ => {
                let conditions: Option<Vec<_>> =
                    each.done.iter().map(|term| self.as_condition(term, &at.place, body)).collect();
                match (op, conditions) {
                    (_, None) => Term::Poison,
                    (Op::Forall(_), Some(all)) => Term::boolean(self.conjunction(all)),
                    (Op::Exists(_), Some(all)) => Term::boolean(self.disjunction(all)),
                    (_, Some(all)) => {
                        let members = all.into_iter().zip(each.vars[0].1.iter().cloned());
                        let members = members.filter(|(is, _)| !self.model.exprs.is_false(*is));
                        let members = members.collect();
                        Term::Set(Rc::new(SetTerm { expr: None, members }))
                    }
                }
            }
        };
        self.done(at, term)
    }

    fn array(&mut self, at: &At, index: Rc<Index>, elements: Vec<Term>) -> Term {
        if elements.iter().any(Term::is_poison) {
            return Term::Poison;
        }
        let term = Term::Array(Rc::new(ArrayTerm { index, elements }));
        if self.is_shallow(&term, at) { term } else { Term::Poison }
    }

    /// Applies a function to its arguments.
    pub(super) fn apply(&mut self, at: At, done: Vec<Term>, stack: &mut Vec<Frame>) -> Control {
        let mut done = done.into_iter();
        let function = done.next().unwrap_or(Term::Poison);
        let args: Vec<Term> = done.collect();
        if function.is_poison() || args.iter().any(Term::is_poison) {
            return self.done(at, Term::Poison);
        }
        if let Term::Function(closure) = &function {
            return self.call(at, Rc::clone(closure), args, Vec::new(), stack);
        }
        let term = self.apply_known(&at, &function, args);
        self.done(at, term)
    }

    /// Where a type that a function declares is to be reported.
    pub(super) fn type_span(&self, closure: &Closure, idx: usize) -> Span {
        match (closure.params.get(idx), closure.result) {
            (Some((name, _)), _) => name.span,
            (None, Some(result)) => self.span(&closure.place, result),
            (None, None) => self.span(&closure.place, closure.body),
        }
    }

    /// Evaluates the types of the parameters, once, and then the body.
    pub(super) fn call(
        &mut self,
        at: At,
        closure: Rc<Closure>,
        args: Vec<Term>,
        types: Vec<Type>,
        stack: &mut Vec<Frame>,
    ) -> Control {
        let mut types = match closure.types.get() {
            Some(types) => types.clone(),
            None if types.len() < closure.n_types() => {
                let next = closure.params.get(types.len()).map(|(_, ty)| *ty);
                let next = next.or(closure.result).unwrap_or(closure.body);
                let place = closure.place.clone();
                stack.push(Frame::Params(at, closure, args, types));
                return Control::Eval(next, place, false);
            }
            None => closure.types.get_or_init(|| types).clone(),
        };
        let result = closure.result.and_then(|_| types.pop());
        let span = self.span(&at.place, at.node);
        let args = match args.as_slice() {
            // Several parameters are a tuple.
            [Term::Tuple(parts)] if parts.len() == types.len() && types.len() > 1 => parts.to_vec(),
            _ if types.len() == 1 && args.len() > 1 => vec![Term::Tuple(args.into())],
            _ => args,
        };
        if args.len() != types.len() {
            let name = closure
                .name
                .map_or("the function".into(), |name| format!("`{}`", self.text(name.id)));
            let wanted = super::builtin::arguments(types.len());
            let text = format!("{name} takes {wanted}, not {}", args.len());
            self.report(Diagnostic::error("wrong-arguments", span, text));
            return self.done(at, Term::Poison);
        }
        let mut bindings = Vec::new();
        for ((arg, ty), (name, _)) in args.iter().zip(&types).zip(&closure.params) {
            let arg = self.coerce(arg, ty, span);
            if arg.is_poison() {
                return self.done(at, Term::Poison);
            }
            bindings.push((name.id, arg));
        }
        let place = closure.place.binding(bindings);
        let body = self.span(&closure.place, closure.body);
        stack.push(Frame::Call(at, result.map(|ty| (ty, body))));
        Control::Eval(closure.body, place, false)
    }

    /// All choices of values for declared names: bindings, with what the choice is called.
    pub(super) fn choices(
        &mut self,
        vars: &[VarDecl],
        place: &Place,
    ) -> Option<Vec<(Place, String)>> {
        let mut all: Vec<(Place, String)> = vec![(place.clone(), String::new())];
        for var in vars {
            let span = self.span(place, var.ty);
            for name in &var.names {
                let mut next = Vec::new();
                for (place, called) in &all {
                    let ty = self.type_at(var.ty, place)?;
                    let members = self.members(&ty, span)?;
                    if (all.len() as u128) * (members.len() as u128) > limits::MEMBERS as u128 {
                        let text = "this stands for too many commands or definitions";
                        self.report(Diagnostic::error("too-large", span, text));
                        return None;
                    }
                    for member in members.iter() {
                        let called = format!("{called}[{}]", self.shown(member));
                        next.push((place.binding([(name.id, member.clone())]), called));
                    }
                }
                all = next;
            }
        }
        Some(all)
    }
}

/// Goes on to the next choice, the last counter fastest; false after the last one.
fn advance(counters: &mut [usize], size: impl Fn(usize) -> usize) -> bool {
    for idx in (0..counters.len()).rev() {
        counters[idx] += 1;
        if counters[idx] < size(idx) {
            return true;
        }
        counters[idx] = 0;
    }
    false
}
