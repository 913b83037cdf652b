//! What can't be completed, in words.

use trapline_engine::{Exhausted, Why};
use trapline_model::replay::Rule;
use trapline_model::{Model, VarId};
use trapline_source::Span;

use super::Impossible;

impl Impossible {
    /// The state where it shows; for a step, the one after it.
    pub fn state(&self) -> usize {
        match *self {
            Impossible::Forbidden { state, .. }
            | Impossible::Undetermined { state, .. }
            | Impossible::TooOpen { state, .. }
            | Impossible::Unbounded { state, .. }
            | Impossible::TooHard { state, .. }
            | Impossible::Define { state, .. } => state,
        }
    }

    /// What is wrong, in one line without the state.
    pub fn message(&self, model: &Model) -> String {
        let name = |var: &VarId| model.var(*var).name.as_str();
        match self {
            Impossible::Forbidden { rules, kept, .. } => {
                let kept: Vec<String> = kept.iter().map(|var| format!("`{}`", name(var))).collect();
                let kept = match kept.is_empty() {
                    true => String::new(),
                    false => format!(" (not given, so kept: {})", kept.join(", ")),
                };
                forbidden(model, rules) + &kept
            }
            Impossible::Undetermined { var, values: [one, other], .. } => {
                let (one, other) = (model.show(*one), model.show(*other));
                format!("`{}` is missing, and could be {one} or {other}", name(var))
            }
            Impossible::TooOpen { var, values: [one, other], .. } => {
                let (one, other) = (model.show(*one), model.show(*other));
                let var = name(var);
                format!("too many values are missing: `{var}` could be {one} or {other}, say")
            }
            Impossible::Unbounded { var, .. } => {
                format!("`{}` is missing, and could be any of infinitely many values", name(var))
            }
            Impossible::TooHard { exhausted: Exhausted::Work | Exhausted::Depth, .. } => {
                "it takes too much work to find the values that are missing".into()
            }
            Impossible::TooHard { exhausted, .. } => {
                format!("{} before the values that are missing were found", Why::from(*exhausted))
            }
            Impossible::Define { define, given, actual, .. } => {
                let (define, given) = (&model.define(*define).name, model.show(*given));
                match actual {
                    Some(actual) => format!("`{define}` is {}, not {given}", model.show(*actual)),
                    None => format!("`{define}` has no value here, but {given} is given"),
                }
            }
        }
    }

    /// The spans of the rules that forbid it.
    pub fn spans(&self, model: &Model) -> Vec<Span> {
        let span = |rule: &Rule| match *rule {
            Rule::Assign(idx) => Some(model.assigns[idx].parts[0].body.span),
            Rule::Constraint(idx) => Some(model.constraints[idx].body.span),
            Rule::Missing(var) | Rule::Domain(var) | Rule::Frozen(var) => Some(model.var(var).span),
            Rule::Failure { span, .. } => Some(span),
            Rule::Shape => None,
        };
        match self {
            Impossible::Forbidden { rules, .. } => rules.iter().filter_map(span).collect(),
            _ => Vec::new(),
        }
    }
}

fn forbidden(model: &Model, rules: &[Rule]) -> String {
    let name = |var: VarId| model.var(var).name.as_str();
    match *rules {
        [Rule::Shape] => "the test has no states, or its loop leads nowhere".into(),
        [Rule::Missing(var)] => format!("`{}` has no value", name(var)),
        [Rule::Domain(var)] => format!("`{}` has a value outside its type", name(var)),
        [Rule::Frozen(var)] => format!("`{}` is frozen and changes", name(var)),
        [Rule::Failure { .. }] => "an expression of the model has no value here".into(),
        [ref rule] => format!("{} forbids it", rule_name(model, rule)),
        _ => {
            let names: Vec<String> = rules.iter().map(|rule| rule_name(model, rule)).collect();
            format!("these can't hold together: {}", names.join(", "))
        }
    }
}

fn rule_name(model: &Model, rule: &Rule) -> String {
    match *rule {
        Rule::Assign(idx) => {
            let assign = &model.assigns[idx];
            let name = &model.var(assign.var).name;
            format!("the assignment of `{}`", model.syntax.target(assign.kind, name))
        }
        Rule::Constraint(idx) => {
            format!("a constraint `{}`", model.syntax.constraint(model.constraints[idx].kind))
        }
        _ => "the model".into(),
    }
}
