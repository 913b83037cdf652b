//! Modules become instances, and names become entities.

use trapline_model::name;
use trapline_model::{Array, Domain, Role, Selector, Selects, Value, Var, VarId, VarKind};
use trapline_source::numbers::counted;
use trapline_source::{Diagnostic, Span};

use super::super::syntax::{self, BaseType, Code, Item, Name, TypeExpr};
use super::scope::Entity;
use super::{Lowerer, Operand};

/// An instance of a module, or a name space made by a dotted declaration (`m.x : boolean`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeId(pub u32);

impl ScopeId {
    /// The instance of the main module.
    pub const MAIN: ScopeId = ScopeId(0);
}

/// More instances than this are a mistake (or an attack): modules that double at each level.
const MAX_INSTANCES: usize = 1_000_000;
/// Maximum nesting of includes: the only recursion of the reader.
const MAX_INCLUDED: usize = 100;
/// So deep may instances be nested; their names grow with each level.
const MAX_DEPTH: usize = 2000;
/// More variables than this are a mistake: an array with a huge bound.
const MAX_VARS: u64 = 4_000_000;

/// An instance.
#[derive(Debug)]
pub(super) struct Instance {
    /// The module, unless this is a mere name space.
    pub module: Option<usize>,
    /// The enclosing instance.
    pub parent: Option<ScopeId>,
    /// Its full name, which is empty for the main module.
    pub name: String,
    /// The nearest process that it belongs to, perhaps itself; main is the process 0.
    pub process: ScopeId,
    /// Its variables in the order of the text, until they get their types.
    pub pending: Vec<Pending>,
}

/// A variable or an instance whose turn has not come yet.
#[derive(Debug)]
pub(super) enum Pending {
    Var { kind: syntax::VarKind, item_idx: usize, module: usize },
    Instance(ScopeId),
}

/// An array of instances.
#[derive(Clone, Debug)]
pub(super) struct InstanceArray {
    /// The instance with the least indices; the others follow.
    pub first: ScopeId,
    /// The dimensions that are not indexed yet.
    pub dims: Vec<(i64, i64)>,
}

impl Lowerer<'_> {
    /// The main module, after all modules were noted.
    pub fn find_main(&mut self) -> Option<usize> {
        for (module_idx, module) in self.program.modules.iter().enumerate() {
            if let Some(first_idx) = self.modules.insert(module.name.id, module_idx) {
                let first = self.program.modules[first_idx].name.span;
                let name = self.name(module.name.id);
                self.report(
                    Diagnostic::error(
                        "duplicate-module",
                        module.name.span,
                        format!("module `{name}` is declared twice"),
                    )
                    .label(first, "first declared here"),
                );
            }
        }
        let wanted = self.options.main.as_deref().unwrap_or("main");
        let position = self.program.modules.iter().position(|m| self.name(m.name.id) == wanted);
        let span = self.program.modules.first().map_or(Span::default(), |m| m.name.span);
        match position {
            Some(idx) if self.program.modules[idx].params.is_empty() => return Some(idx),
            Some(idx) => self.report(
                Diagnostic::error(
                    "main-with-parameters",
                    self.program.modules[idx].name.span,
                    format!("module `{wanted}` has parameters, so it can't be the main module"),
                )
                .help("remove the parameters, or choose another module with --main"),
            ),
            None => {
                let names: Vec<String> = self
                    .program
                    .modules
                    .iter()
                    .map(|m| format!("`{}`", self.name(m.name.id)))
                    .collect();
                let help = if names.is_empty() {
                    "an SMV model is a list of modules; write `MODULE main` first".to_string()
                } else if self.options.main.is_some() {
                    format!("choose one of {} with --main", names.join(", "))
                } else {
                    format!(
                        "add `MODULE {wanted}`, or choose one of {} with --main",
                        names.join(", ")
                    )
                };
                let error =
                    Diagnostic::error("no-main", span, format!("there is no module `{wanted}`"));
                self.report(error.help(help));
            }
        }
        None
    }

    /// Makes the instances of everything below the main module, and declares all names.
    pub fn instantiate(&mut self, main: usize) {
        self.instances.push(Instance {
            module: Some(main),
            parent: None,
            name: String::new(),
            process: ScopeId::MAIN,
            pending: Vec::new(),
        });
        let mut next = 0;
        while next < self.instances.len() {
            let scope = ScopeId(next as u32);
            if let Some(module) = self.instances[next].module {
                self.declare_names(scope, module);
                self.expand(scope, module);
            }
            next += 1;
        }
    }

    /// Declares the names of one instance: defines first, because bounds may need them.
    fn declare_names(&mut self, scope: ScopeId, module_idx: usize) {
        let program = self.program;
        for item in &program.modules[module_idx].items {
            match item {
                Item::Define { name, body } => {
                    let span = program.span(*name);
                    let full_name = self.full_name(scope, *name);
                    let cell = self.add_define(full_name, scope, *body, span);
                    self.declare(scope, *name, Entity::Cell(cell, span));
                }
                Item::Var { ty, name, .. } => {
                    if let BaseType::Enum(values) = &ty.base {
                        self.declare_symbols(values);
                    }
                    let instance = matches!(ty.base, BaseType::Instance { .. });
                    if !instance {
                        let span = program.span(*name);
                        self.declare(scope, *name, Entity::Declared(span));
                    }
                }
                Item::Constants(names) => self.declare_symbols(names),
                _ => {}
            }
        }
    }

    /// Makes the instances that one instance holds, and notes its variables; `ISA` includes the
    /// declarations of another module.
    fn expand(&mut self, scope: ScopeId, module_idx: usize) {
        let program = self.program;
        for (item_idx, item) in program.modules[module_idx].items.iter().enumerate() {
            match item {
                Item::Var { kind, name, ty } => {
                    if let BaseType::Instance { process, module, args } = &ty.base {
                        if *kind != syntax::VarKind::State {
                            let text = "an instance of a module is declared in VAR";
                            self.report(Diagnostic::error("bad-declaration", ty.span, text));
                        }
                        self.add_instances(scope, *name, ty, *process, *module, args);
                    } else {
                        let pending = Pending::Var { kind: *kind, item_idx, module: module_idx };
                        self.instances[scope.0 as usize].pending.push(pending);
                    }
                }
                Item::Isa(name) => self.include(scope, *name),
                _ => {}
            }
        }
    }

    fn include(&mut self, scope: ScopeId, name: Name) {
        let Some(module) = self.find_module(name) else { return };
        let open = self.instances[scope.0 as usize].module;
        let text = self.name(name.id);
        let problem = if !self.program.modules[module].params.is_empty() {
            Some(format!("`{text}` has parameters, so ISA can't include it"))
        } else if open == Some(module) || self.included.contains(&module) {
            Some(format!("`ISA {text}` includes a module into itself"))
        } else if !self.inclusions.insert((scope, module)) {
            Some(format!("`{text}` is included twice"))
        } else if self.included.len() >= MAX_INCLUDED {
            Some(format!("ISA goes more than {MAX_INCLUDED} modules deep"))
        } else {
            None
        };
        if let Some(problem) = problem {
            self.has_bad_isa = true;
            return self.report(Diagnostic::error("bad-isa", name.span, problem));
        }
        self.included.push(module);
        self.declare_names(scope, module);
        self.expand(scope, module);
        self.included.pop();
    }

    fn find_module(&mut self, name: Name) -> Option<usize> {
        let found = self.modules.get(&name.id).copied();
        if found.is_none() {
            let text = self.name(name.id);
            let types = ["boolean", "integer", "real", "clock", "word", "array"].into_iter();
            let known = self.program.modules.iter().map(|m| self.program.name(m.name.id));
            let help = match crate::close::closest(text, known.chain(types)) {
                Some(close) => format!("did you mean `{close}`?"),
                None => "types are boolean, lo..hi, {a, b}, word[n], array, or a module".into(),
            };
            let error = Diagnostic::error(
                "unknown-type",
                name.span,
                format!("unknown type or module `{text}`"),
            );
            self.report(error.help(help));
        }
        found
    }

    fn add_instances(
        &mut self,
        parent: ScopeId,
        name: Code,
        ty: &TypeExpr,
        process: bool,
        module_name: Name,
        args: &[Code],
    ) {
        let span = self.program.span(name);
        let Some(module) = self.find_module(module_name) else {
            return self.declare(parent, name, Entity::Known(Operand::Poison, span));
        };
        if !self.check_instance(parent, module, module_name, args, ty) {
            return self.declare(parent, name, Entity::Known(Operand::Poison, span));
        }
        let Some(dims) = self.bounds(&ty.dims, parent) else {
            return self.declare(parent, name, Entity::Known(Operand::Poison, span));
        };
        let full_name = self.full_name(parent, name);
        let n_instances = n_elements(&dims);
        if n_instances.saturating_add(self.instances.len() as u64) > MAX_INSTANCES as u64 {
            if std::mem::replace(&mut self.has_too_many, true) {
                return;
            }
            let text = format!("the model has more than {MAX_INSTANCES} instances of modules");
            return self.report(Diagnostic::error("too-many-instances", span, text));
        }
        let first = ScopeId(self.instances.len() as u32);
        for element in 0..n_instances {
            let name = name::element_at(&full_name, &dims, element);
            self.add_instance(parent, name, module, process, args);
        }
        self.made.insert((parent, name.start), first.0..self.instances.len() as u32);
        let operand = if dims.is_empty() {
            Operand::Instance(first)
        } else {
            self.instance_arrays.push(InstanceArray { first, dims });
            Operand::Instances(self.instance_arrays.len() as u32 - 1)
        };
        self.declare(parent, name, Entity::Known(operand, span));
    }

    fn add_instance(
        &mut self,
        parent: ScopeId,
        name: String,
        module: usize,
        process: bool,
        args: &[Code],
    ) {
        let scope = ScopeId(self.instances.len() as u32);
        let process = if process {
            self.processes.push(scope);
            scope
        } else {
            self.instances[parent.0 as usize].process
        };
        self.instances.push(Instance {
            module: Some(module),
            parent: Some(parent),
            name,
            process,
            pending: Vec::new(),
        });
        self.instances[parent.0 as usize].pending.push(Pending::Instance(scope));
        let program = self.program;
        for (idx, param) in program.modules[module].params.iter().enumerate() {
            let entity = match args.get(idx) {
                Some(&arg) => Entity::Cell(self.add_param(parent, arg, param.span), param.span),
                // That it is missing was reported; the rest of the instance is as it is.
                None => Entity::Known(Operand::Poison, param.span),
            };
            self.declare_one(scope, param.id, entity);
        }
    }

    fn check_instance(
        &mut self,
        parent: ScopeId,
        module: usize,
        name: Name,
        args: &[Code],
        ty: &TypeExpr,
    ) -> bool {
        let declared = &self.program.modules[module];
        let (n_params, n_args) = (declared.params.len(), args.len());
        if n_params != n_args {
            let text = format!(
                "module `{}` takes {}, but {n_args} {} given",
                self.name(name.id),
                counted(n_params, "parameter"),
                if n_args == 1 { "is" } else { "are" },
            );
            let error = Diagnostic::error("parameter-count", ty.span, text);
            self.report(error.label(declared.name.span, "declared here"));
        }
        let mut ancestor = Some(parent);
        let mut depth = 0;
        while let Some(scope) = ancestor {
            depth += 1;
            if depth > MAX_DEPTH {
                let text = format!("instances are nested more than {MAX_DEPTH} deep");
                self.report(Diagnostic::error("too-many-instances", ty.span, text));
                return false;
            }
            let instance = &self.instances[scope.0 as usize];
            if instance.module == Some(module) {
                let text = format!("module `{}` contains itself", self.name(name.id));
                let error = Diagnostic::error("recursive-module", ty.span, text);
                self.report(
                    error.help("a model has finitely many instances; unroll the recursion"),
                );
                return false;
            }
            ancestor = instance.parent;
        }
        true
    }

    /// Gives every variable its type, in textual order, instances in place.
    pub fn declare_vars(&mut self) {
        let mut stack = vec![Pending::Instance(ScopeId::MAIN)];
        let mut scopes = vec![];
        while let Some(pending) = stack.pop() {
            match pending {
                Pending::Instance(scope) => {
                    let mut inner = std::mem::take(&mut self.instances[scope.0 as usize].pending);
                    scopes.push((stack.len(), scope));
                    inner.reverse();
                    stack.extend(inner);
                }
                Pending::Var { kind, item_idx, module } => {
                    while scopes.last().is_some_and(|&(height, _)| stack.len() < height) {
                        scopes.pop();
                    }
                    let scope = scopes.last().map_or(ScopeId::MAIN, |&(_, scope)| scope);
                    self.declare_var(scope, kind, item_idx, module);
                }
            }
        }
    }

    fn declare_var(
        &mut self,
        scope: ScopeId,
        kind: syntax::VarKind,
        item_idx: usize,
        module: usize,
    ) {
        let program = self.program;
        let Item::Var { name, ty, .. } = &program.modules[module].items[item_idx] else {
            unreachable!("pending variables are variable items");
        };
        let span = program.span(*name);
        let known = self.domain(ty, scope).zip(self.bounds(&ty.dims, scope));
        let Some((domain, dims)) = known else {
            return self.redeclare(scope, *name, Entity::Known(Operand::Poison, span));
        };
        if n_elements(&dims).saturating_add(self.model.vars.len() as u64) > MAX_VARS {
            let text = format!("the model has more than {MAX_VARS} variables");
            return self.report(Diagnostic::error("too-many-variables", ty.span, text));
        }
        let full_name = self.full_name(scope, *name);
        let first = self.model.vars.len() as u32;
        let kind = match kind {
            syntax::VarKind::State => VarKind::State,
            syntax::VarKind::Input => VarKind::Input,
            syntax::VarKind::Frozen => VarKind::Frozen,
        };
        for element in 0..n_elements(&dims) {
            let name = name::element_at(&full_name, &dims, element);
            let (domain, role) = (domain.clone(), Role::Output);
            self.model.vars.push(Var { name, kind, domain, role, timing: None, span });
        }
        let operand = if dims.is_empty() {
            Operand::Expr(self.var_expr(VarId(first)))
        } else {
            let elements = first..self.model.vars.len() as u32;
            let exprs = elements.clone().map(|var| self.var_expr(VarId(var))).collect();
            self.refuse_elements(&full_name, span);
            self.model.arrays.push(Array { name: full_name, dims: dims.clone(), elements });
            Operand::Array(self.arrays.add(dims, exprs))
        };
        self.redeclare(scope, *name, Entity::Known(operand, span));
    }

    /// `main` is a constant then, by which the selector names the main module.
    fn name_main_process(&mut self) {
        let name = self.program.names.iter().position(|name| &**name == "main");
        if let Some(idx) = name {
            let symbol = self.model.symbols.intern("main");
            let expr = self.exprs().value(Value::Symbol(symbol));
            self.constants.entry(syntax::NameId(idx as u32)).or_insert((expr, Span::default()));
            self.is_constant[idx] = true;
        }
    }

    /// With processes, some names are taken.
    fn check_reserved_names(&mut self) {
        let taken = |text: &str, scopes: &[ScopeId], lowerer: &Self| {
            let name = lowerer.program.names.iter().position(|name| &**name == text);
            let name = syntax::NameId(name? as u32);
            scopes.iter().find_map(|&scope| lowerer.names.get(scope, name)).map(Entity::span)
        };
        let processes: Vec<ScopeId> =
            self.processes.iter().copied().chain([ScopeId::MAIN]).collect();
        let running = taken("running", &processes, self);
        let selector = taken("_process_selector_", &[ScopeId::MAIN], self);
        for (span, name) in running
            .iter()
            .map(|s| (s, "running"))
            .chain(selector.iter().map(|s| (s, "_process_selector_")))
        {
            let text = format!("`{name}` has a meaning of its own in a model with processes");
            self.report(Diagnostic::error("duplicate-name", *span, text).help("rename it"));
        }
    }

    /// The process selector, and `running` for each process.
    pub fn declare_process_selector(&mut self) {
        if self.processes.is_empty() {
            return;
        }
        self.check_reserved_names();
        let names: Vec<String> = self
            .processes
            .iter()
            .map(|scope| self.instances[scope.0 as usize].name.clone())
            .chain(["main".to_string()])
            .collect();
        let symbols: Vec<Value> =
            names.iter().map(|name| Value::Symbol(self.model.symbols.intern(name))).collect();
        self.name_main_process();
        let selector = VarId(self.model.vars.len() as u32);
        self.model.vars.push(Var {
            name: "_process_selector_".into(),
            kind: VarKind::Input,
            domain: Domain::Enum(symbols.clone().into()),
            role: Role::Internal,
            timing: None,
            span: Span::default(),
        });
        self.model.selectors.push(Selector { var: selector, selects: Selects::Process });
        let mut processes = std::mem::take(&mut self.processes);
        processes.push(ScopeId::MAIN);
        for (&scope, &symbol) in processes.iter().zip(&symbols) {
            self.define_running(scope, selector, symbol);
        }
        self.processes = processes;
    }
}

/// How many elements an array of these dimensions has; 1 when it is no array.
fn n_elements(dims: &[(i64, i64)]) -> u64 {
    dims.iter().fold(1, |n, &(lo, hi)| {
        let size = (hi as i128 - lo as i128 + 1).clamp(0, u64::MAX as i128) as u64;
        n.saturating_mul(size)
    })
}
