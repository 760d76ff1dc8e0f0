//! The statements, in the SQL of each kind of server.

use crate::Error;
use crate::config::TargetKind;
use crate::workload::message::{Bulk, ParameterType, PreparedStatement};

/// The table of lists.
pub(super) const TABLE: &str = "weigh_isolation";
/// Places among the statements; those that open a transaction follow.
pub(super) const READ: usize = 0;
pub(super) const APPEND: usize = 1;
pub(super) const COMMIT: usize = 2;
pub(super) const ROLL_BACK: usize = 3;
pub(super) const OPEN: usize = 4;

/// The statements of a kind of server.
#[derive(Clone, Debug)]
pub(super) struct Dialect {
    pub(super) statements: Vec<PreparedStatement>,
    create: [String; 2],
}

impl Dialect {
    /// Of a kind of server, where every transaction asks for a level.
    pub(super) fn of(kind: TargetKind, level: Option<&str>) -> Result<Self, Error> {
        let unfit = |message| Error::Unfit { message, remedy: "take PostgreSQL or SQLite" };
        // The level is what the server names inside the transaction, in the answer of every read.
        let (named, open) = match kind {
            TargetKind::Postgres => (
                "current_setting('transaction_isolation')",
                level.map_or_else(|| "BEGIN".to_owned(), |level| format!("BEGIN ISOLATION LEVEL {level}")),
            ),
            TargetKind::Sqlite => ("NULL", "BEGIN".to_owned()),
            TargetKind::Redis => {
                return Err(unfit(
                    "isolation is about transactions of several statements, and this target has none",
                ));
            }
            TargetKind::Http => {
                return Err(unfit("isolation is about transactions, and a request of HTTP is none"));
            }
        };
        let texts = [
            (format!("SELECT (SELECT v FROM {TABLE} WHERE k = $1), {named}"), 1),
            (
                format!(
                    "INSERT INTO {TABLE} (k, v) VALUES ($1, $2) \
                     ON CONFLICT (k) DO UPDATE SET v = {TABLE}.v || ',' || excluded.v"
                ),
                2,
            ),
            ("COMMIT".to_owned(), 0),
            ("ROLLBACK".to_owned(), 0),
            (open, 0),
        ];
        let types = [ParameterType::Bigint, ParameterType::Unknown];
        let statements = texts
            .into_iter()
            .map(|(text, many)| PreparedStatement { text, types: types[..many].to_vec(), at: None })
            .collect();
        let create = [
            format!("DROP TABLE IF EXISTS {TABLE}"),
            format!("CREATE TABLE {TABLE} (k bigint PRIMARY KEY, v text NOT NULL)"),
        ];
        Ok(Self { statements, create })
    }

    /// An empty table.
    pub(super) fn bulk(&self) -> Bulk {
        Bulk::Sql { before: self.create.to_vec(), copies: Vec::new(), after: Vec::new(), rows: 0 }
    }
}
