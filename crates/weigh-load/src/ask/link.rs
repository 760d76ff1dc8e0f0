//! One connection for questions outside the clock, to a server or to SQLite.

use std::sync::Arc;

use rusqlite::Connection;

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::clock::Clock;
use crate::cluster::ClusterConnection;
use crate::config::{Target, TargetKind};
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
        return work(&mut Cluster { connection, timeout });
    }
    if target.kind != TargetKind::Sqlite {
        let connection = BlockingConnection::open(target, statements)?;
        return work(&mut Remote { connection, timeout });
    }
    let connection: Connection = open(target, &Arc::new(Deadline::default()), Clock::new())?;
    let mut session = Session::begin(&connection, statements)?;
    work(&mut session)
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
