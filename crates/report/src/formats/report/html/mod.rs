//! The report as one HTML file that needs no network.
//!
//! The file has three parts: a shell that is always the same, the data as JSON, and a script that
//! shows the data. Nothing that comes from outside becomes markup: the script makes text nodes of
//! it, and a policy in the file allows that one script and no other.

mod data;
mod digits;
mod run_data;

use sha2::{Digest, Sha256};

use crate::page::Page;
use crate::xml::escape;

/// The script, a file a view; the first ones are what the others use.
const SCRIPTS: &[&str] = &[
    include_str!("data.js"),
    include_str!("elements.js"),
    include_str!("table.js"),
    include_str!("truth.js"),
    include_str!("summary.js"),
    include_str!("goals.js"),
    include_str!("source.js"),
    include_str!("tables.js"),
    include_str!("wave.js"),
    include_str!("tests.js"),
    include_str!("grid.js"),
    include_str!("matrix.js"),
    include_str!("requirements.js"),
    include_str!("run.js"),
    include_str!("timeline.js"),
    include_str!("compare.js"),
    include_str!("graph.js"),
    include_str!("print.js"),
    include_str!("main.js"),
];

const STYLES: &[&str] =
    &[include_str!("page.css"), include_str!("views.css"), include_str!("print.css")];

/// Writes the page.
pub fn write(page: &Page) -> String {
    let script = format!("(() => {{\n'use strict';\n{}}})();\n", SCRIPTS.concat());
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{}'; \
         base-uri 'none'; form-action 'none'",
        digits::base64(&Sha256::digest(script.as_bytes()))
    );
    let title = escape(&page.model.path);
    let style = STYLES.concat();
    let without = without_script(page);
    let data = data::json(page);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} · test report</title>\n<style>\n{style}</style>\n</head>\n<body>\n\
         <noscript>{without}</noscript>\n<div id=\"app\"></div>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{script}</script>\n</body>\n</html>\n"
    )
}

/// What readers see whose browser runs no scripts.
fn without_script(page: &Page) -> String {
    let counts = page.counts();
    format!(
        "<h1>{}</h1><p>{} of {} goals are covered by {} tests; {} are infeasible, {} are open. The \
         report itself needs JavaScript, which it brings along.</p>",
        escape(&page.model.path),
        counts.covered,
        counts.counting(),
        page.tests.len(),
        counts.infeasible,
        counts.unknown,
    )
}

#[cfg(test)]
mod tests;
