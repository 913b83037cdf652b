//! What stands on the left of a definition: which parts of which variable.

use trapline_model::ExprId;
use trapline_source::Diagnostic;

use super::Lowerer;
use super::bind::BaseModule;
use super::term::{Place, Term, Type};
use crate::sal::syntax::{Access, Class, Lhs, NodeId};

/// Which section a definition stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// `DEFINITION`: of every state.
    Definition,
    /// `INITIALIZATION`: of initial states.
    Initialization,
    /// `TRANSITION`: of the next state.
    Transition,
}

/// What is given a value.
#[derive(Debug)]
pub(super) struct Target {
    /// Its type.
    pub ty: Type,
    /// It is one of these: several if an index is not constant.
    pub locations: Vec<Location>,
}

/// A part of a variable.
#[derive(Clone, Debug)]
pub(super) struct Location {
    /// The part, in the current state.
    pub term: Term,
    /// When it is the one that is meant. `None`: always.
    pub only_if: Option<ExprId>,
}

impl Lowerer<'_> {
    /// What a left-hand side stands for.
    pub(super) fn target(
        &mut self,
        lhs: &Lhs,
        base: &BaseModule,
        place: &Place,
        section: Section,
    ) -> Option<Target> {
        if !self.may_be_assigned(lhs, base, section) {
            return None;
        }
        let owned = base.vars.get(&lhs.name.id)?.clone();
        let mut target =
            Target { ty: owned.ty, locations: vec![Location { term: owned.term, only_if: None }] };
        let mut indices = lhs.indices.iter();
        for access in &lhs.path {
            while let Type::Refined(refined) = &target.ty {
                target.ty = refined.base.clone();
            }
            let n_indices = match access {
                Access::Index => 1,
                Access::Apply(n_args) => *n_args as usize,
                Access::Field(_) | Access::Component(_) => 0,
            };
            let nodes: Vec<NodeId> = indices.by_ref().take(n_indices).copied().collect();
            target = self.narrowed(target, *access, &nodes, (lhs, place))?;
        }
        Some(target)
    }

    /// May this variable stand on the left, primed as it is?
    fn may_be_assigned(&mut self, lhs: &Lhs, base: &BaseModule, section: Section) -> bool {
        let name = self.text(lhs.name.id).to_string();
        let Some(owned) = base.vars.get(&lhs.name.id) else {
            let text = format!("`{name}` is not a variable of this module");
            let known: Vec<String> =
                base.vars.keys().map(|known| self.text(*known).to_string()).collect();
            let mut error = Diagnostic::error("unknown-name", lhs.name.span, text);
            let close = crate::close::closest(&name, known.iter().map(String::as_str));
            if let Some(close) = close {
                error = error.help(format!("did you mean `{close}`?"));
            }
            self.report(error);
            return false;
        };
        let wrong = match (owned.class, section) {
            (Class::Input, _) => Some((
                format!("`{name}` is an input, which the environment sets"),
                "declare it as an OUTPUT or LOCAL variable to give it a value".to_string(),
            )),
            (Class::Global, Section::Definition) => Some((
                format!("`{name}` is global, and can't be defined for all states"),
                "give it a value in INITIALIZATION and TRANSITION".to_string(),
            )),
            (_, Section::Transition) if !lhs.is_primed => Some((
                format!("`{name}` is given a value in TRANSITION without being primed"),
                format!("a step gives the next value: `{name}' = ...`"),
            )),
            (_, Section::Definition | Section::Initialization) if lhs.is_primed => Some((
                format!("`{name}` is primed here, where there is no next state"),
                format!("write `{name}` without the prime, or move this to TRANSITION"),
            )),
            _ => None,
        };
        match wrong {
            Some((text, help)) => {
                self.report(Diagnostic::error("bad-target", lhs.span, text).help(help));
                false
            }
            None => true,
        }
    }

    /// One step further into what is given a value.
    fn narrowed(
        &mut self,
        target: Target,
        access: Access,
        nodes: &[NodeId],
        (lhs, place): (&Lhs, &Place),
    ) -> Option<Target> {
        match (access, &target.ty) {
            (Access::Index | Access::Apply(_), Type::Array(array)) => {
                let array = std::rc::Rc::clone(array);
                let index = self.index_value(nodes, place)?;
                let span = lhs.span;
                let index = self.coerce(&index, &array.0.ty, span);
                if index.is_poison() {
                    return None;
                }
                let locations = self.elements(&target.locations, &array.0, &index, lhs)?;
                Some(Target { ty: array.1.clone(), locations })
            }
            (Access::Field(name), Type::Record(fields)) => {
                let idx = fields.iter().position(|(own, _)| *own == name);
                let Some(idx) = idx else {
                    let text = format!("this record has no field `{}`", self.text(name));
                    self.report(Diagnostic::error("unknown-name", lhs.span, text));
                    return None;
                };
                let ty = fields[idx].1.clone();
                Some(Target { ty, locations: inside(target.locations, idx) })
            }
            (Access::Component(number), Type::Tuple(types))
                if (1..=types.len()).contains(&(number as usize)) =>
            {
                let idx = number as usize - 1;
                let ty = types[idx].clone();
                Some(Target { ty, locations: inside(target.locations, idx) })
            }
            (_, ty) => {
                let text = format!("there is no such part in {}", self.describe_type(ty));
                self.report(Diagnostic::error("type-mismatch", lhs.span, text));
                None
            }
        }
    }

    fn index_value(&mut self, nodes: &[NodeId], place: &Place) -> Option<Term> {
        let values: Vec<Term> = nodes.iter().map(|&node| self.eval(node, place, false)).collect();
        if values.iter().any(Term::is_poison) {
            return None;
        }
        match values.as_slice() {
            [one] => Some(one.clone()),
            all => Some(Term::Tuple(all.into())),
        }
    }

    /// The elements that an index may stand for.
    fn elements(
        &mut self,
        locations: &[Location],
        array: &super::term::Index,
        index: &Term,
        lhs: &Lhs,
    ) -> Option<Vec<Location>> {
        if let Some(key) = self.key(index) {
            let Some(&position) = array.positions.get(&key) else {
                let (shown, ty) = (self.shown(index), self.describe_type(&array.ty));
                let text = format!("the index {shown} is not in {ty}");
                self.report(Diagnostic::error("index-out-of-bounds", lhs.span, text));
                return None;
            };
            let element = |location: &Location| match &location.term {
                Term::Array(own) => {
                    Some(Location { term: own.elements[position].clone(), ..location.clone() })
                }
                _ => None,
            };
            return locations.iter().map(element).collect();
        }
        let mut elements = Vec::new();
        for (position, member) in array.members.iter().enumerate() {
            let is_it = self.equal(index, member)?;
            if self.model.exprs.is_false(is_it) {
                continue;
            }
            for location in locations {
                let Term::Array(own) = &location.term else { return None };
                let only_if = match location.only_if {
                    Some(before) => self.model.exprs.and(before, is_it),
                    None => is_it,
                };
                let term = own.elements[position].clone();
                elements.push(Location { term, only_if: Some(only_if) });
            }
        }
        Some(elements)
    }
}

fn inside(locations: Vec<Location>, idx: usize) -> Vec<Location> {
    let part = |location: Location| {
        let term = match &location.term {
            Term::Tuple(parts) => parts.get(idx).cloned(),
            Term::Record(fields) => fields.get(idx).map(|(_, term)| term.clone()),
            _ => None,
        };
        term.map(|term| Location { term, ..location })
    };
    locations.into_iter().filter_map(part).collect()
}
