//! In-line expansion: the formulas of outputs are true, and say all that there is to say.

use std::collections::BTreeMap;

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::defined::Defined;
use trapline_goals::mutate::kill::Meaning;
use trapline_goals::mutate::{Mutant, Part, Rewrite, Subject, SubjectKind, mutants};
use trapline_goals::visibility::inline::formulas;
use trapline_goals::{Builder, Goal, GoalKind, GoalSet, Options, Visibility, derive};
use trapline_model::dependency::support;
use trapline_model::{Expr, ExprId, Model, Reads, Role, Scope, VarId, roles};
use trapline_testkit::random::{self, random_model};
use trapline_testkit::read;

const FIG_1: &str = "
MODULE main
VAR d : 0..5; b : 0..11; f : {On, Off}; out : {Low, High}; a : 0..16; e : 0..1;
ASSIGN
  init(e) := 0;
  next(e) := case f = On : 1; TRUE : 0; esac;
  a := e * d + b;
  out := case a > 10 : High; TRUE : Low; esac;
";

/// A model with these inputs and outputs; the rest is internal.
fn model(text: &str, inputs: &[&str], outputs: &[&str]) -> Model {
    let mut model = read(text, &[]).0;
    let roles = model.vars.iter_mut().map(|var| &mut var.role);
    let roles = roles.chain(model.defines.iter_mut().map(|define| &mut define.role));
    roles.for_each(|role| *role = Role::Internal);
    for (names, role) in [(inputs, Role::Input), (outputs, Role::Output)] {
        names.iter().for_each(|name| assert!(roles::set(&mut model, name, role), "{name}"));
    }
    model
}

fn inline() -> Options {
    Options { visibility: Visibility::Inline, ..Options::default() }
}

fn guard_and_value(model: &Model, subject: &Subject) -> [ExprId; 2] {
    let branch = subject.branches[0];
    [branch.guard, branch.value].map(|occ| model.occurrences.get(occ).expr)
}

/// The formulas, as text.
fn lines(builder: &mut Builder<'_>) -> Vec<String> {
    let subjects = formulas(builder);
    let lines = subjects.iter().map(|subject| {
        let [_, value] = guard_and_value(&builder.model, subject);
        let when = subject
            .when
            .map_or(String::new(), |when| format!("[{}] ", builder.model.show_expr(when)));
        let line = subject.line(&builder.model, Part::Value(0), value);
        format!("{}: {when}{line}", subject.named.key)
    });
    lines.collect()
}

/// The goals to reach these.
fn decided(builder: Builder<'_>, kinds: Vec<(String, GoalKind)>) -> Vec<(String, Verdict)> {
    let goals = kinds.into_iter().map(|(id, kind)| Goal {
        id,
        criterion: "inline".into(),
        text: String::new(),
        span: Default::default(),
        kind,
        is_property: false,
    });
    let set = GoalSet {
        model: builder.model,
        goals: goals.collect(),
        points: Vec::new(),
        mutants: Vec::new(),
        faults: Vec::new(),
        notices: Vec::new(),
    };
    let verdicts = decide(&set, &ENGINES[0], &Budget::unlimited()).verdicts;
    set.goals.into_iter().map(|goal| goal.id).zip(verdicts).collect()
}

/// What would violate a formula that nobody changed.
fn violation(model: &mut Model, subject: &Subject) -> GoalKind {
    let [guard, _] = guard_and_value(model, subject);
    let unchanged = Mutant {
        operator: 0,
        subject: 0,
        part: Part::Guard(0),
        place: subject.branches[0].guard,
        new: guard,
        rewrite: Rewrite::Name,
        root: guard,
        conjunct: guard,
        number: 1,
    };
    Meaning { model, defined: &mut Defined::default() }.kill(subject, &unchanged)
}

fn in_scope(scope: Scope, expr: ExprId) -> GoalKind {
    match scope {
        Scope::Init => GoalKind::Initial(expr),
        Scope::State => GoalKind::State(expr),
        Scope::Step => GoalKind::Step(expr),
    }
}

/// Where none of the guards of an output holds, and where two do.
fn gaps(model: &mut Model, subjects: &[Subject]) -> Vec<(String, GoalKind)> {
    let mut groups: BTreeMap<&str, Vec<&Subject>> = BTreeMap::new();
    for subject in subjects {
        let (key, _) = subject.named.key.rsplit_once(".path").expect("a path");
        groups.entry(key).or_default().push(subject);
    }
    let mut gaps = Vec::new();
    for (key, group) in groups {
        let mut any = model.exprs.bool(false);
        let mut two = any;
        for subject in &group {
            let [guard, _] = guard_and_value(model, subject);
            let again = model.exprs.and(any, guard);
            two = model.exprs.or(two, again);
            any = model.exprs.or(any, guard);
        }
        let none = model.exprs.not(any);
        for (what, wrong) in [("none", none), ("two", two)] {
            let wrong = match group[0].when {
                Some(when) => model.exprs.and(when, wrong),
                None => wrong,
            };
            let reads = model.exprs.info(wrong).reads;
            let scope = match group[0].scope() {
                Scope::State if reads.any(Reads::STEP) => Scope::Step,
                scope => scope,
            };
            gaps.push((format!("{key} {what}"), in_scope(scope, wrong)));
        }
    }
    gaps
}

#[test]
fn the_example_of_the_paper_has_its_four_formulas() {
    let options = inline();
    let mut builder = Builder::new(model(FIG_1, &["d", "b", "f"], &["out"]), &options);
    let expected = [
        "out@init.path1: 0 * d + b > 10 -> out = High",
        "out@init.path2: !(0 * d + b > 10) -> out = Low",
        "out.path1: f = On & 1 * next(d) + next(b) > 10 -> next(out) = High",
        "out.path2: !(f = On) & 0 * next(d) + next(b) > 10 -> next(out) = High",
        "out.path3: f = On & !(1 * next(d) + next(b) > 10) -> next(out) = Low",
        "out.path4: !(f = On) & !(0 * next(d) + next(b) > 10) -> next(out) = Low",
    ];
    assert_eq!(lines(&mut builder), expected);
    assert_eq!(builder.notices, []);
    assert!(!builder.model.has_added());
    for subject in formulas(&mut builder) {
        let read = support(&builder.model, guard_and_value(&builder.model, &subject)).all();
        let names: Vec<&str> =
            read.iter().map(|&var| builder.model.var(var).name.as_str()).collect();
        assert!(!names.contains(&"a") && !names.contains(&"e"), "{names:?}");
    }
}

#[test]
fn a_model_without_internal_variables_has_the_paths_of_its_own_relations() {
    let text = "MODULE main
        IVAR go : boolean;
        VAR s : {idle, busy}; lamp : boolean;
        ASSIGN init(s) := idle;
        next(s) := case go & s = idle : busy; TRUE : idle; esac;
        lamp := s = busy;";
    let mut model = read(text, &[]).0;
    roles::guess(&mut model);
    let options = inline();
    let mut builder = Builder::new(model, &options);
    let expected = [
        "s@init.path1: s = idle",
        "s.path1: go & s = idle -> next(s) = busy",
        "s.path2: !(go & s = idle) -> next(s) = idle",
        "lamp.path1: lamp = (s = busy)",
    ];
    assert_eq!(lines(&mut builder), expected);
    assert_eq!(builder.notices, []);
}

#[test]
fn chains_of_delays_are_read_from_monitors() {
    let text = "MODULE main
        VAR i : boolean; x : boolean; y : boolean; z : boolean; out : boolean;
        ASSIGN init(x) := FALSE; next(x) := i;
        init(y) := TRUE; next(y) := !x;
        init(z) := FALSE; next(z) := y;
        out := z;";
    let options = inline();
    let mut builder = Builder::new(model(text, &["i"], &["out"]), &options);
    let expected = [
        "out@init.path1: out = FALSE",
        "out@1.path1: [__steps = 0] next(out) = TRUE",
        "out@2.path1: [__steps = 1] next(out) = (!FALSE)",
        "out.path1: [__steps >= 2] next(out) = (!__before_i_7)",
    ];
    assert_eq!(lines(&mut builder), expected);
    let subjects = formulas(&mut builder);
    let kinds = subjects
        .iter()
        .map(|subject| (subject.named.key.clone(), violation(&mut builder.model, subject)));
    let kinds = kinds.collect();
    for (id, verdict) in decided(builder, kinds) {
        assert!(matches!(verdict, Verdict::Infeasible(_)), "{id} {verdict:?}");
    }
}

#[test]
fn delayed_inputs_are_exchanged_for_inputs_of_the_same_time() {
    let text = "MODULE main
        VAR i : boolean; j : boolean; x : boolean; y : boolean; out : boolean;
        ASSIGN init(x) := FALSE; next(x) := i & j;
        init(y) := FALSE; next(y) := x;
        out := y;";
    let options = Options { on: vec!["out".into()], ..inline() };
    let set = derive(&model(text, &["i", "j"], &["out"]), &["mutation:variable"], &options);
    let texts: Vec<&str> = set.goals.iter().map(|goal| goal.text.as_str()).collect();
    let expected = [
        "__before_i becomes __before_j in the value of path 1 to out",
        "__before_j becomes __before_i in the value of path 1 to out",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn long_delays_stop_the_substitution() {
    let mut text = String::from("MODULE main\nVAR x0 : boolean; out : boolean;\n");
    for idx in 1..=6 {
        let before = idx - 1;
        text += &format!(
            "VAR x{idx} : boolean; ASSIGN init(x{idx}) := FALSE; next(x{idx}) := x{before};\n"
        );
    }
    text += "ASSIGN out := x6;";
    let set = derive(&model(&text, &["x0"], &["out"]), &["mutation:negate"], &inline());
    let last = set.goals.last().expect("there are some");
    assert!(
        last.text.ends_with("not promised: x2 depends on more than 4 earlier states"),
        "{}",
        last.text
    );
    assert_eq!(set.notices.len(), 1);
}

#[test]
fn what_depends_on_itself_remains_and_is_noted_once() {
    let text = "MODULE main
        VAR i : boolean; level : 0..3; coin : boolean; out : boolean; other : boolean;
        ASSIGN init(level) := 0;
        next(level) := case i : (level + 1) mod 4; TRUE : level; esac;
        next(coin) := {TRUE, FALSE};
        out := level = 3 & coin;
        other := level = 2;";
    let options = inline();
    let names = ["mutation:negate", "mutation:operator"];
    let set = derive(&model(text, &["i"], &["out", "other"]), &names, &options);
    let notices: Vec<&str> = set.notices.iter().map(|notice| notice.text.as_str()).collect();
    let expected = [
        "mutation:negate: level remains in formulas of outputs, where visibility is not promised: it depends on itself",
        "mutation:negate: coin remains in formulas of outputs, where visibility is not promised: it is a choice",
    ];
    assert_eq!(notices, expected);
    assert!(set.notices.iter().all(|notice| notice.is_caveat));
    let text = &set.goals[0].text;
    assert!(
        text.ends_with("; visibility is not promised: level depends on itself, coin is a choice"),
        "{text}"
    );
}

#[test]
fn too_many_paths_are_left_out() {
    let mut text = String::from("MODULE main\nVAR out : 0..100; i : 0..1; other : 0..1;\n");
    let mut sum = String::from("0");
    for idx in 0..12 {
        text +=
            &format!("VAR i{idx} : boolean; x{idx} : 0..1;\nASSIGN x{idx} := i{idx} ? 1 : 0;\n");
        sum += &format!(" + x{idx}");
    }
    text += &format!("ASSIGN out := {sum}; other := i;\n");
    let inputs: Vec<String> = (0..12).map(|idx| format!("i{idx}")).chain(["i".into()]).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let set =
        derive(&model(&text, &inputs, &["out", "other"]), &["mutation:arithmetic"], &inline());
    assert_eq!(set.notices.len(), 1);
    assert_eq!(set.notices[0].text, "mutation:arithmetic: out has more than 1000 paths: left out");
    assert!(set.notices[0].is_limit);
    assert!(set.goals.iter().all(|goal| goal.id.starts_with("mutation:arithmetic:other.path1:")));
    assert_eq!(set.goals.len(), 2);
}

#[test]
fn trees_that_double_are_left_out() {
    let mut text = String::from("MODULE main\nVAR out : boolean; x0 : boolean;\n");
    for idx in 1..=40 {
        let before = idx - 1;
        text += &format!("VAR x{idx} : boolean;\nASSIGN x{idx} := x{before} xor x{before};\n");
    }
    text += "ASSIGN out := x40;\n";
    let set = derive(&model(&text, &["x0"], &["out"]), &["mutation:negate"], &inline());
    assert_eq!(set.notices[0].text, "mutation:negate: the paths to out are too long: left out");
    assert!(set.goals.is_empty());
}

#[test]
fn a_guard_that_is_met_again_is_decided_already() {
    let text = "MODULE main
        VAR m : {p, q}; x : 0..1; y : 0..1; out : 0..2;
        ASSIGN x := case m = p : 1; TRUE : 0; esac;
        y := case m = p : 0; TRUE : 1; esac;
        out := x + y;";
    let options = inline();
    let mut builder = Builder::new(model(text, &["m"], &["out"]), &options);
    let expected = ["out.path1: m = p -> out = (1 + 0)", "out.path2: !(m = p) -> out = (0 + 1)"];
    assert_eq!(lines(&mut builder), expected);
}

/// A random model in which some variables are internal.
fn random_roles(rng: &mut Rng, is_wild: bool) -> (Model, String) {
    let sketch = random_model(rng, random::Options { is_wild, max_states: 24 });
    let mut model = read(&sketch.text, &[]).0;
    roles::guess(&mut model);
    let roles = model.vars.iter_mut().map(|var| &mut var.role);
    for role in roles.chain(model.defines.iter_mut().map(|define| &mut define.role)) {
        if *role == Role::Output && rng.u8(..3) > 0 {
            *role = Role::Internal;
        }
    }
    (model, sketch.text)
}

/// A random model without choices, in which values take their time to arrive at the outputs.
fn random_delays(rng: &mut Rng) -> (Model, String) {
    let mut text = String::from("MODULE main\nIVAR k : boolean;\nVAR i : boolean; j : boolean;\n");
    let mut names: Vec<String> = vec!["i".into(), "j".into()];
    for idx in 0..rng.usize(2..6) {
        let name = format!("v{idx}");
        text += &format!("VAR {name} : boolean;\nASSIGN ");
        let first = expression(rng, &names);
        if rng.u8(..3) == 0 {
            text += &format!("{name} := {first};\n");
        } else {
            text += &format!("init({name}) := {first}; ");
            let mut read = names.clone();
            read.extend((rng.u8(..4) == 0).then(|| "k".into()));
            read.extend((rng.u8(..6) == 0).then(|| name.clone()));
            let named = rng.choice(&names).expect("there are some");
            read.extend((rng.u8(..6) == 0).then(|| format!("next({named})")));
            text += &format!("next({name}) := {};\n", expression(rng, &read));
        }
        names.push(name);
    }
    text += &format!("DEFINE d := {};\n", expression(rng, &names));
    names.push("d".into());
    text += &format!("VAR out : boolean; ASSIGN out := {};\n", expression(rng, &names));
    let mut outputs = vec!["out"];
    outputs.extend((rng.u8(..4) == 0).then_some("v0"));
    outputs.extend((rng.u8(..3) == 0).then_some("d"));
    (model(&text, &["i", "j", "k"], &outputs), text)
}

fn expression(rng: &mut Rng, names: &[String]) -> String {
    // The later ones are made of more.
    let mut name = || {
        let last = &names[names.len().saturating_sub(3)..];
        let names = if rng.bool() { last } else { names };
        rng.choice(names).expect("there are some").clone()
    };
    let [a, b, c, d] = [(); 4].map(|()| name());
    match rng.u8(..6) {
        0 => a,
        1 => format!("!{a} & {b}"),
        2 => format!("{a} xor ({b} ? {c} : {d})"),
        3 => format!("{a} | {b}"),
        4 => format!("case {a} : {b}; {c} & {d} : {a}; TRUE : !{d}; esac"),
        _ => format!("case {a} = {b} : {c}; TRUE : {d}; esac"),
    }
}

/// The variables that expressions name; what a definition is made of does not count.
fn named(model: &Model, exprs: [ExprId; 2]) -> Vec<VarId> {
    let parts = model.exprs.reachable(exprs).into_iter();
    let read = parts.filter_map(|part| match model.exprs.get(part) {
        Expr::Var(var) | Expr::Next(var) => Some(var),
        _ => None,
    });
    read.collect()
}

#[test]
fn unmutated_formulas_are_true() {
    let mut rng = Rng::with_seed(29);
    let (mut n_formulas, mut n_substituted, mut n_delayed) = (0, 0, 0);
    for idx in 0..600 {
        let is_wild = idx % 3 == 1;
        let (model, text) = match idx % 3 {
            2 => random_delays(&mut rng),
            _ => random_roles(&mut rng, is_wild),
        };
        let options = inline();
        let mut builder = Builder::new(model, &options);
        let subjects = formulas(&mut builder);
        n_delayed += usize::from(builder.model.has_added());
        let mut kinds = Vec::new();
        for subject in &subjects {
            let [guard, value] = guard_and_value(&builder.model, subject);
            let read = named(&builder.model, [guard, value]);
            let delays = &builder.formulas.as_ref().expect("derived").delays.of;
            let is_internal = |&var: &VarId| {
                let var = delays.get(&var).map_or(var, |(var, _)| *var);
                builder.model.var(var).role == Role::Internal
            };
            let is_pure = !read.iter().any(is_internal);
            // An output define that is delayed is read through what it is made of.
            assert!(
                is_pure || subject.caveat.is_some() || !delays.is_empty(),
                "{}\n{text}",
                subject.named.key
            );
            n_substituted += usize::from(is_pure);
            // A definition may have no value where nothing needs it.
            if is_wild && matches!(subject.kind, SubjectKind::Formula(it) if it.var.is_none()) {
                continue;
            }
            kinds.push((subject.named.key.clone(), violation(&mut builder.model, subject)));
        }
        n_formulas += kinds.len();
        for (id, verdict) in decided(builder, kinds) {
            // A wild model may fail before everything is decided.
            let is_open = is_wild && matches!(verdict, Verdict::Unknown(_));
            assert!(
                is_open || matches!(verdict, Verdict::Infeasible(_)),
                "{id} {verdict:?}\n{text}"
            );
        }
    }
    assert!(
        n_formulas > 800 && n_substituted > 400 && n_delayed > 50,
        "{n_formulas} {n_substituted} {n_delayed}"
    );
}

#[test]
fn the_guards_of_an_output_are_a_partition() {
    let mut rng = Rng::with_seed(31);
    let mut n_gaps = 0;
    for idx in 0..300 {
        let (model, text) = match idx % 2 {
            0 => random_delays(&mut rng),
            _ => random_roles(&mut rng, false),
        };
        // The assignments of a process say nothing of steps in which it does not run.
        if model.process_selector().is_some() {
            continue;
        }
        let options = inline();
        let mut builder = Builder::new(model, &options);
        let subjects = formulas(&mut builder);
        let gaps = gaps(&mut builder.model, &subjects);
        n_gaps += gaps.len();
        for (id, verdict) in decided(builder, gaps) {
            assert!(matches!(verdict, Verdict::Infeasible(_)), "{id} {verdict:?}\n{text}");
        }
    }
    assert!(n_gaps > 300, "{n_gaps}");
}

#[test]
fn mutants_have_ids_of_their_own_and_change_no_model() {
    let mut rng = Rng::with_seed(37);
    let mut n_mutants = 0;
    for _ in 0..60 {
        let (model, _) = random_roles(&mut rng, false);
        let set = derive(&model, &["mutation", "mutation:arithmetic"], &inline());
        let mut ids: Vec<&str> = set.goals.iter().map(|goal| goal.id.as_str()).collect();
        n_mutants += ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), set.goals.len());
        let options = inline();
        let mut builder = Builder::new(model, &options);
        let found = mutants(&mut builder, &[0, 1, 2]);
        for mutant in &found.list {
            let applied = mutant.apply(&found.subjects, &builder.model);
            assert_eq!(applied.constraints.len(), builder.model.constraints.len());
        }
    }
    assert!(n_mutants > 500, "{n_mutants}");
}
