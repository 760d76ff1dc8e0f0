"""What may lose an acknowledged write: settings of the server, before and after, and what the scripts do. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.runs import Prepared, TargetRead
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


def undurable(
    target: TargetRead | None, after: TargetRead | None, scripts: Sequence[Script], prepared: Sequence[Prepared]
) -> tuple[str, ...]:
    """What may lose an acknowledged write, each in a few words.

    Args:
        target: as it described itself before the runs.
        after: the same after them, where that was something else.
        scripts: of the load.
        prepared: what was so just before each run.
    """
    found = [*target.undurable] if target else []
    if after:
        found += [f"{one} (since some moment during the runs)" for one in after.undurable if one not in found]
    for script in scripts:
        found += _of_script(script)
    unlogged = dict.fromkeys(name for one in prepared if one.ready for name in one.ready.unlogged)
    for name in unlogged:
        if any(_names(script, name) for script in scripts):
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
