//! One connection for questions outside the clock, to a server or to SQLite.

use std::sync::Arc;

use rusqlite::Connection;

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::clock::Clock;
use crate::cluster::ClusterConnection;
use crate::config::{Target, TargetKind};
use crate::secrecy::Secrets;
use crate::sqlite::{Deadline, Session, open};
use crate::workload::message::{Command, PreparedStatement, Reply};

/// Asks, and has the answer.
pub(super) trait Link {
    /// Sends a command and waits for its answer; an error of the server's is one.
    fn ask(&mut self, command: &Command) -> Result<(), Error>;

    /// The answer.
    fn reply(&self) -> Reply<'_>;

    /// The types of its columns; empty where the server does not say.
    fn types(&self) -> &[u32];
}

/// Does something with a connection that has these statements prepared. An answer is waited for no longer than
/// `timeout` nanoseconds; of SQLite, a lock.
pub(super) fn with<T>(
    target: &Target,
    statements: &[PreparedStatement],
    timeout: u64,
    work: impl FnOnce(&mut dyn Link) -> Result<T, Error>,
) -> Result<T, Error> {
    if target.cluster {
        let connection = ClusterConnection::open(target)?;
        return work(&mut Masked::new(Cluster { connection, timeout }, target));
    }
    if target.kind != TargetKind::Sqlite {
        let connection = BlockingConnection::open(target, statements)?;
        return work(&mut Masked::new(Remote { connection, timeout }, target));
    }
    let connection: Connection = open(target, &Arc::new(Deadline::default()), Clock::new())?;
    let mut session = Session::begin(&connection, statements)?;
    work(&mut session)
}

/// A link to a server that may repeat its password.
struct Masked<L> {
    link: L,
    secrets: Secrets,
    /// Code and text of the answer, where it is an error.
    error: Option<(String, String)>,
}

impl<L: Link> Masked<L> {
    fn new(link: L, target: &Target) -> Self {
        Self { link, secrets: Secrets::new(&target.secrets), error: None }
    }
}

impl<L: Link> Link for Masked<L> {
    fn ask(&mut self, command: &Command) -> Result<(), Error> {
        self.link.ask(command)?;
        self.error = match self.secrets.mask(self.link.reply(), &mut Default::default()) {
            Reply::Error { code, text } => Some((code.to_owned(), text.to_owned())),
            _ => None,
        };
        Ok(())
    }

    fn reply(&self) -> Reply<'_> {
        match &self.error {
            Some((code, text)) => Reply::Error { code, text },
            None => self.link.reply(),
        }
    }

    fn types(&self) -> &[u32] {
        self.link.types()
    }
}

struct Remote {
    connection: BlockingConnection,
    timeout: u64,
}

impl Link for Remote {
    fn ask(&mut self, command: &Command) -> Result<(), Error> {
        self.connection.ask(command, self.timeout)
    }

    fn reply(&self) -> Reply<'_> {
        self.connection.reply()
    }

    fn types(&self) -> &[u32] {
        self.connection.types()
    }
}

struct Cluster {
    connection: ClusterConnection,
    timeout: u64,
}

impl Link for Cluster {
    fn ask(&mut self, command: &Command) -> Result<(), Error> {
        self.connection.ask(command, self.timeout);
        Ok(())
    }

    fn reply(&self) -> Reply<'_> {
        self.connection.reply()
    }

    fn types(&self) -> &[u32] {
        &[]
    }
}

impl Link for Session<'_> {
    fn ask(&mut self, command: &Command) -> Result<(), Error> {
        // The answer has the error.
        let _ = self.execute(command);
        Ok(())
    }

    fn reply(&self) -> Reply<'_> {
        Session::reply(self)
    }

    fn types(&self) -> &[u32] {
        &[]
    }
}
