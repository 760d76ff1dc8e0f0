//! One connection, and the thread that calls SQLite through it.

use std::thread;

use crate::event_loop::slot::Flight;
use crate::workload::message::Command;
use crate::workload::{Next, Workload};

use super::deadline::Watch;
use super::dispatcher::Desk;
use super::session::Session;

/// A thread of a run.
pub(crate) struct Worker<'c> {
    pub(crate) desk: &'c Desk,
    /// Of the connection.
    pub(crate) number: usize,
    pub(crate) session: Session<'c>,
    pub(crate) watch: &'c Watch,
    pub(crate) workload: Box<dyn Workload>,
}

impl Worker<'_> {
    /// Takes requests as they are due, one after the other, until the run is over.
    pub(crate) fn run(mut self) {
        while let Some(due) = self.desk.take() {
            let (operation, unit, next) = self.workload.begin(self.number);
            let sent = self.desk.shared.clock.now();
            self.desk.sent(operation, &due, sent);
            self.follow(Flight { operation, unit, intended: due.intended, sent }, next);
        }
    }

    /// Does what the workload says is next, to the end of the unit.
    fn follow(&mut self, flight: Flight, mut next: Next) {
        let clock = self.desk.shared.clock;
        let mut now = flight.sent;
        loop {
            next = match next {
                Next::Done(outcome) => {
                    self.desk.finish(&flight, outcome, now);
                    break;
                }
                _ if self.desk.is_over() => return self.workload.lost(flight.unit),
                Next::Send(command) => {
                    let Some(in_time) = self.ask(&command, now) else {
                        return self.workload.lost(flight.unit);
                    };
                    now = clock.now();
                    if !in_time && !self.desk.is_over() {
                        self.desk.time_out(&flight, now);
                        self.workload.lost(flight.unit);
                        break;
                    }
                    self.workload.reply(&flight.unit, &self.session.reply(), self.session.in_block())
                }
                Next::Sleep(time) => {
                    let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                    if !self.desk.sleep(now.saturating_add(time), || self.desk.is_over()) {
                        return self.workload.lost(flight.unit);
                    }
                    now = clock.now();
                    self.workload.wake(&flight.unit)
                }
            };
        }
        if self.session.in_block() {
            self.session.roll_back();
            now = clock.now();
        }
        self.desk.free(now);
    }

    /// Executes a command; false if it was ended because it took too long, nothing if the run is over before it.
    fn ask(&mut self, command: &Command, now: u64) -> Option<bool> {
        let deadline = now.saturating_add(self.desk.shared.timeout);
        if !self.watch.begin(deadline) {
            return None;
        }
        let done = self.session.execute(command);
        self.watch.end();
        Some(match done {
            Err(fault) if fault.ends_a_wait() => self.desk.shared.clock.now() < deadline,
            _ => true,
        })
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // Its request would be waited for without end.
        if thread::panicking() {
            self.desk.close();
        }
    }
}
