//! From a model, its goals and a suite to the data of a page.

use trapline_goals::criteria::CRITERIA;
use trapline_goals::mutate::OPERATORS;
use trapline_goals::pairs::{Point, Seen};
use trapline_goals::{GoalKind, builder};
use trapline_report::formats::graph::{self, Focus, View};
use trapline_report::page::{
    Criterion, Decision, Evaluation, Goal, Hit, Location, ModelFacts, Page, Pair, Showing, Source,
    SuiteFacts, Verdict,
};
use trapline_source::Span;
use trapline_suite::evaluate::Evaluated;
use trapline_suite::evidence::Evidence;
use trapline_suite::hits::{self, Hits};
use trapline_suite::property::formula;
use trapline_suite::suite::{Missing, Scored};

use super::tables;
use super::timeline::{tests, variables};
use crate::commands::goals::by_criterion;
use crate::goal_args::Prepared;
use crate::load::Loaded;
use crate::suite_input::SuiteInput;

/// A decision with more evaluations shows only those that tests make.
const MAX_ROWS: usize = 64;

/// A graph of more variables is no picture that anyone reads, and takes long to draw.
const MAX_VARIABLES: usize = 2_000;

/// The data of a page, without what other documents say.
pub fn page(
    prepared: &Prepared,
    suite: &SuiteInput,
    (evaluated, hits): (&Evaluated, &Hits),
) -> Page {
    let loaded = &prepared.loaded;
    let mut variables = variables(&loaded.model);
    let tests = tests(&loaded.model, suite, &mut variables);
    let sources = loaded.sources.files().iter();
    let sources =
        sources.map(|file| Source { path: file.path.clone(), text: file.text.to_string() });
    let mut page = Page {
        tool: format!("trapline {}", env!("CARGO_PKG_VERSION")),
        model: ModelFacts {
            path: loaded.path.clone(),
            language: loaded.language.into(),
            main: loaded.main.clone(),
            sha256: loaded.sha256.clone(),
            keywords: loaded.model.syntax.keywords().to_vec(),
            comments: loaded.model.syntax.comments().to_vec(),
        },
        suite: suite_facts(suite),
        notices: prepared.set.notices.iter().map(|notice| notice.text.clone()).collect(),
        sources: sources.collect(),
        graph: picture(loaded),
        tables: tables::tables(prepared),
        variables,
        tests,
        ..Page::default()
    };
    let mut rows = Vec::new();
    for (point, made) in prepared.set.points.iter().zip(&hits.evaluations) {
        let (decision, kept) = decision(prepared, point, made);
        page.decisions.push(decision);
        rows.push(kept);
    }
    add_goals(&mut page, prepared, (evaluated, hits), &rows);
    page
}

fn suite_facts(suite: &SuiteInput) -> SuiteFacts {
    let document = &suite.document;
    let is_impossible = |idx: &usize| suite.origins.binary_search(idx).is_err();
    let impossible = (0..document.drafts.len()).filter(is_impossible);
    SuiteFacts {
        path: String::new(),
        is_complete: document.is_complete,
        model_sha256: document.model_sha256.clone(),
        impossible: impossible.map(|idx| document.drafts[idx].name.clone()).collect(),
    }
}

fn picture(loaded: &Loaded) -> String {
    let format = graph::FORMATS.iter().find(|format| format.name == "svg");
    let graph = graph::of(&loaded.model, &loaded.path, &Focus::All).ok();
    let graph = graph.filter(|graph| graph.variables.len() <= MAX_VARIABLES);
    match (format, graph) {
        (Some(format), Some(graph)) => (format.write)(&graph, View::Variables),
        _ => String::new(),
    }
}

/// Goals and their criteria; `rows` maps the evaluations of a point to table rows.
fn add_goals(
    page: &mut Page,
    prepared: &Prepared,
    (evaluated, hits): (&Evaluated, &Hits),
    rows: &[Vec<Option<usize>>],
) {
    let set = &prepared.set;
    let mut criterion_of = vec![0; set.goals.len()];
    for (criterion_idx, (name, goals)) in by_criterion(set).into_iter().enumerate() {
        goals.iter().for_each(|&goal| criterion_of[goal] = criterion_idx);
        let about = about(name).to_string();
        page.criteria.push(Criterion { name: name.into(), about, ..Criterion::default() });
    }
    for (idx, goal) in set.goals.iter().enumerate() {
        let scored = &evaluated.goals[idx];
        let verdict = verdict(scored);
        page.criteria[criterion_of[idx]].counts.add(verdict);
        let pair = match &goal.kind {
            GoalKind::Pair(pair) => Some(Pair {
                decision: pair.decision,
                condition: pair.condition,
                shown_by: hits.pairs[idx]
                    .and_then(|(a, b)| Some([rows[pair.decision][a]?, rows[pair.decision][b]?])),
            }),
            _ => None,
        };
        page.goals.push(Goal {
            id: goal.id.clone(),
            criterion: criterion_of[idx],
            text: if goal.is_property { formula(&goal.text) } else { &goal.text }.into(),
            place: place(&prepared.loaded, goal.span),
            verdict,
            reason: scored.reason().map(String::from),
            property: scored.property(goal),
            hits: hits.goals[idx].iter().map(hit).collect(),
            pair,
            needs: hits.needs[idx].clone(),
            shown: match scored.evidence {
                Evidence::None => None,
                Evidence::Outputs(_) => Some(Showing::Outputs),
                Evidence::Inside => Some(Showing::Inside),
                Evidence::Unknown(_) => Some(Showing::Unknown),
            },
        });
    }
}

fn hit(&(test, state): &hits::Hit) -> Hit {
    Hit { test, state }
}

fn verdict(scored: &Scored) -> Verdict {
    match scored.missing {
        Missing::No => Verdict::Covered,
        Missing::Feasible => Verdict::NotCovered,
        Missing::Infeasible(_) => Verdict::Infeasible,
        Missing::MayKill(_) | Missing::Unknown(_) => Verdict::Unknown,
    }
}

/// What a criterion asks for.
fn about(name: &str) -> &'static str {
    let criterion = CRITERIA.iter().find(|criterion| criterion.name == name);
    let operator = OPERATORS.iter().find(|one| name.strip_prefix("mutation:") == Some(one.name));
    match (criterion, operator) {
        (Some(criterion), _) => criterion.about,
        (_, Some(operator)) => operator.about,
        _ => "",
    }
}

/// A position on the page.
pub fn place(loaded: &Loaded, span: Span) -> Option<Location> {
    let place = loaded.sources.location(span.start)?;
    let files = loaded.sources.files();
    let file = files.iter().position(|file| {
        let own = file.span();
        own.start <= span.start && span.start <= own.end
    })?;
    Some(Location { file, line: place.line, column: place.column })
}

/// The truth table of a decision, and which row each evaluation is.
fn decision(
    prepared: &Prepared,
    point: &Point,
    made: &[Vec<hits::Hit>],
) -> (Decision, Vec<Option<usize>>) {
    let model = &prepared.set.model;
    let conditions = &point.decision.conditions;
    let place = conditions.first().and_then(|first| place(&prepared.loaded, first.span));
    let conditions = conditions.iter().map(|condition| builder::show(model, condition.expr));
    let mut decision = Decision { place, conditions: conditions.collect(), ..Decision::default() };
    let are_few = point.evaluations.len() <= MAX_ROWS;
    let mut rows = Vec::new();
    for (idx, evaluation) in point.evaluations.iter().enumerate() {
        let made = made.get(idx).map_or(&[][..], Vec::as_slice);
        if made.is_empty() && !are_few {
            decision.n_left_out += 1;
            rows.push(None);
            continue;
        }
        rows.push(Some(decision.evaluations.len()));
        decision.evaluations.push(Evaluation {
            conditions: (0..decision.conditions.len())
                .map(|of| fixed(evaluation.seen, of))
                .collect(),
            value: evaluation.value,
            observed: evaluation.observed.map(|observed| observed.condition),
            hit: made.first().map(hit),
            n_tests: made.len(),
        });
    }
    (decision, rows)
}

/// The value of a condition, if an evaluation fixes it.
fn fixed(seen: Seen, of: usize) -> Option<bool> {
    match seen {
        Seen::All(bits) => Some(bits >> of & 1 == 1),
        Seen::One { condition, holds } => (condition == of).then_some(holds),
    }
}
