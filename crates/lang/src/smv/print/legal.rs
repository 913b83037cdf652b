//! Names that SMV can read, for models of languages that name things differently.

use logos::Logos;
use rustc_hash::FxHashSet;
use trapline_model::{Model, SymbolId};

use super::super::lexer::Token;

/// The model with names that SMV can read: `pc[red]` becomes `pc_red`, and a reserved word gets an
/// underscore behind it. What SMV can read keeps its name.
pub fn legal(model: &Model) -> Model {
    let mut model = model.clone();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    for idx in 0..model.symbols.len() {
        let id = SymbolId(idx as u32);
        let name = fresh(&name(model.symbols.name(id)), &mut taken);
        model.symbols.rename(id, &name);
    }
    for var in &mut model.vars {
        var.name = fresh(&name(&var.name), &mut taken);
    }
    for define in &mut model.defines {
        define.name = fresh(&name(&define.name), &mut taken);
    }
    let vars = &model.vars;
    model.arrays.retain(|array| {
        let elements = array.elements.clone();
        elements.clone().count() > 0
            && elements.into_iter().all(|idx| {
                vars.get(idx as usize).is_some_and(|var| {
                    trapline_model::name::split_indices(&var.name).0 == array.name
                })
            })
    });
    for property in &mut model.properties {
        property.name = property.name.as_deref().map(name);
    }
    model
}

fn fresh(wanted: &str, taken: &mut FxHashSet<String>) -> String {
    let mut name = wanted.to_string();
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// A name that is as much like another one as SMV allows: in parts, or as one word if its parts are
/// none of SMV's.
fn name(text: &str) -> String {
    parts(text).unwrap_or_else(|| {
        let plain = plain(text);
        let words: Vec<&str> = plain.split('_').filter(|word| !word.is_empty()).collect();
        word(&words.join("_"), false)
    })
}

/// The same parts, each as SMV allows it: words, numbers behind a dot, and indices that are numbers.
/// Two numbers with a dot between them would be read as one.
fn parts(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = text;
    let mut is_number = false;
    while !rest.is_empty() {
        if let Some((index, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            let index: i64 = index.parse().ok().filter(|_| !name.is_empty())?;
            name.push_str(&format!("[{index}]"));
            (rest, is_number) = (behind, false);
            continue;
        }
        let member = rest.strip_prefix('.');
        if member.is_some() == name.is_empty() {
            return None;
        }
        rest = member.unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let part = &rest[..end];
        let was_number = std::mem::replace(&mut is_number, part.parse::<u64>().is_ok());
        if part.is_empty() || (was_number && is_number) {
            return None;
        }
        if member.is_some() {
            name.push('.');
        }
        name.push_str(&word(part, member.is_some()));
        rest = &rest[end..];
    }
    (!name.is_empty()).then_some(name)
}

fn word(text: &str, may_be_number: bool) -> String {
    let mut tokens = Token::lexer(text);
    let token = tokens.next();
    let is_whole = tokens.slice().len() == text.len();
    match token {
        Some(Ok(Token::Ident)) if is_whole => text.to_string(),
        Some(Ok(Token::Number)) if is_whole && may_be_number => text.to_string(),
        _ => {
            let plain = plain(text);
            let is_word = plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            match (is_word, plain == text) {
                (false, _) => format!("_{plain}"),
                (true, true) => format!("{plain}_"),
                (true, false) => word(&plain, false),
            }
        }
    }
}

fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_name_that_smv_reads_stays_as_it_is() {
        for text in ["x", "valve.pressure", "queue[2][-1]", "pumps[3].level", "pc.1", "\"a b\""] {
            assert_eq!(name(text), text);
        }
    }

    #[test]
    fn other_names_become_like_names_of_smv() {
        let pairs = [
            ("X", "X_"),
            ("next", "next_"),
            ("pc[red]", "pc_red"),
            ("a[1].f[TRUE]", "a_1_f_TRUE"),
            ("a[0][FALSE]", "a_0_FALSE"),
            ("pc.1.2", "pc_1_2"),
            ("nil?", "nil_"),
            ("m[(1,2)]", "m_1_2"),
            ("12", "_12"),
            ("", "_"),
            ("[", "_"),
            ("a..b", "a_b"),
        ];
        for (text, legal) in pairs {
            assert_eq!(name(text), legal, "{text}");
        }
    }
}
