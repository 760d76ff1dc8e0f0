//! The tables in MySQL: a database of their own, whose rows lie in their primary keys.

use crate::workload::message::{Bulk, Chunks, mysql_copy};

use super::tables::{INDEXES, MARK, SCHEMA, TABLES, Table};

/// Says which data it is: a database has no comment in MySQL.
const MADE: &str = "made_by_weigh";

/// The load. A database of somebody else's of that name is refused: making it anew fails.
pub(super) fn bulk(copies: Vec<(&'static str, Chunks)>, mark: &str, rows: u64) -> Bulk {
    let names: Vec<String> = TABLES.iter().map(|table| format!("{SCHEMA}.{}", table.name)).collect();
    let tables = format!("information_schema.tables WHERE table_schema = '{SCHEMA}'");
    let ours = format!("EXISTS (SELECT 1 FROM {tables} AND table_name = '{MADE}')");
    let mut before = vec![
        format!(
            "SET @weigh = IF(EXISTS (SELECT 1 FROM {tables}) AND NOT {ours}, 'CREATE DATABASE {SCHEMA}', 'DO 0')"
        ),
        "PREPARE weigh FROM @weigh".into(),
        "EXECUTE weigh".into(),
        "DEALLOCATE PREPARE weigh".into(),
        format!("DROP DATABASE IF EXISTS {SCHEMA}"),
        // Texts are compared by their bytes.
        format!("CREATE DATABASE {SCHEMA} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"),
        format!("CREATE TABLE {SCHEMA}.{MADE} (what varchar(200) NOT NULL) ENGINE = InnoDB"),
        // Until it is whole.
        format!("INSERT INTO {SCHEMA}.{MADE} VALUES ('{MARK}being loaded')"),
    ];
    before.extend(TABLES.iter().map(create));
    Bulk::Parallel {
        before,
        copies: copies
            .into_iter()
            .map(|(table, chunks)| (mysql_copy(&format!("{SCHEMA}.{table}")), chunks))
            .collect(),
        keys: Vec::new(),
        after: vec![
            format!("ANALYZE TABLE {}", names.join(", ")),
            format!("UPDATE {SCHEMA}.{MADE} SET what = '{MARK}{mark}'"),
        ],
        rows,
    }
}

/// A table with its keys.
fn create(table: &Table) -> String {
    let columns = table.columns.replace(" COLLATE \"C\"", "").replace("timestamp", "datetime");
    let mut parts = vec![columns];
    if !table.key.is_empty() {
        parts.push(format!("PRIMARY KEY ({})", table.key));
    }
    let own = INDEXES.iter().filter(|(name, _)| *name == table.name);
    parts.extend(own.map(|(_, columns)| format!("KEY ({columns})")));
    parts.extend(table.references.iter().map(|(columns, other)| {
        let key = TABLES.iter().find(|one| one.name == *other).map_or("", |one| one.key);
        format!("FOREIGN KEY ({columns}) REFERENCES {SCHEMA}.{other} ({key})")
    }));
    format!("CREATE TABLE {SCHEMA}.{} ({}) ENGINE = InnoDB", table.name, parts.join(", "))
}
