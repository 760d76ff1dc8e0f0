//! What a database says of itself and of the connections to it, by the library that the load uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

use crate::clock::Clock;
use crate::config::Target;
use crate::error::{Asked, Error};

use super::deadline::Deadline;
use super::error::SqliteError;
use super::session::{BUSY, open};

/// Pragmas that decide what a request costs, read back whether they were set or not.
const DECISIVE: [&str; 7] = [
    "cache_size",
    "journal_mode",
    "locking_mode",
    "mmap_size",
    "page_size",
    "synchronous",
    "wal_autocheckpoint",
];

/// A database as it is reached.
#[derive(Debug, Serialize)]
pub struct Described {
    /// Of the library.
    pub version: String,
    /// What it was compiled with, as `PRAGMA compile_options` lists it.
    pub compiled: Vec<String>,
    /// Settings as they read now: those that decide, and those that the target names. Nothing where SQLite knows no
    /// setting of a name.
    pub settings: BTreeMap<String, Option<String>>,
    /// Whether the database has no tables.
    pub empty: bool,
}

/// Opens a database as a load does, and has it describe itself.
///
/// # Errors
///
/// It cannot be opened, is no database, or a setting cannot be written so.
pub fn describe(target: &Target) -> Result<Described, Error> {
    let connection = open(target, &Arc::new(Deadline::default()), Clock::new())?;
    let read = || -> rusqlite::Result<Described> {
        let mut settings = BTreeMap::new();
        let named = target.settings.keys().map(String::as_str).filter(|name| *name != BUSY);
        for name in DECISIVE.into_iter().chain(named) {
            settings.insert(name.to_owned(), pragma(&connection, name)?);
        }
        // What is in force is the handler of `deadline`, which no pragma shows.
        settings.extend(target.settings.get(BUSY).map(|value| (BUSY.to_owned(), Some(value.clone()))));
        let mut options = connection.prepare("PRAGMA compile_options")?;
        let compiled = options.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(Described {
            version: connection.query_row("SELECT sqlite_version()", (), |row| row.get(0))?,
            compiled,
            settings,
            empty: connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", (), |row| row.get(0))?,
        })
    };
    read().map_err(|error| SqliteError::from(error).of(Asked::Task("reading its settings".to_owned())))
}

fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let value =
        connection.query_row(&format!("PRAGMA {name}"), (), |row| row.get::<_, Value>(0)).optional()?;
    Ok(match value {
        Some(Value::Integer(number)) => Some(number.to_string()),
        Some(Value::Text(text)) => Some(text),
        _ => None,
    })
}
