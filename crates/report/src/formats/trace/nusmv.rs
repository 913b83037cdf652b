//! Traces as NuSMV writes them with `show_traces -p 4`, and reads them with `read_trace`.
//!
//! A node is a state with its definitions, and the inputs and definitions of the step that leaves it. The last state
//! of a lasso is the one where the loop starts, once more. `read_trace` wants one trace a file.

use trapline_model::{Define, Model, Reads, Value, Var, VarKind, notation};
use trapline_suite::defines::Defines;

use super::{Titled, Traces};

/// Writes one trace.
pub fn write(traces: &Traces<'_>, titled: &Titled<'_>) -> String {
    let (model, trace) = (traces.model, titled.trace);
    let defines = Defines::new(model);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let title = escaped(&titled.title);
    text += &format!("<counter-example type=\"0\" id=\"1\" desc=\"{title}\" >\n");
    // The last state of a lasso needs no step: it is where the loop starts.
    let states = (0..trace.states.len()).chain(trace.loop_start);
    let n_nodes = trace.states.len() + usize::from(trace.loop_start.is_some());
    for (node, idx) in states.enumerate() {
        let is_last = node + 1 == n_nodes;
        let of_defines = defines.values(trace, idx);
        let vars = model.vars.iter().zip(&trace.states[idx].values);
        let vars = vars.map(|(var, value)| (var_section(var), var.name.as_str(), *value));
        let shown = model.defines.iter().zip(&of_defines);
        let shown = shown.map(|(it, value)| (define_section(model, it), it.name.as_str(), *value));
        let all: Vec<(Section, &str, Option<Value>)> = vars.chain(shown).collect();
        let of = |section: Section| {
            let meant = all.iter().filter(move |(of, ..)| *of == section);
            meant.filter_map(|(_, name, value)| Some((*name, (*value)?)))
        };
        text += "\t<node>\n";
        add_section(&mut text, model, ("state", node + 1), of(Section::State));
        // The last node of a lasso is a state that others follow, but here none does.
        if !is_last {
            add_section(&mut text, model, ("combinatorial", node + 2), of(Section::Combinatorial));
            add_section(&mut text, model, ("input", node + 2), of(Section::Input));
        }
        text += "\t</node>\n";
    }
    let start = trace.loop_start.map_or(String::new(), |start| format!("{} ", start + 1));
    text += &format!("\t<loops> {start}</loops>\n</counter-example>\n");
    text
}

/// Where something stands in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    State,
    Combinatorial,
    Input,
}

fn var_section(var: &Var) -> Section {
    if var.kind == VarKind::Input { Section::Input } else { Section::State }
}

/// NuSMV refuses a definition that stands elsewhere.
fn define_section(model: &Model, define: &Define) -> Section {
    let reads = model.exprs.info(define.body.expr).reads;
    match (reads.any(Reads::STEP), reads.any(Reads::STATE.and(Reads::NEXT))) {
        (false, _) => Section::State,
        (true, true) => Section::Combinatorial,
        (true, false) => Section::Input,
    }
}

/// A part of a node, unless it is empty.
fn add_section<'m>(
    text: &mut String,
    model: &Model,
    (name, id): (&str, usize),
    values: impl Iterator<Item = (&'m str, Value)>,
) {
    let mut values = values.peekable();
    if values.peek().is_none() && name != "state" {
        return;
    }
    *text += &format!("\t\t<{name} id=\"{id}\">\n");
    for (variable, value) in values {
        let (variable, value) = (escaped(variable), escaped(&notation::value(model, value)));
        *text += &format!("\t\t\t<value variable=\"{variable}\">{value}</value>\n");
    }
    *text += &format!("\t\t</{name}>\n");
}

/// A text in XML. Characters that XML can't have at all become blanks.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&apos;",
            '\n' | '\t' | '\r' => safe += &format!("&#{};", u32::from(c)),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
