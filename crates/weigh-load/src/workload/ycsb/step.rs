//! A piece of work that the server is at, and answers that do not fit it.

use crate::workload::Outcome;
use crate::workload::message::Reply;

use super::expected_values::View;

/// What is remembered of a piece of work while the server is at it.
#[derive(Debug)]
pub(crate) enum Step {
    Read {
        key: u64,
        view: View,
        /// The field that was asked for, if not all.
        field: Option<u32>,
        /// Update the row afterwards.
        modify: bool,
    },
    Write {
        key: u64,
        version: u32,
        /// Rows that were checked before.
        verified: u64,
    },
    Insert {
        key: u64,
    },
    Scan {
        scan: Scan,
    },
    /// A scan of a key-value store that knows its keys, and waits for their rows.
    Fetch {
        scan: Scan,
        names: Vec<Vec<u8>>,
    },
}

/// A scan that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan {
    pub(crate) start: u64,
    pub(crate) length: u64,
    /// The field that was asked for, if not all.
    pub(crate) field: Option<u32>,
    /// The time of the [`KeyOrder`](super::KeyOrder).
    pub(crate) began: u64,
}

/// An error, or a reply of another kind than the command has.
pub(crate) fn unlike(reply: &Reply<'_>) -> Outcome {
    match reply {
        Reply::Error { code, text } => Outcome::Failed(format!("{text} ({code})")),
        Reply::Rows(rows) => Outcome::Wrong(format!("{} rows where none belong", rows.count())),
        Reply::Count(count) => Outcome::Wrong(format!("the number {count} where rows belong")),
        Reply::Nil => Outcome::Wrong("no answer where one belongs".into()),
        Reply::Bytes(text) => {
            let text = String::from_utf8_lossy(&text[..text.len().min(40)]).into_owned();
            Outcome::Wrong(format!("the text {text:?} where something else belongs"))
        }
    }
}
