//! States packed into bits.

use rustc_hash::FxHashMap;
use trapline_model::{Domain, Model, VarId};

use crate::answer::Why;

use crate::code::{encode, wrap};

/// Enumerations that span more numbers use a hash table.
const MAX_SPAN: i64 = 1 << 16;

/// Where each variable lies in a packed state.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The variables.
    pub fields: Vec<Field>,
    /// How many words of 64 bits a state takes.
    pub n_words: usize,
    /// How many bits are used.
    pub n_bits: u64,
}

/// A variable in a packed state.
#[derive(Clone, Debug)]
pub struct Field {
    /// The variable.
    pub var: VarId,
    word: usize,
    shift: u32,
    mask: u64,
    codec: Codec,
}

/// How a number becomes bits.
#[derive(Clone, Debug)]
enum Codec {
    /// The bits are the distance from this number.
    Offset(i64),
    /// The bits of a signed word.
    Signed(u8),
    /// The bits are an index into the values; the second list is the inverse, from the least value.
    Near(Vec<i64>, Vec<u32>, i64),
    /// The same for sparse values.
    Far(Vec<i64>, FxHashMap<i64, u32>),
}

impl Layout {
    /// Allocates the fields.
    ///
    /// # Errors
    /// When a variable has no end of values.
    pub fn new(model: &Model, vars: &[VarId]) -> Result<Layout, Why> {
        let mut layout = Layout { n_words: 1, ..Layout::default() };
        let mut used = 0;
        for &var in vars {
            let (codec, n_bits) = codec(&model.var(var).domain)?;
            // A field does not straddle words.
            if used + n_bits > 64 {
                layout.n_words += 1;
                used = 0;
            }
            let mask = if n_bits == 64 { u64::MAX } else { (1 << n_bits) - 1 };
            // A zero-bit field may lie at the very end.
            let shift = used.min(63);
            layout.fields.push(Field { var, word: layout.n_words - 1, shift, mask, codec });
            used += n_bits;
            layout.n_bits += u64::from(n_bits);
        }
        Ok(layout)
    }
}

impl Field {
    /// The number in a packed state.
    #[inline]
    pub fn get(&self, state: &[u64]) -> i64 {
        let bits = state[self.word] >> self.shift & self.mask;
        match &self.codec {
            Codec::Offset(least) => least.wrapping_add(bits as i64),
            Codec::Signed(width) => wrap(bits as i64, true, *width),
            Codec::Near(numbers, ..) | Codec::Far(numbers, _) => numbers[bits as usize],
        }
    }

    /// Puts a number into a packed state whose bits there are zero.
    #[inline]
    pub fn put(&self, number: i64, state: &mut [u64]) {
        state[self.word] |= self.bits(number) << self.shift;
    }

    /// Reads the numbers of many packed states, `stride` words from one to the next.
    pub fn get_all(&self, states: &[u64], stride: usize, column: &mut [i64]) {
        let words = states[self.word..].iter().step_by(stride).zip(column);
        let (shift, mask) = (self.shift, self.mask);
        match &self.codec {
            Codec::Offset(least) => {
                for (word, number) in words {
                    *number = least.wrapping_add((word >> shift & mask) as i64);
                }
            }
            Codec::Signed(width) => {
                for (word, number) in words {
                    *number = wrap((word >> shift & mask) as i64, true, *width);
                }
            }
            Codec::Near(numbers, ..) | Codec::Far(numbers, _) => {
                for (word, number) in words {
                    *number = numbers[(word >> shift & mask) as usize];
                }
            }
        }
    }

    /// Puts numbers into many packed states whose bits there are zero.
    pub fn put_all(&self, column: &[i64], states: &mut [u64], stride: usize) {
        let words = states[self.word..].iter_mut().step_by(stride).zip(column);
        match &self.codec {
            Codec::Offset(least) => {
                for (word, number) in words {
                    *word |= (number.wrapping_sub(*least) as u64 & self.mask) << self.shift;
                }
            }
            _ => {
                for (word, &number) in words {
                    *word |= self.bits(number) << self.shift;
                }
            }
        }
    }

    /// The mask of this field, with its word index.
    pub fn occupied(&self) -> (usize, u64) {
        (self.word, self.mask << self.shift)
    }

    fn bits(&self, number: i64) -> u64 {
        let bits = match &self.codec {
            Codec::Offset(least) => number.wrapping_sub(*least) as u64,
            Codec::Signed(_) => number as u64,
            Codec::Near(_, back, least) => {
                back.get(number.wrapping_sub(*least) as usize).copied().unwrap_or(0).into()
            }
            Codec::Far(_, back) => back.get(&number).copied().unwrap_or(0).into(),
        };
        bits & self.mask
    }
}

fn codec(domain: &Domain) -> Result<(Codec, u32), Why> {
    let n_bits = |size: u64| size.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1);
    Ok(match domain {
        Domain::Bool => (Codec::Offset(0), 1),
        Domain::Range(lo, _) => {
            let size = domain.size().unwrap_or(u64::MAX);
            (Codec::Offset(*lo), n_bits(size))
        }
        Domain::Word { signed: true, width } => (Codec::Signed(*width), u32::from(*width)),
        Domain::Word { width, .. } => (Codec::Offset(0), u32::from(*width)),
        Domain::Enum(values) => {
            let numbers = values.iter().map(|&v| encode(v)).collect::<Result<Vec<i64>, Why>>()?;
            let bits = n_bits(numbers.len() as u64);
            (enumeration(numbers), bits)
        }
        Domain::Integer | Domain::Real | Domain::Clock => {
            return Err(Why::Unsupported("variables without bounds".into()));
        }
    })
}

fn enumeration(numbers: Vec<i64>) -> Codec {
    let indices = || numbers.iter().copied().zip(0u32..);
    let least = numbers.iter().copied().min().unwrap_or(0);
    let greatest = numbers.iter().copied().max().unwrap_or(0);
    // Symbols that were declared together are encoded by a subtraction.
    if indices().all(|(number, idx)| number.wrapping_sub(least) == i64::from(idx)) {
        return Codec::Offset(least);
    }
    if greatest.wrapping_sub(least) as u64 >= MAX_SPAN as u64 {
        let back = indices().collect();
        return Codec::Far(numbers, back);
    }
    let mut back = vec![0; (greatest - least + 1) as usize];
    for (number, idx) in indices() {
        back[(number - least) as usize] = idx;
    }
    Codec::Near(numbers, back, least)
}
