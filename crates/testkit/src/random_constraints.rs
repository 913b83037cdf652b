//! Random small models in which constraints say what variables are: equations under guards that
//! leave out no case, or one, or overlap; alternatives that each say what several variables are;
//! invariants that derive one variable from others; circles; values that a variable may not have.

use fastrand::Rng;

/// A variable: its name, type and values.
#[derive(Clone, Copy)]
struct Var {
    name: &'static str,
    ty: &'static str,
    values: &'static [&'static str],
}

const NUMBERS: &[&str] = &["0", "1", "2"];
const TRUTHS: &[&str] = &["FALSE", "TRUE"];
const SYMBOLS: &[&str] = &["p", "q", "r"];

const VARS: &[Var] = &[
    Var { name: "x", ty: "0..2", values: NUMBERS },
    Var { name: "y", ty: "0..2", values: NUMBERS },
    Var { name: "b", ty: "boolean", values: TRUTHS },
    Var { name: "c", ty: "boolean", values: TRUTHS },
    Var { name: "e", ty: "{p, q, r}", values: SYMBOLS },
    Var { name: "d", ty: "{r, q, p}", values: SYMBOLS },
];
const INPUTS: &[&str] = &["act = s", "act = t", "act = u", "act != s", "j", "!j"];

/// What an expression may read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// One state.
    State,
    /// A state, its inputs and the next state.
    Step,
}

/// A model, and the variables that expressions over it may read.
pub struct RandomModel {
    /// The model, in SMV.
    pub text: String,
    vars: Vec<Var>,
    n_defines: usize,
}

fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.usize(..list.len())]
}

/// A random model.
pub fn random_model(rng: &mut Rng) -> RandomModel {
    let mut vars = VARS.to_vec();
    rng.shuffle(&mut vars);
    vars.truncate(rng.usize(2..=3));
    let text =
        String::from("MODULE main\nCONSTANTS p, q, r;\nIVAR act : {s, t, u}; j : boolean;\n");
    let mut sketch = RandomModel { text, vars, n_defines: 0 };
    for (idx, var) in sketch.vars.clone().iter().enumerate() {
        let section = if idx == 2 && rng.u8(..5) == 0 { "FROZENVAR" } else { "VAR" };
        sketch.text += &format!("{section} {} : {};\n", var.name, var.ty);
        if section == "VAR" {
            sketch.rules(rng, *var);
        } else {
            sketch.first(rng, *var);
        }
    }
    if rng.u8(..3) == 0 {
        sketch.alternatives(rng);
    }
    while rng.u8(..3) == 0 {
        let (keyword, reads) =
            [("INIT", Reads::State), ("INVAR", Reads::State), ("TRANS", Reads::Step)]
                [rng.usize(..3)];
        let condition = sketch.condition(rng, reads);
        sketch.text += &format!("{keyword} {condition};\n");
    }
    sketch
}

impl RandomModel {
    /// What is said of one variable.
    fn rules(&mut self, rng: &mut Rng, var: Var) {
        match rng.u8(..8) {
            0..2 => self.derived(rng, var),
            2 => {
                let value = self.value(rng, var, Reads::State);
                self.text += &format!("ASSIGN next({}) := {value};\n", var.name);
                self.first(rng, var);
            }
            3 => self.first(rng, var),
            _ => {
                self.first(rng, var);
                self.next(rng, var);
            }
        }
    }

    fn first(&mut self, rng: &mut Rng, var: Var) {
        let equation = self.equation(rng, var, var.name, Reads::State);
        match rng.u8(..4) {
            0 => {}
            1 => self.group(rng, var, "INIT", var.name, Reads::State),
            _ => self.text += &format!("INIT {equation};\n"),
        }
    }

    fn derived(&mut self, rng: &mut Rng, var: Var) {
        let equation = self.equation(rng, var, var.name, Reads::State);
        match rng.u8(..3) {
            0 => self.group(rng, var, "INVAR", var.name, Reads::State),
            _ => self.text += &format!("INVAR {equation};\n"),
        }
    }

    fn next(&mut self, rng: &mut Rng, var: Var) {
        let name = format!("next({})", var.name);
        let equation = self.equation(rng, var, &name, Reads::Step);
        match rng.u8(..4) {
            0 => self.text += &format!("TRANS {equation};\n"),
            _ => self.group(rng, var, "TRANS", &name, Reads::Step),
        }
    }

    /// What several variables may be next, in one of several ways: each requires something of the
    /// state or the step, and says what some of the variables are.
    fn alternatives(&mut self, rng: &mut Rng) {
        let mut guards = self.guards(rng, Reads::Step);
        if rng.bool() {
            guards.push(guards[0].clone());
        }
        let mut ways = Vec::new();
        for guard in guards {
            let mut way = vec![format!("({guard})")];
            for var in self.vars.clone() {
                let name = format!("next({})", var.name);
                if rng.u8(..3) > 0 {
                    let equation = self.equation(rng, var, &name, Reads::Step);
                    way.push(match rng.u8(..8) {
                        0 => format!("({} | {equation})", self.condition(rng, Reads::Step)),
                        1 => format!("({} -> {equation})", self.condition(rng, Reads::Step)),
                        _ => format!("({equation})"),
                    });
                }
            }
            ways.push(format!("({})", way.join(" & ")));
        }
        let guard = match rng.u8(..6) {
            0 => format!("{} -> ", self.condition(rng, Reads::Step)),
            _ => String::new(),
        };
        self.text += &format!("TRANS {guard}({});\n", ways.join(" | "));
    }

    /// Equations under guards.
    fn group(&mut self, rng: &mut Rng, var: Var, keyword: &str, name: &str, reads: Reads) {
        let guards = self.guards(rng, reads);
        let mut parts = Vec::new();
        for guard in &guards {
            let equation = self.equation(rng, var, name, reads);
            let besides = match rng.u8(..8) {
                0 => format!(" & {}", self.condition(rng, reads)),
                _ => String::new(),
            };
            parts.push((guard.clone(), format!("({equation}{besides})")));
        }
        let implied = |(guard, equation): &(String, String)| match guard.strip_prefix('!') {
            Some(_) => format!("({guard} -> {equation})"),
            None => format!("(!({guard}) | {equation})"),
        };
        let under = |(guard, equation): &(String, String)| format!("({guard} -> {equation})");
        match rng.u8(..5) {
            0 => {
                let cases: Vec<String> =
                    parts.iter().map(|(guard, then)| format!("{guard} : {then};")).collect();
                let rest = self.equation(rng, var, name, reads);
                self.text += &format!("{keyword} case {} TRUE : {rest}; esac;\n", cases.join(" "));
            }
            1 => {
                let parts: Vec<String> = parts.iter().map(implied).collect();
                self.text += &format!("{keyword} {};\n", parts.join(" & "));
            }
            2 => {
                let parts: Vec<String> = parts.iter().map(under).collect();
                let name = format!("rule{}", self.n_defines);
                self.n_defines += 1;
                self.text += &format!("DEFINE {name} := {};\n", parts.join(" & "));
                self.text += &format!("{keyword} {name};\n");
            }
            3 => {
                let parts: Vec<String> = parts.iter().map(under).collect();
                self.text += &format!("{keyword} {};\n", parts.join(" & "));
            }
            _ => {
                for part in &parts {
                    self.text += &format!("{keyword} {};\n", under(part));
                }
            }
        }
    }

    /// Mostly such that one of them holds.
    fn guards(&self, rng: &mut Rng, reads: Reads) -> Vec<String> {
        let mut guards: Vec<String> = match rng.u8(..3) {
            0 if reads == Reads::Step => ["act = s", "act = t", "act = u"].map(String::from).into(),
            1 => {
                let var = self.vars[rng.usize(..self.vars.len())];
                var.values.iter().map(|value| format!("{} = {value}", var.name)).collect()
            }
            _ => {
                let condition = self.condition(rng, reads);
                vec![condition.clone(), format!("!{condition}")]
            }
        };
        match rng.u8(..8) {
            0 => drop(guards.pop()),
            1 => guards.push(self.condition(rng, reads)),
            2 => guards.insert(0, self.condition(rng, reads)),
            _ => {}
        }
        guards
    }

    /// That the variable, under this name, has some value.
    fn equation(&self, rng: &mut Rng, var: Var, name: &str, reads: Reads) -> String {
        let value = self.value(rng, var, reads);
        match (var.values == TRUTHS, rng.u8(..6)) {
            (true, 0) => name.into(),
            (true, 1) => format!("!{name}"),
            (true, 2) => format!("({name} <-> {value})"),
            (_, 3) => format!("{value} = {name}"),
            _ => format!("{name} = {value}"),
        }
    }

    fn value(&self, rng: &mut Rng, var: Var, reads: Reads) -> String {
        let alike: Vec<&Var> = self.vars.iter().filter(|it| it.values == var.values).collect();
        let other = *alike[rng.usize(..alike.len())];
        let other = self.name(rng, other, reads);
        let constant = pick(rng, var.values);
        match (var.values.len(), rng.u8(..10)) {
            (_, 0..2) => constant.into(),
            (_, 2) => format!("({} ? {constant} : {other})", self.condition(rng, reads)),
            (2, 3..7) => self.condition(rng, reads),
            (3, 3..6) if var.values == NUMBERS => format!("({other} + 1) mod 3"),
            (3, 6) if var.values == NUMBERS => format!("(2 - {other})"),
            (3, 7) if var.values == NUMBERS && rng.bool() => format!("({other} + 1)"),
            (3, 7) if var.values == NUMBERS => format!("(2 / {other})"),
            _ => other,
        }
    }

    fn name(&self, rng: &mut Rng, var: Var, reads: Reads) -> String {
        match reads == Reads::Step && rng.u8(..3) == 0 {
            true => format!("next({})", var.name),
            false => var.name.into(),
        }
    }

    /// A condition, in parentheses.
    pub fn condition(&self, rng: &mut Rng, reads: Reads) -> String {
        let first = self.atom(rng, reads);
        match rng.u8(..3) {
            0 => {
                let connective = pick(rng, &["&", "|", "->", "<->", "& !", "| !"]);
                format!("({first} {connective} {})", self.atom(rng, reads))
            }
            _ => first,
        }
    }

    fn atom(&self, rng: &mut Rng, reads: Reads) -> String {
        if reads == Reads::Step && rng.u8(..3) == 0 {
            return format!("({})", pick(rng, INPUTS));
        }
        let var = self.vars[rng.usize(..self.vars.len())];
        let (name, value) = (self.name(rng, var, reads), pick(rng, var.values));
        let alike: Vec<&Var> = self.vars.iter().filter(|it| it.values == var.values).collect();
        match rng.u8(..4) {
            0 => format!("({name} != {value})"),
            1 => format!("({name} = {})", alike[rng.usize(..alike.len())].name),
            _ => format!("({name} = {value})"),
        }
    }
}
