"""A system of ClickBench. Runs in the worker; imports nothing of weigh.

Its scripts are the interface (github.com/ClickHouse/ClickBench, ``lib/benchmark-common.sh``). They work in their own
folder. ``check`` succeeds while the system answers. ``query`` reads a query from standard input, prints the answer,
says on standard error how many seconds it took, and ends with an error where there is no answer. A copy of the folder
is loaded once, and every life works in a copy of that.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from weigh_worker import Adapter, Statistics

from . import forms, scripts, tables

SYSTEM, DATA, ANSWER, NULL = "weigh.system", "weigh.data", "weigh.answer", "weigh.null"
DIALECT = "weigh.dialect"
CONTENTS = "weigh.contents"
"""What weigh says about the folder's contents, so that changed scripts are another contender."""
_FOLDER, _TEXTS = "system", "texts.json"


class Engine(Adapter):
    """One life: from ``start`` to ``stop``."""

    elsewhere = True

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        self.folder = Path(str(settings[SYSTEM]))
        self.form = tables.form(str(settings.get(DATA, tables.FORMS[0])))
        self.answers = forms.form(str(settings.get(ANSWER, forms.AUTO)), settings.get(NULL))
        self.system: scripts.System | None = None
        self.texts: frozenset[str] = frozenset()
        self.sql = ""
        self.raw = b""
        self.server_s: float | None = None

    def version(self) -> str:
        """The scripts have no word for it: the system's name in its template, and what its files are."""
        name = self.folder.name
        template = self.folder / "template.json"
        if template.is_file():
            with suppress(ValueError, AttributeError):
                name = str(json.loads(template.read_text()).get("system", name))
        contents = str(self.wanted.get(CONTENTS, ""))[:12]
        return f"{name}, files {contents}" if contents else name

    def settings(self) -> dict[str, dict[str, Any]]:
        """How it is asked; what is in force in the system nobody can tell."""
        values = {
            SYSTEM: str(self.folder),
            CONTENTS: self.wanted.get(CONTENTS, ""),
            DATA: self.form,
            ANSWER: self.answers.name,
            NULL: forms.null(self.answers),
        }
        if DIALECT in self.wanted:
            values[DIALECT] = self.wanted[DIALECT]
        return {name: {"value": value, "default": None} for name, value in values.items()}

    def bind(self, given: dict[str, list[str]]) -> None:
        """It reads what it has loaded."""
        raise RuntimeError("a system of ClickBench loads its tables")

    def load(self, given: dict[str, list[str]], copy: str) -> None:
        """Start it in a copy of its folder, load, and stop it. One that keeps data in memory loads in every life."""
        home = Path(copy) / _FOLDER
        shutil.copytree(self.folder, home, symlinks=True, ignore=shutil.ignore_patterns("results", ".git"))
        tables.put(given, home, self.form)
        (Path(copy) / _TEXTS).write_text(json.dumps(tables.texts(given)))
        system = scripts.System(home, Path(self.scratch))
        if not system.durable:
            return
        system.start()
        try:
            system.load()
        finally:
            system.stop()

    def attach(self, copy: str, names: list[str]) -> None:
        """Start it in a copy of what was loaded."""
        home = Path(self.scratch) / _FOLDER
        # Of one gigabyte as fast as the file system can: where it shares blocks, at once.
        command = ["cp", "-a", "--reflink=auto", str(Path(copy) / _FOLDER), str(home)]
        subprocess.run(command, check=True, capture_output=True)
        system = scripts.System(home, Path(self.scratch))
        system.start()
        self.system = system
        self.texts = frozenset(json.loads((Path(copy) / _TEXTS).read_text()))
        if not system.durable:
            system.load()

    def files(self) -> list[str]:
        """Everything in the folder; none where a server may keep its data elsewhere."""
        if self.system is None or self.system.restartable:
            return []
        return [str(path) for path in sorted(self.system.home.rglob("*")) if path.is_file() and not path.is_symlink()]

    def prepare(self, sql: str) -> None:
        """Keep the text, ended as in ClickBench's files."""
        self.sql = sql.rstrip().removesuffix(";") + ";\n"

    def run(self) -> int:
        """One call of ``query``, with everything that it starts; its answer is held as it was printed."""
        if self.system is None:
            raise RuntimeError("no tables are attached")
        self.raw, self.server_s = self.system.query(self.sql)
        return self.answers.rows(self.raw)

    def statistics(self) -> Statistics:
        """The time that ``query`` printed."""
        return Statistics(server_s=self.server_s)

    def answer(self) -> Any:
        """What was printed, as columns; with what the print leaves open."""
        return self.answers.columns(self.raw, self.sql, self.texts)

    def release(self) -> None:
        """Drop what was printed."""
        self.raw = b""

    def close(self) -> None:
        """``stop``."""
        if self.system is not None:
            self.system.stop()
