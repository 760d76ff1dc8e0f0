//! Reading back every row, and comparing it with what was acknowledged.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::workload::durability::{Account, Examiner, unreadable};
use crate::workload::message::{Command, Reply, Rows as Answer};

use super::Ycsb;
use super::commands::{Commands, Store};

/// Rows that are asked for at once, at most, where they are short.
const PAGE: usize = 500;
/// An answer that came within this is followed by a question for twice as many rows; one that took longer than
/// [`SLOW`], for half as many. Whoever is honest and slow over each row would else not answer within any patience.
const QUICK: Duration = Duration::from_millis(250);
const SLOW: Duration = Duration::from_secs(1);

/// All rows of a run, in the order of their names where the store has one, or else of their numbers.
pub(super) struct Rows {
    shared: Arc<Ycsb>,
    commands: Commands,
    /// All keys that were loaded, or of which an insert was begun.
    keys: Vec<u64>,
    /// Those up to here were compared.
    at: usize,
    /// Of a key-value store, those that are being read.
    asked: Range<usize>,
    /// The name of the last row that a relational store showed.
    last: Option<String>,
    over: bool,
    /// Rows that are asked for at once: now, and at most.
    page: usize,
    widest: usize,
    /// When they were asked for.
    begun: Instant,
    account: Account,
}

/// How many rows are asked for next, by how long the answer took to a question for so many.
fn paced(page: usize, widest: usize, took: Duration) -> usize {
    match took {
        took if took <= QUICK => (2 * page).min(widest),
        took if took > SLOW => (page / 2).max(1),
        _ => page,
    }
}

impl Rows {
    pub(super) fn new(shared: Arc<Ycsb>) -> Self {
        let (names, core) = (shared.names, &shared.settings.core);
        let commands = Commands::new(shared.settings.store, names, core);
        let widest = core.rows_of_an_answer().clamp(1, PAGE);
        let mut keys: Vec<u64> = (0..shared.keys.count()).collect();
        if shared.settings.store == Store::Sql {
            keys.sort_unstable_by_key(|key| names.rank(*key));
        }
        let account = Account::of("writes");
        Self {
            shared,
            commands,
            keys,
            at: 0,
            asked: 0..0,
            last: None,
            over: false,
            page: 1,
            widest,
            begun: Instant::now(),
            account,
        }
    }

    fn name(&self, key: u64) -> Vec<u8> {
        self.shared.names.name(key)
    }

    /// Rows of a relational store.
    fn page(&mut self, rows: &Answer<'_>) -> Result<(), (String, String)> {
        for row in 0..rows.count() {
            let name = rows.get(row, 0).and_then(|name| std::str::from_utf8(name).ok());
            let plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            let Some(name) = name.filter(plain) else {
                return Err((String::new(), "a row has a key that nobody wrote".to_owned()));
            };
            while let Some(key) = self.keys.get(self.at).copied()
                && self.name(key).as_slice() < name.as_bytes()
            {
                self.absent(key);
                self.at += 1;
            }
            match self.keys.get(self.at).copied() {
                Some(key) if self.name(key) == name.as_bytes() => {
                    self.present(key, rows, row, 1);
                    self.at += 1;
                }
                _ => {
                    self.account.strange += 1;
                    self.account.say(|| format!("{name} is there, which nobody wrote"));
                }
            }
            self.last = Some(name.to_owned());
        }
        if rows.count() < self.page {
            self.over = true;
            for at in self.at..self.keys.len() {
                self.absent(self.keys[at]);
            }
        }
        Ok(())
    }

    /// Whether the row of a key need not be there.
    fn is_uncertain(&self, key: u64) -> bool {
        key >= self.shared.settings.records && self.shared.keys.is_uncertain(key)
    }

    /// There is no row of this key.
    fn absent(&mut self, key: u64) {
        let inserted = key >= self.shared.settings.records;
        if self.is_uncertain(key) {
            self.account.unanswered += 1;
            return;
        }
        let core = &self.shared.settings.core;
        let shown = vec![Some(0); if core.write_all { 1 } else { core.fields as usize }];
        let kept = self.shared.expected.take_stock(key, &shown);
        self.account.missing += 1;
        self.account.acknowledged += kept.acknowledged + u64::from(inserted);
        self.account.lost += kept.lost.len() as u64 + u64::from(inserted);
        self.account.unanswered += kept.unanswered;
        let name = self.name(key);
        self.account.say(|| format!("{} is gone", String::from_utf8_lossy(&name)));
        // Those that were loaded are asked for still: there may be no others.
        if inserted {
            self.shared.keys.lose(key);
            if let Some(order) = &self.shared.order {
                order.remove(key);
            }
        }
    }

    /// Compares a row, whose fields are in order from `column` on, or follow their names.
    fn present(&mut self, key: u64, rows: &Answer<'_>, row: usize, column: usize) {
        let name = self.name(key);
        let name = || String::from_utf8_lossy(&name).into_owned();
        self.account.rows += 1;
        let uncertain = self.is_uncertain(key);
        let inserted = key >= self.shared.settings.records;
        let shown = match self.versions(key, rows, row, column) {
            Ok(shown) => shown,
            Err(wrong) => {
                self.account.torn += 1;
                self.account.say(|| format!("{} {wrong}", name()));
                return;
            }
        };
        if uncertain {
            self.account.unanswered += 1;
            self.account.found += 1;
            return;
        }
        let kept = self.shared.expected.take_stock(key, &shown);
        self.account.acknowledged += kept.acknowledged + u64::from(inserted);
        self.account.lost += kept.lost.len() as u64;
        self.account.unanswered += kept.unanswered;
        self.account.found += kept.found;
        if let (Some(first), Some(last)) = (kept.lost.first(), kept.lost.last()) {
            self.account.say(|| {
                let versions = if first == last { first.to_string() } else { format!("{first} to {last}") };
                format!("{} has lost version {versions} of its writes, which were acknowledged", name())
            });
        }
        if let Some(version) = kept.unwritten.first() {
            self.account.torn += 1;
            self.account.say(|| format!("{} shows version {version}, which was not written there", name()));
        }
    }

    /// The version of each field.
    fn versions(
        &self,
        key: u64,
        rows: &Answer<'_>,
        row: usize,
        column: usize,
    ) -> Result<Vec<Option<u32>>, String> {
        let fields = self.shared.settings.core.fields as usize;
        let named = !self.shared.settings.store.has_columns();
        let wide = if named { 2 * fields } else { column + fields };
        if rows.width(row) != wide {
            return Err(format!("has {} values where {wide} were written", rows.width(row)));
        }
        let mut shown = vec![None; fields];
        for at in 0..fields {
            let (field, value) = if named {
                let name = rows.get(row, 2 * at).and_then(|name| self.commands.field(name));
                (name.ok_or("has a field that nobody wrote")?, rows.get(row, 2 * at + 1))
            } else {
                (u32::try_from(at).unwrap_or(u32::MAX), rows.get(row, column + at))
            };
            let version = self
                .shared
                .values
                .read(key, field, value.unwrap_or_default())
                .map_err(|wrong| format!("in field {field} {wrong}"))?;
            shown[field as usize] = Some(version);
        }
        if self.shared.settings.core.write_all {
            let torn = shown.iter().any(|version| *version != shown[0]);
            // Its versions are those of its first field.
            return if torn {
                Err("shows several versions, and is always written whole".into())
            } else {
                Ok(vec![shown[0]])
            };
        }
        Ok(shown)
    }
}

impl Examiner for Rows {
    fn next(&mut self) -> Option<Command> {
        if self.over {
            return None;
        }
        self.begun = Instant::now();
        if self.shared.settings.store == Store::Sql {
            return Some(self.commands.page(self.last.as_deref(), self.page));
        }
        self.asked = self.at..(self.at + self.page).min(self.keys.len());
        let names: Vec<Vec<u8>> = self.asked.clone().map(|at| self.name(self.keys[at])).collect();
        (!names.is_empty()).then(|| self.commands.fetch(&names, None))
    }

    fn reply(&mut self, reply: &Reply<'_>) -> Result<(), (String, String)> {
        let took = self.begun.elapsed();
        let Reply::Rows(rows) = reply else { return Err(unreadable(reply)) };
        if self.shared.settings.store == Store::Sql {
            self.page(rows)?;
            self.page = paced(self.page, self.widest, took);
            return Ok(());
        }
        if rows.count() != self.asked.len() {
            return Err(unreadable(reply));
        }
        for (row, at) in self.asked.clone().enumerate() {
            let key = self.keys[at];
            if rows.width(row) == 0 {
                self.absent(key);
            } else {
                self.present(key, rows, row, 0);
            }
        }
        self.at = self.asked.end;
        self.page = paced(self.page, self.widest, took);
        Ok(())
    }

    fn account(self: Box<Self>) -> Account {
        self.account
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long the answers take of a server that takes so long over each row, and how many rows are asked for at last.
    fn answers(of_a_row: Duration) -> (Duration, usize) {
        let (mut page, mut longest) = (1, Duration::ZERO);
        for _ in 0..50 {
            let took = of_a_row * u32::try_from(page).unwrap();
            longest = longest.max(took);
            page = paced(page, PAGE, took);
        }
        (longest, page)
    }

    #[test]
    fn a_server_that_is_slow_over_each_row_is_asked_for_few_at_once() {
        for milliseconds in [1, 10, 100, 400, 900, 20_000] {
            let of_a_row = Duration::from_millis(milliseconds);
            assert!(answers(of_a_row).0 <= SLOW.max(of_a_row), "{milliseconds} ms");
        }
        assert_eq!(answers(Duration::from_micros(50)).1, PAGE);
    }
}
