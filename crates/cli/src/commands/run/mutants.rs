//! `trapline run --sut mutants`: which mutants of the model does a suite catch?

use serde_json::{Value as Json, json};
use trapline_exec::mutants::{Options, Outcome, play};
use trapline_exec::script::Script;
use trapline_exec::tester::Tester;
use trapline_goals::mutate::edit::Texts;
use trapline_goals::visibility::implementation;

use super::trees::trees;
use super::{Args, Observation, format, names_of, unobserved};
use crate::commands::mutants::text::Shown;
use crate::commands::mutants::{self, Derived, document};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::initial::require_initial_state;
use crate::numbers::{counted, grouped};
use crate::paint::{Paint, Style};
use crate::suite_input::{self, SuiteArgs, Writes};
use crate::{interrupt, search};

/// What the user writes for it.
pub const SUT: &str = "mutants";

/// So many mutants are listed, unless all are wanted.
const MAX_LISTED: usize = 40;

/// What can become of a mutant, for counts.
const WORDS: [&str; 5] = ["caught", "not caught", "inconclusive", "invalid", "environment"];

/// The mutants, and what became of them.
struct Played {
    found: mutants::Found,
    /// `None` where the time was over before.
    outcomes: Vec<Option<Outcome>>,
    /// The names of the tests.
    tests: Vec<String>,
    has_impossible: bool,
    /// Are tests left out that were made for another version of the model?
    has_dropped: bool,
}

impl Played {
    fn count(&self, word: &str) -> usize {
        self.outcomes.iter().flatten().filter(|outcome| outcome.word() == word).count()
    }

    fn is_complete(&self) -> bool {
        self.found.cut.is_none() && self.outcomes.iter().all(Option::is_some)
    }
}

/// Runs the command.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    if args.goals.scope.mutate == "specs" {
        let text = "a mutant of the properties does what the model does, so nothing catches it";
        return Err(Failure::refused(text).help("leave out `--mutate specs`"));
    }
    if args.goals.scope.visibility == ["inline"] {
        let text =
            "`--visibility inline` mutates formulas about the model, which nothing can execute";
        return Err(Failure::refused(text).help("leave out `--visibility inline`"));
    }
    let format = format(args, context);
    if format == "junit" {
        return Err(Failure::refused("mutants are not written as JUnit XML")
            .help("--format json has a verdict for each of them"));
    }
    let played = played(args, context)?;
    match format {
        "json" => write_json(&played, context)?,
        _ => write_text(&played, context)?,
    }
    tell(&played, context);
    Ok(match () {
        () if interrupt::is_raised() => Exit::Interrupted,
        () if played.has_impossible || played.tests.is_empty() => Exit::BadInput,
        () if played.has_dropped => Exit::Undecided,
        () if !played.is_complete() || played.count("inconclusive") > 0 => Exit::Undecided,
        () => Exit::Done,
    })
}

fn played(args: &Args, context: &Context) -> Result<Played, Failure> {
    let Some(path) = &args.suite else { return Err(Failure::refused("there is no suite")) };
    let suite = SuiteArgs { suite: path.clone(), suite_format: args.suite_format.clone() };
    let text = suite_input::read(&suite, &args.model.path, Writes::Other, context)?.with_negative();
    let Args { model, search, .. } = args;
    let scope = &args.goals.scope;
    let found = mutants::find((model, Some(&text)), scope, search, Derived::Mutants, context)?;
    require_initial_state(&found.loaded, search, context)?;
    let suite = text.tests(&found.loaded, &search.limits(), context)?;
    let trees = trees(args, &suite)?;
    let names = names_of(args, &found.loaded.model, context)?;
    let unobserved = unobserved(args, &found.loaded.model, names.as_ref())?;
    let options =
        Options { seed: args.seed, n_jobs: args.jobs, observation: Observation { unobserved } };
    let model = implementation(&found.set.model);
    let outcomes = search::run(search, context, |budget| {
        let tester = Tester::new(&model, budget);
        let scripts: Vec<Script> =
            trees.iter().map(|tree| tree.script(tester.ports(), &model)).collect();
        play(&model, &found.mutants, &scripts, &options, budget)
    });
    let tests = trees.iter().map(|tree| tree.name.clone()).collect();
    let has_dropped = suite.origins.len() < suite.document.drafts.len();
    Ok(Played { found, outcomes, tests, has_impossible: suite.has_impossible, has_dropped })
}

/// Lists what is not caught; all mutants, if much is to be said.
fn write_text(played: &Played, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    let paint = output.paint;
    let texts = Texts::new(&played.found.set.model, &played.found.loaded.sources);
    let is_verbose = context.terminal.is_verbose();
    let is_listed = |outcome: &Outcome| {
        is_verbose || matches!(outcome, Outcome::Missed | Outcome::Inconclusive(_))
    };
    let all = played.found.mutants.list.iter().zip(&played.outcomes);
    let listed = all.filter_map(|(mutant, outcome)| Some((mutant, outcome.as_ref()?)));
    let listed: Vec<_> = listed.filter(|(_, outcome)| is_listed(outcome)).collect();
    let limit = if is_verbose { listed.len() } else { MAX_LISTED };
    for (mutant, outcome) in listed.iter().take(limit) {
        let shown = Shown::new(&played.found, &texts, mutant);
        let heading = shown.heading(&played.found, mutant, paint);
        output.write(&format!("{heading}  {}\n", described(played, outcome, paint)))?;
        output.write(&shown.diff(&played.found.loaded.sources, paint))?;
    }
    if listed.len() > limit {
        let more = grouped((listed.len() - limit) as u64);
        output.write(&format!("... and {more} more: -v or --format json lists all\n"))?;
    }
    output.finish()
}

fn described(played: &Played, outcome: &Outcome, paint: Paint) -> String {
    let (style, why) = match outcome {
        Outcome::Caught(it) => {
            let test = &played.tests[it.test];
            (Style::Good, format!(" by {test}, exchange {}: {}", it.exchange, it.message))
        }
        Outcome::Missed => (Style::Bad, String::new()),
        Outcome::Inconclusive(why) | Outcome::Invalid(why) => (Style::Open, format!(" ({why})")),
        Outcome::Environment => (Style::Dim, " (it changes only inputs)".into()),
    };
    format!("{}{why}", paint.paint(style, outcome.word()))
}

/// Writes `trapline-mutants-run/1`, a mutant a line.
fn write_json(played: &Played, context: &Context) -> Result<(), Failure> {
    let mut output = context.output()?;
    let is_complete = played.is_complete() && !interrupt::is_raised();
    output.write(&format!(
        "{{\n  \"format\": \"trapline-mutants-run/1\",\n  \"model\": {},\n  \"complete\": {is_complete},\n",
        json!(played.found.loaded.path),
    ))?;
    for word in WORDS {
        output.write(&format!("  \"{}\": {},\n", word.replace(' ', "_"), played.count(word)))?;
    }
    output.write(&format!("  \"tests\": {},\n  \"mutants\": [", json!(played.tests)))?;
    let texts = Texts::new(&played.found.set.model, &played.found.loaded.sources);
    for (idx, mutant) in played.found.mutants.list.iter().enumerate() {
        let mut json = document::change(&played.found, &texts, mutant);
        add_outcome(&mut json, played, played.outcomes[idx].as_ref());
        output.write(if idx == 0 { "\n    " } else { ",\n    " })?;
        output.write(&json.to_string())?;
    }
    output.write("\n  ]\n}\n")?;
    output.finish()
}

fn add_outcome(json: &mut Json, played: &Played, outcome: Option<&Outcome>) {
    json["verdict"] = outcome.map(Outcome::word).into();
    match outcome {
        Some(Outcome::Caught(it)) => {
            json["test"] = played.tests[it.test].as_str().into();
            json["exchange"] = it.exchange.into();
            json["reason"] = it.message.as_str().into();
        }
        Some(Outcome::Inconclusive(why) | Outcome::Invalid(why)) => {
            json["reason"] = why.as_str().into();
        }
        Some(Outcome::Missed | Outcome::Environment) | None => {}
    }
}

/// The last line.
fn tell(played: &Played, context: &Context) {
    let counts = WORDS.iter().enumerate().filter_map(|(place, word)| {
        let count = played.count(word);
        let of = if *word == "environment" { "of the environment" } else { word };
        // What hardly ever occurs is named only if it does.
        (place < 3 || count > 0).then(|| format!("{} {of}", grouped(count as u64)))
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    let cut = if played.is_complete() { "" } else { "; not all were played" };
    context.terminal.summary(&format!(
        "{}, {}: {counts}{cut}",
        counted(played.found.mutants.list.len() as u64, "mutant"),
        counted(played.tests.len() as u64, "test"),
    ));
}
