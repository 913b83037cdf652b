//! What is mutated as one whole: an assignment, a definition, a constraint or a property.

use trapline_model::{
    AssignKind, ConstraintKind, Define, DefineId, ExprId, Formula, Model, OccId, PropertyKind,
    Scope, Statement, Type, VarId,
};
use trapline_source::Span;

use crate::builder::{Builder, Mutate};
use crate::defined::can_fail;
use crate::expound::{Branch, Whole, expound};
use crate::site_name::{self, Named};

/// A line with more nodes is not written out.
const MAX_NODES: usize = 200_000;

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
    /// When it counts; `None`: always.
    pub when: Option<ExprId>,
    /// Is there an operator in it that may have no value? No change adds one.
    pub can_fail: bool,
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
        options.wants(name.map(String::as_str), subject.span)
    });
    if options.expound && options.mutate == Mutate::Model {
        // Where a constraint is a `case`, that is no value that a variable gets.
        let is_value = |subject: &&mut Subject| !matches!(subject.kind, SubjectKind::Constraint(_));
        for subject in subjects.iter_mut().filter(is_value) {
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
    for subject in &mut subjects {
        let parts = subject.parts();
        let roots = parts.iter().map(|(_, root)| builder.model.occurrences.get(*root).expr);
        subject.can_fail = can_fail(&builder.model, roots);
    }
    subjects
}

fn of_model(model: &Model) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |target, occ: Option<OccId>, span, kind, when| {
        if let Some(whole) = occ {
            let named = site_name::named(model, target);
            let (branches, can_fail) = (Vec::new(), true);
            subjects.push(Subject { named, span, kind, whole, branches, when, can_fail });
        }
    };
    // A define that stands for a set has no value that a change could show in.
    let has_value = |define: &Define| !matches!(model.exprs.ty(define.body.expr), Type::Set(_));
    for (idx, define) in model.defines.iter().enumerate().filter(|(_, define)| has_value(define)) {
        let id = DefineId(idx as u32);
        let target = trapline_model::Target::Define(id);
        add(target, define.body.occ, define.body.span, SubjectKind::Define(id), None);
    }
    for (assign_idx, assign) in model.assigns.iter().enumerate() {
        for (part_idx, part) in assign.parts.iter().enumerate() {
            let (assign_idx, part_idx) = (assign_idx as u32, part_idx as u32);
            let target = trapline_model::Target::Assign { var: assign.var, assign_idx, part_idx };
            let kind = SubjectKind::Assign(assign.kind, assign.var);
            add(target, part.body.occ, part.body.span, kind, part.when);
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
        let (span, branches, when, can_fail) = (clause.span, Vec::new(), None, true);
        subjects.push(Subject { named, span, kind, whole, branches, when, can_fail });
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

    /// One line of the model: what the part that is mutated says, with this for its tree.
    pub fn line(&self, model: &Model, part: Part, root: ExprId) -> String {
        let show = |expr: ExprId| match model.exprs.is_short(expr, MAX_NODES) {
            true => model.show_expr(expr),
            false => "…".into(),
        };
        let shown = |occ: OccId| show(model.occurrences.get(occ).expr);
        let body = show(root);
        let statement = |statement: Statement<'_>| model.syntax.statement(&statement);
        match (part, self.kind) {
            (Part::Guard(idx), _) => {
                statement(Statement::Branch(&body, &shown(self.branches[idx].value)))
            }
            (Part::Value(idx), _) => {
                statement(Statement::Branch(&shown(self.branches[idx].guard), &body))
            }
            (Part::Whole, SubjectKind::Assign(kind, var)) => {
                statement(Statement::Assign(kind, &model.var(var).name, &body))
            }
            (Part::Whole, SubjectKind::Define(id)) => {
                statement(Statement::Define(&model.define(id).name, &body))
            }
            (Part::Whole, SubjectKind::Constraint(kind)) => {
                statement(Statement::Constraint(kind, &body))
            }
            (Part::Whole, SubjectKind::Property(kind)) => {
                statement(Statement::Property(kind, &body))
            }
        }
    }
}
