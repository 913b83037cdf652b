//! Values go to the implementation under its names, and come back as what they were.

use trapline_engine::possible::{Exchange, Output, Ports};
use trapline_model::{Model, Value, roles};
use trapline_suite::rename::{Dictionary, Renaming};
use trapline_testkit::read;

const MODEL: &str = "MODULE main
    VAR cmd : {open, close}; n : 0..3; w : word[3]; big : 0..100000;
    DEFINE mode := case n = 0 : open; n = 1 : mode_of_two; TRUE : 3; esac;
        mode_of_two := case cmd = open : close; TRUE : cmd; esac; sum := n + 1;
    ASSIGN next(n) := cmd = open ? 0 : n; next(w) := w; next(big) := big;";

fn model() -> Model {
    let mut model = read(MODEL, &[]).0;
    roles::guess(&mut model);
    model
}

fn dictionary(table: &str) -> Result<Dictionary, Vec<String>> {
    let renaming = Renaming::parse(table).expect("the table can be read");
    let wrong = |wrong: Vec<_>| wrong.iter().map(ToString::to_string).collect();
    renaming.dictionary(&model()).map_err(wrong)
}

/// Every value of every variable, under its new name and back.
fn check_round_trip(names: &Dictionary) {
    for (var, declared) in model().var_ids() {
        for idx in 0..declared.domain.size().unwrap_or(0) {
            let old = (Output::Var(var), declared.domain.value(idx));
            let (new, renamed) = names.new_of(old.0, old.1).expect("it is there");
            assert!(names.model.var(new).domain.contains(renamed), "{}", names.model.show(renamed));
            let exchange =
                Exchange { outputs: vec![(Output::Var(new), renamed)], ..Exchange::default() };
            let back = names.old_exchange(&exchange).expect("it means one value");
            assert_eq!(back.outputs, [old]);
        }
    }
}

#[test]
fn values_come_back_as_what_they_were() {
    for table in [
        "",
        "n : 0 = 3\nn : 3 = 0",
        "cmd : open = TRUE\ncmd : close = FALSE\nn : 1 = one",
        "w : 0ud3_7 = full\nw = word\nbig = cmd\ncmd = big",
        "* : TRUE = yes\n* : open = 7",
    ] {
        check_round_trip(&dictionary(table).unwrap_or_else(|wrong| panic!("{table}: {wrong:?}")));
    }
}

#[test]
fn symbols_of_definitions_are_the_ends_of_their_branches() {
    let names = dictionary("mode : 3 = three").expect("the table is right");
    let mode = names.model.vars.iter().find(|var| var.name == "mode").expect("it is there");
    assert_eq!(names.model.show_type(&mode.domain), "{open, close, three}");
}

#[test]
fn what_could_not_be_told_apart_is_refused() {
    for (table, message) in [
        ("n : 1 = 2", "line 1: `2` and `1` of the output `n` would both be `2`"),
        ("n : 1 = x\nn : 2 = x", "line 2: `1` and `2` of the output `n` would both be `x`"),
        ("n : 0 = \"1\"", "line 1: `1` and `0` of the output `n` would both be `1`"),
        ("big : 5 = x", "line 1: `big` has too many values for one to be renamed"),
        ("sum : 5 = x", "line 1: `sum` has too many values for one to be renamed"),
        ("cmd =", "line 1: `cmd` is an input, so it can't be left out"),
        ("n = w", "line 1: `n` and `w` would both be called `w`"),
    ] {
        let wrong = dictionary(table).expect_err(table);
        assert!(wrong[0].starts_with(message), "{table}: {wrong:?}");
    }
}

#[test]
fn what_no_value_is_called_means_nothing() {
    let names = dictionary("n : 0 = 10\nn : 1 = 20\nn : 2 = 30\nn : 3 = 40").expect("it is right");
    let (new, n) = names.model.var_ids().find(|(_, var)| var.name == "n").expect("it is there");
    let shows = |value| {
        assert!(n.domain.contains(value));
        names.old_exchange(&Exchange { outputs: vec![(Output::Var(new), value)], inputs: vec![] })
    };
    assert!(shows(Value::Int(20)).is_ok());
    assert_eq!(shows(Value::Int(25)), Err("`25` is no value of `n`".into()));
}

#[test]
fn inputs_may_share_a_value_that_is_never_reported() {
    let names = dictionary("cmd : open = x\ncmd : close = x").expect("an input is only sent");
    let model = model();
    let cmd = Ports::new(&model).inputs[0];
    let value = model.var(cmd).domain.value(0);
    let (new, renamed) = names.new_of(Output::Var(cmd), value).expect("it is there");
    let exchange = Exchange { inputs: vec![(new, renamed)], ..Exchange::default() };
    let why = names.old_exchange(&exchange).expect_err("it may mean both");
    assert_eq!(why, "`x` stands for several values of `cmd`");
}
