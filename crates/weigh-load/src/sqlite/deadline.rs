//! How long a call into SQLite may take: the deadline of one connection, seen from outside and from inside.
//!
//! A call cannot be given up as an answer over a socket can. Two things end it early: a lock that another connection
//! holds is waited for in a busy handler, which looks at the deadline; and whatever computes is interrupted from the
//! outside. Neither ends a call that is in the kernel, such as a write-back to the disk: that is waited for.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, InterruptHandle};

use crate::clock::{Clock, SECOND};

const MILLISECOND: u64 = 1_000_000;
/// How long a lock is waited for before and after a run, when there is no deadline.
const LOCK_TIMEOUT: u64 = 10 * SECOND;
/// How long SQLite's own busy handler sleeps before it tries again, in milliseconds: the first time, the second, and
/// so on; then always the last (`sqliteDefaultBusyCallback` of SQLite 3.54). How long a request waits for a lock is a
/// matter of these numbers, so they are the ones that users of `busy_timeout` meet.
const PAUSES: [u64; 12] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];

/// The deadline of what a connection is doing. Times are nanoseconds of the run's clock.
#[derive(Default)]
pub(crate) struct Deadline {
    /// Nothing while the connection is doing nothing. Held while it is interrupted, so that the interrupt never meets
    /// the call after the one that it was meant for.
    until: Mutex<Option<u64>>,
    over: AtomicBool,
    handle: OnceLock<InterruptHandle>,
}

impl Deadline {
    /// Lets the connection wait for locks until the deadline, and for each no longer than `most` nanoseconds.
    pub(crate) fn guard(
        self: &Arc<Self>,
        connection: &mut Connection,
        clock: Clock,
        most: u64,
    ) -> rusqlite::Result<()> {
        let deadline = Arc::clone(self);
        let mut began = 0;
        let wait = move |tries: i32| {
            if tries == 0 {
                began = clock.now();
            }
            deadline.pause(clock, began, most, usize::try_from(tries).unwrap_or(0))
        };
        connection.busy_handler(Some(wait))?;
        let _ = self.handle.set(connection.get_interrupt_handle());
        Ok(())
    }

    /// Sleeps before another try at a lock that has been waited for since `began`; false if the wait is over instead.
    pub(crate) fn pause(&self, clock: Clock, began: u64, most: u64, tries: usize) -> bool {
        let now = clock.now();
        let end = self.lock().unwrap_or(began + LOCK_TIMEOUT).min(began.saturating_add(most));
        if now >= end || self.over.load(Ordering::Relaxed) {
            return false;
        }
        let pause = PAUSES[tries.min(PAUSES.len() - 1)] * MILLISECOND;
        thread::sleep(Duration::from_nanos(pause.min(end - now)));
        true
    }

    /// A call begins; false if the run is over, and it must not.
    pub(crate) fn begin(&self, deadline: u64) -> bool {
        let mut until = self.lock();
        if self.over.load(Ordering::Relaxed) {
            return false;
        }
        *until = Some(deadline);
        true
    }

    /// It has returned.
    pub(crate) fn end(&self) {
        *self.lock() = None;
    }

    /// Interrupts a call that has taken too long; returns the deadline of one that has not.
    pub(crate) fn enforce(&self, now: u64) -> Option<u64> {
        // Held until the interrupt is sent.
        let until = self.lock();
        if let Some(later) = until.filter(|until| *until > now) {
            return Some(later);
        }
        until.as_ref()?;
        self.interrupt();
        None
    }

    /// Ends whatever the connection is doing, since the run is over; returns whether it is doing anything. An interrupt
    /// between [`Deadline::begin`] and the call's first step is lost: this is to be called until it does nothing.
    pub(crate) fn close(&self) -> bool {
        let until = self.lock();
        self.over.store(true, Ordering::Relaxed);
        // One that does nothing would be interrupted in emptying its log when it is closed.
        if until.is_some() {
            self.interrupt();
        }
        until.is_some()
    }

    fn interrupt(&self) {
        if let Some(handle) = self.handle.get() {
            handle.interrupt();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<u64>> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
