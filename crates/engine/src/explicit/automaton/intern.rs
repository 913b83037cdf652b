//! Interning of slices.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The slices so far.
#[derive(Clone, Debug, Default)]
pub struct Interner<T> {
    items: Vec<Box<[T]>>,
    table: HashTable<u32>,
}

impl<T: Copy + Eq + Hash> Interner<T> {
    /// The id of a slice.
    pub fn intern(&mut self, item: &[T]) -> u32 {
        let Interner { items, table } = self;
        let hash = FxBuildHasher.hash_one(item);
        if let Some(&idx) = table.find(hash, |&idx| *items[idx as usize] == *item) {
            return idx;
        }
        let idx = items.len() as u32;
        items.push(Box::from(item));
        table.insert_unique(hash, idx, |&idx| FxBuildHasher.hash_one(&*items[idx as usize]));
        idx
    }

    /// The slice with this id.
    pub fn get(&self, idx: u32) -> &[T] {
        &self.items[idx as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }
}
