//! One statement on a connection of its own, while a load goes on.

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::config::{Target, TargetKind};
use crate::workload::message::Command;

/// Executes a statement, or of a key-value store a command, and throws its rows away.
///
/// # Errors
///
/// The server cannot be reached, or refuses it.
pub fn execute(target: &Target, statement: &str) -> Result<(), Error> {
    let command = match target.kind {
        TargetKind::Redis => {
            Command::Keyed(statement.split_whitespace().map(|word| word.as_bytes().to_vec()).collect())
        }
        _ => Command::Simple(statement.to_owned()),
    };
    BlockingConnection::open(target, &[])?.exchange(&command)
}
