//! What is written is read back, by our readers or by those of others, and is the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use trapline_lang::smv::Smv;
use trapline_model::trace::{State, Trace};
use trapline_model::{Array, Domain, Model, Ratio, Role, Value, Var, VarKind, Word};
use trapline_report::formats::code;
use trapline_report::formats::trace::{FORMATS, Writer};
use trapline_source::Span;
use trapline_suite::read::{find, read};
use trapline_suite::steps::{Cell, ExecutableSuite, TURNS, steps};
use trapline_suite::titled::{Titled, Traces};

/// A model with every kind of variable.
fn model() -> Model {
    let mut model = Model::new(&Smv);
    let symbols = ["idle", "busy", "<a&b>", "a b", "a_b", "ä水"];
    let symbols = symbols.map(|name| Value::Symbol(model.symbols.intern(name)));
    let mixed = [symbols[0], Value::Int(3), Value::Int(-4)];
    let vars = [
        ("go", VarKind::Input, Role::Input, Domain::Bool),
        ("set", VarKind::State, Role::Input, Domain::Range(-3, 3)),
        ("pump.state", VarKind::State, Role::Output, Domain::Enum(Arc::from(symbols))),
        ("pump.mixed", VarKind::State, Role::Output, Domain::Enum(Arc::from(mixed))),
        ("w", VarKind::State, Role::Output, Domain::Word { signed: false, width: 64 }),
        ("s", VarKind::State, Role::Output, Domain::Word { signed: true, width: 5 }),
        ("time", VarKind::State, Role::Internal, Domain::Real),
        ("total", VarKind::State, Role::Internal, Domain::Integer),
        ("q[1]", VarKind::State, Role::Output, Domain::Bool),
        ("q[2]", VarKind::State, Role::Output, Domain::Bool),
    ];
    for (name, kind, role, domain) in vars {
        model.vars.push(Var {
            name: name.into(),
            kind,
            domain,
            role,
            timing: None,
            span: Span::default(),
        });
    }
    model.arrays.push(Array { name: "q".into(), dims: vec![(1, 2)], elements: 8..10 });
    model
}

fn value(rng: &mut Rng, domain: &Domain) -> Value {
    match domain {
        Domain::Word { signed, width } => Value::Word(Word::new(*signed, *width, rng.u64(..))),
        Domain::Real => {
            // Halves and quarters are exact in every notation.
            let ratio = Ratio::new(rng.i128(-99..99), 1 << rng.u8(..3));
            Value::Real(ratio.expect("the denominator is not zero"))
        }
        Domain::Integer => Value::Int(rng.i64(..)),
        domain => domain.value(rng.u64(..domain.size().expect("the domain has an end"))),
    }
}

fn traces(model: &Model, rng: &mut Rng) -> Vec<Trace> {
    let trace = |rng: &mut Rng| {
        let n_states = rng.usize(1..6);
        let loop_start = rng.bool().then(|| rng.usize(..n_states));
        let states = (0..n_states).map(|idx| {
            let is_end = idx + 1 == n_states && loop_start.is_none();
            let values = model.vars.iter().map(|var| {
                let has_value = var.kind != VarKind::Input || !is_end;
                has_value.then(|| value(rng, &var.domain))
            });
            State { values: values.collect() }
        });
        Trace { states: states.collect(), loop_start }
    };
    (0..3).map(|_| trace(rng)).collect()
}

/// The texts of a format: one for all traces, or one for each.
fn written(model: &Model, list: &[Trace], format: &str) -> Vec<String> {
    let titled = list.iter().enumerate().map(|(idx, it)| Titled::new(format!("t{}", idx + 1), it));
    let traces = Traces {
        path: "m.smv",
        model,
        list: titled.collect(),
        is_complete: true,
        missed: Vec::new(),
    };
    let format = FORMATS.iter().find(|known| known.name == format).expect("the format is known");
    match format.writer {
        Writer::All(write) => vec![write(&traces)],
        Writer::Each(write) => traces.list.iter().map(|it| write(&traces, it)).collect(),
    }
}

/// Calls `check` with random traces, and their texts in a format.
fn for_random(format: &str, check: impl Fn(&Model, &[Trace], &[String])) {
    let model = model();
    let mut rng = Rng::with_seed(11);
    for _ in 0..100 {
        let list = traces(&model, &mut rng);
        check(&model, &list, &written(&model, &list, format));
    }
}

fn suite(model: &Model, list: &[Trace]) -> ExecutableSuite {
    with_turns(model, list, TURNS)
}

fn with_turns(model: &Model, list: &[Trace], n_turns: usize) -> ExecutableSuite {
    let titled = list.iter().map(|it| Titled::new("t".into(), it)).collect();
    steps(
        &Traces { path: "m.smv", model, list: titled, is_complete: true, missed: Vec::new() },
        n_turns,
    )
}

#[test]
fn a_loop_is_executed_as_its_stem_and_three_turns() {
    let model = model();
    let mut rng = Rng::with_seed(12);
    let list: Vec<Trace> = (0..30).flat_map(|_| traces(&model, &mut rng)).collect();
    let (once, executed) = (with_turns(&model, &list, 1), suite(&model, &list));
    for ((trace, once), executed) in list.iter().zip(&once.tests).zip(&executed.tests) {
        let n_states = trace.states.len();
        let start = trace.loop_start.unwrap_or(n_states);
        assert_eq!(executed.rows.len(), n_states + 2 * (n_states - start));
        for (idx, row) in executed.rows.iter().enumerate() {
            let here = |idx: usize| start + (idx - start) % (n_states - start);
            let state = if idx < n_states { idx } else { here(idx) };
            let before = idx.checked_sub(1).map(|idx| if idx < n_states { idx } else { here(idx) });
            for (column, var) in model.vars.iter().enumerate() {
                let is_step = var.kind == VarKind::Input;
                let known = match before.filter(|_| is_step) {
                    Some(before) => trace.states[before].values[column],
                    None if is_step => None,
                    None => trace.states[state].values[column],
                };
                assert_eq!(row[column].is_some(), known.is_some());
                let same = &once.rows[state][column];
                assert!(is_step || row[column] == *same, "{}, row {idx}", var.name);
                if let (Some(Value::Bool(known)), true) = (known, is_step) {
                    assert_eq!(row[column], Some(Cell::Bool(known)), "{}, row {idx}", var.name);
                }
            }
        }
    }
}

#[test]
fn our_readers_read_what_is_written() {
    let formats =
        [("json", true), ("csv", false), ("itf", true), ("nusmv-xml", true), ("vcd", true)];
    for (format, has_loops) in formats.into_iter().chain([("vcd-all", true)]) {
        for_random(format, |model, list, texts| {
            let reader = find(format.trim_end_matches("-all")).expect("there is a reader");
            let mut drafts = Vec::new();
            for text in texts {
                let document = read(model, reader, text);
                drafts.extend(document.unwrap_or_else(|why| panic!("{why:?}\n{text}")).drafts);
            }
            assert_eq!(drafts.len(), list.len());
            for (draft, trace) in drafts.iter().zip(list) {
                let read: Vec<_> = draft.states.iter().map(|state| state.vars.clone()).collect();
                let known = trace.states.iter().map(|state| state.values.clone());
                // Where loops can't be written, the step back is.
                let again = trace.loop_start.filter(|_| !has_loops);
                let again = again.map(|start| without_step(model, &trace.states[start]));
                let known: Vec<_> = known.chain(again).collect();
                assert_eq!(read, known, "{format}: {texts:?}");
                assert_eq!(draft.loop_start, trace.loop_start.filter(|_| has_loops), "{texts:?}");
            }
        });
    }
}

/// The values of a state that no step leaves.
fn without_step(model: &Model, state: &State) -> Vec<Option<Value>> {
    let values = model.vars.iter().zip(&state.values);
    values.map(|(var, value)| value.filter(|_| var.kind != VarKind::Input)).collect()
}

#[test]
fn a_row_without_values_is_no_blank_line() {
    let mut model = model();
    model.vars.truncate(1);
    let state = |go: bool| State { values: vec![go.then_some(Value::Bool(true))] };
    let list = [Trace { states: vec![state(true), state(false)], loop_start: None }];
    let texts = written(&model, &list, "csv");
    assert_eq!(texts, ["go\nTRUE\n\"\"\n"]);
    let reader = find("csv").expect("there is a reader");
    let drafts = read(&model, reader, &texts[0]).expect("it can be read").drafts;
    assert_eq!(drafts.len(), 1);
    assert_eq!(drafts[0].states.len(), 2);
}

/// The text of each signal at each time, as a reader of value change dumps sees it.
fn signals(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut parser = vcd::Parser::new(text.as_bytes());
    let header = parser.parse_header().expect("the header is right");
    let mut names = BTreeMap::new();
    let mut pending: Vec<(String, &[vcd::ScopeItem])> = vec![(String::new(), &header.items)];
    while let Some((prefix, items)) = pending.pop() {
        for item in items {
            match item {
                vcd::ScopeItem::Scope(scope) if scope.identifier == "main" => {
                    pending.push((String::new(), &scope.items));
                }
                vcd::ScopeItem::Scope(scope) => {
                    pending.push((format!("{prefix}{}.", scope.identifier), &scope.items));
                }
                vcd::ScopeItem::Var(var) => {
                    names.insert(var.code, format!("{prefix}{}", var.reference));
                }
                _ => {}
            }
        }
    }
    let mut now = BTreeMap::new();
    let mut states = Vec::new();
    for command in parser {
        match command.expect("the dump is right") {
            vcd::Command::Timestamp(0) => {}
            vcd::Command::Timestamp(_) => states.push(now.clone()),
            vcd::Command::ChangeScalar(code, value) => {
                now.insert(names[&code].clone(), value.to_string());
            }
            vcd::Command::ChangeVector(code, value) => {
                now.insert(names[&code].clone(), value.to_string());
            }
            vcd::Command::ChangeReal(code, value) => {
                now.insert(names[&code].clone(), value.to_string());
            }
            vcd::Command::ChangeString(code, value) => {
                now.insert(names[&code].clone(), unescaped(&value));
            }
            _ => {}
        }
    }
    states
}

/// A text in which bytes are written as in C.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\\x") {
        bytes.extend(before.bytes());
        bytes.push(u8::from_str_radix(&code[..2], 16).expect("a byte has two digits"));
        rest = &code[2..];
    }
    bytes.extend(rest.bytes());
    String::from_utf8(bytes).expect("the bytes are those of a text")
}

fn signal(model: &Model, var: &Var, value: Option<Value>) -> String {
    match (value, &var.domain) {
        (None, _) => "x".into(),
        (Some(Value::Bool(b)), _) => u8::from(b).to_string(),
        (Some(value), Domain::Enum(_)) => model.show(value),
        (Some(Value::Int(number)), Domain::Range(..)) => format!("{:b}", number as i32),
        (Some(Value::Int(number)), _) => format!("{number:b}"),
        (Some(Value::Word(word)), _) => {
            format!("{:0width$b}", word.bits, width = usize::from(word.width))
        }
        (Some(Value::Real(real)), _) => (real.num() as f64 / real.den() as f64).to_string(),
        (Some(Value::Symbol(_)), _) => unreachable!("symbols are members of enumerations"),
    }
}

#[test]
fn a_dump_has_every_value_at_its_time() {
    for format in ["vcd", "vcd-all"] {
        for_random(format, |model, list, texts| {
            let read: Vec<_> = texts.iter().flat_map(|text| signals(text)).collect();
            let states: Vec<&State> = list.iter().flat_map(|trace| &trace.states).collect();
            assert_eq!(read.len(), states.len(), "{texts:?}");
            for (read, state) in read.iter().zip(states) {
                for (var, value) in model.vars.iter().zip(&state.values) {
                    // Integers that fit 32 bits are written so, whatever their type.
                    let seen = read[&var.name].as_str();
                    let known = signal(model, var, *value);
                    let is_short =
                        known.strip_prefix(&"1".repeat(32)).is_some_and(|end| end == seen);
                    assert!(seen == known || is_short, "{}: {seen}, not {known}", var.name);
                }
            }
        });
    }
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Bool(b) => u8::from(*b).to_string(),
        cell => cell.show(),
    }
}

#[test]
fn itr_has_every_value_of_every_step() {
    for_random("itr", |model, list, texts| {
        let suite = suite(model, list);
        let (mut read, mut part, mut interface) = (Vec::new(), String::new(), String::new());
        for line in texts[0].lines().map(str::trim).skip_while(|line| *line != "TESTCASE 1") {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("STEP", _) => read.push(BTreeMap::new()),
                ("INPUT" | "OUTPUT" | "STATE", "") => part = line.into(),
                ("INTERFACE", name) => {
                    interface = format!("{}.", name.split(':').next().unwrap_or_default());
                }
                ("ENDINTERFACE", _) => interface.clear(),
                (name, value) if value.starts_with("= ") => {
                    let value = value.trim_start_matches("= ").trim_end_matches(';');
                    let state = read.last_mut().expect("a step has begun");
                    state.insert(format!("{part} {interface}{name}"), value.to_string());
                }
                _ => assert!(
                    line.starts_with("END") || line.starts_with("TESTCASE") || line.is_empty()
                ),
            }
        }
        let rows = suite.tests.iter().flat_map(|test| &test.rows);
        let known: Vec<BTreeMap<String, String>> = rows
            .map(|row| {
                let cells = suite.columns.iter().zip(row);
                let cells = cells.filter_map(|(column, cell)| {
                    let part = match column.role {
                        Role::Input => "INPUT",
                        Role::Output => "OUTPUT",
                        Role::Internal => "STATE",
                    };
                    Some((format!("{part} {}", column.name), shown(cell.as_ref()?)))
                });
                cells.collect()
            })
            .collect();
        assert_eq!(read, known, "{}", texts[0]);
    });
}

#[test]
fn test_comp_has_the_inputs_in_their_order() {
    for_random("test-comp", |model, list, texts| {
        for (trace, text) in list.iter().zip(texts) {
            let suite = suite(model, std::slice::from_ref(trace));
            let inputs = suite.of_role(Role::Input);
            let rows = suite.tests.iter().flat_map(|test| &test.rows);
            let known = rows.flat_map(|row| inputs.iter().filter_map(|&idx| row[idx].as_ref()));
            let known: Vec<String> = known.map(shown).collect();
            let mut xml = quick_xml::Reader::from_str(text);
            let (mut read, mut is_input) = (Vec::new(), false);
            loop {
                match xml.read_event().expect("it is XML") {
                    quick_xml::events::Event::Start(tag) => {
                        is_input = tag.name().as_ref() == "input"
                    }
                    quick_xml::events::Event::Text(text) if is_input => read.push(text.to_string()),
                    quick_xml::events::Event::End(_) => is_input = false,
                    quick_xml::events::Event::Eof => break,
                    _ => {}
                }
            }
            assert_eq!(read, known, "{text}");
        }
    });
}

#[test]
fn a_sequence_diagram_tells_every_difference() {
    for_random("mermaid-sequence", |model, list, texts| {
        for (trace, text) in list.iter().zip(texts) {
            let suite = suite(model, std::slice::from_ref(trace));
            let mut now: BTreeMap<String, String> = BTreeMap::new();
            let mut read = Vec::new();
            for line in text.lines().map(str::trim) {
                let Some((who, said)) = line.split_once(": ") else { continue };
                let said = said.split_once(' ').map_or("", |_| said);
                for part in said.split(", ").filter(|_| who.contains(">>")) {
                    if let Some((name, value)) = part.split_once(" = ") {
                        let name = name.rsplit(' ').next().unwrap_or_default();
                        now.insert(plain(name), plain(value));
                    }
                }
                if who == "I-->>T" {
                    read.push(now.clone());
                }
            }
            assert_eq!(read.len(), trace.states.len(), "{text}");
            // A loop is closed by a step, which has inputs of its own.
            read.extend(trace.loop_start.map(|_| now.clone()));
            for (idx, (read, row)) in read.iter().zip(&suite.tests[0].rows).enumerate() {
                let is_back = idx == trace.states.len();
                for (column, cell) in suite.columns.iter().zip(row) {
                    let is_told = match column.role {
                        Role::Input => true,
                        Role::Output => !is_back,
                        Role::Internal => false,
                    };
                    if let (Some(cell), true) = (cell, is_told) {
                        assert_eq!(read[&*column.name], cell.show(), "{text}");
                    }
                }
            }
        }
    });
}

/// A text without the codes for characters.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('#') {
        let (code, after) = after.split_once(';').expect("a code ends");
        let code = code.parse().ok().and_then(char::from_u32).expect("a code is a character");
        plain += before;
        plain.push(code);
        rest = after;
    }
    plain + rest
}

fn rendered(model: &Model, list: &[Trace], format: &str) -> (ExecutableSuite, String) {
    let suite = suite(model, list);
    let template = code::find(format).expect("the format is known").template();
    let text = code::render(&template, Arc::new(suite.clone()), "suite");
    (suite, text.expect("our templates are right"))
}

/// Each branch of an `if` nests deeper, and nobody else bounds how many there are.
#[test]
fn a_template_of_any_number_of_branches_is_refused() {
    let template = "{% if 1 %}".to_string() + &"{% elif 1 %}".repeat(100_000) + "{% endif %}";
    let suite = Arc::new(suite(&model(), &[]));
    let error = code::render(&template, suite, "suite").expect_err("it is too long");
    assert_eq!(error.to_string(), "a template of more than 1024 KiB");
}

#[test]
fn templates_see_every_value() {
    for_random("json", |model, list, _| {
        let (suite, text) = rendered(model, list, "template-data");
        let data: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        for (test_idx, test) in suite.tests.iter().enumerate() {
            for (state_idx, row) in test.rows.iter().enumerate() {
                let state = &data["tests"][test_idx]["states"][state_idx];
                for (column, cell) in suite.columns.iter().zip(row) {
                    let part = match column.role {
                        Role::Input => "inputs",
                        Role::Output => "outputs",
                        Role::Internal => "internals",
                    };
                    let known = cell.as_ref().map(|cell| match cell {
                        Cell::Bool(b) => serde_json::json!(b),
                        Cell::Int(i) => serde_json::json!(i),
                        Cell::Unsigned(u) => serde_json::json!(u),
                        Cell::Real(r) => serde_json::json!(r),
                        Cell::Text(text) => serde_json::json!(**text),
                    });
                    assert_eq!(state[part].get(&*column.name), known.as_ref(), "{text}");
                }
            }
        }
    });
}

#[test]
fn scenarios_have_every_input_and_output() {
    for_random("json", |model, list, _| {
        let (suite, text) = rendered(model, list, "gherkin");
        let rows = text.lines().filter_map(|line| line.trim().strip_prefix('|'));
        let rows = rows.map(|row| -> Vec<&str> { row.split('|').map(str::trim).collect() });
        let rows: Vec<Vec<&str>> = rows.collect();
        // A header, then a row, for inputs and for outputs.
        let read: Vec<BTreeMap<&str, &str>> = rows
            .chunks(4)
            .map(|part| {
                let pair =
                    |idx: usize| part[idx].iter().copied().zip(part[idx + 1].iter().copied());
                pair(0).chain(pair(2)).filter(|(name, _)| !name.is_empty()).collect()
            })
            .collect();
        let states: Vec<_> = suite.tests.iter().flat_map(|test| &test.rows).collect();
        assert_eq!(read.len(), states.len(), "{text}");
        for (read, row) in read.iter().zip(states) {
            for (column, cell) in suite.columns.iter().zip(row) {
                if column.role != Role::Internal {
                    let known = cell.as_ref().map(Cell::show).unwrap_or_default();
                    assert_eq!(read[&*column.name], known, "{text}");
                }
            }
        }
    });
}

#[test]
fn a_state_diagram_has_every_state_and_step() {
    for_random("mermaid-state", |model, list, texts| {
        for (trace, text) in list.iter().zip(texts) {
            let suite = suite(model, std::slice::from_ref(trace));
            let (mut now, mut shown, mut steps) = (BTreeMap::new(), Vec::new(), Vec::new());
            let (mut given, mut all_given) = (BTreeMap::new(), Vec::new());
            for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
                let (head, label) = line.split_once(": ").unwrap_or((line, ""));
                match head.split_once(" --> ") {
                    Some((from, to)) => {
                        steps.push((from.to_string(), to.to_string()));
                        let parts = label.split(", ").filter_map(|part| part.split_once(" = "));
                        given.extend(parts.map(|(name, value)| (plain(name), plain(value))));
                        all_given.push(given.clone());
                    }
                    None => {
                        let parts = label.split("<br/>").filter_map(|part| part.split_once(" = "));
                        now.extend(parts.map(|(name, value)| (plain(name), plain(value))));
                        shown.push(now.clone());
                    }
                }
            }
            let n_states = trace.states.len();
            let name = |state: usize| format!("s{state}");
            let mut known = vec![("[*]".to_string(), name(0))];
            known.extend((1..n_states).map(|state| (name(state - 1), name(state))));
            known.extend(trace.loop_start.map(|start| (name(n_states - 1), name(start))));
            assert_eq!(steps, known, "{text}");
            assert_eq!(shown.len(), n_states, "{text}");
            for (given, row) in all_given.iter().zip(&suite.tests[0].rows) {
                for idx in suite.of_role(Role::Input) {
                    if let Some(cell) = &row[idx] {
                        assert_eq!(given[&*suite.columns[idx].name], cell.show(), "{text}");
                    }
                }
            }
            for (shown, row) in shown.iter().zip(&suite.tests[0].rows) {
                for idx in suite.of_role(Role::Output) {
                    let value = row[idx].as_ref().map(Cell::show);
                    assert_eq!(shown.get(&*suite.columns[idx].name), value.as_ref(), "{text}");
                }
            }
        }
    });
}
