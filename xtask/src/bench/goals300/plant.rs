//! A plant of thirty controllers in a ring with about 300 variables, and goals for it: values,
//! pairs of values, and the guards of branches. Many are a few steps away, and many are
//! unreachable: neighbours never work at the same time, and a controller's variables depend on each
//! other.

use std::fmt::Write;

/// How many controllers there are, an even number.
const N_CONTROLLERS: usize = 30;

/// How many of them share a bus.
const N_ON_BUS: usize = N_CONTROLLERS / 2;

/// A variable of a controller, and the values that goals ask for.
struct Variable {
    name: &'static str,
    values: &'static [&'static str],
}

/// The variables of a controller.
const VARIABLES: &[Variable] = &[
    Variable {
        name: "state",
        values: &["off", "idle", "armed", "asking", "working", "cooling", "fault"],
    },
    Variable { name: "timer", values: &["0", "1", "2", "3", "4", "5", "6", "7"] },
    Variable { name: "retries", values: &["0", "1", "2", "3"] },
    Variable { name: "button", values: &["FALSE", "TRUE"] },
    Variable { name: "alarm", values: &["FALSE", "TRUE"] },
    Variable { name: "wants", values: &["FALSE", "TRUE"] },
    Variable { name: "valve", values: &["closed", "opening", "open", "closing"] },
    Variable { name: "served", values: &["0", "1", "2", "3"] },
    Variable { name: "level", values: &["0ud4_0", "0ud4_1", "0ud4_2", "0ud4_5", "0ud4_15"] },
    Variable { name: "target", values: &["0ud6_0", "0ud6_1", "0ud6_9", "0ud6_33", "0ud6_63"] },
];

/// The guards of a controller's branches.
const GUARDS: &[&str] = &[
    "{c}.state = idle & {c}.button & !{c}.alarm & master = normal",
    "{c}.state = idle & {c}.button & {c}.alarm",
    "{c}.ready",
    "{c}.ready & {r}.ready",
    "{c}.state = asking & {c}.has_bus",
    "{c}.state = asking & {c}.timer = 7 & {c}.retries < 3",
    "{c}.state = asking & {c}.timer = 7 & {c}.retries = 3",
    "{c}.state = working & {c}.is_full",
    "{c}.state = working & {c}.timer = 7 & !{c}.is_full",
    "{c}.state = cooling & {c}.valve = closed",
    "{c}.has_bus & {c}.state in {off, idle, armed}",
    "{c}.has_bus & {o}.has_bus",
    "{c}.state = fault & {c}.button",
    "{c}.level = 0ud4_15 & {c}.valve = open",
    "{c}.valve = open & {c}.state = armed",
    "{c}.is_full & {c}.state = working & {c}.timer < 3",
];

/// A controller: it waits for its neighbours and for the bus, fills, and cools down.
const CONTROLLER: &str = "\
MODULE controller(has_bus, is_my_turn, left_busy, right_busy, master)
IVAR knob : unsigned word[6];
VAR
  state : {off, idle, armed, asking, working, cooling, fault};
  timer : 0..7; retries : 0..3; button : boolean; alarm : boolean; wants : boolean;
  valve : {closed, opening, open, closing}; served : 0..3;
  level : unsigned word[4]; target : unsigned word[6];
DEFINE
  busy := state in {asking, working};
  ready := state = armed & timer >= 2 & is_my_turn & !left_busy & !right_busy;
  is_full := extend(level, 2) >= target;
ASSIGN
  init(state) := off; init(timer) := 0; init(retries) := 0; init(button) := FALSE;
  init(alarm) := FALSE; init(wants) := FALSE; init(valve) := closed; init(served) := 0;
  init(level) := 0ud4_0; init(target) := 0ud6_0;
  next(state) := case
    master = shutdown & state != working : off;
    state = off & button : idle;
    state = idle & button & !alarm & master = normal : armed;
    ready : asking;
    state = asking & has_bus : working;
    state = asking & timer = 7 : retries = 3 ? fault : armed;
    state = working & (is_full | timer = 7) : cooling;
    state = cooling & valve = closed : idle;
    state = fault & button : off;
    TRUE : state;
  esac;
  next(timer) := case
    next(state) != state : 0;
    state in {armed, asking, working} & timer < 7 : timer + 1;
    TRUE : timer;
  esac;
  next(retries) := case
    state = asking & next(state) = armed & retries < 3 : retries + 1;
    next(state) in {off, working} : 0;
    TRUE : retries;
  esac;
  next(alarm) := case
    level = 0ud4_15 & valve = open : TRUE;
    state = fault : TRUE;
    state = off & button : FALSE;
    TRUE : alarm;
  esac;
  next(wants) := next(state) = asking;
  next(valve) := case
    state = working & valve = closed : opening;
    state = working & valve = opening : open;
    state != working & valve in {opening, open} : closing;
    valve = closing : closed;
    TRUE : valve;
  esac;
  next(served) := state = working & next(state) = cooling & served < 3 ? served + 1 : served;
  next(level) := case
    valve = open & level < 0ud4_15 : level + 0ud4_1;
    valve = closed & state = idle & level > 0ud4_0 : level - 0ud4_1;
    TRUE : level;
  esac;
  next(target) := state = idle & next(state) = armed ? knob : target;
MODULE main
VAR phase : 0..3; master : {normal, degraded, shutdown};
ASSIGN init(phase) := 0; next(phase) := (phase + 1) mod 4;
  init(master) := normal;
  next(master) := case
    some_alarm & master = normal : degraded;
    master = normal : {normal, shutdown};
    master = degraded : {degraded, shutdown};
    phase = 0 : normal;
    TRUE : shutdown;
  esac;
";

/// The model, without goals.
pub fn model() -> String {
    let mut text = String::from(CONTROLLER);
    for idx in 0..N_CONTROLLERS {
        let (left, right) = neighbours(idx);
        let turn = if idx % 2 == 0 { "phase in {0, 2}" } else { "phase in {1, 3}" };
        let _ = writeln!(
            text,
            "VAR c{idx} : controller({} = {}, {turn}, c{left}.busy, c{right}.busy, master);",
            bus(idx),
            place(idx)
        );
    }
    let alarms: Vec<String> = (0..N_CONTROLLERS).map(|idx| format!("c{idx}.alarm")).collect();
    let _ = writeln!(text, "DEFINE some_alarm := {};", alarms.join(" | "));
    // The controllers with even numbers share a bus, and so do those with odd ones.
    for first in 0..2 {
        let bus = bus(first);
        let _ = writeln!(
            text,
            "VAR {bus} : 0..{N_ON_BUS};\nASSIGN init({bus}) := {N_ON_BUS};\n  next({bus}) := case"
        );
        for idx in (first..N_CONTROLLERS).step_by(2) {
            let _ = writeln!(text, "    {bus} = {} & !c{idx}.busy : {N_ON_BUS};", place(idx));
        }
        for idx in (first..N_CONTROLLERS).step_by(2) {
            let _ = writeln!(text, "    {bus} = {N_ON_BUS} & c{idx}.wants : {};", place(idx));
        }
        let _ = writeln!(text, "    TRUE : {bus};\n  esac;");
    }
    text
}

/// So many goals in an order that mixes easy and hard ones: all values, all guards, and of the
/// pairs of values as many as fit.
pub fn goals(n_goals: usize) -> Vec<String> {
    let mut goals = Vec::new();
    let mut pairs = Vec::new();
    for idx in 0..N_CONTROLLERS {
        let ((left, right), other) = (neighbours(idx), (idx + 2) % N_CONTROLLERS);
        let own = literals(idx);
        goals.extend(own.iter().map(|(_, text)| text.clone()));
        goals.extend(GUARDS.iter().map(|guard| {
            let guard = guard.replace("{c}", &format!("c{idx}"));
            guard.replace("{r}", &format!("c{right}")).replace("{o}", &format!("c{other}"))
        }));
        for (place, (name, first)) in own.iter().enumerate() {
            let others = own[place..].iter().filter(|(second, _)| name != second);
            pairs.extend(others.map(|(_, second)| format!("{first} & {second}")));
        }
        for near in [left, other] {
            let theirs = literals(near);
            for (_, first) in own.iter().filter(|(name, _)| *name == "state") {
                let states = theirs.iter().filter(|(name, _)| *name == "state");
                pairs.extend(states.map(|(_, second)| format!("{first} & {second}")));
            }
        }
    }
    let mut rng = fastrand::Rng::with_seed(1);
    // A guard may be a pair of values.
    pairs.retain(|pair| !goals.contains(pair));
    rng.shuffle(&mut pairs);
    pairs.truncate(n_goals.saturating_sub(goals.len()));
    goals.extend(pairs);
    rng.shuffle(&mut goals);
    goals.truncate(n_goals);
    goals
}

/// Each value of each variable of a controller, by the variable's name.
fn literals(idx: usize) -> Vec<(&'static str, String)> {
    let of = |variable: &'static Variable| {
        let text = move |value| format!("c{idx}.{} = {value}", variable.name);
        variable.values.iter().map(move |value| (variable.name, text(value)))
    };
    VARIABLES.iter().flat_map(of).collect()
}

fn neighbours(idx: usize) -> (usize, usize) {
    ((idx + N_CONTROLLERS - 1) % N_CONTROLLERS, (idx + 1) % N_CONTROLLERS)
}

fn bus(idx: usize) -> &'static str {
    if idx.is_multiple_of(2) { "even_bus" } else { "odd_bus" }
}

/// The number of a controller on its bus.
fn place(idx: usize) -> usize {
    idx / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_different() {
        let goals = goals(5000);
        let different: std::collections::HashSet<&String> = goals.iter().collect();
        assert_eq!((goals.len(), different.len()), (5000, 5000));
    }
}
