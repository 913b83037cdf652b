//! The requirements of a page: each once, with the goals of all parts that are there for it.

use std::collections::HashMap;

use trapline_report::page::Requirement;
use trapline_source::requirement::ids_at;

use super::page::place;
use crate::goal_args::Prepared;

/// The requirements that the model names, in the order of the text.
pub fn requirements(prepared: &Prepared) -> Vec<Requirement> {
    let mut list: Vec<Requirement> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for named in &prepared.loaded.requirements {
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
        // The first that says something counts: it need not be repeated everywhere.
        if list[idx].text.is_empty() {
            list[idx].text = named.text.clone();
        }
    }
    for (goal_idx, goal) in prepared.set.goals.iter().enumerate() {
        for id in ids_at(&prepared.loaded.requirements, goal.span.start) {
            list[places[id]].goals.push(goal_idx);
        }
    }
    list
}
