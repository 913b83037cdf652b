//! Formatting of numbers.

use trapline_engine::answer::Count;

/// With commas between groups of three digits.
pub fn grouped(number: impl Into<u128>) -> String {
    let digits = Count(number.into()).to_string();
    if digits.starts_with(|first: char| !first.is_ascii_digit()) {
        return digits;
    }
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 state`, `2 states`, `1,000 states`.
pub fn counted(number: impl Into<u128>, noun: &str) -> String {
    let number = number.into();
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number))
}

/// An amount of memory.
pub fn mebibytes(n_bytes: u64) -> String {
    format!("{} MiB", grouped(n_bytes >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let shown = [0u64, 999, 1000, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!([counted(1u64, "state"), counted(2u64, "state")], ["1 state", "2 states"]);
    }
}
