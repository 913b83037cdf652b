//! Formatting of numbers.

use trapline_engine::answer::Count;
use trapline_source::numbers;

/// With commas between groups of three digits; a very large number is rounded.
pub fn grouped(number: impl Into<u128>) -> String {
    let number = number.into();
    let shown = Count(number).to_string();
    match shown.starts_with(|first: char| first.is_ascii_digit()) {
        true => numbers::grouped(number),
        false => shown,
    }
}

/// `1 state`, `2 states`, `1,000 states`.
pub fn counted(number: impl Into<u128>, noun: &str) -> String {
    let number = number.into();
    format!("{} {}", grouped(number), numbers::plural(number, noun))
}

/// `2 tests`, `2 tests with 1 branch`.
pub fn counted_tests(n_tests: usize, n_paths: usize) -> String {
    match n_paths.saturating_sub(n_tests) {
        0 => counted(n_tests as u64, "test"),
        n_branches => {
            let branches = counted(n_branches as u64, "branch");
            format!("{} with {branches}", counted(n_tests as u64, "test"))
        }
    }
}

/// An amount of memory.
pub fn mebibytes(n_bytes: u64) -> String {
    format!("{} MiB", grouped(n_bytes >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_rounded() {
        assert_eq!(counted(1_000u64, "state"), "1,000 states");
        assert!(counted(u128::MAX, "state").starts_with("more than"));
    }
}
