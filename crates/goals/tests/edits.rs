//! Mutants as changes of the text: the changed text, read again, is the mutant.

use std::collections::BTreeSet;

use fastrand::Rng;
use trapline_goals::criteria::mutation;
use trapline_goals::mutate::edit::Texts;
use trapline_goals::mutate::{Mutants, OPERATORS, mutants};
use trapline_goals::{Builder, Mutate, Options};
use trapline_model::eval::{Cell, evaluate};
use trapline_model::{Formula, Model, Reads};
use trapline_source::Sources;

use trapline_testkit::brute_force::Explorer;
use trapline_testkit::random::{self, random_model};
use trapline_testkit::{read, try_read};

/// Operators that bind differently, comments and line ends between them, names that only modules
/// know. The last module of each is the one that may have several instances.
const MODELS: &[&str] = &[
    "MODULE main
VAR a : boolean; b : boolean; c : boolean; m : {off, on, idle};
IVAR go : boolean;
DEFINE
  busy := a -- first & second
    & /-- a | longer
    comment --/ b | c;
  both := a&b;
ASSIGN
  init(m) := {off, on};
  next(m) := case
    a & b -- both
      & (c | !a) : on;
    m = on & (a xor b & c) : {off, idle};
    go -> busy : (a) | (b) ? idle : off;
    TRUE : m;
  esac;
  next(a) := (a) & (b | (c)) | both;
TRANS next(b) != (next(a & c) | b)
INVAR a | b | c
INVAR (a -> b -> !c) | m = idle & a | b & c & a;
",
    "MODULE main
VAR x : boolean; n : 0..3; mode : {on, off}; other : {on, off}; one : cell(x, n, self, x & mode = on);
DEFINE LOW := 1; HIGH := 2;
ASSIGN
  next(n) := n < HIGH & !(one.v & x) ? n + LOW : 0;
  next(mode) := one.v ? on : other;
TRANS next(x) = (x | next(one.v))
MODULE cell(inp, amount, top, calm)
VAR v : boolean; w : boolean;
DEFINE FULL := 3; EMPTY := 0;
ASSIGN
  init(v) := FALSE;
  next(v) := case
    inp & calm : v | w;
    amount >= FULL & top.mode = on
      | amount <= EMPTY & !(inp) : !v;
    TRUE : {TRUE, FALSE};
  esac;
TRANS next(w) = (inp & next(v)) -- twice
",
    "MODULE main
VAR x : boolean; left : cell(x); right : cell(left.v);
MODULE cell(inp)
VAR v : boolean; last : boolean;
DEFINE same := v <-> inp;
ASSIGN
  init(v) := FALSE;
  next(v) := inp & !last | same;
INVAR v | !last
TRANS next(last) = v
",
];

fn made<'o>(model: &Model, options: &'o Options) -> (Builder<'o>, Mutants) {
    let mut builder = Builder::new(model.clone(), options);
    builder.criterion = "mutation".into();
    let all: Vec<usize> = (0..OPERATORS.len()).collect();
    let found = mutants(&mut builder, &all);
    mutation::add_goals(&mut builder, &found);
    (builder, found)
}

/// What two models with the same variables and defines differ in.
fn difference(one: &Model, other: &Model) -> Option<String> {
    let [explorer, again] = [one, other].map(Explorer::new);
    if explorer.initial().allowed != again.initial().allowed {
        return Some("the initial states".into());
    }
    for state in explorer.states() {
        let steps = explorer.successors(&state).allowed;
        if steps != again.successors(&state).allowed {
            return Some(format!("the steps from {state:?}"));
        }
        for (define, changed) in one.defines.iter().zip(&other.defines) {
            let bodies = [(one, define), (other, changed)];
            let is_step = bodies
                .iter()
                .any(|(model, d)| model.exprs.info(d.body.expr).reads.any(Reads::STEP));
            let [old, new] =
                bodies.map(|(model, d)| match evaluate(model, d.body.expr, &state, &[]) {
                    Cell::Value(value) => Some(value),
                    _ => None,
                });
            if !is_step && old != new {
                return Some(format!("the define {}", define.name));
            }
        }
    }
    None
}

/// The text with a change in one instance only: its module is copied, and changed there.
fn in_instance(text: &str, changed: &str, instance: &str) -> Option<String> {
    let module = changed.rfind("MODULE cell")?;
    let copy = changed[module..].replacen("MODULE cell", "MODULE cell_changed", 1);
    let (old, new) = (format!("{instance} : cell("), format!("{instance} : cell_changed("));
    text.contains(&old).then(|| format!("{}{copy}", text.replacen(&old, &new, 1)))
}

/// How many mutants of a model are compared, and how many can't be written in its text.
fn compare(text: &str) -> (usize, usize) {
    let mut sources = Sources::new();
    let file = sources.add("test.smv", text).expect("small").span();
    let (model, _) = read(text, &[]);
    let options = Options::default();
    let (builder, found) = made(&model, &options);
    let texts = Texts::new(&builder.model, &sources);
    let (mut n_read, mut n_other) = (0, 0);
    let mut diffs = BTreeSet::new();
    for mutant in &found.list {
        let subject = &found.subjects[mutant.subject];
        let id = mutant.id(&found.subjects);
        let change = texts.change(subject, mutant).unwrap_or_else(|| panic!("{id} has no text"));
        let changed = change.apply(&sources, file);
        assert!(change.edits.iter().all(|edit| sources.text(edit.span) != edit.text), "{id}");
        let is_new = diffs.insert((mutant.operator, changed.clone(), change.instance.clone()));
        assert!(is_new, "{id} looks like another one");
        let changed = match (&change.instance, &change.unknown) {
            (None, None) => Some(changed),
            (Some(instance), None) => in_instance(text, &changed, instance),
            (_, Some(_)) => None,
        };
        // Some are no models: a define that needs itself, a constant outside its type.
        let again = changed.as_ref().and_then(|changed| try_read(changed, &[]).ok());
        let (Some(changed), Some((again, _))) = (changed, again) else {
            n_other += 1;
            continue;
        };
        let applied = mutant.apply(&found.subjects, &builder.model);
        let difference = difference(&applied, &again);
        assert_eq!(difference, None, "{id}\n{changed}");
        n_read += 1;
    }
    let goal_texts: BTreeSet<_> = builder.goals.iter().map(|g| (&g.criterion, &g.text)).collect();
    assert_eq!(goal_texts.len(), found.list.len(), "texts are not unique");
    (n_read, n_other)
}

#[test]
fn the_changed_text_is_the_mutant() {
    for text in MODELS {
        let (n_read, n_other) = compare(text);
        assert!(n_read > 60 && n_other < n_read / 3, "{n_read} read, {n_other} not");
    }
}

#[test]
fn the_changed_text_of_random_models_is_the_mutant() {
    let mut rng = Rng::with_seed(23);
    let mut n_all = 0;
    for _ in 0..25 {
        let options = random::Options { is_wild: false, max_states: 16 };
        n_all += compare(&random_model(&mut rng, options).text).0;
    }
    assert!(n_all > 500, "{n_all}");
}

#[test]
fn the_changed_text_of_a_property_is_the_mutant() {
    let text = "MODULE main
VAR a : boolean; b : boolean; m : {off, on}; k : inner(a);
CTLSPEC AG (a & b -> AF m = on) | !EF (b | (a & m != off))
LTLSPEC G (a -- now
  & X b | F m = on) U b
MODULE inner(p)
VAR v : boolean;
INVARSPEC p | (v & p)
";
    let mut sources = Sources::new();
    let file = sources.add("test.smv", text).expect("small").span();
    let (model, _) = read(text, &[]);
    let options = Options { mutate: Mutate::Specs, ..Options::default() };
    let (builder, found) = made(&model, &options);
    let texts = Texts::new(&builder.model, &sources);
    let formulas = |model: &Model| -> Vec<String> {
        let formulas = model.properties.iter().filter_map(|property| match property.formula {
            Formula::Holds(clause) => Some(model.show_expr(clause.expr)),
            _ => None,
        });
        formulas.collect()
    };
    let mut n_read = 0;
    for mutant in &found.list {
        let change = texts.change(&found.subjects[mutant.subject], mutant).expect("a text");
        if change.unknown.is_some() {
            continue;
        }
        let (again, _) = read(&change.apply(&sources, file), &[]);
        let applied = mutant.apply(&found.subjects, &builder.model);
        assert_eq!(formulas(&again), formulas(&applied));
        n_read += 1;
    }
    assert!(n_read > 50, "{n_read}");
}
