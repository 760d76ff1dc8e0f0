//! What is wrong with a history.

use std::fmt;

/// Why a history cannot be read or checked.
#[derive(Debug)]
pub enum Error {
    /// The file cannot be read or written.
    System(std::io::Error),
    /// A line of it is none of a history: its number from 1, and why.
    Line(usize, String),
    /// It is too large to be one that weigh wrote.
    TooLarge,
    /// The same element was appended to a key twice, so nobody can tell which one a reader saw.
    Twice {
        /// The key.
        key: u32,
        /// The element.
        element: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => write!(f, "{error}"),
            Self::Line(number, why) => write!(f, "line {number}: {why}"),
            Self::TooLarge => f.write_str("it is larger than any history that weigh writes"),
            Self::Twice { key, element } => write!(f, "{element} was written to {key} twice"),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::System(error)
    }
}
