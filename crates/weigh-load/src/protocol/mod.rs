//! What is said to servers, without sockets: state machines of their protocols, and TLS.

pub(crate) mod connection;
pub(crate) mod postgres;
pub(crate) mod reply_buffer;
pub(crate) mod resp;
pub(crate) mod tls;
