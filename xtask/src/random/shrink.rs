//! Shrinks a model while NuSMV and we still differ on it.
//!
//! Removes lines, then replaces parenthesised expressions and branches of a `case` by smaller texts.
//! A candidate that either tool rejects, or on which both agree, is discarded.

use super::compare::{Comparison, Difference, Judges, compare};

/// At most so many questions to NuSMV.
const MAX_TRIES: usize = 1500;

/// What stands for an expression of unknown type.
const SMALL: &[&str] = &["TRUE", "FALSE", "0", "1"];

/// What joins parts that might do alone.
const SEPARATORS: &str = "& | xor xnor -> <-> = != < <= > >= + - * / mod ? : ; , union in ! U V S T \
                          case esac AG AF EF EG AX EX G F X Y Z H O";

/// Shrinks a model that has this difference.
///
/// # Errors
/// When NuSMV can't be run.
pub fn shrink(
    judges: &Judges,
    name: &str,
    comparison: Comparison,
    difference: &Difference,
) -> Result<Comparison, String> {
    let mut best = comparison;
    let mut n_tries = 0;
    let mut has_shrunk = true;
    while has_shrunk {
        has_shrunk = false;
        let mut list = candidates(&best.text);
        let mut idx = 0;
        while let Some(text) = list.get(idx) {
            n_tries += 1;
            if n_tries > MAX_TRIES {
                return Ok(best);
            }
            let comparison = compare(judges, name, text)?;
            if comparison.has(difference) {
                // What was tried in vain before is tried again only when all else is done.
                list = candidates(&comparison.text);
                best = comparison;
                has_shrunk = true;
            } else {
                idx += 1;
            }
        }
    }
    Ok(best)
}

/// Smaller texts, those without whole lines first.
fn candidates(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut candidates = Vec::new();
    for size in [8, 4, 2, 1] {
        for start in (0..lines.len()).step_by(size) {
            let end = (start + size).min(lines.len());
            let rest = [&lines[..start], &lines[end..]].concat();
            if !rest.is_empty() {
                candidates.push(rest.join("\n") + "\n");
            }
        }
    }
    for (idx, line) in lines.iter().enumerate() {
        for shorter in shorter_lines(line) {
            let mut lines = lines.clone();
            lines[idx] = &shorter;
            candidates.push(lines.join("\n") + "\n");
        }
    }
    candidates.retain(|candidate| candidate.len() < text.len());
    candidates
}

/// The line with one group replaced by a part of it or by a constant.
fn shorter_lines(line: &str) -> Vec<String> {
    let mut shorter = Vec::new();
    for (start, end) in groups(line) {
        let inner = &line[start + 1..end - 1];
        let mut replacements: Vec<String> = parts(inner);
        replacements.extend(SMALL.iter().map(|small| (*small).to_string()));
        for replacement in replacements {
            if replacement.len() < end - start {
                shorter.push([&line[..start], &replacement, &line[end..]].concat());
            }
        }
    }
    if let Some((left, right)) = line.split_once(":=") {
        let values = parts(right.trim_end_matches(';'));
        shorter.extend(values.iter().map(|value| format!("{left}:= {value};")));
    }
    shorter.sort_by_key(String::len);
    shorter
}

/// Where parentheses and the `case`s around them stand, outermost first.
fn groups(line: &str) -> Vec<(usize, usize)> {
    let mut stack = Vec::new();
    let mut groups = Vec::new();
    for (idx, byte) in line.bytes().enumerate() {
        match byte {
            b'(' => stack.push(idx),
            b')' => groups.extend(stack.pop().map(|start| (start, idx + 1))),
            _ => {}
        }
    }
    groups.sort_by_key(|(start, end)| start.wrapping_sub(*end));
    groups
}

/// What stands between the outermost operators of a text.
fn parts(text: &str) -> Vec<String> {
    let mut parts = vec![text.trim().to_string()];
    let mut depth = 0i32;
    let mut part = String::new();
    for word in text.replace(';', " ; ").replace(',', " , ").split_whitespace() {
        let is_separator = SEPARATORS.split(' ').any(|separator| separator == word);
        if depth == 0 && is_separator {
            parts.push(std::mem::take(&mut part));
            continue;
        }
        depth += i32::try_from(word.matches(['(', '{', '[']).count()).unwrap_or(0);
        depth -= i32::try_from(word.matches([')', '}', ']']).count()).unwrap_or(0);
        part.push_str(if part.is_empty() { "" } else { " " });
        part.push_str(word);
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_from_the_outside_in() {
        assert_eq!(groups("a (b (c) d) (e)"), [(2, 11), (5, 8), (12, 15)]);
    }

    #[test]
    fn parts_are_what_operators_join() {
        assert_eq!(parts("(a & b) -> c"), ["(a & b) -> c", "(a & b)", "c"]);
        assert_eq!(parts("case a : 1; TRUE : (2); esac")[1..], ["a", "1", "TRUE", "(2)"]);
    }

    #[test]
    fn candidates_are_shorter() {
        let text = "VAR x : boolean;\nINIT (x & (TRUE));\n";
        let candidates = candidates(text);
        assert!(candidates.contains(&"VAR x : boolean;\nINIT x;\n".to_string()), "{candidates:?}");
        assert!(candidates.iter().all(|candidate| candidate.len() < text.len()));
    }
}
