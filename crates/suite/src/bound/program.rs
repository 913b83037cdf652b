//! A linear program with incremental constraints.
//!
//! Maximises the sum of bounded nonnegative variables. The dual simplex method (Lemke, 1954) on a
//! dictionary (Chvátal, *Linear Programming*, 1983): a new constraint leaves the basis dual
//! feasible, and a few pivots restore optimality.
//!
//! Arithmetic is floating point; the caller checks results exactly.

/// Numerical tolerance.
const TINY: f64 = 1e-9;

/// A variable: structural, or the slack of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Var {
    Number(usize),
    Slack,
}

/// The dictionary: each basic variable is `value - row * nonbasic`, where nonbasic ones are 0.
pub struct Program {
    n_numbers: usize,
    basic: Vec<Var>,
    values: Vec<f64>,
    rows: Vec<Vec<f64>>,
    others: Vec<Var>,
    /// The reduced costs of the nonbasic variables.
    losses: Vec<f64>,
}

impl Program {
    /// A program with these upper bounds.
    pub fn new(most: &[f64]) -> Program {
        let n_numbers = most.len();
        let unit = |idx: usize| (0..n_numbers).map(|at| f64::from(u8::from(at == idx))).collect();
        Program {
            n_numbers,
            basic: (0..n_numbers).map(Var::Number).collect(),
            values: most.to_vec(),
            rows: (0..n_numbers).map(unit).collect(),
            others: vec![Var::Slack; n_numbers],
            losses: vec![1.0; n_numbers],
        }
    }

    /// The primal solution.
    pub fn numbers(&self) -> Vec<f64> {
        let mut numbers = vec![0.0; self.n_numbers];
        for (var, value) in self.basic.iter().zip(&self.values) {
            if let Var::Number(idx) = var {
                numbers[*idx] = value.max(0.0);
            }
        }
        numbers
    }

    /// Number of entries that a pivot changes.
    pub fn size(&self) -> usize {
        self.rows.len() * self.n_numbers
    }

    /// Adds a constraint: the weighted sum of these variables is at most `most`.
    pub fn add(&mut self, times: &[(usize, f64)], most: f64) {
        let mut row = vec![0.0; self.n_numbers];
        let mut value = most;
        for (at, var) in self.others.iter().enumerate() {
            if let Var::Number(idx) = var {
                row[at] += times.iter().find(|(number, _)| number == idx).map_or(0.0, |one| one.1);
            }
        }
        for (at, var) in self.basic.iter().enumerate() {
            let Var::Number(idx) = var else { continue };
            let Some((_, times)) = times.iter().find(|(number, _)| number == idx) else { continue };
            value -= times * self.values[at];
            row.iter_mut().zip(&self.rows[at]).for_each(|(to, from)| *to -= times * from);
        }
        self.basic.push(Var::Slack);
        self.values.push(value);
        self.rows.push(row);
    }

    /// Removes slack constraints.
    pub fn prune(&mut self) {
        let is_kept: Vec<bool> = (0..self.basic.len())
            .map(|at| self.basic[at] != Var::Slack || self.values[at] < 0.1)
            .collect();
        let mut kept = is_kept.iter();
        self.rows.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.values.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.basic.retain(|_| kept.next() == Some(&true));
    }

    /// Restores feasibility with at most this many pivots. Returns the number of pivots, or `None`
    /// on failure.
    pub fn solve(&mut self, most: usize) -> Option<usize> {
        for n_pivots in 0..most {
            let worst = (0..self.values.len())
                .min_by(|&a, &b| self.values[a].total_cmp(&self.values[b]))?;
            if self.values[worst] > -TINY {
                return Some(n_pivots);
            }
            let entering = (0..self.n_numbers).filter(|&at| self.rows[worst][at] < -TINY).min_by(
                |&a, &b| {
                    let ratio = |at: usize| self.losses[at] / -self.rows[worst][at];
                    ratio(a).total_cmp(&ratio(b))
                },
            )?;
            self.pivot(worst, entering);
        }
        None
    }

    /// Exchanges a basic and a nonbasic variable.
    fn pivot(&mut self, at: usize, entering: usize) {
        let by = self.rows[at][entering];
        let mut row = std::mem::take(&mut self.rows[at]);
        row.iter_mut().for_each(|entry| *entry /= by);
        row[entering] = 1.0 / by;
        let value = self.values[at] / by;
        for (other, (old, old_value)) in self.rows.iter_mut().zip(&mut self.values).enumerate() {
            if other != at && old[entering].abs() > TINY {
                let times = std::mem::replace(&mut old[entering], 0.0);
                old.iter_mut().zip(&row).for_each(|(to, from)| *to -= times * from);
                *old_value -= times * value;
            }
        }
        let times = std::mem::replace(&mut self.losses[entering], 0.0);
        self.losses.iter_mut().zip(&row).for_each(|(to, from)| *to -= times * from);
        self.rows[at] = row;
        self.values[at] = value;
        std::mem::swap(&mut self.basic[at], &mut self.others[entering]);
    }
}
