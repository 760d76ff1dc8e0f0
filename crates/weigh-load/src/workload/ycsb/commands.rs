//! The commands of YCSB for the kinds of servers.

use crate::workload::message::{Command, Parameter, PreparedStatement};

use super::key_distribution::key_name;

/// What kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// One table with a primary key.
    Sql,
    /// A hash for each row.
    KeyValue {
        /// Beside the rows, a sorted set of their keys is kept, so that there is an order to scan in.
        ordered_index: bool,
    },
}

/// The table, which a load replaces.
pub(crate) const TABLE: &str = "weigh_ycsb";
/// The sorted set.
pub(crate) const INDEX: &[u8] = b"weigh:ycsb:keys";
/// Before the names of keys, so that no other row is overwritten.
const PREFIX: &[u8] = b"weigh:";

const READ: usize = 0;
const INSERT: usize = 1;
const SCAN: usize = 2;
const UPDATE: usize = 3;

/// Makes commands.
#[derive(Clone, Debug)]
pub(crate) struct Commands {
    store: Store,
    fields: Vec<String>,
}

impl Commands {
    pub(crate) fn new(store: Store, fields: u32) -> Self {
        Self { store, fields: (0..fields).map(|field| format!("field{field}")).collect() }
    }

    pub(crate) fn statements(&self) -> Vec<PreparedStatement> {
        if self.store != Store::Sql {
            return Vec::new();
        }
        let statement = |text: String, parameters| PreparedStatement { text, parameters, at: None };
        let fields = self.fields.join(", ");
        let cells = 1 + self.fields.len();
        let values: Vec<String> = (1..=cells).map(|number| format!("${number}")).collect();
        let mut statements = vec![
            statement(format!("SELECT {fields} FROM {TABLE} WHERE ycsb_key = $1"), 1),
            statement(
                format!("INSERT INTO {TABLE} (ycsb_key, {fields}) VALUES ({})", values.join(", ")),
                cells,
            ),
            statement(
                format!(
                    "SELECT ycsb_key, {fields} FROM {TABLE} WHERE ycsb_key >= $1 ORDER BY ycsb_key LIMIT $2"
                ),
                2,
            ),
        ];
        let update = |field| format!("UPDATE {TABLE} SET {field} = $1 WHERE ycsb_key = $2");
        statements.extend(self.fields.iter().map(|field| statement(update(field), 2)));
        statements
    }

    /// All fields of a row.
    pub(crate) fn read(&self, key: u64) -> Command {
        match self.store {
            Store::Sql => Command::Prepared { statement: READ, values: vec![Parameter::Text(key_name(key))] },
            Store::KeyValue { .. } => Command::Keyed(vec![b"HGETALL".into(), row_name(&key_name(key))]),
        }
    }

    /// One field of a row that exists.
    pub(crate) fn update(&self, key: u64, field: u32, value: Vec<u8>) -> Command {
        let field = field as usize;
        match self.store {
            Store::Sql => Command::Prepared {
                statement: UPDATE + field,
                values: vec![Parameter::Text(value), Parameter::Text(key_name(key))],
            },
            Store::KeyValue { .. } => Command::Keyed(vec![
                b"HSET".into(),
                row_name(&key_name(key)),
                self.fields[field].clone().into_bytes(),
                value,
            ]),
        }
    }

    /// A new row, with a value for each field.
    pub(crate) fn insert(&self, key: u64, values: impl Iterator<Item = Vec<u8>>) -> Command {
        let name = key_name(key);
        match self.store {
            Store::Sql => {
                let values = std::iter::once(name).chain(values).map(Parameter::Text).collect();
                Command::Prepared { statement: INSERT, values }
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
    pub(crate) fn scan(&self, key: u64, length: u64) -> Command {
        let name = key_name(key);
        let rows = i64::try_from(length).unwrap_or(i64::MAX);
        match self.store {
            Store::Sql => Command::Prepared {
                statement: SCAN,
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
    pub(crate) fn fetch(names: &[Vec<u8>]) -> Command {
        Command::Batch(names.iter().map(|name| vec![b"HGETALL".into(), row_name(name)]).collect())
    }

    /// The number of a field, by its name.
    pub(crate) fn field(&self, name: &[u8]) -> Option<u32> {
        let number: u32 = std::str::from_utf8(name.strip_prefix(b"field")?).ok()?.parse().ok()?;
        ((number as usize) < self.fields.len()).then_some(number)
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.fields
    }
}

/// The key under which a key-value store has a row.
pub(crate) fn row_name(name: &[u8]) -> Vec<u8> {
    [PREFIX, name].concat()
}
