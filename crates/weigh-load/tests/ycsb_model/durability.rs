//! What is found when a server comes back: all that it acknowledged, or less.

use std::sync::Arc;

use weigh_load::workload::Source;
use weigh_load::workload::durability::Account;
use weigh_load::workload::ycsb::{CoreWorkload, Letter, Store, Ycsb};

use crate::server::{Lie, Server};
use crate::{STORES, go_on, loaded, small};

/// Letters that write.
const WRITING: [Letter; 4] = [Letter::A, Letter::D, Letter::E, Letter::F];

fn examined(source: &Arc<Ycsb>, server: &mut Server) -> Account {
    let mut examiner = source.examiner().unwrap();
    while let Some(command) = examiner.next() {
        server.execute(&command).reply(|reply| examiner.reply(reply)).unwrap();
    }
    examiner.account()
}

fn bad(account: &Account) -> [u64; 4] {
    [account.lost, account.missing, account.torn, account.strange]
}

/// Some events, a crash that takes the last writes, and what is found then.
fn crashed(letter: Letter, store: Store, seed: u64, without: usize) -> (Arc<Ycsb>, Server, Account) {
    // More rows than are asked for at once.
    let (source, mut server) =
        loaded(small(letter), store, if seed == 1 { 1_300 } else { 7 }, Lie::None, seed);
    go_on(&source, &mut server, seed, 3_000);
    server.crash(without);
    let account = examined(&source, &mut server);
    (source, server, account)
}

#[test]
fn a_server_that_has_kept_everything_is_not_accused() {
    for letter in WRITING {
        for store in STORES {
            for seed in 1..5 {
                let (source, mut server, account) = crashed(letter, store, seed, 0);
                assert_eq!(bad(&account), [0; 4], "{letter:?} {store:?} {seed}: {:?}", account.said);
                assert!(account.acknowledged > 20, "{account:?}");
                assert!(account.found <= account.unanswered);
                // It goes on, and dies again.
                let tally = go_on(&source, &mut server, seed + 7, 2_000);
                assert_eq!(tally.bad, [], "{letter:?} {store:?} {seed}");
                let more = examined(&source, &mut server);
                assert_eq!(bad(&more), [0; 4], "{letter:?} {store:?} {seed}: {:?}", more.said);
                assert!(more.acknowledged > account.acknowledged);
            }
        }
    }
}

#[test]
fn what_is_lost_is_counted_once_and_expected_no_more() {
    for letter in WRITING {
        for store in STORES {
            for seed in 1..5 {
                let (source, mut server, account) = crashed(letter, store, seed, 30);
                // Of the last writes some were not acknowledged, and some overlapped with others of the same field.
                assert!((5..=30).contains(&account.lost), "{letter:?} {store:?} {seed}: {account:?}");
                assert_eq!((account.torn, account.strange), (0, 0), "{:?}", account.said);
                let inserts = matches!(letter, Letter::D | Letter::E);
                assert_eq!(account.missing > 0, inserts, "{letter:?} {:?}", account.said);
                assert!(!account.said.is_empty());
                let again = examined(&source, &mut server);
                assert_eq!(bad(&again), [0; 4], "{letter:?} {store:?} {seed}: {:?}", again.said);
                let tally = go_on(&source, &mut server, seed + 7, 2_000);
                assert_eq!(tally.bad, [], "{letter:?} {store:?} {seed}");
            }
        }
    }
}

#[test]
fn a_row_with_a_wrong_byte_is_torn() {
    for store in STORES {
        let (source, mut server, _) = crashed(Letter::A, store, 3, 0);
        server.damage();
        let account = examined(&source, &mut server);
        assert_eq!(bad(&account), [0, 0, 1, 0], "{:?}", account.said);
    }
}

#[test]
fn a_server_that_comes_back_empty_has_lost_it_all() {
    for store in STORES {
        let (source, _, before) = crashed(Letter::A, store, 2, 0);
        let (_, mut empty) = loaded(small(Letter::A), store, 1, Lie::None, 99);
        empty.clear();
        let account = examined(&source, &mut empty);
        assert_eq!((account.missing, account.rows), (7, 0));
        assert!(account.unanswered > 0 && account.found == 0);
        assert_eq!((account.lost, account.acknowledged), (before.acknowledged, before.acknowledged));
    }
}

#[test]
fn rows_that_are_written_whole_are_read_back_too() {
    for store in STORES {
        for (seed, without) in [(1, 0), (2, 30)] {
            let whole = CoreWorkload { write_all: true, zero_padding: 22, ..small(Letter::A) };
            let (source, mut server) = loaded(whole, store, 7, Lie::None, seed);
            go_on(&source, &mut server, seed, 3_000);
            server.crash(without);
            let account = examined(&source, &mut server);
            assert_eq!((account.missing, account.torn, account.strange), (0, 0, 0), "{:?}", account.said);
            assert_eq!(account.lost > 0, without > 0, "{:?}", account.said);
        }
    }
}
