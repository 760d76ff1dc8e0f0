"""One experiment through the command line, for the benchmarks that read what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.experiment import record

if TYPE_CHECKING:
    from weigh.model.sample import Sample


class Outcome(NamedTuple):
    """Verdicts of wall time as the JSON document has them, and the samples."""

    verdicts: list[dict[str, Any]]
    samples: tuple[Sample, ...]


def measured(*flags: str) -> Outcome:
    """What ``weigh run`` with these flags says; its evidence is removed.

    Raises:
        CalledProcessError: it could not make a verdict, and has said why.
    """
    weigh = Path(sys.executable).with_name("weigh")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(weigh), "run", *flags, "--out", folder, "--json", "--quiet"]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
        if done.returncode not in (0, 1):
            raise subprocess.CalledProcessError(done.returncode, command)
        document = json.loads(done.stdout)
        (evidence,) = Path(folder).iterdir()
        verdicts = [one for one in document["verdicts"] if one["metric"] == "wall_s"]
        return Outcome(verdicts, record.read(evidence).samples)
