//! What is done, written once for both kernels. Every workload returns functions, whose sizes must
//! be the same for both.

use std::time::Duration;

use crate::rivals::Rival;

/// A transition relation.
struct Model<F> {
    /// Bits of the state and inputs.
    n_bits: u32,
    initial: F,
    /// The relation is their conjunction. With each, the bits and inputs that it reads.
    parts: Vec<(F, Vec<u32>)>,
}

/// The reachable states.
fn reach<R: Rival>(rival: &mut R, model: &Model<R::F>) -> Vec<R::F> {
    // A bit is quantified with the last part that reads it.
    let mut cubes = vec![rival.truth(); model.parts.len()];
    for bit in (0..model.n_bits).rev() {
        let last = model.parts.iter().rposition(|(_, reads)| reads.contains(&bit)).unwrap_or(0);
        cubes[last] = rival.and(&rival.literal(2 * bit), &cubes[last]);
    }
    let mut reached = model.initial.clone();
    let mut frontier = reached.clone();
    let nothing = rival.not(&rival.truth());
    while frontier != nothing {
        for ((part, _), cube) in model.parts.iter().zip(&cubes) {
            frontier = rival.and_exists(&frontier, part, cube);
        }
        let image = rival.shift(&frontier);
        frontier = rival.and(&image, &rival.not(&reached));
        reached = rival.or(&reached, &image);
        let parts = model.parts.iter().map(|(part, _)| part);
        rival.tidy(&parts.chain(&cubes).chain([&reached, &frontier]).collect::<Vec<_>>());
    }
    vec![reached]
}

/// The part by which a bit becomes the value of a function.
fn becomes<R: Rival>(rival: &mut R, bit: u32, value: &R::F) -> R::F {
    let differs = rival.xor(&rival.literal(2 * bit + 1), value);
    rival.not(&differs)
}

/// None of these variables is true.
fn none<R: Rival>(rival: &mut R, vars: impl DoubleEndedIterator<Item = u32>) -> R::F {
    vars.rev().fold(rival.truth(), |none, var| {
        let free = rival.not(&rival.literal(var));
        rival.and(&free, &none)
    })
}

/// A counter: very many steps with small sets, so that the cost of a call shows.
pub fn counter<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let mut carry = rival.truth();
    let mut parts = Vec::new();
    for bit in 0..n {
        let literal = rival.literal(2 * bit);
        let value = rival.xor(&literal, &carry);
        parts.push((becomes(rival, bit, &value), (0..=bit).collect()));
        carry = rival.and(&carry, &literal);
    }
    let initial = none(rival, (0..n).map(|bit| 2 * bit));
    reach(rival, &Model { n_bits: n, initial, parts })
}

/// Philosophers at a table, one of whom moves at a time: takes the left fork, then the right one,
/// then puts both back. All left hands are above all right hands: a bad order, large sets.
pub fn philosophers<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let inputs: Vec<u32> = (2 * n..2 * n + n_inputs(n)).collect();
    let mut parts = Vec::new();
    for who in 0..n {
        let moves = is_number(rival, &inputs, who);
        // The forks beside a philosopher may be in the neighbours' other hands.
        let bits = [who, n + who, n + (who + n - 1) % n, (who + 1) % n];
        let [left, right, left_taken, right_taken] = bits.map(|bit| rival.literal(2 * bit));
        let takes_left = rival.and(&rival.not(&left), &rival.not(&left_taken));
        let is_free = rival.and(&rival.not(&right), &rival.not(&right_taken));
        let takes_right = rival.and(&left, &is_free);
        let ends = rival.and(&left, &right);
        for (bit, hand, takes) in [(who, left, takes_left), (n + who, right, takes_right)] {
            let changes = rival.or(&takes, &ends);
            let changes = rival.and(&moves, &changes);
            let value = rival.xor(&hand, &changes);
            let reads = bits.iter().chain(&inputs).copied().collect();
            parts.push((becomes(rival, bit, &value), reads));
        }
    }
    let initial = none(rival, (0..2 * n).map(|bit| 2 * bit));
    reach(rival, &Model { n_bits: 2 * n + inputs.len() as u32, initial, parts })
}

/// So many inputs choose one of `n`.
pub fn n_inputs(n: u32) -> u32 {
    n.next_power_of_two().ilog2()
}

/// Are these inputs the digits of a number?
fn is_number<R: Rival>(rival: &mut R, inputs: &[u32], number: u32) -> R::F {
    inputs.iter().enumerate().rev().fold(rival.truth(), |all, (place, &input)| {
        let literal = rival.literal(2 * input);
        let literal = if number >> place & 1 == 1 { literal } else { rival.not(&literal) };
        rival.and(&literal, &all)
    })
}

/// The queens on a board, by one conjunction for each square.
pub fn queens<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let mut all = rival.truth();
    for row in 0..n {
        let empty = none(rival, row * n..(row + 1) * n);
        all = rival.and(&all, &rival.not(&empty));
    }
    for square in 0..n * n {
        let is_attacked = |&other: &u32| {
            let rows = (other / n).abs_diff(square / n);
            let columns = (other % n).abs_diff(square % n);
            other != square && (rows == 0 || columns == 0 || rows == columns)
        };
        let alone = none(rival, (0..n * n).filter(is_attacked));
        let fails = rival.and(&rival.literal(square), &rival.not(&alone));
        all = rival.and(&all, &rival.not(&fails));
        rival.tidy(&[&all]);
    }
    vec![all]
}

/// All digits of a product, by adding up rows.
pub fn product<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let nothing = rival.not(&rival.truth());
    let mut sum = vec![nothing.clone(); 2 * n as usize];
    for row in 0..n {
        let mut carry = nothing.clone();
        for column in 0..n {
            let addend = rival.and(&rival.literal(row), &rival.literal(n + column));
            let digit = &mut sum[(row + column) as usize];
            let half = rival.xor(digit, &addend);
            let both = rival.and(digit, &addend);
            let through = rival.and(&half, &carry);
            *digit = rival.xor(&half, &carry);
            carry = rival.or(&both, &through);
            rival.tidy(&sum.iter().chain([&carry]).collect::<Vec<_>>());
        }
        sum[(row + n) as usize] = carry;
    }
    sum
}

/// The same, and then a search for a better order; none is much better.
pub fn sift_product<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let digits = product(rival, n);
    rival.sift(&digits);
    digits
}

/// Moves the variables of a sum of products from the worst order to the best.
pub fn sift<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let mut sum = rival.not(&rival.truth());
    for place in 0..n {
        let both = rival.and(&rival.literal(place), &rival.literal(n + place));
        sum = rival.or(&sum, &both);
    }
    let sum = vec![sum];
    rival.sift(&sum);
    sum
}

/// As many small operations.
pub fn start<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let odd = (0..n).fold(rival.truth(), |odd, var| rival.xor(&odd, &rival.literal(var)));
    vec![odd]
}

/// One conjunction with a large result: are two registers equal, at even and at odd places?
pub fn conjunction<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let [even, odd] = halves(rival, n);
    let all = rival.and(&even, &odd);
    vec![all]
}

/// The same, which is to stop after a tenth of a second.
pub fn stop<R: Rival>(rival: &mut R, n: u32) -> Vec<R::F> {
    let [even, odd] = halves(rival, n);
    rival.try_and(&even, &odd, Duration::from_millis(100));
    vec![]
}

fn halves<R: Rival>(rival: &mut R, n: u32) -> [R::F; 2] {
    [0, 1].map(|first| {
        (first..n).step_by(2).fold(rival.truth(), |all, place| {
            let differs = rival.xor(&rival.literal(place), &rival.literal(n + place));
            rival.and(&all, &rival.not(&differs))
        })
    })
}
