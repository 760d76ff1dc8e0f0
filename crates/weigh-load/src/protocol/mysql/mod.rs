//! One session of MySQL's protocol, which MariaDB speaks too, without a socket: bytes in, bytes and answers out.
//!
//! Statements are prepared once, by number, when the session begins: a table that is missing is found before the run.
//! Then each command is one packet; parameters and rows are binary, and workloads have them as text. What a server does
//! not prepare (`BEGIN` of MySQL) is sent as text.

mod login;
mod packet;
mod placeholders;
#[cfg(test)]
mod tests;
mod values;

use std::ops::Range;
use std::sync::Arc;

use bytes::{BufMut, BytesMut};

use crate::error::{Asked, Error};
use crate::protocol::Step;
use crate::protocol::limits::{ERROR_TEXT, beginning};
use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};
use crate::workload::message::{Command, Parameter, ParameterType, PreparedStatement, Reply};

use login::can;
pub(crate) use login::{Greeting, Login, ask_for_tls};
use packet::{Fields, Frames, LONGEST_FRAME, Payload};
use placeholders::{Placed, placed};
use values::Column;

/// Numbers of commands.
mod command {
    pub(super) const QUERY: u8 = 3;
    pub(super) const PREPARE: u8 = 22;
    pub(super) const EXECUTE: u8 = 23;
    pub(super) const CLOSE: u8 = 25;
}

const OK: u8 = 0;
const LOCAL_FILE: u8 = 0xFB;
const END: u8 = 0xFE;
const ERROR: u8 = 0xFF;
/// Of the status: a transaction is open; another answer follows.
const IN_TRANSACTION: u16 = 1;
const MORE_ANSWERS: u16 = 8;
/// The server prepares no such statement.
const UNPREPARABLE: &str = "1295";
/// How the statement begins that sends rows.
const LOADS: &str = "load data local infile";
/// Bytes of one packet of a file.
const PIECE: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    LoggingIn,
    Preparing,
    Idle,
    Busy,
    /// It takes the rows of a file.
    Loading,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// The first packet of an answer.
    First,
    /// So many definitions of parameters, and then of columns.
    Definitions {
        parameters: usize,
        columns: usize,
    },
    /// The end of definitions, where the server sends one.
    DefinitionsEnd {
        columns: usize,
    },
    Rows,
}

/// The columns of an answer.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    types: Vec<Column>,
    /// Whether all of them are texts.
    plain: bool,
}

impl Columns {
    fn add(&mut self, payload: &[u8]) -> Result<(), Error> {
        let (name, column) = Column::read(payload)?;
        self.plain = column.is_text() && (self.plain || self.types.is_empty());
        self.names.push(name);
        self.types.push(column);
        Ok(())
    }
}

/// A statement that the server has prepared.
#[derive(Debug, Default)]
struct Prepared {
    /// Nothing where the server prepares no such one: it is sent as text.
    number: Option<u32>,
    placed: Placed,
    types: Vec<ParameterType>,
    columns: Columns,
    /// The types of the parameters that the server has.
    sent: Vec<u8>,
}

impl Prepared {
    fn new(text: &str, types: &[ParameterType]) -> Self {
        Self { placed: placed(text), types: types.to_vec(), ..Self::default() }
    }

    /// Its values in the order of their question marks.
    fn ordered<'a>(
        &'a self,
        values: &'a [Parameter],
    ) -> impl Iterator<Item = (&'a Parameter, ParameterType)> + Clone {
        self.placed.order.iter().map(|place| {
            let declared = self.types.get(*place).copied().unwrap_or_default();
            (values.get(*place).unwrap_or(&Parameter::Null), declared)
        })
    }
}

/// What is being answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    /// Text.
    Text,
    /// A prepared statement, by its place.
    Prepared(usize),
    /// A statement that is prepared for this once: and then executed.
    Preparing,
    Once,
}

/// One session.
pub(crate) struct Session {
    login: Login,
    can: u64,
    statements: Arc<[PreparedStatement]>,
    prepared: Vec<Prepared>,
    /// Prepared for one execution, and its values.
    once: Prepared,
    values: Vec<Parameter>,
    stage: Stage,
    awaited: Awaited,
    current: Current,
    /// Columns of the answer to a text.
    named: Columns,
    answer: ReplyBuffer,
    status: u16,
    frames: Frames,
    /// A row as text, and where its values are.
    text: String,
    ranges: Vec<Option<Range<usize>>>,
    /// Whether the statement is one that sends rows.
    loads: bool,
    longest: usize,
}

impl Session {
    /// The server's greeting, when it is whole.
    pub(crate) fn greeting(login: &Login, inbox: &mut BytesMut) -> Result<Option<Greeting>, Error> {
        let Some(payload) = Frames::default().next(inbox, ERROR_TEXT * 4)? else { return Ok(None) };
        let Payload::Here(length) = payload else {
            return Err(Error::protocol("a greeting that is too long"));
        };
        let greeting = match packet::here(inbox, length) {
            refused @ [ERROR, ..] => {
                let (code, message) = packet::error(refused)?;
                return Err(Error::Refused {
                    asked: Asked::Task(login.describe()),
                    code,
                    message,
                    remedy: None,
                });
            }
            payload => Greeting::read(payload)?,
        };
        packet::done(inbox, length);
        Ok(Some(greeting))
    }

    /// Begins: the login is put into `out`.
    pub(crate) fn begin(
        login: Login,
        greeting: &Greeting,
        encrypted: bool,
        statements: Arc<[PreparedStatement]>,
        longest: usize,
        out: &mut BytesMut,
    ) -> Result<Self, Error> {
        // Behind the greeting, and behind the question for TLS.
        let mut frames = Frames { next: 1 + u8::from(encrypted), ..Frames::default() };
        login.answer_greeting(greeting, encrypted, &mut frames, out)?;
        Ok(Self {
            can: greeting.common(),
            login,
            statements,
            prepared: Vec::new(),
            once: Prepared::default(),
            values: Vec::new(),
            stage: Stage::LoggingIn,
            awaited: Awaited::First,
            current: Current::Text,
            named: Columns::default(),
            answer: ReplyBuffer::default(),
            status: 0,
            frames,
            text: String::new(),
            ranges: Vec::new(),
            loads: false,
            longest,
        })
    }

    /// Whether the session is inside a transaction.
    ///
    /// An error does not say. One that ended the transaction leaves nothing open, and a ROLLBACK more does no harm.
    pub(crate) fn in_block(&self) -> bool {
        self.status & IN_TRANSACTION != 0
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        self.answer.reply(match self.current {
            Current::Prepared(statement) => {
                self.prepared.get(statement).map_or(&[][..], |one| &one.columns.names)
            }
            Current::Once | Current::Preparing => &self.once.columns.names,
            Current::Text => &self.named.names,
        })
    }

    /// Puts a command into `out`.
    pub(crate) fn send(&mut self, command: &Command, out: &mut BytesMut) -> Result<(), Error> {
        self.stage = Stage::Busy;
        self.awaited = Awaited::First;
        self.answer.clear();
        match command {
            Command::Prepared { statement, values } => {
                let text = match self.prepared.get(*statement) {
                    Some(Prepared { number: None, placed, .. }) => placed.text.clone(),
                    Some(_) => {
                        self.current = Current::Prepared(*statement);
                        self.execute(values, out);
                        return Ok(());
                    }
                    None => return Err(Error::protocol("a statement that was not prepared")),
                };
                self.query(&text, out);
            }
            Command::Simple(text) => self.query(text, out),
            Command::Unnamed { text, values } => {
                self.current = Current::Preparing;
                self.once = Prepared::new(text, &[]);
                let parameter = |value: &Option<String>| {
                    value.as_ref().map_or(Parameter::Null, |text| Parameter::Text(text.clone().into_bytes()))
                };
                self.values = values.iter().map(parameter).collect();
                let text = std::mem::take(&mut self.once.placed.text);
                self.words(command::PREPARE, text.as_bytes(), out);
            }
            Command::Keyed(_) | Command::Batch(_) => {
                return Err(Error::Setting("MySQL takes SQL, and no commands of keys".to_owned()));
            }
        }
        Ok(())
    }

    fn query(&mut self, text: &str, out: &mut BytesMut) {
        self.current = Current::Text;
        self.named = Columns::default();
        let begins = text.get(..LOADS.len()).is_some_and(|words| words.eq_ignore_ascii_case(LOADS));
        self.loads = begins;
        self.words(command::QUERY, text.as_bytes(), out);
    }

    fn words(&mut self, number: u8, text: &[u8], out: &mut BytesMut) {
        self.frames.begin();
        self.frames.write(out, |out| {
            out.put_u8(number);
            out.put_slice(text);
        });
    }

    /// Executes the current statement.
    fn execute(&mut self, values: &[Parameter], out: &mut BytesMut) {
        let statement = match self.current {
            Current::Prepared(place) => &mut self.prepared[place],
            _ => &mut self.once,
        };
        let ordered = || statement.ordered(values);
        let same = statement.sent.len() == statement.placed.order.len()
            && ordered().zip(&statement.sent).all(|((value, declared), sent)| {
                // A NULL is one whatever its type.
                *value == Parameter::Null || values::type_of(value, declared) == *sent
            });
        self.frames.begin();
        self.frames.write(out, |out| {
            out.put_u8(command::EXECUTE);
            out.put_u32_le(statement.number.unwrap_or(0));
            // No cursor; once.
            out.put_u8(0);
            out.put_u32_le(1);
            if !statement.placed.order.is_empty() {
                values::put_parameters(ordered(), !same, out);
            }
        });
        if !same {
            statement.sent = ordered().map(|(value, declared)| values::type_of(value, declared)).collect();
        }
    }

    /// Puts rows of a file into `out`.
    pub(crate) fn send_rows(&mut self, rows: &[u8], out: &mut BytesMut) -> Result<(), Error> {
        if self.stage != Stage::Loading {
            return Err(Error::protocol("rows that nobody asked for"));
        }
        for piece in rows.chunks(PIECE) {
            self.frames.write(out, |out| out.put_slice(piece));
        }
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn end_rows(&mut self, out: &mut BytesMut) {
        self.stage = Stage::Busy;
        self.frames.write(out, |_| {});
    }

    /// Works off what has arrived, up to the next thing worth telling.
    pub(crate) fn advance(&mut self, inbox: &mut BytesMut, out: &mut BytesMut) -> Result<Step, Error> {
        loop {
            let step = match self.frames.next(inbox, self.longest)? {
                None => return Ok(Step::Wait),
                Some(Payload::Here(length)) => {
                    let step = self.take(packet::here(inbox, length), out)?;
                    packet::done(inbox, length);
                    step
                }
                Some(Payload::Joined(payload)) => self.take(&payload, out)?,
            };
            if step != Step::Wait {
                return Ok(step);
            }
        }
    }

    fn take(&mut self, payload: &[u8], out: &mut BytesMut) -> Result<Step, Error> {
        let first = *payload.first().ok_or_else(|| Error::protocol("an empty packet"))?;
        match self.stage {
            _ if first == ERROR => self.take_error(payload, out),
            Stage::LoggingIn if first == OK => Ok(self.prepare(out)),
            Stage::LoggingIn => {
                self.login.answer(payload, &mut self.frames, out)?;
                Ok(Step::Wait)
            }
            Stage::Preparing => self.preparing(payload, out),
            Stage::Busy => self.answered(payload, first, out),
            Stage::Loading | Stage::Idle => Err(Error::protocol("an answer that nobody asked for")),
        }
    }

    /// Prepares the next statement, if there is one.
    fn prepare(&mut self, out: &mut BytesMut) -> Step {
        let Some(statement) = self.statements.get(self.prepared.len()) else {
            self.stage = Stage::Idle;
            return Step::Ready;
        };
        let prepared = Prepared::new(&statement.text, &statement.types);
        self.stage = Stage::Preparing;
        self.awaited = Awaited::First;
        let text = prepared.placed.text.clone();
        self.prepared.push(prepared);
        self.words(command::PREPARE, text.as_bytes(), out);
        Step::Wait
    }

    fn preparing(&mut self, payload: &[u8], out: &mut BytesMut) -> Result<Step, Error> {
        let place = self.prepared.len().saturating_sub(1);
        let Some(statement) = self.prepared.get_mut(place) else {
            return Err(Error::protocol("nothing is prepared"));
        };
        Ok(if define(&mut self.awaited, self.can, statement, payload)? {
            self.prepare(out)
        } else {
            Step::Wait
        })
    }

    /// A packet of an answer.
    fn answered(&mut self, payload: &[u8], first: u8, out: &mut BytesMut) -> Result<Step, Error> {
        if self.current == Current::Preparing {
            if define(&mut self.awaited, self.can, &mut self.once, payload)? {
                self.current = Current::Once;
                self.awaited = Awaited::First;
                let values = std::mem::take(&mut self.values);
                self.execute(&values, out);
            }
            return Ok(Step::Wait);
        }
        match self.awaited {
            Awaited::First => match first {
                OK => {
                    let done = packet::Ok::read(payload)?;
                    if self.answer.kind != ReplyKind::Rows {
                        self.answer.kind = ReplyKind::Count(done.affected);
                    }
                    Ok(self.over(done.status, out))
                }
                LOCAL_FILE if self.loads => {
                    // What it is called does not matter: no file is read, whatever a server asks for.
                    self.stage = Stage::Loading;
                    Ok(Step::CopyIn)
                }
                LOCAL_FILE => Err(Error::protocol("it asks for a file that no statement names")),
                _ => {
                    self.begin_rows(payload)?;
                    Ok(Step::Wait)
                }
            },
            Awaited::Definitions { columns, .. } => {
                self.columns().add(payload)?;
                self.awaited = match columns {
                    2.. => Awaited::Definitions { parameters: 0, columns: columns - 1 },
                    _ if self.can & can::NO_EOF == 0 => Awaited::DefinitionsEnd { columns: 0 },
                    _ => Awaited::Rows,
                };
                Ok(Step::Wait)
            }
            Awaited::DefinitionsEnd { .. } => {
                self.awaited = Awaited::Rows;
                Ok(Step::Wait)
            }
            // A row may begin like this only if it is longer than a frame.
            Awaited::Rows if first == END && payload.len() < LONGEST_FRAME => {
                let status = if self.can & can::NO_EOF == 0 {
                    let mut fields = Fields::new(payload);
                    fields.take(3)?;
                    u16::try_from(fields.int(2)?).unwrap_or(0)
                } else {
                    packet::Ok::read(payload)?.status
                };
                Ok(self.over(status, out))
            }
            Awaited::Rows => {
                self.take_row(payload)?;
                Ok(Step::Wait)
            }
        }
    }

    /// The columns of the answer that is coming.
    fn columns(&mut self) -> &mut Columns {
        match self.current {
            Current::Prepared(statement) => &mut self.prepared[statement].columns,
            Current::Once | Current::Preparing => &mut self.once.columns,
            Current::Text => &mut self.named,
        }
    }

    /// Rows follow: so many columns, and perhaps their definitions.
    fn begin_rows(&mut self, payload: &[u8]) -> Result<(), Error> {
        let mut fields = Fields::new(payload);
        let columns = fields.length()?.unwrap_or(0);
        let described = self.can & can::REMEMBERS_COLUMNS == 0 || fields.byte()? != 0;
        self.answer.kind = ReplyKind::Rows;
        if described {
            *self.columns() = Columns::default();
            self.awaited = Awaited::Definitions { parameters: 0, columns };
        } else if self.columns().types.len() == columns {
            self.awaited = Awaited::Rows;
        } else {
            return Err(Error::protocol("columns that it has not described"));
        }
        Ok(())
    }

    fn take_row(&mut self, payload: &[u8]) -> Result<(), Error> {
        let columns = match self.current {
            Current::Prepared(statement) => &self.prepared[statement].columns,
            Current::Once | Current::Preparing => &self.once.columns,
            Current::Text => &self.named,
        };
        let (text, ranges) = (&mut self.text, &mut self.ranges);
        let plain = columns.plain || self.current == Current::Text;
        if self.current == Current::Text {
            values::texts(payload, columns.types.len(), ranges)?;
        } else {
            values::binary(payload, &columns.types, plain, text, ranges)?;
        }
        let bytes = if plain { payload } else { text.as_bytes() };
        self.answer.row(bytes, ranges.drain(..));
        Ok(())
    }

    /// An answer is whole.
    fn over(&mut self, status: u16, out: &mut BytesMut) -> Step {
        self.status = status;
        self.awaited = Awaited::First;
        if status & MORE_ANSWERS != 0 {
            return Step::Wait;
        }
        self.end(out);
        Step::Replied
    }

    fn end(&mut self, out: &mut BytesMut) {
        self.stage = Stage::Idle;
        if self.current == Current::Once
            && let Some(number) = self.once.number
        {
            // Nothing is answered to this.
            self.words(command::CLOSE, &number.to_le_bytes(), out);
        }
    }

    fn take_error(&mut self, payload: &[u8], out: &mut BytesMut) -> Result<Step, Error> {
        let (code, text) = packet::error(payload)?;
        let asked = match self.stage {
            Stage::Busy | Stage::Loading => {
                self.answer.fail(&code, &text);
                self.end(out);
                return Ok(Step::Replied);
            }
            Stage::Preparing => {
                let place = self.prepared.len().saturating_sub(1);
                let statement = self.statements.get(place).cloned();
                // Without parameters it can be sent as text.
                if code == UNPREPARABLE && statement.as_ref().is_some_and(|one| one.types.is_empty()) {
                    return Ok(self.prepare(out));
                }
                statement.map_or_else(|| Asked::Task("preparing".to_owned()), PreparedStatement::asked)
            }
            Stage::LoggingIn => Asked::Task(self.login.describe()),
            Stage::Idle => Asked::Task("the server ended the connection".to_owned()),
        };
        let message = beginning(&text, ERROR_TEXT).to_owned();
        Err(Error::Refused { asked, code: beginning(&code, ERROR_TEXT).to_owned(), message, remedy: None })
    }
}

/// A packet of the answer to a preparation; whether it was the last.
fn define(awaited: &mut Awaited, can: u64, statement: &mut Prepared, payload: &[u8]) -> Result<bool, Error> {
    let eof = can & can::NO_EOF == 0;
    *awaited = match *awaited {
        Awaited::First => {
            let mut fields = Fields::new(payload);
            if fields.byte()? != OK {
                return Err(Error::protocol("an answer to a preparation that is none"));
            }
            statement.number = u32::try_from(fields.int(4)?).ok();
            let columns = usize::try_from(fields.int(2)?).unwrap_or(0);
            let parameters = usize::try_from(fields.int(2)?).unwrap_or(0);
            if parameters != statement.placed.order.len() {
                return Err(Error::protocol(format!(
                    "it takes {parameters} parameters where {} were written",
                    statement.placed.order.len()
                )));
            }
            Awaited::Definitions { parameters, columns }
        }
        Awaited::Definitions { parameters: left @ 1.., columns } => match left {
            1 if eof => Awaited::DefinitionsEnd { columns },
            _ => Awaited::Definitions { parameters: left - 1, columns },
        },
        Awaited::Definitions { columns: left, .. } => {
            statement.columns.add(payload)?;
            match left {
                0 | 1 if eof => Awaited::DefinitionsEnd { columns: 0 },
                0 | 1 => Awaited::Definitions { parameters: 0, columns: 0 },
                _ => Awaited::Definitions { parameters: 0, columns: left - 1 },
            }
        }
        Awaited::DefinitionsEnd { columns } => Awaited::Definitions { parameters: 0, columns },
        Awaited::Rows => return Err(Error::protocol("rows of a preparation")),
    };
    Ok(*awaited == Awaited::Definitions { parameters: 0, columns: 0 })
}
