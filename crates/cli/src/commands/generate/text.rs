//! Human-readable summary.

use trapline_suite::generate::Traces;
use trapline_suite::set_cover::{Proof, Solution};
use trapline_suite::suite::{Missing, Suite};

use super::Proved;
use crate::context::Context;
use crate::goal_args::Prepared;
use crate::missing::violated;
use crate::numbers::{counted, grouped};
use crate::shown;

/// Reports the summary on standard error.
pub fn tell(prepared: &Prepared, suite: &Suite, proved: &Proved, context: &Context) {
    let count = |is_meant: fn(&Missing) -> bool| {
        grouped(suite.goals.iter().filter(|goal| is_meant(&goal.missing)).count() as u64)
    };
    let n_steps: u64 = suite.tests.iter().map(|test| test.trace.states.len() as u64 - 1).sum();
    let may_kill = match count(|missing| matches!(missing, Missing::MayKill(_))) {
        none if none == "0" => String::new(),
        some => format!(", {some} may be killed"),
    };
    let mut text = format!(
        "{}: {} covered{}{}, {} infeasible, {} unknown; {} with {}",
        counted(prepared.set.goals.len() as u64, "goal"),
        count(|missing| *missing == Missing::No),
        shown::remark(suite.goals.iter().map(|goal| goal.evidence.word())),
        may_kill,
        count(|missing| matches!(missing, Missing::Infeasible(_))),
        count(|missing| matches!(missing, Missing::Unknown(_))),
        counted(suite.tests.len() as u64, "test"),
        counted(n_steps, "step"),
    );
    text += &match proved.traces {
        None => String::new(),
        Some(Traces { n_all, n_perhaps_long: 0 }) => {
            format!(", of {}, each the shortest to a goal", counted(n_all as u64, "trace"))
        }
        Some(Traces { n_all, n_perhaps_long }) => format!(
            ", of {}, each to a goal, {} of them perhaps not the shortest",
            counted(n_all as u64, "trace"),
            grouped(n_perhaps_long as u64)
        ),
    };
    let solution = proved.solution.as_ref().filter(|solution| solution.chosen.len() > 1);
    if let Some(Solution { chosen, bound, .. }) = solution {
        text += &match bound.proof {
            Proof::Exact | Proof::First => "; no fewer of the tests that were found do".into(),
            Proof::Gap => format!(
                "; of the tests that were found, {} do and at least {} are needed",
                chosen.len(),
                bound.n_tests
            ),
        };
    }
    text += &match &proved.n_steps {
        None => String::new(),
        // The step that closes a loop is not counted in a test, but meets goals.
        Some(Ok(_)) if suite.tests.iter().any(|test| test.trace.loop_start.is_some()) => {
            "; how many steps any suite needs is not known: some tests loop".into()
        }
        Some(Ok(n_steps)) => format!("; any suite needs at least {}", counted(*n_steps, "step")),
        Some(Err(why)) => format!("; how many steps any suite needs is not known: {why}"),
    };
    let goals = prepared.set.goals.iter().zip(&suite.goals);
    text += &violated(goals.filter_map(|(goal, scored)| scored.property(goal)));
    context.terminal.summary(&text);
}
