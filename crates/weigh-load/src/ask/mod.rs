//! Asking outside the clock: before a run what its scripts answer, after it what it left.
//!
//! One connection of its own, one question after the other. What is asked before a run is rolled back.

mod again;
mod answer;
mod link;
mod read_back;
mod scripts;

pub use again::{AskedAgain, Sample, ask_again};
pub use answer::{Answer, Column};
pub use read_back::{ReadBackReport, read_back};
pub use scripts::{Answered, ask};

pub(crate) use again::MOST as SAMPLE_BYTES;
pub(crate) use answer::answer;
