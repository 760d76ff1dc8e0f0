//! One thread's share of a YCSB run.

use std::sync::Arc;

use crate::random::Random;
use crate::workload::message::{Command, PreparedStatement, Reply, Rows};
use crate::workload::units::{Unit, Units};
use crate::workload::{Next, Outcome, Workload};

use super::commands::{Commands, Store};
use super::expected_values::{Stale, View};
use super::key_distribution::KeyChooser;
use super::key_names::Rank;
use super::step::{Scan, Step, unlike};
use super::value::Values;
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
            if self.shared.keys.exists(key) {
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

    /// Checks a row: the one field that was asked for, or all of them, which are in order from `column` on, or follow
    /// their names.
    fn check(
        &mut self,
        key: u64,
        view: &View,
        asked: Option<u32>,
        rows: &Rows<'_>,
        row: usize,
        column: usize,
    ) -> Result<(), String> {
        let core = &self.shared.settings.core;
        let (fields, write_all) = (core.fields as usize, core.write_all);
        let named = asked.is_none() && self.shared.settings.store != Store::Sql;
        let shown = if asked.is_some() { 1 } else { fields };
        let column = if self.shared.settings.store == Store::Sql { column } else { 0 };
        let wide = if named { 2 * shown } else { column + shown };
        let name = || String::from_utf8_lossy(&self.shared.names.name(key)).into_owned();
        let place = |field: u32| format!("field {field} of {}", name());
        if rows.width(row) != wide {
            return Err(format!("{} has {} values where {wide} were written", name(), rows.width(row)));
        }
        self.seen.clear();
        self.seen.resize(fields, false);
        let mut first: Option<u32> = None;
        for at in 0..shown {
            let (field, value) = if named {
                let name = rows.get(row, 2 * at).and_then(|name| self.commands.field(name));
                (
                    name.ok_or_else(|| format!("an unknown field of key number {key}"))?,
                    rows.get(row, 2 * at + 1),
                )
            } else {
                let field = asked.unwrap_or_else(|| u32::try_from(at).unwrap_or(u32::MAX));
                (field, rows.get(row, column + at))
            };
            if std::mem::replace(&mut self.seen[field as usize], true) {
                return Err(format!("{} shows twice", place(field)));
            }
            let value = value.ok_or_else(|| format!("{} is empty", place(field)))?;
            let version = self
                .shared
                .values
                .read(key, field, value)
                .map_err(|wrong| format!("{} {wrong}", place(field)))?;
            if write_all && *first.get_or_insert(version) != version {
                return Err(format!(
                    "{} shows versions {} and {version} at once, and every write was of all its fields: a torn row",
                    name(),
                    first.unwrap_or(0)
                ));
            }
            // Versions of a row that is written whole are those of its first field.
            let versioned = if write_all { 0 } else { field };
            self.shared.expected.check(key, versioned, version, view).map_err(|stale| match stale {
                Stale::Unwritten => {
                    format!("{} shows version {version}, which was not written", place(field))
                }
                Stale::Replaced { by } => format!(
                    "{} shows version {version} after version {by} or a later one was acknowledged: \
                     a lost update or a stale read",
                    place(field)
                ),
            })?;
        }
        Ok(())
    }

    fn read(
        &mut self,
        key: u64,
        view: &View,
        field: Option<u32>,
        modify: bool,
        reply: &Reply<'_>,
    ) -> Result<(Step, Command), Outcome> {
        let rows = match reply {
            // A key-value store has a NULL for the field of a row that is not there.
            Reply::Rows(rows) if rows.count() == 1 && rows.width(0) > 0 && !self.absent(rows, 0, field) => {
                rows
            }
            Reply::Rows(rows) if rows.count() > 1 => {
                return Err(Outcome::Wrong(format!(
                    "{} rows of {}",
                    rows.count(),
                    String::from_utf8_lossy(&self.shared.names.name(key))
                )));
            }
            Reply::Rows(_) | Reply::Count(0) | Reply::Nil => return Err(Outcome::Missing),
            other => return Err(unlike(other)),
        };
        self.check(key, view, field, rows, 0, 0).map_err(Outcome::Wrong)?;
        if modify { Ok(self.write(key, 1)) } else { Err(Outcome::Right { verified: 1 }) }
    }

    /// Whether a row is one that a key-value store does not have.
    fn absent(&self, rows: &Rows<'_>, row: usize, field: Option<u32>) -> bool {
        self.shared.settings.store != Store::Sql && field.is_some() && rows.get(row, 0).is_none()
    }

    fn written(&mut self, key: u64, version: u32, verified: u64, reply: &Reply<'_>) -> Outcome {
        let Reply::Count(count) = reply else {
            self.shared.expected.lose(key, version);
            return unlike(reply);
        };
        // SQL counts the rows that it changed, HSET the fields that were not there.
        let there = match self.shared.settings.store {
            Store::Sql => *count == 1,
            Store::KeyValue { .. } => *count == 0,
        };
        if there {
            self.shared.expected.acknowledge(key, version);
            Outcome::Right { verified }
        } else {
            self.shared.expected.lose(key, version);
            Outcome::Missing
        }
    }

    fn inserted(&mut self, key: u64, reply: &Reply<'_>) -> Outcome {
        let done = match (self.shared.settings.store, reply) {
            (Store::Sql, Reply::Count(count)) => *count == 1,
            // A row of an earlier run may have had the key: its fields are overwritten.
            (Store::KeyValue { .. }, Reply::Count(_) | Reply::Rows(_)) => true,
            _ => false,
        };
        if done && let Some(order) = &self.shared.order {
            order.add(key);
        }
        self.shared.keys.answer(key, done);
        match reply {
            _ if done => Outcome::Right { verified: 0 },
            Reply::Count(count) => Outcome::Wrong(format!("an insert of one row counted {count}")),
            other => unlike(other),
        }
    }

    /// Rows of a scan: `names` gives their keys where the rows do not.
    fn scanned(&mut self, scan: Scan, names: Option<&[Vec<u8>]>, rows: &Rows<'_>) -> Outcome {
        let column = usize::from(names.is_none());
        let mut shown: Vec<Rank> = Vec::with_capacity(rows.count());
        let settled = View::as_loaded();
        for row in 0..rows.count() {
            let name = match names {
                Some(names) => names.get(row).map(Vec::as_slice),
                None => rows.get(row, 0),
            };
            let name = name.unwrap_or(b"");
            // The row says whose it is; whether that is true is seen by the name.
            let alone = scan.field.is_some() && names.is_some();
            let value = rows.get(row, usize::from(!alone));
            let key = value.and_then(Values::key);
            let text = || String::from_utf8_lossy(name).into_owned();
            let Some(key) = key.filter(|key| self.shared.names.name(*key) == name) else {
                return Outcome::Wrong(format!(
                    "the row of {:?} in a scan is not the one that was written",
                    text()
                ));
            };
            if !self.shared.keys.begun(key) {
                return Outcome::Wrong(format!("a scan shows {}, which was not inserted", text()));
            }
            if let Err(wrong) = self.check(key, &settled, scan.field, rows, row, column) {
                return Outcome::Wrong(wrong);
            }
            shown.push(self.shared.names.rank(key));
        }
        let start = self.shared.names.rank(scan.start);
        if !shown.is_sorted_by(|a, b| a < b) || shown.first().is_some_and(|first| *first < start) {
            return Outcome::Wrong(
                "a scan is not in the order of its keys, or begins before its start".into(),
            );
        }
        let count = shown.len() as u64;
        if count > scan.length {
            return Outcome::Wrong(format!("a scan of {} rows shows {count}", scan.length));
        }
        let whole = count == scan.length;
        let missing =
            self.shared.order.as_ref().map_or(0, |order| order.missing(start, &shown, whole, scan.began));
        if missing > 0 {
            return Outcome::Wrong(format!("a scan leaves out {missing} rows that had been written"));
        }
        Outcome::Right { verified: count }
    }

    fn scan(&mut self, scan: Scan, reply: &Reply<'_>) -> Result<(Step, Command), Outcome> {
        let rows = match reply {
            Reply::Rows(rows) => *rows,
            // No rows, though the start exists.
            Reply::Count(0) | Reply::Nil => return Err(Outcome::Missing),
            other => return Err(unlike(other)),
        };
        if self.shared.settings.store == Store::Sql {
            return Err(self.scanned(scan, None, &rows));
        }
        let names: Vec<Vec<u8>> =
            (0..rows.width(0)).filter_map(|at| rows.get(0, at)).map(<[u8]>::to_vec).collect();
        if names.is_empty() {
            return Err(Outcome::Missing);
        }
        let command = self.commands.fetch(&names, scan.field);
        Ok((Step::Fetch { scan, names }, command))
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
