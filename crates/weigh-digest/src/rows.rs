//! Hashes of whole rows.
//!
//! Rows are hashed a block at a time, column by column: the states of a block stay in the nearest cache while each
//! column is read once from end to end, and nothing is copied.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, Int32Array};
use arrow_buffer::{ArrowNativeType, NullBuffer};

use crate::encoding::{Slot, SlotVisitor};
use crate::row_state::{RowState, Words};
use crate::value::{Unsupported, Value, visit_slots};

/// Rows hashed together: 16 kB of states.
const BLOCK: usize = 1024;

/// Hashes rows of Arrow arrays. Keeps its buffers between batches.
#[derive(Default)]
pub(crate) struct RowHasher {
    /// The rows of a block.
    states: Vec<RowState>,
    /// The members of lists, structs and maps while they are encoded.
    members: Vec<u8>,
}

/// One column of a batch, by what it takes to encode it.
enum Column<'a> {
    /// All but the below, by a loop for each type.
    Flat(&'a dyn Array),
    /// A dictionary of fewer values than rows: each value is encoded once.
    Dictionary { keys: &'a Int32Array, words: Vec<Words> },
    /// Lists, structs, maps, other dictionaries, ...
    Other(Value<'a>),
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
        let columns = columns
            .iter()
            .enumerate()
            .map(|(number, array)| {
                Column::new(array, &mut self.members).map_err(|complaint| (number, complaint))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let new = RowState::new(columns.len());
        for start in (0..rows).step_by(BLOCK) {
            let rows = start..rows.min(start + BLOCK);
            self.states.clear();
            self.states.resize(rows.len(), new);
            for column in &columns {
                column.add(rows.clone(), &mut self.states, &mut self.members);
            }
            hashes.extend(self.states.iter().map(|state| state.hash()));
        }
        Ok(())
    }
}

impl<'a> Column<'a> {
    fn new(array: &'a ArrayRef, members: &mut Vec<u8>) -> Result<Self, Unsupported> {
        if visit_slots(array, Probe).is_some() {
            return Ok(Self::Flat(array));
        }
        if let Some(array) = array.as_dictionary_opt::<Int32Type>()
            && array.values().len() < array.len()
        {
            let values = Value::new(array.values())?;
            let words = |value| values.slot(value, members).words();
            return Ok(Self::Dictionary {
                keys: array.keys(),
                words: (0..array.values().len()).map(words).collect(),
            });
        }
        Value::new(array).map(Self::Other)
    }

    /// Adds the value of each row to its state.
    fn add(&self, rows: Range<usize>, states: &mut [RowState], members: &mut Vec<u8>) {
        match self {
            Self::Flat(array) => {
                let nulls = array.nulls();
                visit_slots(*array, Add { rows, nulls, states });
            }
            Self::Dictionary { keys, words } => {
                let (nulls, keys) = (keys.nulls(), &keys.values()[..]);
                Add { rows, nulls, states }.each(|row| words[keys[row].as_usize()]);
            }
            Self::Other(value) => {
                for (row, state) in rows.zip(states) {
                    state.add(value.slot(row, members).words());
                }
            }
        }
    }
}

/// Asks whether an array has slots that need no other array.
struct Probe;

impl SlotVisitor<'_> for Probe {
    type Output = ();
    fn visit(self, _: impl Fn(usize) -> Slot) {}
}

/// Adds slots to the rows of a block.
struct Add<'b> {
    rows: Range<usize>,
    nulls: Option<&'b NullBuffer>,
    states: &'b mut [RowState],
}

impl Add<'_> {
    fn each(self, words: impl Fn(usize) -> Words) {
        let Self { rows, nulls, states } = self;
        match nulls {
            None => rows.zip(states).for_each(|(row, state)| state.add(words(row))),
            Some(nulls) => rows.zip(states).for_each(|(row, state)| {
                state.add(if nulls.is_null(row) { Slot::NULL.words() } else { words(row) });
            }),
        }
    }
}

impl SlotVisitor<'_> for Add<'_> {
    type Output = ();

    fn visit(self, slot: impl Fn(usize) -> Slot) {
        self.each(|row| slot(row).words());
    }
}

#[cfg(test)]
mod tests;
