//! The text of a context.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Domain, Expr, ExprId, Model, Role, Type, Value, VarId, VarKind};
use trapline_source::{Diagnostics, Span};

use super::bounds::{Bounds, of_domain};
use super::enums::{Enums, Misfit, is_enumerated};
use super::names::Names;
use super::naming::Naming;
use super::properties::{Says, Theorem};
use super::share::{self, Shared};
use super::system::{Command, DefineUse, Gives, System, Target};
use super::text::{self, CONJUNCT, Writer};
use super::{refusal, roots, spans};

/// Writes a context.
struct Context<'s> {
    system: &'s System,
    writer: Writer<'s>,
    shared: &'s Shared,
    naming: &'s Naming,
    text: String,
}

/// The context with these theorems.
///
/// # Errors
/// When numbers that are computed come among symbols, or the text would be too large.
pub(super) fn write(
    system: &System,
    theorems: &[Theorem],
    name: &str,
    comments: &[String],
) -> Result<String, Diagnostics> {
    let model = &system.model;
    let roots = roots(system, theorems);
    let mut bounds = Bounds::default();
    let reachable = model.exprs.reachable(roots.iter().copied());
    let (mut enums, misfits) =
        Enums::new(model, &reachable, |var| system.declares(var), &mut bounds);
    let shared = share::worth_naming(model, &roots);
    check(model, &misfits, &shared)?;
    let naming = Naming::new(system, theorems, &shared, &mut enums);
    let writer = Writer {
        model,
        names: &naming.names,
        enums: &enums,
        bounds: RefCell::new(bounds),
        needed: RefCell::new(BTreeSet::new()),
    };
    let mut context =
        Context { system, writer, shared: &shared, naming: &naming, text: String::new() };
    context.constants();
    context.module();
    for (idx, (theorem, label)) in theorems.iter().zip(&naming.theorems).enumerate() {
        context.theorem(theorem, label, comments.get(idx));
    }
    let head = context.head(name);
    Ok(format!("{head}{}\nEND\n", context.text))
}

/// What only turns up once all is put together.
fn check(model: &Model, misfits: &[Misfit], shared: &Shared) -> Result<(), Diagnostics> {
    let mut refused = Diagnostics::new();
    for misfit in misfits {
        refused.push(refusal(place(model, misfit.expr), misfit.why));
    }
    if shared.is_too_large {
        refused.push(refusal(Span::default(), "a model of this size"));
    }
    if refused.has_errors() { Err(refused) } else { Ok(()) }
}

/// Where an expression is.
fn place(model: &Model, expr: ExprId) -> Span {
    let all = spans(model);
    let found = all.iter().find(|(root, _)| model.exprs.reachable([*root]).contains(&expr));
    found.map_or(Span::default(), |&(_, span)| span)
}

impl Context<'_> {
    /// What is declared before all else: types, and the functions that turned out to be needed.
    fn head(&self, name: &str) -> String {
        let mut head = format!("{name}: CONTEXT =\nBEGIN\n");
        let needed = self.writer.needed.borrow();
        if !self.naming.declared.is_empty() || !needed.is_empty() {
            head.push('\n');
        }
        for (name, definition) in &self.naming.declared {
            let _ = writeln!(head, "  {name}: TYPE = {definition};");
        }
        for helper in needed.iter() {
            let of = |helper| self.naming.names.helpers.get(&helper).cloned().unwrap_or_default();
            let _ = writeln!(head, "  {};", helper.declaration(of));
        }
        head
    }

    fn name(&self, var: VarId) -> &str {
        &self.writer.names.vars[var.0 as usize]
    }

    fn type_of(&self, var: VarId) -> String {
        if let Some(name) = self.naming.types.get(&var) {
            return name.clone();
        }
        match &self.system.model.var(var).domain {
            Domain::Bool => "BOOLEAN".into(),
            Domain::Real | Domain::Clock => "REAL".into(),
            Domain::Integer => "INTEGER".into(),
            domain => match of_domain(domain) {
                Some((lo, hi)) => format!("[{lo}..{hi}]"),
                None => "INTEGER".into(),
            },
        }
    }

    /// Definitions that read nothing, each below those that it needs.
    fn constants(&mut self) {
        let model = &self.system.model;
        let mut lines = String::new();
        for idx in self.constants_in_order() {
            let body = model.defines[idx].body.expr;
            // The bounds of a constant are its value, and say nothing.
            let ty = match model.exprs.ty(body) {
                Type::Int | Type::Word { .. } => "INTEGER".into(),
                _ => self.writer.type_of(body),
            };
            let name = &self.writer.names.defines[idx];
            let _ =
                writeln!(lines, "  {};", defined(&format!("{name}: {ty}"), &self.root(body, 4)));
        }
        if !lines.is_empty() {
            let _ = write!(self.text, "\n{lines}");
        }
    }

    fn constants_in_order(&self) -> Vec<usize> {
        let model = &self.system.model;
        let mut ordered = Vec::new();
        let (mut seen, mut done) = (FxHashSet::default(), FxHashSet::default());
        for first in 0..model.defines.len() {
            if self.system.defines[first] != DefineUse::Constant {
                continue;
            }
            let mut stack = vec![first];
            while let Some(&idx) = stack.last() {
                if !seen.insert(idx) {
                    stack.pop();
                    if done.insert(idx) {
                        ordered.push(idx);
                    }
                    continue;
                }
                for id in model.exprs.reachable([model.defines[idx].body.expr]) {
                    if let Expr::Define(d) | Expr::NextDefine(d) = model.exprs.get(id) {
                        stack.push(d.0 as usize);
                    }
                }
            }
        }
        ordered
    }

    fn module(&mut self) {
        let _ = write!(self.text, "\n  {}: MODULE =\n  BEGIN\n", self.naming.main);
        self.declarations();
        let definitions = self.definitions();
        self.section("DEFINITION", definitions);
        let mut first = self.first();
        let guards = &self.system.first_guards;
        if !guards.is_empty() {
            first.push(format!("[\n        {} -->\n      ]", self.guard(guards, 10)));
        }
        self.section("INITIALIZATION", first);
        let mut steps = self.steps();
        let mut labels = Names::new();
        let commands: Vec<String> = (self.system.commands.iter())
            .map(|command| {
                let label = command.label.as_deref().map(|label| labels.fresh(label));
                self.command(command, label)
            })
            .collect();
        if !commands.is_empty() {
            steps.push(format!("[\n        {}\n      ]", commands.join("\n      []\n        ")));
        }
        self.section("TRANSITION", steps);
        self.text.push_str("  END;\n");
    }

    fn section(&mut self, title: &str, items: Vec<String>) {
        if !items.is_empty() {
            let _ = writeln!(self.text, "    {title}\n      {}", items.join(";\n      "));
        }
    }

    fn declarations(&mut self) {
        let model = &self.system.model;
        // Each declaration, and the name in the model if that is another one.
        let mut sections = ["INPUT", "OUTPUT", "LOCAL"].map(|title| (title, Vec::new()));
        let section = |role: Role| match role {
            Role::Input => 0,
            Role::Output => 1,
            Role::Internal => 2,
        };
        for (id, var) in model.var_ids() {
            if var.kind == VarKind::Input && self.system.bound.contains(&id) {
                continue;
            }
            let name = self.name(id);
            let was = (name != var.name).then_some(var.name.as_str());
            sections[section(var.role)].1.push((format!("{name}: {}", self.type_of(id)), was));
        }
        for (idx, define) in model.defines.iter().enumerate() {
            if self.system.defines[idx] != DefineUse::Variable {
                continue;
            }
            let name = &self.writer.names.defines[idx];
            let was = (*name != define.name).then_some(define.name.as_str());
            // What an environment defines is still defined here.
            let place = section(define.role).max(1);
            let ty = self.writer.type_of(define.body.expr);
            sections[place].1.push((format!("{name}: {ty}"), was));
        }
        for &id in &self.shared.states {
            let name = &self.writer.names.shared[&id];
            sections[2].1.push((format!("{name}: {}", self.writer.type_of(id)), None));
        }
        for monitor in &self.naming.monitors {
            sections[2].1.push((format!("{monitor}: BOOLEAN"), None));
        }
        for (title, vars) in sections {
            if vars.is_empty() {
                continue;
            }
            let _ = writeln!(self.text, "    {title}");
            let last = vars.len() - 1;
            for (idx, (var, was)) in vars.into_iter().enumerate() {
                let comma = if idx == last { "" } else { "," };
                let was = was.map_or(String::new(), |was| format!("  % {}", one_line(was)));
                let _ = writeln!(self.text, "      {var}{comma}{was}");
            }
        }
    }

    fn definitions(&self) -> Vec<String> {
        let model = &self.system.model;
        let mut items = Vec::new();
        for (idx, define) in model.defines.iter().enumerate() {
            if self.system.defines[idx] == DefineUse::Variable {
                let name = &self.writer.names.defines[idx];
                items.push(defined(name, &self.root(define.body.expr, 8)));
            }
        }
        for &id in &self.shared.states {
            let name = &self.writer.names.shared[&id];
            items.push(defined(name, &self.body(id, 8)));
        }
        let given = self.system.definitions.iter();
        items.extend(given.map(|&(var, expr)| self.given(var, self.name(var), expr, 8)));
        items
    }

    fn first(&self) -> Vec<String> {
        let given = self.system.first.iter();
        let given = given.map(|&(var, expr)| self.given(var, self.name(var), expr, 8));
        given
            .chain(self.naming.monitors.iter().map(|monitor| format!("{monitor} = TRUE")))
            .collect()
    }

    fn steps(&self) -> Vec<String> {
        let steps = self.system.steps.iter();
        steps
            .map(|&(target, gives)| match (target, gives) {
                (_, Gives::Expr(expr)) => self.next(target, expr, 8),
                (Target::Var(var), Gives::Any) => {
                    format!("{}' IN {{v: {} | TRUE}}", self.name(var), self.type_of(var))
                }
                (Target::Var(var), Gives::Same) => format!("{0}' = {0}", self.name(var)),
                (Target::Monitor(idx), _) => format!("{}' = TRUE", self.naming.monitors[idx]),
            })
            .collect()
    }

    fn next(&self, target: Target, expr: ExprId, indent: usize) -> String {
        match target {
            Target::Var(var) => self.given(var, &format!("{}'", self.name(var)), expr, indent),
            Target::Monitor(idx) => {
                defined(&format!("{}'", self.naming.monitors[idx]), &self.root(expr, indent))
            }
        }
    }

    /// What a variable is given: a value, or one in a set.
    fn given(&self, var: VarId, target: &str, expr: ExprId, indent: usize) -> String {
        let model = &self.system.model;
        let domain = &model.var(var).domain;
        let is_symbol = is_enumerated(domain.ty());
        match model.exprs.ty(expr) {
            Type::Never => format!("{target} IN {{v: {} | FALSE}}", self.type_of(var)),
            Type::Set(_) if is_whole(model, domain, expr) => {
                format!("{target} IN {{v: {} | TRUE}}", self.type_of(var))
            }
            Type::Set(_) => {
                let lets = self.lets(expr, indent);
                let set = match self.writer.listed(expr, is_symbol) {
                    Some(list) if lets.is_empty() => list,
                    _ => {
                        let holds = self.writer.member(expr, is_symbol);
                        format!("{{v: {} | {lets}{holds}}}", self.type_of(var))
                    }
                };
                format!("{target} IN {set}")
            }
            _ if is_symbol && !is_enumerated(model.exprs.ty(expr)) => {
                format!("{target} = {}{}", self.lets(expr, indent), self.writer.symbol(expr))
            }
            _ => defined(target, &self.root(expr, indent)),
        }
    }

    fn command(&self, command: &Command, label: Option<String>) -> String {
        let label = label.map_or(String::new(), |label| format!("{label}: "));
        let (open, close) = match command.bound.as_slice() {
            [] => (String::new(), ""),
            bound => {
                let bound: Vec<String> = bound
                    .iter()
                    .map(|&var| format!("{}: {}", self.name(var), self.type_of(var)))
                    .collect();
                (format!("([] ({}): ", bound.join(", ")), ")")
            }
        };
        let gives: Vec<String> = command
            .gives
            .iter()
            .map(|&(target, expr)| format!("\n          {}", self.next(target, expr, 12)))
            .collect();
        let guard = self.guard(&command.guards, 10);
        format!("{open}{label}{guard} -->{}{close}", gives.join(";"))
    }

    /// All of these, a line each.
    fn guard(&self, guards: &[ExprId], indent: usize) -> String {
        if guards.is_empty() {
            return "TRUE".into();
        }
        let lines: Vec<String> = guards
            .iter()
            .map(|&guard| match self.lets(guard, indent) {
                lets if lets.is_empty() && guards.len() == 1 => self.writer.expr(guard, 0),
                lets if lets.is_empty() => self.writer.expr(guard, CONJUNCT),
                lets => format!("({lets}{})", self.own(guard)),
            })
            .collect();
        lines.join(&format!(" AND\n{:indent$}", ""))
    }

    /// Names for values of steps that an expression needs.
    fn lets(&self, root: ExprId, indent: usize) -> String {
        let shared = &self.writer.names.shared;
        let is_other = |id: ExprId| shared.contains_key(&id) && !self.shared.steps.contains(&id);
        let mut text = String::new();
        for id in self.shared.below(&self.system.model, root, is_other) {
            let ty = self.writer.type_of(id);
            let body = self.writer.body(id);
            let _ = write!(text, "LET {}: {ty} = {body} IN\n{:indent$}", shared[&id], "");
        }
        text
    }

    /// The expression, even if it is named by `LET`.
    fn own(&self, id: ExprId) -> String {
        match self.shared.steps.contains(&id) {
            true => self.writer.body(id),
            false => self.writer.expr(id, 0),
        }
    }

    /// A right-hand side: a choice has a line for each branch.
    fn root(&self, id: ExprId, indent: usize) -> String {
        let lets = self.lets(id, indent);
        let is_named = self.writer.names.shared.contains_key(&id);
        match is_named && !self.shared.steps.contains(&id) {
            true => self.writer.expr(id, 0),
            false => format!("{lets}{}", self.body(id, indent)),
        }
    }

    fn body(&self, id: ExprId, indent: usize) -> String {
        let text = self.writer.body(id);
        match self.system.model.exprs.get(id) {
            Expr::Ite(..) => self.writer.lines(id, indent).unwrap_or(text),
            _ => text,
        }
    }

    fn theorem(&mut self, theorem: &Theorem, label: &str, comment: Option<&String>) {
        self.text.push('\n');
        if let Some(comment) = comment {
            let _ = writeln!(self.text, "  % {}", one_line(comment));
        }
        if *label != theorem.wanted {
            let _ = writeln!(self.text, "  % {}", one_line(&theorem.wanted));
        }
        let main = &self.naming.main;
        let line = match &theorem.says {
            Says::LeftOut(why) => format!("  % {label} is left out: {why}"),
            Says::Always(expr) => {
                format!("  {label}: THEOREM {main} |- G({});", self.writer.expr(*expr, 0))
            }
            Says::Monitor(idx) => {
                format!("  {label}: THEOREM {main} |- G({});", self.naming.monitors[*idx])
            }
            Says::Formula(expr, looked_at) => {
                let replaced = looked_at
                    .iter()
                    .map(|&(part, idx)| (part, format!("X({})", self.naming.monitors[idx])));
                format!("  {label}: THEOREM {main} |- {};", self.formula(*expr, replaced.collect()))
            }
        };
        let _ = writeln!(self.text, "{line}");
    }

    /// A formula in which some expressions have other names.
    fn formula(&self, expr: ExprId, replaced: FxHashMap<ExprId, String>) -> String {
        let names = self.writer.names;
        let mut shared = names.shared.clone();
        shared.extend(replaced);
        let names = text::Names {
            vars: names.vars.clone(),
            defines: names.defines.clone(),
            bound: names.bound.clone(),
            helpers: names.helpers.clone(),
            shared,
        };
        let writer = Writer {
            model: self.writer.model,
            names: &names,
            enums: self.writer.enums,
            bounds: RefCell::new(Bounds::default()),
            needed: RefCell::new(BTreeSet::new()),
        };
        let text = writer.expr(expr, 0);
        self.writer.needed.borrow_mut().extend(writer.needed.take());
        text
    }
}

/// Are these all values that there are?
fn is_whole(model: &Model, domain: &Domain, set: ExprId) -> bool {
    let exprs = &model.exprs;
    let constants = |id: ExprId| match exprs.get(id) {
        Expr::Const(c) => Some((exprs.constant(c), exprs.constant(c))),
        Expr::Range(lo, hi) => Some((exprs.constant(lo), exprs.constant(hi))),
        _ => None,
    };
    let members = exprs.chain(trapline_model::BinaryOp::Union, set);
    let known: Option<Vec<(Value, Value)>> = members.into_iter().map(constants).collect();
    let Some(known) = known else { return false };
    if let ([(Value::Int(lo), Value::Int(hi))], Domain::Range(least, most)) =
        (known.as_slice(), domain)
    {
        return lo <= least && most <= hi;
    }
    let size = domain.size().unwrap_or(u64::MAX);
    size <= known.len() as u64
        && (0..size).all(|idx| known.contains(&(domain.value(idx), domain.value(idx))))
}

/// A definition, whose right-hand side may begin with a new line.
fn defined(target: &str, value: &str) -> String {
    let gap = if value.starts_with('\n') { "" } else { " " };
    format!("{target} ={gap}{value}")
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
