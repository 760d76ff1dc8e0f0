"""Damaged input by the hundred: every command says what is wrong and ends; no traceback, no hang."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from support.user_data import make_data

if TYPE_CHECKING:
    from support.command import Weigh

TOML = """\
[experiment]
workload = "sql"
baseline = "a"
margin = 0.03
starts = 10
runs = 3
budget = "10m"
seed = 42
operations = ["one"]

[sql]
folder = "queries"

[sql.tables]
users = ["my 'data'/users.parquet"]

[layout]
writer = "duckdb"
codec = "zstd"

[[contender]]
name = "a"
engine = "nobody"
version = "1.0"
pins = ["x==1"]
settings = { threads = 2, mode = "x" }
"""
"""No such engine exists: a file that is still right after its mutation ends there, and nothing is measured."""

WORDS = (
    b"", b"\0", b"\xff", b"[", b"]", b"[[", b"=", b"\n", b'"', b"'''", b"-1", b"0", b"1e400", b"nan", b"inf", b"true",
    b"[[[[[[", b"{", b"}", b"99999999999999999999", b"contender", b"experiment", b"[sql.tables]\nx = []\n", b"..",
    b"/dev/zero", b"/", b"~", b"*", b"**", b"\xe2\x80\xae", b"%s", b"{0}", b"2026-11-21", b"#",
)  # fmt: skip


def mutated(content: bytes, chance: random.Random, mutations: int) -> bytes:
    """Bytes replaced, cut out, doubled, or exchanged for something that parsers stumble over."""
    data = bytearray(content)
    for _ in range(1 + chance.randrange(mutations)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((0, 1, 1, 2, 5, 40)))
        kind = chance.randrange(4)
        if kind == 0:
            data[at:end] = chance.choice(WORDS)
        elif kind == 1:
            data[at:end] = bytes(chance.randrange(256) for _ in range(end - at))
        elif kind == 2:
            data[at:end] = data[at:end] * 2
        else:
            del data[at:end]
        if not data:
            break
    return bytes(data)


def tomls(weigh: Weigh, number: int) -> None:
    make_data(weigh.folder)
    (weigh.folder / "queries").mkdir()
    (weigh.folder / "queries/one.sql").write_text("SELECT count(*) AS n FROM users")
    (weigh.folder / "queries/one.toml").write_text('[[column]]\nname = "n"\nkind = "integer"\n')
    chance = random.Random(1)
    for _ in range(number):
        content = mutated(TOML.encode(), chance, 4)
        (weigh.folder / "weigh.toml").write_bytes(content)
        done = weigh("gate", timeout=60)
        assert (done.code, done.out) == (2, ""), content
        assert done.err.startswith("error: "), content
        assert "internal error" not in done.err, (content, done.err)


def parquets(weigh: Weigh, number: int) -> None:
    make_data(weigh.folder)
    whole = (weigh.folder / "my 'data'/users.parquet").read_bytes()
    chance = random.Random(2)
    path = weigh.folder / "users.parquet"
    for turn in range(number):
        # The footer is where a parser can be led astray; the pages are most of the bytes.
        if turn % 2:
            content = whole[:-700] + mutated(whole[-700:-8], chance, 3) + whole[-8:]
        else:
            content = mutated(whole, chance, 3)
        path.write_bytes(content)
        for command in (("data", "describe", str(path)), ("init", "--data", str(path), "--contender", "duckdb")):
            done = weigh(*command, "--force", timeout=120) if command[0] == "init" else weigh(*command, timeout=120)
            assert done.code in (0, 2), (turn, command, done.err)
            assert done.code == 0 or done.err.count("error: "), (turn, command)
            assert "internal error" not in done.err, (turn, command, done.err)


def test_mutated_toml(weigh: Weigh) -> None:
    tomls(weigh, 25)


def test_mutated_parquet(weigh: Weigh) -> None:
    parquets(weigh, 6)


@pytest.mark.long
def test_a_thousand_mutated_tomls(weigh: Weigh) -> None:
    tomls(weigh, 1000)


@pytest.mark.long
def test_a_thousand_mutated_parquet_files(weigh: Weigh) -> None:
    parquets(weigh, 1000)
