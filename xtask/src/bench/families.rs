//! Scalable models, as SMV text: each family is a function of a size, and each size has properties
//! of several kinds, both true and false.

use std::fmt::Write;

/// A family of models.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What its size counts.
    pub unit: &'static str,
    /// The sizes that are measured. NuSMV takes well under a second for the first and about half a
    /// minute for the last.
    pub sizes: [usize; 5],
    /// The model of a size.
    pub text: fn(usize) -> String,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family { name: "token-ring", unit: "stations", sizes: [4, 8, 12, 18, 24], text: token_ring },
    Family { name: "arbiter", unit: "clients", sizes: [4, 8, 12, 16, 18], text: arbiter },
    Family { name: "fifo", unit: "cells", sizes: [2, 4, 6, 7, 8], text: fifo },
    Family { name: "philosophers", unit: "seats", sizes: [4, 8, 10, 12, 14], text: philosophers },
    Family { name: "counters", unit: "bits", sizes: [8, 10, 12, 14, 16], text: counters },
    Family { name: "mode-logic", unit: "modes", sizes: [6, 12, 18, 22, 26], text: mode_logic },
];

/// One text for each index, with something between them.
fn join(n: usize, between: &str, each: impl Fn(usize) -> String) -> String {
    (0..n).map(each).collect::<Vec<String>>().join(between)
}

/// Stations pass a token around, one of them moves at a time, and only who has the token may
/// enter.
fn token_ring(n_stations: usize) -> String {
    let last = n_stations - 1;
    let mut text = format!(
        "MODULE main\nVAR token : 0..{last}; mover : 0..{last};\n\
         ASSIGN init(token) := 0;\n  next(token) := case\n"
    );
    for idx in 0..n_stations {
        let after = (idx + 1) % n_stations;
        let _ = writeln!(text, "    mover = {idx} & token = {idx} & s{idx} != waiting : {after};");
    }
    text += "    TRUE : token;\n  esac;\n";
    for idx in 0..n_stations {
        let _ = writeln!(
            text,
            "VAR s{idx} : {{idle, waiting, critical}};\nASSIGN init(s{idx}) := idle;\n  \
             next(s{idx}) := case\n    \
             mover != {idx} : s{idx};\n    \
             s{idx} = idle : {{idle, waiting}};\n    \
             s{idx} = waiting : token = {idx} ? critical : waiting;\n    \
             TRUE : idle;\n  esac;\nFAIRNESS mover = {idx}"
        );
    }
    let critical = join(n_stations, ", ", |idx| format!("s{idx} = critical"));
    let all_wait = join(n_stations, " & ", |idx| format!("s{idx} = waiting"));
    let _ = writeln!(
        text,
        "INVARSPEC count({critical}) <= 1\n\
         INVARSPEC !({all_wait})\n\
         SPEC AG EF s{last} = critical\n\
         SPEC AG (s{last} = waiting -> AF s{last} = critical)\n\
         SPEC AG (token = 0 -> AX token = 0)\n\
         LTLSPEC G (s0 = waiting -> F s0 = critical)\n\
         LTLSPEC G F s{last} = critical"
    );
    text
}

/// Clients ask when they like and go on asking until they are served, in turn.
fn arbiter(n_clients: usize) -> String {
    let last = n_clients - 1;
    let mut text = format!("MODULE main\nVAR turn : 0..{last};\nASSIGN init(turn) := 0;\n");
    text += "  next(turn) := case\n";
    for idx in 0..n_clients {
        let _ = writeln!(text, "    wins{idx} : {};", (idx + 1) % n_clients);
    }
    text += "    TRUE : turn;\n  esac;\n";
    // The right to be served goes from the client whose turn it is to the next one, and once
    // around if nobody up to the last one asks.
    for idx in 0..n_clients {
        let (passed, wrapped) = match idx {
            0 => ("FALSE".into(), format!("(up{last} & !asks{last})")),
            _ => (format!("up{0} & !asks{0}", idx - 1), format!("around{0} & !asks{0}", idx - 1)),
        };
        let _ = writeln!(
            text,
            "VAR request{idx} : boolean; grant{idx} : boolean;\n\
             DEFINE asks{idx} := request{idx} & !grant{idx};\n  \
             up{idx} := turn = {idx} | {passed};\n  around{idx} := {wrapped};\n  \
             wins{idx} := asks{idx} & (up{idx} | around{idx});\n\
             ASSIGN init(request{idx}) := FALSE; init(grant{idx}) := FALSE;\n  \
             next(request{idx}) := asks{idx} ? TRUE : {{TRUE, FALSE}};\n  \
             next(grant{idx}) := wins{idx};"
        );
    }
    let grants = join(n_clients, ", ", |idx| format!("grant{idx}"));
    let asked = join(n_clients, " & ", |idx| format!("(grant{idx} -> request{idx})"));
    let all_ask = join(n_clients, " & ", |idx| format!("asks{idx}"));
    let _ = writeln!(
        text,
        "INVARSPEC count({grants}) <= 1\n\
         INVARSPEC {asked}\n\
         INVARSPEC !({all_ask})\n\
         SPEC AG (request{last} -> AF grant{last})\n\
         SPEC AG (asks0 -> ABF 1..{n_clients} grant0)\n\
         SPEC AG (asks0 -> ABF 1..{last} grant0)\n\
         SPEC AG EF !({})\n\
         LTLSPEC G (request0 -> F grant0)\n\
         LTLSPEC G F grant0",
        grants.replace(", ", " | ")
    );
    text
}

/// A ring buffer of two-bit data; one item, which is chosen at the start by its number, is
/// remembered when it goes in and compared when it comes out.
fn fifo(depth: usize) -> String {
    let (last, n_numbers) = (depth - 1, 2 * depth);
    let last_number = n_numbers - 1;
    let mut text = format!(
        "MODULE main\nVAR push : boolean; pop : boolean; data : 0..3;\n  \
         head : 0..{last}; tail : 0..{last}; used : 0..{depth};\n  \
         pushed : 0..{last_number}; popped : 0..{last_number}; seen : 0..3;\n\
         FROZENVAR watched : 0..{last_number};\n\
         DEFINE pushes := push & used < {depth}; pops := pop & used > 0;\n\
         ASSIGN init(head) := 0; init(tail) := 0; init(used) := 0;\n  \
         init(pushed) := 0; init(popped) := 0; init(seen) := 0;\n  \
         next(tail) := pushes ? (tail + 1) mod {depth} : tail;\n  \
         next(head) := pops ? (head + 1) mod {depth} : head;\n  \
         next(pushed) := pushes ? (pushed + 1) mod {n_numbers} : pushed;\n  \
         next(popped) := pops ? (popped + 1) mod {n_numbers} : popped;\n  \
         next(seen) := pushes & pushed = watched ? data : seen;\n  \
         next(used) := case\n    pushes & !pops : used + 1;\n    \
         pops & !pushes : used - 1;\n    TRUE : used;\n  esac;\n"
    );
    for idx in 0..depth {
        let _ = writeln!(
            text,
            "VAR cell{idx} : 0..3;\nASSIGN init(cell{idx}) := 0;\n  \
             next(cell{idx}) := pushes & tail = {idx} ? data : cell{idx};"
        );
    }
    let cells = join(last, " ", |idx| format!("head = {idx} : cell{idx};"));
    let _ = writeln!(
        text,
        "DEFINE out := case {cells} TRUE : cell{last}; esac;\n\
         INVARSPEC pops & popped = watched -> out = seen\n\
         INVARSPEC used = (pushed + {n_numbers} - popped) mod {n_numbers}\n\
         INVARSPEC used = {depth} -> out = seen\n\
         SPEC AG EF used = 0\n\
         SPEC AG (used = {depth} -> EX used = {last})\n\
         SPEC AG (used = {depth} -> AX used = {last})\n\
         LTLSPEC G (used = {depth} & X !pushes -> X X used < {depth})\n\
         LTLSPEC G F pushes -> G F (used > 0)"
    );
    text
}

/// Everybody takes the left fork first, so it may end with everybody holding one.
fn philosophers(n_seats: usize) -> String {
    let last = n_seats - 1;
    let mut text = format!("MODULE main\nVAR mover : 0..{last};\n");
    for idx in 0..n_seats {
        let (left, right) = ((idx + last) % n_seats, (idx + 1) % n_seats);
        let _ = writeln!(
            text,
            "VAR p{idx} : {{thinking, hungry, waiting, eating}};\n\
             ASSIGN init(p{idx}) := thinking;\n  next(p{idx}) := case\n    \
             mover != {idx} : p{idx};\n    \
             p{idx} = thinking : {{thinking, hungry}};\n    \
             p{idx} = hungry & p{left} != eating : waiting;\n    \
             p{idx} = waiting & p{right} in {{thinking, hungry}} : eating;\n    \
             p{idx} = eating : {{eating, thinking}};\n    \
             TRUE : p{idx};\n  esac;\nFAIRNESS mover = {idx}"
        );
    }
    let apart = join(n_seats, " & ", |idx| {
        format!("!(p{idx} = eating & p{} = eating)", (idx + 1) % n_seats)
    });
    let stuck = join(n_seats, " & ", |idx| format!("p{idx} = waiting"));
    let _ = writeln!(
        text,
        "DEFINE stuck := {stuck};\n\
         INVARSPEC {apart}\n\
         INVARSPEC !stuck\n\
         SPEC EF stuck\n\
         SPEC AG (!stuck -> EF p0 = eating)\n\
         SPEC AG EF p{last} = thinking\n\
         LTLSPEC G (stuck -> G stuck)\n\
         LTLSPEC G (p0 = hungry -> F p0 != hungry)"
    );
    text
}

/// Four-bit counters in a chain (the last one may have fewer bits): each counts when all before
/// it are about to turn over.
fn counters(n_bits: usize) -> String {
    let n_counters = n_bits.div_ceil(4);
    let most = |idx: usize| (1 << (n_bits - 4 * idx).min(4)) - 1;
    let mut text = String::from(
        "MODULE main\nIVAR tick : boolean;\nVAR odd : boolean;\nDEFINE carry0 := tick;\n\
         ASSIGN init(odd) := FALSE; next(odd) := tick ? !odd : odd;\n",
    );
    for idx in 0..n_counters {
        let _ = writeln!(
            text,
            "VAR c{idx} : 0..{0};\nDEFINE carry{1} := carry{idx} & c{idx} = {0};\n\
             ASSIGN init(c{idx}) := 0;\n  \
             next(c{idx}) := carry{idx} ? (c{idx} + 1) mod {2} : c{idx};",
            most(idx),
            idx + 1,
            most(idx) + 1
        );
    }
    let zero = join(n_counters, " & ", |idx| format!("c{idx} = 0"));
    let full = join(n_counters, " & ", |idx| format!("c{idx} = {}", most(idx)));
    let last = n_counters - 1;
    let _ = writeln!(
        text,
        "INVARSPEC odd <-> c0 mod 2 = 1\n\
         INVARSPEC !(c1 = 2 & c0 = 5)\n\
         SPEC AG EF ({zero})\n\
         SPEC AG (({full}) -> EX ({zero}))\n\
         SPEC AG AF ({zero})\n\
         COMPUTE MIN [{zero}, {full}]\n\
         LTLSPEC G (c{last} = 1 -> X c{last} != 0)\n\
         LTLSPEC G (c0 = 15 -> F c0 = 0)"
    );
    text
}

/// The parts of the mode logic.
const SWITCH_AND_MODE: &str = "\
MODULE switch
VAR now : boolean; before : boolean;
DEFINE pressed := now & !before;
ASSIGN init(now) := FALSE; init(before) := FALSE; next(before) := now;
MODULE mode(press, director, taken, allowed)
VAR state : {cleared, armed, active}; timer : 0..3;
DEFINE captured := state = armed & timer = 3 & allowed & director & !press;
ASSIGN init(state) := cleared; init(timer) := 0;
  next(state) := case
    !director : cleared;
    press : state = cleared ? armed : cleared;
    captured & !taken : active;
    taken & state = active : cleared;
    TRUE : state;
  esac;
  next(timer) := case
    state != armed : 0;
    timer < 3 : {timer, timer + 1};
    TRUE : timer;
  esac;
MODULE main
VAR director : boolean; director_switch : switch;
ASSIGN init(director) := FALSE;
  next(director) := director_switch.pressed ? !director : director;
";

/// The modes of an autopilot in a lateral and a vertical group: a switch arms a mode, a timer
/// makes it active, and then the others of its group are cleared.
fn mode_logic(n_modes: usize) -> String {
    let n_in_group = n_modes / 2;
    let last = n_in_group - 1;
    let mut text = String::from(SWITCH_AND_MODE);
    mode_group(&mut text, "lat", n_in_group);
    mode_group(&mut text, "vert", n_in_group);
    let _ = writeln!(
        text,
        "FAIRNESS director\nFAIRNESS lat0.timer != 1\n\
         INVARSPEC lat{last}.state = active -> lat_default\n\
         INVARSPEC vert{last}.captured -> vert{last}.state = armed\n\
         INVARSPEC !(lat0.state = active & vert{last}.state = active)\n\
         SPEC AG EF (director & lat_default & vert_default)\n\
         SPEC AG (director -> EF vert{last}.state = active)\n\
         SPEC AG (lat0.state = armed -> AF lat0.state != armed)\n\
         LTLSPEC G (lat{last}.state = active -> \
         X (lat{last}.state = active | lat{last}.state = cleared))\n\
         LTLSPEC G (lat0.captured & X director -> X lat0.state = active)\n\
         LTLSPEC G F vert_default"
    );
    text
}

/// Modes of which at most one is active. Of two that are captured at once the first wins, and an
/// active one gives way. Some vertical modes need the lateral one beside them.
fn mode_group(text: &mut String, group: &str, n_modes: usize) {
    for idx in 0..n_modes {
        let others = (0..n_modes).filter(|other| *other != idx);
        let taken: Vec<String> = others
            .map(|other| match other < idx {
                true => format!("{group}{other}.captured"),
                false => format!("({group}{other}.captured & {group}{idx}.state = active)"),
            })
            .collect();
        let allowed = match group {
            "vert" if idx == 1 || idx == 5 => format!("lat{idx}.state != cleared"),
            _ => "TRUE".into(),
        };
        let _ = writeln!(
            text,
            "VAR {group}{idx}_switch : switch;\n  {group}{idx} : \
             mode({group}{idx}_switch.pressed, director, {group}{idx}_taken, {allowed});\n\
             DEFINE {group}{idx}_taken := {};",
            taken.join(" | ")
        );
    }
    let active = join(n_modes, ", ", |idx| format!("{group}{idx}.state = active"));
    let _ = writeln!(
        text,
        "DEFINE {group}_active := count({active}); {group}_default := {group}_active = 0;\n\
         INVARSPEC {group}_active <= 1"
    );
}
