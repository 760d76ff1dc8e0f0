//! Loading data before a run: COPY, or pipelined commands, over one connection; SQLite has a way of its own.

use std::time::Instant;

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::config::{Target, TargetKind};
use crate::sqlite;
use crate::workload::message::{Bulk, Command};

/// What was loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loaded {
    /// Rows.
    pub rows: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Loads the data of a workload, if it has any. `progress` gets the rows so far and all of them, and returns whether to
/// go on.
///
/// # Errors
///
/// The server cannot be reached or refuses something; or `progress` returned false.
pub fn load(
    target: &Target,
    bulk: Option<Bulk>,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Loaded, Error> {
    let Some(bulk) = bulk else { return Ok(Loaded { rows: 0, seconds: 0.0 }) };
    let begun = Instant::now();
    if target.kind == TargetKind::Sqlite {
        let rows = sqlite::load(target, bulk, progress)?;
        return Ok(Loaded { rows, seconds: begun.elapsed().as_secs_f64() });
    }
    let mut link = BlockingConnection::open(target, &[])?;
    let rows = match bulk {
        Bulk::Sql { before, copies, after, rows } => {
            for statement in before {
                link.exchange(&Command::Simple(statement))?;
            }
            let mut done = 0;
            for (statement, chunks) in copies {
                link.copy(&statement, chunks, |more| {
                    done += more;
                    progress(done, rows)
                })?;
            }
            for statement in after {
                link.exchange(&Command::Simple(statement))?;
            }
            rows
        }
        Bulk::Keyed { before, chunks, rows } => {
            for words in before {
                link.exchange(&Command::Keyed(words))?;
            }
            let mut done = 0;
            for chunk in chunks {
                link.send(&chunk)?;
                done += chunk.rows;
                progress(done, rows).then_some(()).ok_or(Error::Interrupted)?;
            }
            rows
        }
    };
    Ok(Loaded { rows, seconds: begun.elapsed().as_secs_f64() })
}
