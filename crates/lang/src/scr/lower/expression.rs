//! Expressions and events.
//!
//! One loop over postfix code with a stack of operands. What an event says is read twice, for the
//! old state and for the new one, and both readings become occurrences. The modes of a row are
//! joined to the largest parts of an event that do not speak of `INMODE`, which tests modes itself.

use trapline_model::{
    BinaryOp, Clause, Domain, Event, Expr, ExprId, OccId, Ratio, Reads, SetOf, Shape, Type,
    TypeError, Value, VarId, eval, typing::Expected,
};
use trapline_source::{Diagnostic, Span};

use super::survey::{Part, Survey, n_operands, sizes};
use super::{Lowerer, Meaning};
use crate::scr::syntax::{Code, Inmode, Name, NameId, Node, Op};

/// What may stand in an expression, by where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Names mean one state.
    State,
    /// Names may be primed, and events are conditions.
    Step,
    /// There may be temporal operators.
    Formula,
    /// Events.
    Event,
}

/// Which state names mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Old,
    New,
}

/// The modes of a row.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    /// The mode class.
    pub class: VarId,
    /// That it is in one of them; nothing if all are meant.
    pub inside: Option<ExprId>,
    /// Where they stand.
    pub span: Span,
}

/// A lowered event: when it happens, with the modes of its row.
#[derive(Clone, Debug)]
pub struct Happens {
    /// The whole cell.
    pub clause: Clause,
    /// The events that it joins by `OR`, if there are several.
    pub parts: Vec<(ExprId, Span)>,
}

/// An operand that was lowered.
#[derive(Clone, Copy)]
struct Operand {
    expr: ExprId,
    occ: OccId,
    /// Where its occurrences begin.
    first_occ: usize,
    /// Where its nodes begin.
    first_node: usize,
    span: Span,
    is_event: bool,
}

/// How to lower.
#[derive(Clone, Copy)]
struct Mode<'m> {
    place: Place,
    time: Time,
    modes: Option<&'m Modes>,
}

impl Mode<'_> {
    /// Are events something else than conditions?
    fn has_events(self) -> bool {
        self.place == Place::Event
    }
}

impl Lowerer<'_, '_> {
    /// A condition, or a formula.
    pub(super) fn condition(&mut self, code: Code, place: Place) -> Option<Clause> {
        let mode = Mode { place, time: Time::Old, modes: None };
        let operand = self.lower(code, mode, &[])?;
        let ty = self.model.exprs.ty(operand.expr);
        let is_formula = place == Place::Formula && ty == Type::Temporal;
        if ty != Type::Bool && !is_formula {
            self.no_condition(operand.span, ty);
            return None;
        }
        Some(clause(operand))
    }

    /// A value, or a set of values.
    pub(super) fn value(&mut self, code: Code, place: Place) -> Option<Clause> {
        let mode = Mode { place, time: Time::Old, modes: None };
        self.lower(code, mode, &[]).map(clause)
    }

    /// A condition of a row.
    pub(super) fn cell(&mut self, code: Code, modes: Option<&Modes>) -> Option<Clause> {
        let mode = Mode { place: Place::State, time: Time::Old, modes };
        let last = (code.end - code.start) as usize - 1;
        let row = [(0, last)];
        let has_modes = modes.is_some_and(|modes| modes.inside.is_some());
        let operand = self.lower(code, mode, if has_modes { &row } else { &[] })?;
        let ty = self.model.exprs.ty(operand.expr);
        if ty != Type::Bool {
            self.no_condition(operand.span, ty);
            return None;
        }
        Some(clause(operand))
    }

    /// An event of a row.
    pub(super) fn event(&mut self, code: Code, modes: Option<&Modes>) -> Option<Happens> {
        let nodes = self.spec.nodes(code);
        let sizes = sizes(nodes);
        let survey = Survey::new(nodes, &sizes);
        let rows = survey.rows();
        let parts = survey.parts(&rows);
        let has_modes = modes.is_some_and(|modes| modes.inside.is_some());
        let mode = Mode { place: Place::Event, time: Time::Old, modes };
        let mut meanings = vec![None; nodes.len()];
        let operand =
            self.lower_with(code, mode, if has_modes { &rows } else { &[] }, &mut meanings)?;
        if !operand.is_event {
            let ty = self.model.exprs.ty(operand.expr);
            self.no_cell(operand.span, Place::Event, ty);
            return None;
        }
        let mut own = Vec::new();
        if parts.len() > 1 {
            for Part { root, conditions, needs_modes } in parts {
                let mut happens = meanings[root]?;
                for (word, condition) in conditions {
                    let old = meanings[condition]?;
                    let exprs = &mut self.model.exprs;
                    let holds = match word {
                        Op::Where => exprs.prime(old),
                        Op::While => {
                            let new = exprs.prime(old);
                            Event::Stay.of(exprs, old, new).ok()?
                        }
                        _ => old,
                    };
                    happens = exprs.and(happens, holds);
                }
                let inside = modes.and_then(|modes| modes.inside);
                if let (true, Some(inside)) = (needs_modes, inside) {
                    happens = self.model.exprs.and(inside, happens);
                }
                own.push((happens, nodes[root].span));
            }
        }
        Some(Happens { clause: clause(operand), parts: own })
    }

    /// What stands in a cell is none of what its table has.
    fn no_cell(&mut self, span: Span, place: Place, ty: Type) {
        if place != Place::Event {
            return self.no_condition(span, ty);
        }
        let message = format!("this is {}, and an event is expected", of_type(ty));
        let help = "write @T(...) for the moment at which a condition becomes true";
        self.error(Diagnostic::error("bad-event", span, message).help(help));
    }

    fn no_condition(&mut self, span: Span, ty: Type) {
        let message = format!("a condition is expected, and this is {}", of_type(ty));
        self.error(Diagnostic::error("not-a-condition", span, message));
    }

    fn lower(&mut self, code: Code, mode: Mode<'_>, rows: &[(usize, usize)]) -> Option<Operand> {
        let mut meanings = vec![None; (code.end - code.start) as usize];
        self.lower_with(code, mode, rows, &mut meanings)
    }

    /// Lowers an expression; around some subtrees come the modes of the row. What each node means
    /// is kept, where the modes around it count.
    fn lower_with(
        &mut self,
        code: Code,
        mode: Mode<'_>,
        rows: &[(usize, usize)],
        meanings: &mut [Option<ExprId>],
    ) -> Option<Operand> {
        let spec = self.spec;
        let nodes = spec.nodes(code);
        let mut stack: Vec<Operand> = Vec::new();
        // The rows are in order: the first one has not ended yet.
        let mut rows = rows;
        for (idx, node) in nodes.iter().enumerate() {
            let row = rows.first().filter(|(start, _)| *start == idx);
            let row = row.and(mode.modes).and_then(|modes| Some((modes.inside?, modes.span)));
            let modes_at = self.model.occurrences.len();
            if let Some((inside, span)) = row {
                self.model.occurrences.push(modes_at, inside, span, Shape::Leaf);
            }
            let n_operands = n_operands(node.op);
            let operands = stack.split_off(stack.len().checked_sub(n_operands)?);
            let place = Subtree { code, idx };
            let mut operand = self.node(*node, place, mode, &operands)?;
            let around = rows.first().filter(|(_, end)| *end == idx);
            let inside = mode.modes.and_then(|modes| modes.inside);
            if let (Some(_), Some(inside)) = (around, inside) {
                let ty = self.model.exprs.ty(operand.expr);
                if ty != Type::Bool {
                    self.no_cell(operand.span, mode.place, ty);
                    return None;
                }
                let start = operand.first_occ - 1;
                let expr = self.model.exprs.binary(BinaryOp::And, inside, operand.expr);
                let occ = self.model.occurrences.push(start, expr, node.span, Shape::Row);
                operand = Operand { expr, occ, first_occ: start, ..operand };
                rows = &rows[1..];
            }
            meanings[idx] = Some(operand.expr);
            stack.push(operand);
        }
        stack.pop()
    }

    fn node(
        &mut self,
        node: Node,
        place: Subtree,
        mode: Mode<'_>,
        operands: &[Operand],
    ) -> Option<Operand> {
        let leaf_at = self.model.occurrences.len();
        let (expr, shape, is_event) = match (node.op, operands) {
            (Op::Name(id), _) => (self.read(id, node.span, mode)?, Shape::Leaf, false),
            (Op::Primed(id), _) => (self.read_primed(id, node.span, mode)?, Shape::Leaf, false),
            (Op::Int(value), _) => (self.model.exprs.value(Value::Int(value)), Shape::Leaf, false),
            (Op::Real(num, den), _) => {
                let ratio = Ratio::new(num.into(), den.into())?;
                (self.model.exprs.value(Value::Real(ratio)), Shape::Leaf, false)
            }
            (Op::Bool(value), _) => (self.model.exprs.bool(value), Shape::Leaf, false),
            (Op::Never, _) => {
                self.needs_event_place(node.span, mode)?;
                (self.model.exprs.bool(false), Shape::Leaf, mode.has_events())
            }
            (Op::Enter | Op::Leave, _) => {
                self.needs_event_place(node.span, mode)?;
                (self.mode_change(node, mode)?, Shape::Named, true)
            }
            (Op::Event(event), [operand]) => {
                return self.happening(event, node.span, place, mode, *operand);
            }
            (Op::When | Op::Where | Op::While, [event, condition]) => {
                return self.guarded(node, place, mode, [*event, *condition]);
            }
            (Op::Unary(op), [operand]) => {
                if operand.is_event {
                    let help = "for the moment at which a condition becomes false write @F(...)";
                    return self.no_event(operand.span, "NOT of an event is no event", help);
                }
                let made = self.model.exprs.try_add(Expr::Unary(op, operand.expr));
                (self.typed(made, node, operands)?, Shape::Operator, false)
            }
            (Op::Binary(op), [left, right]) => {
                self.check_kinds(op, *left, *right)?;
                self.check_members(op, *left, *right)?;
                let made = self.model.exprs.try_add(Expr::Binary(op, left.expr, right.expr));
                (self.typed(made, node, operands)?, Shape::Operator, left.is_event)
            }
            (Op::Range, [lo, hi]) => (self.range(*lo, *hi)?, Shape::Leaf, false),
            (Op::Set(_), members) => (self.set(node, members)?, Shape::Operator, false),
            _ => unreachable!("the parser gives each operator its operands"),
        };
        // A range is one constant: what its ends are does not matter.
        let first_occ = operands.first().map_or(leaf_at, |first| first.first_occ);
        if node.op == Op::Range {
            self.model.occurrences.truncate(first_occ);
        }
        let occ = self.model.occurrences.push(first_occ, expr, node.span, shape);
        let first_node = place.code.start as usize + place.idx;
        let first_node = operands.first().map_or(first_node, |first| first.first_node);
        Some(Operand { expr, occ, first_occ, first_node, span: node.span, is_event })
    }

    /// `@T(c)`: the text is read in the old state, which it was, and in the new one.
    fn happening(
        &mut self,
        event: Event,
        span: Span,
        place: Subtree,
        mode: Mode<'_>,
        old: Operand,
    ) -> Option<Operand> {
        self.needs_event_place(span, mode)?;
        if old.is_event {
            let help = "join events by OR or AND";
            return self.no_event(old.span, "an event does not stand inside another one", help);
        }
        let is_condition = self.model.exprs.ty(old.expr) == Type::Bool;
        if !is_condition && event != Event::Change {
            self.no_condition(old.span, self.model.exprs.ty(old.expr));
            return None;
        }
        let new = self.again(place, mode, old)?;
        // Known to be the same in the new state, it is written as an event again.
        self.model.exprs.prime(old.expr);
        let made = event.of(&mut self.model.exprs, old.expr, new.expr);
        let expr = made.ok()?;
        let shape = Shape::Event(event);
        let occ = self.model.occurrences.push(old.first_occ, expr, span, shape);
        Some(Operand { expr, occ, span, is_event: mode.has_events(), ..old })
    }

    /// What was read in the old state, in the new one.
    fn again(&mut self, place: Subtree, mode: Mode<'_>, old: Operand) -> Option<Operand> {
        let code = Code { start: old.first_node as u32, end: place.code.start + place.idx as u32 };
        let mode = Mode { time: Time::New, place: Place::State, ..mode };
        self.lower(code, mode, &[])
    }

    /// `e WHEN c` and the others.
    fn guarded(
        &mut self,
        node: Node,
        place: Subtree,
        mode: Mode<'_>,
        [event, condition]: [Operand; 2],
    ) -> Option<Operand> {
        if !event.is_event && mode.place != Place::Step {
            let message = "an event is expected before this word, and this is a condition";
            let help = "join conditions by AND";
            self.error(Diagnostic::error("bad-event", event.span, message).help(help));
            return None;
        }
        if condition.is_event {
            let message = "a condition is expected behind this word, and this is an event";
            let help = "for two events at the same time write AND";
            return self.no_event(condition.span, message, help);
        }
        for operand in [event, condition] {
            let ty = self.model.exprs.ty(operand.expr);
            if ty != Type::Bool {
                self.no_condition(operand.span, ty);
                return None;
            }
        }
        let holds = match node.op {
            Op::Where => {
                self.model.occurrences.truncate(condition.first_occ);
                self.again(place, mode, condition)?.expr
            }
            Op::While => {
                let new = self.again(place, mode, condition)?;
                let both = Event::Stay.of(&mut self.model.exprs, condition.expr, new.expr).ok()?;
                let shape = Shape::Event(Event::Stay);
                self.model.occurrences.push(condition.first_occ, both, condition.span, shape);
                both
            }
            _ => condition.expr,
        };
        let expr = self.model.exprs.binary(BinaryOp::And, event.expr, holds);
        let occ = self.model.occurrences.push(event.first_occ, expr, node.span, Shape::When);
        Some(Operand { expr, occ, span: node.span, ..event })
    }

    /// `@T(INMODE)` and `@F(INMODE)`
    fn mode_change(&mut self, node: Node, mode: Mode<'_>) -> Option<ExprId> {
        let Some(&Modes { class, inside, .. }) = mode.modes else {
            let message = "`INMODE` means nothing here: the table has no mode class";
            let help = "give the table a class, as in TABLE name EVENT CLASS modes";
            self.error(Diagnostic::error("bad-event", node.span, message).help(help));
            return None;
        };
        let changed = self.is_changed(class);
        let exprs = &mut self.model.exprs;
        let before = inside.unwrap_or_else(|| exprs.bool(true));
        let after = exprs.prime(before);
        let inmode = self.spec.options.inmode;
        Some(match (node.op, inmode) {
            (Op::Enter, Inmode::Each) => exprs.and(after, changed),
            (Op::Enter, Inmode::Old) | (_, Inmode::Each | Inmode::Old) => {
                exprs.and(before, changed)
            }
            (Op::Enter, Inmode::Group) => {
                let outside = exprs.not(before);
                exprs.and(after, outside)
            }
            (_, Inmode::Group) => {
                let outside = exprs.not(after);
                exprs.and(before, outside)
            }
        })
    }

    fn needs_event_place(&mut self, span: Span, mode: Mode<'_>) -> Option<()> {
        if matches!(mode.place, Place::Event | Place::Step) && mode.time == Time::Old {
            return Some(());
        }
        let help = "events stand in event tables, mode transition tables, NAT and ASSERT";
        self.no_event(span, "an event can't stand here: a condition is expected", help)
    }

    fn no_event<T>(&mut self, span: Span, message: &str, help: &str) -> Option<T> {
        self.error(Diagnostic::error("bad-event", span, message).help(help));
        None
    }

    /// Are both operands events, or neither?
    fn check_kinds(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Option<()> {
        if !left.is_event && !right.is_event {
            return Some(());
        }
        if left.is_event && right.is_event && matches!(op, BinaryOp::And | BinaryOp::Or) {
            return Some(());
        }
        let condition = if left.is_event { right } else { left };
        let message = match op {
            BinaryOp::And if left.is_event != right.is_event => {
                "this is a condition, and AND joins it to an event"
            }
            BinaryOp::Or if left.is_event != right.is_event => {
                "this is a condition, and OR joins it to an event"
            }
            _ => "events are joined by OR and AND only",
        };
        let help = match op {
            BinaryOp::And => {
                "write WHEN for a condition of the old state, WHERE for one of the new"
            }
            _ => {
                "write @T(...) for the moment at which it becomes true, or parentheses behind WHEN"
            }
        };
        self.error(Diagnostic::error("bad-event", condition.span, message).help(help));
        None
    }

    /// Is what a variable is compared with one of its values?
    fn check_members(&mut self, op: BinaryOp, left: Operand, right: Operand) -> Option<()> {
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::In) {
            return Some(());
        }
        let var = |expr| match self.model.exprs.get(expr) {
            Expr::Var(var) | Expr::Next(var) => Some(var),
            _ => None,
        };
        let (var, other) = match (var(left.expr), var(right.expr)) {
            (Some(var), None) => (var, right),
            (None, Some(var)) => (var, left),
            _ => return Some(()),
        };
        let Domain::Enum(values) = self.model.var(var).domain.clone() else { return Some(()) };
        let has_variables = self.model.exprs.info(other.expr).reads != Reads::NOTHING;
        let is_symbolic = matches!(
            self.model.exprs.ty(other.expr),
            Type::Symbol | Type::Set(SetOf::Symbol) | Type::Set(SetOf::Mixed)
        );
        if has_variables || !is_symbolic {
            return Some(());
        }
        let mut stack = vec![other.expr];
        while let Some(expr) = stack.pop() {
            match self.model.exprs.get(expr) {
                Expr::Binary(BinaryOp::Union, a, b) => stack.extend([a, b]),
                _ => {
                    let Ok(value) = eval::constant(&self.model, expr) else { continue };
                    if !values.contains(&value) {
                        let (name, domain) =
                            (&self.model.var(var).name, &self.model.var(var).domain);
                        let (name, takes) = (name.clone(), self.model.show_type(domain));
                        let message =
                            format!("`{}` is no value of `{name}`", self.model.show(value));
                        let help = format!("`{name}` takes {takes}");
                        let error = Diagnostic::error("not-a-value", other.span, message);
                        self.error(error.help(help));
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    fn read(&mut self, id: NameId, span: Span, mode: Mode<'_>) -> Option<ExprId> {
        let expr = match self.meaning(Name { id, span })? {
            Meaning::Variable(var, _) => self.model.var_expr(var),
            Meaning::Constant(define) => self.model.define_expr(define),
            Meaning::Symbol(value) => self.model.exprs.value(value),
        };
        Some(match mode.time {
            Time::Old => expr,
            Time::New => self.model.exprs.prime(expr),
        })
    }

    fn read_primed(&mut self, id: NameId, span: Span, mode: Mode<'_>) -> Option<ExprId> {
        let is_allowed = mode.place == Place::Step && mode.time == Time::Old;
        if !is_allowed {
            let message = "there is no new state here";
            let help = match mode.place {
                Place::Event => "an event compares both states; for the new one write WHERE",
                _ => "leave the prime away, or put this into NAT or ASSERT",
            };
            self.error(Diagnostic::error("bad-prime", span, message).help(help));
            return None;
        }
        let expr = self.read(id, span, mode)?;
        Some(self.model.exprs.prime(expr))
    }

    fn range(&mut self, lo: Operand, hi: Operand) -> Option<ExprId> {
        let mut ends = [0; 2];
        for (end, operand) in ends.iter_mut().zip([lo, hi]) {
            let is_constant = self.model.exprs.info(operand.expr).reads == Reads::NOTHING;
            let value = is_constant.then(|| eval::constant(&self.model, operand.expr).ok());
            let Some(value) = value.flatten().and_then(|value| value.as_int()) else {
                let message = "a bound of a range is a constant integer";
                self.error(Diagnostic::error("bad-type", operand.span, message));
                return None;
            };
            *end = value;
        }
        Some(self.model.exprs.range(ends[0], ends[1]))
    }

    fn set(&mut self, node: Node, members: &[Operand]) -> Option<ExprId> {
        if let Some(event) = members.iter().find(|member| member.is_event) {
            let help = "events stand in event tables and mode transition tables";
            return self.no_event(event.span, "an event is no value", help);
        }
        let mut members = members.iter();
        let first = members.next()?;
        let mut set = first.expr;
        for member in members {
            let made = self.model.exprs.try_add(Expr::Binary(BinaryOp::Union, set, member.expr));
            set = self.typed(made, node, &[*first, *member])?;
        }
        Some(set)
    }

    fn typed(
        &mut self,
        made: Result<ExprId, TypeError>,
        node: Node,
        operands: &[Operand],
    ) -> Option<ExprId> {
        let error = match made {
            Ok(expr) => return Some(expr),
            Err(error) => error,
        };
        let operator = match node.op {
            Op::Binary(op) => self.model.syntax.binary_op(op),
            Op::Unary(op) => self.model.syntax.unary_op(op),
            _ => "a set",
        };
        let (span, message) = match error {
            TypeError::Operand { idx, expected: Expected::With(other), found } => {
                let span = operands.get(idx).map_or(node.span, |operand| operand.span);
                let (found, other) = (of_type(found), of_type(other));
                (span, format!("this is {found}, and the other side of `{operator}` is {other}"))
            }
            TypeError::Operand { idx, expected, found } => {
                let span = operands.get(idx).map_or(node.span, |operand| operand.span);
                let expected = expectation(expected);
                let found = of_type(found);
                (span, format!("`{operator}` takes {expected} here, and this is {found}"))
            }
            _ => (node.span, format!("`{operator}` does not take this")),
        };
        self.error(Diagnostic::error("type-mismatch", span, message));
        None
    }
}

/// A node of an expression.
#[derive(Clone, Copy)]
struct Subtree {
    code: Code,
    idx: usize,
}

fn clause(operand: Operand) -> Clause {
    Clause { expr: operand.expr, occ: Some(operand.occ), span: operand.span }
}

fn of_type(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "a condition",
        Type::Int => "a number",
        Type::Symbol | Type::Mixed => "a value of an enumeration",
        Type::Word { .. } => "a word",
        Type::Real => "a real number",
        Type::Set(_) => "a set",
        Type::Temporal => "a temporal formula",
        Type::Never => "nothing",
    }
}

fn expectation(expected: Expected) -> String {
    match expected {
        Expected::Bool => "a condition".into(),
        Expected::Formula | Expected::Logical => "a condition or a formula".into(),
        Expected::Number | Expected::Numeric => "a number".into(),
        Expected::Member => "a value".into(),
        Expected::Single | Expected::Value => "a value".into(),
        _ => "a number".into(),
    }
}
