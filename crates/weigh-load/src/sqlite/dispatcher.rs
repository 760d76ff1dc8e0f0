//! Which thread takes which request: the queue that all threads of a run share, and what is counted of it.
//!
//! A thread that is free takes the oldest request that is due. If none is, it is given the next moment for
//! which no thread sleeps yet, and sleeps until then by a timer of its own: no thread has to wake another, so nothing but
//! the timer lies between the moment and the request.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::accounting::{Accounting, Due, Request};
use crate::clock::Spent;
use crate::schedule::{Arrivals, Schedule};
use crate::shared::{STOP_CHECK, Shared, WAKE_EARLY};
use crate::workload::Outcome;

/// The queue of one run. Times are nanoseconds of the run's clock.
pub(crate) struct Dispatcher {
    pub(crate) shared: Arc<Shared>,
    closed: bool,
    over: AtomicBool,
    /// Held by the thread that closes its connection.
    pub(super) closing: Mutex<()>,
    state: Mutex<State>,
    /// Wakes a thread that has no moment to sleep for.
    worker_wakes: Condvar,
    monitor_wakes: Condvar,
}

pub(super) struct State {
    pub(super) accounting: Accounting,
    /// The moments from the first on that no thread sleeps for; of them, so many were given out.
    coming: Schedule,
    given: u64,
    /// Since when connections have been free, the longest free one first. Whichever thread takes a request takes the
    /// first of these.
    idle: VecDeque<u64>,
    /// Threads that wait because as many requests are in flight as may be.
    held_back: usize,
}

impl Dispatcher {
    pub(crate) fn new(
        shared: Arc<Shared>,
        operations: usize,
        connections: usize,
        most_in_flight: usize,
    ) -> Self {
        let state = State {
            accounting: Accounting::new(&shared, operations, most_in_flight, Spent::by_process),
            coming: Schedule::new(&Arrivals::Closed, 0, 1, 0),
            given: 0,
            idle: VecDeque::from(vec![0; connections]),
            held_back: 0,
        };
        let closed = shared.arrivals == Arrivals::Closed;
        Self {
            shared,
            closed,
            over: AtomicBool::new(false),
            closing: Mutex::new(()),
            state: Mutex::new(state),
            worker_wakes: Condvar::new(),
            monitor_wakes: Condvar::new(),
        }
    }

    /// The run begins at this moment. Every thread calls this; the first call counts.
    pub(crate) fn begin(&self, begun: u64) {
        let shared = &self.shared;
        let mut state = self.lock();
        if state.accounting.begun() != u64::MAX {
            return;
        }
        state.coming = Schedule::new(&shared.arrivals, 0, 1, shared.duration);
        state.idle.iter_mut().for_each(|since| *since = begun);
        state.accounting.begin(begun, 0, 1);
    }

    /// Takes the next request as soon as it is due and may be sent; nothing once there will be none.
    pub(crate) fn take(&self) -> Option<Due> {
        let mut state = self.lock();
        loop {
            // A stop is seen even if requests fail one after another without a call.
            if self.is_over() || self.shared.stop.load(Ordering::Relaxed) {
                return None;
            }
            let now = self.shared.clock.now();
            state.accounting.end_intervals(now);
            let may_send = state.accounting.may_send();
            if may_send && let Some(due) = state.take(now) {
                return Some(due);
            }
            let moment = if may_send { state.next_moment(now, self.closed) } else { None };
            state = match moment {
                Some(moment) => {
                    drop(state);
                    self.sleep(moment, || self.is_over() || self.shared.stop.load(Ordering::Relaxed));
                    self.lock()
                }
                None => self.wait(state, !may_send),
            };
        }
    }

    /// Waits to be woken, or a while.
    fn wait<'a>(&self, mut state: MutexGuard<'a, State>, held_back: bool) -> MutexGuard<'a, State> {
        state.held_back += usize::from(held_back);
        let waited = self.worker_wakes.wait_timeout(state, Duration::from_nanos(STOP_CHECK));
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.held_back -= usize::from(held_back);
        state
    }

    /// Sleeps until a moment; false if `ended` was true before.
    pub(crate) fn sleep(&self, until: u64, ended: impl Fn() -> bool) -> bool {
        let early = if self.shared.spin { WAKE_EARLY } else { 0 };
        loop {
            let now = self.shared.clock.now();
            if now >= until {
                return true;
            }
            if ended() {
                return false;
            }
            let rest = (until - now).saturating_sub(early).min(STOP_CHECK);
            if rest > 0 {
                thread::sleep(Duration::from_nanos(rest));
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// The first command of a request is about to be executed.
    pub(crate) fn sent(&self, request: &Request) {
        if let Some(mut state) = self.count(request.sent) {
            state.accounting.sent(request);
        }
    }

    /// A unit of work is done.
    /// When the run began.
    pub(crate) fn begun(&self) -> u64 {
        self.lock().accounting.begun()
    }

    pub(crate) fn finish(&self, request: &Request, outcome: Outcome, now: u64) {
        if let Some(mut state) = self.count(now) {
            state.accounting.finish(request, outcome, now);
            self.wake_for_less_in_flight(&state, now);
        }
    }

    /// A unit of work took longer than it may, and was ended.
    pub(crate) fn time_out(&self, request: &Request, now: u64) {
        if let Some(mut state) = self.count(now) {
            state.accounting.time_out(request, now);
            self.wake_for_less_in_flight(&state, now);
        }
    }

    /// Whoever comes first after the end of an interval hands it over, before anything is counted: nothing counts in
    /// the interval before its own. Nothing, once the last one was handed over: what comes then was in flight at the
    /// end.
    fn count(&self, now: u64) -> Option<MutexGuard<'_, State>> {
        let mut state = self.lock();
        if self.is_over() {
            return None;
        }
        state.accounting.end_intervals(now);
        Some(state)
    }

    fn wake_for_less_in_flight(&self, state: &State, now: u64) {
        if state.held_back > 0 {
            self.worker_wakes.notify_one();
        }
        let last = now >= state.accounting.end() || self.shared.stop.load(Ordering::Relaxed);
        if state.accounting.in_flight() == 0 && last {
            self.monitor_wakes.notify_one();
        }
    }

    /// The connection of a request that is done can take another.
    pub(crate) fn free(&self, now: u64) {
        let mut state = self.lock();
        let last = state.idle.back().copied().unwrap_or(0);
        state.idle.push_back(now.max(last));
    }

    /// Whether nothing counts any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Nothing counts from now on.
    pub(super) fn close(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.worker_wakes.notify_all();
        self.monitor_wakes.notify_one();
    }

    /// The monitor waits until it is woken, or so many nanoseconds.
    pub(super) fn wait_monitor<'a>(
        &self,
        state: MutexGuard<'a, State>,
        nanoseconds: u64,
    ) -> MutexGuard<'a, State> {
        let waited = self.monitor_wakes.wait_timeout(state, Duration::from_nanos(nanoseconds));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, now: u64) -> Option<Due> {
        let idle = self.idle.front().copied()?;
        self.accounting.arrive(now);
        let due = self.accounting.take(now, idle, None)?;
        self.idle.pop_front();
        self.accounting.measure_queue();
        Some(due)
    }

    /// The next moment for which no thread sleeps yet; nothing if there is none before the end.
    fn next_moment(&mut self, now: u64, closed: bool) -> Option<u64> {
        let begun = self.accounting.begun();
        if closed {
            return (now < begun).then_some(begun);
        }
        while self.given < self.accounting.taken() {
            self.coming.next();
            self.given += 1;
        }
        self.given += 1;
        let at = self.coming.next()?;
        Some(begun + at).filter(|at| *at < self.accounting.end())
    }
}
