//! Traces of a model with every kind of value, in every format.

use std::sync::Arc;

use expect_test::{Expect, expect};
use trapline_lang::smv::Smv;
use trapline_model::trace::{State, Trace};
use trapline_model::{Domain, Model, Ratio, Role, Value, Var, VarKind, Word};
use trapline_source::Span;

use super::*;

fn model() -> Model {
    let mut model = Model::new(&Smv);
    let symbols = ["idle", "a b"].map(|name| Value::Symbol(model.symbols.intern(name)));
    let domains = [
        ("on", Domain::Bool),
        ("pump.level", Domain::Range(-3, 3)),
        ("pump.in.state", Domain::Enum(Arc::from(symbols))),
        ("pump.time", Domain::Real),
        ("w", Domain::Word { signed: true, width: 4 }),
        ("total", Domain::Integer),
    ];
    for (name, domain) in domains {
        let (kind, role, span) = (VarKind::State, Role::Output, Span::default());
        model.vars.push(Var { name: name.into(), kind, domain, role, timing: None, span });
    }
    model
}

fn trace(model: &Model) -> Trace {
    let symbol = |name: &str| model.symbols.find(name).map(Value::Symbol);
    let real = |num, den| Ratio::new(num, den).map(Value::Real);
    let word = |bits| Some(Value::Word(Word::new(true, 4, bits)));
    let int = |i| Some(Value::Int(i));
    let states = [
        vec![Some(Value::Bool(true)), int(-1), symbol("idle"), real(3, 2), word(15), int(1 << 40)],
        vec![Some(Value::Bool(true)), int(2), symbol("a b"), real(2, 1), word(1), int(0)],
        vec![None; 6],
    ];
    let states = states.into_iter().map(|values| State { values }).collect();
    Trace { states, loop_start: Some(1) }
}

fn check(name: &str, expect: &Expect) {
    let model = model();
    let trace = trace(&model);
    let list = vec![Titled::new("it has an $end".into(), &trace)];
    let traces =
        Traces { path: "m.smv", model: &model, list, is_complete: true, missed: Vec::new() };
    let format = FORMATS.iter().find(|format| format.name == name).unwrap();
    let text = match format.writer {
        Writer::All(write) => write(&traces),
        Writer::Each(write) => write(&traces, &traces.list[0]),
    };
    expect.assert_eq(&text);
}

#[test]
fn itf_has_big_numbers_and_a_loop() {
    check(
        "itf",
        &expect![[r##"
        {
          "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": "m.smv",
            "description": "it has an $end"
          },
          "params": [],
          "vars": ["on","pump.level","pump.in.state","pump.time","w","total"],
          "states": [
            {"#meta":{"index":0},"on":true,"pump.level":{"#bigint":"-1"},"pump.in.state":"idle","pump.time":"f'3/2","w":{"#bigint":"-1"},"total":{"#bigint":"1099511627776"}},
            {"#meta":{"index":1},"on":true,"pump.level":{"#bigint":"2"},"pump.in.state":"a b","pump.time":{"#bigint":"2"},"w":{"#bigint":"1"},"total":{"#bigint":"0"}},
            {"#meta":{"index":2}}
          ],
          "loop": 1
        }
    "##]],
    );
}

#[test]
fn vcd_has_scopes_and_changes_only() {
    check(
        "vcd",
        &expect![[r#"
        $comment m.smv $end
        $comment it has an $ end $end
        $version trapline 0.1.0 $end
        $timescale 1 ns $end
        $scope module main $end
        $var wire 1 ! on $end
        $var wire 4 " w [3:0] $end
        $var integer 64 # total $end
        $scope module pump $end
        $var integer 32 $ level $end
        $var real 64 % time $end
        $scope module in $end
        $var string 1 & state $end
        $upscope $end
        $upscope $end
        $upscope $end
        $enddefinitions $end
        #0
        $dumpvars
        1!
        b1111 "
        b10000000000000000000000000000000000000000 #
        b11111111111111111111111111111111 $
        r1.5 %
        sidle &
        $end
        #1
        b0001 "
        b0 #
        b10 $
        r2 %
        sa\x20b &
        #2
        x!
        bx "
        bx #
        bx $
        rNaN %
        s? &
        #3
        $comment from here the trace goes on at time 1 $end
    "#]],
    );
}

#[test]
fn json_gives_what_has_a_value() {
    check(
        "json",
        &expect![[r#"
        {"format": "trapline-trace/1", "model": "m.smv", "complete": true, "traces": [
        {"states": [
         {"on":true,"pump.level":-1,"pump.in.state":"idle","pump.time":"f'3/2","w":"-0sd4_1","total":1099511627776},
         {"on":true,"pump.level":2,"pump.in.state":"a b","pump.time":2,"w":"0sd4_1","total":0},
         {}],
         "loop": 1}]}
    "#]],
    );
}

#[test]
fn csv_has_empty_cells() {
    check(
        "csv",
        &expect![[r#"
            on,pump.level,pump.in.state,pump.time,w,total
            TRUE,-1,idle,f'3/2,-0sd4_1,1099511627776
            TRUE,2,a b,f'2/1,0sd4_1,0
            ,,,,,
            TRUE,2,a b,f'2/1,0sd4_1,0
        "#]],
    );
}

#[test]
fn codes_are_short_and_differ() {
    let codes: std::collections::BTreeSet<String> = (0..20_000).map(vcd::code).collect();
    assert_eq!(codes.len(), 20_000);
    assert!(codes.iter().all(|code| code.len() <= 3 && code.bytes().all(|b| b.is_ascii_graphic())));
}

#[test]
fn sal_atg_has_the_inputs_or_all() {
    check(
        "sal-atg",
        &expect![[r#"
        1 tests generated; total length 2
        All test goals discharged.
        ========================
        Path
        ========================
        Step 0:
        --- Input Variables (assignments) ---
        ------------------------
        ========================
        Begin of Cycle
        ========================
        Step 1:
        --- Input Variables (assignments) ---
        ------------------------
        Step 2:
        --- Input Variables (assignments) ---
    "#]],
    );
    check(
        "sal-atg-full",
        &expect![[r#"
        1 tests generated; total length 2
        All test goals discharged.
        ========================
        Path
        ========================
        Step 0:
        --- Input Variables (assignments) ---
        --- System Variables (assignments) ---
        on = true
        pump.level = -1
        pump.in.state = idle
        pump.time = f'3/2
        w = -0sd4_1
        total = 1099511627776
        ------------------------
        ========================
        Begin of Cycle
        ========================
        Step 1:
        --- Input Variables (assignments) ---
        --- System Variables (assignments) ---
        on = true
        pump.level = 2
        pump.in.state = a b
        pump.time = f'2/1
        w = 0sd4_1
        total = 0
        ------------------------
        Step 2:
        --- Input Variables (assignments) ---
        --- System Variables (assignments) ---
    "#]],
    );
}
