//! The context of criteria: the model, its named sites, and the goals derived so far.

use rustc_hash::FxHashMap;
use trapline_engine::{Budget, Limits, Why};
use trapline_model::name;
use trapline_model::transform::Extension;
use trapline_model::{Clause, ExprId, Model, PropertyKind, Reads, Scope, Var, VarId};
use trapline_source::Span;

use crate::criteria::OBSERVABLE;
use crate::decision::Decision;
use crate::goal::{Goal, GoalKind};
use crate::mutate::Mutants;
use crate::pairs::Point;
use crate::sent::SentWithStep;
use crate::site_name::{self, NamedSite};
use crate::visibility::flip::{self, Flips, Place};
use crate::visibility::inline::Formulas;
use crate::visibility::{Fault, Visibility};

/// Goal selection options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Restricts goals to these variables and defines, by full name; an array or instance stands
    /// for all its members. Empty: no restriction.
    pub on: Vec<String>,
    /// Restricts goals to these modules. Empty: no restriction.
    pub within: Vec<Span>,
    /// Spans without goals of their own unless `on` names them: observers.
    pub hidden: Vec<Span>,
    /// Variables and decisions with more goals are skipped.
    pub limit: usize,
    /// Include transition pairs in which the variable keeps its value.
    pub self_loops: bool,
    /// In transition pairs, allow the variable to stay at the middle value.
    pub staying: bool,
    /// Mutate expounded cases, whose guards are mutually exclusive.
    pub expound: bool,
    /// What to mutate.
    pub mutate: Mutate,
    /// Where a mutant must show.
    pub visibility: Visibility,
    /// Count an evaluation of a condition only if its effect arrives at an output, for the criteria in
    /// [`OBSERVABLE`].
    pub observable: bool,
    /// Products of two criteria each.
    pub products: Vec<(String, String)>,
    /// User-defined goals, if given; otherwise the model's properties are used.
    pub traps: Option<Vec<Trap>>,
}

/// What to mutate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutate {
    /// The assignments, definitions and constraints of the model.
    Model,
    /// Its properties.
    Specs,
}

/// A user-defined goal.
#[derive(Clone, Debug)]
pub struct Trap {
    /// Its name, or its line.
    pub name: String,
    /// Its expression or formula.
    pub clause: Clause,
    /// The logic of a never-claim; `None` for an expression to reach.
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
            expound: false,
            mutate: Mutate::Model,
            visibility: Visibility::Reflect,
            observable: false,
            products: Vec::new(),
            traps: None,
        }
    }
}

/// Something that was skipped, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Where.
    pub span: Span,
    /// What.
    pub text: String,
    /// True if a larger [`Options::limit`] would help.
    pub is_limit: bool,
    /// True if nothing was skipped, but goals promise less than they usually do.
    pub is_caveat: bool,
}

/// The goals of a model.
#[derive(Debug)]
pub struct GoalSet {
    /// The model, perhaps extended by monitor variables.
    pub model: Extension,
    /// The goals.
    pub goals: Vec<Goal>,
    /// The decisions of pair goals.
    pub points: Vec<Point>,
    /// The mutants that goals want killed; a goal has the id of its mutant.
    pub mutants: Vec<Mutants>,
    /// The faults that goals want shown at the outputs.
    pub faults: Vec<Fault>,
    /// What was skipped.
    pub notices: Vec<Notice>,
}

/// Goals under construction.
pub struct Builder<'o> {
    /// The model; criteria add expressions and monitor variables to it.
    pub model: Extension,
    /// The options.
    pub options: &'o Options,
    /// The selected sites.
    pub places: Vec<NamedSite>,
    /// The current criterion.
    pub criterion: String,
    /// The goals so far.
    pub goals: Vec<Goal>,
    /// The decisions of pairs, computed once for all readings.
    pub points: Option<Vec<Point>>,
    /// The mutants of goals.
    pub mutants: Vec<Mutants>,
    /// The faults of goals.
    pub faults: Vec<Fault>,
    /// The changes that flip conditions, if their effect must arrive at an output.
    pub flips: FxHashMap<Place, Flips>,
    /// The path formulas of the outputs, derived once for all operators.
    pub formulas: Option<Formulas>,
    /// What was skipped.
    pub notices: Vec<Notice>,
    /// The budget of the derivation, if limited.
    budget: Option<&'o Budget<'o>>,
    n_asked: u32,
    /// The inputs whose values goals need to be sent.
    pub sent: SentWithStep,
    /// Why derivation stopped early.
    pub cut: Option<Why>,
}

/// Goals or mutants between two polls of the budget.
const INTERVAL: u32 = 8;

impl<'o> Builder<'o> {
    /// Nothing yet.
    pub fn new(mut model: Model, options: &'o Options) -> Builder<'o> {
        let mut places = site_name::named_sites(&mut model);
        places.retain(|place| {
            options.wants(&target_names(&model, place.site.target), place.site.span)
        });
        Builder {
            sent: SentWithStep::new(&model),
            model: Extension::new(model),
            options,
            places,
            criterion: String::new(),
            goals: Vec::new(),
            points: None,
            mutants: Vec::new(),
            faults: Vec::new(),
            flips: FxHashMap::default(),
            formulas: None,
            notices: Vec::new(),
            budget: None,
            n_asked: 0,
            cut: None,
        }
    }

    /// The same under the time and memory limits and the interruption of a budget. Counted work is
    /// excluded: the work limit of a search must not decide which goals there are.
    pub fn within(self, budget: &'o Budget<'o>) -> Builder<'o> {
        Builder { budget: Some(budget), ..self }
    }

    /// A budget for a question by the way.
    pub fn aside(&self, work: u64) -> Budget<'_> {
        let limits = Limits { work: Some(work), ..Limits::default() };
        self.budget.map_or_else(|| Budget::new(limits), |budget| budget.aside(work))
    }

    /// True if derivation has to stop.
    pub fn is_cut(&mut self) -> bool {
        self.n_asked += 1;
        if self.cut.is_none() && self.n_asked >= INTERVAL {
            self.n_asked = 0;
            self.cut = self.budget.and_then(|budget| budget.allows(0).err()).map(Why::from);
        }
        self.cut.is_some()
    }

    /// Adds a goal, with the step that sends what it reads; its id gets the criterion in front.
    pub fn add(&mut self, key: &str, text: String, span: Span, target: GoalKind) {
        let kind = self.sent.complete(&mut self.model, target);
        self.add_exactly(key, text, span, kind);
    }

    /// The same without that step: what kills a mutant, nobody need have sent.
    pub fn add_exactly(&mut self, key: &str, text: String, span: Span, kind: GoalKind) {
        if self.is_cut() {
            return;
        }
        let criterion = self.criterion.clone();
        let id = format!("{criterion}:{key}");
        self.goals.push(Goal { id, criterion, text, span, kind, is_property: false });
    }

    /// Adds the goal to violate a property of the model.
    pub fn add_property(&mut self, key: &str, text: String, span: Span, target: GoalKind) {
        let n_goals = self.goals.len();
        self.add(key, text, span, target);
        self.goals[n_goals..].iter_mut().for_each(|goal| goal.is_property = true);
    }

    /// Records that something was skipped.
    pub fn leave_out(&mut self, span: Span, text: String) {
        let text = format!("{}: {text}", self.criterion);
        self.notices.push(Notice { span, text, is_limit: false, is_caveat: false });
    }

    /// Records that something was skipped because it has too many goals.
    pub fn exceed(&mut self, span: Span, what: &str, n_goals: usize) {
        let (criterion, limit) = (&self.criterion, self.options.limit);
        let text =
            format!("{criterion}: {what} would give {n_goals} goals, more than {limit}: left out");
        self.notices.push(Notice { span, text, is_limit: true, is_caveat: false });
    }

    /// The selected variables, without monitors.
    pub fn vars(&self) -> Vec<VarId> {
        let vars = self.model.var_ids().take(self.model.own().vars);
        let is_wanted = |var: &Var| self.options.wants(&[&var.name], var.span);
        vars.filter(|(_, var)| is_wanted(var)).map(|(id, _)| id).collect()
    }

    /// The decision of a site.
    pub fn decision(&self, place: &NamedSite) -> Decision {
        Decision::new(&self.model, place.site.decision)
    }

    /// Must the effect of conditions arrive at an output?
    pub fn is_observable(&self) -> bool {
        self.options.observable && OBSERVABLE.contains(&self.criterion.as_str())
    }

    /// The selected sites whose decisions have conditions, unless that many conditions give too
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
        if self.is_observable() {
            flip::retain(self, &mut found);
        }
        found
    }

    /// `r & p`, as a target in the scope of a site.
    pub fn target(&mut self, place: &NamedSite, expr: ExprId) -> GoalKind {
        let whole = self.model.exprs.and(place.reach, expr);
        in_scope(&self.model, place.site.scope, whole)
    }

    /// The expression as text.
    pub fn show(&self, expr: ExprId) -> String {
        show(&self.model, expr)
    }
}

/// The expression as text, abbreviated if very long.
pub fn show(model: &Model, expr: ExprId) -> String {
    const MAX_NODES: usize = 200;
    if model.exprs.is_short(expr, MAX_NODES) { model.show_expr(expr) } else { "…".into() }
}

/// The target for an expression in a scope.
pub fn in_scope(model: &Model, scope: Scope, expr: ExprId) -> GoalKind {
    let is_about_step = model.exprs.info(expr).reads.any(Reads::STEP);
    match scope {
        Scope::Init => GoalKind::Initial(expr),
        Scope::State if !is_about_step => GoalKind::State(expr),
        Scope::State | Scope::Step => GoalKind::Step(expr),
    }
}

impl Options {
    /// True if goals are selected for something with these names at this span.
    pub fn wants(&self, names: &[&str], span: Span) -> bool {
        let is_in = |places: &[Span]| places.iter().any(|place| site_name::is_inside(span, *place));
        let is_within = self.within.is_empty() || is_in(&self.within);
        match self.on.is_empty() {
            true => is_within && !is_in(&self.hidden),
            false => is_within && names.iter().any(|name| self.is_on(name)),
        }
    }

    /// True if goals about this name are selected.
    pub fn is_on(&self, name: &str) -> bool {
        self.on.iter().any(|wanted| name::is_within(name, wanted))
    }
}

/// The variables or the define that a site decides.
fn target_names(model: &Model, target: trapline_model::SiteTarget) -> Vec<&str> {
    let var_name = |var: VarId| model.var(var).name.as_str();
    match target {
        trapline_model::SiteTarget::Assign { var, .. } => vec![var_name(var)],
        trapline_model::SiteTarget::Define(id) => vec![&model.define(id).name],
        trapline_model::SiteTarget::Constraint(_) => Vec::new(),
        trapline_model::SiteTarget::Guard(group, idx) => {
            let alternative = &model.group(group).alternatives[idx as usize];
            alternative.gives.iter().map(|given| var_name(given.var)).collect()
        }
        trapline_model::SiteTarget::Given(group, idx, given) => {
            let alternative = &model.group(group).alternatives[idx as usize];
            vec![var_name(alternative.gives[given as usize].var)]
        }
    }
}
