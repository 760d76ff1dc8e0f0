"""Parquet and SQL with planted words, broken in every way, given to obfuscation: no word comes out."""

from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from field.test_obfuscate_names import WORDS, planted
from fuzz.frame import Door, command, fuzz, mutated
from weigh.obfuscation import statement
from weigh.obfuscation.key import Key
from weigh.obfuscation.literals import Unreplaceable
from weigh.obfuscation.mapping import Mapping

if TYPE_CHECKING:
    import random
    from pathlib import Path

_SQL = b"SQL "
_PARTS = (
    "SELECT {a} AS {b}", "SELECT {a}.{b}", "SELECT count(*) {c}", "SELECT {a}({b})", "SELECT pg_{a}({b}), to_{c}(1)",
    "WITH {a} AS (SELECT {b} FROM {c}) SELECT {b}", "SELECT '{a}'", "SELECT $${a}$$",
    'SELECT "{a} {b}"', "SELECT `{a}`",
    "SELECT {a}::{b}", "SELECT {a}->>'{b}'", "UPDATE {a} SET {b} = 1", "DELETE", "INSERT INTO {a} ({b}) VALUES (1)",
    "SAVEPOINT {a}", "SELECT E'{a}', X'{b}'", "SELECT INTERVAL '{a}'", "CALL {a}({b})", "SET {a} = {b}",
)  # fmt: skip
_TAILS = (
    " FROM {a}", " FROM {a} AS {b}", " FROM {a} JOIN {b} USING ({c})", " -- {a}\n", " /* {b} */", " # {c}\n",
    " WHERE {a} = {b}", " WHERE {a} LIKE '{b}%'", " GROUP BY {a}", " ORDER BY {a} COLLATE \"{b}\"", " LIMIT 1",
    " ON CONFLICT ON CONSTRAINT {a} DO NOTHING", " WINDOW {a} AS (PARTITION BY {b})", " RETURNING {a}", ";",
)  # fmt: skip


@functools.cache
def whole() -> tuple[bytes, ...]:
    """Files with a word at every place."""
    made = []
    for options in ({"compression": "zstd", "write_page_checksum": True}, {"compression": "none"}):
        sink = io.BytesIO()
        pq.write_table(planted(), sink, **options)
        made.append(sink.getvalue())
    return tuple(made)


@functools.cache
def mapping() -> Mapping:
    return Mapping(Key(bytes(range(32))))


def make(chance: random.Random) -> bytes:
    match chance.randrange(6):
        case 0:
            return chance.choice(whole())
        case 1 | 2:
            file = chance.choice(whole())
            length = int.from_bytes(file[-8:-4], "little") + 8
            footer = mutated(file[-length:-8], chance)
            return file[:-length] + footer + len(footer).to_bytes(4, "little") + file[-4:]
        case 3:
            return mutated(chance.choice(whole()), chance)
        case _:
            parts = [chance.choice(_PARTS), *chance.choices(_TAILS, k=chance.randrange(4))]
            words = dict(zip("abc", chance.sample(sorted(WORDS.values()), 3), strict=True))
            text = "".join(parts).format(**words).encode()
            return _SQL + (mutated(text, chance, 2) if chance.random() < 0.3 else text)


def _planted(content: bytes) -> list[str]:
    return [word for word in WORDS.values() if word.encode() in content.lower()]


def use(content: bytes, folder: Path) -> None:
    if content.startswith(_SQL):
        text = content.removeprefix(_SQL).decode(errors="replace")
        for dialect in ("postgres", "mysql"):
            for replaced in (statement.rewritten, statement.control):
                try:
                    made = replaced([text], [], dialect, mapping())
                except Unreplaceable:
                    continue
                assert not (found := _planted("".join(made.pieces).encode())), f"{found} of {text!r} in {made.pieces}"
        return
    path, copy = folder / "x.parquet", folder / "copy"
    path.write_bytes(content)
    shown = command(("data", "obfuscate", str(path), "--out", str(copy), "--quiet", "--json"), folder)
    said = shown.out + shown.err
    # A file that cannot be read is named with what its reader says of it, and then there is no copy.
    if copy.exists():
        assert not (found := _planted(said.encode())), f"{found} in {said[-2000:]}"
    for file in copy.rglob("*") if copy.exists() else ():
        assert not (found := _planted(file.read_bytes())), f"{found} in {file.name}"


OBFUSCATED = Door("obfuscated", make, use, few=25)


def test_obfuscated() -> None:
    fuzz(OBFUSCATED)
