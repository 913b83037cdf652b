//! What variables and definitions are called in value change dumps.

use rustc_hash::FxHashSet;
use trapline_model::{Model, Type, name};

/// The scopes and the name of each variable, then of each definition; `None` for what never has a value.
/// Names that differ in what a dump can't hold get numbers.
pub fn paths(model: &Model) -> Vec<Option<Vec<String>>> {
    let vars = model.vars.iter().map(|var| (&var.name, var.domain.ty()));
    let defines = model.defines.iter();
    let defines = defines.map(|define| (&define.name, model.exprs.ty(define.body.expr)));
    let mut taken: FxHashSet<Vec<String>> = FxHashSet::default();
    let mut path = |(name, ty): (&String, Type)| {
        if matches!(ty, Type::Set(_) | Type::Temporal | Type::Never) {
            return None;
        }
        let mut path: Vec<String> = name::path(name).map(identifier).collect();
        let own = path.len() - 1;
        let plain = path[own].clone();
        let mut number = 1;
        while !taken.insert(path.clone()) {
            number += 1;
            path[own] = format!("{plain}_{number}");
        }
        Some(path)
    };
    vars.chain(defines).map(&mut path).collect()
}

/// A name without what separates names, for a dump is a sequence of words.
fn identifier(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_graphic() { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    if name.is_empty() { "_".into() } else { name }
}
