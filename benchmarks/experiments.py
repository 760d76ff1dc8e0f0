"""One experiment through the command line, for the benchmarks that read what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.experiment import record

if TYPE_CHECKING:
    from weigh.model.sample import Sample


class Outcome(NamedTuple):
    """Verdicts of wall time as the JSON document has them, the samples, and seconds from the start to the end.

    Attributes:
        templates: of a suite, with their verdicts, as the document has them.
        overall: verdicts over all operations, likewise.
        code: exit code.
    """

    verdicts: list[dict[str, Any]]
    samples: tuple[Sample, ...]
    seconds: float
    templates: list[dict[str, Any]]
    overall: list[dict[str, Any]]
    code: int


def measured(
    *flags: str, environment: dict[str, str] | None = None, keep: Path | None = None, codes: tuple[int, ...] = (0, 1)
) -> Outcome:
    """What ``weigh run`` with these flags says; its evidence is removed unless a folder is named to keep it.

    Args:
        flags: of the run.
        environment: of its process; None for that of this one.
        keep: folder for the evidence.
        codes: exit codes of what counts as a result; with 3 among them, that everything is refused is one.

    Raises:
        CalledProcessError: it could not make a verdict, and has said why.
    """
    weigh = Path(sys.executable).with_name("weigh")
    with nullcontext(keep) if keep else tempfile.TemporaryDirectory() as folder:
        command = [str(weigh), "run", *flags, "--out", str(folder), "--json", "--quiet"]
        began = time.monotonic()
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, env=environment)
        seconds = time.monotonic() - began
        if done.returncode not in codes:
            raise subprocess.CalledProcessError(done.returncode, command)
        document = json.loads(done.stdout)
        evidence = Path(str(folder)) / document["evidence"]
        verdicts = [one for one in document["verdicts"] if one["metric"] == "wall_s"]
        shared = (document.get(name) or [] for name in ("templates", "overall"))
        return Outcome(verdicts, record.read(evidence).samples, seconds, *shared, done.returncode)
