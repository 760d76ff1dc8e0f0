//! Which acknowledged transactions of the built-in scripts are found in their history.

use std::sync::Arc;

use weigh_load::workload::durability::Account;
use weigh_load::workload::message::{Command, Reply, Rows};
use weigh_load::workload::script::{Language, Script, Scripts, Settings};
use weigh_load::workload::{Next, Source};

use super::settings;

/// Runs a built-in script; a transaction whose number is in `silent` is never answered when it commits.
fn history(name: &str, whole: bool, transactions: u32, silent: &[u32]) -> (Arc<Scripts>, Vec<String>) {
    let scripts = vec![Script { name: name.into(), text: None, weight: 1 }];
    let settings = Settings {
        scripts,
        seed: 3,
        variables: Vec::new(),
        language: Language::Sql,
        prepared: false,
        samples: 0,
        history: Some(whole),
        prepare: None,
    };
    let source = Scripts::new(&settings).unwrap();
    let mut worker = source.worker(0);
    let mut rows = Vec::new();
    for number in 0..transactions {
        let (_, unit, mut next) = worker.begin(0);
        let mut lost = false;
        while let Next::Send(Command::Simple(text)) = &next {
            if let Some(values) =
                text.strip_prefix("INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (")
            {
                let cells: Vec<&str> = values.split(", ").collect();
                rows.push(format!("{}\t{}\t{}\t{}", cells[2], cells[1], cells[0], cells[3]));
            }
            if text.starts_with("COMMIT") && silent.contains(&number) {
                lost = true;
                break;
            }
            next = worker.reply(&unit, &Reply::Count(1), false);
        }
        if lost {
            worker.lost(unit);
        }
    }
    (source, rows)
}

/// What is found where the history has these rows, and a table so many wrong balances.
fn examined(source: &Arc<Scripts>, rows: &[String], torn: u64) -> (Account, Vec<String>) {
    let mut examiner = source.examiner().unwrap();
    let mut asked = Vec::new();
    while let Some(Command::Simple(text)) = examiner.next() {
        let lines: Vec<String> = if text.starts_with("SELECT count(*) FROM pgbench_history") {
            vec![rows.len().to_string()]
        } else if text.starts_with("SELECT count") {
            vec![torn.to_string()]
        } else {
            rows.to_vec()
        };
        let (mut bytes, mut cells, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        for cell in lines.iter().map(|line| line.split('\t')) {
            for value in cell {
                let begin = u32::try_from(bytes.len()).unwrap();
                bytes.extend_from_slice(value.as_bytes());
                cells.push(Some(begin..u32::try_from(bytes.len()).unwrap()));
            }
            ends.push(cells.len());
        }
        examiner.reply(&Reply::Rows(Rows::new(&[], &bytes, &cells, &ends))).unwrap();
        asked.push(text);
    }
    (examiner.account(), asked)
}

#[test]
fn transactions_that_were_acknowledged_must_be_in_the_history() {
    let (source, rows) = history("tpcb-like", true, 50, &[7, 49]);
    let (account, asked) = examined(&source, &rows[..49], 0);
    assert_eq!((account.acknowledged, account.unanswered, account.found), (48, 2, 1));
    assert_eq!((account.lost, account.torn, account.strange, account.rows), (0, 0, 0, 49));
    assert_eq!(asked.len(), 5, "the count, the rows, and three tables of balances");
    let (account, _) = examined(&source, &rows[..40], 0);
    assert_eq!((account.lost, account.found), (9, 1));
    assert!(account.said[0].starts_with("the acknowledged transaction of aid "), "{:?}", account.said);
    let strange = [rows.as_slice(), &["1\t1\t1\t77777".to_owned()]].concat();
    let (account, _) = examined(&source, &strange, 2);
    assert_eq!((account.lost, account.torn, account.strange), (0, 6, 1));
}

#[test]
fn tables_that_others_have_written_to_are_only_looked_through() {
    let (source, rows) = history("simple-update", false, 20, &[]);
    let others = [rows.as_slice(), &["1\t1\t1\t77777".to_owned()]].concat();
    let (account, asked) = examined(&source, &others, 2);
    assert_eq!((account.lost, account.torn, account.strange, account.rows), (0, 0, 0, 21));
    assert_eq!(asked.len(), 2);
    let (source, _) = history("simple-update", true, 1, &[]);
    assert_eq!(examined(&source, &[], 0).1.len(), 3, "only accounts have the sums of the history");
    let own = Settings { history: Some(true), ..settings("SELECT 1;") };
    assert!(Scripts::new(&own).unwrap().examiner().is_none());
}
