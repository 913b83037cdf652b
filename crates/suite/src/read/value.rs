//! Values as text.
//!
//! Read against what the variable can be, so that `1` is a number, a truth value or a word, as
//! it fits. Reals are `1/3`, `f'1/3` or `0.25`; words are in SMV notation or plain numbers.

use trapline_model::{Domain, Model, Ratio, Type, Value, Word, notation};

/// What a value can be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'m> {
    /// A value of a variable.
    Of(&'m Domain),
    /// A value of an expression.
    Typed(Type),
}

/// The value that a text denotes, if it is of this kind.
pub(super) fn parse(model: &Model, kind: Kind<'_>, text: &str) -> Option<Value> {
    // Blanks around a value are those of the file, unless there is a symbol that has them.
    let (whole, text) = (text, text.trim());
    let find = |name: &str| model.symbols.find(name).map(Value::Symbol);
    let symbol = || find(whole).or_else(|| find(text));
    let value = match kind {
        Kind::Of(Domain::Bool) | Kind::Typed(Type::Bool) => truth(text).map(Value::Bool),
        Kind::Of(Domain::Range(..) | Domain::Integer) | Kind::Typed(Type::Int) => int(text),
        Kind::Of(Domain::Real | Domain::Clock) | Kind::Typed(Type::Real) => {
            ratio(text).map(Value::Real)
        }
        Kind::Of(&Domain::Word { signed, width }) | Kind::Typed(Type::Word { signed, width }) => {
            word(text, Word::new(signed, width, 0)).map(Value::Word)
        }
        Kind::Of(Domain::Enum(members)) => {
            let is_member = |value: &Value| members.contains(value);
            let is_shown = |member: &&Value| {
                model.show(**member) == text || notation::value(model, **member) == text
            };
            symbol()
                .filter(is_member)
                .or_else(|| int(text).filter(is_member))
                .or_else(|| members.iter().find(is_shown).copied())
        }
        Kind::Typed(Type::Symbol | Type::Mixed) => symbol().or_else(|| int(text)),
        Kind::Typed(Type::Set(_) | Type::Temporal | Type::Never) => None,
    };
    value.filter(|&value| match kind {
        Kind::Of(domain) => domain.contains(value),
        Kind::Typed(_) => true,
    })
}

/// What a value can be, for messages.
pub(super) fn describe(model: &Model, kind: Kind<'_>) -> String {
    match kind {
        Kind::Of(domain) => model.show_type(domain),
        Kind::Typed(Type::Set(_)) => "a choice and has no value of its own".into(),
        Kind::Typed(ty) => ty.to_string(),
    }
}

fn truth(text: &str) -> Option<bool> {
    let is_any = |words: [&str; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (is_any(["true", "1"]), is_any(["false", "0"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

fn int(text: &str) -> Option<Value> {
    match text.parse() {
        Ok(int) => Some(Value::Int(int)),
        // Other tools write whole numbers as `3.0`.
        Err(_) => ratio(text).filter(|ratio| ratio.den() == 1).map(|r| Value::Int(r.num())),
    }
}

fn ratio(text: &str) -> Option<Ratio> {
    // We write `f'-1/3`, SMV reads `-f'1/3`.
    let (is_outer_negative, text) = sign(text);
    let text = text.strip_prefix("f'").or_else(|| text.strip_prefix("F'")).unwrap_or(text);
    let (is_inner_negative, text) = sign(text);
    let is_negative = is_outer_negative != is_inner_negative;
    if let Some((num, den)) = text.split_once('/') {
        return Ratio::new(signed(is_negative, digits(num.trim())?), digits(den.trim())?);
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = part.trim_end_matches('0');
    // More digits than that fit no ratio.
    let scale = 10i128.checked_pow(u32::try_from(part.len()).ok().filter(|&len| len <= 18)?)?;
    let fraction = if part.is_empty() { 0 } else { digits(part)? };
    let num = digits(whole)?.checked_mul(scale)?.checked_add(fraction)?;
    Ratio::new(signed(is_negative, num), scale)
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

fn signed(is_negative: bool, number: i128) -> i128 {
    if is_negative { -number } else { number }
}

fn digits(text: &str) -> Option<i128> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    // Far from the bounds, so that sums, products and signs never overflow.
    text.parse().ok().filter(|&number: &i128| is_number && number < 1 << 64)
}

/// The signedness and width of a word, if the text determines both.
pub(crate) fn word_kind(text: &str) -> Option<(bool, u8)> {
    let (head, _) = text.strip_prefix('-').unwrap_or(text).split_once('_')?;
    let head = head.strip_prefix('0')?;
    let signed = head.starts_with('s');
    let head = head.strip_prefix(['u', 's'])?;
    let width = head.strip_prefix(['b', 'o', 'd', 'h'])?.parse().ok()?;
    let is_word = (1..=Word::MAX_WIDTH).contains(&width)
        && word(text, Word { signed, width, bits: 0 }).is_some();
    is_word.then_some((signed, width))
}

/// A word like `model`: `0ud8_12`, `-0sd8_1`, `0b8_101`, `0h_ff`, or a plain number.
fn word(text: &str, model: Word) -> Option<Word> {
    let (is_negative, rest) = sign(text);
    let Some((head, digits)) = rest.split_once('_') else {
        let number: i128 = text.parse().ok()?;
        return Some(model.wrap(number)).filter(|word| word.to_i128() == number);
    };
    let head = head.strip_prefix('0')?.to_ascii_lowercase();
    let head = match head.strip_prefix(['u', 's']) {
        Some(_) if head.starts_with('s') != model.signed => return None,
        Some(rest) => rest,
        None => &head,
    };
    let (radix, bits_per_digit) = match head.chars().next()? {
        'b' => (2, 1),
        'o' => (8, 3),
        'd' => (10, 0),
        'h' => (16, 4),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    let width = match &head[1..] {
        "" => digits.len() * bits_per_digit,
        width => width.parse().ok()?,
    };
    if width != usize::from(model.width) || digits.starts_with(['+', '-']) {
        return None;
    }
    let number = u64::from_str_radix(&digits, radix).ok()?;
    word_of(is_negative, number, radix, model)
}

fn word_of(is_negative: bool, number: u64, radix: u32, model: Word) -> Option<Word> {
    // SMV reads `0sd4_8` as the least word of four bits, and prints that as `-0sd4_8`.
    let most = match model.signed && radix == 10 {
        true => 1 << (model.width - 1),
        false => Word::mask(model.width),
    };
    let number = i128::from(number);
    let is_inside = number <= i128::from(most);
    is_inside.then(|| model.wrap(signed(is_negative, number)))
}
