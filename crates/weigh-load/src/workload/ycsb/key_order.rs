//! The order of keys, which a scan has to follow without leaving out any.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::key_distribution::fnv64;

/// Sorts as the name of a key does, byte by byte: the digits after `user`, filled up with zeros; then the shorter first.
pub(crate) type Rank = (u64, u8);

/// The rank of a key number.
pub(crate) fn rank(key: u64) -> Rank {
    let hash = fnv64(key);
    let digits = hash.checked_ilog10().unwrap_or(0) + 1;
    // A hash without its sign has at most 19 digits, and 10^19 fits into 64 bits.
    (hash * 10_u64.pow(19 - digits), u8::try_from(digits).unwrap_or(u8::MAX))
}

/// The keys that certainly exist, in the order of their names.
#[derive(Debug)]
pub(crate) struct KeyOrder {
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
    pub(crate) fn of(records: u64) -> Self {
        let mut loaded: Vec<Rank> = (0..records).map(rank).collect();
        loaded.sort_unstable();
        Self { loaded, inserted: Mutex::default() }
    }

    /// An insert was acknowledged.
    pub(crate) fn add(&self, key: u64) {
        let mut inserted = self.inserted.lock().unwrap_or_else(PoisonError::into_inner);
        inserted.now += 1;
        let now = inserted.now;
        inserted.keys.insert(rank(key), now);
    }

    /// A key whose insert was acknowledged is not there.
    pub(crate) fn remove(&self, key: u64) {
        let mut inserted = self.inserted.lock().unwrap_or_else(PoisonError::into_inner);
        inserted.keys.remove(&rank(key));
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
    use crate::workload::ycsb::key_name;

    #[test]
    fn ranks_sort_as_names() {
        let mut keys: Vec<u64> = (0..5_000).collect();
        keys.sort_by_key(|key| key_name(*key));
        assert!(keys.is_sorted_by_key(|key| rank(*key)));
        assert!(keys.iter().any(|key| rank(*key).1 < 18), "names of several lengths");
    }

    #[test]
    fn what_a_scan_leaves_out_is_counted() {
        let order = KeyOrder::of(100);
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
