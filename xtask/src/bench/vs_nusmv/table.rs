//! The comparison as Markdown: a row for each model, and totals.

use std::fmt::Write;

use super::compare::{Measured, Row};

/// Models that take NuSMV longer than this are large.
const LARGE: f64 = 0.5;

/// What we want to be faster by on small models.
const TWICE: f64 = 2.0;

/// The table's head.
pub const HEAD: &str = "\
| model | NuSMV s | NuSMV -coi -dynamic s | ours s | ratio | NuSMV MiB | ours MiB | ratio |\n\
|---|--:|--:|--:|--:|--:|--:|--:|";

/// All lines and what they come to; nothing for no models.
pub fn whole(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = rows.iter().map(line).collect();
    format!("{HEAD}\n{}\n{}", lines.join("\n"), totals(rows))
}

/// A model's line.
pub fn line(row: &Row) -> String {
    let [first, second] = &row.theirs;
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {:.1} |",
        row.name,
        seconds(first),
        seconds(second),
        seconds(&row.ours),
        ratio(row),
        mebibytes(row.best()),
        mebibytes(&row.ours),
        row.memory_ratio()
    )
}

/// Seconds with as many digits as mean something; `>` marks that they were not enough.
pub fn seconds(measured: &Measured) -> String {
    match measured {
        Measured { undecided: Some(_), seconds, .. } => format!(">{seconds:.0}"),
        Measured { seconds, .. } if *seconds < 1.0 => format!("{seconds:.3}"),
        Measured { seconds, .. } => format!("{seconds:.2}"),
    }
}

/// Memory in units of 1,048,576 bytes.
pub fn mebibytes(measured: &Measured) -> String {
    format!("{:.1}", measured.peak as f64 / f64::from(1 << 20))
}

/// How many times as fast as NuSMV we are, at least or at most where somebody did not end.
pub fn ratio(row: &Row) -> String {
    let mark = match (&row.best().undecided, &row.ours.undecided) {
        (Some(_), Some(_)) => return "-".into(),
        (Some(_), None) => ">",
        (None, Some(_)) => "<",
        (None, None) => "",
    };
    format!("{mark}{:.2}", row.ratio())
}

/// What all models come to, as text.
pub fn totals(rows: &[Row]) -> String {
    let mut text = String::new();
    let (decided, open): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_decided());
    let (large, small): (Vec<&Row>, Vec<&Row>) =
        decided.iter().partition(|row| row.best().seconds > LARGE);
    large_models(&mut text, &large);
    small_models(&mut text, &small);
    if !open.is_empty() {
        let _ = writeln!(
            text,
            "\nNobody decides these {} models in time, they count as nothing:\n",
            open.len()
        );
        list(&mut text, &open);
    }
    for row in decided {
        let [first, second] = &row.theirs;
        for (who, measured) in
            [("NuSMV", first), ("NuSMV -coi -dynamic", second), ("we", &row.ours)]
        {
            if let Some(why) = measured.undecided.as_ref().filter(|why| *why != "out of time") {
                let _ = writeln!(text, "\n{}: {who}: {why}", row.name);
            }
        }
    }
    text
}

/// The large ones count by their time.
fn large_models(text: &mut String, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let theirs: f64 = rows.iter().map(|row| row.best().seconds).sum();
    let ours: f64 = rows.iter().map(|row| row.ours.seconds).sum();
    let _ = writeln!(
        text,
        "\n{} models take NuSMV more than {LARGE} s: {theirs:.1} s together at its best, ours \
         {ours:.1} s, ratio {:.2}.",
        rows.len(),
        theirs / ours
    );
    let slower: Vec<&Row> = rows.iter().copied().filter(|row| row.ratio() < 1.0).collect();
    if !slower.is_empty() {
        let _ = writeln!(text, "We are slower on {}:\n", slower.len());
        list(text, &slower);
    }
}

/// The small ones count one by one.
fn small_models(text: &mut String, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let logarithms: f64 = rows.iter().map(|row| row.ratio().ln()).sum();
    let (fast, slow): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.ratio() >= TWICE);
    let _ = writeln!(
        text,
        "\n{} models take NuSMV less: on {} of them we are at least twice as fast, the geometric \
         mean of the ratios is {:.2}.",
        rows.len(),
        fast.len(),
        (logarithms / rows.len() as f64).exp()
    );
    if !slow.is_empty() {
        let _ = writeln!(text, "The others:\n");
        list(text, &slow);
    }
}

fn list(text: &mut String, rows: &[&Row]) {
    for row in rows {
        let _ = writeln!(
            text,
            "- {}: NuSMV {} s, ours {} s, ratio {}",
            row.name,
            seconds(row.best()),
            seconds(&row.ours),
            ratio(row)
        );
    }
}
