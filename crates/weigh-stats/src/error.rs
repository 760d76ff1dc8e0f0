//! What can go wrong.

use std::fmt;

/// Why samples were not taken.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A sample is not a finite number. None of the slice was taken.
    ///
    /// Remedy: leave failed requests out, and count them apart; a mean of them means nothing.
    NotFinite {
        /// The place of the sample in the slice, from 0.
        at: usize,
        /// NaN or an infinity.
        value: f64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { at, value } => write!(f, "sample {at} is {value}, not a finite number"),
        }
    }
}

impl std::error::Error for Error {}
