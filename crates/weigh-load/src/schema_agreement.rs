//! A table that one node of Cassandra has made is known to the others a moment later: it is waited for, as drivers do.

use std::thread;
use std::time::{Duration, Instant};

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::error::Asked;
use crate::workload::message::{Command, Reply};

/// How long to wait.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often one looks.
const GLANCE: Duration = Duration::from_millis(20);
/// What the node that is asked has, and what it knows of the others.
const VERSIONS: [&str; 2] =
    ["SELECT schema_version FROM system.local", "SELECT schema_version FROM system.peers"];

/// Waits until all nodes have the same schema. `going_on` gets nothing done of nothing, and is asked each time.
///
/// # Errors
///
/// They do not agree within half a minute, the server cannot be asked, or `going_on` returned false.
pub(crate) fn await_one_schema(
    link: &mut BlockingConnection,
    going_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<(), Error> {
    let until = Instant::now() + PATIENCE;
    loop {
        let mut versions = Vec::new();
        for statement in VERSIONS {
            link.exchange(&Command::Simple(statement.to_owned()))?;
            if let Reply::Rows(rows) = link.reply() {
                // A node that has never answered has none.
                versions.extend((0..rows.kept()).filter_map(|row| rows.get(row, 0)).map(<[u8]>::to_vec));
            }
        }
        versions.sort_unstable();
        versions.dedup();
        if versions.len() <= 1 {
            return Ok(());
        }
        if Instant::now() > until {
            return Err(Error::Refused {
                asked: Asked::Task("making the tables".to_owned()),
                code: String::new(),
                message: format!(
                    "its nodes know {} different schemas after {} s",
                    versions.len(),
                    PATIENCE.as_secs()
                ),
                remedy: Some("see with nodetool describecluster which node is down or stays behind"),
            });
        }
        going_on(0, 0).then_some(()).ok_or(Error::Interrupted)?;
        thread::sleep(GLANCE);
    }
}
