"""What flags ask for: the spec of an experiment, and how it is carried out."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.data.store.address import SCHEME
from weigh.engines import engine as engines
from weigh.experiment.config import named_files, placed_data
from weigh.experiment.config.contenders import chosen_contenders
from weigh.experiment.config.run_request import RunRequest
from weigh.experiment.config.spec import make_spec
from weigh.experiment.suite.user_data import user_data
from weigh.model.errors import UsageError
from weigh.workloads.commands import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weigh.experiment.config.file import File
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec

_NAME = re.compile(r"[\w.-]+")
_OTHERS = ("contender", "workload", "data", "sql", "scale", "frames", "ingest")
"""Flags that say what commands say themselves."""


def requested(
    file: File | None,
    path: Path | None,
    flags: Mapping[str, Any],
    root: Path,
    command: str,
    progress: Progress,
    *,
    adaptive: bool = True,
) -> tuple[Spec, RunRequest]:
    """The spec, and how it is carried out.

    Args:
        file: weigh.toml, if there is one.
        path: where it lies.
        flags: values of the command line by name; each wins over weigh.toml.
        root: folder of all evidence.
        command: the command that does it again, for the report.
        progress: receives messages.
        adaptive: whether sampling may stop by itself, where nothing else is asked for.

    Raises:
        WeighError: something does not exist, contradicts itself, or is impossible.
    """
    generated = placed_data.found(flags)
    flags = generated.flags if generated else flags
    flags = _with_commands(flags)
    known_contenders(file, flags)
    user_files, given = user_data(file, path, flags, progress)
    spec = make_spec(file, given, user_files, adaptive=adaptive)
    if generated:
        spec = msgspec.structs.replace(spec, layout=generated.layout)
        if generated.place.startswith(SCHEME):
            spec = placed_data.in_store(spec, generated.place)
        given = {**given, "place": generated.place}
    named = {field.name: given[field.name] for field in dataclasses.fields(RunRequest) if field.name in given}
    named |= {
        "root": root,
        "command": command,
        "answers": named_files.answers_path(file, given),
        "user_files": user_files(),
    }
    # A first look measures what it can in its time.
    named |= {"least": True} if spec.quick else {}
    return spec, RunRequest(**named)


def known_contenders(file: File | None, flags: Mapping[str, Any]) -> None:
    """Refuse contenders that there are none of, before data is converted for them.

    Args:
        file: weigh.toml, if there is one.
        flags: values of the command line by name.

    Raises:
        WeighError: an engine is not installed, or a contender is no contender.
    """
    given = flags.get("contender") or ()
    if given or (file and file.contender):
        baseline = flags.get("baseline") or (file.experiment.baseline if file else None)
        for one in chosen_contenders(file, given, baseline):
            engines.of(one)


def _with_commands(flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags with commands as the contenders that they are, and with their workload."""
    rest = {name: value for name, value in flags.items() if name not in ("command", "output")}
    commands, output = flags.get("command", ()), flags.get("output")
    if not commands:
        if output:
            raise UsageError("--output is that of commands, and none is named", remedy="add --command NAME=TEXT")
        return rest
    for name in _OTHERS:
        if flags.get(name):
            raise UsageError(f"--command and --{name} are asked for together", remedy="leave out one of the two")
    made = []
    for text in commands:
        name, _, words = text.partition("=")
        made.append(f"{name}=command:{words}" if words and _NAME.fullmatch(name) else f"command:{text}")
    return {**rest, "contender": tuple(made), "workload": name_of(output or "exact")}
