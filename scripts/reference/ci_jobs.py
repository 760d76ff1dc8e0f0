"""The regions of docs/guide/ci.md: the jobs that ``weigh init --ci`` writes for the weigh.toml of that page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec

from weigh.ci.job import jobs
from weigh.experiment.config.file import File

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "ci.md"


def blocks() -> dict[str, str]:
    """Contents of the page's regions by name."""
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found
    file = msgspec.convert(tomllib.loads(found[1]), File)
    written = {
        "job of github": jobs("github", Path("weigh.toml"), file)[Path(".github/workflows/weigh.yml")],
        "job of gitlab": jobs("gitlab", Path("weigh.toml"), file)[Path(".gitlab/weigh.yml")],
    }
    return {name: f"```yaml\n{text.rstrip()}\n```" for name, text in written.items()}
