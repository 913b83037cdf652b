//! Skeletons of implementations for `trapline run`: the inputs and outputs of a model, to be filled in.
//!
//! Each is a template, the files that it needs beside it, and a line in [`SKELETONS`]. Until it is filled in,
//! every answer is an error, so that nothing passes by chance.

use minijinja::Value;
use serde_json::Value as Json;
use trapline_model::{
    Array, Domain, Model, Role, Timing, Value as ModelValue, VarKind, notation, roles,
};
use trapline_suite::steps::Cell;

use super::language::Language;
use super::{TemplateError, fill_in};

/// At most so many values of an enumeration are listed.
const MAX_VALUES: usize = 20;

/// At most so many elements of an array are written out.
const MAX_ELEMENTS: usize = 256;

/// Names that the skeletons use themselves.
const TAKEN: &[&str] = &["in", "inputs", "out", "outputs", "self", "sut"];

/// A skeleton of an implementation.
#[derive(Debug)]
pub struct Skeleton {
    /// Its name, as `--format` takes it.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub about: &'static str,
    /// The files that it needs beside it, and their texts.
    pub beside: &'static [(&'static str, &'static str)],
    language: Language,
    template: &'static str,
}

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/", $name, ".jinja"))
    };
}

macro_rules! adapter {
    ($folder:literal, $name:literal) => {
        ($name, include_str!(concat!("../../../../../adapters/", $folder, "/", $name)))
    };
}

/// All skeletons.
pub const SKELETONS: &[Skeleton] = &[
    Skeleton {
        name: "adapter-python",
        about: "a Python class for `trapline run`, to be filled in; from the model alone",
        beside: &[adapter!("python", "trapline_sut.py")],
        language: Language::Python,
        template: template!("sut.py"),
    },
    Skeleton {
        name: "adapter-c",
        about: "C functions for `trapline run`, to be filled in; from the model alone",
        beside: &[adapter!("c", "trapline_sut.h")],
        language: Language::C,
        template: template!("sut.c"),
    },
    Skeleton {
        name: "adapter-cpp",
        about: "a C++ class for `trapline run`, to be filled in; from the model alone",
        beside: &[adapter!("cpp", "trapline_sut.hpp"), adapter!("c", "trapline_sut.h")],
        language: Language::Cpp,
        template: template!("sut.cpp"),
    },
    Skeleton {
        name: "adapter-rust",
        about: "a Rust type for `trapline run`, to be filled in; from the model alone",
        beside: &[adapter!("rust", "trapline_sut.rs")],
        language: Language::Rust,
        template: template!("sut.rs"),
    },
    Skeleton {
        name: "adapter-java",
        about: "a Java class for `trapline run`, to be filled in; from the model alone",
        beside: &[adapter!("java", "TraplineSut.java")],
        language: Language::Java,
        template: template!("Sut.java"),
    },
];

/// The skeleton with this name.
pub fn find(name: &str) -> Option<&'static Skeleton> {
    SKELETONS.iter().find(|skeleton| skeleton.name == name)
}

impl Skeleton {
    /// The text for a model, in which definitions are variables. The name is that of its file.
    ///
    /// # Errors
    /// If the template is wrong.
    pub fn render(&self, model: &Model, path: &str, name: &str) -> Result<String, TemplateError> {
        let ports = ports(model);
        let names = TAKEN.iter().copied().chain(ports.iter().map(|port| port.name.as_str()));
        let locals = self.language.identifiers(names).split_off(TAKEN.len());
        let of_role = |role: Role| -> Value {
            let list = ports.iter().zip(&locals).filter(|(port, _)| port.role == role);
            list.map(|(port, local)| self.data(model, port, local)).collect()
        };
        let data = Value::from_pairs([
            ("model", Value::from(path)),
            ("name", name.into()),
            ("inputs", of_role(Role::Input)),
            ("outputs", of_role(Role::Output)),
        ]);
        fill_in(self.template, data, 10 * ports.len())
    }

    fn data(&self, model: &Model, port: &Port<'_>, local: &str) -> Value {
        let example = example(model, port.domain);
        let literal = match (self.language, &example) {
            // Without its type it would be one of 32 bits.
            (Language::Rust, Cell::Int(number)) => format!("{number}i64"),
            (language, example) => language.literal(Some(example)),
        };
        let first = "[0]".repeat(port.lengths.len());
        Value::from_pairs([
            ("name", Value::from(port.name.as_str())),
            ("local", local.into()),
            ("type", word(port).into()),
            ("about", self.language.comment(&about(model, port)).into()),
            ("is_array", (!port.lengths.is_empty()).into()),
            ("first", format!("{}{first}", port.name).into()),
            ("example", nested(self.language, &port.lengths, &literal).into()),
            ("json", nested(Language::C, &port.lengths, &json(&example)).into()),
            ("reset", port.is_in_reset.into()),
            ("step", port.is_in_step.into()),
        ])
    }
}

/// Something that is exchanged: a variable, or an array.
#[derive(Clone)]
struct Port<'m> {
    name: String,
    role: Role,
    domain: &'m Domain,
    /// The length of each dimension; none if it is no array.
    lengths: Vec<usize>,
    is_in_reset: bool,
    is_in_step: bool,
}

/// The inputs and outputs of a model. An array is one of them if its elements are exchanged together.
fn ports(model: &Model) -> Vec<Port<'_>> {
    let singles: Vec<Option<Port<'_>>> = singles(model);
    let mut ports = Vec::new();
    let mut idx = 0;
    while idx < singles.len() {
        let exchange = |idx: usize| singles[idx].as_ref().map(Port::exchange);
        let is_whole = |array: &&Array| {
            let mut elements = array.elements.clone().map(|element| element as usize);
            elements.all(|element| exchange(element) == exchange(idx))
        };
        // An array that contains others comes before them.
        let starts =
            |array: &&Array| array.elements.start as usize == idx && !array.elements.is_empty();
        let array = model.arrays.iter().filter(starts).find(is_whole);
        if let Some(first) = &singles[idx] {
            ports.push(array.map_or_else(|| first.clone(), |array| first.array(array)));
        }
        idx = array.map_or(idx + 1, |array| array.elements.end as usize);
    }
    ports
}

/// Each variable, if it is exchanged.
fn singles(model: &Model) -> Vec<Option<Port<'_>>> {
    let vars = model.vars.iter().zip(roles::timings(model));
    let ports = vars.map(|(var, timing)| {
        // What belongs to a step, or never has a value, is not shown.
        let is_shown = var.kind != VarKind::Input && var.domain.size() != Some(0);
        let is_port = var.role == Role::Input || var.role == Role::Output && is_shown;
        let is_step = var.role == Role::Input && timing == Timing::Step;
        is_port.then(|| Port {
            name: var.name.clone(),
            role: var.role,
            domain: &var.domain,
            lengths: Vec::new(),
            is_in_reset: !is_step || var.kind == VarKind::Frozen,
            is_in_step: var.kind != VarKind::Frozen,
        })
    });
    ports.collect()
}

impl<'m> Port<'m> {
    /// Who sends it, and when.
    fn exchange(&self) -> (Role, bool, bool) {
        (self.role, self.is_in_reset, self.is_in_step)
    }

    /// The array of such elements.
    fn array(&self, array: &Array) -> Port<'m> {
        let length = |(lo, hi): &(i64, i64)| usize::try_from(hi - lo + 1).unwrap_or(0);
        let lengths = array.dims.iter().map(length).collect();
        Port { name: array.name.clone(), lengths, ..self.clone() }
    }
}

/// How the values of a port are read and written.
fn word(port: &Port<'_>) -> &'static str {
    let all = |members: &[ModelValue], is_one: fn(&ModelValue) -> bool| members.iter().all(is_one);
    match port.domain {
        Domain::Bool => "bool",
        Domain::Range(..) | Domain::Integer => "int",
        Domain::Real | Domain::Clock => "real",
        // What needs the 64th bit is no integer in most languages.
        Domain::Word { signed: false, width: 64 } => "text",
        Domain::Word { .. } => "word",
        Domain::Enum(members) if all(members, |it| matches!(it, ModelValue::Int(_))) => "int",
        Domain::Enum(members) if all(members, |it| matches!(it, ModelValue::Symbol(_))) => "text",
        Domain::Enum(_) => "mixed",
    }
}

/// What the values are, for people.
fn about(model: &Model, port: &Port<'_>) -> String {
    let values = match port.domain {
        Domain::Enum(members) => {
            let shown = members.iter().take(MAX_VALUES).map(|value| model.show(*value));
            let more = (members.len() > MAX_VALUES).then(|| "...".to_string());
            shown.chain(more).collect::<Vec<_>>().join(", ")
        }
        domain => model.show_type(domain),
    };
    let lengths: Vec<String> = port.lengths.iter().map(usize::to_string).collect();
    match lengths.is_empty() {
        true => values,
        false => format!("array of {}, each {values}", lengths.join(" x ")),
    }
}

/// A value of a type.
fn example(model: &Model, domain: &Domain) -> Cell {
    match domain {
        Domain::Real | Domain::Clock => Cell::Real(0.0),
        Domain::Word { signed: false, width: 64 } => {
            Cell::Text(notation::value(model, domain.value(0)).into())
        }
        Domain::Integer => Cell::Int(0),
        domain if domain.contains(ModelValue::Int(0)) => Cell::Int(0),
        domain => Cell::new(model, domain.value(0)),
    }
}

fn json(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => Json::from(&**text).to_string(),
        cell => cell.show(),
    }
}

/// An array of examples, in code. One that is very long is left empty.
fn nested(language: Language, lengths: &[usize], example: &str) -> String {
    let (before, after) = match language {
        Language::Rust => ("vec![", "]"),
        Language::Java => ("List.of(", ")"),
        _ => ("[", "]"),
    };
    let is_long = lengths.iter().try_fold(1usize, |n, length| n.checked_mul(*length));
    if is_long.is_none_or(|n_elements| n_elements > MAX_ELEMENTS) {
        return format!("{before}{after}");
    }
    lengths.iter().rev().fold(example.to_string(), |element, length| {
        format!("{before}{}{after}", vec![element; *length].join(", "))
    })
}
