//! Files that the text of a model includes: further lists of modules.
//!
//! A depth-first search that reads each file once. The files that are open are those on the way to the
//! line that is read now, so a file that includes itself, through whatever others, is one of them.

use trapline_source::{Diagnostic, Diagnostics, SourceFile};

use super::parser::{Include, Merged};
use crate::Input;

/// So many lines of all files together may include one.
const MAX_INCLUDES: usize = 1_000;
/// So deep may files include each other.
const MAX_DEPTH: usize = 100;

/// A file of which some lines are still to be read.
struct Open {
    file: SourceFile,
    rest: std::vec::IntoIter<Include>,
}

/// Adds the modules of the model and of the files that it includes; gives all of these files.
pub fn add(
    merged: &mut Merged,
    input: &Input<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut enter = |file: SourceFile, files: &mut Vec<SourceFile>, found: &mut Diagnostics| {
        files.push(file.clone());
        Open { rest: merged.add_modules(&file, found).into_iter(), file }
    };
    open.push(enter(input.file.clone(), &mut files, diagnostics));
    let mut n_includes = 0;
    while let Some(last) = open.last_mut() {
        let Some(include) = last.rest.next() else {
            open.pop();
            continue;
        };
        n_includes += 1;
        match load(&include, &open, n_includes, input) {
            Ok(file) if files.iter().any(|known| known.base == file.base) => {}
            Ok(file) => {
                let file = enter(file, &mut files, diagnostics);
                open.push(file);
            }
            Err(problem) => {
                diagnostics.push(Diagnostic::error("bad-include", include.span, problem));
                if n_includes > MAX_INCLUDES {
                    break;
                }
            }
        }
    }
    files
}

/// The file that a line of the innermost open file names.
fn load(
    include: &Include,
    open: &[Open],
    n_includes: usize,
    input: &Input<'_>,
) -> Result<SourceFile, String> {
    if n_includes > MAX_INCLUDES {
        return Err(format!("more than {MAX_INCLUDES} lines include a file"));
    }
    if open.len() > MAX_DEPTH {
        return Err(format!("files include each other more than {MAX_DEPTH} deep"));
    }
    let file = input.loader.load(&include.path, &open[open.len() - 1].file)?;
    let start = open.iter().position(|above| above.file.base == file.base);
    match start.map(|start| &open[start..]) {
        None => Ok(file),
        Some([_]) => Err(format!("`{}` includes itself", file.path)),
        Some(circle) => {
            let paths: Vec<&str> = circle.iter().skip(1).map(|above| &*above.file.path).collect();
            Err(format!("`{}` includes itself, through `{}`", file.path, paths.join("`, `")))
        }
    }
}
