//! Windows: the ticks between two scans, and how what only the scan found is laid on them.

use crate::counters::Slow;
use crate::disk::DiskUse;
use crate::process_table::Spent;

/// One tick; times in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tick {
    /// When it began, since the moment that the sampler was given.
    pub at: u64,
    /// What it covers.
    pub span: u64,
    /// CPU time of the machine: user, nice and system.
    pub busy: Option<u64>,
    /// CPU time of own processes.
    pub own: Option<u64>,
    /// CPU time of foreign processes.
    pub foreign: Option<u64>,
    /// What the hypervisor gave to others.
    pub steal: Option<u64>,
    /// Share of the span in which some task was stalled: for CPU, memory, I/O.
    pub pressure: [Option<f64>; 3],
    /// Tasks running or ready to run at its end, without the sampler.
    pub queue: Option<u64>,
    /// Context switches.
    pub switches: Option<u64>,
    /// What each block device did.
    pub disks: Option<Vec<DiskUse>>,
    /// What is read less often, where this tick read it.
    pub slow: Option<Box<Slow>>,
}

impl Tick {
    /// Busy time that no known process has.
    fn open(&self) -> u64 {
        let known = self.own.unwrap_or(0) + self.foreign.unwrap_or(0);
        self.busy.unwrap_or(0).saturating_sub(known)
    }
}

/// Lays on the ticks what the scan found beyond what ticks saw themselves: in proportion to the busy time that is open,
/// or to their spans where none is.
pub(crate) fn complete(ticks: &mut [Tick], more: Spent) {
    let open: Vec<u64> = ticks.iter().map(Tick::open).collect();
    let weights =
        if open.iter().sum::<u64>() > 0 { open } else { ticks.iter().map(|tick| tick.span).collect() };
    let (mut left, mut own, mut foreign) = (weights.iter().sum::<u64>(), more.own, more.foreign);
    for (tick, weight) in ticks.iter_mut().zip(weights) {
        // Of what is left, so that nothing is lost to rounding.
        let mine = |rest: &mut u64| {
            let share = part(*rest, weight, left);
            *rest -= share;
            share
        };
        tick.own = Some(tick.own.unwrap_or(0) + mine(&mut own));
        tick.foreign = Some(tick.foreign.unwrap_or(0) + mine(&mut foreign));
        left -= weight;
    }
}

fn part(whole: u64, weight: u64, weights: u64) -> u64 {
    if weights == 0 {
        return 0;
    }
    let share = u128::from(whole) * u128::from(weight) / u128::from(weights);
    u64::try_from(share).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(busy: u64, own: u64, foreign: u64) -> Tick {
        Tick { span: 50, busy: Some(busy), own: Some(own), foreign: Some(foreign), ..Tick::default() }
    }

    #[test]
    fn what_the_scan_found_is_laid_where_busy_time_is_open() {
        let mut ticks = [tick(50, 50, 0), tick(80, 40, 10), tick(20, 5, 5)];
        complete(&mut ticks, Spent { own: 4, foreign: 40 });
        assert_eq!(ticks.each_ref().map(|tick| tick.own.unwrap()), [50, 43, 6]);
        assert_eq!(ticks.each_ref().map(|tick| tick.foreign.unwrap()), [0, 40, 15]);
    }

    #[test]
    fn without_open_time_it_is_laid_evenly_and_nothing_is_lost() {
        let mut ticks = [tick(0, 0, 0), tick(0, 0, 0), tick(0, 0, 0)];
        complete(&mut ticks, Spent { own: 10, foreign: 0 });
        assert_eq!(ticks.iter().map(|tick| tick.own.unwrap()).sum::<u64>(), 10);
        assert!(ticks.iter().all(|tick| tick.foreign == Some(0)));
    }

    #[test]
    fn nothing_more_changes_nothing() {
        let mut ticks = [tick(50, 10, 20)];
        complete(&mut ticks, Spent::default());
        assert_eq!((ticks[0].own, ticks[0].foreign), (Some(10), Some(20)));
        complete(&mut [], Spent { own: 5, foreign: 5 });
    }
}
