//! The sampler: a thread that reads the machine many times a second.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::sampler_state::{Drained, SamplerState};
use crate::{Error, sys};

/// Ticks after which their cost is looked at.
const REVIEW: u32 = 100;

struct Shared {
    state: Mutex<SamplerState>,
    wake: Condvar,
}

impl Shared {
    /// A thread that ended in the middle of something has left counters behind, nothing worse.
    fn lock(&self) -> MutexGuard<'_, SamplerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the machine until it is stopped or dropped. The thread ends with the process, whatever ends that.
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Sampler {
    /// Starts to read.
    ///
    /// `began` is the nanosecond of the monotonic clock from which [`Tick::at`] counts.
    ///
    /// # Errors
    ///
    /// [`Error::Rate`]: `hz` is not between 0.1 and 1000. [`Error::Thread`]: there is no thread to be had.
    pub fn start(hz: f64, began: u64) -> Result<Self, Error> {
        Self::start_at(Path::new("/"), hz, began)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 ms and 10 s")]
    fn start_at(root: &Path, hz: f64, began: u64) -> Result<Self, Error> {
        if !(0.1..=1000.0).contains(&hz) {
            return Err(Error::Rate { hz });
        }
        let pid = i32::try_from(std::process::id()).unwrap_or(0);
        let state = SamplerState::new(root, pid, (1e9 / hz) as u64, began);
        let shared = Arc::new(Shared { state: Mutex::new(state), wake: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("weigh-sampler".to_owned())
            .spawn(move || {
                sys::block_signals();
                // The next call returns the error that the thread has ended.
                let _ = catch_unwind(AssertUnwindSafe(|| sample(&theirs)));
            })
            .map_err(|reason| Error::Thread { reason })?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Counts a process and its descendants as own from now on.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`]: the sampler has failed.
    pub fn track(&self, pid: i32) -> Result<(), Error> {
        self.serve(|state| state.table.track(pid))
    }

    /// Ends the current tick here, so that what comes lies in another; not where a tick would be shorter than a hundred
    /// times what reading costs.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`]: the sampler has failed.
    pub fn mark(&self) -> Result<(), Error> {
        self.serve(SamplerState::mark)
    }

    /// What was seen since the last call. Between two calls that follow each other closely there is no scan for new processes,
    /// unless it is with `thorough`: what they used until they are found is laid on ticks of the next call.
    ///
    /// # Errors
    ///
    /// [`Error::Ended`]: the sampler has failed.
    pub fn drain(&self, thorough: bool) -> Result<Drained, Error> {
        let drained = self.serve(|state| state.drain(thorough))?;
        Ok(Drained { cost: std::mem::take(&mut self.shared.lock().cost), ..drained })
    }

    /// Ends the thread. What it saw can still be drained.
    pub fn stop(&self) {
        self.shared.lock().stopped = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread().take() {
            // It caught its own panic.
            let _ = thread.join();
        }
    }

    /// Answers a call, and adds what that cost. A mistake in here must not end the caller's process.
    fn serve<T>(&self, work: impl FnOnce(&mut SamplerState) -> T) -> Result<T, Error> {
        let ended = self.thread().as_ref().is_some_and(JoinHandle::is_finished);
        let mut state = self.shared.lock();
        if ended && !state.stopped {
            return Err(Error::Ended);
        }
        let before = sys::thread_cpu();
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut state)));
        state.cost += sys::thread_cpu().saturating_sub(before);
        done.map_err(|_| Error::Ended)
    }

    fn thread(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn sample(shared: &Shared) {
    let mut state = shared.lock();
    let mut due = sys::monotonic() + state.period;
    let (mut ticks, mut since, mut cost) = (0, sys::monotonic(), sys::thread_cpu());
    while !state.stopped {
        let now = sys::monotonic();
        if now < due {
            let wait = Duration::from_nanos(due - now);
            state = shared.wake.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        // Somebody may have asked for a reading in between.
        if now.saturating_sub(state.ticked) < state.period / 2 {
            due = state.ticked + state.period;
            continue;
        }
        state.tick(false);
        let used = sys::thread_cpu();
        state.cost += used - state.thread_cost;
        state.thread_cost = used;
        due = sys::monotonic().max(due) + state.period;
        ticks += 1;
        if ticks == REVIEW {
            state.review(used - cost, now - since);
            (ticks, since, cost) = (0, now, used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_follow_each_other_without_gaps() {
        let sampler = Sampler::start(200.0, sys::monotonic()).unwrap();
        let mut ticks = Vec::new();
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(20));
            sampler.mark().unwrap();
            ticks.extend(sampler.drain(false).unwrap().ticks);
        }
        sampler.stop();
        ticks.extend(sampler.drain(true).unwrap().ticks);
        assert!(ticks.len() >= 3);
        assert!(ticks.windows(2).all(|pair| pair[0].at + pair[0].span == pair[1].at));
        assert!(ticks.iter().all(|tick| tick.own.is_some() && tick.foreign.is_some()));
    }

    #[test]
    fn its_cost_is_said_once() {
        let sampler = Sampler::start(100.0, 0).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(sampler.drain(true).unwrap().cost > 0);
        sampler.stop();
        sampler.drain(true).unwrap();
        assert!(sampler.drain(false).unwrap().ticks.is_empty());
    }

    #[test]
    fn rates_that_cannot_be() {
        for hz in [0.0, -1.0, 1e9, f64::NAN] {
            assert!(matches!(Sampler::start(hz, 0), Err(Error::Rate { .. })), "{hz}");
        }
    }

    #[test]
    fn a_mistake_is_an_error_and_no_panic_of_others() {
        let sampler = Sampler::start(20.0, 0).unwrap();
        assert!(matches!(sampler.serve(|_| panic!("on purpose")), Err::<(), _>(Error::Ended)));
        sampler.stop();
    }
}
