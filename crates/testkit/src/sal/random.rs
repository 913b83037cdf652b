//! Random contexts, small enough that every valuation of their variables can be tried.

use fastrand::Rng;

use super::expression::{Maker, Scope};
use super::interpret::{interface, n_valuations};
use super::{
    Base, Claim, Class, Command, Declared, Def, Expr, FORMS, Function, Lhs, Module, Op, Part,
    Renamed, Section, Set, Spec, Ty, Var,
};

/// No more valuations than this are tried.
const N_VALUATIONS: u64 = 150;

/// What the sections of a module may do.
#[derive(Clone, Copy)]
struct Place<'p> {
    base: &'p Base,
    params: &'p [(String, Ty)],
    section: Which,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Definition,
    Initialization,
    Transition,
}

/// A random context.
pub fn random_spec(rng: &mut Rng) -> Spec {
    loop {
        let mut spec = Spec::default();
        declarations(&mut spec, rng);
        match rng.u8(..8) {
            0 | 1 => alone(&mut spec, rng),
            2..=4 => several(&mut spec, rng),
            5 => twice(&mut spec, rng),
            _ => many(&mut spec, rng),
        }
        if (2..=N_VALUATIONS).contains(&n_valuations(&spec)) {
            claims(&mut spec, rng);
            return spec;
        }
    }
}

fn maker<'r>(spec: &'r Spec, rng: &'r mut Rng) -> Maker<'r> {
    Maker { rng, spec, n_bound: 0 }
}

/// Types and functions.
fn declarations(spec: &mut Spec, rng: &mut Rng) {
    let colours = ["red", "green", "blue"];
    spec.enums.push(colours[..rng.usize(2..4)].iter().map(|name| (*name).to_string()).collect());
    let z = || Box::new(Expr::Bound("z".into()));
    let (base, holds) = match rng.u8(..3) {
        0 => (Ty::Range(0, 3), Expr::Binary(Op::Ne, z(), Box::new(Expr::Int(rng.i64(0..4))))),
        1 => {
            let even = Expr::Binary(Op::Mod, z(), Box::new(Expr::Int(2)));
            (Ty::Range(0, 4), Expr::Binary(Op::Eq, Box::new(even), Box::new(Expr::Int(0))))
        }
        _ => (Ty::Enum(0), Expr::Binary(Op::Ne, z(), Box::new(Expr::Symbol(0, 0)))),
    };
    spec.types.push(("S0".into(), Ty::Subtype(0, Box::new(base), Box::new(holds))));
    for idx in 0..rng.usize(..3) {
        let params = (0..rng.usize(1..3)).map(|at| {
            let ty = match rng.u8(..3) {
                0 => Ty::Bool,
                1 => Ty::Int,
                _ => Ty::Range(0, 2),
            };
            (format!("p{at}"), ty)
        });
        let params: Vec<(String, Ty)> = params.collect();
        let ty = if rng.bool() { Ty::Bool } else { Ty::Int };
        let reads = params.iter().map(|(name, ty)| (Expr::Bound(name.clone()), ty.clone()));
        let scope = Scope { reads: reads.collect() };
        let mut maker = maker(spec, rng);
        let body = match ty {
            Ty::Bool => maker.boolean(2, &scope),
            _ => maker.number(2, &scope),
        };
        spec.functions.push(Function { name: format!("f{idx}"), params, ty, body });
    }
}

fn scalar(spec: &Spec, rng: &mut Rng) -> Ty {
    match rng.u8(..8) {
        0..=2 => Ty::Bool,
        3 | 4 => Ty::Range(0, rng.i64(1..4)),
        5 => Ty::Range(-1, 1),
        6 => Ty::Enum(0),
        _ => spec.types[0].1.clone(),
    }
}

fn index(spec: &Spec, rng: &mut Rng) -> Ty {
    match rng.u8(..8) {
        0 if spec.enums[0].len() == 2 => Ty::Enum(0),
        1 => Ty::Bool,
        2 => Ty::Range(1, 2),
        _ => Ty::Range(0, 1),
    }
}

fn any_type(spec: &Spec, rng: &mut Rng) -> Ty {
    match rng.u8(..9) {
        0 | 1 => {
            let element = if rng.bool() { Ty::Bool } else { Ty::Range(0, 2) };
            Ty::Array(Box::new(index(spec, rng)), Box::new(element))
        }
        2 => {
            let fields = [("fa", Ty::Bool), ("fb", Ty::Range(0, 2))];
            Ty::Record(fields.map(|(name, ty)| (name.to_string(), ty)).to_vec())
        }
        3 => Ty::Tuple(vec![Ty::Range(0, 2), Ty::Bool]),
        _ => scalar(spec, rng),
    }
}

fn var(class: Class, name: impl Into<String>, ty: Ty) -> Var {
    Var { class, name: name.into(), ty }
}

/// A base module.
fn alone(spec: &mut Spec, rng: &mut Rng) {
    let mut vars = Vec::new();
    for idx in 0..rng.usize(1..3) {
        vars.push(var(Class::Output, format!("o{idx}"), any_type(spec, rng)));
    }
    if rng.bool() {
        vars.push(var(Class::Local, "l0", any_type(spec, rng)));
    }
    if rng.bool() {
        vars.push(var(Class::Global, "g0", scalar(spec, rng)));
    }
    if rng.bool() {
        vars.push(var(Class::Input, "i0", scalar(spec, rng)));
    }
    let module = Module::Base(base(spec, rng, vars, &[]));
    spec.modules.push(Declared { name: "whole".into(), params: Vec::new(), module });
}

/// Two or three modules side by side.
fn several(spec: &mut Spec, rng: &mut Rng) {
    let n_leaves = rng.usize(2..4);
    let outputs: Vec<Ty> =
        (0..n_leaves).map(|_| if rng.bool() { Ty::Bool } else { any_type(spec, rng) }).collect();
    let (is_async, global) = (rng.u8(..5), scalar(spec, rng));
    let input = scalar(spec, rng);
    let mut leaves = Vec::new();
    let mut read: Vec<usize> = Vec::new();
    for idx in 0..n_leaves {
        let mut vars = vec![var(Class::Output, format!("o{idx}"), outputs[idx].clone())];
        for (other, ty) in outputs.iter().enumerate() {
            if other != idx && rng.bool() {
                vars.push(var(Class::Input, format!("o{other}"), ty.clone()));
                read.push(other);
            }
        }
        if rng.u8(..3) == 0 {
            vars.push(var(Class::Input, "i0", input.clone()));
        }
        if rng.u8(..3) == 0 {
            let ty = if rng.bool() { Ty::Bool } else { Ty::Range(0, 1) };
            vars.push(var(Class::Local, "loc", ty));
        }
        match is_async {
            0 | 1 if rng.bool() => vars.push(var(Class::Global, "g0", global.clone())),
            2 if idx == 0 => vars.push(var(Class::Global, "g0", global.clone())),
            2 if rng.bool() => vars.push(var(Class::Input, "g0", global.clone())),
            _ => {}
        }
        let module = Module::Base(base(spec, rng, vars, &[]));
        spec.modules.push(Declared { name: format!("m{idx}"), params: Vec::new(), module });
        leaves.push(Module::Instance(spec.modules.len() - 1, Vec::new()));
    }
    for (idx, leaf) in leaves.iter_mut().enumerate() {
        if !read.contains(&idx) && rng.u8(..4) == 0 {
            let inner = Box::new(leaf.clone());
            *leaf = Module::Reclassed(Class::Local, vec![format!("o{idx}")], inner);
        }
    }
    while leaves.len() > 1 {
        let at = rng.usize(..leaves.len() - 1);
        let (l, r) = (leaves.remove(at), leaves.remove(at));
        let is_sync = is_async > 1 && rng.bool();
        leaves.insert(at, Module::Composed(is_sync, Box::new(l), Box::new(r)));
    }
    let whole = leaves.remove(0);
    finish(spec, rng, whole);
}

/// The last module: what there is, with something hidden perhaps.
fn finish(spec: &mut Spec, rng: &mut Rng, mut module: Module) {
    let vars = interface(spec, &module);
    let of = |class: Class| -> Vec<String> {
        vars.iter().filter(|var| var.class == class).map(|var| var.name.clone()).collect()
    };
    if let (Some(global), 0) = (of(Class::Global).first(), rng.u8(..3)) {
        module = Module::Reclassed(Class::Output, vec![global.clone()], Box::new(module));
    }
    if let (Some(output), 0) = (of(Class::Output).first(), rng.u8(..3)) {
        module = Module::Reclassed(Class::Local, vec![output.clone()], Box::new(module));
    }
    spec.modules.push(Declared { name: "whole".into(), params: Vec::new(), module });
}

/// One module twice: what one gives, the other takes.
fn twice(spec: &mut Spec, rng: &mut Rng) {
    let ty = any_type(spec, rng);
    let mut vars = vec![var(Class::Input, "inp", ty.clone()), var(Class::Output, "out", ty)];
    if rng.bool() {
        let ty = if rng.bool() { Ty::Bool } else { Ty::Range(0, 1) };
        vars.push(var(Class::Local, "loc", ty));
    }
    if rng.u8(..3) == 0 {
        vars.push(var(Class::Input, "env", Ty::Bool));
    }
    let module = Module::Base(base(spec, rng, vars, &[]));
    spec.modules.push(Declared { name: "m0".into(), params: Vec::new(), module });
    let to = |from: &str, to: &str| (from.into(), Renamed { name: to.into(), index: None });
    let own = || Box::new(Module::Instance(0, Vec::new()));
    let l = match rng.bool() {
        true => Module::Rename(vec![to("inp", "back")], own()),
        false => *own(),
    };
    let r = Module::Rename(vec![to("inp", "out"), to("out", "back")], own());
    let whole = Module::Composed(rng.bool(), Box::new(l), Box::new(r));
    finish(spec, rng, whole);
}

/// A module for each value of a type.
fn many(spec: &mut Spec, rng: &mut Rng) {
    let members = index(spec, rng);
    let is_sync = rng.bool();
    let (is_given_all, has_output) = (rng.bool(), rng.u8(..5) > 0);
    let own = if rng.bool() { Ty::Bool } else { scalar(spec, rng) };
    let all = Ty::Array(Box::new(members.clone()), Box::new(own.clone()));
    let mut vars = Vec::new();
    if has_output {
        vars.push(var(Class::Output, "out", own));
    }
    if has_output && is_given_all {
        vars.push(var(Class::Input, "others", all.clone()));
    }
    if !has_output || rng.u8(..3) == 0 {
        vars.push(var(Class::Local, "loc", scalar(spec, rng)));
    }
    if !is_sync && rng.bool() {
        vars.push(var(Class::Global, "g0", scalar(spec, rng)));
    }
    if rng.u8(..3) == 0 {
        vars.push(var(Class::Input, "i0", scalar(spec, rng)));
    }
    let params: Vec<(String, Ty)> = match rng.bool() {
        true => vec![("me".into(), members.clone())],
        false => Vec::new(),
    };
    let module = Module::Base(base(spec, rng, vars, &params));
    let actuals = params.iter().map(|_| Expr::Bound("ix".into())).collect();
    spec.modules.push(Declared { name: "cell".into(), params, module });
    let cell = Module::Instance(0, actuals);
    let index = Some((Expr::Bound("ix".into()), members.clone()));
    let mut pairs = vec![("out".into(), Renamed { name: "all".into(), index })];
    if is_given_all {
        pairs.push(("others".into(), Renamed { name: "all".into(), index: None }));
    }
    let part = match has_output {
        true => Module::Rename(pairs, Box::new(cell)),
        false => cell,
    };
    let mut whole = Module::Multi(is_sync, "ix".into(), members, Box::new(part));
    if has_output {
        let added = vec![var(Class::Output, "all", all.clone())];
        whole = Module::With(added, Box::new(whole));
        if rng.u8(..3) == 0 {
            let mut vars =
                vec![var(Class::Input, "all", all), var(Class::Output, "seen", Ty::Bool)];
            if rng.bool() {
                vars.push(var(Class::Local, "loc", Ty::Bool));
            }
            let module = Module::Base(base(spec, rng, vars, &[]));
            spec.modules.push(Declared { name: "watch".into(), params: Vec::new(), module });
            let watch = Module::Instance(1, Vec::new());
            whole = Module::Composed(rng.bool(), Box::new(whole), Box::new(watch));
        }
    }
    finish(spec, rng, whole);
}

/// What a base module with these variables does.
fn base(spec: &Spec, rng: &mut Rng, vars: Vec<Var>, params: &[(String, Ty)]) -> Base {
    let mut made = Base { vars, ..Base::default() };
    let text = made.clone();
    let controlled: Vec<Var> =
        text.vars.iter().filter(|var| var.class != Class::Input).cloned().collect();
    let mut maker = maker(spec, rng);
    let place = |section: Which| Place { base: &text, params, section };
    let mut defined: Vec<String> = Vec::new();
    let mut stepped: Vec<String> = Vec::new();
    for (idx, var) in controlled.iter().enumerate() {
        let is_last = idx + 1 == controlled.len() && defined.len() == idx;
        if var.class != Class::Global && maker.one_in(if is_last { 12 } else { 6 }) {
            made.definitions.push(definition(&mut maker, place(Which::Definition), var));
            defined.push(var.name.clone());
        } else if maker.one_in(5) {
            made.step.definitions.push(definition(&mut maker, place(Which::Transition), var));
            stepped.push(var.name.clone());
        }
    }
    let open: Vec<Var> =
        controlled.iter().filter(|var| !defined.contains(&var.name)).cloned().collect();
    let mut unset = Vec::new();
    for var in &open {
        match maker.rng.u8(..8) {
            0 => {}
            1 => unset.push(var.clone()),
            _ => made.initial.definitions.push(definition(
                &mut maker,
                place(Which::Initialization),
                var,
            )),
        }
    }
    if !unset.is_empty() {
        made.initial = Section {
            commands: Some(commands(&mut maker, place(Which::Initialization), &unset)),
            ..made.initial
        };
    }
    let free: Vec<Var> = open.iter().filter(|var| !stepped.contains(&var.name)).cloned().collect();
    if !free.is_empty() && !maker.one_in(7) || maker.one_in(6) {
        made.step.commands = Some(commands(&mut maker, place(Which::Transition), &free));
    }
    made
}

/// What a section may read when it gives this variable a value.
fn scope(maker: &mut Maker<'_>, place: Place<'_>, given: &str) -> Scope {
    let params = place.params.iter();
    let mut reads: Vec<(Expr, Ty)> =
        params.map(|(name, ty)| (Expr::Bound(name.clone()), ty.clone())).collect();
    for var in &place.base.vars {
        let read = |is_primed| (Expr::Var(var.name.clone(), is_primed), var.ty.clone());
        let is_input = var.class == Class::Input;
        if place.section == Which::Transition {
            reads.push(read(false));
            if maker.one_in(if is_input { 3 } else { 8 }) && var.name != given {
                reads.push(read(true));
            }
        } else if var.name != given && (is_input || !maker.one_in(4)) {
            reads.push(read(false));
        }
    }
    Scope { reads }
}

fn lhs(name: &str, part: Part) -> Lhs {
    Lhs { name: name.into(), part }
}

/// A definition of a variable, or of a part of it.
fn definition(maker: &mut Maker<'_>, place: Place<'_>, var: &Var) -> Def {
    let scope = scope(maker, place, &var.name);
    gift(maker, place.section, var, &scope)
}

fn gift(maker: &mut Maker<'_>, section: Which, var: &Var, scope: &Scope) -> Def {
    let name = var.name.as_str();
    let is_part = section != Which::Definition && maker.one_in(2);
    match &var.ty {
        Ty::Array(index_ty, element) if maker.one_in(4) => {
            let bound = maker.fresh();
            let at = Expr::Bound(bound.clone());
            let mut inner = scope.clone();
            inner.reads.push((at.clone(), (**index_ty).clone()));
            let to = lhs(name, Part::Element(at, (**index_ty).clone()));
            let def = chosen(maker, to, element, &inner, section);
            Def::Forall(bound, (**index_ty).clone(), Box::new(def))
        }
        Ty::Array(index_ty, element) if is_part => {
            if maker.one_in(4) {
                let at = maker.constant(index_ty);
                let to = lhs(name, Part::Element(at, (**index_ty).clone()));
                return chosen(maker, to, element, scope, section);
            }
            // The index is of the state that the step begins in.
            let unprimed =
                scope.reads.iter().filter(|(read, _)| !matches!(read, Expr::Var(_, true)));
            let unprimed = Scope { reads: unprimed.cloned().collect() };
            let at = maker.index(index_ty, &unprimed);
            let value = maker.of_type(element, 2, scope);
            Def::Is(lhs(name, Part::Element(at, (**index_ty).clone())), value)
        }
        Ty::Record(fields) if is_part => {
            let at = maker.rng.usize(..fields.len());
            let to = lhs(name, Part::Field(at, fields[at].0.clone()));
            chosen(maker, to, &fields[at].1, scope, section)
        }
        Ty::Tuple(types) if is_part => {
            let at = maker.rng.usize(..types.len());
            chosen(maker, lhs(name, Part::Component(at)), &types[at], scope, section)
        }
        ty => chosen(maker, lhs(name, Part::Whole), ty, scope, section),
    }
}

fn chosen(maker: &mut Maker<'_>, to: Lhs, ty: &Ty, scope: &Scope, section: Which) -> Def {
    let is_initial = section == Which::Initialization;
    if !Maker::is_scalar(ty) {
        return Def::Is(to, maker.of_type(ty, 2, scope));
    }
    match maker.rng.u8(..8) {
        0 | 1 => {
            let values = (0..maker.rng.usize(1..4)).map(|_| maker.of_type(ty, 1, scope));
            Def::In(to, Set::Listed(values.collect()))
        }
        2 => {
            let bound = maker.fresh();
            let mut inner = scope.clone();
            inner.reads.push((Expr::Bound(bound.clone()), ty.clone()));
            let holds = maker.boolean(2, &inner);
            Def::In(to, Set::Where(bound, ty.clone(), holds))
        }
        _ if is_initial && !maker.one_in(4) => Def::Is(to, maker.constant(ty)),
        _ => Def::Is(to, maker.of_type(ty, 2, scope)),
    }
}

fn commands(maker: &mut Maker<'_>, place: Place<'_>, free: &[Var]) -> Vec<Command> {
    let mut all = Vec::new();
    for idx in 0..maker.rng.usize(1..4) {
        let scope = scope(maker, place, "");
        all.push(command(maker, place, free, &scope, (idx, 2)));
    }
    if maker.one_in(3) {
        let scope = scope(maker, place, "");
        all.push(Command::One(None, None, gifts(maker, place, free, &scope)));
    }
    all
}

fn command(
    maker: &mut Maker<'_>,
    place: Place<'_>,
    free: &[Var],
    scope: &Scope,
    (idx, depth): (usize, u8),
) -> Command {
    if depth > 0 && maker.one_in(5) {
        let ty = index(maker.spec, maker.rng);
        let name = maker.fresh();
        let mut inner = scope.clone();
        inner.reads.push((Expr::Bound(name.clone()), ty.clone()));
        let inner = command(maker, place, free, &inner, (idx, depth - 1));
        return Command::Multi(name, ty, Box::new(inner));
    }
    let label = maker.one_in(3).then(|| format!("c{idx}"));
    let guard = match maker.one_in(8) {
        true => Expr::Bool(true),
        false => maker.boolean(2, scope),
    };
    Command::One(label, Some(guard), gifts(maker, place, free, scope))
}

fn gifts(maker: &mut Maker<'_>, place: Place<'_>, free: &[Var], all: &Scope) -> Vec<Def> {
    let mut gifts = Vec::new();
    for var in free {
        if maker.one_in(3) {
            continue;
        }
        // It never reads the value that it gives.
        let own = match place.section {
            Which::Transition => Expr::Var(var.name.clone(), true),
            _ => Expr::Var(var.name.clone(), false),
        };
        let reads = all.reads.iter().filter(|(read, _)| *read != own).cloned();
        let scope = Scope { reads: reads.collect() };
        gifts.push(gift(maker, place.section, var, &scope));
    }
    gifts
}

fn claims(spec: &mut Spec, rng: &mut Rng) {
    let vars = interface(spec, &Module::Instance(spec.modules.len() - 1, Vec::new()));
    let reads = vars.iter().map(|var| (Expr::Var(var.name.clone(), false), var.ty.clone()));
    let scope = Scope { reads: reads.collect() };
    let n_claims = rng.usize(3..7);
    let mut made = Vec::new();
    let mut maker = maker(spec, rng);
    for idx in 0..n_claims {
        let form = maker.pick(FORMS).expect("not empty");
        let (holds, other) = (maker.boolean(2, &scope), maker.boolean(2, &scope));
        made.push(Claim { name: format!("t{idx}"), form, holds, other });
    }
    spec.claims = made;
}
