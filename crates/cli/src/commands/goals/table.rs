//! Tables.

/// What is longer than this does not make its column wider.
const MAX_WIDTH: usize = 40;

/// The width of a column of texts that something follows.
pub fn width<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.map(|text| text.chars().count().min(MAX_WIDTH)).max().unwrap_or(0)
}

/// Aligned columns: the first to the left, the others to the right.
pub fn text(rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths = (0..n_columns).map(|column| width(cells(column).map(String::as_str)));
    let widths: Vec<usize> = widths.collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            line += &match column {
                0 => format!("{cell:width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_end_in_the_same_column() {
        let rows = [["criterion", "goals"], ["ufp", "1,000"], ["é", "7"]]
            .map(|row| row.map(String::from).to_vec());
        assert_eq!(super::text(&rows), "criterion  goals\nufp        1,000\né              7\n");
    }

    /// Padding all rows to its length would take memory as the square of what is shown.
    #[test]
    fn a_long_cell_does_not_widen_its_column() {
        let long = "x".repeat(100_000);
        let rows = [["test", "steps"], [&long, "1"], ["t", "2"]];
        let text = super::text(&rows.map(|row| row.map(String::from).to_vec()));
        let gap = " ".repeat(super::MAX_WIDTH);
        assert!(text.ends_with(&format!("\n{long}      1\nt{}      2\n", &gap[1..])), "{text}");
    }
}
