//! What one thread did over the whole run, and all threads together.

use crate::clock::Spent;

/// Violations that a summary shows; all are counted.
const SHOWN: usize = 50;

/// What one thread did over the whole run.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) scheduled: u64,
    pub(crate) sent: u64,
    pub(crate) done: u64,
    /// Of these, before the end of the schedule.
    pub(crate) in_time: u64,
    pub(crate) unsent: u64,
    pub(crate) in_flight_at_end: u64,
    pub(crate) max_queue: u64,
    pub(crate) verified: u64,
    pub(crate) violations: Vec<String>,
    pub(crate) violation_count: u64,
    pub(crate) reconnects: u64,
    pub(crate) reconnects_since: u64,
    pub(crate) reconnect_ns: u64,
    pub(crate) longest_reconnect_ns: u64,
    pub(crate) failed_connects: u64,
    pub(crate) spent: Spent,
    /// When it was over, in nanoseconds of the run's clock.
    pub(crate) ended: u64,
}

impl Totals {
    pub(crate) fn violation(&mut self, text: &str) {
        self.violation_count += 1;
        if self.violations.len() < SHOWN {
            self.violations.push(text.to_owned());
        }
    }

    pub(crate) fn reconnected(&mut self, nanoseconds: u64) {
        self.reconnects += 1;
        self.reconnects_since += 1;
        self.reconnect_ns += nanoseconds;
        self.longest_reconnect_ns = self.longest_reconnect_ns.max(nanoseconds);
    }

    /// Joins what another thread did.
    pub(crate) fn add(&mut self, other: Self) {
        self.scheduled += other.scheduled;
        self.sent += other.sent;
        self.done += other.done;
        self.in_time += other.in_time;
        self.unsent += other.unsent;
        self.in_flight_at_end += other.in_flight_at_end;
        self.max_queue += other.max_queue;
        self.verified += other.verified;
        self.violation_count += other.violation_count;
        let room = SHOWN.saturating_sub(self.violations.len());
        self.violations.extend(other.violations.into_iter().take(room));
        self.reconnects += other.reconnects;
        self.reconnect_ns += other.reconnect_ns;
        self.longest_reconnect_ns = self.longest_reconnect_ns.max(other.longest_reconnect_ns);
        self.failed_connects += other.failed_connects;
        self.spent.add(other.spent);
        self.ended = self.ended.max(other.ended);
    }
}
