//! The conditions that monitors evaluate on the model itself, computed for many steps at once.
//!
//! The value of a monitor depends on its previous value, so that it is computed step by step. But
//! most of the work is in conditions over the model alone, and these are evaluated in columns. In
//! the assignments a variable replaces each of them: what is left is small, and memoised.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trapline_model::columns::{Block, Columns, LANES, Mask, NONE, set};
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Valuation};
use trapline_model::trace::State;
use trapline_model::transform::Extension;
use trapline_model::transform::substitute::{bottom_up, with_parts};
use trapline_model::{AssignKind, Domain, Expr, ExprId, Model, Type, Value, VarId, VarKind};
use trapline_source::Span;

use super::{Round, rounds};

/// Assignments in which variables replace conditions over the model alone.
pub struct Split {
    /// The assignments.
    pub rounds: Vec<Round>,
    /// The conditions, then their negations.
    conditions: Columns,
    n_conditions: usize,
    /// The monitors.
    watching: Range<usize>,
    /// True if the assignments read only monitors and conditions.
    is_closed: bool,
}

impl Split {
    /// Factors the model-only conditions out of the monitors' assignments.
    pub fn new(model: &Extension, rules: &[(VarId, ExprId)]) -> Split {
        let own = model.own().vars;
        let mut finder = Finder {
            n_own: own,
            model: Extension::new(Model::clone(model)),
            watching: FxHashMap::default(),
            conditions: Vec::new(),
            vars: FxHashMap::default(),
        };
        let rules: Vec<(VarId, ExprId)> =
            rules.iter().map(|&(var, expr)| (var, finder.split(expr))).collect();
        let Finder { mut model, conditions, .. } = finder;
        let read = support(&model, rules.iter().map(|(_, expr)| *expr)).all();
        let negated: Vec<ExprId> = conditions.iter().map(|&expr| model.exprs.not(expr)).collect();
        Split {
            is_closed: read.iter().all(|var| var.0 as usize >= own),
            watching: own..model.own().vars,
            rounds: rounds(&model, AssignKind::Next, &rules),
            n_conditions: conditions.len(),
            conditions: Columns::new(&model, &[conditions, negated].concat()),
        }
    }

    /// Prepares the evaluation of conditions.
    pub fn facts(&self) -> Facts<'_> {
        Facts {
            split: self,
            block: self.conditions.block(),
            is_known: NONE,
            key: Vec::new(),
            values: Vec::new(),
            seen: FxHashMap::default(),
        }
    }
}

/// Finds the conditions.
struct Finder {
    /// Number of the model's own variables; the later ones are monitors.
    n_own: usize,
    /// The model with a variable for each condition.
    model: Extension,
    /// Whether an expression reads a monitor.
    watching: FxHashMap<ExprId, bool>,
    conditions: Vec<ExprId>,
    /// The variables for conditions.
    vars: FxHashMap<ExprId, ExprId>,
}

impl Finder {
    /// The expression with conditions replaced.
    fn split(&mut self, root: ExprId) -> ExprId {
        let mut made = FxHashMap::default();
        let parts = |finder: &mut Finder, id: ExprId| match finder.is_whole(id) {
            true => Vec::new(),
            false => finder.operands(id),
        };
        bottom_up(self, &mut made, root, parts, |finder, id, parts, made| {
            match finder.is_whole(id) {
                true => finder.condition(id),
                false => with_parts(&mut finder.model.exprs, id, parts, made),
            }
        });
        made[&root]
    }

    /// True for a maximal condition, or an expression that is left as it is. Definitions that read
    /// monitors are left.
    fn is_whole(&mut self, id: ExprId) -> bool {
        let expr = self.model.exprs.get(id);
        matches!(expr, Expr::Define(_) | Expr::NextDefine(_)) || !self.is_watching(id)
    }

    /// The variable for a model-only condition; any other expression is unchanged.
    fn condition(&mut self, id: ExprId) -> ExprId {
        let is_plain = self.is_watching(id)
            || self.model.exprs.ty(id) != Type::Bool
            || self.model.exprs.as_const(id).is_some();
        if is_plain {
            return id;
        }
        let Finder { model, conditions, vars, .. } = self;
        *vars.entry(id).or_insert_with(|| {
            conditions.push(id);
            let name = model.hidden_name("condition");
            let var = model.add_var(name, VarKind::State, Domain::Bool, Span::default());
            model.var_expr(var)
        })
    }

    fn operands(&self, id: ExprId) -> Vec<ExprId> {
        self.model.exprs.operands(self.model.exprs.get(id)).as_slice().to_vec()
    }

    fn is_watching(&mut self, root: ExprId) -> bool {
        if let Some(&known) = self.watching.get(&root) {
            return known;
        }
        let Finder { model, watching, n_own, .. } = self;
        let parts = |model: &mut Extension, id: ExprId| match model.exprs.get(id) {
            Expr::Define(define) | Expr::NextDefine(define) => {
                vec![model.define(define).body.expr]
            }
            expr => model.exprs.operands(expr).as_slice().to_vec(),
        };
        bottom_up(model, watching, root, parts, |model, id, parts, known| {
            match model.exprs.get(id) {
                Expr::Var(var) | Expr::Next(var) => var.0 as usize >= *n_own,
                _ => parts.iter().any(|part| known[part]),
            }
        });
        watching[&root]
    }
}

/// The conditions that hold on some steps.
pub struct Facts<'s> {
    split: &'s Split,
    block: Block,
    /// The steps on which every condition is defined.
    is_known: Mask,
    key: Vec<Option<Value>>,
    values: Vec<Option<Value>>,
    /// Memoised monitor steps.
    seen: FxHashMap<Vec<Option<Value>>, Vec<Option<Value>>>,
}

/// Maximum number of memoised steps; most monitors take fewer.
const MAX_SEEN: usize = 10_000;

impl Facts<'_> {
    /// Evaluates the conditions on the steps between these states, at most [`LANES`].
    pub fn find(&mut self, states: &[State]) {
        let steps: Vec<(&Valuation, &Valuation)> =
            states.windows(2).map(|pair| (&pair[0].values[..], &pair[1].values[..])).collect();
        let mut wanted = NONE;
        (0..steps.len().min(LANES)).for_each(|lane| set(&mut wanted, lane, true));
        self.split.conditions.run(&steps, wanted, &mut self.block);
        self.is_known = wanted;
        let n_conditions = self.split.n_conditions;
        for idx in 0..n_conditions {
            let (yes, no) = (self.block.met(idx), self.block.met(n_conditions + idx));
            for (known, (yes, no)) in self.is_known.iter_mut().zip(yes.into_iter().zip(no)) {
                *known &= yes | no;
            }
        }
    }

    /// Computes the monitors after a step, unless a condition is undefined.
    pub fn step(
        &mut self,
        from: &State,
        to: &mut State,
        lane: usize,
        cells: &mut Vec<Cell>,
    ) -> bool {
        let (word, bit) = (lane / 64, 1 << (lane % 64));
        if self.is_known[word] & bit == 0 {
            return false;
        }
        let Facts { split, block, key, values, seen, .. } = self;
        let watching = split.watching.clone();
        let holds = |idx: usize| Some(Value::Bool(block.met(idx)[word] & bit != 0));
        key.clear();
        key.extend_from_slice(&from.values[watching.clone()]);
        key.extend((0..split.n_conditions).map(holds));
        if let Some(seen) = seen.get(key).filter(|_| split.is_closed) {
            to.values[watching].copy_from_slice(seen);
            return true;
        }
        values.clear();
        values.extend_from_slice(&from.values);
        values.extend_from_slice(&key[watching.len()..]);
        super::step(&split.rounds, values, to, cells);
        if split.is_closed && seen.len() < MAX_SEEN {
            seen.insert(key.clone(), to.values[watching].to_vec());
        }
        true
    }
}
