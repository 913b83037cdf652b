//! Files that include each other, without a file system.

use std::cell::RefCell;

use trapline_lang::{Input, Loader, smv};
use trapline_source::{Diagnostics, SourceFile, Sources};

/// Texts by their names; one that is not there includes the one with the next number.
#[derive(Debug, Default)]
struct Texts {
    texts: Vec<(&'static str, &'static str)>,
    sources: RefCell<Sources>,
}

impl Loader for Texts {
    fn load(&self, path: &str, _: &SourceFile) -> Result<SourceFile, String> {
        let mut sources = self.sources.borrow_mut();
        if let Some(known) = sources.files().iter().find(|file| file.path == path) {
            return Ok(known.clone());
        }
        let text = match self.texts.iter().find(|(name, _)| *name == path) {
            Some((_, text)) => text.to_string(),
            None => {
                let number: usize = path.parse().map_err(|_| format!("no `{path}`"))?;
                format!("#include \"{}\"\nMODULE m{number}\n", number + 1)
            }
        };
        sources.add(path, &text).cloned().map_err(|_| "too large".into())
    }
}

/// The errors of a text that includes others, each with its file; then the modules.
fn read(text: &str, texts: &[(&'static str, &'static str)]) -> (Vec<String>, usize) {
    let loader = Texts { texts: texts.to_vec(), ..Texts::default() };
    let file = loader.sources.borrow_mut().add("main", text).expect("small").clone();
    let mut diagnostics = Diagnostics::new();
    let input = Input { loader: &loader, ..Input::new(&file) };
    let output = smv::read(&input, &mut diagnostics);
    let place = |start| loader.sources.borrow().location(start).map(|place| place.path);
    let errors = diagnostics.list().iter().map(|found| {
        format!("{}: {}", place(found.labels[0].span.start).unwrap_or_default(), found.message)
    });
    (errors.collect(), output.model.modules.len())
}

#[test]
fn a_file_is_read_once() {
    let texts = [
        ("a", "#include \"c\"\nMODULE a VAR c : c;"),
        ("b", "MODULE b VAR c : c;\n#include \"c\""),
        ("c", "MODULE c VAR x : boolean;"),
    ];
    let text = "#include \"a\"\n#include \"b\"\nMODULE main VAR a : a; b : b;";
    assert_eq!(read(text, &texts), (vec![], 4));
}

#[test]
fn every_circle_is_found() {
    // `b` and `c` include each other, and both were included before that is seen.
    let texts = [("b", "#include \"c\"\nMODULE b"), ("c", "#include \"b\"\nMODULE c")];
    let (errors, _) = read("#include \"c\"\n#include \"b\"\nMODULE main", &texts);
    assert_eq!(errors, ["b: `c` includes itself, through `b`"]);
    let (errors, _) = read("#include \"main\"\nMODULE main", &[]);
    assert_eq!(errors, ["main: `main` includes itself"]);
}

#[test]
fn files_are_included_up_to_a_depth() {
    let (errors, _) = read("#include \"1\"\nMODULE main", &[]);
    assert_eq!(errors, ["100: files include each other more than 100 deep"]);
}

#[test]
fn one_text_alone_includes_nothing() {
    let mut sources = Sources::new();
    let file = sources.add("main", "#include \"a\"\nMODULE main").expect("small");
    let mut diagnostics = Diagnostics::new();
    smv::read(&Input::new(file), &mut diagnostics);
    assert_eq!(diagnostics.list()[0].message, "can't read `a`: there are no further files here");
}
