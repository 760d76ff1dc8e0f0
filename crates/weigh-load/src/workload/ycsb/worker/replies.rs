//! What a reply says: whether its rows are those that were written, and what comes next.

use crate::workload::Outcome;
use crate::workload::message::{Command, Reply, Rows};

use super::super::commands::Store;
use super::super::expected_values::{Stale, View};
use super::super::key_names::Rank;
use super::super::step::{Scan, Step, unlike};
use super::super::value::Values;
use super::Worker;

impl Worker {
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
        let named = asked.is_none() && !self.shared.settings.store.has_columns();
        let shown = if asked.is_some() { 1 } else { fields };
        let column = if self.shared.settings.store.has_columns() { column } else { 0 };
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

    pub(super) fn read(
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
        !self.shared.settings.store.has_columns() && field.is_some() && rows.get(row, 0).is_none()
    }

    pub(super) fn written(&mut self, key: u64, version: u32, verified: u64, reply: &Reply<'_>) -> Outcome {
        let Reply::Count(count) = reply else {
            self.shared.expected.lose(key, version);
            return unlike(reply);
        };
        // SQL counts the rows that it changed, HSET the fields that were not there.
        let there = match self.shared.settings.store {
            Store::Sql => *count == 1,
            Store::Cql => true,
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

    pub(super) fn inserted(&mut self, key: u64, reply: &Reply<'_>) -> Outcome {
        let done = match (self.shared.settings.store, reply) {
            (Store::Sql, Reply::Count(count)) => *count == 1,
            // A row of an earlier run may have had the key: its fields are overwritten.
            (Store::KeyValue { .. }, Reply::Count(_) | Reply::Rows(_)) | (Store::Cql, Reply::Count(_)) => {
                true
            }
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
    pub(super) fn scanned(&mut self, scan: Scan, names: Option<&[Vec<u8>]>, rows: &Rows<'_>) -> Outcome {
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

    pub(super) fn scan(&mut self, scan: Scan, reply: &Reply<'_>) -> Result<(Step, Command), Outcome> {
        let rows = match reply {
            Reply::Rows(rows) => *rows,
            // No rows, though the start exists.
            Reply::Count(0) | Reply::Nil => return Err(Outcome::Missing),
            other => return Err(unlike(other)),
        };
        if self.shared.settings.store.has_columns() {
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
