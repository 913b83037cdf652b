//! `mutation`: every mutant killed. Those that are no models give no goals; `trapline mutants` shows
//! them.

use rustc_hash::FxHashMap;
use trapline_engine::impossible::{Question, impossible};

use super::Criterion;
use crate::builder::Builder;
use crate::defined::Defined;
use crate::goal::GoalKind;
use crate::mutate::group::{Function, OVERLAP_WORK};
use crate::mutate::kill::Meaning;
use crate::mutate::status::drop_invalid;
use crate::mutate::{Mutant, Mutants, OPERATORS, Part, SubjectKind, mutants};
use crate::visibility::{Fault, Visibility};

/// Every mutant killed.
pub const CRITERION: Criterion = Criterion {
    name: "mutation",
    about: "every mutant killed; mutation:stuck-at and the like for one operator",
    add,
};

fn add(builder: &mut Builder<'_>) {
    let mut found = mutants(builder, &operators(&builder.criterion));
    if builder.is_cut() {
        found.list.clear();
    }
    drop_invalid(&builder.model, &mut found);
    drop_environment(builder, &mut found);
    add_goals(builder, &found);
    builder.mutants.push(found);
}

/// The operators that a name stands for: `mutation` is all usual ones, `mutation:x` one.
pub fn operators(name: &str) -> Vec<usize> {
    let wanted = name.split_once(':').map(|(_, name)| name);
    let is_meant = |idx: &usize| match wanted {
        Some(name) => OPERATORS[*idx].name == name,
        None => OPERATORS[*idx].is_usual,
    };
    (0..OPERATORS.len()).filter(is_meant).collect()
}

/// Drops the mutants of the environment, if mutants must show at the outputs.
pub fn drop_environment(builder: &Builder<'_>, found: &mut Mutants) {
    if builder.options.visibility != Visibility::Reflect {
        let Mutants { subjects, list } = found;
        list.retain(|mutant| !subjects[mutant.subject].is_environment(&builder.model));
    }
}

/// Adds one goal per mutant.
pub fn add_goals(builder: &mut Builder<'_>, found: &Mutants) {
    let criterion = std::mem::take(&mut builder.criterion);
    let mut defined = Defined::default();
    let mut functions = Vec::new();
    for (mutant, mut text) in found.list.iter().zip(texts(builder, found)) {
        // Each creates expressions of its own.
        if builder.is_cut() {
            break;
        }
        let subject = &found.subjects[mutant.subject];
        if let Some(caveat) = &subject.caveat {
            text += &format!("; visibility is not promised: {caveat}");
        }
        let occurrence = builder.model.occurrences.get(mutant.place);
        let operator = OPERATORS[mutant.operator].name;
        let mut meaning = Meaning { model: &mut builder.model, defined: &mut defined };
        let mut target = meaning.kill(subject, mutant);
        let is_behaviour = !matches!(subject.kind, SubjectKind::Property(_));
        if builder.options.visibility == Visibility::Duplicate && is_behaviour {
            let change = mutant.change(subject, &mut builder.model);
            if let Some(function) = mutant.function(subject, &mut builder.model) {
                functions.push((builder.faults.len(), function));
            }
            builder.faults.push(Fault { when: target, change, is_lasting: true });
            target = GoalKind::Fault(builder.faults.len() - 1);
        }
        builder.criterion = format!("mutation:{operator}");
        let key = format!("{}:{}", subject.named.key, mutant.number);
        builder.add_exactly(&key, text, occurrence.span, target);
    }
    builder.criterion = criterion;
    use_functions(builder, functions);
}

/// A table whose rows exclude each other after a mutation gives one value: then the fault is easier to
/// follow.
fn use_functions(builder: &mut Builder<'_>, functions: Vec<(usize, Function)>) {
    if functions.is_empty() {
        return;
    }
    let questions: Vec<Question> = functions.iter().map(|(_, of)| of.question()).collect();
    let answers = impossible(&builder.model, &questions, &builder.aside(OVERLAP_WORK));
    for ((fault, function), excludes) in functions.into_iter().zip(answers) {
        if excludes {
            builder.faults[fault].change = function.change();
        }
    }
}

/// The descriptions of mutants. Where a description fits several changes, they are numbered.
fn texts(builder: &Builder<'_>, found: &Mutants) -> Vec<String> {
    let mut texts: Vec<String> =
        found.list.iter().map(|mutant| text(builder, found, mutant)).collect();
    let mut counts: FxHashMap<(usize, String), (usize, usize)> = FxHashMap::default();
    for (mutant, text) in found.list.iter().zip(&texts) {
        counts.entry((mutant.operator, text.clone())).or_default().0 += 1;
    }
    for (mutant, text) in found.list.iter().zip(&mut texts) {
        if let Some((n_all, number)) = counts.get_mut(&(mutant.operator, text.clone()))
            && *n_all > 1
        {
            *number += 1;
            *text += &format!(", place {number} of {n_all}");
        }
    }
    texts
}

fn text(builder: &Builder<'_>, found: &Mutants, mutant: &Mutant) -> String {
    let subject = &found.subjects[mutant.subject];
    let is_formula = matches!(subject.kind, SubjectKind::Formula(_));
    let place = match mutant.part {
        _ if matches!(subject.kind, SubjectKind::Group(..)) => String::new(),
        Part::Whole | Part::Given(..) => String::new(),
        Part::Guard(_) if is_formula => "the guard of ".into(),
        Part::Value(_) if is_formula => "the value of ".into(),
        Part::Guard(idx) => format!("the guard of expounded branch {} of ", idx + 1),
        Part::Value(idx) => format!("the value of expounded branch {} of ", idx + 1),
    };
    let old = builder.show(builder.model.occurrences.get(mutant.place).expr);
    let new = builder.show(mutant.new);
    format!("{old} becomes {new} in {place}{}", subject.named.text)
}
