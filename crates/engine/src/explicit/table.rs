//! A hash table from packed keys to group numbers, designed for batch lookups.
//!
//! A slot holds a group number and half of its hash, eight bytes together. A batch of keys is
//! prefetched together, so that the cache misses overlap.

use crate::answer::Why;
use trapline_budget::Budget;

use super::graph::GroupId;

/// An empty slot.
const EMPTY: u64 = u64::MAX;
/// The smallest table.
const MIN_SLOTS: usize = 1 << 10;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The table. Its owner stores the keys.
pub struct Table {
    n_words: usize,
    /// The length is a power of two.
    slots: Vec<u64>,
    len: usize,
    hashes: Vec<u64>,
    fetched: Vec<u64>,
}

impl Table {
    /// A table for keys of this many words.
    pub fn new(n_words: usize) -> Table {
        let slots = vec![EMPTY; MIN_SLOTS];
        Table { n_words, slots, len: 0, hashes: Vec::new(), fetched: Vec::new() }
    }

    /// Makes room for some more keys.
    ///
    /// # Errors
    /// When the budget has no room for it.
    pub fn reserve(&mut self, n_more: usize, keys: &[u64], budget: &Budget) -> Result<(), Why> {
        // The load factor is at most three quarters, so that probes are short.
        let n_slots = ((self.len + n_more) * 4).div_ceil(3).next_power_of_two();
        if n_slots <= self.slots.len() {
            return Ok(());
        }
        budget.allows(n_slots as u64 * 8)?;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; n_slots]);
        for slot in old.into_iter().filter(|&slot| slot != EMPTY) {
            let group = slot as u32 as usize;
            let hash = hash(&keys[group * self.n_words..(group + 1) * self.n_words]);
            let place = self.free_place(hash);
            self.slots[place] = slot;
        }
        Ok(())
    }

    /// Prefetches the slots of the next lookups: one for each of these keys, in this order.
    pub fn fetch(&mut self, asked: &[u64], keys: &[u64]) {
        self.hashes.clear();
        self.hashes.extend(asked.chunks_exact(self.n_words).map(hash));
        self.fetched.clear();
        let mask = self.slots.len() - 1;
        self.fetched.extend(self.hashes.iter().map(|&hash| self.slots[hash as usize & mask]));
        // The keys of likely hits are needed next; the sum serves only to load them.
        let is_likely = |(slot, hash): &(&mut u64, &u64)| **slot >> 32 == **hash >> 32;
        for (slot, _) in self.fetched.iter_mut().zip(&self.hashes).filter(is_likely) {
            let group = *slot as u32 as usize;
            *slot = keys.get(group * self.n_words).copied().unwrap_or(0);
        }
    }

    /// The group of the key prefetched at this position. A new key gets the given number.
    pub fn insert(
        &mut self,
        position: usize,
        key: &[u64],
        keys: &[u64],
        new: GroupId,
    ) -> (GroupId, bool) {
        let hash = self.hashes[position];
        match self.find_hashed(hash, key, keys) {
            Ok(group) => (group, false),
            Err(place) => {
                self.slots[place] = hash >> 32 << 32 | u64::from(new);
                self.len += 1;
                (new, true)
            }
        }
    }

    /// The group of a key.
    pub fn find(&self, key: &[u64], keys: &[u64]) -> Option<GroupId> {
        self.find_hashed(hash(key), key, keys).ok()
    }

    /// The group of a key, or else the slot where it belongs.
    #[inline]
    fn find_hashed(&self, hash: u64, key: &[u64], keys: &[u64]) -> Result<GroupId, usize> {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots[place];
            if slot == EMPTY {
                return Err(place);
            }
            if slot >> 32 == hash >> 32 {
                let start = slot as u32 as usize * self.n_words;
                let is_this = match self.n_words {
                    1 => keys[start] == key[0],
                    n_words => keys[start..start + n_words] == *key,
                };
                if is_this {
                    return Ok(slot as u32);
                }
            }
            place = (place + 1) & mask;
        }
    }

    fn free_place(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place] != EMPTY {
            place = (place + 1) & mask;
        }
        place
    }
}

/// A hash that mixes packed states well.
#[inline]
fn hash(key: &[u64]) -> u64 {
    let mixed = key.iter().fold(0, |hash: u64, word| {
        let product = u128::from(hash.rotate_left(23) ^ word) * u128::from(FACTOR);
        (product as u64) ^ (product >> 64) as u64
    });
    // Both halves are used: the low bits for the slot, the high bits stored beside the group.
    (mixed ^ mixed >> 32).wrapping_mul(FACTOR)
}
