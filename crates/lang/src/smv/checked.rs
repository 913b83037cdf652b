//! A model of another language in SMV, with what must be like its author means as properties.

use trapline_model::check::{Check, Wanted};
use trapline_model::goal::Target;
use trapline_model::transform::Extension;
use trapline_model::{Clause, Formula, Model, PropertyKind, Role, Syntax};

use super::Smv;
use super::print;

/// The model with its checks as properties behind its own. Those of what must be reachable say that it
/// is not, so that the counterexample leads there.
pub fn with_checks(model: &Model, checks: &[Check]) -> Extension {
    let mut model = Extension::new(model.clone());
    for check in checks {
        let (Target::State(expr) | Target::Step(expr)) = check.target else { continue };
        let never = model.exprs.not(expr);
        let span = check.diagnostic.labels[0].span;
        let formula = Formula::Holds(Clause::unwritten(never, span));
        let kind = match check.wanted {
            Wanted::Never | Wanted::Sometime => PropertyKind::Invar,
            // A formula without temporal operators is about initial states.
            Wanted::NotAtFirst => PropertyKind::Ltl,
        };
        model.add_property(kind, Some(check.name.clone()), formula);
    }
    model
}

/// Its flat text, in names that SMV can read, with the roles of its variables, a comment for each of its own properties, and one for
/// each check with the verdict that is wanted.
pub fn flat_with_checks(model: &Model, checks: &[Check], mut comments: Vec<String>) -> String {
    let model = print::legal(model);
    let checked = with_checks(&model, checks);
    for check in checks {
        if let Target::State(_) | Target::Step(_) = check.target {
            let verdict = if check.wanted == Wanted::Sometime { "false" } else { "true" };
            comments.push(format!("{verdict}, unless {}", check.diagnostic.message));
        }
    }
    let text = print::flat_with_comments(&checked, &comments);
    // Pragmas belong to a module.
    let (head, body) = text.split_once('\n').unwrap_or((&text, ""));
    format!("{head}\n{}{body}", pragmas(&model))
}

/// The roles of the variables, which SMV has no words for.
fn pragmas(model: &Model) -> String {
    let line = |role: Role, name: &str| {
        let own = model.vars.iter().filter(|var| var.role == role).map(|var| var.name.as_str());
        let names: Vec<&str> = own.collect();
        match names.as_slice() {
            [] => String::new(),
            names => format!("{}\n", Smv.pragma(name, &names.join(" "))),
        }
    };
    [(Role::Input, "input"), (Role::Output, "output"), (Role::Internal, "internal")]
        .map(|(role, name)| line(role, name))
        .concat()
}
