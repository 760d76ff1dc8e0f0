"""What may lose an acknowledged write: settings of the server, before and after, and what the scripts do. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.record import LoadRecord
    from weigh.load.spec import Script

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


def durable(record: LoadRecord) -> bool | None:
    """Whether every acknowledged write was kept; None where that is not known."""
    target = record.environment.target if record.environment else None
    if target is None:
        return None
    if undurable(record):
        return False
    return target.durable


def undurable(record: LoadRecord) -> tuple[str, ...]:
    """What may lose an acknowledged write, each in a few words."""
    target = record.environment.target if record.environment else None
    found = [*target.undurable] if target else []
    if record.after:
        found += [f"{one} (since some moment during the runs)" for one in record.after.undurable if one not in found]
    for script in record.spec.scripts:
        found += _of_script(script)
    unlogged = dict.fromkeys(name for one in record.prepared if one.ready for name in one.ready.unlogged)
    for name in unlogged:
        if any(_names(script, name) for script in record.spec.scripts):
            found.append(f"the table {name} is UNLOGGED: a crash of the server empties it")
    return tuple(dict.fromkeys(found))


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
