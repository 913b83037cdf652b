//! Models without constraints, claims and traces at random.

use fastrand::Rng;
use trapline_model::trace::{State, Trace};
use trapline_model::{Formula, Model, Property, Var, VarKind};
use trapline_suite::never_claim::NeverClaim;

use trapline_testkit::read;

const VARS: &str = "MODULE main
VAR a : boolean; b : boolean; n : 0..2;
IVAR i : boolean;
FROZENVAR f : boolean;
DEFINE both := a & b;
";

/// Atoms of every logic.
const ATOMS: &[&str] = &["a", "b", "n = 1", "n < 2", "both", "f", "TRUE", "FALSE"];

/// Atoms about steps, and such that have no value somewhere.
const STEP_ATOMS: &[&str] =
    &["i", "next(a)", "n != next(n)", "next(f)", "4 / n = 2", "a & 2 / n = 1 & b"];

/// A claim that some path exists is refused, so `E` stands under an odd number of negations.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Plus,
    Minus,
}

fn pick<'s>(rng: &mut Rng, from: &[&'s str]) -> &'s str {
    from[rng.usize(..from.len())]
}

fn bounds(rng: &mut Rng) -> (usize, usize) {
    let lo = if rng.bool() { 0 } else { rng.usize(..9) };
    (lo, lo + if rng.u8(..9) == 0 { 20 } else { rng.usize(..5) })
}

/// A formula of CTL with about so many operators.
fn ctl(rng: &mut Rng, size: usize, sign: Sign) -> String {
    if size == 0 {
        return pick(rng, ATOMS).into();
    }
    let left = rng.usize(..size);
    let (lo, hi) = bounds(rng);
    let (other, path) = match sign {
        Sign::Plus => (Sign::Minus, "A"),
        Sign::Minus => (Sign::Plus, "E"),
    };
    match rng.u8(..10) {
        0 => format!("!({})", ctl(rng, size - 1, other)),
        1 => format!("(({}) -> ({}))", ctl(rng, left, other), ctl(rng, size - 1 - left, sign)),
        2 | 3 => {
            let op = pick(rng, &["&", "|"]);
            format!("(({}) {op} ({}))", ctl(rng, left, sign), ctl(rng, size - 1 - left, sign))
        }
        4 => format!("({} {} {})", pick(rng, ATOMS), pick(rng, &["<->", "xor"]), pick(rng, ATOMS)),
        5 => {
            let op = pick(rng, &["BF", "BG"]);
            format!("{path}{op} {lo}..{hi} ({})", ctl(rng, size - 1, sign))
        }
        6 => {
            let until = if rng.bool() { "U".into() } else { format!("BU {lo}..{hi}") };
            let (p, q) = (ctl(rng, left, sign), ctl(rng, size - 1 - left, sign));
            format!("{path} [({p}) {until} ({q})]")
        }
        _ => format!("{path}{} ({})", pick(rng, &["X", "F", "G"]), ctl(rng, size - 1, sign)),
    }
}

/// A formula of LTL with about so many operators.
fn ltl(rng: &mut Rng, size: usize) -> String {
    if size == 0 {
        let atoms = if rng.u8(..3) == 0 { STEP_ATOMS } else { ATOMS };
        return pick(rng, atoms).into();
    }
    let left = rng.usize(..size);
    let (lo, hi) = bounds(rng);
    match rng.u8(..8) {
        0 => format!("!({})", ltl(rng, size - 1)),
        1..4 => {
            let ops = ["&", "|", "->", "<->", "xor", "xnor", "U", "V", "S", "T", "U", "V"];
            let op = pick(rng, &ops);
            format!("(({}) {op} ({}))", ltl(rng, left), ltl(rng, size - 1 - left))
        }
        4 => {
            let op = pick(rng, &["F", "G", "O", "H"]);
            format!("{op} [{lo},{hi}] ({})", ltl(rng, size - 1))
        }
        _ => {
            let op = pick(rng, &["X", "F", "G", "X", "F", "G", "Y", "Z", "O", "H"]);
            format!("{op} ({})", ltl(rng, size - 1))
        }
    }
}

/// A model with claims at random, for its properties.
pub fn model(rng: &mut Rng, n_claims: usize) -> Model {
    let mut text = String::from(VARS);
    for _ in 0..n_claims {
        let size = rng.usize(..6);
        text.push_str(&match rng.u8(..7) {
            0 => format!("INVARSPEC {};\n", pick(rng, &[ATOMS, STEP_ATOMS].concat())),
            1..4 => format!("CTLSPEC {};\n", ctl(rng, size, Sign::Plus)),
            _ => format!("LTLSPEC {};\n", ltl(rng, size)),
        });
    }
    read(&text, &[]).0
}

/// The properties of a model.
pub fn claims(model: &Model) -> Vec<NeverClaim> {
    let claim = |property: &Property| match property.formula {
        Formula::Holds(clause) | Formula::Min(clause, _) | Formula::Max(clause, _) => {
            (property.kind, clause.expr)
        }
        Formula::Unsupported(why) => unreachable!("all properties can be read, not: {why}"),
    };
    model.properties.iter().map(claim).collect()
}

/// A trace at random; every other one has values missing, and loops.
pub fn trace(model: &Model, rng: &mut Rng) -> Trace {
    let rarity = if rng.bool() { 9 } else { usize::MAX };
    let mut states: Vec<State> = Vec::new();
    for idx in 0..rng.usize(1..=6) {
        let value = |(var_idx, var): (usize, &Var)| {
            if var.kind == VarKind::Frozen && idx > 0 {
                return states[0].values[var_idx];
            }
            let value = var.domain.value(rng.u64(..var.domain.size().expect("finite")));
            (rng.usize(..rarity) > 0).then_some(value)
        };
        let values = model.vars.iter().enumerate().map(value).collect();
        states.push(State { values });
    }
    let loop_start = rng.bool().then(|| rng.usize(..states.len()));
    if let (None, Some(last)) = (loop_start, states.last_mut()) {
        last.drop_inputs(model);
    }
    Trace { states, loop_start }
}
