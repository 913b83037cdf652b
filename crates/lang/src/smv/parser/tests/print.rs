//! Programs as text.

use std::fmt::Write;

use trapline_source::{Diagnostics, Sources};

use crate::smv::syntax::{BaseType, Code, Item, Op, Program, TypeExpr};

/// An expression as an s-expression.
pub fn code(program: &Program, code: Code) -> String {
    let mut stack: Vec<String> = Vec::new();
    for node in program.code(code) {
        let (head, n_operands) = operator(program, node.op);
        let operands = stack.split_off(stack.len() - n_operands);
        stack.push(match n_operands {
            0 => head,
            _ => format!("({head} {})", operands.join(" ")),
        });
    }
    assert_eq!(stack.len(), 1, "an expression has one root");
    stack.remove(0)
}

fn operator(program: &Program, op: Op) -> (String, usize) {
    let name = |id| program.name(id).to_string();
    match op {
        Op::Ident(id) => (name(id), 0),
        Op::SelfRef => ("self".into(), 0),
        Op::Dot(id) => (format!(".{}", name(id)), 1),
        Op::DotNumber(n) => (format!(".{n}"), 1),
        Op::Index => ("[]".into(), 2),
        Op::BitSelect => ("[:]".into(), 3),
        Op::True => ("TRUE".into(), 0),
        Op::False => ("FALSE".into(), 0),
        Op::Int(n) => (n.to_string(), 0),
        Op::Literal(idx) => (format!("{:?}", program.literals[idx as usize]), 0),
        Op::Unary(op) => (format!("{op:?}"), 1),
        Op::Binary(op) => (format!("{op:?}"), 2),
        Op::Ite => ("Ite".into(), 3),
        Op::Case(n) => ("Case".into(), 2 * n as usize),
        Op::Set(n) => ("Set".into(), n as usize),
        Op::Count(n) => ("Count".into(), n as usize),
        Op::ArrayLiteral(n) => ("Array".into(), n as usize),
        Op::Bounded(op, idx) => {
            let (low, high) = program.bounds[idx as usize];
            let name = format!("{op:?}");
            let n_operands = if name.ends_with("bu") { 2 } else { 1 };
            (format!("{name}:{low}..{high}"), n_operands)
        }
        Op::Psl(op) => (format!("{op:?}"), psl_operands(&format!("{op:?}"))),
    }
}

fn psl_operands(name: &str) -> usize {
    match name {
        "Unsupported" => 0,
        "Never" => 1,
        "NextA" | "NextE" | "NextEventN" | "NextEventNStrong" => 3,
        "NextEventA" | "NextEventAStrong" | "NextEventE" | "NextEventEStrong" => 4,
        _ => 2,
    }
}

/// All modules, one item a line.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for module in &program.modules {
        let params: Vec<_> = module.params.iter().map(|p| program.name(p.id)).collect();
        writeln!(out, "MODULE {}({})", program.name(module.name.id), params.join(", ")).unwrap();
        for one in &module.items {
            writeln!(out, "  {}", item(program, one)).unwrap();
        }
    }
    out
}

fn item(program: &Program, item: &Item) -> String {
    let p = |c: &Code| code(program, *c);
    let option = |c: &Option<Code>| c.as_ref().map_or("-".into(), p);
    let list = |codes: &[Code]| codes.iter().map(p).collect::<Vec<_>>().join(" ");
    match item {
        Item::Var { kind, name, ty } => {
            format!("{kind:?} {} : {}", p(name), type_expr(program, ty))
        }
        Item::Define { name, body } => format!("Define {} := {}", p(name), p(body)),
        Item::Assign { kind, target, value, .. } => {
            format!("{kind:?} {} := {}", p(target), p(value))
        }
        Item::Constraint { kind, body } => format!("{kind:?} {}", p(body)),
        Item::Compassion { p: first, q } => format!("Compassion {} {}", p(first), p(q)),
        Item::Spec(spec) => format!(
            "Spec {:?} name {} body {} second {} in {}",
            spec.kind,
            option(&spec.name),
            p(&spec.body),
            option(&spec.second),
            option(&spec.context)
        ),
        Item::Constants(names) => format!("Constants {}", list(names)),
        Item::Isa(name) => format!("Isa {}", program.name(name.id)),
        Item::Pragma { role, names } => {
            let names: Vec<_> = names.iter().map(|it| it.name.as_str()).collect();
            format!("{role:?} {}", names.join(" "))
        }
    }
}

fn type_expr(program: &Program, ty: &TypeExpr) -> String {
    let p = |c: &Code| code(program, *c);
    let list = |codes: &[Code]| codes.iter().map(p).collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for (low, high) in &ty.dims {
        write!(out, "array {} to {} of ", p(low), p(high)).unwrap();
    }
    out + &match &ty.base {
        BaseType::Word { signed, width } => format!("word {} signed={signed}", p(width)),
        BaseType::Range(low, high) => format!("{} to {}", p(low), p(high)),
        BaseType::Enum(values) => format!("{{{}}}", list(values)),
        BaseType::Instance { process, module, args } => {
            let process = if *process { "process " } else { "" };
            format!("{process}{}({})", program.name(module.id), list(args))
        }
        other => format!("{other:?}"),
    }
}

/// Findings in the order of the text.
pub fn diagnostics(sources: &Sources, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for finding in diagnostics.list() {
        let place = sources.location(finding.labels[0].span.start).unwrap();
        assert_eq!(place.path, "test", "{finding:?}");
        let help = finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        let (line, column) = (place.line, place.column);
        writeln!(out, "{line}:{column} {}: {}{help}", finding.code, finding.message).unwrap();
    }
    out
}
