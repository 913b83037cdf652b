//! The SAL language of SRI: contexts with types, functions and modules of guarded commands.

mod goal_file;
mod library;
mod lower;
mod notation;
mod parser;
pub mod print;
mod requirements;
mod scheme;
mod syntax;
mod token;

pub use goal_file::GOAL_FILE;
pub use notation::Sal;

use trapline_model::{Clause, Model, PropertyKind};
use trapline_source::{Diagnostic, Diagnostics, SourceFile};

use crate::{FileGoal, Input, Output};
use goal_file::{Entry, Tree};
use lower::{Asked, Job};
use syntax::{Context, ModuleId, Names, NodeId};

/// A goal with its expressions in the context.
#[derive(Debug)]
struct Goal {
    entry: Entry,
    /// By where they stand in the file; `None` for what is wrong.
    nodes: Vec<Option<NodeId>>,
}

/// Reads a context.
pub fn read(input: &Input<'_>, diagnostics: &mut Diagnostics) -> Output {
    let mut output = Output::new(&Sal);
    let mut names = Names::default();
    let Some(mut context) = parser::parse(input.file, &mut names, diagnostics) else {
        return output;
    };
    let mut asked: Vec<Asked> = Vec::new();
    for file in input.expressions {
        let node = parser::expression(file, &mut context, &mut names, diagnostics);
        asked.extend(node.map(|node| Asked { node, is_formula: false }));
    }
    let n_expressions = asked.len();
    let mut findings = Diagnostics::new();
    let goals = match input.goals {
        Some(file) => goals(file, &mut context, &mut names, &mut findings),
        None => Vec::new(),
    };
    let main = main_module(input, &mut context, &mut names, diagnostics);
    let mut observers = Vec::new();
    for file in input.observers {
        observers.extend(parser::parse(file, &mut names, diagnostics));
    }
    if diagnostics.has_errors() {
        return output;
    }
    output.requirements = requirements::find(input.file, &context, diagnostics);
    let claimed = goals.iter().flat_map(|goal| {
        let is_formula = goal.entry.claim.is_some_and(|claim| claim != PropertyKind::Invar);
        goal.nodes.iter().flatten().map(move |&node| Asked { node, is_formula })
    });
    asked.extend(claimed);
    let (file, loader) = (input.file, input.loader);
    let job = Job { context, names, asked, n_expressions, observers, main, file, loader };
    let mut lowered = lower::lower(job, diagnostics, &mut findings);
    let mut clauses = std::mem::take(&mut lowered.asked).into_iter();
    let expressions = clauses.by_ref().take(n_expressions);
    output.expressions = expressions.flatten().map(|clause| clause.expr).collect();
    for goal in goals {
        let own = goal.nodes.iter().map(|node| node.and_then(|_| clauses.next().flatten()));
        let own: Vec<Option<Clause>> = own.collect();
        let clause = combined(&mut lowered.model, &goal.entry.tree, &mut own.into_iter());
        let Entry { name, claim, .. } = goal.entry;
        output.goals.push(FileGoal { name, clause, claim });
    }
    output.goal_findings = findings;
    output.model = lowered.model;
    output
}

/// The goals of a file, their expressions as nodes of the context.
fn goals(
    file: &SourceFile,
    context: &mut Context,
    names: &mut Names,
    findings: &mut Diagnostics,
) -> Vec<Goal> {
    let mut goals = Vec::new();
    for entry in goal_file::entries(file, findings) {
        let mut nodes = Vec::new();
        let mut stack = vec![&entry.tree];
        while let Some(tree) = stack.pop() {
            match tree {
                Tree::Leaf(range) => {
                    let text = file.part(range.clone());
                    nodes.push(parser::expression(&text, context, names, findings));
                }
                Tree::All(parts) | Tree::Any(parts) => stack.extend(parts.iter().rev()),
            }
        }
        goals.push(Goal { entry, nodes });
    }
    goals
}

/// What the parts of a goal say together; nothing if one of them is wrong.
fn combined(
    model: &mut Model,
    tree: &Tree,
    leaves: &mut dyn Iterator<Item = Option<Clause>>,
) -> Option<Clause> {
    let (parts, is_all) = match tree {
        Tree::Leaf(_) => return leaves.next().flatten(),
        Tree::All(parts) => (parts, true),
        Tree::Any(parts) => (parts, false),
    };
    // All leaves are taken, even behind one that is wrong. Lists are nested no deeper than the reader
    // of the file allows.
    let mut clauses: Vec<Option<Clause>> = Vec::new();
    for part in parts {
        clauses.push(combined(model, part, leaves));
    }
    let clauses: Vec<Clause> = clauses.into_iter().collect::<Option<_>>()?;
    let span = clauses.first()?.span.to(clauses.last()?.span);
    let exprs = clauses.iter().map(|clause| clause.expr);
    let expr = if is_all { model.exprs.all(exprs) } else { model.exprs.any(exprs) };
    match clauses.as_slice() {
        [only] => Some(*only),
        _ => Some(Clause::unwritten(expr, span)),
    }
}

/// What `--main` names.
fn main_module(
    input: &Input<'_>,
    context: &mut Context,
    names: &mut Names,
    diagnostics: &mut Diagnostics,
) -> Option<ModuleId> {
    let text = input.options.main.as_deref()?;
    let file = SourceFile::built_in("--main", text);
    let mut found = Diagnostics::new();
    let module = parser::module(&file, context, names, &mut found);
    if let Some(wrong) = found.list().first() {
        let text = format!("`--main {text}` names no module: {}", wrong.message);
        let help = "name a module or a theorem of the context, as in `system`, `m[3]` or \
                    `bakery{5, 15}!system`";
        let span = context.name.span;
        diagnostics.push(Diagnostic::error("no-main-module", span, text).help(help));
        return None;
    }
    module
}
