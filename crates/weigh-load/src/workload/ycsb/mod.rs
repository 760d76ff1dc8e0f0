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
//! How keys are drawn is in `key_distribution`, which exist in `key_space`, the values in `value`, what an answer may
//! show in `expected_values`, what a scan has to show in `key_order`.

mod bulk;
mod commands;
mod durability;
mod expected_values;
mod key_distribution;
mod key_order;
mod key_space;
mod read_back;
mod step;
mod value;
mod worker;

use std::sync::Arc;

use crate::Error;
use crate::config::TargetKind;
use crate::workload::durability::Examiner;
use crate::workload::message::Bulk;
use crate::workload::{ReadBack, Source, Workload};

pub use commands::Store;
pub use key_distribution::{Zipf, fnv64, key_name};

use durability::Rows;
use expected_values::ExpectedValues;
use key_distribution::KeyDistribution;
use key_order::KeyOrder;
use key_space::KeySpace;
use read_back::Reader;
use value::Values;
use worker::Worker;

/// Fields of a row, as YCSB has them.
pub const FIELDS: u32 = 10;
/// Bytes of a field, as YCSB has them.
pub const FIELD_BYTES: usize = 100;
/// Longest scan of workload E, in rows.
pub const LONGEST_SCAN: u64 = 100;

/// Which of the six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// Reads and updates, half each.
    A,
    /// Reads, and one update in twenty.
    B,
    /// Reads.
    C,
    /// Reads of what is new, and one insert in twenty.
    D,
    /// Short scans, and one insert in twenty.
    E,
    /// Reads, and reads that are followed by an update of the same row.
    F,
}

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

impl Letter {
    /// The letter of a name, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: there is no such workload.
    pub fn named(name: &str) -> Result<Self, Error> {
        Ok(match name {
            "A" | "a" => Self::A,
            "B" | "b" => Self::B,
            "C" | "c" => Self::C,
            "D" | "d" => Self::D,
            "E" | "e" => Self::E,
            "F" | "f" => Self::F,
            _ => {
                return Err(Error::Setting(format!(
                    "no YCSB workload {name:?}; there are A, B, C, D, E and F"
                )));
            }
        })
    }

    /// The common operation with its share, and the other one, if there is one.
    pub(crate) fn mix(self) -> (Kind, f64, Option<Kind>) {
        match self {
            Self::A => (Kind::Read, 0.5, Some(Kind::Update)),
            Self::B => (Kind::Read, 0.95, Some(Kind::Update)),
            Self::C => (Kind::Read, 1.0, None),
            Self::D => (Kind::Read, 0.95, Some(Kind::Insert)),
            Self::E => (Kind::Scan, 0.95, Some(Kind::Insert)),
            Self::F => (Kind::Read, 0.5, Some(Kind::ReadModifyWrite)),
        }
    }

    fn key_distribution(self) -> KeyDistribution {
        if self == Self::D { KeyDistribution::Latest } else { KeyDistribution::Scrambled }
    }
}

/// What to run, on how many rows.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The workload.
    pub letter: Letter,
    /// Rows that are loaded, at least 1.
    pub records: u64,
    /// Fields of a row; [`FIELDS`] but in tests.
    pub fields: u32,
    /// Bytes of a field; [`FIELD_BYTES`] but in tests.
    pub field_bytes: usize,
    /// Of all random numbers and values.
    pub seed: u64,
    /// What kind of server it is.
    pub store: Store,
    /// Inserts that workload E is expected to make: its keys are drawn from the loaded and this many more, and drawn
    /// again while they do not exist. With 0, no scan starts at an inserted key.
    pub expected_inserts: u64,
}

/// A YCSB run: what its threads share.
#[derive(Debug)]
pub struct Ycsb {
    settings: Settings,
    values: Values,
    expected: ExpectedValues,
    keys: KeySpace,
    order: Option<KeyOrder>,
}

impl Ycsb {
    /// A run on freshly loaded rows.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: no rows, fields that are too many or too short to be checked, or E on a store without order.
    pub fn new(settings: Settings) -> Result<Arc<Self>, Error> {
        let Settings { letter, records, fields, field_bytes, seed, store, .. } = settings;
        if records == 0 || records > value::MOST_KEYS {
            return Err(Error::Setting(format!(
                "YCSB on {records} records; it needs between 1 and {}",
                value::MOST_KEYS
            )));
        }
        if fields == 0 || fields > value::MOST_FIELDS {
            return Err(Error::Setting(format!(
                "rows of {fields} fields; a row has between 1 and {}",
                value::MOST_FIELDS
            )));
        }
        if field_bytes < value::LEAST_BYTES {
            return Err(Error::Setting(format!(
                "fields of {field_bytes} bytes; a value that can be checked has at least {}",
                value::LEAST_BYTES
            )));
        }
        if letter == Letter::E && store == (Store::KeyValue { ordered_index: false }) {
            return Err(Error::Setting(
                "YCSB E scans keys in order, and a key-value store has none; declare an ordered index \
                 (a sorted set kept beside the rows, whose cost is then part of the result), or take another letter"
                    .into(),
            ));
        }
        // An index that no scan uses would only cost.
        let store = match store {
            Store::KeyValue { ordered_index } => {
                Store::KeyValue { ordered_index: ordered_index && letter == Letter::E }
            }
            Store::Sql => Store::Sql,
        };
        let order = (letter == Letter::E).then(|| KeyOrder::of(records));
        Ok(Arc::new(Self {
            settings: Settings { store, ..settings },
            values: Values { seed, bytes: field_bytes },
            expected: ExpectedValues::new(seed, fields),
            keys: KeySpace::after(records),
            order,
        }))
    }
}

/// [`Ycsb`] as the loop wants it.
impl Source for Arc<Ycsb> {
    fn worker(&self, thread: usize) -> Box<dyn Workload> {
        Box::new(Worker::new(Arc::clone(self), thread))
    }

    fn bulk(&self, kind: TargetKind) -> Option<Bulk> {
        Some(bulk::of(&self.settings, self.values, kind))
    }

    fn read_back(&self, most: usize) -> Option<Box<dyn ReadBack>> {
        Some(Box::new(Reader::new(self, most)))
    }

    fn examiner(&self) -> Option<Box<dyn Examiner>> {
        Some(Box::new(Rows::new(Arc::clone(self))))
    }
}

/// The first `count` keys that thread 0 asks for, as their numbers, if every insert succeeds at once; and for each how
/// many rows: 1 for a read or an update, 0 for an insert, the length for a scan. For tests of the distributions.
///
/// # Errors
///
/// As [`Ycsb::new`].
pub fn keys(letter: Letter, records: u64, seed: u64, count: usize) -> Result<Vec<(u64, u64)>, Error> {
    let store = Store::Sql;
    let settings = Settings {
        letter,
        records,
        fields: FIELDS,
        field_bytes: FIELD_BYTES,
        seed,
        store,
        expected_inserts: 0,
    };
    let mut worker = Worker::new(Ycsb::new(settings)?, 0);
    Ok((0..count).map(|_| worker.draw()).collect())
}
