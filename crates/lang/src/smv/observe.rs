//! Observers: modules from other texts that watch the model.
//!
//! Texts stand one after the other in [`trapline_source::Sources`], with one position between
//! them. So the model and its observers, joined by line ends, are one text in which every place
//! is right, and the parser need not know of it.

use trapline_source::{Diagnostic, Diagnostics, SourceFile};

use super::syntax::{BaseType, Code, Item, Name, Node, Op, Program, TypeExpr, VarKind};
use crate::Input;

/// The model and its observers as one text.
pub fn whole_text(input: &Input<'_>) -> SourceFile {
    input.observers.iter().fold(input.file.clone(), |whole, observer| whole.followed_by(observer))
}

/// Makes the first module of each observer a part of the main module, under its own name. What
/// its parameters are called is what it watches.
pub fn add_instances(program: &mut Program, input: &Input<'_>, diagnostics: &mut Diagnostics) {
    let wanted = input.options.main.as_deref().unwrap_or("main");
    for observer in input.observers {
        let span = observer.span();
        let is_inside = |name: &Name| span.start <= name.span.start && name.span.end <= span.end;
        let Some(idx) = program.modules.iter().position(|module| is_inside(&module.name)) else {
            let text = format!("`{}` holds no module", observer.path);
            let help = "an observer is a MODULE whose parameters are names of the main module";
            diagnostics.push(Diagnostic::error("no-observer", span, text).help(help));
            continue;
        };
        let (module, params) = (program.modules[idx].name, program.modules[idx].params.clone());
        let args = params.iter().map(|param| name_code(program, *param)).collect();
        let base = BaseType::Instance { process: false, module, args };
        let ty = TypeExpr { dims: Vec::new(), base, span: module.span };
        let item = Item::Var { kind: VarKind::State, name: name_code(program, module), ty };
        let main = program.modules.iter().position(|m| program.name(m.name.id) == wanted);
        if let Some(main) = main {
            program.modules[main].items.push(item);
        }
    }
}

/// A name as an expression.
fn name_code(program: &mut Program, name: Name) -> Code {
    let start = program.nodes.len() as u32;
    program.nodes.push(Node { op: Op::Ident(name.id), span: name.span });
    Code { start, end: start + 1 }
}
