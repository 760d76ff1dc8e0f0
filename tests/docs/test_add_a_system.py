"""The profile of the guide "Add a system" is one, and would pass `make check`."""

from __future__ import annotations

import re
import subprocess
import sys
import types
from pathlib import Path

from weigh.engines.remote import engine_of

GUIDE = Path(__file__).parents[2] / "docs/guide/add-a-system.md"
ADAPTER = "weigh.engines.remote.adapter"


def test_its_profile_is_one() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    made = types.ModuleType(f"{ADAPTER}.exasol")
    made.__package__ = ADAPTER
    exec(code, made.__dict__)
    engine = engine_of(made.PROFILE)
    assert (engine.name, engine.package, engine.never_run) == ("exasol", "pyexasol", True)
    ruff = [str(Path(sys.executable).with_name("ruff")), "check", "--quiet", "--stdin-filename", "src/exasol.py", "-"]
    done = subprocess.run(ruff, input=code, cwd=GUIDE.parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
