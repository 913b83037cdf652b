//! Random small specifications. Most tables are as they should be, some overlap or have gaps.

use fastrand::Rng;

use super::{Compare, Cond, Event, Given, Inmode, Kind, Rows, Spec, Sum, Table, Ty, Var};

/// How deep conditions and events are nested at most.
const MAX_DEPTH: usize = 2;

/// A random specification.
pub fn random_spec(rng: &mut Rng) -> Spec {
    let mut spec = Spec {
        vars: Vec::new(),
        tables: Vec::new(),
        assumptions: Vec::new(),
        assertions: Vec::new(),
        any_inputs: rng.u8(..4) == 0,
        stutter: rng.u8(..4) == 0,
        inmode: rng.choice([Inmode::Each, Inmode::Group, Inmode::Old]).expect("three"),
    };
    for name in ["a", "b", "c"].iter().take(rng.usize(2..=3)) {
        let ty = ty(rng);
        let init = if rng.u8(..4) == 0 { Vec::new() } else { some_values(rng, &ty) };
        spec.vars.push(Var { name: (*name).into(), kind: Kind::Monitored, ty, init });
    }
    let mut kinds = vec![Kind::Term, Kind::Controlled];
    kinds.truncate(rng.usize(1..=2));
    if rng.u8(..5) > 0 {
        kinds.insert(rng.usize(..=kinds.len()), Kind::ModeClass);
    }
    for kind in kinds {
        let (name, ty) = match kind {
            Kind::ModeClass => ("M", modes(rng)),
            Kind::Term => ("t", ty(rng)),
            _ => ("out", ty(rng)),
        };
        spec.vars.push(Var { name: name.into(), kind, ty, init: Vec::new() });
    }
    for var in 0..spec.vars.len() {
        if spec.vars[var].kind != Kind::Monitored {
            table(rng, &mut spec, var);
        }
    }
    rules(rng, &mut spec);
    spec
}

fn modes(rng: &mut Rng) -> Ty {
    let names = ["m0", "m1", "m2"].into_iter().take(rng.usize(2..=3));
    Ty::Enum(names.map(String::from).collect())
}

fn ty(rng: &mut Rng) -> Ty {
    let named = |names: &[&str]| Ty::Enum(names.iter().map(ToString::to_string).collect());
    match rng.u8(..8) {
        0..4 => Ty::Bool,
        4 => Ty::Range(0, 2),
        5 => Ty::Range(-1, 1),
        6 => named(&["p", "q", "r"]),
        _ => named(&["q", "p"]),
    }
}

fn some_values(rng: &mut Rng, ty: &Ty) -> Vec<i64> {
    let values = ty.values();
    let mut some = vec![*rng.choice(&values).expect("a type has values")];
    if rng.u8(..6) == 0 {
        let other = *rng.choice(&values).expect("a type has values");
        if !some.contains(&other) {
            some.push(other);
        }
    }
    some
}

fn rules(rng: &mut Rng, spec: &mut Spec) {
    let monitored: Vec<usize> = of_kind(spec, |kind| kind == Kind::Monitored);
    let all: Vec<usize> = (0..spec.vars.len()).collect();
    if rng.u8(..3) == 0 {
        let ranges = monitored.iter().filter(|&&var| matches!(spec.vars[var].ty, Ty::Range(..)));
        let rule = match ranges.copied().next() {
            Some(var) => Cond::Near(var, 1),
            None => {
                let reads = Reads { vars: &monitored, is_step: rng.bool() };
                let premise = reads.atom(rng, spec);
                let conclusion = reads.atom(rng, spec);
                Cond::Implies(Box::new(premise), Box::new(conclusion))
            }
        };
        spec.assumptions.push(rule);
    }
    for idx in 0..3 {
        let reads = Reads { vars: &all, is_step: idx > 0 };
        let premise = reads.cond(rng, spec, 1);
        let conclusion = reads.cond(rng, spec, 1);
        spec.assertions.push(Cond::Implies(Box::new(premise), Box::new(conclusion)));
    }
}

fn of_kind(spec: &Spec, is_meant: impl Fn(Kind) -> bool) -> Vec<usize> {
    (0..spec.vars.len()).filter(|&var| is_meant(spec.vars[var].kind)).collect()
}

/// What a condition may read.
struct Reads<'v> {
    vars: &'v [usize],
    is_step: bool,
}

impl Reads<'_> {
    fn sum(&self, rng: &mut Rng, spec: &Spec) -> Sum {
        let var = *rng.choice(self.vars).expect("there are variables");
        let is_number = matches!(spec.vars[var].ty, Ty::Range(..));
        let plus = if is_number && rng.u8(..5) == 0 { 1 } else { 0 };
        Sum { var, is_new: self.is_step && rng.bool(), plus }
    }

    fn atom(&self, rng: &mut Rng, spec: &Spec) -> Cond {
        let sum = self.sum(rng, spec);
        let ty = &spec.vars[sum.var].ty;
        let by = match ty {
            Ty::Range(..) => rng.choice([Compare::Eq, Compare::Ne, Compare::Lt, Compare::Ge]),
            _ => rng.choice([Compare::Eq, Compare::Ne]),
        };
        let by = by.expect("some");
        let values = ty.values();
        let other = self.sum(rng, spec);
        if spec.vars[other.var].ty == *ty && other.var != sum.var && rng.u8(..3) == 0 {
            return Cond::Between(sum, by, other);
        }
        match ty {
            Ty::Bool if rng.u8(..4) > 0 => Cond::Holds(sum),
            Ty::Enum(_) | Ty::Range(..) if rng.u8(..5) == 0 => {
                let n_values = rng.usize(1..=values.len());
                Cond::In(sum, values.into_iter().take(n_values).collect())
            }
            _ => Cond::With(sum, by, *rng.choice(&values).expect("a type has values")),
        }
    }

    fn cond(&self, rng: &mut Rng, spec: &Spec, depth: usize) -> Cond {
        if depth >= MAX_DEPTH {
            return self.atom(rng, spec);
        }
        let inner = |rng: &mut Rng| Box::new(self.cond(rng, spec, depth + 1));
        match rng.u8(..8) {
            0 => Cond::Not(inner(rng)),
            1 => Cond::And(inner(rng), inner(rng)),
            2 => Cond::Or(inner(rng), inner(rng)),
            _ => self.atom(rng, spec),
        }
    }
}

/// What events of a table may read.
struct Sources<'s> {
    spec: &'s Spec,
    /// New values.
    earlier: Vec<usize>,
    /// Old values.
    all: Vec<usize>,
    has_inmode: bool,
}

impl Sources<'_> {
    fn new_cond(&self, rng: &mut Rng) -> Cond {
        let is_step = false;
        Reads { vars: &self.earlier, is_step }.cond(rng, self.spec, 0)
    }

    fn old_cond(&self, rng: &mut Rng) -> Cond {
        Reads { vars: &self.all, is_step: false }.cond(rng, self.spec, 0)
    }

    fn event(&self, rng: &mut Rng, depth: usize) -> Event {
        let inner = |rng: &mut Rng| Box::new(self.event(rng, depth + 1));
        match rng.u8(..if depth >= MAX_DEPTH { 6 } else { 14 }) {
            0..2 => Event::Rise(self.new_cond(rng)),
            2 => Event::Fall(self.new_cond(rng)),
            3 => Event::Change(*rng.choice(&self.earlier).expect("monitored ones come first")),
            4 if self.has_inmode => Event::Enter,
            5 if self.has_inmode && rng.bool() => Event::Leave,
            4..6 => Event::Rise(self.new_cond(rng)),
            6..9 => Event::When(inner(rng), self.old_cond(rng)),
            9 => Event::Where(inner(rng), self.new_cond(rng)),
            10 => Event::While(inner(rng), self.new_cond(rng)),
            11 => self.both(rng, depth),
            _ => Event::Or(inner(rng), inner(rng)),
        }
    }

    /// Two events at once; where both could do with `INMODE` or without, only one reading of many would
    /// be meant.
    fn both(&self, rng: &mut Rng, depth: usize) -> Event {
        let [first, second] = [0, 0].map(|_| self.event(rng, depth + 1));
        let second = match first.has_inmode() && second.has_inmode() {
            true => Event::Rise(self.new_cond(rng)),
            false => second,
        };
        Event::And(Box::new(first), Box::new(second))
    }

    /// Events that mostly exclude each other.
    fn events(&self, rng: &mut Rng, n_events: usize) -> Vec<Event> {
        let mut events = Vec::new();
        let first = self.new_cond(rng);
        for idx in 0..n_events {
            events.push(match (idx, rng.u8(..8)) {
                (_, 0) => Event::Never,
                (0, 1..5) => Event::Rise(first.clone()),
                (1, 1..5) => Event::Fall(first.clone()),
                (_, 5) if self.has_inmode => {
                    Event::Or(Box::new(Event::Enter), Box::new(self.event(rng, 1)))
                }
                _ => self.event(rng, 0),
            });
        }
        events
    }
}

fn table(rng: &mut Rng, spec: &mut Spec, var: usize) {
    let is_class = spec.vars[var].kind == Kind::ModeClass;
    let class = of_kind(spec, |kind| kind == Kind::ModeClass).first().copied();
    let is_condition = !is_class && rng.bool();
    let is_known = class.is_some_and(|class| class < var);
    let class = class.filter(|_| !is_class && (is_known || !is_condition) && rng.u8(..4) > 0);
    let sources = Sources {
        spec,
        earlier: (0..var).collect(),
        all: (0..spec.vars.len()).collect(),
        has_inmode: class.is_some_and(|class| class < var),
    };
    let (rows, values) = if is_class {
        (transitions(rng, &sources, var), Vec::new())
    } else {
        let n_values = rng.usize(2..=3);
        let values = (0..n_values).map(|_| given(rng, &sources, var, is_condition)).collect();
        let rows = match is_condition {
            true => Rows::Condition(
                groups(rng, spec, class, true)
                    .into_iter()
                    .map(|modes| (modes, conditions(rng, &sources, n_values)))
                    .collect(),
            ),
            false => Rows::Event(
                groups(rng, spec, class, false)
                    .into_iter()
                    .map(|modes| (modes, sources.events(rng, n_values)))
                    .collect(),
            ),
        };
        (rows, values)
    };
    let table = Table { var, class, rows, values };
    let needs_init = !matches!(table.rows, Rows::Condition(_));
    if needs_init || rng.u8(..6) == 0 {
        let ty = spec.vars[var].ty.clone();
        spec.vars[var].init = some_values(rng, &ty);
    }
    spec.tables.push(table);
}

fn transitions(rng: &mut Rng, sources: &Sources<'_>, var: usize) -> Rows {
    let modes = sources.spec.vars[var].ty.values();
    let mut rows = Vec::new();
    for _ in 0..rng.usize(2..=4) {
        let from = match rng.u8(..8) {
            0 => None,
            1 => Some(modes[..2].to_vec()),
            _ => Some(vec![*rng.choice(&modes).expect("there are modes")]),
        };
        let event = match rng.u8(..10) {
            0 => Event::Never,
            _ => sources.event(rng, 0),
        };
        let to = some_values(rng, &sources.spec.vars[var].ty);
        rows.push((from, event, to.into_iter().map(Given::Value).collect()));
    }
    Rows::Mode(rows)
}

/// The modes of each row; all of them for a table that must say something in each.
fn groups(
    rng: &mut Rng,
    spec: &Spec,
    class: Option<usize>,
    needs_all: bool,
) -> Vec<Option<Vec<i64>>> {
    let Some(class) = class else { return vec![None] };
    if rng.u8(..8) == 0 {
        return vec![None];
    }
    let mut modes = spec.vars[class].ty.values();
    rng.shuffle(&mut modes);
    if !needs_all && rng.u8(..3) == 0 {
        modes.pop();
    }
    let mut groups: Vec<Option<Vec<i64>>> = Vec::new();
    for mode in modes {
        match groups.last_mut() {
            Some(Some(last)) if rng.u8(..3) == 0 => last.push(mode),
            _ => groups.push(Some(vec![mode])),
        }
    }
    groups
}

/// Conditions of a row: mostly they exclude each other and cover every case.
fn conditions(rng: &mut Rng, sources: &Sources<'_>, n_cells: usize) -> Vec<Cond> {
    let first = sources.new_cond(rng);
    let not = Cond::Not(Box::new(first.clone()));
    let mut cells = match (n_cells, rng.u8(..8)) {
        (_, 0) => (0..n_cells).map(|_| sources.new_cond(rng)).collect(),
        (_, 1) => {
            let at = rng.usize(..n_cells);
            (0..n_cells).map(|idx| Cond::Is(idx == at)).collect()
        }
        (2, _) => vec![first, not],
        _ => {
            let second = sources.new_cond(rng);
            let other = Cond::Not(Box::new(second.clone()));
            let both = |a: &Cond, b: Cond| Cond::And(Box::new(a.clone()), Box::new(b));
            vec![both(&not, second), first, both(&not, other)]
        }
    };
    if rng.u8(..10) == 0 {
        cells[0] = Cond::Is(false);
    }
    cells
}

/// What a column gives.
fn given(rng: &mut Rng, sources: &Sources<'_>, var: usize, is_condition: bool) -> Vec<Given> {
    let ty = &sources.spec.vars[var].ty;
    let readable = if is_condition { &sources.earlier } else { &sources.all };
    let alike: Vec<usize> =
        readable.iter().copied().filter(|&other| sources.spec.vars[other].ty == *ty).collect();
    match rng.choice(&alike) {
        Some(&other) if rng.u8(..4) == 0 => {
            let is_new = !is_condition && other < var && rng.bool();
            vec![Given::Var(other, is_new)]
        }
        _ => some_values(rng, ty).into_iter().map(Given::Value).collect(),
    }
}
