//! What is counted of a run's requests, the same for every target: when they were due, sent and answered, and in which
//! interval.
//!
//! | time | from | to |
//! |---|---|---|
//! | response | due | answered, given up or failed |
//! | service | sent | the same |
//! | lag, free | due | a connection was free |
//! | lag, late | due, or free if that was later | sent |
//!
//! A request that is given up after a time-out counts in response and service as long as it was waited for; one that
//! fails counts apart, since a server can fail fast. What was due and never sent is counted at the end, and what was in
//! flight then, too.
//!
//! A request changes nothing here but numbers: there is no allocation until an interval ends.

use std::mem;
use std::sync::Arc;

use crate::clock::{SECOND, Spent};
use crate::recorder::Recorder;
use crate::schedule::due_queue::DueQueue;
use crate::schedule::{Arrivals, Schedule};
use crate::shared::{Delivery, Shared};
use crate::totals::Totals;
use crate::workload::Outcome;

/// How long after the end requests that were due before it are sent still.
const DRAIN: u64 = SECOND;
/// How long after a stop answers are waited for still.
const STOP_GRACE: u64 = SECOND / 2;

/// A request that is due and has a connection. Times are nanoseconds of the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// When it was due.
    pub(crate) at: u64,
    /// Since when it could have been sent: a connection was free, and not too many requests were in flight.
    pub(crate) free: u64,
}

impl Due {
    /// Its first command is sent.
    #[inline]
    pub(crate) fn send(self, operation: usize, sent: u64) -> Request {
        Request { operation, due: self, sent }
    }
}

/// A request that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) operation: usize,
    pub(crate) due: Due,
    /// When its first command was sent.
    pub(crate) sent: u64,
}

/// The account of those connections that take their requests from one queue.
pub(crate) struct Accounting {
    shared: Arc<Shared>,
    /// Reads what making the requests takes.
    spent_until_now: fn() -> Spent,
    most_in_flight: usize,
    closed: bool,
    begun: u64,
    end: u64,
    /// After a stop: until when answers are waited for.
    give_up: Option<u64>,
    queue: DueQueue,
    in_flight: usize,
    /// When a request could last be sent again after `most_in_flight` had forbidden it.
    allowed: u64,
    recorder: Recorder,
    pub(crate) totals: Totals,
    interval: usize,
    /// When the present interval began.
    since: u64,
    boundary: u64,
    /// Up to the last interval.
    spent: Spent,
}

impl Accounting {
    /// Of so many kinds of operations, before the run.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        operations: usize,
        most_in_flight: usize,
        spent_until_now: fn() -> Spent,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            spent_until_now,
            most_in_flight,
            closed: shared.arrivals == Arrivals::Closed,
            begun: u64::MAX,
            end: u64::MAX,
            give_up: None,
            queue: DueQueue::new(Schedule::new(&Arrivals::Closed, 0, 1, 0), 0),
            in_flight: 0,
            allowed: 0,
            recorder: Recorder::new(operations),
            totals: Totals::default(),
            interval: 0,
            since: u64::MAX,
            boundary: u64::MAX,
            spent: Spent::default(),
        }
    }

    /// The run begins at this moment, with each `parts`-th request of the schedule from `part` on.
    pub(crate) fn begin(&mut self, begun: u64, part: u64, parts: u64) {
        let duration = self.shared.duration;
        let schedule = match &self.shared.lanes {
            None => Schedule::new(&self.shared.arrivals, part, parts, duration),
            Some(lanes) => Schedule::new(&Arrivals::Trace(lanes.ascending(part, parts)), 0, 1, duration),
        };
        self.begun = begun;
        self.end = begun + self.shared.duration;
        self.queue = DueQueue::new(schedule, begun);
        self.since = begun;
        self.boundary = self.next_boundary(begun);
        self.spent = (self.spent_until_now)();
    }

    /// When the run began; the end of time before that.
    pub(crate) fn begun(&self) -> u64 {
        self.begun
    }

    /// The end of the schedule, or of the run if it was stopped earlier.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// When the present interval ends.
    pub(crate) fn boundary(&self) -> u64 {
        self.boundary
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Whether one more request may be in flight.
    #[inline]
    pub(crate) fn may_send(&self) -> bool {
        self.in_flight < self.most_in_flight
    }

    /// How many of the requests that were due have been taken.
    pub(crate) fn taken(&self) -> u64 {
        self.queue.left
    }

    /// When the next request is due that was not taken yet; of a closed loop, at once. Nothing if there is no more.
    #[inline]
    pub(crate) fn next_due(&mut self) -> Option<u64> {
        if self.closed { Some(self.begun) } else { self.queue.next() }
    }

    /// Counts what has become due until now.
    #[inline]
    pub(crate) fn arrive(&mut self, now: u64) {
        if now >= self.begun {
            self.queue.arrive(now.min(self.end));
        }
    }

    /// Remembers how many requests wait.
    #[inline]
    pub(crate) fn measure_queue(&mut self) {
        self.queue.measure();
    }

    /// Takes the oldest request, if it is due, for a connection that has been free since `idle`; of a closed loop the one
    /// of its own user, who wanted it at `wanted`, or as soon as the connection was free.
    #[inline]
    pub(crate) fn take(&mut self, now: u64, idle: u64, wanted: Option<u64>) -> Option<Due> {
        let free = idle.max(self.allowed);
        let at = if self.closed {
            (self.begun..self.end).contains(&now).then_some(wanted.unwrap_or(free))?
        } else {
            self.queue.take(if now < self.end + DRAIN { now } else { 0 })?
        };
        self.in_flight += 1;
        self.totals.sent += 1;
        Some(Due { at, free })
    }

    /// Takes the request of a connection of its own, if it is due; the connection has been free since `idle`.
    #[inline]
    pub(crate) fn take_own(&mut self, at: u64, now: u64, idle: u64) -> Option<Due> {
        if at > now || now >= self.end + DRAIN {
            return None;
        }
        self.queue.left += 1;
        self.in_flight += 1;
        self.totals.sent += 1;
        Some(Due { at, free: idle.max(self.allowed) })
    }

    /// A request that was taken has been sent.
    #[inline]
    pub(crate) fn sent(&mut self, request: &Request) {
        let Request { operation, due, sent } = *request;
        let tally = &mut self.recorder.tallies[operation];
        tally.lag_free.record(due.free.saturating_sub(due.at));
        tally.lag_late.record(sent.saturating_sub(due.free.max(due.at)));
    }

    /// A request is done, well or not.
    #[inline]
    pub(crate) fn finish(&mut self, request: &Request, outcome: Outcome, now: u64) {
        let (response, service) = request.times(now);
        self.recorder.tallies[request.operation].finish(outcome, response, service, &mut self.totals);
        self.one_less_in_flight(now);
    }

    /// A request was given up.
    #[inline]
    pub(crate) fn time_out(&mut self, request: &Request, now: u64) {
        let (response, service) = request.times(now);
        self.recorder.tallies[request.operation].time_out(response, service);
        self.one_less_in_flight(now);
    }

    /// One request less is in flight.
    #[inline]
    fn one_less_in_flight(&mut self, now: u64) {
        if self.in_flight == self.most_in_flight {
            self.allowed = now;
        }
        self.in_flight -= 1;
        self.totals.done += 1;
        self.totals.in_time += u64::from(now <= self.end);
    }

    /// Nothing more becomes due, and answers are waited for a short time only.
    pub(crate) fn stop(&mut self, now: u64) {
        if self.give_up.is_none() {
            self.give_up = Some(now + STOP_GRACE);
            self.end = self.end.min(now);
        }
    }

    /// The schedule stood still for so long, with nothing in flight: what was not sent is due later by as much, and the
    /// run ends later.
    pub(crate) fn shift(&mut self, by: u64) {
        self.queue.shift(by);
        self.end = self.end.saturating_add(by);
        self.boundary = self.next_boundary(self.since);
    }

    /// Whether all that was due has been dealt with, or after a stop need not be.
    pub(crate) fn is_over(&self, now: u64) -> bool {
        if let Some(give_up) = self.give_up {
            return self.in_flight == 0 || now >= give_up;
        }
        let all_sent = self.closed || self.queue.waiting() == 0 || now >= self.end + DRAIN;
        now >= self.end && all_sent && self.in_flight == 0
    }

    /// Hands over the intervals that have ended; to be called before anything is counted that came later.
    #[inline]
    pub(crate) fn end_intervals(&mut self, now: u64) {
        // After a long pause: the intervals in between have nothing, and are there.
        while now >= self.boundary {
            // What is due at the end of an interval belongs to the next.
            self.arrive(self.boundary - 1);
            self.deliver(self.boundary);
        }
    }

    /// Hands over the last interval, and sums up.
    pub(crate) fn close(&mut self, now: u64) -> Totals {
        self.end_intervals(now);
        self.deliver(now);
        let mut totals = mem::take(&mut self.totals);
        totals.in_flight_at_end = self.in_flight as u64;
        totals.scheduled = if self.closed { totals.sent } else { self.queue.arrived };
        totals.unsent = totals.scheduled - totals.sent;
        totals.max_queue = self.queue.longest;
        totals.ended = now;
        totals
    }

    /// Hands over what was counted so far, as the interval that ends at `to`.
    #[cold]
    fn deliver(&mut self, to: u64) {
        let until_now = (self.spent_until_now)();
        let spent = until_now.since(self.spent);
        let operations = self.recorder.tallies.len();
        let recorder = mem::replace(&mut self.recorder, self.shared.recorder(operations));
        self.shared.deliver(Delivery {
            interval: self.interval,
            to,
            recorder,
            spent,
            in_flight: self.in_flight as u64,
            queued: self.queue.waiting(),
            reconnects: mem::take(&mut self.totals.reconnects_since),
        });
        self.totals.spent.add(spent);
        self.spent = until_now;
        self.interval += 1;
        self.since = to;
        self.boundary = self.next_boundary(to);
    }

    /// The next end of an interval. What comes after the end belongs to the last one.
    fn next_boundary(&self, after: u64) -> u64 {
        let next = after.saturating_add(self.shared.interval);
        if next < self.end { next } else { u64::MAX }
    }
}

impl Request {
    /// Response and service time of one that ends now.
    #[inline]
    fn times(&self, now: u64) -> (u64, u64) {
        (now.saturating_sub(self.due.at), now.saturating_sub(self.sent))
    }
}

#[cfg(test)]
mod tests;
