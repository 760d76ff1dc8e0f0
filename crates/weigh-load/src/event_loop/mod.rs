//! The loop of one thread: it owns its sockets and its share of the schedule, and waits for both in one place.
//!
//! Nothing here waits for a connection, a write or another thread. A request that is due is sent at once if a
//! connection is free, and otherwise as soon as one is; its response time counts from when it was due.

mod connections;
pub(crate) mod poller;
pub(crate) mod slot;
pub(crate) mod socket;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::Error;
use crate::clock::{SECOND, thread_cpu};
use crate::protocol::connection::Plan;
use crate::recorder::Recorder;
use crate::schedule::due_queue::Queue;
use crate::schedule::{Arrivals, Schedule};
use crate::shared::{ATTENTION, DRAIN, Delivery, PARTING, Shared, WAKE_EARLY};
use crate::totals::Totals;
use crate::workload::message::Command;
use crate::workload::{Next, Outcome, Workload};
use poller::Waiter;
use slot::{Flight, Slot, State};
use socket::Address;

use connections::{LOGIN, PAUSES};

const BUFFER: usize = 1 << 16;

/// One thread of a run.
pub(crate) struct Worker {
    shared: Arc<Shared>,
    thread: usize,
    workload: Box<dyn Workload>,
    plan: Arc<Plan>,
    address: Address,
    waiter: Waiter,
    slots: Vec<Slot>,
    /// Places of free connections, the longest free one first.
    idle: VecDeque<usize>,
    /// Places to look at, at a time, if their connection is still the same.
    timers: BinaryHeap<Reverse<(u64, usize, u32)>>,
    /// No deadline is before this.
    next_check: u64,
    buffer: Vec<u8>,
    in_flight: usize,
    most_in_flight: usize,
    /// When a request could last be sent again after `most_in_flight` had forbidden it.
    allowed: u64,
    queue: Queue,
    closed: bool,
    end: u64,
    boundary: u64,
    interval: usize,
    cpu: u64,
    recorder: Recorder,
    totals: Totals,
    /// Before the run: why it cannot begin.
    fatal: Option<Error>,
    running: bool,
}

impl Worker {
    /// For thread `thread` with so many of the connections and of the requests in flight.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        thread: usize,
        workload: Box<dyn Workload>,
        plan: Arc<Plan>,
        address: Address,
        share: (usize, usize),
    ) -> Result<Self, Error> {
        let (connections, most_in_flight) = share;
        let operations = workload.operations().len();
        Ok(Self {
            shared: Arc::clone(shared),
            thread,
            workload,
            plan,
            address,
            waiter: Waiter::new(connections)?,
            slots: (0..connections).map(|_| Slot::new()).collect(),
            idle: VecDeque::with_capacity(connections),
            timers: BinaryHeap::new(),
            next_check: 0,
            buffer: vec![0; BUFFER],
            in_flight: 0,
            most_in_flight,
            allowed: 0,
            queue: Queue::new(Schedule::new(&Arrivals::Closed, 0, 1, 0), 0),
            closed: shared.arrivals == Arrivals::Closed,
            end: 0,
            boundary: u64::MAX,
            interval: 0,
            cpu: 0,
            recorder: Recorder::new(operations),
            totals: Totals::default(),
            fatal: None,
            running: false,
        })
    }

    /// Opens all connections, before the run.
    pub(crate) fn open(&mut self) -> Result<(), Error> {
        let until = self.now() + LOGIN;
        for place in 0..self.slots.len() {
            self.connect(place, self.now(), PAUSES.0);
        }
        let mut ready = Vec::new();
        while self.idle.len() < self.slots.len() {
            if let Some(error) = self.fatal.take() {
                return Err(error);
            }
            if self.now() > until {
                let why = format!("no answer to the login within {} s", LOGIN / SECOND);
                return Err(Error::Unreachable { target: self.address.to_string(), why });
            }
            self.waiter.wait(ATTENTION, &mut ready)?;
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
        self.queue = Queue::new(Schedule::new(&shared.arrivals, part, parts, shared.duration), begun);
        self.end = begun + shared.duration;
        self.boundary = self.next_boundary(begun);
        self.running = true;
        self.next_check = begun;
        self.cpu = thread_cpu();
        let first = self.cpu;
        for slot in &mut self.slots {
            slot.state = State::Idle { since: begun };
        }
        let mut ready = Vec::new();
        let mut parting = None;
        loop {
            let now = self.now();
            if now >= self.boundary {
                self.deliver(self.boundary, now);
            }
            if parting.is_none() && shared.stop.load(Ordering::Relaxed) {
                parting = Some(now + PARTING);
                self.end = self.end.min(now);
            }
            self.run_timers(now);
            self.check_deadlines(now);
            self.queue.arrive(now.min(self.end));
            if now >= begun && parting.is_none() {
                self.send_due();
            }
            self.queue.measure();
            if self.is_over(parting) {
                break;
            }
            self.sleep(begun, &mut ready)?;
            for token in &ready {
                self.look(*token);
                if parting.is_none() {
                    self.send_due();
                }
            }
        }
        let now = self.now();
        self.totals.in_flight_at_end = self.in_flight as u64;
        for slot in &mut self.slots {
            let state = mem::replace(&mut slot.state, State::Down { since: now, pause: 0 });
            if let State::Busy { flight, .. } | State::Sleeping { flight } = state {
                self.workload.lost(flight.unit);
            }
        }
        self.totals.scheduled = if self.closed { self.totals.sent } else { self.queue.arrived };
        self.totals.unsent = self.totals.scheduled - self.totals.sent;
        self.totals.max_queue = self.queue.longest;
        self.totals.ended = now;
        self.deliver(now, now);
        self.totals.cpu = self.cpu - first;
        Ok(self.totals)
    }

    fn now(&self) -> u64 {
        self.shared.clock.now()
    }

    /// The next end of an interval. What comes after the end belongs to the last one.
    fn next_boundary(&self, after: u64) -> u64 {
        let next = after.saturating_add(self.shared.interval);
        if next < self.end { next } else { u64::MAX }
    }

    fn is_over(&self, parting: Option<u64>) -> bool {
        let now = self.now();
        if let Some(parting) = parting {
            return self.in_flight == 0 || now >= parting;
        }
        let all_sent = self.closed || self.queue.waiting() == 0 || now >= self.end + DRAIN;
        now >= self.end && all_sent && self.in_flight == 0
    }

    /// Waits until something is due or a socket has something.
    fn sleep(&mut self, begun: u64, ready: &mut Vec<u64>) -> Result<(), Error> {
        let mut until = self.boundary.min(self.next_check);
        if let Some(Reverse((time, ..))) = self.timers.peek() {
            until = until.min(*time);
        }
        if self.in_flight < self.most_in_flight && !self.idle.is_empty() {
            let due = if self.closed { Some(begun) } else { self.queue.next() };
            // After the end nothing is due that was not sent above.
            if let Some(due) = due.filter(|_| self.now() < self.end) {
                until = until.min(if self.shared.spin { due.saturating_sub(WAKE_EARLY) } else { due });
            }
        }
        let now = self.now();
        if now < self.end {
            until = until.min(self.end);
        }
        self.waiter.wait(until.saturating_sub(now).min(ATTENTION), ready)
    }

    /// Sends what is due, as far as connections are free.
    fn send_due(&mut self) {
        // A script may fail before its first command, again and again: a stop is seen all the same.
        while !self.shared.stop.load(Ordering::Relaxed)
            && self.in_flight < self.most_in_flight
            && let Some(place) = self.idle.front().copied()
        {
            let State::Idle { since } = self.slots[place].state else { return };
            let now = self.now();
            let free = since.max(self.allowed);
            let intended = if self.closed {
                (now < self.end).then_some(free)
            } else {
                self.queue.take(if now < self.end + DRAIN { now } else { 0 })
            };
            let Some(intended) = intended else { return };
            self.idle.pop_front();
            let (operation, unit, next) = self.workload.begin(self.thread + place * self.shared.threads);
            let sent = self.now();
            self.in_flight += 1;
            self.totals.sent += 1;
            let tally = &mut self.recorder.tallies[operation];
            tally.lag_free.record(free.saturating_sub(intended));
            tally.lag_late.record(sent - free.max(intended));
            self.follow(place, Flight { operation, unit, intended, sent }, next, sent);
        }
    }

    /// Does what a workload says is next.
    fn follow(&mut self, place: usize, flight: Flight, next: Next, now: u64) {
        match next {
            Next::Send(command) => {
                self.slots[place].state = State::Busy { flight, deadline: now + self.shared.timeout };
                self.send(place, &command);
            }
            Next::Sleep(time) => {
                let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                let stamp = self.slots[place].stamp;
                self.timers.push(Reverse((now.saturating_add(time), place, stamp)));
                self.slots[place].state = State::Sleeping { flight };
            }
            Next::Done(outcome) => self.finish(place, &flight, outcome, now),
        }
    }

    /// The answer to a command is there.
    fn replied(&mut self, place: usize, now: u64) {
        let slot = &mut self.slots[place];
        let Some((_, connection)) = &slot.link else { return };
        match mem::replace(&mut slot.state, State::Idle { since: now }) {
            State::Busy { flight, .. } => {
                let next = self.workload.reply(&flight.unit, &connection.reply(), connection.in_block());
                self.follow(place, flight, next, now);
            }
            State::Resetting { .. } => self.free(place, now),
            other => slot.state = other,
        }
    }

    /// A unit of work is done.
    fn finish(&mut self, place: usize, flight: &Flight, outcome: Outcome, now: u64) {
        let (response, service) = (now.saturating_sub(flight.intended), now.saturating_sub(flight.sent));
        self.recorder.tallies[flight.operation].finish(outcome, response, service, &mut self.totals);
        self.land(now);
        if self.slots[place].link.as_ref().is_some_and(|(_, connection)| connection.in_block()) {
            self.slots[place].state = State::Resetting { deadline: now + self.shared.timeout };
            self.send(place, &Command::Simple("ROLLBACK".to_owned()));
        } else {
            self.free(place, now);
        }
    }

    /// One request less is in flight.
    fn land(&mut self, now: u64) {
        if self.in_flight == self.most_in_flight {
            self.allowed = now;
        }
        self.in_flight -= 1;
        self.totals.done += 1;
        self.totals.in_time += u64::from(now <= self.end);
    }

    fn free(&mut self, place: usize, now: u64) {
        self.slots[place].state = State::Idle { since: now };
        self.idle.push_back(place);
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
                State::Down { since, pause } => self.connect(place, since, pause),
                State::Sleeping { flight } => {
                    let next = self.workload.wake(&flight.unit);
                    self.follow(place, flight, next, now);
                }
                other => slot.state = other,
            }
        }
    }

    /// Hands over what was recorded up to now, as the interval that ends at `to`.
    fn deliver(&mut self, to: u64, now: u64) {
        let cpu = thread_cpu();
        let recorder =
            mem::replace(&mut self.recorder, self.shared.recorder(self.workload.operations().len()));
        self.shared.deliver(Delivery {
            interval: self.interval,
            to,
            recorder,
            cpu: cpu - self.cpu,
            in_flight: self.in_flight as u64,
            queued: self.queue.waiting(),
            reconnects: mem::take(&mut self.totals.reconnects_since),
        });
        self.cpu = cpu;
        self.interval += 1;
        self.boundary = self.next_boundary(to);
        // After a long pause of this thread: the intervals in between have nothing, and are there.
        if now >= self.boundary {
            self.deliver(self.boundary, now);
        }
    }
}
