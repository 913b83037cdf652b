//! The paths through the cases of a right-hand side and of all that is substituted in it.
//!
//! A path takes one branch of each `case` that it meets, and of one that it meets again at the same
//! moment the same. Paths are enumerated by walks: each follows a script of choices, and takes the
//! first branch where the script ends; then the last choice that has another one takes it.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{
    BinaryOp, Clause, DefineId, Expr, ExprId, Model, OccId, Reads, Shape, VarId, VarKind,
};

use super::rules::{Moment, Rules, Stop, unfolded};
use crate::mutate::replace::members;

/// The occurrences of all paths of an output at most: each of them is mutated.
const MAX_OCCURRENCES: usize = 100_000;

/// A path.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The guards that hold and those that do not, each at its moment.
    pub literals: Vec<(OccId, Moment, bool)>,
    /// The value of each `case` that was met.
    pub chosen: FxHashMap<(OccId, Moment), OccId>,
    /// The internal variables that remain, and why.
    pub remains: BTreeMap<VarId, Stop>,
    /// The first moment that must exist, and the last.
    pub first: Moment,
    /// See `first`.
    pub last: Moment,
    /// Guards that are known to hold, or not.
    known: FxHashMap<(ExprId, Moment), bool>,
}

/// What a right-hand side is taken for.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// The right-hand side.
    pub occ: OccId,
    /// When it counts; `None`: always.
    pub when: Option<ExprId>,
    /// Its moment.
    pub moment: Moment,
    /// The moment of state 0, if that is known.
    pub start: Option<Moment>,
}

/// Why there are no paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// There are too many.
    Paths,
    /// They are too long.
    Occurrences,
}

/// How an occurrence is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// It reads a variable, now or one moment later.
    Var(VarId, Moment),
    /// It reads a definition, now or one moment later.
    Define(DefineId, Moment),
    /// It is its only operand.
    Same(OccId),
    /// An operator over its operands.
    Operator(Vec<OccId>),
    /// One of several values: each guard with its value, a guard that always holds last.
    Choice(Vec<(Option<OccId>, OccId)>),
    /// The model does not record how it was made, or it is a constant.
    Opaque,
}

/// How an occurrence is made.
pub fn form(model: &Model, occ: OccId) -> Form {
    let occurrence = model.occurrences.get(occ);
    let children = model.occurrences.children(occ);
    let expr = model.exprs.get(occurrence.expr);
    match (occurrence.shape, expr) {
        (Shape::Leaf, Expr::Var(var)) => Form::Var(var, 0),
        (Shape::Leaf, Expr::Next(var)) => Form::Var(var, 1),
        (Shape::Leaf, Expr::Define(define)) => Form::Define(define, 0),
        (Shape::Leaf, Expr::NextDefine(define)) => Form::Define(define, 1),
        (Shape::Leaf, _) => Form::Opaque,
        (Shape::Next, _) => Form::Same(children[0]),
        (Shape::Case, _) => branches(model, occurrence.expr, &children),
        (Shape::Ite, Expr::Ite(..)) if is_over(model, occurrence.expr, &children) => {
            Form::Choice(vec![(Some(children[0]), children[1]), (None, children[2])])
        }
        (Shape::Operator, _) if is_over(model, occurrence.expr, &children) => {
            Form::Operator(children)
        }
        _ => Form::Opaque,
    }
}

/// Are these occurrences the operands of an expression, or the members of a set?
fn is_over(model: &Model, id: ExprId, children: &[OccId]) -> bool {
    let meanings: Vec<ExprId> =
        children.iter().map(|&occ| model.occurrences.get(occ).expr).collect();
    let is_made_of = |operands: &[ExprId]| operands == meanings;
    let expr = model.exprs.get(id);
    let is_union = matches!(expr, Expr::Binary(BinaryOp::Union, ..));
    is_made_of(model.exprs.operands(expr).as_slice()) || is_union && is_made_of(&members(model, id))
}

/// The branches of a `case`, up to the first that is always taken.
fn branches(model: &Model, whole: ExprId, children: &[OccId]) -> Form {
    let mut branches = Vec::new();
    let mut rest = whole;
    for branch in children.chunks_exact(2) {
        let [guard, value] = [branch[0], branch[1]].map(|occ| model.occurrences.get(occ).expr);
        match model.exprs.get(rest) {
            Expr::Ite(c, t, other) if (c, t) == (guard, value) => rest = other,
            _ => return Form::Opaque,
        }
        if model.exprs.is_true(guard) {
            branches.push((None, branch[1]));
            break;
        }
        branches.push((Some(branch[0]), branch[1]));
    }
    Form::Choice(branches)
}

/// All paths, unless there are more than `max_paths`.
///
/// # Errors
/// When there are too many, or they are too long.
pub fn paths(
    model: &Model,
    rules: &Rules,
    root: Root,
    max_paths: usize,
) -> Result<Vec<Path>, TooLarge> {
    let mut paths = Vec::new();
    let mut script: Vec<(usize, usize)> = Vec::new();
    let mut room = MAX_OCCURRENCES;
    loop {
        let mut walk =
            Walk { model, rules, root, script, position: 0, room, path: Path::default() };
        let is_possible = walk.run()?;
        let path;
        Walk { path, script, room, .. } = walk;
        if is_possible {
            paths.push(path);
        }
        if paths.len() > max_paths {
            return Err(TooLarge::Paths);
        }
        while script.pop_if(|(at, n_branches)| *at + 1 == *n_branches).is_some() {}
        match script.last_mut() {
            Some((at, _)) => *at += 1,
            None => return Ok(paths),
        }
    }
}

struct Walk<'m> {
    model: &'m Model,
    rules: &'m Rules,
    root: Root,
    /// The choices, each with the number of branches that there are.
    script: Vec<(usize, usize)>,
    position: usize,
    room: usize,
    path: Path,
}

enum Task {
    Visit(OccId, Moment),
    Literal(OccId, Moment, bool),
}

impl Walk<'_> {
    /// Follows the path; false if its guards contradict each other.
    fn run(&mut self) -> Result<bool, TooLarge> {
        self.needs(self.root.moment);
        if let Some(when) = self.root.when {
            self.read(when, self.root.moment)?;
        }
        let mut tasks = vec![Task::Visit(self.root.occ, self.root.moment)];
        while let Some(task) = tasks.pop() {
            let is_possible = match task {
                Task::Visit(occ, moment) => self.visit(occ, moment, &mut tasks)?,
                Task::Literal(guard, moment, holds) => self.literal(guard, moment, holds)?,
            };
            if !is_possible {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn visit(
        &mut self,
        occ: OccId,
        moment: Moment,
        tasks: &mut Vec<Task>,
    ) -> Result<bool, TooLarge> {
        self.spend(1)?;
        match form(self.model, occ) {
            Form::Var(var, later) => {
                if let Some((clause, then)) = self.read_var(var, moment + later)
                    && let Some(occ) = clause.occ
                {
                    tasks.push(Task::Visit(occ, then));
                }
            }
            Form::Define(define, later) => {
                let body = unfolded(self.model, define);
                match body.map(|body| (body, body.occ)) {
                    None => self.read_named(define, moment + later),
                    Some((_, Some(occ))) => tasks.push(Task::Visit(occ, moment + later)),
                    Some((body, None)) => self.read(body.expr, moment + later)?,
                }
            }
            Form::Same(operand) => tasks.push(Task::Visit(operand, moment)),
            Form::Operator(operands) => {
                tasks.extend(operands.into_iter().rev().map(|it| Task::Visit(it, moment)));
            }
            Form::Choice(branches) => return Ok(self.choose(occ, moment, &branches, tasks)),
            Form::Opaque => self.read(self.model.occurrences.get(occ).expr, moment)?,
        }
        Ok(true)
    }

    /// Takes a branch; false if none is possible.
    fn choose(
        &mut self,
        occ: OccId,
        moment: Moment,
        branches: &[(Option<OccId>, OccId)],
        tasks: &mut Vec<Task>,
    ) -> bool {
        if let Some(&value) = self.path.chosen.get(&(occ, moment)) {
            tasks.push(Task::Visit(value, moment));
            return true;
        }
        let mut possible = Vec::new();
        for (idx, (guard, _)) in branches.iter().enumerate() {
            let known = guard.and_then(|guard| {
                let expr = self.model.occurrences.get(guard).expr;
                self.path.known.get(&(expr, moment)).copied()
            });
            if known != Some(false) {
                possible.push(idx);
            }
            if known == Some(true) {
                break;
            }
        }
        if possible.is_empty() {
            return false;
        }
        if self.position == self.script.len() {
            self.script.push((0, possible.len()));
        }
        let taken = possible[self.script[self.position].0];
        self.position += 1;
        let (guard, value) = branches[taken];
        self.path.chosen.insert((occ, moment), value);
        tasks.push(Task::Visit(value, moment));
        // The last task is done first.
        let mut require = |guard: OccId, holds: bool| {
            tasks.push(Task::Literal(guard, moment, holds));
            tasks.push(Task::Visit(guard, moment));
        };
        if let Some(guard) = guard {
            require(guard, true);
        }
        for guard in branches[..taken].iter().rev().filter_map(|(guard, _)| *guard) {
            require(guard, false);
        }
        true
    }

    /// Requires a guard to hold, or not; false if the contrary is required too.
    fn literal(&mut self, guard: OccId, moment: Moment, holds: bool) -> Result<bool, TooLarge> {
        let expr = self.model.occurrences.get(guard).expr;
        match self.path.known.insert((expr, moment), holds) {
            Some(known) => Ok(known == holds),
            None => {
                self.path.literals.push((guard, moment, holds));
                self.spend(2)?;
                Ok(true)
            }
        }
    }

    /// Notes what an expression reads that is substituted as a whole.
    fn read(&mut self, root: ExprId, moment: Moment) -> Result<(), TooLarge> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![(root, moment)];
        while let Some((id, moment)) = stack.pop() {
            if !seen.insert((id, moment)) {
                continue;
            }
            self.spend(1)?;
            match self.model.exprs.get(id) {
                expr @ (Expr::Var(var) | Expr::Next(var)) => {
                    let later = Moment::from(matches!(expr, Expr::Next(_)));
                    let put = self.read_var(var, moment + later);
                    stack.extend(put.map(|(clause, then)| (clause.expr, then)));
                }
                expr @ (Expr::Define(define) | Expr::NextDefine(define)) => {
                    let moment = moment + Moment::from(matches!(expr, Expr::NextDefine(_)));
                    match unfolded(self.model, define) {
                        Some(body) => stack.push((body.expr, moment)),
                        None => self.read_named(define, moment),
                    }
                }
                expr => {
                    let operands = self.model.exprs.operands(expr);
                    stack.extend(operands.as_slice().iter().map(|&operand| (operand, moment)));
                }
            }
        }
        Ok(())
    }

    /// Notes that a variable is read, and gives what stands for it.
    fn read_var(&mut self, var: VarId, moment: Moment) -> Option<(Clause, Moment)> {
        match self.rules.put(var, moment, self.root.start) {
            Ok(Some((clause, then))) => {
                self.needs(then);
                return Some((clause, then));
            }
            Ok(None) => {}
            Err(stop) => drop(self.path.remains.insert(var, stop)),
        }
        match self.model.var(var).kind {
            VarKind::State => self.needs(moment),
            VarKind::Input => {
                self.needs(moment);
                self.needs(moment + 1);
            }
            VarKind::Frozen => {}
        }
        None
    }

    fn read_named(&mut self, define: DefineId, moment: Moment) {
        let body = self.model.define(define).body.expr;
        if self.model.exprs.info(body).reads != Reads::NOTHING {
            self.needs(moment);
        }
    }

    fn needs(&mut self, moment: Moment) {
        self.path.first = self.path.first.min(moment);
        self.path.last = self.path.last.max(moment);
    }

    fn spend(&mut self, n_occurrences: usize) -> Result<(), TooLarge> {
        self.room = self.room.checked_sub(n_occurrences).ok_or(TooLarge::Occurrences)?;
        Ok(())
    }
}
