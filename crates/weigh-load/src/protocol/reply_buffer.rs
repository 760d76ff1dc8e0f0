//! The answer to one command, in memory that is used again for the next.

use std::ops::Range;

use crate::workload::message::{Cell, Reply, Rows};

use super::limits::{ERROR_TEXT, KEPT, beginning};

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReplyKind {
    #[default]
    Nil,
    Rows,
    Count(u64),
    /// All of the bytes.
    Bytes,
    Error,
}

/// An answer in the making, and when it is whole.
#[derive(Debug, Default)]
pub(crate) struct ReplyBuffer {
    pub(crate) kind: ReplyKind,
    bytes: Vec<u8>,
    cells: Vec<Cell>,
    ends: Vec<usize>,
    /// Rows that came after those that are kept.
    more_rows: usize,
    code: String,
    text: String,
}

impl ReplyBuffer {
    pub(crate) fn clear(&mut self) {
        self.kind = ReplyKind::Nil;
        self.bytes.clear();
        self.cells.clear();
        self.ends.clear();
        self.more_rows = 0;
    }

    /// Whether so many more bytes and values are kept. What is beyond is counted as rows, without values.
    fn keeps(&self, bytes: usize, values: usize) -> bool {
        let held =
            self.bytes.len() + size_of::<Cell>() * self.cells.len() + size_of::<usize>() * self.ends.len();
        held + bytes + size_of::<Cell>() * values <= KEPT
    }

    /// Adds a value to the row in the making.
    pub(crate) fn value(&mut self, value: Option<&[u8]>) {
        if !self.keeps(value.map_or(0, <[u8]>::len), 1) {
            return;
        }
        let cell = value.map(|value| {
            let begin = small(self.bytes.len());
            self.bytes.extend_from_slice(value);
            begin..small(self.bytes.len())
        });
        self.cells.push(cell);
    }

    /// Ends the row in the making.
    pub(crate) fn end_row(&mut self) {
        if self.keeps(size_of::<usize>(), 0) {
            self.ends.push(self.cells.len());
        } else {
            self.more_rows += 1;
        }
    }

    /// So many rows more came, and are not kept.
    pub(crate) fn more(&mut self, rows: usize) {
        self.more_rows += rows;
    }

    /// Adds a row whose values are ranges of `bytes`.
    pub(crate) fn row(&mut self, bytes: &[u8], values: impl Iterator<Item = Option<Range<usize>>>) {
        // The first one whatever its length: a script may need it, and a message is not without bounds.
        if !self.ends.is_empty() && !self.keeps(bytes.len(), bytes.len() / size_of::<u32>()) {
            // Read all the same: a malformed row is an error wherever it stands.
            values.for_each(drop);
            self.more_rows += 1;
            return;
        }
        let base = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.cells.extend(
            values.map(|value| value.map(|range| small(base + range.start)..small(base + range.end))),
        );
        self.end_row();
    }

    /// Makes it an error, unless it is one: the first counts, what follows is its consequence.
    pub(crate) fn fail(&mut self, code: &str, text: &str) {
        if self.kind != ReplyKind::Error {
            self.kind = ReplyKind::Error;
            beginning(code, ERROR_TEXT).clone_into(&mut self.code);
            beginning(text, ERROR_TEXT).clone_into(&mut self.text);
        }
    }

    /// Makes it one string.
    pub(crate) fn string(&mut self, bytes: &[u8]) {
        self.kind = ReplyKind::Bytes;
        self.bytes.clear();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(KEPT)]);
    }

    /// As a workload sees it.
    pub(crate) fn reply<'a>(&'a self, names: &'a [String]) -> Reply<'a> {
        match self.kind {
            ReplyKind::Nil => Reply::Nil,
            ReplyKind::Rows => {
                Reply::Rows(Rows::new(names, &self.bytes, &self.cells, &self.ends).and(self.more_rows))
            }
            ReplyKind::Count(count) => Reply::Count(count),
            ReplyKind::Bytes => Reply::Bytes(&self.bytes),
            ReplyKind::Error => Reply::Error { code: &self.code, text: &self.text },
        }
    }
}

/// No more than `KEPT` bytes are kept.
fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
