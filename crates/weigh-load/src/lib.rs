//! Load on a schedule, and what its users feel.
//!
//! A [`Schedule`] says when requests are due, before the run and whatever happens in it. Threads offer them to a server
//! over connections that they own, each in one loop that waits for sockets and for the next moment at once, to the
//! nanosecond. A request that is due while no connection is free waits in the client, and its response time counts
//! from when it was due: a server that stalls is asked no less for it.
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
//! Protocols are state machines without sockets (`protocol`); workloads are in [`workload::ycsb`] and
//! [`workload::script`]. What is asked before and after a run is in `ask`. An engine in this process is called by a thread for each connection instead
//! (`sqlite`).
#![forbid(unsafe_code)]

mod accounting;
mod ask;
mod blocking_connection;
mod bulk_load;
mod clock;
mod cluster;
mod config;
mod durability;
mod error;
mod event_loop;
mod link;
mod merge;
mod protocol;
pub mod random;
mod recorder;
mod report;
mod run;
mod schedule;
mod schema_agreement;
mod secrecy;
mod shared;
mod sqlite;
mod statement;
mod threads;
mod totals;
pub mod workload;

pub use ask::{Answer, Answered, AskedAgain, Column, ReadBackReport, Sample, ask, ask_again, read_back};
pub use bulk_load::{Loaded, load};
pub use config::{ArrivalKind, ArrivalSettings, Config, Node, Share, Target, TargetKind, TlsUse};
pub use durability::{answered, examine};
pub use error::{Asked, Error, ScriptLine};
pub use link::{Link, Place};
pub use merge::{Part, merge_intervals, merge_journals};
pub use recorder::LONGEST;
pub use report::{Interval, OperationReport, Summary};
pub use run::{Opened, Run, Stopper};
pub use schedule::{Arrivals, Schedule};
pub use sqlite::{Described, describe as describe_sqlite};
pub use statement::execute;
