//! The scripts that pgbench's documentation describes, and the tables they work on.
//!
//! See "What Is the 'Transaction' Actually Performed in pgbench?" and "Initialization" in the documentation of
//! PostgreSQL. One unit of scale is one branch, 10 tellers and 100,000 accounts.

use crate::config::TargetKind;
use crate::workload::message::{Bulk, Chunk, Chunks, mysql_copy};

/// Accounts of a branch.
const ACCOUNTS: u64 = 100_000;
/// Tellers of a branch.
const TELLERS: u64 = 10;
/// Rows of a chunk of COPY.
const CHUNK: u64 = 4_096;

const RANDOM: &str = "\\set aid random(1, 100000 * :scale)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
";
const LOOK: &str = "SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n";
const ACCOUNT: &str = "UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;\n";
const TELLER: &str = "UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;\n";
const BRANCH: &str = "UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;\n";
const HISTORY: &str = "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) \
                       VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);\n";

/// Names of the scripts.
pub(crate) const NAMES: [&str; 3] = ["tpcb-like", "simple-update", "select-only"];

/// The text of a script.
pub(crate) fn text(name: &str) -> Option<String> {
    let parts: &[&str] = match name {
        // pgbench writes END for COMMIT, which MySQL does not know.
        "tpcb-like" => &[RANDOM, "BEGIN;\n", ACCOUNT, LOOK, TELLER, BRANCH, HISTORY, "COMMIT;\n"],
        // Without the rows that everybody updates.
        "simple-update" => &[RANDOM, "BEGIN;\n", ACCOUNT, LOOK, HISTORY, "COMMIT;\n"],
        "select-only" => &["\\set aid random(1, 100000 * :scale)\n", LOOK],
        _ => return None,
    };
    Some(parts.concat())
}

/// Whether the script of a name writes a row of `pgbench_history` in each transaction.
pub(crate) fn writes_history(name: &str) -> bool {
    matches!(name, "tpcb-like" | "simple-update")
}

/// The tables at a scale, in place of any of the same names, as `pgbench -i` makes them.
pub(crate) fn bulk(scale: u64, kind: TargetKind) -> Bulk {
    let rows = |count: u64, line: fn(u64) -> String| -> Chunks {
        Box::new((0..count.div_ceil(CHUNK)).map(move |chunk| {
            let (first, last) = (chunk * CHUNK + 1, ((chunk + 1) * CHUNK).min(count));
            let bytes = (first..=last).flat_map(|row| line(row).into_bytes()).collect();
            Chunk { bytes, rows: last + 1 - first, replies: 0 }
        }))
    };
    let (accounts, tellers) = (scale * ACCOUNTS, scale * TELLERS);
    if kind == TargetKind::Sqlite {
        return Bulk::Sql {
            before: sqlite_tables(),
            copies: vec![
                (insert("branches", 3), rows(scale, |bid| format!("{bid}\t0\t\\N\n"))),
                (
                    insert("tellers", 4),
                    rows(tellers, |tid| format!("{tid}\t{}\t0\t\\N\n", (tid - 1) / TELLERS + 1)),
                ),
                (
                    insert("accounts", 4),
                    // SQLite adds no blanks.
                    rows(accounts, |aid| format!("{aid}\t{}\t0\t{:84}\n", (aid - 1) / ACCOUNTS + 1, "")),
                ),
            ],
            after: vec!["ANALYZE".into()],
            rows: scale + tellers + accounts,
        };
    }
    if kind == TargetKind::MySql {
        return Bulk::Sql {
            before: mysql_tables(),
            copies: vec![
                (mysql_copy("pgbench_branches"), rows(scale, |bid| format!("{bid}\t0\t\\N\n"))),
                (
                    mysql_copy("pgbench_tellers"),
                    rows(tellers, |tid| format!("{tid}\t{}\t0\t\\N\n", (tid - 1) / TELLERS + 1)),
                ),
                (
                    mysql_copy("pgbench_accounts"),
                    rows(accounts, |aid| format!("{aid}\t{}\t0\t\n", (aid - 1) / ACCOUNTS + 1)),
                ),
            ],
            after: vec!["ANALYZE TABLE pgbench_branches, pgbench_tellers, pgbench_accounts".into()],
            rows: scale + tellers + accounts,
        };
    }
    Bulk::Sql {
        before: vec![
            "DROP TABLE IF EXISTS pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers".into(),
            "CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))"
                .into(),
            "CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84))".into(),
            "CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84))".into(),
            "CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88))".into(),
        ],
        copies: vec![
            ("COPY pgbench_branches FROM STDIN".into(), rows(scale, |bid| format!("{bid}\t0\t\\N\n"))),
            (
                "COPY pgbench_tellers FROM STDIN".into(),
                rows(tellers, |tid| format!("{tid}\t{}\t0\t\\N\n", (tid - 1) / TELLERS + 1)),
            ),
            (
                "COPY pgbench_accounts FROM STDIN".into(),
                // The filler is blanks, which char(84) adds.
                rows(accounts, |aid| format!("{aid}\t{}\t0\t\n", (aid - 1) / ACCOUNTS + 1)),
            ),
        ],
        after: vec![
            "ALTER TABLE pgbench_branches ADD PRIMARY KEY (bid)".into(),
            "ALTER TABLE pgbench_tellers ADD PRIMARY KEY (tid)".into(),
            "ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid)".into(),
            "VACUUM ANALYZE pgbench_branches, pgbench_tellers, pgbench_accounts".into(),
        ],
        rows: scale + tellers + accounts,
    }
}

/// The same tables as users of SQLite write them: a whole number as primary key is the place of the row.
fn sqlite_tables() -> Vec<String> {
    let names = ["accounts", "branches", "history", "tellers"];
    let drops = names.map(|name| format!("DROP TABLE IF EXISTS pgbench_{name}"));
    let creates = [
        "history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))",
        "tellers (tid INTEGER PRIMARY KEY, bid int, tbalance int, filler char(84))",
        "accounts (aid INTEGER PRIMARY KEY, bid int, abalance int, filler char(84))",
        "branches (bid INTEGER PRIMARY KEY, bbalance int, filler char(88))",
    ];
    drops.into_iter().chain(creates.map(|table| format!("CREATE TABLE pgbench_{table}"))).collect()
}

/// The same tables in MySQL, whose rows lie in their primary keys: made before them.
fn mysql_tables() -> Vec<String> {
    let creates = [
        "history (tid int, bid int, aid int, delta int, mtime datetime, filler char(22))",
        "tellers (tid int NOT NULL PRIMARY KEY, bid int, tbalance int, filler char(84))",
        "accounts (aid int NOT NULL PRIMARY KEY, bid int, abalance int, filler char(84))",
        "branches (bid int NOT NULL PRIMARY KEY, bbalance int, filler char(88))",
    ];
    let drop = "DROP TABLE IF EXISTS pgbench_accounts, pgbench_branches, pgbench_history, pgbench_tellers";
    let create = |table| format!("CREATE TABLE pgbench_{table} ENGINE = InnoDB");
    [drop.to_owned()].into_iter().chain(creates.map(create)).collect()
}

fn insert(table: &str, cells: usize) -> String {
    format!("INSERT INTO pgbench_{table} VALUES ({})", vec!["?"; cells].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_rows_of_their_scale() {
        let Bulk::Sql { copies, rows, .. } = bulk(2, TargetKind::Postgres) else { panic!() };
        assert_eq!(rows, 200_022);
        let texts: Vec<String> = copies
            .into_iter()
            .map(|(_, chunks)| String::from_utf8(chunks.flat_map(|chunk| chunk.bytes).collect()).unwrap())
            .collect();
        assert_eq!(texts[0], "1\t0\t\\N\n2\t0\t\\N\n");
        assert_eq!(texts[1].lines().count(), 20);
        assert!(texts[1].ends_with("\n20\t2\t0\t\\N\n"));
        assert_eq!(texts[2].lines().count(), 200_000);
        assert!(texts[2].contains("\n100000\t1\t0\t\n100001\t2\t0\t\n"));
        assert!(texts[2].ends_with("\n200000\t2\t0\t\n"));
    }
}
