//! Executing tests on implementations.
//!
//! [`script`] turns a test into exchanges: what is sent, and what the test expects. [`adapters`] connect
//! an implementation. [`tester`] knows the states that the model may be in, so which answers are
//! allowed. [`execute`] plays a script and gives a verdict; [`run`] does that for a suite, several
//! implementations at once; [`mutants`] plays the mutants of the model as implementations; [`reached`]
//! determines which goals the executions reach, [`places`] which lines of the model an answer contradicts,
//! [`resemblance`] which faults of the model a failure looks like.
//! Where the implementation chose otherwise than a test, [`extend`] gives the test another branch, which
//! [`plan`] finds.

pub mod adapters;
pub mod choices;
pub mod execute;
pub mod extend;
pub mod log;
pub mod mutants;
pub mod places;
pub mod plan;
pub mod pursuit;
pub mod reached;
pub mod resemblance;
pub mod result;
pub mod rounds;
pub mod run;
pub mod script;
pub mod tester;
mod workers;
pub mod write;
