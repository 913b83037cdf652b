//! Foreign text in the cells of Markdown tables.
//!
//! Nothing in it may end a cell, open a tag, or mention a user.

/// Longer texts are cut, so that a row always fits.
const MAX_CHARS: usize = 200;

/// What is not shown in full ends like this.
const CUT: char = '…';

/// Text as code, without markup or mentions.
pub fn code(text: &str) -> String {
    let text = short(text);
    if text.trim().is_empty() {
        return String::new();
    }
    // In code a backslash is no escape, but before a bar it is one for tables.
    let is_plain = !text.contains(['`', '\\']) && text.trim() == text;
    match is_plain {
        true => format!("`{}`", text.replace('|', "\\|")),
        false => format!("<code>{}</code>", entities(&text)),
    }
}

/// Text as it is read.
pub fn prose(text: &str) -> String {
    // What looks like a mention or a number of an issue is broken up by a character that has no
    // width: an entity would still be one when it is shown.
    entities(&short(text)).replace("&#64;", "@&#8203;").replace("&#35;", "#&#8203;")
}

/// A text on one line, cut if it is long.
fn short(text: &str) -> String {
    let flat = |c: char| if c.is_control() || c == '\u{2028}' || c == '\u{2029}' { ' ' } else { c };
    let mut short: String = text.chars().take(MAX_CHARS).map(flat).collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        short.push(CUT);
    }
    short
}

/// Everything that could mean something, as a character reference, which means nothing.
fn entities(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => shown += "&amp;",
            '<' => shown += "&lt;",
            '>' => shown += "&gt;",
            '|' | '`' | '\\' | '*' | '_' | '~' | '[' | ']' | '!' | '#' | '@' | '$' => {
                shown += &format!("&#{};", u32::from(c));
            }
            _ => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_keeps_its_text_and_its_cell() {
        assert_eq!(code("a | b < {c}"), "`a \\| b < {c}`");
        assert_eq!(code("`x`"), "<code>&#96;x&#96;</code>");
        assert_eq!(code("a\\|b"), "<code>a&#92;&#124;b</code>");
        assert_eq!(code("line\nbreak"), "`line break`");
        assert_eq!(code(" "), "");
    }

    #[test]
    fn prose_calls_nobody_and_marks_up_nothing() {
        assert_eq!(prose("see @you, #12 & <b>"), "see @&#8203;you, #&#8203;12 &amp; &lt;b&gt;");
        assert_eq!(prose("a|b *c* [d](e)"), "a&#124;b &#42;c&#42; &#91;d&#93;(e)");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(code(&"é".repeat(1000)).chars().count(), MAX_CHARS + 3);
    }
}
