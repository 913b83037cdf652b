//! What stands for an internal variable at a moment: the right-hand side that gives its value then.

use rustc_hash::FxHashSet;
use trapline_model::dependency::circles;
use trapline_model::roles::is_about_step;
use trapline_model::{
    Assign, AssignKind, Clause, Define, DefineId, Expr, ExprId, Model, Reads, Role, VarId, VarKind,
};

/// Formulas reach back at most this many steps: each needs a monitor for each variable that it reads.
pub const MAX_DEPTH: i32 = 4;

/// A moment, relative to that of the output: -1 is the state before.
pub type Moment = i32;

/// Why an internal variable remains in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Its value depends on its own earlier values.
    Itself,
    /// Nothing determines it.
    Choice,
    /// Its value was made too many steps ago.
    Depth,
}

impl Stop {
    /// In a sentence about the variable.
    pub fn why(self) -> String {
        match self {
            Stop::Itself => "depends on itself".into(),
            Stop::Choice => "is a choice".into(),
            Stop::Depth => format!("depends on more than {MAX_DEPTH} earlier states"),
        }
    }
}

/// What stands for each variable.
#[derive(Debug)]
pub struct Rules {
    vars: Vec<Rule>,
}

/// What gives the values of a variable, where that leaves no choice.
#[derive(Clone, Debug, Default)]
struct Rule {
    is_visible: bool,
    depends_on_itself: bool,
    init: Option<Clause>,
    next: Option<Clause>,
    current: Option<Clause>,
}

impl Rules {
    /// The rules of a model.
    pub fn new(model: &Model) -> Rules {
        let mut vars = vec![Rule::default(); model.vars.len()];
        for (id, var) in model.var_ids() {
            vars[id.0 as usize].is_visible = var.role != Role::Internal;
        }
        for assign in &model.assigns {
            let rule = &mut vars[assign.var.0 as usize];
            let clause = deterministic(model, assign);
            match assign.kind {
                AssignKind::Init => rule.init = clause,
                AssignKind::Next => rule.next = clause,
                AssignKind::Current => rule.current = clause,
            }
            // What never changes is what it was at first, which can be said at any time if it is made
            // of constants.
            let is_constant = model.exprs.info(assign.expr).reads == Reads::NOTHING;
            if model.var(assign.var).kind == VarKind::Frozen && is_constant {
                rule.current = clause;
            }
        }
        let mut rules = Rules { vars };
        for var in rules.circular(model) {
            rules.vars[var as usize].depends_on_itself = true;
        }
        rules
    }

    /// The internal variables that depend on themselves.
    fn circular(&self, model: &Model) -> Vec<u32> {
        let mut arrows = Vec::new();
        for (idx, rule) in self.vars.iter().enumerate().filter(|(_, rule)| !rule.is_visible) {
            for clause in rule.current.iter().chain(&rule.next) {
                let read = internal_reads(model, self, clause.expr);
                arrows.extend(read.into_iter().map(|var| (idx as u32, var.0)));
            }
        }
        circles(arrows.into_iter()).into_iter().flatten().collect()
    }

    /// Is a variable an input or an output?
    pub fn is_visible(&self, var: VarId) -> bool {
        self.vars[var.0 as usize].is_visible
    }

    /// What stands for a variable at a moment, and the moment that it speaks of. Nothing stands for
    /// inputs and outputs. `start` is the moment of state 0, if that is known.
    ///
    /// # Errors
    /// Why an internal variable remains.
    pub fn put(
        &self,
        var: VarId,
        moment: Moment,
        start: Option<Moment>,
    ) -> Result<Option<(Clause, Moment)>, Stop> {
        let rule = &self.vars[var.0 as usize];
        if rule.is_visible {
            return Ok(None);
        }
        if start == Some(moment) {
            let first = rule.init.or(rule.current).ok_or(Stop::Choice)?;
            return Ok(Some((first, moment)));
        }
        match (rule.current, rule.next) {
            (None, None) => Err(Stop::Choice),
            _ if rule.depends_on_itself => Err(Stop::Itself),
            (Some(current), _) => Ok(Some((current, moment))),
            (None, Some(_)) if moment <= -MAX_DEPTH => Err(Stop::Depth),
            (None, Some(next)) => Ok(Some((next, moment - 1))),
        }
    }
}

/// The right-hand side of an assignment, if it was written and leaves no choice.
fn deterministic(model: &Model, assign: &Assign) -> Option<Clause> {
    let [part] = assign.parts.as_slice() else { return None };
    let is_of_type = model.exprs.ty(assign.expr) == model.var(assign.var).domain.ty();
    (part.when.is_none() && part.body.occ.is_some() && is_of_type).then_some(part.body)
}

/// Does a formula name this definition and not what it stands for? So with outputs, and with constants.
pub fn is_named(model: &Model, define: &Define) -> bool {
    let is_constant = model.exprs.info(define.body.expr).reads == Reads::NOTHING;
    is_constant || is_output(model, define)
}

/// Does an implementation show this definition?
pub fn is_output(model: &Model, define: &Define) -> bool {
    define.role == Role::Output && !is_about_step(model, define)
}

/// The internal variables that an expression reads, at any time.
fn internal_reads(model: &Model, rules: &Rules, root: ExprId) -> Vec<VarId> {
    let mut seen = FxHashSet::default();
    let mut read = Vec::new();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match model.exprs.get(id) {
            Expr::Var(var) | Expr::Next(var) if !rules.is_visible(var) => read.push(var),
            Expr::Define(define) | Expr::NextDefine(define) => {
                stack.extend(unfolded(model, define).map(|body| body.expr));
            }
            expr => stack.extend(model.exprs.operands(expr).as_slice()),
        }
    }
    read
}

/// What stands for a definition, unless formulas name it.
pub fn unfolded(model: &Model, define: DefineId) -> Option<Clause> {
    let define = model.define(define);
    (!is_named(model, define)).then_some(define.body)
}
