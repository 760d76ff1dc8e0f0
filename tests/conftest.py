"""What all tests share."""

from __future__ import annotations

import atexit
import ctypes
import functools
import gc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

# A failed assertion of theirs says what it compared, too.
pytest.register_assert_rewrite("support", "lies", "load")

from support import measured_again
from support.command import Run, Weigh
from support.once import Once, alone
from weigh_liars import plug_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager


# Until all tests are collected next to nothing is garbage, and looking for some takes a third of the time.
gc.disable()

# How long an example takes is decided by who else uses the machine.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("long", settings.get_profile("here"), max_examples=1_000)
settings.load_profile("here")
# xdist says that its workers have 80 columns; a pipe has none, and weigh would obey.
os.environ.pop("COLUMNS", None)
# What a shell starts in the background ignores it, and what that starts, too: no command could be interrupted.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
_PR_SET_CHILD_SUBREAPER = 36

# The liars, for every command that a test gives, and for this process: a worker of xdist inherits the variable alone.
_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
_door = next((one for one in _path if "weigh-liars-" in one), "")
if not _door:
    _door = str(plug_in.written(Path(tempfile.mkdtemp(prefix="weigh-liars-"))))
    atexit.register(shutil.rmtree, _door, ignore_errors=True)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_door, *_path)))
if _door not in sys.path:
    # Before the package itself, which has no doors: of two distributions of one name the first counts.
    sys.path.insert(0, _door)

FIRST = (
    "experiment/command/test_killed.py",
    "lies/time/test_T4.py",
    "experiment/command/test_resume.py",
    "experiment/command/test_reproducer.py",
    "lies/time/test_T5.py",
    "lies/answers/test_A1.py",
    "experiment/command/test_misbehaving.py",
    "experiment/command/test_vortex.py",
    "lies/time/test_T1.py",
    "engines/test_gate.py",
    "experiment/command/test_tpch_gate.py",
    "lies/time/test_T12.py",
    "experiment/command/test_own.py",
    "lies/answers/test_A9.py",
    "history/test_clickhouse.py",
    "lies/test_odd_engines.py",
    "lies/machine/test_E4.py",
    "lies/time/test_T9.py",
    "lies/report/test_R1.py",
    "field/test_own_script_embedded_schema.py",
    "experiment/command/test_twin_names.py",
    "lies/data/test_D6.py",
    "lies/data/test_D9.py",
    "experiment/command/test_own_forms.py",
    "experiment/command/test_grid.py",
    "experiment/command/test_types.py",
    "load/comparison/test_rate_search.py",
    "faults/test_nth_call.py",
)
"""Files that take longest, and of several that read one run the one that makes it: who needs it at the same moment
waits, and does nothing."""
LONGEST_FIRST = (
    "lies", "experiment/command", "history", "ladder", "faults", "engines", "field", "load", "fuzz", "doctor", "data",
    "guarantees",
)  # fmt: skip
"""Folders whose tests start processes or simulate. A worker that has only short tests left ends soon after the
others."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Who may be measured again; and where workers take file after file the order: the longest first."""
    for item in items:
        measured_again.mark(item, Path(__file__).parent)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return

    @functools.cache
    def place(path: Path) -> int:
        file = path.relative_to(Path(__file__).parent).as_posix()
        if file in FIRST:
            return FIRST.index(file)
        found = (number for number, folder in enumerate(LONGEST_FIRST) if file.startswith(f"{folder}/"))
        return len(FIRST) + next(found, len(LONGEST_FIRST))

    items.sort(key=lambda item: place(item.path))


def pytest_collection_finish() -> None:
    """From here on there is garbage; what there is by now stays, and is looked through at the end alone."""
    gc.freeze()
    gc.enable()
    # Some libraries complain of what is left.
    atexit.register(gc.unfreeze)


def pytest_runtest_setup(item: pytest.Function) -> None:
    """What is measured again is measured anew."""
    measured_again.prepare(item)


@pytest.fixture(autouse=True)
def no_foster_children() -> Iterator[None]:
    """A test that has made this process the parent of orphans leaves none to the next: nobody waits for their end."""
    yield
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    """weigh as a user calls it, in an empty folder."""
    return Weigh(tmp_path)


@pytest.fixture(scope="session")
def common(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this session share."""
    base = tmp_path_factory.getbasetemp()
    # Each worker has a folder of its own in it.
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def dropping(common: Path) -> Callable[[], AbstractContextManager[None]]:
    """One at a time: who drops the machine's caches takes away what another has just read."""
    return lambda: alone(common / "cold.lock")


@pytest.fixture(scope="session")
def once(common: Path, pytestconfig: pytest.Config) -> Once:
    """A run that tests of several files read."""
    return Once(common, pytestconfig)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, once: Once) -> Run:
    """A small real experiment: DuckDB with one thread and with two, five starts; two operations."""
    named = ("--contender", "one=duckdb?threads=1", "--contender", "two=duckdb?threads=2", "--baseline", "one")
    flags = (
        "--scale",
        "1K",
        "--starts",
        "5",
        "--rounds",
        "1",
        "--runs",
        "2",
        "--operations",
        "eq_user,by_action",
        "--quiet",
    )
    run = once("small", lambda: Weigh(tmp_path_factory.mktemp("small"))("run", *named, *flags))
    assert run.code in (0, 1, 3), run.err
    return run


@pytest.fixture
def no_orphans(tmp_path: Path) -> Iterator[None]:
    """Every worker of a test's weigh is gone soon after weigh is."""
    from support.waiting import eventually, workers

    yield
    try:
        eventually(lambda: not workers(tmp_path))
    finally:
        for pid in workers(tmp_path):
            os.kill(pid, signal.SIGKILL)
