//! How fast large flat models are read: parsing and lowering, without checks that need a solver.

use std::fmt::Write;
use std::time::Instant;

use trapline_lang::{Options, smv};
use trapline_source::{Diagnostics, Sources};

/// Writes a flat model of about so many megabytes: Booleans, ranges and enumerations, each with
/// a `case` over other variables, of which so many in ten are near it. Generated models have
/// most of them near; with none near, every name is a cache miss.
pub fn flat_model(megabytes: usize, seed: u64, n_near: u8) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    // A variable with its assignments takes some 320 bytes.
    let n_vars = megabytes * 1_000_000 / 320;
    let name = |i: usize| format!("unit_{}_state_{}", i / 8, i % 8);
    let mut text = String::from("MODULE main\nVAR\n");
    for i in 0..n_vars {
        let ty = ["boolean", "0..7", "{idle, busy, done, failed}"][i % 3];
        let _ = writeln!(text, "  {} : {ty};", name(i));
    }
    text.push_str("ASSIGN\n");
    for i in 0..n_vars {
        let condition = |rng: &mut fastrand::Rng| {
            let is_near = rng.u8(0..10) < n_near;
            let j = if is_near { (i + rng.usize(0..64)) % n_vars } else { rng.usize(0..n_vars) };
            match j % 3 {
                0 => name(j),
                1 => format!("{} < {}", name(j), rng.u8(0..8)),
                _ => {
                    format!("{} = {}", name(j), rng.choice(["idle", "busy", "done"]).unwrap_or(""))
                }
            }
        };
        let value = |rng: &mut fastrand::Rng| match i % 3 {
            0 => {
                if rng.bool() {
                    "TRUE".to_string()
                } else {
                    format!("!{}", name(i))
                }
            }
            1 => rng.u8(0..8).to_string(),
            _ => rng.choice(["idle", "busy", "done"]).unwrap_or("").to_string(),
        };
        let init = ["FALSE", "0", "idle"][i % 3];
        let _ = writeln!(text, "  init({0}) := {init};\n  next({0}) := case", name(i));
        for _ in 0..2 {
            let [a, b, c] = [(); 3].map(|()| condition(&mut rng));
            let _ = writeln!(text, "    {a} & ({b} | !({c})) : {};", value(&mut rng));
        }
        let _ = writeln!(text, "    TRUE : {};\n  esac;", name(i));
    }
    text
}

/// Reads such models several times and prints the speed of each.
///
/// # Errors
/// When a model is wrong.
pub fn run(megabytes: usize) -> Result<(), String> {
    for (n_near, shape) in [(9, "most references near"), (0, "references scattered")] {
        let text = flat_model(megabytes, 1, n_near);
        println!("{:.1} MB, {shape}", text.len() as f64 / 1e6);
        measure(&text)?;
    }
    Ok(())
}

fn measure(text: &str) -> Result<(), String> {
    let size = text.len() as f64 / 1e6;
    let mut best = 0.0f64;
    for round in 1..=5 {
        let mut sources = Sources::new();
        let file = sources.add("generated.smv", text).map_err(|_| "too large")?;
        let mut diagnostics = Diagnostics::new();
        let start = Instant::now();
        let program = smv::parse(file, &mut diagnostics);
        let parsed = start.elapsed().as_secs_f64();
        let output =
            smv::lower(&program, smv::Extras::default(), &Options::default(), &mut diagnostics);
        let all = start.elapsed().as_secs_f64();
        if diagnostics.has_errors() {
            return Err(format!("the generated model is wrong: {:?}", diagnostics.list()[0]));
        }
        println!(
            "round {round}: parse {:.1} MB/s, lower {:.1} MB/s, both {:.1} MB/s ({} variables, {} sites)",
            size / parsed,
            size / (all - parsed),
            size / all,
            output.model.vars.len(),
            output.model.sites.len()
        );
        best = best.max(size / all);
    }
    println!("best of 5: {best:.1} MB/s");
    Ok(())
}
