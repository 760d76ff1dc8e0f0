"""Columns in Arrow: distinct values are replaced, and put in their places."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from weigh.model.errors import DataFault, UsageError
from weigh.obfuscation.dates import FIRST, LAST
from weigh.obfuscation.numbers import LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.obfuscation.ids import Ids
    from weigh.obfuscation.mapping import Mapping

_WIDER = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
_DAYS = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_WIDEST = 38


def is_retained(kind: pa.DataType) -> bool:
    """Whether values of a type stay as they are: it has too few of them, or they tell no date."""
    return bool(kinds.is_boolean(kind) or kinds.is_time(kind) or kinds.is_duration(kind) or kinds.is_null(kind))


def fitting(kind: pa.DataType, largest: int, numbers: Callable[[str], str]) -> pa.DataType:
    """The type that images of whole numbers, or of decimals in units of their last place, fit in.

    Args:
        kind: of the column.
        largest: magnitude in it.
        numbers: the map.
    """
    if kinds.is_decimal(kind):
        image = numbers(f"{Decimal(largest).scaleb(-kind.scale):f}").replace(".", "")
        digits = max(kind.precision, len(image.lstrip("0")))
        return kind if digits == kind.precision else pa.decimal128(min(digits, _WIDEST), kind.scale)
    if not kinds.is_integer(kind):
        return kind
    signed = kinds.is_signed_integer(kind)
    # Beyond the limit images have 64 bits, whatever their order; below, the largest one is the largest number's.
    image_size = (1 << 63) - 1 if LIMIT < largest < 1 << 63 else int(numbers(str(largest)))
    if image_size < 1 << (kind.bit_width - signed) or (largest == 1 << 63 and signed):
        return kind
    for wider in _WIDER:
        if wider.bit_width > kind.bit_width and image_size < 1 << (wider.bit_width - 1):
            return wider
    return pa.decimal128(min(_WIDEST, len(str(image_size))), 0)


def described(kind: pa.DataType, image: pa.DataType) -> str:
    """A type for people, with the names that its images have: those of a struct's fields are names of the data.

    Args:
        kind: of the column as it was.
        image: of the column as it is.
    """
    kind = storage(kind)
    if kinds.is_struct(kind):
        fields = zip(kind, image, strict=True)
        return f"struct<{', '.join(f'{new.name}: {described(old.type, new.type)}' for old, new in fields)}>"
    if kinds.is_map(kind):
        return f"map<{described(kind.key_type, image.key_type)}, {described(kind.item_type, image.item_type)}>"
    if kinds.is_list(kind) or kinds.is_large_list(kind) or kinds.is_fixed_size_list(kind):
        size = f"[{kind.list_size}]" if kinds.is_fixed_size_list(kind) else ""
        form = "large_list" if kinds.is_large_list(kind) else "fixed_size_list" if size else "list"
        return f"{form}<element: {described(kind.value_type, image.value_type)}>{size}"
    return str(kind)


def stored(array: pa.Array) -> pa.Array:
    """An array of an extension's type as it is stored: what the extension is called is a name as well."""
    return array.storage if isinstance(array, pa.ExtensionArray) else array


def storage(kind: pa.DataType) -> pa.DataType:
    """The type below an extension type, or the type itself."""
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def largest(array: pa.Array) -> int:
    """Magnitude of whole numbers or decimals, in units of the last place."""
    if not (kinds.is_integer(array.type) or kinds.is_decimal(array.type)) or array.null_count == len(array):
        return 0
    found = pc.min_max(array)
    ends = [found["min"].as_py(), found["max"].as_py()]
    if kinds.is_decimal(array.type):
        return max(abs(int(one.scaleb(array.type.scale))) for one in ends)
    return int(max(map(abs, ends)))


def mapped(array: pa.Array, to: pa.DataType, mapping: Mapping, where: str) -> pa.Array:
    """The images of a column's values.

    Args:
        array: of any length.
        to: the type of the images.
        mapping: decides.
        where: the column, for messages.

    Raises:
        UsageError: the type cannot be replaced.
        DataFault: an image cannot be expressed.
    """
    array = stored(array)
    kind = array.type
    if is_retained(kind):
        return array
    if kinds.is_dictionary(kind):
        inner = mapped(array.dictionary, kind.value_type, mapping, where)
        return pa.DictionaryArray.from_arrays(array.indices, inner)
    if kinds.is_struct(kind):
        parts = [mapped(array.field(place), field.type, mapping, where) for place, field in enumerate(to)]
        return pa.StructArray.from_arrays(parts, fields=list(to), mask=array.is_null())
    if kinds.is_map(kind):
        taken = pa.concat_arrays([array])
        keys = mapped(taken.keys, to.key_type, mapping, where)
        items = mapped(taken.items, to.item_type, mapping, where)
        return pa.MapArray.from_arrays(taken.offsets, keys, items, type=to, mask=taken.is_null())
    if kinds.is_fixed_size_list(kind):
        taken = pa.concat_arrays([array])
        inner = mapped(taken.values, to.value_type, mapping, where)
        return pa.FixedSizeListArray.from_arrays(inner, type=to, mask=taken.is_null())
    if kinds.is_list(kind) or kinds.is_large_list(kind):
        form = pa.ListArray if kinds.is_list(kind) else pa.LargeListArray
        # `flatten` leaves out what NULL lists hide, and offsets would not fit any more.
        taken = pa.concat_arrays([array])
        inner = mapped(taken.values, to.value_type, mapping, where)
        return form.from_arrays(taken.offsets, inner, type=to, mask=taken.is_null())
    distinct = array.dictionary_encode()
    values = distinct.dictionary
    try:
        images = _values(values, to, mapping)
    except (pa.ArrowException, OverflowError, ValueError) as error:
        problem = f"a value has no place alongside its like: {type(error).__name__}"
        raise DataFault(problem, where=where, remedy="leave the column out, or give it a wider type") from None
    if images is None:
        problem = f"values of type {kind} cannot be replaced"
        raise UsageError(problem, where=where, remedy="leave the column out of the files, or give it another type")
    return images.take(distinct.indices)


def exchanged(array: pa.Array, ids: Ids) -> pa.Array:
    """The images of identifiers, in the type that they have."""
    distinct = array.dictionary_encode()
    images = ids.images(distinct.dictionary.cast(pa.int64()).to_numpy())
    return pa.array(images).cast(array.type).take(distinct.indices)


def _values(values: pa.Array, to: pa.DataType, mapping: Mapping) -> pa.Array | None:
    kind = values.type
    if kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind):
        return pa.array([mapping.text(one) for one in values.to_pylist()], to)
    if kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind):
        return pa.array([mapping.words.data(one) for one in values.to_pylist()], to)
    if kinds.is_integer(kind):
        if largest(values) > LIMIT:
            return _large(values, to, mapping)
        return pa.array(mapping.numbers.units(values.cast(pa.int64()).to_numpy(), 0)).cast(to)
    if kinds.is_decimal(kind):
        return _of_decimals(values, to, mapping)
    if kinds.is_floating(kind):
        return pa.array(mapping.numbers.floats(values.to_numpy(zero_copy_only=False)), to)
    if kinds.is_date(kind) or kinds.is_timestamp(kind):
        return _moved(values, mapping.dates.days)
    return None


def _large(values: pa.Array, to: pa.DataType, mapping: Mapping) -> pa.Array:
    numbers = mapping.numbers
    found = values.to_pylist()
    small = [one for one in found if abs(one) <= LIMIT]
    images = dict(zip(small, numbers.units(np.array(small, np.int64), 0).tolist(), strict=True))
    large = [one for one in found if LIMIT < abs(one) < 1 << 63]
    images |= zip(large, numbers.large(np.array(large, np.int64)).tolist(), strict=True)
    for one in found:
        if one not in images:
            # -2^63 has no like: it stands for 'none'.
            images[one] = one if one < 0 else int(numbers.one(str(one)))
    whole = [images[one] for one in found]
    return pa.array([Decimal(one) for one in whole] if kinds.is_decimal(to) else whole, to)


def _decimals(images: list[Any], to: pa.DataType) -> pa.Array:
    return pa.array(images, to)


def _of_decimals(values: pa.Array, to: pa.DataType, mapping: Mapping) -> pa.Array:
    if largest(values) > LIMIT:
        return _decimals([Decimal(mapping.numbers.one(f"{one:f}")) for one in values.to_pylist()], to)
    # The units of the last place are the lower half of each value.
    wide = values.cast(pa.decimal128(_WIDEST, values.type.scale))
    halves = np.frombuffer(wide.buffers()[1], "<i8").reshape(-1, 2)[wide.offset : wide.offset + len(wide)]
    images = mapping.numbers.units(halves[:, 0].copy(), values.type.scale)
    pairs = np.empty((len(images), 2), "<i8")
    pairs[:, 0], pairs[:, 1] = images, images >> 63
    whole = pa.decimal128(_WIDEST, values.type.scale)
    return pa.Array.from_buffers(whole, len(images), [None, pa.py_buffer(pairs.tobytes())]).cast(to)


def _moved(values: pa.Array, days: int) -> pa.Array:
    kind = values.type
    if kinds.is_date32(kind):
        one, width = 1, pa.int32()
    elif kinds.is_date64(kind):
        one, width = _DAYS["ms"], pa.int64()
    else:
        one, width = _DAYS[kind.unit], pa.int64()
    numbers = values.view(width).to_numpy().astype(np.int64)
    epoch = FIRST.fromordinal(719_163)
    low, high = ((end - epoch).days * one for end in (FIRST, LAST))
    moved = np.where((numbers >= low) & (numbers < high), numbers + days * one, numbers)
    if np.any(moved < numbers):
        raise OverflowError
    return pa.array(moved, pa.int64()).cast(width).view(kind)
