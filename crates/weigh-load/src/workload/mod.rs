//! What a workload is to the loop that offers it: commands out, replies in, and a judgement of every answer.
//!
//! A [`Source`] is made once for a run; it makes one [`Workload`] for each worker thread, and the bytes of the bulk
//! load. A workload does no I/O, reads no clock and never waits, so that the loop's clocks time the server alone.
//!
//! ```text
//!            begin(connection)               reply(unit, ...)
//! free connection ------> Next::Send(command) ------> Next::Send(command) ------> Next::Done(outcome)
//!                         Next::Sleep(time) --wake--> ...
//!                                 `---- time-out, connection lost ----> lost(unit)
//! ```
//!
//! # When `begin` is to be called
//!
//! When a connection is at hand and the command is about to be sent, not earlier: a workload that checks answers notes
//! at that moment what the server must have by now. Called earlier it would still accuse no correct server, and see
//! less.

pub mod script;
mod select;
pub mod ycsb;

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use crate::config::TargetKind;

/// A workload of a run, shared by its threads.
pub trait Source: Send + Sync {
    /// The workload of worker thread `thread`. Each draws its own random numbers, from the seed and its number.
    fn worker(&self, thread: usize) -> Box<dyn Workload>;
    /// How the data get into a server of this kind before the run; nothing for a workload that finds its own.
    fn bulk(&self, kind: TargetKind) -> Option<Bulk>;
}

/// The work of one thread.
pub trait Workload: Send {
    /// Names of the operations in the order of their numbers.
    fn operations(&self) -> &[String];

    /// SQL statements to prepare on every connection, without types of parameters; their place is their number.
    /// Parameters are sent, and results expected, in text format; SQLite is given parameters of their types. Empty for
    /// key-value targets.
    fn statements(&self) -> &[String];

    /// How many parameters each of the statements gets: those of a statement are `$1`, `$2` and so on.
    fn parameters(&self) -> &[usize];

    /// Begins the next unit of work on a free connection: its operation number and what to do first. Connections are
    /// numbered within a thread.
    fn begin(&mut self, connection: usize) -> (usize, Unit, Next);

    /// What follows from the server's reply to the last command.
    ///
    /// `open` says that the connection is inside a transaction block after the reply (of a PostgreSQL server:
    /// ReadyForQuery with `T` or `E`); false for servers that have none.
    fn reply(&mut self, unit: &mut Unit, reply: &Reply<'_>, open: bool) -> Next;

    /// What follows when the time of a [`Next::Sleep`] is over.
    fn wake(&mut self, unit: &mut Unit) -> Next;

    /// No reply will come: a time-out, or the connection is gone. Whether the server did the work is not known, and
    /// from now on either is right.
    fn lost(&mut self, unit: Unit);
}

/// A workload's memory of one piece of work: which key, which version, which step.
#[derive(Debug)]
pub struct Unit(pub(crate) Inner);

#[derive(Debug)]
pub(crate) enum Inner {
    Ycsb(ycsb::Step),
    Script(script::Turn),
}

/// What the loop is to do next with a unit.
#[derive(Debug)]
pub enum Next {
    /// Send this and hand the reply to [`Workload::reply`].
    Send(Command),
    /// Keep the connection idle for this long, then call [`Workload::wake`].
    Sleep(Duration),
    /// The unit is done, the connection free. If it is still inside a transaction block, the loop rolls it back first.
    Done(Outcome),
}

/// How a unit of work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should. `verified` rows were compared with what had been written.
    Right {
        /// Rows whose values were checked.
        verified: u64,
    },
    /// An answer contradicts what was written: which, and how.
    Wrong(String),
    /// A key that must be there is not.
    Missing,
    /// The server refused the work: its error.
    Failed(String),
}

/// What is sent to the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Execute a prepared statement.
    Prepared {
        /// Its number in [`Workload::statements`].
        statement: usize,
        /// Its parameters.
        values: Vec<Value>,
    },
    /// SQL text, by the simple protocol.
    Simple(String),
    /// The words of one RESP command.
    Keyed(Vec<Vec<u8>>),
    /// Several RESP commands in one write. Their replies come back as one [`Reply::Rows`] with a row for each.
    Batch(Vec<Vec<Vec<u8>>>),
}

/// A parameter of a prepared statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A whole number, sent as decimal digits.
    Int(i64),
    /// A double, sent with 15 digits.
    Float(f64),
    /// A truth, sent as a word.
    Bool(bool),
    /// Text, sent as it is.
    Text(Vec<u8>),
}

/// What the server said.
#[derive(Debug)]
pub enum Reply<'a> {
    /// Rows of SQL; or of RESP an array of strings, as one row; or the replies of a batch, a row each.
    Rows(Rows<'a>),
    /// Rows affected (the command tag of SQL, 0 where it has none), or a RESP integer.
    Count(u64),
    /// A RESP null.
    Nil,
    /// A RESP string, simple or bulk.
    Bytes(&'a [u8]),
    /// The server's error.
    Error {
        /// SQLSTATE, or the first word of a RESP error.
        code: &'a str,
        /// The message.
        text: &'a str,
    },
}

/// Where a value is in the bytes of [`Rows`]; nothing is NULL.
pub type Cell = Option<Range<u32>>;

/// Rows of an answer, which need not have the same length, without a copy of their values.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    names: &'a [String],
    bytes: &'a [u8],
    cells: &'a [Cell],
    ends: &'a [usize],
}

impl<'a> Rows<'a> {
    /// Rows whose values are ranges of `bytes`. Row *i* has the cells up to `ends[i]`, from the end of the row before.
    /// `names` are those of the columns, where the server gives any.
    #[must_use]
    pub fn new(names: &'a [String], bytes: &'a [u8], cells: &'a [Cell], ends: &'a [usize]) -> Self {
        Self { names, bytes, cells, ends }
    }

    /// Number of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Number of values in row `row`, counted from 0; none if there is no such row.
    #[must_use]
    pub fn width(&self, row: usize) -> usize {
        self.row(row).len()
    }

    /// A value: nothing if it is NULL, or if there is no such row or column.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<&'a [u8]> {
        let range = self.row(row).get(column)?.as_ref()?;
        self.bytes.get(range.start as usize..range.end as usize)
    }

    /// Names of the columns; empty where the server gives none.
    #[must_use]
    pub fn names(&self) -> &'a [String] {
        self.names
    }

    fn row(&self, row: usize) -> &'a [Cell] {
        let Some(end) = self.ends.get(row) else { return &[] };
        let begin = if row == 0 { 0 } else { self.ends[row - 1] };
        self.cells.get(begin..*end).unwrap_or(&[])
    }
}

/// How data get into a server.
pub enum Bulk {
    /// By COPY; into SQLite by INSERTs with a parameter for each cell.
    Sql {
        /// Statements to run first, one by one.
        before: Vec<String>,
        /// `COPY ... FROM STDIN` in text format, or `INSERT`, each with its rows as COPY has them.
        copies: Vec<(String, Chunks)>,
        /// Statements to run at the end.
        after: Vec<String>,
        /// Rows of all copies together.
        rows: u64,
    },
    /// By pipelined RESP commands.
    Keyed {
        /// Commands to run first, one by one.
        before: Vec<Vec<Vec<u8>>>,
        /// The commands.
        chunks: Chunks,
        /// Rows of all chunks together.
        rows: u64,
    },
}

impl fmt::Debug for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sql { before, after, rows, .. } => f
                .debug_struct("Sql")
                .field("before", before)
                .field("after", after)
                .field("rows", rows)
                .finish_non_exhaustive(),
            Self::Keyed { rows, .. } => f.debug_struct("Keyed").field("rows", rows).finish_non_exhaustive(),
        }
    }
}

/// Bytes to send, in order.
pub type Chunks = Box<dyn Iterator<Item = Chunk> + Send>;

/// Some rows in the form in which they are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What to send: whole lines of COPY text, or whole RESP commands.
    pub bytes: Vec<u8>,
    /// Rows in it.
    pub rows: u64,
    /// Replies that the server will send: one for each RESP command, none for COPY.
    pub replies: u64,
}
