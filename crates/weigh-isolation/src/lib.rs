//! What transactions did, and which anomalies of isolation their history shows.
//!
//! The method is that of Elle (Kingsbury, Alvaro: Elle, VLDB 2020): transactions append elements of their own to lists,
//! or write values of their own to registers, and read them. A list that was read shows in which order it was written,
//! so most dependencies of Adya (Weak Consistency, MIT 1999) follow from what clients saw:
//!
//! | dependency | from | to |
//! |---|---|---|
//! | ww | who wrote a version | who wrote the next one |
//! | wr | who wrote a version | who read it |
//! | rw | who read a version | who wrote the next one |
//! | rt | who had ended | who began afterwards |
//!
//! A cycle of them is an anomaly, and what it is made of is its name. [`check`] sees whether there is a cycle of each
//! class by strongly connected components, in time that is linear in the history; nothing depends on a clock, so the
//! same history always gets the same report. Only what must be is inferred: of a transaction whose outcome is not known
//! nothing is, unless somebody saw what it wrote.
//!
//! Knows no Python, no server and no level: which anomalies a level allows is not decided here.
#![forbid(unsafe_code)]

mod check;
mod cycle;
mod error;
mod graph;
mod history;
mod lines;
mod lists;
mod observed;
mod registers;
mod report;
mod search;
mod view;

pub use check::check;
pub use error::Error;
pub use history::{History, Operation, Outcome, Transaction};
pub use lines::{read, write};
pub use report::{Anomaly, Edges, Example, Moment, Report, Step, StepKind, Witness};
