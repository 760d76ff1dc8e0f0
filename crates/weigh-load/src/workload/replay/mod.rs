//! Statements of a recording, each at its recorded time, on the connection of its session.
//!
//! The recording is read from a file of lines of JSON ([`Line`]) that Python made of a trace: which session has which
//! connection, and in which order a connection sends, is decided there. A transaction is never broken by statements of
//! another session; one whose connection is lost is not continued.

mod worker;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::ask::Answer;
use crate::config::TargetKind;
use crate::schedule::lanes::Lanes;

use super::durability::Examiner;
use super::message::{Bulk, Command};
use super::{Source, Workload};
use worker::Worker;

/// What is replayed, as the settings name it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The file of lines.
    path: PathBuf,
    /// Names of the operations.
    operations: Vec<String>,
    /// How many times as fast as it was recorded.
    speed: f64,
    /// How many connections there are.
    lanes: usize,
    /// SQL to be run before the first run, as `pg_dump` writes it.
    #[serde(default)]
    prepare: Option<PathBuf>,
    /// Sent on every connection before its first statement.
    #[serde(default)]
    begin: Option<String>,
    /// Sent where a session follows another one on the same connection.
    #[serde(default)]
    reset: Option<String>,
    /// Whether it is kept what came of each statement.
    keep: bool,
    /// Bytes of the rows of an answer that are kept; of longer ones a digest is.
    answer_bytes: usize,
}

/// One statement.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Its connection.
    lane: usize,
    /// Nanoseconds after the beginning of the recording.
    at: u64,
    operation: usize,
    /// Its transaction; of a statement that belongs to none, a number of its own.
    group: u32,
    /// Whether a session begins that follows another one on the same connection.
    #[serde(default)]
    reset: bool,
    /// SQL.
    #[serde(default)]
    text: String,
    /// What was bound.
    #[serde(default)]
    values: Option<Vec<Option<String>>>,
    /// Of RESP: its words in base64.
    #[serde(default)]
    words: Option<Vec<String>>,
    /// Whether its answer is kept.
    #[serde(default)]
    keep: bool,
}

/// One statement, as it is replayed.
#[derive(Debug)]
struct Item {
    /// Its line in the file, from 0.
    number: usize,
    operation: usize,
    group: u32,
    /// Whether the next one on its connection is of another transaction.
    last: bool,
    command: Command,
    reset: bool,
    keep: bool,
}

/// A recording that is replayed.
#[derive(Debug)]
pub struct Recording {
    operations: Vec<String>,
    /// By connection.
    items: Vec<Vec<Item>>,
    lanes: Lanes,
    lines: usize,
    prepare: Option<PathBuf>,
    begin: Option<String>,
    reset: Option<String>,
    keep: bool,
    answer_bytes: usize,
    came: Mutex<Vec<Came>>,
}

/// What came of a statement. Times are nanoseconds since the run began.
#[derive(Debug)]
struct Came {
    number: usize,
    sent: u64,
    done: u64,
    /// Rows that it returned or changed; nothing where it failed.
    rows: Option<u64>,
    code: String,
    answer: Option<Answer>,
}

/// What came of the statements of a recording, by the number of their line; -1 is for what was not sent, or failed.
#[derive(Debug, Serialize)]
pub struct Replayed {
    /// Microseconds after the beginning at which each was sent.
    sent: Vec<i64>,
    /// Microseconds after the beginning at which each was answered.
    done: Vec<i64>,
    /// Rows that each returned or changed.
    rows: Vec<i64>,
    /// Codes of errors, by number.
    errors: Vec<(usize, String)>,
    /// Answers that were kept, by number.
    answers: Vec<(usize, Answer)>,
}

impl Recording {
    /// Reads it; what comes after `duration` nanoseconds of the run is left out.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: the file cannot be read, or is not of this form.
    pub fn read(settings: Settings, duration: u64) -> Result<Self, Error> {
        let Settings { path, operations, speed, lanes, prepare, begin, reset, keep, answer_bytes } = settings;
        if !(1e-3..=1e3).contains(&speed) {
            return Err(Error::Setting(format!("speed is {speed}: it must be from 0.001 to 1000")));
        }
        let file = File::open(&path).map_err(|error| unreadable(&path, error))?;
        let mut items: Vec<Vec<Item>> = std::iter::repeat_with(Vec::new).take(lanes).collect();
        let mut moments = vec![Vec::new(); lanes];
        let mut lines = 0;
        for (number, text) in BufReader::new(file).lines().enumerate() {
            let text = text.map_err(|error| unreadable(&path, error))?;
            let line: Line = serde_json::from_str(&text).map_err(|error| unreadable(&path, error))?;
            lines = number + 1;
            let at = scaled(line.at, speed);
            let (lane, operation) = (line.lane, line.operation);
            let (Some(own), Some(_)) = (items.get_mut(lane), operations.get(operation)) else {
                return Err(unreadable(&path, "a connection or an operation that there is not"));
            };
            if at >= duration {
                continue;
            }
            if let Some(before) = own.last_mut() {
                before.last = before.group != line.group;
            }
            moments[lane].push(at);
            let (group, new, kept) = (line.group, line.reset, keep && line.keep);
            let command = line.command().ok_or_else(|| unreadable(&path, "words that are no base64"))?;
            own.push(Item { number, operation, group, last: true, command, reset: new, keep: kept });
        }
        let (lanes, came) = (Lanes::new(moments), Mutex::default());
        Ok(Self { operations, items, lanes, lines, prepare, begin, reset, keep, answer_bytes, came })
    }

    fn report(&self) -> Replayed {
        let came = std::mem::take(&mut *self.came.lock().unwrap_or_else(PoisonError::into_inner));
        let nothing = || vec![-1; self.lines];
        let mut replayed = Replayed {
            sent: nothing(),
            done: nothing(),
            rows: nothing(),
            errors: Vec::new(),
            answers: Vec::new(),
        };
        for one in came {
            replayed.sent[one.number] = micro(one.sent);
            replayed.done[one.number] = micro(one.done);
            replayed.rows[one.number] = one.rows.and_then(|rows| i64::try_from(rows).ok()).unwrap_or(-1);
            if !one.code.is_empty() {
                replayed.errors.push((one.number, one.code));
            }
            replayed.answers.extend(one.answer.map(|answer| (one.number, answer)));
        }
        replayed.errors.sort_unstable();
        replayed.answers.sort_unstable_by_key(|(number, _)| *number);
        replayed
    }
}

impl Line {
    fn command(self) -> Option<Command> {
        let Some(words) = self.words else {
            return Some(match self.values {
                None => Command::Simple(self.text),
                Some(values) => Command::Unnamed { text: self.text, values },
            });
        };
        let words = words.iter().map(|word| STANDARD.decode(word).ok());
        words.collect::<Option<Vec<_>>>().map(Command::Keyed)
    }
}

fn unreadable(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::Setting(format!("{} cannot be replayed: {why}", path.display()))
}

fn micro(nanoseconds: u64) -> i64 {
    i64::try_from(nanoseconds / 1_000).unwrap_or(i64::MAX)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "exact to the nanosecond for 104 days"
)]
fn scaled(at: u64, speed: f64) -> u64 {
    (at as f64 / speed).round() as u64
}

impl Source for Arc<Recording> {
    fn worker(&self, _thread: usize) -> Box<dyn Workload> {
        Box::new(Worker::new(Arc::clone(self)))
    }

    fn bulk(&self, _kind: TargetKind) -> Option<Bulk> {
        self.prepare.clone().map(Bulk::File)
    }

    fn lanes(&self) -> Option<Lanes> {
        Some(self.lanes.clone())
    }

    fn replayed(&self) -> Option<Replayed> {
        Some(self.report())
    }

    fn examiner(&self) -> Option<Box<dyn Examiner>> {
        None
    }
}

#[cfg(test)]
mod tests;
