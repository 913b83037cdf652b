//! Observers: modules from other texts that watch the model.

use trapline_source::{Diagnostic, Diagnostics, SourceFile};

use super::parser::{Merged, no_include};
use super::syntax::{BaseType, Code, Item, Name, Node, Op, Program, TypeExpr, VarKind};
use crate::Input;

/// Adds the modules of each observer, and makes the first of them a part of the main module, under
/// its own name. What its parameters are called is what it watches.
pub fn add(merged: &mut Merged, input: &Input<'_>, diagnostics: &mut Diagnostics) {
    for observer in input.observers {
        let first = merged.program.modules.len();
        let mut found = Diagnostics::new();
        for include in merged.add_modules(observer, &mut found) {
            found.push(no_include(include.span, "an observer"));
        }
        match merged.program.modules.len() > first {
            true => {
                found.list().iter().for_each(|diagnostic| diagnostics.push(diagnostic.clone()));
                add_instance(&mut merged.program, first, input);
            }
            false => diagnostics.push(no_module(observer)),
        }
    }
}

fn no_module(observer: &SourceFile) -> Diagnostic {
    let text = format!("`{}` holds no module", observer.path);
    let help = "an observer is a MODULE whose parameters are names of the main module";
    Diagnostic::error("no-observer", observer.span(), text).help(help)
}

fn add_instance(program: &mut Program, module_idx: usize, input: &Input<'_>) {
    let module = &program.modules[module_idx];
    let (module, params) = (module.name, module.params.clone());
    let args = params.iter().map(|param| name_code(program, *param)).collect();
    let base = BaseType::Instance { process: false, module, args };
    let ty = TypeExpr { dims: Vec::new(), base, span: module.span };
    let item = Item::Var { kind: VarKind::State, name: name_code(program, module), ty };
    let wanted = input.options.main.as_deref().unwrap_or("main");
    let main = program.modules.iter().position(|m| program.name(m.name.id) == wanted);
    if let Some(main) = main {
        program.modules[main].items.push(item);
    }
}

/// A name as an expression.
fn name_code(program: &mut Program, name: Name) -> Code {
    let start = program.nodes.len() as u32;
    program.nodes.push(Node { op: Op::Ident(name.id), span: name.span });
    Code { start, end: start + 1 }
}
