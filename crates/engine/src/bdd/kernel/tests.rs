//! Random functions of a few variables, compared with their truth tables while nodes are freed,
//! variables reordered and indices reused.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use fastrand::Rng;

use super::*;
use trapline_budget::Budget;

const N_VARS: u32 = 8;

/// The truth table over the 256 assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Table([u64; 4]);

impl Table {
    fn new(holds: impl Fn(usize) -> bool) -> Table {
        let mut words = [0; 4];
        for row in (0..256).filter(|&row| holds(row)) {
            words[row / 64] |= 1 << (row % 64);
        }
        Table(words)
    }

    fn of(kernel: &Kernel, edge: Edge) -> Table {
        Table::new(|row| {
            let mut edge = edge;
            while edge > FALSE {
                let (hi, lo) = kernel.children(edge);
                edge = if is_set(row, kernel.var(edge)) { hi } else { lo };
            }
            edge == TRUE
        })
    }

    fn get(self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }

    fn not(self) -> Table {
        Table::new(|row| !self.get(row))
    }

    fn and(self, other: Table) -> Table {
        Table::new(|row| self.get(row) && other.get(row))
    }

    fn or(self, other: Table) -> Table {
        Table::new(|row| self.get(row) || other.get(row))
    }

    fn xor(self, other: Table) -> Table {
        Table::new(|row| self.get(row) != other.get(row))
    }

    /// The cofactor.
    fn cofactor(self, var: Var, value: bool) -> Table {
        Table::new(|row| self.get(row & !(1 << var) | usize::from(value) << var))
    }

    fn exists(self, vars: &[Var]) -> Table {
        vars.iter().fold(self, |f, &var| f.cofactor(var, true).or(f.cofactor(var, false)))
    }

    fn n_true(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

fn is_set(row: usize, var: Var) -> bool {
    row >> var & 1 == 1
}

/// Live functions with their expected truth tables.
struct Bench<'b> {
    kernel: Kernel<'b>,
    groups: Vec<Vec<Var>>,
    kept: Vec<(Edge, Table)>,
    rng: Rng,
}

impl<'b> Bench<'b> {
    /// Variables, some in pairs of partners.
    fn new(budget: &'b Budget<'b>, seed: u64) -> Bench<'b> {
        let mut rng = Rng::with_seed(seed);
        let mut kernel = Kernel::new(Meter::new(budget), usize::MAX);
        let mut groups = Vec::new();
        while kernel.n_vars() < N_VARS as usize {
            let var = kernel.add_var();
            if rng.bool() && kernel.n_vars() < N_VARS as usize {
                let other = kernel.add_var();
                kernel.partner[var as usize] = other;
                kernel.partner[other as usize] = var;
                groups.push(vec![var, other]);
            } else {
                groups.push(vec![var]);
            }
        }
        let mut bench = Bench { kernel, groups, kept: Vec::new(), rng };
        for var in 0..N_VARS {
            let edge = bench.kernel.literal(var).expect("no limits");
            bench.keep(edge, Table::new(|row| is_set(row, var)));
        }
        bench.keep(TRUE, Table::new(|_| true));
        bench
    }

    fn keep(&mut self, edge: Edge, table: Table) {
        assert_eq!(Table::of(&self.kernel, edge), table, "the function");
        self.kept.push((edge, table));
    }

    fn any(&mut self) -> (Edge, Table) {
        let (edge, table) = self.kept[self.rng.usize(..self.kept.len())];
        if self.rng.bool() { (edge, table) } else { (edge ^ 1, table.not()) }
    }

    fn any_vars(&mut self) -> Vec<Var> {
        (0..N_VARS).filter(|_| self.rng.u8(..3) == 0).collect()
    }

    /// A cube, built bottom-up or by an operation.
    fn cube(&mut self, literals: &[(Var, bool)]) -> Edge {
        let mut cube = TRUE;
        for &(var, value) in literals {
            let literal = self.kernel.literal(var).expect("no limits") ^ u32::from(!value);
            cube = self.kernel.and(cube, literal).expect("no limits");
        }
        cube
    }

    fn cube_of(&mut self, vars: &[Var]) -> Edge {
        self.cube(&vars.iter().map(|&var| (var, true)).collect::<Vec<_>>())
    }

    /// A random operation on live functions.
    fn operate(&mut self) -> Result<(), Stop> {
        let ((f, of_f), (g, of_g)) = (self.any(), self.any());
        match self.rng.u8(..9) {
            0 => {
                let edge = self.kernel.and(f, g)?;
                self.keep(edge, of_f.and(of_g));
            }
            1 => {
                let edge = self.kernel.or(f, g)?;
                self.keep(edge, of_f.or(of_g));
            }
            2 | 3 => {
                let edge = self.kernel.xor(f, g)?;
                self.keep(edge, of_f.xor(of_g));
            }
            4 => {
                let vars = self.any_vars();
                let cube = self.cube_of(&vars);
                let edge = self.kernel.exists(f, cube)?;
                self.keep(edge, of_f.exists(&vars));
            }
            5 => {
                let vars = self.any_vars();
                let cube = self.cube_of(&vars);
                let edge = self.kernel.and_exists(f, g, cube)?;
                self.keep(edge, of_f.and(of_g).exists(&vars));
            }
            6 => self.shift(f, of_f)?,
            7 => {
                let edge = self.kernel.restrict(f, g)?;
                let table = Table::of(&self.kernel, edge);
                assert_eq!(table.and(of_g), of_f.and(of_g), "the same where it matters");
                self.keep(edge, table);
            }
            _ => {
                let vars = self.any_vars();
                let literals: Vec<(Var, bool)> =
                    vars.into_iter().map(|var| (var, self.rng.bool())).collect();
                let cube = self.cube(&literals);
                let edge = self.kernel.cofactor(f, cube)?;
                self.keep(edge, literals.iter().fold(of_f, |f, &(var, to)| f.cofactor(var, to)));
            }
        }
        Ok(())
    }

    /// Of each pair of partners only one may occur in the operand.
    fn shift(&mut self, f: Edge, of_f: Table) -> Result<(), Stop> {
        let pairs = self.groups.iter().filter(|group| group.len() == 2);
        let out: Vec<Var> = pairs.map(|pair| pair[self.rng.usize(..2)]).collect();
        let cube = self.cube_of(&out);
        let (f, of_f) = (self.kernel.exists(f, cube)?, of_f.exists(&out));
        let edge = self.kernel.shift(f)?;
        let partner = self.kernel.partner.clone();
        let moved = |row: usize| {
            let bits = (0..N_VARS).filter(|&var| is_set(row, partner[var as usize]));
            bits.map(|var| 1 << var).sum()
        };
        self.keep(edge, Table::new(|row| of_f.get(moved(row))));
        let back = self.kernel.shift(edge)?;
        assert_eq!(back, f, "shifted back");
        Ok(())
    }

    /// Traversals agree with the truth table.
    fn check_walks(&mut self) {
        let (f, of_f) = self.any();
        let matters = |var: &Var| of_f.cofactor(*var, true) != of_f.cofactor(*var, false);
        let support = self.kernel.support(&[f]);
        assert!(support.is_sorted_by_key(|&var| self.kernel.level(var)));
        let mut vars = support.clone();
        vars.sort_unstable();
        assert_eq!(vars, (0..N_VARS).filter(matters).collect::<Vec<_>>(), "the support");
        let size = self.kernel.size(&[f]);
        assert!(self.kernel.is_small(f, size) && (size == 0 || !self.kernel.is_small(f, size - 1)));
        let others = self.any_vars();
        let vars: Vec<Var> =
            (0..N_VARS).filter(|var| support.contains(var) || others.contains(var)).collect();
        let n_true = u128::from(of_f.n_true()) >> (N_VARS as usize - vars.len());
        assert_eq!(self.kernel.count(f, &vars), n_true, "the count");
        if f != FALSE {
            let picked = self.kernel.pick(f);
            let agrees = |row: usize| picked.iter().all(|&(var, to)| is_set(row, var) == to);
            assert!((0..256).all(|row| !agrees(row) || of_f.get(row)), "{picked:?}");
            assert!((0..256).any(agrees), "{picked:?}");
        }
    }

    /// Drops some functions and collects garbage.
    fn collect(&mut self) {
        let keeps: u8 = self.rng.u8(..4);
        let mut idx = 0;
        let rng = &mut self.rng;
        self.kept.retain(|_| {
            idx += 1;
            idx <= N_VARS as usize || rng.u8(..4) <= keeps
        });
        let roots: Vec<Edge> = self.kept.iter().map(|kept| kept.0).collect();
        self.kernel.collect(roots.iter().copied());
        assert_eq!(self.kernel.n_nodes(), self.kernel.size(&roots), "only what is kept is left");
        self.check();
    }

    fn sift(&mut self) -> Result<(), Stop> {
        let roots: Vec<Edge> = self.kept.iter().map(|kept| kept.0).collect();
        self.kernel.collect(roots.iter().copied());
        let before = self.kernel.n_nodes();
        let result = self.kernel.sift(&mut self.groups, roots.iter().copied());
        assert_eq!(self.kernel.n_nodes(), self.kernel.size(&roots), "only what is kept is left");
        if result.is_ok() {
            assert!(self.kernel.n_nodes() <= before, "the best place is no worse");
        }
        self.check();
        result
    }

    /// All live functions match their tables, and the diagram is reduced and ordered.
    fn check(&self) {
        let mut edges = HashMap::new();
        for &(edge, table) in &self.kept {
            assert_eq!(Table::of(&self.kernel, edge), table, "what is kept has changed");
            assert_eq!(*edges.entry(table).or_insert(edge), edge, "equal functions, equal edges");
            assert!(edges.get(&table.not()).is_none_or(|&other| other == edge ^ 1));
        }
        check_order(&self.kernel, &self.groups);
        check_nodes(&self.kernel);
    }
}

/// Variables and levels are inverse to each other, and groups are adjacent.
fn check_order(kernel: &Kernel, groups: &[Vec<Var>]) {
    let levels: Vec<Var> = (0..kernel.n_vars() as u32).collect();
    let there: Vec<Var> =
        levels.iter().map(|&level| kernel.level(kernel.var_at[level as usize])).collect();
    assert_eq!(there, levels);
    let mut seen = HashSet::new();
    for group in groups {
        assert!(group.iter().all(|&var| seen.insert(var)), "{groups:?}");
        let first = kernel.level(group[0]);
        for (place, &var) in group.iter().enumerate() {
            assert_eq!(kernel.level(var), first + place as u32, "{group:?} is not together");
        }
    }
    assert_eq!(seen.len(), kernel.n_vars());
}

/// Every node is in the unique table once, and is reduced.
fn check_nodes(kernel: &Kernel) {
    let mut seen = HashSet::new();
    let mut n_free = 0;
    for (idx, node) in kernel.nodes.iter().enumerate().skip(FIRST_NODE as usize) {
        if node.var == FREE {
            n_free += 1;
            continue;
        }
        let Node { hi, lo, var, .. } = *node;
        assert!(hi != lo && hi & 1 == 0, "{node:?}");
        assert!(seen.insert((var, hi, lo)), "{node:?} is there twice");
        for child in [hi, lo] {
            assert!(child <= FALSE || child >> 1 >= FIRST_NODE, "{node:?}");
            let below = kernel.nodes[(child >> 1) as usize];
            assert_ne!(below.var, FREE, "{node:?} has a child that is gone");
            assert!(kernel.top(child) > kernel.level(var), "{node:?} above {below:?}");
        }
        let mut at = kernel.buckets[kernel.bucket(var, hi, lo)];
        while at != NONE && at != idx as u32 {
            at = kernel.nodes[at as usize].next;
        }
        assert_eq!(at, idx as u32, "{node:?} is not in its bucket");
    }
    let chain = |first: u32| {
        let next = |&idx: &u32| (idx != NONE).then(|| kernel.nodes[idx as usize].next);
        std::iter::successors(Some(first), next).take_while(|&idx| idx != NONE)
    };
    let n_linked: usize = kernel.buckets.iter().map(|&first| chain(first).count()).sum();
    assert_eq!(n_linked, kernel.n_nodes(), "the buckets have more");
    assert_eq!(seen.len(), kernel.n_nodes());
    assert!(chain(kernel.free).all(|idx| kernel.nodes[idx as usize].var == FREE));
    assert_eq!((chain(kernel.free).count(), n_free), (kernel.n_free, kernel.n_free));
    for entry in kernel.cache.iter().filter(|entry| entry.a != NONE) {
        for edge in [entry.a, entry.b, entry.c, entry.result] {
            let node = kernel.nodes.get((edge >> 1) as usize);
            assert!(node.is_some_and(|node| node.var != FREE), "{entry:?} is about what is gone");
        }
    }
}

#[test]
fn operations_do_what_their_tables_do() {
    let budget = Budget::unlimited();
    for seed in 0..30 {
        let mut bench = Bench::new(&budget, seed);
        for _ in 0..200 {
            bench.operate().expect("no limits");
            bench.check_walks();
        }
        bench.check();
    }
}

#[test]
fn functions_stay_the_same_when_nodes_go_and_variables_move() {
    let budget = Budget::unlimited();
    let (mut n_reused, mut n_moved) = (0, 0);
    for seed in 100..160 {
        let mut bench = Bench::new(&budget, seed);
        for _ in 0..25 {
            let n_free = bench.kernel.n_free;
            for _ in 0..bench.rng.usize(5..25) {
                bench.operate().expect("no limits");
            }
            bench.check_walks();
            n_reused += n_free - bench.kernel.n_free.min(n_free);
            match bench.rng.u8(..3) {
                0 => bench.collect(),
                1 => {
                    let before = bench.kernel.order().to_vec();
                    bench.sift().expect("no limits");
                    n_moved += usize::from(before != bench.kernel.order());
                }
                _ => bench.check(),
            }
        }
    }
    assert!(n_reused > 1000, "only {n_reused} places were used again");
    assert!(n_moved > 200, "only {n_moved} orders were changed");
}

/// The same functions, built before and after reordering, are the same edges.
#[test]
fn what_was_known_before_a_move_is_found_again() {
    let budget = Budget::unlimited();
    for seed in 200..230 {
        let mut bench = Bench::new(&budget, seed);
        for _ in 0..40 {
            bench.operate().expect("no limits");
        }
        bench.sift().expect("no limits");
        for _ in 0..40 {
            let ((f, of_f), (g, of_g)) = (bench.any(), bench.any());
            let known: HashMap<Table, Edge> =
                bench.kept.iter().map(|&(edge, table)| (table, edge)).collect();
            for (edge, table) in [
                (bench.kernel.and(f, g), of_f.and(of_g)),
                (bench.kernel.or(f, g), of_f.or(of_g)),
                (bench.kernel.xor(f, g), of_f.xor(of_g)),
            ] {
                let edge = edge.expect("no limits");
                assert_eq!(Table::of(&bench.kernel, edge), table);
                assert_eq!(*known.get(&table).unwrap_or(&edge), edge);
            }
        }
    }
}

#[test]
fn a_move_may_be_interrupted_anywhere() {
    let unlimited = Budget::unlimited();
    let mut n_interrupted = 0;
    for seed in 300..312 {
        for n_visits in 0.. {
            let left = Cell::new(u64::MAX);
            let is_interrupted = || {
                left.set(left.get().saturating_sub(1));
                left.get() == 0
            };
            let budget = Budget::unlimited().with_interrupt(&is_interrupted);
            let mut bench = Bench::new(&unlimited, seed);
            for _ in 0..40 {
                bench.operate().expect("no limits");
            }
            bench.kernel.meter = Meter::new(&budget);
            left.set(n_visits * 3 + 1);
            let result = bench.sift();
            bench.kernel.meter = Meter::new(&unlimited);
            for _ in 0..20 {
                bench.operate().expect("no limits");
            }
            bench.check();
            bench.sift().expect("no limits");
            match result {
                Ok(()) => break,
                Err(stop) => assert_eq!(stop, Stop::Budget),
            }
            n_interrupted += 1;
        }
    }
    assert!(n_interrupted > 100, "only interrupted {n_interrupted} times");
}

#[test]
fn a_full_table_stops_operations_and_spoils_nothing() {
    let budget = Budget::unlimited();
    let mut n_full = 0;
    for seed in 400..440 {
        let mut bench = Bench::new(&budget, seed);
        bench.kernel.max_nodes = bench.kernel.nodes.len();
        for _ in 0..100 {
            let ((f, of_f), (g, of_g)) = (bench.any(), bench.any());
            let edge = loop {
                match bench.kernel.xor(f, g) {
                    Ok(edge) => break edge,
                    Err(stop) => assert_eq!(stop, Stop::Full),
                }
                n_full += 1;
                bench.check();
                let roots: Vec<Edge> = bench.kept.iter().map(|kept| kept.0).collect();
                bench.kernel.collect(roots.into_iter());
                bench.check();
                bench.kernel.max_nodes += 4;
            };
            assert!(bench.kernel.nodes.len() <= bench.kernel.max_nodes);
            bench.keep(edge, of_f.xor(of_g));
        }
    }
    assert!(n_full > 300, "only full {n_full} times");
}

/// Half the work was discarded; cached results of it may be reused.
#[test]
fn an_operation_that_is_cut_by_the_budget_can_be_done_again() {
    let unlimited = Budget::unlimited();
    let spent = Budget::unlimited().with_interrupt(&|| true);
    let mut kernel = Kernel::new(Meter::new(&unlimited), usize::MAX);
    let n = 13;
    let vars: Vec<Edge> = (0..2 * n)
        .map(|_| kernel.add_var())
        .collect::<Vec<_>>()
        .into_iter()
        .map(|var| kernel.literal(var).expect("no limits"))
        .collect();
    let product = |kernel: &mut Kernel| -> Result<Edge, Stop> {
        let mut all = FALSE;
        for idx in 0..n {
            let both = kernel.and(vars[idx], vars[idx + n])?;
            all = kernel.xor(all, both)?;
        }
        Ok(all)
    };
    kernel.meter = Meter::new(&spent);
    assert_eq!(product(&mut kernel), Err(Stop::Budget));
    check_nodes(&kernel);
    kernel.meter = Meter::new(&unlimited);
    let edge = product(&mut kernel).expect("no limits");
    check_nodes(&kernel);
    let all: Vec<Var> = (0..2 * n as u32).collect();
    // The bent function is true for so many of its values.
    assert_eq!(kernel.count(edge, &all), (1 << (2 * n - 1)) - (1 << (n - 1)));
    let before = kernel.size(&[edge]);
    let mut groups: Vec<Vec<Var>> = all.iter().map(|&var| vec![var]).collect();
    kernel.collect([edge].into_iter());
    kernel.sift(&mut groups, [edge].into_iter()).expect("no limits");
    check_order(&kernel, &groups);
    check_nodes(&kernel);
    assert!(before > 1 << n && kernel.size(&[edge]) < 3 * n, "{before}");
    assert_eq!(kernel.count(edge, &all), (1 << (2 * n - 1)) - (1 << (n - 1)));
}

#[test]
fn counts_end_at_the_greatest_number() {
    let budget = Budget::unlimited();
    let mut kernel = Kernel::new(Meter::new(&budget), usize::MAX);
    let vars: Vec<Var> = (0..140).map(|_| kernel.add_var()).collect();
    assert_eq!(kernel.count(TRUE, &vars[..127]), 1 << 127);
    assert_eq!(kernel.count(TRUE, &vars[..128]), u128::MAX);
    assert_eq!(kernel.count(TRUE, &vars), u128::MAX);
    assert_eq!(kernel.count(FALSE, &vars), 0);
    let [first, last] = [0, 139].map(|var| kernel.literal(var).expect("no limits"));
    assert_eq!(kernel.count(first, &vars[..128]), 1 << 127);
    assert_eq!(kernel.count(first, &vars), u128::MAX);
    assert_eq!(kernel.count(last, &vars[13..]), 1 << 126);
    let either = kernel.or(first, last).expect("no limits");
    assert_eq!(kernel.count(either, &[0, 139]), 3);
    assert_eq!(kernel.count(either, &vars[..]), u128::MAX);
}
