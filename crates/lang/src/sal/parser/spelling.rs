//! Words that may be misspelt keywords.

use crate::sal::token::{KEYWORDS, Token};

/// No keyword is longer than this and a few letters.
const LONGEST: usize = 20;

/// The keyword that a word is nearly, with its usual spelling.
pub fn nearly(word: &str) -> Option<(&'static str, Token)> {
    if word.len() < 3 || word.len() > LONGEST || !word.is_ascii() {
        return None;
    }
    let word = word.to_ascii_uppercase();
    let distances = KEYWORDS.iter().filter_map(|&(keyword, token)| {
        let allowed = match keyword.len() {
            0..3 => 0,
            3..=5 => 1,
            _ => 2,
        };
        if word.len().abs_diff(keyword.len()) > allowed {
            return None;
        }
        let distance = distance(word.as_bytes(), keyword.as_bytes());
        (distance <= allowed && token != Token::Reserved).then_some((distance, keyword, token))
    });
    distances.min_by_key(|(distance, ..)| *distance).map(|(_, keyword, token)| (keyword, token))
}

/// How many letters must be added, left away, replaced or exchanged with the next one.
fn distance(left: &[u8], right: &[u8]) -> usize {
    let width = right.len() + 1;
    let mut rows = vec![0; (left.len() + 1) * width];
    for row in 0..=left.len() {
        for column in 0..width {
            rows[row * width + column] = if row == 0 || column == 0 {
                row + column
            } else {
                let at = |up: usize, back: usize| rows[(row - up) * width + column - back];
                let is_other = left[row - 1] != right[column - 1];
                let least = (at(1, 0) + 1).min(at(0, 1) + 1).min(at(1, 1) + usize::from(is_other));
                let is_exchanged = row > 1
                    && column > 1
                    && left[row - 1] == right[column - 2]
                    && left[row - 2] == right[column - 1];
                if is_exchanged { least.min(at(2, 2) + 1) } else { least }
            };
        }
    }
    rows[rows.len() - 1]
}
