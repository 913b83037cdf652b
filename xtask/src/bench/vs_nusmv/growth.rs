//! How time and memory grow with the size of a family's models: a table and a plot.

use std::fmt::Write;

use super::compare::{Measured, Row};
use super::table::{mebibytes, ratio, seconds};

/// What was measured of a family.
pub struct Curve {
    pub name: &'static str,
    /// What the size counts.
    pub unit: &'static str,
    /// The sizes and what came out, the smallest first.
    pub points: Vec<(usize, Row)>,
}

/// The drawing: charts side by side, each with room for its labels.
const N_COLUMNS: usize = 3;
const CHART: (f64, f64) = (280.0, 220.0);
const PLOT: (f64, f64) = (215.0, 150.0);
const MARGIN: (f64, f64) = (48.0, 36.0);

/// Above the charts stands the legend.
const LEGEND: f64 = 30.0;

/// Powers of ten on the axis of seconds.
const DECADES: std::ops::RangeInclusive<i32> = -3..=2;

/// Colours that can be told apart, on light and on dark ground.
const STYLE: &str = "\
text { font: 11px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 12px } \
.grid { stroke: #8884; stroke-width: 1 } .line { fill: none; stroke-width: 2 } \
.nusmv { stroke: #c2571a } .ours { stroke: #1a73c2 } \
.mark.nusmv { fill: #c2571a } .mark.ours { fill: #1a73c2 } .mark.open { fill: none; stroke-width: 2 } \
@media (prefers-color-scheme: dark) { text { fill: #ccc } \
.nusmv { stroke: #f0945c } .ours { stroke: #6cb2f5 } \
.mark.nusmv { fill: #f0945c } .mark.ours { fill: #6cb2f5 } .mark.open { fill: none } }";

/// The table, as Markdown.
pub fn table(curves: &[Curve]) -> String {
    let mut text = String::from(
        "| family | size | NuSMV s | ours s | ratio | NuSMV MiB | ours MiB |\n\
         |---|--:|--:|--:|--:|--:|--:|\n",
    );
    for curve in curves {
        for (size, row) in &curve.points {
            let _ = writeln!(
                text,
                "| {} | {size} {} | {} | {} | {} | {} | {} |",
                curve.name,
                curve.unit,
                seconds(row.best()),
                seconds(&row.ours),
                ratio(row),
                mebibytes(row.best()),
                mebibytes(&row.ours)
            );
        }
    }
    text
}

/// The drawing, as SVG.
pub fn drawing(curves: &[Curve]) -> String {
    let n_rows = curves.len().div_ceil(N_COLUMNS);
    let (width, height) = (CHART.0 * N_COLUMNS as f64, CHART.1 * n_rows as f64 + LEGEND);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>Seconds by size, NuSMV at its best and Trapline</title>\n<style>{STYLE}</style>\n"
    );
    for (idx, (class, label)) in
        [("nusmv", "NuSMV, its best way"), ("ours", "Trapline")].iter().enumerate()
    {
        let x = MARGIN.0 + idx as f64 * 160.0;
        let _ = writeln!(
            svg,
            "<path class=\"line {class}\" d=\"M{x} 16h20\"/><circle class=\"mark {class}\" \
             cx=\"{}\" cy=\"16\" r=\"3\"/><text x=\"{}\" y=\"20\">{label}</text>",
            x + 10.0,
            x + 26.0
        );
    }
    let _ = writeln!(svg, "<text x=\"400\" y=\"20\">hollow: stopped at the limit</text>");
    for (idx, curve) in curves.iter().enumerate() {
        let x = (idx % N_COLUMNS) as f64 * CHART.0;
        let y = (idx / N_COLUMNS) as f64 * CHART.1 + LEGEND;
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        chart(&mut svg, curve);
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

fn chart(svg: &mut String, curve: &Curve) {
    let (left, top) = MARGIN;
    let (right, bottom) = (left + PLOT.0, top + PLOT.1);
    let _ = writeln!(
        svg,
        "<text class=\"title\" x=\"{left}\" y=\"{}\">{}</text>",
        top - 12.0,
        curve.name
    );
    for decade in DECADES {
        let (y, label) = (height(10f64.powi(decade)), 10f64.powi(decade));
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label} s</text>",
            left - 5.0,
            y + 4.0
        );
    }
    for (size, _) in &curve.points {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{size}</text>",
            across(curve, *size),
            bottom + 15.0
        );
    }
    let middle = (left + right) / 2.0;
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        bottom + 28.0,
        curve.unit
    );
    line(svg, curve, "nusmv", Row::best);
    line(svg, curve, "ours", |row| &row.ours);
}

fn line(svg: &mut String, curve: &Curve, class: &str, of: impl Fn(&Row) -> &Measured) {
    let (mut path, mut marks) = (String::new(), String::new());
    for (idx, (size, row)) in curve.points.iter().enumerate() {
        let measured = of(row);
        let (x, y) = (across(curve, *size), height(measured.seconds));
        let _ = write!(path, "{}{x:.1} {y:.1}", if idx == 0 { "M" } else { "L" });
        let open = if measured.undecided.is_some() { " open" } else { "" };
        let _ = writeln!(
            marks,
            "<circle class=\"mark {class}{open}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
        );
    }
    let _ = write!(svg, "<path class=\"line {class}\" d=\"{path}\"/>\n{marks}");
}

/// Where a size stands.
fn across(curve: &Curve, size: usize) -> f64 {
    let sizes = || curve.points.iter().map(|(size, _)| *size);
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(1));
    MARGIN.0 + 8.0 + (PLOT.0 - 16.0) * (size - least) as f64 / (most - least).max(1) as f64
}

/// Where a time stands, on a logarithmic scale.
fn height(seconds: f64) -> f64 {
    let (first, last) = (f64::from(*DECADES.start()), f64::from(*DECADES.end()));
    let part = (seconds.log10().clamp(first, last) - first) / (last - first);
    MARGIN.1 + PLOT.1 * (1.0 - part)
}
