"""What a load takes from its user beside scripts: definitions of variables, property files of YCSB's, and files of SQL
that make the data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fuzz.frame import HOSTILE, Door, fuzz, mutated
from weigh._native import Load, LoadError
from weigh.load.config.flags import definitions
from weigh.load.ycsb import properties as ycsb_properties
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    import random
    from pathlib import Path
    from typing import Any

DEFINED = (
    "scale=10", "skew=1.05", "x=11e-1", "n=-3", "tbl=t", "yes=true", "no=off", "none=null", "big=9223372036854775808",
    "id=007", "e=", "=1", "a b=1", "é=1", "inf=inf", "m=--1", "q='", "s=;", "c=/*", "d=$$",
)  # fmt: skip
USES = "\\set y case when :x is null then 1 else :x end\nSELECT :x, ':x', -:x FROM (SELECT 1) AS t LIMIT 1;\n"
PROPERTIES = b"""\
# of go-ycsb
recordcount=1000
workload=core
readproportion=0.5
updateproportion: 0.5
requestdistribution uniform
fieldlengthdistribution=zipfian
minfieldlength=24
threadcount=8
tikv.pd=host:2379
"""
DUMP = rb"""
\restrict abc
-- a comment; with a semicolon
CREATE TABLE t (a int, b text); /* ; */
CREATE TRIGGER one AFTER INSERT ON t BEGIN SELECT 1; SELECT CASE WHEN 1 THEN 2 END; END;
INSERT INTO t VALUES (1, 'it''s; $$ "x"'), (2, E'\'');
COPY t (a, b) FROM stdin;
1	\N
\.
SELECT $tag$ ; $tag$, $1;
"""


def load(workload: dict[str, Any], folder: Path) -> Load:
    """A load of SQLite that takes a moment."""
    config = {
        "target": {"kind": "sqlite", "path": str(folder / "t.sqlite"), "settings": {}}, "workload": workload,
        "arrivals": {"kind": "closed"}, "duration_s": 0.02, "connections": 1, "threads": 1, "max_in_flight": 1,
        "timeout_s": 0.05, "interval_s": 1.0, "spin": False,
    }  # fmt: skip
    return Load(json.dumps(config))


def script(text: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": "script", "seed": 1, "variables": {}, "prepared": True,
        "scripts": [{"name": "fuzz", "text": text, "weight": 1}], **more,
    }  # fmt: skip


def make_definition(chance: random.Random) -> bytes:
    one = chance.choice(DEFINED)
    return chance.choice(HOSTILE).encode(errors="replace") if chance.random() < 0.1 else mutated(one.encode(), chance)


def use_definition(content: bytes, folder: Path) -> None:
    text = content.decode("latin-1")
    try:
        found = definitions([text])
    except UsageError:
        return
    (value,) = found.values()
    for prepared in (True, False):
        try:
            made = load(script(USES, variables={"x": value}, prepared=prepared), folder)
            made.start()
            made.finish()
        except LoadError as error:
            assert error.kind in ("script", "setting", "refused"), error


def make_properties(chance: random.Random) -> bytes:
    return mutated(PROPERTIES, chance)


def use_properties(content: bytes, folder: Path) -> None:
    path = folder / "mine"
    path.write_bytes(content)
    try:
        asked = ycsb_properties.requested(ycsb_properties.read(path), None)
    except UsageError:
        return
    assert all(ycsb_properties.means(name) for name in asked.workload.ignored)


def make_dump(chance: random.Random) -> bytes:
    return mutated(DUMP, chance)


def use_dump(content: bytes, folder: Path) -> None:
    path = folder / "made.sql"
    path.write_bytes(content)
    try:
        load(script("SELECT 1;", prepare=str(path)), folder).load(None)
    except LoadError as error:
        assert error.kind in ("script", "setting", "refused"), error


DEFINITIONS = Door("definitions", make_definition, use_definition)
YCSB = Door("properties", make_properties, use_properties)
PREPARATION = Door("preparation", make_dump, use_dump)


def test_definitions() -> None:
    fuzz(DEFINITIONS)


def test_property_files() -> None:
    fuzz(YCSB)


def test_files_that_make_the_data() -> None:
    fuzz(PREPARATION)
