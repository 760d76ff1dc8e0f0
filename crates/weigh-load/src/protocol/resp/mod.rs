//! One session of RESP, Redis's protocol, in version 3 or, with a server that does not know it, 2. Without a socket.

mod frame;
pub(crate) mod words;

use bytes::{Buf, BytesMut};

use crate::error::{Asked, Error};
use crate::protocol::Step;
use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};
use crate::workload::message::{Command, Reply};

use frame::{Read, Scan, read};

/// Who we are.
#[derive(Clone)]
pub(crate) struct Login {
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Greeted in RESP3.
    Greeting,
    /// The server knows RESP2 only; logging in with a command of its own.
    Authorising,
    Choosing,
    Idle,
    Busy,
}

/// One session.
pub(crate) struct Session {
    login: Login,
    stage: Stage,
    answer: ReplyBuffer,
    /// Replies that are to come still.
    waiting: u64,
    /// Of them, those that come before the answer and are none: of `ASKING`.
    before: u64,
    /// Whether the replies are rows of one answer.
    batch: bool,
    /// How many bytes the next reply has at least.
    need: usize,
    /// How far it has been read.
    scan: Scan,
    /// The longest reply that is taken, in bytes.
    longest: usize,
}

impl Session {
    /// Begins: the greeting is put into `out`.
    pub(crate) fn begin(login: Login, longest: usize, out: &mut BytesMut) -> Self {
        let mut words: Vec<&[u8]> = vec![b"HELLO", b"3"];
        if let Some(password) = &login.password {
            let user = login.user.as_deref().unwrap_or("default");
            words.extend([b"AUTH".as_slice(), user.as_bytes(), password.as_bytes()]);
        }
        write(&words, out);
        let answer = ReplyBuffer::default();
        Self {
            login,
            stage: Stage::Greeting,
            answer,
            waiting: 1,
            before: 0,
            batch: false,
            need: 1,
            scan: Scan::default(),
            longest,
        }
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        self.answer.reply(&[])
    }

    /// Puts a command into `out`.
    pub(crate) fn send(&mut self, command: &Command, out: &mut BytesMut) -> Result<(), Error> {
        match command {
            Command::Keyed(words) => {
                write(words, out);
                self.expect(Stage::Busy, 1, false);
            }
            Command::Batch(commands) => {
                for words in commands {
                    write(words, out);
                }
                self.expect(Stage::Busy, commands.len() as u64, true);
            }
            Command::Simple(text) => {
                // Read before the run; only a value of a variable can have made it none.
                let read = words::words(text).unwrap_or_else(|_| vec![text.clone().into_bytes()]);
                write(&read, out);
                self.expect(Stage::Busy, 1, false);
            }
            Command::Prepared { .. } | Command::Unnamed { .. } => {
                return Err(Error::Setting("Redis takes commands, and no SQL".to_owned()));
            }
        }
        Ok(())
    }

    /// Puts a command into `out` that the node is to take although its slot is on its way to it (`ASK`).
    pub(crate) fn send_asking(&mut self, command: &Command, out: &mut BytesMut) -> Result<(), Error> {
        write(&["ASKING"], out);
        self.send(command, out)?;
        (self.waiting, self.before) = (self.waiting + 1, 1);
        Ok(())
    }

    /// So many replies are to come to commands that were written elsewhere.
    pub(crate) fn expect_batch(&mut self, replies: u64) {
        self.expect(Stage::Busy, replies, true);
    }

    fn expect(&mut self, stage: Stage, replies: u64, batch: bool) {
        self.answer.clear();
        if batch {
            self.answer.kind = ReplyKind::Rows;
        }
        self.stage = stage;
        self.waiting = replies;
        self.before = 0;
        self.batch = batch;
        self.need = 1;
    }

    /// Works off what has arrived, up to the next thing worth telling.
    pub(crate) fn advance(&mut self, inbox: &mut BytesMut, out: &mut BytesMut) -> Result<Step, Error> {
        loop {
            if self.waiting == 0 {
                match self.stage {
                    Stage::Busy => {
                        self.stage = Stage::Idle;
                        return Ok(Step::Replied);
                    }
                    Stage::Idle if inbox.is_empty() => return Ok(Step::Wait),
                    // Pushed messages may come at any time; anything else is an error.
                    Stage::Idle => {}
                    _ => {
                        if let Some(step) = self.greeted(out)? {
                            return Ok(step);
                        }
                        continue;
                    }
                }
            }
            if inbox.len() < self.need {
                return Ok(Step::Wait);
            }
            let frame = match read(inbox, &mut self.scan, &mut self.answer, self.batch, self.longest)? {
                Read::Whole(frame) => frame,
                Read::Needs(bytes) => {
                    self.need = bytes;
                    return Ok(Step::Wait);
                }
            };
            inbox.advance(frame.end);
            self.need = 1;
            if frame.pushed {
                continue;
            }
            if self.waiting == 0 {
                return Err(Error::Protocol("an answer that nobody asked for".to_owned()));
            }
            self.waiting -= 1;
            if self.before > 0 {
                self.before -= 1;
                self.answer.clear();
                if self.batch {
                    self.answer.kind = ReplyKind::Rows;
                }
            }
        }
    }

    /// The server answered a step of the login.
    fn greeted(&mut self, out: &mut BytesMut) -> Result<Option<Step>, Error> {
        if let Reply::Error { code, text } = self.answer.reply(&[]) {
            // A server of version 5 and older does not know HELLO, one behind a proxy may not know RESP3.
            let old = matches!(code, "ERR" | "NOPROTO") && self.stage == Stage::Greeting;
            if !old {
                let task = match &self.login.user {
                    Some(user) => format!("logging in as '{user}'"),
                    None => "logging in".to_owned(),
                };
                return Err(Error::Refused {
                    asked: Asked::Task(task),
                    code: code.to_owned(),
                    message: text.to_owned(),
                    remedy: None,
                });
            }
            if let Some(password) = &self.login.password {
                let mut words: Vec<&[u8]> = vec![b"AUTH"];
                words.extend(self.login.user.as_deref().map(str::as_bytes));
                words.push(password.as_bytes());
                write(&words, out);
                self.expect(Stage::Authorising, 1, false);
                return Ok(None);
            }
        }
        if self.stage != Stage::Choosing
            && let Some(database) = &self.login.database
        {
            write(&[b"SELECT".as_slice(), database.as_bytes()], out);
            self.expect(Stage::Choosing, 1, false);
            return Ok(None);
        }
        self.stage = Stage::Idle;
        Ok(Some(Step::Ready))
    }
}

/// Writes a command: an array of its words.
fn write(words: &[impl AsRef<[u8]>], out: &mut BytesMut) {
    number(b'*', words.len(), out);
    for word in words {
        let word = word.as_ref();
        number(b'$', word.len(), out);
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
}

fn number(sort: u8, number: usize, out: &mut BytesMut) {
    use std::fmt::Write;

    // Memory takes everything.
    let _ = write!(out, "{}{number}\r\n", char::from(sort));
}

#[cfg(test)]
mod tests;
