//! A context as text.

use super::{
    Base, Claim, Class, Command, Def, Expr, Form, Lhs, Module, Op, Part, Section, Set, Spec, Ty,
    Var,
};

/// The name of a context.
pub const NAME: &str = "random";

/// The text of a context.
pub fn write(spec: &Spec) -> String {
    let mut text = format!("{NAME}: CONTEXT = BEGIN\n");
    for (idx, elements) in spec.enums.iter().enumerate() {
        text += &format!("  E{idx}: TYPE = {{{}}};\n", elements.join(", "));
    }
    for (name, ty) in &spec.types {
        let shown = match ty {
            Ty::Subtype(_, base, holds) => {
                format!("{{z: {} | {}}}", type_text(spec, base), expr(spec, holds))
            }
            ty => type_text(spec, ty),
        };
        text += &format!("  {name}: TYPE = {shown};\n");
    }
    for function in &spec.functions {
        text += &format!(
            "  {}({}): {} = {};\n",
            function.name,
            params(spec, &function.params),
            type_text(spec, &function.ty),
            expr(spec, &function.body)
        );
    }
    for declared in &spec.modules {
        let params = match declared.params.is_empty() {
            true => String::new(),
            false => format!("[{}]", params(spec, &declared.params)),
        };
        let module = module(spec, &declared.module);
        text += &format!("  {}{params}: MODULE = {module};\n", declared.name);
    }
    for claim in &spec.claims {
        text +=
            &format!("  {}: THEOREM {} |- {};\n", claim.name, whole(spec), formula(spec, claim));
    }
    text + "END\n"
}

/// The name of the module that is the whole.
pub fn whole(spec: &Spec) -> &str {
    spec.modules.last().map_or("", |declared| &declared.name)
}

fn params(spec: &Spec, params: &[(String, Ty)]) -> String {
    let params = params.iter().map(|(name, ty)| format!("{name}: {}", type_text(spec, ty)));
    params.collect::<Vec<_>>().join(", ")
}

/// A type as text.
pub fn type_text(spec: &Spec, ty: &Ty) -> String {
    match ty {
        Ty::Bool => "BOOLEAN".into(),
        Ty::Int => "INTEGER".into(),
        Ty::Range(lo, hi) => format!("[{lo}..{hi}]"),
        Ty::Enum(idx) => format!("E{idx}"),
        Ty::Subtype(idx, ..) => spec.types[*idx].0.clone(),
        Ty::Array(index, element) => {
            format!("ARRAY {} OF {}", type_text(spec, index), type_text(spec, element))
        }
        Ty::Record(fields) => format!("[# {} #]", params(spec, fields)),
        Ty::Tuple(types) => {
            let types: Vec<String> = types.iter().map(|ty| type_text(spec, ty)).collect();
            format!("[{}]", types.join(", "))
        }
    }
}

fn op(op: Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Mod => "MOD",
        Op::Eq => "=",
        Op::Ne => "/=",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::And => "AND",
        Op::Or => "OR",
        Op::Xor => "XOR",
        Op::Implies => "=>",
        Op::Iff => "<=>",
    }
}

/// An expression as text.
pub fn expr(spec: &Spec, of: &Expr) -> String {
    let text = |of: &Expr| expr(spec, of);
    match of {
        Expr::Int(number) if *number < 0 => format!("(-{})", -number),
        Expr::Int(number) => number.to_string(),
        Expr::Bool(value) => if *value { "TRUE" } else { "FALSE" }.into(),
        Expr::Symbol(idx, element) => spec.enums[*idx][*element as usize].clone(),
        Expr::Var(name, false) | Expr::Bound(name) => name.clone(),
        Expr::Var(name, true) => format!("{name}'"),
        Expr::Binary(between, l, r) => format!("({} {} {})", text(l), op(*between), text(r)),
        Expr::Not(inner) => format!("(NOT {})", text(inner)),
        Expr::Neg(inner) => format!("(- {})", text(inner)),
        Expr::If(test, yes, no) => {
            format!("(IF {} THEN {} ELSE {} ENDIF)", text(test), text(yes), text(no))
        }
        Expr::Element(array, _, index) => format!("{}[{}]", text(array), text(index)),
        Expr::Field(record, _, name) => format!("{}.{name}", text(record)),
        Expr::Component(tuple, idx) => format!("{}.{}", text(tuple), idx + 1),
        Expr::WithElement(array, _, index, value) => {
            format!("({} WITH [{}] := {})", text(array), text(index), text(value))
        }
        Expr::WithField(record, _, name, value) => {
            format!("({} WITH .{name} := {})", text(record), text(value))
        }
        Expr::WithComponent(tuple, idx, value) => {
            format!("({} WITH .{} := {})", text(tuple), idx + 1, text(value))
        }
        Expr::Quantified(is_all, name, ty, body) => {
            let word = if *is_all { "FORALL" } else { "EXISTS" };
            format!("({word} ({name}: {}): {})", type_text(spec, ty), text(body))
        }
        Expr::Let(name, ty, value, body) => {
            let ty = type_text(spec, ty);
            format!("(LET {name}: {ty} = {} IN {})", text(value), text(body))
        }
        Expr::Elements(name, ty, body) => {
            format!("[[{name}: {}] {}]", type_text(spec, ty), text(body))
        }
        Expr::Record(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} := {}", text(value)));
            format!("(# {} #)", fields.collect::<Vec<_>>().join(", "))
        }
        Expr::Tuple(parts) => {
            format!("({})", parts.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Expr::Call(idx, actuals) => {
            let actuals: Vec<String> = actuals.iter().map(text).collect();
            format!("{}({})", spec.functions[*idx].name, actuals.join(", "))
        }
    }
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Input => "INPUT",
        Class::Output => "OUTPUT",
        Class::Global => "GLOBAL",
        Class::Local => "LOCAL",
    }
}

fn var(spec: &Spec, var: &Var) -> String {
    format!("{} {}: {}", class(var.class), var.name, type_text(spec, &var.ty))
}

fn module(spec: &Spec, of: &Module) -> String {
    match of {
        Module::Base(text) => base(spec, text),
        Module::Instance(idx, actuals) => {
            let name = &spec.modules[*idx].name;
            let actuals: Vec<String> = actuals.iter().map(|actual| expr(spec, actual)).collect();
            match actuals.is_empty() {
                true => name.clone(),
                false => format!("{name}[{}]", actuals.join(", ")),
            }
        }
        Module::Composed(is_sync, l, r) => {
            let between = if *is_sync { "||" } else { "[]" };
            format!("({} {between} {})", module(spec, l), module(spec, r))
        }
        Module::Multi(is_sync, name, ty, inner) => {
            let sign = if *is_sync { "||" } else { "[]" };
            format!("({sign} ({name}: {}): {})", type_text(spec, ty), module(spec, inner))
        }
        Module::Rename(pairs, inner) => {
            let pairs = pairs.iter().map(|(from, to)| match &to.index {
                Some((index, _)) => format!("{from} TO {}[{}]", to.name, expr(spec, index)),
                None => format!("{from} TO {}", to.name),
            });
            let pairs: Vec<String> = pairs.collect();
            format!("(RENAME {} IN {})", pairs.join(", "), module(spec, inner))
        }
        Module::Reclassed(to, names, inner) => {
            format!("({} {} IN {})", class(*to), names.join(", "), module(spec, inner))
        }
        Module::With(vars, inner) => {
            let vars: Vec<String> = vars.iter().map(|it| var(spec, it)).collect();
            format!("(WITH {} {})", vars.join("; "), module(spec, inner))
        }
    }
}

fn base(spec: &Spec, base: &Base) -> String {
    let mut text = "BEGIN\n".to_string();
    for it in &base.vars {
        text += &format!("    {}\n", var(spec, it));
    }
    if !base.definitions.is_empty() {
        text += &format!("    DEFINITION\n      {}\n", definitions(spec, &base.definitions, ""));
    }
    text += &section(spec, "INITIALIZATION", &base.initial, "");
    text += &section(spec, "TRANSITION", &base.step, "'");
    text + "  END"
}

fn section(spec: &Spec, keyword: &str, section: &Section, prime: &str) -> String {
    let mut parts = Vec::new();
    if !section.definitions.is_empty() {
        parts.push(definitions(spec, &section.definitions, prime));
    }
    if let Some(commands) = &section.commands {
        let commands: Vec<String> = commands.iter().map(|it| command(spec, it, prime)).collect();
        parts.push(format!("[ {}\n      ]", commands.join("\n      [] ")));
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("    {keyword}\n      {}\n", parts.join(";\n      ")),
    }
}

fn command(spec: &Spec, of: &Command, prime: &str) -> String {
    match of {
        Command::One(label, guard, gives) => {
            let label = label.as_ref().map_or(String::new(), |label| format!("{label}: "));
            let guard = guard.as_ref().map_or("ELSE".into(), |guard| expr(spec, guard));
            format!("{label}{guard} --> {}", definitions(spec, gives, prime))
        }
        Command::Multi(name, ty, inner) => {
            format!("([] ({name}: {}): {})", type_text(spec, ty), command(spec, inner, prime))
        }
    }
}

fn definitions(spec: &Spec, list: &[Def], prime: &str) -> String {
    list.iter().map(|it| definition(spec, it, prime)).collect::<Vec<_>>().join("; ")
}

fn definition(spec: &Spec, of: &Def, prime: &str) -> String {
    match of {
        Def::Is(to, value) => format!("{} = {}", lhs(spec, to, prime), expr(spec, value)),
        Def::In(to, Set::Listed(values)) => {
            let values: Vec<String> = values.iter().map(|value| expr(spec, value)).collect();
            format!("{} IN {{{}}}", lhs(spec, to, prime), values.join(", "))
        }
        Def::In(to, Set::Where(name, ty, holds)) => format!(
            "{} IN {{{name}: {} | {}}}",
            lhs(spec, to, prime),
            type_text(spec, ty),
            expr(spec, holds)
        ),
        Def::Forall(name, ty, inner) => {
            format!(
                "(FORALL ({name}: {}): {})",
                type_text(spec, ty),
                definition(spec, inner, prime)
            )
        }
    }
}

fn lhs(spec: &Spec, lhs: &Lhs, prime: &str) -> String {
    let part = match &lhs.part {
        Part::Whole => String::new(),
        Part::Element(index, _) => format!("[{}]", expr(spec, index)),
        Part::Field(_, name) => format!(".{name}"),
        Part::Component(idx) => format!(".{}", idx + 1),
    };
    format!("{}{prime}{part}", lhs.name)
}

/// A claim as text.
pub fn formula(spec: &Spec, claim: &Claim) -> String {
    let (p, q) = (expr(spec, &claim.holds), expr(spec, &claim.other));
    match claim.form {
        Form::Now => p,
        Form::G => format!("G({p})"),
        Form::F => format!("F({p})"),
        Form::X => format!("X({p})"),
        Form::GF => format!("G(F({p}))"),
        Form::Response => format!("G({p} => F({q}))"),
        Form::U => format!("U({p}, {q})"),
        Form::R => format!("R({p}, {q})"),
        Form::W => format!("W({p}, {q})"),
        Form::M => format!("M({p}, {q})"),
        Form::AG => format!("AG({p})"),
        Form::EF => format!("EF({p})"),
        Form::AF => format!("AF({p})"),
        Form::EG => format!("EG({p})"),
        Form::AX => format!("AX({p})"),
        Form::EX => format!("EX({p})"),
        Form::AGEF => format!("AG(EF({p}))"),
        Form::AU => format!("AU({p}, {q})"),
        Form::EU => format!("EU({p}, {q})"),
        Form::AR => format!("AR({p}, {q})"),
        Form::ER => format!("ER({p}, {q})"),
    }
}
