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

/// The edit distance, where a change of case is cheap.
fn distance(left: &str, right: &str) -> usize {
    if left.eq_ignore_ascii_case(right) {
        return 1;
    }
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
