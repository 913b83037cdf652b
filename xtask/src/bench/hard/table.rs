//! The results as Markdown: a row for each model, and totals.

use std::fmt::Write;

use super::contest::{Contestant, Performance, Row};

/// Auto should not take more than this many times the time of the best engine.
const NEAR: f64 = 1.5;

/// What takes fewer seconds than this is fast enough.
const SHORT: f64 = 0.1;

/// How auto compares with the best engine that decides as many properties.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Standing {
    /// No single engine decides as many.
    Alone,
    /// How many times as long auto takes.
    Ratio(f64),
    /// An engine decides more.
    Fewer(&'static str),
}

/// The table's head.
pub fn head(contestants: &[Contestant]) -> String {
    let names: Vec<&str> = contestants.iter().map(|contestant| contestant.name()).collect();
    let lines = "--:|".repeat(names.len() + 2);
    format!("| model | properties | {} | auto / best |\n|---|{lines}", names.join(" | "))
}

/// A model's line: how many properties each decides, and the seconds.
pub fn line(contestants: &[Contestant], row: &Row) -> String {
    let cells: Vec<String> = row.performances.iter().map(cell).collect();
    let standing = match standing(contestants, row) {
        None => String::new(),
        Some(Standing::Alone) => "-".into(),
        Some(Standing::Ratio(ratio)) => format!("{ratio:.2}"),
        Some(Standing::Fewer(name)) => format!("fewer than {name}"),
    };
    format!("| {} | {} | {} | {standing} |", row.name, row.n_properties, cells.join(" | "))
}

fn cell(performance: &Performance) -> String {
    let mark = if performance.trouble.is_some() { "!" } else { "" };
    format!("{mark}{}/{:.2}", performance.n_decided(), performance.seconds)
}

/// The whole table and what it comes to.
pub fn whole(contestants: &[Contestant], rows: &[Row]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| line(contestants, row)).collect();
    let (head, totals) = (head(contestants), totals(contestants, rows));
    format!("{head}\n{}\n\n{totals}", lines.join("\n"))
}

/// What all models come to.
pub fn totals(contestants: &[Contestant], rows: &[Row]) -> String {
    let n_properties: usize = rows.iter().map(|row| row.n_properties).sum();
    let mut text = format!(
        "| of {} models | properties decided, of {n_properties} | models fully decided | seconds \
         |\n|---|--:|--:|--:|\n",
        rows.len()
    );
    for (idx, contestant) in contestants.iter().enumerate() {
        let done = || rows.iter().map(move |row| (row, &row.performances[idx]));
        let n_decided: usize = done().map(|(_, done)| done.n_decided()).sum();
        let n_full = done().filter(|(row, done)| done.n_decided() == row.n_properties).count();
        let seconds: f64 = done().map(|(_, done)| done.seconds).sum();
        let _ = writeln!(text, "| {} | {n_decided} | {n_full} | {seconds:.1} |", contestant.name());
    }
    let standings: Vec<bool> = rows.iter().filter_map(|row| is_near(contestants, row)).collect();
    if !standings.is_empty() {
        let n_near = standings.iter().filter(|is_near| **is_near).count();
        let _ = writeln!(
            text,
            "\nauto decides as much as the best engine in at most {NEAR} times its time, or in \
             {SHORT} s, on {n_near} of {} models.",
            standings.len()
        );
    }
    troubles(&mut text, contestants, rows);
    text
}

/// What should never happen, and differences.
fn troubles(text: &mut String, contestants: &[Contestant], rows: &[Row]) {
    for row in rows {
        for (contestant, performance) in contestants.iter().zip(&row.performances) {
            if let Some(trouble) = &performance.trouble {
                let _ = writeln!(text, "\nTROUBLE {}: {} {trouble}", row.name, contestant.name());
            }
        }
        for difference in &row.differences {
            let _ = writeln!(text, "\nDIFFERENT {}: {difference}", row.name);
        }
    }
}

fn is_near(contestants: &[Contestant], row: &Row) -> Option<bool> {
    let auto = contestants.iter().position(|contestant| contestant.is_auto())?;
    Some(match standing(contestants, row)? {
        Standing::Alone => true,
        Standing::Ratio(ratio) => ratio <= NEAR || row.performances[auto].seconds < SHORT,
        Standing::Fewer(_) => false,
    })
}

/// Nothing if auto or all single engines are missing.
fn standing(contestants: &[Contestant], row: &Row) -> Option<Standing> {
    let done = || contestants.iter().zip(&row.performances);
    let (_, auto) = done().find(|(contestant, _)| contestant.is_auto())?;
    let singles = || done().filter(|(contestant, _)| contestant.is_single());
    let (most, n_most) = singles()
        .map(|(contestant, done)| (contestant.name(), done.n_decided()))
        .max_by_key(|(_, n_decided)| *n_decided)?;
    if n_most > auto.n_decided() {
        return Some(Standing::Fewer(most));
    }
    let equal = singles().filter(|(_, done)| done.n_decided() == auto.n_decided());
    let best = equal.map(|(_, done)| done.seconds).reduce(f64::min);
    Some(best.map_or(Standing::Alone, |best| Standing::Ratio(auto.seconds / best)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model with two properties, of which each contestant decides some in some time.
    fn row(done: &[(usize, f64)]) -> Row {
        let performances = done.iter().map(|(n_decided, seconds)| Performance {
            verdicts: (0..2).map(|idx| (idx < *n_decided).then(|| "true".into())).collect(),
            seconds: *seconds,
            trouble: None,
        });
        Row {
            name: "m".into(),
            n_properties: 2,
            performances: performances.collect(),
            differences: Vec::new(),
        }
    }

    #[test]
    fn auto_is_compared_with_the_engines_that_decide_as_much() {
        let names = ["explicit", "sat", "auto", "nusmv"];
        let contestants: Vec<Contestant> =
            names.iter().filter_map(|name| Contestant::named(name)).collect();
        let of = |done: [(usize, f64); 4]| standing(&contestants, &row(&done));
        let theirs = (2, 0.01);
        assert_eq!(of([(1, 0.1), (2, 2.0), (2, 3.0), theirs]), Some(Standing::Ratio(1.5)));
        assert_eq!(of([(1, 0.1), (2, 2.0), (1, 3.0), theirs]), Some(Standing::Fewer("sat")));
        assert_eq!(of([(1, 0.1), (0, 2.0), (2, 3.0), theirs]), Some(Standing::Alone));
    }
}
