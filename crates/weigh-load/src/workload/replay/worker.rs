//! One thread's share of a recording.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use crate::ask::answer;
use crate::workload::message::{Command, PreparedStatement, Reply};
use crate::workload::units::{Unit, Units};
use crate::workload::{Next, Outcome, Workload};

use super::{Came, Item, Recording};

/// What one connection is doing.
#[derive(Debug, Default)]
struct Lane {
    /// Statements that were begun.
    begun: usize,
    /// Whether what is sent at the beginning of a session was sent.
    ready: bool,
    /// The transaction that was lost with its connection.
    broken: Option<u32>,
}

pub(super) struct Worker {
    recording: Arc<Recording>,
    lanes: HashMap<usize, Lane>,
    /// What is under way: its connection, and whether it waits for the answer to what begins a session.
    units: Units<(usize, bool)>,
    came: Vec<Came>,
    /// By connection: what came of the statement begun last, until its times are known.
    last: HashMap<usize, Came>,
}

impl Worker {
    pub(super) fn new(recording: Arc<Recording>) -> Self {
        Self { recording, lanes: HashMap::new(), units: Units::new(), came: Vec::new(), last: HashMap::new() }
    }

    /// The statement of a connection that was begun last.
    fn item(&self, connection: usize) -> Option<&Item> {
        let begun = self.lanes.get(&connection)?.begun;
        self.recording.items.get(connection)?.get(begun.checked_sub(1)?)
    }

    /// A unit that is done when it begins.
    fn over(&mut self, connection: usize) -> Unit {
        let unit = self.units.begin((connection, false));
        self.units.take(&unit);
        unit
    }

    fn note(&mut self, connection: usize, reply: Option<&Reply<'_>>, code: &str) {
        if !self.recording.keep {
            return;
        }
        let Some(item) = self.item(connection) else { return };
        let rows = reply.and_then(|reply| match reply {
            Reply::Rows(rows) => Some(rows.count() as u64),
            Reply::Count(count) => Some(*count),
            Reply::Error { .. } => None,
            Reply::Nil | Reply::Bytes(_) => Some(1),
        });
        let kept = reply.filter(|_| item.keep).map(|reply| {
            let types = if let Reply::Rows(rows) = reply { rows.types() } else { &[] };
            answer(reply, types, self.recording.answer_bytes)
        });
        let came = Came { number: item.number, sent: 0, done: 0, rows, code: code.to_owned(), answer: kept };
        self.last.insert(connection, came);
    }
}

impl Workload for Worker {
    fn operations(&self) -> &[String] {
        &self.recording.operations
    }

    fn statements(&self) -> &[PreparedStatement] {
        &[]
    }

    fn begin(&mut self, connection: usize) -> (usize, Unit, Next) {
        let recording = Arc::clone(&self.recording);
        let lane = self.lanes.entry(connection).or_default();
        let first = lane.begun == 0
            || recording.items[connection].get(lane.begun - 1).is_none_or(|before| before.last);
        lane.begun += 1;
        let Some(item) = recording.items.get(connection).and_then(|own| own.get(lane.begun - 1)) else {
            let unit = self.over(connection);
            return (0, unit, Next::Done(Outcome::Failed("a moment without a statement".into())));
        };
        if first {
            lane.broken = None;
        }
        if lane.broken == Some(item.group) {
            let unit = self.over(connection);
            self.note(connection, None, "lost");
            let why = "not sent: its transaction was lost with its connection";
            return (item.operation, unit, Next::Done(Outcome::Failed(why.into())));
        }
        let opening = if !lane.ready {
            recording.begin.as_ref()
        } else if item.reset {
            recording.reset.as_ref()
        } else {
            None
        };
        lane.ready = true;
        let unit = self.units.begin((connection, opening.is_some()));
        let command = opening.map_or_else(|| item.command.clone(), |text| Command::Simple(text.clone()));
        (item.operation, unit, Next::Send(command))
    }

    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>, _open: bool) -> Next {
        let Some((connection, opening)) = self.units.take(unit) else { return Next::unknown_unit() };
        if opening && !matches!(reply, Reply::Error { .. }) {
            let Some(command) = self.item(connection).map(|item| item.command.clone()) else {
                return Next::unknown_unit();
            };
            self.units.keep(unit, (connection, false));
            return Next::Send(command);
        }
        if let Reply::Error { code, text } = reply {
            self.note(connection, Some(reply), code);
            return Next::Done(Outcome::Failed(format!("{text} ({code})")));
        }
        self.note(connection, Some(reply), "");
        Next::Done(Outcome::Right { verified: 0 })
    }

    fn wake(&mut self, _unit: &Unit) -> Next {
        Next::unknown_unit()
    }

    fn keeps_block(&self, connection: usize) -> bool {
        self.item(connection).is_some_and(|item| !item.last)
    }

    fn disconnected(&mut self, connection: usize) {
        let group = self.item(connection).filter(|item| !item.last).map(|item| item.group);
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.broken = group;
            lane.ready = false;
        }
    }

    fn timed(&mut self, connection: usize, sent: u64, done: u64) {
        if let Some(came) = self.last.remove(&connection) {
            self.came.push(Came { sent, done, ..came });
        }
    }

    fn lost(&mut self, unit: Unit) {
        if let Some((connection, _)) = self.units.take(&unit) {
            self.note(connection, None, "lost");
        }
    }

    fn finish(self: Box<Self>) {
        self.recording.came.lock().unwrap_or_else(PoisonError::into_inner).extend(self.came);
    }
}
