//! What the threads of a run share: the schedule, who is free, and what was seen.
//!
//! A thread that is free takes the oldest request that is due. If none is, it is given the next moment that nobody
//! sleeps for, and sleeps until then by a timer of its own: nobody has to wake anybody, so nothing but the timer lies
//! between the moment and the request.
//!
//! Times are recorded as the loop over sockets records them (`event_loop`).

use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::clock::process_cpu;
use crate::event_loop::slot::Flight;
use crate::recorder::Recorder;
use crate::schedule::due_queue::Queue;
use crate::schedule::{Arrivals, Schedule};
use crate::shared::{ATTENTION, DRAIN, Delivery, Shared, WAKE_EARLY};
use crate::totals::Totals;
use crate::workload::Outcome;

/// A request that a thread has taken.
pub(crate) struct Due {
    pub(crate) intended: u64,
    /// Since when a connection had been free.
    pub(crate) free: u64,
}

/// The desk of one run. Times are nanoseconds of the run's clock.
pub(crate) struct Desk {
    pub(crate) shared: Arc<Shared>,
    most_in_flight: usize,
    closed: bool,
    over: AtomicBool,
    /// Held by the thread that closes its connection.
    pub(super) closing: Mutex<()>,
    state: Mutex<State>,
    /// Rings when a thread that has nothing to sleep for should look again.
    bell: Condvar,
    /// Rings when the clerk should.
    clerks_bell: Condvar,
}

pub(super) struct State {
    pub(super) begun: u64,
    pub(super) end: u64,
    queue: Queue,
    /// The moments from the first on that no thread sleeps for; of them, so many were given out.
    coming: Schedule,
    given: u64,
    /// Since when connections have been free, the longest free one first. Whichever thread takes a request takes the
    /// first of these.
    idle: VecDeque<u64>,
    pub(super) in_flight: usize,
    /// Threads that wait because `most_in_flight` are.
    held_back: usize,
    /// When a request could last be sent again after `most_in_flight` had forbidden it.
    allowed: u64,
    recorder: Recorder,
    pub(super) totals: Totals,
    interval: usize,
    pub(super) boundary: u64,
    cpu: u64,
}

impl Desk {
    pub(crate) fn new(
        shared: Arc<Shared>,
        operations: usize,
        connections: usize,
        most_in_flight: usize,
    ) -> Self {
        let schedule = Schedule::new(&Arrivals::Closed, 0, 1, 0);
        let state = State {
            begun: u64::MAX,
            end: u64::MAX,
            queue: Queue::new(schedule.clone(), 0),
            coming: schedule,
            given: 0,
            idle: VecDeque::from(vec![0; connections]),
            in_flight: 0,
            held_back: 0,
            allowed: 0,
            recorder: Recorder::new(operations),
            totals: Totals::default(),
            interval: 0,
            boundary: u64::MAX,
            cpu: 0,
        };
        let closed = shared.arrivals == Arrivals::Closed;
        Self {
            shared,
            most_in_flight,
            closed,
            over: AtomicBool::new(false),
            closing: Mutex::new(()),
            state: Mutex::new(state),
            bell: Condvar::new(),
            clerks_bell: Condvar::new(),
        }
    }

    /// The run begins at this moment. Every thread says so; the first is heard.
    pub(crate) fn begin(&self, begun: u64) {
        let shared = &self.shared;
        let mut state = self.hold();
        if state.begun != u64::MAX {
            return;
        }
        let schedule = Schedule::new(&shared.arrivals, 0, 1, shared.duration);
        state.begun = begun;
        state.end = begun + shared.duration;
        state.queue = Queue::new(schedule.clone(), begun);
        state.coming = schedule;
        state.idle.iter_mut().for_each(|since| *since = begun);
        state.boundary = state.next_boundary(begun, shared.interval);
        state.cpu = process_cpu();
    }

    /// Takes the next request as soon as it is due and may be sent; nothing once there will be none.
    pub(crate) fn take(&self) -> Option<Due> {
        let mut state = self.hold();
        loop {
            // A stop is seen even if requests fail one after another without a call.
            if self.is_over() || self.shared.stop.load(Ordering::Relaxed) {
                return None;
            }
            let now = self.shared.clock.now();
            self.turn(&mut state, now);
            let may = state.in_flight < self.most_in_flight;
            if may
                && now >= state.begun
                && let Some(due) = state.take(now, self.closed)
            {
                return Some(due);
            }
            let moment = if may { state.next_moment(now, self.closed) } else { None };
            state = match moment {
                Some(moment) => {
                    drop(state);
                    self.sleep(moment, || self.is_over() || self.shared.stop.load(Ordering::Relaxed));
                    self.hold()
                }
                None => self.wait(state, !may),
            };
        }
    }

    /// Waits for the bell, or a while.
    fn wait<'a>(&self, mut state: MutexGuard<'a, State>, held_back: bool) -> MutexGuard<'a, State> {
        state.held_back += usize::from(held_back);
        let waited = self.bell.wait_timeout(state, Duration::from_nanos(ATTENTION));
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
            let rest = (until - now).saturating_sub(early).min(ATTENTION);
            if rest > 0 {
                thread::sleep(Duration::from_nanos(rest));
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// The first command of a request is about to be executed.
    pub(crate) fn sent(&self, operation: usize, due: &Due, sent: u64) {
        let mut state = self.hold();
        if self.is_over() {
            return;
        }
        self.turn(&mut state, sent);
        let tally = &mut state.recorder.tallies[operation];
        tally.lag_free.record(due.free.saturating_sub(due.intended));
        tally.lag_late.record(sent.saturating_sub(due.free.max(due.intended)));
    }

    /// A unit of work is done.
    pub(crate) fn finish(&self, flight: &Flight, outcome: Outcome, now: u64) {
        let mut state = self.hold();
        // What comes after the last interval was handed over counts as in flight at the end.
        if self.is_over() {
            return;
        }
        self.turn(&mut state, now);
        let (response, service) = (now.saturating_sub(flight.intended), now.saturating_sub(flight.sent));
        let State { recorder, totals, .. } = &mut *state;
        recorder.tallies[flight.operation].finish(outcome, response, service, totals);
        self.land(&mut state, now);
    }

    /// A unit of work took longer than it may, and was ended.
    pub(crate) fn time_out(&self, flight: &Flight, now: u64) {
        let mut state = self.hold();
        if self.is_over() {
            return;
        }
        self.turn(&mut state, now);
        let (response, service) = (now.saturating_sub(flight.intended), now.saturating_sub(flight.sent));
        state.recorder.tallies[flight.operation].time_out(response, service);
        self.land(&mut state, now);
    }

    /// One request less is in flight.
    fn land(&self, state: &mut State, now: u64) {
        if state.in_flight == self.most_in_flight {
            state.allowed = now;
        }
        state.in_flight -= 1;
        state.totals.done += 1;
        state.totals.in_time += u64::from(now <= state.end);
        if state.held_back > 0 {
            self.bell.notify_one();
        }
        if state.in_flight == 0 && (now >= state.end || self.shared.stop.load(Ordering::Relaxed)) {
            self.clerks_bell.notify_one();
        }
    }

    /// The connection of a request that is done can take another.
    pub(crate) fn free(&self, now: u64) {
        let mut state = self.hold();
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
        self.bell.notify_all();
        self.clerks_bell.notify_one();
    }

    /// Whether all that was due has been dealt with.
    pub(super) fn is_done(&self, state: &State, now: u64) -> bool {
        let all_sent = self.closed || state.queue.waiting() == 0 || now >= state.end + DRAIN;
        now >= state.end && all_sent && state.in_flight == 0
    }

    /// Waits until the clerk's bell rings, or so many nanoseconds.
    pub(super) fn rest<'a>(&self, state: MutexGuard<'a, State>, nanoseconds: u64) -> MutexGuard<'a, State> {
        let waited = self.clerks_bell.wait_timeout(state, Duration::from_nanos(nanoseconds));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Sums the run up, at its end.
    pub(super) fn sum_up(&self, state: &mut State, now: u64) -> Totals {
        self.deliver(state, now, now);
        let mut totals = mem::take(&mut state.totals);
        totals.in_flight_at_end = state.in_flight as u64;
        totals.scheduled = if self.closed { totals.sent } else { state.queue.arrived };
        totals.unsent = totals.scheduled - totals.sent;
        totals.max_queue = state.queue.longest;
        totals.ended = now;
        totals
    }

    /// Hands over the intervals that have ended. Whoever comes first after an end does so, before it changes anything:
    /// nothing counts in the interval before its own.
    pub(super) fn turn(&self, state: &mut State, now: u64) {
        if now >= state.boundary {
            // What is due at the end of an interval belongs to the next.
            state.arrive(state.boundary - 1);
            self.deliver(state, state.boundary, now);
        }
    }

    /// Hands over what was recorded up to now, as the interval that ends at `to`.
    fn deliver(&self, state: &mut State, to: u64, now: u64) {
        let cpu = process_cpu();
        let operations = state.recorder.tallies.len();
        let recorder = mem::replace(&mut state.recorder, self.shared.recorder(operations));
        self.shared.deliver(Delivery {
            interval: state.interval,
            to,
            recorder,
            cpu: cpu - state.cpu,
            in_flight: state.in_flight as u64,
            queued: state.queue.waiting(),
            reconnects: 0,
        });
        state.totals.cpu += cpu - state.cpu;
        state.cpu = cpu;
        state.interval += 1;
        state.boundary = state.next_boundary(to, self.shared.interval);
        // After a long pause: the intervals in between have nothing, and are there.
        self.turn(state, now);
    }

    pub(super) fn hold(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts what has become due, and how many wait.
    pub(super) fn arrive(&mut self, now: u64) {
        if now >= self.begun {
            self.queue.arrive(now.min(self.end));
            self.queue.measure();
        }
    }

    fn take(&mut self, now: u64, closed: bool) -> Option<Due> {
        self.queue.arrive(now.min(self.end));
        let free = self.idle.front().copied()?.max(self.allowed);
        let intended = if closed {
            (now < self.end).then_some(free)?
        } else {
            self.queue.take(if now < self.end + DRAIN { now } else { 0 })?
        };
        self.idle.pop_front();
        self.queue.measure();
        self.in_flight += 1;
        self.totals.sent += 1;
        Some(Due { intended, free })
    }

    /// The next moment that nobody sleeps for; nothing if there is none before the end.
    fn next_moment(&mut self, now: u64, closed: bool) -> Option<u64> {
        if closed {
            return (now < self.begun).then_some(self.begun);
        }
        while self.given < self.queue.left {
            self.coming.next();
            self.given += 1;
        }
        self.given += 1;
        let at = self.coming.next()?;
        Some(self.begun + at).filter(|at| *at < self.end)
    }

    /// The next end of an interval. What comes after the end belongs to the last one.
    fn next_boundary(&self, after: u64, interval: u64) -> u64 {
        let next = after.saturating_add(interval);
        if next < self.end { next } else { u64::MAX }
    }
}
