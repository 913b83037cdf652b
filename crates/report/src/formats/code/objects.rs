//! A suite as data of templates, made while a template asks for it.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr, Value};
use trapline_model::Role;
use trapline_suite::steps::{Cell, ExecutableSuite, ExecutableTest};

/// What a template starts from.
#[derive(Debug)]
pub struct Root {
    /// The suite.
    pub suite: Arc<ExecutableSuite>,
    /// What the suite is called.
    pub name: String,
}

const ROOT: &[&str] = &[
    "name",
    "model",
    "version",
    "complete",
    "inputs",
    "outputs",
    "internals",
    "checked",
    "remarks",
    "tests",
];

impl Object for Root {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let suite = &self.suite;
        Some(match key.as_str()? {
            "name" => self.name.as_str().into(),
            "model" => suite.path.as_str().into(),
            "version" => env!("CARGO_PKG_VERSION").into(),
            "complete" => suite.is_complete.into(),
            "inputs" => columns(suite, &suite.of_role(Role::Input)),
            "outputs" => columns(suite, &suite.of_role(Role::Output)),
            "internals" => columns(suite, &suite.of_role(Role::Internal)),
            "checked" => columns(suite, &suite.checked()),
            "remarks" => suite.remarks.iter().map(|it| Value::from(it.as_str())).collect(),
            "tests" => (0..suite.tests.len())
                .map(|test| Value::from_object(TestView { suite: suite.clone(), test }))
                .collect(),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(ROOT)
    }
}

fn columns(suite: &ExecutableSuite, columns: &[usize]) -> Value {
    let column = |&idx: &usize| {
        let column = &suite.columns[idx];
        Value::from_pairs([
            ("name", Value::from(column.name.clone())),
            ("type", column.kind.word().into()),
            ("step", column.is_step.into()),
            ("reset", column.is_reset.into()),
            ("checked", (column.role == Role::Output && column.is_whole).into()),
        ])
    };
    columns.iter().map(column).collect()
}

/// A test.
#[derive(Debug)]
pub struct TestView {
    suite: Arc<ExecutableSuite>,
    test: usize,
}

const TEST: &[&str] = &["name", "index", "goals", "loop", "turns", "judged", "stop", "states"];

impl TestView {
    /// The suite that it is in.
    pub fn suite(&self) -> &ExecutableSuite {
        &self.suite
    }

    /// The test.
    pub fn test(&self) -> &ExecutableTest {
        &self.suite.tests[self.test]
    }
}

impl Object for TestView {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let test = self.test();
        Some(match key.as_str()? {
            "name" => test.name.as_str().into(),
            "index" => self.test.into(),
            "goals" => test
                .goals
                .iter()
                .map(|goal| {
                    let text = goal.text.as_deref();
                    let text = text.map_or(Value::from(()), Value::from);
                    Value::from_pairs([("id", Value::from(goal.id.as_str())), ("text", text)])
                })
                .collect(),
            "loop" => test.loop_start.map_or(Value::from(()), Value::from),
            "turns" => test.n_turns.into(),
            "judged" => test.n_judged().into(),
            "stop" => match &test.stop {
                None => Value::from(()),
                Some((state, open)) => Value::from_pairs([
                    ("state", Value::from(*state)),
                    ("open", open.iter().map(|name| Value::from(name.as_str())).collect()),
                ]),
            },
            "states" => states(self),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(TEST)
    }
}

fn states(view: &Arc<TestView>) -> Value {
    Value::make_object_iterable(view.clone(), |view| {
        let view = view.clone();
        let n_states = view.test().rows.len();
        let state = move |state| Value::from_object(StateView { test: view.clone(), state });
        Box::new((0..n_states).map(state))
    })
}

/// A state of a test.
#[derive(Debug)]
struct StateView {
    test: Arc<TestView>,
    state: usize,
}

const STATE: &[&str] = &["index", "judged", "inputs", "outputs", "internals", "changed"];

impl Object for StateView {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let row =
            |role| Value::from_object(RowView { test: self.test.clone(), state: self.state, role });
        Some(match key.as_str()? {
            "index" => self.state.into(),
            "judged" => (self.state < self.test.test().n_judged()).into(),
            "inputs" => row(Role::Input),
            "outputs" => row(Role::Output),
            "internals" => row(Role::Internal),
            "changed" => changed(self.test.suite(), self.test.test(), self.state)
                .into_iter()
                .map(|column| Value::from(self.test.suite.columns[column].name.clone()))
                .collect(),
            _ => return None,
        })
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Str(STATE)
    }
}

/// The inputs that are others than in the state before; all of them in the first state.
pub fn changed(suite: &ExecutableSuite, test: &ExecutableTest, state: usize) -> Vec<usize> {
    let before = |column: usize| state.checked_sub(1).map(|state| &test.rows[state][column]);
    let is_new = |&column: &usize| {
        let now = &test.rows[state][column];
        now.is_some() && before(column) != Some(now)
    };
    suite.of_role(Role::Input).into_iter().filter(is_new).collect()
}

/// The values of a state that have one role, by their names.
#[derive(Debug)]
struct RowView {
    test: Arc<TestView>,
    state: usize,
    role: Role,
}

impl RowView {
    fn pairs(&self) -> Vec<(Arc<str>, Value)> {
        let columns = self.test.suite.columns.iter().zip(&self.test.test().rows[self.state]);
        let columns = columns.filter(|(column, _)| column.role == self.role);
        let pairs =
            columns.filter_map(|(column, cell)| Some((column.name.clone(), data(cell.as_ref()?))));
        pairs.collect()
    }
}

impl Object for RowView {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let key = key.as_str()?;
        let columns = &self.test.suite.columns;
        let idx = columns.iter().position(|it| it.role == self.role && *it.name == *key)?;
        self.test.test().rows[self.state][idx].as_ref().map(data)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let names = self.pairs().into_iter().map(|(name, _)| Value::from(name));
        Enumerator::Iter(Box::new(names.collect::<Vec<_>>().into_iter()))
    }
}

fn data(cell: &Cell) -> Value {
    match cell {
        Cell::Bool(b) => (*b).into(),
        Cell::Int(i) => (*i).into(),
        Cell::Unsigned(u) => (*u).into(),
        Cell::Real(r) => (*r).into(),
        Cell::Text(text) => text.clone().into(),
    }
}
