//! YCSB's core workloads A to F, with values that can be checked.
//!
//! | letter | mix | keys |
//! |---|---|---|
//! | A | read 50 %, update 50 % | scrambled zipfian |
//! | B | read 95 %, update 5 % | scrambled zipfian |
//! | C | read 100 % | scrambled zipfian |
//! | D | read 95 %, insert 5 % | latest |
//! | E | scan 95 %, insert 5 % | scrambled zipfian; lengths uniform in 1 to 100 |
//! | F | read 50 %, read-modify-write 50 % | scrambled zipfian |
//!
//! Other mixes are made of the same parts (`core_workload`). How keys are drawn is in `key_distribution`, which exist in `key_space`, the values in `value`, what an answer may
//! show in `expected_values`, what a scan has to show in `key_order`.

mod bulk;
mod commands;
mod core_workload;
mod durability;
mod expected_values;
mod key_distribution;
mod key_names;
mod key_order;
mod key_space;
mod own_keys;
mod range;
mod read_back;
mod step;
mod value;
mod worker;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::Error;
use crate::config::{Share, TargetKind};
use crate::workload::durability::Examiner;
use crate::workload::message::Bulk;
use crate::workload::{ReadBack, Source, Workload};

pub use commands::Store;
pub use core_workload::{CoreWorkload, Letter, Mix};
pub use key_distribution::{Requests, Zipf, fnv64};
pub use range::{Lengths, Range};

use durability::Rows;
use expected_values::ExpectedValues;
use key_names::KeyNames;
use key_order::KeyOrder;
use key_space::KeySpace;
use own_keys::OwnKeys;
use read_back::Reader;
use value::Values;
use worker::Worker;

/// One kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Update,
    Insert,
    Scan,
    ReadModifyWrite,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Update => "update",
            Self::Insert => "insert",
            Self::Scan => "scan",
            Self::ReadModifyWrite => "read-modify-write",
        }
    }
}

/// What to run, on how many rows.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The workload.
    pub core: CoreWorkload,
    /// Rows that are loaded, at least 1.
    pub records: u64,
    /// Of all random numbers and values.
    pub seed: u64,
    /// What kind of server it is.
    pub store: Store,
    /// Inserts that are expected: scrambled keys are drawn from the loaded and this many more, and drawn again while
    /// they do not exist. With 0, no scrambled key is an inserted one.
    pub expected_inserts: u64,
    /// Which of several generators this is.
    pub share: Share,
}

/// A YCSB run: what its threads share.
#[derive(Debug)]
pub struct Ycsb {
    settings: Settings,
    names: KeyNames,
    values: Values,
    expected: ExpectedValues,
    keys: KeySpace,
    own: OwnKeys,
    order: Option<KeyOrder>,
    /// How many sequential requests there were.
    sequence: AtomicU64,
}

impl Ycsb {
    /// A run on freshly loaded rows.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: no rows, fields that are too many or too short to be checked, or E on a store without order.
    pub fn new(settings: Settings) -> Result<Arc<Self>, Error> {
        let Settings { records, seed, store, .. } = settings;
        if records == 0 || records > value::MOST_KEYS {
            return Err(Error::Setting(format!(
                "YCSB on {records} records; it needs between 1 and {}",
                value::MOST_KEYS
            )));
        }
        settings.core.check(records)?;
        if settings.share.is_part() && settings.core.mix.insert > 0.0 {
            return Err(Error::Unfit {
                message: "YCSB's inserts (workloads D and E) make keys that other agents would have to know",
                remedy: "leave --agents out, or take ycsb-a, b, c or f",
            });
        }
        let own = OwnKeys::new(settings.share, settings.core.requests, records)?;
        let scans = settings.core.scans();
        if scans && store == (Store::KeyValue { ordered_index: false }) {
            return Err(Error::Setting(
                "YCSB's scans (workload E) go over keys in order, and a key-value store has none; declare an ordered \
                 index (a sorted set kept beside the rows, whose cost is then part of the result), or take another \
                 workload"
                    .into(),
            ));
        }
        if scans && store == Store::Cql {
            return Err(Error::Unfit {
                message: "YCSB's scans (workload E) go over keys in order, and Cassandra has rows in the order of the \
                          hashes of their keys: what YCSB's own binding scans there are other rows",
                remedy: "take ycsb-a, ycsb-b, ycsb-c, ycsb-d or ycsb-f",
            });
        }
        // An index that no scan uses would only cost.
        let store = match store {
            Store::KeyValue { ordered_index } => Store::KeyValue { ordered_index: ordered_index && scans },
            Store::Sql | Store::Cql => store,
        };
        let names = KeyNames { hashed: settings.core.hashed, padding: settings.core.zero_padding };
        // What writes all fields writes each with one version: there is one order of versions for the row.
        let versioned = if settings.core.write_all { 1 } else { settings.core.fields };
        Ok(Arc::new(Self {
            names,
            values: Values { seed, bytes: settings.core.field_bytes },
            expected: ExpectedValues::new(seed, versioned),
            keys: KeySpace::after(records),
            own,
            order: scans.then(|| KeyOrder::of(records, names)),
            sequence: AtomicU64::new(0),
            settings: Settings { store, ..settings },
        }))
    }
}

impl Ycsb {
    /// The names of the fields, before their numbers.
    #[must_use]
    pub fn field_prefix(&self) -> &str {
        &self.settings.core.field_prefix
    }
}

/// [`Ycsb`] as the loop wants it.
impl Source for Arc<Ycsb> {
    fn worker(&self, thread: usize) -> Box<dyn Workload> {
        Box::new(Worker::new(Arc::clone(self), thread))
    }

    fn bulk(&self, kind: TargetKind) -> Option<Bulk> {
        Some(bulk::of(&self.settings, self.values, self.names, kind))
    }

    fn read_back(&self, most: usize) -> Option<Box<dyn ReadBack>> {
        Some(Box::new(Reader::new(self, most)))
    }

    fn examiner(&self) -> Option<Box<dyn Examiner>> {
        // Of CQL there is no order to page by: what a cluster has is read back key by key, when the run is over.
        (self.settings.store != Store::Cql)
            .then(|| Box::new(Rows::new(Arc::clone(self))) as Box<dyn Examiner>)
    }

    fn written(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self.expected.writes()).ok()
    }

    fn join_written(&self, writes: serde_json::Value) -> Result<(), Error> {
        let writes = serde_json::from_value(writes)
            .map_err(|error| Error::Setting(format!("what another generator wrote: {error}")))?;
        self.expected.join(writes).map_err(|key| {
            Error::Setting(format!("two generators wrote key number {key}, and each may write its own alone"))
        })
    }
}

/// The first `count` keys that thread 0 asks for, as their numbers, if every insert succeeds at once; and for each how
/// many rows: 1 for a read or an update, 0 for an insert, the length for a scan. For tests of the distributions.
///
/// # Errors
///
/// As [`Ycsb::new`].
pub fn keys(core: CoreWorkload, records: u64, seed: u64, count: usize) -> Result<Vec<(u64, u64)>, Error> {
    let settings =
        Settings { core, records, seed, store: Store::Sql, expected_inserts: 0, share: Share::default() };
    let mut worker = Worker::new(Ycsb::new(settings)?, 0);
    Ok((0..count).map(|_| worker.draw()).collect())
}
