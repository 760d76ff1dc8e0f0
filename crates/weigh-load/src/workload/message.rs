//! What goes between a workload and a server: commands and parameters, replies and rows, and the data of a bulk load.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::error::{Asked, ScriptLine};

/// What is sent to the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Execute a prepared statement.
    Prepared {
        /// Its number in [`Workload::statements`](super::Workload::statements).
        statement: usize,
        /// Its parameters.
        values: Vec<Parameter>,
    },
    /// SQL text, by the simple protocol.
    Simple(String),
    /// SQL text with `$1`, `$2` and so on, and their values as text: parsed anew each time, and not kept.
    Unnamed {
        /// The text.
        text: String,
        /// Its parameters.
        values: Vec<Option<String>>,
    },
    /// The words of one RESP command.
    Keyed(Vec<Vec<u8>>),
    /// Several RESP commands in one write. Their replies come back as one [`Reply::Rows`] with a row for each.
    Batch(Vec<Vec<Vec<u8>>>),
}

/// A statement that is prepared once for each connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedStatement {
    /// SQL, in which parameters are `$1`, `$2` and so on.
    pub text: String,
    /// Their types, one for each.
    pub types: Vec<ParameterType>,
    /// Where it is written first, if it is one of a script.
    pub at: Option<ScriptLine>,
}

/// The type with which a parameter is declared where the server has types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParameterType {
    /// None: the server finds one by what stands around it.
    #[default]
    Unknown,
    /// 32 bits.
    Integer,
    /// 64 bits.
    Bigint,
    /// A decimal number.
    Numeric,
    /// A truth.
    Boolean,
}

impl PreparedStatement {
    /// To prepare it, as what a server is asked.
    pub(crate) fn asked(self) -> Asked {
        Asked::Prepare { statement: self.text, at: self.at.map(Box::new) }
    }
}

/// A parameter of a prepared statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
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
    types: &'a [u32],
    bytes: &'a [u8],
    cells: &'a [Cell],
    ends: &'a [usize],
    more: usize,
}

impl<'a> Rows<'a> {
    /// Rows whose values are ranges of `bytes`. Row *i* has the cells up to `ends[i]`, from the end of the row before.
    /// `names` are those of the columns, where the server gives any.
    #[must_use]
    pub fn new(names: &'a [String], bytes: &'a [u8], cells: &'a [Cell], ends: &'a [usize]) -> Self {
        Self { names, types: &[], bytes, cells, ends, more: 0 }
    }

    /// The same, with the types of the columns.
    pub(crate) fn typed(self, types: &'a [u32]) -> Self {
        Self { types, ..self }
    }

    /// The same, followed by so many rows whose values were not kept.
    pub(crate) fn and(self, more: usize) -> Self {
        Self { more, ..self }
    }

    /// Number of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len() + self.more
    }

    /// Number of rows whose values are kept: the first ones.
    #[must_use]
    pub fn kept(&self) -> usize {
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

    /// Types of the columns, as numbers of PostgreSQL's `pg_type`; empty where the server gives none.
    #[must_use]
    pub fn types(&self) -> &'a [u32] {
        self.types
    }

    fn row(&self, row: usize) -> &'a [Cell] {
        let Some(end) = self.ends.get(row) else { return &[] };
        let begin = if row == 0 { 0 } else { self.ends[row - 1] };
        self.cells.get(begin..*end).unwrap_or(&[])
    }
}

/// How data get into a server.
pub enum Bulk {
    /// By COPY; into MySQL by LOAD DATA, which takes the same rows; into SQLite by INSERTs with a parameter for each cell.
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
    /// By a file of SQL, which is read when it is loaded.
    File(PathBuf),
    /// By COPY over several connections at once.
    Parallel {
        /// Statements to run first, one by one.
        before: Vec<String>,
        /// As of [`Bulk::Sql`]; several at once, into one table too.
        copies: Vec<(String, Chunks)>,
        /// Statements that make keys: those of a stage at once, stage after stage.
        keys: Vec<Vec<String>>,
        /// Statements to run at the end, one by one.
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
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Sql { before, after, rows, .. } | Self::Parallel { before, after, rows, .. } => f
                .debug_struct("Sql")
                .field("before", before)
                .field("after", after)
                .field("rows", rows)
                .finish_non_exhaustive(),
            Self::Keyed { rows, .. } => f.debug_struct("Keyed").field("rows", rows).finish_non_exhaustive(),
        }
    }
}

/// The statement with which MySQL takes rows in the form that COPY has.
pub(crate) fn mysql_copy(table: &str) -> String {
    format!("LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table} CHARACTER SET utf8mb4")
}

/// Bytes to send, in order.
pub type Chunks = Box<dyn ChunkSource>;

/// What makes the bytes of a load; a copy that is made before the first of them makes all of them again.
pub trait ChunkSource: Iterator<Item = Chunk> + Send {
    /// A copy, which goes on from here by itself.
    fn duplicate(&self) -> Chunks;
}

impl<I: Iterator<Item = Chunk> + Clone + Send + 'static> ChunkSource for I {
    fn duplicate(&self) -> Chunks {
        Box::new(self.clone())
    }
}

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

/// As C prints with `%.15g`: 15 significant digits, without zeros at the end.
pub(crate) fn fifteen_digits(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.14e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let shortest = |text: &str| -> String {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text.into() }
    };
    if (-4..15).contains(&exponent) {
        let decimals = usize::try_from(14 - exponent).unwrap_or(0);
        return shortest(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", shortest(digits), exponent.abs())
}
