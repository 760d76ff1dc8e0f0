//! The thread that keeps the books of a run: intervals, deadlines, the end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crate::clock::SECOND;
use crate::shared::{ATTENTION, PARTING};
use crate::totals::Totals;

use super::deadline::Watch;
use super::dispatcher::Desk;

/// Deadlines are looked at no more often than this.
const GLANCE: u64 = SECOND / 1000;

/// Keeps the books until the run is over, and sums up.
pub(crate) fn keep(desk: &Desk, watches: &[Arc<Watch>]) -> Totals {
    let shared = &desk.shared;
    // A deadline that is set after a look lies at least this far ahead.
    let patrol = shared.timeout.clamp(GLANCE, ATTENTION);
    let mut parting = None;
    loop {
        let now = shared.clock.now();
        let first = watches.iter().filter_map(|watch| watch.look(now)).min().unwrap_or(u64::MAX);
        let mut state = desk.hold();
        desk.turn(&mut state, now);
        if parting.is_none() && shared.stop.load(Ordering::Relaxed) {
            parting = Some(now + PARTING);
            state.end = state.end.min(now);
        }
        let end = state.end;
        state.arrive(now);
        let done = match parting {
            Some(parting) => state.in_flight == 0 || now >= parting,
            None => desk.is_done(&state, now),
        };
        if done || desk.is_over() {
            let totals = desk.sum_up(&mut state, now);
            desk.close();
            drop(state);
            while watches.iter().fold(false, |busy, watch| watch.close() | busy) {
                thread::sleep(Duration::from_nanos(GLANCE));
            }
            return totals;
        }
        let mut until = state.boundary.min(first).min(now + patrol);
        if now < end {
            until = until.min(end);
        }
        drop(desk.rest(state, until.saturating_sub(now).max(1)));
    }
}
