//! Safety injection from tables and written by hand in SMV: engines show that neither does what the other
//! does not, and where two readings of the same table part.

use std::path::Path;

use trapline_engine::{Budget, ENGINES, Engine, Outcome, Start, Verdict};
use trapline_lang::Options;
use trapline_model::goal::Target;
use trapline_model::trace::Trace;
use trapline_model::transform::product;
use trapline_model::{
    AssignKind, BinaryOp, Clause, ConstraintKind, ExprId, Formula, Model, Property, PropertyKind,
    Type, Value, VarId,
};
use trapline_source::Span;

use trapline_testkit::{read, read_tables};

/// What the tables of the literature have in common, with the constants of the example.
const HEAD: &str = "TYPES
  Switch = {On, Off}
CONSTANTS
  Low    = 90
  Permit = 100
MONITORED
  Block     : Switch INIT Off
  Reset     : Switch INIT On
  WaterPres : 0..200 INIT 2
MODECLASS Pressure {TooLow, Permitted, High} INIT TooLow
NAT |WaterPres' - WaterPres| <= 3
TABLE Pressure MODE
  TooLow    | @T(WaterPres >= Low)    | Permitted
  Permitted | @T(WaterPres >= Permit) | High
  Permitted | @T(WaterPres < Low)     | TooLow
  High      | @T(WaterPres < Permit)  | Permitted
";

/// The deterministic specification.
const PUBLISHED: &str = "TERMS
  Overridden : Boolean INIT False
CONTROLLED
  SafetyInjection : Switch INIT On
TABLE Overridden EVENT CLASS Pressure
  High              | NEVER                           | @T(INMODE)
  TooLow, Permitted | @T(Block = On) WHEN Reset = Off | @T(INMODE) OR @T(Reset = On)
  Overridden        | True                            | False
TABLE SafetyInjection CONDITION CLASS Pressure
  High, Permitted | True       | False
  TooLow          | Overridden | NOT Overridden
  SafetyInjection | Off        | On
";

/// Table 3 of the paper about nondeterministic specifications. Where several inputs change at once its
/// events overlap; then the first column counts, as the first branch does in the paper's listing.
const TABLE_3: &str = "OPTIONS
  inputs: any
  stutter: yes
TERMS
  Overridden : {0, 1} INIT 0
TABLE Overridden EVENT CLASS Pressure
  TooLow     | @T(INMODE) OR @T(Reset = On) | NEVER                        | @T(Block = On) WHEN Reset = Off
  Permitted  | NEVER                        | @T(INMODE) OR @T(Reset = On) | @T(Block = On) WHEN Reset = Off
  High       | NEVER                        | @T(INMODE)                   | NEVER
  Overridden | 0                            | 0 or 1                       | 1
";

const INPUTS: [&str; 3] = ["Block", "Reset", "WaterPres"];

fn tables(rest: &str) -> Model {
    let text = format!("{HEAD}{rest}");
    let read = read_tables(&text, "scr", Options::default());
    read.unwrap_or_else(|findings| panic!("{findings}\n{text}")).0.model
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/safety-injection");
    std::fs::read_to_string(path.join(name)).expect("an example")
}

/// The published model without the variables that keep previous values, and without what speaks of them.
fn published() -> Model {
    let text = example("published.smv");
    let rules = text.split("SPEC NAME").next().expect("the rules");
    let is_own = |line: &&str| {
        let line = line.trim();
        !["PReset", "PBlock", "PWaterPres", "POverridden", "PPressure"].iter().any(|name| {
            [format!("{name} "), format!("init({name})"), format!("next({name})")]
                .iter()
                .any(|start| line.starts_with(start.as_str()))
        })
    };
    let text: Vec<&str> = rules.lines().filter(is_own).collect();
    let text = text.join("\n").replace(" PBlock PReset PWaterPres POverridden PPressure", "");
    read(&text, &[]).0
}

/// A model without rules about some variables, with these as what is claimed: of the initial states,
/// then of all steps.
fn claiming(model: &Model, is_about: impl Fn(VarId) -> bool) -> Model {
    let mut model = model.clone();
    let mut claims: Vec<(ConstraintKind, ExprId)> = Vec::new();
    for assign in model.assigns.clone() {
        let read = model.var_expr(assign.var);
        let (kind, value) = match assign.kind {
            AssignKind::Init => (ConstraintKind::Init, read),
            AssignKind::Next => (ConstraintKind::Trans, model.exprs.prime(read)),
            AssignKind::Current => (ConstraintKind::Invar, read),
        };
        if is_about(assign.var) {
            claims.push((kind, model.exprs.is_given(value, assign.expr)));
        }
    }
    model.assigns.retain(|assign| !is_about(assign.var));
    claims.extend(model.constraints.drain(..).map(|rule| (rule.kind, rule.body.expr)));
    model.properties.clear();
    for (kind, of) in [
        (PropertyKind::Ltl, ConstraintKind::Init),
        (PropertyKind::Invar, ConstraintKind::Invar),
        (PropertyKind::Invar, ConstraintKind::Trans),
    ] {
        let own = claims.iter().filter(|(kind, _)| *kind == of).map(|(_, expr)| *expr);
        let all = own.fold(model.exprs.bool(true), |all, one| model.exprs.and(all, one));
        let formula = Formula::Holds(Clause::unwritten(all, Span::default()));
        let span = Span::default();
        model.properties.push(Property { kind, name: None, formula, instance: None, span });
    }
    model
}

/// The variables with these names, in both models.
fn shared(first: &Model, second: &Model, names: &[&str]) -> Vec<(VarId, VarId)> {
    let of = |model: &Model, name: &str| model.find_var(name).expect("declared");
    names.iter().map(|name| (of(first, name), of(second, name))).collect()
}

/// What the first model does and the second one, beside it, does not; what is shared and what the second
/// only claims of it is as in [`claiming`].
fn violations(first: &Model, second: &Model, names: &[&str], engine: &Engine) -> Vec<Trace> {
    let mut first = first.clone();
    first.properties.clear();
    let own = shared(&first, second, names);
    let second = claiming(second, |var| own.iter().any(|(_, other)| *other == var));
    let product = product::product(&first, &second, &own, "other").expect("they fit");
    let all: Vec<usize> = (0..product.model.properties.len()).collect();
    let outcomes = (engine.check)(&product.model, &all, &Budget::unlimited()).outcomes;
    let violations = outcomes.into_iter().filter_map(|outcome| match outcome {
        Outcome::True(_) => None,
        Outcome::False(trace) => Some(trace),
        outcome => panic!("{}: {outcome:?}", engine.name),
    });
    violations.collect()
}

/// That the outputs of both are the same, as three comparisons.
fn differences(model: &mut Model, tables: &str, smv: &str) -> Vec<Target> {
    let var = |model: &mut Model, name: &str| {
        let var = model.find_var(name).unwrap_or_else(|| panic!("{name} is not declared"));
        model.var_expr(var)
    };
    let [pressure, other] = [tables, smv].map(|at| var(model, &format!("{at}Pressure")));
    let pressures = model.exprs.binary(BinaryOp::Ne, pressure, other);
    let overridden = [tables, smv].map(|at| {
        let read = var(model, &format!("{at}Overridden"));
        if model.exprs.ty(read) == Type::Bool {
            return read;
        }
        let one = model.exprs.value(Value::Int(1));
        model.exprs.eq(read, one)
    });
    let overridden = {
        let same = model.exprs.iff(overridden[0], overridden[1]);
        model.exprs.not(same)
    };
    let injection = var(model, &format!("{tables}SafetyInjection"));
    let define = model.defines.iter().position(|d| d.name == format!("{smv}SafetyInjection"));
    let define = trapline_model::DefineId(define.expect("defined") as u32);
    let define = model.define_expr(define);
    let injections = model.exprs.binary(BinaryOp::Ne, injection, define);
    vec![Target::State(pressures), Target::State(overridden), Target::State(injections)]
}

#[test]
fn the_tables_and_the_published_model_are_equivalent() {
    let (tables, smv) = (tables(PUBLISHED), published());
    for (first, second, ours, theirs) in
        [(&tables, &smv, "", "other."), (&smv, &tables, "other.", "")]
    {
        for engine in ENGINES {
            // Whatever inputs one allows, the other allows.
            assert_eq!(violations(first, second, &INPUTS, engine), [], "{}", engine.name);
            // Under the same inputs nothing differs.
            let own = shared(first, second, &INPUTS);
            let other = claiming(second, |var| own.iter().any(|(_, other)| *other == var));
            let mut product = product::product(first, &other, &own, "other").expect("they fit");
            let targets = differences(&mut product.model, ours, theirs);
            let budget = Budget::unlimited();
            let reached = (engine.reach)(&product.model, &targets, &Start::Initial, &budget);
            for verdict in reached.verdicts {
                assert!(matches!(verdict, Verdict::Unreachable(_)), "{}", engine.name);
            }
        }
    }
}

const STATE: [&str; 5] = ["Block", "Reset", "WaterPres", "Pressure", "Overridden"];

#[test]
fn table_3_by_the_old_mode_is_the_listing() {
    let listing = read(&example("choices/nondeterministic.smv"), &[]).0;
    let table = tables(&format!("{TABLE_3}OPTIONS inmode: old\n"));
    for engine in ENGINES {
        assert_eq!(violations(&table, &listing, &STATE, engine), [], "{}", engine.name);
        assert_eq!(violations(&listing, &table, &STATE, engine), [], "{}", engine.name);
    }
}

#[test]
fn table_3_by_the_new_mode_differs_first_where_permitted_is_entered_from_too_low() {
    let listing = read(&example("choices/nondeterministic.smv"), &[]).0;
    let table = tables(TABLE_3);
    let modes = |trace: &Trace, model: &Model| -> Vec<String> {
        let var = model.find_var("Pressure").expect("declared").0 as usize;
        let last = &trace.states[trace.states.len() - 2..];
        last.iter().map(|state| model.show(state.values[var].expect("known"))).collect()
    };
    for engine in ENGINES {
        // The table lets an implementation choose, the listing does not.
        let more = violations(&table, &listing, &STATE, engine);
        assert_eq!(more.len(), 1, "{}", engine.name);
        assert_eq!(modes(&more[0], &table), ["TooLow", "Permitted"]);
        assert_eq!(more[0].states.len(), 31, "{}", engine.name);
        // Where Block rises in the same step, the listing is asked about the mode first, and the table
        // about the row of the old mode.
        let less = violations(&listing, &table, &STATE, engine);
        assert_eq!(less.len(), 1, "{}", engine.name);
        assert_eq!(modes(&less[0], &listing), ["TooLow", "Permitted"]);
    }
}
