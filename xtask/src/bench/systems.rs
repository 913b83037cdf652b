//! Models of any size, as SMV text, each with one invariant that holds, so that all states must be
//! explored.

use std::fmt::Write;

/// A model to measure with.
pub struct System {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// The models, of some millions of states each.
pub fn systems() -> Vec<System> {
    vec![
        System { name: "counters", text: counters(3, 99) },
        System { name: "mode logic", text: mode_logic(6) },
        System { name: "token ring", text: token_ring(11) },
        System { name: "mutual exclusion", text: mutual_exclusion(6) },
    ]
}

/// Counters of which the mode, which nothing decides, lets one move.
fn counters(n_counters: usize, most: u64) -> String {
    let mut text = format!("MODULE main\nVAR mode : 0..{n_counters};\n");
    for idx in 0..n_counters {
        let _ = writeln!(
            text,
            "VAR c{idx} : 0..{most};\nASSIGN init(c{idx}) := 0;\n  next(c{idx}) := case\n    \
             mode = {idx} & c{idx} < {most} : c{idx} + 1;\n    \
             mode = {n_counters} : 0;\n    TRUE : c{idx};\n  esac;"
        );
    }
    let sum: Vec<String> = (0..n_counters).map(|idx| format!("c{idx}")).collect();
    let _ = writeln!(text, "INVARSPEC {} <= {};", sum.join(" + "), most * n_counters as u64);
    text
}

/// Modes of a device with buttons and a speed that nothing decides, and timers that they start.
fn mode_logic(n_timers: usize) -> String {
    let mut text = String::from(
        "MODULE main\nVAR ignition : boolean; running : boolean; brake : boolean;\n  \
         lever : {release, resume, constant};\n  speed : 0..15;\n  \
         mode : {off, inactive, cruise, override};\nASSIGN\n  init(mode) := off;\n  \
         next(mode) := case\n    \
         mode = off & next(ignition) : inactive;\n    !next(ignition) : off;\n    \
         !next(running) & mode in {cruise, override} : inactive;\n    \
         mode = inactive & next(lever) = constant & next(running) & !next(brake) : cruise;\n    \
         mode = cruise & (next(brake) | next(lever) = release | next(speed) > 12) : override;\n    \
         mode = override & next(lever) = resume & !next(brake) : cruise;\n    \
         TRUE : mode;\n  esac;\n",
    );
    for idx in 0..n_timers {
        let before = if idx == 0 { "mode = cruise".into() } else { format!("t{} = 3", idx - 1) };
        let _ = writeln!(
            text,
            "VAR t{idx} : 0..3;\nASSIGN init(t{idx}) := 0;\n  next(t{idx}) := case\n    \
             mode = off : 0;\n    {before} & t{idx} < 3 : t{idx} + 1;\n    \
             brake & t{idx} > 0 : t{idx} - 1;\n    TRUE : t{idx};\n  esac;"
        );
    }
    let timers: Vec<String> = (0..n_timers).map(|idx| format!("t{idx}")).collect();
    let (sum, most) = (timers.join(" + "), 3 * n_timers);
    let _ = writeln!(text, "INVARSPEC (mode = cruise -> ignition) & {sum} <= {most};");
    text
}

/// Stations of which the one with the token may enter; who moves stands in the relation.
fn token_ring(n_stations: usize) -> String {
    let last = n_stations - 1;
    let mut text = format!("MODULE main\nVAR token : 0..{last}; mover : 0..{last};\n");
    text += "ASSIGN init(token) := 0;\n";
    for idx in 0..n_stations {
        let after = (idx + 1) % n_stations;
        let _ = writeln!(
            text,
            "VAR s{idx} : {{idle, waiting, critical}};\nASSIGN init(s{idx}) := idle;\n\
             TRANS mover != {idx} -> next(s{idx}) = s{idx};\n\
             TRANS mover = {idx} -> case\n    \
             s{idx} = idle : next(s{idx}) in {{idle, waiting}};\n    \
             s{idx} = waiting : next(s{idx}) = (token = {idx} ? critical : waiting);\n    \
             TRUE : next(s{idx}) = idle;\n  esac;\n\
             TRANS mover = {idx} & token = {idx} & s{idx} != waiting -> next(token) = {after};\n\
             TRANS mover = {idx} & !(token = {idx} & s{idx} != waiting) -> next(token) = token;"
        );
    }
    let critical: Vec<String> = (0..n_stations).map(|idx| format!("s{idx} = critical")).collect();
    let _ = writeln!(text, "INVARSPEC count({}) <= 1;", critical.join(", "));
    text
}

/// Processes that share a lock, and count how often they had it.
fn mutual_exclusion(n_processes: usize) -> String {
    let mut text = String::from(
        "MODULE user(lock)\nVAR state : {idle, entering, critical, exiting}; turns : 0..3;\n\
         ASSIGN init(state) := idle; init(turns) := 0;\n  next(state) := case\n    \
         state = idle : {idle, entering};\n    state = entering & !lock : critical;\n    \
         state = critical : {critical, exiting};\n    state = exiting : idle;\n    \
         TRUE : state;\n  esac;\n  next(lock) := case\n    \
         state = entering : TRUE;\n    state = exiting : FALSE;\n    TRUE : lock;\n  esac;\n  \
         next(turns) := state = exiting ? (turns + 1) mod 4 : turns;\n\
         MODULE main\nVAR lock : boolean;\nASSIGN init(lock) := FALSE;\n",
    );
    for idx in 0..n_processes {
        let _ = writeln!(text, "VAR p{idx} : process user(lock);");
    }
    let inside: Vec<String> =
        (0..n_processes).map(|idx| format!("p{idx}.state in {{critical, exiting}}")).collect();
    let turns: Vec<String> = (0..n_processes).map(|idx| format!("p{idx}.turns")).collect();
    let (inside, sum, most) = (inside.join(", "), turns.join(" + "), 3 * n_processes);
    let _ = writeln!(text, "INVARSPEC count({inside}) <= 1 & {sum} <= {most};");
    text
}
