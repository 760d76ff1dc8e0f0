//! Requests of a run that were kept with their answers, asked again when it is over.

use serde::Serialize;

use crate::Error;
use crate::config::Config;
use crate::workload::Source;
use crate::workload::message::Command;

use super::answer::{Answer, answer};
use super::link::with;
use super::scripts::written;

/// Bytes of an answer that are kept of a request in a run, and of the same asked again.
pub(crate) const MOST: usize = 4 << 10;
/// How often each is asked: what answers differently then is no question that can be compared.
const TIMES: usize = 2;

/// A request of a run, drawn at random, and what was answered.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The name of its script.
    pub script: String,
    /// Where it begins there.
    pub line: usize,
    /// What was sent.
    pub command: Command,
    /// What came, with the types of its columns unknown.
    pub answer: Answer,
}

/// The same, asked again.
#[derive(Debug, Serialize)]
pub struct AskedAgain {
    script: String,
    line: usize,
    statement: String,
    parameters: Vec<Option<String>>,
    /// In the run.
    answer: Answer,
    /// Afterwards, on another connection.
    again: Vec<Answer>,
}

/// Asks again what was kept of a run that is over.
///
/// # Errors
///
/// The server cannot be reached, refuses the login or a statement, or does not answer in time.
pub fn ask_again(
    config: &Config,
    source: &dyn Source,
    going_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<AskedAgain>, Error> {
    let samples = source.samples();
    let Some(scripted) = source.scripted().filter(|_| !samples.is_empty()) else { return Ok(Vec::new()) };
    let statements = scripted.statements().to_vec();
    with(&config.target, &statements, config.timeout(), |link| {
        let mut found = Vec::new();
        for Sample { script, line, command, answer: told } in samples {
            going_on().then_some(()).ok_or(Error::Interrupted)?;
            let mut again = Vec::new();
            for _ in 0..TIMES {
                link.ask(&command)?;
                again.push(answer(&link.reply(), link.types(), MOST));
            }
            let (statement, parameters) = written(&command, &statements);
            found.push(AskedAgain { script, line, statement, parameters, answer: told, again });
        }
        Ok(found)
    })
}
