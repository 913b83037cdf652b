//! Sites: the places where the author decided something, and the expressions as written.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use fastrand::Rng;
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Plan};
use trapline_model::{
    AssignKind, Clause, ExprId, FailureKind, Guard, Model, OccId, ReachId, Relation, Scope, Shape,
    SiteKind, SiteTarget,
};
use trapline_source::Span;

use trapline_testkit::random::{Options, random_model};
use trapline_testkit::read;
use trapline_testkit::valuations;

/// The conjunction of the conditions on the way to a site, the first one first.
fn reach_condition(model: &mut Model, reach: Option<ReachId>) -> ExprId {
    let mut way = Vec::new();
    let mut step = reach;
    while let Some(id) = step {
        let reach = model.reaches[id.0 as usize];
        way.push(reach);
        step = reach.before;
    }
    let exprs = &mut model.exprs;
    let parts = way.into_iter().rev().map(|step| exprs.literal(step.condition, step.holds));
    let parts: Vec<ExprId> = parts.collect();
    exprs.all(parts)
}

fn text_of(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn target(model: &Model, target: SiteTarget) -> String {
    match target {
        SiteTarget::Assign { var, assign_idx, part_idx } => {
            let assign = &model.assigns[assign_idx as usize];
            assert_eq!(assign.var, var);
            assert!((part_idx as usize) < assign.parts.len());
            let name = &model.var(var).name;
            match assign.kind {
                AssignKind::Init => format!("init({name})"),
                AssignKind::Next => format!("next({name})"),
                AssignKind::Current => name.clone(),
            }
        }
        SiteTarget::Define(define) => model.define(define).name.clone(),
        SiteTarget::Constraint(idx) => format!("{:?}", model.constraints[idx as usize].kind),
        SiteTarget::Guard(..) | SiteTarget::Given(..) => unreachable!("no commands, no tables"),
    }
}

/// A line a site: scope, target, kind; its text; its decision as it is meant; what must hold for
/// it to be evaluated.
fn sites(text: &str) -> String {
    let (mut model, _) = read(text, &[]);
    let mut shown = String::new();
    for site in model.sites.clone() {
        let kind = match site.kind {
            SiteKind::Branch { index, .. } => format!("branch {index}"),
            SiteKind::If { .. } => "if".into(),
            SiteKind::Boolean => "boolean".into(),
        };
        let decision = model.show_expr(model.occurrences.get(site.decision).expr);
        let reach = reach_condition(&mut model, site.reach);
        let reach = model.show_expr(reach);
        let target = target(&model, site.target);
        let written = text_of(text, site.span);
        shown += &format!("{:?} {target} {kind}: {written}\n", site.scope);
        shown += &format!("    {decision}, if {reach}\n");
    }
    shown
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&sites(text));
}

#[test]
fn each_branch_of_a_case_is_a_site_reached_when_those_before_it_fail() {
    check(
        "MODULE main VAR x : 0..3; b : boolean;
         ASSIGN next(x) := case b & x = 1 : 2; x > 1 : 0; TRUE : x; esac;",
        expect![[r#"
            Step next(x) branch 0: b & x = 1 : 2
                b & x = 1, if TRUE
            Step next(x) branch 1: x > 1 : 0
                x > 1, if !(b & x = 1)
            Step next(x) branch 2: TRUE : x
                TRUE, if !(b & x = 1) & !(x > 1)
        "#]],
    );
}

#[test]
fn a_case_in_a_branch_is_reached_through_its_guard() {
    check(
        "MODULE main VAR x : 0..3; b : boolean; c : boolean;
         ASSIGN next(x) := case b : 0; c : case x = 1 : 1; TRUE : 2; esac; TRUE : 3; esac;",
        expect![[r#"
            Step next(x) branch 0: b : 0
                b, if TRUE
            Step next(x) branch 1: c : case x = 1 : 1; TRUE : 2; esac
                c, if !b
            Step next(x) branch 2: TRUE : 3
                TRUE, if !b & !c
            Step next(x) branch 0: x = 1 : 1
                x = 1, if !b & c
            Step next(x) branch 1: TRUE : 2
                TRUE, if !b & c & !(x = 1)
        "#]],
    );
}

#[test]
fn a_case_in_a_guard_is_reached_with_the_guard() {
    check(
        "MODULE main VAR x : 0..3; b : boolean; c : boolean;
         ASSIGN next(x) := case b : 0; case c : b; TRUE : !b; esac : 1; TRUE : 3; esac;",
        expect![[r#"
            Step next(x) branch 0: b : 0
                b, if TRUE
            Step next(x) branch 1: case c : b; TRUE : !b; esac : 1
                case c : b; TRUE : !b; esac, if !b
            Step next(x) branch 2: TRUE : 3
                TRUE, if !b & !case c : b; TRUE : !b; esac
            Step next(x) branch 0: c : b
                c, if !b
            Step next(x) branch 1: TRUE : !b
                TRUE, if !b & !c
        "#]],
    );
}

#[test]
fn the_condition_of_an_if_is_a_site() {
    check(
        "MODULE main VAR x : 0..3; b : boolean; c : boolean;
         ASSIGN next(x) := b | c ? x : (c ? 1 : 2) + 1;",
        expect![[r#"
            Step next(x) if: b | c
                b | c, if TRUE
            Step next(x) if: c
                c, if !(b | c)
        "#]],
    );
}

#[test]
fn a_boolean_right_hand_side_with_an_operator_is_a_site() {
    check(
        "MODULE main VAR a : boolean; b : boolean; c : boolean; d : boolean; x : 0..3;
         ASSIGN init(a) := !b; next(a) := a & b; next(b) := a; next(c) := TRUE; d := x = 1;
         next(x) := x + 1;",
        expect![[r#"
            Init init(a) boolean: !b
                !b, if TRUE
            Step next(a) boolean: a & b
                a & b, if TRUE
            State d boolean: x = 1
                x = 1, if TRUE
        "#]],
    );
}

#[test]
fn a_boolean_branch_with_an_operator_is_a_site_of_its_own() {
    check(
        "MODULE main VAR a : boolean; b : boolean; c : boolean;
         ASSIGN next(a) := case b : a & c; c : b; TRUE : a xor (b ? c : a); esac;",
        expect![[r#"
            Step next(a) branch 0: b : a & c
                b, if TRUE
            Step next(a) branch 1: c : b
                c, if !b
            Step next(a) branch 2: TRUE : a xor (b ? c : a)
                TRUE, if !b & !c
            Step next(a) boolean: a & c
                a & c, if b
            Step next(a) boolean: a xor (b ? c : a)
                a xor case b : c; TRUE : a; esac, if !b & !c
            Step next(a) if: b
                b, if !b & !c
        "#]],
    );
}

#[test]
fn a_define_is_about_states_or_about_steps() {
    check(
        "MODULE main IVAR i : boolean; VAR x : 0..3; b : boolean;
         DEFINE state := x > 1; step := next(x) > x; input := i & b; through := step | b;
         name := b; number := x + 1;",
        expect![[r#"
            State state boolean: x > 1
                x > 1, if TRUE
            Step step boolean: next(x) > x
                next(x) > x, if TRUE
            Step input boolean: i & b
                i & b, if TRUE
            Step through boolean: step | b
                step | b, if TRUE
        "#]],
    );
}

#[test]
fn constraints_are_sites_in_their_own_scopes() {
    check(
        "MODULE main VAR x : 0..3; b : boolean;
         INIT x = 0 INVAR b -> x > 0 TRANS next(x) != x | b TRANS b
         FAIRNESS x = 1 SPEC AG x = 1",
        expect![[r#"
            Init Init boolean: x = 0
                x = 0, if TRUE
            State Invar boolean: b -> x > 0
                b -> x > 0, if TRUE
            Step Trans boolean: next(x) != x | b
                next(x) != x | b, if TRUE
        "#]],
    );
}

#[test]
fn inside_a_process_a_next_value_is_reached_while_it_runs() {
    check(
        "MODULE p(o) VAR x : boolean; DEFINE d := x & o; ASSIGN init(x) := !o; next(x) := x xor d;
         MODULE main VAR y : boolean; a : process p(y); ASSIGN next(y) := y & a.x;",
        expect![[r#"
            State a.d boolean: x & o
                a.x & y, if TRUE
            Init init(a.x) boolean: !o
                !y, if TRUE
            Step next(a.x) boolean: x xor d
                a.x xor a.d, if a.running
            Step next(y) boolean: y & a.x
                y & a.x, if running
        "#]],
    );
}

#[test]
fn each_instance_has_sites_with_its_own_names() {
    check(
        "MODULE cell(feed) VAR x : boolean; ASSIGN next(x) := case feed : !x; TRUE : x; esac;
         MODULE main VAR a : cell(TRUE); b : cell(a.x);",
        expect![[r#"
            Step next(a.x) branch 0: feed : !x
                TRUE, if TRUE
            Step next(a.x) branch 1: TRUE : x
                TRUE, if FALSE
            Step next(a.x) boolean: !x
                !a.x, if TRUE
            Step next(b.x) branch 0: feed : !x
                a.x, if TRUE
            Step next(b.x) branch 1: TRUE : x
                TRUE, if !a.x
            Step next(b.x) boolean: !x
                !b.x, if a.x
        "#]],
    );
}

/// The decisions of the constraints as trees: what was written, and what it means.
fn check_trees(text: &str, expect: Expect) {
    let (model, _) = read(text, &[]);
    let mut shown = String::new();
    let constraints = model.sites.iter().filter(|s| matches!(s.target, SiteTarget::Constraint(_)));
    let mut stack: Vec<(OccId, usize)> = constraints.map(|site| (site.decision, 0)).collect();
    stack.reverse();
    while let Some((occ, depth)) = stack.pop() {
        let occurrence = model.occurrences.get(occ);
        let written = text_of(text, occurrence.span);
        let meant = model.show_expr(occurrence.expr);
        shown += &"  ".repeat(depth);
        shown += written;
        if meant != written {
            shown += &format!("   means {meant}");
        }
        shown += "\n";
        let children = model.occurrences.children(occ).into_iter().rev();
        stack.extend(children.map(|child| (child, depth + 1)));
    }
    expect.assert_eq(&shown);
}

#[test]
fn a_decision_is_the_tree_that_was_written() {
    check_trees(
        "MODULE main VAR x : 0..3; y : 0..3; b : boolean;
         INVAR ((x + 1) > y -> !b) & (x in {1, y, 3}) & count(b, b) = 1",
        expect![[r#"
            ((x + 1) > y -> !b) & (x in {1, y, 3}) & count(b, b) = 1   means (x + 1 > y -> !b) & x in 1 union y union 3 & count(b, b) = 1
              ((x + 1) > y -> !b) & (x in {1, y, 3})   means (x + 1 > y -> !b) & x in 1 union y union 3
                (x + 1) > y -> !b   means x + 1 > y -> !b
                  (x + 1) > y   means x + 1 > y
                    x + 1
                      x
                      1
                    y
                  !b
                    b
                x in {1, y, 3}   means x in 1 union y union 3
                  x
                  {1, y, 3}   means 1 union y union 3
                    1
                    y
                    3
              count(b, b) = 1
                count(b, b)
                  b
                  b
                1
        "#]],
    );
}

#[test]
fn an_element_with_a_constant_index_is_a_leaf_and_another_one_has_its_index_below() {
    check_trees(
        "MODULE main VAR x : 0..1; a : array 0..1 of boolean; INVAR a[1] & a[x]",
        expect![[r#"
            a[1] & a[x]   means a[1] & case x = 0 : a[0]; x = 1 : a[1]; esac
              a[1]
              a[x]   means case x = 0 : a[0]; x = 1 : a[1]; esac
                x
        "#]],
    );
}

#[test]
fn equal_parts_are_occurrences_of_their_own() {
    check_trees(
        "MODULE main VAR b : boolean; c : boolean; INVAR b & c | b & c INVAR b & c",
        expect![[r#"
            b & c | b & c
              b & c
                b
                c
              b & c
                b
                c
            b & c
              b
              c
        "#]],
    );
}

#[test]
fn a_define_or_parameter_name_is_a_leaf() {
    check_trees(
        "MODULE cell(feed) VAR x : boolean; INIT feed & x
         MODULE main VAR b : boolean; c : cell(b | d); DEFINE d := !b; INIT c.x & d",
        expect![[r#"
            feed & x   means (b | d) & c.x
              feed   means b | d
              x   means c.x
            c.x & d
              c.x
              d
        "#]],
    );
}

#[test]
fn under_next_everything_means_the_next_state() {
    check_trees(
        "MODULE main VAR x : 0..3; b : boolean; TRANS next(x + 1 > 2 & d) -> b
         DEFINE d := 1 < x;",
        expect![[r#"
            next(x + 1 > 2 & d) -> b   means next(x) + 1 > 2 & next(d) -> b
              next(x + 1 > 2 & d)   means next(x) + 1 > 2 & next(d)
                x + 1 > 2 & d   means next(x) + 1 > 2 & next(d)
                  x + 1 > 2   means next(x) + 1 > 2
                    x + 1   means next(x) + 1
                      x   means next(x)
                      1
                    2
                  d   means next(d)
              b
        "#]],
    );
}

#[test]
fn a_case_under_next_is_reached_in_the_next_state() {
    check(
        "MODULE main VAR x : 0..3; b : boolean; TRANS b -> next(case b : x; TRUE : 1; esac) > 0",
        expect![[r#"
            Step Trans boolean: b -> next(case b : x; TRUE : 1; esac) > 0
                b -> case next(b) : next(x); TRUE : 1; esac > 0, if TRUE
            Step Trans branch 0: b : x
                next(b), if TRUE
            Step Trans branch 1: TRUE : 1
                TRUE, if !next(b)
        "#]],
    );
}

#[test]
fn old_numbers_in_decisions_mean_booleans() {
    check(
        "MODULE main VAR b : boolean; x : 0..1;
         ASSIGN next(b) := case x = 1 : !b; 1 : 0; esac; INVAR b = 1",
        expect![[r#"
            Step next(b) branch 0: x = 1 : !b
                x = 1, if TRUE
            Step next(b) branch 1: 1 : 0
                TRUE, if !(x = 1)
            Step next(b) boolean: !b
                !b, if x = 1
            State Invar boolean: b = 1
                b = TRUE, if TRUE
        "#]],
    );
}

/// All right-hand sides and constraints.
fn clauses(model: &Model) -> Vec<Clause> {
    let assigns = model.assigns.iter().flat_map(|a| &a.parts).map(|part| part.body);
    let constraints = model.constraints.iter().map(|c| c.body);
    assigns.chain(constraints).chain(model.defines.iter().map(|d| d.body)).collect()
}

/// A random model, flat if it has no second module.
fn random(seed: u64) -> (String, bool) {
    let mut rng = Rng::with_seed(seed);
    let text = random_model(&mut rng, Options { is_wild: true, max_states: 1000 }).text;
    let is_flat = !text.contains("MODULE cell");
    (text, is_flat)
}

#[test]
fn an_occurrence_lies_inside_its_parent_and_beside_its_siblings() {
    for seed in 0..600 {
        let (text, _) = random(seed);
        let (model, _) = read(&text, &[]);
        for occ in clauses(&model).iter().filter_map(|clause| clause.occ) {
            for inner in model.occurrences.subtree(occ) {
                let parent = model.occurrences.get(inner).span;
                let mut end = parent.start;
                for child in model.occurrences.children(inner) {
                    let child = model.occurrences.get(child).span;
                    let at = || format!("{} in {}", text_of(&text, child), text_of(&text, parent));
                    assert!(end <= child.start && child.end <= parent.end, "{}\n{text}", at());
                    assert_ne!(child, parent, "{}\n{text}", at());
                    end = child.end;
                }
            }
        }
    }
}

#[test]
fn a_clause_means_what_its_root_occurrence_means() {
    for seed in 0..600 {
        let (text, _) = random(seed);
        let (model, _) = read(&text, &[]);
        for Clause { expr, occ, .. } in clauses(&model) {
            let root = occ.map(|occ| model.occurrences.get(occ).expr);
            assert!(root.is_none_or(|root| root == expr), "{text}");
        }
    }
}

/// The occurrences that are not under `next`.
fn outside_next(model: &Model) -> Vec<OccId> {
    let mut stack: Vec<OccId> = clauses(model).iter().filter_map(|clause| clause.occ).collect();
    let mut found = Vec::new();
    while let Some(occ) = stack.pop() {
        found.push(occ);
        if model.occurrences.get(occ).shape != Shape::Next {
            stack.extend(model.occurrences.children(occ));
        }
    }
    found
}

#[test]
fn the_text_of_an_occurrence_means_what_the_occurrence_means() {
    let mut n_checked = 0;
    for seed in 0..400 {
        let (text, is_flat) = random(seed);
        if !is_flat {
            continue;
        }
        let (model, _) = read(&text, &[]);
        let occurrences = outside_next(&model);
        let mut longer = text.clone();
        for (idx, occ) in occurrences.iter().enumerate() {
            let written = text_of(&text, model.occurrences.get(*occ).span);
            longer += &format!("DEFINE again{idx} := {written};\n");
        }
        let (again, _) = read(&longer, &[]);
        for (idx, occ) in occurrences.iter().enumerate() {
            let name = format!("again{idx}");
            let define = again.defines.iter().find(|d| d.name == name).expect("a define");
            let meant = model.show_expr(model.occurrences.get(*occ).expr);
            assert_eq!(again.show_expr(define.body.expr), meant, "{text}");
            n_checked += 1;
        }
    }
    assert!(n_checked > 10_000, "only {n_checked} occurrences");
}

/// The branches of a `case`: the ways to them, and their guards.
struct Branches {
    span: Span,
    expr: ExprId,
    reaches: Vec<ExprId>,
    taken: Vec<ExprId>,
}

fn cases(model: &mut Model) -> Vec<Branches> {
    let mut cases: BTreeMap<OccId, Branches> = BTreeMap::new();
    for site in model.sites.clone() {
        let SiteKind::Branch { group, index } = site.kind else { continue };
        let group = model.group(group);
        assert_eq!(group.relation, Relation::Ordered);
        assert_eq!(group.alternatives[index as usize].guard, Guard::Written(site.decision));
        let whole = group.whole.expect("a `case`");
        let occurrence = model.occurrences.get(whole);
        let (span, expr) = (occurrence.span, occurrence.expr);
        let reach = reach_condition(model, site.reach);
        let guard = model.occurrences.get(site.decision).expr;
        let taken = model.exprs.and(reach, guard);
        let case = cases.entry(whole).or_insert_with(|| Branches {
            span,
            expr,
            reaches: Vec::new(),
            taken: Vec::new(),
        });
        assert_eq!(case.taken.len(), index as usize, "branches come in order");
        case.reaches.push(reach);
        case.taken.push(taken);
    }
    cases.into_values().collect()
}

#[test]
fn the_branches_of_a_case_exclude_each_other_and_cover_it_if_it_is_exhaustive() {
    let mut counts = [0; 3];
    for seed in 0..400 {
        let (text, _) = random(seed);
        let (mut model, _) = read(&text, &[]);
        for Branches { span, expr, reaches, taken } in cases(&mut model) {
            let roots = [&[reaches[0], expr][..], &taken].concat();
            let plan = Plan::new(&model, &roots);
            let support = support(&model, roots.iter().copied());
            let unknown = vec![None; model.vars.len()];
            let mut cells = Vec::new();
            for here in valuations(&model, &support.current, &unknown) {
                for there in valuations(&model, &support.next, &unknown).take(40) {
                    plan.run(&here, &there, &mut cells);
                    let truth: Option<Vec<bool>> =
                        (2..roots.len()).map(|idx| plan.root(idx, &cells).as_bool()).collect();
                    // A guard that fails decides nothing.
                    let (Some(truth), Some(is_reached)) = (truth, plan.root(0, &cells).as_bool())
                    else {
                        continue;
                    };
                    let n_taken = truth.iter().filter(|&&taken| taken).count();
                    let at = || format!("{}\n{here:?} {there:?}\n{text}", text_of(&text, span));
                    assert!(n_taken <= usize::from(is_reached), "{n_taken} taken in {}", at());
                    let is_open = matches!(plan.root(1, &cells), Cell::Fail(failure)
                        if failure.kind == FailureKind::NotExhaustive && failure.span == span);
                    if is_reached {
                        assert_eq!(n_taken == 0, is_open, "{}", at());
                    }
                    counts[if is_open { 2 } else { n_taken }] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 1000), "{counts:?}");
}

#[test]
fn a_site_counts_where_its_clause_does() {
    for seed in 0..300 {
        let (text, _) = random(seed);
        let (model, _) = read(&text, &[]);
        for site in &model.sites {
            let expected = match site.target {
                SiteTarget::Assign { assign_idx, .. } => {
                    match model.assigns[assign_idx as usize].kind {
                        AssignKind::Init => Scope::Init,
                        AssignKind::Current => Scope::State,
                        AssignKind::Next => Scope::Step,
                    }
                }
                SiteTarget::Constraint(idx) => {
                    use trapline_model::ConstraintKind as Kind;
                    match model.constraints[idx as usize].kind {
                        Kind::Init => Scope::Init,
                        Kind::Invar => Scope::State,
                        Kind::Trans => Scope::Step,
                    }
                }
                SiteTarget::Define(define) => {
                    let support = support(&model, [model.define(define).body.expr]);
                    let is_input = |var| model.var(var).kind == trapline_model::VarKind::Input;
                    let is_step =
                        !support.next.is_empty() || support.current.into_iter().any(is_input);
                    if is_step { Scope::Step } else { Scope::State }
                }
                SiteTarget::Guard(..) | SiteTarget::Given(..) => {
                    unreachable!("no commands, no tables")
                }
            };
            assert_eq!(site.scope, expected, "{}\n{text}", text_of(&text, site.span));
        }
    }
}
