//! Inductive invariants as properties of the model, so that another tool can confirm them.

use trapline_model::{
    BinaryOp, Clause, Domain, Expr, ExprId, Formula, Model, PropertyKind, Value, VarId, Word,
};
use trapline_source::Span;

use crate::answer::{Bits, Checked, Invariant};
use crate::code::decode;
use crate::encoding::Encoding;

/// Maximum number of values listed for a variable.
const MAX_LISTED: u64 = 32;

/// The model with other properties: every invariant, and what it implies. Each of them holds in
/// every initial state and is preserved by every step. Also returns how many of the given
/// properties they prove.
pub fn certificate(model: &Model, properties: &[usize], checked: &Checked) -> (Model, usize) {
    let mut model = Model { properties: Vec::new(), ..model.clone() };
    let mut n_proved = 0;
    for (idx, invariant) in checked.invariants.iter().enumerate() {
        let holds = conjunction(&mut model, invariant);
        add(&mut model, format!("invariant_{idx}"), holds);
        for &(outcome, expr) in &invariant.proves {
            let follows = model.exprs.implies(holds, expr);
            add(&mut model, format!("proof_of_{}", properties[outcome]), follows);
            n_proved += 1;
        }
    }
    (model, n_proved)
}

fn add(model: &mut Model, name: String, expr: ExprId) {
    let formula = Formula::Holds(Clause::unwritten(expr, Span::default()));
    model.add_property(PropertyKind::Invar, Some(name), formula);
}

fn conjunction(model: &mut Model, invariant: &Invariant) -> ExprId {
    let mut all = model.exprs.all(invariant.all.iter().copied());
    for cube in &invariant.none {
        let parts: Vec<ExprId> = cube.iter().map(|&bits| has_bits(model, bits)).collect();
        let is_in = model.exprs.all(parts);
        let is_out = model.exprs.not(is_in);
        all = model.exprs.and(all, is_out);
    }
    all
}

/// True if a variable has these bits.
fn has_bits(model: &mut Model, Bits { var, mask, bits }: Bits) -> ExprId {
    let domain = model.var(var).domain.clone();
    let value = model.var_expr(var);
    match domain {
        Domain::Bool => model.exprs.literal(value, bits != 0),
        _ if domain.size().is_some_and(|size| size <= MAX_LISTED) => {
            is_listed(model, var, value, (mask, bits))
        }
        _ => {
            let mut all = model.exprs.bool(true);
            for place in (0..64).filter(|place| mask >> place & 1 == 1) {
                let bit = bit(model, &domain, value, place, bits >> place & 1 == 1);
                all = model.exprs.and(all, bit);
            }
            all
        }
    }
}

/// True if it is one of the values with these bits.
fn is_listed(model: &mut Model, var: VarId, value: ExprId, (mask, bits): (u64, u64)) -> ExprId {
    let domain = model.var(var).domain.clone();
    let Ok(encoding) = Encoding::new(&domain) else {
        unreachable!("the variable was written in bits")
    };
    let n_values = domain.size().unwrap_or(0);
    let numbers = (0..n_values).filter(|number| number & mask == bits);
    let mut any = model.exprs.bool(false);
    for number in numbers {
        let member = model.exprs.value(decode(encoding.number(number), domain.ty()));
        let is_this = model.exprs.eq(value, member);
        any = model.exprs.or(any, is_this);
    }
    any
}

/// True if a bit of a word or of a large range has this value.
fn bit(model: &mut Model, domain: &Domain, value: ExprId, place: u32, is_set: bool) -> ExprId {
    let (bit, wanted) = match domain {
        Domain::Word { .. } => {
            let bit = model.exprs.add(Expr::BitSelect(value, place as u8, place as u8));
            (bit, Value::Word(Word { signed: false, width: 1, bits: is_set.into() }))
        }
        _ => {
            let first = match domain {
                Domain::Range(lo, _) => *lo,
                _ => 0,
            };
            let mut number = value;
            let steps = [(BinaryOp::Sub, first), (BinaryOp::Div, 1 << place), (BinaryOp::Mod, 2)];
            for (op, operand) in steps {
                let operand = model.exprs.value(Value::Int(operand));
                number = model.exprs.binary(op, number, operand);
            }
            (number, Value::Int(is_set.into()))
        }
    };
    let wanted = model.exprs.value(wanted);
    model.exprs.eq(bit, wanted)
}
