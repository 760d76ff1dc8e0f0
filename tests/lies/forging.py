"""Evidence forged with weigh's own functions, as somebody would who has read its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from support import evidence_files
from weigh.evidence import journal, seal, sealing, timeline, turns
from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.model.clock_coverage import TurnCpu
from weigh.model.gate import Gate
from weigh.model.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Weigh

Events = list[journal.Event]


def rewrite(evidence: Path, change: Callable[[Events], Events]) -> None:
    """Change the journal, chain its lines anew, and change nothing that follows from it."""
    events = packed(change(expanded(journal.read(evidence))))
    (evidence / journal.NAME).write_bytes(b"".join(evidence_files.chained(events)))


def expanded(events: Events) -> Events:
    """The same with a row for each sample, ``{"samples": [...], "cpu": [...]}``, and what the sampler saw before it."""
    made, attempt, digests = [], 1, turns.established(None)
    for event in events:
        attempt, digests = _told(event, attempt, digests)
        body = event.body
        if event.event == "turn":
            turn = turns.unpack(body, attempt, digests)
            body = {"samples": msgspec.to_builtins(turn.samples), "cpu": msgspec.to_builtins(turn.cpu)}
            made += [journal.Event("watch", event.body["watch"])] if "watch" in event.body else []
        made.append(journal.Event(event.event, body))
    return made


def packed(events: Events) -> Events:
    """The same as weigh writes it."""
    made: Events = []
    attempt, digests = 1, turns.established(None)
    for event in events:
        attempt, digests = _told(event, attempt, digests)
        body = event.body
        if event.event == "turn":
            seen = made.pop().body if made and made[-1].event == "watch" else None
            turn = turns.Turn(
                samples=msgspec.convert(body["samples"], tuple[Sample, ...]),
                cpu=msgspec.convert(body["cpu"], tuple[TurnCpu, ...]),
                moments=msgspec.convert(seen, timeline.Columns | None),
            )
            body = turns.pack(turn, attempt, digests)
        made.append(journal.Event(event.event, body))
    return made


def _told(event: journal.Event, attempt: int, digests: turns.Digests) -> tuple[int, turns.Digests]:
    """The number of the attempt, and the digests that the gate established, after an event."""
    if event.event == "opened":
        return event.body["attempt"], digests
    if event.event == "gate":
        return attempt, turns.established(msgspec.convert(event.body, Gate))
    return attempt, digests


def reseal(evidence: Path) -> None:
    """Seal it as it is now."""
    sealing.seal(evidence, seal.read_seal(evidence).weigh)


def forge(evidence: Path, change: Callable[[Events], Events]) -> None:
    """Change the journal, derive everything from it, and seal."""
    rewrite(evidence, change)
    derived.derive(evidence)
    files.write(evidence)
    reseal(evidence)


def problems(weigh: Weigh, evidence: Path) -> set[tuple[str, str]]:
    """(code, file) of what `weigh verify` finds; it must exit as it says."""
    run = weigh("verify", str(evidence), "--json")
    found = {(problem["code"], problem["file"]) for problem in run.json["verification"]["problems"]}
    assert run.code == (1 if found else 0), run.err
    assert run.json["passed"] is not bool(found)
    return found


def samples(events: Events) -> list[dict[str, Any]]:
    """The samples in events that are :func:`expanded`, to be changed in place."""
    return [sample for event in events if event.event == "turn" for sample in event.body["samples"]]
