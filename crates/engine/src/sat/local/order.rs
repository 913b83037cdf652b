//! The decision heap: variables by their activity in recent conflicts (VSIDS).

/// Marks a variable that is not in the heap.
const ABSENT: u32 = u32::MAX;

/// Activity decays with age.
const DECAY: f64 = 1.0 / 0.95;

/// A heap of variables.
pub struct Order {
    heap: Vec<u32>,
    /// The heap position of each variable.
    places: Vec<u32>,
    activity: Vec<f64>,
    bump: f64,
}

impl Order {
    /// No variables.
    pub fn new() -> Order {
        Order { heap: Vec::new(), places: Vec::new(), activity: Vec::new(), bump: 1.0 }
    }

    /// One more variable, not in the heap.
    pub fn add_var(&mut self) {
        self.places.push(ABSENT);
        self.activity.push(0.0);
    }

    /// Replaces the contents of the heap.
    pub fn fill(&mut self, vars: impl Iterator<Item = u32>) {
        for &var in &self.heap {
            self.places[var as usize] = ABSENT;
        }
        self.heap.clear();
        self.heap.extend(vars);
        for (place, &var) in self.heap.iter().enumerate() {
            self.places[var as usize] = place as u32;
        }
        for place in (0..self.heap.len() / 2).rev() {
            self.sink(place);
        }
    }

    /// Puts a variable into the heap, if it is not there.
    pub fn insert(&mut self, var: u32) {
        if self.places[var as usize] == ABSENT {
            self.places[var as usize] = self.heap.len() as u32;
            self.heap.push(var);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Removes the most active variable.
    pub fn pop(&mut self) -> Option<u32> {
        let first = *self.heap.first()?;
        self.places[first as usize] = ABSENT;
        let last = self.heap.pop()?;
        if last != first {
            self.heap[0] = last;
            self.places[last as usize] = 0;
            self.sink(0);
        }
        Some(first)
    }

    /// Increases the activity of a variable.
    pub fn bump(&mut self, var: u32) {
        let activity = &mut self.activity[var as usize];
        *activity += self.bump;
        if *activity > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
        let place = self.places[var as usize];
        if place != ABSENT {
            self.rise(place as usize);
        }
    }

    /// Decays all activities.
    pub fn decay(&mut self) {
        self.bump *= DECAY;
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.activity[a as usize] > self.activity[b as usize]
    }

    fn rise(&mut self, mut place: usize) {
        let var = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !self.is_before(var, self.heap[parent]) {
                break;
            }
            self.set(place, self.heap[parent]);
            place = parent;
        }
        self.set(place, var);
    }

    fn sink(&mut self, mut place: usize) {
        let var = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            let other = child + 1;
            if other < self.heap.len() && self.is_before(self.heap[other], self.heap[child]) {
                child = other;
            }
            if !self.is_before(self.heap[child], var) {
                break;
            }
            self.set(place, self.heap[child]);
            place = child;
        }
        self.set(place, var);
    }

    fn set(&mut self, place: usize, var: u32) {
        self.heap[place] = var;
        self.places[var as usize] = place as u32;
    }
}
