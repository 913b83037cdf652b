//! All values of a few variables, one after the other.

use trapline_model::{Model, Value, VarId};

/// Every way to give these variables values of their types; the others keep what `rest` says.
pub fn valuations<'m>(
    model: &'m Model,
    vars: &'m [VarId],
    rest: &[Option<Value>],
) -> impl Iterator<Item = Vec<Option<Value>>> + use<'m> {
    let size = |var: VarId| model.var(var).domain.size().expect("finite");
    let n_all: u64 = vars.iter().map(|&var| size(var)).product();
    let rest = rest.to_vec();
    (0..n_all).map(move |number| {
        let mut values = rest.clone();
        let mut left = number;
        for &var in vars {
            values[var.0 as usize] = Some(model.var(var).domain.value(left % size(var)));
            left /= size(var);
        }
        values
    })
}
