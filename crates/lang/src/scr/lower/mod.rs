//! From a specification to a model.
//!
//! A monitored variable is an input that the rules of the environment let change; a condition table
//! gives its variable a value in every state, the other tables give theirs one in the next state
//! and keep it where nothing happens. What tables must be like besides is left as
//! [`trapline_model::Check`]s for whoever can search.

mod checks;
mod declare;
mod expression;
mod order;
mod rules;
mod survey;
mod table;
mod types;
mod unused;

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{Check, Clause, DefineId, Model, Value, VarId, VarKind, decide};
use trapline_source::{Diagnostic, Diagnostics, Span};

use super::Scr;
use super::syntax::{Code, Name, NameId, Spec, TableKind, VariableKind};
use crate::Options;
use crate::close::closest;
use expression::Place;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// A variable, by its index in the specification too.
    Variable(VarId, usize),
    /// A constant.
    Constant(DefineId),
    /// A symbolic value.
    Symbol(Value),
}

/// What was lowered.
#[derive(Debug)]
pub struct Lowered {
    /// The model.
    pub model: Model,
    /// What must hold of its tables.
    pub checks: Vec<Check>,
    meanings: FxHashMap<NameId, (Meaning, Span)>,
}

struct Lowerer<'s, 'd> {
    spec: &'s Spec,
    options: &'s Options,
    model: Model,
    diagnostics: &'d mut Diagnostics,
    meanings: FxHashMap<NameId, (Meaning, Span)>,
    /// What was declared wrongly, which was reported: its uses are no mistakes too.
    wrong: FxHashSet<NameId>,
    /// The names that something reads.
    used: Vec<bool>,
    checks: Vec<Check>,
}

/// Lowers a specification.
pub fn lower(spec: &Spec, options: &Options, diagnostics: &mut Diagnostics) -> Lowered {
    let mut lowerer = Lowerer {
        spec,
        options,
        model: Model::new(&Scr),
        diagnostics,
        meanings: FxHashMap::default(),
        wrong: spec.unread.iter().copied().collect(),
        used: vec![false; spec.names.len()],
        checks: Vec::new(),
    };
    lowerer.declare();
    lowerer.initial_values();
    lowerer.environment();
    lowerer.tables();
    lowerer.properties();
    lowerer.check_order();
    // What is wrong may be what would read them.
    if !lowerer.diagnostics.has_errors() {
        lowerer.check_unused();
        decide::find_sites(&mut lowerer.model);
    }
    let Lowerer { model, checks, meanings, .. } = lowerer;
    Lowered { model, checks, meanings }
}

impl Lowered {
    /// An expression over the names of the specification that stands elsewhere.
    pub fn expression(
        &mut self,
        spec: &Spec,
        code: Code,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Clause> {
        self.clause(spec, (code, Place::Step), options, diagnostics)
    }

    /// The same for a temporal formula.
    pub fn formula(
        &mut self,
        spec: &Spec,
        code: Code,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Clause> {
        self.clause(spec, (code, Place::Formula), options, diagnostics)
    }

    fn clause(
        &mut self,
        spec: &Spec,
        (code, place): (Code, Place),
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Clause> {
        let mut lowerer = Lowerer {
            spec,
            options,
            model: std::mem::replace(&mut self.model, Model::new(&Scr)),
            diagnostics,
            meanings: std::mem::take(&mut self.meanings),
            wrong: FxHashSet::default(),
            used: vec![false; spec.names.len()],
            checks: Vec::new(),
        };
        let clause = lowerer.condition(code, place);
        self.model = lowerer.model;
        self.meanings = lowerer.meanings;
        clause
    }
}

impl<'s> Lowerer<'s, '_> {
    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn name(&self, name: Name) -> &'s str {
        self.spec.name(name.id)
    }

    /// What a name stands for; an unknown one is reported.
    fn meaning(&mut self, name: Name) -> Option<Meaning> {
        self.used[name.id.0 as usize] = true;
        if let Some((meaning, _)) = self.meanings.get(&name.id) {
            return Some(*meaning);
        }
        if self.wrong.contains(&name.id) {
            return None;
        }
        let text = self.name(name);
        if let Some(variable) = self.spec.variables.iter().find(|v| v.name.id == name.id) {
            // Variables are declared after everything that is constant.
            let message =
                format!("`{text}` is a {}, and a constant is expected here", variable.kind.name());
            self.error(Diagnostic::error("not-constant", name.span, message));
            return None;
        }
        let mut known: Vec<&str> = self.meanings.keys().map(|id| self.spec.name(*id)).collect();
        known.sort_unstable();
        let help = match closest(text, known.into_iter().chain(["True", "False"])) {
            Some(close) => format!("did you mean `{close}`?"),
            None => "declare it as a variable or a constant, or as a value of a type".into(),
        };
        let message = format!("`{text}` is not declared");
        self.error(Diagnostic::error("unknown-name", name.span, message).help(help));
        None
    }

    /// A mode class, with its variable.
    fn class(&mut self, name: Name) -> Option<(VarId, Vec<Value>)> {
        let text = self.name(name);
        match self.meaning(name)? {
            Meaning::Variable(var, idx)
                if self.spec.variables[idx].kind == VariableKind::ModeClass =>
            {
                let modes = match &self.model.var(var).domain {
                    trapline_model::Domain::Enum(values) => values.to_vec(),
                    _ => Vec::new(),
                };
                Some((var, modes))
            }
            _ => {
                let message = format!("`{text}` is no mode class");
                let help = "declare it in MODECLASS, or leave CLASS away";
                self.error(Diagnostic::error("bad-table", name.span, message).help(help));
                None
            }
        }
    }

    /// The variable that a table gives values to.
    fn dependent(&mut self, name: Name, kind: TableKind) -> Option<VarId> {
        let text = self.name(name);
        let Some(&(meaning, _)) = self.meanings.get(&name.id) else {
            if self.wrong.contains(&name.id) {
                return None;
            }
            let message = format!("`{text}` is not declared");
            let help = "declare it as a controlled variable, a term or a mode class";
            self.error(Diagnostic::error("unknown-name", name.span, message).help(help));
            return None;
        };
        let (wrong, help) = match meaning {
            Meaning::Variable(var, idx) => {
                let declared = self.spec.variables[idx].kind;
                let is_class = declared == VariableKind::ModeClass;
                match declared {
                    VariableKind::Monitored => (
                        "a monitored variable, which the environment sets",
                        "remove the table, or declare it in CONTROLLED or TERMS",
                    ),
                    _ if is_class != (kind == TableKind::Mode) && is_class => (
                        "a mode class, which has a mode transition table",
                        "write TABLE name MODE and rows `mode | event | new mode`",
                    ),
                    _ if is_class != (kind == TableKind::Mode) => (
                        "no mode class, and only mode classes have mode transition tables",
                        "write TABLE name EVENT or TABLE name CONDITION, or declare it in MODECLASS",
                    ),
                    _ => return Some(var),
                }
            }
            Meaning::Constant(_) => ("a constant", "tables are for variables"),
            Meaning::Symbol(_) => ("a value", "tables are for variables"),
        };
        let message = format!("`{text}` is {wrong}");
        self.error(Diagnostic::error("bad-table", name.span, message).help(help));
        None
    }

    fn is_input(&self, var: VarId) -> bool {
        self.model.var(var).role == trapline_model::Role::Input
            && self.model.var(var).kind == VarKind::State
    }
}
