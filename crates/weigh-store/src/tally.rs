//! What a life asked for, and how much of it at the same moment.

use std::time::{Duration, Instant};

/// What was asked for since the tally was last taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// GETs that began.
    pub gets: u64,
    /// HEADs that began.
    pub heads: u64,
    /// Requests that the store refused, or that did not reach it.
    pub failed: u64,
    /// Bytes of the bodies of answers.
    pub bytes: u64,
    /// Seconds of all requests together, from its last byte to the last byte of its answer.
    pub request_s: f64,
    /// Seconds with at least one request under way.
    pub busy_s: f64,
    /// Most requests that were under way at the same moment.
    pub peak: u64,
}

/// Counts one life's requests.
#[derive(Debug)]
pub(crate) struct Counting {
    tally: Tally,
    active: u64,
    changed: Instant,
    requests: Duration,
    busy: Duration,
}

impl Counting {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            tally: Tally::default(),
            active: 0,
            changed: now,
            requests: Duration::ZERO,
            busy: Duration::ZERO,
        }
    }

    /// A request is there.
    pub(crate) fn begin(&mut self, head: bool, now: Instant) {
        self.advance(now);
        self.active += 1;
        self.tally.peak = self.tally.peak.max(self.active);
        *(if head { &mut self.tally.heads } else { &mut self.tally.gets }) += 1;
    }

    /// It was answered.
    pub(crate) fn end(&mut self, failed: bool, now: Instant) {
        self.advance(now);
        self.active = self.active.saturating_sub(1);
        self.tally.failed += u64::from(failed);
    }

    pub(crate) fn add_bytes(&mut self, count: u64) {
        self.tally.bytes += count;
    }

    /// What was counted since this was last asked; requests that are under way go on into the next.
    pub(crate) fn take(&mut self, now: Instant) -> Tally {
        self.advance(now);
        let mut taken = std::mem::take(&mut self.tally);
        taken.request_s = std::mem::take(&mut self.requests).as_secs_f64();
        taken.busy_s = std::mem::take(&mut self.busy).as_secs_f64();
        self.tally.peak = self.active;
        taken
    }

    fn advance(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.changed);
        self.changed = self.changed.max(now);
        if self.active > 0 {
            self.busy += passed;
            self.requests += passed * u32::try_from(self.active).unwrap_or(u32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_that_overlap_are_busy_once_and_last_twice() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut counting = Counting::new(at(0));
        counting.begin(false, at(10));
        counting.begin(true, at(20));
        counting.add_bytes(7);
        counting.end(false, at(30));
        counting.end(true, at(50));
        let tally = counting.take(at(100));
        let expected =
            Tally { gets: 1, heads: 1, failed: 1, bytes: 7, request_s: 0.05, busy_s: 0.04, peak: 2 };
        assert_eq!(tally, expected);
        assert_eq!(counting.take(at(200)), Tally::default());
    }

    #[test]
    fn a_request_that_goes_on_belongs_to_both_tallies_in_time_and_to_the_first_in_number() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut counting = Counting::new(at(0));
        counting.begin(false, at(0));
        assert_eq!(
            counting.take(at(10)),
            Tally { gets: 1, request_s: 0.01, busy_s: 0.01, peak: 1, ..Tally::default() }
        );
        counting.end(false, at(30));
        assert_eq!(
            counting.take(at(40)),
            Tally { request_s: 0.02, busy_s: 0.02, peak: 1, ..Tally::default() }
        );
    }
}
