//! The graph as JSON.

use serde_json::{Value, json};

use super::{Graph, View, kind_name, role_name};

/// Writes the graph. The sets are always there, the variables unless only the sets are asked
/// for, the instances only if they are.
pub fn write(graph: &Graph, view: View) -> String {
    let mut document = json!({ "format": "trapline-graph/1", "model": graph.model });
    if view != View::Sets {
        document["variables"] = variables(graph);
    }
    document["components"] = components(graph);
    if view == View::Instances {
        document["instances"] = instances(graph);
    }
    format!("{document:#}\n")
}

fn variables(graph: &Graph) -> Value {
    let variable = |variable: &super::Variable| {
        json!({
            "name": variable.name,
            "role": role_name(variable.role),
            "kind": kind_name(variable.kind),
            "depends_on": graph.names(&variable.depends_on).collect::<Vec<_>>(),
            "component": variable.component,
        })
    };
    graph.variables.iter().map(variable).collect()
}

fn components(graph: &Graph) -> Value {
    let component = |(id, component): (usize, &super::Component)| {
        json!({
            "id": id,
            "variables": graph.names(&component.variables).collect::<Vec<_>>(),
            "inputs": graph.names(&component.inputs).collect::<Vec<_>>(),
            "depends_on": component.depends_on,
        })
    };
    graph.components.iter().enumerate().map(component).collect()
}

fn instances(graph: &Graph) -> Value {
    let name = |instance: usize| graph.instances[instance].name.as_str();
    let instance = |instance: &super::Instance| {
        json!({
            "name": instance.name,
            "variables": graph.names(&instance.variables).collect::<Vec<_>>(),
            "depends_on": instance.depends_on.iter().map(|&on| name(on)).collect::<Vec<_>>(),
        })
    };
    graph.instances.iter().map(instance).collect()
}
