//! When a write was made, as the client says it: of two writes to one cell the later one stays, whatever order nodes get
//! them in. Each node has a clock of its own; drivers therefore say it themselves, and all connections of a run by one
//! clock.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::clock::wall;

/// Microseconds since 1970, each later than the one before.
#[derive(Debug, Default)]
pub(crate) struct WriteClock(AtomicI64);

impl WriteClock {
    pub(super) fn next(&self) -> i64 {
        let now = i64::try_from(wall() / 1_000).unwrap_or(i64::MAX);
        let later = |last: i64| Some(now.max(last.saturating_add(1)));
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, later).map_or(now, |last| now.max(last + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_later_than_the_one_before() {
        let clock = WriteClock::default();
        let times: Vec<i64> = (0..10_000).map(|_| clock.next()).collect();
        assert!(times.is_sorted_by(|a, b| a < b));
    }
}
