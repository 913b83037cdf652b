//! `trapline check`: the model's own properties.

use clap::ValueEnum;
use serde_json::{Value as Json, json};
use trapline_model::{Clause, ExprId, Formula, Model, Property, PropertyKind, print};
use trapline_source::Sources;

use crate::args::ModelArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::load::{self, Loaded};

/// Formulas of more nodes than this are shown as they were written: module parameters can make
/// them grow exponentially.
const MAX_NODES: u64 = 10_000;

/// What the user typed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Only read the model, and say what is wrong with its text
    #[arg(long)]
    pub parse_only: bool,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// The forms of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: `trapline-check/1`.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  trapline check valve.smv --parse-only
  trapline check valve.smv --parse-only --format json -o properties.json
  cat valve.smv | trapline check - --parse-only";

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if !args.parse_only {
        return Err(Failure::refused("this version has no engine that could check properties")
            .help("pass --parse-only to check the text of the model"));
    }
    let loaded = load::load(&args.model, context)?;
    let text = match args.format {
        Format::Text => summary(&loaded),
        Format::Json => format!("{:#}\n", document(&loaded)),
    };
    context.write(&text)?;
    Ok(Exit::Done)
}

fn summary(loaded: &Loaded) -> String {
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let model = &loaded.model;
    format!(
        "{}: ok, {}, {}, {}\n",
        loaded.path,
        count(model.vars.len(), "variable", "variables"),
        count(model.defines.len(), "definition", "definitions"),
        count(model.properties.len(), "property", "properties"),
    )
}

fn document(loaded: &Loaded) -> Json {
    let properties = loaded.model.properties.iter().enumerate();
    let properties: Vec<Json> = properties.map(|(idx, p)| property_json(loaded, idx, p)).collect();
    json!({"format": "trapline-check/1", "model": loaded.path, "properties": properties})
}

fn property_json(loaded: &Loaded, idx: usize, property: &Property) -> Json {
    let place = loaded.sources.place(property.span.start);
    let mut json = json!({
        "index": idx,
        "kind": kind_name(property.kind),
        "name": property.name,
        "text": property_text(&loaded.model, &loaded.sources, property),
        "line": place.map(|place| place.line),
    });
    match property.kind {
        PropertyKind::Compute => json["value"] = Json::Null,
        _ => json["verdict"] = "unknown".into(),
    }
    json["engine"] = Json::Null;
    json["reason"] = "parse only".into();
    json["trace"] = Json::Null;
    json
}

fn kind_name(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Ctl => "ctl",
        PropertyKind::Compute => "compute",
        PropertyKind::Ltl => "ltl",
        PropertyKind::Psl => "psl",
        PropertyKind::Invar => "invar",
    }
}

/// The property over the flat model's names, or as it was written.
fn property_text(model: &Model, sources: &Sources, property: &Property) -> String {
    let as_written =
        || sources.text(property.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let show = |clause: Clause| {
        (n_nodes(model, clause.expr) <= MAX_NODES).then(|| print::expr(model, clause.expr))
    };
    let text = match property.formula {
        Formula::Holds(clause) => show(clause),
        Formula::Min(from, to) => bounds_text("MIN", show(from), show(to)),
        Formula::Max(from, to) => bounds_text("MAX", show(from), show(to)),
        Formula::Unsupported(_) => None,
    };
    text.unwrap_or_else(as_written)
}

fn bounds_text(name: &str, from: Option<String>, to: Option<String>) -> Option<String> {
    Some(format!("{name} [{}, {}]", from?, to?))
}

/// How many nodes the expression has as a tree, shared ones counted each time.
fn n_nodes(model: &Model, root: ExprId) -> u64 {
    let exprs = &model.exprs;
    let order = exprs.reachable([root]);
    let mut sizes: std::collections::HashMap<ExprId, u64> = std::collections::HashMap::new();
    for id in order {
        let operands = exprs.operands(exprs.get(id));
        let below = operands.as_slice().iter().map(|operand| sizes.get(operand).copied());
        let size = below.fold(1u64, |sum, size| sum.saturating_add(size.unwrap_or(1)));
        sizes.insert(id, size);
    }
    sizes.get(&root).copied().unwrap_or(1)
}
