//! YCSB against a store in memory that is right, however its work overlaps, and against the same store when it lies.
//!
//! Commands wait, are done and are answered in any order that the seed gives; some are never answered, and done later
//! or not at all. A right store must never be accused, and each lie must be found.

mod durability;
mod server;

use std::sync::{Arc, Mutex};

use weigh_load::Share;
use weigh_load::random::Random;
use weigh_load::workload::message::Command;
use weigh_load::workload::ycsb::{
    CoreWorkload, Lengths, Letter, Mix, Range, Requests, Settings, Store, Ycsb,
};
use weigh_load::workload::{Next, Outcome, Source, Unit};

use server::{Answer, Lie, Server};

const LETTERS: [Letter; 6] = [Letter::A, Letter::B, Letter::C, Letter::D, Letter::E, Letter::F];
const CONNECTIONS: usize = 12;
const FIELDS: u32 = 3;

enum Connection {
    Idle,
    Sent(Unit, Command),
    Done(Unit, Answer),
}

#[derive(Debug, Default)]
struct Tally {
    verified: u64,
    writes: u64,
    lost: u64,
    bad: Vec<Outcome>,
}

/// A workload on small rows.
fn small(letter: Letter) -> CoreWorkload {
    CoreWorkload { fields: FIELDS, field_bytes: Range::constant(28), ..letter.into() }
}

/// Mixes that no letter has: everything at once, with each way to draw keys, to name them, to read and to write.
fn mixes() -> Vec<CoreWorkload> {
    let mix = Mix { read: 4.0, update: 3.0, insert: 1.0, scan: 2.0, read_modify_write: 2.0 };
    let all = CoreWorkload { mix, ..small(Letter::A) };
    let field_bytes = Range { least: 24, most: 40, lengths: Lengths::Uniform };
    let scan_rows = Range { least: 2, most: 9, lengths: Lengths::Zipfian };
    vec![
        all.clone(),
        CoreWorkload { requests: Requests::Uniform, write_all: true, ..all.clone() },
        CoreWorkload { requests: Requests::Latest, read_all: false, scan_rows, ..all.clone() },
        CoreWorkload {
            requests: Requests::Hotspot { data: 0.5, operations: 0.8 },
            hashed: false,
            field_bytes,
            ..all.clone()
        },
        CoreWorkload {
            requests: Requests::Sequential,
            zero_padding: 24,
            write_all: true,
            read_all: false,
            ..all.clone()
        },
        CoreWorkload {
            requests: Requests::Exponential { percentile: 95.0, share: 0.5 },
            field_prefix: "f".into(),
            ..all
        },
    ]
}

/// Some thousand events in an order that the seed gives.
fn play(core: CoreWorkload, store: Store, records: u64, lie: Lie, seed: u64, events: u32) -> (Tally, u64) {
    let (source, mut server) = loaded(core, store, records, lie, seed);
    let tally = go_on(&source, &mut server, seed, events);
    (tally, server.lies)
}

fn loaded(core: CoreWorkload, store: Store, records: u64, lie: Lie, seed: u64) -> (Arc<Ycsb>, Server) {
    let expected_inserts = if core.mix.scan > 0.0 { 50 } else { 0 };
    let settings = Settings { core, records, seed, store, expected_inserts, share: Share::default() };
    let source = Ycsb::new(settings).unwrap();
    let server = Server::loaded(&source, lie, seed);
    (source, server)
}

/// So many events; what is on its way at the end is never answered, and done or not.
fn go_on(source: &Arc<Ycsb>, server: &mut Server, seed: u64, events: u32) -> Tally {
    let mut workers = [source.worker(0), source.worker(1)];
    let mut random = Random::new(seed ^ 0xabcd);
    let mut connections: Vec<Connection> = (0..CONNECTIONS).map(|_| Connection::Idle).collect();
    let mut forsaken: Vec<Command> = Vec::new();
    let mut tally = Tally::default();
    for _ in 0..events {
        if !forsaken.is_empty() && random.below(20) == 0 {
            let at = usize::try_from(random.below(forsaken.len() as u64)).unwrap();
            let command = forsaken.swap_remove(at);
            // What nobody waits for any longer may still be done, or not.
            if random.below(2) == 0 {
                server.execute(&command);
            }
        }
        let at = usize::try_from(random.below(CONNECTIONS as u64)).unwrap();
        let worker = workers[at % 2].as_mut();
        let chance = random.below(200);
        let next = match std::mem::replace(&mut connections[at], Connection::Idle) {
            Connection::Idle => {
                let (_, unit, next) = worker.begin(at);
                Some((unit, next))
            }
            Connection::Sent(unit, command) if chance == 0 => {
                tally.lost += 1;
                worker.lost(unit);
                forsaken.push(command);
                None
            }
            Connection::Sent(unit, _) if chance == 1 => {
                connections[at] = Connection::Done(unit, Answer::Error);
                None
            }
            Connection::Sent(unit, command) => {
                let answer = server.execute(&command);
                connections[at] = Connection::Done(unit, answer);
                None
            }
            Connection::Done(unit, _) if chance == 0 => {
                tally.lost += 1;
                worker.lost(unit);
                None
            }
            Connection::Done(unit, answer) => {
                let next = answer.hand_to(worker, &unit);
                Some((unit, next))
            }
        };
        match next {
            None => {}
            Some((unit, Next::Send(command))) => connections[at] = Connection::Sent(unit, command),
            Some((_, Next::Done(Outcome::Right { verified }))) => {
                tally.verified += verified;
                tally.writes += u64::from(verified == 0);
            }
            Some((_, Next::Done(Outcome::Failed(text)))) => assert_eq!(text, "canceled (57014)"),
            Some((_, Next::Done(outcome))) => tally.bad.push(outcome),
            Some((_, Next::Sleep(_))) => panic!("YCSB does not sleep"),
        }
    }
    for (at, connection) in connections.into_iter().enumerate() {
        match connection {
            Connection::Idle => {}
            Connection::Sent(unit, command) => {
                workers[at % 2].lost(unit);
                if random.below(2) == 0 {
                    server.execute(&command);
                }
            }
            Connection::Done(unit, _) => workers[at % 2].lost(unit),
        }
    }
    tally
}

const STORES: [Store; 2] = [Store::Sql, Store::KeyValue { ordered_index: true }];

#[test]
fn a_right_store_is_never_accused() {
    for letter in LETTERS {
        for store in STORES {
            // Few rows, so that writes of one field overlap all the time; and more, so that they seldom do.
            for (records, seed) in [(1, 1), (2, 2), (3, 3), (10, 4), (10, 5), (300, 6)] {
                let (tally, _) = play(small(letter), store, records, Lie::None, seed, 4_000);
                assert_eq!(tally.bad, [], "{letter:?} {store:?} {records} {seed}");
                assert!(tally.verified > 500 && tally.lost > 2, "{letter:?} {tally:?}");
                assert_eq!(tally.writes > 0, matches!(letter, Letter::A | Letter::B | Letter::D | Letter::E));
            }
        }
    }
}

#[test]
fn every_lie_is_found() {
    let cases: [(Lie, &[Letter], &str); 7] = [
        (Lie::LostWrite, &[Letter::A, Letter::B, Letter::F], "lost update or a stale read"),
        (Lie::StaleRead, &[Letter::A, Letter::B, Letter::F], "lost update or a stale read"),
        (Lie::ForeignRow, &[Letter::A, Letter::C, Letter::D], "holds the value of field"),
        (Lie::MissingRow, &[Letter::A, Letter::C, Letter::D], ""),
        (Lie::DamagedByte, &[Letter::A, Letter::C, Letter::F], ""),
        (Lie::HoledScan, &[Letter::E], "leaves out"),
        (Lie::UnorderedScan, &[Letter::E], "not in the order"),
    ];
    for (lie, letters, words) in cases {
        for letter in letters {
            for store in STORES {
                for (records, seed) in [(3, 1), (100, 2)] {
                    let (tally, lies) = play(small(*letter), store, records, lie, seed, 5_000);
                    let right = |outcome: &&Outcome| match outcome {
                        Outcome::Wrong(text) => text.contains(words),
                        _ => lie == Lie::MissingRow,
                    };
                    let found = tally.bad.iter().filter(right).count() as u64;
                    assert!(lies > 2, "{lie:?} {letter:?}");
                    // Not every stale row is one: the server may pick a row whose write is in flight.
                    assert!(
                        found * 10 > lies,
                        "{lie:?} {letter:?} {store:?}: {found} of {lies}, {:?}",
                        tally.bad
                    );
                }
            }
        }
    }
}

#[test]
fn an_insert_that_is_lost_is_found() {
    for store in STORES {
        for letter in [Letter::D, Letter::E] {
            let (tally, lies) = play(small(letter), store, 50, Lie::LostWrite, 3, 15_000);
            assert!(lies > 3 && !tally.bad.is_empty(), "{letter:?} {store:?} {lies}");
        }
    }
}

#[test]
fn threads_at_once_are_not_accused_either() {
    let letter = Letter::A;
    let store = Store::Sql;
    let settings = Settings {
        core: small(letter),
        records: 4,
        seed: 5,
        store,
        expected_inserts: 0,
        share: Share::default(),
    };
    let source = Ycsb::new(settings).unwrap();
    let server = Mutex::new(Server::loaded(&source, Lie::None, 5));
    let verified: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let (source, server) = (&source, &server);
                scope.spawn(move || {
                    let mut worker = source.worker(thread);
                    let mut verified = 0;
                    for _ in 0..8_000 {
                        let (_, unit, mut next) = worker.begin(0);
                        loop {
                            match next {
                                Next::Send(command) => {
                                    let answer = server.lock().unwrap().execute(&command);
                                    next = answer.hand_to(worker.as_mut(), &unit);
                                }
                                Next::Done(Outcome::Right { verified: rows }) => {
                                    verified += rows;
                                    break;
                                }
                                other => panic!("{other:?}"),
                            }
                        }
                    }
                    verified
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(verified > 12_000);
}

#[test]
fn scans_of_a_store_without_order_are_refused() {
    let store = Store::KeyValue { ordered_index: false };
    let settings =
        |core| Settings { core, records: 4, seed: 5, store, expected_inserts: 0, share: Share::default() };
    let error = Ycsb::new(settings(small(Letter::E))).unwrap_err().to_string();
    assert!(error.contains("ordered index"), "{error}");
    assert!(Ycsb::new(settings(small(Letter::D))).is_ok());
    let good = small(Letter::A);
    for bad in [
        CoreWorkload { fields: 0, ..good.clone() },
        CoreWorkload { field_bytes: Range::constant(23), ..good.clone() },
        CoreWorkload {
            field_bytes: Range { least: 1, most: 100, lengths: Lengths::Uniform },
            ..good.clone()
        },
        CoreWorkload { mix: Mix::default(), ..good.clone() },
        CoreWorkload { mix: Mix { read: f64::NAN, ..good.mix }, ..good.clone() },
        CoreWorkload { requests: Requests::Hotspot { data: 0.0, operations: 0.8 }, ..good.clone() },
        CoreWorkload { requests: Requests::Exponential { percentile: 100.0, share: 0.5 }, ..good.clone() },
        CoreWorkload { field_prefix: "f; DROP TABLE".into(), ..good.clone() },
    ] {
        let shown = format!("{bad:?}");
        assert!(Ycsb::new(settings(bad)).is_err(), "{shown}");
    }
    assert!(Ycsb::new(Settings { records: 0, ..settings(good) }).is_err());
}

#[test]
fn no_mix_accuses_a_right_store() {
    for core in mixes() {
        for store in STORES {
            for (records, seed) in [(4, 1), (200, 2)] {
                let (tally, _) = play(core.clone(), store, records, Lie::None, seed, 3_000);
                assert_eq!(tally.bad, [], "{core:?} {store:?} {records} {seed}");
                assert!(tally.verified > 300 && tally.lost > 2 && tally.writes > 0, "{core:?} {tally:?}");
            }
        }
    }
}

#[test]
fn lies_are_found_in_any_mix() {
    for core in mixes() {
        for store in STORES {
            for (lie, words) in [
                (Lie::LostWrite, "lost update or a stale read"),
                (Lie::DamagedByte, ""),
                (Lie::MissingRow, ""),
                (Lie::HoledScan, "leaves out"),
            ] {
                let (tally, lies) = play(core.clone(), store, 10, lie, 7, 3_500);
                let right = |outcome: &&Outcome| match outcome {
                    Outcome::Wrong(text) => text.contains(words),
                    _ => lie == Lie::MissingRow,
                };
                let found = tally.bad.iter().filter(right).count() as u64;
                assert!(
                    lies > 2 && found * 10 > lies,
                    "{lie:?} {core:?} {store:?}: {found} of {lies} {:?}",
                    tally.bad
                );
            }
        }
    }
}

#[test]
fn a_row_that_was_written_in_pieces_is_found() {
    let whole = CoreWorkload { write_all: true, ..small(Letter::A) };
    for store in STORES {
        let (tally, lies) = play(whole.clone(), store, 3, Lie::TornWrite, 1, 5_000);
        let torn =
            tally.bad.iter().filter(|bad| matches!(bad, Outcome::Wrong(text) if text.contains("torn row")));
        assert!(lies > 2 && torn.count() > 2, "{lies} {:?}", tally.bad);
    }
}
