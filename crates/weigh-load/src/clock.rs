//! One monotonic clock for a run, the clocks that it is compared with, and timers that are exact.

use std::fs;
use std::num::NonZeroU64;
use std::time::Instant;

use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::Error;

/// Nanoseconds in a second.
pub(crate) const SECOND: u64 = 1_000_000_000;
/// A wall clock that moved by more than this against the monotonic one was set. NTP slews by 0.5 ms a second at most.
const JUMP: i128 = 5_000_000;

/// Nanoseconds since an origin that all threads of a run share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self { origin: Instant::now() }
    }

    pub(crate) fn now(self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Makes timers of the calling thread exact to the nanosecond, as far as the machine is.
pub(crate) fn exact_timers() -> Result<(), Error> {
    rustix::thread::set_current_timer_slack(NonZeroU64::new(1)).map_err(Error::system("timer slack"))
}

/// What making the requests has taken so far, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Computed.
    pub(crate) cpu: u64,
    /// Wanted a processor and had none; 0 where the kernel does not say.
    pub(crate) waited: u64,
}

impl Spent {
    /// Of the calling thread.
    pub(crate) fn by_thread() -> Self {
        let cpu = u64::try_from(nanoseconds(clock_gettime(ClockId::ThreadCPUTime))).unwrap_or(0);
        Self { cpu, waited: thread_waited().unwrap_or(0) }
    }

    /// Of the whole process, of which the kernel does not say how long it waited.
    pub(crate) fn by_process() -> Self {
        let cpu = u64::try_from(nanoseconds(clock_gettime(ClockId::ProcessCPUTime))).unwrap_or(0);
        Self { cpu, waited: 0 }
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self { cpu: self.cpu.saturating_sub(before.cpu), waited: self.waited.saturating_sub(before.waited) }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.waited += other.waited;
    }
}

/// The second number of `schedstat`: nanoseconds on a run queue.
fn thread_waited() -> Option<u64> {
    fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The machine's monotonic clock, in nanoseconds: the one that [`Clock`] counts on.
pub(crate) fn monotonic() -> u64 {
    u64::try_from(nanoseconds(clock_gettime(ClockId::Monotonic))).unwrap_or(0)
}

/// Wall clock, in nanoseconds since 1970.
pub(crate) fn wall() -> i128 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

/// Counts how often the wall clock was set, or the machine slept, while the monotonic clock ran.
#[derive(Debug)]
pub(crate) struct JumpCounter {
    last: (i128, i128),
    pub(crate) jumps: u64,
}

impl JumpCounter {
    pub(crate) fn new() -> Self {
        Self { last: distances(), jumps: 0 }
    }

    /// Looks again; to be called about once a second.
    pub(crate) fn check(&mut self) {
        let now = distances();
        if (now.0 - self.last.0).abs() > JUMP || (now.1 - self.last.1).abs() > JUMP {
            self.jumps += 1;
        }
        self.last = now;
    }
}

/// How far wall clock and boot clock are from the monotonic clock. The boot clock goes on while the machine sleeps.
fn distances() -> (i128, i128) {
    // A preemption between two readings looks like a jump: the quickest of three tries counts.
    let mut best = (i128::MAX, (0, 0));
    for _ in 0..3 {
        let before = nanoseconds(clock_gettime(ClockId::Monotonic));
        let (wall, boot) = (wall(), nanoseconds(clock_gettime(ClockId::Boottime)));
        let took = nanoseconds(clock_gettime(ClockId::Monotonic)) - before;
        if took < best.0 {
            best = (took, (wall - before, boot - before));
        }
    }
    best.1
}

fn nanoseconds(time: Timespec) -> i128 {
    i128::from(time.tv_sec) * i128::from(SECOND) + i128::from(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_wall_clock_is_a_jump() {
        let mut counter = JumpCounter::new();
        counter.check();
        assert_eq!(counter.jumps, 0);
        counter.last.0 -= 3_600 * i128::from(SECOND);
        counter.check();
        assert_eq!(counter.jumps, 1);
        counter.check();
        assert_eq!(counter.jumps, 1);
    }
}
