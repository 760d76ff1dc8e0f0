//! SQLite, in this process: a thread for each connection, which calls it and waits until it returns.
//!
//! There is no socket to wait for, so the loop of `event_loop` does not serve. The schedule, the workloads and what is
//! recorded are the same; see `dispatcher` for who takes which request, `deadline` for time-outs, `monitor` for intervals
//! and the end.

mod bulk;
mod deadline;
mod dispatcher;
mod error;
mod monitor;
mod session;
mod settings;
mod worker;

use std::sync::Arc;

use crate::Error;
use crate::clock::exact_timers;
use crate::config::{Config, Target};
use crate::recorder::Recorder;
use crate::shared::Shared;
use crate::threads::{Ready, Threads};
use crate::totals::Totals;
use crate::workload::{Source, Workload};

pub(crate) use bulk::load;
pub use settings::{Described, describe};

pub(crate) use deadline::Deadline;
use dispatcher::Dispatcher;
use session::run;
pub(crate) use session::{Session, open};
use worker::Worker;

/// Recorders that are there before the run: a thread that ends an interval delays all others while it makes another.
const SPARE_RECORDERS: usize = 4;

/// The threads of a run: one for each connection, and the monitor.
pub(crate) fn threads(
    config: &Config,
    source: &dyn Source,
    first: Box<dyn Workload>,
    shared: &Arc<Shared>,
) -> Result<Threads, Error> {
    let (operations, most) = (first.operations().len(), config.max_in_flight.min(config.connections));
    let dispatcher = Arc::new(Dispatcher::new(Arc::clone(shared), operations, config.connections, most));
    for _ in 0..SPARE_RECORDERS {
        shared.recycle(Recorder::new(operations));
    }
    let deadlines: Vec<Arc<Deadline>> = (0..config.connections).map(|_| Arc::default()).collect();
    let mut threads = Threads::new();
    let mut first = Some(first);
    for (number, deadline) in deadlines.iter().enumerate() {
        let workload = first.take().unwrap_or_else(|| source.worker(number));
        let (dispatcher, deadline, target) =
            (Arc::clone(&dispatcher), Arc::clone(deadline), config.target.clone());
        threads.add(format!("weigh-sqlite-{number}"), move |ready| {
            work(&target, &dispatcher, number, &deadline, workload, ready);
            Ok(Totals::default())
        })?;
    }
    threads.add("weigh-load-monitor".into(), move |ready| {
        if let Err(error) = exact_timers() {
            ready.fail(error);
            return Ok(Totals::default());
        }
        Ok(ready.wait().map_or_else(Totals::default, |begun| {
            dispatcher.begin(begun);
            monitor::run(&dispatcher, &deadlines)
        }))
    })?;
    Ok(threads)
}

/// One connection from its opening to the end of the run.
fn work(
    target: &Target,
    dispatcher: &Dispatcher,
    number: usize,
    deadline: &Arc<Deadline>,
    workload: Box<dyn Workload>,
    ready: Ready,
) {
    // In the thread itself: the timer slack is the calling thread's.
    let opened = exact_timers().and_then(|()| open(target, deadline, dispatcher.shared.clock));
    let connection = match opened {
        Ok(connection) => connection,
        Err(error) => return ready.fail(error),
    };
    match Session::begin(&connection, workload.statements()) {
        Ok(session) => {
            if let Some(begun) = ready.wait() {
                dispatcher.begin(begun);
                Worker { dispatcher, number, session, deadline, workload }.run();
            }
        }
        Err(error) => ready.fail(error),
    }
    // One after the other: of two that close at once neither is the last, and the log is not emptied.
    let _turn = dispatcher.closing.lock();
    // An interrupt holds until a statement begins, and would end the emptying too.
    let _ = run(&connection, "SELECT 1");
    drop(connection);
}

#[cfg(test)]
mod tests;
