//! One thread's share of a YCSB run.

mod replies;

use std::sync::Arc;

use crate::random::Random;
use crate::workload::message::{Command, PreparedStatement, Reply};
use crate::workload::units::{Unit, Units};
use crate::workload::{Next, Workload};

use super::commands::Commands;
use super::key_distribution::KeyChooser;
use super::step::{Scan, Step, unlike};
use super::{Kind, Ycsb};

#[derive(Debug)]
pub(crate) struct Worker {
    shared: Arc<Ycsb>,
    random: Random,
    chooser: KeyChooser,
    commands: Commands,
    operations: Vec<String>,
    /// What they are, each with the share of all up to it.
    kinds: Vec<(Kind, f64)>,
    statements: Vec<PreparedStatement>,
    /// Fields of the row at hand that were seen.
    seen: Vec<bool>,
    steps: Units<Step>,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Ycsb>, thread: usize) -> Self {
        let settings = &shared.settings;
        let commands = Commands::new(settings.store, shared.names, &settings.core);
        let kinds = settings.core.operations();
        Self {
            random: Random::stream(settings.seed, thread),
            chooser: KeyChooser::new(settings.core.requests, settings.records, settings.expected_inserts),
            statements: commands.statements(),
            operations: kinds.iter().map(|(kind, _)| kind.name().into()).collect(),
            kinds,
            commands,
            seen: Vec::new(),
            steps: Units::new(),
            shared,
        }
    }

    fn kind(&mut self) -> (usize, Kind) {
        let last = self.kinds.len() - 1;
        let number = if last == 0 {
            0
        } else {
            let drawn = self.random.unit();
            self.kinds.partition_point(|(_, up_to)| *up_to <= drawn).min(last)
        };
        (number, self.kinds[number].0)
    }

    /// The number of a key that exists.
    fn key(&mut self) -> u64 {
        loop {
            let key = self.chooser.draw(self.shared.keys.answered(), &self.shared.sequence, &mut self.random);
            if self.shared.own.has(key) && self.shared.keys.exists(key) {
                return key;
            }
        }
    }

    /// The name of a key.
    pub(super) fn name(&self, key: u64) -> Vec<u8> {
        self.shared.names.name(key)
    }

    /// Begins to read a key, whoever draws it.
    pub(super) fn begin_read(&mut self, key: u64) -> (Unit, Command) {
        let view = self.shared.expected.view(key);
        let step = Step::Read { key, view, modify: false, field: None };
        (self.steps.begin(step), self.commands.read(key, None))
    }

    fn scan_length(&mut self) -> u64 {
        self.shared.settings.core.scan_rows.draw(&mut self.random)
    }

    /// The field that is read; nothing for all.
    fn field(&mut self) -> Option<u32> {
        let core = &self.shared.settings.core;
        (!core.read_all).then(|| u32::try_from(self.random.below(u64::from(core.fields))).unwrap_or(0))
    }

    /// A key as [`keys`](super::keys) shows it.
    pub(crate) fn draw(&mut self) -> (u64, u64) {
        match self.kind().1 {
            Kind::Insert => {
                let key = self.shared.keys.take();
                self.shared.keys.answer(key, true);
                (key, 0)
            }
            Kind::Scan => {
                let key = self.key();
                (key, self.scan_length())
            }
            Kind::Read | Kind::Update | Kind::ReadModifyWrite => (self.key(), 1),
        }
    }

    fn write(&mut self, key: u64, verified: u64) -> (Step, Command) {
        let version = self.shared.expected.issue(key);
        let core = &self.shared.settings.core;
        let value = |field| (field, self.shared.values.make(key, field, version));
        let values = if core.write_all {
            (0..core.fields).map(value).collect()
        } else {
            vec![value(self.shared.expected.field(key, version))]
        };
        (Step::Write { key, version, verified }, self.commands.update(key, values))
    }

    fn first(&mut self, kind: Kind) -> (Step, Command) {
        match kind {
            Kind::Read | Kind::ReadModifyWrite => {
                let key = self.key();
                let view = self.shared.expected.view(key);
                let (modify, field) = (kind == Kind::ReadModifyWrite, self.field());
                (Step::Read { key, view, field, modify }, self.commands.read(key, field))
            }
            Kind::Update => {
                let key = self.key();
                self.write(key, 0)
            }
            Kind::Insert => {
                let key = self.shared.keys.take();
                let values =
                    (0..self.shared.settings.core.fields).map(|field| self.shared.values.make(key, field, 0));
                (Step::Insert { key }, self.commands.insert(key, values))
            }
            Kind::Scan => {
                let (start, length, field) = (self.key(), self.scan_length(), self.field());
                let began = self.shared.order.as_ref().map_or(0, super::KeyOrder::now);
                let scan = Scan { start, length, field, began };
                (Step::Scan { scan }, self.commands.scan(start, length, field))
            }
        }
    }
}

impl Workload for Worker {
    fn operations(&self) -> &[String] {
        &self.operations
    }

    fn statements(&self) -> &[PreparedStatement] {
        &self.statements
    }

    fn begin(&mut self, _connection: usize) -> (usize, Unit, Next) {
        let (operation, kind) = self.kind();
        let (step, command) = self.first(kind);
        (operation, self.steps.begin(step), Next::Send(command))
    }

    fn reply(&mut self, unit: &Unit, reply: &Reply<'_>, _open: bool) -> Next {
        let Some(step) = self.steps.take(unit) else { return Next::unknown_unit() };
        let next = match step {
            Step::Read { key, view, field, modify } => self.read(key, &view, field, modify, reply),
            Step::Write { key, version, verified } => Err(self.written(key, version, verified, reply)),
            Step::Insert { key } => Err(self.inserted(key, reply)),
            Step::Scan { scan } => self.scan(scan, reply),
            Step::Fetch { scan, names } => Err(match reply {
                Reply::Rows(rows) if rows.count() == names.len() => self.scanned(scan, Some(&names), rows),
                other => unlike(other),
            }),
        };
        match next {
            Ok((next, command)) => {
                self.steps.keep(unit, next);
                Next::Send(command)
            }
            Err(outcome) => Next::Done(outcome),
        }
    }

    fn wake(&mut self, unit: &Unit) -> Next {
        // No step sleeps.
        self.steps.take(unit);
        Next::unknown_unit()
    }

    fn lost(&mut self, unit: Unit) {
        match self.steps.take(&unit) {
            Some(Step::Write { key, version, .. }) => self.shared.expected.lose(key, version),
            Some(Step::Insert { key }) => self.shared.keys.answer(key, false),
            _ => {}
        }
    }
}
