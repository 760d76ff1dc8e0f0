use super::*;
use crate::workload::message::Reply;
use crate::workload::{Next, Outcome};

fn recording(name: &str, lines: &str, duration: u64) -> Arc<Recording> {
    let path = std::env::temp_dir().join(format!("weigh-replay-{name}-{}", std::process::id()));
    std::fs::write(&path, lines).unwrap();
    let settings = Settings {
        path: path.clone(),
        operations: vec!["a".into(), "b".into()],
        speed: 2.0,
        lanes: 2,
        prepare: None,
        begin: Some("SET x = 1".into()),
        reset: Some("RESET x".into()),
        keep: true,
        answer_bytes: 100,
    };
    let read = Recording::read(settings, duration);
    std::fs::remove_file(path).unwrap();
    Arc::new(read.unwrap())
}

const LINES: &str = r#"{"lane": 0, "at": 0, "operation": 0, "group": 1, "text": "BEGIN"}
{"lane": 1, "at": 1000, "operation": 1, "group": 2, "text": "SELECT $1", "values": ["x"], "keep": true}
{"lane": 0, "at": 2000, "operation": 1, "group": 1, "text": "COMMIT"}
{"lane": 0, "at": 9000, "operation": 1, "group": 3, "text": "SELECT 3"}
{"lane": 0, "at": 9500, "operation": 1, "group": 4, "reset": true, "text": "SELECT 4"}
"#;

fn sent(next: &Next) -> &str {
    match next {
        Next::Send(Command::Simple(text) | Command::Unnamed { text, .. }) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_connection_sends_its_own_in_order_at_twice_the_speed() {
    let recording = recording("order", LINES, 4_500);
    // What is due at the end of the run is not offered.
    assert_eq!(recording.lanes, Lanes::new([vec![0, 1_000], vec![500]]));
    let mut worker = Arc::clone(&recording).worker(0);
    let (operation, unit, next) = worker.begin(0);
    assert_eq!((operation, sent(&next)), (0, "SET x = 1"));
    let next = worker.reply(&unit, &Reply::Count(0), false);
    assert_eq!(sent(&next), "BEGIN");
    assert!(matches!(worker.reply(&unit, &Reply::Count(0), true), Next::Done(Outcome::Right { .. })));
    assert!(worker.keeps_block(0), "the COMMIT belongs to it");
    worker.timed(0, 10_000, 30_000);
    let (_, unit, next) = worker.begin(0);
    assert_eq!(sent(&next), "COMMIT");
    worker.reply(&unit, &Reply::Error { code: "40001", text: "no" }, false);
    assert!(!worker.keeps_block(0));
    worker.timed(0, 40_000, 50_000);
    worker.finish();
    let came = recording.report();
    assert_eq!((came.sent, came.done), (vec![10, -1, 40, -1, -1], vec![30, -1, 50, -1, -1]));
    assert_eq!((came.rows, came.errors), (vec![0, -1, -1, -1, -1], vec![(2, "40001".to_owned())]));
}

#[test]
fn a_transaction_is_not_gone_on_with_when_its_connection_is_lost() {
    let recording = recording("lost", LINES, u64::MAX);
    let mut worker = Arc::clone(&recording).worker(0);
    let (_, unit, _) = worker.begin(0);
    worker.reply(&unit, &Reply::Count(0), false);
    worker.reply(&unit, &Reply::Count(0), true);
    worker.timed(0, 0, 0);
    worker.disconnected(0);
    let (_, _, next) = worker.begin(0);
    assert!(matches!(next, Next::Done(Outcome::Failed(why)) if why.contains("lost")));
    worker.timed(0, 0, 0);
    // The next one begins on a new connection, and the one after it is another session's.
    let (_, unit, next) = worker.begin(0);
    assert_eq!(sent(&next), "SET x = 1");
    assert_eq!(sent(&worker.reply(&unit, &Reply::Count(0), false)), "SELECT 3");
    worker.reply(&unit, &Reply::Count(0), false);
    let (_, unit, next) = worker.begin(0);
    assert_eq!(sent(&next), "RESET x");
    assert_eq!(sent(&worker.reply(&unit, &Reply::Count(0), false)), "SELECT 4");
}
