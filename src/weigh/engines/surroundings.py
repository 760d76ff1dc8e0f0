"""What surrounds a life: its environment variables, and what its queries may reach where others wrote them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.host import scratch
from weigh_worker import confinement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.engines.engine import Engine
    from weigh.engines.environment import Environment
    from weigh_worker.protocol import Message


def variables(folder: Path, keys: Sequence[str] = (), *, confined: bool) -> dict[str, str]:
    """The environment variables of a life.

    Args:
        folder: of the life.
        keys: what the names of variables begin with that its client takes its keys from.
        confined: whether its queries are others', who could read in them what is the user's.
    """
    if confined:
        inherited = confinement.environment(str(folder / "scratch"))
    else:
        # Nor anybody's keys: an engine has those that were made up for it.
        foreign = ("PYTHON", "VIRTUAL_ENV", *({"AWS_"}.difference(keys)))
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    return {**inherited, "PYTHONPATH": str(folder / "lib"), "PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC"}


def confined(command: Sequence[str], read: Sequence[Path], write: Path) -> list[str]:
    """The command that confines itself and becomes ``command``, as its SQL is others'.

    Args:
        command: a Python interpreter, and what it executes.
        read: files and folders to read besides the interpreter's.
        write: the folder to write.
    """
    python = Path(command[0])
    readable = [Path(sys.base_prefix), python.parent.parent.resolve(), *read]
    policy = {"read": [str(one) for one in readable], "write": [str(write)]}
    return [str(python), "-I", str(confinement.__file__), json.dumps(policy), *command]


def bounds(
    engine: Engine, environment: Environment, readable: Sequence[Path], written: Sequence[Path], *, hosts: bool
) -> Message:
    """What the queries of a confined life may reach, as ``open`` is told.

    Args:
        engine: whose life it is. One that is no mere reader of files is not bounded by the kernel; its adapter is told.
        environment: where it runs.
        readable: files and folders to read besides the environment and what weigh has made for this run.
        written: folders to write.
        hosts: whether it may reach other hosts.
    """
    prefix = environment.python.parent.parent
    read = [Path(sys.base_prefix), prefix.resolve(), engine.adapter.parent, *readable, *scratch.ours()]
    return {
        "read": [str(one) for one in dict.fromkeys(read)],
        "write": [str(one) for one in written],
        "network": hosts,
        "bounded": engine.confined,
    }
