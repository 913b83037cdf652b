//! Which properties to check.

use trapline_model::Model;

use crate::failure::Failure;
use crate::names;

/// The indices of the selected properties, in the model's order; by default all.
pub fn properties(model: &Model, wanted: &[String]) -> Result<Vec<usize>, Failure> {
    if wanted.is_empty() {
        return Ok((0..model.properties.len()).collect());
    }
    let mut chosen: Vec<usize> =
        wanted.iter().map(|wish| find(model, wish)).collect::<Result<_, _>>()?;
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn find(model: &Model, wish: &str) -> Result<usize, Failure> {
    let n_properties = model.properties.len();
    match wish.parse::<usize>() {
        Ok(idx) if idx < n_properties => Ok(idx),
        Ok(idx) => Err(no_index(idx, n_properties)),
        Err(_) => {
            let is_named = |name: &Option<String>| name.as_deref() == Some(wish);
            let found = model.properties.iter().position(|property| is_named(&property.name));
            found.ok_or_else(|| no_name(model, wish))
        }
    }
}

fn no_index(idx: usize, n_properties: usize) -> Failure {
    let failure = Failure::refused(format!("there is no property {idx}"));
    match n_properties {
        0 => failure.help("the model has no properties"),
        1 => failure.help("the only property is 0"),
        _ => failure.help(format!("the properties are 0 to {}", n_properties - 1)),
    }
}

fn no_name(model: &Model, wish: &str) -> Failure {
    let all = model.properties.iter().filter_map(|property| property.name.as_deref());
    let failure = Failure::refused(format!("no property has the name `{wish}`"));
    match names::close(wish, all).as_slice() {
        [] => failure.help("a property without a name goes by its index, which check shows"),
        close => failure.help(format!("did you mean `{}`?", close.join("` or `"))),
    }
}
