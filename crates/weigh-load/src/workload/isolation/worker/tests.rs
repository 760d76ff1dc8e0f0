//! The recorder: retries, lost commits, and what stays unknown.

use super::super::Settings;
use super::*;
use crate::config::TargetKind;
use crate::workload::Source;
use crate::workload::message::Rows;

fn workload() -> (Arc<Isolation>, Box<dyn Workload>) {
    let settings = Settings { seed: 1, level: Some("SERIALIZABLE".to_owned()) };
    let shared = Arc::new(Isolation::new(&settings, TargetKind::Postgres).unwrap());
    let worker = Source::worker(&shared, 0);
    (shared, worker)
}

/// Answers everything until a statement is sent, which it returns unanswered.
fn until(worker: &mut Box<dyn Workload>, unit: &Unit, mut next: Next, wanted: usize) -> Vec<usize> {
    let mut sent = Vec::new();
    while let Next::Send(Command::Prepared { statement, values }) = &next {
        sent.push(*statement);
        if *statement == wanted {
            return sent;
        }
        let register = matches!(values.first(), Some(Parameter::Int(key)) if key % 4 == 3);
        let (text, list) = if register { (&b"2serializable"[..], 1) } else { (&b"1,2serializable"[..], 3) };
        let (cells, ends) = ([Some(0..list), Some(list..list + 12)], [2]);
        // The range is empty: all that comes is the level.
        let (none, ends_of_none) = ([Some(0..0), Some(0..0), Some(0..12)], [3]);
        let reply = match *statement {
            READ => Reply::Rows(Rows::new(&[], text, &cells, &ends)),
            RANGE => Reply::Rows(Rows::new(&[], b"serializable", &none, &ends_of_none)),
            _ => Reply::Count(1),
        };
        next = worker.reply(unit, &reply, true);
    }
    panic!("{wanted} was never sent: {next:?}");
}

fn history(shared: &Arc<Isolation>, worker: Box<dyn Workload>) -> History {
    worker.finish();
    shared.history().unwrap()
}

fn outcomes(history: &History) -> Vec<(u32, (u64, u64), Ended)> {
    history.transactions().iter().map(|one| (one.process, (one.begun, one.ended), one.outcome)).collect()
}

#[test]
fn a_commit_is_written_down_with_its_times_and_the_level_that_was_named() {
    let (shared, mut worker) = workload();
    for place in 0..20 {
        let (_, unit, next) = worker.begin(3);
        until(&mut worker, &unit, next, COMMIT);
        let done = worker.reply(&unit, &Reply::Count(0), false);
        assert!(matches!(done, Next::Done(Outcome::Right { .. })), "{done:?}");
        worker.timed(3, 100 * place + 10, 100 * place + 60);
    }
    let history = history(&shared, worker);
    assert_eq!(outcomes(&history)[1], (3, (110, 160), Ended::Committed));
    assert_eq!(history.levels(), ["serializable"]);
    let read =
        history.transactions().iter().flat_map(|one| history.operations(one)).find_map(|one| match one {
            Operation::List { list: Some(list), .. } if list.1 > 0 => Some(*list),
            _ => None,
        });
    assert_eq!(history.list(read.unwrap()), [1, 2]);
}

#[test]
fn what_the_server_gives_up_is_made_again_with_other_elements() {
    let (shared, mut worker) = workload();
    let (_, unit, next) = worker.begin(0);
    until(&mut worker, &unit, next, COMMIT);
    let refused = Reply::Error { code: "40001", text: "could not serialize access" };
    let next = worker.reply(&unit, &refused, false);
    until(&mut worker, &unit, next, COMMIT);
    worker.reply(&unit, &Reply::Count(0), false);
    worker.timed(0, 10, 60);
    assert_eq!(Source::account(&shared).unwrap()["retries"], serde_json::json!({}));
    let history = history(&shared, worker);
    assert_eq!(outcomes(&history), [(0, (10, 10), Ended::Aborted), (0, (11, 60), Ended::Committed)]);
    assert_eq!(Source::account(&shared).unwrap()["retries"], serde_json::json!({"40001": 1}));
    weigh_isolation::check(&history).expect("no element is appended twice");
}

#[test]
fn a_lock_of_sqlite_is_waited_for_longer_and_longer() {
    let (_shared, mut worker) = workload();
    let (_, unit, _) = worker.begin(0);
    let (mut waited, mut attempts) = (Duration::ZERO, 0);
    let busy = Reply::Error { code: "SQLITE_BUSY", text: "database is locked" };
    let last = loop {
        match worker.reply(&unit, &busy, false) {
            Next::Sleep(wait) => {
                waited += wait;
                worker.wake(&unit);
            }
            Next::Send(_) => {}
            Next::Done(outcome) => break outcome,
        }
        attempts += 1;
    };
    assert!(matches!(last, Outcome::Failed(_)));
    assert_eq!(attempts, TRIES_OF_LOCKS);
    assert!(waited > Duration::from_mins(1), "{waited:?}");
}

#[test]
fn of_a_commit_without_an_answer_nobody_knows_and_without_a_commit_nothing_is_left() {
    let (shared, mut worker) = workload();
    let (_, unit, next) = worker.begin(5);
    until(&mut worker, &unit, next, COMMIT);
    worker.lost(unit);
    worker.timed(5, 10, 60);
    // Another process from here on.
    let (_, unit, next) = worker.begin(5);
    until(&mut worker, &unit, next, COMMIT);
    let text = "terminating connection due to administrator command";
    let done = worker.reply(&unit, &Reply::Error { code: "57P01", text }, false);
    assert!(matches!(done, Next::Done(Outcome::Failed(_))));
    worker.timed(5, 70, 80);
    let (_, unit, next) = worker.begin(5);
    let Next::Send(_) = next else { panic!("{next:?}") };
    worker.reply(&unit, &Reply::Count(0), true);
    worker.lost(unit);
    // Nobody says when it was: the run is over.
    let all = outcomes(&history(&shared, worker));
    let processes: Vec<u32> = all.iter().map(|one| one.0).collect();
    assert_eq!(processes, [5, 5 + PROCESSES, 5 + 2 * PROCESSES]);
    let ends: Vec<Ended> = all.iter().map(|one| one.2).collect();
    assert_eq!(ends, [Ended::Unknown, Ended::Unknown, Ended::Aborted]);
    assert!(all[2].1.0 > 80, "{all:?}");
}
