//! What a computation may cost: time, memory, counted work, and the user's patience.
//!
//! Every loop that can be long asks [`Budget::spend`]; whatever is about to grow a lot asks
//! [`Budget::allows`] first. Once something has run out, every later question is answered the
//! same way, so that a search that is cut unwinds at once.
//!
//! A [`Budget::part`] has limits of its own within those of the whole. What it spent is charged
//! to the whole when the part is dropped, so nobody can forget to count it.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work between two looks at the clock.
const INTERVAL: u64 = 1 << 10;

/// Telling what was found may take so long after the time for finding it,
const GRACE: Duration = Duration::from_millis(1_000);
/// and so long at least, if something was late already.
const LEAST_GRACE: Duration = Duration::from_millis(500);

/// Who waits for other threads looks at the clock so often.
pub const PATIENCE: Duration = Duration::from_millis(5);

/// What has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time.
    Time,
    /// The memory.
    Memory,
    /// The counted work.
    Work,
    /// The steps from the start that were allowed.
    Depth,
    /// The patience of the user, or of the thread that waits.
    Interrupted,
}

/// What a search may cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Time from the making of the budget.
    pub time: Option<Duration>,
    /// Bytes of memory of the whole process.
    pub memory: Option<u64>,
    /// Units of work; what a unit is, each engine says. Unlike time it gives the same answers
    /// everywhere.
    pub work: Option<u64>,
    /// Steps from the start: what is further is not looked for.
    pub depth: Option<u64>,
    /// How much of what can be reached is wanted.
    pub wanted: Wanted,
    /// The one stage of a search that has several; without it, all of them.
    pub stage: Option<usize>,
}

/// How much of what can be reached is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// All of it, by the shortest way unless that takes much longer than any.
    #[default]
    All,
    /// All of it, by the shortest way.
    Shortest,
    /// What is nearest to the start.
    Nearest,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, in a word or two.
    pub phase: &'static str,
    /// The distance from the start.
    pub depth: u64,
    /// States found.
    pub n_states: u64,
    /// Targets or properties without a verdict.
    pub n_open: usize,
    /// Where tests are executed instead of a search: how many of how many are done.
    pub tests: Option<(usize, usize)>,
}

/// What is left of the limits. Engines share one by reference.
pub struct Budget<'a> {
    limits: Limits,
    deadline: Option<Instant>,
    meter: Meter<'a>,
    next_look: Cell<u64>,
    is_interrupted: &'a dyn Fn() -> bool,
    allocated: &'a (dyn Fn() -> u64 + Sync),
    on_progress: &'a dyn Fn(&Progress),
    progress: Cell<Progress>,
    exhausted: Cell<Option<Exhausted>>,
    /// The end of the work, if another thread may set one, and the work that counts for it besides.
    end: Option<(&'a AtomicU64, u64)>,
}

/// Counts the work of a budget, and charges it to the whole that the budget is a part of.
#[derive(Default)]
struct Meter<'a> {
    work: Cell<u64>,
    /// How much of it the whole knows of.
    settled: Cell<u64>,
    whole: Option<&'a Meter<'a>>,
}

impl Meter<'_> {
    fn count(&self, work: u64) -> u64 {
        let spent = self.work.get().saturating_add(work);
        self.work.set(spent);
        spent
    }

    fn settle(&self) {
        if let Some(whole) = self.whole {
            whole.count(self.work.get() - self.settled.replace(self.work.get()));
        }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.settle();
    }
}

/// What a thread needs for a budget of its own.
#[derive(Clone, Copy)]
pub struct Seed<'a> {
    limits: Limits,
    deadline: Option<Instant>,
    allocated: &'a (dyn Fn() -> u64 + Sync),
    progress: Progress,
}

impl<'a> Seed<'a> {
    /// A budget within the limits of the one that the seed is from. Others may set an end to it.
    pub fn budget(&self, end: &'a AtomicU64, on_progress: &'a dyn Fn(&Progress)) -> Budget<'a> {
        Budget {
            deadline: self.deadline,
            allocated: self.allocated,
            on_progress,
            progress: Cell::new(self.progress),
            end: Some((end, 0)),
            ..Budget::new(self.limits)
        }
    }
}

impl Budget<'static> {
    /// No limits at all.
    pub fn unlimited() -> Budget<'static> {
        Budget::new(Limits::default())
    }

    /// These limits. Memory counts as nothing until [`Budget::with_memory`] says how to ask.
    pub fn new(limits: Limits) -> Budget<'static> {
        Budget {
            limits,
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            meter: Meter::default(),
            next_look: Cell::new(0),
            is_interrupted: &|| false,
            allocated: &|| 0,
            on_progress: &|_| {},
            progress: Cell::default(),
            exhausted: Cell::default(),
            end: None,
        }
    }
}

impl<'a> Budget<'a> {
    /// Asks this whether the user wants to stop.
    pub fn with_interrupt(self, is_interrupted: &'a dyn Fn() -> bool) -> Budget<'a> {
        Budget { is_interrupted, ..self }
    }

    /// Asks this how many bytes the process has allocated.
    pub fn with_memory(self, allocated: &'a (dyn Fn() -> u64 + Sync)) -> Budget<'a> {
        Budget { allocated, ..self }
    }

    /// Tells this how far the search is, now and then.
    pub fn with_progress(self, on_progress: &'a dyn Fn(&Progress)) -> Budget<'a> {
        Budget { on_progress, ..self }
    }

    /// A part of the budget: so much work, within all other limits. What it takes counts as work
    /// of the whole once the part is dropped.
    pub fn part(&self, work: Option<u64>) -> Budget<'_> {
        let left = self.work_left();
        let work = match (work, left) {
            (Some(work), Some(left)) => Some(work.min(left)),
            (work, left) => work.or(left),
        };
        Budget {
            meter: Meter { work: Cell::new(0), settled: Cell::new(0), whole: Some(&self.meter) },
            end: self.end.map(|(end, before)| (end, before + self.work())),
            ..self.with_work(work)
        }
    }

    /// So much work besides, within the time, memory and patience of this budget. Nobody is charged
    /// for it: what it decides must not depend on how much work something else may do.
    pub fn aside(&self, work: u64) -> Budget<'_> {
        self.with_work(Some(work))
    }

    fn with_work(&self, work: Option<u64>) -> Budget<'_> {
        Budget {
            deadline: self.deadline,
            is_interrupted: self.is_interrupted,
            allocated: self.allocated,
            on_progress: self.on_progress,
            progress: self.progress.clone(),
            ..Budget::new(Limits { work, ..self.limits })
        }
    }

    /// Charges to the whole what this part has spent so far, where something holds on to the part
    /// although its work is done.
    pub fn settle(&self) {
        self.meter.settle();
    }

    /// What there is for telling what was found, whatever has run out: counted work and memory do
    /// not matter any more, and time only if somebody waits. Then there is a little of it.
    pub fn grace(&self) -> Budget<'_> {
        let ended = self.allows(0).err();
        let soon = |time: Duration| Instant::now().checked_add(time);
        let deadline = match (ended, self.deadline) {
            (Some(Exhausted::Interrupted), _) => soon(GRACE),
            (_, Some(deadline)) => deadline.checked_add(GRACE).max(soon(LEAST_GRACE)),
            (_, None) => None,
        };
        let is_interrupted: &dyn Fn() -> bool = match ended {
            // Who has asked once need not ask again.
            Some(Exhausted::Interrupted) => &|| false,
            _ => self.is_interrupted,
        };
        let limits = Limits { memory: None, work: None, ..self.limits };
        Budget {
            deadline,
            is_interrupted,
            on_progress: self.on_progress,
            progress: self.progress.clone(),
            ..Budget::new(limits)
        }
    }

    /// For a thread of its own: what is left.
    pub fn seed(&self) -> Seed<'a> {
        Seed {
            limits: Limits { work: self.work_left(), ..self.limits },
            deadline: self.deadline,
            allocated: self.allocated,
            progress: self.progress.get(),
        }
    }

    /// The same, no further than so many steps from the start.
    pub fn within(self, depth: Option<u64>) -> Budget<'a> {
        Budget { limits: Limits { depth, ..self.limits }, ..self }
    }

    /// The same for what is nearest to the start.
    pub fn nearest(self) -> Budget<'a> {
        self.wanting(Wanted::Nearest)
    }

    /// The same for this much of what can be reached.
    pub fn wanting(self, wanted: Wanted) -> Budget<'a> {
        Budget { limits: Limits { wanted, ..self.limits }, ..self }
    }

    /// The same for one stage of a search, so that what is known can be told before the next.
    pub fn in_stage(self, stage: usize) -> Budget<'a> {
        Budget { limits: Limits { stage: Some(stage), ..self.limits }, ..self }
    }

    /// The only stage that is wanted.
    pub fn stage(&self) -> Option<usize> {
        self.limits.stage
    }

    /// May the search go so many steps from the start?
    ///
    /// # Errors
    /// When that is too far.
    pub fn reaches(&self, depth: u64) -> Result<(), Exhausted> {
        match self.limits.depth {
            Some(limit) if depth > limit => Err(Exhausted::Depth),
            _ => Ok(()),
        }
    }

    /// Is any way to what can be reached good, however long?
    pub fn is_unbounded(&self) -> bool {
        self.limits.depth.is_none() && self.limits.wanted == Wanted::All
    }

    /// Must ways be shortest?
    pub fn wants_shortest(&self) -> bool {
        self.limits.wanted == Wanted::Shortest
    }

    /// Is what is nearest enough?
    pub fn wants_nearest(&self) -> bool {
        self.limits.wanted == Wanted::Nearest
    }

    /// The work that is left, if it is limited.
    pub fn work_left(&self) -> Option<u64> {
        self.limits.work.map(|limit| limit.saturating_sub(self.work()))
    }

    /// Says how far the search is.
    pub fn note(&self, progress: Progress) {
        self.progress.set(progress);
    }

    /// How far the search is, as it was last said.
    pub fn progress(&self) -> Progress {
        self.progress.get()
    }

    /// Counts work. Now and then the clock is looked at; who spends nothing asks for just that.
    ///
    /// # Errors
    /// When something has run out.
    pub fn spend(&self, work: u64) -> Result<(), Exhausted> {
        let spent = self.meter.count(work);
        if work == 0 || spent >= self.next_look.get() { self.look() } else { Ok(()) }
    }

    /// May so many bytes be allocated?
    ///
    /// # Errors
    /// When something has run out.
    pub fn allows(&self, n_bytes: u64) -> Result<(), Exhausted> {
        self.look()?;
        let is_within = self
            .limits
            .memory
            .is_none_or(|limit| (self.allocated)().saturating_add(n_bytes) <= limit);
        if is_within { Ok(()) } else { self.exhaust(Exhausted::Memory) }
    }

    /// Work counted so far.
    pub fn work(&self) -> u64 {
        self.meter.work.get()
    }

    /// Tells how far the search is. Is there time left, and the user's patience?
    ///
    /// # Errors
    /// When there is not.
    pub fn has_patience(&self) -> Result<(), Exhausted> {
        (self.on_progress)(&self.progress.get());
        if (self.is_interrupted)() {
            return self.exhaust(Exhausted::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return self.exhaust(Exhausted::Time);
        }
        Ok(())
    }

    fn look(&self) -> Result<(), Exhausted> {
        if let Some(exhausted) = self.exhausted.get() {
            return Err(exhausted);
        }
        let spent = self.work();
        // The end of the work is met exactly, wherever the looks fall.
        let set = self
            .end
            .map_or(u64::MAX, |(end, before)| end.load(Ordering::Relaxed).saturating_sub(before));
        let end = self.limits.work.unwrap_or(u64::MAX);
        self.next_look.set(spent.saturating_add(INTERVAL).min(end).min(set));
        self.has_patience()?;
        if spent >= end {
            return self.exhaust(Exhausted::Work);
        }
        if spent >= set {
            return self.exhaust(Exhausted::Interrupted);
        }
        if self.limits.memory.is_some_and(|limit| (self.allocated)() > limit) {
            return self.exhaust(Exhausted::Memory);
        }
        Ok(())
    }

    fn exhaust(&self, exhausted: Exhausted) -> Result<(), Exhausted> {
        self.next_look.set(0);
        self.exhausted.set(Some(exhausted));
        Err(exhausted)
    }
}
