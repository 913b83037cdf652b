//! A run as text.

use trapline_engine::possible::{Output, Outputs};
use trapline_exec::choices::Choice;
use trapline_exec::result::{Deviation, TestResult, Verdict};
use trapline_exec::write::{self, as_outputs};
use trapline_model::Model;
use trapline_source::Span;
use trapline_suite::write::states::members;

use super::Found;
use crate::context::Context;
use crate::excerpt::one_line;
use crate::failure::Failure;
use crate::load::Loaded;
use crate::numbers::counted;
use crate::paint::{Paint, Style};
use crate::terminal;

/// At most so many lines of standard error are shown.
const MAX_STDERR: usize = 12;

/// At most so many places in the model are shown.
const MAX_PLACES: usize = 4;

/// Writes a line for each test, and below it what went otherwise than expected.
pub fn write(found: &Found, output: &mut terminal::Output) -> Result<(), Failure> {
    let paint = output.paint;
    let tests = &found.run.tests;
    let width = tests.iter().map(|(_, test)| test.name.chars().count()).max().unwrap_or(0);
    for (place, (_, test)) in tests.iter().enumerate() {
        output.write(&format!("{:width$}  {}\n", test.name, verdict(test, paint)))?;
        if let Some(deviation) = &test.deviation {
            output.write(&details(&found.prepared.loaded, test, deviation, paint))?;
            output.write(&hints(found, place))?;
        }
        if let Some((_, why)) = found.given_up.iter().find(|(given_up, _)| *given_up == place) {
            output.write(&format!("    no branch: {why}\n"))?;
        }
    }
    for name in &found.dropped {
        let word = paint.paint(Style::Bad, &format!("{:12}", "not run"));
        output.write(&format!("{name:width$}  {word}  the model does not allow this test\n"))?;
    }
    for choice in &found.choices {
        output.write(&choice_text(&found.prepared.loaded, choice, paint))?;
    }
    Ok(())
}

/// A choice of the model, and how often each of its values was seen.
fn choice_text(loaded: &Loaded, choice: &Choice, paint: Paint) -> String {
    let values = choice.values.iter().map(|&(value, n_seen)| {
        let value = loaded.model.show(value);
        match n_seen {
            0 => paint.paint(Style::Open, &format!("{value} never")),
            1 => format!("{value} once"),
            _ => format!("{value} {n_seen} times"),
        }
    });
    let values = values.collect::<Vec<_>>().join(", ");
    let at = choice.span.and_then(|span| place(loaded, choice.output, span, paint));
    let at = at.unwrap_or_else(|| choice.output.name(&loaded.model).into());
    format!("choice of {at}\n    {values}\n")
}

fn verdict(test: &TestResult, paint: Paint) -> String {
    let word = format!("{:12}", test.verdict.word());
    let style = match test.verdict {
        Verdict::Pass => Style::Good,
        Verdict::Fail | Verdict::Error => Style::Bad,
        Verdict::Inconclusive => Style::Open,
    };
    let branch: Vec<String> = test.branch.iter().map(usize::to_string).collect();
    let branch = match branch.as_slice() {
        [] => String::new(),
        numbers => format!(", branch {}", numbers.join("/")),
    };
    let what = match &test.deviation {
        None => format!("{}{branch}", counted(test.exchanges.len() as u64, "exchange")),
        Some(deviation) => {
            format!("exchange {}{branch}: {}", deviation.exchange, deviation.message)
        }
    };
    format!("{}  {what}{}", paint.paint(style, &word), runs(test))
}

/// How the executions of a test ended, if there were several.
fn runs(test: &TestResult) -> String {
    if test.counts.iter().sum::<usize>() < 2 {
        return String::new();
    }
    let counts = Verdict::ALL.iter().zip(test.counts).filter(|(_, count)| *count > 0);
    let counts: Vec<String> =
        counts.map(|(verdict, count)| format!("{count} {}", verdict.word())).collect();
    format!(" (executions: {})", counts.join(", "))
}

/// What a failure resembles; alike failures refer to the first.
fn hints(found: &Found, place: usize) -> String {
    let mut text = String::new();
    match found.hints.same_before(place) {
        Some(first) => {
            let name = &found.run.tests[first].1.name;
            add(&mut text, "resembles", &format!("the mutants that {name} resembles"));
        }
        None => add_hints(&mut text, found, place),
    }
    text
}

/// The mutants that a failure resembles, a line each.
pub fn add_hints(text: &mut String, found: &Found, place: usize) {
    for (idx, mutant) in found.hints.lines(place).iter().enumerate() {
        add(text, if idx == 0 { "resembles" } else { "or" }, mutant);
    }
}

/// What was sent, expected, seen and allowed, in colour where it differs; and where the model says so.
pub fn details(loaded: &Loaded, test: &TestResult, it: &Deviation, paint: Paint) -> String {
    let model = &loaded.model;
    let mut text = String::new();
    let exchange = test.exchanges.get(it.exchange);
    let inputs = exchange.map_or(&it.inputs, |exchange| &exchange.inputs);
    if exchange.is_some() || !inputs.is_empty() {
        let sent =
            if inputs.is_empty() { "nothing".into() } else { line(model, &as_outputs(inputs)) };
        add(&mut text, "sent", &sent);
    }
    let differs = |outputs: &Outputs, others: &Outputs| -> Outputs {
        // What is not shown does not differ: parameters are shown once.
        let is_other = |it: &&(Output, _)| {
            !others.contains(it) && others.iter().any(|(other, _)| *other == it.0)
        };
        let list: Outputs = outputs.iter().filter(is_other).copied().collect();
        if list.is_empty() { outputs.clone() } else { list }
    };
    if !it.expected.is_empty() {
        let expected = line(model, &differs(&it.expected, &it.observed));
        add(&mut text, "expected", &paint.paint(Style::Good, &expected));
    }
    if !it.observed.is_empty() {
        let against =
            if it.expected.is_empty() { it.allowed.concat() } else { it.expected.clone() };
        let observed = line(model, &differs(&it.observed, &against));
        add(&mut text, "seen", &paint.paint(Style::Bad, &observed));
    }
    for (idx, allowed) in it.allowed.iter().enumerate() {
        let word = if idx == 0 { "allowed" } else { "or" };
        add(&mut text, word, &line(model, &differs(allowed, &it.observed)));
    }
    if !it.allowed.is_empty() && !it.is_all_allowed {
        add(&mut text, "or", "...");
    }
    for place in places(loaded, it, paint) {
        add(&mut text, "model", &place);
    }
    let lines: Vec<&str> = test.stderr.lines().collect();
    for line in &lines[lines.len().saturating_sub(MAX_STDERR)..] {
        add(&mut text, "stderr", line);
    }
    text
}

/// The lines of the model that determine what should have been seen.
fn places(loaded: &Loaded, it: &Deviation, paint: Paint) -> Vec<String> {
    let shown = it.places.iter().take(MAX_PLACES);
    let shown = shown.filter_map(|it| place(loaded, it.output, it.span, paint));
    let mut lines: Vec<String> = shown.collect();
    if let Some(n_more) = it.places.len().checked_sub(MAX_PLACES).filter(|n_more| *n_more > 0) {
        lines.push(format!("and {}", counted(n_more as u64, "more place")));
    }
    lines
}

/// A line of the model that determines an output.
fn place(loaded: &Loaded, output: Output, span: Span, paint: Paint) -> Option<String> {
    let at = loaded.sources.location(span.start)?;
    let at = paint.paint(Style::Group, &format!("{}:{}", one_line(&at.path), at.line));
    let line = one_line(&write::first_line(&loaded.sources, span));
    Some(format!("{at}  {}: {line}", output.name(&loaded.model)))
}

fn add(text: &mut String, word: &str, what: &str) {
    text.push_str(&format!("    {word:9} {what}\n"));
}

/// Values in one line.
pub fn line(model: &Model, outputs: &Outputs) -> String {
    let members = members(model, outputs);
    let texts = members.iter().map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name} = {text}"),
        None => format!("{name} = {value}"),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// The last line.
pub fn tell(found: &Found, context: &Context) {
    let run = &found.run;
    let n_reached = found.reached.goals.iter().filter(|shown| shown.is_some()).count();
    let goals = match found.reached.goals.len() - found.n_infeasible {
        0 => String::new(),
        n_goals => format!("; {n_reached} of {} reached", counted(n_goals as u64, "goal")),
    };
    let is_whole = run.is_complete && found.dropped.is_empty();
    let cut = match is_whole {
        true => "",
        false if run.is_complete || found.is_fail_fast => "; not all tests were executed",
        false => "; not all tests were executed: a limit was reached",
    };
    // Goals are followed as long as the states are listed.
    let n_untracked = run.tests.iter().filter(|(_, test)| !test.explanations.is_whole).count();
    if n_untracked > 0 && !found.reached.goals.is_empty() {
        context.terminal.note(&format!(
            "the goals of {} are not counted: too many states explain what was seen",
            counted(n_untracked as u64, "test")
        ));
    }
    if !found.hints.is_empty() {
        context.terminal.note(
            "what a failure resembles is a mutant of the model that would show there: a hint where to \
             look, no diagnosis",
        );
    }
    let n_rounds = found.rounds.len() as u64;
    let rounds = match found.rounds.first() {
        None => String::new(),
        Some(first) => {
            format!(
                "; {} inconclusive at first, extended in {}",
                first.n_inconclusive,
                counted(n_rounds, "round")
            )
        }
    };
    context.terminal.summary(&format!(
        "{}: {} passed, {} failed, {} inconclusive, {}{rounds}{goals}{cut}",
        counted(run.tests.len() as u64, "test"),
        run.count(Verdict::Pass),
        run.count(Verdict::Fail),
        run.count(Verdict::Inconclusive),
        counted(run.count(Verdict::Error) as u64, "error"),
    ));
}
