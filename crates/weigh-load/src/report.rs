//! Intervals and summary in the form in which they are handed to Python.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::recorder::{Tally, Times};
use crate::shared::Delivery;
use crate::totals::Totals;

/// One operation in one interval. Histograms are HdrHistogram V2, compressed, in base64, of nanoseconds.
#[derive(Debug, Serialize)]
pub struct OperationReport {
    name: String,
    count: u64,
    errors: BTreeMap<String, u64>,
    timeouts: u64,
    wrong: Vec<Wrong>,
    wrong_count: u64,
    missing: u64,
    overflows: u64,
    response: String,
    service: String,
    lag_free: String,
    lag_late: String,
    failed: String,
}

#[derive(Debug, Serialize)]
struct Wrong {
    text: String,
}

impl OperationReport {
    fn new(name: &str, tally: &Tally) -> Self {
        Self {
            name: name.to_owned(),
            count: tally.count,
            errors: tally.errors.clone(),
            timeouts: tally.timeouts,
            wrong: tally.wrong.iter().map(|text| Wrong { text: text.clone() }).collect(),
            wrong_count: tally.wrong_count,
            missing: tally.missing,
            overflows: tally.overflows(),
            response: encoded(&tally.response),
            service: encoded(&tally.service),
            lag_free: encoded(&tally.lag_free),
            lag_late: encoded(&tally.lag_late),
            failed: encoded(&tally.failed),
        }
    }
}

fn encoded(times: &Times) -> String {
    STANDARD.encode(times.encoded())
}

/// One interval of a run; seconds count from the beginning of the schedule.
#[derive(Debug, Serialize)]
pub struct Interval {
    from_s: f64,
    to_s: f64,
    operations: Vec<OperationReport>,
    in_flight: u64,
    queued: u64,
    client_cpu_s: f64,
    client_wait_s: f64,
    reconnects: u64,
}

impl Interval {
    pub(crate) fn new(operations: &[String], whole: &Delivery, begun: u64, from: u64) -> Self {
        let reports = operations.iter().zip(&whole.recorder.tallies);
        Self {
            from_s: seconds(from - begun),
            to_s: seconds(whole.to.max(from) - begun),
            operations: reports.map(|(name, tally)| OperationReport::new(name, tally)).collect(),
            in_flight: whole.in_flight,
            queued: whole.queued,
            client_cpu_s: seconds(whole.spent.cpu),
            client_wait_s: seconds(whole.spent.waited),
            reconnects: whole.reconnects,
        }
    }
}

/// A run as a whole.
#[derive(Debug, Serialize)]
pub struct Summary {
    t0_unix: f64,
    scheduled: u64,
    sent: u64,
    done: u64,
    in_time: u64,
    unsent: u64,
    in_flight_at_end: u64,
    seconds: f64,
    client_cpu_s: f64,
    clock_jumps: u64,
    max_queue: u64,
    overflows: u64,
    verified_reads: u64,
    violations: Vec<String>,
    violation_count: u64,
    reconnects: u64,
    reconnect_s: f64,
    longest_reconnect_s: f64,
    failed_connects: u64,
}

impl Summary {
    pub(crate) fn new(totals: Totals, begun: u64, t0_unix: f64, clock_jumps: u64, overflows: u64) -> Self {
        Self {
            t0_unix,
            scheduled: totals.scheduled,
            sent: totals.sent,
            done: totals.done,
            in_time: totals.in_time,
            unsent: totals.unsent,
            in_flight_at_end: totals.in_flight_at_end,
            seconds: seconds(totals.ended.saturating_sub(begun)),
            client_cpu_s: seconds(totals.spent.cpu),
            clock_jumps,
            max_queue: totals.max_queue,
            overflows,
            verified_reads: totals.verified,
            violations: totals.violations,
            violation_count: totals.violation_count,
            reconnects: totals.reconnects,
            reconnect_s: seconds(totals.reconnect_ns),
            longest_reconnect_s: seconds(totals.longest_reconnect_ns),
            failed_connects: totals.failed_connects,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact to the nanosecond for 104 days")]
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}
