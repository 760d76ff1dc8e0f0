"""Verify what agents have seen: the seal of each, and that the merged figures are those of their journals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files
from weigh.evidence.seal import SEAL, Seal
from weigh.evidence.verification import Problem, chain
from weigh.load.agents.merging import intervals_of_a_part, of_journals, path_of
from weigh.load.agents.model import FOLDER
from weigh.load.runs import LoadInterval
from weigh.model import codes
from weigh.model.errors import WeighError
from weigh.statistics.histogram import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.load.agents.model import AgentPart
    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadRun

_HISTOGRAMS = ("response", "service", "lag_free", "lag_late", "failed")


def problems(folder: Path, record: LoadRecord) -> Iterator[Problem]:
    """Everything that is wrong with what agents have seen; nothing of a load without any.

    Args:
        folder: of the attempt.
        record: of it.
    """
    if record.agents is None:
        return
    lost = {one.agent for one in record.agent_runs if one.lost}
    numbers = sorted({one.agent for one in record.agent_runs} - lost)
    whole = True
    for number in numbers:
        found = list(_sealed(folder / FOLDER / str(number), number))
        whole = whole and not found
        yield from found
    # Whoever was lost has taken its journal along: what all together saw cannot be made again of the others'.
    if not whole or lost or not numbers:
        return
    for run in record.runs:
        if any(one.run == run.number for one in record.agent_runs):
            yield from _merge(folder, record, run, numbers)


def unmerged(record: LoadRecord) -> str:
    """Why no merge of what agents saw can be made again; empty where it can, or where there is nothing to merge."""
    lost = sorted({one.agent for one in record.agent_runs if one.lost})
    if record.agents is None or not lost:
        return ""
    runs = sorted({one.run for one in record.agent_runs})
    names = ", ".join(one.name for one in record.agents.agents if one.number in lost)
    return (
        f"the merge of what agents saw in run {', '.join(map(str, runs))} could not be made again, because {names} was "
        "lost, and its journal too"
    )


def _sealed(folder: Path, number: int) -> Iterator[Problem]:
    """An agent's own seal and journal."""
    name = f"{FOLDER}/{number}/{SEAL}"
    try:
        sealed = files.decoded(files.content(folder / SEAL), Seal)
        for file, digest in sealed.files.items():
            if "/" in file or not files.is_regular(folder / file) or files.hashed(folder / file) != digest:
                yield Problem(
                    code=codes.R4_HASH.code, file=f"{FOLDER}/{number}/{file}", text="it is not what the agent sealed"
                )
        yield from chain(folder)
    except (OSError, WeighError) as error:
        yield Problem(code=codes.R4_HASH.code, file=name, text=f"the seal of agent {number} cannot be read: {error}")


def _merge(folder: Path, record: LoadRecord, run: LoadRun, numbers: list[int]) -> Iterator[Problem]:
    """The merge of one run made again."""
    spec = record.spec.varied(run.rate, run.duration_s)
    differing: list[int] = []
    at = 0

    def compare(texts: list[str]) -> None:
        nonlocal at
        for text in texts:
            made = msgspec.json.decode(text, type=LoadInterval)
            if at >= len(run.intervals) or not _same(made, run.intervals[at]):
                differing.append(at)
            at += 1

    try:
        each = intervals_of_a_part(spec.duration_s, spec.interval_s)
        parts = of_journals(folder, numbers, run.number, each, compare)
    except WeighError as error:
        yield Problem(code=codes.R4_DERIVED.code, file=f"{FOLDER}/", text=f"it cannot be merged: {error.what}")
        return
    if at != len(run.intervals) or differing:
        place = differing[0] if differing else min(at, len(run.intervals))
        yield Problem(
            code=codes.R4_FIGURES.code,
            file="journal.jsonl",
            text=f"interval {place + 1} of run {run.number} is not what the journals of its agents add up to",
        )
    for one in record.agent_runs:
        if one.run == run.number and not _same_parts(parts.get(one.agent, ()), one.parts):
            yield Problem(
                code=codes.R4_FIGURES.code,
                file="journal.jsonl",
                text=f"what it says of agent {one.agent} in run {run.number} does not follow from "
                f"{path_of(folder, one.agent).relative_to(folder)}",
            )


def _same(one: LoadInterval, other: LoadInterval) -> bool:
    plain = {"operations": (), "client_cpu_s": 0.0, "client_wait_s": 0.0}
    if msgspec.structs.replace(one, **plain) != msgspec.structs.replace(other, **plain):
        return False
    if max(abs(one.client_cpu_s - other.client_cpu_s), abs(one.client_wait_s - other.client_wait_s)) > 1e-9 or len(
        one.operations
    ) != len(other.operations):
        return False
    return all(
        _same_but_packed(mine, theirs, _HISTOGRAMS)
        for mine, theirs in zip(one.operations, other.operations, strict=True)
    )


def _same_parts(some: tuple[AgentPart, ...], others: tuple[AgentPart, ...]) -> bool:
    return len(some) == len(others) and all(
        _same_but_packed(one, other, ("response", "lag_late")) for one, other in zip(some, others, strict=True)
    )


def _same_but_packed(one: msgspec.Struct, other: msgspec.Struct, histograms: Sequence[str]) -> bool:
    """Whether two are the same: another version may pack the same values of a histogram otherwise."""
    empty = dict.fromkeys(histograms, "")
    if msgspec.structs.replace(one, **empty) != msgspec.structs.replace(other, **empty):
        return False
    for name in histograms:
        mine, theirs = getattr(one, name), getattr(other, name)
        if mine != theirs:
            left, right = decode(mine), decode(theirs)
            if list(left.tops) != list(right.tops) or list(left.counts) != list(right.counts):
                return False
    return True
