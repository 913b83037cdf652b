//! Everything that a report shows, as plain data.
//!
//! A page knows no model and no goal of the library: tests, goals, variables and files are indices
//! into the page itself. Each format under [`crate::formats::report`] writes it.

use trapline_suite::property::Property;

use crate::run::Run;

/// What a report shows.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The name and version of the tool.
    pub tool: String,
    /// The model.
    pub model: ModelFacts,
    /// The suite.
    pub suite: SuiteFacts,
    /// How the report was asked for: names and values of options.
    pub options: Vec<(String, String)>,
    /// What was left out of the goals, and why.
    pub notices: Vec<String>,
    /// The texts that positions refer to, the model first.
    pub sources: Vec<Source>,
    /// The criteria, in the order of their goals.
    pub criteria: Vec<Criterion>,
    /// The goals.
    pub goals: Vec<Goal>,
    /// The decisions that pairs of evaluations are about.
    pub decisions: Vec<Decision>,
    /// The tables that the model is written in.
    pub tables: Vec<Table>,
    /// The variables and definitions, in the model's order.
    pub variables: Vec<Variable>,
    /// The tests.
    pub tests: Vec<Test>,
    /// The requirements that the model names.
    pub requirements: Vec<Requirement>,
    /// What a run of the suite gave.
    pub run: Option<Run>,
    /// Every criterion's suite scored against every criterion's goals.
    pub comparison: Option<Comparison>,
    /// The dependency graph as an SVG element.
    pub graph: String,
}

/// What a model is known by.
#[derive(Clone, Debug, Default)]
pub struct ModelFacts {
    /// The path as the user gave it.
    pub path: String,
    /// What it is written in.
    pub language: String,
    /// The module that was started from.
    pub main: String,
    /// The checksum of its text.
    pub sha256: String,
    /// The words of its language.
    pub keywords: Vec<&'static str>,
    /// What begins a comment in it; perhaps also what begins and ends one of several lines.
    pub comments: Vec<&'static str>,
}

/// What a suite is known by.
#[derive(Clone, Debug, Default)]
pub struct SuiteFacts {
    /// The path as the user gave it.
    pub path: String,
    /// Was all the work done when it was written, if it says so?
    pub is_complete: Option<bool>,
    /// The checksum of the model that it was made for, if it says so.
    pub model_sha256: Option<String>,
    /// The tests that the model does not allow: they count for nothing.
    pub impossible: Vec<String>,
}

/// A text.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its path.
    pub path: String,
    /// The text.
    pub text: String,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The text, in [`Page::sources`].
    pub file: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A criterion.
#[derive(Clone, Debug, Default)]
pub struct Criterion {
    /// Its name.
    pub name: String,
    /// What it asks for, in half a sentence.
    pub about: String,
    /// What is known of its goals.
    pub counts: Counts,
}

/// How many goals there are, by what is known of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Some test reaches them.
    pub covered: usize,
    /// No test does.
    pub not_covered: usize,
    /// Nothing can.
    pub infeasible: usize,
    /// No test does, and whether anything can is open.
    pub unknown: usize,
}

/// What is known of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Some test reaches it.
    Covered,
    /// No test does.
    NotCovered,
    /// Nothing can.
    Infeasible,
    /// No test does, and whether anything can is open.
    Unknown,
}

/// A goal.
#[derive(Clone, Debug)]
pub struct Goal {
    /// What it is known by.
    pub id: String,
    /// Its criterion, in [`Page::criteria`].
    pub criterion: usize,
    /// What it is, for people.
    pub text: String,
    /// Where it comes from.
    pub place: Option<Location>,
    /// What is known of it.
    pub verdict: Verdict,
    /// The proof that nothing can reach it, or why that is open.
    pub reason: Option<String>,
    /// What that says of the property that it is, if it is one of the model.
    pub property: Option<Property>,
    /// Where the tests reach it, by test: the state of each test in which they first do. Those of a
    /// pair are its two evaluations.
    pub hits: Vec<Hit>,
    /// What it asks for, if that is a pair of evaluations.
    pub pair: Option<Pair>,
    /// The tests without which the suite would not reach it.
    pub needs: Vec<usize>,
    /// What running the tests shows of it, if some test reaches it.
    pub shown: Option<Showing>,
}

/// What running tests shows of a goal that they reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Showing {
    /// What is judged shows it.
    Outputs,
    /// Nothing that is judged shows it.
    Inside,
    /// That is not determined.
    Unknown,
}

/// A state of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    /// The test, in [`Page::tests`].
    pub test: usize,
    /// The state, from 0.
    pub state: usize,
}

/// A goal that asks for two evaluations of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The decision, in [`Page::decisions`].
    pub decision: usize,
    /// The condition that is to be shown.
    pub condition: usize,
    /// The two evaluations that show it, in [`Decision::evaluations`].
    pub shown_by: Option<[usize; 2]>,
}

/// A decision and its truth table, as far as it matters.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// Where it stands.
    pub place: Option<Location>,
    /// Its conditions.
    pub conditions: Vec<String>,
    /// The evaluations that could be one of a pair.
    pub evaluations: Vec<Evaluation>,
    /// How many more there are that no test makes.
    pub n_left_out: usize,
}

/// A row of a truth table.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value of each condition, where it is known.
    pub conditions: Vec<Option<bool>>,
    /// The value of the decision.
    pub value: bool,
    /// The condition that must matter at an output, if one must: the same values may stand in a row for each.
    pub observed: Option<usize>,
    /// Where a test first makes it.
    pub hit: Option<Hit>,
    /// How many tests do.
    pub n_tests: usize,
}

/// A table that the model is written in.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it is, in words.
    pub kind: String,
    /// What it gives values to, or what it is, with the goals of the table as a whole.
    pub title: Cell,
    /// What the columns hold. The last one spans those that are left.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// The row of the values that the columns stand for.
    pub values: Vec<Cell>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub place: Option<Location>,
    /// The goals about it.
    pub goals: Vec<usize>,
}

/// A variable or a definition.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its full name.
    pub name: String,
    /// Who sets it and who sees it: `input`, `output` or `internal`.
    pub role: &'static str,
    /// When it may change: `state`, `ivar`, `frozen`, `define`, or `step` for a definition of a step.
    pub kind: &'static str,
    /// What its values are.
    pub shape: Shape,
    /// The values that it takes in the tests, as they are written.
    pub values: Vec<String>,
}

/// What the values of a variable are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Truth values.
    Boolean,
    /// Numbers.
    Number,
    /// Anything else.
    Symbol,
}

/// A test.
#[derive(Clone, Debug, Default)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// How many states it has, at least one.
    pub n_states: usize,
    /// The state that follows the last one.
    pub loop_start: Option<usize>,
    /// What each variable does. What belongs to a step stands at the state that the step leads to.
    pub columns: Vec<Vec<Stretch>>,
    /// What belongs to the step that closes the loop: variables, and values in
    /// [`Variable::values`].
    pub back: Vec<(usize, usize)>,
}

/// Consecutive states in which a variable has the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The value, in [`Variable::values`]; none where it has none.
    pub value: Option<usize>,
    /// How many states.
    pub n_states: usize,
}

/// A requirement that the model names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    /// What it is known by.
    pub id: String,
    /// What the model says about it.
    pub text: String,
    /// The text that it stands in, in [`Page::sources`].
    pub file: usize,
    /// The line, from 1.
    pub line: usize,
    /// The goals about what it annotates.
    pub goals: Vec<usize>,
}

/// Every criterion's suite scored against every criterion's goals.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The path of the document.
    pub path: String,
    /// The suites, which are those of the criteria.
    pub suites: Vec<ComparedSuite>,
}

/// A suite that was compared.
#[derive(Clone, Debug, Default)]
pub struct ComparedSuite {
    /// The criterion.
    pub name: String,
    /// How many of its goals can be reached.
    pub n_feasible: usize,
    /// The tests of its suite.
    pub n_tests: usize,
    /// The steps of these.
    pub n_steps: usize,
    /// How many goals of each criterion its suite reaches, in the order of the suites.
    pub reached: Vec<usize>,
}

impl Verdict {
    /// The verdict in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Covered => "covered",
            Verdict::NotCovered => "not covered",
            Verdict::Infeasible => "infeasible",
            Verdict::Unknown => "unknown",
        }
    }
}

impl Counts {
    /// Counts a goal.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Covered => self.covered += 1,
            Verdict::NotCovered => self.not_covered += 1,
            Verdict::Infeasible => self.infeasible += 1,
            Verdict::Unknown => self.unknown += 1,
        }
    }

    /// All goals.
    pub fn total(&self) -> usize {
        self.counting() + self.infeasible
    }

    /// The goals that count: all but the infeasible ones.
    pub fn counting(&self) -> usize {
        self.covered + self.not_covered + self.unknown
    }

    /// What stands instead of a score where no goal counts.
    pub fn without_score(&self) -> Option<&'static str> {
        match (self.total(), self.counting()) {
            (0, _) => Some("no goals"),
            (_, 0) => Some("all infeasible"),
            _ => None,
        }
    }

    /// The share of the goals that count that are covered; all of nothing is everything.
    pub fn score(&self) -> f64 {
        match self.counting() {
            0 => 1.0,
            counting => self.covered as f64 / counting as f64,
        }
    }
}

impl Showing {
    /// It in a sentence, if there is something to say.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Showing::Outputs => None,
            Showing::Inside => Some("reached only inside: nothing that is judged shows it"),
            Showing::Unknown => {
                Some("reached, but whether what is judged shows it is not determined")
            }
        }
    }
}

impl Goal {
    /// The tests that reach it, each once.
    pub fn tests(&self) -> Vec<usize> {
        let mut tests: Vec<usize> = self.hits.iter().map(|hit| hit.test).collect();
        tests.sort_unstable();
        tests.dedup();
        tests
    }
}

impl Page {
    /// How many goals are shown so.
    pub fn n_shown(&self, showing: Showing) -> usize {
        self.goals.iter().filter(|goal| goal.shown == Some(showing)).count()
    }

    /// The counts of all goals.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.goals.iter().for_each(|goal| counts.add(goal.verdict));
        counts
    }

    /// How many of the model's own properties have a verdict.
    pub fn n_properties(&self, verdict: Property) -> usize {
        self.goals.iter().filter(|goal| goal.property == Some(verdict)).count()
    }

    /// The tests that reach some goal of a requirement.
    pub fn tests_of(&self, requirement: &Requirement) -> Vec<usize> {
        let goals = requirement.goals.iter().filter_map(|&goal| self.goals.get(goal));
        let mut tests: Vec<usize> = goals.flat_map(Goal::tests).collect();
        tests.sort_unstable();
        tests.dedup();
        tests
    }
}
