//! Goals for somebody whose patience ends.

use std::cell::Cell;

use trapline_engine::Why;
use trapline_goals::{CRITERIA, Options, derive, derive_within};

const MODEL: &str = include_str!("../../../examples/safety-injection/safety_injection.smv");

#[test]
fn what_there_was_time_for_is_as_it_would_be() {
    let (model, _) = trapline_testkit::read(MODEL, &[]);
    let names: Vec<&str> = CRITERIA.iter().map(|criterion| criterion.name).collect();
    let options = Options::default();
    let all = derive(&model, &names, &options);
    let ids: Vec<&str> = all.goals.iter().map(|goal| goal.id.as_str()).collect();
    let n_asked = Cell::new(0);
    let (whole, cut) = derive_within(&model, &names, &options, &|| {
        n_asked.set(n_asked.get() + 1);
        Ok(())
    });
    assert_eq!((whole.goals.len(), cut), (ids.len(), None));
    assert!(n_asked.get() > 5, "nobody is asked: {}", n_asked.get());
    for n_more in 0..n_asked.get() {
        let left = Cell::new(n_more);
        let patience = || match left.get() {
            0 => Err(Why::Time),
            more => {
                left.set(more - 1);
                Ok(())
            }
        };
        let (some, cut) = derive_within(&model, &names, &options, &patience);
        assert_eq!(cut, Some(Why::Time));
        assert!(some.goals.len() < ids.len(), "{n_more}");
        let known = some.goals.iter().zip(&all.goals);
        for (one, same) in known {
            assert_eq!((&one.id, &one.text), (&same.id, &same.text), "{n_more}");
        }
    }
}
