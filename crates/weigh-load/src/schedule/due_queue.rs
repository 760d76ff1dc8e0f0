//! What is due and not sent yet: two places in the schedule, and nothing in between is kept.
//!
//! However far a server falls behind, the memory is that of two numbers: the moments in between can be walked again.

use std::iter::Peekable;

use crate::schedule::Schedule;

/// Requests of one thread that are due.
pub(crate) struct DueQueue {
    arriving: Peekable<Schedule>,
    leaving: Peekable<Schedule>,
    begun: u64,
    /// Requests that have become due.
    pub(crate) arrived: u64,
    /// Those of them that were sent.
    pub(crate) left: u64,
    /// The most that waited at once.
    pub(crate) longest: u64,
}

impl DueQueue {
    /// A schedule that began at `begun`, in nanoseconds of the run's clock.
    pub(crate) fn new(schedule: Schedule, begun: u64) -> Self {
        Self {
            arriving: schedule.clone().peekable(),
            leaving: schedule.peekable(),
            begun,
            arrived: 0,
            left: 0,
            longest: 0,
        }
    }

    /// The schedule stood still for so long: what was not sent is due later by as much.
    pub(crate) fn shift(&mut self, by: u64) {
        self.begun += by;
    }

    /// Counts what has become due until now.
    pub(crate) fn arrive(&mut self, now: u64) {
        let past = now.saturating_sub(self.begun);
        while self.arriving.next_if(|at| *at <= past).is_some() {
            self.arrived += 1;
        }
    }

    /// Takes the oldest request, if it is due: the moment it was due.
    pub(crate) fn take(&mut self, now: u64) -> Option<u64> {
        let past = now.checked_sub(self.begun)?;
        let at = self.leaving.next_if(|at| *at <= past)?;
        self.left += 1;
        Some(self.begun + at)
    }

    /// When the oldest one is due; nothing if there is no more.
    pub(crate) fn next(&mut self) -> Option<u64> {
        self.leaving.peek().map(|at| self.begun + at)
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> u64 {
        self.arrived.saturating_sub(self.left)
    }

    /// Remembers how many wait.
    pub(crate) fn measure(&mut self) {
        self.longest = self.longest.max(self.waiting());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SECOND;
    use crate::schedule::Arrivals;

    #[test]
    fn nothing_due_is_lost_however_late_it_is_taken() {
        let schedule = Schedule::new(&Arrivals::Constant { rate: 1000.0 }, 0, 1, 60 * SECOND);
        let mut queue = DueQueue::new(schedule, 500);
        assert_eq!((queue.take(499), queue.take(500), queue.take(500)), (None, Some(500), None));
        queue.arrive(30 * SECOND + 500);
        queue.measure();
        assert_eq!((queue.arrived, queue.left, queue.waiting()), (30_001, 1, 30_000));
        assert_eq!(queue.next(), Some(1_000_500));
        assert_eq!(queue.take(30 * SECOND), Some(1_000_500));
        queue.arrive(u64::MAX);
        assert_eq!((queue.arrived, queue.longest), (60_000, 30_000));
        assert_eq!(std::iter::from_fn(|| queue.take(u64::MAX)).count(), 59_998);
        assert_eq!(queue.waiting(), 0);
    }
}
