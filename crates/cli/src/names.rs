//! Names that the user may have meant.

/// How many names are suggested.
const MAX_SUGGESTIONS: usize = 3;

/// The names nearest to a wrong one, the nearest first.
pub fn close<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let max = (wrong.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> =
        names.map(|name| (distance(wrong, name), name)).filter(|(d, _)| *d <= max).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Edit distance (Levenshtein), upper and lower case being the same.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, l) in left.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != *r);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::close;

    #[test]
    fn the_nearest_name_comes_first() {
        let names = ["Pressures", "Pressure", "Reset"];
        assert_eq!(close("Presure", names.into_iter()), ["Pressure", "Pressures"]);
        assert_eq!(close("zzz", names.into_iter()), [""; 0]);
    }
}
