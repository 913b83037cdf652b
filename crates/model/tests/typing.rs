//! The types of nodes, exhaustively at small scope: every operator over operands of every type.
//!
//! What the rules accept evaluates to a value of the type that they give, or to a failure; what
//! they reject is the fault of the operand that they name.

use trapline_model::eval::{Cell, evaluate};
use trapline_model::{
    BinaryOp, BoundedOp, Expr, ExprId, Failure, FailureKind, Model, PathQuantifier, Ratio, SetOf,
    Type, TypeError, UnaryOp, Value, Word,
};
use trapline_source::Span;
use trapline_testkit::read;

const UNARY: [UnaryOp; 22] = {
    use UnaryOp as Op;
    [
        Op::Not,
        Op::Neg,
        Op::Abs,
        Op::ToBool,
        Op::ToWord1,
        Op::ToSigned,
        Op::ToUnsigned,
        Op::ToInt,
        Op::Floor,
        Op::Ex,
        Op::Ax,
        Op::Ef,
        Op::Af,
        Op::Eg,
        Op::Ag,
        Op::X,
        Op::Y,
        Op::Z,
        Op::G,
        Op::H,
        Op::F,
        Op::O,
    ]
};

const BINARY: [BinaryOp; 30] = {
    use BinaryOp as Op;
    [
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Xnor,
        Op::Implies,
        Op::Iff,
        Op::Eq,
        Op::Ne,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::In,
        Op::Union,
        Op::Shl,
        Op::Shr,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Mod,
        Op::Concat,
        Op::Min,
        Op::Max,
        Op::Eu,
        Op::Au,
        Op::U,
        Op::S,
        Op::V,
        Op::T,
    ]
};

/// A model with two symbols, and constants of every type in it, for small types all of them.
fn operands() -> (Model, Vec<ExprId>) {
    let (mut model, _) = read("MODULE main VAR s : {x, y};", &[]);
    let symbols = ["x", "y"].map(|name| Value::Symbol(model.symbols.find(name).expect("declared")));
    let exprs = &mut model.exprs;
    let mut values = vec![Value::Bool(false), Value::Bool(true)];
    values.extend([i64::MIN, -1, 0, 1, 2].map(Value::Int));
    values.extend(symbols);
    for (signed, width) in [(false, 1), (false, 2), (true, 2), (false, 64)] {
        let words = if width == 64 { 1..2 } else { 0..1 << width };
        values.extend(words.map(|bits| Value::Word(Word::new(signed, width, bits))));
    }
    values.extend(
        [(-3, 2), (0, 1), (1, 2)].map(|(num, den)| {
            Value::Real(Ratio::new(num, den).expect("the denominator is not zero"))
        }),
    );
    let mut all: Vec<ExprId> = values.into_iter().map(|value| exprs.value(value)).collect();
    let [yes, no] = [true, false].map(|value| exprs.bool(value));
    let [one, half] = [Value::Int(1), Value::Real(Ratio::new(1, 2).expect("a half"))]
        .map(|value| exprs.value(value));
    let [x, y] = symbols.map(|symbol| exprs.value(symbol));
    all.extend([yes, no].map(|which| exprs.add(Expr::Ite(which, one, x))));
    for (a, b) in [(yes, no), (one, one), (x, y), (x, one), (half, one)] {
        all.push(exprs.binary(BinaryOp::Union, a, b));
    }
    all.push(exprs.range(0, 2));
    all.push(exprs.fail(Failure { kind: FailureKind::NotExhaustive, span: Span::default() }));
    all.push(exprs.unary(UnaryOp::F, yes));
    (model, all)
}

/// Is it a value of the type? A formula that its plain operands decide has a truth value.
fn is_of(value: Value, ty: Type) -> bool {
    match ty {
        Type::Mixed => matches!(value, Value::Int(_) | Value::Symbol(_)),
        Type::Real => matches!(value, Value::Int(_) | Value::Real(_)),
        Type::Temporal => value.ty() == Type::Bool,
        _ => value.ty() == ty,
    }
}

/// May it be a member of such a set?
fn is_member(value: Value, of: SetOf) -> bool {
    is_of(value, of.member()) || (of == SetOf::Mixed && value.ty() == Type::Bool)
}

/// Makes a node; one that is accepted must evaluate to what its type says.
fn check(model: &mut Model, expr: Expr) -> Result<(), TypeError> {
    let id = model.exprs.try_add(expr)?;
    let ty = model.exprs.ty(id);
    let types: Vec<Type> =
        model.exprs.operands(expr).as_slice().iter().map(|&id| model.exprs.ty(id)).collect();
    let what = format!("{expr:?} of {types:?} is {ty}");
    let cell = evaluate(model, id, &[], &[]);
    match (&cell, ty) {
        (Cell::Fail(_), _) => {}
        (Cell::Unknown, Type::Temporal) => {}
        // A value may stand where a set may.
        (Cell::Value(value), Type::Set(of)) => {
            assert!(is_member(*value, of), "{what}, and gives {value:?}");
        }
        (Cell::Value(value), _) => assert!(is_of(*value, ty), "{what}, and gives {value:?}"),
        (Cell::Set(set), Type::Set(of)) => {
            assert!(set.iter().all(|value| is_member(value, of)), "{what}, and gives {set:?}");
        }
        _ => panic!("{what}, and gives {cell:?}"),
    }
    Ok(())
}

/// The operand that is to blame, which must have the type that the error says.
fn blamed(model: &Model, error: TypeError, operands: &[ExprId]) -> usize {
    let TypeError::Operand { idx, found, .. } = error else { panic!("{error:?}") };
    assert_eq!(found, model.exprs.ty(operands[idx]), "{error:?}");
    idx
}

#[test]
fn unary_operators_give_what_their_types_say() {
    let (mut model, operands) = operands();
    let mut n_accepted = 0;
    for op in UNARY {
        for &a in &operands {
            match check(&mut model, Expr::Unary(op, a)) {
                Ok(()) => n_accepted += 1,
                Err(error) => assert_eq!(blamed(&model, error, &[a]), 0),
            }
        }
    }
    assert!(n_accepted > 90, "{n_accepted}");
}

#[test]
fn binary_operators_give_what_their_types_say() {
    let (mut model, operands) = operands();
    for op in BINARY {
        for &a in &operands {
            let mut partners = Vec::new();
            let mut errors = Vec::new();
            for &b in &operands {
                match check(&mut model, Expr::Binary(op, a, b)) {
                    Ok(()) => partners.push(b),
                    Err(TypeError::Width(width)) => {
                        assert!(op == BinaryOp::Concat && width > 64);
                        partners.push(b);
                    }
                    Err(error) => errors.push(blamed(&model, error, &[a, b])),
                }
            }
            // The left operand is to blame where no right one would do.
            let wrong = usize::from(!partners.is_empty());
            let left = model.exprs.ty(a);
            assert!(errors.iter().all(|&idx| idx == wrong), "{op:?} of {left}: {errors:?}");
        }
    }
}

#[test]
fn choices_give_what_their_types_say() {
    let (mut model, operands) = operands();
    for &c in &operands {
        let is_condition = model.exprs.ty(c) == Type::Bool;
        for &t in &operands {
            for &e in &operands {
                let [then, other] = [t, e].map(|id| model.exprs.ty(id));
                let is_formula = [then, other].contains(&Type::Temporal);
                let fits = is_condition && !is_formula && then.join(other).is_some();
                match check(&mut model, Expr::Ite(c, t, e)) {
                    Ok(()) => assert!(fits, "{then} and {other}"),
                    Err(error) => {
                        assert!(!fits, "{then} and {other}");
                        assert_eq!(blamed(&model, error, &[c, t, e]) == 0, !is_condition);
                    }
                }
            }
        }
    }
}

#[test]
fn bits_and_widths_are_those_that_exist() {
    let (mut model, operands) = operands();
    for &a in &operands {
        let word = match model.exprs.ty(a) {
            Type::Word { width, .. } => Some(width),
            _ => None,
        };
        for (high, low) in (0..4).flat_map(|high| (0..4).map(move |low| (high, low))) {
            let exists = word.is_some_and(|width| low <= high && high < width);
            let selected = check(&mut model, Expr::BitSelect(a, high, low));
            assert_eq!(selected.is_ok(), exists, "{selected:?}");
        }
        for width in [0, 1, 2, 3, 63, 64, 65, 255] {
            let exists = word.is_some() && (1..=64).contains(&width);
            let resized = check(&mut model, Expr::Resize(a, width));
            assert_eq!(resized.is_ok(), exists, "{resized:?}");
        }
    }
}

#[test]
fn lists_and_bounded_operators_take_booleans_and_formulas() {
    let (mut model, operands) = operands();
    let truths: Vec<ExprId> =
        operands.iter().copied().filter(|&id| model.exprs.ty(id) == Type::Bool).collect();
    for &a in &truths {
        for &b in &truths {
            let count = model.exprs.count(&[a, b, a]);
            assert_eq!(model.exprs.ty(count), Type::Int);
            assert!(matches!(evaluate(&model, count, &[], &[]), Cell::Value(Value::Int(0..=3))));
            let both = model.exprs.bounded_until(PathQuantifier::All, [a, b], (0, 3));
            let one = model.exprs.bounded(BoundedOp::Ebf, both, (1, 2));
            assert_eq!([both, one].map(|id| model.exprs.ty(id)), [Type::Temporal; 2]);
        }
    }
    // The same nodes over other operands.
    let Some(&first) = truths.first() else { panic!("there are Booleans") };
    let count = model.exprs.count(&[first, first]);
    let bounded = model.exprs.bounded(BoundedOp::G, first, (0, 1));
    for &a in &operands {
        let ty = model.exprs.ty(a);
        for (node, fits) in
            [(count, ty == Type::Bool), (bounded, matches!(ty, Type::Bool | Type::Temporal))]
        {
            let mapped = model.exprs.map_operands(model.exprs.get(node), |_| a);
            let made = model.exprs.try_add(mapped);
            assert_eq!(made.is_ok(), fits, "{mapped:?} of {ty}");
        }
    }
}
