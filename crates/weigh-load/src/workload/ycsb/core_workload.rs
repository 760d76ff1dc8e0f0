//! What a YCSB workload is made of: shares of the operations, how keys are drawn, and the form of a row.
//!
//! These are the properties of YCSB's `CoreWorkload`; the letters A to F are settings of them.

use serde::Deserialize;

use crate::Error;

use super::Kind;
use super::key_distribution::Requests;
use super::range::{Lengths, Range};
use super::value;

/// Longest answer in bytes of its rows: more would not be kept, and not be checked.
const LONGEST_ANSWER: u64 = 3 << 20;
/// Beside the values of a row: its key, and what a protocol adds to each value.
const OF_A_VALUE: u64 = 48;
/// Digits of a key, at most.
const MOST_PADDING: u8 = 100;
/// Letters of a column's name before its number.
const LONGEST_PREFIX: usize = 40;

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
}

/// How often each operation comes, in relation to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Reads.
    pub read: f64,
    /// Updates.
    pub update: f64,
    /// Inserts.
    pub insert: f64,
    /// Scans.
    pub scan: f64,
    /// Reads that are followed by an update of the same row.
    pub read_modify_write: f64,
}

/// A workload of YCSB, whichever it is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoreWorkload {
    /// How often each operation comes.
    pub mix: Mix,
    /// How keys are drawn.
    pub requests: Requests,
    /// Fields of a row.
    pub fields: u32,
    /// Their names, before their numbers.
    pub field_prefix: String,
    /// Bytes of a field.
    pub field_bytes: Range,
    /// Whether a read fetches all fields, or one.
    pub read_all: bool,
    /// Whether an update writes all fields, or one.
    pub write_all: bool,
    /// Rows of a scan.
    pub scan_rows: Range,
    /// Whether the name of a key is the hash of its number, or the number itself.
    pub hashed: bool,
    /// Digits that the name of a key has at least.
    pub zero_padding: u8,
}

impl From<Letter> for CoreWorkload {
    fn from(letter: Letter) -> Self {
        let mix = match letter {
            Letter::A => Mix { read: 0.5, update: 0.5, ..Mix::default() },
            Letter::B => Mix { read: 0.95, update: 0.05, ..Mix::default() },
            Letter::C => Mix { read: 1.0, ..Mix::default() },
            Letter::D => Mix { read: 0.95, insert: 0.05, ..Mix::default() },
            Letter::E => Mix { scan: 0.95, insert: 0.05, ..Mix::default() },
            Letter::F => Mix { read: 0.5, read_modify_write: 0.5, ..Mix::default() },
        };
        Self {
            mix,
            requests: if letter == Letter::D { Requests::Latest } else { Requests::Zipfian },
            fields: 10,
            field_prefix: "field".to_owned(),
            field_bytes: Range::constant(100),
            read_all: true,
            write_all: false,
            scan_rows: Range { least: 1, most: 100, lengths: Lengths::Uniform },
            hashed: true,
            zero_padding: 1,
        }
    }
}

impl CoreWorkload {
    /// The operations that come, each with the share of those up to it.
    pub(crate) fn operations(&self) -> Vec<(Kind, f64)> {
        let Mix { read, update, insert, scan, read_modify_write } = self.mix;
        // The common operation of a letter stands first.
        let all = [
            (Kind::Read, read),
            (Kind::Scan, scan),
            (Kind::Update, update),
            (Kind::Insert, insert),
            (Kind::ReadModifyWrite, read_modify_write),
        ];
        let sum: f64 = all.iter().map(|(_, share)| share).sum();
        let mut before = 0.0;
        let up_to = all.into_iter().filter(|(_, share)| *share > 0.0).map(|(kind, share)| {
            before += share / sum;
            (kind, before)
        });
        up_to.collect()
    }

    /// Share of the operations that are inserts.
    pub(crate) fn inserts(&self) -> f64 {
        let Mix { read, update, insert, scan, read_modify_write } = self.mix;
        insert / (read + update + insert + scan + read_modify_write)
    }

    /// Whether it scans, so that keys must have an order.
    pub(crate) fn scans(&self) -> bool {
        self.mix.scan > 0.0
    }

    /// Bytes of a row in an answer, at most.
    fn row_bytes(&self) -> u64 {
        u64::from(self.fields) * (self.field_bytes.most + OF_A_VALUE)
    }

    /// Whole rows that an answer may have.
    pub(crate) fn rows_of_an_answer(&self) -> usize {
        usize::try_from(LONGEST_ANSWER / self.row_bytes()).unwrap_or(usize::MAX).max(1)
    }

    /// Whether it can be run on so many records.
    pub(crate) fn check(&self, records: u64) -> Result<(), Error> {
        let Mix { read, update, insert, scan, read_modify_write } = self.mix;
        let shares = [read, update, insert, scan, read_modify_write];
        let sum: f64 = shares.iter().sum();
        if shares.iter().any(|share| !(0.0..=1e6).contains(share)) || sum <= 0.0 {
            return Err(Error::Setting(
                "the proportions of the operations must not be negative, and one must be above 0".into(),
            ));
        }
        if self.fields == 0 || self.fields > value::MOST_FIELDS {
            return Err(Error::Setting(format!(
                "rows of {} fields; a row has between 1 and {}",
                self.fields,
                value::MOST_FIELDS
            )));
        }
        let Range { least, most, lengths } = self.field_bytes;
        let shortest = if lengths == Lengths::Constant { most } else { least };
        if shortest < value::LEAST_BYTES as u64 || most < least || most > 1 << 20 {
            return Err(Error::Setting(format!(
                "fields of {shortest} to {most} bytes; a value that can be checked has at least {}, and a field has a \
                 million at most",
                value::LEAST_BYTES
            )));
        }
        let Range { least, most, lengths } = self.scan_rows;
        if least == 0 || most < least || lengths == Lengths::Constant {
            return Err(Error::Setting(format!("scans of {least} to {most} rows; they have 1 at least")));
        }
        let asked = if self.read_all { self.row_bytes() } else { self.row_bytes() / u64::from(self.fields) };
        let rows = if self.scans() { most } else { 1 };
        if rows.saturating_mul(asked) > LONGEST_ANSWER || self.row_bytes() > LONGEST_ANSWER {
            return Err(Error::Setting(format!(
                "answers of {rows} rows of {asked} bytes; one of more than {LONGEST_ANSWER} bytes would not be checked"
            )));
        }
        let letters = |text: &str| text.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
        if self.field_prefix.is_empty()
            || self.field_prefix.len() > LONGEST_PREFIX
            || !letters(&self.field_prefix)
        {
            return Err(Error::Setting(format!(
                "fields named {:?} and a number; a name has 1 to {LONGEST_PREFIX} letters from a to z",
                self.field_prefix
            )));
        }
        if self.zero_padding > MOST_PADDING {
            return Err(Error::Setting(format!(
                "keys of {} digits; {MOST_PADDING} are the most",
                self.zero_padding
            )));
        }
        self.requests.check(records)
    }
}
