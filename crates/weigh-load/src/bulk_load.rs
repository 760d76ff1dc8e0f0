//! Loading data before a run: COPY over one connection or several, or pipelined commands; SQLite has a way of its own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::cluster::ClusterConnection;
use crate::config::{Target, TargetKind};
use crate::schema_agreement::await_one_schema;
use crate::sqlite;
use crate::workload::circumstance::Circumstance;
use crate::workload::dump::Dump;
use crate::workload::message::{Bulk, Chunks, Command};

/// Connections that load at once, at most: a server uses a core for each.
const MOST: usize = 8;
/// How often a part is loaded again that the server gave up because of the others, at most.
const ATTEMPTS: usize = 20;
/// A serialisation failure and a deadlock, of which the SQLSTATE is the same in MySQL: nothing of the part is there.
const GIVEN_UP: [&str; 2] = ["40001", "40P01"];
/// How often one looks how far they are.
const GLANCE: Duration = Duration::from_millis(20);

/// What was loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// Rows.
    pub rows: u64,
    /// Statements of a file that were left out, since they ask for what this server has not: owners, roles, extensions.
    pub skipped: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

/// Whoever watches: gets the rows so far and all of them, and returns whether to go on.
type Progress<'a> = dyn FnMut(u64, u64) -> bool + 'a;

/// Loads the data of a workload, if it has any. `progress` gets the rows so far and all of them, and returns whether to
/// go on.
///
/// # Errors
///
/// The server cannot be reached or refuses something; or `progress` returned false.
pub fn load(target: &Target, bulk: Option<Bulk>, progress: &mut Progress<'_>) -> Result<Loaded, Error> {
    let Some(bulk) = bulk else { return Ok(Loaded { rows: 0, skipped: Vec::new(), seconds: 0.0 }) };
    let begun = Instant::now();
    if target.kind == TargetKind::Sqlite {
        let rows = sqlite::load(target, bulk, progress)?;
        return Ok(Loaded { rows, skipped: Vec::new(), seconds: begun.elapsed().as_secs_f64() });
    }
    if target.cluster {
        let rows = clustered(target, bulk, progress)?;
        return Ok(Loaded { rows, skipped: Vec::new(), seconds: begun.elapsed().as_secs_f64() });
    }
    let mut link = loading(target)?;
    let mut skipped = Vec::new();
    let rows = match bulk {
        Bulk::Sql { before, copies, after, rows } => {
            all(&mut link, before)?;
            if target.kind == TargetKind::Cql {
                await_one_schema(&mut link, progress)?;
            }
            let mut done = 0;
            for (statement, chunks) in copies {
                link.copy(&statement, chunks, |more| {
                    done += more;
                    progress(done, rows)
                })?;
            }
            all(&mut link, after)?;
            rows
        }
        Bulk::File(path) => file(
            target,
            &mut link,
            &Dump::read(&path, target.kind == TargetKind::MySql)?,
            &mut skipped,
            progress,
        )?,
        Bulk::Parallel { before, copies, keys, after, rows } => {
            all(&mut link, before)?;
            let work = copies.into_iter().map(|(statement, chunks)| Job::Copy(statement, chunks));
            at_once(target, work.collect(), rows, 0, progress)?;
            for stage in keys {
                at_once(target, stage.into_iter().map(Job::Statement).collect(), rows, rows, progress)?;
            }
            all(&mut link, after)?;
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
    Ok(Loaded { rows, skipped, seconds: begun.elapsed().as_secs_f64() })
}

/// Loads into the nodes of a cluster: returns how many rows.
fn clustered(target: &Target, bulk: Bulk, progress: &mut Progress<'_>) -> Result<u64, Error> {
    let Bulk::Keyed { before, chunks, rows } = bulk else {
        return Err(Error::Setting("a cluster takes rows of keys, and no SQL".to_owned()));
    };
    if !before.is_empty() {
        return Err(Error::Setting("an index of all keys cannot be loaded into a cluster".to_owned()));
    }
    let mut link = ClusterConnection::open(target)?;
    let mut done = 0;
    for chunk in chunks {
        link.send(&chunk)?;
        done += chunk.rows;
        progress(done, rows).then_some(()).ok_or(Error::Interrupted)?;
    }
    Ok(rows)
}

/// A connection that loads.
fn loading(target: &Target) -> Result<BlockingConnection, Error> {
    // A run begins with every row on every replica, whatever its own level.
    let mut link = BlockingConnection::open(&target.at_every_replica(), &[])?;
    if target.kind == TargetKind::MySql {
        // MariaDB sorts the rows of an empty table then, instead of finding a place for each; whether one row refers to
        // another is checked where the data are. Others that load the same table are waited for.
        let session =
            "SET SESSION unique_checks = 0, foreign_key_checks = 0, innodb_lock_wait_timeout = 3600";
        link.exchange(&Command::Simple(session.to_owned()))?;
    }
    Ok(link)
}

/// Runs a file of SQL; returns how many rows its COPYs have. What is left out of it is added to `skipped`.
fn file(
    target: &Target,
    link: &mut BlockingConnection,
    dump: &Dump,
    skipped: &mut Vec<String>,
    progress: &mut Progress<'_>,
) -> Result<u64, Error> {
    // Each statement commits by itself, as in psql; all of them are flushed by the checkpoint before the first run.
    if target.kind == TargetKind::Postgres {
        link.exchange(&Command::Simple("SET synchronous_commit = off".to_owned()))?;
    }
    let mut done = 0;
    for part in &dump.parts {
        let statement = dump.statement(part);
        let circumstance = dump.circumstance(part);
        if circumstance == Some(Circumstance::Database) {
            skipped.push(format!("{statement}: the data goes where the connection is"));
            continue;
        }
        let run = match &part.rows {
            None => link.exchange(&Command::Simple(statement.to_owned())),
            Some(rows) => link.copy(statement, dump.chunks(rows), |more| {
                done += more;
                progress(done, dump.rows)
            }),
        };
        match run {
            Err(Error::Refused { code, message, .. })
                if circumstance.is_some_and(|one| one.is_absent(&code)) =>
            {
                skipped.push(format!("{statement}: {message}"));
            }
            other => other.map_err(|error| error.in_file(dump.line(part)).after(skipped))?,
        }
        progress(done, dump.rows).then_some(()).ok_or(Error::Interrupted)?;
    }
    Ok(dump.rows)
}

fn all(link: &mut BlockingConnection, statements: Vec<String>) -> Result<(), Error> {
    statements.into_iter().try_for_each(|statement| link.exchange(&Command::Simple(statement)))
}

/// What one connection does at a time.
enum Job {
    Copy(String, Chunks),
    Statement(String),
}

/// Does jobs over several connections, begun in their order; `done` rows are there already. The first error ends all.
fn at_once(
    target: &Target,
    jobs: Vec<Job>,
    rows: u64,
    done: u64,
    progress: &mut Progress<'_>,
) -> Result<(), Error> {
    let connections = thread::available_parallelism().map_or(1, usize::from).min(MOST).min(jobs.len());
    let (left, done) = (Mutex::new(jobs.into_iter()), AtomicU64::new(done));
    let (stopped, failed) = (AtomicBool::new(false), Mutex::new(None));
    let work = || -> Result<(), Error> {
        let mut link = loading(target)?;
        loop {
            if stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            let job = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            match job {
                None => return Ok(()),
                Some(Job::Statement(statement)) => link.exchange(&Command::Simple(statement))?,
                Some(Job::Copy(statement, chunks)) => until_kept(|| {
                    let mut sent = 0;
                    let copied = link.copy(&statement, chunks.duplicate(), |more| {
                        sent += more;
                        done.fetch_add(more, Ordering::Relaxed);
                        !stopped.load(Ordering::Relaxed)
                    });
                    if copied.is_err() {
                        done.fetch_sub(sent, Ordering::Relaxed);
                    }
                    copied
                })?,
            }
        }
    };
    let end = |error: Error| {
        stopped.store(true, Ordering::Relaxed);
        // What the others say afterwards follows from it.
        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    };
    thread::scope(|scope| {
        let workers: Vec<ScopedJoinHandle<'_, ()>> =
            (0..connections).map(|_| scope.spawn(|| work().unwrap_or_else(end))).collect();
        while !workers.iter().all(ScopedJoinHandle::is_finished) {
            thread::sleep(GLANCE);
            if !stopped.load(Ordering::Relaxed) && !progress(done.load(Ordering::Relaxed), rows) {
                end(Error::Interrupted);
            }
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Loads a part again as long as the server gives it up because of the others: it is loading, and nothing is measured.
fn until_kept(mut load: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    for _ in 1..ATTEMPTS {
        match load() {
            Err(Error::Refused { code, .. }) if GIVEN_UP.contains(&code.as_str()) => {}
            other => return other,
        }
    }
    load()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Asked;

    fn refused(code: &str) -> Result<(), Error> {
        let asked = Asked::Execute("LOAD DATA".to_owned());
        Err(Error::Refused { asked, code: code.to_owned(), message: String::new(), remedy: None })
    }

    #[test]
    fn a_part_that_met_a_deadlock_is_loaded_again_and_one_that_is_wrong_is_not() {
        let mut loads = 0;
        let kept = until_kept(|| {
            loads += 1;
            if loads < 3 { refused("40001") } else { Ok(()) }
        });
        assert!(kept.is_ok() && loads == 3);
        for (code, most) in [("23505", 1), ("40P01", ATTEMPTS)] {
            let mut loads = 0;
            let given_up = until_kept(|| {
                loads += 1;
                refused(code)
            });
            assert!(given_up.is_err() && loads == most);
        }
    }
}
