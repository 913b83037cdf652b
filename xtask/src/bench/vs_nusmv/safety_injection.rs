//! The example `safety-injection` with a pressure of any range, and its goals: each variable takes
//! each value, and changes from each value to each other one in a single step.

/// By how much the pressure changes in a step.
const STEP: u32 = 5;

/// How the pressure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// As a range of integers.
    Range,
    /// As a word of 14 bits, which is NuSMV's fast way.
    Word,
}

/// What a test should do.
#[derive(Clone, Debug)]
pub struct Goal {
    /// An expression over a state or, with `next`, over a step.
    pub text: String,
    /// Is it about a step?
    pub is_step: bool,
}

impl Writing {
    fn number(self, number: u32) -> String {
        match self {
            Writing::Range => number.to_string(),
            Writing::Word => format!("0ud14_{number}"),
        }
    }
}

/// The model with a pressure up to `most`, without properties.
pub fn model(most: u32, writing: Writing) -> String {
    // In the example 90, 95 and 100 of 200.
    let [low, start, permit] = [18, 19, 20].map(|part| writing.number(most * part / 40));
    format!(
        "MODULE main\n\
         VAR\n  Block : {{On, Off}};\n  Reset : {{On, Off}};\n  \
         Pressure : {{TooLow, Permitted, High}};\n  Overridden : boolean;\n\
         {}\n\
         ASSIGN\n  init(Block) := Off;\n  init(Reset) := On;\n  init(WaterPres) := {start};\n  \
         init(Pressure) := Permitted;\n  next(Pressure) := case\n    \
         next(WaterPres) < {low} : TooLow;\n    next(WaterPres) < {permit} : Permitted;\n    \
         TRUE : High;\n  esac;\n  \
         init(Overridden) := FALSE;\n  next(Overridden) := case\n    \
         next(Pressure) = High : FALSE;\n    Reset = Off & next(Reset) = On : FALSE;\n    \
         Block = Off & next(Block) = On & Reset = Off & next(Reset) = Off : TRUE;\n    \
         TRUE : Overridden;\n  esac;\n",
        pressure(most, writing)
    )
}

/// The declaration of the pressure, and how it changes.
fn pressure(most: u32, writing: Writing) -> String {
    let [zero, step, top, below_top] = [0, STEP, most, most - STEP].map(|n| writing.number(n));
    match writing {
        Writing::Range => format!(
            "VAR WaterPres : 0..{most};\nASSIGN next(WaterPres) := \
             {{max(WaterPres - {step}, 0), WaterPres, min(WaterPres + {step}, {most})}};"
        ),
        Writing::Word => format!(
            "VAR WaterPres : unsigned word[14];\nINVAR WaterPres <= {top};\n\
             TRANS next(WaterPres) = WaterPres\n  \
             | next(WaterPres) = (WaterPres < {step} ? {zero} : WaterPres - {step})\n  \
             | next(WaterPres) = (WaterPres > {below_top} ? {top} : WaterPres + {step});"
        ),
    }
}

/// All goals. Changes of the pressure by more than a step are left out.
pub fn goals(most: u32, writing: Writing) -> Vec<Goal> {
    let mut goals = Vec::new();
    let small: [(&str, &[&str]); 4] = [
        ("Block", &["On", "Off"]),
        ("Reset", &["On", "Off"]),
        ("Pressure", &["TooLow", "Permitted", "High"]),
        ("Overridden", &["FALSE", "TRUE"]),
    ];
    for (name, values) in small {
        for from in values {
            goals.push(value(name, from));
            let others = values.iter().filter(|to| *to != from);
            goals.extend(others.map(|to| pair(name, from, to)));
        }
    }
    for from in 0..=most {
        let text = writing.number(from);
        goals.push(value("WaterPres", &text));
        let near = from.saturating_sub(STEP)..=most.min(from + STEP);
        let others = near.filter(|to| *to != from);
        goals.extend(others.map(|to| pair("WaterPres", &text, &writing.number(to))));
    }
    goals
}

fn value(name: &str, value: &str) -> Goal {
    Goal { text: format!("{name} = {value}"), is_step: false }
}

fn pair(name: &str, from: &str, to: &str) -> Goal {
    Goal { text: format!("{name} = {from} & next({name}) = {to}"), is_step: true }
}
