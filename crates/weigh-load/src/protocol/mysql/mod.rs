//! One session of MySQL's protocol, which MariaDB speaks too, without a socket: bytes in, bytes and answers out.
//!
//! Statements are prepared once, by number, when the session begins: a table that is missing is found before the run.
//! Then each command is one packet; parameters and rows are binary, and workloads have them as text. What a server does
//! not prepare (`BEGIN` of MySQL) is sent as text.

mod answer;
mod login;
mod packet;
mod prepared;
#[cfg(test)]
mod tests;
mod values;

use std::ops::Range;
use std::sync::Arc;

use bytes::{BufMut, BytesMut};

use crate::error::{Asked, Error};
use crate::protocol::Step;
use crate::protocol::limits::ERROR_TEXT;
use crate::protocol::reply_buffer::ReplyBuffer;
use crate::workload::message::{Command, Parameter, PreparedStatement, Reply};

pub(crate) use login::{Greeting, Login, ask_for_tls};
use packet::{Frames, Payload};
use prepared::{Awaited, Columns, Prepared};

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

    /// Whether it has logged in, and waits for its statements to be prepared.
    pub(crate) fn is_preparing(&self) -> bool {
        self.stage == Stage::Preparing
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
}
