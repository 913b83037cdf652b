//! The criterion `property`: observers say what they see of a property, and parts that matter are
//! told from those that do not.

use fastrand::Rng;
use trapline_engine::{Budget, ENGINES, Outcome};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::{GoalKind, GoalSet, Options, derive};
use trapline_model::eval::Plan;
use trapline_model::trace::{State, Trace};
use trapline_model::{AssignKind, Formula, Model, PropertyKind, Value, VarId, lasso};

use trapline_testkit::read;

/// A light that follows a button one step later.
const LIGHT: &str = "
MODULE main
VAR button : boolean; light : boolean;
ASSIGN init(light) := FALSE; next(light) := button;
";

/// The same, but it may fail to.
const BAD_LIGHT: &str = "
MODULE main
VAR button : boolean; light : boolean;
ASSIGN init(light) := FALSE; next(light) := button ? {TRUE, FALSE} : FALSE;
";

fn goals(text: &str) -> GoalSet {
    let (model, _) = read(text, &[]);
    derive(&model, &["property"], &Options::default())
}

/// The goals with their verdicts.
fn decided(text: &str) -> Vec<(String, Verdict)> {
    let set = goals(text);
    let decided = decide(&set, &ENGINES[0], &Budget::unlimited());
    assert_eq!(decided.verdicts.len(), set.goals.len());
    set.goals.into_iter().map(|goal| goal.id).zip(decided.verdicts).collect()
}

/// The ids of the goals that are covered, and of those that are infeasible.
fn sorted(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut covered, mut infeasible) = (Vec::new(), Vec::new());
    for (id, verdict) in decided(text) {
        match verdict {
            Verdict::Covered(_) => covered.push(id),
            Verdict::Infeasible(_) => infeasible.push(id),
            Verdict::MayKill(how) => unreachable!("no fault is asked about: {how}"),
            Verdict::Unknown(why) => unreachable!("{id}: {why}"),
        }
    }
    (covered, infeasible)
}

#[test]
fn an_observer_of_a_response_waits_and_finds_violations() {
    let spec = "LTLSPEC NAME follows := G (button -> X light)\n";
    let (covered, infeasible) = sorted(&format!("{LIGHT}{spec}"));
    let states: Vec<&String> = covered.iter().filter(|id| id.contains(":state")).collect();
    assert_eq!(states, ["property:follows:state1"]);
    assert_eq!(infeasible, ["property:follows:state2", "property:follows:edge1-2"]);
    let (_, infeasible) = sorted(&format!("{BAD_LIGHT}{spec}"));
    assert_eq!(infeasible, Vec::<String>::new());
}

#[test]
fn a_violation_is_seen_exactly_if_there_is_one() {
    for body in [
        "LTLSPEC G (button -> X light)",
        "LTLSPEC G (light -> !button V light)",
        "LTLSPEC light | G [0,3] (button <-> X light)",
        "CTLSPEC AG (button -> AX light)",
        "CTLSPEC AG (light -> AX (light | button))",
        "INVARSPEC next(light) -> button",
        "INVARSPEC !(light & button)",
        "PSLSPEC always (button -> next light)",
    ] {
        for model in [LIGHT, BAD_LIGHT] {
            let text = format!("{model}{body};\n");
            let (own, _) = read(&text, &[]);
            let holds = match &(ENGINES[0].check)(&own, &[0], &Budget::unlimited()).outcomes[0] {
                Outcome::True(_) => true,
                Outcome::False(_) => false,
                other => unreachable!("{other:?}"),
            };
            let set = goals(&text);
            let decided = decide(&set, &ENGINES[0], &Budget::unlimited());
            let verdicts = set.goals.iter().zip(&decided.verdicts);
            let mut seen = verdicts.filter(|(goal, _)| goal.text.contains("is violated"));
            let (_, verdict) = seen.next().expect("safety");
            assert_eq!(matches!(verdict, Verdict::Infeasible(_)), holds, "{text}");
            assert!(seen.next().is_none());
        }
    }
}

#[test]
fn inputs_and_next_states_belong_to_the_step() {
    let text = "
MODULE main
IVAR push : boolean;
VAR level : 0..3;
ASSIGN init(level) := 0; next(level) := push & level < 3 ? level + 1 : level;
INVARSPEC NAME up := next(level) > level -> push
LTLSPEC NAME late := G (push -> X (level > 0))
";
    let (_, infeasible) = sorted(text);
    let is_observer = |id: &&String| id.contains(":state") || id.contains(":edge");
    let infeasible: Vec<&String> = infeasible.iter().filter(is_observer).collect();
    assert_eq!(
        infeasible,
        [
            "property:late:state2",
            "property:late:edge1-2",
            "property:up:state1",
            "property:up:edge0-1"
        ]
    );
}

#[test]
fn a_dead_end_that_violates_an_invariant_is_found() {
    let text = "
MODULE main
VAR x : 0..2;
INIT x = 0
TRANS x < 2 & next(x) = x + 1
INVARSPEC NAME low := x < 2
";
    let verdicts = decided(text);
    let (_, edge) = verdicts.iter().find(|(id, _)| id == "property:low:edge0-1").expect("there");
    assert!(matches!(edge, Verdict::Covered(_)));
}

/// Formulas for the naive progression.
#[derive(Clone, Debug, PartialEq)]
enum Ltl {
    Truth(bool),
    Atom(usize),
    Not(Box<Ltl>),
    And(Box<Ltl>, Box<Ltl>),
    Next(Box<Ltl>),
    Until(Box<Ltl>, Box<Ltl>),
}

impl Ltl {
    fn not(inner: Ltl) -> Ltl {
        match inner {
            Ltl::Truth(value) => Ltl::Truth(!value),
            Ltl::Not(inner) => *inner,
            inner => Ltl::Not(Box::new(inner)),
        }
    }

    fn and(a: Ltl, b: Ltl) -> Ltl {
        match (a, b) {
            (Ltl::Truth(false), _) | (_, Ltl::Truth(false)) => Ltl::Truth(false),
            (Ltl::Truth(true), other) | (other, Ltl::Truth(true)) => other,
            (a, b) if a == b => a,
            (a, b) => Ltl::And(Box::new(a), Box::new(b)),
        }
    }

    fn or(a: Ltl, b: Ltl) -> Ltl {
        Ltl::not(Ltl::and(Ltl::not(a), Ltl::not(b)))
    }

    /// What is left after a state, by definition.
    fn after(&self, letter: &[bool]) -> Ltl {
        match self {
            Ltl::Truth(value) => Ltl::Truth(*value),
            Ltl::Atom(atom) => Ltl::Truth(letter[*atom]),
            Ltl::Not(inner) => Ltl::not(inner.after(letter)),
            Ltl::And(a, b) => Ltl::and(a.after(letter), b.after(letter)),
            Ltl::Next(inner) => (**inner).clone(),
            Ltl::Until(a, b) => Ltl::or(b.after(letter), Ltl::and(a.after(letter), self.clone())),
        }
    }

    fn text(&self) -> String {
        match self {
            Ltl::Truth(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            Ltl::Atom(atom) => ["a", "b"][*atom].into(),
            Ltl::Not(inner) => format!("!({})", inner.text()),
            Ltl::And(a, b) => format!("(({}) & ({}))", a.text(), b.text()),
            Ltl::Next(inner) => format!("X ({})", inner.text()),
            Ltl::Until(a, b) => format!("(({}) U ({}))", a.text(), b.text()),
        }
    }

    fn random(rng: &mut Rng, depth: usize) -> Ltl {
        if depth == 0 {
            return if rng.u8(0..8) == 0 { Ltl::Truth(true) } else { Ltl::Atom(rng.usize(0..2)) };
        }
        let mut inner = || Box::new(Ltl::random(rng, depth - 1));
        let (a, b) = (inner(), inner());
        match rng.u8(0..5) {
            0 => Ltl::Not(a),
            1 => Ltl::And(a, b),
            2 => Ltl::Next(a),
            3 => Ltl::Not(Box::new(Ltl::Until(a, b))),
            _ => Ltl::Until(a, b),
        }
    }
}

/// A model whose only property is this.
fn with_property(formula: &str) -> String {
    format!("MODULE main VAR a : boolean; b : boolean;\nLTLSPEC {formula}\n")
}

fn state(letter: &[bool], observer: Option<Value>) -> State {
    let letter = letter.iter().map(|&value| Some(Value::Bool(value)));
    State { values: letter.chain(observer.map(Some)).collect() }
}

/// The next value of the observer.
fn observe(set: &GoalSet, from: &State, to: &State) -> Option<Value> {
    let var = VarId(set.model.own().vars as u32);
    let is_next =
        |assign: &&trapline_model::Assign| assign.kind == AssignKind::Next && assign.var == var;
    let next = set.model.assigns.iter().find(is_next)?.expr;
    let plan = Plan::new(&set.model, &[next]);
    let mut cells = Vec::new();
    plan.run(&from.values, &to.values, &mut cells);
    plan.root(0, &cells).members()?.iter().next()
}

/// Which edges of the observer a step takes.
fn taken<'s>(set: &'s GoalSet, from: &State, to: &State) -> Vec<&'s str> {
    let steps = set.goals.iter().filter_map(|goal| match goal.kind {
        GoalKind::Step(expr) => Some((goal.id.rsplit(':').next()?, expr)),
        _ => None,
    });
    let (ids, exprs): (Vec<&str>, Vec<_>) = steps.unzip();
    let plan = Plan::new(&set.model, &exprs);
    let mut cells = Vec::new();
    plan.run(&from.values, &to.values, &mut cells);
    let holds = |idx: &usize| plan.root(*idx, &cells).as_bool() == Some(true);
    (0..ids.len()).filter(holds).map(|idx| ids[idx]).collect()
}

#[test]
fn observers_know_as_much_as_progression_by_definition() {
    let mut rng = Rng::with_seed(3);
    let mut n_sinks = 0;
    for _ in 0..150 {
        let formula = Ltl::random(&mut rng, 3);
        let set = goals(&with_property(&formula.text()));
        if !set.model.has_added() {
            continue;
        }
        let sink = |value: bool| {
            let word = if value { "is met" } else { "is violated" };
            let goal = set.goals.iter().find(|goal| goal.text.contains(word))?;
            goal.id.rsplit(":state").next()?.parse().ok().map(Value::Int)
        };
        for _ in 0..8 {
            let (mut left, mut observer) = (formula.clone(), Value::Int(0));
            for _ in 0..5 {
                let letter = [rng.bool(), rng.bool()];
                let next = [rng.bool(), rng.bool()];
                let [from, to] = [letter, next].map(|letter| state(&letter, Some(observer)));
                let reached = observe(&set, &from, &to).expect("a number");
                let edges = taken(&set, &from, &to);
                if [sink(true), sink(false)].contains(&Some(observer)) {
                    assert!(reached == observer && edges.is_empty());
                } else {
                    let [from, to] = [observer, reached].map(|value| set.model.show(value));
                    assert_eq!(edges, [format!("edge{from}-{to}")], "{}", formula.text());
                }
                observer = reached;
                left = left.after(&letter);
                if let Ltl::Truth(value) = left {
                    assert_eq!(Some(observer), sink(value), "{}", formula.text());
                    n_sinks += 1;
                }
            }
        }
    }
    assert!(n_sinks > 1000, "{n_sinks}");
}

/// All claims that put a part at its worst, with the ids.
fn parts(set: &GoalSet) -> Vec<(&str, trapline_model::ExprId)> {
    let traps = set.goals.iter().filter_map(|goal| match goal.kind {
        GoalKind::Trap(_, expr) => Some((goal.id.as_str(), expr)),
        _ => None,
    });
    traps.collect()
}

fn formula(model: &Model) -> trapline_model::ExprId {
    let Formula::Holds(clause) = model.properties[0].formula else { unreachable!("a claim") };
    clause.expr
}

#[test]
fn what_is_left_of_a_property_at_its_worst_implies_it() {
    let mut rng = Rng::with_seed(5);
    let mut n_compared = 0;
    for _ in 0..150 {
        let text = Ltl::random(&mut rng, 3).text();
        let set = goals(&with_property(&text));
        let whole = formula(&set.model);
        for _ in 0..10 {
            let states = (0..5).map(|_| state(&[rng.bool(), rng.bool()], None)).collect();
            let word = Trace { states, loop_start: Some(2) };
            let holds = |expr| lasso::holds(&set.model, expr, &word).expect("a lasso");
            for (id, part) in parts(&set) {
                assert!(!holds(part) || holds(whole), "{id} of {text} on {word:?}");
                n_compared += usize::from(holds(part));
            }
        }
    }
    assert!(n_compared > 100, "{n_compared}");
}

#[test]
fn a_part_that_could_say_anything_does_not_matter() {
    // The button is never pushed while the light is on, so what follows then does not matter; nor
    // does the light before, since the button alone is enough.
    let text = format!("{LIGHT}INVAR !(light & button)\n");
    let spec = "LTLSPEC NAME vacuous := G (button & light -> X light)\n";
    let (covered, infeasible) = sorted(&format!("{text}{spec}"));
    let is_part = |id: &&String| id.contains(":part");
    let not: Vec<&String> = infeasible.iter().filter(is_part).collect();
    // In the order of the text: button, light, both, light, X light, the whole body.
    let dull = ["part2", "part4", "part5"].map(|part| format!("property:vacuous:{part}"));
    assert_eq!(not, dull.iter().collect::<Vec<_>>());
    assert_eq!(covered.iter().filter(is_part).count(), 3);
}

#[test]
fn below_an_equivalence_a_part_has_two_goals() {
    let set = goals(&format!("{LIGHT}CTLSPEC AG (button -> (light <-> !(AX light)))\n"));
    let ids: Vec<&str> = parts(&set).into_iter().map(|(id, _)| id).collect();
    let of = |part: usize| ids.iter().filter(|id| id.contains(&format!(":part{part}"))).count();
    // button; light; light, AX light; <->; ->
    assert_eq!([1, 2, 3, 4, 5, 6, 7].map(of), [1, 2, 2, 2, 1, 1, 0]);
    assert!(ids.contains(&"property:property0:part2:true"));
}

#[test]
fn truth_of_a_part_is_turned_by_negations_and_antecedents() {
    let set = goals("MODULE main VAR a : boolean; b : boolean; LTLSPEC G !(a & !b) & (F a -> b)\n");
    let shown: Vec<String> =
        parts(&set).iter().map(|(_, expr)| set.model.show_expr(*expr)).collect();
    for wanted in [
        "G !(TRUE & !b) & (F a -> b)",
        "G !(a & !FALSE) & (F a -> b)",
        "G !TRUE & (F a -> b)",
        "FALSE & (F a -> b)",
        "G !(a & !b) & (F TRUE -> b)",
        "G !(a & !b) & (TRUE -> b)",
        "G !(a & !b) & (F a -> FALSE)",
        "G !(a & !b) & FALSE",
    ] {
        assert!(shown.contains(&wanted.to_string()), "{wanted} not in {shown:?}");
    }
    assert_eq!(shown.len(), 8);
}

#[test]
fn what_gets_no_goals_is_named() {
    let many: Vec<String> = (0..17).map(|idx| format!("F n = {idx}")).collect();
    let deep = format!("{} light", "X ".repeat(9_000));
    for (spec, word) in [
        ("LTLSPEC NAME it := G (light -> O button)", "past"),
        ("CTLSPEC NAME it := AG EF light", "LTL"),
        ("LTLSPEC NAME it := G [0,1000] light", "bound"),
        ("LTLSPEC NAME it := G F TRUE", "whatever"),
        ("INVARSPEC NAME it := 6 / n > 0", "no value"),
        ("COMPUTE NAME it := MIN [button, light]", "claim"),
        (&format!("LTLSPEC NAME it := {}", many.join(" & ")), "conditions"),
        (&format!("LTLSPEC NAME it := {deep}"), "operators"),
    ] {
        let set = goals(&format!("{LIGHT}VAR n : 0..20;\n{spec}\n"));
        assert!(!set.model.has_added(), "{spec}");
        let is_named = |text: &str| text.contains("it ") && text.contains(word);
        assert!(set.notices.iter().any(|notice| is_named(&notice.text)), "{:?}", set.notices);
    }
}

#[test]
fn every_goal_gets_a_verdict() {
    let specs = "
CTLSPEC AG EF light
CTLSPEC EF (light & button)
LTLSPEC G F button -> G F light
LTLSPEC G (light -> Y button)
INVARSPEC light | !light
";
    let verdicts = decided(&format!("{LIGHT}{specs}"));
    assert!(verdicts.len() > 20);
    let unknown = verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Unknown(_)));
    // Nothing but the parts of what no single path can show is open.
    for (id, verdict) in unknown {
        let is_branching = ["property0:", "property1:"].iter().any(|key| id.contains(key));
        assert!(is_branching && id.contains(":part"), "{id}: {verdict:?}");
    }
}

#[test]
fn goals_are_about_what_is_wanted() {
    let text = format!("{LIGHT}INVARSPEC NAME one := button | !button\nINVARSPEC light\n");
    let (model, _) = read(&text, &[]);
    let options = Options { on: vec!["button".into()], ..Options::default() };
    let set = derive(&model, &["property"], &options);
    assert!(!set.goals.is_empty());
    assert!(set.goals.iter().all(|goal| goal.id.starts_with("property:one:")));
    let is_invariant =
        |goal: &trapline_goals::Goal| matches!(goal.kind, GoalKind::Trap(PropertyKind::Invar, _));
    assert!(set.goals.iter().any(is_invariant));
}

#[test]
fn observers_do_not_get_in_the_way_of_each_other() {
    let text = "
MODULE main
VAR x : 0..3; y : array 0..3 of boolean;
ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;
LTLSPEC NAME safe := G (x = 1 -> X x = 2)
INVARSPEC NAME part := 6 / x > 0
LTLSPEC NAME live := G F x = 3
INVARSPEC NAME index := y[x] | 6 / (x + 1) > 0
DEFINE next_one := case x = 0 : 1; x = 1 : 2; x = 2 : 3; x = 3 : 0; esac;
LTLSPEC NAME table := G (next_one = 1 -> x = 0)
";
    let verdicts = decided(text);
    for (id, verdict) in &verdicts {
        assert!(
            id.contains(":part:") || !matches!(verdict, Verdict::Unknown(_)),
            "{id} {verdict:?}"
        );
    }
    for name in ["safe", "live", "index", "table"] {
        assert!(verdicts.iter().any(|(id, _)| id.contains(&format!(":{name}:edge"))), "{name}");
    }
}
