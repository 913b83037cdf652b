//! A specification that is written again from its tables is the same one, in every form.

use trapline_lang::{Input, Output, scr, smv};
use trapline_source::{Diagnostics, SourceFile, Sources, Table};

type Read = fn(&Input<'_>, &mut Diagnostics) -> Output;
type Write = fn(&[Table]) -> String;

/// Everything that a specification can say, with bars in expressions.
const PLAIN: &str = "\
-- A comment.
TYPES
  Switch = {On, Off}
  Level  = 0 .. Top
CONSTANTS
  Top = 9
  Low = ABS(-3)
OPTIONS
  inputs: any
  stutter: yes
  inmode: group
CONTROLLED Lamp, Horn : Switch INIT Off
MONITORED
  level : Level INIT {1, 2}
  speed : -5..5 INIT (0)
  x     : {X, Y} INIT X
  _b_   : Boolean
TERMS far : Boolean INIT False
NAT |level' - level| <= 3
NAT x = Y => \\
  speed < 5 -- the rest of a rule
MODECLASS M {A, B, C} INIT A
MODECLASS N : {P, Q} INIT P
TABLE M MODE
  A    | @T(\\|speed\\| > 2) OR @F(_b_) | B OR C
  B    | @T(level > Low) WHEN x = X   | C
  B    | @T(level = 0)                | A -- @req R1 back
  C, B | @C(x) WHERE x = Y            | A
TABLE N MODE
  * | @T(level = Top) | Q
TABLE far EVENT CLASS M
  A    | @T(INMODE)       | NEVER
  B, C | X                | @T(speed > 3) WHILE _b_
  far  | True             | False
TABLE Lamp EVENT
  @T(_b_) OR @T(x = Y) | @F(_b_) WHEN x = X
  Lamp | On | Off
TABLE Horn CONDITION CLASS M
  A    | far     | NOT far
  B    | True    | False
  C    | level + speed * 2 < Top | level + speed * 2 >= Top
  Horn | On | Off
ASSERT named: |level| <= Top AND level' >= 0
ASSERT x = Y => NOT far OR Horn = On
CTL AG (far -> EF Lamp = On)
LTL live: G F level = 0
";

fn read(read: Read, text: &str) -> (Output, String) {
    let mut sources = Sources::new();
    let file: &SourceFile = sources.add("a file", text).expect("small");
    let mut diagnostics = Diagnostics::new();
    let output = read(&Input::new(file), &mut diagnostics);
    let findings: Vec<_> =
        diagnostics.list().iter().map(|d| (d.code, &d.message, &d.labels)).collect();
    assert!(!diagnostics.has_errors(), "{findings:?}\n{text}");
    let flat = smv::print::flat(&output.model);
    (output, flat)
}

/// What is written in each form is the same model, and again what was written.
fn check(form: Read, text: &str) {
    let (output, flat) = read(form, text);
    assert!(!output.tables.is_empty());
    let forms: [(Write, Read); 2] = [(scr::markdown, scr::read_markdown), (scr::plain, scr::read)];
    for (write, form) in forms {
        let once = write(&output.tables);
        let (again, same) = read(form, &once);
        assert_eq!(flat, same, "{once}");
        assert_eq!(write(&again.tables), once);
    }
}

#[test]
fn the_plain_form_is_kept() {
    check(scr::read, PLAIN);
}

#[test]
fn markdown_is_kept() {
    check(
        scr::read_markdown,
        "# A page about `terms`\n\nProse | with a bar.\n\n## Monitored variables\n\n\
         | Variable | Type | Initial | Meaning |\n|:--|---|---|---|\n| `w` | 0..9 | 2 | water |\n\
         | **s** | {On, Off} | Off | |\n\n## Mode class\n\n| Name | Modes | Initial |\n|---|---|---|\n\
         | `Mode` | {Low, High} | Low |\n\n## Controlled variables\n\n```\nalarm : Boolean INIT False\n```\n\n\
         ## Environment\n\n- `\\|w' - w\\| <= 1`\n\n## Mode transition table: `Mode`\n\n\
         | Old mode | Event | New mode |\n|---|---|---|\n| Low | @T(w > 5) | High |\n\
         | | @T(\\|w - 4\\| < 0) | Low |\n| High | @T(w < 3) WHEN s = On | Low |\n\n\
         ## Condition table for `alarm`, by mode class `Mode`\n\n| Mode | | |\n|---|---|---|\n\
         | Low | `w = 5` | `NOT (w = 5)` |\n| High | True | \u{2014} |\n| `alarm` | True | False |\n\n\
         ## Assertions\n\n1. no\n\n- safe: alarm => w > 2\n",
    );
}

#[test]
fn csv_is_kept() {
    check(
        scr::read_csv,
        "MONITORED\nw,0..9,2\ns,\"{On, Off}\",Off\nNAT,|w' - w| <= 1\nMODECLASS\nMode,\"{Low, High}\",Low\n\
         CONTROLLED\nalarm,Boolean,False\nTABLE,Mode,MODE\nLow,\"@T(w > 5)\n OR @T(|w| = 5)\",High\n\
         High,@T(w < 3) WHEN s = On,Low\nTABLE,alarm,CONDITION,CLASS,Mode\nLow,w = 5,NOT (w = 5)\n\
         High,True,-\nalarm,True,False\nASSERT\nsafe,alarm => w > 2\n",
    );
}

#[test]
fn very_wide_cells_are_aligned() {
    let wide = "a OR ".repeat(15_000) + "a";
    let text = format!(
        "MONITORED\n  a : Boolean INIT False\nCONTROLLED\n  c : Boolean\n\
         TABLE c CONDITION\n  {wide} | NOT a\n  c | True | False\n"
    );
    check(scr::read, &text);
}

#[test]
fn a_cell_knows_what_it_says_and_where() {
    let text = "MONITORED\n  w : 0..9 INIT 2\nTERMS\n  t : Boolean INIT False\n\
                TABLE t EVENT\n  * | @T(\\|w\\| > 5) \\\n  OR @T(w = 5) | @F(w > 4)\n  t | True | False\n";
    let (output, _) = read(scr::read, text);
    let table = &output.tables[2];
    assert_eq!(table.title(), "Event table: t");
    let texts: Vec<&str> = table.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts, ["*", "@T(|w| > 5) OR @T(w = 5)", "@F(w > 4)"]);
    let span = table.rows[0][2].span;
    assert_eq!(&text[span.start as usize..span.end as usize], "@F(w > 4)");
    assert_eq!(
        table.values.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>(),
        ["t", "True", "False"]
    );
}

#[test]
fn a_requirement_stands_in_or_behind_the_last_cell_of_a_row() {
    let text = "## Monitored variables\n\n| name | type | initial |\n|---|---|---|\n| w | 0..9 | 2 |\n\n\
                ## Terms\n\n- t : Boolean\n\n## Condition table: t\n\n| t | True | False |\n|---|---|---|\n\
                | * | w > 5 | w <= 5 |\n";
    for (end, written) in [(" |", " <!-- @req R1 high -->"), ("", " <!-- @req R1 high --> |")] {
        let row = format!("w <= 5{end}{written}\n");
        let (output, _) = read(scr::read_markdown, &text.replace("w <= 5 |\n", &row));
        let requirements: Vec<&str> =
            output.requirements.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(requirements, ["R1"], "{row}");
        assert_eq!(output.tables[2].rows[0][2].text, "w <= 5");
    }
}

#[test]
fn a_heading_that_begins_with_a_colon_is_read() {
    let mut sources = Sources::new();
    let file = sources.add("a file", "# : Event table x\n").expect("small");
    let mut diagnostics = Diagnostics::new();
    let output = scr::read_markdown(&Input::new(file), &mut diagnostics);
    assert!(diagnostics.has_errors() && output.tables.is_empty());
}

/// What is written from a text that is right, whatever it says, is the same model.
#[test]
fn whatever_is_read_is_kept() {
    let mut random = fastrand::Rng::with_seed(26);
    let mut n_right = 0;
    for _ in 0..4_000 {
        let text = changed(PLAIN, &mut random);
        let mut sources = Sources::new();
        let file = sources.add("a file", text.as_str()).expect("small");
        let mut diagnostics = Diagnostics::new();
        scr::read(&Input::new(file), &mut diagnostics);
        if !diagnostics.has_errors() {
            n_right += 1;
            check(scr::read, &text);
        }
    }
    assert!(n_right > 300, "{n_right}");
}

/// A text with some words swapped, lost, or said twice.
fn changed(text: &str, random: &mut fastrand::Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for _ in 0..random.usize(1..4) {
        let (line, other) = (random.usize(..lines.len()), random.usize(..lines.len()));
        let mut words: Vec<String> = lines[line].split(' ').map(String::from).collect();
        let others: Vec<String> = lines[other].split(' ').map(String::from).collect();
        let (at, from) = (random.usize(..words.len()), random.usize(..others.len()));
        match random.u32(..6) {
            0 => words[at] = others[from].clone(),
            1 => words.insert(at, others[from].clone()),
            2 => drop(words.remove(at)),
            3 => lines.swap(line, other),
            4 => words[at] = format!("({})", words[at]),
            _ => words[at] = ["x", "X", "-", "*", "|", "\\|", "--"][random.usize(..7)].into(),
        }
        lines[line] = words.join(" ");
    }
    lines.join("\n") + "\n"
}
