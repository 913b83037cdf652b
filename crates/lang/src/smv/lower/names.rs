//! Looking names up.

use trapline_model::name;
use trapline_model::{Expr, Type, Value};
use trapline_source::{Diagnostic, Diagnostics, Span};

use super::super::syntax::{Item as SyntaxItem, NameId};
use super::declare::{InstanceArray, ScopeId};
use super::scope::Entity;
use super::{Item, Lowerer, Operand};

impl Lowerer<'_> {
    /// Resolves a single name. With `is_path` a dot follows, so that it may be the first part of a
    /// dotted constant.
    pub fn resolve(&mut self, name: NameId, scope: ScopeId, span: Span, is_path: bool) -> Operand {
        if let Some(entity) = self.names.get(scope, name) {
            let constant = match self.is_constant[name.0 as usize] {
                true => self.constants.get(&name),
                false => None,
            };
            match constant {
                None => return self.entity(entity),
                // An instance and a constant are told apart by the dot that follows.
                Some(_) if matches!(entity, Entity::Known(Operand::Instance(_), _)) => {
                    if is_path {
                        return self.entity(entity);
                    }
                }
                Some(&(_, constant)) => {
                    return self.ambiguous(name, span, entity.span(), constant);
                }
            }
        }
        if let Some(&(expr, _)) = self.constants.get(&name) {
            return Operand::Expr(expr);
        }
        let text = self.name(name);
        if text == "running"
            && let Some(operand) = self.running(scope)
        {
            return operand;
        }
        if text == "_process_selector_"
            && let Some(selector) = self.model.process_selector()
        {
            return Operand::Expr(self.var_expr(selector));
        }
        if is_path {
            self.paths.push(text.to_string());
            return Operand::Path(self.paths.len() as u32 - 1);
        }
        self.unknown(text, scope, span)
    }

    /// `operand.name`
    pub fn member(&mut self, base: Item, name: NameId, span: Span, is_path: bool) -> Operand {
        match self.space_of(base.operand).map_or(base.operand, Operand::Instance) {
            Operand::Instance(scope) => {
                if let Some(entity) = self.names.get(scope, name) {
                    return self.entity(entity);
                }
                if self.name(name) == "running"
                    && let Some(operand) = self.running(scope)
                {
                    return operand;
                }
                let instance = &self.instances[scope.0 as usize].name;
                let text = name::member(instance, self.name(name));
                match self.model.symbols.find(&text) {
                    Some(symbol) => Operand::Expr(self.exprs().value(Value::Symbol(symbol))),
                    None => self.unknown(&text, scope, span),
                }
            }
            Operand::Path(path) => {
                let text = name::member(&self.paths[path as usize], self.name(name));
                if let Some(symbol) = self.model.symbols.find(&text) {
                    return Operand::Expr(self.exprs().value(Value::Symbol(symbol)));
                }
                if is_path {
                    self.paths.push(text);
                    return Operand::Path(self.paths.len() as u32 - 1);
                }
                self.unknown(&text, ScopeId::MAIN, span)
            }
            Operand::Poison => Operand::Poison,
            Operand::Expr(_) | Operand::Array(_) | Operand::Instances(_) => {
                let text =
                    format!("only an instance of a module has a member `{}`", self.name(name));
                self.report(Diagnostic::error("no-member", span, text));
                Operand::Poison
            }
        }
    }

    /// `operand.3`, and `operand[3]` of a name space.
    pub fn numbered_member(&mut self, base: Item, number: i64, span: Span) -> Operand {
        let found = match self.space_of(base.operand).map_or(base.operand, Operand::Instance) {
            Operand::Instance(scope) => self.numbers.get(&(scope, number)).copied(),
            Operand::Poison => return Operand::Poison,
            _ => None,
        };
        match found {
            Some(entity) => self.entity(entity),
            None => {
                let text = format!("there is no element {number} here");
                self.report(Diagnostic::error("unknown-name", span, text));
                Operand::Poison
            }
        }
    }

    /// An element of an array of instances, by a constant index.
    pub fn instance_element(&mut self, array: u32, index: Item, span: Span) -> Operand {
        let InstanceArray { first, dims } = self.instance_arrays[array as usize].clone();
        let Operand::Expr(expr) = index.operand else { return Operand::Poison };
        let position = match trapline_model::eval::constant(&self.model, expr) {
            Ok(Value::Int(position)) => position,
            _ => {
                let text = "an array of instances takes a constant index";
                self.report(Diagnostic::error("not-constant", index.span, text));
                return Operand::Poison;
            }
        };
        let (lo, hi) = dims[0];
        if position < lo || hi < position {
            let text = format!("index {position} is outside the array, which has {lo}..{hi}");
            self.report(Diagnostic::error("index-out-of-bounds", span, text));
            return Operand::Poison;
        }
        let size: i64 = dims[1..].iter().map(|&(lo, hi)| hi - lo + 1).product();
        let first = ScopeId(first.0 + ((position - lo) * size) as u32);
        if dims.len() == 1 {
            return Operand::Instance(first);
        }
        self.instance_arrays.push(InstanceArray { first, dims: dims[1..].to_vec() });
        Operand::Instances(self.instance_arrays.len() as u32 - 1)
    }

    /// `running` of a process; there is none in the instances inside it.
    fn running(&mut self, scope: ScopeId) -> Option<Operand> {
        let define = *self.running.get(&scope)?;
        Some(self.define_operand(define))
    }

    /// A process used as a value is the symbol by which the selector names it.
    pub fn as_value(&mut self, operand: Operand) -> Operand {
        let Operand::Instance(scope) = operand else { return operand };
        let instance = &self.instances[scope.0 as usize];
        let is_process = scope != ScopeId::MAIN && self.running.contains_key(&scope);
        // In a flat text the processes are mere name spaces.
        let may_be_symbol = is_process || instance.module.is_none();
        match self.model.symbols.find(&instance.name).filter(|_| may_be_symbol) {
            Some(symbol) => Operand::Expr(self.exprs().value(Value::Symbol(symbol))),
            None => operand,
        }
    }

    /// A name that is both declared and a symbolic constant means neither, in any module. A
    /// variable that stands before the constant is an error only where the name is used.
    pub fn check_constants(&mut self) {
        let mut clashes: Vec<(NameId, Span, Span)> = self
            .names
            .declared()
            .filter(|(name, entity)| {
                self.is_constant[name.0 as usize]
                    && match entity {
                        Entity::Known(Operand::Instance(_) | Operand::Instances(_), _) => false,
                        Entity::Known(..) | Entity::Declared(_) => {
                            self.constants[name].1 < entity.span()
                        }
                        Entity::Cell(cell, _) => self.cells[cell.0 as usize].is_define,
                    }
            })
            .map(|(name, entity)| (name, entity.span(), self.constants[&name].1))
            .collect();
        clashes.sort_unstable_by_key(|&(_, span, _)| span);
        for (name, span, constant) in clashes {
            self.ambiguous(name, span, span, constant);
        }
    }

    fn ambiguous(&mut self, name: NameId, span: Span, first: Span, second: Span) -> Operand {
        let text = format!("`{}` is both a declared name and a symbolic constant", self.name(name));
        let mut error = Diagnostic::error("ambiguous-name", span, text);
        if first != span {
            error = error.label(first, "declared here");
        }
        self.report(error.label(second, "a symbolic constant here").help("rename one of them"));
        Operand::Poison
    }

    fn unknown(&mut self, text: &str, scope: ScopeId, span: Span) -> Operand {
        let mut error = Diagnostic::error("unknown-name", span, format!("unknown name `{text}`"));
        if let Some(help) = self.suggest(text, scope) {
            error = error.help(help);
        }
        self.report(error);
        Operand::Poison
    }

    fn suggest(&self, text: &str, scope: ScopeId) -> Option<String> {
        // A suggestion costs a scan of all names, so their number is limited.
        if self.diagnostics.n_errors() >= Diagnostics::LIMIT {
            return None;
        }
        if let Some(name) = text.strip_suffix('-') {
            return Some(format!(
                "`{text}` is one name, since names may contain `-`; write `{name} ->` with a blank"
            ));
        }
        if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
            return Some(format!("did you mean `{}`?", text.to_uppercase()));
        }
        // A minus sign in a name is a part of it: `x-1` is one name.
        if let Some((left, right)) = text.split_once('-')
            && !left.is_empty()
            && self.is_known(left, scope)
        {
            return Some(format!(
                "`{text}` is one name, since names may contain `-`; did you mean `{left} - {right}`?"
            ));
        }
        let module = self.instances[scope.0 as usize].module;
        let is_module = self.program.modules.iter().any(|m| self.program.name(m.name.id) == text);
        if is_module {
            return Some(format!("`{text}` is a module; declare an instance of it in VAR first"));
        }
        let outer = self.instances[scope.0 as usize].parent;
        if outer.is_some_and(|outer| self.is_known(text, outer)) {
            return Some(format!(
                "`{text}` is declared around this module; pass it in as a parameter to use it here"
            ));
        }
        let members = module.into_iter().flat_map(|module| self.member_names(module));
        let constants = self.constants.keys().map(|&name| self.program.name(name));
        crate::close::closest(text, members.chain(constants))
            .map(|close| format!("did you mean `{close}`?"))
    }

    fn member_names(&self, module: usize) -> Vec<&str> {
        let module = &self.program.modules[module];
        let params = module.params.iter().map(|param| self.program.name(param.id));
        let items = module.items.iter().filter_map(|item| match item {
            SyntaxItem::Var { name, .. } | SyntaxItem::Define { name, .. } => {
                match self.program.code(*name)[0].op {
                    super::super::syntax::Op::Ident(name) => Some(self.program.name(name)),
                    _ => None,
                }
            }
            _ => None,
        });
        params.chain(items).collect()
    }

    fn is_known(&self, text: &str, scope: ScopeId) -> bool {
        let name = self.program.names.iter().position(|name| &**name == text);
        name.is_some_and(|idx| {
            let name = NameId(idx as u32);
            self.names.get(scope, name).is_some() || self.constants.contains_key(&name)
        })
    }

    /// The type of an operand for error messages.
    pub fn describe(&self, operand: Operand) -> String {
        match operand {
            Operand::Expr(expr) => match self.ty(expr) {
                Type::Int if matches!(self.model.exprs.get(expr), Expr::Const(_)) => {
                    "integer".into()
                }
                ty => ty.to_string(),
            },
            Operand::Array(array) => {
                let dims = self
                    .arrays
                    .dims(array)
                    .iter()
                    .map(|(lo, hi)| format!("array {lo}..{hi} of "))
                    .collect::<String>();
                format!("{dims}{}", self.ty(self.arrays.elements(array)[0]))
            }
            Operand::Instance(_) => "instance of a module".into(),
            Operand::Instances(_) => "array of instances".into(),
            Operand::Path(_) | Operand::Poison => "unknown".into(),
        }
    }
}
