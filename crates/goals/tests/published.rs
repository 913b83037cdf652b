//! The mutants of the safety injection specification, operator by operator: Table 2 of Ammann,
//! Black and Ding, *Model checkers in software testing*.

use trapline_engine::{Budget, ENGINES};
use trapline_goals::decide::{Verdict, decide};
use trapline_goals::{Mutate, Options, derive};

use trapline_testkit::read;

/// Operator, mutants, killable ones.
const PUBLISHED: &[(&str, usize, usize)] = &[
    ("const", 168, 106),
    ("negate", 343, 276),
    ("operator", 477, 270),
    ("variable", 296, 105),
    ("stuck-at", 348, 124),
    ("remove", 158, 53),
];

#[test]
fn safety_injection_has_the_published_mutants() {
    let text = include_str!("../../../examples/safety-injection/published.smv");
    let (model, _) = read(text, &[]);
    let options = Options { mutate: Mutate::Specs, ..Options::default() };
    let set = derive(&model, &["mutation"], &options);
    let decided = decide(&set, &ENGINES[0], &Budget::unlimited());
    for &(operator, n_mutants, n_killable) in PUBLISHED {
        let name = format!("mutation:{operator}");
        let own =
            set.goals.iter().zip(&decided.verdicts).filter(|(goal, _)| goal.criterion == name);
        let killed = own.clone().filter(|(_, verdict)| matches!(verdict, Verdict::Covered(_)));
        let unknown = own.clone().filter(|(_, verdict)| matches!(verdict, Verdict::Unknown(_)));
        assert_eq!((own.count(), killed.count()), (n_mutants, n_killable), "{operator}");
        assert_eq!(unknown.count(), 0, "{operator}");
    }
    assert_eq!(set.goals.len(), 1790);
}
