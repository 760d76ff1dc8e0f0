//! The packets of answers: what each says in the stage that the session is in.

use bytes::BytesMut;

use crate::error::{Asked, Error};
use crate::protocol::Step;
use crate::protocol::limits::{ERROR_TEXT, beginning};
use crate::protocol::reply_buffer::ReplyKind;
use crate::workload::message::PreparedStatement;

use super::login::can;
use super::packet::{self, Fields, LONGEST_FRAME};
use super::prepared::{Awaited, Columns, Prepared, define};
use super::{
    Current, END, ERROR, LOCAL_FILE, MORE_ANSWERS, OK, Session, Stage, UNPREPARABLE, command, values,
};

impl Session {
    pub(super) fn take(&mut self, payload: &[u8], out: &mut BytesMut) -> Result<Step, Error> {
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
