//! What can go wrong.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why something of the machine could not be done.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be opened, read, written or asked about.
    ///
    /// Remedy: the operating system's reason says it.
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// The operating system's reason.
        reason: io::Error,
    },
    /// Neither `cachestat` nor `mincore` shows which pages of a file are in memory.
    ///
    /// Remedy: Linux 6.5 or newer has the first; the second shows the truth only to the owner of the file and to those
    /// who may write it.
    Residency {
        /// The file.
        path: PathBuf,
    },
    /// The sampler's thread could not be started.
    ///
    /// Remedy: see whether the limit of processes was reached.
    Thread {
        /// The operating system's reason.
        reason: io::Error,
    },
    /// The sampler has failed: a mistake in this crate.
    ///
    /// Remedy: report it with what the process printed.
    Ended,
    /// Ticks in a second that make no sense.
    ///
    /// Remedy: between 0.1 and 1000.
    Rate {
        /// What was asked for.
        hz: f64,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, what, reason } => write!(f, "{}: {what}: {reason}", path.display()),
            Self::Residency { path } => {
                write!(f, "{}: neither cachestat nor mincore shows which pages are in memory", path.display())
            }
            Self::Thread { reason } => write!(f, "the sampler's thread could not be started: {reason}"),
            Self::Ended => write!(f, "the sampler has failed by a mistake of its own"),
            Self::Rate { hz } => write!(f, "{hz} ticks a second; between 0.1 and 1000 can be had"),
        }
    }
}

impl std::error::Error for Error {}
