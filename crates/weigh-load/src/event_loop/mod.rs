//! The loop of one thread: it owns its sockets and its share of the schedule, and waits for both in one place.
//!
//! Nothing here waits for a connection, a write or another thread. A request that is due is sent at once if a
//! connection is free, and otherwise as soon as one is; its response time counts from when it was due.

mod cluster;
mod connections;
mod nodes;
pub(crate) mod poller;
pub(crate) mod slot;
pub(crate) mod socket;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::Error;
use crate::accounting::{Accounting, Due, Request};
use crate::clock::{SECOND, Spent};
use crate::schedule::lanes::LaneQueue;
use crate::shared::{STOP_CHECK, Shared, WAKE_EARLY};
use crate::totals::Totals;
use crate::workload::message::Command;
use crate::workload::{Next, Outcome, Workload};
use poller::Poller;
use slot::{InFlight, Slot, State};

use cluster::Bundles;
use connections::{LOGIN_TIMEOUT, PAUSES};

pub(crate) use nodes::Nodes;

const BUFFER: usize = 1 << 16;
/// How often a thread that is held looks whether it still is.
const HOLD_CHECK: u64 = SECOND / 1_000;

/// One thread of a run.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    thread: usize,
    workload: Box<dyn Workload>,
    nodes: Nodes,
    poller: Poller,
    /// Of the connections to each node, those of the first node first.
    slots: Vec<Slot>,
    bundles: Bundles,
    /// Connections that were opened.
    logins: usize,
    /// Places of free connections, the longest free one first.
    idle: VecDeque<usize>,
    /// Where every connection has moments of its own: those; which of them are free it knows itself.
    lanes: Option<LaneQueue>,
    /// Places to look at, at a time, if their connection is still the same.
    timers: BinaryHeap<Reverse<(u64, usize, u32)>>,
    /// No deadline is before this.
    next_check: u64,
    buffer: Vec<u8>,
    accounting: Accounting,
    /// Before the run: why it cannot begin.
    fatal: Option<Error>,
    running: bool,
    /// Nothing is connected and nothing is sent, until the hold is over.
    holding: bool,
    /// For how long the schedule stood still so far.
    stood_still: u64,
}

impl Worker {
    /// For thread `thread` with so many of the connections and of the requests in flight.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        thread: usize,
        workload: Box<dyn Workload>,
        nodes: Nodes,
        share: (usize, usize),
    ) -> Result<Self, Error> {
        let (connections, most_in_flight) = share;
        let operations = workload.operations().len();
        let places = connections * nodes.of_a_connection();
        Ok(Self {
            shared: Arc::clone(shared),
            thread,
            workload,
            nodes,
            poller: Poller::new(places)?,
            slots: (0..places).map(|_| Slot::new()).collect(),
            bundles: Bundles::new(connections),
            logins: 0,
            idle: VecDeque::with_capacity(connections),
            lanes: None,
            timers: BinaryHeap::new(),
            next_check: 0,
            buffer: vec![0; BUFFER],
            accounting: Accounting::new(shared, operations, most_in_flight, Spent::by_thread),
            fatal: None,
            running: false,
            holding: false,
            stood_still: 0,
        })
    }

    /// Opens all connections, before the run.
    pub(crate) fn open(&mut self) -> Result<(), Error> {
        let until = self.now() + LOGIN_TIMEOUT;
        for place in 0..self.slots.len() {
            self.connect(place, self.now(), PAUSES.0);
        }
        let mut ready = Vec::new();
        while self.logins < self.slots.len() {
            if let Some(error) = self.fatal.take() {
                return Err(error);
            }
            if self.now() > until {
                let down = (0..self.slots.len()).find(|place| !self.idle.contains(place)).unwrap_or(0);
                let opening = self.slots.iter().position(|slot| matches!(slot.state, State::Opening { .. }));
                let target = self.server(opening.unwrap_or(down)).address.to_string();
                let (open, seconds) = (self.shared.open.load(Ordering::Acquire), LOGIN_TIMEOUT / SECOND);
                let all = self.shared.connections * self.nodes.of_a_connection();
                let link = opening.and_then(|place| self.slots[place].link.as_ref());
                let preparing = link.is_some_and(|(_, connection)| connection.is_preparing());
                return Err(Error::NoLogin { target, seconds, open, all, preparing });
            }
            self.poller.wait(STOP_CHECK, &mut ready)?;
            for token in &ready {
                self.look(*token);
            }
        }
        Ok(())
    }

    /// Offers the load from `begun` on, in nanoseconds of the run's clock.
    pub(crate) fn run(mut self, begun: u64) -> Result<Totals, Error> {
        let shared = Arc::clone(&self.shared);
        let (part, parts) = (self.thread as u64, shared.threads as u64);
        self.accounting.begin(begun, (shared.first_thread + self.thread) as u64, shared.all_threads as u64);
        self.lanes = shared.lanes.as_ref().map(|lanes| LaneQueue::new(lanes, part, parts, begun));
        self.running = true;
        self.next_check = begun;
        self.idle.clear();
        for place in 0..self.bundles.len() {
            self.free(place, begun, begun);
        }
        let mut ready = Vec::new();
        loop {
            let now = self.now();
            self.accounting.end_intervals(now);
            if shared.stop.load(Ordering::Relaxed) {
                self.accounting.stop(now);
            }
            self.follow_hold();
            self.run_timers(now);
            self.check_deadlines(now);
            if self.nodes.is_cluster() {
                self.refresh(now);
            }
            self.accounting.arrive(now);
            self.send_due();
            self.accounting.measure_queue();
            // A run does not end while it is held, unless it is stopped.
            if (!self.holding || shared.stop.load(Ordering::Relaxed)) && self.accounting.is_over(self.now()) {
                break;
            }
            self.sleep(&mut ready)?;
            for token in &ready {
                self.look(*token);
                self.send_due();
            }
        }
        let now = self.now();
        for slot in &mut self.slots {
            let state = mem::replace(&mut slot.state, State::Down { since: now, pause: 0 });
            if let State::Busy { flight, .. } | State::Sleeping { flight, .. } = state {
                self.workload.lost(flight.unit);
            }
        }
        for flight in self.bundles.take_waiting() {
            self.workload.lost(flight.unit);
        }
        self.workload.finish();
        Ok(self.accounting.close(now))
    }

    fn now(&self) -> u64 {
        self.shared.clock.now()
    }

    /// Waits until something is due or a socket has something.
    fn sleep(&mut self, ready: &mut Vec<u64>) -> Result<(), Error> {
        let end = self.accounting.end();
        let mut until = self.accounting.boundary().min(self.next_check);
        if let Some(Reverse((time, ..))) = self.timers.peek() {
            until = until.min(*time);
        }
        if self.accounting.may_send() {
            let due = self.next_due();
            // After the end nothing is due that was not sent above.
            if let Some(due) = due.filter(|_| self.now() < end) {
                until = until.min(if self.shared.spin { due.saturating_sub(WAKE_EARLY) } else { due });
            }
        }
        let now = self.now();
        if now < end {
            until = until.min(end);
        }
        self.poller.wait(until.saturating_sub(now).min(STOP_CHECK), ready)
    }

    /// When the next request is due for which a connection is free.
    fn next_due(&mut self) -> Option<u64> {
        match &mut self.lanes {
            Some(lanes) => lanes.next().map(|(at, _)| at),
            None if self.idle.is_empty() => None,
            None => self.accounting.next_due(),
        }
    }

    /// Takes the oldest request that is due, and the free connection that is to send it.
    fn take_due(&mut self) -> Option<(usize, Due)> {
        let now = self.shared.clock.now();
        let idle =
            |slot: &Slot| if let State::Idle { since, due } = slot.state { Some((since, due)) } else { None };
        let Some(lanes) = &mut self.lanes else {
            let place = self.idle.front().copied()?;
            let (since, wanted) = idle(&self.slots[place])?;
            let due = self.accounting.take(now, since, wanted)?;
            self.idle.pop_front();
            return Some((place, due));
        };
        let (at, place) = lanes.next()?;
        let due = self.accounting.take_own(at, now, idle(&self.slots[place])?.0)?;
        lanes.take();
        Some((place, due))
    }

    /// The number of the connection in a place, over all threads of all generators: those of one follow each other.
    fn number(&self, place: usize) -> usize {
        self.shared.first_connection + self.thread + self.bundle(place) * self.shared.threads
    }

    /// Sends what is due, as far as connections are free.
    fn send_due(&mut self) {
        // A script may fail before its first command, again and again: a stop is seen all the same.
        while !self.shared.stop.load(Ordering::Relaxed)
            && self.accounting.may_send()
            && let Some((place, due)) = self.take_due()
        {
            let (operation, unit, next) = self.workload.begin(self.number(place));
            let request = due.send(operation, self.now());
            self.accounting.sent(&request);
            self.follow(place, InFlight { request, unit }, next, request.sent);
        }
    }

    /// Does what a workload says is next.
    fn follow(&mut self, place: usize, flight: InFlight, next: Next, now: u64) {
        match next {
            Next::Send(command) if self.nodes.is_cluster() => self.route(place, flight, command, now),
            Next::Send(command) => {
                self.slots[place].state = State::Busy { flight, deadline: now + self.shared.timeout };
                self.send(place, &command);
            }
            Next::Sleep(time) => {
                let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                let stamp = self.slots[place].stamp;
                self.timers.push(Reverse((now.saturating_add(time), place, stamp)));
                self.slots[place].state = State::Sleeping { flight, deadline: now + self.shared.timeout };
            }
            Next::Done(outcome) => self.finish(place, &flight.request, outcome, now),
        }
    }

    /// The answer to a command is there.
    fn replied(&mut self, place: usize, now: u64) {
        if self.nodes.is_cluster() && self.redirect(place, now) {
            return;
        }
        let slot = &mut self.slots[place];
        let Some((_, connection)) = &slot.link else { return };
        match mem::replace(&mut slot.state, State::Idle { since: now, due: None }) {
            State::Busy { flight, .. } => {
                let mut masked = Default::default();
                let reply = self.shared.secrets.mask(connection.reply(), &mut masked);
                let next = self.workload.reply(&flight.unit, &reply, connection.in_block());
                self.follow(place, flight, next, now);
            }
            State::Resetting { .. } => self.free(place, now, now),
            State::Asking { .. } => self.refreshed(place, now),
            other => slot.state = other,
        }
    }

    /// A unit of work is done.
    fn finish(&mut self, place: usize, request: &Request, outcome: Outcome, now: u64) {
        self.accounting.finish(request, outcome, now);
        self.timed(place, request, now);
        let in_block = self.slots[place].link.as_ref().is_some_and(|(_, connection)| connection.in_block());
        if in_block && !self.workload.keeps_block(self.number(place)) {
            self.slots[place].state = State::Resetting { deadline: now + self.shared.timeout };
            self.send(place, &Command::Simple("ROLLBACK".to_owned()));
        } else if self.slots[place].link.as_ref().is_some_and(|(_, connection)| connection.is_closing()) {
            self.connect_again(place, now);
        } else {
            self.free(place, now, request.sent);
        }
    }

    /// Tells the workload when its request was sent and done.
    fn timed(&mut self, place: usize, request: &Request, now: u64) {
        let begun = self.accounting.begun();
        let number = self.number(place);
        self.workload.timed(number, request.sent.saturating_sub(begun), now.saturating_sub(begun));
    }

    /// A connection is free from now on; `sent` is when its last request was.
    fn free(&mut self, place: usize, now: u64, sent: u64) {
        let pause = if self.running { self.workload.pause(self.number(place)) } else { None };
        let Some(pause) = pause else {
            self.slots[place].state = State::Idle { since: now, due: None };
            match &mut self.lanes {
                Some(lanes) => lanes.free(place),
                None => self.idle.push_back(place),
            }
            return;
        };
        let from = if pause.since_sent { sent } else { now };
        let due = from.saturating_add(u64::try_from(pause.time.as_nanos()).unwrap_or(u64::MAX));
        self.timers.push(Reverse((due, place, self.slots[place].stamp)));
        self.slots[place].state = State::Paused { since: now, due };
    }

    fn run_timers(&mut self, now: u64) {
        while let Some(Reverse((time, place, stamp))) = self.timers.peek().copied() {
            if time > now {
                return;
            }
            self.timers.pop();
            let slot = &mut self.slots[place];
            if slot.stamp != stamp {
                continue;
            }
            match mem::replace(&mut slot.state, State::Down { since: now, pause: 0 }) {
                State::Down { since, .. } if self.holding => {
                    slot.state = State::Down { since, pause: PAUSES.0 };
                    self.timers.push(Reverse((now + HOLD_CHECK, place, stamp)));
                }
                State::Down { since, pause } => self.connect(place, since, pause),
                State::Sleeping { flight, .. } => {
                    let next = self.workload.wake(&flight.unit);
                    self.follow(place, flight, next, now);
                }
                State::Paused { since, due } => {
                    slot.state = State::Idle { since: since.max(due), due: Some(due) };
                    self.idle.push_back(place);
                }
                other => slot.state = other,
            }
        }
    }
}
