"""Record the kept journals anew: ``PYTHONPATH=tests .venv/bin/python -m golden.record``, then `make golden`.

With names of commands (run, ladder, load) only theirs. Needed where a journal says something else than before. What
tells of the machine is taken out: facts of the host, paths, and the names of others' processes.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from golden.kept import RECORDED
from support.command import Weigh
from weigh.engines.prepared import cache_folder
from weigh.evidence import journal

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUICK = ("--starts", "5", "--rounds", "2", "--runs", "1", "--operations", "by_action", "--contention", "100%")
COMMANDS = {
    "run": ("run", "--contender", "duckdb@2.0.0", "--contender", "sqlite", "--scale", "1K", *_QUICK),
    "ladder": ("ladder", "--contender", "duckdb@2.0.0", "--vary", "threads=1,2", "--scales", "1K,10K", *_QUICK),
    "load": (
        "load", "ycsb-a", "--target", "postgres:embedded", "--rate", "600", "--duration", "4s", "--connections", "4",
        "--records", "1K", "--contention", "100%",
    ),
}  # fmt: skip

_HOST = {
    "cpu": "A Processor", "memory_bytes": 16 << 30, "memory_allowed_bytes": 16 << 30, "kernel": "6.12.0",
    "system": "A Linux",
}  # fmt: skip
_KNOWN = ("duckdb", "postgres", "python", "weigh")
_OTHERS = ("cc1plus", "ld", "make", "sshd")


def main(names: Sequence[str]) -> None:
    """Record what these commands leave."""
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            weigh = Weigh(Path(place))
            for variable in ("WEIGH_CONTENTION", "WEIGH_CALIBRATION"):
                weigh.environment.pop(variable)
            run = weigh(*COMMANDS[name])
            sys.stderr.write(run.err)
            if run.code not in (0, 1):
                raise subprocess.CalledProcessError(run.code, COMMANDS[name])
            if name == "ladder":
                (ladder,) = (Path(place) / "runs").glob("ladder-*/ladder.json")
                written = json.loads(ladder.read_text())
                _write("ladder.json", json.dumps(written["plan"], indent=2) + "\n")
                for number, rung in enumerate(written["rungs"], start=1):
                    _keep(ladder.parents[1] / rung["evidence"], f"rung-{number}")
            else:
                _keep(run.evidence, name)


def _keep(folder: Path, name: str) -> None:
    """The journal of an attempt, as one of that name."""
    events = map(json.loads, (folder / journal.NAME).read_text().splitlines())
    lines = (json.dumps(_bare(event), separators=(",", ":"), ensure_ascii=False) for event in events)
    _write(f"{name}.jsonl", "".join(f"{line}\n" for line in lines))


def _write(name: str, text: str) -> None:
    text = text.replace(str(cache_folder()), "/cache/weigh")
    text = re.sub(r"/[^\"]*/weigh-life-[^/\"]+", "/scratch/life", text)
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / name).write_text(text)


def _bare(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what tells of the machine."""
    body = event["body"]
    event.pop("before", None)
    match event["event"]:
        case "environment":
            body["host"] |= _HOST
            found = body.get("storage") or ()
            # A load has one server, whose folder is gone by now.
            if isinstance(found, dict):
                found["path"] = "/scratch"
            for place in [found] if isinstance(found, dict) else found:
                place |= {"source": "/dev/vda", "mount": "/", "options": "rw,relatime"}
                if place["use"] == "temp":
                    place["path"] = "/scratch"
            for knob in body.get("knobs", ()):
                if knob["name"] == "kernel_command_line":
                    knob["value"] = "quiet"
        case "watch" | "turn" if "culprits" in (seen := body.get("watch", body)):
            seen["culprits"] = [
                [1000 + number, name if name in _KNOWN else _OTHERS[number % len(_OTHERS)], cpu]
                for number, (_, name, cpu) in enumerate(seen["culprits"])
            ]
        case _:
            pass
    return event


if __name__ == "__main__":
    main(sys.argv[1:] or list(COMMANDS))
