//! Hashes of whole rows.
//!
//! Rows are encoded a block at a time into one buffer that stays in the cache, column by column, and each row is
//! hashed as one contiguous slice of it. Slots lie at fixed places within a row and never depend on another column,
//! so that the columns of numbers and dates, which are most, are filled without a cursor.

use std::ops::Range;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use xxhash_rust::xxh3::xxh3_128;

use crate::bytes::Bytes;
use crate::encoding::{SLOT, Slot, SlotVisitor};
use crate::value::{Unsupported, Value, visit_slots};

/// Rows encoded together: some 200 kB of ordinary rows.
const BLOCK: usize = 1024;

/// Bytes of the column count at the start of each row.
const HEADER: usize = 4;

/// Room for the garbage that may follow the last tail; see [`Bytes::copy_to`].
const SLACK: usize = 16;

/// Hashes rows of Arrow arrays. Keeps its buffers between batches.
#[derive(Default)]
pub(crate) struct RowHasher {
    /// The encoded rows of a block.
    buffer: Vec<u8>,
    /// Where each row of the block starts in `buffer`, and where the last one ends.
    starts: Vec<usize>,
    /// Where the next tail of each row goes.
    cursors: Vec<usize>,
}

/// One column of a batch, by what it takes to encode it.
enum Column<'a> {
    /// Slots without tails: numbers, dates, floats, booleans.
    Slots(&'a dyn Array),
    /// Strings and binary.
    Bytes(Bytes<'a>, Option<&'a NullBuffer>),
    /// All else: encoded value by value into an arena, and copied from there.
    Other { value: Value<'a>, arena: Vec<u8>, ends: Vec<usize> },
}

impl RowHasher {
    /// Appends to `hashes` the hash of each of the `rows` rows of `columns`.
    ///
    /// On a type without an encoding, returns the number of the column and the complaint.
    pub(crate) fn hash(
        &mut self,
        columns: &[ArrayRef],
        rows: usize,
        hashes: &mut Vec<u128>,
    ) -> Result<(), (usize, Unsupported)> {
        let mut columns = columns
            .iter()
            .enumerate()
            .map(|(number, array)| Column::new(array).map_err(|complaint| (number, complaint)))
            .collect::<Result<Vec<_>, _>>()?;
        for start in (0..rows).step_by(BLOCK) {
            self.encode(&mut columns, start..rows.min(start + BLOCK));
            hashes.extend(self.starts.windows(2).map(|row| xxh3_128(&self.buffer[row[0]..row[1]])));
        }
        Ok(())
    }

    fn encode(&mut self, columns: &mut [Column<'_>], rows: Range<usize>) {
        let head = HEADER + SLOT * columns.len();
        self.cursors.clear();
        self.cursors.resize(rows.len(), 0);
        for column in columns.iter_mut() {
            column.measure(rows.clone(), &mut self.cursors);
        }

        self.starts.clear();
        let mut end = 0;
        for cursor in &mut self.cursors {
            self.starts.push(end);
            let tails = std::mem::replace(cursor, end + head);
            end += head + tails;
        }
        self.starts.push(end);
        if self.buffer.len() < end + SLACK {
            self.buffer.resize(end + SLACK, 0);
        }

        // First all tails, in the order of columns and rows, then all slots. A tail may be followed by up to SLACK bytes
        // of garbage, which never reach beyond the next tail of the row, or the header and slots of the next row and,
        // if they are short, its first tail: all of them are written later.
        for column in columns.iter() {
            column.write_tails(rows.clone(), &mut self.cursors, &mut self.buffer);
        }
        let count = u32::try_from(columns.len()).unwrap_or(u32::MAX).to_le_bytes();
        for &start in &self.starts[..rows.len()] {
            self.buffer[start..start + HEADER].copy_from_slice(&count);
        }
        for (number, column) in columns.iter().enumerate() {
            let place = HEADER + SLOT * number;
            column.write_slots(rows.clone(), &self.starts, place, &mut self.buffer);
        }
    }
}

impl<'a> Column<'a> {
    fn new(array: &'a ArrayRef) -> Result<Self, Unsupported> {
        if visit_slots(array, Probe).is_some() {
            return Ok(Self::Slots(array));
        }
        if let Some(bytes) = Bytes::new(array) {
            return Ok(Self::Bytes(bytes, array.nulls()));
        }
        Ok(Self::Other { value: Value::new(array)?, arena: Vec::new(), ends: Vec::new() })
    }

    /// Adds the length of each row's tail to `lengths`.
    fn measure(&mut self, rows: Range<usize>, lengths: &mut [usize]) {
        match self {
            Self::Slots(_) => {}
            Self::Bytes(bytes, nulls) => {
                bytes.visit_slots(Measure { rows, nulls: *nulls, lengths });
            }
            Self::Other { value, arena, ends } => {
                arena.clear();
                ends.clear();
                for (row, length) in rows.zip(lengths) {
                    let start = arena.len();
                    value.push(row, arena);
                    ends.push(arena.len());
                    *length += arena.len() - start - SLOT;
                }
            }
        }
    }

    /// Writes the tail of each row at its cursor, and moves that behind it.
    fn write_tails(&self, rows: Range<usize>, cursors: &mut [usize], buffer: &mut [u8]) {
        match self {
            Self::Slots(_) => {}
            Self::Bytes(bytes, nulls) => {
                for (row, cursor) in rows.zip(cursors) {
                    if !nulls.is_some_and(|nulls| nulls.is_null(row)) {
                        *cursor += bytes.copy_to(row, &mut buffer[*cursor..]);
                    }
                }
            }
            Self::Other { arena, ends, .. } => {
                let mut start = 0;
                for (&end, cursor) in ends.iter().zip(cursors) {
                    let tail = &arena[start + SLOT..end];
                    buffer[*cursor..*cursor + tail.len()].copy_from_slice(tail);
                    *cursor += tail.len();
                    start = end;
                }
            }
        }
    }

    /// Writes the slot of each row `place` bytes after its start.
    fn write_slots(&self, rows: Range<usize>, starts: &[usize], place: usize, buffer: &mut [u8]) {
        match self {
            Self::Slots(array) => {
                let nulls = array.nulls();
                visit_slots(*array, Fill { rows, starts, place, nulls, buffer });
            }
            Self::Bytes(bytes, nulls) => {
                bytes.visit_slots(Fill { rows, starts, place, nulls: *nulls, buffer });
            }
            Self::Other { arena, ends, .. } => {
                let mut from = 0;
                for (&end, start) in ends.iter().zip(starts) {
                    let at = start + place;
                    buffer[at..at + SLOT].copy_from_slice(&arena[from..from + SLOT]);
                    from = end;
                }
            }
        }
    }
}

/// Asks whether an array consists of slots only.
struct Probe;

impl SlotVisitor<'_> for Probe {
    type Output = ();
    fn visit(self, _: impl Fn(usize) -> Slot) {}
}

/// Adds up the lengths of strings, which are the payloads of their slots.
struct Measure<'b> {
    rows: Range<usize>,
    nulls: Option<&'b NullBuffer>,
    lengths: &'b mut [usize],
}

impl SlotVisitor<'_> for Measure<'_> {
    type Output = ();

    fn visit(self, slot: impl Fn(usize) -> Slot) {
        let rows = self.rows.zip(self.lengths);
        #[expect(clippy::cast_possible_truncation, reason = "it was a usize before it became a payload")]
        let length = |row| slot(row).payload as usize;
        match self.nulls {
            None => rows.for_each(|(row, sum)| *sum += length(row)),
            Some(nulls) => {
                rows.filter(|(row, _)| nulls.is_valid(*row)).for_each(|(row, sum)| *sum += length(row));
            }
        }
    }
}

/// Writes slots into the rows of a block.
struct Fill<'b> {
    rows: Range<usize>,
    starts: &'b [usize],
    place: usize,
    nulls: Option<&'b NullBuffer>,
    buffer: &'b mut [u8],
}

impl SlotVisitor<'_> for Fill<'_> {
    type Output = ();

    fn visit(self, slot: impl Fn(usize) -> Slot) {
        let Self { rows, starts, place, nulls, buffer } = self;
        let mut put = |start: usize, slot: Slot| {
            let at = start + place;
            buffer[at..at + SLOT].copy_from_slice(&slot.to_bytes());
        };
        match nulls {
            None => rows.zip(starts).for_each(|(row, start)| put(*start, slot(row))),
            Some(nulls) => rows.zip(starts).for_each(|(row, start)| {
                put(*start, if nulls.is_null(row) { Slot::NULL } else { slot(row) });
            }),
        }
    }
}
