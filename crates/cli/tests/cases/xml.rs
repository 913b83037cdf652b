//! Is a text well-formed XML? Enough of it for the pictures that we draw: elements, attributes,
//! entities and comments, no document types.

/// Says where the text is not well-formed.
pub fn check(text: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut n_roots = 0;
    let mut rest = text;
    while let Some((before, markup)) = rest.split_once('<') {
        check_text(before)?;
        if open.is_empty() && !before.trim().is_empty() {
            return Err(format!("text outside of the root: {before}"));
        }
        if let Some(comment) = markup.strip_prefix("!--") {
            rest = comment.split_once("-->").ok_or("a comment is not closed")?.1;
            continue;
        }
        let (tag, after) = split_tag(markup)?;
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name.trim_end()) {
                return Err(format!("</{name}> closes nothing"));
            }
        } else if !tag.starts_with('?') {
            let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            n_roots += usize::from(open.is_empty());
            let name = check_element(tag)?;
            if !is_empty {
                open.push(name);
            }
        }
    }
    check_text(rest)?;
    match (open.last(), n_roots, rest.trim()) {
        (None, 1, "") => Ok(()),
        (Some(name), ..) => Err(format!("<{name}> is not closed")),
        _ => Err(format!("there are {n_roots} roots, and `{}` behind them", rest.trim())),
    }
}

/// Up to the `>` that is not inside of an attribute's value.
fn split_tag(markup: &str) -> Result<(&str, &str), String> {
    let mut quote = None;
    for (idx, c) in markup.char_indices() {
        match (quote, c) {
            (None, '>') => return Ok((&markup[..idx], &markup[idx + 1..])),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    Err(format!("a tag is not closed: <{}", markup.chars().take(40).collect::<String>()))
}

/// The element's name, after a look at its attributes.
fn check_element(tag: &str) -> Result<&str, String> {
    let (name, mut rest) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
    check_name(name)?;
    let mut seen = Vec::new();
    while !rest.trim().is_empty() {
        let wrong = || format!("wrong attributes: <{tag}>");
        if !rest.starts_with(char::is_whitespace) {
            return Err(wrong());
        }
        let (attribute, after) = rest.trim_start().split_once('=').ok_or_else(wrong)?;
        check_name(attribute)?;
        if seen.contains(&attribute) {
            return Err(format!("`{attribute}` stands twice: <{tag}>"));
        }
        seen.push(attribute);
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(wrong)?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(wrong)?;
        if value.contains('<') {
            return Err(wrong());
        }
        check_text(value)?;
        rest = after;
    }
    Ok(name)
}

fn check_name(name: &str) -> Result<(), String> {
    let is_good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_:.-".contains(c));
    if is_good { Ok(()) } else { Err(format!("`{name}` is no name")) }
}

/// Every `&` begins an entity, and no character is forbidden.
fn check_text(text: &str) -> Result<(), String> {
    if let Some(c) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(format!("the character {c:?} can't stand in XML"));
    }
    for after in text.split('&').skip(1) {
        let name = after.split_once(';').map(|(name, _)| name);
        let is_known = name.is_some_and(|name| {
            matches!(name, "amp" | "lt" | "gt" | "quot" | "apos") || name.starts_with('#')
        });
        if !is_known {
            return Err(format!(
                "`&` begins no entity: &{}",
                after.chars().take(20).collect::<String>()
            ));
        }
    }
    Ok(())
}
