//! The commands of YCSB for the kinds of servers.

use crate::workload::message::{Command, Parameter, ParameterType, PreparedStatement};

use super::core_workload::CoreWorkload;
use super::key_names::KeyNames;

/// What kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// One table with a primary key.
    Sql,
    /// The same in CQL, which writes a row whether it is there or not, and counts none.
    Cql,
    /// A hash for each row.
    KeyValue {
        /// Beside the rows, a sorted set of their keys is kept, so that there is an order to scan in.
        ordered_index: bool,
    },
}

impl Store {
    /// Whether a row has its values in the order of its columns, and not behind their names.
    pub(crate) fn has_columns(self) -> bool {
        matches!(self, Self::Sql | Self::Cql)
    }
}

/// The table, which a load replaces.
pub(crate) const TABLE: &str = "weigh_ycsb";
/// The sorted set.
pub(crate) const INDEX: &[u8] = b"weigh:ycsb:keys";
/// Before the names of keys, so that no other row is overwritten.
const PREFIX: &[u8] = b"weigh:";

/// Makes commands.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    store: Store,
    names: KeyNames,
    prefix: String,
    fields: Vec<String>,
    /// Statements that read: one for all fields, or one for each.
    readings: usize,
    write_all: bool,
}

impl Commands {
    pub(crate) fn new(store: Store, names: KeyNames, core: &CoreWorkload) -> Self {
        let prefix = core.field_prefix.clone();
        let fields: Vec<String> = (0..core.fields).map(|field| format!("{prefix}{field}")).collect();
        let readings = if core.read_all { 1 } else { fields.len() };
        Self { store, names, prefix, fields, readings, write_all: core.write_all }
    }

    /// In the order reads, insert, scans, updates; CQL has no scans.
    pub(crate) fn statements(&self) -> Vec<PreparedStatement> {
        if !self.store.has_columns() {
            return Vec::new();
        }
        let statement = |text: String, parameters: usize| PreparedStatement {
            text,
            types: vec![ParameterType::Unknown; parameters],
            at: None,
        };
        let fields = self.fields.join(", ");
        let read = if self.readings == 1 { std::slice::from_ref(&fields) } else { &self.fields };
        let cells = 1 + self.fields.len();
        let values: Vec<String> = (1..=cells).map(|number| format!("${number}")).collect();
        let mut statements: Vec<PreparedStatement> = Vec::new();
        statements.extend(
            read.iter().map(|read| statement(format!("SELECT {read} FROM {TABLE} WHERE ycsb_key = $1"), 1)),
        );
        statements.push(statement(
            format!("INSERT INTO {TABLE} (ycsb_key, {fields}) VALUES ({})", values.join(", ")),
            cells,
        ));
        if self.store == Store::Sql {
            statements.extend(read.iter().map(|read| {
                let text = "WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2";
                statement(format!("SELECT ycsb_key, {read} FROM {TABLE} {text}"), 2)
            }));
        }
        if self.write_all {
            let changes: Vec<String> =
                self.fields.iter().zip(1..).map(|(field, number)| format!("{field} = ${number}")).collect();
            let text = format!("UPDATE {TABLE} SET {} WHERE ycsb_key = ${cells}", changes.join(", "));
            statements.push(statement(text, cells));
        } else {
            let update = |field| format!("UPDATE {TABLE} SET {field} = $1 WHERE ycsb_key = $2");
            statements.extend(self.fields.iter().map(|field| statement(update(field), 2)));
        }
        statements
    }

    /// A row: one of its fields, or all.
    pub(crate) fn read(&self, key: u64, field: Option<u32>) -> Command {
        let name = self.names.name(key);
        match self.store {
            Store::Sql | Store::Cql => {
                Command::Prepared { statement: place(field), values: vec![Parameter::Text(name)] }
            }
            Store::KeyValue { .. } => Command::Keyed(self.get(&name, field)),
        }
    }

    /// New values for some fields of a row that exists: of one, or of all in their order.
    pub(crate) fn update(&self, key: u64, values: Vec<(u32, Vec<u8>)>) -> Command {
        let name = self.names.name(key);
        match self.store {
            Store::Sql | Store::Cql => {
                let first = if self.write_all { None } else { values.first().map(|(field, _)| *field) };
                let scans = if self.store == Store::Sql { self.readings } else { 0 };
                let statement = self.readings + 1 + scans + place(first);
                let values = values.into_iter().map(|(_, value)| value).chain([name]).map(Parameter::Text);
                Command::Prepared { statement, values: values.collect() }
            }
            Store::KeyValue { .. } => {
                let mut words = vec![b"HSET".into(), row_name(&name)];
                for (field, value) in values {
                    words.extend([self.fields[field as usize].clone().into_bytes(), value]);
                }
                Command::Keyed(words)
            }
        }
    }

    /// A new row, with a value for each field.
    pub(crate) fn insert(&self, key: u64, values: impl Iterator<Item = Vec<u8>>) -> Command {
        let name = self.names.name(key);
        match self.store {
            Store::Sql | Store::Cql => {
                let values = std::iter::once(name).chain(values).map(Parameter::Text).collect();
                Command::Prepared { statement: self.readings, values }
            }
            Store::KeyValue { ordered_index } => {
                let mut words = vec![b"HSET".into(), row_name(&name)];
                for (field, value) in self.fields.iter().zip(values) {
                    words.extend([field.clone().into_bytes(), value]);
                }
                if ordered_index {
                    // The row first, so that every key in the index has its row.
                    Command::Batch(vec![words, vec![b"ZADD".into(), INDEX.into(), b"0".into(), name]])
                } else {
                    Command::Keyed(words)
                }
            }
        }
    }

    /// Rows in the order of their keys; from a key-value store, only the keys.
    pub(crate) fn scan(&self, key: u64, length: u64, field: Option<u32>) -> Command {
        let name = self.names.name(key);
        let rows = i64::try_from(length).unwrap_or(i64::MAX);
        match self.store {
            // Of CQL there are none.
            Store::Sql | Store::Cql => Command::Prepared {
                statement: self.readings + 1 + place(field),
                values: vec![Parameter::Text(name), Parameter::Int(rows)],
            },
            Store::KeyValue { .. } => Command::Keyed(vec![
                b"ZRANGEBYLEX".into(),
                INDEX.into(),
                [b"[", &name[..]].concat(),
                b"+".into(),
                b"LIMIT".into(),
                b"0".into(),
                length.to_string().into_bytes(),
            ]),
        }
    }

    /// So many rows of a relational store in the order of their keys, after one of them or from the first.
    pub(crate) fn page(&self, after: Option<&str>, rows: usize) -> Command {
        let fields = self.fields.join(", ");
        let begin = after.map_or_else(String::new, |name| format!("WHERE ycsb_key > '{name}' "));
        Command::Simple(format!(
            "SELECT ycsb_key, {fields} FROM {TABLE} {begin}ORDER BY ycsb_key LIMIT {rows}"
        ))
    }

    /// The rows of keys of which a key-value store gave the names.
    pub(crate) fn fetch(&self, names: &[Vec<u8>], field: Option<u32>) -> Command {
        Command::Batch(names.iter().map(|name| self.get(name, field)).collect())
    }

    fn get(&self, name: &[u8], field: Option<u32>) -> Vec<Vec<u8>> {
        match field {
            None => vec![b"HGETALL".into(), row_name(name)],
            Some(field) => {
                vec![b"HMGET".into(), row_name(name), self.fields[field as usize].clone().into_bytes()]
            }
        }
    }

    /// The number of a field, by its name.
    pub(crate) fn field(&self, name: &[u8]) -> Option<u32> {
        let number: u32 =
            std::str::from_utf8(name.strip_prefix(self.prefix.as_bytes())?).ok()?.parse().ok()?;
        ((number as usize) < self.fields.len()).then_some(number)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.fields
    }
}

/// Of the statements of a kind, the one for a field, or for all.
fn place(field: Option<u32>) -> usize {
    field.map_or(0, |field| field as usize)
}

/// The key under which a key-value store has a row.
pub(crate) fn row_name(name: &[u8]) -> Vec<u8> {
    [PREFIX, name].concat()
}
