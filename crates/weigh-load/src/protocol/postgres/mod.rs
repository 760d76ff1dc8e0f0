//! One session of PostgreSQL's protocol 3.0, without a socket: bytes in, bytes and answers out.
//!
//! Statements are parsed once, by name, when the session begins, and described: a table that is missing is found
//! before the run. Then each command is Bind, Execute and Sync in one write; values are text, as in `pgbench -M
//! prepared`.

mod login;

use std::fmt::Write;
use std::sync::Arc;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{
    CommandCompleteBody, DataRowBody, ErrorResponseBody, Header, Message, RowDescriptionBody,
};
use postgres_protocol::message::frontend;

use crate::error::{Asked, Error};
use crate::protocol::Step;
use crate::protocol::limits::{self, ERROR_TEXT, beginning};
use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};
use crate::workload::message::{Command, Parameter, ParameterType, PreparedStatement, Reply, fifteen_digits};

pub(crate) use login::Login;

/// ReadyForQuery's status outside of any transaction block.
const NO_BLOCK: u8 = b'I';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    LoggingIn,
    Preparing,
    Idle,
    Busy,
}

/// The columns of an answer, and the numbers of their types in `pg_type`.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    types: Vec<u32>,
}

/// One session.
pub(crate) struct Session {
    login: Login,
    statements: Arc<[PreparedStatement]>,
    /// What they are called in the server.
    names: Vec<String>,
    stage: Stage,
    /// For each statement described so far, its columns; nothing if it returns no rows.
    columns: Vec<Option<Columns>>,
    /// The statement in work, if it is a prepared one.
    current: Option<usize>,
    /// Columns of the answer to a simple query.
    named: Columns,
    answer: ReplyBuffer,
    status: u8,
    /// The longest message that is taken, in bytes.
    longest: usize,
}

impl Session {
    /// Whether it has logged in, and waits for its statements to be prepared.
    pub(crate) fn is_preparing(&self) -> bool {
        self.stage == Stage::Preparing
    }

    /// Begins: the greeting is put into `out`.
    pub(crate) fn begin(
        login: Login,
        statements: Arc<[PreparedStatement]>,
        longest: usize,
        out: &mut BytesMut,
    ) -> Result<Self, Error> {
        login.greet(out)?;
        let names = (0..statements.len()).map(|number| format!("w{number}")).collect();
        Ok(Self {
            login,
            statements,
            names,
            stage: Stage::LoggingIn,
            columns: Vec::new(),
            current: None,
            named: Columns::default(),
            answer: ReplyBuffer::default(),
            status: NO_BLOCK,
            longest,
        })
    }

    /// Whether the session is inside a transaction block.
    pub(crate) fn in_block(&self) -> bool {
        self.status != NO_BLOCK
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        let Some(columns) = self.described_columns() else { return self.answer.reply(&[]) };
        match self.answer.reply(&columns.names) {
            Reply::Rows(rows) => Reply::Rows(rows.typed(&columns.types)),
            other => other,
        }
    }

    /// The types of its columns.
    pub(crate) fn types(&self) -> &[u32] {
        self.described_columns().map_or(&[], |columns| &columns.types)
    }

    fn described_columns(&self) -> Option<&Columns> {
        match self.current {
            Some(statement) => self.columns.get(statement).and_then(Option::as_ref),
            None => Some(&self.named),
        }
    }

    /// Puts a command into `out`.
    pub(crate) fn send(&mut self, command: &Command, out: &mut BytesMut) -> Result<(), Error> {
        self.stage = Stage::Busy;
        self.answer.clear();
        match command {
            Command::Prepared { statement, values } => {
                self.current = Some(*statement);
                if self.columns.get(*statement).is_some_and(Option::is_some) {
                    self.answer.kind = ReplyKind::Rows;
                }
                let values = values.iter();
                frontend::bind("", &self.names[*statement], [], values, write_value, [], out).map_err(
                    |error| match error {
                        frontend::BindError::Conversion(error) => Error::protocol(error),
                        frontend::BindError::Serialization(error) => Error::protocol(error),
                    },
                )?;
                frontend::execute("", 0, out).map_err(Error::protocol)?;
                frontend::sync(out);
            }
            Command::Simple(text) => {
                self.current = None;
                self.named = Columns::default();
                frontend::query(text, out).map_err(Error::protocol)?;
            }
            Command::Unnamed { text, values } => {
                self.current = None;
                self.named = Columns::default();
                frontend::parse("", text, [], out).map_err(Error::protocol)?;
                let write = |value: &Option<String>, out: &mut BytesMut| {
                    let Some(text) = value else { return Ok(IsNull::Yes) };
                    out.extend_from_slice(text.as_bytes());
                    Ok(IsNull::No)
                };
                frontend::bind("", "", [], values, write, [], out).map_err(|error| match error {
                    frontend::BindError::Conversion(error) => Error::protocol(error),
                    frontend::BindError::Serialization(error) => Error::protocol(error),
                })?;
                frontend::describe(b'P', "", out).map_err(Error::protocol)?;
                frontend::execute("", 0, out).map_err(Error::protocol)?;
                frontend::sync(out);
            }
            Command::Keyed(_) | Command::Batch(_) => {
                return Err(Error::Setting("PostgreSQL takes SQL, and no commands of keys".to_owned()));
            }
        }
        Ok(())
    }

    /// Works off what has arrived, up to the next thing worth telling.
    pub(crate) fn advance(&mut self, inbox: &mut BytesMut, out: &mut BytesMut) -> Result<Step, Error> {
        while let Some(message) = self.next(inbox)? {
            match message {
                Message::DataRow(body) => self.take_row(&body)?,
                Message::CommandComplete(body) => self.take_tag(&body)?,
                Message::ReadyForQuery(body) => {
                    self.status = body.status();
                    if let Some(step) = self.ready(out)? {
                        return Ok(step);
                    }
                }
                Message::ErrorResponse(body) => self.take_error(&body)?,
                Message::RowDescription(body) => self.take_columns(&body)?,
                // Of a statement that is not kept: it returns no rows.
                Message::NoData if self.stage == Stage::Busy && self.current.is_none() => {}
                Message::NoData => self.described(None)?,
                Message::CopyInResponse(_) => return Ok(Step::CopyIn),
                Message::BindComplete
                | Message::ParseComplete
                | Message::ParameterDescription(_)
                | Message::EmptyQueryResponse
                | Message::AuthenticationOk
                | Message::BackendKeyData(_)
                | Message::NoticeResponse(_)
                | Message::NotificationResponse(_)
                | Message::ParameterStatus(_) => {}
                other if self.stage == Stage::LoggingIn => self.login.answer(&other, out)?,
                _ => return Err(Error::Protocol("a message that nobody asked for".to_owned())),
            }
        }
        Ok(Step::Wait)
    }

    /// The next message, if it is whole. One that is longer than what is taken is refused when its length is known: the
    /// parser would make room for all of it.
    fn next(&self, inbox: &mut BytesMut) -> Result<Option<Message>, Error> {
        if let Some(header) = Header::parse(inbox).map_err(Error::protocol)? {
            let length = usize::try_from(header.len()).unwrap_or(usize::MAX);
            limits::check(format_args!("a message {:?}", char::from(header.tag())), length, self.longest)?;
            if inbox.len() <= length {
                return Ok(None);
            }
        }
        Message::parse(inbox).map_err(Error::protocol)
    }

    /// A statement was described: its columns, if it has any.
    fn described(&mut self, columns: Option<Columns>) -> Result<(), Error> {
        if self.stage != Stage::Preparing || self.columns.len() == self.statements.len() {
            return Err(Error::protocol("a description of a statement that nobody asked for"));
        }
        self.columns.push(columns);
        Ok(())
    }

    /// The server waits for a command.
    fn ready(&mut self, out: &mut BytesMut) -> Result<Option<Step>, Error> {
        match self.stage {
            Stage::LoggingIn if !self.statements.is_empty() => {
                self.stage = Stage::Preparing;
                for (name, statement) in self.names.iter().zip(self.statements.iter()) {
                    frontend::parse(name, &statement.text, statement.types.iter().copied().map(oid), out)
                        .map_err(Error::protocol)?;
                    frontend::describe(b'S', name, out).map_err(Error::protocol)?;
                }
                frontend::sync(out);
                Ok(None)
            }
            Stage::Preparing if self.columns.len() < self.statements.len() => {
                Err(Error::protocol("it is ready, and has not described every statement"))
            }
            Stage::LoggingIn | Stage::Preparing => {
                self.stage = Stage::Idle;
                Ok(Some(Step::Ready))
            }
            Stage::Busy => {
                self.stage = Stage::Idle;
                Ok(Some(Step::Replied))
            }
            Stage::Idle => Err(Error::Protocol("an answer that nobody asked for".to_owned())),
        }
    }

    fn take_row(&mut self, body: &DataRowBody) -> Result<(), Error> {
        // Reading the ranges fails on a malformed row, before any of it is kept.
        let mut ranges = body.ranges();
        let mut bad = None;
        self.answer.row(
            body.buffer(),
            std::iter::from_fn(|| {
                ranges.next().unwrap_or_else(|error| {
                    bad = Some(error);
                    None
                })
            }),
        );
        bad.map_or(Ok(()), |error| Err(Error::protocol(error)))
    }

    fn take_tag(&mut self, body: &CommandCompleteBody) -> Result<(), Error> {
        let tag = body.tag().map_err(Error::protocol)?;
        if !matches!(self.answer.kind, ReplyKind::Rows | ReplyKind::Error) {
            let last = tag.rsplit(' ').next().unwrap_or_default();
            self.answer.kind = ReplyKind::Count(last.parse().unwrap_or(0));
        }
        Ok(())
    }

    fn take_columns(&mut self, body: &RowDescriptionBody) -> Result<(), Error> {
        let mut columns = Columns::default();
        let mut fields = body.fields();
        while let Some(field) = fields.next().map_err(Error::protocol)? {
            columns.names.push(field.name().to_owned());
            columns.types.push(field.type_oid());
        }
        if self.stage == Stage::Preparing {
            self.described(Some(columns))?;
        } else {
            self.named = columns;
            self.answer.kind = ReplyKind::Rows;
        }
        Ok(())
    }

    fn take_error(&mut self, body: &ErrorResponseBody) -> Result<(), Error> {
        let (mut code, mut text) = (String::new(), String::new());
        let mut fields = body.fields();
        while let Some(field) = fields.next().map_err(Error::protocol)? {
            match field.type_() {
                b'C' => code = String::from_utf8_lossy(field.value_bytes()).into_owned(),
                b'M' => text = String::from_utf8_lossy(field.value_bytes()).into_owned(),
                _ => {}
            }
        }
        let asked = match self.stage {
            Stage::Busy => {
                self.answer.fail(&code, &text);
                return Ok(());
            }
            Stage::LoggingIn => Asked::Task(self.login.describe()),
            Stage::Preparing => {
                let refused = self.statements.get(self.columns.len()).cloned();
                refused.map_or_else(|| Asked::Task("preparing".to_owned()), PreparedStatement::asked)
            }
            Stage::Idle => Asked::Task("the server ended the connection".to_owned()),
        };
        let message = beginning(&text, ERROR_TEXT).to_owned();
        Err(Error::Refused { asked, code: beginning(&code, ERROR_TEXT).to_owned(), message, remedy: None })
    }
}

/// The number of a type in `pg_type`; 0 leaves it to the server.
fn oid(parameter: ParameterType) -> u32 {
    match parameter {
        ParameterType::Unknown => 0,
        ParameterType::Boolean => 16,
        ParameterType::Bigint => 20,
        ParameterType::Integer => 23,
        ParameterType::Numeric => 1700,
    }
}

fn write_value(
    value: &Parameter,
    out: &mut BytesMut,
) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
    match value {
        Parameter::Null => return Ok(IsNull::Yes),
        Parameter::Int(number) => write!(out, "{number}")?,
        Parameter::Float(number) => out.extend_from_slice(fifteen_digits(*number).as_bytes()),
        Parameter::Bool(truth) => write!(out, "{truth}")?,
        Parameter::Text(text) => out.extend_from_slice(text),
    }
    Ok(IsNull::No)
}

#[cfg(test)]
mod tests;
