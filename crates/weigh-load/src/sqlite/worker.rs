//! One connection, and the thread that calls SQLite through it.

use std::thread;

use crate::accounting::Request;
use crate::workload::message::Command;
use crate::workload::{Next, Unit, Workload};

use super::deadline::Deadline;
use super::dispatcher::Dispatcher;
use super::session::Session;

/// A thread of a run.
pub(crate) struct Worker<'c> {
    pub(crate) dispatcher: &'c Dispatcher,
    /// Of the connection.
    pub(crate) number: usize,
    pub(crate) session: Session<'c>,
    pub(crate) deadline: &'c Deadline,
    pub(crate) workload: Box<dyn Workload>,
}

impl Worker<'_> {
    /// Takes requests as they are due, one after the other, until the run is over.
    pub(crate) fn run(mut self) {
        let _closing = Closing(self.dispatcher);
        while let Some(due) = self.dispatcher.take() {
            let (operation, unit, next) = self.workload.begin(self.number);
            let request = due.send(operation, self.dispatcher.shared.clock.now());
            self.dispatcher.sent(&request);
            self.follow(&request, unit, next);
        }
        self.workload.finish();
    }

    /// Does what the workload says is next, to the end of the unit.
    fn follow(&mut self, request: &Request, unit: Unit, mut next: Next) {
        let clock = self.dispatcher.shared.clock;
        let mut now = request.sent;
        loop {
            next = match next {
                Next::Done(outcome) => {
                    self.dispatcher.finish(request, outcome, now);
                    self.timed(request, now);
                    break;
                }
                _ if self.dispatcher.is_over() => return self.workload.lost(unit),
                Next::Send(command) => {
                    let Some(in_time) = self.ask(&command, now) else {
                        return self.workload.lost(unit);
                    };
                    now = clock.now();
                    if !in_time && !self.dispatcher.is_over() {
                        self.dispatcher.time_out(request, now);
                        self.workload.lost(unit);
                        self.timed(request, now);
                        break;
                    }
                    self.workload.reply(&unit, &self.session.reply(), self.session.in_block())
                }
                Next::Sleep(time) => {
                    let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                    // A pause counts as an answer does: past the time-out the request is given up.
                    let timeout = self.dispatcher.shared.timeout;
                    let until = now.saturating_add(time.min(timeout));
                    if !self.dispatcher.sleep(until, || self.dispatcher.is_over()) {
                        return self.workload.lost(unit);
                    }
                    now = clock.now();
                    if time > timeout {
                        self.dispatcher.time_out(request, now);
                        self.workload.lost(unit);
                        self.timed(request, now);
                        break;
                    }
                    self.workload.wake(&unit)
                }
            };
        }
        if self.session.in_block() {
            self.session.roll_back();
            now = clock.now();
        }
        self.dispatcher.free(now);
    }

    /// Tells the workload when its request was sent and done.
    fn timed(&mut self, request: &Request, now: u64) {
        let begun = self.dispatcher.begun();
        self.workload.timed(self.number, request.sent.saturating_sub(begun), now.saturating_sub(begun));
    }

    /// Executes a command; false if it was ended because it took too long, nothing if the run is over before it.
    fn ask(&mut self, command: &Command, now: u64) -> Option<bool> {
        let deadline = now.saturating_add(self.dispatcher.shared.timeout);
        if !self.deadline.begin(deadline) {
            return None;
        }
        let done = self.session.execute(command);
        self.deadline.end();
        Some(match done {
            Err(error) if error.ends_a_wait() => self.dispatcher.shared.clock.now() < deadline,
            _ => true,
        })
    }
}

/// Of a thread that panics the request would be waited for without end.
struct Closing<'c>(&'c Dispatcher);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
    }
}
