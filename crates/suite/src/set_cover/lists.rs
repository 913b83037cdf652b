//! Many short lists in two vectors (compressed rows).

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    /// How many lists.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many numbers in all lists.
    pub fn n_items(&self) -> usize {
        self.items.len()
    }

    /// One of them.
    pub fn get(&self, idx: usize) -> &[u32] {
        let start = if idx == 0 { 0 } else { self.ends[idx - 1] };
        &self.items[start..self.ends[idx]]
    }

    /// Adds a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    /// All lists.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|idx| self.get(idx))
    }

    /// The transpose: for each number below `n` the lists that contain it, ascending.
    pub fn turned(&self, n: usize) -> Lists {
        let mut ends = vec![0; n];
        for &item in &self.items {
            ends[item as usize] += 1;
        }
        let mut sum = 0;
        let mut next = Vec::with_capacity(n);
        for end in &mut ends {
            next.push(sum);
            sum += *end;
            *end = sum;
        }
        let mut items = vec![0; sum];
        for (idx, list) in self.iter().enumerate() {
            for &item in list {
                let place = &mut next[item as usize];
                items[*place] = idx as u32;
                *place += 1;
            }
        }
        Lists { ends, items }
    }
}

/// Subset test on sorted slices.
pub fn is_subset(inner: &[u32], outer: &[u32]) -> bool {
    if inner.len() > outer.len() {
        return false;
    }
    let mut rest = outer.iter();
    inner.iter().all(|item| rest.by_ref().find(|&other| other >= item) == Some(item))
}
