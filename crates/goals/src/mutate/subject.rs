//! What is mutated as one whole: an assignment, a definition, a constraint or a property.

use rustc_hash::FxHashSet;
use trapline_model::dependency::support;
use trapline_model::{
    AssignKind, BinaryOp, ConstraintKind, Define, DefineId, ExprId, Formula, GroupId, Guard, Model,
    OccId, PropertyKind, Relation, Role, Scope, SiteGroup, Statement, Type, VarId,
};
use trapline_source::Span;

use crate::builder::{Builder, Mutate};
use crate::defined::Defined;
use crate::expound::{Branch, Whole, expound};
use crate::site_name::{self, Named};

/// A line with more nodes is not written out.
const MAX_NODES: usize = 200_000;

/// What is mutated as one whole.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its names.
    pub named: Named,
    /// Its span.
    pub span: Span,
    /// What it is.
    pub kind: SubjectKind,
    /// How it was written.
    pub whole: OccId,
    /// Its branches, if it was expounded.
    pub branches: Vec<Branch>,
    /// The guards and values of a group, each with the variable that is given the value.
    pub alternatives: Vec<(Part, OccId, Option<VarId>)>,
    /// When it counts; `None`: always.
    pub when: Option<ExprId>,
    /// Is there an operator in it that may have no value? No change adds one.
    pub can_fail: bool,
    /// Of a path formula, what remains that is neither an input nor an output, and why: visibility is
    /// not promised then.
    pub caveat: Option<String>,
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
    /// Guarded commands, or a table.
    Group(GroupId, Scope),
    /// A path to the value of an output: see [`crate::visibility::inline`].
    Formula(PathFormula),
}

/// That an output has a value where a guard holds; both are those of the only branch of its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathFormula {
    /// The output, unless it is a definition.
    pub var: Option<VarId>,
    /// The output, at the moment that is meant.
    pub output: ExprId,
    /// Is there a guard? Otherwise it is `TRUE`, which nobody wrote.
    pub has_guard: bool,
    /// When it counts.
    pub scope: Scope,
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
    /// Of an alternative, a value that it gives.
    Given(usize, usize),
}

/// Everything that the options want mutated.
pub fn subjects(builder: &mut Builder<'_>) -> Vec<Subject> {
    let mut subjects = match builder.options.mutate {
        Mutate::Model => of_model(&builder.model),
        Mutate::Specs => of_properties(&builder.model),
    };
    let options = builder.options;
    subjects.retain(|subject| {
        let model = &builder.model;
        let var_name = |var: VarId| model.var(var).name.as_str();
        let names: Vec<&str> = match subject.kind {
            SubjectKind::Assign(_, var) => vec![var_name(var)],
            SubjectKind::Define(id) => vec![&model.define(id).name],
            SubjectKind::Constraint(_) | SubjectKind::Property(_) => Vec::new(),
            SubjectKind::Formula(_) => Vec::new(),
            SubjectKind::Group(id, _) => model.group(id).vars().into_iter().map(var_name).collect(),
        };
        options.wants(&names, subject.span)
    });
    if options.expound && options.mutate == Mutate::Model {
        // Where a constraint is a `case`, that is no value that a variable gets.
        // The alternatives of a group are what they are: no earlier guard keeps a later one off.
        let is_value = |subject: &&mut Subject| {
            !matches!(subject.kind, SubjectKind::Constraint(_) | SubjectKind::Group(..))
        };
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
    let mut defined = Defined::default();
    for subject in &mut subjects {
        let parts = subject.parts();
        let mut roots = parts.iter().map(|(_, root)| builder.model.occurrences.get(*root).expr);
        subject.can_fail = roots.any(|root| defined.can_fail(&builder.model, root));
    }
    subjects
}

fn of_model(model: &Model) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |target, occ: Option<OccId>, span, kind, when| {
        if let Some(whole) = occ {
            let named = site_name::named(model, target);
            subjects.push(Subject::new(named, span, kind, whole, when));
        }
    };
    // A define that denotes a set has no value in which a mutation could show.
    let has_value = |define: &Define| !matches!(model.exprs.ty(define.body.expr), Type::Set(_));
    for (idx, define) in model.defines.iter().enumerate().filter(|(_, define)| has_value(define)) {
        let id = DefineId(idx as u32);
        let target = trapline_model::SiteTarget::Define(id);
        add(target, define.body.occ, define.body.span, SubjectKind::Define(id), None);
    }
    for (assign_idx, assign) in model.assigns.iter().enumerate() {
        for (part_idx, part) in assign.parts.iter().enumerate() {
            let (assign_idx, part_idx) = (assign_idx as u32, part_idx as u32);
            let target =
                trapline_model::SiteTarget::Assign { var: assign.var, assign_idx, part_idx };
            let kind = SubjectKind::Assign(assign.kind, assign.var);
            add(target, part.body.occ, part.body.span, kind, part.when);
        }
    }
    for (idx, constraint) in model.constraints.iter().enumerate() {
        let target = trapline_model::SiteTarget::Constraint(idx as u32);
        let kind = SubjectKind::Constraint(constraint.kind);
        add(target, constraint.body.occ, constraint.body.span, kind, None);
    }
    let groups = model.groups.iter().enumerate();
    subjects.extend(groups.filter_map(|(idx, group)| of_group(GroupId(idx as u32), group)));
    subjects
}

/// Commands or a table; a `case` is part of its right-hand side.
fn of_group(id: GroupId, group: &SiteGroup) -> Option<Subject> {
    let whole = group.alternatives.first()?.guard.occ();
    if group.relation == Relation::Ordered {
        return None;
    }
    let (name, word) = (&group.name, site_name::relation_word(group.relation));
    let named = Named { key: name.clone(), text: format!("the {word}s of {name}") };
    let kind = SubjectKind::Group(id, group.scope);
    let mut subject = Subject::new(named, group.span, kind, whole, None);
    let mut values = FxHashSet::default();
    for (idx, alternative) in group.alternatives.iter().enumerate() {
        // The default alternative is recomputed, and has nothing to be mutated.
        if let Guard::Written(occ) = alternative.guard {
            subject.alternatives.push((Part::Guard(idx), occ, None));
        }
        for (given, occ) in alternative.written() {
            // The value of a column is written once for all its rows.
            if values.insert(occ) {
                let var = alternative.gives[given].var;
                subject.alternatives.push((Part::Given(idx, given), occ, Some(var)));
            }
        }
    }
    Some(subject)
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
        subjects.push(Subject::new(named, clause.span, kind, whole, None));
    }
    subjects
}

impl Subject {
    pub(crate) fn new(
        named: Named,
        span: Span,
        kind: SubjectKind,
        whole: OccId,
        when: Option<ExprId>,
    ) -> Subject {
        let (branches, alternatives, caveat) = (Vec::new(), Vec::new(), None);
        Subject { named, span, kind, whole, branches, alternatives, when, can_fail: true, caveat }
    }

    /// The parts, each with its tree.
    pub fn parts(&self) -> Vec<(Part, OccId)> {
        if let SubjectKind::Group(..) = self.kind {
            return self.alternatives.iter().map(|&(part, occ, _)| (part, occ)).collect();
        }
        if self.branches.is_empty() {
            return vec![(Part::Whole, self.whole)];
        }
        if matches!(self.kind, SubjectKind::Formula(PathFormula { has_guard: false, .. })) {
            return vec![(Part::Value(0), self.whole)];
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
            (SubjectKind::Formula(formula), Part::Value(_)) => formula.var,
            (SubjectKind::Group(..), _) => {
                let own = self.alternatives.iter().find(|(known, ..)| *known == part);
                own.and_then(|(.., var)| *var)
            }
            _ => None,
        }
    }

    /// Is only what the environment does changed? No implementation has that fault.
    pub fn is_environment(&self, model: &Model) -> bool {
        let is_input = |var: VarId| model.var(var).role == Role::Input;
        match self.kind {
            SubjectKind::Assign(_, var) => is_input(var),
            SubjectKind::Constraint(_) => {
                let whole = model.occurrences.get(self.whole).expr;
                support(model, [whole]).all().into_iter().all(is_input)
            }
            SubjectKind::Define(_) | SubjectKind::Property(_) | SubjectKind::Group(..) => false,
            SubjectKind::Formula(_) => false,
        }
    }

    /// When it counts.
    pub fn scope(&self) -> Scope {
        match self.kind {
            SubjectKind::Formula(formula) => formula.scope,
            SubjectKind::Group(_, scope) => scope,
            SubjectKind::Assign(AssignKind::Init, _)
            | SubjectKind::Constraint(ConstraintKind::Init) => Scope::Init,
            SubjectKind::Assign(AssignKind::Next, _)
            | SubjectKind::Constraint(ConstraintKind::Trans) => Scope::Step,
            _ => Scope::State,
        }
    }

    /// One line of the model: the mutated part, with this tree.
    pub fn line(&self, model: &Model, part: Part, root: ExprId) -> String {
        let show = |expr: ExprId| match model.exprs.is_short(expr, MAX_NODES) {
            true => model.show_expr(expr),
            false => "…".into(),
        };
        let shown = |occ: OccId| show(model.occurrences.get(occ).expr);
        let body = show(root);
        let statement = |statement: Statement<'_>| model.syntax.statement(&statement);
        match (part, self.kind) {
            // The source shows it better, wherever there is one.
            (_, SubjectKind::Group(..)) | (Part::Given(..), _) => body,
            (Part::Guard(idx), SubjectKind::Formula(formula)) => {
                let value = model.occurrences.get(self.branches[idx].value).expr;
                formula.line(model, [root, value].map(|expr| (expr, show(expr))))
            }
            (Part::Value(idx), SubjectKind::Formula(formula)) => {
                let guard = model.occurrences.get(self.branches[idx].guard).expr;
                formula.line(model, [guard, root].map(|expr| (expr, show(expr))))
            }
            (Part::Whole, SubjectKind::Formula(_)) => body,
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

impl PathFormula {
    /// The formula with this guard and this value, as text.
    fn line(&self, model: &Model, [guard, value]: [(ExprId, String); 2]) -> String {
        let is_name = |id: ExprId| model.exprs.operands(model.exprs.get(id)).as_slice().is_empty();
        let (expr, text) = value;
        let is_set = matches!(model.exprs.ty(expr), Type::Set(_));
        let text = if is_name(expr) || is_set { text } else { format!("({text})") };
        let operator = if is_set { BinaryOp::In } else { BinaryOp::Eq };
        let [operator, implies] =
            [operator, BinaryOp::Implies].map(|op| model.syntax.binary_op(op));
        let is_given = format!("{} {operator} {text}", model.show_expr(self.output));
        match model.exprs.is_true(guard.0) {
            true => is_given,
            false => format!("{} {implies} {is_given}", guard.1),
        }
    }
}
