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

use crate::clock::SECOND;
use crate::recorder::Recorder;
use crate::schedule::due_queue::Queue;
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
    /// Reads the CPU time of whoever makes the requests.
    cpu_clock: fn() -> u64,
    most_in_flight: usize,
    closed: bool,
    begun: u64,
    end: u64,
    /// After a stop: until when answers are waited for.
    give_up: Option<u64>,
    queue: Queue,
    in_flight: usize,
    /// When a request could last be sent again after `most_in_flight` had forbidden it.
    allowed: u64,
    recorder: Recorder,
    pub(crate) totals: Totals,
    interval: usize,
    boundary: u64,
    /// CPU time up to the last interval.
    cpu: u64,
}

impl Accounting {
    /// Of so many kinds of operations, before the run.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        operations: usize,
        most_in_flight: usize,
        cpu_clock: fn() -> u64,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            cpu_clock,
            most_in_flight,
            closed: shared.arrivals == Arrivals::Closed,
            begun: u64::MAX,
            end: u64::MAX,
            give_up: None,
            queue: Queue::new(Schedule::new(&Arrivals::Closed, 0, 1, 0), 0),
            in_flight: 0,
            allowed: 0,
            recorder: Recorder::new(operations),
            totals: Totals::default(),
            interval: 0,
            boundary: u64::MAX,
            cpu: 0,
        }
    }

    /// The run begins at this moment, with each `parts`-th request of the schedule from `part` on.
    pub(crate) fn begin(&mut self, begun: u64, part: u64, parts: u64) {
        let schedule = Schedule::new(&self.shared.arrivals, part, parts, self.shared.duration);
        self.begun = begun;
        self.end = begun + self.shared.duration;
        self.queue = Queue::new(schedule, begun);
        self.boundary = self.next_boundary(begun);
        self.cpu = (self.cpu_clock)();
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

    /// When the next request is due that nobody has taken; of a closed loop, at once. Nothing if there is no more.
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

    /// Takes the oldest request, if it is due, for a connection that has been free since `idle`.
    #[inline]
    pub(crate) fn take(&mut self, now: u64, idle: u64) -> Option<Due> {
        let free = idle.max(self.allowed);
        let at = if self.closed {
            (self.begun..self.end).contains(&now).then_some(free)?
        } else {
            self.queue.take(if now < self.end + DRAIN { now } else { 0 })?
        };
        self.in_flight += 1;
        self.totals.sent += 1;
        Some(Due { at, free })
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
        self.land(now);
    }

    /// A request was given up.
    #[inline]
    pub(crate) fn time_out(&mut self, request: &Request, now: u64) {
        let (response, service) = request.times(now);
        self.recorder.tallies[request.operation].time_out(response, service);
        self.land(now);
    }

    /// One request less is in flight.
    #[inline]
    fn land(&mut self, now: u64) {
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
        let cpu = (self.cpu_clock)();
        let operations = self.recorder.tallies.len();
        let recorder = mem::replace(&mut self.recorder, self.shared.recorder(operations));
        self.shared.deliver(Delivery {
            interval: self.interval,
            to,
            recorder,
            cpu: cpu - self.cpu,
            in_flight: self.in_flight as u64,
            queued: self.queue.waiting(),
            reconnects: mem::take(&mut self.totals.reconnects_since),
        });
        self.totals.cpu += cpu - self.cpu;
        self.cpu = cpu;
        self.interval += 1;
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
mod tests {
    use super::*;
    use crate::recorder::Times;

    const MS: u64 = SECOND / 1000;

    /// Of one operation, over 10 s with intervals of 1 s, begun at 5 s.
    fn begun(arrivals: Arrivals, most_in_flight: usize) -> (Accounting, Arc<Shared>) {
        let times = (10 * SECOND, SECOND, SECOND);
        let shared = Arc::new(Shared::new(arrivals, 1, false, times));
        let mut accounting = Accounting::new(&shared, 1, most_in_flight, || 0);
        accounting.begin(5 * SECOND, 0, 1);
        (accounting, shared)
    }

    fn trace(moments: &[u64]) -> Arrivals {
        Arrivals::Trace(Arc::from(moments))
    }

    /// How many times, and the longest, to the precision of a histogram.
    fn seen(times: &Times) -> (u64, u64) {
        (times.histogram().len(), times.histogram().max() / MS)
    }

    #[test]
    fn times_count_from_when_a_request_was_due_and_lag_is_whose_it_was() {
        let (mut accounting, shared) = begun(trace(&[0, SECOND / 2]), 2);
        let at = |ms: u64| 5 * SECOND + ms * MS;
        // Due at 0 ms, a connection is free at 20, it is sent at 25, answered at 125.
        let first = accounting.take(at(22), at(20)).unwrap().send(0, at(25));
        accounting.sent(&first);
        assert_eq!(accounting.take(at(22), at(0)), None, "not due yet");
        accounting.finish(&first, Outcome::Right { verified: 3 }, at(125));
        // Due at 500, a connection had been free for long, it is sent at 510 and given up at 710.
        let second = accounting.take(at(510), at(125)).unwrap().send(0, at(510));
        accounting.sent(&second);
        accounting.time_out(&second, at(710));
        accounting.arrive(at(999));
        accounting.end_intervals(at(1000));
        let delivered = shared.collect();
        let tally = &delivered[0].recorder.tallies[0];
        assert_eq!((tally.count, tally.timeouts), (1, 1));
        assert_eq!((seen(&tally.response), seen(&tally.service)), ((2, 210), (2, 200)));
        assert_eq!((seen(&tally.lag_free), seen(&tally.lag_late)), ((2, 20), (2, 10)));
        assert_eq!(seen(&tally.failed), (0, 0));
        assert_eq!(
            (accounting.totals.verified, accounting.totals.done, accounting.totals.in_time),
            (3, 2, 2)
        );
    }

    #[test]
    fn a_failure_has_a_histogram_of_its_own() {
        let (mut accounting, shared) = begun(trace(&[0]), 1);
        let request = accounting.take(5 * SECOND, 0).unwrap().send(0, 5 * SECOND);
        accounting.finish(&request, Outcome::Failed("down".into()), 5 * SECOND + 7 * MS);
        accounting.close(16 * SECOND);
        let delivered = shared.collect();
        let tally = &delivered[0].recorder.tallies[0];
        assert_eq!((seen(&tally.failed), seen(&tally.response), tally.errors["down"]), ((1, 7), (0, 0), 1));
    }

    #[test]
    fn what_may_not_be_sent_was_not_free() {
        let (mut accounting, _) = begun(trace(&[0, 0]), 1);
        let first = accounting.take(5 * SECOND, 0).unwrap().send(0, 5 * SECOND);
        assert!(!accounting.may_send());
        accounting.finish(&first, Outcome::Missing, 6 * SECOND);
        assert!(accounting.may_send());
        // Its connection has been free from the beginning, and it might be sent from 6 s on.
        assert_eq!(accounting.take(7 * SECOND, 0), Some(Due { at: 5 * SECOND, free: 6 * SECOND }));
    }

    #[test]
    fn a_closed_loop_is_due_when_it_may_be_sent() {
        let (mut accounting, _) = begun(Arrivals::Closed, 1);
        assert_eq!(accounting.next_due(), Some(5 * SECOND));
        let at = 9 * SECOND;
        assert_eq!(accounting.take(at + MS, at), Some(Due { at, free: at }));
        accounting.finish(&Due { at, free: at }.send(0, at), Outcome::Missing, 15 * SECOND + 1);
        assert_eq!(accounting.take(15 * SECOND, 0), None, "after the end");
        assert!(accounting.is_over(15 * SECOND));
        let totals = accounting.close(15 * SECOND + 1);
        assert_eq!((totals.scheduled, totals.sent, totals.unsent, totals.in_time), (1, 1, 0, 0));
    }

    #[test]
    fn what_was_due_is_sent_for_a_second_after_the_end_and_then_counted_as_unsent() {
        let (mut accounting, _) = begun(Arrivals::Constant { rate: 1.0 }, 1);
        accounting.arrive(20 * SECOND);
        let late = accounting.take(15 * SECOND + 999 * MS, 0).unwrap().send(0, 16 * SECOND);
        assert!(!accounting.is_over(18 * SECOND), "one is in flight");
        accounting.finish(&late, Outcome::Missing, 17 * SECOND);
        assert_eq!(accounting.take(16 * SECOND, 0), None);
        assert!(!accounting.is_over(15 * SECOND) && accounting.is_over(16 * SECOND));
        accounting.measure_queue();
        let totals = accounting.close(18 * SECOND);
        assert_eq!((totals.scheduled, totals.sent, totals.unsent, totals.max_queue), (10, 1, 9, 9));
        assert_eq!((totals.in_flight_at_end, totals.ended), (0, 18 * SECOND));
    }

    #[test]
    fn after_a_stop_nothing_more_is_due_and_answers_are_waited_for_half_a_second() {
        let (mut accounting, _) = begun(Arrivals::Constant { rate: 1.0 }, 2);
        let _unanswered = accounting.take(5 * SECOND, 0).unwrap();
        accounting.stop(7 * SECOND + MS);
        accounting.stop(9 * SECOND);
        accounting.arrive(12 * SECOND);
        assert!(!accounting.is_over(7 * SECOND + 500 * MS));
        assert!(accounting.is_over(7 * SECOND + 501 * MS));
        let totals = accounting.close(8 * SECOND);
        assert_eq!((totals.scheduled, totals.unsent, totals.in_flight_at_end), (3, 2, 1));
    }

    #[test]
    fn what_comes_after_the_end_of_an_interval_counts_in_the_next() {
        let (mut accounting, shared) = begun(trace(&[0, 0, SECOND / 2, SECOND]), 2);
        let mut sent = || {
            let request = accounting.take(5 * SECOND, 0).unwrap().send(0, 5 * SECOND);
            accounting.sent(&request);
            request
        };
        let (one, other) = (sent(), sent());
        for (request, at) in [(one, 7 * SECOND), (other, 8 * SECOND)] {
            accounting.end_intervals(at);
            accounting.finish(&request, Outcome::Missing, at);
        }
        accounting.end_intervals(9 * SECOND);
        let delivered: Vec<_> = shared
            .collect()
            .iter()
            .map(|one| {
                let tally = &one.recorder.tallies[0];
                (
                    one.interval,
                    one.to / SECOND,
                    seen(&tally.lag_late).0,
                    tally.count,
                    one.in_flight,
                    one.queued,
                )
            })
            .collect();
        // What is due at the end of an interval waits in the next.
        assert_eq!(
            delivered,
            [(0, 6, 2, 0, 2, 1), (1, 7, 0, 0, 2, 2), (2, 8, 0, 1, 1, 2), (3, 9, 0, 1, 0, 2)]
        );
    }
}
