//! What a heading says.

use trapline_model::PropertyKind;

use super::{Head, Piece};
use crate::scr::syntax::{TableKind, VariableKind};

/// Words that say nothing by themselves.
const FILLERS: &[&str] =
    &["for", "of", "the", "by", "class", "in", "on", "over", "transition", "transitions", "table"];

/// `TABLE name MODE`, `TABLE name EVENT CLASS modes` and the like: what such a heading means.
pub fn table_head(heading: Piece<'_>) -> Option<Head<'_>> {
    let words = words(heading);
    let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
    let kind = match *texts.get(2)? {
        "MODE" => TableKind::Mode,
        "EVENT" => TableKind::Event,
        "CONDITION" => TableKind::Condition,
        _ => return None,
    };
    let class = match texts[3..] {
        [] => None,
        ["CLASS", _] => Some(words[4]),
        _ => return None,
    };
    (texts[0] == "TABLE").then_some(Head::Table(kind, words[1], class))
}

/// What a heading for people means, if it is one of a specification. Its words may be of any case.
pub fn meaning(heading: Piece<'_>) -> Option<Head<'_>> {
    if let Some(head) = table_head(heading) {
        return Some(head);
    }
    let words = words(heading);
    let lower: Vec<String> = (0..words.len()).map(|idx| lower_case(heading, &words, idx)).collect();
    let has = |word: &str| lower.iter().any(|known| known == word);
    if has("table") {
        return table(heading, &words, &lower);
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

/// A word in lower case. A name in backticks stays as it is, and so that no word has such a sign.
fn lower_case(heading: Piece<'_>, words: &[Piece<'_>], idx: usize) -> String {
    let word = words[idx];
    let start = (word.at - heading.at) as usize;
    let is_name = heading.text[..start].ends_with('`');
    if is_name { format!("`{}`", word.text) } else { word.text.to_lowercase() }
}

/// `Event table: name (modes)`: behind a colon stands the name, and last the mode class; elsewhere names
/// are what says nothing else.
fn table<'t>(heading: Piece<'t>, words: &[Piece<'t>], lower: &[String]) -> Option<Head<'t>> {
    let colon = heading.text.find(':').map(|position| heading.at + position as u32);
    let is_behind = |idx: usize| colon.is_some_and(|colon| words[idx].at > colon);
    let first = (0..words.len()).find(|&idx| is_behind(idx));
    let is_name = |idx: usize| first == Some(idx) || is_behind(idx) && idx + 1 == words.len();
    let mut kind = None;
    let mut names = Vec::new();
    for (idx, word) in words.iter().enumerate() {
        let known = match lower[idx].as_str() {
            _ if is_name(idx) => None,
            "mode" => Some(TableKind::Mode),
            "event" => Some(TableKind::Event),
            "condition" => Some(TableKind::Condition),
            _ => None,
        };
        match known {
            // `mode class M`
            Some(TableKind::Mode) if lower.get(idx + 1).is_some_and(|next| next == "class") => {}
            Some(_) if kind.is_none() && !is_behind(idx) => kind = known,
            Some(TableKind::Mode) if is_behind(idx) && !is_name(idx) => {}
            _ if !is_name(idx) && FILLERS.contains(&lower[idx].as_str()) => {}
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
