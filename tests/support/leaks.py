"""Whether texts of one side are found anywhere in the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.types as kinds

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST = 5
"""Characters: shorter texts come about by chance."""


def strings(table: pa.Table) -> set[str]:
    """Every different text of a table."""
    texts = [column for column in table.columns if kinds.is_string(column.type) or kinds.is_large_string(column.type)]
    return {value for column in texts for value in column.unique().to_pylist() if value is not None}


def leaked(inside: Iterable[str], outside: Iterable[str]) -> list[str]:
    """Texts of ``inside`` that are found in ``outside``, wherever; without a letter or a digit it is none."""
    whole = "\n".join(outside)
    pieces = {whole[at : at + LEAST] for at in range(len(whole))}

    def there(text: str) -> bool:
        runs = (text[at : at + LEAST] for at in range(len(text) - LEAST + 1))
        return all(run in pieces for run in runs) and text in whole

    return sorted(
        one
        for one in set(inside)
        if len(one) >= LEAST and any(each.isalnum() and each != "0" for each in one) and there(one)
    )
