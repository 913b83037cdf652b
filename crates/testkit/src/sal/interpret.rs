//! What a context means, by the definition of the language: initial states and steps are relations
//! between all values that the types admit, put together module by module.
//!
//! A step of a base module takes one of its commands, and what it gives no value keeps the one it has.
//! Inputs change as they like. Definitions hold in every state. Where modules move together all their
//! relations hold; where one moves, the others keep what they control. Whatever leaves its type is no
//! step, since the values of a type are all that there is.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::{Env, Path, Paths, State, position, size, values};
use super::{
    Base, Claim, Class, Command, Def, Form, Lhs, Module, Part, Section, Set, Spec, Ty, Value, Var,
};

/// What a context does.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The variables of the whole, hidden ones among them.
    pub vars: Vec<Var>,
    /// The initial states.
    pub initial: BTreeSet<State>,
    /// The states that can be reached.
    pub states: BTreeSet<State>,
    /// The steps between them.
    pub steps: BTreeSet<(State, State)>,
}

/// A module with its variables.
struct System<'s> {
    kind: Kind<'s>,
    /// What it controls: the class, and whether it is defined for every state.
    controlled: BTreeMap<Path, (Class, bool)>,
}

enum Kind<'s> {
    Base { base: &'s Base, paths: Paths, bound: Vec<(String, Value)> },
    Sync(Vec<System<'s>>),
    Async(Vec<System<'s>>),
    Same(Box<System<'s>>),
}

type Bound = Vec<(String, Value)>;

/// What the last module of a context does.
pub fn behaviour(spec: &Spec) -> Behaviour {
    let whole = Module::Instance(spec.modules.len() - 1, Vec::new());
    let vars = interface(spec, &whole);
    let paths = vars.iter().enumerate();
    let paths: Paths =
        paths.map(|(var, it)| (it.name.clone(), Path { var, inside: Vec::new() })).collect();
    let system = bind(spec, &whole, paths, &Vec::new());
    let all = Ty::Tuple(vars.iter().map(|var| var.ty.clone()).collect());
    let all = values(spec, &all).into_iter().map(|value| match value {
        Value::Many(state) => state,
        Value::Scalar(_) => unreachable!("a state has parts"),
    });
    let all: Vec<State> = all.filter(|state| system.is_defined(spec, state)).collect();
    let initial = all.iter().filter(|state| system.is_initial(spec, state));
    let initial: BTreeSet<State> = initial.cloned().collect();
    let mut states = initial.clone();
    let mut open: Vec<State> = initial.iter().cloned().collect();
    let mut steps = BTreeSet::new();
    while let Some(state) = open.pop() {
        for next in all.iter().filter(|next| system.is_step(spec, &state, next)) {
            steps.insert((state.clone(), next.clone()));
            if states.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    Behaviour { vars, initial, states, steps }
}

/// How many valuations the types of the whole admit, at most.
pub fn n_valuations(spec: &Spec) -> u64 {
    let vars = interface(spec, &Module::Instance(spec.modules.len() - 1, Vec::new()));
    vars.iter().fold(1, |all: u64, var| all.saturating_mul(size(spec, &var.ty)))
}

/// The variables of a module.
pub fn interface(spec: &Spec, module: &Module) -> Vec<Var> {
    match module {
        Module::Base(base) => base.vars.clone(),
        Module::Instance(idx, _) => interface(spec, &spec.modules[*idx].module),
        Module::Composed(_, l, r) => {
            let mut all = interface(spec, l);
            for other in interface(spec, r) {
                let Some(own) = all.iter_mut().find(|own| own.name == other.name) else {
                    all.push(other);
                    continue;
                };
                match (own.class, other.class) {
                    (Class::Local, Class::Local) => {
                        own.ty = Ty::Tuple(vec![own.ty.clone(), other.ty]);
                    }
                    (Class::Input, class) => own.class = class,
                    _ => {}
                }
            }
            all
        }
        Module::Multi(_, _, ty, inner) => {
            let array = |var: Var| match var.class {
                Class::Local => {
                    Var { ty: Ty::Array(Box::new(ty.clone()), Box::new(var.ty)), ..var }
                }
                _ => var,
            };
            interface(spec, inner).into_iter().map(array).collect()
        }
        Module::Rename(pairs, inner) => {
            let mut all = Vec::new();
            for var in interface(spec, inner) {
                match pairs.iter().find(|(from, _)| *from == var.name) {
                    None => all.push(var),
                    Some((_, to)) if to.index.is_none() => {
                        all.push(Var { name: to.name.clone(), ..var });
                    }
                    Some(_) => {}
                }
            }
            all
        }
        Module::Reclassed(class, names, inner) => {
            let reclassed = |var: Var| match names.contains(&var.name) {
                true => Var { class: *class, ..var },
                false => var,
            };
            interface(spec, inner).into_iter().map(reclassed).collect()
        }
        Module::With(vars, inner) => {
            let mut all = interface(spec, inner);
            all.retain(|own| vars.iter().all(|var| var.name != own.name));
            all.extend(vars.iter().cloned());
            all
        }
    }
}

/// A module whose names stand for these parts.
fn bind<'s>(spec: &'s Spec, module: &'s Module, paths: Paths, bound: &Bound) -> System<'s> {
    match module {
        Module::Base(base) => {
            let mut controlled = BTreeMap::new();
            for var in base.vars.iter().filter(|var| var.class != Class::Input) {
                let is_defined = base.definitions.iter().any(|def| target(def).name == var.name);
                controlled.insert(paths[&var.name].clone(), (var.class, is_defined));
            }
            System { kind: Kind::Base { base, paths, bound: bound.clone() }, controlled }
        }
        Module::Instance(idx, actuals) => {
            let declared = &spec.modules[*idx];
            let (nothing, none) = (State::new(), Paths::new());
            let env = Env { spec, now: &nothing, next: None, paths: &none, bound: bound.clone() };
            let actuals = actuals.iter().map(|actual| env.value(actual));
            let names = declared.params.iter().map(|(name, _)| name.clone());
            bind(spec, &declared.module, paths, &names.zip(actuals).collect())
        }
        Module::Composed(is_sync, l, r) => {
            let locals = |of: &Module| -> BTreeSet<String> {
                let vars = interface(spec, of).into_iter();
                vars.filter(|var| var.class == Class::Local).map(|var| var.name).collect()
            };
            let both: Vec<String> = locals(l).intersection(&locals(r)).cloned().collect();
            let part = |component: usize, of: &'s Module| {
                let mut own = paths.clone();
                for name in &both {
                    own.entry(name.clone()).and_modify(|path| path.inside.push(component));
                }
                bind(spec, of, own, bound)
            };
            compose(*is_sync, vec![part(0, l), part(1, r)])
        }
        Module::Multi(is_sync, name, ty, inner) => {
            let locals: Vec<Var> = interface(spec, inner)
                .into_iter()
                .filter(|var| var.class == Class::Local)
                .collect();
            let mut parts = Vec::new();
            for (position, value) in values(spec, ty).into_iter().enumerate() {
                let mut own = paths.clone();
                for local in &locals {
                    own.entry(local.name.clone()).and_modify(|path| path.inside.push(position));
                }
                let mut bound = bound.clone();
                bound.push((name.clone(), value));
                parts.push(bind(spec, inner, own, &bound));
            }
            compose(*is_sync, parts)
        }
        Module::Rename(pairs, inner) => {
            let mut own = paths.clone();
            let (nothing, none) = (State::new(), Paths::new());
            let env = Env { spec, now: &nothing, next: None, paths: &none, bound: bound.clone() };
            for (from, to) in pairs {
                let mut path = paths[&to.name].clone();
                if let Some((index, ty)) = &to.index {
                    path.inside.push(position(spec, ty, &env.value(index)));
                }
                own.insert(from.clone(), path);
            }
            bind(spec, inner, own, bound)
        }
        Module::Reclassed(class, names, inner) => {
            let changed: Vec<Path> = names.iter().map(|name| paths[name].clone()).collect();
            let inner = bind(spec, inner, paths, bound);
            let mut controlled = inner.controlled.clone();
            for (path, (own, _)) in &mut controlled {
                if changed.contains(path) {
                    *own = *class;
                }
            }
            System { kind: Kind::Same(Box::new(inner)), controlled }
        }
        Module::With(_, inner) => bind(spec, inner, paths, bound),
    }
}

fn compose(is_sync: bool, parts: Vec<System<'_>>) -> System<'_> {
    let mut controlled = BTreeMap::new();
    for part in &parts {
        controlled.extend(part.controlled.clone());
    }
    let kind = if is_sync { Kind::Sync(parts) } else { Kind::Async(parts) };
    System { kind, controlled }
}

impl System<'_> {
    fn parts(&self) -> &[Self] {
        match &self.kind {
            Kind::Base { .. } => &[],
            Kind::Sync(parts) | Kind::Async(parts) => parts,
            Kind::Same(inner) => std::slice::from_ref(inner),
        }
    }

    fn is_defined(&self, spec: &Spec, state: &State) -> bool {
        if let Kind::Base { base, paths, bound } = &self.kind {
            let env = Env { spec, now: state, next: None, paths, bound: bound.clone() };
            return all_hold(&base.definitions, &env);
        }
        self.parts().iter().all(|part| part.is_defined(spec, state))
    }

    fn is_initial(&self, spec: &Spec, state: &State) -> bool {
        let Kind::Base { base, paths, bound } = &self.kind else {
            return self.parts().iter().all(|part| part.is_initial(spec, state));
        };
        let env = Env { spec, now: state, next: None, paths, bound: bound.clone() };
        let Section { definitions, commands } = &base.initial;
        all_hold(definitions, &env)
            && commands.as_ref().is_none_or(|commands| {
                some_command(commands, &env, &|gives, env| all_hold(gives, env))
            })
    }

    fn is_step(&self, spec: &Spec, now: &State, next: &State) -> bool {
        match &self.kind {
            Kind::Base { base, paths, bound } => {
                let env = Env { spec, now, next: Some(next), paths, bound: bound.clone() };
                self.is_base_step(base, &env)
            }
            Kind::Sync(parts) => parts.iter().all(|part| part.is_step(spec, now, next)),
            Kind::Same(inner) => inner.is_step(spec, now, next),
            Kind::Async(parts) => (0..parts.len()).any(|moving| {
                let stays = parts
                    .iter()
                    .enumerate()
                    .all(|(idx, part)| idx == moving || part.keeps(&parts[moving], now, next));
                stays && parts[moving].is_step(spec, now, next)
            }),
        }
    }

    /// What it controls stays the same, except for what is global in the module that moves.
    fn keeps(&self, moving: &Self, now: &State, next: &State) -> bool {
        self.controlled.iter().all(|(path, (class, is_defined))| {
            let may_change = match class {
                Class::Global => matches!(moving.controlled.get(path), Some((Class::Global, _))),
                _ => *is_defined,
            };
            may_change || now[path.var].at(&path.inside) == next[path.var].at(&path.inside)
        })
    }

    fn is_base_step(&self, base: &Base, env: &Env<'_>) -> bool {
        let Section { definitions, commands } = &base.step;
        let is_right = |gives: &[Def], inner: &Env<'_>| {
            let next = env.next.expect("in a step");
            let mut wanted = env.now.clone();
            let is_given = definitions.iter().all(|def| give(def, env, &mut wanted))
                && gives.iter().all(|def| give(def, inner, &mut wanted));
            is_given
                && self.controlled.iter().filter(|(_, (_, is_defined))| !is_defined).all(
                    |(path, _)| {
                        wanted[path.var].at(&path.inside) == next[path.var].at(&path.inside)
                    },
                )
        };
        match commands {
            None => is_right(&[], env),
            Some(commands) => some_command(commands, env, &is_right),
        }
    }
}

/// The left-hand side of a definition.
fn target(def: &Def) -> &Lhs {
    match def {
        Def::Is(lhs, _) | Def::In(lhs, _) => lhs,
        Def::Forall(_, _, inner) => target(inner),
    }
}

/// The part that a left-hand side stands for.
fn location(lhs: &Lhs, env: &Env<'_>) -> Path {
    let mut path = env.paths[&lhs.name].clone();
    match &lhs.part {
        Part::Whole => {}
        Part::Element(index, ty) => path.inside.push(position(env.spec, ty, &env.value(index))),
        Part::Field(at, _) | Part::Component(at) => path.inside.push(*at),
    }
    path
}

fn is_member(set: &Set, value: &Value, env: &Env<'_>) -> bool {
    match set {
        Set::Listed(all) => all.iter().any(|one| env.value(one) == *value),
        Set::Where(name, ty, holds) => {
            values(env.spec, ty).contains(value) && env.with(name, value.clone()).holds(holds)
        }
    }
}

/// Do definitions of a state hold?
fn all_hold(definitions: &[Def], env: &Env<'_>) -> bool {
    definitions.iter().all(|def| {
        let own = |lhs: &Lhs| {
            let path = location(lhs, env);
            env.now[path.var].at(&path.inside)
        };
        match def {
            Def::Is(lhs, value) => *own(lhs) == env.value(value),
            Def::In(lhs, set) => is_member(set, own(lhs), env),
            Def::Forall(name, ty, inner) => values(env.spec, ty)
                .into_iter()
                .all(|value| all_hold(std::slice::from_ref(inner), &env.with(name, value))),
        }
    })
}

/// Gives a part of the next state its value; whether that can be.
fn give(def: &Def, env: &Env<'_>, wanted: &mut State) -> bool {
    match def {
        Def::Is(lhs, value) => {
            let path = location(lhs, env);
            wanted[path.var].put(&path.inside, env.value(value));
            true
        }
        Def::In(lhs, set) => {
            let path = location(lhs, env);
            let chosen = env.next.expect("in a step")[path.var].at(&path.inside);
            wanted[path.var].put(&path.inside, chosen.clone());
            is_member(set, chosen, env)
        }
        Def::Forall(name, ty, inner) => values(env.spec, ty)
            .into_iter()
            .all(|value| give(inner, &env.with(name, value), wanted)),
    }
}

/// Is there a command whose guard holds, and what it gives is right?
fn some_command(
    commands: &[Command],
    env: &Env<'_>,
    is_right: &dyn Fn(&[Def], &Env<'_>) -> bool,
) -> bool {
    commands.iter().any(|command| match command {
        Command::One(_, None, gives) => {
            !commands.iter().any(|other| may_be_taken(other, env)) && is_right(gives, env)
        }
        command => takes(command, env, is_right),
    })
}

fn takes(command: &Command, env: &Env<'_>, is_right: &dyn Fn(&[Def], &Env<'_>) -> bool) -> bool {
    match command {
        Command::One(_, guard, gives) => {
            guard.as_ref().is_some_and(|guard| env.holds(guard)) && is_right(gives, env)
        }
        Command::Multi(name, ty, inner) => values(env.spec, ty)
            .into_iter()
            .any(|value| takes(inner, &env.with(name, value), is_right)),
    }
}

/// Does the guard of a command hold? That of `ELSE` is about the others.
fn may_be_taken(command: &Command, env: &Env<'_>) -> bool {
    takes(command, env, &|_, _| true)
}

impl Behaviour {
    /// Has every state that can be reached a next one?
    pub fn is_total(&self) -> bool {
        let from: BTreeSet<&State> = self.steps.iter().map(|(from, _)| from).collect();
        self.states.iter().all(|state| from.contains(state))
    }

    /// Is a claim true? Only of forms that the graph of states answers alone, and only of
    /// invariants where there are deadlocks: the other claims are about endless paths.
    pub fn says(&self, spec: &Spec, claim: &Claim) -> Option<bool> {
        let paths = self.vars.iter().enumerate();
        let paths: Paths =
            paths.map(|(var, it)| (it.name.clone(), Path { var, inside: Vec::new() })).collect();
        let set = |of: &super::Expr| -> BTreeSet<&State> {
            let holds = |now: &&State| {
                Env { spec, now, next: None, paths: &paths, bound: Vec::new() }.holds(of)
            };
            self.states.iter().filter(holds).collect()
        };
        let (p, q) = (set(&claim.holds), set(&claim.other));
        let all: BTreeSet<&State> = self.states.iter().collect();
        match claim.form {
            Form::G => return Some(p.len() == all.len()),
            _ if !self.is_total() => return None,
            _ => {}
        }
        let not = |of: &BTreeSet<&State>| -> BTreeSet<&State> {
            self.states.iter().filter(|state| !of.contains(state)).collect()
        };
        let good = match claim.form {
            Form::Now => p.clone(),
            Form::AG => not(&self.until(&all, &not(&p))),
            Form::X | Form::AX => not(&self.before(&not(&p))),
            Form::EX => self.before(&p),
            Form::EF => self.until(&all, &p),
            Form::F | Form::AF => not(&self.forever(&not(&p))),
            Form::EG => self.forever(&p),
            Form::AGEF => not(&self.until(&all, &not(&self.until(&all, &p)))),
            Form::EU => self.until(&p, &q),
            Form::AR | Form::R => not(&self.until(&not(&p), &not(&q))),
            Form::Response => {
                let never = self.forever(&not(&q));
                not(&self.until(&all, &p.intersection(&never).copied().collect()))
            }
            _ => return None,
        };
        Some(self.initial.iter().all(|state| good.contains(state)))
    }

    /// The states with a next one among these.
    fn before<'b>(&'b self, of: &BTreeSet<&State>) -> BTreeSet<&'b State> {
        let steps = self.steps.iter().filter(|(_, to)| of.contains(to));
        steps.filter_map(|(from, _)| self.states.get(from)).collect()
    }

    /// The states on a path through the first ones to the second ones.
    fn until<'b>(&'b self, by: &BTreeSet<&State>, to: &BTreeSet<&'b State>) -> BTreeSet<&'b State> {
        let mut found = to.clone();
        loop {
            let before = self.before(&found);
            let more: Vec<&State> =
                before.into_iter().filter(|s| by.contains(s) && !found.contains(s)).collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    /// The states on an endless path through these.
    fn forever<'b>(&'b self, by: &BTreeSet<&'b State>) -> BTreeSet<&'b State> {
        let mut left = by.clone();
        loop {
            let before = self.before(&left);
            let n_before = left.len();
            left.retain(|state| before.contains(state));
            if left.len() == n_before {
                return left;
            }
        }
    }
}
