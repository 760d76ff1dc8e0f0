//! Strings and binary of every Arrow layout, as bytes.

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, BinaryArray, FixedSizeBinaryArray, LargeBinaryArray, LargeStringArray, StringArray,
};
use arrow_buffer::Buffer;
use arrow_schema::DataType;

use crate::encoding::{Slot, SlotVisitor, tag};

/// Longest value that a view holds itself, in the bytes after its length.
const INLINE: usize = 12;

/// An array whose values are bytes.
#[derive(Clone, Copy)]
pub(crate) enum Bytes<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    FixedSizeBinary(&'a FixedSizeBinaryArray),
    /// Views of strings or binary, and the buffers they point into.
    Views(&'a [u128], &'a [Buffer]),
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Binary => Self::Binary(array.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary()),
            DataType::FixedSizeBinary(_) => Self::FixedSizeBinary(array.as_fixed_size_binary()),
            DataType::Utf8View => {
                let array = array.as_string_view();
                Self::Views(array.views(), array.data_buffers())
            }
            DataType::BinaryView => {
                let array = array.as_binary_view();
                Self::Views(array.views(), array.data_buffers())
            }
            _ => return None,
        })
    }

    /// The length of the value of a row that is not null.
    pub(crate) fn length(self, row: usize) -> usize {
        match self {
            Self::Utf8(array) => array.value_length(row).cast_unsigned() as usize,
            Self::Binary(array) => array.value_length(row).cast_unsigned() as usize,
            Self::LargeUtf8(array) => array.value(row).len(),
            Self::LargeBinary(array) => array.value(row).len(),
            Self::FixedSizeBinary(array) => array.value(row).len(),
            Self::Views(views, _) => view_length(views[row]),
        }
    }

    /// Shows `visitor` how to make the slot of a (non-null) row: the length of its value.
    ///
    /// Views, which Parquet is read into, get a loop of their own.
    pub(crate) fn visit_slots<V: SlotVisitor<'a>>(self, visitor: V) -> V::Output {
        let slot = |length| Slot::sequence(tag::BYTES, length);
        match self {
            Self::Views(views, _) => visitor.visit(move |row| slot(view_length(views[row]))),
            _ => visitor.visit(move |row| slot(self.length(row))),
        }
    }

    /// Copies the value of a row that is not null to the start of `out`, and returns its length.
    ///
    /// May write garbage after the value, up to 16 bytes from the start: copies of constant length are much faster,
    /// and most strings are short.
    #[inline]
    pub(crate) fn copy_to(self, row: usize, out: &mut [u8]) -> usize {
        if let Self::Views(views, _) = self
            && view_length(views[row]) <= INLINE
        {
            let view = views[row];
            out[..16].copy_from_slice(&(view >> 32).to_le_bytes());
            return view_length(view);
        }
        let value = self.get(row);
        out[..value.len()].copy_from_slice(value);
        value.len()
    }

    /// The value of a row that is not null; of a short view, its bytes are within the view.
    #[inline]
    fn get(self, row: usize) -> &'a [u8] {
        match self {
            Self::Utf8(array) => array.value(row).as_bytes(),
            Self::LargeUtf8(array) => array.value(row).as_bytes(),
            Self::Binary(array) => array.value(row),
            Self::LargeBinary(array) => array.value(row),
            Self::FixedSizeBinary(array) => array.value(row),
            Self::Views(views, buffers) => long_view(views[row], buffers),
        }
    }

    /// Appends the value of a row that is not null to `out`.
    pub(crate) fn push(self, row: usize, out: &mut Vec<u8>) {
        if let Self::Views(views, _) = self
            && view_length(views[row]) <= INLINE
        {
            let view = views[row];
            out.extend_from_slice(&(view >> 32).to_le_bytes()[..view_length(view)]);
        } else {
            out.extend_from_slice(self.get(row));
        }
    }
}

/// A view is, from its low end: length (32 bits), then either up to 12 bytes of value, or a prefix of 4 bytes, the
/// number of a buffer and an offset into it.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
fn view_length(view: u128) -> usize {
    view as u32 as usize
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "32 bits each are meant")]
fn long_view(view: u128, buffers: &[Buffer]) -> &[u8] {
    let (buffer, offset) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
    &buffers[buffer][offset..offset + view_length(view)]
}
