//! What a workload is to the loop that offers it: commands out, replies in, and a judgement of every answer.
//!
//! A [`Source`] is made once for a run; it makes one [`Workload`] for each worker thread, and the bytes of the bulk
//! load. A workload does no I/O, reads no clock and never waits, so that the loop's clocks time the server alone.
//!
//! ```text
//!            begin(connection)               reply(unit, ...)
//! free connection ------> Next::Send(command) ------> Next::Send(command) ------> Next::Done(outcome)
//!                         Next::Sleep(time) --wake--> ...
//!                                 `---- time-out, connection lost ----> lost(unit)
//! ```
//!
//! A [`Unit`] is a number; what it stands for is in the worker's own table, up to [`Next::Done`] or
//! [`Workload::lost`].
//!
//! # When `begin` is to be called
//!
//! When a connection is at hand and the command is about to be sent, not earlier: a workload that checks answers notes
//! at that moment what the server must have by now. Called earlier it would miss errors, and still report none of a
//! correct server.

pub(crate) mod circumstance;
pub(crate) mod dump;
pub mod durability;
pub mod isolation;
pub mod message;
pub mod replay;
pub mod script;
mod select;
pub mod tpcc;
mod units;
pub mod ycsb;

use std::time::Duration;

use serde::Serialize;

use crate::Error;
use crate::ask::Sample;
use crate::config::TargetKind;
use crate::schedule::lanes::Lanes;

use durability::Examiner;
use message::{Bulk, Command, PreparedStatement, Reply};
pub use replay::Replayed;
pub use units::Unit;

/// A workload of a run, shared by its threads.
pub trait Source: Send + Sync {
    /// The workload of worker thread `thread`. Each draws its own random numbers, from the seed and its number.
    fn worker(&self, thread: usize) -> Box<dyn Workload>;
    /// How the data get into a server of this kind before the run; nothing for a workload that finds its own.
    fn bulk(&self, kind: TargetKind) -> Option<Bulk>;
    /// Its scripts, to be run one by one outside the clock; nothing where there are none.
    fn scripted(&self) -> Option<Box<dyn Scripted>> {
        None
    }
    /// What the writes of a run that is over must have left, for another generator's [`Self::join_written`]; nothing
    /// where that is not known.
    fn written(&self) -> Option<serde_json::Value> {
        None
    }
    /// Takes in what another generator of the same load wrote, for [`Self::examiner`].
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: it is none, or of a key that is written already.
    fn join_written(&self, writes: serde_json::Value) -> Result<(), Error> {
        let _ = writes;
        Err(Error::Setting("this workload does not know what its writes leave".to_owned()))
    }
    /// What the workers asked for in a run that is over, in the workload's own terms; nothing where it keeps no account.
    fn account(&self) -> Option<serde_json::Value> {
        None
    }
    /// What every transaction of a run that is over read and wrote, once; nothing where that is not written down.
    fn history(&self) -> Option<weigh_isolation::History> {
        None
    }
    /// Requests that the workers have kept of a run that is over.
    fn samples(&self) -> Vec<Sample> {
        Vec::new()
    }
    /// What a run that is over must have left: `most` keys of it at most. Nothing where that is not known.
    fn read_back(&self, most: usize) -> Option<Box<dyn ReadBack>> {
        let _ = most;
        None
    }
    /// Moments that each belong to one connection, of a recording; nothing where any connection serves.
    fn lanes(&self) -> Option<Lanes> {
        None
    }
    /// What came of each statement of a recording when a run is over; nothing of other workloads.
    fn replayed(&self) -> Option<Replayed> {
        None
    }
    /// What reads everything back and compares it with what was acknowledged; nothing for a workload that does not know
    /// what its writes leave behind. Nothing of the run may be in flight until it is done.
    fn examiner(&self) -> Option<Box<dyn Examiner>>;
}

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScriptStatement {
    /// The name of the script.
    pub script: String,
    /// Where the statement begins, from 1.
    pub line: usize,
    /// As it is written.
    pub text: String,
}

/// The work of scripts, each to be begun by its number: that of its operation.
pub trait Scripted: Workload {
    /// Every statement, in order.
    fn script_statements(&self) -> Vec<ScriptStatement>;
    /// As [`Workload::begin`], of this script.
    fn begin_script(&mut self, script: usize, connection: usize) -> (Unit, Next);
    /// The statement that a unit has sent last.
    fn at(&self, unit: &Unit) -> Option<ScriptStatement>;
}

/// A read of a key when a run is over.
#[derive(Debug)]
pub struct ReadBackStep {
    /// To be handed to [`ReadBack::reply`].
    pub unit: Unit,
    /// What to send.
    pub command: Command,
    /// Whether the run wrote the key.
    pub written: bool,
    /// The key.
    pub name: String,
}

/// Reads of what a run must have left.
pub trait ReadBack: Send {
    /// As [`Workload::statements`].
    fn statements(&self) -> &[PreparedStatement];
    /// How many keys the run wrote that must be there.
    fn written(&self) -> usize;
    /// The next key; nothing at the end.
    fn next(&mut self) -> Option<ReadBackStep>;
    /// What the reply to it says.
    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>) -> Next;
}

/// The work of one thread.
pub trait Workload: Send {
    /// Names of the operations in the order of their numbers.
    fn operations(&self) -> &[String];

    /// SQL statements to prepare on every connection; their place is their number. Parameters are sent, and results
    /// expected, in text format; SQLite is given parameters of their types. Empty for key-value targets.
    fn statements(&self) -> &[PreparedStatement];

    /// How long the user of a connection that has become free waits before the next request, which is due then; nothing
    /// where none does.
    fn pause(&mut self, connection: usize) -> Option<Pause> {
        let _ = connection;
        None
    }

    /// Begins the next unit of work on a free connection: its operation number and what to do first. Connections are
    /// numbered within a thread.
    fn begin(&mut self, connection: usize) -> (usize, Unit, Next);

    /// What follows from the server's reply to the last command.
    ///
    /// `open` says that the connection is inside a transaction block after the reply (of a PostgreSQL server:
    /// ReadyForQuery with `T` or `E`); false for servers that have none.
    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>, open: bool) -> Next;

    /// What follows when the time of a [`Next::Sleep`] is over.
    fn wake(&mut self, unit: &Unit) -> Next;

    /// Whether the transaction block that a unit on this connection has left open is to stay so: what comes next on it
    /// belongs to it.
    fn keeps_block(&self, connection: usize) -> bool {
        let _ = connection;
        false
    }

    /// A connection is gone, whatever was on it; for what was in flight [`Self::lost`] follows.
    fn disconnected(&mut self, connection: usize) {
        let _ = connection;
    }

    /// The unit begun last on a connection was sent, and ended, so many nanoseconds after the run began.
    fn timed(&mut self, connection: usize, sent: u64, done: u64) {
        let _ = (connection, sent, done);
    }

    /// No reply will come: a time-out, or the connection is gone. Whether the server did the work is not known, and
    /// from now on either is right.
    fn lost(&mut self, unit: Unit);

    /// The run is over: what this thread has to account for goes to the [`Source`].
    fn finish(self: Box<Self>) {}
}

/// What the loop is to do next with a unit.
#[derive(Debug)]
pub enum Next {
    /// Send this and hand the reply to [`Workload::reply`].
    Send(Command),
    /// Keep the connection idle for this long, then call [`Workload::wake`].
    Sleep(Duration),
    /// The unit is done, the connection free. If it is still inside a transaction block, the loop rolls it back first.
    Done(Outcome),
}

impl Next {
    /// A reply, or a wake, that belongs to no unit of a workload: the loop is at fault.
    fn unknown_unit() -> Self {
        Self::Done(Outcome::Failed("a reply that belongs to no unit of this workload".into()))
    }
}

/// What a user does between two requests: typing and thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// For how long.
    pub time: Duration,
    /// Whether it began when the last request was sent, and not when it was answered.
    pub since_sent: bool,
}

/// How a unit of work ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should. `verified` rows were compared with what had been written.
    Right {
        /// Rows whose values were checked.
        verified: u64,
    },
    /// An answer contradicts what was written: which, and how.
    Wrong(String),
    /// A key that must be there is not.
    Missing,
    /// The server refused the work: its error.
    Failed(String),
}
