//! What a model allows, found by trying every valuation: the slow truth that the rest of the
//! code is compared with. It knows the evaluator and nothing else.

use std::collections::BTreeSet;

use trapline_model::eval::{Cell, Plan};
use trapline_model::{AssignKind, ConstraintKind, ExprId, Model, Value, VarId, VarKind};

use crate::valuations;

/// A value for each variable of the model; inputs have none in a state.
pub type Values = Vec<Option<Value>>;

/// The answer to a question about initial states or successors.
pub struct Found<T> {
    /// What every rule allows.
    pub allowed: BTreeSet<T>,
    /// What no rule excludes, but some rule has no value there, or one outside the type.
    pub failing: BTreeSet<T>,
}

/// A model with its rules: what they say of the variable, if it is an assignment.
pub struct Explorer<'m> {
    model: &'m Model,
    init: Rules,
    state: Rules,
    step: Rules,
}

struct Rules {
    plan: Plan,
    assigned: Vec<Option<VarId>>,
}

/// What all rules say together is the greatest of what each one says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Holds,
    Fails,
    Broken,
}

impl<'m> Explorer<'m> {
    /// The rules of a model.
    pub fn new(model: &'m Model) -> Explorer<'m> {
        let rules = |assign: AssignKind, constraint: ConstraintKind| {
            let assigns = model.assigns.iter().filter(|a| a.kind == assign);
            let constraints = model.constraints.iter().filter(|c| c.kind == constraint);
            let all = assigns.map(|a| (a.expr, Some(a.var)));
            let all = all.chain(constraints.map(|c| (c.body.expr, None)));
            let (exprs, assigned): (Vec<ExprId>, Vec<_>) = all.unzip();
            Rules { plan: Plan::new(model, &exprs), assigned }
        };
        Explorer {
            model,
            init: rules(AssignKind::Init, ConstraintKind::Init),
            state: rules(AssignKind::Current, ConstraintKind::Invar),
            step: rules(AssignKind::Next, ConstraintKind::Trans),
        }
    }

    /// The variables of these kinds.
    fn vars(&self, kinds: &[VarKind]) -> Vec<VarId> {
        let vars = self.model.var_ids().filter(|(_, var)| kinds.contains(&var.kind));
        vars.map(|(id, _)| id).collect()
    }

    /// All states that the types admit.
    pub fn states(&self) -> Vec<Values> {
        let vars = self.vars(&[VarKind::State, VarKind::Frozen]);
        valuations(self.model, &vars, &vec![None; self.model.vars.len()]).collect()
    }

    /// All initial states.
    pub fn initial(&self) -> Found<Values> {
        let mut found = Found { allowed: BTreeSet::new(), failing: BTreeSet::new() };
        let mut cells = Vec::new();
        for state in self.states() {
            let verdicts = [&self.init, &self.state]
                .map(|rules| rules.judge(self.model, &state, &[], &mut cells));
            found.note(verdicts, state);
        }
        found
    }

    /// All steps from a state: its values with those of the inputs, and the next state.
    pub fn successors(&self, from: &[Option<Value>]) -> Found<(Values, Values)> {
        let mut found = Found { allowed: BTreeSet::new(), failing: BTreeSet::new() };
        let mut frozen = vec![None; self.model.vars.len()];
        for var in self.vars(&[VarKind::Frozen]) {
            frozen[var.0 as usize] = from[var.0 as usize];
        }
        let moving = self.vars(&[VarKind::State]);
        let mut cells = Vec::new();
        // What no invariant excludes, whatever the inputs are.
        let next = valuations(self.model, &moving, &frozen)
            .map(|next| (self.state.judge(self.model, &next, &[], &mut cells), next));
        let next: Vec<(Verdict, Values)> =
            next.filter(|(verdict, _)| *verdict != Verdict::Broken).collect();
        let mut cells = Vec::new();
        for current in valuations(self.model, &self.vars(&[VarKind::Input]), from) {
            for (verdict, next) in &next {
                let step = self.step.judge(self.model, &current, next, &mut cells);
                if step != Verdict::Broken {
                    found.note([step, *verdict], (current.clone(), next.clone()));
                }
            }
        }
        found
    }
}

impl<T: Ord> Found<T> {
    fn note(&mut self, verdicts: [Verdict; 2], what: T) {
        match verdicts[0].max(verdicts[1]) {
            Verdict::Holds => drop(self.allowed.insert(what)),
            Verdict::Fails => drop(self.failing.insert(what)),
            Verdict::Broken => {}
        }
    }
}

impl Rules {
    /// Assignments are about `next` if there is one.
    fn judge(
        &self,
        model: &Model,
        current: &[Option<Value>],
        next: &[Option<Value>],
        cells: &mut Vec<Cell>,
    ) -> Verdict {
        self.plan.run(current, next, cells);
        let target = if next.is_empty() { current } else { next };
        let mut verdict = Verdict::Holds;
        for (idx, assigned) in self.assigned.iter().enumerate() {
            let verdict_here = match (self.plan.root(idx, cells), assigned) {
                (Cell::Fail(_), _) => Verdict::Fails,
                (Cell::Value(Value::Bool(true)), None) => Verdict::Holds,
                (_, None) => Verdict::Broken,
                (cell, Some(var)) => {
                    let members = cell.members().expect("every variable has a value");
                    let domain = &model.var(*var).domain;
                    if members.iter().any(|value| !domain.contains(value)) {
                        Verdict::Fails
                    } else if members.iter().any(|v| target[var.0 as usize] == Some(v)) {
                        Verdict::Holds
                    } else {
                        Verdict::Broken
                    }
                }
            };
            verdict = verdict.max(verdict_here);
        }
        verdict
    }
}
