//! The order of keys, which a scan has to follow without leaving out any.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::key_names::{KeyNames, Rank};

/// The keys that certainly exist, in the order of their names.
#[derive(Debug)]
pub(crate) struct KeyOrder {
    names: KeyNames,
    /// Those that were loaded.
    loaded: Vec<Rank>,
    inserted: Mutex<Inserted>,
}

#[derive(Debug, Default)]
struct Inserted {
    /// With the time of the acknowledgement.
    keys: BTreeMap<Rank, u64>,
    now: u64,
}

impl KeyOrder {
    /// After keys 0 to `records` - 1 were loaded.
    pub(crate) fn of(records: u64, names: KeyNames) -> Self {
        let mut loaded: Vec<Rank> = (0..records).map(|key| names.rank(key)).collect();
        loaded.sort_unstable();
        Self { names, loaded, inserted: Mutex::default() }
    }

    /// An insert was acknowledged.
    pub(crate) fn add(&self, key: u64) {
        let mut inserted = self.inserted.lock().unwrap_or_else(PoisonError::into_inner);
        inserted.now += 1;
        let now = inserted.now;
        inserted.keys.insert(self.names.rank(key), now);
    }

    /// A key whose insert was acknowledged is not there.
    pub(crate) fn remove(&self, key: u64) {
        let mut inserted = self.inserted.lock().unwrap_or_else(PoisonError::into_inner);
        inserted.keys.remove(&self.names.rank(key));
    }

    /// The time, for [`missing`](Self::missing).
    pub(crate) fn now(&self) -> u64 {
        self.inserted.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    /// How many keys a scan left out that certainly existed at `began`: from `start` to its last row, or to the end
    /// if it showed fewer rows than it was asked for. `shown` are its rows, ascending.
    pub(crate) fn missing(&self, start: Rank, shown: &[Rank], whole: bool, began: u64) -> usize {
        let last = match shown.last() {
            Some(last) if whole => *last,
            _ => (u64::MAX, u8::MAX),
        };
        let absent = |key: &Rank| shown.binary_search(key).is_err();
        let from = self.loaded.partition_point(|key| *key < start);
        let loaded =
            self.loaded[from..].iter().take_while(|key| **key <= last).filter(|key| absent(key)).count();
        if start > last {
            return loaded;
        }
        let inserted = self.inserted.lock().unwrap_or_else(PoisonError::into_inner);
        let of_inserted =
            inserted.keys.range(start..=last).filter(|(key, added)| **added <= began && absent(key)).count();
        loaded + of_inserted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scan_leaves_out_is_counted() {
        let names = KeyNames { hashed: true, padding: 1 };
        let rank = |key| names.rank(key);
        let order = KeyOrder::of(100, names);
        let mut all: Vec<Rank> = (0..100).map(rank).collect();
        all.sort_unstable();
        let (start, began) = (all[10], order.now());
        assert_eq!(order.missing(start, &all[10..20], true, began), 0);
        let holed: Vec<Rank> = all[10..20].iter().copied().filter(|key| *key != all[15]).collect();
        assert_eq!(order.missing(start, &holed, true, began), 1);
        assert_eq!(order.missing(start, &all[12..20], true, began), 2);
        // Fewer rows than asked for: then they are the last.
        assert_eq!(order.missing(start, &all[10..20], false, began), 80);
        assert_eq!(order.missing(all[95], &all[95..], false, began), 0);
        assert_eq!(order.missing(start, &[], true, began), 90);
        // A key that was inserted counts for scans that began later.
        let new = (100..10_000).find(|key| rank(*key) > all[10] && rank(*key) < all[19]).unwrap();
        order.add(new);
        assert_eq!(order.missing(start, &all[10..20], true, began), 0);
        assert_eq!(order.missing(start, &all[10..20], true, order.now()), 1);
    }
}
