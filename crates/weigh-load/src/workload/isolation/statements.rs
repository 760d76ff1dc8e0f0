//! The statements, in the SQL of each kind of server.

use crate::Error;
use crate::config::TargetKind;
use crate::workload::message::{Bulk, ParameterType, PreparedStatement};

/// The table of lists.
pub(super) const TABLE: &str = "weigh_isolation";
/// Places among the statements; those that open a transaction follow.
pub(super) const READ: usize = 0;
pub(super) const APPEND: usize = 1;
pub(super) const WRITE: usize = 2;
pub(super) const RANGE: usize = 3;
pub(super) const COMMIT: usize = 4;
pub(super) const ROLL_BACK: usize = 5;
pub(super) const OPEN: usize = 6;

/// The statements of a kind of server.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    pub(super) statements: Vec<PreparedStatement>,
    create: [String; 2],
}

impl Dialect {
    /// Of a kind of server, where every transaction asks for a level.
    pub(super) fn of(kind: TargetKind, level: Option<&str>) -> Result<Self, Error> {
        let unfit = |message| Error::Unfit { message, remedy: "take PostgreSQL, MySQL, MariaDB or SQLite" };
        // The level is what the server names inside the transaction, in the answer of every read.
        let (named, open) = match kind {
            TargetKind::Postgres => (
                "current_setting('transaction_isolation')",
                vec![
                    level
                        .map_or_else(|| "BEGIN".to_owned(), |level| format!("BEGIN ISOLATION LEVEL {level}")),
                ],
            ),
            TargetKind::Sqlite => ("NULL", vec!["BEGIN".to_owned()]),
            // Of the next transaction alone the variable would not say it. MySQL 8 has it by another name than MariaDB,
            // which leaves out comments for versions of MySQL from 5.7 on.
            TargetKind::MySql => (
                "/*!50720 @@transaction_isolation *//*M! @@tx_isolation */",
                level
                    .map(|level| format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"))
                    .into_iter()
                    .chain(["BEGIN".to_owned()])
                    .collect(),
            ),
            TargetKind::Cql => {
                return Err(Error::Unfit {
                    message: "isolation is of transactions, and CQL has none that span statements",
                    remedy: "take a server of SQL, or a script with IF whose answers it checks itself",
                });
            }
            TargetKind::ClickHouse | TargetKind::Redis => {
                return Err(unfit(
                    "isolation is about transactions of several statements, and this target has none",
                ));
            }
            TargetKind::Http => {
                return Err(unfit("isolation is about transactions, and a request of HTTP is none"));
            }
        };
        let (append, write, text, of_transactions) = if kind == TargetKind::MySql {
            let update = "ON DUPLICATE KEY UPDATE v =";
            let append = format!("{update} concat(v, ',', values(v))");
            (append, format!("{update} values(v)"), "char(20)", " ENGINE = InnoDB")
        } else {
            let update = "ON CONFLICT (k) DO UPDATE SET v =";
            let append = format!("{update} {TABLE}.v || ',' || excluded.v");
            (append, format!("{update} excluded.v"), "text", "")
        };
        // The last row names the level where the range is empty.
        let range = format!(
            "SELECT CAST(k AS {text}), v, {named} FROM {TABLE} WHERE k BETWEEN $1 AND $2 \
             UNION ALL SELECT '', '', {named}"
        );
        let texts = [
            (format!("SELECT (SELECT v FROM {TABLE} WHERE k = $1), {named}"), 1),
            (format!("INSERT INTO {TABLE} (k, v) VALUES ($1, $2) {append}"), 2),
            (format!("INSERT INTO {TABLE} (k, v) VALUES ($1, $2) {write}"), 2),
            (range, 2),
            ("COMMIT".to_owned(), 0),
            ("ROLLBACK".to_owned(), 0),
        ];
        let texts = texts.into_iter().chain(open.into_iter().map(|text| (text, 0)));
        let types = |place, many| match (place, many) {
            (RANGE, _) => vec![ParameterType::Bigint; 2],
            _ => [ParameterType::Bigint, ParameterType::Unknown][..many].to_vec(),
        };
        let statements = texts
            .enumerate()
            .map(|(place, (text, many))| PreparedStatement { text, types: types(place, many), at: None })
            .collect();
        let create = [
            format!("DROP TABLE IF EXISTS {TABLE}"),
            format!("CREATE TABLE {TABLE} (k bigint PRIMARY KEY, v text NOT NULL){of_transactions}"),
        ];
        Ok(Self { statements, create })
    }

    /// An empty table.
    pub(super) fn bulk(&self) -> Bulk {
        Bulk::Sql { before: self.create.to_vec(), copies: Vec::new(), after: Vec::new(), rows: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mysql_sets_the_level_of_the_session_and_appends_in_its_own_sql() {
        let of = |level| -> Vec<String> {
            let dialect = Dialect::of(TargetKind::MySql, level).unwrap();
            assert!(dialect.create[1].ends_with("ENGINE = InnoDB"), "MyISAM has no transactions");
            dialect.statements.into_iter().map(|one| one.text).collect()
        };
        let texts = of(Some("REPEATABLE READ"));
        assert_eq!(texts[OPEN..], ["SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "BEGIN"]);
        assert!(texts[APPEND].ends_with("ON DUPLICATE KEY UPDATE v = concat(v, ',', values(v))"));
        assert_eq!(of(None)[OPEN..], ["BEGIN"]);
    }
}
