//! Traces for targets, each trace credited with all that it meets.

use trapline_model::Model;
use trapline_model::goal::{Judge, Target};
use trapline_model::trace::Trace;

use crate::answer::{Reached, Verdict, Why};

/// Gives every target that was hit its verdict, and all others `open`. `depths` has the length of
/// a shortest trace to each target that was hit, and `make` makes such a trace. The longest ones
/// are made first, and a trace is credited with every target that it meets as early as any can.
pub fn credit(
    model: &Model,
    targets: &[Target],
    depths: &[Option<usize>],
    open: &Verdict,
    mut make: impl FnMut(usize) -> Result<Trace, Why>,
) -> Reached {
    let mut verdicts: Vec<Option<Verdict>> = vec![None; targets.len()];
    let mut traces = Vec::new();
    let mut order: Vec<usize> = (0..targets.len()).filter(|&idx| depths[idx].is_some()).collect();
    order.sort_by_key(|&idx| std::cmp::Reverse(depths[idx]));
    let judge = Judge::new(model, targets);
    for &idx in &order {
        if verdicts[idx].is_some() {
            continue;
        }
        let trace = match make(idx) {
            Ok(trace) => trace,
            Err(why) => {
                verdicts[idx] = Some(Verdict::Unknown(why));
                continue;
            }
        };
        let met = judge.met(&trace);
        for &other in &order {
            if let (None, Some(state)) = (&verdicts[other], met[other])
                && depths[other] == Some(state)
            {
                verdicts[other] = Some(Verdict::Reached { trace: traces.len(), state });
            }
        }
        if verdicts[idx].is_none() {
            let Some(state) = met[idx] else {
                unreachable!("the evaluator does not see that a trace meets its target")
            };
            verdicts[idx] = Some(Verdict::Reached { trace: traces.len(), state });
        }
        traces.push(trace);
    }
    let verdicts = verdicts.into_iter().map(|v| v.unwrap_or_else(|| open.clone())).collect();
    Reached { traces, verdicts, ..Reached::default() }
}
