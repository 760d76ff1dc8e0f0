//! The frames of answers: what each says in the stage that the session is in.

use bytes::BytesMut;

use crate::error::{Asked, Error};
use crate::protocol::Step;
use crate::protocol::limits::{ERROR_TEXT, beginning};
use crate::protocol::reply_buffer::ReplyKind;
use crate::workload::message::PreparedStatement;

use super::frame::{Fields, Header, opcode, put_bytes, put_frame};
use super::types::{Columns, Metadata};
use super::{Current, Login, Prepared, Session, Stage, prepare, put_options, values};

/// The server has forgotten a statement.
const UNPREPARED: i32 = 0x2500;

/// Kinds of results.
mod kind {
    pub(super) const VOID: i32 = 1;
    pub(super) const ROWS: i32 = 2;
    pub(super) const KEYSPACE: i32 = 3;
    pub(super) const PREPARED: i32 = 4;
    pub(super) const SCHEMA: i32 = 5;
}

impl Session {
    /// Works off what has arrived, up to the next thing worth telling.
    pub(crate) fn advance(&mut self, inbox: &mut BytesMut, out: &mut BytesMut) -> Result<Step, Error> {
        if self.stage == (Stage::Loading { open: 0, ended: true }) {
            self.stage = Stage::Idle;
            return Ok(Step::Replied);
        }
        loop {
            let Some(header) = Header::next(inbox, self.longest)? else { return Ok(Step::Wait) };
            let step = {
                let mut fields = header.body(inbox)?;
                self.take(header.kind, &mut fields, out)?
            };
            header.done(inbox);
            if step != Step::Wait {
                return Ok(step);
            }
        }
    }

    fn take(&mut self, kind: u8, fields: &mut Fields<'_>, out: &mut BytesMut) -> Result<Step, Error> {
        match (kind, self.stage) {
            // Nobody asked for any.
            (opcode::EVENT, _) => Ok(Step::Wait),
            (opcode::ERROR, _) => self.take_error(fields, out),
            (opcode::AUTHENTICATE, Stage::Greeting) => {
                let mechanism = fields.text()?;
                let Login { user: Some(user), password: Some(password), .. } = &self.login else {
                    return Err(
                        self.refused("0100", &format!("it wants a user and a password ({mechanism})"))
                    );
                };
                // SASL's PLAIN (RFC 4616).
                let token = format!("\0{user}\0{password}");
                put_frame(out, 0, opcode::AUTH_RESPONSE, |out| put_bytes(out, token.as_bytes()));
                self.stage = Stage::Authenticating;
                Ok(Step::Wait)
            }
            (opcode::AUTH_CHALLENGE, Stage::Authenticating) => {
                Err(self.refused("0100", "it asks for more than a user and a password"))
            }
            (opcode::READY, Stage::Greeting) | (opcode::AUTH_SUCCESS, Stage::Authenticating) => {
                Ok(self.choose_keyspace(out))
            }
            (opcode::RESULT, _) => self.take_result(fields, out),
            (kind, stage) => Err(Error::protocol(format!("a frame of kind {kind:#04x} while {stage:?}"))),
        }
    }

    fn choose_keyspace(&mut self, out: &mut BytesMut) -> Step {
        let Some(name) = &self.login.keyspace else { return self.prepare_next(0, out) };
        let text = format!("USE \"{}\"", name.replace('"', "\"\""));
        put_frame(out, 0, opcode::QUERY, |out| {
            put_bytes(out, text.as_bytes());
            put_options(&self.login, 0, None, None, out);
        });
        self.stage = Stage::ChoosingKeyspace;
        Step::Wait
    }

    fn prepare_next(&mut self, number: usize, out: &mut BytesMut) -> Step {
        let Some(PreparedStatement { text, .. }) = self.statements.get(number) else {
            self.stage = Stage::Idle;
            return Step::Ready;
        };
        let statement = Prepared::new(text);
        prepare(&statement.placed.text, out);
        self.prepared.push(statement);
        self.stage = Stage::Preparing(number);
        Step::Wait
    }

    fn take_result(&mut self, fields: &mut Fields<'_>, out: &mut BytesMut) -> Result<Step, Error> {
        let kind = fields.int()?;
        match (self.stage, kind) {
            (Stage::ChoosingKeyspace, kind::KEYSPACE) => Ok(self.prepare_next(0, out)),
            (Stage::Preparing(number), kind::PREPARED) => {
                self.prepared[number].read(fields)?;
                Ok(self.prepare_next(number + 1, out))
            }
            (Stage::PreparingRows, kind::PREPARED) => {
                self.once.read(fields)?;
                self.stage = Stage::Loading { open: 0, ended: false };
                Ok(Step::CopyIn)
            }
            (Stage::Loading { open: open @ 1.., ended }, kind::VOID) => Ok(self.row_done(open, ended)),
            (Stage::Busy, kind::PREPARED) => {
                match self.current {
                    // It had forgotten it.
                    Current::Prepared(place) => self.prepared[place].read(fields)?,
                    Current::Preparing => {
                        self.once.read(fields)?;
                        self.current = Current::Once;
                        let given = std::mem::take(&mut self.values);
                        self.fill(&given)?;
                    }
                    Current::Once | Current::Text => {
                        return Err(Error::protocol("a preparation that nobody asked for"));
                    }
                }
                self.execute(None, out);
                Ok(Step::Wait)
            }
            (Stage::Busy, kind::ROWS) => self.take_rows(fields, out),
            (Stage::Busy, kind::VOID | kind::KEYSPACE | kind::SCHEMA) => {
                self.answer.kind = ReplyKind::Count(0);
                self.stage = Stage::Idle;
                Ok(Step::Replied)
            }
            (stage, kind) => Err(Error::protocol(format!("a result of kind {kind} while {stage:?}"))),
        }
    }

    fn take_rows(&mut self, fields: &mut Fields<'_>, out: &mut BytesMut) -> Result<Step, Error> {
        let metadata = Metadata::read(fields)?;
        if metadata.columns.is_some() {
            self.own = metadata.columns;
        }
        let prepared = match self.current {
            Current::Prepared(place) => &self.prepared[place],
            _ => &self.once,
        };
        let columns: &Columns = self.own.as_ref().unwrap_or(&prepared.columns);
        let rows = fields.count()?;
        if metadata.count != columns.types.len() || (metadata.count == 0 && rows > 0) {
            return Err(Error::protocol(format!(
                "rows of {} columns where {} were announced",
                metadata.count,
                columns.types.len()
            )));
        }
        self.answer.kind = ReplyKind::Rows;
        for _ in 0..rows {
            if columns.plain {
                let bytes = fields.rest();
                let length = values::plain_row(fields, metadata.count, &mut self.ranges)?;
                self.answer.row(&bytes[..length], self.ranges.drain(..));
            } else {
                values::row(fields, &columns.types, &mut self.row, &mut self.ranges)?;
                self.answer.row(self.row.as_bytes(), self.ranges.drain(..));
            }
        }
        let Some(page) = metadata.next else {
            self.stage = Stage::Idle;
            return Ok(Step::Replied);
        };
        match self.current {
            Current::Text => self.query(Some(&page), out),
            _ => self.execute(Some(&page), out),
        }
        Ok(Step::Wait)
    }

    fn take_error(&mut self, fields: &mut Fields<'_>, out: &mut BytesMut) -> Result<Step, Error> {
        let number = fields.int()?;
        let text = String::from_utf8_lossy(fields.string()?).into_owned();
        let code = format!("{number:04X}");
        match self.stage {
            Stage::Greeting | Stage::Authenticating | Stage::ChoosingKeyspace => {
                Err(self.refused(&code, &text))
            }
            Stage::Preparing(statement) => Err(Error::Refused {
                asked: self.statements[statement].clone().asked(),
                code,
                message: beginning(&text, ERROR_TEXT).to_owned(),
                remedy: None,
            }),
            Stage::Busy => {
                if let (UNPREPARED, Current::Prepared(place), false) = (number, self.current, self.again) {
                    self.again = true;
                    prepare(&self.prepared[place].placed.text, out);
                    return Ok(Step::Wait);
                }
                self.answer.fail(&code, &text);
                self.stage = Stage::Idle;
                Ok(Step::Replied)
            }
            Stage::PreparingRows => {
                self.answer.fail(&code, &text);
                self.stage = Stage::Idle;
                Ok(Step::Replied)
            }
            // The others are waited for, so that what they say is not taken for an answer to what follows.
            Stage::Loading { open: open @ 1.., .. } => {
                self.answer.fail(&code, &text);
                Ok(self.row_done(open, true))
            }
            Stage::Loading { .. } | Stage::Idle => {
                Err(Error::protocol(format!("an error that belongs to no request: {text}")))
            }
        }
    }

    /// One more row is answered.
    fn row_done(&mut self, open: usize, ended: bool) -> Step {
        let ended = ended || self.answer.kind == ReplyKind::Error;
        self.stage = Stage::Loading { open: open - 1, ended };
        match (open, ended) {
            (1, true) => {
                self.stage = Stage::Idle;
                Step::Replied
            }
            (1, false) => Step::CopyIn,
            _ => Step::Wait,
        }
    }

    fn refused(&self, code: &str, message: &str) -> Error {
        let user = self.login.user.as_deref().unwrap_or("nobody");
        let keyspace =
            self.login.keyspace.as_deref().map_or_else(String::new, |name| format!(" to keyspace {name}"));
        Error::Refused {
            asked: Asked::Task(format!("logging in as {user}{keyspace}")),
            code: code.to_owned(),
            message: beginning(message, ERROR_TEXT).to_owned(),
            remedy: None,
        }
    }
}

impl Prepared {
    /// Of the answer to its preparation.
    fn read(&mut self, fields: &mut Fields<'_>) -> Result<(), Error> {
        self.id = fields.string()?.to_vec();
        let flags = fields.int()?;
        let count = fields.count()?;
        for _ in 0..fields.count()? {
            fields.short()?;
        }
        self.parameters = Columns::read(fields, count, flags & 1 != 0)?.types;
        if self.parameters.len() != self.placed.order.len() {
            return Err(Error::protocol(format!(
                "it takes {} parameters where {} were written",
                self.parameters.len(),
                self.placed.order.len()
            )));
        }
        self.columns = Metadata::read(fields)?.columns.unwrap_or_default();
        Ok(())
    }
}
