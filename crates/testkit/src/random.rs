//! Random small models, as SMV text, so that they go through the reader like any other.
//!
//! Variables are in an order, and an assignment reads only what comes before its target where a
//! circle would be an error.

use fastrand::Rng;

/// What a model may contain.
#[derive(Clone, Copy)]
pub struct Options {
    /// Expressions without a value: division by zero, a `case` that is not exhaustive, an index
    /// outside its array; and values outside the type of the variable that they are assigned to.
    pub is_wild: bool,
    /// At most so many states.
    pub max_states: usize,
}

/// A model, and what is needed to write more expressions over it.
pub struct RandomModel {
    /// The model, in SMV.
    pub text: String,
    vars: Vec<Var>,
    defines: Vec<Define>,
    is_wild: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Symbol,
    Word,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    State,
    Frozen,
    Input,
}

#[derive(Clone)]
struct Var {
    name: String,
    class: Class,
    ty: &'static Ty,
}

struct Ty {
    text: &'static str,
    kind: Kind,
    values: &'static [&'static str],
}

struct Define {
    name: String,
    kind: Kind,
    reads: Reads,
}

/// What an expression may read: the current values of variables before one position, the next
/// values of those before another one, and inputs.
#[derive(Clone, Copy)]
pub struct Reads {
    current: usize,
    next: usize,
    inputs: bool,
}

impl Reads {
    /// One state.
    pub const STATE: Reads = Reads { current: usize::MAX, next: 0, inputs: false };
    /// A step.
    pub const STEP: Reads = Reads { current: usize::MAX, next: usize::MAX, inputs: true };

    fn includes(self, other: Reads) -> bool {
        other.current <= self.current && other.next <= self.next && (self.inputs || !other.inputs)
    }
}

const TYPES: &[Ty] = &[
    Ty { text: "boolean", kind: Kind::Bool, values: &["FALSE", "TRUE"] },
    Ty { text: "0..2", kind: Kind::Int, values: &["0", "1", "2"] },
    Ty { text: "-1..1", kind: Kind::Int, values: &["(-1)", "0", "1"] },
    Ty { text: "{0, 2}", kind: Kind::Int, values: &["0", "2"] },
    Ty { text: "{p, q, r}", kind: Kind::Symbol, values: &["p", "q", "r"] },
    Ty { text: "{q, p}", kind: Kind::Symbol, values: &["q", "p"] },
    Ty {
        text: "unsigned word[2]",
        kind: Kind::Word,
        values: &["0ud2_0", "0ud2_1", "0ud2_2", "0ud2_3"],
    },
];

/// A random model.
pub fn random_model(rng: &mut Rng, options: Options) -> RandomModel {
    match rng.u8(..6) {
        0 => with_processes(rng, options),
        _ => flat(rng, options),
    }
}

fn flat(rng: &mut Rng, options: Options) -> RandomModel {
    let mut sketch = RandomModel::new(options);
    let mut n_states = 1;
    let mut text = String::from("MODULE main\nCONSTANTS p, q, r;\n");
    if options.is_wild && rng.bool() {
        let ty = &TYPES[rng.usize(..3)];
        text += &format!("VAR a : array 0..1 of {};\n", ty.text);
        n_states *= ty.values.len() * ty.values.len();
        for name in ["a[0]", "a[1]"] {
            sketch.vars.push(Var { name: name.into(), class: Class::State, ty });
        }
    }
    for name in ["x", "y", "z", "i", "u"].iter().take(rng.usize(2..=5)) {
        let ty = rng.choice(TYPES).expect("there are types");
        let class = match *name {
            "i" if rng.bool() => Class::Input,
            "u" if rng.bool() => Class::Frozen,
            _ => Class::State,
        };
        if class != Class::Input && n_states * ty.values.len() > options.max_states {
            continue;
        }
        n_states *= if class == Class::Input { 1 } else { ty.values.len() };
        let section = match class {
            Class::State => "VAR",
            Class::Frozen => "FROZENVAR",
            Class::Input => "IVAR",
        };
        text += &format!("{section} {name} : {};\n", ty.text);
        sketch.vars.push(Var { name: (*name).into(), class, ty });
    }
    for idx in 0..rng.usize(..3) {
        text += &sketch.define(rng, format!("d{idx}"));
    }
    for idx in 0..sketch.vars.len() {
        text += &sketch.assignments(rng, idx);
    }
    for (keyword, reads) in
        [("INIT", Reads::STATE), ("INVAR", Reads::STATE), ("TRANS", Reads::STEP)]
    {
        while rng.u8(..3) == 0 {
            text += &format!("{keyword} {};\n", sketch.boolean(rng, reads));
        }
    }
    RandomModel { text, ..sketch }
}

/// Two processes that share a variable of the main module.
fn with_processes(rng: &mut Rng, options: Options) -> RandomModel {
    let mut ty = || &TYPES[rng.usize(..5)];
    let (own, shared, main_ty) = (ty(), ty(), &TYPES[0]);
    let mut inner = RandomModel::new(options);
    inner.vars.push(Var { name: "z".into(), class: Class::State, ty: own });
    inner.vars.push(Var { name: "s".into(), class: Class::State, ty: shared });
    let mut text = format!("MODULE cell(s)\nVAR z : {};\n", own.text);
    text += &inner.assignment(rng, "init", 0, Reads { current: 0, next: 0, inputs: false });
    let reads = Reads { current: usize::MAX, next: 0, inputs: false };
    text += &inner.assignment(rng, "next", 0, reads);
    text += &inner.assignment(rng, "next", 1, Reads { next: 1, ..reads });
    if rng.bool() {
        text += "TRANS running -> ";
        text += &format!("{};\n", inner.boolean(rng, reads));
    }
    let mut main = RandomModel::new(options);
    main.vars.push(Var { name: "m".into(), class: Class::State, ty: main_ty });
    main.vars.push(Var { name: "s".into(), class: Class::State, ty: shared });
    text += &format!(
        "MODULE main\nCONSTANTS p, q, r;\nVAR m : {}; s : {};\n",
        main_ty.text, shared.text
    );
    text += "a : process cell(s); b : process cell(s);\n";
    for name in ["a.z", "b.z"] {
        main.vars.push(Var { name: name.into(), class: Class::State, ty: own });
    }
    text += &main.assignments(rng, 0);
    if rng.bool() {
        text += &format!("INVAR {};\n", main.boolean(rng, Reads::STATE));
    }
    RandomModel { text, ..main }
}

impl RandomModel {
    fn new(options: Options) -> RandomModel {
        let is_wild = options.is_wild;
        RandomModel { text: String::new(), vars: Vec::new(), defines: Vec::new(), is_wild }
    }

    /// A Boolean expression.
    pub fn boolean(&self, rng: &mut Rng, reads: Reads) -> String {
        let depth = rng.usize(1..=3);
        self.expression(rng, Kind::Bool, depth, reads)
    }

    fn define(&mut self, rng: &mut Rng, name: String) -> String {
        let kind = [Kind::Bool, Kind::Int][rng.usize(..2)];
        let limit = rng.usize(..=self.vars.len());
        let reads = match rng.u8(..3) {
            0 => Reads { current: usize::MAX, next: limit, inputs: rng.bool() },
            _ => Reads { current: limit, next: 0, inputs: false },
        };
        let body = self.expression(rng, kind, 2, reads);
        let text = format!("DEFINE {name} := {body};\n");
        self.defines.push(Define { name, kind, reads });
        text
    }

    fn assignments(&self, rng: &mut Rng, var_idx: usize) -> String {
        let before = Reads { current: var_idx, next: 0, inputs: false };
        let step = Reads { current: usize::MAX, next: var_idx, inputs: true };
        let mut text = String::new();
        match (self.vars[var_idx].class, rng.u8(..6)) {
            (Class::Input, _) => {}
            (Class::State, 0) => text += &self.assignment(rng, "", var_idx, before),
            (class, _) => {
                if rng.u8(..3) > 0 {
                    text += &self.assignment(rng, "init", var_idx, before);
                }
                if class == Class::State && rng.u8(..4) > 0 {
                    text += &self.assignment(rng, "next", var_idx, step);
                }
            }
        }
        text
    }

    fn assignment(&self, rng: &mut Rng, which: &str, var_idx: usize, reads: Reads) -> String {
        let name = &self.vars[var_idx].name;
        let target = if which.is_empty() { name.clone() } else { format!("{which}({name})") };
        format!("ASSIGN {target} := {};\n", self.value(rng, self.vars[var_idx].ty, 2, reads))
    }

    /// An expression that gives values of the type, or sets of them; in a wild model perhaps
    /// others, or none.
    fn value(&self, rng: &mut Rng, ty: &Ty, depth: usize, reads: Reads) -> String {
        let constant = |rng: &mut Rng| *rng.choice(ty.values).expect("there are values");
        let has_sets = ty.kind != Kind::Word;
        match rng.u8(..if depth == 0 { 4 } else { 8 }) {
            0 => constant(rng).into(),
            1 if has_sets => format!("{{{}, {}}}", constant(rng), constant(rng)),
            2 if ty.text == "0..2" => "0..1".into(),
            2 | 3 => {
                let same = |var: &&Var| var.ty.text == ty.text;
                let names = self.names(reads, |var| same(&var));
                rng.choice(names).unwrap_or_else(|| constant(rng).into())
            }
            4 => {
                let guard = self.expression(rng, Kind::Bool, depth, reads);
                let [yes, no] = [(); 2].map(|()| self.value(rng, ty, depth - 1, reads));
                format!("({guard} ? {yes} : {no})")
            }
            5 => {
                let mut text = String::from("case ");
                for _ in 0..rng.usize(1..3) {
                    let guard = self.expression(rng, Kind::Bool, depth, reads);
                    text += &format!("{guard} : {}; ", self.value(rng, ty, depth - 1, reads));
                }
                if !self.is_wild || rng.bool() {
                    text += &format!("TRUE : {}; ", self.value(rng, ty, depth - 1, reads));
                }
                text + "esac"
            }
            6 if has_sets => {
                let [left, right] = [(); 2].map(|()| self.value(rng, ty, depth - 1, reads));
                format!("({left} union {right})")
            }
            _ => match ty.kind {
                Kind::Bool | Kind::Word => self.expression(rng, ty.kind, depth, reads),
                Kind::Int if self.is_wild => self.expression(rng, ty.kind, depth, reads),
                Kind::Int if ty.text == "0..2" => {
                    format!("(abs({}) mod 3)", self.expression(rng, ty.kind, depth, reads))
                }
                Kind::Symbol if self.is_wild => self.expression(rng, ty.kind, depth, reads),
                _ => constant(rng).into(),
            },
        }
    }

    /// The variables and defines that may be read, as an expression names them.
    fn names(&self, reads: Reads, is_wanted: impl Fn(&Var) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        for (idx, var) in self.vars.iter().enumerate().filter(|(_, var)| is_wanted(var)) {
            let is_input = var.class == Class::Input;
            if if is_input { reads.inputs } else { idx < reads.current } {
                names.push(var.name.clone());
            }
            if !is_input && idx < reads.next {
                names.push(format!("next({})", var.name));
            }
        }
        names
    }

    fn leaf(&self, rng: &mut Rng, kind: Kind, reads: Reads) -> String {
        let mut names = self.names(reads, |var| var.ty.kind == kind);
        for define in self.defines.iter().filter(|define| define.kind == kind) {
            if reads.includes(define.reads) {
                names.push(define.name.clone());
            }
            let is_state = define.reads.next == 0 && !define.reads.inputs;
            if is_state && reads.next > 0 && define.reads.current <= reads.next {
                names.push(format!("next({})", define.name));
            }
        }
        let constants: &[&str] = match kind {
            Kind::Bool => &["FALSE", "TRUE"],
            Kind::Int => &["0", "1", "2", "3"],
            Kind::Symbol => &["p", "q", "r"],
            Kind::Word => &["0ud2_0", "0ud2_1", "0ud2_2", "0ud2_3"],
        };
        match rng.u8(..5) {
            0 => (*rng.choice(constants).expect("there are some")).into(),
            1 if self.is_wild && self.has_array(kind) && reads.current >= 2 => {
                match rng.choice(self.names(reads, |var| var.ty.kind == Kind::Int)) {
                    Some(index) => format!("a[{index}]"),
                    None => "a[1]".into(),
                }
            }
            _ => rng
                .choice(names)
                .unwrap_or_else(|| (*rng.choice(constants).expect("there are some")).into()),
        }
    }

    fn has_array(&self, kind: Kind) -> bool {
        self.vars.iter().any(|var| var.name == "a[0]" && var.ty.kind == kind)
    }

    fn expression(&self, rng: &mut Rng, kind: Kind, depth: usize, reads: Reads) -> String {
        use Kind::{Bool, Int, Symbol, Word};
        if depth == 0 {
            return self.leaf(rng, kind, reads);
        }
        let has_symbols = self.vars.iter().any(|var| var.ty.kind == Symbol);
        let has_words = self.vars.iter().any(|var| var.ty.kind == Word);
        let is_wild = self.is_wild;
        let mut pick = |list: &[&'static str]| *rng.choice(list).expect("there are some");
        let connective = pick(&["&", "|", "xor", "xnor", "->", "<->", "=", "!="]);
        let comparison = pick(&["=", "!=", "<", "<=", ">", ">="]);
        let equality = pick(&["=", "!="]);
        let arithmetic =
            pick(if is_wild { &["+", "-", "*", "/", "mod"] } else { &["+", "-", "*"] });
        let bitwise =
            pick(if is_wild { &["+", "-", "&", "|", "/"] } else { &["+", "-", "&", "xor"] });
        let which = rng.u8(..9);
        let mut sub = |kind: Kind| {
            let depth = rng.usize(..depth);
            self.expression(rng, kind, depth, reads)
        };
        match (kind, which) {
            (Bool, 0) => format!("!({})", sub(Bool)),
            (Bool, 1..=2) => format!("({} {connective} {})", sub(Bool), sub(Bool)),
            (Bool, 3) => format!("({} in {{{}, {}}})", sub(Int), sub(Int), sub(Int)),
            (Bool, 4) if has_symbols => format!("({} {equality} {})", sub(Symbol), sub(Symbol)),
            (Bool, 5) if has_words => format!("({} {comparison} {})", sub(Word), sub(Word)),
            (Bool, 6..) => format!("({} {comparison} {})", sub(Int), sub(Int)),
            (Int, 0..=2) => format!("({} {arithmetic} {})", sub(Int), sub(Int)),
            (Int, 3) => format!("count({}, {})", sub(Bool), sub(Bool)),
            (Int, 4) => format!("max({}, abs({}))", sub(Int), sub(Int)),
            (Int, 5) if has_words => format!("toint({})", sub(Word)),
            (Word, 0..=3) => format!("({} {bitwise} {})", sub(Word), sub(Word)),
            (Word, 4) => format!("!({})", sub(Word)),
            (_, 7) if is_wild => {
                format!("case {} : {}; {} : {}; esac", sub(Bool), sub(kind), sub(Bool), sub(kind))
            }
            (_, 6) => {
                let (first, second) = (sub(Bool), sub(Bool));
                let [one, two, other] = [(); 3].map(|()| sub(kind));
                format!("case {first} : {one}; {second} : {two}; TRUE : {other}; esac")
            }
            (_, 8) => format!("({} ? {} : {})", sub(Bool), sub(kind), sub(kind)),
            _ => sub(kind),
        }
    }
}
