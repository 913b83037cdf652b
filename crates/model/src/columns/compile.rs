//! From the instructions of a plan to those on columns.

use rustc_hash::FxHashMap;

use super::{Code, Column, Columns, Form, LEAST, Number, Read};
use crate::eval::{Instr, Plan};
use crate::expr::{ExprId, VarId};
use crate::model::Model;
use crate::op::{BinaryOp, UnaryOp};
use crate::types::Type;
use crate::value::Value;

/// Sets in sets that are deeper than this are left to the plan.
const MAX_DEPTH: usize = 500;

/// What an instruction of the plan has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// A column.
    In(Column),
    /// A set, used only for membership tests.
    Set,
    /// What never has a value.
    Never,
    /// What no column holds.
    Odd,
}

struct Compiler<'m> {
    model: &'m Model,
    instrs: &'m [Instr],
    made: Vec<Made>,
    reads: Vec<Read>,
    consts: Vec<Code>,
    codes: Vec<Code>,
    n_truths: u32,
    n_numbers: u32,
    /// The truth columns of membership tests.
    members: FxHashMap<(Column, u32), Option<u32>>,
    truths: [Option<u32>; 2],
}

/// Compiles expressions that are true or false.
pub fn compile(model: &Model, exprs: &[ExprId]) -> Columns {
    let plan = Plan::new(model, exprs);
    let mut compiler = Compiler {
        model,
        instrs: plan.instrs(),
        made: Vec::new(),
        reads: Vec::new(),
        consts: Vec::new(),
        codes: Vec::new(),
        n_truths: 1,
        n_numbers: 0,
        members: FxHashMap::default(),
        truths: [None; 2],
    };
    for instr in compiler.instrs {
        let made = compiler.instr(instr);
        compiler.made.push(made);
    }
    let root = |root_idx: usize| match compiler.made[plan.root_cell(root_idx)] {
        Made::In(Column::Truth(at)) => Some(at),
        Made::Never => Some(NEVER),
        _ => None,
    };
    let roots: Vec<Option<u32>> = (0..exprs.len()).map(root).collect();
    let odd: Vec<usize> = (0..exprs.len()).filter(|idx| roots[*idx].is_none()).collect();
    let odd_exprs: Vec<ExprId> = odd.iter().map(|idx| exprs[*idx]).collect();
    let Compiler { reads, consts, codes, n_truths, n_numbers, .. } = compiler;
    Columns {
        reads,
        consts,
        codes,
        n_truths: n_truths as usize,
        n_numbers: n_numbers as usize,
        roots,
        odd_plan: Plan::new(model, &odd_exprs),
        odd,
        plan,
    }
}

/// The truth column that nothing is written to: no value anywhere.
const NEVER: u32 = 0;

impl Compiler<'_> {
    fn instr(&mut self, instr: &Instr) -> Made {
        match instr {
            Instr::Const(value) => self.constant(*value),
            Instr::Current(var) => self.read(*var, false),
            Instr::Next(var) => self.read(*var, true),
            Instr::Unary(op, a) => self.unary(*op, self.made[*a as usize]),
            Instr::Binary(BinaryOp::In, a, b) => self.included(*a, *b),
            Instr::Binary(op, a, b) => {
                self.binary(*op, self.made[*a as usize], self.made[*b as usize])
            }
            Instr::Ite(c, t, e) => self.ite([*c, *t, *e].map(|at| self.made[at as usize])),
            Instr::Range(..) | Instr::Union(_) => Made::Set,
            Instr::BitSelect(a, high, low) => self.of_word(*a, |this, a| {
                let to = this.number(Form::Word { signed: false, width: high - low + 1 });
                (Code::BitSelect(a, *high, *low, to), to)
            }),
            Instr::Resize(a, width) => self.of_word(*a, |this, a| {
                let signed = matches!(a.form, Form::Word { signed: true, .. });
                let to = this.number(Form::Word { signed, width: *width });
                (Code::Resize(a, *width, to), to)
            }),
            Instr::Count(operands) => self.count(operands),
            Instr::Fail(_) | Instr::Temporal => Made::Never,
        }
    }

    fn truth(&mut self) -> u32 {
        self.n_truths += 1;
        self.n_truths - 1
    }

    fn number(&mut self, form: Form) -> Number {
        self.n_numbers += 1;
        Number { known: self.truth(), at: self.n_numbers - 1, form }
    }

    /// Adds an instruction that makes a truth column.
    fn add_truth(&mut self, code: impl FnOnce(u32) -> Code) -> u32 {
        let to = self.truth();
        self.codes.push(code(to));
        to
    }

    fn made_truth(&mut self, code: impl FnOnce(u32) -> Code) -> Made {
        Made::In(Column::Truth(self.add_truth(code)))
    }

    /// Adds an instruction that makes a column of numbers.
    fn made_number(&mut self, form: Form, code: impl FnOnce(Number) -> Code) -> Made {
        let to = self.number(form);
        self.codes.push(code(to));
        Made::In(Column::Number(to))
    }

    fn constant(&mut self, value: Value) -> Made {
        let form = match value {
            Value::Bool(value) => return Made::In(Column::Truth(self.constant_truth(value))),
            Value::Int(_) | Value::Symbol(_) => Form::Plain,
            Value::Word(word) => Form::Word { signed: word.signed, width: word.width },
            Value::Real(_) => return Made::Odd,
        };
        let Some(number) = form.encode(value) else { return Made::Odd };
        let to = self.number(form);
        self.consts.push(Code::Constant(number, to));
        Made::In(Column::Number(to))
    }

    fn constant_truth(&mut self, value: bool) -> u32 {
        if let Some(at) = self.truths[usize::from(value)] {
            return at;
        }
        let to = self.truth();
        self.consts.push(Code::Truth(value, to));
        self.truths[usize::from(value)] = Some(to);
        to
    }

    fn read(&mut self, var: VarId, is_next: bool) -> Made {
        let to = match self.model.var(var).domain.ty() {
            Type::Bool => Column::Truth(self.truth()),
            Type::Int | Type::Symbol | Type::Mixed => Column::Number(self.number(Form::Plain)),
            Type::Word { signed, width } => {
                Column::Number(self.number(Form::Word { signed, width }))
            }
            Type::Real | Type::Set(_) | Type::Temporal | Type::Never => return Made::Odd,
        };
        self.reads.push(Read { var, is_next, to });
        Made::In(to)
    }

    fn unary(&mut self, op: UnaryOp, a: Made) -> Made {
        use UnaryOp as Op;
        match (op, a) {
            (_, Made::Never) => Made::Never,
            (Op::Not, Made::In(Column::Truth(a))) => self.made_truth(|to| Code::Not(a, to)),
            (Op::ToBool, Made::In(Column::Truth(_)))
            | (Op::ToInt | Op::Floor, Made::In(Column::Number(Number { form: Form::Plain, .. }))) => {
                a
            }
            (Op::ToBool, Made::In(Column::Number(a))) => self.made_truth(|to| Code::IsSome(a, to)),
            (Op::ToInt, Made::In(Column::Truth(a))) => {
                self.made_number(Form::Plain, |to| Code::Bit(a, to))
            }
            (Op::ToWord1, Made::In(Column::Truth(a))) => {
                let form = Form::Word { signed: false, width: 1 };
                self.made_number(form, |to| Code::Bit(a, to))
            }
            (_, Made::In(Column::Number(a))) => match (op, a.form) {
                (Op::Neg | Op::Abs, form) | (Op::Not, form @ Form::Word { .. }) => {
                    self.made_number(form, |to| Code::Unary(op, a, to))
                }
                (Op::ToInt, _) => self.made_number(Form::Plain, |to| Code::Unary(op, a, to)),
                (Op::ToSigned | Op::ToUnsigned, Form::Word { width, .. }) => {
                    let form = Form::Word { signed: op == Op::ToSigned, width };
                    self.made_number(form, |to| Code::Unary(op, a, to))
                }
                _ => Made::Odd,
            },
            _ => Made::Odd,
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Made, b: Made) -> Made {
        let is_logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies);
        let truth = |made: Made| match made {
            Made::Never if is_logic => Some(NEVER),
            Made::In(Column::Truth(at)) => Some(at),
            _ => None,
        };
        match (a, b) {
            (Made::Odd | Made::Set, _) | (_, Made::Odd | Made::Set) => Made::Odd,
            (Made::Never, Made::Never) => Made::Never,
            (Made::Never, _) | (_, Made::Never) if !is_logic => Made::Never,
            (Made::In(Column::Number(a)), Made::In(Column::Number(b))) => self.numbers(op, a, b),
            // Of a word and nothing there is nothing.
            (Made::In(Column::Number(_)), Made::Never)
            | (Made::Never, Made::In(Column::Number(_))) => Made::Never,
            _ => match truth(a).zip(truth(b)) {
                Some((a, b)) => self.truths(op, a, b),
                None => Made::Odd,
            },
        }
    }

    fn truths(&mut self, op: BinaryOp, a: u32, b: u32) -> Made {
        match op {
            BinaryOp::And => self.made_truth(|to| Code::And(a, b, to)),
            BinaryOp::Or => self.made_truth(|to| Code::Or(a, b, to)),
            BinaryOp::Implies => self.made_truth(|to| Code::Implies(a, b, to)),
            BinaryOp::Eq | BinaryOp::Iff | BinaryOp::Xnor => {
                self.made_truth(|to| Code::Iff(a, b, to))
            }
            BinaryOp::Ne | BinaryOp::Xor => {
                let same = self.add_truth(|to| Code::Iff(a, b, to));
                self.made_truth(|to| Code::Not(same, to))
            }
            _ => Made::Odd,
        }
    }

    fn numbers(&mut self, op: BinaryOp, a: Number, b: Number) -> Made {
        use BinaryOp as Op;
        let form = match (op, a.form, b.form) {
            (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge, left, right) => {
                return match left == right {
                    true => self.made_truth(|to| Code::Compare(op, a, b, to)),
                    false => Made::Odd,
                };
            }
            (Op::Add | Op::Sub, Form::Plain, Form::Plain) => {
                return self.made_number(Form::Plain, |to| Code::Sum(op, a, b, to));
            }
            (Op::Concat, Form::Word { width: high, .. }, Form::Word { width: low, .. }) => {
                Form::Word { signed: false, width: high + low }
            }
            (Op::Shl | Op::Shr, form @ Form::Word { .. }, _) => form,
            (_, left, right) if left == right && op != Op::Concat => left,
            _ => return Made::Odd,
        };
        self.made_number(form, |to| Code::Binary(op, a, b, to))
    }

    fn ite(&mut self, [c, t, e]: [Made; 3]) -> Made {
        let c = match c {
            Made::In(Column::Truth(c)) => c,
            Made::Never => return Made::Never,
            _ => return Made::Odd,
        };
        match (t, e) {
            (Made::Odd, _) | (_, Made::Odd) => Made::Odd,
            (Made::Never, Made::Never) => Made::Never,
            (Made::Set, _) | (_, Made::Set) => Made::Set,
            (Made::In(Column::Truth(t)), Made::In(Column::Truth(e))) => {
                self.made_truth(|to| Code::Choose(c, t, e, to))
            }
            (Made::In(Column::Truth(t)), Made::Never) => {
                self.made_truth(|to| Code::Choose(c, t, NEVER, to))
            }
            (Made::Never, Made::In(Column::Truth(e))) => {
                self.made_truth(|to| Code::Choose(c, NEVER, e, to))
            }
            (Made::In(Column::Number(t)), Made::In(Column::Number(e))) if t.form == e.form => {
                self.made_number(t.form, |to| Code::ChooseNumber(c, t, e, to))
            }
            (Made::In(Column::Number(t)), Made::Never) => {
                let e = Number { known: NEVER, ..t };
                self.made_number(t.form, |to| Code::ChooseNumber(c, t, e, to))
            }
            (Made::Never, Made::In(Column::Number(e))) => {
                let t = Number { known: NEVER, ..e };
                self.made_number(e.form, |to| Code::ChooseNumber(c, t, e, to))
            }
            _ => Made::Odd,
        }
    }

    fn of_word(&mut self, a: u32, code: impl FnOnce(&mut Self, Number) -> (Code, Number)) -> Made {
        match self.made[a as usize] {
            Made::Never => Made::Never,
            Made::In(Column::Number(a)) => {
                let (code, to) = code(self, a);
                self.codes.push(code);
                Made::In(Column::Number(to))
            }
            _ => Made::Odd,
        }
    }

    fn count(&mut self, operands: &[u32]) -> Made {
        let mut truths = Vec::new();
        for &operand in operands {
            match self.made[operand as usize] {
                Made::In(Column::Truth(at)) => truths.push(at),
                Made::Never => truths.push(NEVER),
                _ => return Made::Odd,
            }
        }
        self.made_number(Form::Plain, |to| Code::Count(truths.into(), to))
    }

    fn included(&mut self, a: u32, set: u32) -> Made {
        match (self.made[a as usize], self.made[set as usize]) {
            (Made::Odd, _) | (_, Made::Odd) | (Made::Set, _) => Made::Odd,
            (Made::Never, _) | (_, Made::Never) => Made::Never,
            (Made::In(column), _) => match self.member(column, set, MAX_DEPTH) {
                Some(at) => Made::In(Column::Truth(at)),
                None => Made::Odd,
            },
        }
    }

    /// The truth column of a membership test; `None` if there is none.
    fn member(&mut self, of: Column, set: u32, depth: usize) -> Option<u32> {
        if let Some(known) = self.members.get(&(of, set)) {
            return *known;
        }
        let depth = depth.checked_sub(1)?;
        let instrs = self.instrs;
        let at = match (self.made[set as usize], &instrs[set as usize]) {
            (Made::In(column), _) => self.same(of, column),
            (Made::Never, _) => Some(NEVER),
            (Made::Set, Instr::Range(lo, hi)) => self.within(of, vec![(*lo, *hi)]),
            (Made::Set, Instr::Union(parts)) => self.union(of, parts, depth),
            (Made::Set, Instr::Ite(c, t, e)) => match self.made[*c as usize] {
                Made::In(Column::Truth(c)) => {
                    let (t, e) = (self.member(of, *t, depth)?, self.member(of, *e, depth)?);
                    Some(self.add_truth(|to| Code::Choose(c, t, e, to)))
                }
                _ => None,
            },
            _ => None,
        };
        self.members.insert((of, set), at);
        at
    }

    /// Is the value one of these, or in one of these sets?
    fn union(&mut self, of: Column, parts: &[u32], depth: usize) -> Option<u32> {
        let mut ranges = Vec::new();
        let mut found: Option<u32> = None;
        for &part in parts {
            match (of, &self.instrs[part as usize]) {
                (Column::Number(Number { form, .. }), Instr::Const(value)) => {
                    let number = form.encode(*value)?;
                    ranges.push((number, number));
                }
                _ => {
                    let is_in = self.member(of, part, depth)?;
                    found = Some(match found {
                        Some(found) => self.add_truth(|to| Code::Either(found, is_in, to)),
                        None => is_in,
                    });
                }
            }
        }
        match (found, ranges.is_empty()) {
            (Some(found), true) => Some(found),
            (None, _) => self.ranges(of, ranges),
            (Some(found), false) => {
                let listed = self.ranges(of, ranges)?;
                Some(self.add_truth(|to| Code::Either(found, listed, to)))
            }
        }
    }

    /// Is the value an integer of these ranges?
    fn within(&mut self, of: Column, ranges: Vec<(i64, i64)>) -> Option<u32> {
        // Below, there are symbols.
        let is_clear = ranges.iter().all(|&(lo, _)| lo >= LEAST);
        is_clear.then(|| self.ranges(of, ranges)).flatten()
    }

    fn ranges(&mut self, of: Column, ranges: Vec<(i64, i64)>) -> Option<u32> {
        match of {
            Column::Number(of @ Number { form: Form::Plain, .. }) => {
                Some(self.add_truth(|to| Code::Within(of, ranges.into(), to)))
            }
            _ => None,
        }
    }

    fn same(&mut self, a: Column, b: Column) -> Option<u32> {
        match (a, b) {
            (Column::Truth(a), Column::Truth(b)) => Some(self.add_truth(|to| Code::Iff(a, b, to))),
            (Column::Number(a), Column::Number(b)) if a.form == b.form => {
                Some(self.add_truth(|to| Code::Compare(BinaryOp::Eq, a, b, to)))
            }
            _ => None,
        }
    }
}
