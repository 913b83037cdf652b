//! The result for programs: `trapline-goals/1`.

use serde_json::{Map, Value as Json, json};
use trapline_engine::Budget;
use trapline_goals::decide::Verdict;
use trapline_goals::mutate::Subject;
use trapline_goals::pairs::{Point, Seen};
use trapline_goals::reflect::Reflected;
use trapline_goals::traps::{self, Trap, Traps};
use trapline_goals::winnow::Reason;
use trapline_goals::{Goal, GoalKind};
use trapline_lang::smv::Smv;
use trapline_model::Model;
use trapline_report::formats::trace::json as trace_json;
use trapline_suite::write::goals::{described, trap};

use super::{Found, by_criterion, property, verdict_word, verdict_words};
use crate::context::Context;
use crate::failure::Failure;
use crate::goal_args::Prepared;
use crate::interrupt;
use crate::load::Loaded;

/// A trap with more nodes is not written out.
const MAX_NODES: usize = 200_000;

/// Beyond this size no more traps are written: those of the branches of one long `case` grow
/// quadratically with its length.
const MAX_BYTES: usize = 1 << 29;

/// Was all the work done?
fn is_complete(found: &Found) -> bool {
    !interrupt::is_raised() && found.prepared.cut.is_none()
}

/// Writes the goals, one a line: there may be a great many. Traps are written as long as the budget
/// lasts.
pub fn write(found: &Found, budget: &Budget<'_>, context: &Context) -> Result<(), Failure> {
    let set = &found.prepared.set;
    let traps = traps::traps(set);
    let mut output = context.output()?;
    output.write(&format!(
        "{{\n  \"format\": \"trapline-goals/1\",\n  \"model\": {},\n  \"complete\": {},\n  \
         \"goals\": [",
        json!(found.prepared.loaded.path),
        is_complete(found)
    ))?;
    let (mut n_written, mut n_without) = (0, 0);
    for idx in 0..set.goals.len() {
        let is_over = n_written > MAX_BYTES || budget.spend(0).is_err();
        n_without += usize::from(is_over);
        let text = goal_json(found, (!is_over).then_some(&traps), idx).to_string();
        n_written += text.len();
        output.write(if idx == 0 { "\n    " } else { ",\n    " })?;
        output.write(&text)?;
    }
    if n_without > 0 {
        let text = match n_written > MAX_BYTES {
            true => format!("the last {n_without} traps would be too much: --format smv has them"),
            false => format!("time ran out before the last {n_without} traps were written"),
        };
        context.terminal.note(&text);
    }
    output.write("\n  ],\n  \"left_out\": ")?;
    let left_out: Vec<&str> = set.notices.iter().map(|notice| notice.text.as_str()).collect();
    output.write(&json!(left_out).to_string())?;
    output.write(",\n  \"winnowed\": ")?;
    output.write(&json!(winnowed(found)).to_string())?;
    output.write("\n}\n")?;
    output.finish()
}

fn goal_json(found: &Found, traps: Option<&Traps>, idx: usize) -> Json {
    let goal = &found.prepared.set.goals[idx];
    let mut json = described(&found.prepared.loaded.origin(), goal);
    match (traps, &goal.kind) {
        (None, _) => {
            json["trap"] = Json::Null;
            json["parts"] = json!([]);
        }
        (Some(traps), GoalKind::Pair(pair)) => {
            let point = &found.prepared.set.points[pair.decision];
            json["parts"] = parts(&found.prepared, goal, point, traps, &traps.claims[idx]);
        }
        (Some(traps), _) => {
            json["trap"] = trap(&Smv, &traps.model, traps.claims[idx].first(), MAX_NODES);
        }
    }
    if let Some(decided) = &found.decided {
        let verdict = &decided.verdicts[idx];
        json["verdict"] = verdict_word(verdict).into();
        if let Some(property) = property(goal, verdict) {
            json["property"] = property.word().into();
        }
        json["reason"] = match verdict {
            Verdict::Covered(_) => Json::Null,
            Verdict::Infeasible(how) | Verdict::MayKill(how) => how.as_str().into(),
            Verdict::Unknown(why) => why.to_string().into(),
        };
        if let Some(pair) = shown_pair(found, idx, verdict) {
            json["pair"] = pair;
        }
    }
    json
}

/// The evaluations that could serve a pair, each with those that it makes a pair with.
fn parts(prepared: &Prepared, goal: &Goal, point: &Point, traps: &Traps, claims: &[Trap]) -> Json {
    let GoalKind::Pair(pair) = &goal.kind else { return Json::Null };
    let serving = point.serving(pair.condition);
    let parts = serving.iter().zip(claims).map(|(&idx, claim)| {
        let partners = serving.iter().enumerate().filter(|(_, other)| {
            let others = point.distance(pair.condition, idx, **other);
            match pair.reading {
                trapline_goals::Reading::Unique => others == Some(0),
                _ => others.is_some(),
            }
        });
        json!({
            "trap": trap(&Smv, &traps.model, Some(claim), MAX_NODES),
            "conditions": conditions(&prepared.set.model, point, idx),
            "decision": point.evaluations[idx].value,
            "pairs_with": partners.map(|(place, _)| place).collect::<Vec<_>>(),
        })
    });
    parts.collect()
}

/// The value of each condition that an evaluation fixes.
fn conditions(model: &Model, point: &Point, evaluation: usize) -> Json {
    let mut values = Map::new();
    let fixed = |idx: usize| match point.evaluations[evaluation].seen {
        Seen::All(bits) => Some(bits >> idx & 1 == 1),
        Seen::One { condition, holds } => (condition == idx).then_some(holds),
    };
    for (idx, condition) in point.decision.conditions.iter().enumerate() {
        if let Some(value) = fixed(idx) {
            values.insert(trapline_goals::builder::show(model, condition.expr), value.into());
        }
    }
    values.into()
}

/// The two evaluations that show a condition.
fn shown_pair(found: &Found, goal_idx: usize, verdict: &Verdict) -> Option<Json> {
    let set = &found.prepared.set;
    let (Verdict::Covered(shown), GoalKind::Pair(pair)) = (verdict, &set.goals[goal_idx].kind)
    else {
        return None;
    };
    let point = &set.points[pair.decision];
    let evaluations = shown.iter().filter_map(|witness| witness.evaluation);
    let shown = evaluations.map(|idx| {
        json!({
            "conditions": conditions(&set.model, point, idx),
            "decision": point.evaluations[idx].value,
        })
    });
    Some(shown.collect())
}

/// The pair in a few characters: `101 gives true, 001 gives false`.
pub fn pair_text(found: &Found, goal_idx: usize, verdict: &Verdict) -> Option<String> {
    let set = &found.prepared.set;
    let (Verdict::Covered(shown), GoalKind::Pair(pair)) = (verdict, &set.goals[goal_idx].kind)
    else {
        return None;
    };
    let point = &set.points[pair.decision];
    let n_conditions = point.decision.conditions.len();
    let texts = shown.iter().filter_map(|witness| witness.evaluation).map(|idx| {
        let evaluation = &point.evaluations[idx];
        let shown: String = match evaluation.seen {
            Seen::All(bits) => {
                (0..n_conditions).map(|idx| if bits >> idx & 1 == 1 { '1' } else { '0' }).collect()
            }
            Seen::One { holds, .. } => if holds { "1" } else { "0" }.into(),
        };
        format!("{shown} gives {}", evaluation.value)
    });
    Some(texts.collect::<Vec<_>>().join(", "))
}

fn winnowed(found: &Found) -> Vec<Json> {
    let dropped = found.winnowed.dropped.iter().map(|(id, criterion, why)| {
        let (why, of) = match why {
            Reason::Infeasible => ("infeasible", None),
            Reason::Trivial => ("trivial", None),
            Reason::Duplicate(first) => ("duplicate", Some(first)),
        };
        json!({"id": id, "criterion": criterion, "why": why, "of": of})
    });
    dropped.collect()
}

/// The totals.
pub fn counts(found: &Found) -> String {
    let mut by = Map::new();
    for (name, goals) in by_criterion(&found.prepared.set) {
        let mut json = json!({"goals": goals.len()});
        if let Some(decided) = &found.decided {
            for word in verdict_words(&decided.verdicts) {
                let is_meant = |idx: &&usize| verdict_word(&decided.verdicts[**idx]) == word;
                json[word] = goals.iter().filter(is_meant).count().into();
            }
        }
        by.insert(name.to_string(), json);
    }
    trace_json::lines(&json!({
        "format": "trapline-goals/1",
        "model": found.prepared.loaded.path,
        "complete": is_complete(found),
        "total": found.prepared.set.goals.len(),
        "by_criterion": by,
    }))
}

/// The model as formulas.
pub fn reflected(loaded: &Loaded, model: &Model, reflected: &[Reflected]) -> String {
    let formulas = reflected.iter().map(|one| {
        json!({
            "text": one.text,
            "logic": one.claim.kind.name(),
            "formula": model.show_expr(one.claim.expr),
        })
    });
    trace_json::lines(&json!({
        "format": "trapline-goals/1",
        "model": loaded.path,
        "reflected": formulas.collect::<Vec<_>>(),
    }))
}

/// The cases of the model, their guards a partition.
pub fn cases(loaded: &Loaded, model: &Model, subjects: &[Subject]) -> String {
    let shown = |occ| model.show_expr(model.occurrences.get(occ).expr);
    let cases = subjects.iter().filter(|subject| !subject.branches.is_empty()).map(|subject| {
        let branches = subject
            .branches
            .iter()
            .map(|branch| json!({"guard": shown(branch.guard), "value": shown(branch.value)}));
        json!({"of": subject.named.text, "branches": branches.collect::<Vec<_>>()})
    });
    trace_json::lines(&json!({
        "format": "trapline-goals/1",
        "model": loaded.path,
        "expounded": cases.collect::<Vec<_>>(),
    }))
}
