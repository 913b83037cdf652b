//! What variables that watch a model read of the model itself, computed for many steps at once.
//!
//! What such a variable sees depends on what it saw before, so that it goes step by step. But most
//! of the work is in conditions about the model alone, and these are evaluated in columns. In the
//! rules a variable stands for each of them: what is left is small, and mostly the same again and
//! again.

use std::ops::Range;

use rustc_hash::FxHashMap;
use trapline_model::columns::{Block, Columns, LANES, Mask, NONE, set};
use trapline_model::dependency::support;
use trapline_model::eval::{Cell, Valuation};
use trapline_model::trace::State;
use trapline_model::{
    AssignKind, Domain, Expr, ExprId, Model, Role, Type, Value, Var, VarId, VarKind,
};
use trapline_source::Span;

use super::{Round, rounds};

/// Rules in which variables stand for conditions about the model alone.
pub struct Split {
    /// The rules.
    pub rounds: Vec<Round>,
    /// The conditions, and after them their negations.
    conditions: Columns,
    n_conditions: usize,
    /// The variables that watch.
    watching: Range<usize>,
    /// Do the rules read nothing but these and the conditions?
    is_closed: bool,
}

impl Split {
    /// Splits rules of variables behind those that the model has of its own.
    pub fn new(model: &Model, n_own: usize, rules: &[(VarId, ExprId)]) -> Split {
        let (mut model, n_vars) = (model.clone(), model.vars.len());
        let mut finder = Finder {
            n_own,
            watching: FxHashMap::default(),
            conditions: Vec::new(),
            vars: FxHashMap::default(),
        };
        let rules: Vec<(VarId, ExprId)> =
            rules.iter().map(|&(var, expr)| (var, finder.split(&mut model, expr))).collect();
        let conditions = finder.conditions;
        let read = support(&model, rules.iter().map(|(_, expr)| *expr)).all();
        let negated: Vec<ExprId> = conditions.iter().map(|&expr| model.exprs.not(expr)).collect();
        Split {
            is_closed: read.iter().all(|var| var.0 as usize >= n_own),
            watching: n_own..n_vars,
            rounds: rounds(&model, AssignKind::Next, &rules),
            n_conditions: conditions.len(),
            conditions: Columns::new(&model, &[conditions, negated].concat()),
        }
    }

    /// Ready to find out what holds.
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
    n_own: usize,
    /// Does an expression read a variable that watches?
    watching: FxHashMap<ExprId, bool>,
    conditions: Vec<ExprId>,
    /// The variables for them.
    vars: FxHashMap<ExprId, VarId>,
}

impl Finder {
    /// The expression with variables for conditions.
    fn split(&mut self, model: &mut Model, root: ExprId) -> ExprId {
        let mut made: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let expr = model.exprs.get(id);
            // What watches through a definition is left as it is.
            let is_whole = matches!(expr, Expr::Define(_) | Expr::NextDefine(_));
            if !self.is_watching(model, id) || is_whole {
                let split = self.condition(model, id);
                made.insert(id, split);
                stack.pop();
                continue;
            }
            let height = stack.len();
            let operands = model.exprs.operands(expr);
            stack.extend(operands.as_slice().iter().filter(|id| !made.contains_key(id)));
            if stack.len() == height {
                stack.pop();
                let mapped = model.exprs.map_operands(expr, |operand| made[&operand]);
                let ty = model.exprs.ty(id);
                made.insert(id, if mapped == expr { id } else { model.exprs.add(mapped, ty) });
            }
        }
        made[&root]
    }

    /// The variable for a condition about the model alone; anything else is left as it is.
    fn condition(&mut self, model: &mut Model, id: ExprId) -> ExprId {
        let is_plain = self.is_watching(model, id)
            || model.exprs.ty(id) != Type::Bool
            || model.exprs.as_const(id).is_some();
        if is_plain {
            return id;
        }
        if let Some(&var) = self.vars.get(&id) {
            return model.var_expr(var);
        }
        let var = VarId(model.vars.len() as u32);
        model.vars.push(Var {
            name: format!("__condition_{}", var.0),
            kind: VarKind::State,
            domain: Domain::Bool,
            role: Role::Internal,
            timing: None,
            span: Span::default(),
        });
        self.conditions.push(id);
        self.vars.insert(id, var);
        model.var_expr(var)
    }

    fn is_watching(&mut self, model: &Model, root: ExprId) -> bool {
        let mut stack = vec![root];
        while let Some(&id) = stack.last() {
            let expr = model.exprs.get(id);
            let reads = match expr {
                Expr::Define(define) | Expr::NextDefine(define) => {
                    vec![model.define(define).body.expr]
                }
                _ => model.exprs.operands(expr).as_slice().to_vec(),
            };
            let height = stack.len();
            stack.extend(reads.iter().filter(|id| !self.watching.contains_key(id)));
            if stack.len() == height {
                stack.pop();
                let own = match expr {
                    Expr::Var(var) | Expr::Next(var) => var.0 as usize >= self.n_own,
                    _ => reads.iter().any(|id| self.watching[id]),
                };
                self.watching.insert(id, own);
            }
            if self.watching.contains_key(&root) {
                break;
            }
        }
        self.watching[&root]
    }
}

/// What holds of some steps.
pub struct Facts<'s> {
    split: &'s Split,
    block: Block,
    /// The steps of which every condition is either true or false.
    is_known: Mask,
    key: Vec<Option<Value>>,
    values: Vec<Option<Value>>,
    /// What was seen after what.
    seen: FxHashMap<Vec<Option<Value>>, Vec<Option<Value>>>,
}

/// So many different steps are remembered; most variables that watch see fewer.
const MAX_SEEN: usize = 10_000;

impl Facts<'_> {
    /// Finds out what holds of the steps between these states, of which there are at most
    /// [`LANES`].
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

    /// Gives the state after a step what is seen there, unless a condition has no value.
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
