//! A place for a connection, and what the connection in it is doing.

use crate::accounting::Request;
use crate::event_loop::socket::Socket;
use crate::protocol::connection::Connection;
use crate::workload::Unit;

/// A request on its way.
pub(crate) struct InFlight {
    pub(crate) request: Request,
    pub(crate) unit: Unit,
}

/// What a connection is doing. Times are nanoseconds of the run's clock.
pub(crate) enum State {
    /// There is none; the next attempt comes with a timer.
    Down {
        /// When it was lost.
        since: u64,
        /// How long to wait after the next failure.
        pause: u64,
    },
    /// Connecting, agreeing on TLS, logging in, preparing.
    Opening { since: u64, pause: u64, deadline: u64 },
    /// Free; `due` is when its user wanted the next request, where it has one.
    Idle { since: u64, due: Option<u64> },
    /// Free, while its user types and thinks; a timer ends that.
    Paused { since: u64, due: u64 },
    /// Waits for an answer.
    Busy { flight: InFlight, deadline: u64 },
    /// A script sleeps; a timer wakes it, or the time-out ends it.
    Sleeping { flight: InFlight, deadline: u64 },
    /// Asks a node of a cluster which node has which slots.
    Asking { deadline: u64 },
    /// Ends a transaction block that a failure left open.
    Resetting { deadline: u64 },
}

/// A place for a connection.
pub(crate) struct Slot {
    pub(crate) state: State,
    pub(crate) link: Option<(Socket, Connection)>,
    /// Counts the connections that were in this place, so that an event of an old one is not taken for one of the new.
    pub(crate) stamp: u32,
    /// Whether to wait for the socket to be writable.
    pub(crate) writing: bool,
    /// Whether there was a connection in this place.
    pub(crate) was_open: bool,
}

impl Slot {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Down { since: 0, pause: 0 },
            link: None,
            stamp: 0,
            writing: false,
            was_open: false,
        }
    }

    /// When waiting for the server, or for a script that sleeps, ends; nothing if nothing is waited for.
    pub(crate) fn deadline(&self) -> Option<u64> {
        match self.state {
            State::Opening { deadline, .. }
            | State::Busy { deadline, .. }
            | State::Sleeping { deadline, .. }
            | State::Asking { deadline }
            | State::Resetting { deadline } => Some(deadline),
            State::Down { .. } | State::Idle { .. } | State::Paused { .. } => None,
        }
    }

    /// Whether the connection is of no use for another request now, although it is there.
    pub(crate) fn is_engaged(&self) -> bool {
        !matches!(self.state, State::Down { .. } | State::Opening { .. } | State::Idle { .. })
    }

    /// Names the connection in place `place` to those who report of it later.
    pub(crate) fn token(&self, place: usize) -> u64 {
        u64::from(self.stamp) << 32 | place as u64
    }
}
