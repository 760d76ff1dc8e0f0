//! Lists: whoever reads one sees in which order it was written.

use std::collections::HashMap;

use crate::history::{Operation, Outcome};
use crate::observed::{NOBODY, Observed};
use crate::report::{Example, Step, StepKind};
use crate::search::witness;

/// Writers of a key behind everything that was read of it, of which dependencies are inferred; to leave some out is safe.
const BEHIND: usize = 8;

/// What is known of a key.
#[derive(Debug, Default)]
struct List {
    /// The longest list that a committed transaction read, by its place in the history.
    longest: (u32, u32),
    reader: Option<u32>,
    /// Committed transactions that appended what is in no list that was read, with what they appended.
    behind: Vec<(u32, u32)>,
    /// Of every length of the list: the earliest end of a committed transaction whose append is behind it, and what it
    /// appended. One more than elements.
    missed: Vec<(u64, u32, u32)>,
}

/// A read by a committed transaction.
#[derive(Clone, Copy, Debug)]
struct Read {
    transaction: u32,
    key: u32,
    list: (u32, u32),
}

/// Looks through all lists.
pub(crate) fn observe(observed: &mut Observed<'_>) {
    let history = observed.history;
    let mut lists: HashMap<u32, List> = HashMap::new();
    let mut reads = Vec::new();
    for (place, one) in (0..).zip(history.transactions()) {
        if one.outcome != Outcome::Committed {
            continue;
        }
        for operation in history.operations(one) {
            if let Operation::List { key, list: Some(list) } = *operation {
                reads.push(Read { transaction: place, key, list });
                let known = lists.entry(key).or_default();
                if known.reader.is_none() || list.1 > known.longest.1 {
                    (known.longest, known.reader) = (list, Some(place));
                }
            }
        }
    }
    read_elements(observed, &lists);
    behind(observed, &mut lists);
    for read in &reads {
        if let Some(list) = lists.get(&read.key) {
            look(observed, list, *read);
        }
    }
    for (place, one) in (0..).zip(history.transactions()) {
        if one.outcome == Outcome::Committed {
            within(observed, place);
            lost_updates(observed, &lists, place);
        }
    }
}

/// The elements of the longest lists: who wrote each, and in which order.
fn read_elements(observed: &mut Observed<'_>, lists: &HashMap<u32, List>) {
    let history = observed.history;
    let mut keys: Vec<_> =
        lists.iter().filter_map(|(key, list)| Some((*key, list.longest, list.reader?))).collect();
    keys.sort_unstable();
    for (key, longest, reader) in keys {
        elements(observed, key, history.list(longest), reader);
        let mut before = (NOBODY, 0);
        for element in history.list(longest) {
            let writer = observed.committed_writer(key, *element);
            if writer != NOBODY {
                match observed.outcome(writer) {
                    Outcome::Unknown => observed.seen[writer as usize] = true,
                    _ => observed.writes_read += 1,
                }
                if before.0 != NOBODY {
                    observed.edges.add(before.0, writer, StepKind::Ww, key, (before.1, *element));
                }
            }
            // Of an element whose writer cannot have committed nothing follows for its neighbours.
            before = (writer, *element);
        }
    }
}

/// What may not be in a list at all.
fn elements(observed: &mut Observed<'_>, key: u32, list: &[u32], reader: u32) {
    let mut once = std::collections::HashSet::with_capacity(list.len());
    for element in list {
        if !once.insert(*element) {
            observed.found("duplicate-element", &[reader], key, Some(*element));
            continue;
        }
        match observed.writers.get(&(key, *element)).copied() {
            None => observed.found("unwritten-value", &[reader], key, Some(*element)),
            Some(one) if observed.outcome(one.transaction) == Outcome::Aborted => {
                observed.found("G1a", &[one.transaction, reader], key, Some(*element));
            }
            Some(_) => {}
        }
    }
}

/// Committed appends that nobody read, and what each length of a list lacks.
fn behind(observed: &mut Observed<'_>, lists: &mut HashMap<u32, List>) {
    let history = observed.history;
    let mut place_of: HashMap<(u32, u32), usize> = HashMap::new();
    for (key, list) in lists.iter() {
        for (place, element) in history.list(list.longest).iter().enumerate() {
            place_of.entry((*key, *element)).or_insert(place);
        }
    }
    for (place, one) in (0..).zip(history.transactions()) {
        if one.outcome != Outcome::Committed {
            continue;
        }
        for operation in history.operations(one) {
            if let Operation::Append { key, element } = *operation
                && !place_of.contains_key(&(key, element))
                && let Some(list) = lists.get_mut(&key)
            {
                list.behind.push((place, element));
            }
        }
    }
    for (key, list) in lists.iter_mut() {
        let ended = |(transaction, element): (u32, u32)| {
            let known = transaction != NOBODY && observed.outcome(transaction) == Outcome::Committed;
            let ended = if known { history.transactions()[transaction as usize].ended } else { u64::MAX };
            (ended, transaction, element)
        };
        let none = (u64::MAX, NOBODY, 0);
        let mut earliest = list.behind.iter().copied().map(ended).min().unwrap_or(none);
        let mut missed = vec![earliest];
        for element in history.list(list.longest).iter().rev() {
            earliest = earliest.min(ended((observed.committed_writer(*key, *element), *element)));
            missed.push(earliest);
        }
        missed.reverse();
        list.missed = missed;
        list.behind.truncate(BEHIND);
        // Of one element nobody knows where it stands, unless something of the key was read.
        if list.longest.1 > 0
            && let Some(last) = history.list(list.longest).last()
        {
            let writer = observed.committed_writer(*key, *last);
            if writer != NOBODY {
                for (later, element) in &list.behind {
                    observed.edges.add(writer, *later, StepKind::Ww, *key, (*last, *element));
                }
            }
        }
    }
}

/// One read: what it saw, and what it did not.
fn look(observed: &mut Observed<'_>, list: &List, read: Read) {
    let history = observed.history;
    let Read { transaction, key, .. } = read;
    let (own, longest) = (history.list(read.list), history.list(list.longest));
    let ends_with = own.last().copied();
    if let Some(element) = ends_with
        && let Some(writer) = observed.writers.get(&(key, element)).copied()
        && !writer.last
        && writer.transaction != transaction
    {
        observed.found("G1b", &[writer.transaction, transaction], key, Some(element));
    }
    if own != &longest[..own.len()] {
        let other = list.reader.unwrap_or(transaction);
        observed.found("divergent-order", &[transaction, other], key, ends_with);
        elements(observed, key, own, transaction);
        return;
    }
    // What it appended itself says nothing of others.
    let from_others = own.iter().rposition(|one| observed.committed_writer(key, *one) != transaction);
    if let Some(place) = from_others {
        let writer = observed.committed_writer(key, own[place]);
        if writer != NOBODY {
            observed.edges.add(writer, transaction, StepKind::Wr, key, (own[place], 0));
        }
    }
    let last = ends_with.unwrap_or(0);
    if let Some(next) = longest.get(own.len()) {
        let writer = observed.committed_writer(key, *next);
        if writer != NOBODY {
            observed.edges.add(transaction, writer, StepKind::Rw, key, (last, *next));
        }
    } else {
        for (writer, element) in &list.behind {
            observed.edges.add(transaction, *writer, StepKind::Rw, key, (last, *element));
        }
    }
    let begun = history.transactions()[transaction as usize].begun;
    let (ended, writer, element) = list.missed[own.len()];
    if ended < begun && writer != transaction {
        stale(observed, read, (writer, element), begun - ended);
    }
}

/// A read that lacks what had been committed before its transaction began.
fn stale(observed: &mut Observed<'_>, read: Read, (writer, element): (u32, u32), gap: u64) {
    let history = observed.history;
    let last = history.list(read.list).last().copied();
    observed.example("stale-read", || Example {
        transactions: vec![
            witness(history, writer, &[read.key]),
            witness(history, read.transaction, &[read.key]),
        ],
        steps: vec![
            Step {
                from: 0,
                to: 1,
                kind: StepKind::Rt,
                key: None,
                first: None,
                second: None,
                gap_s: Some(seconds(gap)),
            },
            Step {
                from: 1,
                to: 0,
                kind: StepKind::Rw,
                key: Some(read.key),
                first: last,
                second: Some(element),
                gap_s: None,
            },
        ],
        key: Some(read.key),
        element: Some(element),
    });
}

/// Reads of one list within a transaction.
fn within(observed: &mut Observed<'_>, transaction: u32) {
    let history = observed.history;
    let operations = history.operations(&history.transactions()[transaction as usize]);
    for (place, operation) in operations.iter().enumerate() {
        let Operation::List { key, list: Some(list) } = *operation else { continue };
        let own = history.list(list);
        let mut appended = Vec::new();
        let mut before = None;
        for earlier in &operations[..place] {
            match *earlier {
                Operation::Append { key: other, element } if other == key => appended.push(element),
                Operation::List { key: other, list: Some(read) } if other == key => {
                    before = Some(history.list(read));
                    appended.clear();
                }
                _ => {}
            }
        }
        if !own.ends_with(&appended) {
            observed.found("internal", &[transaction], key, appended.last().copied());
        } else if let Some(before) = before
            && appended.is_empty()
            && before != own
        {
            let other = own.iter().find(|one| !before.contains(one)).copied();
            let writer = other.map_or(NOBODY, |one| observed.committed_writer(key, one));
            let all = if writer == NOBODY { vec![transaction] } else { vec![transaction, writer] };
            // A row that was not there: the predicate was met by another row, and no row had changed.
            let name = if before.is_empty() { "phantom" } else { "non-repeatable-read" };
            observed.found(name, &all, key, other);
        }
    }
}

/// Whether it appended to a list that it had read before somebody else appended.
fn lost_updates(observed: &mut Observed<'_>, lists: &HashMap<u32, List>, transaction: u32) {
    let history = observed.history;
    let operations = history.operations(&history.transactions()[transaction as usize]);
    for (place, operation) in operations.iter().enumerate() {
        let Operation::Append { key, element } = *operation else { continue };
        let earlier = operations[..place].iter().rev().find_map(|one| match *one {
            Operation::List { key: other, list: Some(read) } if other == key => {
                Some(Some(history.list(read)))
            }
            // What it appended itself lies between.
            Operation::Append { key: other, .. } if other == key => Some(None),
            _ => None,
        });
        let (Some(Some(read)), Some(list)) = (earlier, lists.get(&key)) else { continue };
        let longest = history.list(list.longest);
        if longest.get(..read.len()) != Some(read) {
            continue;
        }
        let Some(at) = longest.iter().position(|one| *one == element) else { continue };
        let between = longest.get(read.len()..at).unwrap_or(&[]);
        let others = between.iter().map(|one| (observed.committed_writer(key, *one), *one));
        let other = others.into_iter().find(|(one, _)| *one != NOBODY && *one != transaction);
        if let Some((writer, theirs)) = other {
            let last = read.last().copied();
            observed.example("lost-update", || Example {
                transactions: vec![witness(history, transaction, &[key]), witness(history, writer, &[key])],
                steps: vec![
                    Step {
                        from: 0,
                        to: 1,
                        kind: StepKind::Rw,
                        key: Some(key),
                        first: last,
                        second: Some(theirs),
                        gap_s: None,
                    },
                    Step {
                        from: 1,
                        to: 0,
                        kind: StepKind::Ww,
                        key: Some(key),
                        first: Some(theirs),
                        second: Some(element),
                        gap_s: None,
                    },
                ],
                key: Some(key),
                element: Some(element),
            });
        }
    }
}

/// Nanoseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "fewer than 2^53 of a run")]
pub(crate) fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 * 1e-9
}
