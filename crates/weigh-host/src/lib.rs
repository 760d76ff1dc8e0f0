//! The machine under a measurement.
//!
//! * [`Sampler`]: a thread that reads the kernel's counters many times a second and says whose the CPU time was.
//! * [`resident`] and [`evict`]: which pages of a file are in memory, and asking for them to be forgotten.
//! * [`calibrate_integer`], [`calibrate_memory`], [`calibrate_disk`]: fixed pieces of work, whose times show whether the
//!   machine changed.
//!
//! What cannot be read is `None` and never 0, and [`Drained::unreadable`] says why.
//!
//! # Whose CPU time
//!
//! *Own* are this process, its descendants, and processes that were tracked with theirs. Kernel threads belong to neither:
//! they work for the process that caused the I/O, which is most likely a contender. All other processes are *foreign*.
//!
//! The time of foreign processes is added up from their own clocks. It is not what is left of the machine's busy time:
//! that is counted in steps of 10 ms by looking who runs when a timer fires, holds the kernel's threads, and would count
//! every error of rounding as foreign. The clock of a process (`clock_gettime(2)` with its id) counts nanoseconds and
//! costs less than a microsecond to read. Processes that used CPU lately are read at every tick. A scan of `/proc`, twice a
//! second at most and whenever the sampler is drained, finds new ones, and the children that others waited for in
//! between (`cutime`, `cstime`). What only the scan finds is laid on the ticks since the last one in proportion to the
//! busy time of those ticks that no process accounted for.
//!
//! Where other processes cannot be seen (in a container, or with `hidepid`), there is no such sum. Then foreign is what
//! remains of the machine's *user* time, which no kernel thread has, less an allowance for the steps in which it is
//! counted. That is a lower bound.

mod calibration;
mod cgroup;
mod counters;
mod cpu;
mod disk;
mod error;
mod hardware;
mod memory;
mod network;
mod page_cache;
mod pressure;
mod proc_file;
mod process;
mod process_table;
mod reader;
mod sampler;
mod sampler_state;
mod sys;
mod text;
mod window;

pub use calibration::{calibrate_disk, calibrate_integer, calibrate_memory};
pub use counters::Slow;
pub use disk::DiskUse;
pub use error::Error;
pub use memory::{Faults, Memory};
pub use network::NetworkUse;
pub use page_cache::{How, Residency, evict, resident};
pub use process_table::ForeignProcess;
pub use sampler::Sampler;
pub use sampler_state::Drained;
pub use sys::block_signals;
pub use window::Tick;
