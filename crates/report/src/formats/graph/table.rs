//! Plain tables with columns of lists that wrap.

/// A table to write.
#[derive(Debug, Default)]
pub struct Table {
    /// The columns' names and the width at which lists wrap.
    pub columns: Vec<(&'static str, usize)>,
    /// The cells, each a list of items.
    pub rows: Vec<Vec<Vec<String>>>,
}

impl Table {
    /// Appends the table to a text, each line after some spaces.
    pub fn write(&self, out: &mut String) {
        let wrapped: Vec<Vec<Vec<String>>> =
            self.rows.iter().map(|row| self.wrap_row(row)).collect();
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(column, (name, _))| {
                let cells = wrapped.iter().flat_map(|row| &row[column]);
                cells.map(|line| line.chars().count()).fold(name.len(), usize::max)
            })
            .collect();
        line(out, &widths, self.columns.iter().map(|(name, _)| *name));
        for row in &wrapped {
            let n_lines = row.iter().map(Vec::len).max().unwrap_or(0);
            for idx in 0..n_lines {
                line(out, &widths, row.iter().map(|cell| cell.get(idx).map_or("", String::as_str)));
            }
        }
    }

    fn wrap_row(&self, row: &[Vec<String>]) -> Vec<Vec<String>> {
        row.iter().zip(&self.columns).map(|(items, &(_, width))| wrap(items, width)).collect()
    }
}

/// A list as lines that are not longer than `width` unless an item is.
fn wrap(items: &[String], width: usize) -> Vec<String> {
    if items.is_empty() {
        return vec!["-".into()];
    }
    let mut lines = Vec::new();
    let (mut line, mut line_width) = (String::new(), 0);
    for (idx, item) in items.iter().enumerate() {
        let comma = if idx + 1 < items.len() { "," } else { "" };
        let item_width = item.chars().count() + comma.len();
        if !line.is_empty() && line_width + 1 + item_width > width {
            lines.push(std::mem::take(&mut line));
            line_width = 0;
        }
        if !line.is_empty() {
            line.push(' ');
            line_width += 1;
        }
        line.push_str(item);
        line.push_str(comma);
        line_width += item_width;
    }
    lines.push(line);
    lines
}

fn line<'a>(out: &mut String, widths: &[usize], cells: impl Iterator<Item = &'a str>) {
    let mut text = String::new();
    for (cell, &width) in cells.zip(widths) {
        text.push_str(cell);
        // The blanks between columns, counted in characters.
        text.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
    }
    out.push_str(text.trim_end());
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_wrap_under_their_column() {
        let list = |items: &[&str]| items.iter().map(ToString::to_string).collect();
        let table = Table {
            columns: vec![("name", 80), ("reads", 8)],
            rows: vec![
                vec![list(&["ab"]), list(&["one", "two", "three"])],
                vec![list(&["b"]), list(&[])],
            ],
        };
        let mut out = String::new();
        table.write(&mut out);
        assert_eq!(out, "name  reads\nab    one,\n      two,\n      three\nb     -\n");
    }
}
