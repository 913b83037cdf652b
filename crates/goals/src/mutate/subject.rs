//! What is mutated as one whole: an assignment, a definition, a constraint or a property. It says
//! when a mutant of it is killed: in an initial state, a state or a step that the model allows and
//! the mutant does not.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use trapline_model::{
    AssignKind, ConstraintKind, DefineId, Expr, ExprId, Formula, Model, OccId, PropertyKind, Scope,
    Type, VarId, print,
};
use trapline_source::Span;

use crate::builder::{Builder, Mutate, in_scope};
use crate::defined::defined;
use crate::expound::{Branch, Whole, expound};
use crate::goal::Target;
use crate::logic;
use crate::place::{self, Named, constraint_word};

/// What is mutated as one whole.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its names.
    pub named: Named,
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: SubjectKind,
    /// How it was written.
    pub whole: OccId,
    /// Its branches, if it was expounded.
    pub branches: Vec<Branch>,
    /// That the process runs which it belongs to.
    pub running: Option<ExprId>,
}

/// What a subject is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// A value of a variable.
    Assign(AssignKind, VarId),
    /// A definition.
    Define(DefineId),
    /// A constraint.
    Constraint(ConstraintKind),
    /// A property.
    Property(PropertyKind),
}

/// A part of a subject that is mutated by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The guard of a branch.
    Guard(usize),
    /// The value of a branch.
    Value(usize),
}

/// Everything that the options want mutated.
pub fn subjects(builder: &mut Builder<'_>) -> Vec<Subject> {
    let mut subjects = match builder.options.mutate {
        Mutate::Model => of_model(&builder.model),
        Mutate::Specs => of_properties(&builder.model),
    };
    let options = builder.options;
    subjects.retain(|subject| {
        let name = match subject.kind {
            SubjectKind::Assign(_, var) => Some(&builder.model.var(var).name),
            SubjectKind::Define(id) => Some(&builder.model.define(id).name),
            SubjectKind::Constraint(_) | SubjectKind::Property(_) => None,
        };
        let is_on = options.on.is_empty() || name.is_some_and(|name| options.is_on(name));
        let is_inside = |module: &Span| place::is_inside(subject.span, *module);
        is_on && (options.within.is_empty() || options.within.iter().any(is_inside))
    });
    if options.expound && options.mutate == Mutate::Model {
        for subject in &mut subjects {
            match expound(&mut builder.model, subject.whole) {
                Ok(branches) => subject.branches = branches,
                Err(Whole::NoCase) => {}
                Err(Whole::TooLarge) => builder.leave_out(
                    subject.span,
                    format!("{} is too large to be expounded: taken as it is", subject.named.text),
                ),
            }
        }
    }
    subjects
}

fn of_model(model: &Model) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |target, occ: Option<OccId>, span, kind, running| {
        if let Some(whole) = occ {
            let named = place::named(model, target);
            subjects.push(Subject { named, span, kind, whole, branches: Vec::new(), running });
        }
    };
    for (idx, define) in model.defines.iter().enumerate() {
        let id = DefineId(idx as u32);
        let target = trapline_model::Target::Define(id);
        add(target, define.body.occ, define.body.span, SubjectKind::Define(id), None);
    }
    for (assign_idx, assign) in model.assigns.iter().enumerate() {
        for (part_idx, part) in assign.parts.iter().enumerate() {
            let (assign_idx, part_idx) = (assign_idx as u32, part_idx as u32);
            let target =
                trapline_model::Target::Assign { var: assign.var, assign_idx, part_idx };
            let kind = SubjectKind::Assign(assign.kind, assign.var);
            add(target, part.body.occ, part.body.span, kind, part.running);
        }
    }
    for (idx, constraint) in model.constraints.iter().enumerate() {
        let target = trapline_model::Target::Constraint(idx as u32);
        let kind = SubjectKind::Constraint(constraint.kind);
        add(target, constraint.body.occ, constraint.body.span, kind, None);
    }
    subjects
}

fn of_properties(model: &Model) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (idx, property) in model.properties.iter().enumerate() {
        let Formula::Holds(clause) = property.formula else { continue };
        let (Some(whole), false) = (clause.occ, property.kind == PropertyKind::Psl) else {
            continue;
        };
        let key = property.name.clone().unwrap_or_else(|| format!("property{idx}"));
        let named = Named { text: key.clone(), key };
        let kind = SubjectKind::Property(property.kind);
        let branches = Vec::new();
        subjects.push(Subject { named, span: clause.span, kind, whole, branches, running: None });
    }
    subjects
}

impl Subject {
    /// The parts, each with its tree.
    pub fn parts(&self) -> Vec<(Part, OccId)> {
        if self.branches.is_empty() {
            return vec![(Part::Whole, self.whole)];
        }
        let parts = self.branches.iter().enumerate().flat_map(|(idx, branch)| {
            [(Part::Guard(idx), branch.guard), (Part::Value(idx), branch.value)]
        });
        parts.collect()
    }

    /// The variable that is given the value of a part.
    pub fn assigned(&self, part: Part) -> Option<VarId> {
        match (self.kind, part) {
            (SubjectKind::Assign(_, var), Part::Whole | Part::Value(_)) => Some(var),
            _ => None,
        }
    }

    /// When it counts.
    pub fn scope(&self) -> Scope {
        match self.kind {
            SubjectKind::Assign(AssignKind::Init, _)
            | SubjectKind::Constraint(ConstraintKind::Init) => Scope::Init,
            SubjectKind::Assign(AssignKind::Next, _)
            | SubjectKind::Constraint(ConstraintKind::Trans) => Scope::Step,
            _ => Scope::State,
        }
    }

    /// What is given a value.
    fn value(&self, model: &mut Model) -> Option<ExprId> {
        match self.kind {
            SubjectKind::Assign(kind, var) => {
                let read = model.var_expr(var);
                Some(if kind == AssignKind::Next { model.exprs.prime(read) } else { read })
            }
            SubjectKind::Define(id) => {
                let body = model.exprs.info(model.define(id).body.expr);
                Some(model.exprs.add_leaf(Expr::Define(id), body.ty, body.reads))
            }
            SubjectKind::Constraint(_) | SubjectKind::Property(_) => None,
        }
    }

    /// That this is what is given.
    pub fn is_given(&self, model: &mut Model, by: ExprId) -> ExprId {
        match self.value(model) {
            Some(value) => logic::is_given(&mut model.exprs, value, by),
            None => by,
        }
    }

    /// That this right-hand side, which may be a `case`, gives the value.
    pub fn given_whole(&self, model: &mut Model, by: ExprId) -> ExprId {
        match self.value(model) {
            Some(value) => given(model, value, by),
            None => by,
        }
    }

    /// What the mutant allows, if a part of it means something else: an expression that is true
    /// of the states or steps that it allows.
    pub fn allowed(&self, model: &mut Model, part: Part, root: ExprId) -> ExprId {
        let Some(value) = self.value(model) else { return holds(model, root) };
        let allowed = match part {
            Part::Whole => given(model, value, root),
            Part::Guard(_) | Part::Value(_) => {
                let mut rest = model.exprs.bool(false);
                for (idx, branch) in self.branches.iter().enumerate().rev() {
                    let [mut guard, mut by] =
                        [branch.guard, branch.value].map(|occ| model.occurrences.get(occ).expr);
                    let mut has_value = model.exprs.bool(true);
                    match part {
                        Part::Guard(changed) if changed == idx => {
                            guard = root;
                            has_value = defined(&mut model.exprs, root);
                        }
                        Part::Value(changed) if changed == idx => by = root,
                        _ => {}
                    }
                    let is_given = leaf(model, value, by);
                    rest = logic::ite(&mut model.exprs, guard, is_given, rest);
                    rest = logic::and(&mut model.exprs, has_value, rest);
                }
                rest
            }
        };
        match self.running {
            Some(running) => {
                let rests = logic::not(&mut model.exprs, running);
                logic::or(&mut model.exprs, rests, allowed)
            }
            None => allowed,
        }
    }

    /// How a mutant is killed. Of an expounded `case` exactly one guard holds, so that what is not
    /// allowed can be said without the other branches: the changed guard holds too early and its
    /// value is another one, or it does not hold where it should.
    pub fn kill(&self, model: &mut Model, part: Part, root: ExprId) -> Target {
        if let SubjectKind::Property(kind) = self.kind {
            return Target::Trap(kind, root);
        }
        let killed = match (part, self.value(model)) {
            (Part::Guard(idx), Some(value)) => self.kill_guard(model, idx, root, value),
            (Part::Value(idx), Some(value)) => {
                let guard = model.occurrences.get(self.branches[idx].guard).expr;
                let is_given = leaf(model, value, root);
                let is_other = logic::not(&mut model.exprs, is_given);
                logic::and(&mut model.exprs, guard, is_other)
            }
            _ => {
                let allowed = self.allowed(model, part, root);
                logic::not(&mut model.exprs, allowed)
            }
        };
        let killed = match (part, self.running) {
            (Part::Guard(_) | Part::Value(_), Some(running)) => {
                logic::and(&mut model.exprs, running, killed)
            }
            _ => killed,
        };
        in_scope(model, self.scope(), killed)
    }

    fn kill_guard(&self, model: &mut Model, idx: usize, root: ExprId, value: ExprId) -> ExprId {
        let mut earlier = model.exprs.bool(false);
        for branch in &self.branches[..idx] {
            let guard = model.occurrences.get(branch.guard).expr;
            earlier = logic::or(&mut model.exprs, earlier, guard);
        }
        let [guard, by] = [self.branches[idx].guard, self.branches[idx].value]
            .map(|occ| model.occurrences.get(occ).expr);
        let exprs = &mut model.exprs;
        let is_given = logic::is_given(exprs, value, by);
        let unless = logic::or(exprs, earlier, is_given);
        let is_other = logic::not(exprs, unless);
        let is_early = logic::and(exprs, root, is_other);
        let is_off = logic::not(exprs, root);
        let is_missing = logic::and(exprs, guard, is_off);
        let killed = logic::or(exprs, is_early, is_missing);
        // Where the changed guard has no value, and no earlier one holds, there is none at all.
        let has_value = defined(exprs, root);
        let has_value = logic::or(exprs, earlier, has_value);
        let has_none = logic::not(exprs, has_value);
        logic::or(exprs, has_none, killed)
    }

    /// One line of SMV: what the part that is mutated says, with this for its tree.
    pub fn line(&self, model: &Model, part: Part, root: ExprId) -> String {
        let shown = |occ: OccId| print::expr(model, model.occurrences.get(occ).expr);
        match part {
            Part::Guard(idx) => {
                format!("{} : {};", print::expr(model, root), shown(self.branches[idx].value))
            }
            Part::Value(idx) => {
                format!("{} : {};", shown(self.branches[idx].guard), print::expr(model, root))
            }
            Part::Whole => {
                let body = print::expr(model, root);
                match self.kind {
                    SubjectKind::Assign(AssignKind::Init, var) => {
                        format!("init({}) := {body};", model.var(var).name)
                    }
                    SubjectKind::Assign(AssignKind::Next, var) => {
                        format!("next({}) := {body};", model.var(var).name)
                    }
                    SubjectKind::Assign(AssignKind::Current, var) => {
                        format!("{} := {body};", model.var(var).name)
                    }
                    SubjectKind::Define(id) => format!("{} := {body};", model.define(id).name),
                    SubjectKind::Constraint(kind) => format!("{} {body};", constraint_word(kind)),
                    SubjectKind::Property(kind) => format!("{} {body};", property_word(kind)),
                }
            }
        }
    }
}

/// That a value is what an expression gives; where it gives none, that is false.
fn given(model: &mut Model, value: ExprId, by: ExprId) -> ExprId {
    // What the branches give, and what those of nested cases give; operands come first.
    let mut parts = BTreeSet::new();
    let mut stack = vec![by];
    while let Some(part) = stack.pop() {
        if let (true, Expr::Ite(_, then, other)) = (parts.insert(part), model.exprs.get(part)) {
            stack.extend([then, other]);
        }
    }
    let mut allowed: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    for part in parts {
        let is_given = match model.exprs.get(part) {
            Expr::Ite(guard, then, other) => {
                let chosen =
                    logic::ite(&mut model.exprs, guard, allowed[&then], allowed[&other]);
                let has_value = defined(&mut model.exprs, guard);
                logic::and(&mut model.exprs, has_value, chosen)
            }
            _ => leaf(model, value, part),
        };
        allowed.insert(part, is_given);
    }
    allowed[&by]
}

/// That a value is what an expression gives, and that it gives one.
fn leaf(model: &mut Model, value: ExprId, by: ExprId) -> ExprId {
    let has_value = defined(&mut model.exprs, by);
    let is_given = logic::is_given(&mut model.exprs, value, by);
    logic::and(&mut model.exprs, has_value, is_given)
}

/// That a constraint has a value and holds.
fn holds(model: &mut Model, constraint: ExprId) -> ExprId {
    if model.exprs.ty(constraint) != Type::Bool {
        return constraint;
    }
    let has_value = defined(&mut model.exprs, constraint);
    logic::and(&mut model.exprs, has_value, constraint)
}

/// The keyword of a property.
pub fn property_word(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Ctl => "CTLSPEC",
        PropertyKind::Compute => "COMPUTE",
        PropertyKind::Ltl => "LTLSPEC",
        PropertyKind::Psl => "PSLSPEC",
        PropertyKind::Invar => "INVARSPEC",
    }
}
