//! How much of what a server sends is held in memory: a server may say anything.

use std::fmt::Display;

use crate::Error;

/// Bytes that may wait on all connections of a run together until a message is whole.
const TOGETHER: usize = 512 << 20;
/// The longest message on one connection, however few there are, in bytes.
const LONGEST: usize = 64 << 20;
/// What one connection may hold at least, however many there are, in bytes.
const LEAST: usize = 1 << 20;
/// What is kept of one answer for whoever reads it, in bytes with what it takes to find them. Workloads read some 100 kB
/// (100 records of a scan); the rest of an answer is read, counted and forgotten.
pub(crate) const KEPT: usize = 4 << 20;
/// Bytes of a server's error that are kept.
pub(crate) const ERROR_TEXT: usize = 1_000;

/// The longest message that one of so many connections takes, in bytes.
pub(crate) fn longest_message(connections: usize) -> usize {
    (TOGETHER / connections.max(1)).clamp(LEAST, LONGEST)
}

/// Refuses a message of more bytes than `most`. Asked of each message: what it is called is only written where it is
/// refused.
pub(crate) fn check(what: impl Display, bytes: usize, most: usize) -> Result<(), Error> {
    if bytes <= most {
        return Ok(());
    }
    Err(Error::Protocol(format!(
        "the server sent {what} of {bytes} bytes, and {most} are taken at most from one of so many connections"
    )))
}

/// At most so many bytes of a text, cut between characters.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_share_what_may_be_held() {
        assert_eq!(longest_message(1), LONGEST);
        assert_eq!(longest_message(16), TOGETHER / 16);
        assert_eq!(longest_message(1 << 20), LEAST);
    }
}
