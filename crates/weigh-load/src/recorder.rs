//! What one thread saw in one interval: three histograms of each operation, and everything that was not right.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::clock::SECOND;
use crate::totals::Totals;
use crate::workload::Outcome;

/// The longest time that a histogram holds, in nanoseconds: an hour. Longer ones are counted as overflows.
pub const LONGEST: u64 = 3_600 * SECOND;
const DIGITS: u8 = 3;
/// Different errors that are named in one interval; further ones share a name.
const ERRORS: usize = 32;
/// Wrong answers that are kept of one interval; all are counted.
const SHOWN_WRONG: usize = 20;
/// Bytes of an error that are kept.
const TEXT: usize = 300;

/// Times in nanoseconds, to three significant digits.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    histogram: Histogram<u32>,
    overflows: u64,
}

impl Times {
    pub(crate) fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("constant bounds");
        Self { histogram, overflows: 0 }
    }

    pub(crate) fn record(&mut self, nanoseconds: u64) {
        if self.histogram.record(nanoseconds).is_err() {
            self.overflows += 1;
        }
    }

    fn add(&mut self, other: &Self) {
        if !other.histogram.is_empty() {
            // Both have the same bounds.
            let _ = self.histogram.add(&other.histogram);
        }
        self.overflows += other.overflows;
    }

    fn clear(&mut self) {
        if !self.histogram.is_empty() {
            self.histogram.reset();
        }
        self.overflows = 0;
    }

    /// HdrHistogram's V2 compressed form.
    pub(crate) fn encoded(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A vector takes everything.
        let _ = V2DeflateSerializer::new().serialize(&self.histogram, &mut bytes);
        bytes
    }

    #[cfg(test)]
    pub(crate) fn histogram(&self) -> &Histogram<u32> {
        &self.histogram
    }
}

/// One operation in one interval.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Intended to done: what a user felt. Also of requests that timed out, as long as was waited for them.
    pub(crate) response: Times,
    /// Sent to done.
    pub(crate) service: Times,
    /// Intended until a connection was free.
    pub(crate) lag_free: Times,
    /// Intended, or free if that was later, to sent: the generator's own fault.
    pub(crate) lag_late: Times,
    /// Intended to done of requests that ended in an error, kept apart: a server can fail fast.
    pub(crate) failed: Times,
    /// Requests answered, rightly or not, other than by an error.
    pub(crate) count: u64,
    pub(crate) errors: BTreeMap<String, u64>,
    pub(crate) timeouts: u64,
    pub(crate) wrong: Vec<String>,
    pub(crate) wrong_count: u64,
    pub(crate) missing: u64,
}

impl Tally {
    fn new() -> Self {
        Self {
            response: Times::new(),
            service: Times::new(),
            lag_free: Times::new(),
            lag_late: Times::new(),
            failed: Times::new(),
            count: 0,
            errors: BTreeMap::new(),
            timeouts: 0,
            wrong: Vec::new(),
            wrong_count: 0,
            missing: 0,
        }
    }

    /// A unit of work is done, after these times in nanoseconds.
    pub(crate) fn finish(&mut self, outcome: Outcome, response: u64, service: u64, totals: &mut Totals) {
        if let Outcome::Failed(text) = outcome {
            self.error(&text);
            self.failed.record(response);
            return;
        }
        self.count += 1;
        self.response.record(response);
        self.service.record(service);
        match outcome {
            Outcome::Right { verified } => totals.verified += verified,
            Outcome::Wrong(text) => {
                totals.violation(&text);
                self.wrong_answer(text);
            }
            Outcome::Missing => self.missing += 1,
            Outcome::Failed(_) => {}
        }
    }

    /// A unit of work was given up, after these times in nanoseconds.
    pub(crate) fn time_out(&mut self, response: u64, service: u64) {
        self.timeouts += 1;
        // Left out, the slowest requests would make a run look better.
        self.response.record(response);
        self.service.record(service);
    }

    pub(crate) fn error(&mut self, text: &str) {
        self.errors_of(text, 1);
    }

    fn errors_of(&mut self, text: &str, times: u64) {
        let text = &text[..text.floor_char_boundary(TEXT)];
        let name =
            if self.errors.len() < ERRORS || self.errors.contains_key(text) { text } else { "other errors" };
        *self.errors.entry(name.to_owned()).or_default() += times;
    }

    pub(crate) fn wrong_answer(&mut self, text: String) {
        self.wrong_count += 1;
        if self.wrong.len() < SHOWN_WRONG {
            self.wrong.push(text);
        }
    }

    pub(crate) fn overflows(&self) -> u64 {
        self.times().iter().map(|times| times.overflows).sum()
    }

    fn times(&self) -> [&Times; 5] {
        [&self.response, &self.service, &self.lag_free, &self.lag_late, &self.failed]
    }

    fn times_mut(&mut self) -> [&mut Times; 5] {
        [&mut self.response, &mut self.service, &mut self.lag_free, &mut self.lag_late, &mut self.failed]
    }

    fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.times_mut().into_iter().zip(other.times()) {
            mine.add(theirs);
        }
        self.count += other.count;
        self.timeouts += other.timeouts;
        self.missing += other.missing;
        self.wrong_count += other.wrong_count;
        let room = SHOWN_WRONG.saturating_sub(self.wrong.len());
        self.wrong.extend(other.wrong.iter().take(room).cloned());
        for (text, times) in &other.errors {
            self.errors_of(text, *times);
        }
    }

    fn clear(&mut self) {
        for times in self.times_mut() {
            times.clear();
        }
        self.count = 0;
        self.timeouts = 0;
        self.missing = 0;
        self.wrong_count = 0;
        self.wrong.clear();
        self.errors.clear();
    }
}

/// All operations of one thread, or of all, in one interval.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    pub(crate) tallies: Vec<Tally>,
}

impl Recorder {
    pub(crate) fn new(operations: usize) -> Self {
        Self { tallies: vec![Tally::new(); operations] }
    }

    /// Joins what another thread saw.
    pub(crate) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            mine.add(theirs);
        }
    }

    /// Empties it for another interval: its memory is kept.
    pub(crate) fn clear(&mut self) {
        self.tallies.iter_mut().for_each(Tally::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn what_is_too_long_is_counted_and_never_clamped() {
        let mut tally = Tally::new();
        for time in [0, 1, 1_000, LONGEST, 2 * LONGEST] {
            tally.response.record(time);
        }
        assert_eq!((tally.response.histogram().len(), tally.overflows()), (4, 1));
    }

    #[test]
    fn encoded_histograms_can_be_read_and_threads_are_joined() {
        let (mut one, mut other) = (Recorder::new(2), Recorder::new(2));
        one.tallies[0].response.record(1_000_000);
        other.tallies[0].response.record(3_000_000);
        other.tallies[1].error("down");
        other.tallies[1].wrong_answer("stale".to_owned());
        one.add(&other);
        let bytes = one.tallies[0].response.encoded();
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        assert_eq!((read.len(), read.value_at_quantile(0.5)), (2, read.highest_equivalent(1_000_000)));
        assert_eq!(read.max(), read.highest_equivalent(3_000_000));
        assert_eq!((one.tallies[1].errors["down"], one.tallies[1].wrong_count), (1, 1));
        one.clear();
        assert!(one.tallies[0].response.histogram().is_empty() && one.tallies[1].errors.is_empty());
    }

    #[test]
    fn errors_are_bounded_and_none_is_lost() {
        let mut tally = Tally::new();
        for number in 0..1_000 {
            tally.error(&format!("no such table t{number}"));
            tally.wrong_answer("wrong".to_owned());
        }
        assert!(tally.errors.len() <= ERRORS + 1);
        assert_eq!(tally.errors.values().sum::<u64>(), 1_000);
        assert_eq!((tally.wrong.len(), tally.wrong_count), (SHOWN_WRONG, 1_000));
    }
}
