//! What is said to servers, without sockets: state machines of their protocols, and TLS.

pub(crate) mod connection;
pub(crate) mod cql;
pub(crate) mod http;
pub(crate) mod limits;
pub(crate) mod mysql;
pub(crate) mod placeholders;
pub(crate) mod postgres;
pub(crate) mod reply_buffer;
pub(crate) mod resp;
pub(crate) mod tls;

/// What a session has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// More bytes must come.
    Wait,
    /// The login is done.
    Ready,
    /// The answer to the command is whole.
    Replied,
    /// The server waits for the rows of a COPY.
    CopyIn,
}
