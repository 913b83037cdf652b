//! What criteria work with: the model, its places, and the list that goals are added to.

use trapline_engine::{Budget, Why};
use trapline_model::transform::Extension;
use trapline_model::{Clause, ExprId, Model, PropertyKind, Reads, Scope, Var, VarId};
use trapline_source::Span;

use crate::decision::Decision;
use crate::goal::{Goal, Target};
use crate::pairs::Point;
use crate::site_name::{self, NamedSite};

/// What goals are wanted.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only what is about these: variables and defines by their full names, arrays and instances
    /// standing for all that they hold. Empty: about anything.
    pub on: Vec<String>,
    /// Only what stands in these modules. Empty: anywhere.
    pub within: Vec<Span>,
    /// Places that goals are not about unless `on` names them: observers.
    pub hidden: Vec<Span>,
    /// A variable or a decision that would give more goals than this is left out.
    pub limit: usize,
    /// Transition pairs in which the variable keeps its value.
    pub self_loops: bool,
    /// Transition pairs in which the variable may stay at the value in the middle.
    pub staying: bool,
    /// Mutate cases whose guards are made a partition.
    pub expound: bool,
    /// What mutants are made of.
    pub mutate: Mutate,
    /// Products of two criteria each.
    pub products: Vec<(String, String)>,
    /// The user's own goals, if there are any to choose from; else the properties of the model are.
    pub traps: Option<Vec<Trap>>,
}

/// What mutants are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutate {
    /// The assignments, definitions and constraints of the model.
    Model,
    /// Its properties.
    Specs,
}

/// A goal that the user wrote.
#[derive(Clone, Debug)]
pub struct Trap {
    /// Its name, or its line.
    pub name: String,
    /// What it says.
    pub clause: Clause,
    /// The logic of a never-claim; `None` for something to reach.
    pub claim: Option<PropertyKind>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            on: Vec::new(),
            within: Vec::new(),
            hidden: Vec::new(),
            limit: 1000,
            self_loops: false,
            staying: false,
            expound: true,
            mutate: Mutate::Model,
            products: Vec::new(),
            traps: None,
        }
    }
}

/// Something that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Where.
    pub span: Span,
    /// What.
    pub text: String,
    /// Would a larger [`Options::limit`] help?
    pub is_limit: bool,
}

/// The goals of a model.
#[derive(Debug)]
pub struct GoalSet {
    /// The model, perhaps with variables that watch it behind its own.
    pub model: Extension,
    /// The goals.
    pub goals: Vec<Goal>,
    /// The decisions that pairs of evaluations are about.
    pub points: Vec<Point>,
    /// What was left out.
    pub notices: Vec<Notice>,
}

/// Goals in the making.
pub struct Builder<'o> {
    /// The model; criteria add expressions to it, and variables that watch it.
    pub model: Extension,
    /// What is wanted.
    pub options: &'o Options,
    /// The sites that are wanted.
    pub places: Vec<NamedSite>,
    /// The name of the criterion at work.
    pub criterion: String,
    /// What was found.
    pub goals: Vec<Goal>,
    /// The decisions of pairs, found once for all readings.
    pub points: Option<Vec<Point>>,
    /// What was left out.
    pub notices: Vec<Notice>,
    /// What deriving them may cost, if somebody waits.
    budget: Option<&'o Budget<'o>>,
    n_asked: u32,
    /// Why there are no more goals.
    pub cut: Option<Why>,
}

/// Between two questions whether to stop, so many goals or mutants are made.
const INTERVAL: u32 = 64;

impl<'o> Builder<'o> {
    /// Nothing yet.
    pub fn new(mut model: Model, options: &'o Options) -> Builder<'o> {
        let mut places = site_name::named_sites(&mut model);
        places.retain(|place| {
            options.wants(&target_names(&model, place.site.target), place.site.span)
        });
        Builder {
            model: Extension::new(model),
            options,
            places,
            criterion: String::new(),
            goals: Vec::new(),
            points: None,
            notices: Vec::new(),
            budget: None,
            n_asked: 0,
            cut: None,
        }
    }

    /// The same within the time, memory and patience of a budget. Counted work is none of them:
    /// how much of it a search may do must not decide which goals there are.
    pub fn within(self, budget: &'o Budget<'o>) -> Builder<'o> {
        Builder { budget: Some(budget), ..self }
    }

    /// Is it time to stop? Then there are no more goals.
    pub fn is_cut(&mut self) -> bool {
        self.n_asked += 1;
        if self.cut.is_none() && self.n_asked >= INTERVAL {
            self.n_asked = 0;
            self.cut = self.budget.and_then(|budget| budget.allows(0).err()).map(Why::from);
        }
        self.cut.is_some()
    }

    /// Adds a goal; its id gets the criterion in front.
    pub fn add(&mut self, key: &str, text: String, span: Span, target: Target) {
        if self.is_cut() {
            return;
        }
        let criterion = self.criterion.clone();
        self.goals.push(Goal { id: format!("{criterion}:{key}"), criterion, text, span, target });
    }

    /// Says that something was left out.
    pub fn leave_out(&mut self, span: Span, text: String) {
        let text = format!("{}: {text}", self.criterion);
        self.notices.push(Notice { span, text, is_limit: false });
    }

    /// Says that something was left out because it would give too many goals.
    pub fn exceed(&mut self, span: Span, what: &str, n_goals: usize) {
        let (criterion, limit) = (&self.criterion, self.options.limit);
        let text =
            format!("{criterion}: {what} would give {n_goals} goals, more than {limit}: left out");
        self.notices.push(Notice { span, text, is_limit: true });
    }

    /// The wanted variables that are no watchers.
    pub fn vars(&self) -> Vec<VarId> {
        let vars = self.model.var_ids().take(self.model.own().vars);
        let is_wanted = |var: &Var| self.options.wants(&[&var.name], var.span);
        vars.filter(|(_, var)| is_wanted(var)).map(|(id, _)| id).collect()
    }

    /// The decision of a place.
    pub fn decision(&self, place: &NamedSite) -> Decision {
        Decision::new(&self.model, place.site.decision)
    }

    /// The wanted places whose decisions have conditions, if so many conditions do not give too
    /// many goals.
    pub fn decisions(&mut self, n_goals: impl Fn(usize) -> usize) -> Vec<(NamedSite, Decision)> {
        let mut found = Vec::new();
        for place in self.places.clone() {
            let decision = self.decision(&place);
            let n_goals = match decision.conditions.len() {
                0 => continue,
                n_conditions => n_goals(n_conditions),
            };
            match n_goals > self.options.limit {
                true => self.exceed(place.site.span, &place.text, n_goals),
                false => found.push((place, decision)),
            }
        }
        found
    }

    /// `r & p`, as a target of the scope of a place.
    pub fn target(&mut self, place: &NamedSite, expr: ExprId) -> Target {
        let whole = self.model.exprs.and(place.reach, expr);
        in_scope(&self.model, place.site.scope, whole)
    }

    /// The expression as people read it.
    pub fn show(&self, expr: ExprId) -> String {
        show(&self.model, expr)
    }
}

/// The expression as people read it; a very long one is not what they want to read.
pub fn show(model: &Model, expr: ExprId) -> String {
    const MAX_NODES: usize = 200;
    if model.exprs.is_short(expr, MAX_NODES) { model.show_expr(expr) } else { "…".into() }
}

/// The target for an expression that counts in a scope.
pub fn in_scope(model: &Model, scope: Scope, expr: ExprId) -> Target {
    let is_about_step = model.exprs.info(expr).reads.any(Reads::STEP);
    match scope {
        Scope::Init => Target::Initial(expr),
        Scope::State if !is_about_step => Target::State(expr),
        Scope::State | Scope::Step => Target::Step(expr),
    }
}

impl Options {
    /// Shall goals be about what has one of these names, if it has any, and stands there?
    pub fn wants(&self, names: &[&str], span: Span) -> bool {
        let is_in = |places: &[Span]| places.iter().any(|place| site_name::is_inside(span, *place));
        let is_within = self.within.is_empty() || is_in(&self.within);
        match self.on.is_empty() {
            true => is_within && !is_in(&self.hidden),
            false => is_within && names.iter().any(|name| self.is_on(name)),
        }
    }

    /// Is this among what goals shall be about?
    pub fn is_on(&self, name: &str) -> bool {
        self.on.iter().any(|wanted| match name.strip_prefix(wanted.as_str()) {
            Some(rest) => rest.is_empty() || rest.starts_with(['.', '[']),
            None => false,
        })
    }
}

/// The variables or the define that a site decides.
fn target_names(model: &Model, target: trapline_model::Target) -> Vec<&str> {
    let var_name = |var: VarId| model.var(var).name.as_str();
    match target {
        trapline_model::Target::Assign { var, .. } => vec![var_name(var)],
        trapline_model::Target::Define(id) => vec![&model.define(id).name],
        trapline_model::Target::Constraint(_) => Vec::new(),
        trapline_model::Target::Guard(group, idx) => {
            let alternative = &model.group(group).alternatives[idx as usize];
            alternative.gives.iter().map(|given| var_name(given.var)).collect()
        }
        trapline_model::Target::Given(group, idx, given) => {
            let alternative = &model.group(group).alternatives[idx as usize];
            vec![var_name(alternative.gives[given as usize].var)]
        }
    }
}
