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

/// A name that is as much like another one as SMV allows.
fn name(text: &str) -> String {
    let mut name = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some((index, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            match index.parse::<i64>() {
                Ok(_) => name.push_str(&format!("[{index}]")),
                Err(_) => {
                    name.push('_');
                    name.push_str(plain(index).trim_matches('_'));
                }
            }
            rest = behind;
            continue;
        }
        let is_member = rest.starts_with('.');
        rest = rest.strip_prefix('.').unwrap_or(rest);
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        // An index without its end, at the latest: something is always taken.
        let end = if end == 0 && !is_member { rest.len() } else { end };
        if is_member {
            name.push('.');
        }
        name.push_str(&word(&rest[..end], is_member));
        rest = &rest[end..];
    }
    if name.is_empty() { "_".into() } else { name }
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
            ("a[1].f[TRUE]", "a[1].f_TRUE"),
            ("nil?", "nil_"),
            ("m[(1,2)]", "m_1_2"),
            ("12", "_12"),
            ("", "_"),
            ("[", "_"),
            ("a..b", "a._.b"),
        ];
        for (text, legal) in pairs {
            assert_eq!(name(text), legal, "{text}");
        }
    }
}
