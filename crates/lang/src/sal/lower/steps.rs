//! What a system does: initial states, steps, and which module takes them.
//!
//! Modules that move together each have their own list of commands. Of modules of which one moves, all
//! commands are one list, if each has nothing but commands; otherwise a variable of the step says which
//! module it is. What nobody gives a value keeps it.

use rustc_hash::{FxHashMap, FxHashSet};
use trapline_model::commands::{Commands, add_commands};
use trapline_model::{
    Alternative, Assign, AssignKind, AssignPart, ConstraintKind, Domain, Expr, ExprId, Given,
    GroupId, Guard, Role, Scope, Selector, Selects, Shape, Value, Var, VarId, VarKind,
};
use trapline_source::{Diagnostic, Span};

use super::Lowerer;
use super::bind::{BaseModule, Moves, System};
use super::sections::{Effect, Gift};
use super::targets::Section;
use crate::sal::syntax::{Base, Class, Command, CommandGuard, Context, ModuleKind};

/// The steps of a base module.
#[derive(Debug, Default)]
struct Steps {
    definitions: Vec<Effect>,
    commands: Vec<Choice>,
    /// Is there a list of commands?
    is_choice: bool,
    span: Span,
    label: String,
}

/// A command for one choice of what it ranges over.
#[derive(Debug)]
struct Choice {
    alternative: Alternative,
    rules: Vec<ExprId>,
}

impl Lowerer<'_> {
    /// Adds what a system does to the model.
    pub(super) fn behaviour(&mut self, system: &System) {
        let mut defined: FxHashSet<VarId> = FxHashSet::default();
        let mut steps = Vec::new();
        for (idx, base) in system.bases.iter().enumerate() {
            let instance = trapline_model::InstanceId(idx as u32 + 1);
            self.model.occurrences.begin(instance);
            let context = self.context(&base.place);
            let ModuleKind::Base(text) = &context.module(base.module).kind else {
                unreachable!("these are base modules")
            };
            self.definitions(text, base, &mut defined);
            self.initialization(text, base, &defined);
            steps.push(self.steps(text, base, &defined));
        }
        self.model.occurrences.begin(trapline_model::InstanceId(0));
        let controlled = self.controlled(system);
        self.movement(&system.moves, None, &mut steps, &system.name, system.span);
        self.merge_assigns();
        self.frame(&controlled, &defined);
        self.break_cycles();
    }

    fn definitions(&mut self, text: &Base, base: &BaseModule, defined: &mut FxHashSet<VarId>) {
        let effects = self.effects(&text.definitions, base, &base.place, Section::Definition);
        for effect in effects {
            for gift in &effect.gifts {
                defined.insert(gift.var);
                self.give(AssignKind::Current, gift);
            }
            for rule in effect.rules {
                self.constrain(ConstraintKind::Invar, rule, base.span);
            }
        }
    }

    fn initialization(&mut self, text: &Base, base: &BaseModule, defined: &FxHashSet<VarId>) {
        let section = Section::Initialization;
        let effects = self.effects(&text.initialization.definitions, base, &base.place, section);
        self.check_undefined(&effects, defined);
        for effect in effects {
            for gift in &effect.gifts {
                self.give(AssignKind::Init, gift);
            }
            for rule in effect.rules {
                self.constrain(ConstraintKind::Init, rule, base.span);
            }
        }
        let Some(commands) = text.initialization.commands.as_deref() else { return };
        let choices = self.commands(commands, base, section, defined);
        if choices.is_empty() {
            return;
        }
        let selector = self.fresh(&format!("{}.initial", base.label));
        let name = format!("{}@init", base.label);
        let about = Commands {
            name: &name,
            selector: &selector,
            scope: Scope::Init,
            when: None,
            span: text.initialization.span,
        };
        self.add_choices(about, choices);
    }

    /// Adds a list of commands, with what else holds after each of them.
    fn add_choices(&mut self, about: Commands<'_>, choices: Vec<Choice>) {
        let mut rules = Vec::new();
        let mut alternatives = Vec::new();
        for choice in choices {
            rules.push(choice.rules);
            alternatives.push(choice.alternative);
        }
        let group: GroupId = add_commands(&mut self.model, about, alternatives);
        let kind = self.model.group(group).constrains();
        for (idx, rules) in rules.into_iter().enumerate() {
            let taken = self.model.group(group).alternatives[idx].taken;
            for rule in rules {
                let rule = match taken {
                    Some(taken) => self.model.exprs.implies(taken, rule),
                    None => rule,
                };
                self.constrain(kind, rule, about.span);
            }
        }
    }

    fn steps(&mut self, text: &Base, base: &BaseModule, defined: &FxHashSet<VarId>) -> Steps {
        let section = Section::Transition;
        let definitions = self.effects(&text.transition.definitions, base, &base.place, section);
        self.check_undefined(&definitions, defined);
        let mut fixed = defined.clone();
        let gifts = definitions.iter().flat_map(|effect| &effect.gifts);
        fixed.extend(gifts.map(|gift| gift.var));
        let commands = text.transition.commands.as_deref().unwrap_or_default();
        let choices = self.commands(commands, base, section, &fixed);
        Steps {
            definitions,
            is_choice: !commands.is_empty(),
            commands: choices,
            span: text.transition.span,
            label: base.label.clone(),
        }
    }

    /// The commands of a section, a multi-command for each value that it ranges over.
    fn commands(
        &mut self,
        commands: &[Command],
        base: &BaseModule,
        section: Section,
        fixed: &FxHashSet<VarId>,
    ) -> Vec<Choice> {
        let context = self.context(&base.place);
        let mut choices = Vec::new();
        for command in commands {
            let Some(all) = self.choices(&command.vars, &base.place) else { continue };
            for (place, called) in all {
                let n_before = choices.len() as u32;
                let about = (command, called.as_str(), n_before);
                let choice = self.command(about, base, &place, (section, &context));
                let Some(choice) = choice else { continue };
                self.check_gifts(&choice, fixed);
                choices.push(choice);
            }
        }
        let n_choices = choices.len() as u32;
        for choice in &mut choices {
            if let Guard::Else(range, _) = &mut choice.alternative.guard {
                *range = 0..n_choices;
            }
        }
        choices
    }

    fn command(
        &mut self,
        (command, called, n_before): (&Command, &str, u32),
        base: &BaseModule,
        place: &super::term::Place,
        (section, context): (Section, &Context),
    ) -> Option<Choice> {
        let guard = match &command.guard {
            CommandGuard::Condition(node) => {
                self.may_prime = section == Section::Transition;
                let start = self.model.occurrences.len();
                let term = self.eval(*node, place, true);
                self.may_prime = false;
                let condition = self.as_condition(&term, place, *node)?;
                let clause = self.clause_from(start, condition, context.node(*node).span);
                let occ = match clause.occ {
                    Some(occ) => occ,
                    None => {
                        self.model.occurrences.truncate(start);
                        let span = clause.span;
                        self.model.occurrences.push(start, condition, span, Shape::Leaf)
                    }
                };
                Guard::Written(occ)
            }
            CommandGuard::Else(span) => {
                let always = self.model.exprs.bool(true);
                let start = self.model.occurrences.len();
                let occ = self.model.occurrences.push(start, always, *span, Shape::Leaf);
                Guard::Else(0..n_before, occ)
            }
        };
        let label = match (command.label, &guard) {
            (Some(label), _) => Some(format!("{}{called}", self.text(label.id))),
            (None, Guard::Else(..)) => Some("else".to_string()),
            (None, Guard::Written(_)) => None,
        };
        let effects = self.effects(&command.assignments, base, place, section);
        let mut possible: Option<ExprId> = None;
        let mut gives = Vec::new();
        let mut rules = Vec::new();
        for effect in effects {
            for gift in &effect.gifts {
                gives.push(Given { var: gift.var, value: gift.value, only_if: gift.only_if });
                let Some(fits) = gift.fits else { continue };
                let fits = match gift.only_if {
                    Some(only_if) => self.model.exprs.implies(only_if, fits),
                    None => fits,
                };
                possible = Some(match possible {
                    Some(before) => self.model.exprs.and(before, fits),
                    None => fits,
                });
            }
            rules.extend(effect.rules);
        }
        let alternative = Alternative {
            label,
            guard,
            possible,
            taken: None,
            gives,
            branches: Vec::new(),
            span: command.span,
        };
        Some(Choice { alternative, rules })
    }

    /// Reports what is given a value here and is defined for all states or all steps.
    fn check_undefined(&mut self, effects: &[Effect], fixed: &FxHashSet<VarId>) {
        for effect in effects {
            let twice = effect.gifts.iter().find(|gift| fixed.contains(&gift.var));
            if let Some(gift) = twice {
                self.defined_elsewhere(gift.var, gift.target_span);
            }
        }
    }

    fn check_gifts(&mut self, choice: &Choice, fixed: &FxHashSet<VarId>) {
        let twice = choice.alternative.gives.iter().find(|given| fixed.contains(&given.var));
        if let Some(given) = twice {
            self.defined_elsewhere(given.var, choice.alternative.span);
        }
    }

    fn defined_elsewhere(&mut self, var: VarId, span: Span) {
        let name = self.model.var(var).name.clone();
        let text = format!("`{name}` is given a value here, and its definition gives it one");
        let help = "a variable with a definition is assigned nowhere else";
        self.report(Diagnostic::error("assigned-twice", span, text).help(help));
    }

    /// Gives a scalar a value in every state, or in the initial ones.
    fn give(&mut self, kind: AssignKind, gift: &Gift) {
        let value = gift.value;
        let read = self.model.var_expr(gift.var);
        let section = match kind {
            AssignKind::Current => ConstraintKind::Invar,
            _ => ConstraintKind::Init,
        };
        let is_new = !self.model.assigns.iter().any(|it| it.kind == kind && it.var == gift.var);
        match (gift.only_if, gift.fits) {
            (None, None) if is_new => {
                let part = AssignPart { body: value, when: None, target_span: gift.target_span };
                let expr = value.expr;
                self.model.assigns.push(Assign { kind, var: gift.var, expr, parts: vec![part] });
            }
            // What is out of the type is no state at all.
            (only_if, fits) => {
                let mut rule = self.model.exprs.is_given(read, value.expr);
                if let Some(fits) = fits {
                    rule = self.model.exprs.and(fits, rule);
                }
                if let Some(only_if) = only_if {
                    rule = self.model.exprs.implies(only_if, rule);
                }
                self.constrain(section, rule, value.span);
            }
        }
    }

    /// Adds the steps of modules that move when a condition holds.
    fn movement(
        &mut self,
        moves: &Moves,
        when: Option<ExprId>,
        steps: &mut [Steps],
        name: &str,
        span: Span,
    ) {
        match moves {
            Moves::Base(idx) => {
                let own = std::mem::take(&mut steps[*idx]);
                self.base_steps(own, when);
            }
            Moves::Sync(parts) => {
                for part in parts {
                    self.movement(part, when, steps, name, span);
                }
            }
            Moves::Async(parts) => {
                let bases = parts.iter().map(|part| match part {
                    Moves::Base(idx) => Some(*idx),
                    _ => None,
                });
                let bases: Option<Vec<usize>> = bases.collect();
                let is_plain =
                    |idx: &usize| steps[*idx].is_choice && steps[*idx].definitions.is_empty();
                match bases.filter(|bases| bases.iter().all(is_plain)) {
                    Some(bases) => {
                        let all = bases.iter().map(|idx| std::mem::take(&mut steps[*idx]));
                        let all: Vec<Steps> = all.collect();
                        self.one_of(all, when, name, span);
                    }
                    None => self.process(parts, when, steps, name, span),
                }
            }
        }
    }

    /// The commands of several modules as one list.
    fn one_of(&mut self, all: Vec<Steps>, when: Option<ExprId>, name: &str, span: Span) {
        let mut choices: Vec<Choice> = Vec::new();
        for steps in all {
            let start = choices.len() as u32;
            for (idx, mut choice) in steps.commands.into_iter().enumerate() {
                if let Guard::Else(range, _) = &mut choice.alternative.guard {
                    *range = range.start + start..range.end + start;
                }
                let label = choice.alternative.label.take();
                let label = label.unwrap_or_else(|| (idx + 1).to_string());
                choice.alternative.label = Some(format!("{}.{label}", steps.label));
                choices.push(choice);
            }
        }
        if choices.is_empty() {
            return;
        }
        let selector = self.fresh(&format!("{name}.command"));
        let about = Commands { name, selector: &selector, scope: Scope::Step, when, span };
        self.add_choices(about, choices);
    }

    fn base_steps(&mut self, steps: Steps, when: Option<ExprId>) {
        let mut by_var: FxHashMap<VarId, Vec<Gift>> = FxHashMap::default();
        let mut order = Vec::new();
        for effect in steps.definitions {
            for gift in effect.gifts {
                let gifts = by_var.entry(gift.var).or_insert_with(|| {
                    order.push(gift.var);
                    Vec::new()
                });
                gifts.push(gift);
            }
            for rule in effect.rules {
                let rule = self.under(when, rule);
                self.constrain(ConstraintKind::Trans, rule, steps.span);
            }
        }
        for var in order {
            let gifts = by_var.remove(&var).unwrap_or_default();
            self.give_next(var, &gifts, when);
        }
        if !steps.commands.is_empty() {
            let selector = self.fresh(&format!("{}.command", steps.label));
            let about = Commands {
                name: &steps.label,
                selector: &selector,
                scope: Scope::Step,
                when,
                span: steps.span,
            };
            self.add_choices(about, steps.commands);
        }
    }

    fn under(&mut self, when: Option<ExprId>, rule: ExprId) -> ExprId {
        match when {
            Some(when) => self.model.exprs.implies(when, rule),
            None => rule,
        }
    }

    /// Gives a scalar its next value, by the definitions of a module that moves.
    fn give_next(&mut self, var: VarId, gifts: &[Gift], when: Option<ExprId>) {
        let keep = self.model.var_expr(var);
        let mut expr = keep;
        let mut parts = Vec::new();
        for gift in gifts.iter().rev() {
            let value = gift.value;
            let mut condition = when;
            let conditions = [gift.only_if, gift.fits];
            for also in conditions.into_iter().flatten() {
                condition = Some(match condition {
                    Some(before) => self.model.exprs.and(before, also),
                    None => also,
                });
            }
            if let Some(fits) = gift.fits {
                let fits = match gift.only_if {
                    Some(only_if) => self.model.exprs.implies(only_if, fits),
                    None => fits,
                };
                let rule = self.under(when, fits);
                self.constrain(ConstraintKind::Trans, rule, value.span);
            }
            expr = match condition {
                Some(condition) => self.model.exprs.add(Expr::Ite(condition, value.expr, expr)),
                None => value.expr,
            };
            let target_span = gift.target_span;
            parts.push(AssignPart { body: value, when: condition, target_span });
        }
        parts.reverse();
        if !parts.is_empty() {
            self.model.assigns.push(Assign { kind: AssignKind::Next, var, expr, parts });
        }
    }

    /// Modules of which one moves: a variable of the step says which.
    fn process(
        &mut self,
        parts: &[Moves],
        when: Option<ExprId>,
        steps: &mut [Steps],
        name: &str,
        span: Span,
    ) {
        let symbols = self.process_names(parts, steps);
        let var = VarId(self.model.vars.len() as u32);
        let text = self.fresh(&format!("{name}.moves"));
        self.model.vars.push(Var {
            name: text,
            kind: VarKind::Input,
            domain: Domain::Enum(symbols.clone().into()),
            role: Role::Internal,
            timing: None,
            span: Span::default(),
        });
        self.model.selectors.push(Selector { var, selects: Selects::Process });
        let read = self.model.var_expr(var);
        if let (Some(when), Some(&first)) = (when, symbols.first()) {
            let idle = self.model.exprs.has_value(read, first);
            let rule = self.model.exprs.or(when, idle);
            self.constrain(ConstraintKind::Trans, rule, span);
        }
        for (part, symbol) in parts.iter().zip(symbols) {
            let is_it = self.model.exprs.has_value(read, symbol);
            let moves = match when {
                Some(when) => self.model.exprs.and(when, is_it),
                None => is_it,
            };
            let inner = self.model.show(symbol);
            self.movement(part, Some(moves), steps, &inner, span);
        }
    }

    /// A symbol for each of several modules.
    fn process_names(&mut self, parts: &[Moves], steps: &[Steps]) -> Vec<Value> {
        let mut names: Vec<Value> = Vec::new();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
        for (idx, part) in parts.iter().enumerate() {
            let mut first = part;
            while let Moves::Sync(inner) | Moves::Async(inner) = first {
                match inner.first() {
                    Some(inner) => first = inner,
                    None => break,
                }
            }
            let label = match (part, first) {
                (Moves::Base(base), _) => steps[*base].label.clone(),
                (_, Moves::Base(base)) if !steps[*base].label.is_empty() => {
                    format!("with_{}", steps[*base].label)
                }
                _ => format!("m{}", idx + 1),
            };
            let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
            let mut name: String = label.chars().map(plain).collect();
            name = name.trim_end_matches('_').to_string();
            if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                name.insert(0, 'm');
            }
            let wanted = name.clone();
            while self.taken.contains(&name) || !taken.insert(name.clone()) {
                let number = numbers.entry(wanted.clone()).or_insert(1);
                *number += 1;
                name = format!("{wanted}_{number}");
            }
            names.push(Value::Symbol(self.model.symbols.intern(&name)));
        }
        names
    }

    /// The scalars that some module controls, each with the text of that module.
    fn controlled(&self, system: &System) -> Vec<(VarId, Span)> {
        let mut all = Vec::new();
        for base in &system.bases {
            let owned = base.vars.values().filter(|owned| owned.class != Class::Input);
            for leaf in owned.filter_map(|owned| owned.term.leaves()).flatten() {
                if let Expr::Var(var) = self.model.exprs.get(leaf.expr) {
                    all.push((var, base.span));
                }
            }
        }
        all.sort_unstable_by_key(|(var, span)| (*var, span.start));
        all.dedup_by_key(|(var, _)| *var);
        all
    }

    /// A variable that several modules change gets one assignment.
    fn merge_assigns(&mut self) {
        let mut first: FxHashMap<VarId, usize> = FxHashMap::default();
        let mut merged: Vec<Assign> = Vec::new();
        for assign in std::mem::take(&mut self.model.assigns) {
            if assign.kind != AssignKind::Next {
                merged.push(assign);
                continue;
            }
            match first.get(&assign.var) {
                None => {
                    first.insert(assign.var, merged.len());
                    merged.push(assign);
                }
                Some(&idx) => {
                    let mut expr = merged[idx].expr;
                    for part in assign.parts.iter().rev() {
                        if let Some(when) = part.when {
                            expr = self.model.exprs.add(Expr::Ite(when, part.body.expr, expr));
                        }
                    }
                    merged[idx].expr = expr;
                    merged[idx].parts.extend(assign.parts);
                }
            }
        }
        self.model.assigns = merged;
    }

    /// What nobody gives a next value keeps the one that it has.
    fn frame(&mut self, controlled: &[(VarId, Span)], defined: &FxHashSet<VarId>) {
        let next = self.model.assigns.iter().filter(|assign| assign.kind == AssignKind::Next);
        let mut given: FxHashSet<VarId> = next.map(|assign| assign.var).collect();
        given.extend(defined);
        for &(var, span) in controlled {
            if !given.insert(var) {
                continue;
            }
            let expr = self.model.var_expr(var);
            let body = trapline_model::Clause::unwritten(expr, span);
            let part = AssignPart { body, when: None, target_span: span };
            let kind = AssignKind::Next;
            self.model.assigns.push(Assign { kind, var, expr, parts: vec![part] });
        }
    }
}
