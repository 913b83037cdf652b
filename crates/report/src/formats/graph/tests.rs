//! Laws of graphs and their formats.

use super::*;

/// A graph with `n` variables, where each depends on what the function says.
fn graph(n: usize, on: impl Fn(usize) -> Vec<usize>) -> Graph {
    let variable = |idx: usize| Variable {
        name: format!("m{}.v<{idx}>", idx % 3),
        role: if on(idx).is_empty() { Role::Input } else { Role::Output },
        kind: VarKind::State,
        depends_on: on(idx),
        component: idx,
    };
    let variables: Vec<Variable> = (0..n).map(variable).collect();
    let components = (0..n).map(|idx| component(vec![idx], &variables)).collect();
    let instances = instances(&variables);
    Graph { model: "<m>.smv".into(), variables, components, instances }
}

fn chain(n: usize) -> Graph {
    graph(n, |idx| if idx == 0 { Vec::new() } else { vec![idx - 1] })
}

#[test]
fn names_are_escaped_in_pictures() {
    for view in [View::Variables, View::Sets, View::Instances] {
        let picture = svg::write(&chain(4), view);
        assert!(!picture.contains("<0>") && picture.contains("v&lt;0&gt;"), "{picture}");
    }
}

#[test]
fn every_format_is_deterministic() {
    for format in FORMATS {
        for view in [View::Variables, View::Sets, View::Instances] {
            assert_eq!((format.write)(&chain(30), view), (format.write)(&chain(30), view));
        }
    }
}

#[test]
fn an_empty_graph_is_written_by_every_format() {
    for format in FORMATS {
        for view in [View::Variables, View::Sets, View::Instances] {
            assert!(!(format.write)(&chain(0), view).is_empty());
        }
    }
}

#[test]
fn huge_graphs_are_shown_by_instance_with_a_note() {
    let picture = picture::picture(&chain(20_000), View::Variables);
    assert_eq!(picture.boxes.len(), 3);
    assert!(picture.notes[0].contains("module instance"));
}

#[test]
fn pictures_have_bounded_size() {
    let all_before = graph(290, |idx| (0..idx).collect());
    let picture = picture::picture(&all_before, View::Variables);
    assert_eq!(picture.edges.len(), 289);
    assert!(picture.notes.iter().any(|note| note.contains("follow from others")));
}

#[test]
fn json_names_what_the_contract_names() {
    let document: serde_json::Value =
        serde_json::from_str(&json::write(&chain(2), View::Variables)).unwrap_or_default();
    assert_eq!(document["format"], "trapline-graph/1");
    assert_eq!(document["variables"][1]["depends_on"][0], "m0.v<0>");
    assert_eq!(document["components"][1]["inputs"][0], "m0.v<0>");
    assert_eq!(document["components"][1]["depends_on"][0], 0);
}
