//! What a budget promises, whoever asks it.

use std::cell::Cell;

use trapline_budget::{Budget, Exhausted, Limits};

fn limits(work: u64) -> Limits {
    Limits { work: Some(work), ..Limits::default() }
}

#[test]
fn what_was_found_can_be_told_whatever_has_run_out() {
    let ends: [(Budget<'_>, Exhausted); 3] = [
        (Budget::new(limits(0)), Exhausted::Work),
        (
            Budget::new(Limits { memory: Some(1), ..Limits::default() }).with_memory(&|| 2),
            Exhausted::Memory,
        ),
        (Budget::unlimited().with_interrupt(&|| true), Exhausted::Interrupted),
    ];
    for (budget, exhausted) in ends {
        assert_eq!(budget.spend(0), Err(exhausted));
        let grace = budget.grace();
        assert_eq!(
            (grace.spend(1 << 20), grace.allows(1 << 20)),
            (Ok(()), Ok(())),
            "{exhausted:?}"
        );
        assert_eq!(budget.spend(0), Err(exhausted));
    }
}

#[test]
fn who_interrupts_while_it_is_told_waits_no_longer() {
    let is_raised = Cell::new(false);
    let is_interrupted = || is_raised.get();
    let budget = Budget::new(limits(0)).with_interrupt(&is_interrupted);
    let grace = budget.grace();
    assert_eq!(grace.spend(1), Ok(()));
    is_raised.set(true);
    assert_eq!(grace.spend(0), Err(Exhausted::Interrupted));
}

#[test]
fn who_spends_nothing_is_told_at_once_that_patience_ended() {
    let is_raised = Cell::new(false);
    let is_interrupted = || is_raised.get();
    let budget = Budget::unlimited().with_interrupt(&is_interrupted);
    assert_eq!(budget.spend(1), Ok(()));
    is_raised.set(true);
    assert_eq!(budget.spend(0), Err(Exhausted::Interrupted));
    assert_eq!(budget.spend(1), Err(Exhausted::Interrupted));
}

#[test]
fn a_part_charges_the_whole_when_it_is_dropped() {
    let whole = Budget::new(limits(10));
    let part = whole.part(Some(4));
    let inner = part.part(None);
    assert_eq!((inner.spend(3), inner.work_left()), (Ok(()), Some(1)));
    assert_eq!((part.work(), whole.work()), (0, 0));
    drop(inner);
    assert_eq!((part.work(), whole.work()), (3, 0));
    assert_eq!(part.spend(1), Err(Exhausted::Work));
    drop(part);
    assert_eq!((whole.work(), whole.spend(0)), (4, Ok(())));
    assert_eq!(whole.part(None).spend(6), Err(Exhausted::Work));
    assert_eq!(whole.spend(0), Err(Exhausted::Work));
}

#[test]
fn what_is_settled_is_charged_once() {
    let whole = Budget::unlimited();
    let part = whole.part(None);
    assert_eq!(part.spend(2), Ok(()));
    part.settle();
    assert_eq!((part.spend(1), whole.work()), (Ok(()), 2));
    part.settle();
    drop(part);
    assert_eq!(whole.work(), 3);
}

#[test]
fn what_is_told_after_the_end_is_charged_to_nobody() {
    let whole = Budget::new(limits(0));
    assert_eq!(whole.grace().spend(5), Ok(()));
    assert_eq!(whole.work(), 0);
}
