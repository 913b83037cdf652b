//! The choice of tests against trying all choices, and under small budgets.

use fastrand::Rng;
use trapline_engine::{Budget, Limits};
use trapline_suite::set_cover::{Need, Objective, Problem, Proof, Solution, solve};

const OBJECTIVES: [Objective; 2] = [Objective::FewestTests, Objective::FewestSteps];

#[test]
fn small_problems_are_solved_as_by_trying_all_choices() {
    for seed in 0..3000 {
        let problem = small(seed, 10, 14);
        for objective in OBJECTIVES {
            let solution = solve(&problem, objective, &Budget::unlimited());
            let cost = check(&problem, objective, &solution);
            assert_eq!(cost, least(&problem, objective), "seed {seed}: {problem:?}");
            assert_eq!(solution.bound.proof, Proof::Exact, "seed {seed}");
        }
    }
}

#[test]
fn bounds_are_never_above_the_best_however_small_the_budget() {
    let mut n_gaps = 0;
    for seed in 0..1500 {
        let problem = small(seed, 12, 30);
        for objective in OBJECTIVES {
            let work = Rng::with_seed(seed).u64(0..60);
            let solution = solve(&problem, objective, &limited(work));
            let cost = check(&problem, objective, &solution);
            let best = least(&problem, objective);
            let bound = bound_of(objective, &solution);
            assert!(bound.0 <= best.0, "seed {seed} {objective:?}: {bound:?} {best:?}");
            assert!(bound.0 < best.0 || bound.1 <= best.1, "seed {seed}: {bound:?} {best:?}");
            match solution.bound.proof {
                Proof::Exact => assert_eq!(cost, best, "seed {seed}"),
                Proof::First => assert_eq!(cost.0, best.0, "seed {seed}"),
                Proof::Gap => {}
            }
            n_gaps += usize::from(solution.bound.proof != Proof::Exact);
        }
    }
    assert!(n_gaps > 100, "{n_gaps}");
}

#[test]
fn the_same_work_gives_the_same_solution() {
    for work in [0, 100, 10_000, 300_000] {
        let problem = sparse(5, 150, 300, 20);
        let solutions = [(); 2].map(|()| solve(&problem, Objective::FewestTests, &limited(work)));
        assert_eq!(solutions[0], solutions[1]);
    }
}

#[test]
fn more_work_never_gives_a_worse_solution() {
    let problem = sparse(7, 120, 250, 10);
    let mut last = (u64::MAX, u64::MAX);
    for work in [0, 1_000, 30_000, 1_000_000] {
        let solution = solve(&problem, Objective::FewestTests, &limited(work));
        let cost = check(&problem, Objective::FewestTests, &solution);
        assert!(cost.0 <= last.0);
        last = cost;
    }
}

#[test]
fn steiner_triples_have_known_optima() {
    for (n_tests, n_triples, best) in [(9, 12, 5), (15, 35, 7), (27, 117, 18)] {
        let triples = steiner(n_tests);
        assert_eq!(triples.len(), n_triples);
        let problem = Problem {
            n_steps: vec![1; n_tests],
            goals: triples.iter().map(|triple| Need::Any(triple.to_vec())).collect(),
            ..Problem::default()
        };
        for work in [0, 10, 100, 1_000, 10_000, 100_000] {
            let solution = solve(&problem, Objective::FewestTests, &limited(work));
            assert!(solution.bound.n_tests <= best && solution.chosen.len() as u64 >= best);
        }
        let solution = solve(&problem, Objective::FewestTests, &limited(3_000_000));
        assert_eq!(solution.chosen.len() as u64, best);
        assert_eq!(solution.bound.proof, Proof::Exact);
    }
}

#[test]
fn what_nothing_meets_is_ignored() {
    let problem = Problem {
        n_steps: vec![3, 2],
        keep: Vec::new(),
        evaluations: vec![vec![0], vec![]],
        goals: vec![Need::Any(vec![]), Need::Pair(vec![(0, 1)]), Need::Any(vec![0, 1])],
    };
    let solution = solve(&problem, Objective::FewestTests, &Budget::unlimited());
    assert_eq!((solution.chosen, solution.n_steps), (vec![1], 2));
}

#[test]
fn no_goals_need_no_tests_but_those_to_keep() {
    let problem = Problem { n_steps: vec![4; 3], keep: vec![2, 1, 2], ..Problem::default() };
    for objective in OBJECTIVES {
        let solution = solve(&problem, objective, &Budget::unlimited());
        assert_eq!(solution.chosen, [1, 2]);
        assert_eq!(solution.bound.proof, Proof::Exact);
    }
    let solution = solve(&Problem::default(), Objective::FewestTests, &Budget::unlimited());
    assert!(solution.chosen.is_empty() && solution.bound.proof == Proof::Exact);
}

#[test]
fn huge_costs_do_not_overflow() {
    let problem = Problem {
        n_steps: vec![u64::MAX / 8; 6],
        goals: (0..6).map(|test| Need::Any(vec![test, (test + 1) % 6])).collect(),
        ..Problem::default()
    };
    for objective in OBJECTIVES {
        let solution = solve(&problem, objective, &Budget::unlimited());
        check(&problem, objective, &solution);
        assert_eq!(solution.chosen.len(), 3);
    }
}

#[test]
fn a_long_chain_is_solved_without_deep_recursion() {
    let n_tests = 20_000;
    let problem = Problem {
        n_steps: vec![1; n_tests],
        goals: (0..n_tests - 1).map(|test| Need::Any(vec![test, test + 1])).collect(),
        ..Problem::default()
    };
    let solution = solve(&problem, Objective::FewestTests, &limited(100_000));
    check(&problem, Objective::FewestTests, &solution);
    assert!(solution.chosen.len() <= 10_000);
}

#[test]
fn a_large_problem_ends_within_its_budget() {
    let problem = sparse(11, 2_000, 6_000, 100);
    let solution = solve(&problem, Objective::FewestTests, &limited(100_000));
    check(&problem, Objective::FewestTests, &solution);
    assert!(solution.bound.n_tests > 1);
}

fn limited(work: u64) -> Budget<'static> {
    Budget::new(Limits { work: Some(work), ..Limits::default() })
}

/// A few tests and goals of both kinds, sparse or dense, with steps alike or different.
fn small(seed: u64, most_tests: usize, most_goals: usize) -> Problem {
    let mut rng = Rng::with_seed(seed);
    let n_tests = rng.usize(1..=most_tests);
    let density = rng.f64() * 0.6;
    let most_steps = [1, 3, 30][rng.usize(0..3)];
    let tests = |rng: &mut Rng| (0..n_tests).filter(|_| rng.f64() < density).collect();
    let evaluations: Vec<Vec<usize>> = (0..rng.usize(1..9)).map(|_| tests(&mut rng)).collect();
    let n_goals = rng.usize(0..most_goals);
    let share = [0.0, 0.4, 0.9][rng.usize(0..3)];
    let goals = (0..n_goals).map(|_| {
        if rng.f64() < share {
            let mut evaluation = || rng.usize(0..evaluations.len());
            let n_pairs = 1 + evaluation();
            Need::Pair((0..n_pairs).map(|_| (evaluation(), evaluation())).collect())
        } else {
            Need::Any(tests(&mut rng))
        }
    });
    let goals = goals.collect();
    let n_steps = (0..n_tests).map(|_| rng.u64(0..=most_steps)).collect();
    let keep = (0..n_tests).filter(|_| rng.u8(0..12) == 0).collect();
    Problem { n_steps, keep, evaluations, goals }
}

/// Goals of different rarity, and pair goals over shared evaluations.
fn sparse(seed: u64, n_tests: usize, n_goals: usize, n_pairs: usize) -> Problem {
    let mut rng = Rng::with_seed(seed);
    let mut tests = |most: f64| -> Vec<usize> {
        let density = most * rng.f64() * rng.f64() + 0.01;
        (0..n_tests).filter(|_| rng.f64() < density).collect()
    };
    let evaluations: Vec<Vec<usize>> = (0..60).map(|_| tests(0.1)).collect();
    let any = (0..n_goals).map(|_| Need::Any(tests(0.3))).collect::<Vec<_>>();
    let pair = (0..n_pairs).map(|goal| {
        Need::Pair(
            (0..8).map(|place| ((goal + place) % 30, 30 + (goal + 3 * place) % 30)).collect(),
        )
    });
    let n_steps = (0..n_tests as u64).map(|test| 5 + test * 7 % 23).collect();
    let goals = any.iter().cloned().chain(pair).collect();
    Problem { n_steps, keep: Vec::new(), evaluations, goals }
}

/// Steiner triple systems: the lines of the space over three elements, and for 15 tests those of
/// the projective space over two. They are hard for their size.
fn steiner(n_tests: usize) -> Vec<[usize; 3]> {
    let mut triples = Vec::new();
    for a in 0..n_tests {
        for b in a + 1..n_tests {
            for c in b + 1..n_tests {
                let is_line = if n_tests == 15 {
                    (a + 1) ^ (b + 1) ^ (c + 1) == 0
                } else {
                    [1, 3, 9].iter().all(|unit| (a / unit + b / unit + c / unit) % 3 == 0)
                };
                if is_line {
                    triples.push([a, b, c]);
                }
            }
        }
    }
    triples
}

/// Is the solution one? Its costs, the more important first.
fn check(problem: &Problem, objective: Objective, solution: &Solution) -> (u64, u64) {
    let is_in = |test: &usize| solution.chosen.binary_search(test).is_ok();
    let all: Vec<usize> = (0..problem.n_steps.len()).collect();
    assert!(problem.keep.iter().all(is_in));
    for goal in &problem.goals {
        let is_met = is_met(problem, goal, &solution.chosen);
        assert!(is_met || !self::is_met(problem, goal, &all), "{goal:?} {solution:?}");
    }
    let n_steps = solution.chosen.iter().map(|&test| problem.n_steps[test]).sum();
    assert_eq!(n_steps, solution.n_steps);
    let cost = ordered(objective, solution.chosen.len() as u64, n_steps);
    assert!(bound_of(objective, solution) <= cost, "{solution:?}");
    cost
}

fn is_met(problem: &Problem, goal: &Need, chosen: &[usize]) -> bool {
    let is_hit = |tests: &Vec<usize>| tests.iter().any(|test| chosen.contains(test));
    match goal {
        Need::Any(tests) => is_hit(tests),
        Need::Pair(pairs) => pairs
            .iter()
            .any(|&(a, b)| is_hit(&problem.evaluations[a]) && is_hit(&problem.evaluations[b])),
    }
}

fn ordered(objective: Objective, n_tests: u64, n_steps: u64) -> (u64, u64) {
    match objective {
        Objective::FewestTests => (n_tests, n_steps),
        Objective::FewestSteps => (n_steps, n_tests),
    }
}

fn bound_of(objective: Objective, solution: &Solution) -> (u64, u64) {
    ordered(objective, solution.bound.n_tests, solution.bound.n_steps)
}

/// The least costs of all choices.
fn least(problem: &Problem, objective: Objective) -> (u64, u64) {
    let n_tests = problem.n_steps.len();
    let mask = |tests: &[usize]| tests.iter().fold(0_u32, |mask, test| mask | 1 << test);
    let evaluations: Vec<u32> = problem.evaluations.iter().map(|tests| mask(tests)).collect();
    let keep = mask(&problem.keep);
    // A goal as alternatives of two masks.
    let alternatives = |goal: &Need| -> Vec<(u32, u32)> {
        match goal {
            Need::Any(tests) => vec![(mask(tests), mask(tests))],
            Need::Pair(pairs) => {
                pairs.iter().map(|&(a, b)| (evaluations[a], evaluations[b])).collect()
            }
        }
    };
    let is_met = |goal: &[(u32, u32)], chosen: u32| {
        goal.iter().any(|(a, b)| a & chosen != 0 && b & chosen != 0)
    };
    let all = (1_u32 << n_tests) - 1;
    let mut goals: Vec<_> = problem.goals.iter().map(alternatives).collect();
    goals.retain(|goal| is_met(goal, all));
    let choices = (0..=all)
        .filter(|chosen| chosen & keep == keep && goals.iter().all(|goal| is_met(goal, *chosen)));
    let costs = choices.map(|chosen| {
        let n_steps = (0..n_tests).filter(|test| chosen >> test & 1 == 1);
        let n_steps = n_steps.map(|test| problem.n_steps[test]).sum();
        ordered(objective, u64::from(chosen.count_ones()), n_steps)
    });
    costs.min().expect("all tests together meet what can be met")
}
