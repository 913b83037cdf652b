//! Numbers in sentences: the one place that knows how nouns get their plural.

/// With commas between groups of three digits.
pub fn grouped(number: impl TryInto<u128>) -> String {
    // Nothing that is counted is negative.
    let digits = number.try_into().unwrap_or_default().to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 state`, `2 states`, `1,000 properties`.
pub fn counted(number: impl TryInto<u128>, noun: &str) -> String {
    let number = number.try_into().unwrap_or_default();
    format!("{} {}", grouped(number), plural(number, noun))
}

/// The noun as it stands behind a number.
pub fn plural(number: u128, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if number == 1 => noun.into(),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let shown = [0u64, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
    }

    #[test]
    fn only_one_is_singular() {
        let states = [0u8, 1, 2].map(|number| counted(number, "state"));
        assert_eq!(states, ["0 states", "1 state", "2 states"]);
        let others = [counted(1, "property"), counted(2, "property"), counted(2, "way")];
        assert_eq!(others, ["1 property", "2 properties", "2 ways"]);
    }
}
