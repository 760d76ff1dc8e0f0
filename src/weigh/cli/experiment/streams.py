"""``weigh run --streams``: the power and the throughput test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from weigh.cli.output import print_json, print_rich
from weigh.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weigh.experiment.config.run_request import RunRequest
    from weigh.model.spec import Spec
    from weigh.streams.results import StreamsResults

_OFTEN = "--starts says how often"
_FILLED = "each repetition begins with a load, and tables are as that leaves them"
_PRICED = "weigh run without --streams judges what queries cost"
_LEFT_OUT = {
    "anchor": "nothing of streams is kept elsewhere while they go on; weigh run without --streams anchors",
    "runs": _OFTEN, "rounds": _OFTEN, "precision": _OFTEN, "budget": _OFTEN, "quick": _OFTEN, "rule": _OFTEN,
    "duet": "contenders take turns, and have the machine to themselves",
    "ingest": "how long each load took is in the report",
    "plan": "--starts 1 and a small --scale show what it does",
    "spend": _PRICED, "price": _PRICED,
    "store": "tables that can be changed lie on this machine",
    "temperature": _FILLED,
    "truth": "right answers follow from rows that were predicted, by engines of other lineages",
    "answers": "parameters are drawn, and no file has their answers",
    "witness": "engines of other lineages are asked already",
    "same_engine": "several versions of one engine are measured as they are",
    "reuse_gate": "every repetition checks its own answers",
    "why": "weigh run --why without --streams profiles single queries",
}  # fmt: skip
"""Flags that mean nothing here, and why: they are refused, and not passed over."""


def _check_flags(spec: Spec) -> None:
    """That the command has nothing that means nothing here, and weigh.toml nothing of it that would be sealed.

    Raises:
        UsageError: it has.
    """
    from weigh.model.errors import UsageError

    context = click.get_current_context()
    given = {name for name in _LEFT_OUT if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    # WEIGH_ANCHOR promises the same as the flag.
    given |= {"anchor"} if context.get_parameter_source("anchor") is ParameterSource.ENVIRONMENT else set()
    given |= {"temperature"} if spec.temperature != "hot" else set()
    given |= {"truth"} if not spec.truth else set()
    for name, why in _LEFT_OUT.items():
        if name in given:
            flag = f"--no-{name}" if name == "truth" and not spec.truth else f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} means nothing with --streams", remedy=f"leave it out: {why}")


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
    from weigh.streams import files
    from weigh.streams import run as tests
    from weigh.streams.spec import USUAL_REPETITIONS, StreamsSpec

    _check_flags(spec)
    starts = flags.get("starts")
    of = StreamsSpec(experiment=spec, streams=streams, repetitions=int(starts) if starts else USUAL_REPETITIONS)
    written: dict[Path, StreamsResults] = {}

    def write(folder: Path) -> None:
        written[folder] = files.write(folder)

    folder = tests.run(of, request, progress(quiet), write)
    results = written[folder] if folder in written else files.read(folder)
    if as_json:
        print_json((folder / files.JSON).read_bytes())
    else:
        print_rich(STREAMS.text(results, str(folder)))
    click.get_current_context().exit(int(results.exit_code(strict=strict)))
