//! Rows as COPY reads them: cells apart by tabs, a line each, in chunks.

use std::io::Write;

use crate::workload::message::{Chunk, Chunks};

/// Bytes of a chunk, about.
const CHUNK: usize = 128 << 10;

/// To the next cell of a row.
pub(super) fn next(out: &mut Vec<u8>) {
    out.push(b'\t');
}

/// The first cells of a row.
pub(super) fn start(out: &mut Vec<u8>, cells: &[u64]) {
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            next(out);
        }
        let _ = write!(out, "{cell}");
    }
}

/// A cell.
pub(super) fn number(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "\t{value}");
}

/// A cell that needs no escapes.
pub(super) fn text(out: &mut Vec<u8>, value: &str) {
    next(out);
    out.extend_from_slice(value.as_bytes());
}

/// A cell of so many hundredths.
pub(super) fn cents(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "\t{}.{:02}", value / 100, value % 100);
}

/// A cell of so many ten thousandths, below 1.
pub(super) fn fraction(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "\t0.{value:04}");
}

/// Chunks of what `make` writes for each of `count` units from `first` on: it returns the rows of a unit, of which the
/// last has no end of line yet.
pub(super) fn lines(
    first: u64,
    count: u64,
    make: impl FnMut(u64, &mut Vec<u8>) -> u64 + Clone + Send + 'static,
) -> Chunks {
    Box::new(Lines { next: first, end: first + count, make })
}

#[derive(Clone)]
struct Lines<F> {
    next: u64,
    end: u64,
    make: F,
}

impl<F: FnMut(u64, &mut Vec<u8>) -> u64> Iterator for Lines<F> {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.next == self.end {
            return None;
        }
        let mut chunk = Chunk { bytes: Vec::with_capacity(CHUNK + CHUNK / 8), rows: 0, replies: 0 };
        while self.next < self.end && chunk.bytes.len() < CHUNK {
            chunk.rows += (self.make)(self.next, &mut chunk.bytes);
            chunk.bytes.push(b'\n');
            self.next += 1;
        }
        Some(chunk)
    }
}
