"""What weigh has compiled for a life: the same modules, of this life alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import weigh_worker
from weigh.engines.engine import Engine
from weigh.engines.environment import Environment
from weigh.engines.exchange import WorkerEnded
from weigh.engines.process import WorkerProcess

ADAPTER = """
import sys
from pathlib import Path

from weigh_worker import Adapter


class Engine(Adapter):
    def version(self):
        return "1"

    def settings(self):
        return {"where": {"value": f"{__file__} {__spec__.loader.__class__.__name__}", "default": None}}

    def bind(self, tables):
        pass

    def prepare(self, sql):
        pass

    def run(self):
        return 0

    def answer(self):
        return b""

    def release(self):
        pass

    def close(self):
        pass
"""


def opened(adapter: Path) -> WorkerProcess:
    """A life of an engine with this adapter, in the tests' own environment."""
    engine = Engine(name="e", package="e", adapter=adapter, lineage="e", dialect="duckdb")
    return WorkerProcess(engine, Environment(python=Path(sys.executable), key="", lock=""), {})


def test_the_modules_are_those_of_the_sources_and_nothing_is_compiled_in_the_life(tmp_path: Path) -> None:
    """A module that the adapter imports is found like the adapter itself, and each says where its source is."""
    package = tmp_path / "adapter"
    package.mkdir()
    (package / "__init__.py").write_text(
        ADAPTER.replace("{__file__}", "{__file__} {beside.HERE}").replace("import sys\n", "from . import beside\n")
    )
    (package / "beside.py").write_text('HERE = f"{__file__} {__spec__.loader.__class__.__name__}"\n')
    with opened(package / "__init__.py") as life:
        (said,) = life.settings().values()
        sources = list((life.folder / "lib").rglob("*.py"))
        modules = {file.stem for file in (life.folder / "lib" / "weigh_worker").iterdir()}
    assert said["value"] == f"{package / '__init__.py'} {package / 'beside.py'} _Loader _Loader"
    assert not sources
    assert modules == {file.stem for file in Path(weigh_worker.__path__[0]).glob("*.py")}


def test_what_a_life_writes_there_is_read_by_no_other(tmp_path: Path) -> None:
    """Each life has a copy of its own."""
    adapter = tmp_path / "adapter.py"
    adapter.write_text(ADAPTER)
    with opened(adapter) as life:
        for file in (life.folder / "lib").rglob("*"):
            if file.is_file():
                file.write_bytes(b"broken")
    with opened(adapter) as life:
        assert life.version() == "1"


def test_an_adapter_that_was_changed_meanwhile_is_compiled_again(tmp_path: Path) -> None:
    """It is told by its time and size."""
    adapter = tmp_path / "adapter.py"
    for version in ("1", "1.0"):
        adapter.write_text(ADAPTER.replace('return "1"', f'return "{version}"'))
        with opened(adapter) as life:
            assert life.version() == version


@pytest.mark.parametrize(("text", "said"), [("def", "SyntaxError"), (None, "No such file"), ("\0", "null bytes")])
def test_one_that_cannot_be_compiled_is_an_error_of_its_life(tmp_path: Path, text: str | None, said: str) -> None:
    """As one that cannot be imported."""
    adapter = tmp_path / "adapter.py"
    if text is not None:
        adapter.write_text(text)
    with pytest.raises(WorkerEnded, match=said):
        opened(adapter)
