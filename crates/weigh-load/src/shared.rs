//! What the threads of a run share, and what they hand over.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::{Clock, SECOND, Spent};
use crate::recorder::Recorder;
use crate::schedule::Arrivals;
use crate::schedule::lanes::Lanes;
use crate::secrecy::Secrets;

/// How long at most until it is seen that the run is to stop, or is over.
pub(crate) const STOP_CHECK: u64 = SECOND / 10;
/// With `spin`: how long before a moment to stop sleeping.
pub(crate) const WAKE_EARLY: u64 = 100_000;

/// What one thread saw in one interval. Times are nanoseconds of the run's clock.
pub(crate) struct Delivery {
    pub(crate) interval: usize,
    /// Its end.
    pub(crate) to: u64,
    pub(crate) recorder: Recorder,
    /// By the thread.
    pub(crate) spent: Spent,
    /// At its end.
    pub(crate) in_flight: u64,
    /// At its end.
    pub(crate) queued: u64,
    pub(crate) reconnects: u64,
}

/// What all threads see.
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) arrivals: Arrivals,
    /// Moments that each belong to one connection; they come before `arrivals`.
    pub(crate) lanes: Option<Lanes>,
    pub(crate) threads: usize,
    /// Numbers that the first thread and the first connection here have among those of all generators, and how many
    /// threads all have together.
    pub(crate) first_thread: usize,
    pub(crate) first_connection: usize,
    pub(crate) all_threads: usize,
    pub(crate) duration: u64,
    pub(crate) timeout: u64,
    pub(crate) interval: u64,
    pub(crate) spin: bool,
    /// Of the target.
    pub(crate) secrets: Secrets,
    /// Set when the run is to end early.
    pub(crate) stop: AtomicBool,
    /// Set while nothing may be sent, because the server is being examined.
    pub(crate) hold: AtomicBool,
    /// Threads that have closed their connections since.
    pub(crate) held: AtomicUsize,
    /// For how long the schedule stood still in all, in nanoseconds.
    pub(crate) stood_still: AtomicU64,
    /// Connections that are to be opened before the run, and those that are.
    pub(crate) connections: usize,
    pub(crate) open: AtomicUsize,
    deliveries: Mutex<Vec<Delivery>>,
    /// Recorders that were read and emptied. Making one costs a thread more than the send of a request.
    emptied: Mutex<Vec<Recorder>>,
}

impl Shared {
    pub(crate) fn new(arrivals: Arrivals, threads: usize, spin: bool, times: (u64, u64, u64)) -> Self {
        let (duration, timeout, interval) = times;
        Self {
            clock: Clock::new(),
            arrivals,
            lanes: None,
            threads,
            first_thread: 0,
            first_connection: 0,
            all_threads: threads,
            duration,
            timeout,
            interval,
            spin,
            secrets: Secrets::default(),
            stop: AtomicBool::new(false),
            hold: AtomicBool::new(false),
            held: AtomicUsize::new(0),
            stood_still: AtomicU64::new(0),
            connections: 0,
            open: AtomicUsize::new(0),
            deliveries: Mutex::default(),
            emptied: Mutex::default(),
        }
    }

    /// An empty recorder.
    pub(crate) fn recorder(&self, operations: usize) -> Recorder {
        let emptied = lock(&self.emptied).pop();
        emptied.unwrap_or_else(|| Recorder::new(operations))
    }

    /// Gives a recorder back.
    pub(crate) fn recycle(&self, mut recorder: Recorder) {
        recorder.clear();
        lock(&self.emptied).push(recorder);
    }

    pub(crate) fn deliver(&self, delivery: Delivery) {
        lock(&self.deliveries).push(delivery);
    }

    /// All that was delivered since the last call.
    pub(crate) fn collect(&self) -> Vec<Delivery> {
        std::mem::take(&mut *lock(&self.deliveries))
    }
}

/// A thread that panicked while it held a lock left nothing half done: each lock is one push or pop.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
