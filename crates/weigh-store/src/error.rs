//! What can go wrong.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a store could not be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The configuration is not what it must be: a mistake of the caller.
    Config(String),
    /// The endpoint is no URL of a store.
    ///
    /// Remedy: `http://HOST:PORT` or `https://HOST`, without a path.
    Endpoint {
        /// As it was given.
        endpoint: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nobody answers there, or what answers does not speak HTTP, or the connection broke.
    ///
    /// Remedy: see whether the store runs, and whether it speaks TLS.
    Unreachable {
        /// Where.
        endpoint: String,
        /// Why.
        reason: String,
    },
    /// The store answered, and refused.
    Refused {
        /// What was asked for: `PUT /bucket/key`.
        what: String,
        /// Status of the answer.
        status: u16,
        /// The store's word for it: `NoSuchBucket`; empty where it has none.
        code: String,
        /// What the store says.
        message: String,
    },
    /// A file cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        reason: io::Error,
    },
    /// A certificate or a list of authorities cannot be used.
    Tls(String),
    /// The proxy cannot listen, or has no thread.
    System {
        /// What was tried.
        doing: &'static str,
        /// The operating system's reason.
        reason: io::Error,
    },
}

impl Error {
    /// One word for the kind of error.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Config(_) => "config",
            Self::Endpoint { .. } => "endpoint",
            Self::Unreachable { .. } => "unreachable",
            Self::Refused { .. } => "refused",
            Self::File { .. } => "file",
            Self::Tls(_) => "tls",
            Self::System { .. } => "system",
        }
    }

    /// Status of the store's answer; nothing where there was none.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The store's word for its refusal: `NoSuchBucket`; empty where there is none.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused { code, .. } => code,
            _ => "",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Endpoint { endpoint, why } => write!(f, "'{endpoint}' is no endpoint of a store: {why}"),
            Self::Unreachable { endpoint, reason } => write!(f, "no answer from {endpoint}: {reason}"),
            Self::Refused { what, status, code, message } => {
                let code = if code.is_empty() { String::new() } else { format!(" {code}") };
                let message = if message.is_empty() { String::new() } else { format!(": {message}") };
                write!(f, "{what}: {status}{code}{message}")
            }
            Self::File { path, reason } => write!(f, "{}: {reason}", path.display()),
            Self::Config(why) | Self::Tls(why) => write!(f, "{why}"),
            Self::System { doing, reason } => write!(f, "{doing}: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
