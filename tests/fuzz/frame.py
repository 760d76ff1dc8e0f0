"""What every door of weigh must withstand: thousands of inputs that nobody meant.

A door makes inputs, each a pure function of its number, and gives each to weigh. Inputs run in a process apart, so that
a crash, a hang and a gigabyte are found like anything else. What broke weigh once is kept as a file under
``tests/fuzz/kept/<door>``, and is tried first for ever after.

``WEIGH_FUZZ`` is the number of inputs a door; without it each door tries a few, for `make test`. At the end of `make
fuzz` stands what each door had: inputs, how many broke it and how, the most memory, the longest time.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golden.in_process import weigh
from support.command import BYTECODE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from golden.in_process import Shown

FEW = 20
"""Inputs of a door in `make test`."""
LONGEST = 20.0
"""CPU seconds that weigh may take over one input."""
WAITED = 120.0
"""Seconds that it may take on a machine that others use too."""
MEMORY = 1 << 30
"""Bytes that the process may hold at any moment, its libraries included."""
COUNTS = "WEIGH_FUZZ_COUNTS"
"""Names the file that gets what each door had, a line of JSON each."""
KEPT = Path(__file__).parent / "kept"
_ADDRESSES = 24 << 30
"""Bytes of addresses: a request beyond that fails in the process instead of filling the machine."""
_POLL = 0.05
_LAST = 4000
_STARTING = 120.0
"""Seconds to import weigh and to make what the inputs are made from."""


@dataclass(frozen=True)
class Door:
    """Something that others' bytes come in through.

    Attributes:
        name: of the folder of kept inputs.
        make: an input; all chance comes from the argument.
        use: give an input to weigh, in an empty folder; it raises where weigh does what it must not.
        few: how many inputs in `make test`, where each takes longer than most.
    """

    name: str
    make: Callable[[random.Random], bytes]
    use: Callable[[bytes, Path], object]
    few: int = FEW

    @property
    def module(self) -> str:
        """Where it is defined, by the name under which another process imports it."""
        return f"fuzz.{Path(self.make.__code__.co_filename).stem}"

    def inputs(self, number: int) -> Iterator[tuple[str, Callable[[], bytes]]]:
        """Name and maker of every input: what was kept, then so many new ones."""
        for path in sorted((KEPT / self.name).glob("*")):
            yield f"kept/{self.name}/{path.name}", path.read_bytes
        for one in range(number):
            yield f"{self.name} {one}", lambda one=one: self.make(random.Random(f"{self.name} {one}"))


@dataclass
class Count:
    """What came of the inputs of a door.

    Attributes:
        door: its name.
        inputs: how many it had.
        broken: by which it broke, by how: ``internal error``, ``memory``, ``hang``, ``died`` or ``other``.
        peak: bytes of the process and its children at most, its libraries included.
        slowest: seconds that one input took at most.
    """

    door: str
    inputs: int = 0
    broken: dict[str, int] = field(default_factory=dict)
    peak: int = 0
    slowest: float = 0.0

    def broke(self, said: str) -> None:
        """One more, by what was found."""
        words = {"internal error": "internal error", " MiB": "memory", "no end within": "hang", "the process": "died"}
        how = next((kind for word, kind in words.items() if word in said), "other")
        self.broken[how] = self.broken.get(how, 0) + 1


def fuzz(door: Door) -> None:
    """Try a door.

    Raises:
        AssertionError: it broke; each input that broke it is named, with a file that has it.
    """
    number = int(os.environ.get("WEIGH_FUZZ") or door.few)
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{door.name}-"))
    broken: list[str] = []
    count = Count(door.name)
    done: int | None = 0
    while done is not None and len(broken) < 50:
        done = _batch(door, number, done, folder, broken, count)
    if counts := os.environ.get(COUNTS):
        # In one write: doors are tried by several processes.
        with Path(counts).open("a") as file:
            file.write(json.dumps(asdict(count)) + "\n")
    if not broken:
        shutil.rmtree(folder)
    assert not broken, (
        f"{len(broken)} inputs broke {door.name}; their files are in {folder}, to be copied to {KEPT / door.name} once "
        "weigh withstands them:\n" + "\n\n".join(broken)
    )


def _batch(door: Door, number: int, begin: int, folder: Path, broken: list[str], count: Count) -> int | None:
    """Try inputs from one on, in one process, until it is gone; the input to go on with, None at the end."""
    ours, theirs = os.pipe()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), environment.get("PYTHONPATH"))))
    # As users have them: they may run as many as they have CPUs, but not all tests at once do.
    environment |= {"PYTHONPATH": path, "PYTHONPYCACHEPREFIX": str(BYTECODE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", "-c", "import sys; from fuzz.frame import child; child(*sys.argv[1:])"]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [*command, door.module, door.name, str(number), str(begin), str(folder), str(theirs)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[theirs], env=environment,
        )  # fmt: skip
    os.close(theirs)
    current, name, since, said = begin, "its beginning", time.monotonic() + _STARTING - WAITED, b""
    why, used = "", 0.0
    with os.fdopen(ours, "rb", buffering=0) as pipe:
        while True:
            if select.select([pipe], [], [], _POLL)[0]:
                part = pipe.read(1 << 16)
                if not part:
                    break
                said += part
                *lines, said = said.split(b"\n")
                for line in lines:
                    word, current, name, more, peak = json.loads(line)
                    if word == "begin":
                        count.inputs += 1
                    else:
                        count.slowest = max(count.slowest, time.monotonic() - since)
                        count.peak = max(count.peak, peak)
                    since, used = time.monotonic(), _cpu(process.pid)
                    if word == "broken":
                        broken.append(f"{name}: {more}")
                        count.broke(more)
            resident = _resident(process.pid)
            count.peak = max(count.peak, resident)
            if time.monotonic() - since > WAITED:
                why = f"no end within {WAITED:g} s"
            elif name != "its beginning" and _cpu(process.pid) - used > LONGEST:
                why = f"no end within {LONGEST:g} s of CPU"
            elif resident > MEMORY:
                why = f"more than {MEMORY >> 20} MiB"
            if why:
                process.kill()
                break
    code = process.wait()
    if not why and code == 0:
        return None
    log_tail = (folder / "log").read_bytes()[-_LAST:].decode(errors="replace")
    count.broke(why or "the process died")
    broken.append(f"{name}: {why or f'the process ended with {code}'}; it printed: {log_tail}")
    assert name != "its beginning", broken[-1]
    return current + 1


def _resident(pid: int) -> int:
    """Bytes in memory of a process and all that it started; 0 where it is gone."""
    with contextlib.suppress(OSError, IndexError):
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return own + sum(_resident(int(child)) for child in children)
    return 0


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process and its children that ended used; 0 where it is gone."""
    with contextlib.suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def child(module: str, name: str, number: str, begin: str, folder: str, pipe: str) -> None:
    """The process apart: tries one input after another and says what came of each."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    doors = [one for one in vars(importlib.import_module(module)).values() if isinstance(one, Door)]
    (door,) = (one for one in doors if one.name == name)
    with os.fdopen(int(pipe), "w", buffering=1) as say:

        def tell(word: str, at: int, label: str, more: str = "", peak: int = 0) -> None:
            say.write(json.dumps([word, at, label, more, peak]) + "\n")

        for at, (label, made) in enumerate(door.inputs(int(number))):
            if at < int(begin):
                continue
            content = made()
            kept = Path(folder, label.replace("/", "-").replace(" ", "-"))
            kept.write_bytes(content)
            _forget_peak()
            tell("begin", at, label)
            try:
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    door.use(content, Path(place))
                peak = _peak()
                assert peak <= MEMORY, f"a peak of {peak >> 20} MiB"
            except BaseException:
                tell("broken", at, label, traceback.format_exc()[-_LAST:], _peak())
                if isinstance(sys.exception(), KeyboardInterrupt):
                    raise
            else:
                kept.unlink()
                tell("withstood", at, label, peak=peak)


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Bytes, since it was forgotten."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10


def command(words: Sequence[str], folder: Path) -> Shown:
    """weigh as a user calls it, which must end as the documentation says it ends, whatever it was given.

    Raises:
        AssertionError: it called a mistake its own, or something that a terminal obeys came out.
    """
    shown = weigh(words, folder)
    where = f"weigh {' '.join(map(repr, words))}: {shown.code}"
    assert shown.code in (0, 1, 2, 3), where
    said = shown.out + shown.err
    assert "internal error" not in said, f"{where}: {shown.err[-_LAST:]}"
    assert "Traceback" not in said, f"{where}: {said[-_LAST:]}"
    if "--html" not in words:
        obeyed = sorted({char for char in said if not char.isprintable() and char not in "\n\t"})
        assert not obeyed, f"{where}: {obeyed} reach the terminal"
    assert shown.code != 2 or said, f"{where}: no word of what is wrong"
    return shown


WORDS = (
    b"", b"\0", b"\xff", b"[", b"]", b"[[", b"=", b"\n", b'"', b"'''", b"-1", b"0", b"1e400", b"nan", b"inf", b"true",
    b"null", b"[[[[[[", b"{", b"}", b"[" * 3000, b'{"a":' * 3000, b"99999999999999999999", b"1e308", b"-0.0", b"..",
    b"contender", b"experiment", b"[sql.tables]\nx = []\n", b"/dev/zero", b"/dev/tty", b"/proc/1/mem", b"/", b"~", b"*",
    b"**", b"\xe2\x80\xae", b"\xc2\x9b31m", b"\x1b[2J", b"\x1b]0;x\x07", b"\xed\xa0\x80", b"%s", b"{0}", b"2026-11-21",
    b"#", b"\r", b"\t", b"9" * 400,
)  # fmt: skip


def mutated(content: bytes, chance: random.Random, most: int = 4) -> bytes:
    """Bytes replaced, cut out, doubled, or exchanged for something that parsers stumble over."""
    data = bytearray(content)
    for _ in range(1 + chance.randrange(most)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((0, 1, 1, 2, 5, 40)))
        match chance.randrange(5):
            case 0:
                data[at:end] = chance.choice(WORDS)
            case 1:
                data[at:end] = chance.randbytes(end - at)
            case 2:
                data[at:end] = data[at:end] * chance.choice((2, 2, 2, 500))
            case 3 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case _:
                del data[at:end]
    return bytes(data)


HOSTILE = (
    "\x1b[31m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link", "\x9b2J", "\x85\x9d", "\u202egnp.exe", "\u2066\u2069",
    "\u200b\u200f", "\r", "\b\b", "\x7f", "\0", "a\nFAKE passes", "</script><script>alert(1)</script>", "{{7*7}}",
    '"><img src=x onerror=alert(1)>', "x" * 5000, "../../etc/passwd", "%s%n", "", " ",
)  # fmt: skip
"""Strings that terminals, browsers, templates and file systems obey."""

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 0.0, -0.0, 1e-320, 1e308, -1e308, "",
    "0", "nan", [], {}, [[]], [None], {"": None}, [1, "x"], "1e400", "2026-11-21", "9999999999-99-99",
)  # fmt: skip
"""Values of JSON that are not what was expected."""


def deep(levels: int, inside: str = "1") -> bytes:
    """JSON so deep that a recursive reader has no stack for it."""
    return b"[" * levels + inside.encode() + b"]" * levels


def elsewhere(document: Any, chance: random.Random, values: Sequence[Any] = ODD) -> Any:
    """A document of JSON with one value in it exchanged, removed or doubled."""
    places: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        inside = waiting.pop()
        items = inside.items() if isinstance(inside, dict) else enumerate(inside) if isinstance(inside, list) else ()
        for key, value in items:
            places.append((inside, key))
            waiting.append(value)
    if not places:
        return chance.choice(values)
    inside, key = chance.choice(places)
    match chance.randrange(6):
        case 0:
            del inside[key]
        case 1 if isinstance(inside, list):
            inside.append(inside[key])
        case 1:
            inside[f"{key}x"] = inside.pop(key)
        case 2:
            inside[key] = chance.choice(HOSTILE)
        case _:
            inside[key] = chance.choice(values)
    return document
