//! Fuzzing: hostile texts, made from a fixed seed, in every language.
//!
//! Mutates small models that use the whole language: flips bytes, drops, duplicates, swaps and
//! splices tokens and lines, exchanges names, deepens nesting. The result goes through the reader,
//! the well-formedness checks, the flat printer, all criteria and a few simulated steps. The run
//! stops with the text that caused a panic; so it does for an accepted model whose flat text or
//! traps are rejected, for a walk that does not replay, and for a text that takes too long to read.

mod hostile;
mod hostile_sal;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, ENGINES, Limits, wellformed};
use trapline_goals::decide::decide;
use trapline_goals::{CRITERIA, derive, traps};
use trapline_lang::{Input, LANGUAGES, Output, smv};
use trapline_model::trace::Trace;
use trapline_model::{Domain, Model, Value, replay};
use trapline_source::{Diagnostics, Sources};

/// Texts to start from, by language: together they use every construct.
const SEEDS: &[(&str, &str)] = &[
    (smv::NAME, include_str!("seeds.smv")),
    ("scr", include_str!("seeds.scr")),
    ("scr-markdown", include_str!("seeds.md")),
    ("scr-csv", include_str!("seeds.csv")),
    ("sal", include_str!("seeds.sal")),
];

/// What separates the texts in a file.
const SEPARATOR: &str = "-- ====\n";

/// No text takes longer to be read, in a release build.
const PATIENCE: Duration = Duration::from_secs(2);

/// A text of a language.
struct Seed {
    language: &'static str,
    text: &'static str,
}

/// Pieces that damage well.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ":",
    ":=",
    ",",
    "..",
    ".",
    "next(",
    "init(",
    "case ",
    " esac",
    "MODULE m\n",
    "VAR ",
    "IVAR ",
    "FROZENVAR ",
    "DEFINE ",
    "ASSIGN ",
    "INIT ",
    "TRANS ",
    "INVAR ",
    "SPEC ",
    "LTLSPEC ",
    "INVARSPEC ",
    "PSLSPEC ",
    "COMPUTE MIN [",
    "AG ",
    "EF ",
    "A [",
    " U ",
    " G ",
    " X ",
    "-",
    "!",
    "::",
    "<<",
    ">>",
    "mod",
    " in ",
    " union ",
    " -> ",
    " ? ",
    "TRUE",
    "FALSE",
    "0",
    "1",
    "-1",
    "99999999999999999999",
    "0ub8_1",
    "0sd64_9223372036854775807",
    "word1(",
    "bool(",
    "toint(",
    "resize(",
    "extend(",
    "uwconst(",
    "swconst(",
    "count(",
    "abs(",
    "array 0..3 of ",
    "word[64]",
    "word[0]",
    "integer",
    "real",
    "0..4294967296",
    "self",
    "process ",
    "running",
    "ISA ",
    "--",
    "/--",
    "--/",
    "\"",
    "\0",
    "é",
    "x-1",
    "\r\n",
    "-- @input x\n",
    "f'1/0",
    "1e999",
    "0.5",
    "always ",
    "next_event(",
    " until! ",
    " BU 0..3 ",
    "FAIRNESS ",
    "COMPASSION (",
    "NAME n := ",
    " IN m",
    "@T(",
    "@F(",
    "@C(",
    "INMODE",
    "@T(INMODE) OR ",
    " WHEN ",
    " WHERE ",
    " WHILE ",
    " OR ",
    " AND ",
    "NOT ",
    "NEVER",
    " | ",
    "\n| ",
    "\n- ",
    "|",
    ",",
    "'",
    "*",
    "TABLE t EVENT\n",
    "TABLE,t,EVENT,CLASS,Pressure\n",
    "\n## Condition table: t (Pressure)\n",
    "MONITORED\n",
    "\n## Terms\n",
    "MODECLASS N {p, q} INIT p\n",
    "NAT ",
    "ASSERT ",
    "CTL ",
    "LTL ",
    "OPTIONS stutter: yes\n",
    "```\n",
    "\\",
    "\u{feff}",
    "-- @req R1 ",
    "self : Boolean\n",
    "% ",
    "[]",
    "||",
    " --> ",
    "ELSE --> ",
    "([] (k: [0..1]): ",
    "(FORALL (k: [0..1]): ",
    "EXISTS (x: BOOLEAN): ",
    "LAMBDA (x: [0..3]): ",
    "LET x: INTEGER = 1 IN ",
    "IF go THEN ",
    " ENDIF",
    "[[i: [0..1]] ",
    "(# left := ",
    " #)",
    " WITH [0] := ",
    " WITH .1 := ",
    "{x: INTEGER | ",
    "ARRAY [0..1] OF ",
    "ARRAY INTEGER OF ",
    "[# left: ",
    "[0..1000000000000]",
    "DATATYPE nil, cons(head: ",
    " END;",
    "SCALARSET(",
    "REAL",
    "MODULE = BEGIN ",
    "INPUT ",
    "OUTPUT ",
    "GLOBAL ",
    "LOCAL ",
    "DEFINITION ",
    "INITIALIZATION ",
    "TRANSITION ",
    "RENAME on TO ",
    "OUTPUT c IN ",
    "WITH OUTPUT c: Colour ",
    "OBSERVE m WITH ",
    "THEOREM m |- ",
    "IMPLEMENTS ",
    "fuzz!",
    "{3}!",
    "'",
    ".1",
    "=>",
    "/=",
    " DIV 0",
    " MOD ",
];

/// All texts to start from.
fn seeds() -> Vec<Seed> {
    let parts = SEEDS.iter().flat_map(|&(language, texts)| {
        texts.split(SEPARATOR).map(move |text| Seed { language, text })
    });
    parts.collect()
}

/// Runs so many inputs, and those that are large.
pub fn run(count: u64, seed: u64, root: &Path) -> Result<bool, String> {
    let seeds = seeds();
    for (idx, Seed { language, text }) in seeds.iter().enumerate() {
        if !try_text(language, text)? {
            return Err(format!("seed {idx} is not accepted: the fuzzer would find little"));
        }
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut n_accepted = 0u64;
    for input in 0..count {
        let Seed { language, text } = &seeds[rng.usize(0..seeds.len())];
        let same = seeds.iter().filter(|seed| seed.language == *language).map(|seed| seed.text);
        let text = damage(text, &same.collect::<Vec<_>>(), &mut rng);
        match tried(language, &text) {
            Ok(accepted) => n_accepted += u64::from(accepted),
            Err(problem) => {
                return failed(
                    root,
                    (language, &text),
                    &format!("input {input} of seed {seed}: {problem}"),
                );
            }
        }
    }
    println!("fuzz: {count} inputs, {n_accepted} of them models, no panic (seed {seed})");
    large(root)
}

/// What nobody writes is only read. All that fail are listed.
fn large(root: &Path) -> Result<bool, String> {
    let mut texts = hostile::texts();
    texts.extend(hostile_sal::texts().into_iter().map(|(name, text)| (name, "sal", text)));
    let n_texts = texts.len();
    let (mut longest, mut slowest, mut is_right) = (Duration::ZERO, String::new(), true);
    for (name, language, text) in texts {
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(language, &text).is_some()));
        let elapsed = start.elapsed();
        if outcome.is_err() || is_late(elapsed) {
            let problem = if outcome.is_err() { "panicked" } else { "took long" };
            let problem = format!("{name}: {problem} ({elapsed:.1?})");
            is_right &= failed(root, (language, &text), &problem)?;
        }
        if elapsed > longest {
            (longest, slowest) = (elapsed, name);
        }
    }
    println!("fuzz: {n_texts} large texts; the slowest, {slowest}, in {longest:.1?}");
    Ok(is_right)
}

fn failed(root: &Path, (language, text): (&str, &str), problem: &str) -> Result<bool, String> {
    let ending = LANGUAGES.iter().find(|known| known.name == language);
    let ending = ending.map_or(".txt", |language| language.ending);
    let path = root.join(format!("target/fuzz-failure{ending}"));
    std::fs::write(&path, text).map_err(|e| e.to_string())?;
    println!("{problem}; the text is in {}", path.display());
    Ok(false)
}

/// Builds for debugging have all the time that they need.
fn is_late(elapsed: Duration) -> bool {
    !cfg!(debug_assertions) && elapsed > PATIENCE
}

/// Is it a model that does no harm?
fn tried(language: &str, text: &str) -> Result<bool, String> {
    let start = Instant::now();
    let is_read = catch_unwind(AssertUnwindSafe(|| read(language, text).is_some()));
    let elapsed = start.elapsed();
    if is_late(elapsed) {
        return Err(format!("took {elapsed:.1?} to read"));
    }
    match is_read {
        Ok(false) => return Ok(false),
        Ok(true) => {}
        Err(_) => return Err("panicked".into()),
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| try_text(language, text)));
    outcome.unwrap_or_else(|_| Err("panicked".into()))
}

/// Reads a text and uses the model. Returns whether it is one.
fn try_text(language: &str, text: &str) -> Result<bool, String> {
    let Some(output) = read(language, text) else { return Ok(false) };
    let model = output.model;
    let printed = match language {
        smv::NAME => smv::print::flat(&model),
        _ => smv::print::flat(&smv::print::legal(&model)),
    };
    if read(smv::NAME, &printed).is_none() {
        return Err(format!("the flat text is not accepted:\n{printed}"));
    }
    let mut diagnostics = Diagnostics::new();
    let budget = Budget::new(Limits { work: Some(10_000_000), ..Limits::default() });
    wellformed::check(&model, wellformed::Options::default(), &budget, &mut diagnostics);
    try_goals(language, &model)?;
    let simulator = Simulator::new(&model);
    let mut rng = fastrand::Rng::with_seed(0);
    let mut trace = Trace::default();
    if let Ok(Some(choice)) = simulator.initial(&[], &mut rng, &budget.part(Some(100_000))) {
        trace.states.push(choice.state);
        for _ in 0..3 {
            let last = trace.states.len() - 1;
            let step =
                simulator.step(&trace.states[last], &[], &mut rng, &budget.part(Some(100_000)));
            let Ok(Some(choice)) = step else { break };
            trace.states[last] = choice.from.ok_or("a step without a start")?;
            trace.states.push(choice.state);
        }
        replay::replay(&model, &trace).map_err(|v| format!("a walk does not replay: {v:?}"))?;
    }
    Ok(true)
}

/// Derives the goals of all criteria; their traps must be properties of a model, and their verdicts
/// must come to an end.
fn try_goals(language: &str, model: &Model) -> Result<(), String> {
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let options = trapline_goals::Options { limit: 20, ..Default::default() };
    let mut set = derive(model, &names, &options);
    set.goals.truncate(300);
    let trapped = traps::commented(&set);
    let legal = match language {
        smv::NAME => trapped.model,
        _ => smv::print::legal(&trapped.model),
    };
    let printed = smv::print::flat_with_comments(&legal, &trapped.comments);
    if !has_hidden_symbol(model) && read(smv::NAME, &printed).is_none() {
        return Err(format!("the traps are not accepted:\n{printed}"));
    }
    let budget = Budget::new(Limits { work: Some(20_000), ..Default::default() });
    let n_verdicts = decide(&set, &ENGINES[1], &budget).verdicts.len();
    if n_verdicts == set.goals.len() { Ok(()) } else { Err("a goal has no verdict".into()) }
}

/// Is there a symbol that an expression can't name, like `x.y` where `x` is a variable?
fn has_hidden_symbol(model: &Model) -> bool {
    let vars = model.vars.iter().map(|var| var.name.as_str());
    let names: Vec<&str> =
        vars.chain(model.defines.iter().map(|define| define.name.as_str())).collect();
    let values = model.vars.iter().filter_map(|var| match &var.domain {
        Domain::Enum(values) => Some(values),
        _ => None,
    });
    let is_hidden = |symbol: &str| {
        symbol.contains('.') && names.iter().any(|name| symbol.split('.').next() == Some(name))
    };
    values.flat_map(|values| values.iter()).any(|value| match value {
        Value::Symbol(symbol) => is_hidden(model.symbols.name(*symbol)),
        _ => false,
    })
}

fn read(language: &str, text: &str) -> Option<Output> {
    let language = LANGUAGES.iter().find(|known| known.name == language)?;
    let mut sources = Sources::new();
    let file = sources.add("fuzz", text).ok()?;
    let mut diagnostics = Diagnostics::new();
    let input = Input::new(file);
    let output = (language.read)(&input, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(output)
}

fn damage(text: &str, seeds: &[&str], rng: &mut fastrand::Rng) -> String {
    let mut text = text.to_string();
    for _ in 0..rng.usize(1..5) {
        text = match rng.u8(0..9) {
            0 => replace_byte(&text, rng),
            1 => drop_token(&text, rng),
            2 | 3 => insert(&text, PIECES[rng.usize(0..PIECES.len())], rng),
            4 => insert(&text, any_line(seeds[rng.usize(0..seeds.len())], rng), rng),
            5 => swap_lines(&text, rng),
            6 => exchange_names(&text, rng),
            7 => {
                let piece = PIECES[rng.usize(0..PIECES.len())].repeat(rng.usize(1..200));
                insert(&text, &piece, rng)
            }
            _ => text[..boundary(&text, rng)].to_string(),
        };
    }
    text
}

fn boundary(text: &str, rng: &mut fastrand::Rng) -> usize {
    let mut at = rng.usize(0..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn insert(text: &str, piece: &str, rng: &mut fastrand::Rng) -> String {
    let at = boundary(text, rng);
    [&text[..at], piece, &text[at..]].concat()
}

fn replace_byte(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if !bytes.is_empty() {
        let at = rng.usize(0..bytes.len());
        bytes[at] = rng.u8(0..128);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tokens(text: &str) -> Vec<&str> {
    text.split_inclusive(|c: char| !c.is_alphanumeric()).collect()
}

fn drop_token(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut tokens = tokens(text);
    if !tokens.is_empty() {
        tokens.remove(rng.usize(0..tokens.len()));
    }
    tokens.concat()
}

fn exchange_names(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut tokens = tokens(text);
    if tokens.len() > 1 {
        let (a, b) = (rng.usize(0..tokens.len()), rng.usize(0..tokens.len()));
        tokens.swap(a, b);
    }
    tokens.concat()
}

fn any_line<'t>(text: &'t str, rng: &mut fastrand::Rng) -> &'t str {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.get(rng.usize(0..lines.len().max(1))).copied().unwrap_or("")
}

fn swap_lines(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.len() > 1 {
        let (a, b) = (rng.usize(0..lines.len()), rng.usize(0..lines.len()));
        lines.swap(a, b);
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_thousand_damaged_models_do_no_harm() {
        assert_eq!(run(5_000, 2, &crate::root()), Ok(true));
    }

    #[test]
    fn damage_keeps_some_texts_models() {
        let mut rng = fastrand::Rng::with_seed(3);
        for (language, texts) in SEEDS {
            let texts: Vec<&str> = texts.split(SEPARATOR).collect();
            let is_model = |_: &usize| {
                let text = damage(texts[rng.usize(0..texts.len())], &texts, &mut rng);
                read(language, &text).is_some()
            };
            let n_models = (0..500).filter(is_model).count();
            assert!((5..450).contains(&n_models), "{language}: {n_models} of 500 are models");
        }
    }
}
