//! What the sections of a SAL module say, taken from a model.
//!
//! | the model | the module |
//! |---|---|
//! | an input (by its role) | `INPUT`; what is said of its values is a part of guards |
//! | another variable | `OUTPUT` or `LOCAL`, by its role |
//! | an `IVAR` that is an input | `INPUT`; a step takes its value from the state it leads to |
//! | another `IVAR`: which process or command moves | a command for each value |
//! | a definition | `DEFINITION`, a constant, or written out if no state has its value |
//! | what holds initially, in each state, in each step | guards |
//! | an invariant over steps | a variable that remembers whether it held |
//!
//! An input of a step becomes one of the next state since a state with a value that allows no step
//! would be a dead end that the model does not have. A variable that nothing determines is assigned
//! any value of its type: left out, SAL would keep its value.

use rustc_hash::FxHashMap;
use trapline_model::{
    AssignKind, ConstraintKind, Domain, Expr, ExprId, Model, Reads, Role, Type, Value, VarId,
    VarKind,
};
use trapline_source::Span;

use super::bounds::{Bounds, may_fail};
use super::fold::Fold;

/// So many commands may be written for the values of a selector,
const MAX_COMMANDS: u64 = 64;
/// with so many nodes.
const MAX_COMMAND_NODES: u64 = 200_000;

/// A model, taken apart.
#[derive(Debug)]
pub(super) struct System {
    /// The model; definitions that are not inlined have their final body.
    pub model: Model,
    /// What becomes of each definition.
    pub defines: Vec<DefineUse>,
    /// The values of variables in every state.
    pub definitions: Vec<(VarId, ExprId)>,
    /// The first values.
    pub first: Vec<(VarId, ExprId)>,
    /// What holds in first states.
    pub first_guards: Vec<ExprId>,
    /// The next values that every step gives.
    pub steps: Vec<(Target, Gives)>,
    /// The commands; without any every step is possible.
    pub commands: Vec<Command>,
    /// Variables that remember whether something held in the step before.
    pub monitors: Vec<Monitor>,
    /// What is not a variable of the module.
    pub bound: Vec<VarId>,
    fold: Fold,
    is_inlined: Vec<bool>,
}

/// What becomes of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefineUse {
    /// A constant of the context.
    Constant,
    /// A variable.
    Variable,
    /// It is written out.
    Inlined,
}

/// What a step gives a value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A variable.
    Var(VarId),
    /// A monitor, by its index.
    Monitor(usize),
}

/// The next value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// This one, or one in this set.
    Expr(ExprId),
    /// Any value of the type.
    Any,
    /// The value of now.
    Same,
}

/// A guarded command.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// Its label.
    pub label: Option<String>,
    /// What is chosen with it.
    pub bound: Vec<VarId>,
    /// When it is possible: all of these hold.
    pub guards: Vec<ExprId>,
    /// The next values that it gives.
    pub gives: Vec<(Target, ExprId)>,
}

/// A variable that remembers whether something held in the step before.
#[derive(Clone, Debug)]
pub(super) struct Monitor {
    /// How it would like to be called.
    pub wanted: String,
    /// What held.
    pub held: ExprId,
}

impl System {
    /// Takes a model apart, as far as its properties do not matter. The second is what a SAL module
    /// can't say.
    pub fn new(model: &Model) -> (System, Vec<(Span, &'static str)>) {
        let mut system = System {
            model: model.clone(),
            defines: Vec::new(),
            definitions: Vec::new(),
            first: Vec::new(),
            first_guards: Vec::new(),
            steps: Vec::new(),
            commands: Vec::new(),
            monitors: Vec::new(),
            bound: Vec::new(),
            fold: Fold::default(),
            is_inlined: Vec::new(),
        };
        system.defines();
        let of_step = model.var_ids().filter(|(_, var)| var.kind == VarKind::Input);
        system.bound = of_step.filter(|(_, v)| v.role != Role::Input).map(|(id, _)| id).collect();
        let refused = system.check_reads();
        system.states();
        (system, refused)
    }

    /// What becomes of definitions. Sets are no values of variables in SAL, and of steps no state has
    /// the value. What may have no value in some states is written out where it is used: the author
    /// guards it there.
    fn defines(&mut self) {
        let mut bounds = Bounds::default();
        let mut partial = FxHashMap::default();
        for define in &self.model.defines {
            let info = self.model.exprs.info(define.body.expr);
            let is_partial = may_fail(&self.model, &mut bounds, &mut partial, define.body.expr);
            self.defines.push(match info.ty {
                _ if is_partial => DefineUse::Inlined,
                Type::Set(_) | Type::Temporal | Type::Never => DefineUse::Inlined,
                _ if info.reads.any(Reads::STEP.and(Reads::NEXT_INPUT)) => DefineUse::Inlined,
                _ if info.reads == Reads::NOTHING => DefineUse::Constant,
                _ => DefineUse::Variable,
            });
        }
        self.is_inlined = self.defines.iter().map(|it| *it == DefineUse::Inlined).collect();
        for idx in 0..self.defines.len() {
            let body = self.anew(self.model.defines[idx].body.expr);
            self.model.defines[idx].body.expr = body;
        }
    }

    /// Expressions about states that read steps, which no language here allows.
    fn check_reads(&self) -> Vec<(Span, &'static str)> {
        let exprs = &self.model.exprs;
        let mut refused = Vec::new();
        for assign in self.model.assigns.iter().filter(|it| it.kind != AssignKind::Next) {
            if exprs.info(assign.expr).reads.any(Reads::STEP) {
                let span = assign.parts.first().map_or(Span::default(), |part| part.body.span);
                refused.push((span, "a value of a state that depends on a step"));
            }
        }
        for it in self.model.constraints.iter().filter(|it| it.kind != ConstraintKind::Trans) {
            if exprs.info(it.body.expr).reads.any(Reads::STEP) {
                refused.push((it.body.span, "a constraint on states that depends on a step"));
            }
        }
        refused
    }

    /// The expression with definitions written out that are nothing else.
    pub fn anew(&mut self, expr: ExprId) -> ExprId {
        self.fold.apply(&mut self.model, &self.is_inlined, expr)
    }

    /// Is the variable one of the module, or of a command?
    pub fn declares(&self, var: VarId) -> bool {
        !self.bound.contains(&var) || self.commands.iter().any(|it| it.bound.contains(&var))
    }

    fn is_input(&self, var: VarId) -> bool {
        self.model.var(var).role == Role::Input
    }

    /// What holds of states.
    fn states(&mut self) {
        for idx in 0..self.model.assigns.len() {
            let (kind, var) = (self.model.assigns[idx].kind, self.model.assigns[idx].var);
            let expr = self.anew(self.model.assigns[idx].expr);
            self.model.assigns[idx].expr = expr;
            match kind {
                AssignKind::Next => {}
                _ if self.is_input(var) => {
                    let read = self.model.var_expr(var);
                    let holds = self.model.exprs.is_given(read, expr);
                    self.first_guards.push(holds);
                }
                AssignKind::Current => self.definitions.push((var, expr)),
                AssignKind::Init => self.first.push((var, expr)),
            }
        }
        for idx in 0..self.model.constraints.len() {
            let expr = self.anew(self.model.constraints[idx].body.expr);
            self.model.constraints[idx].body.expr = expr;
            if self.model.constraints[idx].kind != ConstraintKind::Trans {
                self.first_guards.push(expr);
            }
        }
        self.first_guards.retain(|&guard| !self.model.exprs.is_true(guard));
    }

    /// What holds of steps; all monitors are known.
    pub fn finish(&mut self) {
        let next: FxHashMap<VarId, ExprId> = self.of_kind(AssignKind::Next);
        let current: FxHashMap<VarId, ExprId> = self.of_kind(AssignKind::Current);
        let mut guards = Vec::new();
        let mut gives = Vec::new();
        for idx in 0..self.model.vars.len() {
            let var = VarId(idx as u32);
            let kind = self.model.var(var).kind;
            if kind == VarKind::Input {
                continue;
            }
            let read = self.model.var_expr(var);
            let primed = self.model.exprs.prime(read);
            if self.is_input(var) {
                let given = match (next.get(&var), current.get(&var), kind) {
                    (_, Some(&expr), _) => Some(self.model.exprs.prime(expr)),
                    (Some(&expr), ..) => Some(expr),
                    (.., VarKind::Frozen) => Some(read),
                    _ => None,
                };
                if let Some(given) = given {
                    let holds = self.model.exprs.is_given(primed, given);
                    guards.push(holds);
                }
                continue;
            }
            match next.get(&var) {
                _ if current.contains_key(&var) => {}
                _ if kind == VarKind::Frozen => gives.push((Target::Var(var), Gives::Same)),
                Some(&expr) => gives.push((Target::Var(var), Gives::Expr(expr))),
                None => gives.push((Target::Var(var), Gives::Any)),
            }
        }
        for (idx, monitor) in self.monitors.iter().enumerate() {
            gives.push((Target::Monitor(idx), Gives::Expr(monitor.held)));
        }
        for idx in 0..self.model.constraints.len() {
            let expr = self.model.constraints[idx].body.expr;
            match self.model.constraints[idx].kind {
                ConstraintKind::Init => {}
                ConstraintKind::Invar => guards.push(self.model.exprs.prime(expr)),
                ConstraintKind::Trans => guards.push(expr),
            }
        }
        guards.retain(|&guard| !self.model.exprs.is_true(guard));
        self.divide(guards, gives);
    }

    fn of_kind(&self, kind: AssignKind) -> FxHashMap<VarId, ExprId> {
        let of_kind = self.model.assigns.iter().filter(|assign| assign.kind == kind);
        of_kind.map(|assign| (assign.var, assign.expr)).collect()
    }

    /// What every step gives, and what depends on a choice.
    fn divide(&mut self, guards: Vec<ExprId>, gives: Vec<(Target, Gives)>) {
        let read = self.reads_bound();
        let chosen = |expr: ExprId| &read[expr.0 as usize];
        let mut bound: Vec<VarId> =
            guards.iter().flat_map(|&guard| chosen(guard).clone()).collect();
        let mut of_choice = Vec::new();
        for (target, given) in gives {
            match given {
                Gives::Expr(expr) if !chosen(expr).is_empty() => {
                    bound.extend(chosen(expr));
                    of_choice.push((target, expr));
                }
                _ => self.steps.push((target, given)),
            }
        }
        bound.sort_unstable();
        bound.dedup();
        if guards.is_empty() && of_choice.is_empty() {
            return;
        }
        let roots: Vec<ExprId> =
            guards.iter().copied().chain(of_choice.iter().map(|&(_, expr)| expr)).collect();
        match bound.as_slice() {
            &[selector] if self.is_spelled_out(selector, &roots) => {
                self.spell_out(selector, &guards, &of_choice);
            }
            _ => self.commands.push(Command { label: None, bound, guards, gives: of_choice }),
        }
    }

    /// The choices that each expression reads; few have more than one.
    fn reads_bound(&self) -> Vec<Vec<VarId>> {
        let exprs = &self.model.exprs;
        let mut read: Vec<Vec<VarId>> = Vec::with_capacity(exprs.len());
        for idx in 0..exprs.len() {
            let id = ExprId(idx as u32);
            let mut own: Vec<VarId> = Vec::new();
            match exprs.get(id) {
                Expr::Var(var) if self.bound.contains(&var) => own.push(var),
                expr if exprs.info(id).reads.any(Reads::INPUT) => {
                    for operand in exprs.operands(expr).as_slice() {
                        let new = read[operand.0 as usize].iter().filter(|it| !own.contains(it));
                        own.extend(new.copied().collect::<Vec<_>>());
                    }
                }
                _ => {}
            }
            read.push(own);
        }
        read
    }

    fn is_spelled_out(&self, selector: VarId, roots: &[ExprId]) -> bool {
        let domain = &self.model.var(selector).domain;
        // A number and a symbol do not compare, unless a variable may be either.
        if domain.ty() == Type::Mixed {
            return false;
        }
        let n_values = domain.size().unwrap_or(u64::MAX);
        let n_nodes = self.model.exprs.reachable(roots.iter().copied()).len() as u64;
        n_values <= MAX_COMMANDS && n_values.saturating_mul(n_nodes) <= MAX_COMMAND_NODES
    }

    /// A command for each value of a selector. What it does not change it does not mention.
    fn spell_out(&mut self, selector: VarId, guards: &[ExprId], gives: &[(Target, ExprId)]) {
        let domain = self.model.var(selector).domain.clone();
        for position in 0..domain.size().unwrap_or(0) {
            let value = domain.value(position);
            let mut fold = Fold::default();
            let read = self.model.var_expr(selector);
            let constant = self.model.exprs.value(value);
            fold.put(read, constant);
            let mut anew = |expr| fold.apply(&mut self.model, &self.is_inlined, expr);
            let guards: Vec<ExprId> = guards.iter().map(|&guard| anew(guard)).collect();
            let gives: Vec<(Target, ExprId)> =
                gives.iter().map(|&(target, expr)| (target, anew(expr))).collect();
            if guards.iter().any(|&guard| self.model.exprs.is_false(guard)) {
                continue;
            }
            self.commands.push(Command {
                label: label(&self.model, &domain, value),
                bound: Vec::new(),
                guards: guards.into_iter().filter(|&g| !self.model.exprs.is_true(g)).collect(),
                gives: gives.into_iter().filter(|&give| !self.is_kept(give)).collect(),
            });
        }
        if self.commands.is_empty() {
            let never = self.model.exprs.bool(false);
            let never = Command { label: None, bound: vec![], guards: vec![never], gives: vec![] };
            self.commands.push(never);
        }
    }

    fn is_kept(&self, (target, expr): (Target, ExprId)) -> bool {
        matches!((target, self.model.exprs.get(expr)), (Target::Var(a), Expr::Var(b)) if a == b)
    }
}

/// What the author calls the command.
fn label(model: &Model, domain: &Domain, value: Value) -> Option<String> {
    match (domain, value) {
        (Domain::Enum(_), Value::Symbol(symbol)) => Some(model.symbols.name(symbol).into()),
        _ => None,
    }
}
