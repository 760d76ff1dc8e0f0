"""Tests that measure on this machine, and what happens where one of them fails.

What weigh says of a time, a rate or a machine has an error rate, and others use the machine meanwhile: a neighbour's
burst is a finding, and rightly so. A test that runs weigh or a server and fails is therefore measured once more, with
measurements of its own, and one about time or about the machine twice more, before it counts. The closing lines of
pytest name each that needed it. All other tests have one try.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from support.once import ANEW

if TYPE_CHECKING:
    from pathlib import Path

_LIVE = frozenset({"weigh", "fresh", "once"})
"""Fixtures through which a test measures something."""
_NOISY = ("lies/time", "lies/machine")
"""Folders of tests that are statements with an error rate throughout."""


def mark(item: pytest.Item, tests: Path) -> None:
    """Say how often this test may be made again.

    Args:
        item: the test.
        tests: the folder of all tests.
    """
    folder = _folder(item.path, tests)
    again = 2 if folder in _NOISY else int(_measures(item))
    if again:
        item.add_marker(pytest.mark.flaky(reruns=again))


def _measures(item: pytest.Item) -> bool:
    """By itself, or with what a fixture of its file or folder made for several tests: a run of weigh, as a rule."""
    if not isinstance(item, pytest.Function):
        return False
    shared = any(
        fixture.scope != "function" and fixture.baseid.startswith("tests/")
        for fixtures in item._fixtureinfo.name2fixturedefs.values()
        for fixture in fixtures
    )
    return shared or not _LIVE.isdisjoint(item.fixturenames)


@functools.cache
def _folder(path: Path, tests: Path) -> str:
    return path.parent.relative_to(tests).as_posix()


def prepare(item: pytest.Function) -> None:
    """What is made again is measured anew: nothing that a fixture below the folder of all tests has kept is used."""
    again = getattr(item, "execution_count", 1) > 1
    item.config.stash[ANEW] = again
    if not again:
        return
    for *_, fixture in item._fixtureinfo.name2fixturedefs.values():
        if fixture.scope != "function" and fixture.baseid.startswith("tests/"):
            fixture.finish(item._request)
