//! What only a search can tell of a model's tables: that rows exclude each other and cover every case,
//! and that modes are reachable.

use trapline_engine::checks::{self, Decided};
use trapline_engine::{Budget, ENGINES, Engine, Limits, Proof, Verdict, Why};
use trapline_model::check::{Check, Wanted};
use trapline_model::dependency::support;
use trapline_model::goal::Target;
use trapline_model::trace::Trace;
use trapline_model::{AssignKind, Model, VarId};
use trapline_source::{Diagnostic, Diagnostics};

use crate::context::Context;
use crate::failure::Failure;
use crate::load::Loaded;
use crate::numbers::counted;
use crate::search;

/// How much work the checks may cost where the user asked for something else: seconds.
const WORK_BY_THE_WAY: u64 = 20_000_000;
/// So many values of a step are shown.
const MAX_SHOWN: usize = 8;

/// What was found out about the checks of a model.
#[derive(Debug)]
pub struct Checks(Decided);

/// What was found out about a check.
#[derive(Debug)]
pub enum Found<'a> {
    /// It holds.
    Holds(&'a Proof),
    /// It holds, as a trace shows.
    Shown,
    /// It does not, as a trace shows, or a proof.
    Violated(Diagnostic, Option<&'a Trace>),
    /// Nobody knows.
    Undecided(&'a Why),
}

/// Decides all checks of a model at once.
pub fn decide(loaded: &Loaded, engine: &Engine, budget: &Budget<'_>) -> Checks {
    Checks(checks::decide(&loaded.model, &loaded.checks, engine, budget))
}

/// Refuses a model whose tables contradict themselves, as far as that is found with little work.
pub fn require(loaded: &Loaded, limits: &Limits, context: &Context) -> Result<(), Failure> {
    if loaded.checks.is_empty() {
        return Ok(());
    }
    let checks = search::within(limits, context, |budget| {
        decide(loaded, &ENGINES[0], &budget.part(Some(WORK_BY_THE_WAY)))
    });
    let mut diagnostics = Diagnostics::new();
    let mut n_open = 0u64;
    for (check, found) in checks.all(loaded) {
        match found {
            Found::Violated(diagnostic, _) if check.wanted != Wanted::Sometime => {
                diagnostics.push(diagnostic);
            }
            Found::Undecided(_) if check.wanted != Wanted::Sometime => n_open += 1,
            _ => {}
        }
    }
    context.terminal.report(&loaded.sources, &diagnostics);
    if diagnostics.has_errors() {
        return Err(Failure::Reported);
    }
    if n_open > 0 {
        let open = counted(n_open, "question");
        context.terminal.note(&format!(
            "whether the tables are consistent is not known: {open} open; `trapline check` decides them"
        ));
    }
    Ok(())
}

impl Checks {
    /// Each check with what was found out.
    pub fn all<'a>(
        &'a self,
        loaded: &'a Loaded,
    ) -> impl Iterator<Item = (&'a Check, Found<'a>)> + 'a {
        let pairs = loaded.checks.iter().zip(&self.0.verdicts);
        pairs.map(|(check, verdict)| (check, self.found(&loaded.model, check, verdict)))
    }

    fn found<'a>(&'a self, model: &Model, check: &Check, verdict: &'a Verdict) -> Found<'a> {
        match (verdict, check.wanted) {
            (Verdict::Reached { .. }, Wanted::Sometime) => Found::Shown,
            (Verdict::Unreachable(proof), Wanted::Never | Wanted::NotAtFirst) => {
                Found::Holds(proof)
            }
            (Verdict::Unreachable(proof), Wanted::Sometime) => {
                let diagnostic = check.diagnostic.clone().note_here(proof.to_string());
                Found::Violated(diagnostic, None)
            }
            (Verdict::Reached { trace, state }, Wanted::Never | Wanted::NotAtFirst) => {
                let trace = &self.0.traces[*trace];
                let place = example(model, &check.target, trace, *state);
                let diagnostic = check.diagnostic.clone().note_here(place);
                Found::Violated(diagnostic, Some(trace))
            }
            (Verdict::Unknown(why), _) => Found::Undecided(why),
        }
    }
}

/// Where a target is reached: `after 3 steps, when Reset = On, Block = Off, Block' = On`.
fn example(model: &Model, target: &Target, trace: &Trace, state: usize) -> String {
    let (expr, first) = match target {
        Target::State(expr) => (*expr, state),
        Target::Step(expr) => (*expr, state.saturating_sub(1)),
        Target::Steps(_) => return String::new(),
    };
    let support = support(model, [expr]);
    let value = |kind: AssignKind, var: &VarId, state: usize| {
        let value = trace.states.get(state)?.values[var.0 as usize]?;
        Some(format!(
            "{} = {}",
            model.syntax.target(kind, &model.var(*var).name),
            model.show(value)
        ))
    };
    let old = support.current.iter().filter_map(|var| value(AssignKind::Current, var, first));
    let new = support.next.iter().filter_map(|var| value(AssignKind::Next, var, first + 1));
    let values: Vec<String> = old.chain(new).collect();
    let start = match first {
        0 => "at the start".into(),
        _ => format!("after {}", counted(first as u64, "step")),
    };
    match values.len() {
        0 => start,
        n if n > MAX_SHOWN => {
            format!("{start}, when {}, and {} more", values[..MAX_SHOWN].join(", "), n - MAX_SHOWN)
        }
        _ => format!("{start}, when {}", values.join(", ")),
    }
}
