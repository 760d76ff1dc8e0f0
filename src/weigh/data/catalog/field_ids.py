"""Field ids in Parquet files: a number for each column, by which readers of Iceberg find it, whatever its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.errors import DataFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

_KEY = b"PARQUET:field_id"


def refuse(path: Path, table: str) -> None:
    """Refuse a file whose columns have other ids than a new Iceberg table gives them: 1, 2, 3, in their order.

    Registering asks nobody about them, and readers go by the ids: several hand out one column under the name of
    another, with the right count and no error.

    Raises:
        UsageError: it has such ids, or ids inside nested columns, or some columns have one and others none.
        DataFault: it cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise DataFault(str(error), where=str(path), remedy="give readable, undamaged Parquet files") from error
    found = [_id(field) for field in schema]
    wrong = ""
    if any(one is not None for one in found):
        numbered = enumerate(zip(schema.names, found, strict=True), 1)
        at, name, number = next(((at, *one) for at, one in numbered if one[1] != at), (0, "", None))
        has = "no field id" if number is None else f"field id {number}"
        wrong = f"column {name} has {has}, and that of a table is {at}" if at else ""
    if not wrong and any(_within(field.type) for field in schema):
        wrong = "columns inside nested ones have field ids"
    if wrong:
        raise UsageError(
            f"{wrong}: through Iceberg several engines would take one column for another, without an error",
            where=f"table {table}, {path}",
            remedy="write the file without field ids, or with 1, 2, 3 in the order of its columns; or leave out "
            "?catalog=iceberg",
        )


def has(paths: Iterable[str]) -> bool:
    """Whether a column of any of these files has an id."""
    import pyarrow.parquet as pq

    return any(_id(field) is not None for path in paths for field in pq.read_schema(path))


def _id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(_KEY)
    return None if text is None else int(text)


def _within(kind: pa.DataType) -> bool:
    """Whether a field inside this type has an id."""
    inner = [kind.field(n) for n in range(kind.num_fields)]
    return any(_id(field) is not None or _within(field.type) for field in inner)
