//! ARCHITECTURE.md names only what exists: files, and modules of the crates.

use std::path::Path;

use super::read;

const PAGE: &str = "ARCHITECTURE.md";

/// Names on the page that nothing in the checkout has.
pub fn problems(root: &Path) -> Result<Vec<String>, String> {
    let text = read(&root.join(PAGE))?;
    let missing = names(&text).into_iter().filter(|(_, name)| !exists(root, name));
    Ok(missing.map(|(line, name)| format!("{PAGE}:{line}: there is no `{name}`")).collect())
}

/// What stands in backticks, with its line, if it is a path of files or of modules.
fn names(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let mut is_block = false;
    for (idx, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            let quoted = line.split('`').skip(1).step_by(2);
            names.extend(quoted.filter(|name| is_path(name)).map(|name| (idx + 1, name)));
        }
    }
    names
}

fn is_path(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_/:.-".contains(c));
    // An `x` stands for something new.
    let is_example = name.split(['/', '.']).any(|part| part == "x");
    is_plain && !is_example && (name.contains('/') || name.contains("::"))
}

fn exists(root: &Path, name: &str) -> bool {
    if !name.contains("::") {
        let homes = ["", "crates", "docs", "docs/manual"];
        return homes.iter().any(|home| root.join(home).join(name).exists());
    }
    let parts: Vec<&str> = name.split("::").collect();
    let Some((crate_name, path)) = parts.split_first() else { return true };
    let folder = root.join("crates").join(crate_name).join("src");
    // What is no crate, such as a type with its function, is none of this page's files.
    if !folder.exists() {
        return true;
    }
    let is_module = |part: &&&str| !part.starts_with(|c: char| c.is_ascii_uppercase());
    let modules: Vec<&str> = path.iter().take_while(is_module).copied().collect();
    let is_there = |path: &[&str]| {
        let file = folder.join(path.join("/"));
        path.is_empty() || file.with_extension("rs").exists() || file.join("mod.rs").exists()
    };
    // The last name may be a function of the module before it.
    is_there(&modules)
        || modules.split_last().is_some_and(|(function, before)| {
            is_there(before) && defines(&folder, before, function)
        })
}

fn defines(folder: &Path, module: &[&str], function: &str) -> bool {
    let file = folder.join(module.join("/"));
    let homes = match module.is_empty() {
        true => [folder.join("lib.rs"), folder.join("main.rs")],
        false => [file.with_extension("rs"), file.join("mod.rs")],
    };
    let texts = homes.iter().filter_map(|home| read(home).ok());
    let mut texts = texts.flat_map(|text| text.lines().map(String::from).collect::<Vec<_>>());
    texts.any(|line| {
        line.contains("pub ")
            && line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == function)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_and_examples_are_not() {
        let text =
            "see `model::eval` and `Model`\n```\na/b\n```\n`crates/lang/src/x/`, `docs/no.md`";
        assert_eq!(names(text), [(1, "model::eval"), (5, "docs/no.md")]);
    }

    #[test]
    fn what_is_gone_is_missing() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for name in ["crates/model", "model::eval", "model::syntax::Syntax", "lang::smv::print"] {
            assert!(exists(&root, name), "{name}");
        }
        for name in ["crates/none", "model::none", "engine::bdd::none", "docs/none.md"] {
            assert!(!exists(&root, name), "{name}");
        }
    }
}
