//! Laws of suites, over random small models: what is made replays and shows what it says, less of it
//! shows the same, and whoever is asked says the same.

#[path = "../../lang/tests/common/generate.rs"]
mod generate;
#[path = "laws/judge.rs"]
mod judge;
#[path = "laws/models.rs"]
mod models;
#[path = "../../lang/tests/common/read.rs"]
mod read;

#[path = "laws/bounding.rs"]
mod bounding;
#[path = "laws/comparing.rs"]
mod comparing;
#[path = "laws/cutting.rs"]
mod cutting;
#[path = "laws/evaluating.rs"]
mod evaluating;
#[path = "laws/hitting.rs"]
mod hitting;
#[path = "laws/making.rs"]
mod making;
#[path = "laws/minimising.rs"]
mod minimising;
#[path = "laws/paths.rs"]
mod paths;
#[path = "laws/regressions.rs"]
mod regressions;
#[path = "laws/resuming.rs"]
mod resuming;
#[path = "laws/watching.rs"]
mod watching;
#[path = "laws/writing.rs"]
mod writing;
