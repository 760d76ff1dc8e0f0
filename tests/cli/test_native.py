"""A native module that was built from older sources is named: no error of weigh's own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import weigh
from weigh.cli import main, native

if TYPE_CHECKING:
    import pytest

STUB = Path(weigh.__file__).with_name("_native.pyi").read_text()


def test_what_is_built_is_what_is_described() -> None:
    assert native.outdated() == ""


def test_what_an_older_one_lacks_is_named() -> None:
    def hash_file() -> None:
        """Takes no path."""

    older = SimpleNamespace(digest_parquet=lambda paths, columns, threads: "", hash_file=hash_file, Sampler=object)
    found = set(native.lacking(older, STUB))
    assert {"check_pages", "hash_file", "StoreProxy", "Sampler.stop"} <= found
    assert not found & {"digest_parquet", "RowGroups", "ArrowStream"}


def test_an_error_that_follows_from_it_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(native, "lacking", lambda *_: iter(["check_pages"]))
    assert main._explain(AttributeError("module 'weigh._native' has no attribute 'check_pages'")) == 2
    said = capsys.readouterr().err
    assert "error: the native module is older than weigh's Python code: it lacks check_pages" in said
    assert "run make" in said
    assert "internal error" not in said
