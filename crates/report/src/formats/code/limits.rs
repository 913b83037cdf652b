//! Filters of the template language that could ask for any amount of memory at once, with limits.

use minijinja::value::{Kwargs, Rest, StringInput, Value, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, filters};

/// Maximum padding width.
const MAX_WIDTH: usize = 1_000;

/// Replaces the unlimited filters.
pub fn add(environment: &mut Environment<'_>) {
    environment.add_filter("indent", indent);
    environment.add_filter("tojson", tojson);
    environment.add_filter("format", format);
}

fn check(width: Option<usize>) -> Result<(), Error> {
    match width {
        Some(width) if width > MAX_WIDTH => {
            let message = format!("a width of {width}; at most {MAX_WIDTH} is possible");
            Err(Error::new(ErrorKind::InvalidOperation, message))
        }
        _ => Ok(()),
    }
}

fn indent(
    text: StringInput<'_>,
    width: Option<usize>,
    first: Option<bool>,
    blank: Option<bool>,
    kwargs: Kwargs,
) -> Result<Value, Error> {
    check(width)?;
    check(kwargs.peek("width").unwrap_or_default())?;
    filters::indent(text, width, first, blank, kwargs)
}

fn tojson(value: &Value, indent: Option<Value>, kwargs: Kwargs) -> Result<Value, Error> {
    check(indent.as_ref().and_then(Value::as_usize))?;
    check(kwargs.peek("indent").unwrap_or_default())?;
    filters::tojson(value, indent, kwargs)
}

/// A width stands in the format, or is an argument if the format has a `*`.
fn format(
    state: &mut State<'_, '_>,
    text: &Value,
    args: Rest<ValueOrKwargs>,
) -> Result<Value, Error> {
    let pattern = text.as_str().unwrap_or_default();
    for digits in pattern.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()) {
        check(Some(digits.parse().unwrap_or(usize::MAX)))?;
    }
    if pattern.contains('*') {
        let message = "a width that is an argument is not possible";
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    filters::format(state, text, args)
}
