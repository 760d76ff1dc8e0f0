//! The answer to one command, in memory that is used again for the next.

use std::ops::Range;

use crate::workload::message::{Cell, Reply, Rows};

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
    code: String,
    text: String,
}

impl ReplyBuffer {
    pub(crate) fn clear(&mut self) {
        self.kind = ReplyKind::Nil;
        self.bytes.clear();
        self.cells.clear();
        self.ends.clear();
    }

    /// Adds a value to the row in the making.
    pub(crate) fn value(&mut self, value: Option<&[u8]>) {
        let cell = value.map(|value| {
            let begin = small(self.bytes.len());
            self.bytes.extend_from_slice(value);
            begin..small(self.bytes.len())
        });
        self.cells.push(cell);
    }

    /// Ends the row in the making.
    pub(crate) fn end_row(&mut self) {
        self.ends.push(self.cells.len());
    }

    /// Adds a row whose values are ranges of `bytes`.
    pub(crate) fn row(&mut self, bytes: &[u8], values: impl Iterator<Item = Option<Range<usize>>>) {
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
            code.clone_into(&mut self.code);
            text.clone_into(&mut self.text);
        }
    }

    /// Makes it one string.
    pub(crate) fn string(&mut self, bytes: &[u8]) {
        self.kind = ReplyKind::Bytes;
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
    }

    /// As a workload sees it.
    pub(crate) fn reply<'a>(&'a self, names: &'a [String]) -> Reply<'a> {
        match self.kind {
            ReplyKind::Nil => Reply::Nil,
            ReplyKind::Rows => Reply::Rows(Rows::new(names, &self.bytes, &self.cells, &self.ends)),
            ReplyKind::Count(count) => Reply::Count(count),
            ReplyKind::Bytes => Reply::Bytes(&self.bytes),
            ReplyKind::Error => Reply::Error { code: &self.code, text: &self.text },
        }
    }
}

/// Answers of 4 GiB and more do not fit into a connection's memory in the first place.
fn small(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
