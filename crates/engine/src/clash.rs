//! Why a model has no initial state: a minimal set of assignments and constraints that clash.
//!
//! Deletion-based minimisation: whatever can be left out while no state meets the rest is left out,
//! in large pieces first, so that a few rules among thousands take few questions.

use trapline_budget::Budget;
use trapline_model::dependency::support;
use trapline_model::{
    AssignKind, BinaryOp, Clause, ConstraintKind, Expr, ExprId, Model, Shape, VarId,
};
use trapline_source::Span;

use crate::solve::{Problem, Search, Slot, Stop, Values, When};

/// Work limit of the first question, and of minimising.
const MAX_WORK: u64 = 10_000_000;

/// Rules that no state meets together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Their spans, in the order of the text; the conjuncts of a constraint are rules of their own.
    pub spans: Vec<Span>,
    /// True if any of them can be met without the others.
    pub is_minimal: bool,
}

/// Something that initial states meet.
#[derive(Clone, Copy)]
struct Rule {
    /// The variable that takes the value of the expression; without one the expression is true.
    var: Option<VarId>,
    expr: ExprId,
    span: Span,
}

/// The rules that leave no initial state. Those with a span in `last` are kept only if the others do
/// not clash among themselves. `None` if there is an initial state, or if that is too hard to tell.
pub fn clash(model: &Model, last: impl Fn(Span) -> bool, budget: &Budget<'_>) -> Option<Clash> {
    let (mut rules, others): (Vec<Rule>, Vec<Rule>) =
        rules(model).into_iter().partition(|rule| last(rule.span));
    rules.extend(others);
    let part = budget.part(Some(MAX_WORK));
    if is_possible(model, &rules, &part) != Ok(false) {
        return None;
    }
    drop(part);
    let part = budget.part(Some(MAX_WORK));
    let mut size = rules.len().div_ceil(2);
    let is_minimal = loop {
        let (mut start, mut is_minimal) = (0, true);
        while start < rules.len() {
            let end = rules.len().min(start + size);
            let rest: Vec<Rule> = [&rules[..start], &rules[end..]].concat();
            let is_possible = is_possible(model, &rest, &part);
            is_minimal &= is_possible.is_ok();
            match is_possible {
                Ok(false) => rules = rest,
                Ok(true) | Err(_) => start = end,
            }
        }
        if size == 1 {
            break is_minimal;
        }
        size = size.div_ceil(2);
    };
    let mut spans: Vec<Span> = rules.iter().map(|rule| rule.span).collect();
    spans.sort_unstable();
    spans.dedup();
    Some(Clash { spans, is_minimal })
}

/// What initial states meet.
fn rules(model: &Model) -> Vec<Rule> {
    let assigns = model.assigns.iter().filter(|assign| assign.kind != AssignKind::Next);
    let mut rules: Vec<Rule> = assigns
        .map(|assign| {
            let (var, span) = (Some(assign.var), assign.parts[0].body.span);
            Rule { var, expr: assign.expr, span }
        })
        .collect();
    for constraint in model.constraints.iter().filter(|c| c.kind != ConstraintKind::Trans) {
        rules.extend(conjuncts(model, constraint.body));
    }
    rules
}

/// The conjuncts of a constraint as written.
fn conjuncts(model: &Model, body: Clause) -> Vec<Rule> {
    let Some(occ) = body.occ else {
        return vec![Rule { var: None, expr: body.expr, span: body.span }];
    };
    let (mut rules, mut stack) = (Vec::new(), vec![occ]);
    while let Some(occ) = stack.pop() {
        let node = model.occurrences.get(occ);
        let is_and = matches!(model.exprs.get(node.expr), Expr::Binary(BinaryOp::And, ..));
        let children = model.occurrences.children(occ);
        match (node.shape, children.as_slice()) {
            (Shape::Operator, [left, right]) if is_and => stack.extend([*right, *left]),
            _ => rules.push(Rule { var: None, expr: node.expr, span: node.span }),
        }
    }
    rules
}

/// True if some state meets these rules.
fn is_possible(model: &Model, rules: &[Rule], budget: &Budget<'_>) -> Result<bool, Stop> {
    let mut problem = Problem::default();
    for rule in rules {
        match rule.var {
            Some(var) => {
                problem.choose(model, Slot::Current(var), rule.expr, When::Here, rule.span);
            }
            None => problem.require(model, rule.expr, When::Here, rule.span),
        }
    }
    let mut vars = support(model, rules.iter().map(|rule| rule.expr)).current;
    vars.extend(rules.iter().filter_map(|rule| rule.var));
    vars.sort_unstable();
    vars.dedup();
    let slots = vars.into_iter().map(Slot::Current).collect();
    let unknown = vec![None; model.vars.len()];
    let values = Values { current: unknown.clone(), next: unknown };
    let found = Search::new(model, &problem, slots, values, budget).next(&mut None);
    found.map(|found| found.is_some())
}
