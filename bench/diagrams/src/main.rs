//! Our decision diagrams against those of the library `oxidd`.
//!
//! Without arguments: runs every workload on every kernel, each in a process of its own, and
//! prints the best of three runs. With a workload, its size and a kernel: runs it once, prints
//! the sizes of its results, user and elapsed seconds, and megabytes.

use std::collections::HashSet;
use std::process::Command;
use std::time::Instant;

use rivals::{Library, MAX_NODES, Ours, Rival};

/// The kernel of the engine, as it is there.
#[path = "../../../crates/engine/src/bdd"]
#[expect(dead_code, reason = "the engine needs more of it than we measure")]
mod bdd {
    pub mod budgeted;
    pub mod kernel;
}
#[path = "../../../crates/engine/src/budget.rs"]
#[expect(dead_code, reason = "the engine needs more of it than we measure")]
mod budget;
mod rivals;
mod sift;
mod workloads;

/// What the budget of the engine knows of answers.
mod answer {
    #[derive(Clone, Debug, PartialEq)]
    pub enum Why {
        Time,
        Memory,
        Work,
        Interrupted,
    }
}

const N_RUNS: usize = 3;
const WORKLOADS: [(&str, u32); 9] = [
    ("counter", 15),
    ("philosophers", 13),
    ("queens", 11),
    ("product", 12),
    ("conjunction", 20),
    ("sift", 16),
    ("sift-product", 11),
    ("start", 100),
    ("stop", 20),
];
/// Ours that frees nodes as the engine does, and as late as the library; the library with one
/// thread, and with two.
const KERNELS: [&str; 4] = ["ours", "ours-late", "oxidd", "oxidd-2"];
/// Nodes before the engine first looks which are needed.
const FIRST_LOOK: usize = 1 << 18;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        [] => print_table(),
        [workload, n, "ours"] => measure(workload, n, |n_vars| Ours::new(n_vars, FIRST_LOOK)),
        [workload, n, "ours-late"] => measure(workload, n, |n_vars| Ours::new(n_vars, MAX_NODES)),
        [workload, n, "oxidd"] => measure(workload, n, |n_vars| Library::new(n_vars, 1)),
        [workload, n, "oxidd-2"] => measure(workload, n, |n_vars| Library::new(n_vars, 2)),
        _ => panic!("usage: diagrams [WORKLOAD SIZE KERNEL]"),
    }
}

/// From a kernel and a size to functions.
type Workload<R> = fn(&mut R, u32) -> Vec<<R as Rival>::F>;

/// Runs a workload in this process, from the making of the kernel on.
fn measure<R: Rival>(workload: &str, n: &str, make: impl FnOnce(u32) -> R) {
    let n: u32 = n.parse().expect("a number");
    let (run, n_vars): (Workload<R>, u32) = match workload {
        "counter" => (workloads::counter, 2 * n),
        "philosophers" => (workloads::philosophers, 2 * (2 * n + workloads::n_inputs(n))),
        "queens" => (workloads::queens, n * n),
        "product" => (workloads::product, 2 * n),
        "conjunction" => (workloads::conjunction, 2 * n),
        "sift" => (workloads::sift, 2 * n),
        "sift-product" => (workloads::sift_product, 2 * n),
        "start" => (workloads::start, n),
        "stop" => (workloads::stop, 2 * n),
        _ => panic!("no workload {workload}"),
    };
    let start = Instant::now();
    let mut rival = make(n_vars);
    let results = run(&mut rival, n);
    let wall = start.elapsed().as_secs_f64();
    let (user, memory) = usage();
    let sizes: Vec<usize> = results.iter().map(|result| rival.size(result)).collect();
    println!("{sizes:?};{user};{wall};{memory}");
}

/// Seconds that the processor spent in the code of this process, and the most megabytes it had.
fn usage() -> (f64, f64) {
    // SAFETY: a structure of numbers, which the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let libc::timeval { tv_sec, tv_usec } = usage.ru_utime;
    (tv_sec as f64 + tv_usec as f64 / 1e6, usage.ru_maxrss as f64 / 1024.0)
}

fn print_table() {
    println!("| workload | ours | ours, frees late | oxidd | oxidd, 2 threads |");
    println!("|---|--:|--:|--:|--:|");
    for (workload, n) in WORKLOADS {
        let mut sizes = HashSet::new();
        let mut best = KERNELS.map(|_| [f64::MAX; 3]);
        // The kernels take turns, so that what else the machine does is fair to them.
        for _ in 0..N_RUNS {
            for (kernel, best) in KERNELS.into_iter().zip(&mut best) {
                let (of_run, costs) = run(workload, n, kernel);
                sizes.insert(of_run);
                *best = [0, 1, 2].map(|idx| best[idx].min(costs[idx]));
            }
        }
        assert_eq!(sizes.len(), 1, "{workload}: {sizes:?}");
        let cells = KERNELS.iter().zip(best).map(|(&kernel, [user, wall, memory])| {
            // The clock where one waits for the system or for a second thread.
            let is_wall = kernel == "oxidd-2" || matches!(workload, "start" | "stop");
            format!(" {:.4} s, {memory:.0} MB |", if is_wall { wall } else { user })
        });
        println!("| {workload} {n} |{}", cells.collect::<String>());
    }
}

/// Runs a workload in a process of its own: the sizes of its results and its costs.
fn run(workload: &str, n: u32, kernel: &str) -> (String, Vec<f64>) {
    let program = std::env::current_exe().expect("the path of this program");
    let args = [workload, &n.to_string(), kernel];
    let output = Command::new(program).args(args).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let (sizes, costs) = text.trim().split_once(';').expect("it ends");
    let costs = costs.split(';').map(|cost| cost.parse().expect("a number"));
    (sizes.to_owned(), costs.collect())
}
