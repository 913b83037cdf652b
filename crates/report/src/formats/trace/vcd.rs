//! A trace as a value change dump (IEEE 1364), which waveform viewers show.
//!
//! State *i* lasts from time *i* to *i + 1*. Module instances are scopes. Enumerations are strings,
//! an extension supported by GTKWave, Surfer and others. A viewer cannot show that a trace is a
//! lasso, so a comment says where it continues.

use trapline_model::trace::Trace;
use trapline_model::{Model, Type, Value, notation};
use trapline_suite::defines::Defines;
use trapline_suite::signals::paths;

use super::{Titled, Traces};

/// What is shown of one variable or definition.
struct Signal {
    /// The instances that it is in, and its own name.
    path: Vec<String>,
    shape: Shape,
    /// Its short name in the dump.
    code: String,
    /// Its value in each state.
    values: Vec<Option<Value>>,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Wire,
    /// An integer of this many bits.
    Integer(u8),
    /// A word of this many bits.
    Vector(u8),
    Real,
    Text,
}

/// Writes one trace.
pub fn write(traces: &Traces<'_>, titled: &Titled<'_>) -> String {
    let trace = titled.trace;
    let signals = signals(traces.model, &[trace]);
    let mut lines = vec![comment(traces.path), comment(&titled.title)];
    declare(&mut lines, &signals);
    for state_idx in 0..trace.states.len() {
        lines.push(format!("#{state_idx}"));
        dump(&mut lines, traces.model, &signals, state_idx);
    }
    // Without an end the last state would have no width.
    lines.push(format!("#{}", trace.states.len()));
    if let Some(start) = trace.loop_start {
        lines.push(comment(&format!("from here the trace goes on at time {start}")));
    }
    lines.join("\n") + "\n"
}

/// Writes all traces, one after the other. Comments say where each begins.
pub fn write_all(traces: &Traces<'_>) -> String {
    let list: Vec<&Trace> = traces.list.iter().map(|titled| titled.trace).collect();
    let signals = signals(traces.model, &list);
    let mut lines = vec![comment(traces.path)];
    declare(&mut lines, &signals);
    let mut time = 0;
    for titled in &traces.list {
        let start = time;
        for state_idx in 0..titled.trace.states.len() {
            lines.push(format!("#{time}"));
            if state_idx == 0 {
                lines.push(comment(&titled.title));
            }
            dump(&mut lines, traces.model, &signals, time);
            time += 1;
        }
        if let Some(state) = titled.trace.loop_start {
            lines.push(comment(&format!("from here it goes on at time {}", start + state)));
        }
    }
    lines.push(format!("#{time}"));
    lines.join("\n") + "\n"
}

/// The signals, ordered so that the members of a scope are adjacent.
fn signals(model: &Model, traces: &[&Trace]) -> Vec<Signal> {
    let defines = Defines::new(model);
    let states = || traces.iter().flat_map(|it| (0..it.states.len()).map(move |idx| (*it, idx)));
    let of_defines: Vec<Vec<Option<Value>>> =
        states().map(|(trace, idx)| defines.values(trace, idx)).collect();
    let vars = model.vars.iter().enumerate().map(|(idx, var)| {
        let values = states().map(|(trace, state)| trace.states[state].values[idx]);
        (var.domain.ty(), values.collect::<Vec<_>>())
    });
    let defines = model.defines.iter().enumerate().map(|(idx, define)| {
        let values = of_defines.iter().map(|values| values[idx]);
        (model.exprs.ty(define.body.expr), values.collect::<Vec<_>>())
    });
    let all = paths(model).into_iter().zip(vars.chain(defines));
    let mut signals: Vec<Signal> = all
        .filter_map(|(path, (ty, values))| {
            let shape = shape(ty, &values)?;
            Some(Signal { path: path?, shape, code: String::new(), values })
        })
        .collect();
    signals.sort_by(|a, b| a.scope().cmp(b.scope()));
    for (idx, signal) in signals.iter_mut().enumerate() {
        signal.code = code(idx);
    }
    signals
}

/// How the values of a type are written; `None` for what never has a value.
fn shape(ty: Type, values: &[Option<Value>]) -> Option<Shape> {
    let fits = |value: &Value| value.as_int().is_none_or(|i| i32::try_from(i).is_ok());
    Some(match ty {
        Type::Bool => Shape::Wire,
        Type::Int if values.iter().flatten().all(fits) => Shape::Integer(32),
        Type::Int => Shape::Integer(64),
        Type::Word { width, .. } => Shape::Vector(width),
        Type::Real => Shape::Real,
        Type::Symbol | Type::Mixed => Shape::Text,
        Type::Set(_) | Type::Temporal | Type::Never => return None,
    })
}

fn declare(lines: &mut Vec<String>, signals: &[Signal]) {
    lines.push(format!("$version trapline {} $end", env!("CARGO_PKG_VERSION")));
    lines.push("$timescale 1 ns $end".into());
    lines.push("$scope module main $end".into());
    let mut open: &[String] = &[];
    for signal in signals {
        let scope = signal.scope();
        let n_shared = open.iter().zip(scope).take_while(|(a, b)| a == b).count();
        lines.extend(open[n_shared..].iter().map(|_| "$upscope $end".into()));
        lines.extend(scope[n_shared..].iter().map(|name| format!("$scope module {name} $end")));
        open = scope;
        let (kind, width) = match signal.shape {
            Shape::Wire => ("wire", 1),
            Shape::Integer(width) => ("integer", width),
            Shape::Vector(width) => ("wire", width),
            Shape::Real => ("real", 64),
            Shape::Text => ("string", 1),
        };
        let range = match signal.shape {
            Shape::Vector(width) => format!(" [{}:0]", width - 1),
            _ => String::new(),
        };
        let Signal { code, .. } = signal;
        lines.push(format!("$var {kind} {width} {code} {}{range} $end", signal.name()));
    }
    lines.extend(open.iter().map(|_| "$upscope $end".into()));
    lines.extend(["$upscope $end".into(), "$enddefinitions $end".into()]);
}

/// The values of a state that differ from those before; all of the first one.
fn dump(lines: &mut Vec<String>, model: &Model, signals: &[Signal], state_idx: usize) {
    if state_idx == 0 {
        lines.push("$dumpvars".into());
    }
    for signal in signals {
        let before = state_idx.checked_sub(1).map(|idx| signal.values[idx]);
        let now = signal.values[state_idx];
        if before != Some(now) {
            lines.push(written(model, signal.shape, now) + &signal.code);
        }
    }
    if state_idx == 0 {
        lines.push("$end".into());
    }
}

/// A value, up to where the signal's code follows.
fn written(model: &Model, shape: Shape, value: Option<Value>) -> String {
    match (shape, value) {
        (Shape::Wire, None) => "x".into(),
        (Shape::Integer(_) | Shape::Vector(_), None) => "bx ".into(),
        (Shape::Real, None) => "rNaN ".into(),
        (Shape::Text, None) => "s? ".into(),
        (Shape::Text, Some(value)) => format!("s{} ", text(&notation::value(model, value))),
        (_, Some(Value::Bool(b))) => u8::from(b).to_string(),
        (Shape::Integer(32), Some(Value::Int(i))) => format!("b{:b} ", i as i32),
        (Shape::Real, Some(Value::Int(i))) => format!("r{i} "),
        (_, Some(Value::Int(i))) => format!("b{i:b} "),
        (_, Some(Value::Word(word))) => {
            format!("b{:0width$b} ", word.bits, width = usize::from(word.width))
        }
        (_, Some(Value::Real(real))) => format!("r{} ", real.num() as f64 / real.den() as f64),
        (_, Some(Value::Symbol(_))) => unreachable!("symbols have the shape of texts"),
    }
}

impl Signal {
    fn scope(&self) -> &[String] {
        &self.path[..self.path.len() - 1]
    }

    fn name(&self) -> &str {
        &self.path[self.path.len() - 1]
    }
}

/// The identifier with this number: all strings of printable characters, the short ones first.
pub fn code(idx: usize) -> String {
    const FIRST: u8 = b'!';
    const N_CHARS: usize = 94;
    let mut code = String::new();
    let mut rest = idx + 1;
    while rest > 0 {
        rest -= 1;
        code.push(char::from(FIRST + (rest % N_CHARS) as u8));
        rest /= N_CHARS;
    }
    code
}

/// A text as one word that keeps distinct values distinct: white space and special characters are
/// escaped as in C. A lone question mark denotes a missing value.
fn text(value: &str) -> String {
    let mut word = String::new();
    for c in value.chars() {
        match c {
            '\\' => word += "\\\\",
            '?' if value == "?" => word += "\\?",
            c if c.is_ascii_graphic() || c.is_alphanumeric() => word.push(c),
            c => {
                for byte in c.to_string().bytes() {
                    word += &format!("\\x{byte:02x}");
                }
            }
        }
    }
    if word.is_empty() { "\\x00".into() } else { word }
}

/// A comment, which its text does not end.
fn comment(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("$comment {} $end", text.replace("$end", "$ end"))
}
