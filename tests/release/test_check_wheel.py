"""What ``make wheel`` says of a wheel that lacks something, or has too much."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import check_wheel

if TYPE_CHECKING:
    from pathlib import Path


def wheel(folder: Path, names: set[str]) -> Path:
    """One that holds these files."""
    path = folder / "weigh-0.0.0-cp311-abi3-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in {*names, "weigh-0.0.0.dist-info/METADATA"}:
            archive.writestr(name, "")
    return path


def test_templates_schemas_and_the_worker_are_needed_and_tests_are_not(tmp_path: Path) -> None:
    whole = check_wheel.tracked(*check_wheel.WHEELS["weigh"]) | {"weigh/_native.abi3.so"}
    assert not check_wheel.wrong(wheel(tmp_path, whole))
    needed = {
        "weigh/render/templates/page.html", "weigh/render/templates/style.css", "weigh/ci/templates/github.yml",
        "weigh/experiment/config/weigh-toml.schema.json", "weigh/load/recount/figures.sql", "weigh_worker/__main__.py",
        "weigh/_native.abi3.so", "weigh/py.typed",
    }  # fmt: skip
    found = check_wheel.wrong(wheel(tmp_path, (whole - needed) | {"weigh_liars/__init__.py", "tests/conftest.py"}))
    assert {line.split()[-1] for line in found if " lacks " in line} == needed
    assert [line.split()[2] for line in found if " has " in line] == ["tests/conftest.py,", "weigh_liars/__init__.py,"]
