//! Loading data before a run: COPY, or pipelined commands, over one connection; SQLite has a way of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::SECOND;
use crate::config::{Target, TargetKind};
use crate::error::{Asked, Error};
use crate::event_loop::poller::Poller;
use crate::event_loop::socket::{Address, Socket};
use crate::protocol::Step;
use crate::protocol::connection::{Connection, Plan};
use crate::sqlite;
use crate::workload::message::{Bulk, Chunks, Command, Reply};

/// How long a server may take for one statement, or for some rows: it may build an index. What it sends meanwhile does
/// not begin this anew.
const STATEMENT_TIMEOUT: u64 = 3_600 * SECOND;
/// How long to wait for a login.
const LOGIN_TIMEOUT: u64 = 10 * SECOND;
/// Bytes that wait to be written, at most.
const AHEAD: usize = 1 << 20;
const BUFFER: usize = 1 << 16;

/// What was loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loaded {
    /// Rows.
    pub rows: u64,
    /// How long it took.
    pub seconds: f64,
}

/// Loads the data of a workload, if it has any. `progress` gets the rows so far and all of them, and returns whether to
/// go on.
///
/// # Errors
///
/// The server cannot be reached or refuses something; or `progress` returned false.
pub fn load(
    target: &Target,
    bulk: Option<Bulk>,
    progress: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Loaded, Error> {
    let Some(bulk) = bulk else { return Ok(Loaded { rows: 0, seconds: 0.0 }) };
    let begun = Instant::now();
    if target.kind == TargetKind::Sqlite {
        let rows = sqlite::load(target, bulk, progress)?;
        return Ok(Loaded { rows, seconds: begun.elapsed().as_secs_f64() });
    }
    let mut link = BlockingConnection::open(target)?;
    let rows = match bulk {
        Bulk::Sql { before, copies, after, rows } => {
            for statement in before {
                link.exchange(&Command::Simple(statement))?;
            }
            let mut done = 0;
            for (statement, chunks) in copies {
                link.copy(&statement, chunks, |more| {
                    done += more;
                    progress(done, rows)
                })?;
            }
            for statement in after {
                link.exchange(&Command::Simple(statement))?;
            }
            rows
        }
        Bulk::Keyed { before, chunks, rows } => {
            for words in before {
                link.exchange(&Command::Keyed(words))?;
            }
            let mut done = 0;
            for chunk in chunks {
                link.connection.send_bytes(&chunk.bytes, chunk.replies)?;
                link.until(Step::Replied)?;
                link.check(Asked::Task("loading".to_owned()))?;
                done += chunk.rows;
                progress(done, rows).then_some(()).ok_or(Error::Interrupted)?;
            }
            rows
        }
    };
    Ok(Loaded { rows, seconds: begun.elapsed().as_secs_f64() })
}

/// When a statement that begins now must have ended.
fn statement_end() -> Instant {
    Instant::now() + Duration::from_nanos(STATEMENT_TIMEOUT)
}

/// One connection that waits.
struct BlockingConnection {
    socket: Socket,
    connection: Connection,
    poller: Poller,
    buffer: Vec<u8>,
    ready: Vec<u64>,
    address: Address,
}

impl BlockingConnection {
    fn open(target: &Target) -> Result<Self, Error> {
        let plan = Arc::new(Plan::new(target, &[], 1)?);
        let address = Address::find(target)?;
        let unreachable =
            |errno: rustix::io::Errno| Error::unreachable(&address, std::io::Error::from(errno));
        let socket = Socket::connect(&address).map_err(unreachable)?;
        let mut poller = Poller::new(1)?;
        poller.add(&socket, 0, true)?;
        let mut ready = Vec::new();
        // Within this, whatever trickles in.
        let until = Instant::now() + Duration::from_nanos(LOGIN_TIMEOUT);
        poller.wait(LOGIN_TIMEOUT, &mut ready)?;
        socket.failure().map_err(unreachable)?;
        poller.change(&socket, 0, false)?;
        let connection = Connection::begin(&plan)?;
        let mut link = Self { socket, connection, poller, buffer: vec![0; BUFFER], ready, address };
        link.until_moment(Step::Ready, until, LOGIN_TIMEOUT)?;
        Ok(link)
    }

    /// Sends a command and waits for its answer.
    fn exchange(&mut self, command: &Command) -> Result<(), Error> {
        self.connection.send(command)?;
        self.until(Step::Replied)?;
        self.check(match command {
            Command::Simple(statement) => Asked::Execute(statement.clone()),
            _ => Asked::Task("preparing to load".to_owned()),
        })
    }

    /// Sends the rows of a COPY.
    fn copy(
        &mut self,
        statement: &str,
        chunks: Chunks,
        mut more: impl FnMut(u64) -> bool,
    ) -> Result<(), Error> {
        self.connection.send(&Command::Simple(statement.to_owned()))?;
        if self.until(Step::CopyIn)? == Step::Replied {
            return self.check(Asked::Execute(statement.to_owned()));
        }
        for chunk in chunks {
            self.connection.send_bytes(&chunk.bytes, 0)?;
            // An error ends a COPY at once, wherever it is.
            if self.write_down_to(AHEAD, statement_end(), STATEMENT_TIMEOUT)? == Step::Replied {
                return self.check(Asked::Execute(statement.to_owned()));
            }
            more(chunk.rows).then_some(()).ok_or(Error::Interrupted)?;
        }
        self.connection.end_copy()?;
        self.until(Step::Replied)?;
        self.check(Asked::Execute(statement.to_owned()))
    }

    /// Whether the answer is an error.
    fn check(&self, asked: Asked) -> Result<(), Error> {
        match self.connection.reply() {
            Reply::Error { code, text } => {
                Err(Error::Refused { asked, code: code.to_owned(), message: text.to_owned(), remedy: None })
            }
            _ => Ok(()),
        }
    }

    /// Writes and reads until something is reached; or an answer, which may come earlier.
    fn until(&mut self, wanted: Step) -> Result<Step, Error> {
        self.until_moment(wanted, statement_end(), STATEMENT_TIMEOUT)
    }

    fn until_moment(&mut self, wanted: Step, moment: Instant, timeout: u64) -> Result<Step, Error> {
        loop {
            let step = self.write_down_to(0, moment, timeout)?;
            if step == wanted || step == Step::Replied {
                return Ok(step);
            }
            self.wait(false, moment, timeout)?;
            self.read()?;
        }
    }

    /// Writes until no more than so many bytes are left, or an answer comes.
    fn write_down_to(&mut self, left: usize, moment: Instant, timeout: u64) -> Result<Step, Error> {
        loop {
            let step = self.connection.advance()?;
            let all = self.socket.write(&mut self.connection.out).map_err(Error::system("writing"))?;
            if step != Step::Wait || all || self.connection.out.len() <= left {
                return Ok(step);
            }
            self.wait(true, moment, timeout)?;
            self.read()?;
        }
    }

    /// Waits for the socket, until a moment that lies `timeout` after the beginning of what is waited for.
    fn wait(&mut self, writing: bool, moment: Instant, timeout: u64) -> Result<(), Error> {
        if writing {
            self.poller.change(&self.socket, 0, true)?;
        }
        self.ready.clear();
        // A signal wakes it with nothing.
        while self.ready.is_empty() && Instant::now() < moment {
            self.poller.wait(SECOND, &mut self.ready)?;
        }
        if writing {
            self.poller.change(&self.socket, 0, false)?;
        }
        if self.ready.is_empty() {
            let why = format!("no answer within {} s", timeout / SECOND);
            return Err(Error::unreachable(&self.address, why));
        }
        Ok(())
    }

    fn read(&mut self) -> Result<(), Error> {
        match self.socket.read(&mut self.buffer).map_err(Error::system("reading"))? {
            None => Ok(()),
            Some(0) => Err(Error::hung_up()),
            Some(count) => self.connection.receive(&self.buffer[..count]),
        }
    }
}
