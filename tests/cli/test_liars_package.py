"""The liars are a distribution of their own: weigh needs none of it, and says how to get it."""

from __future__ import annotations

import importlib.util
import tomllib
from importlib.metadata import distributions, requires
from pathlib import Path

import pytest

import weigh
from weigh.cli.catalogue.committed_lies import run
from weigh.model.errors import EnvironmentFault

ROOT = Path(__file__).parents[2]


def test_weigh_needs_no_liars_and_they_need_this_weigh() -> None:
    assert not [one for one in requires("weigh") or () if "liars" in one]
    # Another one has the doors of the tests, and nothing else.
    (liars,) = [one for one in distributions(name="weigh-liars") if one.requires]
    assert liars.requires == [f"weigh=={weigh.__version__}"]
    assert liars.version == weigh.__version__


def test_installed_they_register_no_engine() -> None:
    project = tomllib.loads((ROOT / "liars" / "pyproject.toml").read_text())["project"]
    assert "entry-points" not in project


def test_lies_run_says_how_to_install_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EnvironmentFault, match="the liars are a package of their own") as refused:
        run(("A1",), tmp_path / "out", as_json=False)
    assert refused.value.remedy == f"pip install weigh-liars=={weigh.__version__} next to weigh"
    assert not (tmp_path / "out").exists(), "nothing was begun"
