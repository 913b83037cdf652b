//! Random modules: parameters, variables, instances of other modules, defines, assignments,
//! constraints and fairness.

use fastrand::Rng;

use super::expression::{Int, Lean};
use super::scope::{Leaf, Reads, Row, Writer};
use super::types::Ty;

/// A module that can be instantiated.
#[derive(Clone, Debug)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// Are its instances processes?
    pub is_process: bool,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its text.
    pub lines: Vec<String>,
    /// What can be read of an instance, by names inside it.
    pub exports: Vec<Leaf>,
    /// How many states it has.
    pub n_states: u64,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its values.
    pub ty: Ty,
    /// What stands for it.
    pub role: ParamRole,
}

/// What may stand for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamRole {
    /// An expression over a state.
    State,
    /// An expression over a step.
    Step,
    /// A variable that the module assigns.
    Shared,
}

/// When a variable may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    State,
    Frozen,
    Input,
}

/// A variable of the module itself.
struct Own {
    name: String,
    ty: Ty,
    class: Class,
    position: usize,
    /// Does an instance assign its next value?
    is_shared: bool,
}

/// A module while it is written.
pub struct Builder<'r, 't> {
    /// Writes its expressions.
    pub writer: Writer<'r>,
    /// Its text so far.
    pub lines: Vec<String>,
    templates: &'t [Template],
    own: Vec<Own>,
    n_positions: usize,
    n_names: usize,
    n_states: u64,
    max_states: u64,
    is_process: bool,
}

/// What a module is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// At most so many states.
    pub max_states: u64,
    /// Are its instances processes?
    pub is_process: bool,
}

impl<'r, 't> Builder<'r, 't> {
    /// Starts a module.
    pub fn new(rng: &'r mut Rng, templates: &'t [Template], plan: Plan) -> Builder<'r, 't> {
        let need = Reads::default();
        let writer =
            Writer { rng, leaves: Vec::new(), rows: Vec::new(), choices: Vec::new(), need };
        let Plan { max_states, is_process } = plan;
        Builder {
            writer,
            lines: Vec::new(),
            templates,
            own: Vec::new(),
            n_positions: 0,
            n_names: 0,
            n_states: 1,
            max_states,
            is_process,
        }
    }

    fn name(&mut self, prefix: &str) -> String {
        self.n_names += 1;
        format!("{prefix}{}", self.n_names)
    }

    /// Adds parameters.
    pub fn params(&mut self) -> Vec<Param> {
        let mut params = Vec::new();
        for idx in 0..self.writer.rng.usize(..3) {
            let ty = match Ty::any(self.writer.rng) {
                // What stands for it may be an integer, and then it is no symbol.
                Ty::Mixed(_) => Ty::Bool,
                ty => ty,
            };
            let role = match self.writer.rng.u8(..6) {
                // With a variable that the module assigns, next values could go round in a
                // circle: it is one or the other.
                0 | 1 if idx == 0 => ParamRole::Shared,
                2 if idx == 0 => ParamRole::Step,
                _ => ParamRole::State,
            };
            let name = format!("p{idx}");
            let mut reads = Reads::default();
            match role {
                ParamRole::State => {}
                ParamRole::Shared => {
                    reads.current = self.own_var(&name, &ty, Class::State) + 1;
                }
                // It takes a position, so that who may read no next value may not read it.
                ParamRole::Step => {
                    self.n_positions += 1;
                    reads = Reads { inputs: true, next: self.n_positions, ..reads };
                }
            }
            self.writer.leaves.push(Leaf { name, ty: ty.clone(), reads });
            params.push(Param { ty, role });
        }
        params
    }

    /// Adds a variable or an array or an instance, and perhaps a define over what is there.
    pub fn item(&mut self) {
        match self.writer.rng.u8(..10) {
            0 => self.array(),
            1..=3 if !self.templates.is_empty() => self.instance(),
            _ => self.variable(),
        }
        if self.writer.one_in(4) {
            self.define();
        }
    }

    fn own_var(&mut self, name: &str, ty: &Ty, class: Class) -> usize {
        let position = self.n_positions;
        self.n_positions += 1;
        let (name, ty) = (name.to_string(), ty.clone());
        self.own.push(Own { name, ty, class, position, is_shared: false });
        position
    }

    fn fits(&mut self, size: u64) -> bool {
        let n_states = self.n_states.saturating_mul(size);
        let fits = n_states <= self.max_states;
        if fits {
            self.n_states = n_states;
        }
        fits
    }

    fn variable(&mut self) {
        let ty = Ty::any(self.writer.rng);
        if !self.fits(ty.size()) {
            return;
        }
        let (section, class) = match self.writer.rng.u8(..10) {
            0 => ("FROZENVAR", Class::Frozen),
            1 | 2 => ("IVAR", Class::Input),
            _ => ("VAR", Class::State),
        };
        let name = self.name("v");
        self.lines.push(format!("{section} {name} : {};", ty.text()));
        self.leaf(&name, &ty, class);
    }

    fn leaf(&mut self, name: &str, ty: &Ty, class: Class) -> Leaf {
        let position = self.own_var(name, ty, class);
        let reads = match class {
            Class::Input => Reads { inputs: true, ..Reads::default() },
            _ => {
                Reads { current: position + 1, frozen: class == Class::Frozen, ..Reads::default() }
            }
        };
        let leaf = Leaf { name: name.into(), ty: ty.clone(), reads };
        self.writer.leaves.push(leaf.clone());
        leaf
    }

    fn array(&mut self) {
        let ty = Ty::any(self.writer.rng);
        let lo = self.writer.rng.i64(-1..2);
        let hi = lo + self.writer.rng.i64(1..3);
        if !self.fits(ty.size().pow((hi - lo + 1) as u32)) {
            return;
        }
        let name = self.name("a");
        self.lines.push(format!("VAR {name} : array {lo}..{hi} of {};", ty.text()));
        let elements = (lo..=hi).map(|idx| self.leaf(&format!("{name}[{idx}]"), &ty, Class::State));
        if let Some(element) = elements.last() {
            self.writer.rows.push(Row { name, lo, hi, element });
        }
    }

    fn define(&mut self) {
        let mut may = Reads { current: self.n_positions, ..Reads::NOTHING };
        if self.writer.one_in(3) {
            may = Reads { inputs: true, next: self.n_positions, ..may };
        }
        self.writer.need = Reads::default();
        match self.writer.rng.u8(..12) {
            0..=3 => {
                let int = self.writer.int(2, may);
                let leaf = self.defined(int.text, Ty::Range(int.lo, int.hi));
                self.writer.leaves.push(leaf);
            }
            4 => self.define_row(may),
            5 => {
                let ty = Ty::any(self.writer.rng);
                let body = self.writer.choice(&ty, 1, may);
                let leaf = self.defined(body, ty);
                self.writer.choices.push(leaf);
            }
            _ => {
                let body = self.writer.boolean(2, may);
                let leaf = self.defined(body, Ty::Bool);
                self.writer.leaves.push(leaf);
            }
        }
    }

    /// A define of what was just written.
    fn defined(&mut self, body: String, ty: Ty) -> Leaf {
        let name = self.name("d");
        self.lines.push(format!("DEFINE {name} := {body};"));
        Leaf { name, ty, reads: self.writer.need }
    }

    /// An array of integers that is defined, not stored.
    fn define_row(&mut self, may: Reads) {
        let ints: Vec<Int> = (0..3).map(|_| self.writer.int(1, may)).collect();
        let lo = ints.iter().map(|int| int.lo).min().unwrap_or(0);
        let hi = ints.iter().map(|int| int.hi).max().unwrap_or(0);
        let bodies: Vec<&str> = ints.iter().map(|int| int.text.as_str()).collect();
        let element = self.defined(format!("[{}]", bodies.join(", ")), Ty::Range(lo, hi));
        self.writer.rows.push(Row { name: element.name.clone(), lo: 0, hi: 2, element });
    }

    fn instance(&mut self) {
        let templates = self.templates;
        let template = &templates[self.writer.rng.usize(..templates.len())];
        if !self.fits(template.n_states) {
            return;
        }
        let Some(actuals) = self.actuals(template) else { return };
        let name = self.name("m");
        let process = if template.is_process { "process " } else { "" };
        let list =
            if actuals.is_empty() { String::new() } else { format!("({})", actuals.join(", ")) };
        self.lines.push(format!("VAR {name} : {process}{}{list};", template.name));
        self.n_positions += 1;
        let end = self.n_positions;
        for export in &template.exports {
            let mut reads = export.reads;
            reads.current = if reads.current > 0 { end } else { 0 };
            reads.next = if reads.next > 0 { end } else { 0 };
            let leaf =
                Leaf { name: format!("{name}.{}", export.name), ty: export.ty.clone(), reads };
            self.writer.leaves.push(leaf);
        }
    }

    fn actuals(&mut self, template: &Template) -> Option<Vec<String>> {
        let state = Reads { current: self.n_positions, ..Reads::NOTHING };
        let step = Reads { next: self.n_positions, ..Reads::LTL };
        let params = template.params.iter();
        params
            .map(|param| match param.role {
                ParamRole::State => Some(self.writer.value(&param.ty, 1, state)),
                ParamRole::Step => Some(self.writer.value(&param.ty, 1, step)),
                ParamRole::Shared => self.share(&param.ty, template.is_process),
            })
            .collect()
    }

    /// A variable that the module may assign: one that no other module does, unless they are
    /// processes.
    fn share(&mut self, ty: &Ty, is_process: bool) -> Option<String> {
        let fits = |own: &&mut Own| {
            own.class == Class::State && own.ty == *ty && (is_process || !own.is_shared)
        };
        let found = self.own.iter_mut().find(fits);
        if let Some(own) = found {
            own.is_shared = true;
            return Some(own.name.clone());
        }
        let name = self.name("s");
        if !self.fits(ty.size()) {
            return None;
        }
        self.lines.push(format!("VAR {name} : {};", ty.text()));
        self.leaf(&name, ty, Class::State);
        if let Some(own) = self.own.last_mut() {
            own.is_shared = true;
        }
        Some(name)
    }

    /// Says that there are processes: then one can ask which of them runs.
    pub fn running(&mut self) {
        let reads = Reads { inputs: true, ..Reads::default() };
        self.writer.leaves.push(Leaf { name: "running".into(), ty: Ty::Bool, reads });
    }

    /// Assigns what can be assigned.
    pub fn assignments(&mut self) {
        for idx in 0..self.own.len() {
            let Own { name, ty, class, position, is_shared } = &self.own[idx];
            let (name, ty, class) = (name.clone(), ty.clone(), *class);
            let is_param = name.starts_with('p');
            let before = Reads { current: *position, ..Reads::NOTHING };
            let step = Reads { next: *position, ..Reads::STEP };
            let has_next = class == Class::State && !is_shared;
            match self.writer.rng.u8(..12) {
                _ if class == Class::Input => {}
                _ if is_param => self.assign_next(&name, &ty, step),
                0 if has_next => self.assign(&name, &ty, before),
                choice => {
                    if choice > 2 {
                        self.assign(&format!("init({name})"), &ty, before);
                    }
                    if has_next && choice != 11 {
                        self.assign_next(&name, &ty, step);
                    }
                }
            }
        }
    }

    fn assign(&mut self, target: &str, ty: &Ty, may: Reads) {
        let value = self.writer.choice(ty, 2, may);
        self.lines.push(format!("ASSIGN {target} := {value};"));
    }

    fn assign_next(&mut self, name: &str, ty: &Ty, may: Reads) {
        let value = self.writer.successor(name, ty, may);
        self.lines.push(format!("ASSIGN next({name}) := {value};"));
    }

    /// Adds constraints, some of which leave nothing.
    pub fn constraints(&mut self) {
        let kinds = [("INIT", 4, Reads::STATE), ("INVAR", 5, Reads::STATE)];
        for (keyword, rarity, may) in kinds.into_iter().chain([("TRANS", 4, Reads::STEP)]) {
            if self.writer.one_in(rarity) {
                let body = match self.writer.rng.u8(..4) {
                    0 => self.writer.boolean(2, may),
                    1 => self.writer.condition(may, Lean::Yes),
                    _ => format!(
                        "({}) -> ({})",
                        self.writer.condition(may, Lean::No),
                        self.writer.boolean(1, may)
                    ),
                };
                self.lines.push(format!("{keyword} {body};"));
            }
        }
    }

    /// Adds fairness, which some models can't meet.
    pub fn fairness(&mut self) {
        let inputs = self.writer.one_in(2);
        let may = Reads { inputs, ..Reads::STATE };
        if self.is_process && self.writer.rng.bool() {
            self.lines.push("FAIRNESS running;".into());
        }
        for _ in 0..2 {
            let lean = if self.writer.one_in(3) { Lean::Yes } else { Lean::No };
            match self.writer.rng.u8(..16) {
                0..=2 => {
                    let keyword = self.writer.pick(&["FAIRNESS", "JUSTICE"]);
                    let body = self.writer.condition(may, lean);
                    self.lines.push(format!("{keyword} {body};"));
                }
                3 => {
                    let [p, q] = [(); 2].map(|()| self.writer.condition(may, lean));
                    self.lines.push(format!("COMPASSION ({p}, {q});"));
                }
                _ => {}
            }
        }
    }

    /// The module as others see it.
    pub fn finish(self, name: &str, params: Vec<Param>) -> Template {
        let is_param = |leaf: &Leaf| leaf.name.starts_with('p');
        let exports = self.writer.leaves.into_iter().filter(|leaf| !is_param(leaf)).collect();
        Template {
            name: name.into(),
            is_process: self.is_process,
            params,
            lines: self.lines,
            exports,
            n_states: self.n_states,
        }
    }
}
