//! Enumerations: types whose values belong to no other type.
//!
//! In SMV a symbol may be in many sets, beside numbers, and values of different sets compare. SAL's
//! enumerations are disjoint. So values that come together anywhere, in the type of a variable, a
//! comparison, an assignment or a choice, are values of one enumeration, and the variables have
//! subtypes of it. A number among symbols becomes a symbol, `n_3`.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::{BinaryOp, Domain, Expr, ExprId, Model, SetOf, Type, Value, VarId};

use super::bounds::Bounds;
use super::names::Names;

/// A computed number that meets symbols may have this many values.
pub(super) const MAX_NUMBERS: i64 = 256;

/// The enumerations of a model.
#[derive(Debug)]
pub(super) struct Enums {
    classes: Classes,
    of_expr: FxHashMap<ExprId, u32>,
    of_var: FxHashMap<VarId, u32>,
    of_value: FxHashMap<Value, u32>,
    /// All values in the order in which they were met.
    values: Vec<Value>,
    names: FxHashMap<Value, String>,
    /// The name of each enumeration, by its class.
    types: FxHashMap<u32, String>,
}

/// Classes of nodes that belong together.
#[derive(Debug, Default)]
struct Classes {
    parents: Vec<u32>,
}

/// An expression that no enumeration has a place for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit {
    /// The expression.
    pub expr: ExprId,
    /// Why.
    pub why: &'static str,
}

impl Enums {
    /// What comes together in these expressions, operands first, and in the assignments, if the module
    /// declares the variables.
    pub fn new(
        model: &Model,
        exprs: &[ExprId],
        is_declared: impl Fn(VarId) -> bool,
        bounds: &mut Bounds,
    ) -> (Enums, Vec<Misfit>) {
        let mut enums = Enums {
            classes: Classes::default(),
            of_expr: FxHashMap::default(),
            of_var: FxHashMap::default(),
            of_value: FxHashMap::default(),
            values: Vec::new(),
            names: FxHashMap::default(),
            types: FxHashMap::default(),
        };
        for (id, var) in model.var_ids().filter(|(id, _)| is_declared(*id)) {
            if let (Domain::Enum(values), true) = (&var.domain, is_enumerated(var.domain.ty())) {
                let class = enums.classes.add();
                enums.of_var.insert(id, class);
                for &value in values.iter() {
                    enums.meet(class, value);
                }
            }
        }
        let mut misfits = Vec::new();
        for &id in exprs {
            enums.visit(model, id, bounds, &mut misfits);
        }
        for assign in &model.assigns {
            if let Some(&class) = enums.of_var.get(&assign.var) {
                enums.join(model, class, assign.expr, bounds, &mut misfits);
            }
        }
        (enums, misfits)
    }

    fn visit(&mut self, model: &Model, id: ExprId, bounds: &mut Bounds, misfits: &mut Vec<Misfit>) {
        let exprs = &model.exprs;
        let expr = exprs.get(id);
        match expr {
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In, a, b) => {
                let is_about = [a, b].map(|side| is_enumerated(exprs.ty(side)));
                if is_about.contains(&true) {
                    let class = self.classes.add();
                    self.join(model, class, a, bounds, misfits);
                    self.join(model, class, b, bounds, misfits);
                }
                return;
            }
            _ if !is_enumerated(exprs.ty(id)) => return,
            _ => {}
        }
        let class = self.class(id);
        match expr {
            Expr::Const(c) => self.meet(class, exprs.constant(c)),
            Expr::Var(v) | Expr::Next(v) => {
                if let Some(&of_var) = self.of_var.get(&v) {
                    self.classes.union(class, of_var);
                }
            }
            Expr::Define(d) | Expr::NextDefine(d) => {
                let body = self.class(model.define(d).body.expr);
                self.classes.union(class, body);
            }
            Expr::Ite(_, a, b) | Expr::Binary(BinaryOp::Union, a, b) => {
                self.join(model, class, a, bounds, misfits);
                self.join(model, class, b, bounds, misfits);
            }
            _ => {}
        }
    }

    /// What an expression gives has its place in the class.
    fn join(
        &mut self,
        model: &Model,
        class: u32,
        expr: ExprId,
        bounds: &mut Bounds,
        misfits: &mut Vec<Misfit>,
    ) {
        match model.exprs.ty(expr) {
            ty if is_enumerated(ty) => {
                let other = self.class(expr);
                self.classes.union(class, other);
            }
            Type::Int | Type::Set(SetOf::Int) => match bounds.of(model, expr) {
                Some((lo, hi)) if hi.saturating_sub(lo) < MAX_NUMBERS => {
                    (lo..=hi).for_each(|number| self.meet(class, Value::Int(number)));
                }
                _ => misfits.push(Misfit { expr, why: "a number of many values among symbols" }),
            },
            Type::Never => {}
            _ => misfits.push(Misfit { expr, why: "a set of truth values and others" }),
        }
    }

    fn class(&mut self, expr: ExprId) -> u32 {
        *self.of_expr.entry(expr).or_insert_with(|| self.classes.add())
    }

    fn meet(&mut self, class: u32, value: Value) {
        let of_value = *self.of_value.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.classes.add()
        });
        self.classes.union(class, of_value);
    }

    /// Gives every value and every enumeration a name, and returns the types to be declared: first the
    /// enumerations, then the subtypes of variables, each with its definition. `types` receives
    /// the type of each variable that has one with a name.
    pub fn declare(
        &mut self,
        model: &Model,
        names: &mut Names,
        var_names: &[String],
        types: &mut FxHashMap<VarId, String>,
    ) -> Vec<(String, String)> {
        let shown: Vec<String> = self.values.iter().map(|&value| symbol(model, value)).collect();
        let given = names.all(shown.iter().map(String::as_str));
        self.names = self.values.iter().copied().zip(given).collect();
        let mut members: Vec<(u32, Vec<Value>)> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for &value in &self.values {
            let class = self.classes.find(self.of_value[&value]);
            let place = *places.entry(class).or_insert_with(|| {
                members.push((class, Vec::new()));
                members.len() - 1
            });
            members[place].1.push(value);
        }
        let mut declared = Vec::new();
        let mut known: FxHashMap<Vec<Value>, String> = FxHashMap::default();
        for (class, values) in members {
            let whole = model.var_ids().find(|(_, var)| is_domain(&var.domain, &values));
            let wanted = match whole {
                Some((id, var)) => type_name(model, &var.domain, &var_names[id.0 as usize]),
                None => "symbols".into(),
            };
            let name = names.fresh(&wanted);
            let list: Vec<&str> = values.iter().map(|value| self.names[value].as_str()).collect();
            declared.push((name.clone(), format!("{{{}}}", list.join(", "))));
            self.types.insert(class, name.clone());
            known.insert(sorted(&values), name);
        }
        for (id, var) in model.var_ids() {
            let Some(class) = self.of_var.get(&id).map(|&class| self.classes.find(class)) else {
                continue;
            };
            let Domain::Enum(values) = &var.domain else { continue };
            let name = known.entry(sorted(values)).or_insert_with(|| {
                let wanted = type_name(model, &var.domain, &var_names[id.0 as usize]);
                let name = names.fresh(&wanted);
                let is_one = |value| format!("v = {}", self.names[value]);
                let cases: Vec<String> = values.iter().map(is_one).collect();
                let whole = &self.types[&class];
                declared.push((name.clone(), format!("{{v: {whole} | {}}}", cases.join(" OR "))));
                name
            });
            types.insert(id, name.clone());
        }
        declared
    }

    /// The name of the type of an expression that has symbols.
    pub fn type_of(&self, expr: ExprId) -> Option<&str> {
        let class = self.classes.root(*self.of_expr.get(&expr)?);
        self.types.get(&class).map(String::as_str)
    }

    /// The name of a value among symbols.
    pub fn name(&self, value: Value) -> Option<&str> {
        self.names.get(&value).map(String::as_str)
    }
}

impl Classes {
    fn add(&mut self) -> u32 {
        self.parents.push(self.parents.len() as u32);
        self.parents.len() as u32 - 1
    }

    fn root(&self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            node = self.parents[node as usize];
        }
        node
    }

    fn find(&mut self, node: u32) -> u32 {
        let root = self.root(node);
        let mut node = node;
        while node != root {
            node = std::mem::replace(&mut self.parents[node as usize], root);
        }
        root
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

/// Are there symbols among its values?
pub(super) fn is_enumerated(ty: Type) -> bool {
    matches!(ty, Type::Symbol | Type::Mixed | Type::Set(SetOf::Symbol | SetOf::Mixed))
}

/// The author's name for a type, or one after a variable.
pub(super) fn type_name(model: &Model, domain: &Domain, var: &str) -> String {
    let named = model.types.iter().find(|(_, known)| known == domain);
    named.map_or_else(|| format!("{var}_type"), |(name, _)| name.clone())
}

fn is_domain(domain: &Domain, values: &[Value]) -> bool {
    let Domain::Enum(own) = domain else { return false };
    own.len() == values.len() && {
        let own: FxHashSet<Value> = own.iter().copied().collect();
        values.iter().all(|value| own.contains(value))
    }
}

fn sorted(values: &[Value]) -> Vec<Value> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted
}

/// How a value would like to be called.
fn symbol(model: &Model, value: Value) -> String {
    match value {
        Value::Symbol(symbol) => model.symbols.name(symbol).into(),
        Value::Int(i) if i < 0 => format!("n_minus_{}", i.unsigned_abs()),
        Value::Int(i) => format!("n_{i}"),
        other => model.show(other),
    }
}
