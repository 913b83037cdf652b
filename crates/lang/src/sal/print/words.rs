//! Words, as the numbers that they represent.

use trapline_model::{BinaryOp, ExprId, Type, UnaryOp};

use super::bounds::number;
use super::helpers::Helper;
use super::text::{Task, Writer, Written, apply, atom, infix, one_if, prec};

impl Writer<'_> {
    /// A function of the context, over operands with their commas.
    pub fn call(&self, helper: Helper, operands: Vec<Task>) -> Written {
        let mut needed = self.needed.borrow_mut();
        needed.extend(helper.needs());
        needed.insert(helper);
        let name = self.names.helpers.get(&helper).cloned().unwrap_or_default();
        let open = Task::Owned(format!("{name}("));
        (prec::TIGHTEST, vec![open, Task::Many(operands), Task::Text(")")])
    }

    fn called(&self, helper: Helper, operands: Vec<Task>) -> Task {
        Task::Many(self.call(helper, operands).1)
    }

    fn modulo(&self, of: Task, width: u8) -> Task {
        self.called(Helper::Modulo, vec![of, Task::Owned(format!(", {}", 1u64 << width))])
    }

    /// The bits of a word, as a number that is not negative.
    fn bits(&self, word: ExprId, min: u8) -> Task {
        match self.model.exprs.ty(word) {
            Type::Word { signed: true, width } => {
                self.modulo(Task::Expr(word, prec::LOOSEST), width)
            }
            _ => Task::Expr(word, min),
        }
    }

    /// The number that is left of this one in a word of this kind.
    fn wrap(&self, signed: bool, width: u8, of: Vec<Task>) -> Written {
        let low = self.modulo(Task::Many(of), width);
        match signed {
            true => self.call(Helper::Signed(width), vec![low]),
            false => (prec::TIGHTEST, vec![low]),
        }
    }

    /// An operator over a word.
    pub(super) fn word(&self, op: UnaryOp, a: ExprId) -> Written {
        use UnaryOp as Op;
        let Type::Word { signed, width } = self.model.exprs.ty(a) else { return atom("0".into()) };
        let whole = Task::Expr(a, prec::LOOSEST);
        match op {
            Op::Not => {
                let most = if signed { -1 } else { (1i64 << width) - 1 };
                let most = Task::Owned(format!("{most} - "));
                (prec::SUM, vec![most, Task::Expr(a, prec::SUM + 1)])
            }
            Op::Neg => {
                let negated = vec![Task::Text("-"), Task::Expr(a, prec::TIGHTEST)];
                self.wrap(signed, width, negated)
            }
            Op::Abs => {
                let absolute = self.called(Helper::Abs, vec![whole]);
                self.wrap(signed, width, vec![absolute])
            }
            Op::ToSigned => self.call(Helper::Signed(width), vec![whole]),
            Op::ToUnsigned => (prec::TIGHTEST, vec![self.bits(a, prec::LOOSEST)]),
            Op::ToBool => {
                let tasks = vec![Task::Expr(a, prec::COMPARISON + 1), Task::Text(" /= 0")];
                (prec::COMPARISON, tasks)
            }
            _ => (prec::TIGHTEST, vec![one_if(a)]),
        }
    }

    /// Bits of a word.
    pub(super) fn bit_select(&self, word: ExprId, high: u8, low: u8) -> Written {
        let size = Task::Owned(format!(" MOD {}", 1u64 << (high - low + 1)));
        if low == 0 {
            return (prec::PRODUCT, vec![self.bits(word, prec::PRODUCT), size]);
        }
        let by = Task::Owned(format!(" DIV {})", 1u64 << low));
        (prec::PRODUCT, vec![Task::Text("("), self.bits(word, prec::PRODUCT), by, size])
    }

    /// A word of another width.
    pub(super) fn resize(&self, word: ExprId, width: u8) -> Written {
        let Type::Word { signed, width: old } = self.model.exprs.ty(word) else {
            return atom("0".into());
        };
        let whole = Task::Expr(word, prec::LOOSEST);
        match (signed, width < old) {
            (_, false) => (prec::LOOSEST, vec![whole]),
            (true, true) => self.call(Helper::Cut(width), vec![whole]),
            (false, true) => (prec::TIGHTEST, vec![self.modulo(whole, width)]),
        }
    }

    /// An operator that makes a word of this kind of two.
    pub(super) fn words(&self, op: BinaryOp, kind: (bool, u8), a: ExprId, b: ExprId) -> Written {
        use BinaryOp as Op;
        use prec::{PRODUCT, SUM};
        let (signed, width) = kind;
        let exprs = &self.model.exprs;
        let plain =
            |text, own: u8| infix(text, own, [Task::Expr(a, own), Task::Expr(b, own + 1)]).1;
        match op {
            Op::Add => self.wrap(signed, width, plain(" + ", SUM)),
            Op::Sub => self.wrap(signed, width, plain(" - ", SUM)),
            Op::Mul => self.wrap(signed, width, plain(" * ", PRODUCT)),
            Op::Div if signed => self.wrap(signed, width, plain(" DIV ", PRODUCT)),
            Op::Div => (PRODUCT, plain(" DIV ", PRODUCT)),
            Op::Mod => self.remainder(a, b),
            Op::Min => apply("min", &[a, b]),
            Op::Max => apply("max", &[a, b]),
            Op::Concat => {
                let Type::Word { width, .. } = exprs.ty(b) else { return atom("0".into()) };
                let by = Task::Owned(format!(" * {} + ", 1u64 << width));
                (SUM, vec![self.bits(a, PRODUCT), by, self.bits(b, SUM + 1)])
            }
            Op::Shl | Op::Shr => self.shift(op, (signed, width), a, b),
            _ => self.bitwise(op, (signed, width), a, b),
        }
    }

    fn bitwise(&self, op: BinaryOp, kind: (bool, u8), a: ExprId, b: ExprId) -> Written {
        use BinaryOp as Op;
        let (signed, width) = kind;
        let helper = match op {
            Op::And => Helper::And(width),
            Op::Or | Op::Implies => Helper::Or(width),
            _ => Helper::Xor(width),
        };
        let mut first = self.bits(a, prec::SUM + 1);
        if matches!(op, Op::Implies | Op::Xnor | Op::Iff) {
            let most = Task::Owned(format!("{} - ", (1u64 << width) - 1));
            first = Task::Many(vec![most, first]);
        }
        let operands = vec![first, Task::Text(", "), self.bits(b, prec::LOOSEST)];
        match signed {
            true => self.call(Helper::Signed(width), vec![self.called(helper, operands)]),
            false => self.call(helper, operands),
        }
    }

    fn shift(&self, op: BinaryOp, kind: (bool, u8), a: ExprId, b: ExprId) -> Written {
        use prec::PRODUCT;
        let (signed, width) = kind;
        let by = match self.model.exprs.as_const(b).and_then(number) {
            Some(by) if (0..=62).contains(&by) => Task::Owned((1u64 << by).to_string()),
            _ => self.called(Helper::Power(width), vec![Task::Expr(b, prec::LOOSEST)]),
        };
        match (op, signed) {
            (BinaryOp::Shl, _) => {
                let product = infix(" * ", PRODUCT, [Task::Expr(a, PRODUCT), by]).1;
                self.wrap(signed, width, product)
            }
            (_, false) => infix(" DIV ", PRODUCT, [Task::Expr(a, PRODUCT), by]),
            (_, true) => {
                let operands = vec![Task::Expr(a, prec::LOOSEST), Task::Text(", "), by];
                self.call(Helper::Floor, operands)
            }
        }
    }
}
