//! Choices, symbols and sets.
//!
//! A set is written where something is a member of it: as what holds of the member.

use trapline_model::{BinaryOp, Expr, ExprId, Model, Type, Value};

use super::enums::is_enumerated;
use super::text::{Task, Writer, Written, atom, infix, prec};

impl Writer<'_> {
    /// `IF … THEN … ELSE … ENDIF`, of symbols or not.
    pub(super) fn choice(&self, id: ExprId, is_symbol: bool) -> Written {
        let value = |id| match is_symbol {
            true => Task::Symbol(id, prec::LOOSEST),
            false => Task::Expr(id, prec::LOOSEST),
        };
        (prec::TIGHTEST, self.branches(id, value))
    }

    /// A choice with a line for each branch.
    pub fn lines(&self, id: ExprId, indent: usize) -> Option<String> {
        let exprs = &self.model.exprs;
        let is_symbol = is_enumerated(exprs.ty(id));
        let value = |id| match is_symbol {
            true => self.symbol(id),
            false => self.expr(id, prec::LOOSEST),
        };
        let gap = " ".repeat(indent);
        let mut text = String::new();
        let mut rest = id;
        while let Expr::Ite(c, t, e) = exprs.get(rest) {
            if rest != id && self.names.shared.contains_key(&rest) {
                break;
            }
            let word = if rest == id { "IF" } else { "ELSIF" };
            let condition = self.expr(c, prec::LOOSEST);
            text.push_str(&format!("\n{gap}{word} {condition} THEN {}", value(t)));
            rest = e;
        }
        text.push_str(&format!("\n{gap}ELSE {} ENDIF", value(rest)));
        Some(text)
    }

    /// The branches of a choice, each with what `of` makes of its value.
    fn branches(&self, id: ExprId, of: impl Fn(ExprId) -> Task) -> Vec<Task> {
        let exprs = &self.model.exprs;
        let mut tasks = Vec::new();
        let mut rest = id;
        while let Expr::Ite(c, t, e) = exprs.get(rest) {
            if rest != id && self.names.shared.contains_key(&rest) {
                break;
            }
            tasks.push(Task::Text(if rest == id { "IF " } else { " ELSIF " }));
            tasks.push(Task::Expr(c, prec::LOOSEST));
            tasks.push(Task::Text(" THEN "));
            tasks.push(of(t));
            rest = e;
        }
        tasks.push(Task::Text(" ELSE "));
        tasks.push(of(rest));
        tasks.push(Task::Text(" ENDIF"));
        tasks
    }

    /// An integer among symbols, each of which has a name.
    pub(super) fn symbol_of(&self, id: ExprId) -> Written {
        let exprs = &self.model.exprs;
        match exprs.get(id) {
            Expr::Const(c) => atom(self.symbol_name(exprs.constant(c))),
            Expr::Ite(..) => self.choice(id, true),
            _ => {
                let Some((lo, hi)) = self.interval(id) else { return atom("FALSE".into()) };
                let is_leaf = is_leaf(self.model, id);
                let mut tasks = Vec::new();
                if !is_leaf {
                    tasks.push(Task::Text("LET v: INTEGER = "));
                    tasks.push(Task::Expr(id, prec::LOOSEST));
                    tasks.push(Task::Text(" IN "));
                }
                for number in lo..hi {
                    tasks.push(Task::Text(if number == lo { "IF " } else { " ELSIF " }));
                    tasks.push(match is_leaf {
                        true => Task::Expr(id, prec::TIGHTEST),
                        false => Task::Text("v"),
                    });
                    let name = self.symbol_name(Value::Int(number));
                    tasks.push(Task::Owned(format!(" = {number} THEN {name}")));
                }
                let last = self.symbol_name(Value::Int(hi));
                tasks.push(Task::Owned(match lo == hi {
                    true => last,
                    false => format!(" ELSE {last} ENDIF"),
                }));
                let own = if is_leaf { prec::TIGHTEST } else { prec::LOOSEST };
                (own, tasks)
            }
        }
    }

    fn symbol_name(&self, value: Value) -> String {
        self.enums.name(value).unwrap_or("FALSE").into()
    }

    /// That the left value, or each member of the left set, is in the right set.
    pub(super) fn is_in(&self, a: ExprId, set: ExprId) -> Written {
        let exprs = &self.model.exprs;
        let is_symbol = [a, set].iter().any(|&side| is_enumerated(exprs.ty(side)));
        let members = exprs.chain(BinaryOp::Union, a);
        if let [only] = members.as_slice()
            && let Some(name) = self.leaf(*only, is_symbol)
        {
            return self.member_of(name, set, is_symbol);
        }
        let mut tasks = Vec::new();
        let own = if members.len() == 1 { prec::LOOSEST } else { prec::AND };
        for (idx, member) in members.into_iter().enumerate() {
            tasks.push(Task::Text(if idx == 0 { "" } else { " AND " }));
            match self.leaf(member, is_symbol) {
                Some(name) => tasks.push(Task::Member(name, set, prec::AND + 1, is_symbol)),
                None => tasks.push(self.each(member, set, is_symbol, own)),
            }
        }
        (own, tasks)
    }

    /// That a value that is no name is in a set.
    fn each(&self, value: ExprId, set: ExprId, is_symbol: bool, own: u8) -> Task {
        let ty = match self.model.exprs.ty(value) {
            _ if is_symbol => self.enums.type_of(set).or(self.enums.type_of(value)),
            _ => None,
        };
        let ty = ty.map_or_else(|| self.type_of(value), str::to_string);
        let value = match is_symbol {
            true => Task::Symbol(value, prec::LOOSEST),
            false => Task::Expr(value, prec::LOOSEST),
        };
        let (open, close) = if own == prec::LOOSEST { ("", "") } else { ("(", ")") };
        Task::Many(vec![
            Task::Text(open),
            Task::Owned(format!("LET v: {ty} = ")),
            value,
            Task::Text(" IN "),
            Task::Member("v".into(), set, prec::LOOSEST, is_symbol),
            Task::Text(close),
        ])
    }

    /// The text of a variable or a constant.
    fn leaf(&self, id: ExprId, is_symbol: bool) -> Option<String> {
        let is_plain = !is_symbol || is_enumerated(self.model.exprs.ty(id));
        let is_const = self.model.exprs.as_const(id).is_some();
        match is_leaf(self.model, id) {
            true if is_plain || is_const => Some(match is_symbol {
                true => self.symbol(id),
                false => self.expr(id, prec::TIGHTEST),
            }),
            _ => None,
        }
    }

    /// That the value with a name is what an expression gives, or in the set that it gives.
    pub(super) fn member_of(&self, of: String, set: ExprId, is_symbol: bool) -> Written {
        let exprs = &self.model.exprs;
        match exprs.get(set) {
            Expr::Binary(BinaryOp::Union, ..) => {
                let mut tasks = Vec::new();
                for (idx, member) in exprs.chain(BinaryOp::Union, set).into_iter().enumerate() {
                    tasks.push(Task::Text(if idx == 0 { "" } else { " OR " }));
                    tasks.push(Task::Member(of.clone(), member, prec::OR + 1, is_symbol));
                }
                (prec::OR, tasks)
            }
            Expr::Ite(..) if matches!(exprs.ty(set), Type::Set(_)) => {
                let value = |id| Task::Member(of.clone(), id, prec::LOOSEST, is_symbol);
                (prec::TIGHTEST, self.branches(set, value))
            }
            Expr::Range(lo, hi) => {
                let [lo, hi] = [lo, hi].map(|end| exprs.constant(end).as_int().unwrap_or(0));
                match is_symbol {
                    false => {
                        let text = format!("{of} >= {lo} AND {of} <= {hi}");
                        (prec::AND, vec![Task::Owned(text)])
                    }
                    true => {
                        let is = |i| format!("{of} = {}", self.symbol_name(Value::Int(i)));
                        let cases: Vec<String> = (lo..=hi).map(is).collect();
                        (prec::OR, vec![Task::Owned(cases.join(" OR "))])
                    }
                }
            }
            Expr::Fail(_) => atom("FALSE".into()),
            _ => {
                let value = match is_symbol {
                    true => Task::Symbol(set, prec::COMPARISON + 1),
                    false => Task::Expr(set, prec::COMPARISON + 1),
                };
                infix(" = ", prec::COMPARISON, [Task::Owned(of), value])
            }
        }
    }
}

/// Is it a name or a constant?
fn is_leaf(model: &Model, id: ExprId) -> bool {
    matches!(
        model.exprs.get(id),
        Expr::Const(_) | Expr::Var(_) | Expr::Next(_) | Expr::Define(_) | Expr::NextDefine(_)
    )
}
