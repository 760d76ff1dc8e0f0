//! Histories of stores whose isolation is known: what they cannot show must not be found, and what they do is.

mod store;

use std::collections::BTreeSet;

use adya::{History as Elle, Opts, Valid, Workload};
use store::{Level, Shape, history};
use weigh_isolation::{History, Report, check, read, write};

/// What cannot be at read committed and above.
const COMMITTED: [&str; 11] = [
    "duplicate-element",
    "unwritten-value",
    "divergent-order",
    "internal",
    "stale-read",
    "G0",
    "G1a",
    "G1b",
    "G1c",
    "G0-realtime",
    "G1c-realtime",
];
/// What cannot be at snapshot isolation besides.
const SNAPSHOT: [&str; 7] = [
    "non-repeatable-read",
    "lost-update",
    "G-single",
    "G-single-realtime",
    "long-fork",
    "G-nonadjacent",
    "G-nonadjacent-realtime",
];

fn names(report: &Report) -> BTreeSet<&'static str> {
    report.anomalies.iter().map(|one| one.name).collect()
}

fn found(level: Level, shape: Shape, seeds: std::ops::Range<u64>) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    for seed in seeds {
        let report = check(&history(level, shape, seed)).unwrap();
        all.extend(names(&report));
        for one in &report.anomalies {
            for example in &one.examples {
                for (at, step) in example.steps.iter().enumerate() {
                    assert_eq!(
                        (step.from, step.to),
                        (at, (at + 1) % example.steps.len()),
                        "{}: {example:?}",
                        one.name
                    );
                }
            }
        }
    }
    all
}

fn shapes() -> [Shape; 4] {
    let usual =
        Shape { transactions: 400, processes: 8, keys: 3, registers: false, lost: 0.05, aborted: 0.05 };
    [
        usual,
        Shape { processes: 3, keys: 1, ..usual },
        Shape { processes: 20, keys: 8, lost: 0.3, ..usual },
        Shape { registers: true, ..usual },
    ]
}

#[test]
fn one_after_the_other_shows_nothing() {
    for shape in shapes() {
        assert_eq!(found(Level::Serial, shape, 0..40), BTreeSet::new());
    }
}

#[test]
fn snapshots_show_what_they_may_alone() {
    for shape in shapes() {
        let all = found(Level::Snapshot, shape, 0..40);
        let allowed: BTreeSet<_> = ["write-skew", "G2-item"].into();
        assert!(all.is_subset(&allowed), "{all:?}");
        assert_eq!(all.contains("write-skew"), shape.keys > 1, "{shape:?}: {all:?}");
    }
}

#[test]
fn committed_reads_show_what_they_may_alone() {
    for shape in shapes() {
        let all = found(Level::Committed, shape, 0..40);
        for one in COMMITTED {
            assert!(!all.contains(one), "{one}: {shape:?}");
        }
        for one in ["lost-update", "non-repeatable-read"] {
            assert!(all.contains(one), "{one}: {shape:?}");
        }
    }
}

#[test]
fn stores_that_lie_are_found() {
    let [usual, ..] = shapes();
    for (level, wanted) in [
        (Level::Stale, "stale-read"),
        (Level::Reordered, "G0-realtime"),
        (Level::Uncommitted, "G1a"),
        (Level::Uncommitted, "G1b"),
        (Level::Uncommitted, "G0"),
        (Level::Overwriting, "divergent-order"),
        (Level::Forked, "long-fork"),
    ] {
        let shape = if level == Level::Forked { Shape { keys: 2, ..usual } } else { usual };
        let all = found(level, shape, 0..40);
        assert!(all.contains(wanted), "{level:?} shows {all:?}, not {wanted}");
    }
}

#[test]
fn a_file_holds_all_of_it() {
    let [usual, .., registers] = shapes();
    for shape in [usual, registers] {
        let made = history(Level::Committed, shape, 7);
        let path =
            std::env::temp_dir().join(format!("weigh-history-{}-{}.gz", std::process::id(), shape.registers));
        write(&made, &path).unwrap();
        let (report, again) = (check(&made).unwrap(), check(&read(&path).unwrap()).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(names(&report), names(&again));
        assert_eq!(
            (report.committed, report.aborted, report.unknown),
            (again.committed, again.aborted, again.unknown)
        );
        assert_eq!((report.edges, report.levels), (again.edges, again.levels));
    }
}

/// Elle's method by others.
fn others(history: &History, model: &str) -> Valid {
    let path = std::env::temp_dir().join(format!("weigh-elle-{}-{model}.gz", std::process::id()));
    write(history, &path).unwrap();
    let mut text = String::new();
    let mut packed = flate2::read::MultiGzDecoder::new(std::fs::File::open(&path).unwrap());
    std::io::Read::read_to_string(&mut packed, &mut text).unwrap();
    std::fs::remove_file(&path).unwrap();
    let elle = Elle::parse(&text).unwrap();
    let timeout = std::time::Duration::from_mins(1);
    adya::check(
        &elle,
        Workload::ListAppend,
        &Opts { models: vec![model.to_owned()], timeout, ..Opts::default() },
    )
    .valid
}

#[test]
fn others_judge_the_same_histories_alike() {
    let [usual, one_key, many, _] = shapes();
    let strict: Vec<&str> = COMMITTED.into_iter().chain(SNAPSHOT).chain(["write-skew", "G2-item"]).collect();
    let untimed = |names: &BTreeSet<&'static str>, forbidden: &[&str]| {
        names.iter().any(|one| forbidden.contains(one) && !one.contains("realtime") && *one != "stale-read")
    };
    let mut bad = 0;
    for level in [
        Level::Serial,
        Level::Snapshot,
        Level::Committed,
        Level::Uncommitted,
        Level::Overwriting,
        Level::Forked,
    ] {
        for shape in [usual, one_key, many] {
            for seed in 1_000..1_003 {
                let made = history(level, Shape { transactions: 150, ..shape }, seed);
                let own = names(&check(&made).unwrap());
                let snapshot: Vec<&str> = COMMITTED.into_iter().chain(SNAPSHOT).collect();
                for (model, forbidden) in [
                    ("read-committed", &COMMITTED[..]),
                    ("snapshot-isolation", &snapshot),
                    ("serializable", &strict),
                ] {
                    // Reads that see less than their own transaction wrote are no matter of Elle's read committed.
                    let mine: Vec<&str> = forbidden
                        .iter()
                        .copied()
                        .filter(|one| model != "read-committed" || *one != "internal")
                        .collect();
                    let violated = untimed(&own, &mine);
                    let theirs = others(&made, model);
                    assert_eq!(
                        theirs == Valid::False,
                        violated,
                        "{level:?} {shape:?} {seed} {model}: {own:?}"
                    );
                    bad += usize::from(violated);
                }
            }
        }
    }
    assert!(bad > 25, "{bad}");
}
