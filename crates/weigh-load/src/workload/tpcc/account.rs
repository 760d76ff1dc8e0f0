//! What a run of TPC-C asked for, and what was answered: to be compared with what the specification wants, and with what
//! the tables hold afterwards.

use std::collections::BTreeMap;

use serde::Serialize;

use super::mix::Kind;

/// Of New-Orders that are over.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct NewOrders {
    /// Committed.
    pub(super) committed: u64,
    /// Taken back, because an item does not exist.
    pub(super) rolled_back: u64,
    /// Lines of those that were committed.
    pub(super) lines: u64,
    /// Of these, of items that another warehouse supplies.
    pub(super) remote_lines: u64,
    /// Orders of 5, 6, ... 15 lines, committed or taken back.
    pub(super) by_lines: [u64; 11],
}

/// Of transactions that name a customer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Named {
    pub(super) done: u64,
    /// By a last name, and not by a number.
    pub(super) by_name: u64,
    /// Of a customer of another warehouse.
    pub(super) remote: u64,
}

/// Of Deliveries.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Deliveries {
    pub(super) done: u64,
    /// Orders delivered.
    pub(super) delivered: u64,
    /// Districts that had nothing to deliver.
    pub(super) skipped: u64,
}

/// Times of users at terminals, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Times {
    /// Transactions that were typed.
    pub(super) typed: u64,
    pub(super) keying_s: f64,
    /// Answers that were thought about.
    pub(super) thought: u64,
    pub(super) thinking_s: f64,
}

/// Everything that is over.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Account {
    /// By home warehouse.
    pub(super) home: Vec<u64>,
    pub(super) new_orders: NewOrders,
    pub(super) payments: Named,
    pub(super) order_statuses: Named,
    pub(super) deliveries: Deliveries,
    pub(super) stock_levels: u64,
    /// Of each kind: what its user took before and after it.
    pub(super) times: [Times; 5],
    /// Attempts that the server gave up because of others, by SQLSTATE.
    pub(super) retries: BTreeMap<String, u64>,
    /// Without an answer, or with an error or a wrong answer: what came of them is not known.
    pub(super) unknown: u64,
}

impl Account {
    pub(super) fn new(warehouses: usize) -> Self {
        Self { home: vec![0; warehouses], ..Self::default() }
    }

    /// A user has typed for so many seconds.
    pub(super) fn typed(&mut self, kind: Kind, seconds: f64) {
        let times = &mut self.times[kind.place()];
        times.typed += 1;
        times.keying_s += seconds;
    }

    /// A user thinks for so many seconds.
    pub(super) fn thought(&mut self, kind: Kind, seconds: f64) {
        let times = &mut self.times[kind.place()];
        times.thought += 1;
        times.thinking_s += seconds;
    }

    pub(super) fn retried(&mut self, code: &str) {
        *self.retries.entry(code.to_owned()).or_default() += 1;
    }

    /// Joins what another thread did.
    pub(super) fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.home.iter_mut().zip(&other.home) {
            *mine += theirs;
        }
        let (mine, theirs) = (&mut self.new_orders, &other.new_orders);
        mine.committed += theirs.committed;
        mine.rolled_back += theirs.rolled_back;
        mine.lines += theirs.lines;
        mine.remote_lines += theirs.remote_lines;
        for (mine, theirs) in mine.by_lines.iter_mut().zip(theirs.by_lines) {
            *mine += theirs;
        }
        self.payments.add(&other.payments);
        self.order_statuses.add(&other.order_statuses);
        self.deliveries.done += other.deliveries.done;
        self.deliveries.delivered += other.deliveries.delivered;
        self.deliveries.skipped += other.deliveries.skipped;
        self.stock_levels += other.stock_levels;
        for (mine, theirs) in self.times.iter_mut().zip(other.times) {
            mine.typed += theirs.typed;
            mine.thought += theirs.thought;
            mine.keying_s += theirs.keying_s;
            mine.thinking_s += theirs.thinking_s;
        }
        for (code, times) in &other.retries {
            *self.retries.entry(code.clone()).or_default() += times;
        }
        self.unknown += other.unknown;
    }
}

impl Named {
    fn add(&mut self, other: &Self) {
        self.done += other.done;
        self.by_name += other.by_name;
        self.remote += other.remote;
    }
}
