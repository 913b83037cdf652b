//! The graph for Graphviz. An arrow leads from a variable to what it depends on.

use std::fmt::Write;

use super::{Graph, View, kind_name, role_name};
use trapline_model::{Role, VarKind};

/// Writes the graph.
pub fn write(graph: &Graph, view: View) -> String {
    let mut out = format!("digraph {} {{\n", quote(&graph.model));
    let label = format!("{}: {}\na -> b: a depends on b", graph.model, graph.summary());
    line(&mut out, 1, &format!("graph [label={}, labelloc=t, fontname=monospace];", quote(&label)));
    line(&mut out, 1, "node [shape=box, style=filled, fontname=monospace, fontsize=11];");
    line(&mut out, 1, "edge [color=\"#64748b\"];");
    if view == View::Sets {
        sets(&mut out, graph);
    } else {
        variables(&mut out, graph, view);
    }
    out.push_str("}\n");
    out
}

fn sets(out: &mut String, graph: &Graph) {
    for (id, component) in graph.components.iter().enumerate() {
        let names: Vec<&str> = graph.names(&component.variables).collect();
        let label = format!("set {id}\n{}", names.join("\n"));
        line(out, 1, &format!("s{id} [label={}, fillcolor=\"#e2e8f0\"];", quote(&label)));
    }
    for (id, component) in graph.components.iter().enumerate() {
        for on in &component.depends_on {
            line(out, 1, &format!("s{id} -> s{on};"));
        }
    }
}

fn variables(out: &mut String, graph: &Graph, view: View) {
    let clusters: Vec<(String, &[usize])> = if view == View::Instances {
        let named = graph.instances.iter().map(|i| (i.name.clone(), i.variables.as_slice()));
        named.collect()
    } else {
        let sets = graph.components.iter().enumerate();
        let label = |id, n| if n > 1 { format!("set {id}") } else { String::new() };
        sets.map(|(id, c)| (label(id, c.variables.len()), c.variables.as_slice())).collect()
    };
    for (idx, (label, members)) in clusters.iter().enumerate() {
        // Without a label: the main module, or a set of one variable. These get no frame.
        let indent = if label.is_empty() { 1 } else { 2 };
        if !label.is_empty() {
            line(out, 1, &format!("subgraph cluster_{idx} {{"));
            line(out, 2, &format!("label={}; style=rounded; color=\"#94a3b8\";", quote(label)));
        }
        for &member in *members {
            line(out, indent, &node(graph, member));
        }
        if !label.is_empty() {
            line(out, 1, "}");
        }
    }
    for variable in &graph.variables {
        for on in graph.names(&variable.depends_on) {
            line(out, 1, &format!("{} -> {};", quote(&variable.name), quote(on)));
        }
    }
}

fn node(graph: &Graph, idx: usize) -> String {
    let variable = &graph.variables[idx];
    let colour = match variable.role {
        Role::Input => "#bbf7d0",
        Role::Output => "#bfdbfe",
        Role::Internal => "#e2e8f0",
    };
    let style = match variable.kind {
        VarKind::State => "filled",
        VarKind::Input => "\"filled,rounded\"",
        VarKind::Frozen => "\"filled,dashed\"",
    };
    let tooltip = format!(
        "{}: {}, {}, set {}",
        variable.name,
        role_name(variable.role),
        kind_name(variable.kind),
        variable.component
    );
    let (name, tooltip) = (quote(&variable.name), quote(&tooltip));
    format!("{name} [fillcolor=\"{colour}\", style={style}, tooltip={tooltip}];")
}

fn line(out: &mut String, indent: usize, text: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:1$}{text}", "", indent * 2);
}

/// A quoted string. Graphviz gives a meaning to backslashes in labels, so they are doubled.
fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        assert_eq!(quote("a\"b\\c"), r#""a\"b\\c""#);
    }
}
