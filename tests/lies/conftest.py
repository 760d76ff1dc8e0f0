"""What the lies share: folders of their own for runs that several tests read, and the run of all honest twins."""

from __future__ import annotations

import math
import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import Run, Weigh
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import EmbeddedValkey
from weigh_liars.resp_proxy import Proxy

from .loading import GENTLE
from .reading import ONCE, SHORT, SMALL, contenders
from .recorded import recorded
from .throttle import slowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from support.once import Once
    from weigh_liars.resp_proxy import Lie

HONEST = ("liar?lie=none", "liar?lie=rounding&by=2.3e-16", "liar?lie=slow-conversion")
"""The honest engine; last bits of doubles; a slow conversion."""


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Weigh]:
    """weigh in another empty folder each time: attempts in one folder would be read together."""
    return lambda: Weigh(tmp_path_factory.mktemp("lies"))


@pytest.fixture(scope="session")
def twins(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Every honest twin at once, measured as the liars are."""
    flags = (*SMALL, *SHORT, "--operations", "eq_action,by_action,duration_by_proto,distinct")
    return once("twins", lambda: fresh()("run", *contenders("duckdb=fork", *HONEST), *flags))


LAYOUTS = """
[layout.arrow]
writer = "pyarrow"
[layout.both]
writer = "pyarrow"
codec = "snappy"
[layout.many]
files = 4
"""


@pytest.fixture(scope="session")
def laid_out(fresh: Callable[[], Weigh], once: Once) -> Run:
    """One engine on four layouts, and another one that also has a layout of its own."""
    weigh = fresh()
    (weigh.folder / "weigh.toml").write_text(LAYOUTS)
    named = contenders(
        "base=fork", "arrow=fork?layout=arrow", "both=fork?layout=both", "sly=fork?threads=1&layout=arrow",
        "many=fork?layout=many", "crowd=fork?threads=1&layout=many", "tuned=fork?threads=1",
    )  # fmt: skip
    flags = ("--scale", "1K", *ONCE, "--operations", "by_action", "--quiet", "--json")
    return once("laid_out", lambda: weigh("run", *named, *flags))


PACE = "liar?lie=pace&ms=80"
THREE = ("--workload", "three", *SMALL)


@pytest.fixture(scope="session")
def whole(fresh: Callable[[], Weigh], once: Once) -> Run:
    """A whole workload as it should be: ten starts, two engines that take equally long, and one that mostly does."""
    named = contenders(f"base={PACE}", f"equal={PACE}", f"uneven={PACE}&limit=3")
    flags = ("--workload", "two", *SMALL, "--starts", "10", "--rounds", "1", "--runs", "2", "--margin", "10%")
    return once("whole", lambda: fresh()("run", *named, *flags))


@pytest.fixture(scope="session")
def five(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Five starts of engines of which one scatters, one cannot do an operation, and one is wrong on another."""
    weigh = fresh()
    noisy = f"{PACE}&spread=0.033&seed=7&diary={weigh.folder / 'diary'}"
    named = contenders(f"base={noisy}", f"noisy={noisy}", "fails=liar?lie=fails", "wrong=liar?lie=two-units")
    return once("five", lambda: weigh("run", *named, *THREE, *SHORT, "--no-shrink"))


@pytest.fixture(scope="session")
def noisy(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Ten starts of engines that differ from start to start by 3 %: one alike, one slower, one busier, one unstable."""
    weigh = fresh()

    def law(name: str, spread: float = 0.03, **settings: object) -> str:
        own = "".join(f"&{key}={value}" for key, value in settings.items())
        return f"{name}=liar?lie=pace&spread={spread}&diary={weigh.folder / name}{own}"

    named = contenders(
        law("base", ms=80, burn=10),
        law("lucky", ms=80, burn=10, seed=11),
        law("slower", ms=104, burn=10, seed=2),
        law("busy", ms=80, burn=20, seed=3),
        law("wild", 0.3, ms=80, burn=10, seed=4),
    )
    flags = ("--workload", "two", "--operations", "unordered", *SMALL, "--starts", "10", "--rounds", "1", "--runs", "2")
    return once("noisy", lambda: weigh("run", *named, *flags, "--strict"))


@pytest.fixture(scope="session", params=["recorded", "measured"])
def drifting(request: pytest.FixtureRequest, fresh: Callable[[], Weigh], once: Once) -> Run:
    """Ten starts on a machine that slows down by a fifth meanwhile, and one engine that gets faster by itself."""
    weigh = fresh()
    milliseconds = {"base": 100, "same": 100, "little": 105, "much": 130, "alone": 100}
    if request.param == "recorded":
        draw = random.Random(4)

        def law(contender: str, life: int, _: str) -> tuple[float, float]:
            slower = -0.03 * (life // 6) if contender == "alone" else 0.004 * life
            return milliseconds[contender] / 1e3 * math.exp(slower + draw.gauss(0, 0.003)), 0.01

        return once("drift", lambda: recorded(weigh, tuple(milliseconds), ("unordered",), law, margin=0.1))
    machine, alone = (weigh.folder / name for name in ("machine", "alone"))
    named = contenders(
        *(
            f"{name}=liar?lie=pace&ms={ms}&"
            + (f"drift=-0.03&diary={alone}" if name == "alone" else f"drift=0.004&diary={machine}")
            for name, ms in milliseconds.items()
        )
    )
    flags = ("--workload", "two", "--operations", "unordered", *SMALL, "--starts", "10", "--rounds", "1", "--runs", "2")
    return once("drifting", lambda: weigh("run", *named, *flags, "--margin", "10%"))


@pytest.fixture(scope="session")
def stalling(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Five starts of engines that take equally long, but for one that stalls once in a start, and one that hangs."""
    pace, rare = "liar?lie=pace&ms=15", "every=24"
    named = contenders(
        f"base={pace}", f"twin={pace}", f"stalls={pace}&{rare}&stall=11", f"hangs={pace}&{rare}&stall=100"
    )
    asked = ("--workload", "two", "--operations", "unordered", *SMALL, "--starts", "5", "--rounds", "6", "--runs", "3")
    flags = (*asked, "--baseline", "base", "--margin", "10%", "--timeout", "1s")
    return once("stalling", lambda: fresh()("run", *named, *flags))


@pytest.fixture(scope="session")
def one(fresh: Callable[[], Weigh], once: Once) -> Run:
    """One start, a part of the workload, and nobody independent to confirm the answers."""
    flags = ("--starts", "1", "--rounds", "1", "--runs", "2", "--no-truth", "--operations", "unordered,ties")
    return once("one", lambda: fresh()("run", *contenders("duckdb=fork", "single=fork?threads=1"), *THREE, *flags))


@pytest.fixture(scope="session")
def slowing(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Work that takes 40 and 60 ms of CPU, on a machine that loses four fifths of its speed after five blocks."""
    named = contenders("base=liar?lie=pace&ms=1&burn=40", "more=liar?lie=pace&ms=1&burn=60")
    asked = ("--workload", "two", "--operations", "unordered", *SMALL, "--starts", "10", "--rounds", "1", "--runs", "1")
    flags = (*asked, "--margin", "10%")
    return once("slowing", lambda: slowed(fresh(), *named, *flags, blocks=5, WEIGH_CALIBRATION="yes"))


@pytest.fixture(scope="session")
def cooled(fresh: Callable[[], Weigh], dropping: Callable[[], AbstractContextManager[None]], once: Once) -> Run:
    """One cold start of an honest engine, of one that keeps its data in memory, and of one that reads its own copy."""
    named = contenders("honest=liar?lie=none", "keeps=liar?lie=keeps", "copy=liar?lie=copy")
    flags = ("--workload", "two", "--operations", "unordered", "--starts", "1", "--temperature", "cold")

    def make() -> Run:
        with dropping():
            # A scale of its own: no other test reads these files meanwhile.
            return fresh()("run", *named, "--scale", "110K", "--quiet", "--json", *flags)

    return once("cooled", make)


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder on a file system that is memory."""
    folder = Path(tempfile.mkdtemp(prefix="weigh-test-", dir="/dev/shm"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The socket of an honest server."""
    with EmbeddedValkey().reach(cache_folder(), 16) as reached:
        yield reached.connect["socket"]


@pytest.fixture(scope="session")
def offered(fresh: Callable[[], Weigh], valkey: str) -> Callable[..., Run]:
    """A load through a proxy that commits a lie."""

    def run(lie: Lie, *flags: str) -> Run:
        with Proxy(valkey, lie) as proxy:
            return fresh()("load", *flags, "--target", proxy.url)

    return run


@pytest.fixture(scope="session")
def honest_load(offered: Callable[..., Run], once: Once) -> Run:
    """The honest twin of the lies of servers: the same proxy, and nothing is done."""
    return once("honest_load", lambda: offered("none", *GENTLE, "--duration", "4s"))


@pytest.fixture(scope="session")
def stalled_load(offered: Callable[..., Run], once: Once) -> Run:
    """Both loops against a server that stands still for a second."""
    # One connection: one request of the closed loop meets the stall, and a hundred quick ones hide it.
    flags = (*GENTLE, "--both", "--warmup", "0s", "--connections", "1", "--duration", "3s")
    return once("stalled_load", lambda: offered("stalls", *flags))
