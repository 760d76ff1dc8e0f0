"""``weigh run --streams``: the power and the throughput test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weigh.cli.output import print_json, print_rich
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weigh.experiment.config.run_request import RunRequest
    from weigh.model.spec import Spec
    from weigh.streams.results import StreamsResults

_LEFT_OUT = {
    "runs": "--runs", "rounds": "--rounds", "duet": "--duet", "precision": "--precision", "budget": "--budget",
    "quick": "--quick", "resume": "--resume", "ingest": "--ingest", "rule": "--rule", "plan": "--plan",
    "spend": "--spend", "price": "--price", "store": "--store",
}  # fmt: skip
"""Flags that mean nothing here: said, and not passed over."""


def run_streams(
    spec: Spec,
    request: RunRequest,
    streams: int,
    flags: Mapping[str, Any],
    *,
    as_json: bool,
    quiet: bool,
    strict: bool,
) -> None:
    """Run the tests, print what was found, and end with its exit code."""
    from weigh.kinds.table import STREAMS
    from weigh.model.errors import UsageError
    from weigh.streams import files
    from weigh.streams import run as tests
    from weigh.streams.spec import USUAL_REPETITIONS, StreamsSpec

    for name, flag in _LEFT_OUT.items():
        if flags.get(name):
            raise UsageError(f"{flag} means nothing with --streams", remedy="leave it out; --starts says how often")
    starts = flags.get("starts")
    of = StreamsSpec(experiment=spec, streams=streams, repetitions=int(starts) if starts else USUAL_REPETITIONS)
    written: dict[Path, StreamsResults] = {}

    def write(folder: Path) -> None:
        written[folder] = files.write(folder)

    folder = tests.run(of, request, progress(quiet), write)
    results = written[folder]
    if as_json:
        print_json((folder / files.JSON).read_bytes())
    else:
        print_rich(STREAMS.text(results, str(folder)))
    click.get_current_context().exit(int(results.exit_code(strict=strict)))
