//! A bandwidth that all connections share.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Hands out the time on a line of so many bytes in a second.
#[derive(Debug)]
pub(crate) struct Pace {
    rate: f64,
    free: Mutex<Instant>,
}

impl Pace {
    pub(crate) fn new(rate: f64) -> Self {
        Self { rate, free: Mutex::new(Instant::now()) }
    }

    /// Waits until so many bytes are through.
    pub(crate) fn pass(&self, bytes: usize) {
        thread::sleep(self.due(bytes, Instant::now()).saturating_duration_since(Instant::now()));
    }

    /// When so many bytes are through that come now.
    #[expect(clippy::cast_precision_loss, reason = "a piece of a body")]
    fn due(&self, bytes: usize, now: Instant) -> Instant {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        *free = (*free).max(now) + Duration::from_secs_f64(bytes as f64 / self.rate);
        *free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_together_goes_one_after_the_other() {
        let pace = Pace::new(1000.0);
        let now = Instant::now() + Duration::from_secs(1);
        assert_eq!(pace.due(500, now), now + Duration::from_millis(500));
        assert_eq!(pace.due(500, now), now + Duration::from_secs(1));
        // The line was idle meanwhile: nothing is saved up.
        let later = now + Duration::from_secs(10);
        assert_eq!(pace.due(100, later), later + Duration::from_millis(100));
    }
}
