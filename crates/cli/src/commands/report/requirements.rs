//! The requirements of a page: each once, with the goals of all parts that are there for it.

use std::collections::HashMap;

use trapline_report::page::Requirement;
use trapline_source::requirement::ids_at;

use super::page::place;
use crate::goal_args::Prepared;

/// The requirements that the model names, in textual order. If some are selected, only these: the
/// goals of the others were not derived.
pub fn requirements(prepared: &Prepared, wanted: &[String]) -> Vec<Requirement> {
    let mut list: Vec<Requirement> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let is_wanted = |id: &String| wanted.is_empty() || wanted.contains(id);
    for named in prepared.loaded.requirements.iter().filter(|named| is_wanted(&named.id)) {
        let idx = *places.entry(&named.id).or_insert(list.len());
        if idx == list.len() {
            let at = place(&prepared.loaded, named.place);
            list.push(Requirement {
                id: named.id.clone(),
                file: at.map_or(0, |at| at.file),
                line: at.map_or(1, |at| at.line),
                ..Requirement::default()
            });
        }
        // The first text counts: it need not be repeated everywhere.
        if list[idx].text.is_empty() {
            list[idx].text = named.text.clone();
        }
    }
    for (goal_idx, goal) in prepared.set.goals.iter().enumerate() {
        for id in ids_at(&prepared.loaded.requirements, goal.span.start) {
            if let Some(&idx) = places.get(id) {
                list[idx].goals.push(goal_idx);
            }
        }
    }
    list
}
