"""Compiled templates: kept where Python keeps bytecode, and never in the place of what they were made from."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from weigh.model import units
from weigh.render.html import templates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = "{{ 0.5|seconds }} of {{ what }}\n"


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where bytecode is kept; templates are looked for anew in each test, and in each call of ``shown``."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "bytecode"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    yield tmp_path / "bytecode"
    templates.cache_clear()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder of templates."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "some.html").write_text(TEXT)
    return tmp_path / "own"


def shown(own: Path) -> str:
    """What a process that has just begun makes of it."""
    templates.cache_clear()
    return templates(own).get_template("some.html").render(what="it").strip()


def files(kept: Path) -> list[Path]:
    return [path for path in kept.rglob("*") if path.is_file()]


def forbid_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was compiled")

    monkeypatch.setattr("jinja2.environment.Environment.compile", refuse)


def test_the_second_time_nothing_is_compiled(own: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = shown(own)
    assert first == "500 ms of it"
    (file,) = files(kept)
    assert file.name == f"some.html.{sys.implementation.cache_tag}.pyc"
    forbid_compiling(monkeypatch)
    assert shown(own) == first


def test_a_template_that_was_changed_is_compiled_again(own: Path, kept: Path) -> None:
    shown(own)
    (own / "some.html").write_text("now {{ what }}")
    assert shown(own) == "now it"
    assert len(files(kept)) == 1


def test_what_a_constant_was_shown_with_is_part_of_it(own: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jinja calls the filter of a constant while it compiles."""
    shown(own)
    (file,) = files(kept)
    before = file.read_bytes()
    (other := own / "units.py").write_text("another version of it")
    monkeypatch.setattr(units, "__file__", str(other))
    shown(own)
    assert file.read_bytes() != before


@pytest.mark.parametrize("content", [b"", b"x" * 400, None])
def test_a_file_that_is_damaged_is_not_used(own: Path, kept: Path, content: bytes | None) -> None:
    right = shown(own)
    (file,) = files(kept)
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] if content is None else content)
    assert shown(own) == right
    assert file.read_bytes() == whole


def test_where_nothing_can_be_written_it_is_shown_all_the_same(own: Path, kept: Path) -> None:
    kept.write_text("no folder")
    assert shown(own) == "500 ms of it"


def test_where_python_may_not_write_bytecode_neither_is_this(
    own: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    shown(own)
    assert not files(kept)


def test_of_two_writers_one_is_left_and_no_half_file(own: Path, kept: Path) -> None:
    shown(own)
    (file,) = files(kept)
    right = file.read_bytes()
    shutil.rmtree(kept)
    file.parent.mkdir(parents=True)
    # Another process of this number, as in a container that shares the folder, is writing.
    (half := file.with_name(f"{file.name}.{os.getpid()}")).write_bytes(b"half")
    assert shown(own) == "500 ms of it"
    assert files(kept) == [half]
    half.unlink()
    shown(own)
    assert file.read_bytes() == right
