//! Steps per second of random walks, and how long it takes to check that every value of a large model
//! is defined.

use std::fmt::Write;
use std::time::{Duration, Instant};

use trapline_engine::simulate::Simulator;
use trapline_engine::{Budget, Limits, wellformed};
use trapline_source::Diagnostics;

use crate::reading::{self, How};

/// Steps of a walk, and the fewest a second on models that only inputs leave open.
const N_STEPS: usize = 20_000;
const LEAST: f64 = 20_000.0;
/// The longest walk of a model whose steps have to be searched for.
const N_SEARCHED: usize = 20;
/// The longest check that every value is defined, in seconds.
const MOST_SECONDS: f64 = 5.0;

/// Measures both; `false` when one is too slow.
///
/// # Errors
/// When a model is wrong.
pub fn run() -> Result<bool, String> {
    let mut is_right = true;
    for form in [Form::Current, Form::Next] {
        for order in [Order::Forward, Order::Backward] {
            let text = determined(form, order);
            let a_second = walk(&text, N_STEPS)?;
            println!("{form:?}, {order:?}: {a_second:.0} steps a second");
            is_right &= a_second >= LEAST;
        }
    }
    let text = translated(300, 4_000);
    let seconds = check(&text)?;
    println!(
        "one TRANS over 4,000 definitions, {} KB: checked in {seconds:.2} s",
        text.len() / 1_000
    );
    println!("the same: {:.0} steps a second", walk(&text, N_SEARCHED)?);
    Ok(is_right && seconds <= MOST_SECONDS)
}

fn walk(text: &str, n_steps: usize) -> Result<f64, String> {
    let reading = reading::read("generated", text, How { strict: false, quick: true });
    if !reading.is_accepted() {
        return Err("the generated model is wrong".into());
    }
    let simulator = Simulator::new(&reading.model);
    let mut rng = fastrand::Rng::with_seed(1);
    let budget = Budget::unlimited();
    let start = Instant::now();
    let found = |choice| match choice {
        Ok(Some(choice)) => Ok(choice),
        other => Err(format!("no state was found: {other:?}")),
    };
    let mut last = found(simulator.initial(&[], &mut rng, &budget))?;
    for _ in 0..n_steps {
        last = found(simulator.step(&last.state, &[], &mut rng, &budget))?;
    }
    Ok(n_steps as f64 / start.elapsed().as_secs_f64())
}

fn check(text: &str) -> Result<f64, String> {
    let reading = reading::read("generated", text, How { strict: false, quick: true });
    let start = Instant::now();
    let limits = Limits { time: Some(Duration::from_secs(60)), ..Limits::default() };
    let mut diagnostics = Diagnostics::new();
    let options = wellformed::Options { strict: false };
    wellformed::check(&reading.model, options, &Budget::new(limits), &mut diagnostics);
    match diagnostics.has_errors() {
        true => Err("the generated model is wrong".into()),
        false => Ok(start.elapsed().as_secs_f64()),
    }
}

/// How variables are assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// By `:=`, each from inputs and the variable before it.
    Current,
    /// By `next`.
    Next,
}

/// In which order the assignments stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Forward,
    Backward,
}

/// Twelve free inputs and fifteen variables that they determine; each reads all inputs, so that
/// nothing is known of it before all of them are.
fn determined(form: Form, order: Order) -> String {
    let name = |i: usize| format!("in_{i}");
    let mut text = String::from("MODULE main\n");
    text.push_str(if form == Form::Next { "IVAR\n" } else { "VAR\n" });
    for i in 0..12 {
        let _ = writeln!(text, "  {} : {};", name(i), ["boolean", "0..15"][i % 2]);
    }
    text.push_str("VAR\n");
    for i in 0..15 {
        let _ = writeln!(text, "  v_{i} : {};", ["boolean", "0..15"][i % 2]);
    }
    let mut assignments: Vec<String> = (0..15)
        .map(|i| {
            let flags: Vec<String> = (0..12).step_by(2).map(name).collect();
            let numbers: Vec<String> =
                (1..12).step_by(2).map(|k| format!("{} * {}", name(k), (i + k) % 7)).collect();
            let (flags, sum) = (flags.join(" xor "), numbers.join(" + "));
            let before = match (form, i) {
                (Form::Next, _) | (_, 0) => "0".into(),
                (Form::Current, _) if i % 2 == 1 => format!("toint(v_{})", i - 1),
                (Form::Current, _) => format!("v_{}", i - 1),
            };
            let value = match i % 2 {
                0 => format!("({flags}) xor (({sum} + {before}) mod 3 = 1)"),
                _ => format!("({sum} + {before} + toint({flags})) mod 16"),
            };
            match form {
                Form::Current => format!("  v_{i} := {value};\n"),
                Form::Next => format!("  next(v_{i}) := {value};\n"),
            }
        })
        .collect();
    if order == Order::Backward {
        assignments.reverse();
    }
    text + "ASSIGN\n" + &assignments.concat()
}

/// A model as translators of circuits write it: Boolean state variables, words made of them in
/// thousands of definitions, and one `TRANS` that says what each is in the next state. Shifts and
/// quotients of the words might have no value.
fn translated(n_vars: usize, n_defines: usize) -> String {
    let mut rng = fastrand::Rng::with_seed(2);
    let mut text = String::from("MODULE main\nVAR\n");
    for i in 0..n_vars {
        let _ = writeln!(text, "  s{i} : boolean;");
    }
    text.push_str("DEFINE\n");
    // Every third definition is a word of four bits, the others are truth values.
    let bit = |rng: &mut fastrand::Rng, i: usize| match i.saturating_sub(1) {
        0 => format!("s{}", rng.usize(0..n_vars)),
        _ if rng.u8(0..5) == 0 => format!("s{}", rng.usize(0..n_vars)),
        last => {
            let idx = rng.usize(last.saturating_sub(400)..last);
            if idx.is_multiple_of(3) { format!("bool(d{idx}[0:0])") } else { format!("d{idx}") }
        }
    };
    for i in 0..n_defines {
        let [a, b, c, d] = [(); 4].map(|()| bit(&mut rng, i));
        let word = match i.checked_sub(3).map(|last| last - last % 3) {
            None => "0ud4_5".to_string(),
            Some(last) => format!("d{last}"),
        };
        let made = format!("(word1({a}) :: word1({b}) :: word1({c}) :: word1({d}))");
        let value = match (i % 3, rng.u8(0..4)) {
            (0, 0) => format!("{made} + {word}"),
            (0, 1) => format!("({word} >> (0ud2_0 :: word1({a}) :: word1({b}))) xor {made}"),
            (0, 2) => format!("{word} / ({made} | 0ud4_1)"),
            (0, _) => format!("({a} ? {word} : {made})"),
            (_, 0) => format!("{a} & !{b}"),
            (_, 1) => format!("{a} xor {b}"),
            (_, 2) => format!("({a} ? {b} : {c})"),
            (_, _) => format!("({word} = {made}) | {d}"),
        };
        let _ = writeln!(text, "  d{i} := {value};");
    }
    let step = |i: usize| {
        let idx = n_defines - 1 - (i * 7) % 900;
        let idx = if idx.is_multiple_of(3) { idx - 1 } else { idx };
        format!("(next(s{i}) <-> d{idx})")
    };
    let steps: Vec<String> = (0..n_vars - 100).map(step).collect();
    let _ = writeln!(text, "TRANS {}", steps.join(" & "));
    text
}
