"""Attempts that are read together and were not of one engine: its files are others than before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.model.contender import ContenderRead
    from weigh.model.finding import Finding


def pooled(attempts: Sequence[Record]) -> Iterator[Finding]:
    """Contenders of which attempts with times have other files of the engine, though their names are the same.

    Args:
        attempts: records, oldest first.
    """
    first: dict[str, tuple[int, ContenderRead]] = {}
    named: set[str] = set()
    for record in attempts:
        for read in record.environment.contenders if record.environment and record.blocks else ():
            attempt, before = first.setdefault(read.name, (record.attempt, read))
            if read.name in named or not (what := _what(before, read)):
                continue
            named.add(read.name)
            yield codes.X_POOLED.finding(
                contender=read.name,
                text=f"its engine is another one in attempt {record.attempt} than in attempt {attempt}: {what}",
                remedy="measure it in a folder of its own (--out); verdicts over both are of neither",
            )


def _what(before: ContenderRead, now: ContenderRead) -> str:
    if before.version != now.version:
        return f"{before.version} before, {now.version} now"
    edits = [{} if one.edited is msgspec.UNSET else one.edited for one in (before, now)]
    changed = sorted(name for name in edits[0].keys() | edits[1].keys() if edits[0].get(name) != edits[1].get(name))
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        return f"{changed[0]}{more} was edited between them"
    known = msgspec.UNSET not in (before.files, now.files)
    return "other files were installed" if known and before.files != now.files else ""
