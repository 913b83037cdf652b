//! What a heading says.

use trapline_model::PropertyKind;

use super::{Head, Piece};
use crate::scr::syntax::{TableKind, VariableKind};

/// Words that say nothing by themselves.
const FILLERS: &[&str] =
    &["for", "of", "the", "by", "class", "in", "on", "over", "transition", "transitions", "table"];

/// What a heading means, if it is one of a specification. Its words may be of any case; names in
/// backticks are no words.
pub fn meaning(heading: Piece<'_>) -> Option<Head<'_>> {
    let words = words(heading);
    let lower: Vec<String> = (0..words.len()).map(|idx| lower_case(heading, &words, idx)).collect();
    let has = |word: &str| lower.iter().any(|known| known == word);
    if has("table") {
        return table(&words, &lower);
    }
    Some(match lower.first()?.as_str() {
        "types" | "type" => Head::Types,
        "constants" | "constant" => Head::Constants,
        "monitored" => Head::Variables(VariableKind::Monitored),
        "controlled" => Head::Variables(VariableKind::Controlled),
        "terms" | "term" => Head::Variables(VariableKind::Term),
        "modeclass" | "modeclasses" => Head::Variables(VariableKind::ModeClass),
        "mode" if has("class") || has("classes") => Head::Variables(VariableKind::ModeClass),
        "nat" | "environment" | "environmental" | "assumptions" => Head::Assumptions,
        "assert" | "assertions" | "assertion" => Head::Properties(PropertyKind::Invar),
        "specification" if has("assertions") => Head::Properties(PropertyKind::Invar),
        "ctl" => Head::Properties(PropertyKind::Ctl),
        "ltl" => Head::Properties(PropertyKind::Ltl),
        "options" => Head::Options,
        _ => return None,
    })
}

/// A word in lower case. A name in backticks stays as it is, and so that no word has such a sign;
/// behind the keywords of the plain form stands a name as well.
fn lower_case(heading: Piece<'_>, words: &[Piece<'_>], idx: usize) -> String {
    let word = words[idx];
    let start = (word.at - heading.at) as usize;
    let is_keyword = |idx: usize, keyword: &str| words[idx].text == keyword;
    let is_name = heading.text[..start].ends_with('`')
        || idx > 0 && is_keyword(0, "TABLE") && (idx == 1 || is_keyword(idx - 1, "CLASS"));
    if is_name { format!("`{}`", word.text) } else { word.text.to_lowercase() }
}

fn table<'t>(words: &[Piece<'t>], lower: &[String]) -> Option<Head<'t>> {
    let mut kind = None;
    let mut names = Vec::new();
    for (idx, word) in words.iter().enumerate() {
        let known = match lower[idx].as_str() {
            "mode" => Some(TableKind::Mode),
            "event" => Some(TableKind::Event),
            "condition" => Some(TableKind::Condition),
            _ => None,
        };
        match known {
            // `mode class M`
            Some(TableKind::Mode) if lower.get(idx + 1).is_some_and(|next| next == "class") => {}
            Some(_) if kind.is_none() => kind = known,
            _ if FILLERS.contains(&lower[idx].as_str()) => {}
            _ => names.push(*word),
        }
    }
    match names[..] {
        [name] => Some(Head::Table(kind?, name, None)),
        [name, class] => Some(Head::Table(kind?, name, Some(class))),
        _ => None,
    }
}

fn words(heading: Piece<'_>) -> Vec<Piece<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for (position, c) in heading.text.char_indices().chain([(heading.text.len(), ' ')]) {
        match (is_part(c), start) {
            (true, None) => start = Some(position),
            (false, Some(first)) => {
                words.push(heading.part(first..position));
                start = None;
            }
            _ => {}
        }
    }
    words
}
