"""weigh.toml, what the command line says of contenders and numbers, and schemas of answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.frame import HOSTILE, Door, command, fuzz, mutated
from support.user_data import make_data

if TYPE_CHECKING:
    import random
    from pathlib import Path

TOML = b"""\
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
"""No such engine exists: what is still right after its mutation ends there, and nothing is measured."""
SCHEMA = b'[[column]]\nname = "n"\nkind = "integer"\nmatch = "approx"\nrel = 1e-9\n'
QUERY = b"SELECT count(*) AS n FROM users WHERE id > 3"


def make_toml(chance: random.Random) -> bytes:
    files = {"weigh.toml": TOML, "queries/one.toml": SCHEMA, "queries/one.sql": QUERY}
    which = chance.choice(["weigh.toml"] * 6 + ["queries/one.toml", "queries/one.sql"])
    files[which] = mutated(files[which], chance)
    return json.dumps({name: content.decode("latin-1") for name, content in files.items()}).encode()


def use_toml(content: bytes, folder: Path) -> None:
    make_data(folder)
    (folder / "queries").mkdir()
    for name, text in json.loads(content).items():
        (folder / name).write_bytes(text.encode("latin-1"))
    for word in ("gate", "run"):
        assert command((word, "--quiet"), folder).code == 2


CONTENDERS = (
    "nobody",
    "nobody@1.0",
    "a=nobody@1.0+x==1+y",
    "nobody?threads=2&mode=x",
    "b=nobody?weigh.catalog=iceberg",
)
FLAGS = {
    "--scale": ("1K", "0.1", "1M", "1e3"), "--margin": ("3%", "0.03"), "--budget": ("10m", "30s", "1h"),
    "--starts": ("5",), "--runs": ("3",), "--rounds": ("2",), "--seed": ("42",), "--confidence": ("99%", "0.99"),
    "--precision": ("1%",), "--temperature": ("hot", "cold", "both"), "--workload": ("netflow", "tpch"),
    "--operations": ("by_action", "q1,q2"), "--timeout": ("10s",), "--baseline": ("nobody",),
    "--vary": ("threads=1,2",), "--scales": ("1K,10K",), "--memory": ("1G",), "--contention": ("10%",),
}  # fmt: skip


def make_flags(chance: random.Random) -> bytes:
    words = [chance.choice(("run", "gate", "ladder")), "--contender", chance.choice(CONTENDERS)]
    for flag in chance.sample(list(FLAGS), k=chance.randrange(1, 4)):
        words += [flag, chance.choice(FLAGS[flag])]
    for _ in range(chance.randrange(1, 3)):
        at = chance.randrange(1, len(words))
        if chance.random() < 0.2:
            words[at] = chance.choice(HOSTILE)
        else:
            words[at] = mutated(words[at].encode(errors="surrogateescape"), chance, 2).decode(errors="surrogateescape")
    # The kernel lets nobody write this into a command line.
    return json.dumps([word.replace("\0", "") for word in words]).encode()


def use_flags(content: bytes, folder: Path) -> None:
    words = json.loads(content)
    # Help is no mistake.
    assert command(words, folder).code in ((0, 2) if {"--help", "-h"} & set(words) else (2,))


SPECS = Door("specs", make_toml, use_toml)
WORDS = Door("flags", make_flags, use_flags)


def test_weigh_toml() -> None:
    fuzz(SPECS)


def test_the_command_line() -> None:
    fuzz(WORDS)
