//! `range-variable`: as `variable`, for ranges and words.

use trapline_model::{Domain, OccId};

use super::variable::exchange;
use super::{Operator, Scene};

/// A numeric variable becomes another one of its type.
pub const OPERATOR: Operator = Operator {
    name: "range-variable",
    about: "a variable of a range or word type becomes another one of its type",
    is_usual: false,
    changes,
};

fn changes(scene: &mut Scene<'_>, occ: OccId) {
    let is_number = |domain: &Domain| !matches!(domain, Domain::Enum(_) | Domain::Bool);
    exchange(scene, occ, is_number, |_, _| true);
}
