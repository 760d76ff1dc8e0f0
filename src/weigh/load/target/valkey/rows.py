"""The rows of a Valkey or Redis server, read through it and digested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weigh.load.resp import Client, Malformed, Refused
from weigh.load.rows import YCSB, digest
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weigh.load.runs import TableRows

_PREFIX = "weigh:"
_FIELDS = tuple(f"field{number}" for number in range(10))


def digests(connects: Sequence[dict[str, Any]], wanted: Callable[[str], bool]) -> dict[str, TableRows]:
    """The rows of YCSB; it has no other tables.

    Args:
        connects: of the server, or of each node that has a part of them.
        wanted: whether a table is.

    Raises:
        EngineFault: it does not answer.
    """
    if not wanted(YCSB):
        return {}
    try:
        return {YCSB: digest(row for connect in connects for row in _node(connect))}
    except (OSError, Refused, Malformed) as error:
        raise EngineFault(f"it does not say which rows it has: {error}") from error


def _node(connect: dict[str, Any]) -> Iterator[list[str | None]]:
    with Client(connect) as client:
        yield from _rows(client)


def _rows(client: Client) -> Iterator[list[str | None]]:
    """Each row: its key without its prefix, then its fields in order."""
    cursor, keys_read = "0", set[str]()
    while True:
        answer = client.ask("SCAN", cursor, "MATCH", f"{_PREFIX}user*", "COUNT", "1000")
        if not isinstance(answer, list) or len(answer) != 2 or not isinstance(answer[1], list):
            raise Malformed("the server sent no keys in answer to SCAN")
        cursor = str(answer[0])
        # While it rehashes a key may come twice.
        keys = [key for key in answer[1] if key not in keys_read]
        keys_read.update(keys)
        for key, fields in zip(keys, client.batch([("HMGET", key, *_FIELDS) for key in keys]), strict=True):
            yield [key.removeprefix(_PREFIX), *fields]
        if cursor == "0":
            return
