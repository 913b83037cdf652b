//! Which targets are asked about together.

use super::*;
use trapline_testkit::read;

/// The blocks of these targets. Every target is in exactly one.
fn layered(text: &str, targets: &[&str]) -> Vec<Vec<usize>> {
    let (model, exprs) = read(text, targets);
    let targets: Vec<Target> = exprs.into_iter().map(Target::State).collect();
    let blocks = cone_partition(&model, &targets, &Budget::unlimited());
    let mut all = blocks.concat();
    all.sort_unstable();
    assert_eq!(all, (0..targets.len()).collect::<Vec<_>>(), "{blocks:?}");
    assert!((1..=MAX_BLOCKS).contains(&blocks.len()), "{blocks:?}");
    blocks
}

const PARTS: &str = "MODULE cell VAR v : 0..255; ASSIGN next(v) := {v, 255 - v};
    MODULE main VAR a : cell; b : cell; c : cell; d : 0..255;
    ASSIGN next(d) := (a.v + b.v + d) mod 256;";

#[test]
fn what_is_about_other_variables_is_put_apart() {
    let blocks = layered(PARTS, &["a.v = 1", "b.v = 1", "a.v = 2", "c.v = 1", "b.v = 2"]);
    assert_eq!(blocks, [vec![0, 2], vec![1, 4], vec![3]]);
}

#[test]
fn what_depends_on_more_comes_later() {
    let blocks = layered(PARTS, &["d = 1", "a.v = 1", "a.v = d & c.v = 0", "a.v = 2"]);
    assert_eq!(blocks, [vec![1, 3], vec![0], vec![2]]);
}

#[test]
fn what_all_depend_on_is_in_every_layer() {
    let text = format!("{PARTS} INVAR a.v + b.v + c.v < 700");
    // The constraint may end any path, so that nothing is left out but `d`.
    let blocks = layered(&text, &["a.v = 1", "b.v = 1", "c.v = 1"]);
    assert_eq!(blocks, [vec![0, 1, 2]]);
}

#[test]
fn one_layer_is_enough_where_nothing_is_gained() {
    assert_eq!(layered(PARTS, &["a.v = 1", "a.v = 2"]), [vec![0, 1]]);
    assert_eq!(layered(PARTS, &["d = 1"]), [vec![0]]);
    assert_eq!(layered(PARTS, &[]), [Vec::<usize>::new()]);
    // Ten bits of twelve.
    let text = "MODULE main VAR x : 0..1023; y : 0..3; ASSIGN next(y) := x mod 4;";
    assert_eq!(layered(text, &["x = 1", "y = 1"]), [vec![0, 1]]);
}

#[test]
fn a_little_more_makes_no_layer() {
    let text = "MODULE main VAR x : unsigned word[20]; y : boolean; z : unsigned word[30];
        ASSIGN next(y) := x[0:0] = 0ub1_1; next(z) := z + (y ? 0ud30_1 : 0ud30_2);";
    let blocks = layered(text, &["x = 0ud20_1", "y", "z = 0ud30_3"]);
    assert_eq!(blocks, [vec![0, 1], vec![2]]);
}

#[test]
fn there_are_never_many_layers() {
    let mut text = String::from("MODULE main\n");
    let names: Vec<String> = (0..30).map(|idx| format!("v{idx}")).collect();
    for (idx, name) in names.iter().enumerate() {
        text += &format!("VAR {name} : 0..255;\n");
        if let Some(before) = idx.checked_sub(1) {
            text += &format!("ASSIGN next({name}) := {};\n", names[before]);
        }
    }
    let targets: Vec<String> = names.iter().map(|name| format!("{name} = 7")).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let blocks = layered(&text, &targets);
    assert!(blocks.len() > 1, "{blocks:?}");
    // A chain: what depends on less comes first.
    assert_eq!(blocks.concat(), (0..30).collect::<Vec<_>>());
}

#[test]
fn steps_and_sequences_have_their_places() {
    let (model, exprs) = read(PARTS, &["a.v = next(a.v)", "b.v = 1", "c.v = next(c.v)"]);
    let [a, b, c] = exprs[..] else { unreachable!("there are three") };
    let targets = [Target::Steps(vec![a, b]), Target::Step(c), Target::Step(b), Target::State(b)];
    assert_eq!(
        cone_partition(&model, &targets, &Budget::unlimited()),
        [vec![2, 3], vec![1], vec![0]]
    );
}
