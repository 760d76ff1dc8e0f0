//! Batch means of one series, in one pass.
//!
//! The samples of a run are correlated, and batches of them are less so the longer they are. [`BatchMeans`] keeps
//! what an estimate of the error of the mean needs at every batch size 1, 2, 4, 8, ...: its memory grows with the
//! logarithm of the number of samples, and what was kept of a part can be joined to that of the part before it.
//!
//! ```
//! use weigh_stats::BatchMeans;
//!
//! let mut series = BatchMeans::new();
//! series.push(&[1.0, 3.0, 2.0, 6.0])?;
//! series.push(&[5.0, 1.0])?;
//! assert_eq!(series.count(), 6);
//! assert_eq!(series.batches(2).means, [3.0]); // of four; the last two samples wait for their batch
//! assert_eq!(series.moments()[1].mean, 3.0); // of the batches of two: 2, 4 and 3
//! # Ok::<(), weigh_stats::Error>(())
//! ```
//!
//! What is made of it (intervals, refusals) is decided elsewhere; docs/concept/series.md describes it.
//!
//! # The levels
//!
//! Level *k* describes the means of consecutive batches of 2^k samples, counted from the first sample. The samples after
//! the last whole batch of a level are in no batch of that level, fewer than one batch in all.
//!
//! # Exactness
//!
//! * Samples are worked off in blocks of a fixed size, counted from the first sample. How they were cut into slices
//!   makes no difference, not even to the last bit.
//! * [`BatchMeans::merge`] gives the batch means of the whole, up to rounding, where the seam lies at a multiple of the largest
//!   power of two that is not above the length of the later part, and where the later part is shorter than a block.
//!   Elsewhere a batch cannot span the seam: what was left over before it is left out of the levels above, less than one
//!   batch of each, and the count, the mean and the variance of the samples stay those of the whole.
#![forbid(unsafe_code)]

mod batch_means;
mod error;
mod histogram;
mod moments;

pub use batch_means::{BatchMeans, Batches, MOST_BATCHES};
pub use error::Error;
pub use histogram::{Buckets, decode_histogram};
pub use moments::Moments;
