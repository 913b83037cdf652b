//! Reading what a run gave, and relating it to the model, the suite and the goals of a page.
//!
//! A document may be of another model or suite, or of nothing that makes sense. What belongs to this report
//! is told by checksums, names, and the inputs that were sent.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::Value as Json;
use trapline_engine::possible::Ports;
use trapline_exec::script::Script;
use trapline_exec::write;
use trapline_report::page::{Location, Page};
use trapline_report::run::{Exchange, Outcome, Place, Reached, Resembled, Run, RunTest, Values};

use super::documents::{list, number, read, refuse};
use crate::context::Context;
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::numbers::counted;
use crate::suite_input::SuiteInput;

/// At most so many exchanges of a test are kept.
const MAX_EXCHANGES: usize = 300;
/// So many of them stand before the one that decided, if there are more.
const N_BEFORE: usize = 240;
/// At most so many characters of a value, a message, and what was written to standard error are kept.
const MAX_VALUE: usize = 300;
const MAX_MESSAGE: usize = 2_000;
const MAX_STDERR: usize = 8_000;
/// At most so many answers that are allowed and places are kept.
const MAX_LISTED: usize = 16;
/// No more mutants are counted: nothing has so many.
const MAX_UNLISTED: usize = 1_000_000;
/// At most so many tests are named in a note.
const MAX_NAMES: usize = 5;

/// What a page is about.
pub struct About<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its model and goals.
    pub prepared: &'a Prepared,
    /// Its suite.
    pub suite: &'a SuiteInput,
}

/// Reads what a run gave.
pub fn run(path: &Path, about: &About<'_>, context: &Context) -> Result<Run, Failure> {
    let (path, json) = read(path, "trapline-run/1", context)?;
    let run = parse(&json, path, about)?;
    run.notices.iter().for_each(|text| context.terminal.note(text));
    Ok(run)
}

fn parse(json: &Json, path: String, about: &About<'_>) -> Result<Run, Failure> {
    let is_same_model = is_same_model(&json["model"], about.prepared);
    let reader = Reader::new(&path, about, is_same_model);
    let tests = list(json, "tests", &path)?.iter().map(|test| reader.test(test));
    let read: Vec<Read> = tests.collect::<Result<_, _>>()?;
    let unreached = reader.ids(json, "unreached")?;
    let mut run = Run {
        is_complete: json["complete"].as_bool().unwrap_or(true),
        goals: reader.goals(&read, &unreached),
        notices: Vec::new(),
        tests: Vec::new(),
        path: path.clone(),
    };
    run.notices = reader.notices(&read, run.is_complete);
    run.tests = read.into_iter().map(|read| read.test).collect();
    let counted = [
        ("passed", Outcome::Pass),
        ("failed", Outcome::Fail),
        ("inconclusive", Outcome::Inconclusive),
        ("errors", Outcome::Error),
    ];
    for (name, outcome) in counted {
        let (said, listed) = (number(json, name, &path)?, run.count(outcome));
        if said != listed {
            let why = format!("it counts {said} as `{name}`, and lists {listed}");
            return Err(refuse(&path, &why));
        }
    }
    Ok(run)
}

/// Was a run judged by the model of the page, as far as it says so?
fn is_same_model(model: &Json, prepared: &Prepared) -> bool {
    let loaded = &prepared.loaded;
    let is_same = |name: &str, own: &str| model[name].as_str().is_none_or(|known| known == own);
    match model.as_str() {
        Some(path) => path == loaded.path,
        None => is_same("sha256", &loaded.sha256) && is_same("main", &loaded.main),
    }
}

/// A test, and how it relates to the suite.
struct Read {
    test: RunTest,
    relation: Relation,
    /// The goals that it names and the page does not have.
    strange: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    /// The suite has no test of this name.
    Unknown,
    /// The suite's test of this name has other inputs.
    OtherInputs,
}

/// How a test was played.
struct Played<'j> {
    outcome: Outcome,
    step: Option<usize>,
    exchanges: &'j [Json],
    branch: &'j [Json],
}

struct Reader<'a> {
    path: &'a str,
    about: &'a About<'a>,
    is_same_model: bool,
    ports: Ports<'a>,
    tests: HashMap<&'a str, Vec<usize>>,
    goals: HashMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn new(path: &'a str, about: &'a About<'a>, is_same_model: bool) -> Reader<'a> {
        let Page { tests, goals, .. } = about.page;
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (idx, test) in tests.iter().enumerate() {
            named.entry(&test.name).or_default().push(idx);
        }
        let goals = goals.iter().enumerate().map(|(idx, goal)| (goal.id.as_str(), idx)).collect();
        let ports = Ports::new(&about.prepared.loaded.model);
        Reader { path, about, is_same_model, ports, tests: named, goals }
    }

    fn test(&self, json: &Json) -> Result<Read, Failure> {
        let name = self.text(json, "name")?;
        let played = Played {
            outcome: self.outcome(json)?,
            step: match &json["step"] {
                Json::Null => None,
                _ => Some(number(json, "step", self.path)?),
            },
            exchanges: self.optional_list(json, "exchanges")?,
            branch: self.optional_list(json, "branch")?,
        };
        // A branch is a test of its own on the page.
        let numbers = played.branch.iter().map(|number| format!("/{number}"));
        let taken: String = std::iter::once(name.to_string()).chain(numbers).collect();
        let taken = if self.tests.contains_key(taken.as_str()) { &taken } else { name };
        let (test, relation, planned) = self.relate(taken, &played);
        let (first, exchanges) = self.exchanges(&played, &planned)?;
        let (reached, mut strange) = self.known_goals(&self.ids(json, "reached")?);
        let (perhaps, others) = self.known_goals(&self.ids(json, "may_be_reached")?);
        strange.extend(others);
        let test = RunTest {
            name: start(name, MAX_MESSAGE),
            test,
            outcome: played.outcome,
            step: played.step,
            branch: played.branch.iter().filter_map(Json::as_u64).collect(),
            reached,
            perhaps,
            n_exchanges: played.exchanges.len(),
            first,
            exchanges,
            ..self.deviation(json)?
        };
        Ok(Read { test, relation, strange })
    }

    /// What decided a test.
    fn deviation(&self, json: &Json) -> Result<RunTest, Failure> {
        let allowed = self.optional_list(json, "allowed")?;
        let places = self.optional_list(json, "places")?.iter().take(MAX_LISTED);
        let resembles = self.optional_list(json, "resembles")?;
        let n_unlisted = json["more_resembled"].as_u64().and_then(|n| usize::try_from(n).ok());
        let n_unlisted = n_unlisted.unwrap_or(0).min(MAX_UNLISTED);
        let is_cut = allowed.len() > MAX_LISTED;
        let allowed = allowed.iter().take(MAX_LISTED).map(|outputs| self.values(outputs));
        Ok(RunTest {
            expected: self.values(&json["expected"])?,
            observed: self.values(&json["observed"])?,
            allowed: allowed.collect::<Result<_, _>>()?,
            has_more_allowed: is_cut || json["more_allowed"].as_bool() == Some(true),
            message: json["message"].as_str().map(|text| start(text, MAX_MESSAGE)),
            stderr: end(json["stderr"].as_str().unwrap_or_default(), MAX_STDERR),
            places: places.map(|place| self.place(place)).collect(),
            resembles: resembles.iter().take(MAX_LISTED).map(|it| self.resembled(it)).collect(),
            n_more_resembled: n_unlisted + resembles.len().saturating_sub(MAX_LISTED),
            ..RunTest::default()
        })
    }

    fn outcome(&self, json: &Json) -> Result<Outcome, Failure> {
        let word = self.text(json, "verdict")?;
        let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.word() == word);
        outcome.ok_or_else(|| self.refuse(&format!("`{word}` is no verdict of a test")))
    }

    fn text<'j>(&self, json: &'j Json, name: &str) -> Result<&'j str, Failure> {
        let text = json[name].as_str();
        text.ok_or_else(|| self.refuse(&format!("a test has no text `{name}`")))
    }

    /// The test of the suite that was run, and its exchanges.
    fn relate(&self, name: &str, played: &Played<'_>) -> (Option<usize>, Relation, Vec<Json>) {
        let Some(candidates) = self.tests.get(name) else {
            return (None, Relation::Unknown, Vec::new());
        };
        for &idx in candidates {
            let planned = self.planned(idx);
            if has_inputs(&planned, played) {
                return (Some(idx), Relation::Same, planned);
            }
        }
        (None, Relation::OtherInputs, Vec::new())
    }

    /// The exchanges of a test of the suite.
    fn planned(&self, test: usize) -> Vec<Json> {
        let About { page, prepared, suite } = self.about;
        let (model, name) = (&prepared.loaded.model, &page.tests[test].name);
        let script = Script::new(&self.ports, model, name, &[&suite.tests[test]]);
        script.paths[0].exchanges.iter().map(|exchange| write::exchange(model, exchange)).collect()
    }

    /// Those that are kept, and the number of the first. What the test expects is known as long as the run
    /// is on its way.
    fn exchanges(
        &self,
        played: &Played<'_>,
        planned: &[Json],
    ) -> Result<(usize, Vec<Exchange>), Failure> {
        let n_exchanges = played.exchanges.len();
        let n_over = n_exchanges.saturating_sub(MAX_EXCHANGES);
        let first = played.step.map_or(0, |step| step.saturating_sub(N_BEFORE)).min(n_over);
        let mut is_on_way = true;
        let mut kept = Vec::new();
        for (idx, json) in played.exchanges.iter().enumerate().take(first + MAX_EXCHANGES) {
            let plan = planned.get(idx).filter(|_| is_on_way);
            if idx >= first {
                let expected = plan.map(|plan| self.values(&plan["outputs"])).transpose()?;
                let (inputs, outputs) =
                    (self.values(&json["inputs"])?, self.values(&json["outputs"])?);
                kept.push(Exchange { inputs, outputs, expected });
            }
            is_on_way &= plan.is_some_and(|plan| is_as_planned(plan, json));
        }
        // What was sent last, if there was no answer. A run that has left the test goes on with its inputs.
        let is_silent = matches!(played.outcome, Outcome::Fail | Outcome::Error)
            && played.step == Some(n_exchanges);
        if let Some(plan) = planned.get(n_exchanges).filter(|_| is_silent) {
            let expected = is_on_way.then(|| self.values(&plan["outputs"])).transpose()?;
            let inputs = self.values(&plan["inputs"])?;
            kept.push(Exchange { inputs, outputs: Values::new(), expected });
        }
        Ok((first, kept))
    }

    fn place(&self, json: &Json) -> Place {
        let text = |name: &str| start(json[name].as_str().unwrap_or_default(), MAX_VALUE);
        let line = json["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(0);
        let sources = &self.about.page.sources;
        let file =
            sources.iter().position(|source| Some(source.path.as_str()) == json["file"].as_str());
        let file = file.filter(|&file| {
            self.is_same_model && line >= 1 && line <= sources[file].text.lines().count()
        });
        Place {
            output: text("output"),
            name: format!("{}:{line}", text("file")),
            text: text("text"),
            at: file.map(|file| Location { file, line, column: 1 }),
        }
    }

    /// A mutant.
    fn resembled(&self, json: &Json) -> Resembled {
        let id = json["goal"].as_str().unwrap_or_default();
        let goal = self.goals.get(id).copied().filter(|_| self.is_same_model);
        Resembled {
            text: start(json["text"].as_str().unwrap_or(id), MAX_VALUE),
            line: json["line"].as_u64(),
            goal,
            remark: match json["alike"].as_str() {
                Some("perhaps") => "which may answer otherwise",
                Some("exchange") => "which would answer otherwise",
                _ => "",
            },
        }
    }

    /// The goals of the page with these ids, and the ids that it does not have. The goals of another model
    /// may have the same ids.
    fn known_goals(&self, ids: &[&str]) -> (Vec<usize>, Vec<String>) {
        if !self.is_same_model {
            return (Vec::new(), Vec::new());
        }
        let (mut known, mut strange) = (Vec::new(), Vec::new());
        for id in ids {
            match self.goals.get(id) {
                Some(&goal) => known.push(goal),
                None => strange.push((*id).to_string()),
            }
        }
        known.sort_unstable();
        known.dedup();
        (known, strange)
    }

    /// What the run shows of each goal of the page.
    fn goals(&self, tests: &[Read], unreached: &[&str]) -> Vec<Reached> {
        let mut goals = vec![Reached::Unknown; self.about.page.goals.len()];
        self.known_goals(unreached).0.into_iter().for_each(|goal| goals[goal] = Reached::No);
        let mut mark = |of: fn(&RunTest) -> &Vec<usize>, reached: Reached| {
            tests.iter().flat_map(|read| of(&read.test)).for_each(|&goal| goals[goal] = reached);
        };
        mark(|test| &test.perhaps, Reached::Perhaps);
        mark(|test| &test.reached, Reached::Yes);
        goals
    }

    /// What keeps it from being a run of this suite on this model.
    fn notices(&self, tests: &[Read], is_complete: bool) -> Vec<String> {
        let path = self.path;
        let mut notices = Vec::new();
        if !self.is_same_model {
            notices.push(format!(
                "`{path}` was judged by another version of the model: its verdicts are those of that \
                 version, and its goals do not count"
            ));
        }
        if !is_complete {
            notices.push(format!("`{path}` is not complete: not all tests were executed"));
        }
        let of = |relation: Relation| {
            let tests = tests.iter().filter(move |read| read.relation == relation);
            tests.map(|read| read.test.name.as_str()).collect::<Vec<&str>>()
        };
        let run: HashSet<&str> = tests.iter().map(|read| read.test.name.as_str()).collect();
        // A branch that was not taken is not missing.
        let SuiteInput { document, origins, .. } = self.about.suite;
        let trunks = origins.iter().map(|&origin| &document.drafts[origin]);
        let trunks = trunks.filter(|draft| draft.branch.is_empty());
        let names = trunks.map(|draft| draft.name.as_str());
        let not_run = names.filter(|name| !run.contains(name)).collect();
        let lists = [
            (of(Relation::Unknown), "has", "that the suite does not have"),
            (of(Relation::OtherInputs), "has", "with other inputs than the suite's of that name"),
            (not_run, "lacks", "of the suite"),
        ];
        for (names, verb, what) in lists.into_iter().filter(|(names, ..)| !names.is_empty()) {
            let n_tests = counted(names.len() as u64, "test");
            notices.push(format!("`{path}` {verb} {n_tests} {what}: {}", some(&names)));
        }
        let strange: HashSet<&String> = tests.iter().flat_map(|read| &read.strange).collect();
        if !strange.is_empty() {
            notices.push(format!(
                "`{path}` names {} that the report does not have: was it run with other criteria?",
                counted(strange.len() as u64, "reached goal")
            ));
        }
        notices
    }

    fn ids<'j>(&self, json: &'j Json, name: &str) -> Result<Vec<&'j str>, Failure> {
        let ids = self.optional_list(json, name)?.iter().map(|id| {
            id.as_str()
                .ok_or_else(|| self.refuse(&format!("`{name}` has something that is no text")))
        });
        ids.collect()
    }

    fn optional_list<'j>(&self, json: &'j Json, name: &str) -> Result<&'j [Json], Failure> {
        if json[name].is_null() { Ok(&[]) } else { list(json, name, self.path) }
    }

    /// The members of an object, their values as they are written.
    fn values(&self, json: &Json) -> Result<Values, Failure> {
        let members = match json {
            Json::Null => return Ok(Values::new()),
            Json::Object(members) => members.iter(),
            _ => return Err(self.refuse("inputs or outputs are no object")),
        };
        let written = |value: &Json| value.as_str().map_or_else(|| value.to_string(), String::from);
        Ok(members.map(|(name, it)| (name.clone(), start(&written(it), MAX_VALUE))).collect())
    }

    fn refuse(&self, why: &str) -> Failure {
        refuse(self.path, why)
    }
}

/// Were the inputs of a test sent, as long as the answers were those that it expects? What decided the test
/// may have come from the environment.
fn has_inputs(planned: &[Json], played: &Played<'_>) -> bool {
    for (idx, exchange) in played.exchanges.iter().enumerate() {
        let Some(plan) = planned.get(idx) else { return false };
        if played.step == Some(idx) {
            return true;
        }
        if plan["inputs"] != exchange["inputs"] {
            return false;
        }
        if !is_as_planned(plan, exchange) {
            return true;
        }
    }
    true
}

/// Is everything that was seen what the test expects?
fn is_as_planned(plan: &Json, exchange: &Json) -> bool {
    let seen = exchange["outputs"].as_object().into_iter().flatten();
    let mut seen = seen.map(|(name, value)| (plan["outputs"].get(name), value));
    seen.all(|(expected, value)| expected.is_none_or(|expected| expected == value))
        && plan["inputs"] == exchange["inputs"]
}

/// The first of some names.
fn some(names: &[&str]) -> String {
    let more = if names.len() > MAX_NAMES { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(MAX_NAMES)].join(", "))
}

/// The start of a text.
fn start(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into(),
    }
}

/// The end of a text.
fn end(text: &str, max_chars: usize) -> String {
    match text.char_indices().rev().nth(max_chars - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &text[at..]),
        _ => text.into(),
    }
}
