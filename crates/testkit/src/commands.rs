//! Guarded commands and tables for tests, written as definitions of a model in SMV, and what they
//! allow, found by trying everything.
//!
//! `inc__when := x < 3; inc__x := x + 1;` is a command `inc`; `rest__else := TRUE;` begins one for
//! all other cases. Their order is that of the text.

use std::collections::{BTreeMap, BTreeSet};

use trapline_model::commands::{Commands, Gap, Overlap, Table, add_commands, add_table};
use trapline_model::eval::evaluate;
use trapline_model::{
    Alternative, AssignKind, ConstraintKind, ExprId, Given, Guard, Model, Scope, Value, VarId,
    VarKind, decide, roles,
};
use trapline_source::Span;

use crate::{read, valuations};

/// The values of all variables.
pub type Values = Vec<Option<Value>>;

/// The model, without its definitions, and the alternatives that these stood for.
fn alternatives(text: &str) -> (Model, Vec<Alternative>) {
    let (mut model, _) = read(text, &[]);
    let defines = std::mem::take(&mut model.defines);
    model.sites.clear();
    model.groups.clear();
    model.reaches.clear();
    let mut list: Vec<Alternative> = Vec::new();
    for define in defines {
        let (label, what) = define.name.split_once("__").expect("label__what");
        let occ = define.body.occ.expect("written");
        let guard = match what {
            "when" => Guard::Written(occ),
            "else" => Guard::Else(0..list.len() as u32, occ),
            name => {
                let var = model.find_var(name).expect("a variable");
                let own = list.last_mut().expect("a guard comes first");
                own.gives.push(Given { var, value: define.body, only_if: None });
                continue;
            }
        };
        list.push(Alternative {
            label: Some(label.into()),
            guard,
            possible: None,
            taken: None,
            gives: Vec::new(),
            branches: Vec::new(),
            span: define.body.span,
        });
    }
    (model, list)
}

/// A model of guarded commands called `list`.
pub fn commands(text: &str, scope: Scope) -> Model {
    let (mut model, list) = alternatives(text);
    let span = Span::new(0, text.len() as u32);
    let commands = Commands { name: "list", selector: "_command_", scope, when: None, span };
    add_commands(&mut model, commands, list);
    decide::find_sites(&mut model);
    roles::guess(&mut model);
    model
}

/// A model with a table called `table`.
pub fn table(text: &str, scope: Scope) -> Model {
    let (mut model, rows) = alternatives(text);
    let (name, span) = ("table", Span::new(0, text.len() as u32));
    let (overlap, gap) = (Overlap::Wrong, Gap::NoValue);
    add_table(&mut model, Table { name, scope, overlap, gap, span }, rows);
    decide::find_sites(&mut model);
    roles::guess(&mut model);
    model
}

/// What the alternatives of the first group say, as lists that can be changed.
#[derive(Clone)]
pub struct Listed {
    /// `None` for all other cases.
    pub guards: Vec<Option<ExprId>>,
    /// The values that each gives.
    pub gives: Vec<Vec<(VarId, ExprId)>>,
    vars: Vec<VarId>,
    scope: Scope,
}

impl Listed {
    /// What the model's first group says.
    pub fn new(model: &Model) -> Listed {
        let group = &model.groups[0];
        let guard = |alternative: &Alternative| match alternative.guard {
            Guard::Written(occ) => Some(model.occurrences.get(occ).expr),
            Guard::Else(..) => None,
        };
        let gives = |alternative: &Alternative| {
            alternative.gives.iter().map(|given| (given.var, given.value.expr)).collect()
        };
        Listed {
            guards: group.alternatives.iter().map(guard).collect(),
            gives: group.alternatives.iter().map(gives).collect(),
            vars: group.vars(),
            scope: group.scope,
        }
    }

    /// Does the guard of an alternative hold?
    pub fn holds(&self, model: &Model, idx: usize, from: &Values, to: &Values) -> bool {
        let truth = |guard: ExprId| evaluate(model, guard, from, to).as_bool() == Some(true);
        match self.guards[idx] {
            Some(guard) => truth(guard),
            None => !self.guards.iter().flatten().any(|&guard| truth(guard)),
        }
    }

    /// The alternatives that explain a step, or a state: then it is given twice.
    pub fn explaining(&self, model: &Model, from: &Values, to: &Values) -> Vec<usize> {
        let gives = |idx: usize, var: VarId| {
            let is = to[var.0 as usize].expect("a state");
            match self.gives[idx].iter().find(|(given, _)| *given == var) {
                Some(&(_, by)) => {
                    evaluate(model, by, from, to).members().is_some_and(|all| all.contains(is))
                }
                None => self.scope != Scope::Step || from[var.0 as usize] == Some(is),
            }
        };
        let explains = |&idx: &usize| {
            self.holds(model, idx, from, to) && self.vars.iter().all(|&var| gives(idx, var))
        };
        (0..self.guards.len()).filter(explains).collect()
    }
}

/// What a model does from its initial states, each step with the alternatives that explain it.
pub struct Behaviour {
    /// The initial states.
    pub initial: BTreeMap<Values, Vec<usize>>,
    /// The states that can be reached.
    pub states: BTreeSet<Values>,
    /// The steps from them.
    pub steps: BTreeMap<(Values, Values), Vec<usize>>,
}

/// All states of the types; only states of the model have values, not its steps.
pub fn all_states(model: &Model) -> Vec<Values> {
    let is_own = |var: &VarId| model.var(*var).kind == VarKind::State && !model.is_selector(*var);
    let vars: Vec<VarId> = model.var_ids().map(|(id, _)| id).filter(is_own).collect();
    valuations(model, &vars, &vec![None; model.vars.len()]).collect()
}

/// Tries everything. Variables that no alternative assigns are free.
pub fn behaviour(model: &Model, listed: &Listed) -> Behaviour {
    let all = all_states(model);
    let is_initial = |state: &Values| {
        let mut constraints = model.constraints.iter().enumerate();
        let own = model.groups[0].constraint;
        let is_assigned = |kind: AssignKind| {
            model.assigns.iter().filter(move |assign| assign.kind == kind).all(|assign| {
                let is = state[assign.var.0 as usize].expect("a state");
                evaluate(model, assign.expr, state, &[]).members().expect("known").contains(is)
            })
        };
        is_assigned(AssignKind::Init)
            && constraints.all(|(idx, constraint)| {
                constraint.kind != ConstraintKind::Init
                    || own == Some(idx as u32)
                    || evaluate(model, constraint.body.expr, state, &[]).as_bool() == Some(true)
            })
    };
    let explaining = |from: &Values, to: &Values, scope: Scope| match scope == listed.scope {
        true => listed.explaining(model, from, to),
        // Nothing has to be explained.
        false => vec![0],
    };
    let of_state = |state: &Values| match listed.scope {
        Scope::State => explaining(state, state, Scope::State),
        _ => vec![0],
    };
    let mut initial = BTreeMap::new();
    for state in all.iter().filter(|state| is_initial(state) && !of_state(state).is_empty()) {
        let by = explaining(state, state, Scope::Init);
        if !by.is_empty() {
            initial.insert(state.clone(), by);
        }
    }
    let mut states: BTreeSet<Values> = initial.keys().cloned().collect();
    let mut open: Vec<Values> = initial.keys().cloned().collect();
    let mut steps = BTreeMap::new();
    while let Some(from) = open.pop() {
        for to in all.iter().filter(|to| !of_state(to).is_empty()) {
            let by = explaining(&from, to, Scope::Step);
            if by.is_empty() {
                continue;
            }
            if states.insert(to.clone()) {
                open.push(to.clone());
            }
            steps.insert((from.clone(), to.clone()), by);
        }
    }
    Behaviour { initial, states, steps }
}
