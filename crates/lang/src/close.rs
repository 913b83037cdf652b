//! Which of the known names somebody meant who wrote another one.

/// The known name that a typing error most likely meant.
pub fn closest<'n>(text: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Any one-letter name is close to any other.
    if text.len() > 64 || text.len() < 2 {
        return None;
    }
    let limit = (text.chars().count() / 3).max(1);
    known
        .filter(|name| name.len() <= 64 && *name != text)
        .map(|name| (distance(text, name), name))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, name)| (distance, name.len()))
        .map(|(_, name)| name)
}

/// The edit distance, where a change of case is cheap, and so are two letters in the wrong order.
fn distance(left: &str, right: &str) -> usize {
    if left.eq_ignore_ascii_case(right) {
        return 1;
    }
    let [left, right]: [Vec<char>; 2] = [left, right].map(|text| text.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for i in 0..left.len() {
        let mut next = vec![i + 1];
        for j in 0..right.len() {
            let replaced = row[j] + usize::from(left[i] != right[j]);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_typing_error_is_one_letter_or_two_in_the_wrong_order() {
        let close = |text| closest(text, ["True", "False", "Flood", "t"].into_iter());
        assert_eq!(close("Flase"), Some("False"));
        assert_eq!(close("true"), Some("True"));
        assert_eq!(close("Tru"), Some("True"));
        assert_eq!(close("Floof"), Some("Flood"));
        assert_eq!(close("Lost"), None);
    }
}
