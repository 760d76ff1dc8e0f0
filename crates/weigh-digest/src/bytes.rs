//! Strings and binary of every Arrow layout.

use arrow_array::cast::AsArray;
use arrow_array::types::ByteViewType;
use arrow_array::{Array, GenericByteViewArray};
use arrow_buffer::Buffer;
use arrow_schema::DataType;

use crate::encoding::{SHORT, Slot, SlotVisitor, tag};

/// For each length of a short value, the bits of a view that are length and value.
const USED: [u128; SHORT + 1] = {
    let mut used = [u128::MAX; SHORT + 1];
    let mut length = 0;
    while length < SHORT {
        used[length] = (1 << (32 + 8 * length)) - 1;
        length += 1;
    }
    used
};

/// Shows `visitor` how to make the slot of a (non-null) row of `array`; `None` unless its values are bytes.
pub(crate) fn visit_bytes<'a, V: SlotVisitor<'a>>(array: &'a dyn Array, visitor: V) -> Option<V::Output> {
    macro_rules! each {
        ($array:expr) => {{
            let array = $array;
            visitor.visit(move |row| Slot::bytes(array.value(row).as_ref()))
        }};
    }
    Some(match array.data_type() {
        DataType::Utf8 => each!(array.as_string::<i32>()),
        DataType::LargeUtf8 => each!(array.as_string::<i64>()),
        DataType::Binary => each!(array.as_binary::<i32>()),
        DataType::LargeBinary => each!(array.as_binary::<i64>()),
        DataType::FixedSizeBinary(_) => each!(array.as_fixed_size_binary()),
        DataType::Utf8View => visit_views(array.as_string_view(), visitor),
        DataType::BinaryView => visit_views(array.as_binary_view(), visitor),
        _ => return None,
    })
}

/// Views are what Parquet is read into. A short one is already the words of its slot.
fn visit_views<'a, T: ByteViewType, V: SlotVisitor<'a>>(
    array: &'a GenericByteViewArray<T>,
    visitor: V,
) -> V::Output {
    let (views, buffers) = (&array.views()[..], array.data_buffers());
    visitor.visit(move |row| {
        let view = views[row];
        match USED.get(view_length(view)) {
            // A producer may have left garbage after the value.
            Some(used) => Slot::two(tag::SHORT_BYTES, view & used),
            None => Slot::long_bytes(long_view(view, buffers)),
        }
    })
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
