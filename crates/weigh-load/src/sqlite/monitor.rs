//! The thread that watches over a run: ends of intervals, calls that take too long, and the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crate::clock::SECOND;
use crate::shared::STOP_CHECK;
use crate::totals::Totals;

use super::deadline::Deadline;
use super::dispatcher::Dispatcher;

/// Deadlines are looked at no more often than this.
const LEAST_SLEEP: u64 = SECOND / 1000;

/// Works until the run is over, and sums up.
pub(crate) fn run(dispatcher: &Dispatcher, deadlines: &[Arc<Deadline>]) -> Totals {
    let shared = &dispatcher.shared;
    // A deadline that is set after a look lies at least this far ahead.
    let most_sleep = shared.timeout.clamp(LEAST_SLEEP, STOP_CHECK);
    loop {
        let now = shared.clock.now();
        let first = deadlines.iter().filter_map(|deadline| deadline.enforce(now)).min().unwrap_or(u64::MAX);
        let mut state = dispatcher.lock();
        let accounting = &mut state.accounting;
        accounting.end_intervals(now);
        if shared.stop.load(Ordering::Relaxed) {
            accounting.stop(now);
        }
        accounting.arrive(now);
        accounting.measure_queue();
        if accounting.is_over(now) || dispatcher.is_over() {
            let totals = accounting.close(now);
            dispatcher.close();
            drop(state);
            while deadlines.iter().fold(false, |busy, deadline| deadline.close() | busy) {
                thread::sleep(Duration::from_nanos(LEAST_SLEEP));
            }
            return totals;
        }
        let end = accounting.end();
        let mut until = accounting.boundary().min(first).min(now + most_sleep);
        if now < end {
            until = until.min(end);
        }
        drop(dispatcher.wait_monitor(state, until.saturating_sub(now).max(1)));
    }
}
