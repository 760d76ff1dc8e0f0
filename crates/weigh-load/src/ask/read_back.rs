//! What a run left of what it wrote, read back when it is over.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::Error;
use crate::clock::SECOND;
use crate::config::Config;
use crate::workload::{Next, Outcome, Source};

use super::link::with;

/// For an answer, in nanoseconds, at least: nothing is timed here, and what was late in the run is no lost write.
const PATIENCE: u64 = 60 * SECOND;
/// Contradictions that are quoted; all are counted.
const QUOTED: usize = 50;

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub struct ReadBackReport {
    /// Keys that were written or inserted in the run, and must be there.
    pub written: usize,
    /// Keys that were read.
    pub read: usize,
    /// Of the read ones, those that were written or inserted in the run.
    pub read_written: usize,
    /// Rows whose values are what was acknowledged.
    pub right: usize,
    /// Rows that contradict it.
    pub wrong: usize,
    /// Rows that are gone.
    pub missing: usize,
    /// Reads that the server refused.
    pub failed: usize,
    /// The first of what is wrong, missing or failed.
    pub texts: Vec<String>,
}

/// Reads `most` keys at most over a connection of its own, those first that the run wrote, each drawn at random; for no
/// longer than some seconds. Of a cluster every replica is asked for each key: what is not there then is lost, and not
/// only late. Nothing for a workload that does not know what it wrote.
///
/// # Errors
///
/// The server cannot be reached, refuses the login or a statement, or does not answer in time.
pub fn read_back(
    config: &Config,
    source: &dyn Source,
    most: usize,
    seconds: f64,
    going_on: &mut dyn FnMut() -> bool,
) -> Result<Option<ReadBackReport>, Error> {
    let Some(mut reader) = source.read_back(most) else { return Ok(None) };
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let statements = reader.statements().to_vec();
    let mut report = ReadBackReport { written: reader.written(), ..ReadBackReport::default() };
    with(&config.target.at_every_replica(), &statements, config.timeout().max(PATIENCE), |link| {
        while let Some(read) = reader.next() {
            // Some are read, whatever it takes.
            if report.read > 0 && Instant::now() > until {
                break;
            }
            going_on().then_some(()).ok_or(Error::Interrupted)?;
            link.ask(&read.command)?;
            let outcome = match reader.reply(&read.unit, &link.reply()) {
                Next::Done(outcome) => outcome,
                _ => Outcome::Failed("a read that does not end".to_owned()),
            };
            report.add(read.written, outcome, &read.name);
        }
        Ok(())
    })?;
    Ok(Some(report))
}

impl ReadBackReport {
    fn add(&mut self, written: bool, outcome: Outcome, name: &str) {
        self.read += 1;
        self.read_written += usize::from(written);
        let text = match outcome {
            Outcome::Right { .. } => {
                self.right += 1;
                return;
            }
            Outcome::Wrong(text) => {
                self.wrong += 1;
                text
            }
            Outcome::Missing => {
                self.missing += 1;
                format!("{name} is not there")
            }
            Outcome::Failed(text) => {
                self.failed += 1;
                format!("{name}: {text}")
            }
        };
        if self.texts.len() < QUOTED {
            self.texts.push(text);
        }
    }
}
