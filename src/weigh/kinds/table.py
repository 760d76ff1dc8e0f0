"""The table of kinds, and which of them a directory is.

The commands and :func:`weigh.open` use this table. The modules of a kind are imported when something is done with
evidence of it, so that the table itself costs nothing.
"""

from __future__ import annotations

import shlex
from itertools import islice
from typing import TYPE_CHECKING, Any

from weigh.kinds.kind import Kind, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.verify.verify import Verification
    from weigh.ladder.load.results import LoadLadderResults
    from weigh.ladder.load.verify import LoadLadderVerification
    from weigh.ladder.results import LadderResults
    from weigh.ladder.verify import LadderVerification
    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verify import LoadComparisonVerification
    from weigh.load.results import LoadResults
    from weigh.load.verify import LoadVerification
    from weigh.model.errors import EvidenceFault
    from weigh.reproduce.files import ReproductionVerification
    from weigh.reproduce.results import ReproductionResults
    from weigh.streams.files import StreamsVerification
    from weigh.streams.results import StreamsResults

_ATTEMPT = {
    "read": ".report.files:read",
    "text": ".report.terminal:screen",
    "whole": ".report.terminal:whole",
    "notes": ".report.terminal:notes",
    "markdown": ".report.first_screen.markdown:markdown",
    "document": ".report.document:document",
    "html": ".report.files:html",
    "verify": ".verify:verify",
    "lines": ".verify:lines",
}
_LADDER = {
    "read": ".report.files:read",
    "text": ".report.report:text",
    "document": ".report.document:document",
    "html": ".report.files:html",
    "verify": ".verify:verify",
    "lines": ".verify:lines",
}

RUN: Kind[ExperimentResults, Verification] = Kind(
    name="run",
    noun="an experiment",
    home="weigh.experiment",
    verify_schema="weigh/verify/1",
    can={
        **_ATTEMPT,
        "screen": ".report.first_screen:first_screen",
        "recognises": "weigh.kinds.about:is_run",
        "about": "weigh.kinds.about:run",
        "verify": ".verify.verify:verify",
        "lines": ".verify.verify:lines",
        "export": ".report.export:export",
        "recount": ".verify.recount.recount:recount",
        "script": ".verify.recount.recount:script",
        "queries": ".verify.recount.recount:queries",
    },
)
"""An attempt of ``weigh run``, ``gate`` or ``demo``, read with the earlier ones of its experiment."""

LOAD: Kind[LoadResults, LoadVerification] = Kind(
    name="load",
    noun="a load",
    home="weigh.load",
    verify_schema="weigh/verify-load/1",
    can={
        **_ATTEMPT,
        "text": ".report.first_screen:screen",
        "whole": ".report.report:whole",
        "notes": ".report.report:notes",
        "markdown": ".report.first_screen:to_markdown",
        "recognises": ".record:is_load",
        "about": "weigh.kinds.about:load",
        "recount": ".recount.load:recount",
        "script": ".recount.load:script",
        "queries": ".recount.load:QUERIES",
    },
    not_compared=Refusal(
        "it is a load, and no reference contender took part that would join it with another session",
        "response times of two sessions are not compared; `weigh report` shows each with its own intervals",
    ),
)
"""An attempt of ``weigh load``."""

LOAD_COMPARISON: Kind[LoadComparisonResults, LoadComparisonVerification] = Kind(
    name="load-comparison",
    noun="a comparison of servers under one load",
    home="weigh.load.comparison",
    verify_schema="weigh/verify-load-comparison/1",
    can={
        **_ATTEMPT,
        "text": ".report.report:screen",
        "whole": ".report.report:whole",
        "notes": ".report.report:notes",
        "markdown": ".report.report:to_markdown",
        "recognises": ".record:is_load_comparison",
        "about": "weigh.kinds.about:load_comparison",
        "recount": "weigh.load.recount.comparison:recount",
        "script": "weigh.load.recount.comparison:script",
        "queries": "weigh.load.recount.comparison:QUERIES",
    },
    not_compared=Refusal(
        "its contenders are compared with each other already, and response times of two sessions are not",
        "name all servers in one command: weigh load --contender A --contender B --contender C",
    ),
)
"""An attempt of ``weigh load`` with several contenders, read with the earlier ones of its comparison."""

LADDER: Kind[LadderResults, LadderVerification] = Kind(
    name="ladder",
    noun="a ladder",
    home="weigh.ladder",
    file="ladder.json",
    page="ladder.html",
    verify_schema="weigh/verify-ladder/1",
    has_rungs=True,
    can={
        **_LADDER,
        "recognises": ".record:is_ladder",
        "about": "weigh.kinds.about:ladder",
        "inside": ".record:rungs",
    },
    not_compared=Refusal(
        "it is a ladder, and two sessions are compared at one scale",
        "name the evidence of a rung of each, of the same scale; `weigh report` of the ladder lists its rungs",
    ),
)
"""The directory of ``weigh ladder``, next to the evidence of its rungs."""

LOAD_LADDER: Kind[LoadLadderResults, LoadLadderVerification] = Kind(
    name="load-ladder",
    noun="a ladder of loads",
    home="weigh.ladder.load",
    file="load-ladder.json",
    page="load-ladder.html",
    verify_schema="weigh/verify-load-ladder/1",
    has_rungs=True,
    can={
        **_LADDER,
        "recognises": ".record:is_load_ladder",
        "about": "weigh.kinds.about:load_ladder",
        "inside": ".record:rungs",
    },
    not_compared=Refusal(
        "it is a ladder of loads, and response times of two sessions are not compared",
        "compare servers in one command: weigh load --contender A --contender B --records N",
    ),
)
"""The directory of ``weigh ladder --load``, next to the evidence of its rungs."""

REPRODUCTION: Kind[ReproductionResults, ReproductionVerification] = Kind(
    name="reproduction",
    noun="a reproduction",
    home="weigh.reproduce",
    file="reproduction.json",
    page="reproduction.html",
    verify_schema="weigh/verify-reproduction/1",
    can={
        "recognises": ".record:is_reproduction",
        "about": "weigh.kinds.about:reproduction",
        "inside": ".record:measured",
        "read": ".files:read",
        "text": ".report:text",
        "document": ".report:document",
        "html": ".files:html",
        "verify": ".files:verify",
        "lines": ".files:lines",
    },
    not_compared=Refusal(
        "it is a reproduction, which compares two sessions already", "weigh report shows what it says"
    ),
    not_in_history=Refusal(
        "it is a reproduction, which measured what is in a history already, or belongs there by itself",
        "name the evidence inside of it",
    ),
)
"""The directory of ``weigh reproduce``, with the original in a bundle and the new evidence inside."""

STREAMS: Kind[StreamsResults, StreamsVerification] = Kind(
    name="streams",
    noun="a run of query streams",
    home="weigh.streams",
    verify_schema="weigh/verify-streams/1",
    can={
        "recognises": ".record:is_streams",
        "about": "weigh.kinds.about:streams",
        "read": ".files:read",
        "text": ".report:text",
        "document": ".report:document",
        "html": ".files:html",
        "verify": ".files:verify",
        "lines": ".files:lines",
        "recount": ".recount:recount",
        "script": ".recount:script",
        "queries": ".recount:QUERIES",
    },
    not_compared=Refusal(
        "it is a run of query streams, and no reference contender took part that would join it with another session",
        "name all engines in one command: weigh run --workload tpch --streams 2 --contender A --contender B",
    ),
    not_in_history=Refusal(
        "it is a run of query streams, whose figures no history has a series of",
        "weigh run without --streams gives one of each query; `weigh report` shows what the streams came to",
    ),
)
"""An attempt of ``weigh run --streams``."""

KINDS: tuple[Kind[Any, Any], ...] = (LADDER, LOAD_LADDER, REPRODUCTION, LOAD_COMPARISON, LOAD, STREAMS, RUN)
"""In the order in which they are tried: a run is what has a journal and is no load's."""
_LOOKED_AT = 1000
"""Entries of a directory that is no evidence, to see whether it is a folder of evidence."""


def recognised(folder: Path) -> Kind[Any, Any] | None:
    """The kind of a directory; None where there is no evidence in it."""
    return next((kind for kind in KINDS if kind.recognises(folder)), None)


def kind_of(folder: Path) -> Kind[Any, Any]:
    """The kind of an evidence directory.

    Raises:
        EvidenceFault: there is no such directory, or no evidence in it.
    """
    from weigh.model.errors import EvidenceFault

    if folder.is_file():
        raise EvidenceFault("it is a file", where=str(folder), remedy="name the directory that weigh run printed")
    if not folder.is_dir():
        raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh runs lists what there is")
    if (kind := recognised(folder)) is None:
        raise _no_evidence(folder)
    return kind


def _no_evidence(folder: Path) -> EvidenceFault:
    """What a directory is instead."""
    from weigh.kinds.artifact import artifact
    from weigh.model.errors import EvidenceFault

    if found := artifact(folder):
        return EvidenceFault(f"it is {found.what}, and no evidence", where=str(folder), remedy=found.shows)
    if _around(folder):
        inside = shlex.quote(str(folder / "latest"))
        return EvidenceFault(
            "it is a folder of evidence, and no evidence itself", where=str(folder), remedy=f"{inside} is the newest"
        )
    return EvidenceFault(
        f"there is no evidence in it: no journal and no {LADDER.file}",
        where=str(folder),
        remedy="weigh runs lists what there is",
    )


def _around(folder: Path) -> bool:
    """Whether directories of it are evidence."""
    try:
        return any(one.is_dir() and recognised(one) for one in islice(folder.iterdir(), _LOOKED_AT))
    except OSError:
        return False
