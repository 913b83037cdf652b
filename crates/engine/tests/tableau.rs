//! A formula is violated exactly where its product with the model has a fair path.
//!
//! The explicit engine decides both: the formula by its automata, and the product, in which the
//! formula is part of the model, by `FALSE`, which every fair path violates.

use fastrand::Rng;
use serde_json::Value;
use trapline_engine::explicit::ENGINE;
use trapline_engine::tableau::{Product, product};
use trapline_engine::{Budget, Limits, Outcome, Why};
use trapline_lang::{Input, smv};
use trapline_model::transform::Own;
use trapline_model::{
    BinaryOp, BoundedOp, Clause, Domain, Expr, ExprId, Formula, Model, Property, PropertyKind,
    Reads, Role, UnaryOp, VarId, VarKind, lasso, replay,
};
use trapline_source::{Diagnostics, Sources, Span};

use trapline_testkit::read;

/// Tiny models. In each there are the Boolean atoms [`ATOMS`], some of which are about steps.
const MODELS: &[(&str, &str)] = &[
    ("free", "VAR p : boolean; q : boolean; DEFINE i := p; n := next(q);"),
    (
        "counter with inputs",
        "IVAR i : boolean; VAR x : 0..3;
         ASSIGN init(x) := 0; next(x) := i ? (x + 1) mod 4 : x;
         DEFINE p := x = 0; q := x >= 2; n := next(x) > x;",
    ),
    (
        "frozen, with justice",
        "FROZENVAR f : boolean; VAR p : boolean; x : 0..2;
         ASSIGN next(x) := f ? (x + 1) mod 3 : {x, 0}; next(p) := x = 1 ? !p : {TRUE, FALSE};
         DEFINE q := x = 2; i := f; n := next(f) = p;
         JUSTICE p; JUSTICE x != 1;",
    ),
    (
        "fairness about inputs",
        "IVAR i : boolean; k : 0..1; VAR p : boolean; q : boolean;
         TRANS next(p) = (p xor i); TRANS k = 1 -> next(q) = p;
         DEFINE n := next(p) & k = 0;
         JUSTICE i; COMPASSION (k = 1, q);",
    ),
    (
        "compassion",
        "IVAR i : boolean; VAR x : 0..2; q : boolean;
         TRANS next(x) in {x, (x + 1) mod 3}; INIT x = 0;
         DEFINE p := x = 1; n := next(x) = 0;
         COMPASSION (x = 0, x = 2); COMPASSION (i, q);",
    ),
    (
        "dead ends",
        "IVAR i : boolean; VAR x : 0..4; q : boolean;
         INIT x = 0; INVAR x = 3 -> q; TRANS x < 4 & (x = 2 -> next(x) in {2, 3});
         TRANS next(x) = x + 1 | next(x) = x | (i & next(x) = 0 & x != 2);
         DEFINE p := x in {0, 3}; n := next(q) != q;",
    ),
    ("no fair path", "VAR p : boolean; q : boolean; DEFINE i := p; n := q; JUSTICE p & !p;"),
];

/// What formulas are made of; see [`MODELS`].
const ATOMS: &[&str] = &["p", "q", "i", "n", "TRUE", "FALSE"];

const UNARY: &[&str] = &[
    "!", "X ", "F ", "G ", "Y ", "Z ", "O ", "H ", "F [0,2] ", "F [1,3] ", "G [0,2] ", "G [2,2] ",
    "O [0,2] ", "O [1,3] ", "H [0,2] ", "H [1,2] ", "G F ", "F G ",
];

const BINARY: &[&str] = &["&", "|", "->", "<->", "xor", "xnor", "U", "V", "S", "T"];

/// Typical ones, and ones that are hard for this construction.
const FORMULAS: &[&str] = &[
    "G (p -> F q)",
    "G (i -> F q)",
    "G (p -> X q)",
    "G (i -> X q)",
    "G (p & n -> X X q)",
    "G (p -> q U i)",
    "G (p -> q V n)",
    "G (p -> (q & X (i U n)))",
    "G (p -> O q)",
    "G (i -> O n)",
    "G (n -> Y (p S i))",
    "G (p -> F [0,3] q)",
    "G (i -> G [1,2] n)",
    "G (p -> O [1,3] i)",
    "G F p -> G F q",
    "G F i & F G n",
    "G F p & G F q & G F i",
    "G F p | G F q | F G i",
    "G (p | F G q)",
    "G (p -> (G F q & G F i))",
    "X (G F p | q) <-> X G F p",
    "F (p & F (q & F (i & G n)))",
    "F (p & X (q & X (i & X n)))",
    "F (n & F (i & G q)) -> F (i U n)",
    "(p U (q & (i U (n & G p))))",
    "!(p U (q & (i U (n & G F p))))",
    "!(i U (n & G (p | i)))",
    "!((n | p) U i) & !F (q & i)",
    "!(p U (q & F (i & X n)))",
    "G (p <-> X q)",
    "(G p) <-> (F q)",
    "(p U q) xor (q U i)",
    "(p V q) <-> (F i U G n)",
    "O (p & F q) -> F q",
    "H (p -> F q)",
    "F (Y G i)",
    "G (Y X p <-> p)",
    "G (X Y p <-> p)",
    "G (Z X n <-> n)",
    "F (H (p U i) & !X q)",
    "F (p & O (X (q S n)))",
    "(F p) S (G q)",
    "(X i) T (Y n)",
    "G (Y (i S n) -> (X p S Y Y q))",
    "O [0,2] (F p) <-> F O [1,1] p",
    "H [1,2] X i",
    "X G p",
    "X F p & X X G q",
    "G X i",
    "G (X n | F [2,4] p)",
    "G X (p U X i)",
    "F G (p -> X (q V i))",
    "G (F p & F q & (n -> F i))",
    "(G F p) U (G F q)",
    "!(p U !p)",
    "!q U q",
    "G F p -> F G (!p S p)",
    "G (n -> (!q S q))",
    "(!p U i) | G !p",
    "G (p -> (q U n | G q))",
    "G !Y TRUE",
    // Several things at once, in state 0.
    "F (i & F (p & Z FALSE))",
    "F (n & (i U (q & !Y TRUE)))",
    "F (X p & F (i & F !Y TRUE))",
    "F Z FALSE",
];

/// The truth of a property by itself, and by way of its product.
fn verdicts(model: &Model, formula: ExprId) -> Result<[Outcome; 2], Why> {
    let mut direct = model.clone();
    let product = product(model, formula)?;
    check_shape(model, &product);
    let mut lifted = product.model;
    // With an operator, so that it takes an infinite path to violate it.
    let never = lifted.exprs.bool(false);
    let never = lifted.exprs.unary(UnaryOp::F, never);
    Ok([decide(&mut direct, formula), decide(&mut lifted, never)])
}

fn decide(model: &mut Model, expr: ExprId) -> Outcome {
    let clause = Clause { expr, occ: None, span: Span::default() };
    model.properties = vec![Property {
        kind: PropertyKind::Ltl,
        name: None,
        formula: Formula::Holds(clause),
        instance: None,
        span: Span::default(),
    }];
    let budget = Budget::new(Limits { work: Some(20_000_000), ..Limits::default() });
    (ENGINE.check)(model, &[0], &budget).outcomes.swap_remove(0)
}

/// What holds of every product.
fn check_shape(model: &Model, product: &Product) {
    let Product { model: lifted, .. } = product;
    assert_eq!(lifted.own(), Own::all(model));
    for (idx, var) in lifted.vars.iter().enumerate().skip(model.vars.len()) {
        assert_eq!((var.kind, var.role), (VarKind::State, Role::Internal));
        assert_eq!(var.domain, Domain::Bool);
        assert_eq!(lifted.find_var(&var.name), Some(VarId(idx as u32)), "no other has its name");
    }
    let compassion = lifted.compassion.iter().flat_map(|(p, q)| [p, q]);
    for clause in lifted.justice.iter().chain(compassion) {
        let reads = lifted.exprs.info(clause.expr).reads;
        assert!(!reads.any(Reads::INPUT.and(Reads::NEXT)), "fairness is about states");
    }
    assert!(lifted.properties.is_empty());
}

/// Compares, and says whether the formula holds; `None` if that takes too long.
fn compare(model: &Model, formula: ExprId, what: &str) -> Option<bool> {
    let [direct, lifted] = verdicts(model, formula).unwrap_or_else(|why| panic!("{why}: {what}"));
    match (direct, lifted) {
        (Outcome::Unknown(Why::Work), _) | (_, Outcome::Unknown(Why::Work)) => None,
        (Outcome::True(_), Outcome::True(_)) => Some(true),
        (Outcome::False(_), Outcome::False(mut trace)) => {
            // Without the fresh variables it is a trace of the model that shows the violation.
            for state in &mut trace.states {
                state.values.truncate(model.vars.len());
            }
            assert_eq!(replay::replay(model, &trace), Ok(()), "{what}");
            assert_eq!(lasso::holds(model, formula, &trace), Ok(false), "{what}");
            Some(false)
        }
        (direct, lifted) => panic!("{what}\ndirect {direct:?}\nlifted {lifted:?}"),
    }
}

/// Compares formulas on a model; how many are violated and how many hold?
fn compare_all(model_idx: usize, formulas: &[String]) -> [usize; 2] {
    let (name, text) = MODELS[model_idx];
    let specs: String = formulas.iter().map(|f| format!("LTLSPEC {f};\n")).collect();
    let (model, _) = read(&format!("MODULE main\n{text}\n{specs}"), &[]);
    let mut counts = [0; 2];
    for (formula, property) in formulas.iter().zip(&model.properties) {
        let Formula::Holds(clause) = property.formula else { panic!("{formula}") };
        if let Some(holds) = compare(&model, clause.expr, &format!("{name}: {formula}")) {
            counts[usize::from(holds)] += 1;
        }
    }
    counts
}

fn compare_everywhere(formulas: &[String], at_least: usize) {
    let mut sums = [0; 2];
    for model_idx in 0..MODELS.len() {
        let counts = compare_all(model_idx, formulas);
        sums = [sums[0] + counts[0], sums[1] + counts[1]];
    }
    assert!(sums.iter().all(|&n| n >= at_least), "{sums:?} are violated and hold");
}

#[test]
fn every_operator_means_in_the_product_what_it_means() {
    let mut formulas = Vec::new();
    for op in UNARY {
        for atom in ATOMS {
            formulas.extend(["", "!", "G ", "F "].map(|outer| format!("{outer}({op}{atom})")));
        }
    }
    for op in BINARY {
        for (a, b) in [("p", "q"), ("i", "q"), ("p", "n"), ("n", "i"), ("p", "p"), ("q", "TRUE")] {
            formulas.extend(["", "!", "G ", "F "].map(|outer| format!("{outer}({a} {op} {b})")));
        }
    }
    compare_everywhere(&formulas, 800);
}

#[test]
fn typical_formulas_mean_in_the_product_what_they_mean() {
    let negated = FORMULAS.iter().map(|formula| format!("!({formula})"));
    let formulas: Vec<String> =
        FORMULAS.iter().map(|&formula| formula.into()).chain(negated).collect();
    compare_everywhere(&formulas, 200);
}

/// A random formula, with this many operators at most.
fn random(rng: &mut Rng, n_ops: usize) -> String {
    let choose = |rng: &mut Rng, from: &[&str]| from[rng.usize(..from.len())].to_string();
    if n_ops == 0 {
        return choose(rng, &ATOMS[..4]);
    }
    if rng.bool() {
        let op = choose(rng, UNARY);
        return format!("{op}({})", random(rng, n_ops - 1));
    }
    let n_left = rng.usize(..n_ops);
    let (left, op) = (random(rng, n_left), choose(rng, BINARY));
    format!("(({left}) {op} ({}))", random(rng, n_ops - 1 - n_left))
}

#[test]
fn random_formulas_mean_in_the_product_what_they_mean() {
    let mut rng = Rng::with_seed(20);
    let mut sums = [0; 2];
    for model_idx in 0..MODELS.len() {
        let formulas: Vec<String> = (0..300).map(|idx| random(&mut rng, 1 + idx % 6)).collect();
        let counts = compare_all(model_idx, &formulas);
        sums = [sums[0] + counts[0], sums[1] + counts[1]];
    }
    assert!(sums.iter().all(|&n| n >= 300), "{sums:?} are violated and hold");
}

/// The stored models that NuSMV has decided, as in `nusmv_verdicts`.
#[test]
fn products_have_the_verdicts_of_nusmv() {
    let file = include_str!("../../../tests/nusmv/random.json");
    let cases: Value = serde_json::from_str(file).expect("the file is JSON");
    let mut n_equal = [0; 2];
    let mut n_open = 0;
    for case in cases.as_array().expect("the file is a list") {
        let text = case["model"].as_str().unwrap_or_default();
        let verdicts: Vec<&Value> = case["verdicts"].as_array().into_iter().flatten().collect();
        let Some(model) = read_accepted(text).filter(|m| m.properties.len() == verdicts.len())
        else {
            continue;
        };
        for (property, verdict) in model.properties.iter().zip(verdicts) {
            let (PropertyKind::Ltl | PropertyKind::Psl, Formula::Holds(clause)) =
                (property.kind, property.formula)
            else {
                continue;
            };
            // Some of PSL is CTL.
            let Ok(product) = product(&model, clause.expr) else { continue };
            let mut lifted = product.model;
            // With an operator, so that it takes an infinite path to violate it.
            let never = lifted.exprs.bool(false);
            let never = lifted.exprs.unary(UnaryOp::F, never);
            let holds = match decide(&mut lifted, never) {
                Outcome::True(_) => true,
                Outcome::False(_) => false,
                _ => {
                    n_open += 1;
                    continue;
                }
            };
            let theirs = verdict["verdict"].as_str().map(str::to_lowercase);
            assert_eq!(theirs, Some(holds.to_string()), "{property:?}\n{text}");
            n_equal[usize::from(holds)] += 1;
        }
    }
    assert!(n_equal.iter().all(|&n| n > 400), "{n_equal:?} are equal, {n_open} open");
}

fn read_accepted(text: &str) -> Option<Model> {
    let mut sources = Sources::new();
    let file = sources.add("case.smv", text).ok()?;
    let mut diagnostics = Diagnostics::new();
    let input = Input::new(file);
    let model = smv::read(&input, &mut diagnostics).model;
    (!diagnostics.has_errors()).then_some(model)
}

/// How many bits and how many justice constraints a property adds.
fn size(formula: &str) -> (usize, usize) {
    let text = format!(
        "MODULE main IVAR i : boolean; VAR p : boolean; q : boolean; r : boolean;
         LTLSPEC {formula}"
    );
    let (model, _) = read(&text, &[]);
    let Formula::Holds(clause) = model.properties[0].formula else { panic!("{formula}") };
    let product = product(&model, clause.expr).expect("small");
    (product.model.n_added(), product.model.justice.len())
}

/// As small as can be, but for `G F p & G F q`, where three states would do.
#[test]
fn common_formulas_add_few_bits() {
    // A bit says that the state where it fails has been; nothing less remembers that.
    assert_eq!(size("G p"), (1, 1));
    assert_eq!(size("G i"), (1, 1));
    assert_eq!(size("G p & G q"), (1, 1));
    // What must never hold is an invariant, what must not hold for ever is justice.
    assert_eq!(size("F p"), (0, 0));
    assert_eq!(size("F i"), (0, 0));
    assert_eq!(size("F G p"), (0, 1));
    assert_eq!(size("G F p"), (1, 1));
    assert_eq!(size("F (p & G q)"), (1, 1));
    assert_eq!(size("F p | G q"), (1, 1));
    assert_eq!(size("p U q"), (1, 0));
    assert_eq!(size("p V q"), (1, 1));
    assert_eq!(size("G F p -> G F q"), (1, 1));
    assert_eq!(size("G F p & G F q"), (3, 1));
    assert_eq!(size("(G F p & G F r) -> G (p -> F q)"), (1, 2));
    // Nothing but the violation is remembered of a response, and of what is about one step.
    assert_eq!(size("G (p -> F q)"), (1, 1));
    assert_eq!(size("G (i -> F q)"), (1, 1));
    assert_eq!(size("G (p -> X q)"), (1, 1));
    assert_eq!(size("G (i -> next(p) = q)"), (1, 1));
    assert_eq!(size("G (p -> X X q)"), (2, 1));
    assert_eq!(size("G (p -> F (q & F r))"), (2, 1));
    assert_eq!(size("G (p -> q U r)"), (2, 1));
    assert_eq!(size("G (p -> (q U r | G q))"), (2, 1));
    // In state 0 there are no inputs to look at, only a bit that says what they will be.
    assert_eq!(size("p"), (0, 0));
    assert_eq!(size("i"), (1, 0));
    assert_eq!(size("X X p"), (2, 0));
    assert_eq!(size("FALSE | F TRUE"), (0, 0));
}

#[test]
fn the_past_and_bounds_add_a_bit_for_each_step_they_look_at() {
    for formula in ["O q", "H q", "Y q", "Z q", "q S r", "q T r", "Y (q S r)", "Y i"] {
        assert_eq!(size(&format!("G (p -> {formula})")), (2, 1), "{formula}");
    }
    assert_eq!(size("G (p -> O [0,3] q)"), (4, 1));
    assert_eq!(size("G (p -> O [2,5] q)"), (6, 1));
    assert_eq!(size("G (p -> O [0,3] q & O [0,2] q)"), (4, 1));
    assert_eq!(size("G (p -> F [0,3] q)"), (3, 1));
    assert_eq!(size("G (p -> G [1,3] q)"), (3, 1));
    assert_eq!(size("G (p -> F [0,3] q & F [0,2] q)"), (3, 1));
    // What is needed as it is and negated has one bit for both.
    assert_eq!(size("G (p <-> F q)"), (2, 1));
    assert_eq!(size("H (F p)"), (2, 1));
}

/// The property of a model of two Booleans.
fn property(formula: &str) -> (Model, ExprId) {
    let (model, _) =
        read(&format!("MODULE main VAR p : boolean; q : boolean; LTLSPEC {formula}"), &[]);
    let Formula::Holds(clause) = model.properties[0].formula else { panic!("{formula}") };
    (model, clause.expr)
}

#[test]
fn what_is_not_ltl_or_too_long_is_refused() {
    let refusal = |formula: &str| {
        let (model, formula) = property(formula);
        product(&model, formula)
            .map(|product| product.model.n_added())
            .map_err(|why| why.to_string())
    };
    assert_eq!(refusal("F [0,4096] p"), Ok(4096));
    let too_long = "not supported: bounds of temporal operators beyond 4096 steps";
    assert_eq!(refusal("F [0,4097] p"), Err(too_long.into()));
    assert_eq!(refusal("O [0,4000] p | H [90,97] q"), Err(too_long.into()));
    let (model, _) = read("MODULE main VAR p : boolean; CTLSPEC AG p", &[]);
    let Formula::Holds(clause) = model.properties[0].formula else { panic!("CTL") };
    let not_ltl = "operators in an LTL formula that are not of LTL";
    assert_eq!(product(&model, clause.expr).err(), Some(Why::Unsupported(not_ltl.into())));
    // The language has no empty bounds.
    let (mut model, p) = property("p");
    let formula = model.exprs.bounded(BoundedOp::G, p, (3, 2));
    let empty = "empty or negative bounds of a temporal operator";
    assert_eq!(product(&model, formula).err(), Some(Why::Unsupported(empty.into())));
}

#[test]
fn long_formulas_are_translated_without_recursion() {
    let (mut model, formula) = property("p U (q & X p)");
    let Expr::Binary(_, p, _) = model.exprs.get(formula) else { panic!("an until") };
    let mut whole = formula;
    for idx in 0..60_000 {
        let op = [BinaryOp::U, BinaryOp::And, BinaryOp::V, BinaryOp::Implies, BinaryOp::S][idx % 5];
        whole = model.exprs.binary(op, whole, p);
        whole = model.exprs.unary(UnaryOp::X, whole);
    }
    let product = product(&model, whole).expect("no bounds");
    assert!(product.model.n_added() > 60_000, "{}", product.model.n_added());
}
