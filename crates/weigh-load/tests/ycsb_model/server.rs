//! A store in memory that speaks what YCSB speaks, and gives wrong answers when it is asked to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use weigh_load::TargetKind;
use weigh_load::random::Random;
use weigh_load::workload::message::{Bulk, Command, Parameter, PreparedStatement, Reply, Rows};
use weigh_load::workload::ycsb::Ycsb;
use weigh_load::workload::{Next, Source, Unit, Workload};

use crate::FIELDS;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lie {
    None,
    /// Acknowledges a write and forgets it.
    LostWrite,
    /// Writes a part of the fields that a write has.
    TornWrite,
    /// Answers with a row as it was before its last write.
    StaleRead,
    /// Answers with the row of another key.
    ForeignRow,
    /// Answers that there is no such row.
    MissingRow,
    /// Answers with a byte changed.
    DamagedByte,
    /// Leaves a row out of a scan.
    HoledScan,
    /// Gives the first two rows of a scan in the wrong order.
    UnorderedScan,
}

pub(crate) type Row = Vec<Vec<u8>>;

#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Rows(Vec<Row>),
    Count(u64),
    Error,
}

impl Answer {
    pub(crate) fn hand_to(&self, workload: &mut dyn Workload, unit: &Unit) -> Next {
        self.reply(|reply| workload.reply(unit, reply, false))
    }

    /// The answer as the generator reads it.
    pub(crate) fn reply<T>(&self, take: impl FnOnce(&Reply<'_>) -> T) -> T {
        let rows = match self {
            Self::Count(count) => return take(&Reply::Count(*count)),
            Self::Error => return take(&Reply::Error { code: "57014", text: "canceled" }),
            Self::Rows(rows) => rows,
        };
        let (mut bytes, mut cells, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for row in rows {
            for value in row {
                let begin = u32::try_from(bytes.len()).unwrap();
                bytes.extend_from_slice(value);
                cells.push(Some(begin..u32::try_from(bytes.len()).unwrap()));
            }
            ends.push(cells.len());
        }
        take(&Reply::Rows(Rows::new(&[], &bytes, &cells, &ends)))
    }
}

/// One field of a row, or all.
fn shown(row: &Row, asked: Option<usize>) -> Row {
    asked.map_or_else(|| row.clone(), |field| vec![row[field].clone()])
}

/// One table, or the hashes and the sorted set of a key-value store.
pub(crate) struct Server {
    statements: Vec<PreparedStatement>,
    /// The names of the fields, before their numbers.
    prefix: String,
    rows: BTreeMap<Vec<u8>, Row>,
    /// Rows as they were before their last write.
    before: BTreeMap<Vec<u8>, Row>,
    index: BTreeSet<Vec<u8>>,
    lie: Lie,
    random: Random,
    pub(crate) lies: u64,
    /// The row before each write, in order.
    log: Vec<(Vec<u8>, Option<Row>)>,
}

impl Server {
    pub(crate) fn loaded(source: &Arc<Ycsb>, lie: Lie, seed: u64) -> Self {
        let mut server = Self {
            statements: source.worker(0).statements().to_vec(),
            prefix: source.field_prefix().to_owned(),
            rows: BTreeMap::new(),
            before: BTreeMap::new(),
            index: BTreeSet::new(),
            lie,
            random: Random::new(seed),
            lies: 0,
            log: Vec::new(),
        };
        // A key-value store makes no difference between kinds, and SQL is COPY's here.
        let kind = TargetKind::Postgres;
        match source.bulk(kind).unwrap() {
            Bulk::Sql { copies, .. } => {
                for chunk in copies.into_iter().flat_map(|(_, chunks)| chunks) {
                    for line in String::from_utf8(chunk.bytes).unwrap().lines() {
                        let mut cells = line.split('\t').map(|cell| cell.as_bytes().to_vec());
                        server.rows.insert(cells.next().unwrap(), cells.collect());
                    }
                }
            }
            Bulk::File(_) | Bulk::Parallel { .. } => panic!("YCSB is loaded over one connection"),
            Bulk::Keyed { chunks, .. } => {
                for chunk in chunks {
                    // Every second line is a word; a line with a star begins a command.
                    let text = String::from_utf8(chunk.bytes).unwrap();
                    for command in text.split('*').skip(1) {
                        let words = command.split("\r\n").skip(2).step_by(2);
                        server.keyed(&words.map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>());
                    }
                }
            }
        }
        server.log.clear();
        server
    }

    /// It dies and comes back without its last writes.
    pub(crate) fn crash(&mut self, without: usize) {
        for (key, row) in self.log.drain(self.log.len().saturating_sub(without)..).rev() {
            if let Some(row) = row {
                self.rows.insert(key, row);
            } else {
                // The index of a key-value store is written after the row.
                self.index.remove(key.strip_prefix(b"weigh:").unwrap_or(&key));
                self.rows.remove(&key);
            }
        }
    }

    /// It forgets everything.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
    }

    /// Changes a byte of a row.
    pub(crate) fn damage(&mut self) {
        let row = self.rows.values_mut().next().unwrap();
        row[0][20] ^= 1;
    }

    fn lying(&mut self, lie: Lie) -> bool {
        // Writes are few in some workloads.
        let one_in = if lie == Lie::LostWrite { 8 } else { 40 };
        let lying = self.lie == lie && self.random.below(one_in) == 0;
        self.lies += u64::from(lying);
        lying
    }

    pub(crate) fn execute(&mut self, command: &Command) -> Answer {
        match command {
            Command::Prepared { statement, values } => self.prepared(*statement, values),
            Command::Keyed(words) => self.keyed(words),
            Command::Batch(commands) => Answer::Rows(
                commands
                    .iter()
                    .map(|words| match self.keyed(words) {
                        Answer::Rows(mut rows) => rows.pop().unwrap_or_default(),
                        Answer::Count(count) => vec![count.to_string().into_bytes()],
                        Answer::Error => panic!(),
                    })
                    .collect(),
            ),
            Command::Simple(text) => self.page(text),
            Command::Unnamed { .. } => unreachable!("YCSB's statements are prepared"),
        }
    }

    /// Rows in the order of their keys, after one of them.
    fn page(&self, text: &str) -> Answer {
        let after = text.split('\'').nth(1).unwrap_or_default().as_bytes().to_vec();
        let limit: usize = text.rsplit(' ').next().unwrap().parse().unwrap();
        let rows = self.rows.range((Bound::Excluded(after), Bound::Unbounded)).take(limit);
        Answer::Rows(rows.map(|(key, row)| [vec![key.clone()], row.clone()].concat()).collect())
    }

    fn prepared(&mut self, statement: usize, values: &[Parameter]) -> Answer {
        let text = self.statements[statement].text.clone();
        let bytes = |at: usize| match &values[at] {
            Parameter::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        let asked = self.asked(text.split(" FROM ").next().unwrap());
        if text.starts_with("SELECT ycsb_key") {
            let Parameter::Int(limit) = values[1] else { panic!() };
            let rows = self.rows.range(bytes(0)..).take(usize::try_from(limit).unwrap());
            let rows = rows.map(|(key, row)| [vec![key.clone()], shown(row, asked)].concat()).collect();
            return Answer::Rows(self.twisted(rows));
        }
        if text.starts_with("SELECT") {
            return Answer::Rows(self.read(&bytes(0)).map(|row| shown(&row, asked)).into_iter().collect());
        }
        if text.starts_with("INSERT") {
            let key = bytes(0);
            assert!(!self.rows.contains_key(&key), "a key is inserted once");
            if !self.lying(Lie::LostWrite) {
                self.log.push((key.clone(), None));
                self.rows.insert(key, (1..values.len()).map(bytes).collect());
            }
            return Answer::Count(1);
        }
        let key = bytes(values.len() - 1);
        let fields: Vec<usize> = if values.len() > 2 {
            (0..values.len() - 1).collect()
        } else {
            vec![self.asked(text.split(" = ").next().unwrap()).unwrap()]
        };
        let written = self.write(&key, &fields, (0..values.len() - 1).map(bytes).collect());
        Answer::Count(u64::from(written))
    }

    /// The field that a piece of a statement names, if it is one alone.
    fn asked(&self, text: &str) -> Option<usize> {
        let mut names =
            text.split([' ', ',']).filter_map(|word| word.strip_prefix(&self.prefix)?.parse().ok());
        let first = names.next();
        first.filter(|_| names.next().is_none())
    }

    fn keyed(&mut self, words: &[Vec<u8>]) -> Answer {
        match words[0].as_slice() {
            b"HGETALL" => {
                let row = self.read(&words[1]).unwrap_or_default();
                let named = (0..)
                    .zip(row)
                    .flat_map(|(field, value)| [format!("{}{field}", self.prefix).into_bytes(), value]);
                Answer::Rows(vec![named.collect()])
            }
            b"HMGET" => {
                let field = self.asked(std::str::from_utf8(&words[2]).unwrap()).unwrap();
                // A NULL where there is no row, which the answer of this store cannot say: no value.
                Answer::Rows(vec![self.read(&words[1]).map_or(vec![], |row| vec![row[field].clone()])])
            }
            b"HSET" if self.rows.contains_key(&words[1]) || words.len() == 4 => {
                let name = |pair: &[Vec<u8>]| self.asked(std::str::from_utf8(&pair[0]).unwrap()).unwrap();
                let fields: Vec<usize> = words[2..].chunks(2).map(name).collect();
                let values = words[2..].chunks(2).map(|pair| pair[1].clone()).collect();
                let there = self.write(&words[1], &fields, values);
                Answer::Count(u64::from(!there))
            }
            b"HSET" => {
                let row = words[2..].chunks(2).map(|pair| pair[1].clone()).collect();
                if !self.lying(Lie::LostWrite) {
                    self.log.push((words[1].clone(), self.rows.get(&words[1]).cloned()));
                    self.rows.insert(words[1].clone(), row);
                }
                Answer::Count(u64::from(FIELDS))
            }
            b"ZADD" => {
                self.index.insert(words[3].clone());
                Answer::Count(1)
            }
            b"ZRANGEBYLEX" => {
                let limit: usize = String::from_utf8(words[6].clone()).unwrap().parse().unwrap();
                let names = self.index.iter().filter(|name| name[..] >= words[2][1..]).take(limit);
                let names: Vec<Row> = names.map(|name| vec![name.clone()]).collect();
                Answer::Rows(vec![self.twisted(names).concat()])
            }
            other => panic!("{other:?}"),
        }
    }

    fn read(&mut self, key: &[u8]) -> Option<Row> {
        if self.lying(Lie::MissingRow) {
            return None;
        }
        if self.lying(Lie::StaleRead)
            && let Some(row) = self.before.get(key)
        {
            return Some(row.clone());
        }
        if self.lying(Lie::ForeignRow) {
            return self.rows.iter().find(|(other, _)| *other != key).map(|(_, row)| row.clone());
        }
        let mut row = self.rows.get(key).cloned()?;
        if self.lying(Lie::DamagedByte) {
            let field = usize::try_from(self.random.below(u64::from(FIELDS))).unwrap();
            let at = self.random.below(row[field].len() as u64);
            row[field][usize::try_from(at).unwrap()] ^= 1;
        }
        Some(row)
    }

    fn write(&mut self, key: &[u8], fields: &[usize], values: Vec<Vec<u8>>) -> bool {
        let Some(row) = self.rows.get(key).cloned() else { return false };
        if !self.lying(Lie::LostWrite) {
            self.log.push((key.to_vec(), Some(row.clone())));
            self.before.insert(key.to_vec(), row.clone());
            let torn = self.lying(Lie::TornWrite);
            for (field, value) in fields.iter().zip(values).take(if torn { 1 } else { fields.len() }) {
                self.rows.get_mut(key).unwrap()[*field] = value;
            }
        }
        true
    }

    fn twisted(&mut self, mut rows: Vec<Row>) -> Vec<Row> {
        if rows.len() > 2 {
            if self.lying(Lie::HoledScan) {
                rows.remove(1);
            } else if self.lying(Lie::UnorderedScan) {
                rows.swap(0, 1);
            }
        }
        rows
    }
}
