"""Views: a form of texts and bytes that some writers and readers prefer, and that Arrow can neither filter nor take."""

from __future__ import annotations

import pyarrow as pa

_PLAIN = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}


def plain(schema: pa.Schema) -> pa.Schema:
    """The schema with plain texts and bytes in their place."""
    return pa.schema(field.with_type(_PLAIN.get(field.type, field.type)) for field in schema)
