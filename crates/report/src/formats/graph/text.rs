//! The graph as text tables.

use super::table::Table;
use super::{Graph, View, counted, kind_name, role_name};

/// Where lists wrap.
const WIDTH: usize = 60;

/// Writes the graph.
pub fn write(graph: &Graph, view: View) -> String {
    let mut out = format!("{}: {}\n", graph.model, graph.summary());
    if graph.variables.is_empty() {
        return out;
    }
    match view {
        View::Variables => {
            out.push('\n');
            variables(graph, &(0..graph.variables.len()).collect::<Vec<_>>()).write(&mut out);
        }
        View::Instances => {
            for instance in &graph.instances {
                let name = if instance.name.is_empty() { "main" } else { &instance.name };
                let n_variables = counted(instance.variables.len(), "variable");
                out.push_str(&format!("\ninstance {name}: {n_variables}\n"));
                variables(graph, &instance.variables).write(&mut out);
            }
        }
        View::Sets => {}
    }
    out.push_str("\nstrongly connected sets, each after those that it depends on:\n");
    sets(graph).write(&mut out);
    out
}

fn variables(graph: &Graph, shown: &[usize]) -> Table {
    let row = |&idx: &usize| {
        let variable = &graph.variables[idx];
        vec![
            vec![variable.name.clone()],
            vec![role_name(variable.role).into()],
            vec![kind_name(variable.kind).into()],
            vec![variable.component.to_string()],
            graph.names(&variable.depends_on).map(Into::into).collect(),
        ]
    };
    Table {
        columns: vec![
            ("variable", WIDTH),
            ("role", WIDTH),
            ("kind", WIDTH),
            ("set", WIDTH),
            ("depends on", WIDTH),
        ],
        rows: shown.iter().map(row).collect(),
    }
}

fn sets(graph: &Graph) -> Table {
    let row = |(id, component): (usize, &super::Component)| {
        vec![
            vec![id.to_string()],
            vec![component.variables.len().to_string()],
            graph.names(&component.variables).map(Into::into).collect(),
            graph.names(&component.inputs).map(Into::into).collect(),
            component.depends_on.iter().map(ToString::to_string).collect(),
        ]
    };
    Table {
        columns: vec![
            ("set", WIDTH),
            ("size", WIDTH),
            ("variables", 48),
            ("inputs", 48),
            ("depends on sets", 24),
        ],
        rows: graph.components.iter().enumerate().map(row).collect(),
    }
}
