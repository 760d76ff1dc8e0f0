"""Families of types: what the values of an Arrow type are, whatever form they have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from weigh.answers.cells import is_bytes, is_text, plain
from weigh.answers.texts import DAY

if TYPE_CHECKING:
    import pyarrow as pa

Name = Literal[
    "null", "boolean", "integer", "decimal", "float", "date", "timestamp", "time", "duration", "interval", "bytes",
    "list", "map", "struct", "variant", "text", "unknown",
]  # fmt: skip
NAMES: tuple[Name, ...] = Name.__args__  # type: ignore[attr-defined]
"""In an order in which each pair is looked up once."""
PLURAL: dict[Name, str] = {
    "null": "NULLs", "boolean": "booleans", "integer": "integers", "decimal": "decimals", "float": "doubles",
    "date": "dates", "timestamp": "timestamps", "time": "times", "duration": "durations", "interval": "intervals",
    "bytes": "bytes", "list": "lists", "map": "maps", "struct": "structs", "variant": "variants", "text": "text",
    "unknown": "other values",
}  # fmt: skip
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


class Family(NamedTuple):
    """What the values of a type are.

    Attributes:
        name: of the family.
        unit: nanoseconds of one count of a date, a time or a duration.
        size: bytes of each value where all have as many, of decimals of 256 bits, and of floats below doubles; 0 else.
        parts: families of what a list, a map (keys, values) or a struct holds.
        extension: name of the extension that gives its values another meaning, such as ``arrow.uuid``.
        names: of the members of a struct, in order.
    """

    name: Name
    unit: int = 1
    size: int = 0
    parts: tuple[Family, ...] = ()
    extension: str = ""
    names: tuple[str, ...] = ()

    @property
    def json(self) -> bool:
        """Whether the type says that its text is JSON."""
        return self.extension == "arrow.json"

    @property
    def has_json(self) -> bool:
        """Whether it is JSON, or a part of it is: text that everybody writes in another way."""
        return self.json or any(part.has_json for part in self.parts)

    @property
    def shape(self) -> str:
        """The names of the family and of its parts: of two types that are equal in it no value changes its form."""
        inner = ", ".join(part.shape for part in self.parts)
        return f"{self.name}<{inner}>" if self.parts else self.name

    def holds(self, name: Name) -> bool:
        """Whether it is of that family, or a part of it is."""
        return self.name == name or any(part.holds(name) for part in self.parts)


def family(kind: pa.DataType) -> Family:
    """What the values of a type are."""
    return _family(plain(kind))._replace(extension=str(getattr(kind, "extension_name", "")))


def _family(kind: pa.DataType) -> Family:
    import pyarrow as pa

    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return Family("list", parts=(family(kind.value_type),))
    if types.is_map(kind):
        return Family("map", parts=(family(kind.key_type), family(kind.item_type)))
    if types.is_struct(kind):
        if _is_variant(kind):
            return Family("variant")
        return Family(
            "struct", parts=tuple(family(field.type) for field in kind), names=tuple(field.name for field in kind)
        )
    if types.is_timestamp(kind):
        return Family("timestamp", _UNITS[kind.unit])
    if types.is_time(kind):
        return Family("time", _UNITS[kind.unit])
    if types.is_duration(kind):
        return Family("duration", _UNITS[kind.unit])
    if types.is_date(kind):
        return Family("date", DAY if types.is_date32(kind) else _UNITS["ms"])
    if types.is_fixed_size_binary(kind):
        return Family("bytes", size=kind.byte_width)
    if types.is_decimal256(kind):
        return Family("decimal", size=kind.byte_width)
    if types.is_floating(kind) and not types.is_float64(kind):
        return Family("float", size=kind.bit_width // 8)
    return Family(_flat(kind))


def _is_variant(kind: pa.DataType) -> bool:
    """Whether it is how Parquet stores VARIANT: readers may encode its parts in bytes of their own."""
    fields = {field.name: field.type for field in kind}
    if set(fields) - {"metadata", "value", "typed_value"} or not {"metadata"} < set(fields):
        return False
    return all(is_bytes(fields[name]) for name in ("metadata", "value") if name in fields)


def _flat(kind: pa.DataType) -> Name:
    import pyarrow as pa

    types = pa.types
    if types.is_null(kind):
        return "null"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_integer(kind):
        return "integer"
    if types.is_decimal(kind):
        return "decimal"
    if types.is_floating(kind):
        return "float"
    if is_text(kind):
        return "text"
    if is_bytes(kind):
        return "bytes"
    return "interval" if types.is_interval(kind) or str(kind).endswith("_interval") else "unknown"
