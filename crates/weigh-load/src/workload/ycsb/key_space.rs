//! Which keys exist: those that were loaded, and those whose insert was acknowledged.
//!
//! Keys are drawn from 0 up to the first insert that is not answered yet, as YCSB's acknowledged counter has it, without
//! those whose insert failed or is of unknown outcome.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub(crate) struct KeySpace {
    next: AtomicU64,
    /// Keys below this are answered for.
    answered: AtomicU64,
    holes: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Answered, beyond the first that is not.
    ahead: BTreeSet<u64>,
    /// Not known to exist.
    absent: HashSet<u64>,
}

impl KeySpace {
    /// After `records` keys were loaded.
    pub(crate) fn after(records: u64) -> Self {
        Self {
            next: AtomicU64::new(records),
            answered: AtomicU64::new(records),
            holes: AtomicBool::new(false),
            state: Mutex::default(),
        }
    }

    /// The number of a new key.
    pub(crate) fn take(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether an insert of this key was ever begun.
    pub(crate) fn begun(&self, key: u64) -> bool {
        key < self.next.load(Ordering::Relaxed)
    }

    /// The server answered: the key exists, or (failed, or unknown) may not.
    pub(crate) fn answer(&self, key: u64, exists: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !exists {
            state.absent.insert(key);
            self.holes.store(true, Ordering::Release);
        }
        state.ahead.insert(key);
        let mut answered = self.answered.load(Ordering::Relaxed);
        while state.ahead.remove(&answered) {
            answered += 1;
        }
        self.answered.store(answered, Ordering::Release);
    }

    /// Keys below this exist, or their insert was begun.
    pub(crate) fn count(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    /// Whether an insert of this key failed, or is of unknown outcome.
    pub(crate) fn is_uncertain(&self, key: u64) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.absent.contains(&key) || key >= self.answered() && !state.ahead.contains(&key)
    }

    /// A key whose insert was acknowledged is not there.
    pub(crate) fn lose(&self, key: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.absent.insert(key);
        self.holes.store(true, Ordering::Release);
    }

    /// Keys below this are drawn from.
    pub(crate) fn answered(&self) -> u64 {
        self.answered.load(Ordering::Acquire)
    }

    /// Whether a key exists for certain.
    pub(crate) fn exists(&self, key: u64) -> bool {
        if key >= self.answered() {
            return false;
        }
        if !self.holes.load(Ordering::Acquire) {
            return true;
        }
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        !state.absent.contains(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_exist_when_all_inserts_up_to_theirs_are_answered() {
        let inserts = KeySpace::after(10);
        assert!(inserts.exists(9) && !inserts.exists(10) && !inserts.begun(10));
        assert_eq!([inserts.take(), inserts.take(), inserts.take(), inserts.take()], [10, 11, 12, 13]);
        inserts.answer(11, true);
        assert_eq!(inserts.answered(), 10);
        inserts.answer(10, true);
        assert_eq!(inserts.answered(), 12);
        inserts.answer(12, false);
        inserts.answer(13, true);
        assert_eq!(inserts.answered(), 14);
        assert!(inserts.exists(11) && !inserts.exists(12) && inserts.exists(13) && inserts.begun(12));
    }
}
