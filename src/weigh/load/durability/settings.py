"""What may lose an acknowledged write: settings, scripts, and writes that no flush can have kept. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.runs import LoadRun, Prepared, TargetRead
    from weigh.load.spec import LoadSpec, Script

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXT = re.compile(r"'(?:[^']|'')*'")
_LATER = re.compile(
    r"\bset\s+(?:session\s+|local\s+)?synchronous_commit\s*(?:=|\bto\b)\s*'?(?P<value>:?\w+)|"
    r"\bset_config\s*\(\s*'synchronous_commit'\s*,\s*'?(?P<value2>:?\w+)",
    re.IGNORECASE,
)
_PRAGMA = re.compile(
    r"\bpragma\s+(?:\w+\.)?(?P<name>synchronous|journal_mode)\s*[=(]\s*'?(?P<value>\w+)", re.IGNORECASE
)
_UNLOGGED = re.compile(r"\bunlogged\b", re.IGNORECASE)
_LOST = ("off", "false", "no", "0")
_LAX = {"synchronous": ("0", "off", "1", "normal"), "journal_mode": ("off", "memory")}


_LEAST = 20
"""Writes below which nothing is concluded."""
_OF_YCSB = ("update", "insert", "read-modify-write")
_OF_TPCC = ("payment",)
_OF_PGBENCH = ("tpcb-like", "simple-update")
"""Operations each of which writes, whatever the data; of TPC-C the others may find nothing to do, or roll back."""


def undurable(
    target: TargetRead | None,
    after: TargetRead | None,
    spec: LoadSpec,
    prepared: Sequence[Prepared],
    runs: Sequence[LoadRun],
) -> tuple[str, ...]:
    """What may lose an acknowledged write, each in a few words.

    Args:
        target: as it described itself before the runs.
        after: the same after them, where that was something else.
        spec: of the load.
        prepared: what was so just before each run.
        runs: of the load.
    """
    found = [*target.undurable] if target else []
    if after:
        found += [f"{one} (since some moment during the runs)" for one in after.undurable if one not in found]
    for script in spec.scripts:
        found += _of_script(script)
    unlogged = dict.fromkeys(name for one in prepared if one.ready for name in one.ready.unlogged)
    for name in unlogged:
        if any(_names(script, name) for script in spec.scripts):
            found.append(f"the table {name} is UNLOGGED: a crash of the server empties it")
    if target and target.durable and not found:
        found += [text for one in runs if (text := _unflushed(one, writing(spec)))]
    return tuple(dict.fromkeys(found))


def writing(spec: LoadSpec) -> tuple[str, ...]:
    """Operations of a load each of which writes, by their names.

    What a user's script or a replay does is not known: one called ``update`` may change nothing.
    """
    found = _OF_YCSB if spec.is_ycsb else _OF_TPCC if spec.tpcc else ()
    return (*found, *(one.name for one in spec.scripts if not one.text and one.name in _OF_PGBENCH))


def _unflushed(run: LoadRun, names: Sequence[str]) -> str:
    """That a run acknowledged more writes than the flushes of its devices can have kept; empty where it did not.

    Before a write is acknowledged a flush has to end that began after it came, and when a flush ends no more requests
    are open than there are connections: so many writes it keeps at most.
    """
    flushes = run.server.flushes if run.server else msgspec.UNSET
    if flushes is msgspec.UNSET:
        return ""
    writes = sum(one.count for part in run.intervals for one in part.operations if one.name in names)
    if writes < _LEAST or writes <= flushes * run.connections:
        return ""
    return (
        f"in run {run.number} {writes:,} writes were acknowledged over {count(run.connections, 'connection')}, which "
        f"takes {-(-writes // run.connections):,} flushes of the device below its data or more, and it was flushed "
        f"{count(flushes, 'time')}, whatever the settings are said to be"
    )


def _of_script(script: Script) -> Iterator[str]:
    """What a script switches off by itself."""
    text = _COMMENT.sub(" ", script.text)
    for match in _LATER.finditer(text):
        value = (match["value"] or match["value2"]).lower()
        if value in _LOST or value.startswith(":"):
            yield (
                f"the script {script.name} sets synchronous_commit to {value}: a commit is acknowledged before it is "
                "on the disk"
            )
    for match in _PRAGMA.finditer(text):
        if match["value"].lower() in _LAX[match["name"].lower()]:
            yield f"the script {script.name} sets {match['name'].lower()} to {match['value'].upper()}"
    if _UNLOGGED.search(_TEXT.sub("''", text)):
        yield f"the script {script.name} makes tables that are UNLOGGED: a crash of the server empties them"


def _names(script: Script, table: str) -> bool:
    """Whether a script speaks of a table; the built-in scripts use those of pgbench."""
    if not script.text:
        return table.startswith("pgbench_")
    return re.search(rf"(?<!\w){re.escape(table)}(?!\w)", _COMMENT.sub(" ", script.text), re.IGNORECASE) is not None
