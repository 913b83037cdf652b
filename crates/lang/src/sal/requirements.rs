//! Requirements in comments: `% @req R1, R2 what they say`.
//!
//! Behind a command or a definition such a comment is about that; alone it is about what comes next: a
//! declaration, a command or a definition.

use trapline_source::{Diagnostic, Diagnostics, Requirement, SourceFile, Span};

use super::syntax::{Base, Context, Definition, ModuleKind, Section};
use crate::requirement;

/// Finds the requirements of a text.
pub fn find(
    file: &SourceFile,
    context: &Context,
    diagnostics: &mut Diagnostics,
) -> Vec<Requirement> {
    let mut found = Vec::new();
    if !file.text.contains("@req") {
        return found;
    }
    let parts = parts(context);
    let mut start = file.base;
    for line in file.text.split_inclusive('\n') {
        let (begin, code) = (start, line.trim_end());
        start += line.len() as u32;
        let Some(at) = code.find('%') else { continue };
        let comment = code[at..].trim_start_matches('%').trim_start();
        let Some(body) = comment.strip_prefix("@req") else { continue };
        if !body.starts_with([' ', ':', '\t']) {
            continue;
        }
        let span = Span::new(begin + at as u32, begin + code.len() as u32);
        // Parts before it on its line, of which the largest is meant; otherwise what comes next.
        let own = parts.iter().filter(|part| begin <= part.start && part.end <= span.start);
        let next = parts.iter().find(|part| part.start >= span.end);
        let Some(about) = own.max_by_key(|part| part.end - part.start).or(next) else {
            let message = "nothing stands behind this requirement";
            diagnostics.push(Diagnostic::warning("bad-requirement", span, message));
            continue;
        };
        found.extend(requirement::read(body.trim(), *about, span, diagnostics));
    }
    found
}

/// What a requirement may be about, by where it begins; the larger first.
fn parts(context: &Context) -> Vec<Span> {
    let mut parts: Vec<Span> = context.decls.iter().map(|decl| decl.span).collect();
    for module in &context.modules {
        if let ModuleKind::Base(base) = &module.kind {
            add_base(base, &mut parts);
        }
    }
    parts.sort_by_key(|part| (part.start, u32::MAX - part.end));
    parts
}

fn add_base(base: &Base, parts: &mut Vec<Span>) {
    add_definitions(&base.definitions, parts);
    for section in [&base.initialization, &base.transition] {
        add_section(section, parts);
    }
}

fn add_section(section: &Section, parts: &mut Vec<Span>) {
    add_definitions(&section.definitions, parts);
    for command in section.commands.iter().flatten() {
        parts.push(command.span);
        add_definitions(&command.assignments, parts);
    }
}

fn add_definitions(definitions: &[Definition], parts: &mut Vec<Span>) {
    parts.extend(definitions.iter().map(|definition| match definition {
        Definition::Simple { span, .. } | Definition::Forall { span, .. } => *span,
    }));
}
