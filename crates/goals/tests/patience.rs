//! Goals for somebody whose patience ends.

use std::cell::Cell;

use trapline_engine::{Budget, Why};
use trapline_goals::{CRITERIA, Options, derive, derive_within};

const MODEL: &str = include_str!("../../../examples/safety-injection/safety_injection.smv");

#[test]
fn what_there_was_time_for_is_as_it_would_be() {
    let (model, _) = trapline_testkit::read(MODEL, &[]);
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let options = Options::default();
    let all = derive(&model, &names, &options);
    let ids: Vec<&str> = all.goals.iter().map(|goal| goal.id.as_str()).collect();
    let n_asked = Cell::new(0u32);
    let patient = || {
        n_asked.set(n_asked.get() + 1);
        false
    };
    let budget = Budget::unlimited().with_interrupt(&patient);
    let (whole, cut) = derive_within(&model, &names, &options, &budget);
    assert_eq!((whole.goals.len(), cut), (ids.len(), None));
    assert!(n_asked.get() > 5, "nobody is asked: {}", n_asked.get());
    for n_more in 0..n_asked.get() {
        let left = Cell::new(n_more);
        let is_interrupted = || left.replace(left.get().saturating_sub(1)) == 0;
        let budget = Budget::unlimited().with_interrupt(&is_interrupted);
        let (some, cut) = derive_within(&model, &names, &options, &budget);
        assert_eq!(cut, Some(Why::Interrupted));
        assert!(some.goals.len() < ids.len(), "{n_more}");
        let known = some.goals.iter().zip(&all.goals);
        for (one, same) in known {
            assert_eq!((&one.id, &one.text), (&same.id, &same.text), "{n_more}");
        }
    }
}
