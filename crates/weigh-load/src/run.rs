//! A run: its threads, its intervals as they end, and its summary.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::Error;
use crate::clock::{JumpCounter, SECOND, monotonic, wall};
use crate::config::{Config, Share, TargetKind};
use crate::event_loop::{Nodes, Worker};
use crate::recorder::Recorder;
use crate::report::{Interval, Summary};
use crate::secrecy::Secrets;
use crate::shared::{Delivery, Shared};
use crate::sqlite;
use crate::threads::{ReadyThreads, Thread, Threads};
use crate::totals::Totals;
use crate::workload::{Source, Workload};

/// How long after the connections are open the schedule begins: until then all threads must be awake and waiting.
const LEAD: u64 = SECOND / 50;

/// A run that goes on, or is over.
pub struct Run {
    shared: Arc<Shared>,
    operations: Vec<String>,
    begun: u64,
    late: u64,
    t0_unix: f64,
    threads: Vec<Thread>,
    /// Intervals that some threads have delivered and others have not.
    partial: BTreeMap<usize, Joined>,
    delivered_to: u64,
    /// Intervals that ended with the run and were not polled yet.
    rest: Vec<Interval>,
    overflows: u64,
    jumps: JumpCounter,
}

/// Ends a run early.
#[derive(Clone)]
pub struct Stopper(Arc<Shared>);

impl Stopper {
    /// Nothing more is sent, and answers are waited for no longer than half a second.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

/// What some threads delivered for an interval.
struct Joined {
    threads: usize,
    whole: Delivery,
}

/// A run whose connections are open, and that waits for its beginning.
pub struct Opened {
    shared: Arc<Shared>,
    operations: Vec<String>,
    threads: Option<ReadyThreads>,
}

impl Opened {
    /// Opens all connections.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, refuses the login or a statement, or a setting cannot be used.
    pub fn open(config: &Config, source: &dyn Source) -> Result<Self, Error> {
        let times = (config.duration(), config.timeout(), config.interval());
        // Of SQLite, the monitor alone delivers intervals.
        let delivering = if config.target.kind == TargetKind::Sqlite { 1 } else { config.threads };
        let mut shared = Shared::new(config.arrivals()?, delivering, config.spin, times);
        (shared.first_connection, shared.connections) = config.share.of(config.connections);
        (shared.first_thread, shared.all_threads) =
            (config.share.part * config.threads, config.share.parts * config.threads);
        shared.secrets = Secrets::new(&config.target.secrets);
        shared.lanes = source.lanes();
        if let Some(lanes) = &shared.lanes
            && (lanes.len() != config.connections
                || config.target.kind == TargetKind::Sqlite
                || config.share.is_part())
        {
            return Err(Error::Setting(format!(
                "{} connections for a recording of {}",
                config.connections,
                lanes.len()
            )));
        }
        let shared = Arc::new(shared);
        let first = source.worker(shared.first_thread);
        let operations = first.operations().to_vec();
        let threads = match config.target.kind {
            TargetKind::Sqlite => sqlite::threads(config, source, first, &shared)?,
            TargetKind::ClickHouse
            | TargetKind::Cql
            | TargetKind::Http
            | TargetKind::MySql
            | TargetKind::Postgres
            | TargetKind::Redis => connected(config, source, first, &shared)?,
        };
        Ok(Self { shared, operations, threads: Some(threads.ready()?) })
    }

    /// Begins: at a moment of the machine's monotonic clock, in nanoseconds, or else at once. One that is past already
    /// begins now, and [`Run::begun_late`] says by how much.
    #[must_use]
    pub fn begin(mut self, at: Option<u64>) -> Run {
        let shared = Arc::clone(&self.shared);
        let now = shared.clock.now();
        let monotonic = monotonic();
        let (ahead, late) = match at {
            None => (LEAD, 0),
            Some(at) => (at.saturating_sub(monotonic), monotonic.saturating_sub(at)),
        };
        let begun = now + ahead;
        #[expect(clippy::cast_precision_loss, reason = "a date to the microsecond")]
        let t0_unix = (wall() + i128::from(ahead)) as f64 / 1e9;
        let threads = self.threads.take().map_or_else(Vec::new, |threads| threads.begin(begun));
        Run {
            shared,
            operations: std::mem::take(&mut self.operations),
            begun,
            late,
            t0_unix,
            threads,
            partial: BTreeMap::new(),
            delivered_to: begun,
            rest: Vec::new(),
            overflows: 0,
            jumps: JumpCounter::new(),
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.end();
        }
    }
}

impl Run {
    /// Opens all connections and begins.
    ///
    /// # Errors
    ///
    /// As [`Opened::open`].
    pub fn start(config: &Config, source: &dyn Source) -> Result<Self, Error> {
        Ok(Opened::open(config, source)?.begin(None))
    }

    /// Seconds by which it began after the moment that was named; 0 where it was punctual.
    #[must_use]
    pub fn begun_late(&self) -> f64 {
        Duration::from_nanos(self.late).as_secs_f64()
    }

    /// Seconds until the schedule begins; 0 once it has.
    #[must_use]
    pub fn begins_in(&self) -> f64 {
        Duration::from_nanos(self.begun.saturating_sub(self.shared.clock.now())).as_secs_f64()
    }

    /// Intervals that have ended since the last call. Calling it about once an interval keeps memory small.
    pub fn poll(&mut self) -> Vec<Interval> {
        self.jumps.check();
        // Before the collection: a thread that ends in between has delivered by the next call.
        let over = self.is_over();
        for delivery in self.shared.collect() {
            self.join(delivery);
        }
        let mut intervals = std::mem::take(&mut self.rest);
        while let Some(joined) = self.partial.first_entry() {
            // After a stop, one thread may have seen one more boundary than another.
            if joined.get().threads < self.shared.threads && !over {
                break;
            }
            let joined = joined.remove();
            intervals.push(self.report(joined.whole));
        }
        intervals
    }

    /// Whether all threads have ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Closes all connections and sends nothing more, until [`Self::release`]. What was in flight and not answered is of
    /// unknown outcome. What becomes due waits.
    pub fn hold(&self) {
        self.shared.held.store(0, Ordering::Relaxed);
        self.shared.hold.store(true, Ordering::Release);
    }

    /// Whether all threads have done so.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.shared.held.load(Ordering::Acquire) >= self.shared.threads
    }

    /// Goes on. The schedule stood still for so many of the seconds since the hold began: what waits is due later by as
    /// much, and the run ends later.
    pub fn release(&self, stood_still: f64) {
        let still = Duration::from_secs_f64(stood_still.clamp(0.0, 1e6));
        let nanoseconds = u64::try_from(still.as_nanos()).unwrap_or(u64::MAX);
        self.shared.stood_still.fetch_add(nanoseconds, Ordering::Release);
        self.shared.hold.store(false, Ordering::Release);
    }

    /// What ends the run early, from any thread.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.shared))
    }

    /// Waits for the end, and sums up. Intervals that were not polled can be polled still.
    ///
    /// # Errors
    ///
    /// A thread could not go on; its requests are lost.
    pub fn finish(&mut self) -> Result<Summary, Error> {
        let mut totals = Totals::default();
        for thread in self.threads.drain(..) {
            let ended = thread
                .join()
                .map_err(|_| Error::Protocol("a thread of the generator ended early".to_owned()))?;
            totals.add(ended?);
        }
        self.rest = self.poll();
        Ok(Summary::new(totals, self.begun, self.t0_unix, self.jumps.jumps, self.overflows))
    }

    fn join(&mut self, delivery: Delivery) {
        match self.partial.get_mut(&delivery.interval) {
            None => {
                self.partial.insert(delivery.interval, Joined { threads: 1, whole: delivery });
            }
            Some(joined) => {
                joined.threads += 1;
                let whole = &mut joined.whole;
                whole.recorder.add(&delivery.recorder);
                whole.to = whole.to.max(delivery.to);
                whole.spent.add(delivery.spent);
                whole.in_flight += delivery.in_flight;
                whole.queued += delivery.queued;
                whole.reconnects += delivery.reconnects;
                self.shared.recycle(delivery.recorder);
            }
        }
    }

    fn report(&mut self, whole: Delivery) -> Interval {
        let interval = Interval::new(&self.operations, &whole, self.begun, self.delivered_to);
        self.delivered_to = self.delivered_to.max(whole.to);
        self.overflows += overflows(&whole.recorder);
        self.shared.recycle(whole.recorder);
        interval
    }
}

/// The threads of a run against a server: each owns some of the connections.
fn connected(
    config: &Config,
    source: &dyn Source,
    first: Box<dyn Workload>,
    shared: &Arc<Shared>,
) -> Result<Threads, Error> {
    let connections = shared.connections;
    let nodes = Nodes::find(&config.target, first.statements(), connections)?;
    let most = config.share.of(config.max_in_flight.min(config.connections)).1;
    let mut threads = Threads::new();
    let mut first = Some(first);
    for thread in 0..config.threads {
        let workload = first.take().unwrap_or_else(|| source.worker(shared.first_thread + thread));
        let within = Share { part: thread, parts: config.threads };
        let share = (within.of(connections).1, within.of(most).1);
        let (shared, nodes) = (Arc::clone(shared), nodes.clone());
        threads.add(format!("weigh-load-{thread}"), move |ready| {
            // In the thread itself: the timer slack is the calling thread's.
            let opened = Worker::new(&shared, thread, workload, nodes, share)
                .and_then(|mut worker| worker.open().map(|()| worker));
            match opened {
                Ok(worker) => ready.wait().map_or_else(|| Ok(Totals::default()), |begun| worker.run(begun)),
                Err(error) => {
                    ready.fail(error);
                    Ok(Totals::default())
                }
            }
        })?;
    }
    Ok(threads)
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stopper().stop();
    }
}

fn overflows(recorder: &Recorder) -> u64 {
    recorder.tallies.iter().map(crate::recorder::Tally::overflows).sum()
}
