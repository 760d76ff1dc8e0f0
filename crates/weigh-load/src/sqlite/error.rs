//! What SQLite says when it refuses something.

use rusqlite::ffi;

use crate::error::{Asked, Error};

/// Names of result codes that a load may meet, as SQLite's documentation has them (<https://sqlite.org/rescode.html>).
const NAMES: [(i32, &str); 17] = [
    (ffi::SQLITE_ERROR, "SQLITE_ERROR"),
    (ffi::SQLITE_BUSY, "SQLITE_BUSY"),
    (ffi::SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY"),
    (ffi::SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"),
    (ffi::SQLITE_LOCKED, "SQLITE_LOCKED"),
    (ffi::SQLITE_NOMEM, "SQLITE_NOMEM"),
    (ffi::SQLITE_READONLY, "SQLITE_READONLY"),
    (ffi::SQLITE_INTERRUPT, "SQLITE_INTERRUPT"),
    (ffi::SQLITE_IOERR, "SQLITE_IOERR"),
    (ffi::SQLITE_CORRUPT, "SQLITE_CORRUPT"),
    (ffi::SQLITE_FULL, "SQLITE_FULL"),
    (ffi::SQLITE_CANTOPEN, "SQLITE_CANTOPEN"),
    (ffi::SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"),
    (ffi::SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"),
    (ffi::SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"),
    (ffi::SQLITE_MISMATCH, "SQLITE_MISMATCH"),
    (ffi::SQLITE_NOTADB, "SQLITE_NOTADB"),
];
/// The lower eight bits of an extended code are the primary one.
const PRIMARY: i32 = 0xff;

/// A refusal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SqliteError {
    /// The name of its result code; empty where it is none of SQLite's.
    pub(crate) code: String,
    pub(crate) text: String,
    primary: i32,
}

impl SqliteError {
    /// Whether it may be the end of a wait: for a lock, or by an interrupt.
    pub(crate) fn ends_a_wait(&self) -> bool {
        matches!(self.primary, ffi::SQLITE_BUSY | ffi::SQLITE_INTERRUPT)
    }

    /// As an error before or around a run.
    pub(crate) fn of(self, asked: Asked) -> Error {
        // SQLite has one code for every mistake in a statement, and only the text of this one differs.
        let missing = self.text.starts_with("no such table");
        let remedy = missing.then_some("create the table, or name the file that has it");
        Error::Refused { asked, code: self.code, message: self.text, remedy }
    }
}

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> Self {
        let (number, text) = match error {
            rusqlite::Error::SqliteFailure(error, message) => {
                (error.extended_code, message.unwrap_or_else(|| error.to_string()))
            }
            // Its own text repeats the statement, which the report has already.
            rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
            other => return Self { code: String::new(), text: other.to_string(), primary: 0 },
        };
        let named = |wanted: i32| NAMES.iter().find(|(code, _)| *code == wanted);
        let code = named(number)
            .or_else(|| named(number & PRIMARY))
            .map_or_else(|| format!("SQLite code {number}"), |(_, name)| (*name).to_owned());
        Self { code, text, primary: number & PRIMARY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn codes_have_names_and_texts_do_not_repeat_the_statement() {
        let connection = Connection::open_in_memory().unwrap();
        let error = SqliteError::from(connection.prepare("SELECT * FROM nowhere").unwrap_err());
        assert_eq!((error.code.as_str(), error.text.as_str()), ("SQLITE_ERROR", "no such table: nowhere"));
        assert!(!error.ends_a_wait());
        connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)").unwrap();
        let error = SqliteError::from(connection.execute("INSERT INTO t VALUES (1)", ()).unwrap_err());
        assert_eq!(error.code, "SQLITE_CONSTRAINT_PRIMARYKEY");
        let busy = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY_TIMEOUT), None);
        let error = SqliteError::from(busy);
        assert_eq!((error.code.as_str(), error.ends_a_wait()), ("SQLITE_BUSY", true));
    }
}
