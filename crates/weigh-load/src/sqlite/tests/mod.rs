mod locks;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::clock::SECOND;
use crate::shared::Shared;
use crate::{Arrivals, Config, Error, Run, describe_sqlite, load};

use super::deadline::Deadline;
use super::dispatcher::Dispatcher;
use crate::workload::Outcome;

/// A folder that is gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("weigh-sqlite-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("tables.sqlite")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn config(path: &Path, workload: &Value, change: &Value) -> Config {
    let mut settings = json!({
        "target": {"kind": "sqlite", "path": path, "settings": {"journal_mode": "WAL", "synchronous": "OFF"}},
        "workload": workload,
        "arrivals": {"kind": "constant", "rate": 1000}, "duration_s": 0.5, "connections": 3, "threads": 1,
        "max_in_flight": 3, "timeout_s": 10, "interval_s": 0.1,
    });
    for (name, value) in change.as_object().unwrap() {
        settings[name] = value.clone();
    }
    Config::read(&settings.to_string()).unwrap()
}

fn ycsb(letter: &str) -> Value {
    json!({"kind": "ycsb", "core": letter, "records": 500, "seed": 0})
}

fn script(text: &str) -> Value {
    json!({"kind": "script", "scripts": [{"name": "test", "text": text, "weight": 1}], "seed": 0, "prepared": true})
}

/// The summary, and all intervals.
fn ran(config: &Config) -> (Value, Vec<Value>) {
    let source = config.source().unwrap();
    load(&config.target, source.bulk(config.target.kind), &mut |_, _| true).unwrap();
    let mut run = Run::start(config, &*source).unwrap();
    let summary = serde_json::to_value(run.finish().unwrap()).unwrap();
    (summary, run.poll().iter().map(|one| serde_json::to_value(one).unwrap()).collect())
}

/// What all operations of all intervals add up to.
fn sum(intervals: &[Value], what: &str) -> u64 {
    let operations = intervals.iter().flat_map(|one| one["operations"].as_array().unwrap());
    operations.map(|one| one[what].as_u64().unwrap()).sum()
}

fn errors(intervals: &[Value]) -> Vec<String> {
    let operations = intervals.iter().flat_map(|one| one["operations"].as_array().unwrap());
    operations.flat_map(|one| one["errors"].as_object().unwrap().keys().cloned()).collect()
}

#[test]
fn every_letter_is_offered_whole_and_every_read_is_right() {
    for letter in ["A", "C", "D", "E", "F"] {
        let folder = Folder::new();
        let change = json!({"arrivals": {"kind": "constant", "rate": 100}});
        let (summary, intervals) = ran(&config(&folder.file(), &ycsb(letter), &change));
        let number = |name: &str| summary[name].as_u64().unwrap();
        assert_eq!(
            (number("scheduled"), number("unsent"), number("done")),
            (50, 0, 50),
            "{letter}: {summary}"
        );
        assert_eq!(sum(&intervals, "count"), 50, "{letter}: {intervals:?}");
        assert_eq!(sum(&intervals, "missing") + sum(&intervals, "wrong_count"), 0, "{letter}");
        assert!(number("verified_reads") > 10, "{letter}: {summary}");
        assert_eq!((intervals.len(), intervals[4]["from_s"].as_f64()), (5, Some(0.4)));
        // The last connection that closes empties the log.
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    }
}

#[test]
fn what_somebody_else_changes_in_the_file_is_seen() {
    let folder = Folder::new();
    let config = config(&folder.file(), &ycsb("C"), &json!({}));
    let source = config.source().unwrap();
    load(&config.target, source.bulk(config.target.kind), &mut |_, _| true).unwrap();
    let other = Connection::open(folder.file()).unwrap();
    other.execute("UPDATE weigh_ycsb SET field3 = 'x'", ()).unwrap();
    let mut run = Run::start(&config, &*source).unwrap();
    let summary = serde_json::to_value(run.finish().unwrap()).unwrap();
    assert_eq!(summary["violation_count"].as_u64(), Some(500), "{summary}");
}

#[test]
fn a_closed_loop_asks_again_at_once_with_as_many_as_may_be_in_flight() {
    let folder = Folder::new();
    let change = json!({"arrivals": {"kind": "closed"}, "duration_s": 0.3, "max_in_flight": 1});
    let (summary, intervals) = ran(&config(&folder.file(), &ycsb("B"), &change));
    assert!(summary["done"].as_u64().unwrap() > 100, "{summary}");
    assert_eq!(summary["scheduled"], summary["done"]);
    assert!(intervals.iter().all(|one| one["in_flight"].as_u64().unwrap() <= 1));
}

#[test]
fn scripts_take_rows_types_and_blocks_and_an_error_ends_the_block() {
    let folder = Folder::new();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE seen (what, kind)").unwrap();
    let text = "\\set n 7\n\\set x 0.5\n\\set yes true\nBEGIN;\nSELECT :n + 1 AS more, 'a' AS word \\gset\n\
                INSERT INTO seen SELECT :more + 1, typeof(:x) || typeof(:yes) || typeof(:n);\nEND;\n";
    let trace = |times: &[f64]| json!({"arrivals": {"kind": "trace", "times_s": times}, "connections": 1, "duration_s": 0.2});
    let (summary, intervals) = ran(&config(&folder.file(), &script(text), &trace(&[0.0, 0.0])));
    assert_eq!((summary["done"].as_u64(), sum(&intervals, "count")), (Some(2), 2), "{intervals:?}");
    let row: (i64, String) =
        other.query_row("SELECT what, kind FROM seen", (), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(row, (9, "realintegerinteger".into()));
    let text = "BEGIN;\nINSERT INTO seen VALUES (1, 'lost');\nSELECT abs(-9223372036854775808);\nEND;\n";
    let (_, intervals) = ran(&config(&folder.file(), &script(text), &trace(&[0.0, 0.0, 0.0])));
    let message = errors(&intervals);
    assert!(message.iter().all(|one| one.contains("line 3: integer overflow (SQLITE_ERROR)")), "{message:?}");
    let lost: i64 =
        other.query_row("SELECT count(*) FROM seen WHERE kind = 'lost'", (), |row| row.get(0)).unwrap();
    assert_eq!((message.len(), lost), (1, 0));
}

#[test]
fn the_tables_of_the_built_in_scripts_are_made_and_worked_on() {
    let folder = Folder::new();
    let workload = json!({"kind": "script", "scripts": [{"name": "tpcb-like", "weight": 1}], "seed": 0, "prepared": true});
    let change = json!({"arrivals": {"kind": "constant", "rate": 100}});
    let (summary, intervals) = ran(&config(&folder.file(), &workload, &change));
    assert_eq!((summary["done"].as_u64(), sum(&intervals, "count")), (Some(50), 50), "{intervals:?}");
    let other = Connection::open(folder.file()).unwrap();
    let whole = "SELECT (SELECT count(*) FROM pgbench_history) = 50
        AND (SELECT sum(delta) FROM pgbench_history) = (SELECT sum(bbalance) FROM pgbench_branches)
        AND (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(tbalance) FROM pgbench_tellers)
        AND (SELECT count(*) FROM pgbench_accounts WHERE length(filler) = 84 AND typeof(bid) = 'integer') = 100000";
    assert!(other.query_row(whole, (), |row| row.get::<_, bool>(0)).unwrap());
    drop(other);
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
}

#[test]
fn a_lock_is_waited_for_as_long_as_a_request_may_take_or_as_the_setting_says() {
    for (setting, message) in [(None, None), (Some("5"), Some("database is locked (SQLITE_BUSY)"))] {
        let folder = Folder::new();
        let change = json!({"timeout_s": 0.1, "connections": 2, "duration_s": 0.05,
                            "arrivals": {"kind": "trace", "times_s": [0.0, 0.01]}});
        let mut config = config(&folder.file(), &script("INSERT INTO t VALUES (1);"), &change);
        config.target.settings.extend(setting.map(|value| ("busy_timeout".to_owned(), value.to_owned())));
        let other = Connection::open(folder.file()).unwrap();
        other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a); BEGIN IMMEDIATE").unwrap();
        let (summary, intervals) = ran(&config);
        assert_eq!((summary["done"].as_u64(), summary["in_flight_at_end"].as_u64()), (Some(2), Some(0)));
        let failed = errors(&intervals);
        assert_eq!(
            (sum(&intervals, "timeouts"), failed.len()),
            if message.is_some() { (0, 1) } else { (2, 0) }
        );
        assert!(message.is_none_or(|message| failed[0].contains(message)), "{failed:?}");
    }
}

#[test]
fn what_computes_too_long_is_interrupted_and_the_connection_goes_on() {
    let folder = Folder::new();
    let text = "\\set n random(1, 1)\nWITH RECURSIVE c(x) AS (SELECT :n UNION ALL SELECT x + 1 FROM c WHERE x > 0) \
                SELECT max(x) FROM c;\n";
    let change = json!({"timeout_s": 0.05, "connections": 1, "duration_s": 0.05,
                        "arrivals": {"kind": "trace", "times_s": [0.0, 0.0, 0.01]}});
    let (summary, intervals) = ran(&config(&folder.file(), &script(text), &change));
    assert_eq!((summary["done"].as_u64(), sum(&intervals, "timeouts")), (Some(3), 3), "{summary}");
    assert!(errors(&intervals).is_empty());
}

#[test]
fn a_stop_ends_calls_and_waits_and_the_rest_is_counted() {
    let endless = "INSERT INTO t VALUES (1);
        WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c;";
    let locked = "INSERT INTO t VALUES (2);";
    for text in [endless, "\\sleep 30 s\nSELECT 1;", locked] {
        let folder = Folder::new();
        let other = Connection::open(folder.file()).unwrap();
        other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").unwrap();
        // Elsewhere those of the run are the only ones.
        let other = (text == locked).then_some(other);
        if let Some(other) = &other {
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
        }
        let config = config(&folder.file(), &script(text), &json!({"duration_s": 60, "timeout_s": 60}));
        let source = config.source().unwrap();
        let mut run = Run::start(&config, &*source).unwrap();
        thread::sleep(Duration::from_millis(300));
        run.stopper().stop();
        let summary = serde_json::to_value(run.finish().unwrap()).unwrap();
        let number = |name: &str| summary[name].as_u64().unwrap();
        assert_eq!(
            (number("sent"), number("in_flight_at_end"), number("done")),
            (3, 3, 0),
            "{text}: {summary}"
        );
        assert_eq!(number("scheduled"), number("sent") + number("unsent"));
        assert!((20..60_000).contains(&number("scheduled")), "{summary}");
        drop(other);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "{text}: the log was not emptied");
    }
}

#[test]
fn a_full_disk_is_a_failure_that_is_counted() {
    let folder = Folder::new();
    let mut config = config(&folder.file(), &script("INSERT INTO t VALUES (zeroblob(4000));"), &json!({}));
    config.target.settings.insert("max_page_count".into(), "50".into());
    Connection::open(folder.file()).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    let (summary, intervals) = ran(&config);
    assert_eq!(summary["done"].as_u64(), Some(500));
    let message = errors(&intervals);
    assert!(message.iter().all(|one| one.contains("database or disk is full (SQLITE_FULL)")), "{message:?}");
    assert!((1..50).contains(&sum(&intervals, "count")));
}

#[test]
fn settings_are_read_back_and_a_loading_that_is_interrupted_leaves_nothing() {
    let folder = Folder::new();
    let mut config = config(&folder.file(), &ycsb("A"), &json!({}));
    for (name, value) in
        [("page_size", "8192"), ("cache_size", "-64"), ("busy_timeout", "70"), ("nonsense", "1")]
    {
        config.target.settings.insert(name.into(), value.into());
    }
    let message = describe_sqlite(&config.target).unwrap();
    let value = |name: &str| message.settings[name].clone();
    assert_eq!((value("journal_mode"), value("synchronous")), (Some("wal".into()), Some("0".into())));
    assert_eq!((value("page_size"), value("cache_size")), (Some("8192".into()), Some("-64".into())));
    assert_eq!((value("busy_timeout"), value("nonsense")), (Some("70".into()), None));
    assert!(message.empty && message.compiled.contains(&"THREADSAFE=1".to_owned()), "{:?}", message.compiled);
    let source = config.source().unwrap();
    let interrupted = load(&config.target, source.bulk(config.target.kind), &mut |_, _| false);
    assert!(interrupted.unwrap_err().to_string().contains("interrupted"));
    assert!(describe_sqlite(&config.target).unwrap().empty);
}

#[test]
fn what_cannot_be_opened_prepared_or_set_is_said_before_the_run() {
    let folder = Folder::new();
    let refused = |config: &Config| -> String {
        let source = config.source().unwrap();
        Run::start(config, &*source).err().map_or_else(String::new, |error: Error| error.to_string())
    };
    let alone = json!({"connections": 1, "max_in_flight": 1});
    let message = refused(&config(&folder.file(), &script("SELECT * FROM nowhere;"), &alone));
    assert_eq!(
        message,
        "script test, line 1: preparing 'SELECT * FROM nowhere': no such table: nowhere (SQLITE_ERROR)"
    );
    let message = refused(&config(&folder.0.join("no/such/folder"), &script("SELECT 1;"), &json!({})));
    assert!(
        message.ends_with("folder cannot be reached: unable to open database file (SQLITE_CANTOPEN)"),
        "{message}"
    );
    let mut other = config(&folder.file(), &script("SELECT 1;"), &json!({}));
    other.target.settings.insert("cache_size".into(), "1; DROP TABLE t".into());
    assert!(refused(&other).contains("neither the name nor the value"));
    fs::write(folder.file(), "no database, and long enough to be seen for none".repeat(100)).unwrap();
    let message = refused(&config(&folder.file(), &script("SELECT 1;"), &json!({})));
    assert!(message.contains("file is not a database (SQLITE_NOTADB)"), "{message}");
}

#[test]
fn waiting_counts_from_when_a_request_was_due_and_from_when_somebody_was_free() {
    let arrivals = Arrivals::Constant { rate: 1e6 };
    let shared = Arc::new(Shared::new(arrivals, 1, false, (SECOND, SECOND, SECOND)));
    let clock = shared.clock;
    let dispatcher = Dispatcher::new(shared, 1, 2, 3);
    dispatcher.begin(0);
    while clock.now() < 10_000 {}
    let took = || dispatcher.take().map(|due| (due.at, due.free)).unwrap();
    // Both connections are free from the beginning, whichever thread comes first.
    assert_eq!((took(), took()), ((0, 0), (1_000, 0)));
    dispatcher.free(5_000);
    assert_eq!(took(), (2_000, 5_000));
    dispatcher.shared.stop.store(true, Ordering::Relaxed);
    assert!(dispatcher.take().is_none());
}

#[test]
fn a_parameter_that_would_get_no_value_is_refused_before_the_run() {
    let folder = Folder::new();
    let parameters = [
        ("SELECT :n, ?", "($1, ?)", "($1)"),
        ("SELECT ?3", "(?, ?3)", "(none)"),
        ("SELECT @id", "(@id)", "(none)"),
        ("SELECT $id", "($id)", "(none)"),
        ("SELECT :n::int", "($1::int)", "($1)"),
        ("SELECT $1", "($1)", "(none)"),
    ];
    // Of several that make the file at once, one may meet a lock first.
    let alone = json!({"connections": 1, "max_in_flight": 1});
    for (statement, read, given) in parameters {
        let text = format!("\\set n 1\n{statement};\n");
        let config = config(&folder.file(), &script(&text), &alone);
        let message = Run::start(&config, &*config.source().unwrap()).err().unwrap().to_string();
        let wanted = format!("reads in it {read} are not those that get a value {given}");
        assert!(message.contains(&wanted), "{statement}: {message}");
    }
    // A statement with a variable in quotes is sent as text, and nobody can look before.
    let text = "\\set n 1\nSELECT ':n', ?;\n";
    let (summary, intervals) = ran(&config(&folder.file(), &script(text), &json!({"duration_s": 0.01})));
    assert_eq!((summary["done"].as_u64(), sum(&intervals, "count")), (Some(10), 0));
    assert!(errors(&intervals)[0].contains("Got 0, needed 1"), "{:?}", errors(&intervals));
}

#[test]
fn what_comes_after_the_end_counts_nowhere() {
    let trace = Arrivals::Trace(Arc::from([0]));
    let shared = Arc::new(Shared::new(trace, 1, false, (SECOND, SECOND, SECOND)));
    let dispatcher = Dispatcher::new(Arc::clone(&shared), 1, 1, 1);
    dispatcher.begin(0);
    let request = dispatcher.take().unwrap().send(0, 1_000);
    dispatcher.sent(&request);
    let totals = dispatcher.lock().accounting.close(SECOND);
    dispatcher.close();
    dispatcher.finish(&request, Outcome::Missing, 2 * SECOND);
    dispatcher.time_out(&request, 2 * SECOND);
    assert_eq!((totals.sent, totals.done, totals.in_flight_at_end), (1, 0, 1));
    assert_eq!((shared.collect().len(), dispatcher.lock().accounting.in_flight()), (1, 1));
}

#[test]
fn whoever_ends_a_run_knows_whose_call_has_not_returned() {
    let deadline = Deadline::default();
    assert!(deadline.begin(SECOND));
    assert!(deadline.close() && deadline.close());
    deadline.end();
    assert!(!deadline.close() && !deadline.begin(SECOND));
}

#[test]
fn a_log_that_somebody_else_reads_cannot_be_emptied_and_that_is_said() {
    let folder = Folder::new();
    let mut config = config(&folder.file(), &ycsb("C"), &json!({}));
    config.target.settings.insert("busy_timeout".into(), "10".into());
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a); BEGIN").unwrap();
    other.query_row("SELECT count(*) FROM t", (), |_| Ok(())).unwrap();
    let source = config.source().unwrap();
    let loaded = || load(&config.target, source.bulk(config.target.kind), &mut |_, _| true);
    let message = loaded().unwrap_err().to_string();
    assert!(
        message.contains("somebody else reads the file") && message.ends_with("(SQLITE_BUSY)"),
        "{message}"
    );
    other.execute_batch("END").unwrap();
    loaded().unwrap();
}
