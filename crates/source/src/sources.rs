//! The loaded texts and the positions in them.

use std::sync::Arc;

/// A stretch of source text: global byte positions, the end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One loaded text; a clone of it shares the text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user gave it.
    pub path: String,
    /// The whole text.
    pub text: Arc<str>,
    /// The global position of the first byte.
    pub base: u32,
    line_starts: Arc<[u32]>,
}

/// A position for people: file, line and column, both from 1; the column counts characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The path of the file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// All texts together have grown beyond what a position can address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceTooLarge;

/// All loaded texts.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl SourceFile {
    fn new(path: &str, text: &str, base: u32) -> SourceFile {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(ends.map(|(idx, _)| idx as u32 + 1)).collect();
        SourceFile { path: path.into(), text: text.into(), base, line_starts }
    }

    /// A text that no user wrote: it stands behind all others, and no message points into it.
    pub fn built_in(path: &str, text: &str) -> SourceFile {
        SourceFile::new(path, text, u32::MAX - text.len() as u32 - 1)
    }

    /// A part of the text, at the same place.
    pub fn part(&self, range: std::ops::Range<usize>) -> SourceFile {
        SourceFile::new(&self.path, &self.text[range.clone()], self.base + range.start as u32)
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(self.base, self.base + self.text.len() as u32)
    }

    /// The line that holds a global position, from 0.
    pub fn line_index(&self, position: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= position - self.base).max(1) - 1
    }

    /// The text of a line, from 0, without its line end, and the global position where it starts.
    pub fn line(&self, line_idx: usize) -> (&str, u32) {
        let start = self.line_starts[line_idx] as usize;
        let end = self.line_starts.get(line_idx + 1).map_or(self.text.len(), |&e| e as usize);
        (self.text[start..end].trim_end_matches(['\n', '\r']), self.base + start as u32)
    }
}

impl Sources {
    /// No texts yet.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// The texts, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Adds a text and says where it begins.
    ///
    /// # Errors
    /// When the positions of all texts no longer fit 32 bits.
    pub fn add(&mut self, path: &str, text: &str) -> Result<&SourceFile, SourceTooLarge> {
        // One position between files keeps an empty span at a file's end inside that file.
        let base = self.files.last().map_or(0, |f| f.span().end as u64 + 1);
        if base + text.len() as u64 >= u32::MAX as u64 {
            return Err(SourceTooLarge);
        }
        self.files.push(SourceFile::new(path, text, base as u32));
        Ok(&self.files[self.files.len() - 1])
    }

    /// The file that holds a position.
    pub fn file_at(&self, position: u32) -> Option<&SourceFile> {
        let idx = self.files.partition_point(|f| f.base <= position);
        self.files.get(idx.checked_sub(1)?).filter(|f| position <= f.span().end)
    }

    /// The text of a span; empty when it lies in no file.
    pub fn text(&self, span: Span) -> &str {
        self.file_at(span.start)
            .and_then(|f| f.text.get((span.start - f.base) as usize..(span.end - f.base) as usize))
            .unwrap_or("")
    }

    /// The place of a position, for people.
    pub fn location(&self, position: u32) -> Option<Location> {
        let file = self.file_at(position)?;
        let line_idx = file.line_index(position);
        let (_, start) = file.line(line_idx);
        let before = &file.text[(start - file.base) as usize..(position - file.base) as usize];
        let column = before.chars().count() + 1;
        Some(Location { path: file.path.clone(), line: line_idx + 1, column })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_belongs_to_its_own_file() {
        let mut sources = Sources::new();
        sources.add("a", "one\ntwo").unwrap();
        let base = sources.add("b", "né\nx").unwrap().base;
        assert_eq!(sources.location(5).unwrap(), Location { path: "a".into(), line: 2, column: 2 });
        assert_eq!(sources.location(7).unwrap().path, "a");
        assert_eq!(
            sources.location(base + 4).unwrap(),
            Location { path: "b".into(), line: 2, column: 1 }
        );
        assert_eq!(sources.location(base + 3).unwrap().column, 3);
        assert_eq!(sources.text(Span::new(base, base + 3)), "né");
        assert_eq!(sources.location(base + 100), None);
    }
}
