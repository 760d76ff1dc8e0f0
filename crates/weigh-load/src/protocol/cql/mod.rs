//! One session of Cassandra's native protocol, which ScyllaDB speaks too, without a socket: bytes in, bytes and answers
//! out.
//!
//! Statements are prepared when the session begins: a table that is missing is found before the run. Rows come in pages,
//! which are one answer. Each request says its consistency level and, as drivers do, when it was made.

mod answer;
mod frame;
mod level;
#[cfg(test)]
mod tests;
mod types;
mod values;
mod write_clock;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::{BufMut, BytesMut};

use crate::error::Error;
use crate::protocol::placeholders::{Dialect, Placed, placed};
use crate::protocol::reply_buffer::ReplyBuffer;
use crate::workload::message::{Command, Parameter, PreparedStatement, Reply};

use frame::{opcode, put_bytes, put_frame, put_string};
pub(crate) use level::Levels;
use types::{Columns, Type};
pub(crate) use write_clock::WriteClock;

/// Rows of a page, as drivers have it.
const PAGE: i32 = 5_000;
/// Rows that are loaded at once, at most: each has a stream of its own.
const STREAMS: usize = i16::MAX as usize;

/// Flags of a request.
mod with {
    pub(super) const VALUES: u8 = 0x01;
    pub(super) const NO_METADATA: u8 = 0x02;
    pub(super) const PAGE_SIZE: u8 = 0x04;
    pub(super) const PAGE: u8 = 0x08;
    pub(super) const SERIAL: u8 = 0x10;
    pub(super) const TIME: u8 = 0x20;
}

/// Whom to log in as, where, and how many replicas must answer.
#[derive(Clone, Debug)]
pub(crate) struct Login {
    user: Option<String>,
    password: Option<String>,
    keyspace: Option<String>,
    levels: Levels,
    clock: Arc<WriteClock>,
}

impl Login {
    /// With the levels that the settings name.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: there is no such level or setting.
    pub(crate) fn new(
        user: Option<String>,
        password: Option<String>,
        keyspace: Option<String>,
        settings: &BTreeMap<String, String>,
    ) -> Result<Self, Error> {
        let known = ["consistency", "serial_consistency"];
        if let Some(name) = settings.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(Error::Setting(format!("CQL has no setting {name}; it has {}", known.join(" and "))));
        }
        let level =
            |name: &str, usual: &'static str| settings.get(name).map_or(usual, String::as_str).to_owned();
        let levels = Levels::named(&level(known[0], "LOCAL_ONE"), &level(known[1], "SERIAL"))?;
        Ok(Self { user, password, keyspace, levels, clock: Arc::default() })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Greeting,
    Authenticating,
    ChoosingKeyspace,
    /// The statement of this number.
    Preparing(usize),
    Idle,
    Busy,
    /// The statement that loads rows is being prepared.
    PreparingRows,
    /// So many rows are not answered yet; no more will come once it is `ended`.
    Loading {
        open: usize,
        ended: bool,
    },
}

/// What is being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    Text,
    /// A prepared statement, by its place.
    Prepared(usize),
    /// A statement that is prepared for this once: and then executed.
    Preparing,
    Once,
}

/// A statement that the server has prepared.
#[derive(Debug, Default)]
struct Prepared {
    id: Vec<u8>,
    placed: Placed,
    parameters: Vec<Type>,
    columns: Columns,
}

impl Prepared {
    fn new(text: &str) -> Self {
        Self { placed: placed(text, Dialect::Cql), ..Self::default() }
    }
}

/// One session.
pub(crate) struct Session {
    login: Login,
    statements: Arc<[PreparedStatement]>,
    prepared: Vec<Prepared>,
    /// Prepared for one execution, or for rows that are loaded; and its values.
    once: Prepared,
    values: Vec<Parameter>,
    stage: Stage,
    current: Current,
    /// Columns of an answer that brings its own.
    own: Option<Columns>,
    /// The text and the values of the request, for the pages that follow.
    text: String,
    request: BytesMut,
    /// Whether the server has been told anew what the statement was that it had forgotten.
    again: bool,
    answer: ReplyBuffer,
    /// A row as text, and where its values are.
    row: String,
    ranges: Vec<Option<Range<usize>>>,
    longest: usize,
}

impl Session {
    /// Whether it has logged in, and waits for its statements to be prepared.
    pub(crate) fn is_preparing(&self) -> bool {
        matches!(self.stage, Stage::Preparing(_))
    }

    /// Begins: the greeting is put into `out`.
    pub(crate) fn begin(
        login: Login,
        statements: Arc<[PreparedStatement]>,
        longest: usize,
        out: &mut BytesMut,
    ) -> Self {
        put_frame(out, 0, opcode::STARTUP, |out| {
            out.put_u16(1);
            put_string(out, b"CQL_VERSION");
            put_string(out, b"3.0.0");
        });
        Self {
            login,
            statements,
            prepared: Vec::new(),
            once: Prepared::default(),
            values: Vec::new(),
            stage: Stage::Greeting,
            current: Current::Text,
            own: None,
            text: String::new(),
            request: BytesMut::new(),
            again: false,
            answer: ReplyBuffer::default(),
            row: String::new(),
            ranges: Vec::new(),
            longest,
        }
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        let prepared = match self.current {
            Current::Prepared(place) => self.prepared.get(place),
            Current::Once | Current::Preparing => Some(&self.once),
            Current::Text => None,
        };
        let known = prepared.map_or(&[][..], |one| &one.columns.names);
        self.answer.reply(self.own.as_ref().map_or(known, |columns| &columns.names))
    }

    /// Puts a command into `out`.
    pub(crate) fn send(&mut self, command: &Command, out: &mut BytesMut) -> Result<(), Error> {
        self.stage = Stage::Busy;
        self.answer.clear();
        self.own = None;
        self.again = false;
        self.request.clear();
        match command {
            Command::Prepared { statement, values } => {
                self.current = Current::Prepared(*statement);
                self.fill(values)?;
                self.execute(None, out);
            }
            Command::Simple(text) => {
                self.current = Current::Text;
                self.text.clone_from(text);
                self.query(None, out);
            }
            Command::Unnamed { text, values } => {
                self.current = Current::Preparing;
                self.once = Prepared::new(text);
                let parameter = |value: &Option<String>| {
                    value.as_ref().map_or(Parameter::Null, |text| Parameter::Text(text.clone().into_bytes()))
                };
                self.values = values.iter().map(parameter).collect();
                prepare(&self.once.placed.text, out);
            }
            Command::Keyed(_) | Command::Batch(_) => {
                return Err(Error::Setting("Cassandra takes CQL, and no commands of keys".to_owned()));
            }
        }
        Ok(())
    }

    /// Prepares a statement with which rows are loaded.
    pub(crate) fn begin_rows(&mut self, statement: &str, out: &mut BytesMut) {
        self.stage = Stage::PreparingRows;
        self.answer.clear();
        self.once = Prepared::new(statement);
        prepare(&self.once.placed.text, out);
    }

    /// Puts rows as COPY has them into `out`, each as a request of its own.
    pub(crate) fn send_rows(&mut self, rows: &[u8], out: &mut BytesMut) -> Result<(), Error> {
        let Stage::Loading { open, ended: false } = &mut self.stage else {
            return Err(Error::protocol("rows that nobody asked for"));
        };
        for line in rows.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let stream = i16::try_from(*open % STREAMS).unwrap_or(0);
            *open += 1;
            self.request.clear();
            let cells: Vec<&[u8]> = line.split(|byte| *byte == b'\t').collect();
            for (place, kind) in self.once.placed.order.iter().zip(&self.once.parameters) {
                let cell = cells.get(*place).ok_or_else(|| Error::protocol("a row with too few cells"))?;
                values::put(&Parameter::Text(cell.to_vec()), kind, &mut self.request)?;
            }
            put_execute(&self.login, &self.once, &self.request, stream, None, out);
        }
        if *open > STREAMS {
            return Err(Error::protocol("more rows at once than there are streams"));
        }
        Ok(())
    }

    /// Ends the rows.
    pub(crate) fn end_rows(&mut self) {
        if let Stage::Loading { ended, .. } = &mut self.stage {
            *ended = true;
        }
    }

    /// Encodes the values of the current statement.
    fn fill(&mut self, given: &[Parameter]) -> Result<(), Error> {
        let statement = match self.current {
            Current::Prepared(place) => self.prepared.get(place),
            _ => Some(&self.once),
        };
        let statement = statement.ok_or_else(|| Error::protocol("a statement that was not prepared"))?;
        self.request.clear();
        for (place, kind) in statement.placed.order.iter().zip(&statement.parameters) {
            values::put(given.get(*place).unwrap_or(&Parameter::Null), kind, &mut self.request)?;
        }
        Ok(())
    }

    /// Executes the current statement with the values that are encoded.
    fn execute(&self, page: Option<&[u8]>, out: &mut BytesMut) {
        let statement = match self.current {
            Current::Prepared(place) => &self.prepared[place],
            _ => &self.once,
        };
        put_execute(&self.login, statement, &self.request, 0, page, out);
    }

    fn query(&self, page: Option<&[u8]>, out: &mut BytesMut) {
        put_frame(out, 0, opcode::QUERY, |out| {
            put_bytes(out, self.text.as_bytes());
            put_options(&self.login, 0, None, page, out);
        });
    }
}

fn prepare(text: &str, out: &mut BytesMut) {
    put_frame(out, 0, opcode::PREPARE, |out| put_bytes(out, text.as_bytes()));
}

fn put_execute(
    login: &Login,
    statement: &Prepared,
    values: &[u8],
    stream: i16,
    page: Option<&[u8]>,
    out: &mut BytesMut,
) {
    put_frame(out, stream, opcode::EXECUTE, |out| {
        put_string(out, &statement.id);
        // The answer to a condition has columns of its own.
        let known = if statement.columns.names.is_empty() { 0 } else { with::NO_METADATA };
        put_options(login, known, Some((statement.parameters.len(), values)), page, out);
    });
}

/// What stands behind a statement: level, values, page and time.
fn put_options(
    login: &Login,
    flags: u8,
    values: Option<(usize, &[u8])>,
    page: Option<&[u8]>,
    out: &mut BytesMut,
) {
    out.put_u16(login.levels.all);
    let values = values.filter(|(count, _)| *count > 0);
    let mut flags = flags | with::PAGE_SIZE | with::SERIAL | with::TIME;
    flags |= if values.is_some() { with::VALUES } else { 0 };
    flags |= if page.is_some() { with::PAGE } else { 0 };
    out.put_u8(flags);
    if let Some((count, bytes)) = values {
        out.put_u16(u16::try_from(count).unwrap_or(u16::MAX));
        out.put_slice(bytes);
    }
    out.put_i32(PAGE);
    if let Some(page) = page {
        put_bytes(out, page);
    }
    out.put_u16(login.levels.serial);
    out.put_i64(login.clock.next());
}
