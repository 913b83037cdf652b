//! The tables of a specification as a page for people: one file without scripts, for the screen and for
//! paper.

use trapline_source::{Cell, Table};

use crate::xml::escape;

/// What the page needs to know of a specification.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// What it is called.
    pub title: &'a str,
    /// The words of its language.
    pub keywords: &'a [&'a str],
    /// Its tables.
    pub tables: &'a [Table],
}

/// Writes the page.
pub fn html(document: &Document<'_>) -> String {
    let title = escape(document.title);
    let style = include_str!("document.css");
    let links = document.tables.iter().enumerate().map(|(idx, table)| {
        format!("<li><a href=\"#t{}\">{}</a></li>\n", idx + 1, escape(&table.title()))
    });
    let links: String = links.collect();
    let sections = document.tables.iter().enumerate();
    let sections: String = sections.map(|(idx, table)| section(document, idx, table)).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <nav aria-label=\"tables\">\n<ul>\n{links}</ul>\n</nav>\n{sections}</body>\n</html>\n"
    )
}

fn section(document: &Document<'_>, idx: usize, table: &Table) -> String {
    let heading = match &table.name {
        Some(name) => {
            let class = table.class.as_ref();
            let class = class.map_or(String::new(), |class| format!(", by {}", escape(class)));
            let kind = table.kind.to_lowercase();
            format!("<code>{}</code> <small>{kind}{class}</small>", escape(name))
        }
        None => escape(table.kind),
    };
    let rows: String = table.rows.iter().map(|cells| row(document, table, cells)).collect();
    let values = match &table.values[..] {
        [] => String::new(),
        values => format!("<tfoot>\n{}</tfoot>\n", row(document, table, values)),
    };
    format!(
        "<section id=\"t{}\">\n<h2>{heading}</h2>\n<div class=\"scroll\"><table>\n<thead>\n{}</thead>\n\
         <tbody>\n{rows}</tbody>\n{values}</table></div>\n</section>\n",
        idx + 1,
        head(table),
    )
}

/// The names of the columns; the last one is that of all that are left.
fn head(table: &Table) -> String {
    let last = table.columns.len().saturating_sub(1);
    let n_left = table.width() - last;
    let cells = table.columns.iter().enumerate().map(|(column, text)| match column {
        _ if column == last && n_left > 1 => {
            format!("<th scope=\"colgroup\" colspan=\"{n_left}\">{}</th>", escape(text))
        }
        _ => format!("<th scope=\"col\">{}</th>", escape(text)),
    });
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}

/// A row; what it is about stands in its first cell, if there is more than one.
fn row(document: &Document<'_>, table: &Table, cells: &[Cell]) -> String {
    let cells = cells.iter().enumerate().map(|(column, cell)| {
        let text = marked(document.keywords, &cell.text);
        match column == 0 && table.width() > 1 {
            true => format!("<th scope=\"row\"><code>{text}</code></th>"),
            false => format!("<td><code>{text}</code></td>"),
        }
    });
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}

/// A text whose keywords stand out.
fn marked(keywords: &[&str], text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut marked = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        match keywords.contains(&word) {
            true => marked += &format!("<b>{}</b>", escape(word)),
            false => marked += &escape(word),
        }
        let end = behind.find(is_part).unwrap_or(behind.len());
        marked += &escape(&behind[..end]);
        rest = &behind[end..];
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapline_source::Span;

    #[test]
    fn names_become_no_markup() {
        let hostile = "</td><script>alert(1)</script> NOT \"'&";
        let cell = Cell { text: hostile.into(), span: Span::default() };
        let table = Table {
            kind: "Event table",
            name: Some(hostile.into()),
            class: Some(hostile.into()),
            columns: vec![hostile.into(), "Events".into()],
            rows: vec![vec![cell.clone(), cell.clone(), cell.clone()]],
            values: vec![cell],
            span: Span::default(),
        };
        let text = html(&Document { title: hostile, keywords: &["NOT"], tables: &[table] });
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("<b>NOT</b>") && text.contains("colspan=\"2\""), "{text}");
        assert_eq!(text.matches("</td>").count(), 2, "{text}");
    }
}
