"""The whole comparison of a server behind a proxy that slows two requests in a hundred, and of its honest twin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh

FLAGS = (
    "load", "ycsb-b", "--closed", "--duration", "6s", "--warmup", "1s", "--records", "300", "--connections", "4",
    "--blocks", "6", "--margin", "10%", "--no-twice", "--quiet", "--json",
)  # fmt: skip
"""A closed loop: on a machine that is busy with other tests the generator is late, and open loops are refused."""
_DISTURBED = {"E8.late", "E8.saturated", "L2.unequal", "T7.unstable", "L9.unresolved", "T8.lost"}
"""What a machine that is busy with other tests does to the whole of it; then nothing is said, and nothing is wrong."""


def compared(weigh: Weigh, lie: str) -> dict[str, dict[str, Any]]:
    """Verdicts on all operations together by figure, of a server behind that proxy against one behind the honest."""
    command = [sys.executable, "-m", "lies.behind_proxy", *FLAGS]
    command += ["--contender", "old=proxied:dawdles", "--contender", f"new=proxied:{lie}"]
    tests = str(Path(__file__).parents[2])
    environment = {**weigh.environment, "PYTHONPATH": os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        command, cwd=weigh.folder, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    found = json.loads(done.stdout)
    return {one["metric"]: one for one in found["verdicts"] if one["operation"] == "all"}


def excused(one: dict[str, Any]) -> bool:
    return one["verdict"] == "refused" and {reason["code"] for reason in one["reasons"]} & _DISTURBED != set()


@pytest.mark.long
def test_a_tail_behind_a_proxy_is_slower_at_p99_and_the_same_at_p50(fresh: Callable[[], Weigh]) -> None:
    found = compared(fresh(), "lags")
    assert found["p99"]["verdict"] == "slower" or excused(found["p99"]), found["p99"]
    assert found["p50"]["verdict"] != "slower", found["p50"]


@pytest.mark.long
def test_the_same_proxy_twice_is_no_difference(fresh: Callable[[], Weigh]) -> None:
    found = compared(fresh(), "dawdles")
    assert not {"slower", "faster"} & {found[metric]["verdict"] for metric in ("p50", "p95", "p99", "p999")}
