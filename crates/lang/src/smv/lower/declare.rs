//! Modules become instances, and names become entities.

use rustc_hash::FxHashMap;
use trapline_model::{Array, Domain, Role, Value, Var, VarId, VarKind, Word};
use trapline_source::{Diagnostic, Span};

use super::super::syntax::{self, BaseType, Code, Item, Name, NameId, Op, TypeExpr, Unary};
use super::cells::CellId;
use super::{Lowerer, Operand};

/// An instance of a module, or a name space made by a dotted declaration (`m.x : boolean`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ScopeId(pub u32);

impl ScopeId {
    /// The instance of the main module.
    pub const MAIN: ScopeId = ScopeId(0);
}

/// What the names of each scope stand for. Those of the main module, which in a flat model are
/// all of them, are found by their number alone.
pub(super) struct ScopedNames {
    main: Vec<Option<Entity>>,
    inner: FxHashMap<(ScopeId, NameId), Entity>,
}

impl ScopedNames {
    pub fn new(n_names: usize) -> ScopedNames {
        ScopedNames { main: vec![None; n_names], inner: FxHashMap::default() }
    }

    pub fn get(&self, scope: ScopeId, name: NameId) -> Option<Entity> {
        match scope {
            ScopeId::MAIN => self.main[name.0 as usize],
            _ => self.inner.get(&(scope, name)).copied(),
        }
    }

    /// Returns what the name stood for before.
    pub fn insert(&mut self, scope: ScopeId, name: NameId, entity: Entity) -> Option<Entity> {
        match scope {
            ScopeId::MAIN => self.main[name.0 as usize].replace(entity),
            _ => self.inner.insert((scope, name), entity),
        }
    }
}

/// More instances than this are a mistake (or an attack): modules that double at each level.
const MAX_INSTANCES: usize = 1_000_000;
/// More variables than this are a mistake: an array with a huge bound.
const MAX_VARS: u64 = 4_000_000;
/// More values than this are no range but an integer.
const MAX_RANGE: u64 = 1 << 32;

/// An instance.
#[derive(Debug)]
pub(super) struct Instance {
    /// The module, unless this is a mere name space.
    pub module: Option<usize>,
    /// The instance that it stands in.
    pub parent: Option<ScopeId>,
    /// What its members' full names begin with: empty, or `m1.m2.`.
    pub prefix: String,
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

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    /// A variable or array that has no type yet.
    Declared(Span),
    /// A variable, an array, an instance.
    Known(Operand, Span),
    /// A define or a formal parameter.
    Cell(CellId, Span),
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
                let names: Vec<String> = self.program.modules.iter()
                    .map(|m| format!("`{}`", self.name(m.name.id)))
                    .collect();
                let help = if names.is_empty() {
                    "an SMV model is a list of modules; write `MODULE main` first".to_string()
                } else {
                    format!("add `MODULE {wanted}`, or choose one of {} with --main", names.join(", "))
                };
                let error = Diagnostic::error("no-main", span, format!("there is no module `{wanted}`"));
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
            prefix: String::new(),
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
        let is_open = self.instances[scope.0 as usize].module == Some(module);
        if is_open || !self.program.modules[module].params.is_empty() {
            let text = format!("`ISA {}` can't be expanded here", self.name(name.id));
            let help = "ISA takes another module without parameters";
            return self.report(Diagnostic::error("bad-isa", name.span, text).help(help));
        }
        let nested = self.program.modules[module].items.iter().any(|i| matches!(i, Item::Isa(_)));
        if nested {
            let text = "a module that is included by ISA may not use ISA itself";
            return self.report(Diagnostic::error("bad-isa", name.span, text));
        }
        self.declare_names(scope, module);
        self.expand(scope, module);
    }

    fn find_module(&mut self, name: Name) -> Option<usize> {
        let found = self.modules.get(&name.id).copied();
        if found.is_none() {
            let text = self.name(name.id);
            let known = self.program.modules.iter().map(|m| self.program.name(m.name.id));
            let help = match super::names::closest(text, known) {
                Some(close) => format!("did you mean `{close}`?"),
                None => "types are boolean, lo..hi, {a, b}, word[n], array, or a module".into(),
            };
            let error =
                Diagnostic::error("unknown-type", name.span, format!("unknown type or module `{text}`"));
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
        if self.instances.len() as u64 + n_instances > MAX_INSTANCES as u64 {
            let text = format!("the model has more than {MAX_INSTANCES} instances of modules");
            return self.report(Diagnostic::error("too-many-instances", span, text));
        }
        let first = ScopeId(self.instances.len() as u32);
        for element in 0..n_instances {
            let prefix = format!("{}{}.", full_name, index_suffix(&dims, element));
            self.add_instance(parent, prefix, module, process, args);
        }
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
        prefix: String,
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
            prefix,
            process,
            pending: Vec::new(),
        });
        self.instances[parent.0 as usize].pending.push(Pending::Instance(scope));
        let program = self.program;
        for (param, arg) in program.modules[module].params.iter().zip(args) {
            let cell = self.add_param(parent, *arg, param.span);
            self.declare_one(scope, param.id, Entity::Cell(cell, param.span));
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
                "module `{}` takes {n_params} parameter{}, but {n_args} {} given",
                self.name(name.id),
                if n_params == 1 { "" } else { "s" },
                if n_args == 1 { "is" } else { "are" },
            );
            let error = Diagnostic::error("parameter-count", ty.span, text);
            self.report(error.label(declared.name.span, "declared here"));
            return false;
        }
        let mut ancestor = Some(parent);
        while let Some(scope) = ancestor {
            let instance = &self.instances[scope.0 as usize];
            if instance.module == Some(module) {
                let text = format!("module `{}` contains itself", self.name(name.id));
                let error = Diagnostic::error("recursive-module", ty.span, text);
                self.report(error.help("a model has finitely many instances; unroll the recursion"));
                return false;
            }
            ancestor = instance.parent;
        }
        true
    }

    /// Gives every variable its type, in the order of the text, instances where they stand.
    pub fn declare_vars(&mut self) {
        let mut stack = vec![Pending::Instance(ScopeId::MAIN)];
        let mut scopes = vec![];
        while let Some(pending) = stack.pop() {
            match pending {
                Pending::Instance(scope) => {
                    let mut inner =
                        std::mem::take(&mut self.instances[scope.0 as usize].pending);
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

    fn declare_var(&mut self, scope: ScopeId, kind: syntax::VarKind, item_idx: usize, module: usize) {
        let program = self.program;
        let Item::Var { name, ty, .. } = &program.modules[module].items[item_idx] else {
            unreachable!("pending variables are variable items");
        };
        let span = program.span(*name);
        let known = self.domain(ty, scope).zip(self.bounds(&ty.dims, scope));
        let Some((domain, dims)) = known else {
            return self.redeclare(scope, *name, Entity::Known(Operand::Poison, span));
        };
        if self.model.vars.len() as u64 + n_elements(&dims) > MAX_VARS {
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
            let name = match dims.is_empty() {
                true => full_name.clone(),
                false => format!("{full_name}{}", index_suffix(&dims, element)),
            };
            let (domain, role) = (domain.clone(), Role::Output);
            self.model.vars.push(Var { name, kind, domain, role, span });
        }
        let operand = if dims.is_empty() {
            Operand::Expr(self.var_expr(VarId(first)))
        } else {
            let elements = first..self.model.vars.len() as u32;
            let exprs = elements.clone().map(|var| self.var_expr(VarId(var))).collect();
            self.model.arrays.push(Array { name: full_name, dims: dims.clone(), elements });
            Operand::Array(self.arrays.add(dims, exprs))
        };
        self.redeclare(scope, *name, Entity::Known(operand, span));
    }

    /// The selector that says which process moves, and `running` for each of them.
    pub fn declare_process_selector(&mut self) {
        if self.processes.is_empty() {
            return;
        }
        let names: Vec<String> = self.processes.iter()
            .map(|scope| self.instances[scope.0 as usize].prefix.trim_end_matches('.').to_string())
            .chain(["main".to_string()])
            .collect();
        let symbols: Vec<Value> =
            names.iter().map(|name| Value::Symbol(self.model.symbols.intern(name))).collect();
        let selector = VarId(self.model.vars.len() as u32);
        self.model.vars.push(Var {
            name: "_process_selector_".into(),
            kind: VarKind::Input,
            domain: Domain::Enum(symbols.clone().into()),
            role: Role::Internal,
            span: Span::default(),
        });
        self.model.process_selector = Some(selector);
        let mut processes = std::mem::take(&mut self.processes);
        processes.push(ScopeId::MAIN);
        for (&scope, &symbol) in processes.iter().zip(&symbols) {
            self.define_running(scope, selector, symbol);
        }
        self.processes = processes;
    }

    /// The symbols of an enumeration or of `CONSTANTS`.
    fn declare_symbols(&mut self, values: &[Code]) {
        for &value in values {
            let span = self.program.span(value);
            match self.code(value) {
                [node] => {
                    if let Op::Ident(name) = node.op {
                        let symbol = self.model.symbols.intern(self.program.name(name));
                        let expr = self.exprs().value(Value::Symbol(symbol));
                        self.constants.entry(name).or_insert((expr, span));
                        self.is_constant[name.0 as usize] = true;
                    }
                }
                nodes if nodes.iter().any(|n| matches!(n.op, Op::Dot(_))) => {
                    let text = dotted(self.program, nodes);
                    self.model.symbols.intern(&text);
                }
                _ => {}
            }
        }
    }

    fn domain(&mut self, ty: &TypeExpr, scope: ScopeId) -> Option<Domain> {
        match &ty.base {
            BaseType::Boolean => Some(Domain::Bool),
            BaseType::Integer => Some(Domain::Integer),
            BaseType::Real => Some(Domain::Real),
            BaseType::Clock => Some(Domain::Clock),
            BaseType::Word { signed, width } => {
                let bits = self.constant_int(*width, scope, "the width of a word")?;
                if !(1..=i64::from(Word::MAX_WIDTH)).contains(&bits) {
                    let text = format!("a word has 1 to {} bits, not {bits}", Word::MAX_WIDTH);
                    self.report(Diagnostic::error("bad-width", self.program.span(*width), text));
                    return None;
                }
                Some(Domain::Word { signed: *signed, width: bits as u8 })
            }
            BaseType::Range(lo, hi) => {
                let (lo, hi) = self.range(*lo, *hi, scope)?;
                self.check_range_size(lo, hi, ty.span)?;
                Some(Domain::Range(lo, hi))
            }
            BaseType::Enum(values) => self.enumeration(values),
            BaseType::Instance { .. } => unreachable!("instances are no variables"),
        }
    }

    fn check_range_size(&mut self, lo: i64, hi: i64, span: Span) -> Option<()> {
        let size = hi as i128 - lo as i128 + 1;
        if size > MAX_RANGE as i128 {
            let text = format!("a range of {size} values is too large");
            let help = "the limit is 2^32 values; use a word, or `integer` without bounds";
            self.report(Diagnostic::error("range-too-large", span, text).help(help));
            return None;
        }
        Some(())
    }

    fn enumeration(&mut self, codes: &[Code]) -> Option<Domain> {
        let mut values: Vec<Value> = Vec::with_capacity(codes.len());
        let mut seen = rustc_hash::FxHashMap::default();
        for &code in codes {
            let span = self.program.span(code);
            let value = self.enum_value(self.code(code), span)?;
            if let Some(first) = seen.insert(value, span) {
                let text = format!("`{}` stands twice in this enumeration", self.model.show(value));
                let error = Diagnostic::error("duplicate-value", span, text);
                self.report(error.label(first, "first here"));
                return None;
            }
            values.push(value);
        }
        Some(Domain::Enum(values.into()))
    }

    fn enum_value(&mut self, nodes: &[syntax::Node], span: Span) -> Option<Value> {
        let int = |op: Op| match op {
            Op::Int(i) => Some(i64::from(i)),
            Op::Literal(idx) => match self.program.literals[idx as usize] {
                syntax::Literal::Int(i) => Some(i),
                _ => None,
            },
            _ => None,
        };
        match nodes {
            [node] if matches!(node.op, Op::True | Op::False) => {
                let text = "TRUE and FALSE can't be members of an enumeration";
                self.report(Diagnostic::error("bad-enum", span, text).help("use `boolean`"));
                None
            }
            [node] => match node.op {
                Op::Ident(name) => self.model.exprs.as_const(self.constants[&name].0),
                op => int(op).map(Value::Int),
            },
            [number, minus] if minus.op == Op::Unary(Unary::Neg) => {
                int(number.op).map(|i| Value::Int(-i))
            }
            _ => {
                let text = dotted(self.program, nodes);
                Some(Value::Symbol(self.model.symbols.intern(&text)))
            }
        }
    }

    /// The bounds of the dimensions of an array.
    fn bounds(&mut self, dims: &[(Code, Code)], scope: ScopeId) -> Option<Vec<(i64, i64)>> {
        let dims: Vec<_> =
            dims.iter().map(|&(lo, hi)| self.range(lo, hi, scope)).collect::<Option<_>>()?;
        Some(dims)
    }

    fn range(&mut self, lo: Code, hi: Code, scope: ScopeId) -> Option<(i64, i64)> {
        let span = self.program.span(lo).to(self.program.span(hi));
        let lo = self.constant_int(lo, scope, "a bound");
        let hi = self.constant_int(hi, scope, "a bound");
        let (lo, hi) = (lo?, hi?);
        if lo > hi {
            let text = format!("the range {lo}..{hi} is empty");
            self.report(Diagnostic::error("empty-range", span, text).help("write the lower bound first"));
            return None;
        }
        Some((lo, hi))
    }

    fn constant_int(&mut self, code: Code, scope: ScopeId, what: &str) -> Option<i64> {
        let span = self.program.span(code);
        let expr = match self.lower_now(code, scope) {
            Operand::Expr(expr) => expr,
            Operand::Poison => return None,
            _ => return self.not_constant(span, what),
        };
        if self.model.exprs.info(expr).reads != trapline_model::Reads::NOTHING {
            return self.not_constant(span, what);
        }
        match trapline_model::eval::constant(&self.model, expr) {
            Ok(Value::Int(i)) => Some(i),
            _ => self.not_constant(span, what),
        }
    }

    fn not_constant(&mut self, span: Span, what: &str) -> Option<i64> {
        let text = format!("{what} must be a constant integer");
        self.report(Diagnostic::error("not-constant", span, text));
        None
    }

    pub fn full_name(&self, scope: ScopeId, name: Code) -> String {
        let prefix = &self.instances[scope.0 as usize].prefix;
        let mut text = String::with_capacity(prefix.len() + 16);
        text.push_str(prefix);
        text.push_str(&dotted(self.program, self.code(name)));
        text
    }

    /// Declares a name, which may be dotted or indexed, in a scope.
    fn declare(&mut self, scope: ScopeId, name: Code, entity: Entity) {
        let Some((scope, last)) = self.enter(scope, name) else { return };
        match last {
            Last::Name(name) => self.declare_one(scope, name, entity),
            Last::Number(number) => {
                if let Some(first) = self.numbers.insert((scope, number), entity) {
                    self.declared_twice(&number.to_string(), entity, first);
                }
            }
        }
    }

    fn declare_one(&mut self, scope: ScopeId, name: NameId, entity: Entity) {
        if let Some(first) = self.names.insert(scope, name, entity) {
            let text = self.name(name).to_string();
            self.declared_twice(&text, entity, first);
        }
    }

    fn declared_twice(&mut self, name: &str, entity: Entity, first: Entity) {
        let text = format!("`{name}` is declared twice");
        let error = Diagnostic::error("duplicate-name", entity.span(), text);
        self.report(error.label(first.span(), "first declared here"));
    }

    fn redeclare(&mut self, scope: ScopeId, name: Code, entity: Entity) {
        if let Some((scope, last)) = self.enter(scope, name) {
            match last {
                Last::Name(name) => drop(self.names.insert(scope, name, entity)),
                Last::Number(number) => drop(self.numbers.insert((scope, number), entity)),
            }
        }
    }

    /// Walks (and makes) the name spaces that a dotted or indexed declaration goes through.
    fn enter(&mut self, mut scope: ScopeId, name: Code) -> Option<(ScopeId, Last)> {
        let mut steps = declared_steps(self.program, self.code(name)).into_iter().peekable();
        while let Some(step) = steps.next() {
            if steps.peek().is_none() {
                return Some((scope, step));
            }
            let found = match step {
                Last::Name(name) => self.names.get(scope, name),
                Last::Number(number) => self.numbers.get(&(scope, number)).copied(),
            };
            scope = match found {
                Some(Entity::Known(Operand::Instance(inner), _)) => inner,
                Some(_) => return None,
                None => self.add_name_space(scope, step, self.program.span(name)),
            };
        }
        None
    }

    fn add_name_space(&mut self, parent: ScopeId, step: Last, span: Span) -> ScopeId {
        let scope = ScopeId(self.instances.len() as u32);
        let process = self.instances[parent.0 as usize].process;
        let (module, prefix, pending) = (None, String::new(), Vec::new());
        self.instances.push(Instance { module, parent: Some(parent), prefix, process, pending });
        let entity = Entity::Known(Operand::Instance(scope), span);
        match step {
            Last::Name(name) => drop(self.names.insert(parent, name, entity)),
            Last::Number(number) => drop(self.numbers.insert((parent, number), entity)),
        }
        scope
    }
}

impl Entity {
    pub fn span(self) -> Span {
        match self {
            Entity::Declared(span) | Entity::Known(_, span) | Entity::Cell(_, span) => span,
        }
    }
}

/// A step of a declared name.
#[derive(Clone, Copy, Debug)]
enum Last {
    Name(NameId),
    Number(i64),
}

fn declared_steps(program: &syntax::Program, nodes: &[syntax::Node]) -> Vec<Last> {
    let mut steps = Vec::new();
    let mut sign = 1;
    for node in nodes {
        match node.op {
            Op::Ident(name) | Op::Dot(name) => steps.push(Last::Name(name)),
            Op::DotNumber(number) | Op::Int(number) => steps.push(Last::Number(number.into())),
            Op::Unary(Unary::Neg) => sign = -1,
            Op::Index => {
                if let Some(Last::Number(number)) = steps.last_mut() {
                    *number *= sign;
                }
                sign = 1;
            }
            _ => debug_assert!(false, "{:?} in a declared name", program.names.len()),
        }
    }
    steps
}

/// A declared name or a dotted constant as text.
pub(super) fn dotted(program: &syntax::Program, nodes: &[syntax::Node]) -> String {
    let mut text = String::new();
    let mut number = String::new();
    for node in nodes {
        match node.op {
            Op::Ident(name) => text.push_str(program.name(name)),
            Op::Dot(name) => {
                text.push('.');
                text.push_str(program.name(name));
            }
            Op::DotNumber(number) => text.push_str(&format!(".{number}")),
            Op::Int(int) => number = int.to_string(),
            Op::Unary(Unary::Neg) => number.insert(0, '-'),
            Op::Index => text.push_str(&format!("[{number}]")),
            _ => {}
        }
    }
    text
}

/// How many elements an array of these dimensions has; 1 when it is no array.
fn n_elements(dims: &[(i64, i64)]) -> u64 {
    dims.iter().fold(1, |n, &(lo, hi)| {
        let size = (hi as i128 - lo as i128 + 1).clamp(0, u64::MAX as i128) as u64;
        n.saturating_mul(size)
    })
}

/// `[2][-1]` for an element by its position, the last index fastest.
fn index_suffix(dims: &[(i64, i64)], element: u64) -> String {
    let mut rest = element;
    let mut indices: Vec<String> = dims.iter().rev()
        .map(|&(lo, hi)| {
            let size = (hi - lo + 1) as u64;
            let index = lo + (rest % size) as i64;
            rest /= size;
            format!("[{index}]")
        })
        .collect();
    indices.reverse();
    indices.concat()
}
