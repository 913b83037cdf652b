//! The graph as a picture, drawn without Graphviz.
//!
//! An arrow leads down from a variable to what it depends on. Colours follow the reader's light or
//! dark scheme; hovering shows full names.

use std::fmt::Write;

use super::picture::{Box, Frame, Picture, picture};
use super::{Graph, View, role_name};
use crate::layout::compound::{Drawing, Group, Heads, Rect, Sheet, Style, Wire, draw};
use crate::layout::{Point, Size};
use crate::xml::escape;
use trapline_model::{Role, VarKind};

/// The width of a character of the boxes' text, in the font size below.
const CHAR: f64 = 7.25;
const LINE: f64 = 16.0;
const MARGIN: f64 = 24.0;

const STYLE: &str = "\
svg { font: 12px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.page { fill: #ffffff; }
text { fill: #0f172a; }
.heading { font-size: 15px; font-weight: bold; }
.quiet { fill: #475569; }
.node rect { fill: #f1f5f9; stroke: #64748b; stroke-width: 1.2; }
.input rect { fill: #dcfce7; stroke: #16a34a; }
.output rect { fill: #dbeafe; stroke: #2563eb; }
.internal rect { fill: #f3e8ff; stroke: #9333ea; }
.frozen rect { stroke-dasharray: 4 3; }
.frame rect { fill: #f8fafc; stroke: #94a3b8; stroke-dasharray: 6 4; }
.frame text { fill: #475569; font-size: 11px; paint-order: stroke; stroke: #f8fafc; stroke-width: 5px; }
.wire { fill: none; stroke: #64748b; stroke-width: 1.2; }
.head { fill: #64748b; }
.wire:hover { stroke: #dc2626; stroke-width: 2.4; }
@media (prefers-color-scheme: dark) {
.page { fill: #0f172a; }
text { fill: #e2e8f0; }
.quiet { fill: #94a3b8; }
.node rect { fill: #1e293b; stroke: #94a3b8; }
.input rect { fill: #14532d; stroke: #4ade80; }
.output rect { fill: #1e3a8a; stroke: #60a5fa; }
.internal rect { fill: #581c87; stroke: #c084fc; }
.frame rect { fill: #162033; stroke: #64748b; }
.frame text { fill: #94a3b8; stroke: #162033; }
.wire { stroke: #94a3b8; }
.head { fill: #94a3b8; }
.wire:hover { stroke: #f87171; }
}
";

/// Writes the graph.
pub fn write(graph: &Graph, view: View) -> String {
    let picture = picture(graph, view);
    let drawing = draw(&sheet(&picture));
    let header = header(graph, &picture);
    let width = (drawing.size.width.max(header.size.width) + 2.0 * MARGIN).ceil();
    let height = (drawing.size.height + header.size.height + 2.5 * MARGIN).ceil();
    let mut out = String::new();
    let mut put = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = out.write_fmt(text);
    };
    put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>Dependencies of {}</title>\n\
         <style>\n{STYLE}</style>\n{MARKER}\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\"/>\n",
        escape(&graph.model),
    ));
    put(format_args!("<g transform=\"translate({MARGIN} {MARGIN})\">\n{}</g>\n", header.svg));
    let left = ((width - drawing.size.width) / 2.0).floor();
    let top = header.size.height + 1.5 * MARGIN;
    put(format_args!("<g transform=\"translate({left} {top})\">\n"));
    put(format_args!("{}", body(&picture, &drawing)));
    put(format_args!("</g>\n</svg>\n"));
    out
}

const MARKER: &str = "\
<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7.2\" refY=\"4\" markerWidth=\"7\" \
markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\">\
<path class=\"head\" d=\"M0 0.6 L8 4 L0 7.4 z\"/></marker></defs>\n";

/// Frames lie under the wires, boxes and labels on them.
fn body(picture: &Picture, drawing: &Drawing) -> String {
    let mut out = String::new();
    let frames = || picture.frames.iter().zip(&drawing.frames);
    for (frame, rect) in frames() {
        if frame.label.is_some() {
            out += &format!("<g class=\"frame\">{}</g>\n", rect_svg(rect, 10.0));
        }
    }
    for wire in &drawing.wires {
        out += &wire_svg(wire, picture);
    }
    for (item, rect) in picture.boxes.iter().zip(&drawing.nodes) {
        out += &box_svg(item, rect);
    }
    for (frame, rect) in frames() {
        out += &label_svg(frame, rect);
    }
    out
}

/// The sizes that the layout needs.
fn sheet(picture: &Picture) -> Sheet {
    let group = |frame: &Frame| Group {
        members: frame.boxes.clone(),
        style: match &frame.label {
            None => Style::Bare,
            Some(_) if frame.is_dense => Style::Table,
            Some(_) => Style::Framed,
        },
        label_width: frame.label.as_deref().map_or(0.0, text_width),
    };
    Sheet {
        nodes: picture.boxes.iter().map(box_size).collect(),
        edges: picture.edges.clone(),
        groups: picture.frames.iter().map(group).collect(),
    }
}

fn box_size(item: &Box) -> Size {
    let width = item.lines.iter().map(|line| text_width(line)).fold(20.0, f64::max) + 20.0;
    Size { width: width.ceil(), height: item.lines.len() as f64 * LINE + 12.0 }
}

/// East Asian characters take the room of two.
fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c >= '\u{1100}' && c != '…' { 2.0 } else { 1.0 }).sum::<f64>() * CHAR
}

fn box_svg(item: &Box, rect: &Rect) -> String {
    let role = item.role.map_or("mixed", role_name);
    let (kind, radius) = match item.kind {
        VarKind::State => ("state", 4.0),
        VarKind::Input => ("ivar", rect.size.height / 2.0),
        VarKind::Frozen => ("frozen", 4.0),
    };
    let mut out =
        format!("<g class=\"node {role} {kind}\"><title>{}</title>", escape(&item.tooltip));
    out += &rect_svg(rect, radius);
    let top = rect.middle.y - item.lines.len() as f64 * LINE / 2.0 + LINE * 0.75;
    for (idx, line) in item.lines.iter().enumerate() {
        let (x, y) = (number(rect.middle.x), number(top + idx as f64 * LINE));
        out += &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escape(line));
    }
    if item.is_looped {
        let (x, y) = (rect.middle.x + rect.size.width / 2.0, rect.middle.y);
        out += &format!(
            "<path class=\"wire\" marker-end=\"url(#head)\" d=\"M{} {} c20 -10 20 20 0 12\"/>",
            number(x),
            number(y - 6.0)
        );
    }
    out + "</g>\n"
}

fn label_svg(frame: &Frame, rect: &Rect) -> String {
    let Some(label) = &frame.label else { return String::new() };
    let (x, y) = (rect.middle.x - rect.size.width / 2.0, rect.middle.y - rect.size.height / 2.0);
    let (x, y) = (number(x + 10.0), number(y + 16.0));
    format!("<g class=\"frame\"><text x=\"{x}\" y=\"{y}\">{}</text></g>\n", escape(label))
}

fn rect_svg(rect: &Rect, radius: f64) -> String {
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        number(rect.middle.x - rect.size.width / 2.0),
        number(rect.middle.y - rect.size.height / 2.0),
        number(rect.size.width),
        number(rect.size.height),
        number(radius),
    )
}

fn wire_svg(wire: &Wire, picture: &Picture) -> String {
    let heads = match wire.heads {
        Heads::None => "",
        Heads::Read => " marker-end=\"url(#head)\"",
        Heads::Both => " marker-start=\"url(#head)\" marker-end=\"url(#head)\"",
    };
    let path = path(&wire.points);
    let tooltip = escape(&wire_tooltip(wire, picture));
    format!("<path class=\"wire\"{heads} d=\"{path}\"><title>{tooltip}</title></path>\n")
}

/// Upright lines where x stays, curves with upright ends where it changes.
fn path(points: &[Point]) -> String {
    let mut path = String::new();
    for (idx, point) in points.iter().enumerate() {
        let (x, y) = (number(point.x), number(point.y));
        match idx.checked_sub(1).map(|before| points[before]) {
            None => path += &format!("M{x} {y}"),
            Some(before) if (before.x - point.x).abs() < 0.05 => path += &format!(" L{x} {y}"),
            Some(before) => {
                let (from_x, middle) = (number(before.x), number((before.y + point.y) / 2.0));
                path += &format!(" C{from_x} {middle} {x} {middle} {x} {y}");
            }
        }
    }
    path
}

fn wire_tooltip(wire: &Wire, picture: &Picture) -> String {
    let names = |boxes: &[usize]| {
        let names: Vec<&str> =
            boxes.iter().take(20).map(|&idx| picture.boxes[idx].name.as_str()).collect();
        let rest = if boxes.len() > 20 { ", …" } else { "" };
        format!("{}{rest}", names.join(", "))
    };
    let (readers, reads) = (names(&wire.readers), names(&wire.reads));
    match (wire.heads, wire.readers.len()) {
        (Heads::Both, _) => format!("{readers} and {reads} depend on each other"),
        (_, 1) => format!("{readers} depends on {reads}"),
        _ => format!("{readers} depend on {reads}"),
    }
}

/// The title, the legend and the notes.
struct Header {
    svg: String,
    size: Size,
}

fn header(graph: &Graph, picture: &Picture) -> Header {
    let mut svg = format!("<text class=\"heading\" y=\"14\">{}</text>\n", escape(&graph.model));
    let summary = graph.summary();
    svg += &format!("<text class=\"quiet\" y=\"34\">{}</text>\n", escape(&summary));
    let width = legend(&mut svg, picture).max(text_width(&summary));
    let mut size = Size { width: width.max(text_width(&graph.model) * 1.3), height: 68.0 };
    for note in &picture.notes {
        size.height += LINE + 4.0;
        size.width = size.width.max(text_width(note));
        let y = number(size.height - 4.0);
        svg += &format!("<text class=\"quiet\" y=\"{y}\">{}</text>\n", escape(note));
    }
    Header { svg, size }
}

/// Appends the legend of what the picture holds; returns its width.
fn legend(svg: &mut String, picture: &Picture) -> f64 {
    let mut x = 0.0;
    let has_role = |role| picture.boxes.iter().any(|item| item.role == role);
    let has_kind = |kind| picture.boxes.iter().any(|item| item.kind == kind);
    let roles = [Some(Role::Input), Some(Role::Output), Some(Role::Internal), None];
    let roles = roles.into_iter().filter(|role| has_role(*role));
    let chips = roles.map(|role| (role.map_or("mixed", role_name), "4"));
    let kinds = [(VarKind::Input, "ivar", "7"), (VarKind::Frozen, "frozen", "4")];
    let kinds = kinds.into_iter().filter(|(kind, ..)| has_kind(*kind));
    let chips: Vec<(&str, &str)> =
        chips.chain(kinds.map(|(_, name, radius)| (name, radius))).collect();
    for (name, radius) in chips {
        *svg += &format!(
            "<g class=\"node {name}\"><rect x=\"{x}\" y=\"48\" width=\"22\" height=\"14\" \
             rx=\"{radius}\"/></g><text class=\"quiet\" x=\"{}\" y=\"59\">{name}</text>\n",
            x + 28.0,
        );
        x += 28.0 + text_width(name) + 20.0;
    }
    if !picture.boxes.is_empty() {
        let text = "a → b: a depends on b";
        *svg += &format!("<text class=\"quiet\" x=\"{x}\" y=\"59\">{text}</text>\n");
        x += text_width(text);
    }
    x
}

/// At most one digit after the point.
fn number(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // No negative zero.
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_aside_is_a_curve() {
        let points = [Point { x: 0.0, y: 0.0 }, Point { x: 0.0, y: 4.0 }, Point { x: 8.0, y: 8.0 }];
        assert_eq!(path(&points), "M0 0 L0 4 C0 6 8 6 8 8");
    }
}
