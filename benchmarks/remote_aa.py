"""A/A over the network: one MariaDB by URL against itself, 20 operations of netflow, whole experiments.

A session of a server is less than a start of one: what one session leaves in its server the next one finds. So that it
makes no difference is measured. ``WEIGH_AA_EXPERIMENTS`` and ``WEIGH_AA_STARTS`` say how many, and of how many starts.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.experiments import measured
from weigh.workloads.netflow import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPERIMENTS = int(os.environ.get("WEIGH_AA_EXPERIMENTS", "10"))
_STARTS = os.environ.get("WEIGH_AA_STARTS", "20")
_OPERATIONS = 20


def run() -> Iterator[str]:
    """One server for all experiments, as a user's would be."""
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    maria: Any = importlib.import_module("support.servers.maria")
    names: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="weigh-maria-") as folder, maria.running(Path(folder)) as spec:
        for seed in range(_EXPERIMENTS):
            flags = ["--workload", "netflow", "--scale", "20K", "--seed", str(seed), "--starts", _STARTS]
            flags += ["--operations", ",".join(OPERATIONS[:_OPERATIONS])]
            named = ("--contender", f"a={spec}", "--contender", f"b={spec}")
            # 3 says that nothing was decided, which is right.
            made = measured(*flags, *named, codes=(0, 1, 3))
            found = Counter(one["verdict"] for one in made.verdicts)
            names += found
            yield f"A/A MariaDB by URL, seed {seed}: " + ", ".join(f"{n} {v}" for v, n in found.items())
    claimed = names["slower"] + names["faster"]
    yield f"A/A MariaDB by URL, {_EXPERIMENTS} experiments: {claimed} of {names.total()} SLOWER or FASTER"
