//! What commands did, as text, and how two such texts differ.

use std::fmt::Write;

use crate::process::Outcome;

/// How much of a text around a difference is shown.
const CONTEXT: usize = 3;

/// Of longer outputs only the beginning is shown.
const MAX_SHOWN: usize = 16_000;

/// Texts of more lines than this are compared only by what they begin and end with.
const MAX_COMPARED: usize = 3000;

/// A command and what it did.
pub fn show(line: &str, outcome: &Outcome) -> String {
    let mut text = format!("$ {line}\n");
    match outcome.exit {
        Some(exit) => writeln!(text, "exit {exit}").expect("memory takes it"),
        None => text += "ended by a signal\n",
    }
    text += &section("stdout", &outcome.stdout);
    text += &section("stderr", &without_times(&outcome.stderr));
    text
}

/// How an engine counts its work may change without anybody's noticing.
pub fn without_work(text: &str) -> String {
    let hide = |line: &str| {
        let (before, count) = line.split_once("\"work\": ")?;
        let after = count.trim_start_matches(|c: char| c.is_ascii_digit());
        (after.len() < count.len()).then(|| format!("{before}\"work\": [work]{after}"))
    };
    text.split_inclusive('\n').map(|line| hide(line).unwrap_or_else(|| line.into())).collect()
}

/// How long something took is different each time: `0.02 s)` at the end of a line is hidden.
pub fn without_times(text: &str) -> String {
    let hide = |line: &str| {
        let rest = line.strip_suffix(" s)\n")?;
        let before = rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        (before.len() < rest.len()).then(|| format!("{before}[time])\n"))
    };
    text.split_inclusive('\n').map(|line| hide(line).unwrap_or_else(|| line.into())).collect()
}

/// A named part, unless it is empty.
pub fn section(name: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    let end = if content.ends_with('\n') { "" } else { "\n[no newline at the end]\n" };
    // Expectations are text; what git or an editor would change is written out.
    let content = without_work(&shorten(content)).replace('\r', "\\r").replace('\0', "\\0");
    format!("--- {name}\n{content}{end}")
}

/// Long texts by their beginning, their size and their hash, so that no large file is in git.
fn shorten(content: &str) -> String {
    if content.len() <= MAX_SHOWN {
        return content.into();
    }
    let lines = content.split_inclusive('\n').take(10).map(|line| {
        let line: Vec<char> = line.chars().collect();
        match line.len() > 200 {
            true => format!("{}[...]\n", line[..200].iter().collect::<String>()),
            false => line.iter().collect(),
        }
    });
    let beginning: String = lines.collect();
    // FNV-1a: small, and the same everywhere.
    let hash = content.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{beginning}[... {} bytes in all, hash {hash:016x}]\n", content.len())
}

/// Says what differs, if anything does.
pub fn compare(expected: &str, actual: &str) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    Err(format!("- expected, + actual\n{}", diff(expected, actual)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Keep,
    Remove,
    Add,
}

/// The lines that differ, with some lines around them.
pub fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let changes = changes(&old, &new);
    let is_near = |idx: usize| {
        let near = idx.saturating_sub(CONTEXT)..changes.len().min(idx + CONTEXT + 1);
        changes[near].iter().any(|(change, _)| *change != Change::Keep)
    };
    let mut text = String::new();
    let mut is_gap = false;
    for (idx, (change, line)) in changes.iter().enumerate() {
        if !is_near(idx) {
            if !is_gap {
                text += "  ...\n";
            }
            is_gap = true;
            continue;
        }
        is_gap = false;
        let mark = match change {
            Change::Keep => ' ',
            Change::Remove => '-',
            Change::Add => '+',
        };
        let end = if line.ends_with('\n') { "" } else { " [no newline at the end]\n" };
        write!(text, "{mark} {line}{end}").expect("memory takes it");
    }
    text
}

/// A shortest list of changes: by longest common subsequence, after what is the same at both
/// ends.
fn changes<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Change, &'t str)> {
    let n_first = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[n_first..], &new[n_first..]);
    let n_last =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - n_last];
    let new_middle = &new_rest[..new_rest.len() - n_last];
    let mut changes: Vec<_> = old[..n_first].iter().map(|line| (Change::Keep, *line)).collect();
    changes.extend(middle_changes(old_middle, new_middle));
    changes.extend(old[old.len() - n_last..].iter().map(|line| (Change::Keep, *line)));
    changes
}

fn middle_changes<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<(Change, &'t str)> {
    if old.len().max(new.len()) > MAX_COMPARED {
        let removed = old.iter().map(|line| (Change::Remove, *line));
        return removed.chain(new.iter().map(|line| (Change::Add, *line))).collect();
    }
    // common[i][j] is the length for old[i..] and new[j..].
    let mut common = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut changes = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            changes.push((Change::Keep, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            changes.push((Change::Remove, old[i]));
            i += 1;
        } else {
            changes.push((Change::Add, new[j]));
            j += 1;
        }
    }
    changes
}
