//! Names of sites, in ids and in descriptions.
//!
//! Ids are promised to stay (`docs/manual/goals.md` has their grammar), so they hold no words of a
//! language; sentences are in the language of the model.

use rustc_hash::FxHashMap;
use trapline_model::{
    AssignKind, ConstraintKind, ExprId, Guard, Model, Reach, Relation, Scope, Site, SiteGroup,
    SiteKind, SiteTarget,
};
use trapline_source::Span;

/// A site with its names.
#[derive(Clone, Debug)]
pub struct NamedSite {
    /// The site.
    pub site: Site,
    /// Its key in ids: `Overridden:2`.
    pub key: String,
    /// Its description: `branch 2 of next(Overridden)`.
    pub text: String,
    /// Its reach condition.
    pub reach: ExprId,
}

/// The names of an assignment, definition or constraint.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its key in ids: `Overridden`.
    pub key: String,
    /// Its description: `next(Overridden)`.
    pub text: String,
}

/// Names the sites of a model.
pub fn named_sites(model: &mut Model) -> Vec<NamedSite> {
    let mut counts: FxHashMap<(SiteTarget, &str), usize> = FxHashMap::default();
    let sites = model.sites.clone();
    let reaches = reaches(model);
    let always = model.exprs.bool(true);
    let mut places = Vec::with_capacity(sites.len());
    for site in sites {
        let Named { key, text } = named(model, site.target);
        let (short, long) = match site.kind {
            SiteKind::Branch { .. } => ("", "branch"),
            SiteKind::If { .. } => ("if", model.syntax.choice()),
            SiteKind::Boolean => ("value", "Boolean value"),
        };
        let reach = site.reach.map_or(always, |id| reaches[id.0 as usize]);
        if is_guard(model, &site) {
            places.push(NamedSite { site, key, text, reach });
            continue;
        }
        let number = counts.entry((site.target, short)).or_default();
        *number += 1;
        let key = format!("{key}:{short}{number}");
        let text = match site.kind {
            SiteKind::Boolean if *number == 1 => text,
            _ => format!("{long} {number} of {text}"),
        };
        places.push(NamedSite { site, key, text, reach });
    }
    places
}

/// True for a named alternative: a command or a row.
fn is_guard(model: &Model, site: &Site) -> bool {
    match site.kind {
        SiteKind::Branch { group, .. } => model.group(group).relation != Relation::Ordered,
        SiteKind::If { .. } | SiteKind::Boolean => false,
    }
}

/// The reach condition of each path, built once: paths to the branches of a `case` share most of
/// it.
fn reaches(model: &mut Model) -> Vec<ExprId> {
    let mut whole: Vec<ExprId> = Vec::with_capacity(model.reaches.len());
    for idx in 0..model.reaches.len() {
        let Reach { before, condition, holds } = model.reaches[idx];
        let part = model.exprs.literal(condition, holds);
        whole.push(match before {
            Some(before) => model.exprs.and(whole[before.0 as usize], part),
            None => part,
        });
    }
    whole
}

/// The names of a site's target.
pub fn named(model: &Model, target: SiteTarget) -> Named {
    match target {
        SiteTarget::Assign { assign_idx, part_idx, .. } => {
            let assign = &model.assigns[assign_idx as usize];
            let name = &model.var(assign.var).name;
            let text = model.syntax.target(assign.kind, name);
            let key = match assign.kind {
                AssignKind::Init => format!("{name}@init"),
                AssignKind::Next | AssignKind::Current => name.clone(),
            };
            // Several processes may assign the same variable.
            match part_idx {
                0 => Named { key, text },
                _ => {
                    let number = part_idx + 1;
                    let text = format!("{text}, assignment {number}");
                    Named { key: format!("{key}/{number}"), text }
                }
            }
        }
        SiteTarget::Define(id) => {
            let name = &model.define(id).name;
            Named { key: name.clone(), text: name.clone() }
        }
        SiteTarget::Constraint(idx) => {
            let kind = model.constraints[idx as usize].kind;
            let before = model.constraints[..idx as usize].iter().filter(|c| c.kind == kind);
            let number = before.count() + 1;
            let key = match kind {
                ConstraintKind::Init => "init",
                ConstraintKind::Invar => "invar",
                ConstraintKind::Trans => "trans",
            };
            let word = model.syntax.constraint(kind);
            Named { key: format!("{key}.{number}"), text: format!("{word} {number}") }
        }
        SiteTarget::Guard(id, idx) => alternative(model.group(id), idx as usize),
        SiteTarget::Given(id, idx, given) => {
            let group = model.group(id);
            let Named { key, text } = alternative(group, idx as usize);
            let given = group.alternatives[idx as usize].gives[given as usize];
            let name = &model.var(given.var).name;
            let text = format!("{} in {text}", model.syntax.target(group.assigns(), name));
            Named { key: format!("{key}:{name}"), text }
        }
    }
}

/// The names of an alternative.
fn alternative(group: &SiteGroup, idx: usize) -> Named {
    let (name, label) = (&group.name, group.label(idx));
    // Cells are numbered by row and column, unless a row has only one.
    let word = match group.relation {
        Relation::Exclusive if !label.contains('.') => "row",
        relation => relation_word(relation),
    };
    let is_rest = matches!(group.alternatives[idx].guard, Guard::Else(..));
    let text = match is_rest && group.relation == Relation::Exclusive && group.has_frame() {
        true => format!("no change of {name}"),
        false => format!("{word} {label} of {name}"),
    };
    Named { key: format!("{name}.{label}"), text }
}

/// The word for the alternatives of a group.
pub fn relation_word(relation: Relation) -> &'static str {
    match relation {
        Relation::Ordered => "branch",
        Relation::Exclusive => "cell",
        Relation::Free => "command",
    }
}

/// True if a span is inside a module.
pub fn is_inside(span: Span, module: Span) -> bool {
    module.start <= span.start && span.end <= module.end
}

/// The scope in words.
pub fn when(scope: Scope) -> &'static str {
    match scope {
        Scope::Init => " in an initial state",
        Scope::State | Scope::Step => "",
    }
}
