//! What a read may show.
//!
//! Every write of a key has a version, in the order in which they were issued, and writes one field, which follows from
//! the key and the version. A read of a field may show version *c* unless it is certain that another write of that
//! field came after it, that is, unless there is a version *w* with
//!
//! * *c* was **applied** before *w* was **issued**, and *w* was applied before the read began, where
//! * *issued* is noted before the command is sent, and *applied* after the server acknowledged it, or after a read
//!   showed it.
//!
//! And *c* must have been issued before the reply came. These are the conditions of a register that is linearizable
//! (Herlihy, Wing 1990), so that nothing is reported of a server that is so, however writes overlap. A write whose outcome is
//! not known (a time-out, a lost connection, an error) may show at any time after, and hides nothing.
//!
//! # Memory
//!
//! 4 bytes for each key up to the highest that was written; and for a key with writes in flight, or with overlapping
//! ones whose order is not known yet, a list of them, which ends when a later write of the field is acknowledged.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::random::scatter;

/// Locks, so that threads seldom meet.
const STRIPES: u64 = 1024;
/// A time after every other.
const NEVER: u64 = u64::MAX;

/// Versions of all keys.
#[derive(Debug)]
pub(crate) struct ExpectedValues {
    seed: u64,
    fields: u32,
    stripes: Box<[Mutex<Stripe>]>,
}

#[derive(Debug, Default)]
struct Stripe {
    /// Counts events; times of one key are compared, and a key has one stripe.
    now: u64,
    /// The last version that was issued, by key / `STRIPES`; a key beyond the end has none but version 0.
    issued: Vec<u32>,
    /// Keys about whose writes not all is settled.
    open: HashMap<u64, Open>,
}

/// A key with writes that are in flight, overlap, or are of unknown outcome.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Open {
    /// Versions up to here are settled: of those of a field, all but the last are certainly replaced, and the last is
    /// if a write of `recent` in that field was applied. Those of `unknown` do not count.
    settled: u32,
    /// The versions after `settled`, in order.
    recent: VecDeque<Write>,
    /// Versions of unknown outcome, ascending.
    unknown: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Write {
    field: u32,
    issued: u64,
    /// `NEVER` until it is known.
    applied: u64,
    unknown: bool,
}

/// What was certain about a key when a read of it began.
#[derive(Debug)]
pub(crate) struct View {
    settled: u32,
    /// For a key that was open: more.
    open: Option<Box<Overlap>>,
}

impl View {
    /// Of a key that is only inserted and never written again.
    pub(crate) fn as_loaded() -> Self {
        Self { settled: 0, open: None }
    }
}

#[derive(Debug)]
struct Overlap {
    unknown: Vec<u32>,
    /// Fields of which no settled version may show any more.
    covered: Vec<u32>,
    /// Versions after the settled ones that are replaced.
    replaced: Vec<u32>,
}

/// Why a version may not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// It was never written, or not to that field.
    Unwritten,
    /// It had been replaced before the read began: by this version at least.
    Replaced {
        /// A later version of the field that was acknowledged.
        by: u32,
    },
}

/// All writes of the keys of one generator, as another one takes them in.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Writes {
    /// Keys, each with its last version.
    issued: Vec<(u64, u32)>,
    /// Those about whose writes not all is settled.
    open: Vec<(u64, Open)>,
}

/// What became of the writes of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kept {
    /// Acknowledged, or seen by a read.
    pub(crate) acknowledged: u64,
    /// Acknowledged versions that are neither there nor replaced, ascending.
    pub(crate) lost: Vec<u32>,
    /// Of unknown outcome.
    pub(crate) unanswered: u64,
    /// Versions of unknown outcome that are there.
    pub(crate) found: u64,
    /// Versions that show and were never written, or not to that field.
    pub(crate) unwritten: Vec<u32>,
}

impl ExpectedValues {
    pub(crate) fn new(seed: u64, fields: u32) -> Self {
        Self { seed, fields, stripes: (0..STRIPES).map(|_| Mutex::default()).collect() }
    }

    /// The field that a version of a key writes; any, for version 0.
    #[inline]
    pub(crate) fn field(&self, key: u64, version: u32) -> u32 {
        let bits = scatter(scatter(key ^ self.seed.rotate_left(32)) ^ u64::from(version));
        // The high half of the product is below `fields`.
        u32::try_from((u128::from(bits) * u128::from(self.fields)) >> 64).unwrap_or(0)
    }

    /// Keys of which a write was issued.
    pub(crate) fn written(&self) -> Vec<u64> {
        let mut found = Vec::new();
        for (number, stripe) in (0_u64..).zip(&self.stripes) {
            let stripe = stripe.lock().unwrap_or_else(PoisonError::into_inner);
            let versions = (0_u64..).zip(&stripe.issued);
            found.extend(
                versions.filter(|(_, version)| **version > 0).map(|(place, _)| place * STRIPES + number),
            );
        }
        found
    }

    /// All of them, when none is in flight any more.
    pub(crate) fn writes(&self) -> Writes {
        let mut found = Writes { issued: Vec::new(), open: Vec::new() };
        for (number, stripe) in (0_u64..).zip(&self.stripes) {
            let stripe = stripe.lock().unwrap_or_else(PoisonError::into_inner);
            let versions = (0_u64..).zip(stripe.issued.iter().copied());
            let written = versions.filter(|(_, version)| *version > 0);
            found.issued.extend(written.map(|(place, version)| (place * STRIPES + number, version)));
            found.open.extend(stripe.open.iter().map(|(key, open)| (*key, open.clone())));
        }
        found
    }

    /// Takes in the writes of another generator; the key that is written here already, if there is one.
    pub(crate) fn join(&self, writes: Writes) -> Result<(), u64> {
        for (key, version) in writes.issued {
            let mut stripe = self.stripe(key);
            let place = Self::place(key);
            if stripe.issued.len() <= place {
                stripe.issued.resize(place + 1, 0);
            }
            if std::mem::replace(&mut stripe.issued[place], version) > 0 {
                return Err(key);
            }
        }
        for (key, open) in writes.open {
            let mut stripe = self.stripe(key);
            let last = open.recent.iter().map(|write| write.issued).max().unwrap_or(0);
            stripe.now = stripe.now.max(last);
            stripe.open.insert(key, open);
        }
        Ok(())
    }

    /// A write of this key is about to be sent: its version.
    pub(crate) fn issue(&self, key: u64) -> u32 {
        let mut stripe = self.stripe(key);
        let place = Self::place(key);
        if stripe.issued.len() <= place {
            stripe.issued.resize(place + 1, 0);
        }
        let before = stripe.issued[place];
        let version = before.checked_add(1).expect("fewer than 2^32 writes of one key");
        stripe.issued[place] = version;
        let issued = stripe.tick();
        let field = self.field(key, version);
        let open = stripe.open.entry(key).or_insert_with(|| Open { settled: before, ..Open::default() });
        open.recent.push_back(Write { field, issued, applied: NEVER, unknown: false });
        version
    }

    /// The server acknowledged this write.
    pub(crate) fn acknowledge(&self, key: u64, version: u32) {
        self.resolve(key, version, |write, now| write.applied = write.applied.min(now));
    }

    /// Whether the server did this write, and when, will not be known.
    pub(crate) fn lose(&self, key: u64, version: u32) {
        // A read may have shown it in the meantime: then it is known.
        self.resolve(key, version, |write, _| write.unknown = write.applied == NEVER);
    }

    fn resolve(&self, key: u64, version: u32, change: impl FnOnce(&mut Write, u64)) {
        let mut stripe = self.stripe(key);
        let now = stripe.tick();
        let Some(open) = stripe.open.get_mut(&key) else { return };
        let Some(write) = open.write(version) else { return };
        change(write, now);
        if write.unknown {
            let at = open.unknown.partition_point(|other| *other < version);
            open.unknown.insert(at, version);
        }
        open.settle();
        if open.recent.is_empty() && open.unknown.is_empty() {
            stripe.open.remove(&key);
        }
    }

    /// A read of this key is about to be sent.
    pub(crate) fn view(&self, key: u64) -> View {
        let stripe = self.stripe(key);
        match stripe.open.get(&key) {
            None => View { settled: stripe.last(key), open: None },
            Some(open) => View { settled: open.settled, open: Some(Box::new(open.overlap())) },
        }
    }

    /// Whether a read of this field that began with `view` and has just been answered may show this version.
    pub(crate) fn check(&self, key: u64, field: u32, version: u32, view: &View) -> Result<(), Stale> {
        if version > 0 && self.field(key, version) != field {
            return Err(Stale::Unwritten);
        }
        let overlap = view.open.as_deref();
        let unknown = overlap.map_or(&[][..], |overlap| &overlap.unknown);
        if unknown.binary_search(&version).is_ok() {
            return Ok(());
        }
        if version > view.settled {
            if version > self.shown(key, version) {
                return Err(Stale::Unwritten);
            }
            return match overlap {
                Some(overlap) if overlap.replaced.binary_search(&version).is_ok() => {
                    Err(Stale::Replaced { by: version + 1 })
                }
                _ => Ok(()),
            };
        }
        let later = (version + 1..=view.settled)
            .find(|later| self.field(key, *later) == field && unknown.binary_search(later).is_err());
        if let Some(by) = later {
            return Err(Stale::Replaced { by });
        }
        match overlap {
            Some(overlap) if overlap.covered.contains(&field) => {
                Err(Stale::Replaced { by: view.settled + 1 })
            }
            _ => Ok(()),
        }
    }

    /// Compares what a key shows, the version of each field in order, with what was acknowledged. A field without one
    /// cannot be read. No write of the key may be in flight.
    ///
    /// What is lost is of unknown outcome from now on: what shows is right, and so is what the next write leaves.
    pub(crate) fn take_stock(&self, key: u64, shown: &[Option<u32>]) -> Kept {
        let mut stripe = self.stripe(key);
        let last = stripe.last(key);
        let mut kept = Kept::default();
        let open = stripe.open.get(&key);
        let unknown = open.map_or(&[][..], |open| &open.unknown);
        let settled = open.map_or(last, |open| open.settled);
        let recent = |version: u32| {
            let at = version.checked_sub(settled + 1)?;
            open?.recent.get(usize::try_from(at).ok()?).copied()
        };
        let uncertain = |version: u32| {
            unknown.binary_search(&version).is_ok() || recent(version).is_some_and(|one| one.applied == NEVER)
        };
        let in_flight = |write: &&Write| write.applied == NEVER && !write.unknown;
        let waiting = open.map_or(0, |open| open.recent.iter().filter(in_flight).count());
        kept.unanswered = (unknown.len() + waiting) as u64;
        kept.acknowledged = u64::from(last) - kept.unanswered;
        for (field, there) in (0..).zip(shown) {
            let Some(there) = *there else { continue };
            if there > last || there > 0 && self.field(key, there) != field {
                kept.unwritten.push(there);
            } else if there > 0 && uncertain(there) {
                // It may have come after every write that was acknowledged.
                kept.found += 1;
            } else {
                // Of writes that overlap, either may be the one that stays.
                let replaced = |later: u32| match (recent(there), recent(later)) {
                    (Some(there), Some(later)) => later.issued > there.applied,
                    _ => true,
                };
                let later = (there + 1..=last).filter(|later| self.field(key, *later) == field);
                kept.lost.extend(later.filter(|later| !uncertain(*later) && replaced(*later)));
            }
        }
        kept.lost.sort_unstable();
        stripe.forget(key, &kept.lost);
        kept
    }

    /// Notes that this version showed, and returns the last that was issued.
    fn shown(&self, key: u64, version: u32) -> u32 {
        let mut stripe = self.stripe(key);
        let now = stripe.tick();
        if let Some(open) = stripe.open.get_mut(&key)
            && let Some(write) = open.write(version)
            && !write.unknown
        {
            write.applied = write.applied.min(now);
        }
        stripe.last(key)
    }

    fn place(key: u64) -> usize {
        usize::try_from(key / STRIPES).unwrap_or(usize::MAX)
    }

    fn stripe(&self, key: u64) -> MutexGuard<'_, Stripe> {
        let at = usize::try_from(key % STRIPES).unwrap_or(0);
        self.stripes[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stripe {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    /// These versions of a key, which were acknowledged, are of unknown outcome.
    fn forget(&mut self, key: u64, versions: &[u32]) {
        if versions.is_empty() {
            return;
        }
        let last = self.last(key);
        let open = self.open.entry(key).or_insert_with(|| Open { settled: last, ..Open::default() });
        for version in versions {
            if let Some(write) = open.write(*version) {
                (write.applied, write.unknown) = (NEVER, true);
            }
            if let Err(at) = open.unknown.binary_search(version) {
                open.unknown.insert(at, *version);
            }
        }
        open.settle();
    }

    fn last(&self, key: u64) -> u32 {
        self.issued.get(ExpectedValues::place(key)).copied().unwrap_or(0)
    }
}

impl Open {
    fn write(&mut self, version: u32) -> Option<&mut Write> {
        let at = version.checked_sub(self.settled + 1)?;
        self.recent.get_mut(usize::try_from(at).ok()?)
    }

    /// Moves versions from the front of `recent` to the settled ones.
    fn settle(&mut self) {
        while let Some(first) = self.recent.front().copied() {
            let others = || self.recent.iter().skip(1).filter(|other| other.field == first.field);
            let replaced = || others().any(|other| other.applied != NEVER && other.issued > first.applied);
            // Of writes that overlap, either may be the one that stays.
            let overlapped = || others().any(|other| !other.unknown && other.issued < first.applied);
            if !(first.unknown || first.applied != NEVER && (!overlapped() || replaced())) {
                return;
            }
            self.recent.pop_front();
            self.settled += 1;
        }
    }

    fn overlap(&self) -> Overlap {
        let mut covered: Vec<u32> = Vec::new();
        let mut replaced = Vec::new();
        // From the back: the last issue among the applied writes of each field that come after.
        let mut latest: Vec<(u32, u64)> = Vec::new();
        let mut version = self.settled.wrapping_add(u32::try_from(self.recent.len()).unwrap_or(u32::MAX));
        for write in self.recent.iter().rev() {
            let this = version;
            version -= 1;
            if write.unknown {
                continue;
            }
            let of_field = latest.iter().find(|(field, _)| *field == write.field);
            if of_field.is_some_and(|(_, issued)| *issued > write.applied) {
                replaced.push(this);
            }
            if write.applied != NEVER && of_field.is_none() {
                latest.push((write.field, write.issued));
                covered.push(write.field);
            }
        }
        replaced.reverse();
        Overlap { unknown: self.unknown.clone(), covered, replaced }
    }
}
