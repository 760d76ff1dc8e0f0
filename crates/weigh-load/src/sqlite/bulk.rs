//! Loading data before a run: prepared INSERTs, in one transaction.

use std::sync::Arc;

use rusqlite::types::{Null, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement};

use crate::clock::Clock;
use crate::config::Target;
use crate::error::{Asked, Error};
use crate::workload::dump::Dump;
use crate::workload::message::{Bulk, Chunk};

use super::deadline::Deadline;
use super::error::SqliteError;
use super::session::{open, run};

/// Loads the rows; returns how many. `progress` gets the rows so far and all of them, and returns whether to go on.
pub(crate) fn load(
    target: &Target,
    bulk: Bulk,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<u64, Error> {
    if let Bulk::File(path) = bulk {
        return file(target, &Dump::read(&path, false)?, progress);
    }
    let Bulk::Sql { before, copies, after, rows } = bulk else {
        return Err(Error::Setting("SQLite takes SQL, and no commands of keys".to_owned()));
    };
    let connection = open(target, &Arc::new(Deadline::default()), Clock::new())?;
    // Whatever goes wrong from here on ends the connection, and with it the transaction.
    run(&connection, "BEGIN IMMEDIATE")?;
    for statement in before {
        run(&connection, &statement)?;
    }
    let mut done = 0;
    for (statement, chunks) in copies {
        let refused = |error: rusqlite::Error| SqliteError::from(error).of(Asked::Execute(statement.clone()));
        let mut insert = connection.prepare(&statement).map_err(refused)?;
        for chunk in chunks {
            fill(&mut insert, &chunk).map_err(refused)?;
            done += chunk.rows;
            progress(done, rows).then_some(()).ok_or(Error::Interrupted)?;
        }
    }
    run(&connection, "COMMIT")?;
    for statement in after {
        run(&connection, &statement)?;
    }
    checked(&connection)?;
    Ok(rows)
}

/// Runs a file of SQL.
fn file(target: &Target, dump: &Dump, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<u64, Error> {
    let connection = open(target, &Arc::new(Deadline::default()), Clock::new())?;
    for part in &dump.parts {
        run(&connection, dump.statement(part)).map_err(|error| error.in_file(dump.line(part)))?;
        progress(0, 0).then_some(()).ok_or(Error::Interrupted)?;
    }
    checked(&connection)?;
    Ok(0)
}

/// Lines as COPY has them, a row each.
fn fill(insert: &mut Statement<'_>, chunk: &Chunk) -> rusqlite::Result<()> {
    for line in chunk.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        for (place, cell) in (1_usize..).zip(line.split(|byte| *byte == b'\t')) {
            if cell == b"\\N" {
                insert.raw_bind_parameter(place, Null)?;
            } else {
                insert.raw_bind_parameter(place, ToSqlOutput::Borrowed(ValueRef::Text(cell)))?;
            }
        }
        insert.raw_execute()?;
    }
    Ok(())
}

/// Brings the rows from the write-ahead log into the database, so that no run begins with the log of the load. Does
/// nothing where there is no such log.
fn checked(connection: &Connection) -> Result<(), Error> {
    let asked = || Asked::Task("emptying the write-ahead log after the loading".to_owned());
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get::<_, bool>(0));
    if busy.map_err(|error| SqliteError::from(error).of(asked()))? {
        return Err(Error::Refused {
            asked: asked(),
            code: "SQLITE_BUSY".to_owned(),
            message: "somebody else reads the file".to_owned(),
            remedy: None,
        });
    }
    Ok(())
}
