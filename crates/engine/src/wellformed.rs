//! Is the model well formed: does every assignment give a value of its variable's type, in every
//! state that the types admit, reachable or not?
//!
//! An assignment is taken apart into the values that its branches give, each with the conditions
//! on the way to it. Intervals decide most of them at once. For the others a SAT solver looks for
//! a state in which the conditions hold and the value lies outside (or there is none), so the
//! answer is exact and comes with a state; a search does it where variables have no bounds. Where
//! that is too long, nothing is said: the engines decide it, and until then evaluation fails with a
//! clear error.

mod bounds;

mod place;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use trapline_model::dependency::{Support, support};
use trapline_model::eval::{Cell, Plan};
use trapline_model::{
    AssignKind, BinaryOp, Clause, ConstraintKind, Domain, Expr, ExprId, FailureKind, Formula,
    Guard, Model, Property, Relation, SetOf, Type, Value, VarId,
};
use trapline_source::{Diagnostic, Diagnostics, Severity, Span};

use trapline_budget::Budget;

use crate::answer::Why;
use crate::sat::aig::Bit;
use crate::sat::solver;
use crate::sat::valuation::Valuations;
use crate::solve::{Problem, Search, Slot, Stop, Values, When};
use bounds::Bounds;

/// What is said of a value that depends on nothing.
const EVERYWHERE: &str = "in every state";
/// How much work one question may cost, and all of them: seconds.
const MAX_WORK: u64 = 10_000_000;
const MAX_ALL_WORK: u64 = 50_000_000;
/// An expression with more ways through it is looked at as a whole.
const MAX_SUSPECTS: usize = 10_000;
const MAX_VISITS: usize = 1_000_000;
/// So many values of a state are shown.
const MAX_SHOWN: usize = 8;

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Assignments and constraints about which no answer was found.
    pub undecided: Vec<Span>,
}

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A word that may be divided by zero is an error, as in NuSMV, and not only a warning.
    pub strict: bool,
}

/// Checks a model, as far as the budget lasts. What is wrong goes to the diagnostics.
pub fn check(
    model: &Model,
    options: Options,
    budget: &Budget<'_>,
    diagnostics: &mut Diagnostics,
) -> Report {
    let bounds = Bounds::new(model);
    let budget = budget.part(Some(MAX_ALL_WORK));
    let mut checker = Checker {
        model,
        options,
        bounds,
        fails: FxHashMap::default(),
        diagnostics,
        report: Report::default(),
        budget: &budget,
        valuations: None,
    };
    let rows = rows(model);
    for assign in &model.assigns {
        let guards = rows.get(&(assign.var, assign.kind));
        for (idx, part) in assign.parts.iter().enumerate() {
            let guard = guards.and_then(|guards| guards.get(idx)).copied();
            checker.check_assign(assign.var, assign.kind, part.body, guard.or(part.when));
        }
    }
    for kind in [ConstraintKind::Init, ConstraintKind::Invar, ConstraintKind::Trans] {
        let of_kind = model.constraints.iter().filter(|c| c.kind == kind);
        let bodies: Vec<Clause> = of_kind.map(|c| c.body).collect();
        for &body in &bodies {
            checker.check_constraint(body, &bodies);
        }
    }
    let fairness = model.compassion.iter().flat_map(|(p, q)| [*p, *q]);
    for clause in model.justice.iter().copied().chain(fairness) {
        checker.check_constraint(clause, &[]);
    }
    for property in &model.properties {
        checker.check_property(property);
    }
    checker.report
}

/// When the rows of tables apply, in the order of the values that they give a variable.
fn rows(model: &Model) -> FxHashMap<(VarId, AssignKind), Vec<ExprId>> {
    let mut rows: FxHashMap<(VarId, AssignKind), Vec<ExprId>> = FxHashMap::default();
    for group in model.groups.iter().filter(|group| group.relation == Relation::Exclusive) {
        for alternative in &group.alternatives {
            let Guard::Written(guard) = alternative.guard else { continue };
            let guard = model.occurrences.get(guard).expr;
            for given in &alternative.gives {
                rows.entry((given.var, group.assigns())).or_default().push(guard);
            }
        }
    }
    rows
}

struct Checker<'m, 'b> {
    model: &'m Model,
    options: Options,
    bounds: Bounds,
    /// Whether an expression can fail, where it was found out.
    fails: FxHashMap<ExprId, bool>,
    diagnostics: &'m mut Diagnostics,
    report: Report,
    budget: &'b Budget<'b>,
    /// Where all variables that have bounds have any of their values; made for the first question.
    valuations: Option<Valuations<'m, 'b>>,
}

/// A place in an expression that can go wrong.
#[derive(Clone)]
struct Suspect {
    expr: ExprId,
    /// What must hold for it to matter.
    path: Option<Rc<Step>>,
    wrong: Wrong,
}

/// What can be wrong with a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// It lies outside the domain, or there is none.
    Escape,
    /// There is none.
    Fail,
}

/// What is demanded of a condition.
#[derive(Clone, Copy)]
enum Demand {
    /// It has this truth value. Where it fails itself, it is a suspect of its own.
    Is(bool),
    /// It has not: the other operand of a connective, which must not decide alone.
    IsNot(bool),
}

/// A condition on the way to a value. The ways share what they have in common.
struct Step {
    condition: ExprId,
    demand: Demand,
    before: Option<Rc<Step>>,
}

impl Suspect {
    /// The same place, after one more condition.
    fn after(self, condition: ExprId, demand: Demand) -> Suspect {
        let path = Some(Rc::new(Step { condition, demand, before: self.path }));
        Suspect { path, ..self }
    }

    /// The last condition on the way that must be true.
    fn guard(&self) -> Option<ExprId> {
        let is_guard = |(_, demand): &&(ExprId, Demand)| matches!(demand, Demand::Is(true));
        self.conditions().iter().rev().find(is_guard).map(|(condition, _)| *condition)
    }

    /// The conditions on the way, the first one first.
    fn conditions(&self) -> Vec<(ExprId, Demand)> {
        let mut conditions = Vec::new();
        let mut step = self.path.as_deref();
        while let Some(Step { condition, demand, before }) = step {
            conditions.push((*condition, *demand));
            step = before.as_deref();
        }
        conditions.reverse();
        conditions
    }

    fn support(&self, model: &Model, others: &[ExprId]) -> Support {
        let conditions = self.conditions();
        let read = conditions.iter().map(|&(condition, _)| condition).chain([self.expr]);
        support(model, read.chain(others.iter().copied()))
    }
}

/// The answer to whether an expression can escape its domain.
enum Answer {
    Never,
    Escapes(Values),
    Unknown,
}

impl<'m, 'b> Checker<'m, 'b> {
    /// Checks a value that is given where the guard holds, if there is one.
    fn check_assign(&mut self, var: VarId, kind: AssignKind, body: Clause, guard: Option<ExprId>) {
        let domain = &self.model.var(var).domain;
        for suspect in self.suspects(body.expr, domain) {
            let suspect = match guard {
                Some(guard) => suspect.after(guard, Demand::Is(true)),
                None => suspect,
            };
            match self.escape(&suspect, domain, &[]) {
                Answer::Never => {}
                Answer::Unknown => self.report.undecided.push(body.span),
                Answer::Escapes(values) => {
                    let what = Subject::Assign { var, kind, domain };
                    self.report_escape(&suspect, &what, body, &values);
                }
            }
        }
    }

    fn check_constraint(&mut self, body: Clause, of_kind: &[Clause]) {
        for suspect in self.suspects(body.expr, &Domain::Bool) {
            let mut answer = self.escape(&suspect, &Domain::Bool, &[]);
            // Most have no failure at all, so that is asked first.
            if matches!(answer, Answer::Escapes(_)) && of_kind.len() > 1 {
                let others = of_kind.iter().filter(|other| **other != body);
                let others: Vec<ExprId> = others.map(|other| other.expr).collect();
                answer = self.escape(&suspect, &Domain::Bool, &others);
            }
            match answer {
                Answer::Never => {}
                Answer::Unknown => self.report.undecided.push(body.span),
                Answer::Escapes(values) => {
                    self.report_escape(&suspect, &Subject::Constraint, body, &values);
                }
            }
        }
    }

    /// A property without a value somewhere is no reason to refuse the model: it is said now, and
    /// again when the property is checked and that state is reached.
    fn check_property(&mut self, property: &Property) {
        let clauses = match property.formula {
            Formula::Holds(clause) => vec![clause],
            Formula::Min(p, q) | Formula::Max(p, q) => vec![p, q],
            Formula::Unsupported(_) => Vec::new(),
        };
        for clause in clauses {
            let mut stack = vec![clause.expr];
            let mut seen = FxHashSet::default();
            while let Some(expr) = stack.pop() {
                if !seen.insert(expr) {
                    continue;
                }
                if self.model.exprs.ty(expr) == Type::Temporal {
                    let operands = self.model.exprs.operands(self.model.exprs.get(expr));
                    stack.extend(operands.as_slice());
                    continue;
                }
                let mut found = Diagnostics::new();
                std::mem::swap(self.diagnostics, &mut found);
                self.check_constraint(Clause { expr, ..clause }, &[]);
                std::mem::swap(self.diagnostics, &mut found);
                for diagnostic in found.list() {
                    let severity = Severity::Warning;
                    self.diagnostics.push(Diagnostic { severity, ..diagnostic.clone() });
                }
            }
        }
    }

    /// The places in an expression that can go wrong: values that may lie outside the domain,
    /// and operations that may fail, each with what must hold for it to matter.
    fn suspects(&mut self, root: ExprId, domain: &Domain) -> Vec<Suspect> {
        let whole = Suspect { expr: root, path: None, wrong: Wrong::Escape };
        let mut suspects = Vec::new();
        let mut stack = vec![whole.clone()];
        let mut n_visits = 0;
        while let Some(suspect) = stack.pop() {
            n_visits += 1;
            let Suspect { expr, wrong, .. } = suspect;
            let may_escape = wrong == Wrong::Escape && !self.bounds.fits(expr, domain);
            if !self.may_fail(expr) && !may_escape {
                continue;
            }
            let is_over = self.budget.spend(1).is_err();
            if is_over || suspects.len() > MAX_SUSPECTS || n_visits > MAX_VISITS {
                return vec![whole];
            }
            let is_choice = matches!(
                self.model.exprs.get(expr),
                Expr::Ite(..) | Expr::Define(_) | Expr::Binary(BinaryOp::Union, ..)
            );
            if may_escape && !is_choice {
                suspects.push(suspect.clone());
            }
            self.look_inside(suspect, &mut stack, &mut suspects);
        }
        suspects
    }

    /// May the expression fail? An index that always lies inside its array is found out once, not
    /// in every place that it stands in.
    fn may_fail(&mut self, expr: ExprId) -> bool {
        if !self.bounds.may_fail(expr) {
            return false;
        }
        if let Some(&known) = self.fails.get(&expr) {
            return known;
        }
        let question = self.valuations().and_then(|valuations| {
            let fails = valuations.escapes(expr, None)?;
            Ok(valuations.solve(&[fails]).unwrap_or(true))
        });
        let answer = question.unwrap_or(true);
        self.fails.insert(expr, answer);
        answer
    }

    /// All values of all variables that have bounds.
    fn valuations(&mut self) -> Result<&mut Valuations<'m, 'b>, Why> {
        if self.valuations.is_none() {
            let mut valuations = Valuations::new(self.model, self.budget);
            for (var, declared) in self.model.var_ids() {
                if declared.domain.size().is_some() {
                    valuations.open(Slot::Current(var))?;
                    valuations.open(Slot::Next(var))?;
                }
            }
            self.valuations = Some(valuations);
        }
        match &mut self.valuations {
            Some(valuations) => {
                valuations.allow(MAX_WORK);
                Ok(valuations)
            }
            None => unreachable!("it was made"),
        }
    }

    /// Pushes the operands that can go wrong, with what must hold for that to matter.
    fn look_inside(&self, place: Suspect, stack: &mut Vec<Suspect>, found: &mut Vec<Suspect>) {
        let exprs = &self.model.exprs;
        let inner = |expr| Suspect { expr, wrong: Wrong::Fail, ..place.clone() };
        match exprs.get(place.expr) {
            Expr::Ite(c, t, e) => {
                let branch = |expr, holds| match exprs.as_const(c) {
                    Some(Value::Bool(value)) => {
                        (value == holds).then(|| Suspect { expr, ..place.clone() })
                    }
                    _ => Some(Suspect { expr, ..place.clone() }.after(c, Demand::Is(holds))),
                };
                stack.extend(branch(e, false));
                stack.extend(branch(t, true));
                stack.push(inner(c));
            }
            Expr::Binary(BinaryOp::Union, a, b) => {
                stack.push(Suspect { expr: b, ..place.clone() });
                stack.push(Suspect { expr: a, ..place });
            }
            Expr::Define(d) => {
                stack.push(Suspect { expr: self.model.define(d).body.expr, ..place });
            }
            // One operand of a connective may hide that the other one fails.
            Expr::Binary(BinaryOp::And, a, b) if exprs.ty(a) == Type::Bool => {
                let unless = |expr, other| inner(expr).after(other, Demand::IsNot(false));
                stack.extend([unless(b, a), unless(a, b)]);
            }
            Expr::Binary(BinaryOp::Or, a, b) if exprs.ty(a) == Type::Bool => {
                let unless = |expr, other| inner(expr).after(other, Demand::IsNot(true));
                stack.extend([unless(b, a), unless(a, b)]);
            }
            Expr::Binary(BinaryOp::Implies, a, b) if exprs.ty(a) == Type::Bool => {
                stack.push(inner(b).after(a, Demand::IsNot(false)));
                stack.push(inner(a).after(b, Demand::IsNot(true)));
            }
            Expr::Fail(_) | Expr::NextDefine(_) => found.push(inner(place.expr)),
            expr => {
                if self.bounds.fails_itself(self.model, expr) {
                    found.push(inner(place.expr));
                }
                stack.extend(exprs.operands(expr).as_slice().iter().map(|&operand| inner(operand)));
            }
        }
    }

    /// Looks for a state in which the value escapes its domain.
    fn escape(&mut self, suspect: &Suspect, domain: &Domain, others: &[ExprId]) -> Answer {
        let mut conditions = suspect.conditions();
        // A constraint of the same kind that is false hides the failure.
        conditions.extend(others.iter().map(|&other| (other, Demand::IsNot(false))));
        let support = suspect.support(self.model, others);
        let current = support.current.iter().map(|&var| Slot::Current(var));
        let slots: Vec<Slot> =
            current.chain(support.next.iter().map(|&var| Slot::Next(var))).collect();
        let answer = match self.mixes_booleans(suspect.expr, domain) {
            true => Err(Why::Unsupported("Booleans among other values".into())),
            false => self.ask(suspect, domain, &conditions, &slots),
        };
        match answer {
            Err(Why::Unsupported(_)) => self.search(suspect, domain, &conditions, slots),
            answer => answer.unwrap_or(Answer::Unknown),
        }
    }

    /// True if a Boolean could be taken for a number: in a circuit `TRUE` is 1.
    fn mixes_booleans(&self, expr: ExprId, domain: &Domain) -> bool {
        let Domain::Enum(values) = domain else { return false };
        let is_boolean = |value: &Value| matches!(value, Value::Bool(_));
        let ty = self.model.exprs.ty(expr);
        matches!(ty, Type::Bool | Type::Mixed | Type::Set(SetOf::Bool | SetOf::Mixed))
            || values.iter().any(is_boolean)
    }

    fn unknown(&self) -> Values {
        let unknown = vec![None; self.model.vars.len()];
        Values { current: unknown.clone(), next: unknown }
    }

    /// Asks the SAT solver.
    fn ask(
        &mut self,
        suspect: &Suspect,
        domain: &Domain,
        conditions: &[(ExprId, Demand)],
        slots: &[Slot],
    ) -> Result<Answer, Why> {
        let mut values = self.unknown();
        self.budget.spend(conditions.len() as u64)?;
        let valuations = self.valuations()?;
        let mut bits: Vec<Bit> = Vec::new();
        for &(condition, demand) in conditions {
            let (holds, fails) = valuations.truth(condition, false)?;
            bits.push(match demand {
                Demand::Is(true) => holds,
                Demand::IsNot(true) => !holds,
                Demand::Is(false) => valuations.aig().and(!holds, !fails)?,
                Demand::IsNot(false) => valuations.aig().or(holds, fails)?,
            });
        }
        let domain = Some(domain).filter(|_| suspect.wrong == Wrong::Escape);
        bits.push(valuations.escapes(suspect.expr, domain)?);
        match valuations.solve(&bits) {
            Ok(false) => return Ok(Answer::Never),
            Err(_) => return Ok(Answer::Unknown),
            Ok(true) => {}
        }
        let shown = &slots[..slots.len().min(MAX_SHOWN)];
        if minimise(valuations, shown, bits).is_err() {
            return Ok(Answer::Unknown);
        }
        slots.iter().for_each(|&slot| values.set(slot, valuations.value(slot)));
        Ok(Answer::Escapes(values))
    }

    /// Looks for it where values have no bits.
    fn search(
        &mut self,
        suspect: &Suspect,
        domain: &Domain,
        conditions: &[(ExprId, Demand)],
        slots: Vec<Slot>,
    ) -> Answer {
        let model = self.model;
        let mut problem = Problem::default();
        for &(condition, demand) in conditions {
            match demand {
                Demand::IsNot(value) if self.may_fail(condition) => {
                    problem.avoid(model, condition, value, When::Here);
                }
                Demand::Is(true) | Demand::IsNot(false) => {
                    problem.require(model, condition, When::Here, Span::default());
                }
                Demand::Is(false) | Demand::IsNot(true) => {
                    problem.forbid(model, condition, When::Here, Span::default());
                }
            }
        }
        match suspect.wrong {
            Wrong::Escape => problem.escape(model, suspect.expr, Some(domain)),
            Wrong::Fail => problem.escape(model, suspect.expr, None),
        }
        let part = self.budget.part(Some(MAX_WORK));
        let _ = part.spend(problem.size());
        let mut search = Search::new(model, &problem, slots, self.unknown(), &part);
        match search.next(&mut None) {
            Ok(Some(values)) => Answer::Escapes(values),
            // A condition on the way fails itself: it is a suspect of its own.
            Ok(None) | Err(Stop::Failure { .. }) => Answer::Never,
            Err(_) => Answer::Unknown,
        }
    }

    fn report_escape(
        &mut self,
        suspect: &Suspect,
        what: &Subject<'_>,
        body: Clause,
        values: &Values,
    ) {
        let model = self.model;
        let plan = Plan::new(model, &[suspect.expr]);
        let mut cells = Vec::new();
        plan.run(&values.current, &values.next, &mut cells);
        let found = plan.root(0, &cells).clone();
        let place = place::of_value(model, body, suspect.expr, suspect.guard());
        let state = self.show(suspect, values);
        let diagnostic = match (&found, what) {
            (Cell::Fail(failure), _) => {
                let (code, help) = (failure_code(failure.kind), failure_help(failure.kind));
                let span = Some(failure.span).filter(|s| *s != Span::default()).unwrap_or(place);
                let text = failure.kind.to_string();
                let mut found = Diagnostic::error(code, span, text).note_here(state).help(help);
                // Generated models divide by words that only their invariants keep from zero.
                let is_word = matches!(self.model.exprs.ty(suspect.expr), Type::Word { .. });
                let is_division = failure.kind == FailureKind::DivisionByZero;
                if is_word && is_division && !self.options.strict {
                    found.severity = Severity::Warning;
                }
                found
            }
            (_, Subject::Assign { var, kind, domain }) => {
                let outside = found.members().unwrap_or_default();
                let value = outside.iter().find(|&v| !domain.contains(v));
                let value = value.map_or_else(String::new, |v| model.show(v));
                let declared = model.var(*var);
                let name = model.syntax.target(*kind, &declared.name);
                let text = format!("`{name}` can be {value}, which is outside its type");
                let help = match state.as_str() {
                    EVERYWHERE => "choose a value of the type, or widen the type",
                    _ => "add a guard for this state, or widen the type",
                };
                Diagnostic::error("out-of-range", place, text)
                    .note_here(state)
                    .label(declared.span, format!("takes {}", model.show_type(domain)))
                    .help(help)
            }
            (_, Subject::Constraint) => return,
        };
        self.diagnostics.push(diagnostic);
    }

    fn show(&self, suspect: &Suspect, values: &Values) -> String {
        let support = suspect.support(self.model, &[]);
        let show = |var: &VarId, values: &[Option<Value>], kind: AssignKind| {
            let name = self.model.syntax.target(kind, &self.model.var(*var).name);
            let value = values[var.0 as usize].map(|v| self.model.show(v)).unwrap_or_default();
            format!("{name} = {value}")
        };
        let current = support.current.iter();
        let current = current.map(|var| show(var, &values.current, AssignKind::Current));
        let next = support.next.iter().map(|var| show(var, &values.next, AssignKind::Next));
        let all: Vec<String> = current.chain(next).collect();
        match all.len() {
            0 => EVERYWHERE.into(),
            n if n > MAX_SHOWN => {
                let shown = all[..MAX_SHOWN].join(", ");
                format!("when {shown}, and {} more", n - MAX_SHOWN)
            }
            _ => format!("when {}", all.join(", ")),
        }
    }
}

/// After a yes: makes some values as small as can be, one after the other, where all bits are true.
fn minimise(
    valuations: &mut Valuations<'_, '_>,
    slots: &[Slot],
    mut bits: Vec<Bit>,
) -> Result<(), solver::Stop> {
    for &slot in slots {
        for bit in valuations.bits(slot).to_vec().into_iter().rev() {
            bits.push(!bit);
            if valuations.is_true(bit) && !valuations.solve(&bits)? {
                bits.pop();
                bits.push(bit);
                valuations.solve(&bits)?;
            }
        }
    }
    Ok(())
}

/// What is checked.
enum Subject<'m> {
    Assign { var: VarId, kind: AssignKind, domain: &'m Domain },
    Constraint,
}

/// The code of the diagnostic for a failure.
pub fn failure_code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NotExhaustive => "not-exhaustive",
        FailureKind::IndexOutOfBounds => "index-out-of-bounds",
        FailureKind::DivisionByZero => "division-by-zero",
        FailureKind::ShiftOutOfRange => "bad-shift",
        FailureKind::OutOfRange => "out-of-range",
        FailureKind::Overflow => "overflow",
    }
}

fn failure_help(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::NotExhaustive => "add a last branch `TRUE : ...`, or a branch for this state",
        FailureKind::IndexOutOfBounds => "guard the access, or widen the array",
        FailureKind::DivisionByZero => "guard the division",
        FailureKind::ShiftOutOfRange => "a shift takes 0 to the width of the word",
        FailureKind::OutOfRange => "add a guard, or widen the type",
        FailureKind::Overflow => "use smaller numbers",
    }
}
