//! Bits against the numbers that they stand for, in every state of small models.
//!
//! A bit is its truth table. The gates are as naive as the trait allows: they see no constant
//! that they were not told, and refuse what should have been folded.

use trapline_lang::smv::Smv;
use trapline_model::{Domain, Model, Role, SymbolId, Value, Var, VarId, VarKind};
use trapline_source::Span;

use super::*;
use crate::code::wrap;

const CALCS: [Calc; 19] = [
    Calc::And,
    Calc::Or,
    Calc::Xor,
    Calc::Eq,
    Calc::Lt,
    Calc::UnsignedLt,
    Calc::Add,
    Calc::Sub,
    Calc::Mul,
    Calc::Div,
    Calc::Rem,
    Calc::UnsignedDiv,
    Calc::UnsignedRem,
    Calc::Shl,
    Calc::Shr,
    Calc::UnsignedShr,
    Calc::AddOverflows,
    Calc::SubOverflows,
    Calc::MulOverflows,
];

/// A domain, and the values of it that a variable takes here.
type Values = (Domain, Vec<i64>);

fn range(lo: i64, hi: i64) -> Values {
    (Domain::Range(lo, hi), (lo..=hi).collect())
}

fn word(signed: bool, width: u8) -> Values {
    let values = (0..1 << width).map(|bits| wrap(bits, signed, width));
    (Domain::Word { signed, width }, values.collect())
}

/// Variables, with the values that they take here.
struct Vars {
    model: Model,
    values: Vec<Vec<i64>>,
}

impl Vars {
    fn new(all: &[Values]) -> Vars {
        let mut model = Model::new(&Smv);
        for (domain, _) in all {
            model.vars.push(Var {
                name: format!("v{}", model.vars.len()),
                kind: VarKind::State,
                domain: domain.clone(),
                role: Role::Internal,
                timing: None,
                span: Span::default(),
            });
        }
        Vars { model, values: all.iter().map(|(_, values)| values.clone()).collect() }
    }

    fn n_states(&self) -> usize {
        self.values.iter().map(Vec::len).product()
    }

    /// The value of each variable in a state.
    fn state(&self, mut state_idx: usize) -> Vec<i64> {
        let mut numbers = Vec::new();
        for values in &self.values {
            numbers.push(values[state_idx % values.len()]);
            state_idx /= values.len();
        }
        numbers
    }
}

fn slots(coder: &mut Coder) -> Vec<Reg> {
    let n_vars = coder.model.vars.len();
    (0..n_vars).map(|var| coder.slot(Slot::Current(VarId(var as u32)))).collect()
}

#[derive(Clone, Debug, PartialEq)]
struct Table {
    rows: Vec<u64>,
    known: Option<bool>,
}

impl Table {
    fn get(&self, state_idx: usize) -> bool {
        self.rows[state_idx / 64] >> (state_idx % 64) & 1 == 1
    }
}

struct Tables<'v> {
    vars: &'v Vars,
    states: Vec<Vec<i64>>,
    /// How many gates were made, but for negations, which are free in most algebras.
    n_gates: usize,
    /// No more gates can be made.
    max_gates: usize,
}

impl<'v> Tables<'v> {
    fn new(vars: &'v Vars) -> Tables<'v> {
        let states = (0..vars.n_states()).map(|state_idx| vars.state(state_idx)).collect();
        Tables { vars, states, n_gates: 0, max_gates: usize::MAX }
    }

    fn gate<const N: usize>(
        &mut self,
        bits: [&Table; N],
        rows: impl Fn([u64; N]) -> u64,
    ) -> Result<Table, Why> {
        assert!(bits.iter().all(|bit| bit.known.is_none()), "a constant should be folded");
        assert!(N < 2 || bits[0] != bits[N - 1], "equal operands should be folded");
        if self.n_gates == self.max_gates {
            return Err(Why::Work);
        }
        self.n_gates += 1;
        let n_rows = bits[0].rows.len();
        let rows = (0..n_rows).map(|idx| rows(bits.map(|bit| bit.rows[idx]))).collect();
        Ok(Table { rows, known: None })
    }

    fn column(&mut self, bit: impl Fn(&[i64]) -> bool) -> Table {
        let mut rows = vec![0; self.states.len().div_ceil(64)];
        for (state_idx, state) in self.states.iter().enumerate() {
            rows[state_idx / 64] |= u64::from(bit(state)) << (state_idx % 64);
        }
        Table { rows, known: None }
    }
}

impl Gates for Tables<'_> {
    type Bit = Table;

    fn constant(&mut self, value: bool) -> Table {
        let mut table = self.column(|_| value);
        table.known = Some(value);
        table
    }

    fn as_const(&self, bit: &Table) -> Option<bool> {
        bit.known
    }

    fn not(&mut self, a: &Table) -> Table {
        assert!(a.known.is_none(), "a constant should be folded");
        Table { rows: a.rows.iter().map(|row| !row).collect(), known: None }
    }

    fn and(&mut self, a: &Table, b: &Table) -> Result<Table, Why> {
        self.gate([a, b], |[a, b]| a & b)
    }

    fn xor(&mut self, a: &Table, b: &Table) -> Result<Table, Why> {
        self.gate([a, b], |[a, b]| a ^ b)
    }

    fn mux(&mut self, c: &Table, t: &Table, e: &Table) -> Result<Table, Why> {
        assert!(t != e, "equal operands should be folded");
        self.gate([c, t, e], |[c, t, e]| c & t | !c & e)
    }

    fn slot(&mut self, slot: Slot) -> Result<Number<Table>, Why> {
        let Slot::Current(VarId(var)) = slot else { unreachable!("only current ones are used") };
        let values = &self.vars.values[var as usize];
        let n_bits = values.iter().map(|&value| n_bits(value, value)).max().unwrap_or(1);
        let bits = (0..n_bits).map(|idx| {
            let is_set = |value: i64| value >> idx & 1 == 1;
            match values.iter().all(|&value| is_set(value) == is_set(values[0])) {
                true => self.constant(is_set(values[0])),
                false => self.column(|state| is_set(state[var as usize])),
            }
        });
        Ok(Number { bits: bits.collect() })
    }
}

/// How many bits do the numbers between bounds need?
fn n_bits(lo: i64, hi: i64) -> usize {
    let fits = |n_bits: &usize| {
        let half = 1i128 << (n_bits - 1);
        -half <= lo.into() && i128::from(hi) < half
    };
    (1..=64).find(fits).unwrap()
}

/// What every node is in a state.
fn evaluate(coder: &Coder, state: &[i64]) -> Vec<i64> {
    let mut numbers: Vec<i64> = Vec::new();
    for &op in coder.ops() {
        let get = |reg: Reg| numbers[reg as usize];
        numbers.push(match op {
            Op::Const(value) => value,
            Op::Slot(Slot::Current(VarId(var)) | Slot::Next(VarId(var))) => state[var as usize],
            Op::Binary(calc, a, b) => calc.apply(get(a), get(b)),
            Op::Select(c, t, e) => [get(e), get(t)][get(c) as usize],
            Op::Wrap(a, signed, width) => wrap(get(a), signed, width),
        });
    }
    numbers
}

fn read(number: &Number<Table>, state_idx: usize) -> i64 {
    (0..64).map(|idx| i64::from(number.bit(idx).get(state_idx)) << idx).sum()
}

/// The nodes are what the code says, with no more bits than they need. How many gates?
fn check(vars: &Vars, coder: &Coder, regs: &[Reg]) -> usize {
    let mut gates = Tables::new(vars);
    let mut blaster = Blaster::new();
    let numbers: Vec<_> =
        regs.iter().map(|&reg| blaster.number(&mut gates, coder, reg).unwrap().clone()).collect();
    for (number, &reg) in numbers.iter().zip(regs) {
        let (lo, hi) = coder.bounds(reg);
        assert!(number.bits.len() <= n_bits(lo, hi), "{:?} is too wide", coder.op(reg));
        assert!(lo < 0 || gates.as_const(number.sign()) == Some(false), "{:?}", coder.op(reg));
    }
    for (state_idx, state) in gates.states.iter().enumerate() {
        let expected = evaluate(coder, state);
        for (number, &reg) in numbers.iter().zip(regs) {
            let expected = expected[reg as usize];
            assert_eq!(read(number, state_idx), expected, "{:?} in {state:?}", coder.op(reg));
        }
    }
    gates.n_gates
}

/// Both orders of two nodes.
fn check_calcs(vars: &Vars, coder: &mut Coder, a: Reg, b: Reg) {
    for calc in CALCS {
        let regs = [coder.calc(calc, a, b), coder.calc(calc, b, a)];
        check(vars, coder, &regs);
    }
}

const RANGES: [(i64, i64); 9] =
    [(0, 1), (0, 10), (1, 5), (5, 5), (-8, 7), (-3, 0), (-9, -4), (-1, 0), (60, 66)];

const CONSTANTS: [i64; 19] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    -7,
    8,
    -16,
    63,
    64,
    65,
    -64,
    1 << 32,
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    1 << 62,
    0x5555_5555,
];

fn check_pairs(all: &[Values]) {
    for (idx, left) in all.iter().enumerate() {
        for right in &all[idx..] {
            let vars = Vars::new(&[left.clone(), right.clone()]);
            let mut coder = Coder::new(&vars.model);
            let slots = slots(&mut coder);
            check_calcs(&vars, &mut coder, slots[0], slots[1]);
            check_calcs(&vars, &mut coder, slots[0], slots[0]);
        }
    }
}

#[test]
fn calculations_of_ranges_are_exact() {
    check_pairs(&RANGES.map(|(lo, hi)| range(lo, hi)));
}

#[test]
fn calculations_of_words_are_exact() {
    let words = [(false, 1), (true, 1), (false, 2), (true, 3), (false, 4), (true, 5), (false, 5)];
    check_pairs(&words.map(|(signed, width)| word(signed, width)));
}

/// Numbers of 64 bits, most of which are the same in all of them.
fn sparse(base: i64, free: &[u32]) -> Vec<i64> {
    let number = |choice: usize| {
        let flips = free.iter().enumerate().filter(|(idx, _)| choice >> idx & 1 == 1);
        flips.fold(base, |number, (_, bit)| number ^ 1 << bit)
    };
    (0..1 << free.len()).map(number).collect()
}

#[test]
fn calculations_wrap_at_64_bits() {
    let word = |signed| Domain::Word { signed, width: 64 };
    check_pairs(&[
        (Domain::Integer, CONSTANTS.to_vec()),
        (word(true), sparse(i64::MAX, &[0, 1, 62, 63])),
        (word(false), sparse(0, &[0, 31, 32, 63])),
        range(-2, 2),
    ]);
}

#[test]
fn calculations_with_constants_are_exact() {
    let mut all = RANGES.map(|(lo, hi)| range(lo, hi)).to_vec();
    all.extend([word(true, 4), word(false, 5)]);
    all.push((Domain::Integer, sparse(i64::MIN, &[0, 1, 5, 63])));
    for values in all {
        let vars = Vars::new(&[values]);
        let mut coder = Coder::new(&vars.model);
        let slot = slots(&mut coder)[0];
        for constant in CONSTANTS {
            let constant = coder.constant(constant);
            check_calcs(&vars, &mut coder, slot, constant);
        }
    }
}

#[test]
fn words_of_all_widths_are_the_low_bits() {
    let vars = Vars::new(&[(Domain::Integer, CONSTANTS.to_vec()), range(-8, 7)]);
    let mut coder = Coder::new(&vars.model);
    let slots = slots(&mut coder);
    let mut regs = Vec::new();
    for width in 1..=64 {
        for signed in [false, true] {
            regs.extend(slots.iter().map(|&slot| coder.wrap(slot, signed, width)));
        }
    }
    check(&vars, &coder, &regs);
}

#[test]
fn nested_code_is_exact() {
    let boolean = (Domain::Bool, vec![0, 1]);
    let vars = Vars::new(&[range(-3, 4), range(0, 5), word(false, 3), boolean]);
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut coder = Coder::new(&vars.model);
        let mut regs = slots(&mut coder);
        for _ in 0..30 {
            let reg = random_node(&mut rng, &mut coder, &regs);
            regs.push(reg);
        }
        // The last ones first, so that the others are operands before anybody asks for them.
        regs.reverse();
        check(&vars, &coder, &regs);
    }
}

fn random_node(rng: &mut fastrand::Rng, coder: &mut Coder, regs: &[Reg]) -> Reg {
    let mut pick = || regs[rng.usize(..regs.len())];
    let (a, b, c) = (pick(), pick(), pick());
    match rng.u8(..10) {
        0 => coder.constant(CONSTANTS[rng.usize(..CONSTANTS.len())]),
        1 | 2 => {
            let cond = coder.calc(Calc::Lt, c, a);
            coder.select(cond, a, b)
        }
        3 | 4 => coder.wrap(a, rng.bool(), rng.u8(1..=9)),
        5 | 6 => {
            let calc = CALCS[rng.usize(..CALCS.len())];
            let result = coder.calc(calc, a, b);
            coder.wrap(result, rng.bool(), rng.u8(1..=9))
        }
        _ => coder.calc(CALCS[rng.usize(..CALCS.len())], a, b),
    }
}

#[test]
fn symbols_cost_as_much_as_the_bits_that_tell_them_apart() {
    let symbols = 0..6;
    let values: Vec<Value> = symbols.map(|symbol| Value::Symbol(SymbolId(symbol))).collect();
    let numbers = values.iter().map(|&value| crate::code::encode(value).unwrap());
    let numbers: Vec<i64> = numbers.collect();
    let symbol = (Domain::Enum(values.into()), numbers.clone());
    let vars = Vars::new(&[symbol.clone(), symbol]);
    let mut coder = Coder::new(&vars.model);
    let slots = slots(&mut coder);
    let (a, b) = (slots[0], slots[1]);
    let five = coder.constant(numbers[5]);
    let is_five = coder.calc(Calc::Eq, a, five);
    assert_eq!(check(&vars, &coder, &[is_five]), 2);
    let is_same = coder.calc(Calc::Eq, a, b);
    assert_eq!(check(&vars, &coder, &[is_same]), 3 + 2);
    let chosen = coder.select(is_five, b, a);
    assert_eq!(check(&vars, &coder, &[chosen]), 2 + 3);
    let seven = coder.constant(7);
    let is_seven = coder.calc(Calc::Eq, a, seven);
    assert_eq!(check(&vars, &coder, &[is_seven]), 0);
}

#[test]
fn constants_make_calculations_cheap() {
    let vars = Vars::new(&[word(false, 5)]);
    let mut coder = Coder::new(&vars.model);
    let word = slots(&mut coder)[0];
    let free = [
        (Calc::Mul, 8),
        (Calc::Div, 4),
        (Calc::Rem, 4),
        (Calc::UnsignedDiv, 2),
        (Calc::UnsignedRem, 16),
        (Calc::Shl, 3),
        (Calc::Shr, 2),
        (Calc::UnsignedShr, 1),
        (Calc::And, 6),
        (Calc::Xor, -1),
    ];
    for (calc, constant) in free {
        let constant = coder.constant(constant);
        let reg = coder.calc(calc, word, constant);
        assert_eq!(check(&vars, &coder, &[reg]), 0, "{calc:?}");
    }
    let [one, three] = [1, 3].map(|constant| coder.constant(constant));
    let twice = coder.calc(Calc::Shl, word, one);
    let sum = coder.calc(Calc::Add, word, twice);
    let product = coder.calc(Calc::Mul, word, three);
    assert_eq!(check(&vars, &coder, &[product]), check(&vars, &coder, &[sum]));
}

#[test]
fn high_bits_that_no_word_needs_are_not_made() {
    for signed in [false, true] {
        let vars = Vars::new(&[word(signed, 5)]);
        let mut coder = Coder::new(&vars.model);
        let slot = slots(&mut coder)[0];
        let product = coder.calc(Calc::Mul, slot, slot);
        let low = coder.wrap(product, signed, 5);
        let n_low = check(&vars, &coder, &[low]);
        assert!(2 * n_low < check(&vars, &coder, &[product]));
        // If somebody else needs them, the low ones are not made again.
        let sum = coder.calc(Calc::Add, product, slot);
        let n_gates = check(&vars, &coder, &[sum]);
        assert_eq!(check(&vars, &coder, &[low, sum]), n_gates);
    }
}

#[test]
fn a_divisor_is_asked_for_zero_only_if_it_can_be() {
    let vars = Vars::new(&[word(false, 5), range(1, 4), range(0, 4)]);
    let mut coder = Coder::new(&vars.model);
    let slots = slots(&mut coder);
    let [by_one, by_zero] = [1, 2].map(|idx| coder.calc(Calc::Div, slots[0], slots[idx]));
    assert!(check(&vars, &coder, &[by_one]) < check(&vars, &coder, &[by_zero]));
}

#[test]
fn nodes_are_made_once_until_they_are_forgotten() {
    let vars = Vars::new(&[range(-8, 7)]);
    let mut coder = Coder::new(&vars.model);
    let slot = slots(&mut coder)[0];
    let square = coder.calc(Calc::Mul, slot, slot);
    let mut gates = Tables::new(&vars);
    let mut blaster = Blaster::new();
    blaster.number(&mut gates, &coder, square).unwrap();
    let n_gates = gates.n_gates;
    let limit = coder.constant(9);
    let is_small = coder.calc(Calc::Lt, square, limit);
    let truth = blaster.truth(&mut gates, &coder, is_small).unwrap();
    for (state_idx, state) in gates.states.iter().enumerate() {
        assert_eq!(truth.get(state_idx), state[0] * state[0] < 9);
    }
    let n_more = gates.n_gates - n_gates;
    assert!(n_more <= 8, "the square was not made again");
    blaster.forget();
    blaster.truth(&mut gates, &coder, is_small).unwrap();
    assert_eq!(gates.n_gates, 2 * (n_gates + n_more));
}

#[test]
fn a_budget_that_ran_out_is_reported_and_work_can_go_on() {
    let vars = Vars::new(&[range(-8, 7), range(0, 10)]);
    let mut coder = Coder::new(&vars.model);
    let slots = slots(&mut coder);
    let quotient = coder.calc(Calc::Div, slots[0], slots[1]);
    let rest = coder.calc(Calc::Sub, slots[0], quotient);
    let mut gates = Tables::new(&vars);
    let mut blaster = Blaster::new();
    gates.max_gates = 20;
    assert_eq!(blaster.number(&mut gates, &coder, rest), Err(Why::Work));
    gates.max_gates = usize::MAX;
    let number = blaster.number(&mut gates, &coder, rest).unwrap();
    for (state_idx, state) in gates.states.iter().enumerate() {
        let expected = state[0] - Calc::Div.apply(state[0], state[1]);
        assert_eq!(read(number, state_idx), expected);
    }
}

#[test]
fn deep_code_takes_no_stack() {
    let vars = Vars::new(&[word(false, 3)]);
    let mut coder = Coder::new(&vars.model);
    let slot = slots(&mut coder)[0];
    let mut deep = slot;
    for _ in 0..50_000 {
        let sum = coder.calc(Calc::Add, deep, slot);
        deep = coder.wrap(sum, false, 3);
    }
    check(&vars, &coder, &[deep]);
}
