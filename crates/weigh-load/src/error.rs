//! What can go wrong before and around a run. What goes wrong inside one is counted instead.

use std::fmt;

/// Why a run could not begin, or not go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting cannot be used. Remedy: the text says what it must be.
    Setting(String),
    /// The server cannot be reached. Remedy: see whether it runs and listens there.
    Unreachable {
        /// Where it was looked for.
        target: String,
        /// What the system said.
        why: String,
    },
    /// The server answered the greeting, the login or a preparation with an error. Remedy: in the server's words.
    Refused {
        /// What was asked of it.
        doing: String,
        /// Its code, e.g. an SQLSTATE; empty where it has none.
        code: String,
        /// Its words.
        text: String,
    },
    /// TLS could not be agreed on. Remedy: `tls` "off" for a server without it, `ca` for one with a private authority.
    Tls(String),
    /// The server said something that its protocol does not allow. Remedy: see whether it is that kind of server.
    Protocol(String),
    /// The system refused something. Remedy: in its words.
    System {
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
}

impl Error {
    pub(crate) fn system(doing: &'static str) -> impl FnOnce(rustix::io::Errno) -> Self {
        move |errno| Self::System { doing, error: errno.into() }
    }

    /// The server closed the connection.
    pub(crate) fn hung_up() -> Self {
        let error = std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "the server hung up");
        Self::System { doing: "reading", error }
    }

    pub(crate) fn protocol(error: impl fmt::Display) -> Self {
        Self::Protocol(error.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(text) => write!(f, "{text}"),
            Self::Unreachable { target, why } => write!(f, "{target} cannot be reached: {why}"),
            Self::Refused { doing, code, text } if code.is_empty() => write!(f, "{doing}: {text}"),
            Self::Refused { doing, code, text } => write!(f, "{doing}: {text} ({code})"),
            Self::Tls(text) => write!(f, "TLS: {text}"),
            Self::Protocol(text) => write!(f, "the server does not keep to the protocol: {text}"),
            Self::System { doing, error } => write!(f, "{doing}: {error}"),
        }
    }
}

impl std::error::Error for Error {}
