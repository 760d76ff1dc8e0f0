//! One connection to a database in this process: opened as the target says, asked, and its answers.

use std::io::Write;
use std::sync::Arc;

use rusqlite::types::{Null, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, Statement};

use crate::clock::Clock;
use crate::config::Target;
use crate::error::{Asked, Error};
use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};
use crate::workload::message::{Command, Parameter, PreparedStatement, Reply};

use super::deadline::Deadline;
use super::error::SqliteError;

/// A setting that is no pragma here: weigh's own busy handler does what it says, and sees the end of a run as well.
pub(crate) const BUSY: &str = "busy_timeout";
/// What counts only while the database is empty, and not once it has a write-ahead log.
const FIRST: [&str; 2] = ["page_size", "auto_vacuum"];

/// Opens the database of a target, makes it if it is not there, and applies the settings.
///
/// # Errors
///
/// It cannot be opened, is no database, or a setting cannot be written so.
pub(crate) fn open(target: &Target, deadline: &Arc<Deadline>, clock: Clock) -> Result<Connection, Error> {
    let path =
        target.path.as_deref().ok_or_else(|| Error::Setting("SQLite needs the path of a file".into()))?;
    // Each connection belongs to one thread, so SQLite needs no lock around it.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let unreachable = |error: rusqlite::Error| {
        let (target, error) = (path.display().to_string(), SqliteError::from(error));
        // The path stands before it.
        let message = error.text.strip_suffix(&format!(": {target}")).unwrap_or(&error.text).to_owned();
        Error::Unreachable { target, message, code: error.code }
    };
    let mut connection = Connection::open_with_flags(path, flags).map_err(unreachable)?;
    let most = most_waiting(target)?;
    deadline.guard(&mut connection, clock, most).map_err(unreachable)?;
    let first = target.settings.iter().filter(|(name, _)| FIRST.contains(&name.as_str()));
    let rest = target.settings.iter().filter(|(name, _)| !FIRST.contains(&name.as_str()));
    for (name, value) in first.chain(rest).filter(|(name, _)| *name != BUSY) {
        plain(name)?;
        plain(value)?;
        let pragma = format!("PRAGMA {name} = {value}");
        let (began, mut tries) = (clock.now(), 0);
        // Where the journal mode changes, SQLite refuses at once what another connection locks and asks no busy handler:
        // of two that open the same file one would fail.
        while let Err(error) = execute(&connection, &pragma) {
            if !(error.ends_a_wait() && deadline.pause(clock, began, most, tries)) {
                return Err(error.of(Asked::Execute(pragma)));
            }
            tries += 1;
        }
    }
    Ok(connection)
}

/// The longest wait for a lock, in nanoseconds; as long as the request may take, if the target says nothing.
fn most_waiting(target: &Target) -> Result<u64, Error> {
    let Some(text) = target.settings.get(BUSY) else { return Ok(u64::MAX) };
    let milliseconds: u32 = text
        .parse()
        .map_err(|_| Error::Setting(format!("{BUSY} is {text}: it must be a number of milliseconds")))?;
    Ok(u64::from(milliseconds) * 1_000_000)
}

/// A pragma is no statement with parameters: what stands in it must be a word or a number.
fn plain(word: &str) -> Result<(), Error> {
    let right = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    if word.is_empty() || !word.chars().all(right) {
        return Err(Error::Setting(format!("{word:?} is neither the name nor the value of a setting")));
    }
    Ok(())
}

/// Executes one statement and forgets its rows.
pub(crate) fn run(connection: &Connection, statement: &str) -> Result<(), Error> {
    execute(connection, statement).map_err(|error| error.of(Asked::Execute(statement.to_owned())))
}

fn execute(connection: &Connection, statement: &str) -> Result<(), SqliteError> {
    let mut prepared = connection.prepare(statement)?;
    let mut rows = prepared.raw_query();
    while rows.next()?.is_some() {}
    Ok(())
}

/// Statements that are prepared once, and the answer to the last command.
pub(crate) struct Session<'c> {
    connection: &'c Connection,
    statements: Vec<Statement<'c>>,
    /// Names of their columns.
    columns: Vec<Vec<String>>,
    /// The statement in work, if it is a prepared one.
    current: Option<usize>,
    /// Columns of the answer to one that is not.
    named: Vec<String>,
    answer: ReplyBuffer,
    digits: Vec<u8>,
}

impl<'c> Session<'c> {
    /// Prepares the statements: a table that is missing, or a parameter that would get
    /// no value, is found before the run.
    pub(crate) fn begin(connection: &'c Connection, statements: &[PreparedStatement]) -> Result<Self, Error> {
        let prepare = |statement: &PreparedStatement| {
            let asked = || statement.clone().asked();
            let prepared =
                connection.prepare(&statement.text).map_err(|error| SqliteError::from(error).of(asked()))?;
            same(&prepared, statement.types.len()).map_err(|message| Error::Refused {
                asked: asked(),
                code: String::new(),
                message,
                remedy: Some(
                    "write :NAME for a variable that is set, and CAST(:NAME AS TYPE) for :NAME::TYPE",
                ),
            })?;
            Ok(prepared)
        };
        let statements = statements.iter().map(prepare).collect::<Result<Vec<_>, Error>>()?;
        let columns = statements.iter().map(names).collect();
        Ok(Self {
            connection,
            statements,
            columns,
            current: None,
            named: Vec::new(),
            answer: ReplyBuffer::default(),
            digits: Vec::new(),
        })
    }

    /// Executes a command to its end. [`Session::reply`] has the answer; an error is one, too.
    pub(crate) fn execute(&mut self, command: &Command) -> Result<(), SqliteError> {
        self.answer.clear();
        let done = match command {
            Command::Prepared { statement, values } => {
                self.current = Some(*statement);
                match self.statements.get_mut(*statement) {
                    Some(prepared) => ask(prepared, values, &mut self.answer, &mut self.digits),
                    None => Err(rusqlite::Error::InvalidQuery),
                }
            }
            Command::Simple(text) => {
                self.current = None;
                self.named.clear();
                self.connection.prepare(text).and_then(|mut prepared| {
                    self.named = names(&prepared);
                    ask(&mut prepared, &[], &mut self.answer, &mut self.digits)
                })
            }
            // No workload offers commands of keys to a target of this kind.
            Command::Keyed(_) | Command::Batch(_) | Command::Unnamed { .. } => {
                Err(rusqlite::Error::InvalidQuery)
            }
        };
        done.map_err(|error| {
            let error = SqliteError::from(error);
            self.answer.fail(&error.code, &error.text);
            error
        })
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        let names = match self.current {
            Some(statement) => self.columns.get(statement).map_or(&[][..], Vec::as_slice),
            None => &self.named,
        };
        self.answer.reply(names)
    }

    /// Whether the connection is inside a transaction block.
    pub(crate) fn in_block(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Ends a transaction block.
    pub(crate) fn roll_back(&mut self) {
        // Some errors have ended it already; then this is refused, and nothing is left to do.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}

fn names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

/// Whether the parameters that SQLite reads in a statement are those that it will be given. It takes `?`, `?1`, `@a`,
/// `$a` and all of `$1::int` for parameters, and one that is given nothing is NULL.
fn same(statement: &Statement<'_>, given: usize) -> Result<(), String> {
    let given: Vec<String> = (1..=given).map(|place| format!("${place}")).collect();
    let named = |place| statement.parameter_name(place).unwrap_or("?").to_owned();
    let mut read: Vec<String> = (1..=statement.parameter_count()).map(named).collect();
    if read == given {
        return Ok(());
    }
    // `?9` makes nine of them.
    read.dedup();
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(format!(
        "the parameters that SQLite reads in it ({}) are not those that get a value ({})",
        list(&read),
        list(&given)
    ))
}

/// Binds, steps to the end, and copies what comes.
fn ask(
    statement: &mut Statement<'_>,
    values: &[Parameter],
    answer: &mut ReplyBuffer,
    digits: &mut Vec<u8>,
) -> rusqlite::Result<()> {
    // Text that is sent as it is could not be checked before the run.
    if statement.parameter_count() != values.len() {
        return Err(rusqlite::Error::InvalidParameterCount(values.len(), statement.parameter_count()));
    }
    for (place, value) in (1_usize..).zip(values) {
        match value {
            Parameter::Null => statement.raw_bind_parameter(place, Null)?,
            Parameter::Int(number) => statement.raw_bind_parameter(place, number)?,
            Parameter::Float(number) => statement.raw_bind_parameter(place, number)?,
            Parameter::Bool(truth) => statement.raw_bind_parameter(place, truth)?,
            Parameter::Text(text) => {
                statement.raw_bind_parameter(place, ToSqlOutput::Borrowed(ValueRef::Text(text)))?;
            }
        }
    }
    let width = statement.column_count();
    if width == 0 {
        answer.kind = ReplyKind::Count(statement.raw_execute()? as u64);
        return Ok(());
    }
    answer.kind = ReplyKind::Rows;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for column in 0..width {
            digits.clear();
            let value = match row.get_ref(column)? {
                ValueRef::Null => None,
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
                ValueRef::Integer(number) => {
                    // A vector takes everything.
                    let _ = write!(digits, "{number}");
                    Some(&digits[..])
                }
                ValueRef::Real(number) => {
                    let _ = write!(digits, "{number:?}");
                    Some(&digits[..])
                }
            };
            answer.value(value);
        }
        answer.end_row();
    }
    Ok(())
}
