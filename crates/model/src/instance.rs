//! The instances of modules, and how their text names what has a full name in the flat model.

use crate::expr::{Expr, ExprId};
use crate::model::Model;
use crate::name;

/// An instance of a module, by its position in [`Model::instances`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InstanceId(pub u32);

/// An instance of a module.
#[derive(Clone, Debug)]
pub struct ModuleInstance {
    /// Its full name, which is empty for the main module.
    pub name: String,
    /// Its parameters, each with its argument.
    pub params: Vec<(String, Argument)>,
}

/// What a parameter denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A value.
    Expr(ExprId),
    /// An instance, by its full name.
    Instance(String),
}

impl Model {
    /// How the text of an instance names a variable or a definition; `None` if it can't.
    pub fn local_name(&self, at: InstanceId, of: ExprId) -> Option<String> {
        let full = match self.exprs.get(of) {
            Expr::Var(var) | Expr::Next(var) => &self.var(var).name,
            Expr::Define(define) | Expr::NextDefine(define) => &self.define(define).name,
            _ => return None,
        };
        let Some(instance) = self.instances.get(at.0 as usize) else { return Some(full.clone()) };
        if let Some(own) = inside(full, &instance.name) {
            return Some(own.to_string());
        }
        instance.params.iter().find_map(|(param, argument)| match argument {
            Argument::Expr(expr) => (*expr == of).then(|| param.clone()),
            Argument::Instance(outer) => inside(full, outer).map(|own| name::member(param, own)),
        })
    }
}

/// The name of a member inside an instance.
fn inside<'n>(full: &'n str, instance: &str) -> Option<&'n str> {
    match instance {
        "" => Some(full),
        _ => full.strip_prefix(instance)?.strip_prefix('.'),
    }
}
