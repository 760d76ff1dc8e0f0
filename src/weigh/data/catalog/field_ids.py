"""Field ids in Parquet files: a number for each column, by which readers of Iceberg find it, whatever its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

_KEY = b"PARQUET:field_id"


def refuse(path: Path, table: str) -> None:
    """Refuse a file whose columns have other ids than a new Iceberg table gives them: 1, 2, 3, in their order.

    Registering asks nobody about them, and readers go by the ids: several hand out one column under the name of
    another, with the right count and no error.

    Raises:
        UsageError: it has such ids, or ids inside nested columns, or some columns have one and others none.
    """
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    found = [_id(field) for field in schema]
    nested = any(_within(field.type) for field in schema)
    if not nested and (all(one is None for one in found) or found == list(range(1, len(found) + 1))):
        return
    numbered = zip(schema.names, found, strict=True)
    at, (name, number) = next(
        ((at, one) for at, one in enumerate(numbered, 1) if one[1] != at), (0, (schema.names[0], found[0]))
    )
    wrong = (
        f"column {name} has {'no field id' if number is None else f'field id {number}'}, and that of a table is {at}"
        if at
        else "columns inside nested ones have field ids"
    )
    raise UsageError(
        f"{wrong}: through Iceberg several engines would take one column for another, without an error",
        where=f"table {table}, {path}",
        remedy="write the file without field ids, or with 1, 2, 3 in the order of its columns; or leave out "
        "?catalog=iceberg",
    )


def _id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_KEY)
    return None if text is None else int(text)


def _within(kind: pa.DataType) -> bool:
    """Whether a field inside this type has an id."""
    inner = [kind.field(n) for n in range(kind.num_fields)]
    return any(_id(field) is not None or _within(field.type) for field in inner)
