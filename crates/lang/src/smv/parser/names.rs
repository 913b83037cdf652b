//! Names become numbers when they are read, so that nothing later compares texts.

use std::hash::Hasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

use super::Parser;
use crate::smv::syntax::{Name, NameId};

/// Finds the number of a text; the texts themselves are in `Program::names`.
#[derive(Debug, Default)]
pub struct Interner {
    /// The hash is stored beside the number so that only matching texts are compared: in large
    /// models each access is a cache miss.
    ids: HashTable<(u64, NameId)>,
}

impl Interner {
    /// The number of a text, a new one if it was not seen before.
    pub fn intern(&mut self, names: &mut Vec<Box<str>>, text: &str) -> NameId {
        let hash = hash(text);
        let is_same =
            |&(other, id): &(u64, NameId)| other == hash && &*names[id.0 as usize] == text;
        match self.ids.entry(hash, is_same, |&(hash, _)| hash) {
            Entry::Occupied(entry) => entry.get().1,
            Entry::Vacant(entry) => {
                let id = NameId(names.len() as u32);
                entry.insert((hash, id));
                names.push(text.into());
                id
            }
        }
    }
}

impl Parser<'_, '_> {
    /// The number of the current token's text.
    pub fn intern_token(&mut self) -> NameId {
        self.interner.intern(&mut self.program.names, self.lexer.slice())
    }

    /// The current token as a name.
    pub fn name_here(&mut self) -> Name {
        Name { id: self.intern_token(), span: self.span }
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
