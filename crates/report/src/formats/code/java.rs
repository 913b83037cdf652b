//! Long tables in Java.
//!
//! A constant of Java holds 65,535 bytes, so a table is several constants. Most are text blocks of
//! whole lines; a line that is too long for one is cut into literals.

use minijinja::Error;
use minijinja::value::Value;

/// A constant is written in no more bytes than this. What stands in a class file is never longer:
/// every character that takes several bytes there is written as an escape that takes more.
const MAX_BYTES: usize = 60_000;

/// A part of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Chunk {
    /// Whole lines.
    Block(Vec<String>),
    /// A piece of a line; the last one ends it.
    Piece(String),
}

/// What `rows("java-table")` gives, as parts that Java takes: each has `lines`, or `piece`.
pub fn parts(rows: &Value) -> Result<Value, Error> {
    let mut list = Vec::new();
    for row in rows.try_iter()? {
        if list.is_empty() {
            list.push(line(&row, ["input_names", "output_names"])?);
        }
        list.push(line(&row, ["inputs", "outputs"])?);
    }
    let part = |part: Chunk| match part {
        Chunk::Block(lines) => Value::from_pairs([("lines", Value::from(lines))]),
        Chunk::Piece(text) => Value::from_pairs([("piece", Value::from(text))]),
    };
    Ok(cut(list).into_iter().map(part).collect())
}

/// Both halves of a row of the table.
fn line(row: &Value, halves: [&str; 2]) -> Result<String, Error> {
    let [given, expected] = halves.map(|name| row.get_attr(name));
    let halves = [given?.to_string(), expected?.to_string()];
    let halves: Vec<&str> = halves.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    Ok(halves.join(" | ").trim().to_string())
}

fn cut(lines: Vec<String>) -> Vec<Chunk> {
    let mut parts = Vec::new();
    let (mut block, mut n_bytes) = (Vec::new(), 0);
    for line in lines {
        let length = line.len() + 1;
        if n_bytes + length > MAX_BYTES && !block.is_empty() {
            parts.push(Chunk::Block(std::mem::take(&mut block)));
            n_bytes = 0;
        }
        if length > MAX_BYTES {
            parts.extend(pieces(&line).into_iter().map(Chunk::Piece));
        } else {
            n_bytes += length;
            block.push(line);
        }
    }
    parts.extend(Some(block).filter(|block| !block.is_empty()).map(Chunk::Block));
    parts
}

/// A line and its end, cut between characters.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut rest = line;
    while !rest.is_empty() {
        let (character, others) = rest.split_at(length(rest));
        match pieces.last_mut() {
            Some(piece) if piece.len() + character.len() < MAX_BYTES => *piece += character,
            _ => pieces.push(character.to_string()),
        }
        rest = others;
    }
    pieces.push("\\n".into());
    pieces
}

/// The number of bytes of the first character, which may be an escape.
fn length(text: &str) -> usize {
    let mut chars = text.chars();
    let length = match (chars.next(), chars.next()) {
        (Some('\\'), Some('u')) => 6,
        (Some('\\'), Some('0'..='7')) => 4,
        (Some('\\'), Some(_)) => 2,
        (first, _) => first.map_or(0, char::len_utf8),
    };
    // An escape of ours is whole.
    if text.is_char_boundary(length) { length } else { text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_share_a_block() {
        let lines = vec!["x".repeat(40_000), "y".repeat(10_000), "z".repeat(20_000)];
        let parts = cut(lines.clone());
        assert_eq!(parts, [Chunk::Block(lines[..2].to_vec()), Chunk::Block(lines[2..].to_vec())]);
    }

    #[test]
    fn a_long_line_is_cut_between_escapes() {
        let line = "\\u00e9\\\\\\000|a ".repeat(20_000);
        let parts = cut(vec!["a".into(), line.clone(), "b".into()]);
        let mut joined = String::new();
        for part in &parts[1..parts.len() - 1] {
            let Chunk::Piece(piece) = part else { panic!("{part:?}") };
            assert!(piece.len() <= MAX_BYTES);
            let mut rest = piece.as_str();
            while !rest.is_empty() {
                rest = &rest[length(rest)..];
            }
            joined += piece;
        }
        assert_eq!(joined, line + "\\n");
        assert_eq!(parts[0], Chunk::Block(vec!["a".into()]));
        assert_eq!(parts.last(), Some(&Chunk::Block(vec!["b".into()])));
    }
}
