//! One life of an engine as the proxy knows it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::tally::{Counting, Tally};

/// A life: what it sees, and what it has asked for.
pub(crate) struct Life {
    root: Mutex<String>,
    counting: Mutex<Counting>,
}

impl Life {
    pub(crate) fn new(root: String) -> Self {
        Self { root: Mutex::new(root), counting: Mutex::new(Counting::new(Instant::now())) }
    }

    pub(crate) fn root(&self) -> String {
        self.root.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn point(&self, root: &str) {
        root.clone_into(&mut self.root.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn counting(&self) -> MutexGuard<'_, Counting> {
        self.counting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self) -> Tally {
        self.counting().take(Instant::now())
    }

    /// A request is under way from now on, until what is returned goes.
    pub(crate) fn begin(&self, head: bool) -> UnderWay<'_> {
        self.counting().begin(head, Instant::now());
        UnderWay { life: self, failed: false }
    }
}

/// A request that is under way.
pub(crate) struct UnderWay<'a> {
    pub(crate) life: &'a Life,
    pub(crate) failed: bool,
}

impl UnderWay<'_> {
    pub(crate) fn add_bytes(&self, count: usize) {
        self.life.counting().add_bytes(count as u64);
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.life.counting().end(self.failed, Instant::now());
    }
}
