//! Registers: only what was read before it was written shows an order.
//!
//! Whoever read a version and wrote the register comes after that version, at every level at which nobody reads what is
//! written later (G1c). Of a version that two such transactions replaced one update is lost, whichever came first.

use std::collections::{BTreeMap, HashMap};

use crate::history::{Operation, Outcome};
use crate::observed::{NOBODY, Observed};
use crate::report::{Example, Step, StepKind};
use crate::search::witness;

/// Readers or writers of one version of which dependencies are inferred; to leave some out is safe.
const MOST: usize = 64;

/// Who read a version.
#[derive(Debug, Default)]
struct Version {
    /// And wrote nothing to it.
    readers: Vec<u32>,
    /// And replaced it, with what.
    replaced: Vec<(u32, u32)>,
}

/// Looks through all registers.
pub(crate) fn observe(observed: &mut Observed<'_>) {
    let history = observed.history;
    // The version that nobody wrote is 0.
    let mut versions: BTreeMap<(u32, u32), Version> = BTreeMap::new();
    for (place, one) in (0..).zip(history.transactions()) {
        if one.outcome != Outcome::Committed {
            continue;
        }
        let mut known: HashMap<u32, (u32, bool)> = HashMap::new();
        let mut replaces: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        let mut only_read: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for operation in history.operations(one) {
            match *operation {
                Operation::Register { key, value: Some(value) } => {
                    let value = value.unwrap_or(0);
                    read(observed, place, key, value, known.get(&key).copied());
                    if known.get(&key).is_none_or(|(_, own)| !own) {
                        only_read.entry(key).or_default().push(value);
                        known.insert(key, (value, false));
                    }
                }
                Operation::Write { key, value } => {
                    if let Some((before, false)) = known.insert(key, (value, true)) {
                        replaces.insert(key, (before, value));
                    } else if let Some((_, last)) = replaces.get_mut(&key) {
                        *last = value;
                    }
                }
                _ => {}
            }
        }
        for (key, (before, value)) in &replaces {
            versions.entry((*key, *before)).or_default().replaced.push((place, *value));
        }
        for (key, values) in only_read {
            for value in values {
                if replaces.get(&key).is_none_or(|(before, _)| *before != value) {
                    versions.entry((key, value)).or_default().readers.push(place);
                }
            }
        }
    }
    for ((key, value), version) in &versions {
        order(observed, *key, *value, version);
    }
}

/// One read of a committed transaction; `known` is what it knew of the register, and whether it wrote that itself.
fn read(observed: &mut Observed<'_>, transaction: u32, key: u32, value: u32, known: Option<(u32, bool)>) {
    match known {
        Some((before, true)) if before != value => {
            observed.found("internal", &[transaction], key, Some(before));
        }
        Some((before, false)) if before != value => {
            let writer = observed.committed_writer(key, value);
            let all = if writer == NOBODY { vec![transaction] } else { vec![transaction, writer] };
            let name = if before == 0 { "phantom" } else { "non-repeatable-read" };
            observed.found(name, &all, key, Some(value));
        }
        _ => {}
    }
    if value == 0 {
        return;
    }
    let Some(writer) = observed.writers.get(&(key, value)).copied() else {
        return observed.found("unwritten-value", &[transaction], key, Some(value));
    };
    if writer.transaction == transaction {
        return;
    }
    match observed.outcome(writer.transaction) {
        Outcome::Aborted => {
            return observed.found("G1a", &[writer.transaction, transaction], key, Some(value));
        }
        Outcome::Unknown => observed.seen[writer.transaction as usize] = true,
        Outcome::Committed => {}
    }
    if !writer.last {
        observed.found("G1b", &[writer.transaction, transaction], key, Some(value));
    }
    observed.edges.add(writer.transaction, transaction, StepKind::Wr, key, (value, 0));
}

/// What follows a version.
fn order(observed: &mut Observed<'_>, key: u32, value: u32, version: &Version) {
    let history = observed.history;
    let writer = observed.writers.get(&(key, value)).copied();
    if let Some(writer) = writer
        && !(version.readers.is_empty() && version.replaced.is_empty())
        && observed.outcome(writer.transaction) == Outcome::Committed
    {
        observed.writes_read += 1;
    }
    // An intermediate version is followed by its own writer's next one first, wherever it was read.
    for reader in version.readers.iter().take(MOST) {
        for (replaced_by, by) in version.replaced.iter().take(MOST) {
            observed.edges.add(*reader, *replaced_by, StepKind::Rw, key, (value, *by));
        }
    }
    for pair in version.replaced.windows(2) {
        let ((one, first), (other, second)) = (pair[0], pair[1]);
        let known = (value > 0).then_some(value);
        let step = |from, to, by| Step {
            from,
            to,
            kind: StepKind::Rw,
            key: Some(key),
            first: known,
            second: Some(by),
            gap_s: None,
        };
        observed.example("lost-update", || Example {
            transactions: vec![witness(history, one, &[key]), witness(history, other, &[key])],
            steps: vec![step(0, 1, second), step(1, 0, first)],
            key: Some(key),
            element: known,
        });
    }
}
