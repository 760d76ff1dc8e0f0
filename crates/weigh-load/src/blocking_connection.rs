//! One connection that waits for every answer: for what is loaded and asked outside the clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::SECOND;
use crate::config::Target;
use crate::error::{Asked, Error};
use crate::event_loop::poller::Poller;
use crate::event_loop::socket::{Address, Socket};
use crate::protocol::Step;
use crate::protocol::connection::{Connection, Plan};
use crate::workload::message::{Chunk, Chunks, Command, PreparedStatement, Reply};

/// How long a server may take for one statement, or for some rows: it may build an index. What it sends meanwhile does
/// not begin this anew.
const STATEMENT_TIMEOUT: u64 = 3_600 * SECOND;
/// How long to wait for a login.
const LOGIN_TIMEOUT: u64 = 10 * SECOND;
/// Bytes that wait to be written, at most.
const AHEAD: usize = 1 << 20;
const BUFFER: usize = 1 << 16;

/// When a statement that begins now must have ended.
fn statement_end() -> Instant {
    Instant::now() + Duration::from_nanos(STATEMENT_TIMEOUT)
}

/// One connection that waits.
pub(crate) struct BlockingConnection {
    socket: Socket,
    connection: Connection,
    poller: Poller,
    buffer: Vec<u8>,
    ready: Vec<u64>,
    address: Address,
}

impl BlockingConnection {
    /// Connects, logs in and prepares the statements.
    pub(crate) fn open(target: &Target, statements: &[PreparedStatement]) -> Result<Self, Error> {
        let plan = Arc::new(Plan::new(target, statements, 1)?);
        let address = Address::first(target)?;
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

    /// Sends a command and waits for its answer, which may be an error, no longer than so many nanoseconds.
    pub(crate) fn ask(&mut self, command: &Command, timeout: u64) -> Result<(), Error> {
        self.connection.send(command)?;
        self.until_moment(Step::Replied, Instant::now() + Duration::from_nanos(timeout), timeout)?;
        Ok(())
    }

    /// As [`Self::ask`], of a node of a cluster; `asking` says that the slot is on its way to it.
    pub(crate) fn ask_node(&mut self, command: &Command, asking: bool, timeout: u64) -> Result<(), Error> {
        if !asking {
            return self.ask(command, timeout);
        }
        self.connection.send_asking(command)?;
        self.until_moment(Step::Replied, Instant::now() + Duration::from_nanos(timeout), timeout)?;
        Ok(())
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        self.connection.reply()
    }

    /// The types of its columns, as numbers of PostgreSQL's `pg_type`; empty of other servers.
    pub(crate) fn types(&self) -> &[u32] {
        self.connection.types()
    }

    /// Sends a command and waits for its answer, which must be no error.
    pub(crate) fn exchange(&mut self, command: &Command) -> Result<(), Error> {
        self.connection.send(command)?;
        self.until(Step::Replied)?;
        self.check(match command {
            Command::Simple(statement) => Asked::Execute(statement.clone()),
            _ => Asked::Task("preparing to load".to_owned()),
        })
    }

    /// Sends commands that are bytes already, and waits for their answers, none of which must be an error.
    pub(crate) fn send(&mut self, chunk: &Chunk) -> Result<(), Error> {
        self.connection.send_bytes(&chunk.bytes, chunk.replies)?;
        self.until(Step::Replied)?;
        self.check(Asked::Task("loading".to_owned()))
    }

    /// Sends the rows of a COPY.
    pub(crate) fn copy(
        &mut self,
        statement: &str,
        chunks: Chunks,
        mut more: impl FnMut(u64) -> bool,
    ) -> Result<(), Error> {
        self.connection.begin_copy(statement)?;
        if self.until(Step::CopyIn)? == Step::Replied {
            return self.check(Asked::Execute(statement.to_owned()));
        }
        for chunk in chunks {
            self.connection.send_bytes(&chunk.bytes, 0)?;
            let step = if self.connection.answers_rows() {
                self.until(Step::CopyIn)?
            } else {
                self.write_down_to(AHEAD, statement_end(), STATEMENT_TIMEOUT)?
            };
            // An error ends a COPY at once, wherever it is.
            if step == Step::Replied {
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
