//! What running tests shows of the goals that they reach, in words.

use crate::numbers::grouped;

/// How goals are shown: as suites write it, as headings of tables, and in a sentence.
const WORDS: [(&str, &str, &str); 3] = [
    ("outputs", "at outputs", "at the outputs"),
    ("inside", "only inside", "only inside"),
    ("unknown", "open", "not determined"),
];

/// The columns of a table that count goals by how they are shown, with their headings: none where all
/// are shown at the outputs, and that of the undetermined ones only if there are any.
pub fn columns<'w>(
    words: impl Iterator<Item = Option<&'w str>> + Clone,
) -> Vec<(&'static str, &'static str)> {
    let occurs = |word: &str| words.clone().any(|shown| shown == Some(word));
    if !occurs("inside") && !occurs("unknown") {
        return Vec::new();
    }
    let columns = WORDS.iter().map(|(word, heading, _)| (*word, *heading));
    columns.filter(|(word, _)| *word != "unknown" || occurs(word)).collect()
}

/// How many goals are shown at the outputs and otherwise, if not all of them are: ` (...)`.
pub fn remark<'w>(words: impl Iterator<Item = Option<&'w str>> + Clone) -> String {
    let count = |word: &str| words.clone().filter(|shown| *shown == Some(word)).count();
    if count("inside") + count("unknown") == 0 {
        return String::new();
    }
    let parts = WORDS.iter().map(|(word, _, text)| (count(word), *word, text));
    let parts = parts.filter(|(count, word, _)| *count > 0 || *word == "outputs");
    let parts: Vec<String> =
        parts.map(|(count, _, text)| format!("{} {text}", grouped(count as u64))).collect();
    format!(" ({})", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_where_all_is_shown() {
        let words = [Some("outputs"), None];
        assert_eq!(remark(words.into_iter()), "");
        assert_eq!(columns(words.into_iter()), Vec::new());
    }

    #[test]
    fn each_kind_is_counted_apart() {
        let words = [Some("inside"), None, Some("inside"), Some("unknown")];
        let text = " (0 at the outputs, 2 only inside, 1 not determined)";
        assert_eq!(remark(words.into_iter()), text);
        assert_eq!(columns(words.into_iter()).len(), 3);
        assert_eq!(columns(words[..2].iter().copied()).len(), 2);
    }
}
