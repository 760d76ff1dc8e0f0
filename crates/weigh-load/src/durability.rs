//! Asking a server that was started again: when it answers, and what it has of what it acknowledged.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::clock::SECOND;
use crate::config::{Target, TargetKind};
use crate::error::Asked;
use crate::workload::durability::{Account, Examiner};
use crate::workload::message::{Command, Reply};

/// For an answer of a server that was started again, in nanoseconds.
const PATIENCE: u64 = 60 * SECOND;
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(2);

/// Asks until the server answers, and returns how many seconds that took. `go_on` is asked before every attempt.
///
/// # Errors
///
/// It did not answer within `patience`: why the last attempt failed; or `go_on` returned false.
pub fn answered(target: &Target, patience: Duration, go_on: &mut dyn FnMut() -> bool) -> Result<f64, Error> {
    let begun = Instant::now();
    let question = match target.kind {
        TargetKind::Redis => Command::Keyed(vec![b"PING".into()]),
        TargetKind::Cql => Command::Simple("SELECT key FROM system.local".into()),
        TargetKind::ClickHouse | TargetKind::MySql | TargetKind::Postgres | TargetKind::Sqlite => {
            Command::Simple("SELECT 1".into())
        }
        TargetKind::Http => Command::Simple("GET".into()),
    };
    loop {
        if !go_on() {
            return Err(Error::Interrupted);
        }
        // One that reads its data still refuses the login, or the question.
        let tried = ping(target, &question);
        let past = begun.elapsed();
        match tried {
            Ok(()) => return Ok(past.as_secs_f64()),
            Err(error) if past >= patience => return Err(error),
            Err(_) => sleep(PAUSE),
        }
    }
}

/// One attempt.
fn ping(target: &Target, question: &Command) -> Result<(), Error> {
    let mut link = BlockingConnection::open(target, &[])?;
    link.ask(question, PATIENCE)?;
    refused(&link.reply(), "PING")
}

/// Whether the answer is an error.
fn refused(reply: &Reply<'_>, asked: &str) -> Result<(), Error> {
    let Reply::Error { code, text } = reply else { return Ok(()) };
    let asked = Asked::Task(asked.to_owned());
    Err(Error::Refused { asked, code: (*code).to_owned(), message: (*text).to_owned(), remedy: None })
}

/// Reads everything back that a workload knows of. `go_on` is asked before every command.
///
/// # Errors
///
/// The server cannot be reached or refuses to be read; or `go_on` returned false.
pub fn examine(
    target: &Target,
    mut examiner: Box<dyn Examiner>,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Account, Error> {
    let mut link = BlockingConnection::open(target, &[])?;
    while let Some(command) = examiner.next() {
        if !go_on() {
            return Err(Error::Interrupted);
        }
        link.ask(&command, PATIENCE)?;
        examiner.reply(&link.reply()).map_err(|(code, message)| Error::Refused {
            asked: Asked::Task("reading back".to_owned()),
            code,
            message,
            remedy: None,
        })?;
    }
    Ok(examiner.account())
}
