"""E7: durability that is claimed, and no flush of the device that could have kept what was acknowledged."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import RAN

from ..killable import killable
from ..loading import YCSB

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

SOURCE = Path(__file__).parent.parent / "unflushed.c"


def loaded(weigh: Weigh, rate: int, preload: Path | None = None) -> Run:
    """One connection: as many flushes as writes, or more."""
    with killable(preload) as server:
        flags = (*YCSB[:-1], "1", "--rate", str(rate), "--duration", "3s")
        return weigh("load", *flags, "--target", f"redis:///0?host={server.socket}")


@pytest.mark.promise("more acknowledged writes than the flushes of the device below its data can have kept")
def test_a_server_that_says_it_flushes_and_does_not(fresh: Callable[[], Weigh], tmp_path: Path) -> None:
    library = tmp_path / "unflushed.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    # Others flush this device, too, and not so often.
    run = loaded(fresh(), 6000, library)
    assert run.code in RAN, run.err
    assert "E7.not_durable" in run.codes
    assert run.json["load"]["durable"] is False
    [text] = [one["text"] for one in run.json["findings"] if one["code"] == "E7.not_durable"]
    assert "writes were acknowledged over 1 connection, which takes" in text


def test_one_that_flushes(fresh: Callable[[], Weigh]) -> None:
    run = loaded(fresh(), 100)
    assert run.code in RAN, run.err
    assert run.json["load"]["durable"] is True
    assert run.json["runs"][0]["server"]["flushes"] > 100
