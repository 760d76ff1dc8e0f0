//! Locks that are met before a run, while connections open.

use super::*;

#[test]
fn a_file_that_somebody_writes_while_its_journal_mode_changes_is_waited_for() {
    let folder = Folder::new();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE t (a); BEGIN IMMEDIATE").unwrap();
    let ends = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(other);
    });
    let (summary, _) = ran(&config(&folder.file(), &script("SELECT 1;"), &json!({})));
    assert_eq!(summary["done"].as_u64(), Some(500));
    ends.join().unwrap();
}

#[test]
fn a_lock_that_stays_ends_the_wait_for_it() {
    let folder = Folder::new();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE t (a); BEGIN IMMEDIATE").unwrap();
    let mut config = config(&folder.file(), &script("SELECT 1;"), &json!({}));
    config.target.settings.insert("busy_timeout".into(), "50".into());
    let source = config.source().unwrap();
    let message = Run::start(&config, &*source).err().unwrap().to_string();
    assert!(message.contains("database is locked (SQLITE_BUSY)"), "{message}");
}
