//! Small specifications in SCR tables as plain data: random ones ([`random`]), as text in the three forms
//! ([`write`]), and what they mean by the definitions of the literature ([`interpret`]). Nothing here
//! knows how the tool reads them.
//!
//! A value is a number: 0 and 1 of Booleans, the position in an enumeration, an integer itself.
//! Variables are in an order in which each table reads new values of earlier ones only.

pub mod interpret;
pub mod random;
pub mod write;

/// A specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The variables: monitored ones first.
    pub vars: Vec<Var>,
    /// A table for each dependent variable, in the order of the variables.
    pub tables: Vec<Table>,
    /// What the environment does; with primes, about steps.
    pub assumptions: Vec<Cond>,
    /// What is claimed.
    pub assertions: Vec<Cond>,
    /// Do several monitored variables change at once?
    pub any_inputs: bool,
    /// Are there steps in which none changes?
    pub stutter: bool,
    /// What `INMODE` means.
    pub inmode: Inmode,
}

/// What `@T(INMODE)` means in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inmode {
    /// A mode of the row is entered from any other.
    Each,
    /// The modes of the row are entered from outside.
    Group,
    /// The mode changes, and the row has the old one.
    Old,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its values.
    pub ty: Ty,
    /// Its initial values; none if nothing is said.
    pub init: Vec<i64>,
}

/// The kinds of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Set by the environment.
    Monitored,
    /// A state machine.
    ModeClass,
    /// In between.
    Term,
    /// Set by the system.
    Controlled,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `Boolean`
    Bool,
    /// `{p, q}`
    Enum(Vec<String>),
    /// `0..2`
    Range(i64, i64),
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The variable that it defines.
    pub var: usize,
    /// The mode class of its rows.
    pub class: Option<usize>,
    /// What it is, with its rows.
    pub rows: Rows,
    /// What the columns give; of a mode transition table, nothing.
    pub values: Vec<Vec<Given>>,
}

/// The rows of a table.
#[derive(Clone, Debug)]
pub enum Rows {
    /// From modes, at an event, to any of some modes.
    Mode(Vec<(Option<Vec<i64>>, Event, Vec<Given>)>),
    /// In modes, an event a column.
    Event(Vec<(Option<Vec<i64>>, Vec<Event>)>),
    /// In modes, a condition a column.
    Condition(Vec<(Option<Vec<i64>>, Vec<Cond>)>),
}

/// What a column gives: one of several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A value.
    Value(i64),
    /// What a variable is: in an event table, before or after the step.
    Var(usize, bool),
}

/// What is compared: a variable, in the new state if it is primed, plus a number.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// The variable.
    pub var: usize,
    /// Is it primed?
    pub is_new: bool,
    /// What is added.
    pub plus: i64,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `=`
    Eq,
    /// `/=`
    Ne,
    /// `<`
    Lt,
    /// `>=`
    Ge,
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Cond {
    /// `True` or `False`
    Is(bool),
    /// A variable of type Boolean.
    Holds(Sum),
    /// Compared with a value of its type.
    With(Sum, Compare, i64),
    /// Compared with another variable of its type.
    Between(Sum, Compare, Sum),
    /// `x IN {1, 2}`
    In(Sum, Vec<i64>),
    /// `|x' - x| <= 1`
    Near(usize, i64),
    /// `NOT`
    Not(Box<Cond>),
    /// `AND`
    And(Box<Cond>, Box<Cond>),
    /// `OR`
    Or(Box<Cond>, Box<Cond>),
    /// `=>`
    Implies(Box<Cond>, Box<Cond>),
}

/// An event.
#[derive(Clone, Debug)]
pub enum Event {
    /// `NEVER`
    Never,
    /// `@T(c)`
    Rise(Cond),
    /// `@F(c)`
    Fall(Cond),
    /// `@C(x)`
    Change(usize),
    /// `@T(INMODE)`
    Enter,
    /// `@F(INMODE)`
    Leave,
    /// `e WHEN c`
    When(Box<Event>, Cond),
    /// `e WHERE c`
    Where(Box<Event>, Cond),
    /// `e WHILE c`
    While(Box<Event>, Cond),
    /// `e AND e`
    And(Box<Event>, Box<Event>),
    /// `e OR e`
    Or(Box<Event>, Box<Event>),
}

impl Ty {
    /// All values.
    pub fn values(&self) -> Vec<i64> {
        match self {
            Ty::Bool => vec![0, 1],
            Ty::Enum(names) => (0..names.len() as i64).collect(),
            Ty::Range(lo, hi) => (*lo..=*hi).collect(),
        }
    }
}

impl Spec {
    /// The position of a variable.
    pub fn var(&self, name: &str) -> usize {
        self.vars.iter().position(|var| var.name == name).expect("a variable")
    }
}

impl Event {
    /// Does it speak of `INMODE`?
    pub fn has_inmode(&self) -> bool {
        match self {
            Event::Enter | Event::Leave => true,
            Event::Never | Event::Rise(_) | Event::Fall(_) | Event::Change(_) => false,
            Event::When(event, _) | Event::Where(event, _) | Event::While(event, _) => {
                event.has_inmode()
            }
            Event::And(a, b) | Event::Or(a, b) => a.has_inmode() || b.has_inmode(),
        }
    }
}
