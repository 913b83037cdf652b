//! Contexts as text.

use std::fmt::Write;

use trapline_source::{Diagnostics, Sources};

use crate::sal::syntax::{
    Access, Base, Claim, Class, Command, CommandGuard, Context, ContextRef, Decl, DeclKind,
    Definition, Lhs, ModuleId, ModuleKind, Name, NameId, Names, NodeId, Op, Section, TypeDef,
    VarDecl,
};

/// What there is to say, one a line, and what to do about it.
pub fn diagnostics(sources: &Sources, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.list() {
        let place = sources.location(diagnostic.labels[0].span.start).unwrap();
        assert_eq!(place.path, "test");
        let (line, column) = (place.line, place.column);
        writeln!(out, "{line}:{column} {}: {}", diagnostic.code, diagnostic.message).unwrap();
        if let Some(help) = &diagnostic.help {
            writeln!(out, "  help: {help}").unwrap();
        }
    }
    out
}

/// Shows parts of a context.
pub struct Printer<'a> {
    pub context: &'a Context,
    pub names: &'a Names,
}

fn joined<T>(items: &[T], separator: &str, shown: impl FnMut(&T) -> String) -> String {
    items.iter().map(shown).collect::<Vec<_>>().join(separator)
}

impl Printer<'_> {
    fn id(&self, id: NameId) -> String {
        self.names.text(id).to_string()
    }

    fn name(&self, name: &Name) -> String {
        self.id(name.id)
    }

    fn list(&self, names: &[Name]) -> String {
        joined(names, ",", |name| self.name(name))
    }

    fn groups(&self, groups: &[Vec<Name>]) -> String {
        joined(groups, ";", |names| self.list(names))
    }

    /// An expression or a type as an s-expression.
    pub fn node(&self, root: NodeId) -> String {
        // Operands come before their operators.
        let mut texts: Vec<String> = Vec::new();
        let mut is_wanted = vec![false; root.0 as usize + 1];
        let mut wanted = vec![root];
        while let Some(id) = wanted.pop() {
            is_wanted[id.0 as usize] = true;
            wanted.extend(self.context.operands(id));
        }
        for (idx, is_wanted) in is_wanted.into_iter().enumerate() {
            let id = NodeId(idx as u32);
            let text = match is_wanted {
                true => {
                    let operands = self.context.operands(id).iter();
                    let operands: Vec<_> =
                        operands.map(|id| texts[id.0 as usize].as_str()).collect();
                    match operands.is_empty() {
                        true => self.head(id),
                        false => format!("({} {})", self.head(id), operands.join(" ")),
                    }
                }
                false => String::new(),
            };
            texts.push(text);
        }
        texts.pop().unwrap()
    }

    fn head(&self, id: NodeId) -> String {
        match &self.context.node(id).op {
            Op::Name(id) => self.id(*id),
            Op::Primed(id) => self.id(*id) + "'",
            Op::Qualified { context, member } => {
                format!("{}!{}", self.name(context), self.name(member))
            }
            Op::Int(number) => number.to_string(),
            Op::Decimal(numerator, denominator) => format!("{numerator}/{denominator}"),
            Op::Unbounded => "_".into(),
            Op::Unary(op) => format!("{op:?}"),
            Op::Binary(op) => format!("{op:?}"),
            Op::Field(id) => format!(".{}", self.id(*id)),
            Op::Component(number) => format!(".{number}"),
            Op::With(path) => format!("With{}", self.path(path)),
            Op::Lambda(groups) => format!("Lambda {}", self.groups(groups)),
            Op::Forall(groups) => format!("Forall {}", self.groups(groups)),
            Op::Exists(groups) => format!("Exists {}", self.groups(groups)),
            Op::Let(names) => format!("Let {}", self.list(names)),
            Op::Array(name) => format!("Array {}", self.name(name)),
            Op::Record(names) => format!("Record {}", self.list(names)),
            Op::RecordType(groups) => format!("RecordType {}", self.groups(groups)),
            Op::Comprehension(name) => format!("Comprehension {}", self.name(name)),
            Op::InitPred(module) => format!("InitPred:{}", self.module(*module)),
            Op::TransPred(module) => format!("TransPred:{}", self.module(*module)),
            Op::StateType(module) => format!("StateType:{}", self.module(*module)),
            op => format!("{op:?}"),
        }
    }

    fn path(&self, path: &[Access]) -> String {
        joined(path, "", |step| match step {
            Access::Index => "[]".into(),
            Access::Field(id) => format!(".{}", self.id(*id)),
            Access::Component(number) => format!(".{number}"),
            Access::Apply(number) => format!("({number})"),
        })
    }

    fn nodes(&self, nodes: &[NodeId]) -> String {
        joined(nodes, ", ", |node| self.node(*node))
    }

    /// A module.
    pub fn module(&self, id: ModuleId) -> String {
        let sub = |id: &ModuleId| self.module(*id);
        match &self.context.module(id).kind {
            ModuleKind::Base(base) => self.base(base),
            ModuleKind::Instance { context, name, actuals } => {
                let context = context.as_ref().map(|context| self.context_ref(context) + "!");
                let mut text = context.unwrap_or_default() + &self.name(name);
                if !actuals.is_empty() {
                    write!(text, "[{}]", self.nodes(actuals)).unwrap();
                }
                text
            }
            ModuleKind::Sync(left, right) => format!("(|| {} {})", sub(left), sub(right)),
            ModuleKind::Async(left, right) => format!("([] {} {})", sub(left), sub(right)),
            ModuleKind::MultiSync { index, ty, body } => {
                format!("(|| {}:{} {})", self.name(index), self.node(*ty), sub(body))
            }
            ModuleKind::MultiAsync { index, ty, body } => {
                format!("([] {}:{} {})", self.name(index), self.node(*ty), sub(body))
            }
            ModuleKind::Hide(names, body) => format!("(LOCAL {} {})", self.list(names), sub(body)),
            ModuleKind::Export(names, body) => {
                format!("(OUTPUT {} {})", self.list(names), sub(body))
            }
            ModuleKind::Rename(pairs, body) => {
                let pair = |(old, new): &(Lhs, Lhs)| format!("{}>{}", self.lhs(old), self.lhs(new));
                format!("(RENAME {} {})", joined(pairs, ",", pair), sub(body))
            }
            ModuleKind::With(vars, body) => format!("(WITH {} {})", self.classes(vars), sub(body)),
            ModuleKind::Observe(body, observer) => {
                format!("(OBSERVE {} {})", sub(body), sub(observer))
            }
        }
    }

    fn context_ref(&self, context: &ContextRef) -> String {
        let actuals = match context.actuals.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", self.nodes(&context.actuals)),
        };
        self.name(&context.name) + &actuals
    }

    fn classes(&self, vars: &[(Class, VarDecl)]) -> String {
        joined(vars, "; ", |(class, decl)| format!("{class:?} {}", self.var_decl(decl)))
    }

    fn var_decl(&self, decl: &VarDecl) -> String {
        format!("{}:{}", self.list(&decl.names), self.node(decl.ty))
    }

    fn vars(&self, vars: &[VarDecl]) -> String {
        joined(vars, ";", |decl| self.var_decl(decl))
    }

    fn base(&self, base: &Base) -> String {
        let mut parts = Vec::new();
        if !base.vars.is_empty() {
            parts.push(self.classes(&base.vars));
        }
        if !base.definitions.is_empty() {
            parts.push(format!("Def {}", self.definitions(&base.definitions)));
        }
        parts.extend(self.section("Init", &base.initialization));
        parts.extend(self.section("Trans", &base.transition));
        format!("{{{}}}", parts.join(" | "))
    }

    fn section(&self, name: &str, section: &Section) -> Vec<String> {
        let mut parts = Vec::new();
        if !section.definitions.is_empty() {
            parts.push(format!("{name} {}", self.definitions(&section.definitions)));
        }
        if let Some(commands) = &section.commands {
            let commands = joined(commands, " [] ", |command| self.command(command));
            parts.push(format!("{name} [{commands}]"));
        }
        parts
    }

    fn definitions(&self, definitions: &[Definition]) -> String {
        joined(definitions, "; ", |definition| match definition {
            Definition::Simple { lhs, is_in, value, .. } => {
                let sign = if *is_in { " IN " } else { "=" };
                format!("{}{sign}{}", self.lhs(lhs), self.node(*value))
            }
            Definition::Forall { vars, body, .. } => {
                format!("(FORALL {}: {})", self.vars(vars), self.definitions(body))
            }
        })
    }

    fn command(&self, command: &Command) -> String {
        let mut text = String::new();
        if !command.vars.is_empty() {
            write!(text, "<{}> ", self.vars(&command.vars)).unwrap();
        }
        if let Some(label) = &command.label {
            write!(text, "{}: ", self.name(label)).unwrap();
        }
        match command.guard {
            CommandGuard::Condition(node) => text += &self.node(node),
            CommandGuard::Else(_) => text += "ELSE",
        }
        format!("{text} --> {}", self.definitions(&command.assignments)).trim_end().to_string()
    }

    fn lhs(&self, lhs: &Lhs) -> String {
        let prime = if lhs.is_primed { "'" } else { "" };
        let indices = joined(&lhs.indices, "", |node| format!("<{}>", self.node(*node)));
        format!("{}{prime}{}{indices}", self.name(&lhs.name), self.path(&lhs.path))
    }

    /// All of it, one declaration a line.
    pub fn context(&self) -> String {
        let context = self.context;
        let params = joined(&context.params, "; ", |param| {
            let ty = param.ty.map_or("TYPE".into(), |ty| self.node(ty));
            format!("{}: {ty}", self.name(&param.name))
        });
        let mut out = format!("{}{{{params}}}\n", self.name(&context.name));
        for decl in &context.decls {
            writeln!(out, "{}", self.decl(decl)).unwrap();
        }
        out
    }

    fn decl(&self, decl: &Decl) -> String {
        let name = self.name(&decl.name);
        match &decl.kind {
            DeclKind::Type(def) => format!("type {name}{}", self.type_def(def)),
            DeclKind::Context(context) => format!("context {name} = {}", self.context_ref(context)),
            DeclKind::Module { params, body } => {
                format!("module {name}[{}] = {}", self.vars(params), self.module(*body))
            }
            DeclKind::Assertion { module, claim } => {
                let module = self.module(*module);
                match claim {
                    Claim::Holds(node) => format!("claim {name}: {module} |- {}", self.node(*node)),
                    Claim::Implements(other) => {
                        format!("claim {name}: {module} implements {}", self.module(*other))
                    }
                }
            }
            DeclKind::Constant { params, ty, value } => {
                let value = value.map(|value| format!(" = {}", self.node(value)));
                let (params, ty) = (self.vars(params), self.node(*ty));
                format!("constant {name}({params}): {ty}{}", value.unwrap_or_default())
            }
            DeclKind::Import { context, renamed } => {
                let pair =
                    |(old, new): &(Name, Name)| format!(" {}>{}", self.name(old), self.name(new));
                format!("import {}{}", self.context_ref(context), joined(renamed, "", pair))
            }
        }
    }

    fn type_def(&self, def: &TypeDef) -> String {
        match def {
            TypeDef::Type(ty) => format!(" = {}", self.node(*ty)),
            TypeDef::Enumeration(names) => format!(" = {{{}}}", self.list(names)),
            TypeDef::Datatype(constructors) => {
                let shown = joined(constructors, ", ", |constructor| {
                    format!("{}({})", self.name(&constructor.name), self.vars(&constructor.fields))
                });
                format!(" = datatype {shown}")
            }
            TypeDef::Scalarset(size) => format!(" = scalarset {}", self.node(*size)),
            TypeDef::Ringset(size) => format!(" = ringset {}", self.node(*size)),
            TypeDef::Uninterpreted => String::new(),
        }
    }
}
