//! Full names: `valve.pressure`, `queue[2][-1]`, `pumps[3].level`.
//!
//! A full name is a word, followed by members (`.level`) and indices (`[3]`) in any order. Every
//! language says where its own names stand in that grammar when it is lowered; after that, names
//! are taken apart and put together here alone.

/// What is before a part of a name: a member or an index.
const STARTS: [char; 2] = ['.', '['];

/// The member of an instance; the instance without a name has the members of the whole model.
pub fn member(instance: &str, own: &str) -> String {
    let mut name = String::with_capacity(instance.len() + 1 + own.len());
    name.push_str(instance);
    push_member(&mut name, own);
    name
}

/// Makes a name that of a member of what it named so far.
pub fn push_member(name: &mut String, own: &str) {
    if !name.is_empty() {
        name.push('.');
    }
    name.push_str(own);
}

/// The element of an array at an index.
pub fn element(array: &str, index: i64) -> String {
    format!("{array}[{index}]")
}

/// The element at a position of an array with these bounds, the last index fastest; without any,
/// the name itself.
pub fn element_at(array: &str, dims: &[(i64, i64)], position: u64) -> String {
    let mut rest = position;
    let mut indices: Vec<i64> = Vec::with_capacity(dims.len());
    for &(lo, hi) in dims.iter().rev() {
        let size = (hi - lo + 1) as u64;
        indices.push(lo + (rest % size) as i64);
        rest /= size;
    }
    indices.iter().rev().fold(array.to_string(), |name, &index| element(&name, index))
}

/// Is it what this names, or an element or a member of that?
pub fn is_within(name: &str, outer: &str) -> bool {
    name.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(STARTS))
}

/// The word that a name begins with.
pub fn first_word(name: &str) -> &str {
    name.find(STARTS).map_or(name, |end| &name[..end])
}

/// The instance that something is a member of, and its own name there.
pub fn split_member(name: &str) -> (Option<&str>, &str) {
    match name.rsplit_once('.') {
        Some((instance, own)) => (Some(instance), own),
        None => (None, name),
    }
}

/// The words on the way from the whole model to a name, with their indices.
pub fn path(name: &str) -> impl Iterator<Item = &str> {
    name.split('.')
}

/// The array that something is an element of, and its indices there: `b` and 1, 0 of `b[1][0]`.
pub fn split_indices(name: &str) -> (&str, Vec<i64>) {
    let (mut array, mut indices) = (name, Vec::new());
    while let Some((outer, index)) = array.strip_suffix(']').and_then(|it| it.rsplit_once('['))
        && let Ok(index) = index.parse()
    {
        indices.push(index);
        array = outer;
    }
    indices.reverse();
    (array, indices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_together_comes_apart() {
        let name = member(&element(&member("", "pumps"), 3), "level");
        assert_eq!(name, "pumps[3].level");
        assert_eq!(split_member(&name), (Some("pumps[3]"), "level"));
        assert_eq!(path(&name).collect::<Vec<_>>(), ["pumps[3]", "level"]);
        assert_eq!(first_word(&name), "pumps");
        assert_eq!(split_member("level"), (None, "level"));
    }

    #[test]
    fn elements_are_counted_with_the_last_index_fastest() {
        let dims = [(-1, 0), (5, 7)];
        let names: Vec<String> = (0..6).map(|position| element_at("b", &dims, position)).collect();
        assert_eq!(names, ["b[-1][5]", "b[-1][6]", "b[-1][7]", "b[0][5]", "b[0][6]", "b[0][7]"]);
        assert_eq!(split_indices(&names[2]), ("b", vec![-1, 7]));
        assert_eq!(split_indices("m[2].b"), ("m[2].b", vec![]));
        assert_eq!(element_at("x", &[], 0), "x");
    }

    #[test]
    fn a_name_is_within_itself_and_what_it_is_a_part_of() {
        let outer = "pump[1]";
        for name in ["pump[1]", "pump[1].on", "pump[1][2]"] {
            assert!(is_within(name, outer));
        }
        for name in ["pump", "pump[1]s", "pump[12]", "a.pump[1]"] {
            assert!(!is_within(name, outer));
        }
    }
}
