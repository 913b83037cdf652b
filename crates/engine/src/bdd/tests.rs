//! What the manager keeps alive, and what it frees.

use super::manager::{Bdd, Manager, Var};
use crate::answer::Why;
use trapline_budget::{Budget, Limits};

/// Enough pairs that the function of all is large in the order of creation and small in a better
/// one.
const N_PAIRS: usize = 15;

/// The first variables of all pairs, then the second, in groups of one.
fn vars(manager: &Manager) -> Vec<Var> {
    (0..2 * N_PAIRS).flat_map(|_| manager.add_group(1)).collect()
}

/// True where both variables are true for an odd number of these pairs (a bent function).
fn bent(manager: &Manager, vars: &[Var], n_pairs: usize) -> Result<Bdd, Why> {
    let mut all = manager.constant(false);
    for idx in 0..n_pairs {
        let [a, b] = [vars[idx], vars[idx + N_PAIRS]].map(|var| manager.literal(var));
        all = manager.xor(&all, &manager.and(&a?, &b?)?)?;
    }
    Ok(all)
}

fn check_bent(manager: &Manager, vars: &[Var], f: &Bdd, n_pairs: usize) {
    let own = [&vars[..n_pairs], &vars[N_PAIRS..N_PAIRS + n_pairs]].concat();
    let n_true = (1u128 << (2 * n_pairs - 1)) - (1 << (n_pairs - 1));
    assert_eq!(manager.count(f, &own), n_true);
    let mut rng = fastrand::Rng::with_seed(n_pairs as u64);
    for _ in 0..50 {
        let values: Vec<bool> = vars.iter().map(|_| rng.bool()).collect();
        let literals: Vec<(Var, bool)> = vars.iter().copied().zip(values.iter().copied()).collect();
        let point = manager.literals(&literals).expect("no limits");
        let n_both = (0..n_pairs).filter(|&idx| values[idx] && values[idx + N_PAIRS]).count();
        let value = manager.cofactor(f, &point).expect("no limits");
        assert!(value.is_true() == (n_both % 2 == 1) && value.is_false() == (n_both % 2 == 0));
        assert_eq!(manager.meets(f, &point).expect("no limits"), n_both % 2 == 1);
        assert_eq!(manager.implies(&point, f).expect("no limits"), n_both % 2 == 1);
    }
}

#[test]
fn nodes_that_no_handle_keeps_are_freed() {
    let budget = Budget::unlimited();
    let manager = Manager::new(&budget);
    let vars = vars(&manager);
    let small = bent(&manager, &vars, 4).expect("no limits");
    let large = bent(&manager, &vars, N_PAIRS).expect("no limits");
    assert!(manager.n_nodes() > 1 << N_PAIRS);
    let copy = large.clone();
    drop(large);
    let negation = copy.negated();
    drop(copy);
    manager.tidy().expect("no limits");
    check_bent(&manager, &vars, &negation.negated(), N_PAIRS);
    check_bent(&manager, &vars, &small, 4);
    drop(negation);
    // Garbage, so that a collection is due.
    let mut rng = fastrand::Rng::with_seed(1);
    let mut order = manager.order();
    for _ in 0..60 {
        rng.shuffle(&mut order);
        drop(bent(&manager, &order, N_PAIRS).expect("no limits"));
    }
    assert!(manager.n_nodes() > 200_000, "{} are not many", manager.n_nodes());
    manager.tidy().expect("no limits");
    assert_eq!(manager.n_nodes(), manager.size(&small));
    check_bent(&manager, &vars, &small, 4);
}

#[test]
fn a_better_order_is_found_and_changes_no_function() {
    let budget = Budget::unlimited();
    let manager = Manager::new(&budget);
    let vars = vars(&manager);
    let parts: Vec<Bdd> =
        (1..=N_PAIRS).map(|n| bent(&manager, &vars, n).expect("no limits")).collect();
    let before = manager.size(&parts[N_PAIRS - 1]);
    let order = manager.order();
    manager.tidy().expect("no limits");
    assert_ne!(manager.order(), order);
    let after = manager.size(&parts[N_PAIRS - 1]);
    assert!(before > 1 << N_PAIRS && after < 4 * N_PAIRS, "{before} to {after}");
    for (idx, part) in parts.iter().enumerate() {
        check_bent(&manager, &vars, part, idx + 1);
        let again = bent(&manager, &vars, idx + 1).expect("no limits");
        assert_eq!(&again, part, "the same function has the same number");
    }
}

/// Whenever the budget runs out, earlier results are intact.
#[test]
fn a_limit_stops_operations_and_keeps_what_was_made() {
    let mut n_stopped = 0;
    for work in (0..400_000).step_by(20_000) {
        let budget = Budget::new(Limits { work: Some(work), ..Limits::default() });
        let manager = Manager::new(&budget);
        let vars = vars(&manager);
        let mut parts = Vec::new();
        let stop = loop {
            let n_pairs = parts.len() % N_PAIRS + 1;
            match bent(&manager, &vars, n_pairs).and_then(|f| manager.tidy().map(|()| f)) {
                Ok(part) => parts.push(part),
                Err(why) => break why,
            }
            if parts.len() == 2 * N_PAIRS {
                break Why::Interrupted;
            }
        };
        for (idx, part) in parts.iter().enumerate() {
            let n_pairs = idx % N_PAIRS + 1;
            let own = [&vars[..n_pairs], &vars[N_PAIRS..N_PAIRS + n_pairs]].concat();
            let n_true = (1u128 << (2 * n_pairs - 1)) - (1 << (n_pairs - 1));
            assert_eq!(manager.count(part, &own), n_true);
        }
        if parts.len() < 2 * N_PAIRS {
            assert_eq!(stop, Why::Work);
            n_stopped += 1;
        }
    }
    assert!(n_stopped > 2, "only stopped {n_stopped} times");
}

/// Partners are moved together.
#[test]
fn what_is_shifted_before_and_after_a_new_order_is_the_same() {
    let budget = Budget::unlimited();
    let manager = Manager::new(&budget);
    let pairs: Vec<Vec<Var>> = (0..2 * N_PAIRS).map(|_| manager.add_group(2)).collect();
    let [now, next] = [0, 1].map(|idx| pairs.iter().map(|pair| pair[idx]).collect::<Vec<_>>());
    let [f, g] = [&now, &next].map(|vars| bent(&manager, vars, N_PAIRS).expect("no limits"));
    assert_eq!(manager.shift(&f).expect("no limits"), g);
    let order = manager.order();
    manager.tidy().expect("no limits");
    assert_ne!(manager.order(), order);
    for pair in manager.order().chunks(2) {
        assert!(pairs.contains(&pair.to_vec()), "{pair:?} are no partners");
    }
    assert_eq!(manager.shift(&f).expect("no limits"), g);
    assert_eq!(manager.shift(&g).expect("no limits"), f);
    check_bent(&manager, &now, &f, N_PAIRS);
    check_bent(&manager, &next, &g, N_PAIRS);
}
