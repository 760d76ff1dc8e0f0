//! Requests to a cluster: each goes to the node that has its key.
//!
//! A connection of the load is then a bundle of one connection to each node, of which one at a time is used; so a
//! request that is due finds a connection to whichever node it needs. Places are counted node by node: those of a
//! bundle are as far apart as there are bundles.

use std::cmp::Reverse;

use super::Worker;
use super::connections::{Loss, PAUSES};
use super::nodes::Node;
use super::slot::{InFlight, Slot, State};
use crate::Error;
use crate::clock::SECOND;
use crate::cluster::{MOST_REDIRECTIONS, Topology};
use crate::workload::Outcome;
use crate::workload::message::Command;

/// Between two questions which node has which slots.
const REFRESH: u64 = SECOND;

/// What a bundle does.
#[derive(Default)]
pub(super) struct Bundle {
    /// The command that is under way, to be sent again where a node says so.
    command: Option<Command>,
    redirections: u8,
    /// A request that waits for the connection in a place, until when.
    waiting: Option<Waiting>,
}

struct Waiting {
    place: usize,
    flight: InFlight,
    asking: bool,
    deadline: u64,
}

/// Of the bundles of a loop.
pub(super) struct Bundles {
    each: Vec<Bundle>,
    /// Whether a node was not to be reached: others may have its slots now.
    stale: bool,
    refreshed: u64,
}

impl Bundles {
    pub(super) fn new(connections: usize) -> Self {
        Self { each: (0..connections).map(|_| Bundle::default()).collect(), stale: false, refreshed: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.each.len()
    }

    /// When the first of those that wait has waited long enough.
    pub(super) fn deadline(&self) -> Option<u64> {
        self.each.iter().filter_map(|bundle| bundle.waiting.as_ref()).map(|waiting| waiting.deadline).min()
    }

    /// Takes those that wait.
    pub(super) fn take_waiting(&mut self) -> impl Iterator<Item = InFlight> {
        self.each.iter_mut().filter_map(|bundle| bundle.waiting.take()).map(|waiting| waiting.flight)
    }
}

impl Worker {
    /// The server that the connection in a place is to.
    pub(super) fn server(&self, place: usize) -> &Node {
        if self.nodes.is_cluster() {
            self.nodes.get(self.node(place))
        } else {
            self.nodes.get(self.number(place) % self.nodes.len())
        }
    }

    pub(super) fn bundle(&self, place: usize) -> usize {
        place % self.bundles.each.len()
    }

    fn node(&self, place: usize) -> usize {
        place / self.bundles.each.len()
    }

    /// Sends a command of the bundle of a place to the node that has its key.
    pub(super) fn route(&mut self, place: usize, flight: InFlight, command: Command, now: u64) {
        let (number, bundles) = (self.bundle(place), self.bundles.each.len());
        match self.nodes.of(&command) {
            Err(why) => {
                let request = flight.request;
                self.workload.lost(flight.unit);
                let why = self.shared.secrets.masked(&why);
                self.finish(place, &request, Outcome::Failed(why), now);
            }
            Ok(node) => {
                if self.slots[place].link.is_some() {
                    self.slots[place].state = State::Idle { since: now, due: None };
                }
                let bundle = &mut self.bundles.each[number];
                (bundle.command, bundle.redirections) = (Some(command), 0);
                let to = node.map_or(place, |node| node * bundles + number);
                self.deliver(to, flight, false, now);
            }
        }
    }

    /// Sends the command of a bundle over the connection in a place, or as soon as there is one.
    fn deliver(&mut self, place: usize, flight: InFlight, asking: bool, now: u64) {
        let number = self.bundle(place);
        let deadline = now + self.shared.timeout;
        if !matches!(self.slots[place].state, State::Idle { .. }) {
            self.bundles.each[number].waiting = Some(Waiting { place, flight, asking, deadline });
            self.next_check = self.next_check.min(deadline);
            if matches!(self.slots[place].state, State::Down { .. }) {
                // At once, and not when the pause is over: whether the node is there is what the request finds out.
                // Another stamp, so that the timer of the pause finds nothing.
                let slot = &mut self.slots[place];
                slot.stamp += 1;
                self.timers.push(Reverse((now + PAUSES.0, place, slot.stamp)));
            }
            return;
        }
        self.slots[place].state = State::Busy { flight, deadline };
        let Some(command) = self.bundles.each[number].command.take() else { return };
        if let Some((_, connection)) = &mut self.slots[place].link {
            let sent = if asking { connection.send_asking(&command) } else { connection.send(&command) };
            self.bundles.each[number].command = Some(command);
            match sent {
                Ok(()) => self.flush(place),
                Err(error) => self.lose(place, Loss::Broken(error)),
            }
        }
    }

    /// Follows a node that says that another one has the key; whether it does.
    pub(super) fn redirect(&mut self, place: usize, now: u64) -> bool {
        let (number, node) = (self.bundle(place), self.node(place));
        let Some((_, connection)) = &self.slots[place].link else { return false };
        if self.bundles.each[number].redirections >= MOST_REDIRECTIONS {
            return false;
        }
        // One that cannot be found is the error that the node gave.
        let Ok(Some((to, asking))) = self.nodes.redirected(node, &connection.reply()) else { return false };
        let state = std::mem::replace(&mut self.slots[place].state, State::Idle { since: now, due: None });
        let State::Busy { flight, .. } = state else {
            self.slots[place].state = state;
            return false;
        };
        self.make_room();
        self.bundles.each[number].redirections += 1;
        self.deliver(to * self.bundles.each.len() + number, flight, asking, now);
        true
    }

    /// Makes places for the connections to nodes that became known.
    fn make_room(&mut self) {
        let (now, places) = (self.now(), self.nodes.len() * self.bundles.each.len());
        self.slots.resize_with(places, || {
            let mut slot = Slot::new();
            slot.state = State::Down { since: now, pause: PAUSES.0 };
            slot
        });
    }

    /// The connection in a place is there, or gone: what waited for it goes on or fails, and the bundle is free where
    /// nothing of it is under way.
    pub(super) fn settle(&mut self, place: usize, loss: Option<&Loss>, now: u64) {
        let number = self.bundle(place);
        if let Some(waiting) = self.bundles.each[number].waiting.take_if(|waiting| waiting.place == place) {
            match loss {
                None => return self.deliver(place, waiting.flight, waiting.asking, now),
                Some(loss) => {
                    let request = waiting.flight.request;
                    let address = &self.server(place).address;
                    let message = match loss {
                        Loss::TimedOut => None,
                        Loss::Broken(error) => Some(format!("node {address} cannot be reached: {error}")),
                    };
                    self.lose_flight(waiting.flight, loss, message, now);
                    self.timed(place, &request, now);
                }
            }
        }
        self.bundles.stale |= loss.is_some();
        let places = || (number..self.slots.len()).step_by(self.bundles.each.len());
        let engaged = self.bundles.each[number].waiting.is_some()
            || places().any(|place| self.slots[place].is_engaged())
            || self.idle.iter().any(|free| self.bundle(*free) == number);
        let idle = places().find(|place| matches!(self.slots[*place].state, State::Idle { .. }));
        if let (false, Some(idle)) = (engaged, idle) {
            self.free(idle, now, now);
        }
    }

    /// Gives up requests that waited long enough for a connection.
    pub(super) fn check_waiting(&mut self, now: u64) {
        for number in 0..self.bundles.each.len() {
            let late = self.bundles.each[number].waiting.take_if(|waiting| waiting.deadline <= now);
            if let Some(Waiting { place, flight, .. }) = late {
                let request = flight.request;
                self.lose_flight(flight, &Loss::TimedOut, None, now);
                self.timed(place, &request, now);
                self.settle(place, Some(&Loss::TimedOut), now);
            }
        }
    }

    /// Asks a node that answers for the slots, if one was not to be reached.
    pub(super) fn refresh(&mut self, now: u64) {
        if !self.bundles.stale || self.holding || now < self.bundles.refreshed + REFRESH {
            return;
        }
        let Some(place) = self.idle.pop_front() else { return };
        (self.bundles.stale, self.bundles.refreshed) = (false, now);
        let deadline = now + self.shared.timeout;
        self.next_check = self.next_check.min(deadline);
        self.slots[place].state = State::Asking { deadline };
        self.send(place, &Topology::question());
    }

    /// A node said which has which slots.
    pub(super) fn refreshed(&mut self, place: usize, now: u64) {
        let node = self.node(place);
        if let Some((_, connection)) = &self.slots[place].link {
            // What it says of a node that cannot be found is of no use.
            let _: Result<(), Error> = self.nodes.update(node, &connection.reply());
        }
        self.make_room();
        self.free(place, now, now);
    }
}
