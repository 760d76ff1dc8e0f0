"""Revisions whose builds take a moment: a wheel of DuckDB that loads the installed one, and how its code is laid out.

How much slower a build is than another one of the same sources follows from its seed, as it does from a linker's order;
how much slower a commit is stands in a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.built import git, site

if TYPE_CHECKING:
    from pathlib import Path

BUILD = '''
import os, random, sys, zipfile
from pathlib import Path

site, spread = sys.argv[1], float(sys.argv[2])
# Without a seed it is the sources that decide, as they do for a linker.
seed = os.environ.get("WEIGH_BUILD_SEED") or Path("README").read_text()
layout = spread * random.Random(seed).gauss(0, 1)
extension = next(Path(site).glob("_duckdb*.so"))
load = f"""
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
sys.path.append({site!r})
loader = ExtensionFileLoader("_duckdb", {str(extension)!r})
made = module_from_spec(spec_from_loader("_duckdb", loader))
sys.modules["_duckdb"] = made
loader.exec_module(made)
"""
files = {
    "_duckdb/__init__.py": load,
    "layout_of_this_build.py": f"SLOWER = {layout + float(Path('slower').read_text())!r}\\n",
    "duckdb-2.0.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: duckdb\\nVersion: 2.0.0\\n",
    "duckdb-2.0.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
record = "duckdb-2.0.0.dist-info/RECORD"
with zipfile.ZipFile(Path(os.environ["WEIGH_BUILD_OUT"]) / "duckdb-2.0.0-py3-none-any.whl", "w") as wheel:
    for name, text in {**files, record: "".join(f"{name},,\\n" for name in [*files, record])}.items():
        wheel.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), text)
'''
TOML = """
[experiment]
workload = "two"
scale = "20K"
baseline = "main"

[build.liar]
repository = "engine"
command = "\\"$WEIGH_PYTHON\\" build.py '{site}' {spread}"
{builds}
"""
COMMITS = {"main": ("first", 0.0), "docs": ("second", 0.0), "slow": ("third", 0.25)}
"""By name of the branch: what its README says, and by how much it is slower, a logarithm."""


def repository(folder: Path) -> None:
    """A branch for each commit."""
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "build.py").write_text(BUILD)
    for name, (readme, slower) in COMMITS.items():
        if name != "main":
            git(folder, "checkout", "--quiet", "-b", name)
        (folder / "README").write_text(readme)
        (folder / "slower").write_text(str(slower))
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", name)


def written(folder: Path, *names: str, spread: float, builds: int = 1) -> None:
    """A weigh.toml that compares some of the commits."""
    often = f"builds = {builds}" if builds > 1 else ""
    text = TOML.format(site=site(), spread=spread, builds=often)
    for name in names:
        text += f'''
[[contender]]
name = "{name}"
engine = "liar"
version = "git:{name}"
settings = {{ lie = "laid-out", ms = 60 }}
'''
    (folder / "weigh.toml").write_text(text)
