//! The connections of the loop: opened, read, written, lost and opened again.

use std::cmp::Reverse;
use std::mem;
use std::sync::atomic::Ordering;

use super::slot::{InFlight, Slot, State};
use super::socket::Socket;
use crate::Error;
use crate::clock::SECOND;
use crate::protocol::Step;
use crate::protocol::connection::Connection;
use crate::workload::Outcome;
use crate::workload::message::{Command, Reply};

use super::Worker;

/// How long to wait for a login.
pub(super) const LOGIN_TIMEOUT: u64 = 10 * SECOND;
/// The first and the longest pause before connecting again.
pub(super) const PAUSES: (u64, u64) = (SECOND / 100, SECOND);

/// Why a connection is gone.
pub(super) enum Loss {
    TimedOut,
    Broken(Error),
}

impl Worker {
    pub(super) fn send(&mut self, place: usize, command: &Command) {
        let Some((_, connection)) = &mut self.slots[place].link else { return };
        match connection.send(command) {
            Ok(()) => self.flush(place),
            Err(error) => self.lose(place, Loss::Broken(error)),
        }
    }

    /// Writes what there is to write.
    pub(super) fn flush(&mut self, place: usize) {
        let slot = &mut self.slots[place];
        let token = slot.token(place);
        let Some((socket, connection)) = &mut slot.link else { return };
        let written = socket.write(&mut connection.out).map_err(Error::system("writing"));
        let result = written.and_then(|all| {
            if all == slot.writing {
                slot.writing = !all;
                self.poller.change(&*socket, token, slot.writing)?;
            }
            Ok(())
        });
        if let Err(error) = result {
            self.lose(place, Loss::Broken(error));
        }
    }

    /// A socket has something.
    pub(super) fn look(&mut self, token: u64) {
        let place = usize::try_from(token & u64::from(u32::MAX)).unwrap_or(usize::MAX);
        let Some(slot) = self.slots.get_mut(place) else { return };
        if slot.token(place) != token {
            return;
        }
        if slot.writing {
            let failure = slot.link.as_ref().map_or(Ok(()), |(socket, _)| socket.failure());
            if let Err(errno) = failure {
                return self.lose(place, Loss::Broken(Error::system("connecting")(errno)));
            }
            self.flush(place);
        }
        if let Err(error) = self.receive(place, token) {
            self.lose(place, Loss::Broken(error));
        }
    }

    /// Reads what has come, and does what follows from it.
    pub(super) fn receive(&mut self, place: usize, token: u64) -> Result<(), Error> {
        let slot = &mut self.slots[place];
        let opening = matches!(slot.state, State::Opening { .. });
        let Some((socket, connection)) = &mut slot.link else { return Ok(()) };
        let count = match socket.read(&mut self.buffer).map_err(Error::system("reading"))? {
            // Of a protocol without a greeting: it is open as soon as it can be written.
            None if opening => 0,
            None => return Ok(()),
            Some(0) => return Err(Error::hung_up()),
            Some(count) => count,
        };
        let now = self.shared.clock.now();
        connection.receive(&self.buffer[..count])?;
        loop {
            // What follows may end the connection.
            let Some((_, connection)) = &mut self.slots[place].link else { return Ok(()) };
            match connection.advance()? {
                Step::Wait => break,
                Step::Ready => self.opened(place, now),
                Step::Replied => self.replied(place, now),
                Step::CopyIn => return Err(Error::protocol("a COPY cannot be offered as load")),
            }
            if self.slots[place].token(place) != token {
                return Ok(());
            }
        }
        if let Some((_, connection)) = &self.slots[place].link
            && !connection.out.is_empty()
        {
            self.flush(place);
        }
        Ok(())
    }

    /// A connection is gone, and what was in flight on it.
    pub(super) fn lose(&mut self, place: usize, loss: Loss) {
        let now = self.now();
        let slot = &mut self.slots[place];
        let link = slot.link.take();
        slot.stamp += 1;
        slot.writing = false;
        let state = mem::replace(&mut slot.state, State::Down { since: now, pause: 0 });
        let number = self.number(place);
        self.workload.disconnected(number);
        let (mut since, mut pause) = (now, PAUSES.0);
        let (mut fatal, mut opening) = (false, false);
        match state {
            State::Busy { flight, .. } | State::Sleeping { flight, .. } => {
                let message = match link.as_ref().map(|(_, connection)| connection.reply()) {
                    // A server that ends says why before it hangs up.
                    Some(Reply::Error { code, text }) => Some(format!("connection lost: {text} ({code})")),
                    _ => None,
                };
                let request = flight.request;
                self.lose_flight(flight, &loss, message, now);
                self.timed(place, &request, now);
            }
            State::Idle { .. } => {
                self.idle.retain(|free| *free != place);
                if let Some(lanes) = &mut self.lanes {
                    lanes.gone(place);
                }
                // Before the run nobody opens it again: it would be waited for as if it were logging in still.
                fatal = !self.running;
            }
            State::Opening { since: lost, pause: next, .. } | State::Down { since: lost, pause: next } => {
                (since, pause) = (lost, next);
                self.accounting.totals.failed_connects += 1;
                (fatal, opening) = (!self.running, true);
            }
            State::Resetting { .. } | State::Asking { .. } | State::Paused { .. } => {}
        }
        let slot = &mut self.slots[place];
        slot.state = State::Down { since, pause: (2 * pause).min(PAUSES.1) };
        self.timers.push(Reverse((now + pause, place, slot.stamp)));
        if self.nodes.is_cluster() {
            self.settle(place, Some(&loss), now);
        }
        if fatal && let Loss::Broken(error) = loss {
            let address = &self.server(place).address;
            self.fatal.get_or_insert(match error {
                Error::System { error, .. } if opening => Error::unreachable(address, error),
                other => other,
            });
        }
    }

    pub(super) fn lose_flight(&mut self, flight: InFlight, loss: &Loss, message: Option<String>, now: u64) {
        match loss {
            Loss::TimedOut => self.accounting.time_out(&flight.request, now),
            Loss::Broken(error) => {
                let text = message.unwrap_or_else(|| format!("connection lost: {error}"));
                let text = self.shared.secrets.masked(&text);
                self.accounting.finish(&flight.request, Outcome::Failed(text), now);
            }
        }
        self.workload.lost(flight.unit);
    }

    /// Closes every connection when a hold begins, and lets them be opened again when it is over.
    pub(super) fn follow_hold(&mut self) {
        let hold = self.shared.hold.load(Ordering::Acquire);
        if hold == self.holding {
            return;
        }
        self.holding = hold;
        if hold {
            for place in 0..self.slots.len() {
                // What the server has sent before it died is an answer still.
                let token = self.slots[place].token(place);
                self.look(token);
                if self.slots[place].link.is_some() {
                    self.lose(place, Loss::Broken(Error::hung_up()));
                }
            }
            self.shared.held.fetch_add(1, Ordering::Release);
        } else {
            let still = self.shared.stood_still.load(Ordering::Acquire);
            self.accounting.shift(still - self.stood_still);
            self.stood_still = still;
        }
    }

    /// Begins to connect; `since` is when the connection before was lost.
    pub(super) fn connect(&mut self, place: usize, since: u64, pause: u64) {
        let deadline = self.now() + LOGIN_TIMEOUT;
        self.next_check = self.next_check.min(deadline);
        self.slots[place].state = State::Opening { since, pause, deadline };
        let server = self.server(place);
        let begun =
            Socket::connect(&server.address).map_err(Error::system("connecting")).and_then(|socket| {
                let connection = Connection::begin(&server.plan)?;
                self.poller.add(&socket, self.slots[place].token(place), true)?;
                Ok((socket, connection))
            });
        match begun {
            Ok(link) => {
                self.slots[place].link = Some(link);
                self.slots[place].writing = true;
            }
            Err(error) => self.lose(place, Loss::Broken(error)),
        }
    }

    /// The server closes the connection behind its answer: another takes its place, and its opening is timed like that of
    /// one that was lost.
    pub(super) fn connect_again(&mut self, place: usize, now: u64) {
        let slot = &mut self.slots[place];
        slot.link = None;
        slot.stamp += 1;
        slot.writing = false;
        self.connect(place, now, PAUSES.0);
    }

    pub(super) fn opened(&mut self, place: usize, now: u64) {
        if !self.running {
            self.shared.open.fetch_add(1, Ordering::Release);
            self.logins += 1;
        }
        let again = std::mem::replace(&mut self.slots[place].was_open, true);
        if let State::Opening { since, .. } = self.slots[place].state
            && self.running
            && again
        {
            self.accounting.totals.reconnected(now.saturating_sub(since));
        }
        if self.nodes.is_cluster() {
            self.slots[place].state = State::Idle { since: now, due: None };
            return self.settle(place, None, now);
        }
        self.free(place, now, now);
    }

    /// Gives up what was waited for long enough. Looks at all places, about once a time-out.
    pub(super) fn check_deadlines(&mut self, now: u64) {
        if now < self.next_check {
            return;
        }
        for place in 0..self.slots.len() {
            if self.slots[place].deadline().is_some_and(|deadline| deadline <= now) {
                self.lose(place, Loss::TimedOut);
            }
        }
        self.check_waiting(now);
        let first = self.slots.iter().filter_map(Slot::deadline).chain(self.bundles.deadline()).min();
        // What begins from now on cannot end earlier than this.
        self.next_check = first.unwrap_or(u64::MAX).min(now + self.shared.timeout.min(LOGIN_TIMEOUT));
    }
}
