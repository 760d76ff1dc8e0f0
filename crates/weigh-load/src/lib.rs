//! Load on a schedule, and what its users feel.
//!
//! A [`Schedule`] says when requests are due, before the run and whatever happens in it. Threads offer them to a server
//! over connections that they own, each in one loop that waits for sockets and for the next moment at once, to the
//! nanosecond. A request that is due while no connection is free waits in the client, and its response time counts
//! from when it was due: a server that stalls is not asked politely to go on first.
//!
//! | histogram | from | to |
//! |---|---|---|
//! | response | due | done |
//! | service | sent | done |
//! | lag, free | due | a connection was free |
//! | lag, late | due, or free if that was later | sent |
//!
//! Nothing is dropped silently: what was not sent, failed, timed out or was wrong is counted, and what was due when a
//! run ended too.
//!
//! Protocols are state machines without sockets (`postgres`, `resp`, `tls`, joined in `connection`); workloads are in
//! [`workload`], [`ycsb`] and [`script`]. An engine in this process is called by a thread for each connection instead
//! (`sqlite`).
#![forbid(unsafe_code)]

mod answer;
mod bulk;
mod clock;
mod config;
mod connection;
mod crew;
mod error;
mod event_loop;
mod postgres;
mod queue;
pub mod random;
mod recorder;
mod report;
mod resp;
mod run;
mod schedule;
pub mod script;
mod shared;
mod slot;
mod socket;
mod source;
mod sqlite;
mod tls;
mod wait;
pub mod workload;
pub mod ycsb;

pub use bulk::{Loaded, load};
pub use config::{Config, Kind, Offered, Target, TargetKind, TlsUse};
pub use error::Error;
pub use recorder::LONGEST;
pub use report::{Interval, OperationReport, Summary};
pub use run::{Run, Stopper};
pub use schedule::{Arrivals, Schedule};
pub use sqlite::{Described, describe as describe_sqlite};
