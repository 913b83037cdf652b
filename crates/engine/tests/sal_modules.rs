//! SAL: the models of random contexts do what the definition of the language says, and their theorems
//! have the verdicts that follow.

use fastrand::Rng;
use trapline_engine::ENGINES;

use trapline_testkit::sal::compare::{compare, compare_claims, read};
use trapline_testkit::sal::interpret::behaviour;
use trapline_testkit::sal::random::random_spec;
use trapline_testkit::sal::write::write;

/// So many contexts are compared.
const N_SPECS: u64 = 300;

#[test]
fn models_of_contexts_do_what_the_language_says() {
    let (mut n_steps, mut n_stuck, mut n_claims) = (0, 0, 0);
    for seed in 0..N_SPECS {
        let spec = random_spec(&mut Rng::with_seed(seed));
        let text = write(&spec);
        let meant = behaviour(&spec);
        let output = read(&spec, &text, &meant.vars)
            .unwrap_or_else(|findings| panic!("seed {seed}: {findings}\n{text}"));
        let engine = &ENGINES[1];
        compare(&spec, &meant, (&output.model, &output.expressions), engine)
            .unwrap_or_else(|difference| panic!("seed {seed}: {difference}\n{text}"));
        n_steps += meant.steps.len();
        n_stuck += usize::from(!meant.is_total());
        n_claims += compare_claims(&spec, &meant, &output.model, &ENGINES[0])
            .unwrap_or_else(|difference| panic!("seed {seed}: {difference}\n{text}"));
    }
    assert!(n_steps > 5_000, "{n_steps}");
    assert!(n_claims > 200, "{n_claims}");
    assert!(n_stuck > 20, "{n_stuck}");
}
