//! Writes a path as occurrences over one step: what is further back is read from monitors.

use rustc_hash::FxHashMap;
use trapline_model::transform::Extension;
use trapline_model::{
    BinaryOp, Clause, DefineId, Domain, Expr, ExprId, Model, OccId, Reads, Shape, UnaryOp, Value,
    VarId, VarKind,
};
use trapline_source::Span;

use super::paths::{Form, Path, form};
use super::rules::{MAX_DEPTH, Moment, Rules, is_named, unfolded};

/// The monitors of earlier values.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// For each variable the monitors of its value so many steps ago.
    vars: FxHashMap<(VarId, u32), VarId>,
    /// What each monitor delays, and by how many steps.
    pub of: FxHashMap<VarId, (VarId, u32)>,
    /// The number of steps taken so far, as far as it matters.
    steps: Option<VarId>,
}

impl Delays {
    /// The value of a variable some steps ago.
    fn read(&mut self, model: &mut Extension, var: VarId, n_steps: u32) -> ExprId {
        let mut before = model.var_expr(var);
        for age in 1..=n_steps {
            let monitor = match self.vars.get(&(var, age)) {
                Some(&known) => known,
                None => {
                    let monitor = delay(model, var, before);
                    self.vars.insert((var, age), monitor);
                    self.of.insert(monitor, (var, age));
                    monitor
                }
            };
            before = model.var_expr(monitor);
        }
        before
    }

    /// The number of steps taken so far; large numbers are all the same.
    pub fn steps(&mut self, model: &mut Extension) -> ExprId {
        let var = *self.steps.get_or_insert_with(|| {
            // Formulas reach back so many steps, and one may begin in a step that leaves.
            let most = i64::from(MAX_DEPTH) + 1;
            model.add_monitor("__steps", Domain::Range(0, most), Span::default(), |model, read| {
                let exprs = &mut model.exprs;
                let [none, one, most] = [0, 1, most].map(|n| exprs.value(Value::Int(n)));
                let is_less = exprs.binary(BinaryOp::Lt, read, most);
                let more = exprs.binary(BinaryOp::Add, read, one);
                (none, exprs.add(Expr::Ite(is_less, more, read)))
            })
        });
        model.var_expr(var)
    }
}

/// Adds the monitor of the last value of an expression, which reads this variable or a monitor of it.
fn delay(model: &mut Extension, var: VarId, read: ExprId) -> VarId {
    let declared = model.var(var).clone();
    let name = format!("__before_{}", declared.name);
    let is_input = model.exprs.info(read).reads.any(Reads::INPUT);
    model.add_monitor(&name, declared.domain.clone(), declared.span, |model, _| {
        // Nothing asks for the first value.
        let first = match (is_input, declared.domain.size()) {
            (false, _) => read,
            (true, Some(_)) => model.exprs.value(declared.domain.value(0)),
            (true, None) => model.exprs.value(Value::Int(0)),
        };
        (first, read)
    })
}

/// A step, and what is known of it.
pub struct Frame<'f> {
    /// The model, which gets occurrences, expressions and monitors.
    pub model: &'f mut Extension,
    /// What stands for variables.
    pub rules: &'f Rules,
    /// The monitors.
    pub delays: &'f mut Delays,
    /// The moment of the state that the step leaves.
    pub now: Moment,
    /// The moment of state 0, if that is known.
    pub start: Option<Moment>,
    /// Expressions at other moments.
    pub moved: FxHashMap<(ExprId, Moment), ExprId>,
}

enum Task {
    Visit(OccId, Moment),
    Build(OccId, Moment, usize, usize),
}

impl Frame<'_> {
    /// A variable at a moment.
    pub fn var(&mut self, var: VarId, moment: Moment) -> ExprId {
        let read = self.model.var_expr(var);
        if self.model.var(var).kind == VarKind::Frozen {
            return read;
        }
        match moment - self.now {
            0 => read,
            1 => self.model.exprs.prime(read),
            later => self.delays.read(self.model, var, later.unsigned_abs()),
        }
    }

    /// A definition at a moment.
    pub fn define(&mut self, define: DefineId, moment: Moment) -> ExprId {
        let read = self.model.define_expr(define);
        match moment - self.now {
            0 => read,
            1 => self.model.exprs.prime(read),
            _ if self.model.exprs.info(read).reads == Reads::NOTHING => read,
            // What it reads is delayed; that is what it showed, so nothing is substituted.
            _ => {
                let body = self.model.define(define).body.expr;
                self.rewritten(body, moment, |_, _| None)
            }
        }
    }

    /// An expression at a moment, with everything substituted.
    pub fn at(&mut self, root: ExprId, moment: Moment) -> ExprId {
        let (rules, start) = (self.rules, self.start);
        let mut known = std::mem::take(&mut self.moved);
        let put = |var, moment| rules.put(var, moment, start).ok().flatten();
        let result = self.rewrite(&mut known, root, moment, put);
        self.moved = known;
        result
    }

    fn rewritten(
        &mut self,
        root: ExprId,
        moment: Moment,
        put: impl Fn(VarId, Moment) -> Option<(Clause, Moment)>,
    ) -> ExprId {
        self.rewrite(&mut FxHashMap::default(), root, moment, put)
    }

    fn rewrite(
        &mut self,
        known: &mut FxHashMap<(ExprId, Moment), ExprId>,
        root: ExprId,
        moment: Moment,
        put: impl Fn(VarId, Moment) -> Option<(Clause, Moment)>,
    ) -> ExprId {
        let mut stack = vec![(root, moment)];
        while let Some(&(id, moment)) = stack.last() {
            if known.contains_key(&(id, moment)) {
                stack.pop();
                continue;
            }
            let (alone, parts) = self.parts(id, moment, &put);
            let height = stack.len();
            stack.extend(parts.iter().filter(|part| !known.contains_key(part)));
            if stack.len() > height {
                continue;
            }
            stack.pop();
            let whole = alone.unwrap_or_else(|| {
                let expr = self.model.exprs.get(id);
                if let Expr::Var(_) | Expr::Next(_) | Expr::Define(_) | Expr::NextDefine(_) = expr {
                    return known[&parts[0]];
                }
                let mut operands = parts.iter().map(|part| known[part]);
                let mapped = self
                    .model
                    .exprs
                    .map_operands(expr, |operand| operands.next().unwrap_or(operand));
                self.model.exprs.add(mapped)
            });
            known.insert((id, moment), whole);
        }
        known[&(root, moment)]
    }

    /// What an expression becomes if it needs no others, and otherwise the ones that it is made of.
    fn parts(
        &mut self,
        id: ExprId,
        moment: Moment,
        put: &impl Fn(VarId, Moment) -> Option<(Clause, Moment)>,
    ) -> (Option<ExprId>, Vec<(ExprId, Moment)>) {
        match self.model.exprs.get(id) {
            _ if self.model.exprs.info(id).reads == Reads::NOTHING => (Some(id), Vec::new()),
            expr @ (Expr::Var(var) | Expr::Next(var)) => {
                let moment = moment + Moment::from(matches!(expr, Expr::Next(_)));
                match put(var, moment) {
                    Some((clause, then)) => (None, vec![(clause.expr, then)]),
                    None => (Some(self.var(var, moment)), Vec::new()),
                }
            }
            expr @ (Expr::Define(define) | Expr::NextDefine(define)) => {
                let moment = moment + Moment::from(matches!(expr, Expr::NextDefine(_)));
                let is_near = (0..=1).contains(&(moment - self.now));
                match is_near && is_named(self.model, self.model.define(define)) {
                    true => (Some(self.define(define, moment)), Vec::new()),
                    false => (None, vec![(self.model.define(define).body.expr, moment)]),
                }
            }
            expr => {
                let operands = self.model.exprs.operands(expr);
                (None, operands.as_slice().iter().map(|&operand| (operand, moment)).collect())
            }
        }
    }

    /// Writes the guards of a path, as a conjunction; if there are none it is `TRUE`, at this span.
    pub fn guard(&mut self, path: &Path, span: Span) -> OccId {
        let start = self.model.occurrences.len();
        for (idx, &(guard, moment, holds)) in path.literals.iter().enumerate() {
            let literal_start = self.model.occurrences.len();
            let written = self.write(path, guard, moment);
            let inner = self.model.occurrences.get(written);
            if !holds {
                let expr = self.model.exprs.unary(UnaryOp::Not, inner.expr);
                self.model.occurrences.push(literal_start, expr, inner.span, Shape::Operator);
            }
            if idx > 0 {
                let right = self.model.occurrences.len() - 1;
                let [left, right] = [literal_start - 1, right]
                    .map(|idx| self.model.occurrences.get(OccId(idx as u32)));
                let expr = self.model.exprs.binary(BinaryOp::And, left.expr, right.expr);
                self.model.occurrences.push(start, expr, right.span, Shape::Operator);
            }
        }
        if path.literals.is_empty() {
            let expr = self.model.exprs.bool(true);
            self.model.occurrences.push(start, expr, span, Shape::Leaf);
        }
        OccId(self.model.occurrences.len() as u32 - 1)
    }

    /// Writes an occurrence at a moment, along a path.
    pub fn write(&mut self, path: &Path, root: OccId, moment: Moment) -> OccId {
        let mut meanings: Vec<ExprId> = Vec::new();
        let mut tasks = vec![Task::Visit(root, moment)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(occ, moment) => {
                    self.visit(path, occ, moment, &mut tasks, &mut meanings)
                }
                Task::Build(occ, moment, start, n_operands) => {
                    let operands = meanings.split_off(meanings.len() - n_operands);
                    let occurrence = self.model.occurrences.get(occ);
                    match with_operands(self.model, occurrence.expr, &operands) {
                        Some(expr) => {
                            let (span, shape) = (occurrence.span, occurrence.shape);
                            self.model.occurrences.push(start, expr, span, shape);
                            meanings.push(expr);
                        }
                        // A branch need not be of the type of its `case`, which then stays.
                        None => {
                            self.model.occurrences.truncate(start);
                            self.copy(occ, moment, &mut meanings);
                        }
                    }
                }
            }
        }
        OccId(self.model.occurrences.len() as u32 - 1)
    }

    fn visit(
        &mut self,
        path: &Path,
        occ: OccId,
        moment: Moment,
        tasks: &mut Vec<Task>,
        meanings: &mut Vec<ExprId>,
    ) {
        let span = self.model.occurrences.get(occ).span;
        let start = self.model.occurrences.len();
        let leaf = match form(self.model, occ) {
            Form::Same(operand) => return tasks.push(Task::Visit(operand, moment)),
            Form::Choice(_) => {
                return tasks.push(Task::Visit(path.chosen[&(occ, moment)], moment));
            }
            Form::Operator(operands) => {
                tasks.push(Task::Build(occ, moment, start, operands.len()));
                tasks.extend(operands.into_iter().rev().map(|it| Task::Visit(it, moment)));
                return;
            }
            Form::Var(var, later) => {
                match self.rules.put(var, moment + later, self.start).ok().flatten() {
                    Some((Clause { occ: Some(occ), .. }, then)) => {
                        return tasks.push(Task::Visit(occ, then));
                    }
                    _ => self.var(var, moment + later),
                }
            }
            Form::Define(define, later) => match unfolded(self.model, define) {
                Some(Clause { occ: Some(occ), .. }) => {
                    return tasks.push(Task::Visit(occ, moment + later));
                }
                Some(body) => self.at(body.expr, moment + later),
                None => self.define(define, moment + later),
            },
            Form::Opaque => return self.copy(occ, moment, meanings),
        };
        self.model.occurrences.push(start, leaf, span, Shape::Leaf);
        meanings.push(leaf);
    }

    /// Writes an occurrence as it is, each of its parts at the moment.
    fn copy(&mut self, occ: OccId, moment: Moment, meanings: &mut Vec<ExprId>) {
        let first = self.model.occurrences.len();
        let copied = self.model.occurrences.copy(occ);
        for idx in first..=copied.0 as usize {
            let part = OccId(idx as u32);
            let expr = self.model.occurrences.get(part).expr;
            let expr = self.at(expr, moment);
            self.model.occurrences.set_expr(part, expr);
        }
        meanings.push(self.model.occurrences.get(copied).expr);
    }
}

/// An expression over other operands, if they fit; a set has its members.
fn with_operands(model: &mut Model, whole: ExprId, operands: &[ExprId]) -> Option<ExprId> {
    let expr = model.exprs.get(whole);
    if let (Expr::Binary(BinaryOp::Union, ..), [first, rest @ ..]) = (expr, operands) {
        let join = |set, &member| model.exprs.try_add(Expr::Binary(BinaryOp::Union, set, member));
        return rest.iter().try_fold(*first, join).ok();
    }
    let mut operands = operands.iter().copied();
    let mapped = model.exprs.map_operands(expr, |operand| operands.next().unwrap_or(operand));
    model.exprs.try_add(mapped).ok()
}
