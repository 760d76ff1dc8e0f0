"""What tests of the served pages share: the names that a list shows, and a folder of many."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

from support.evidence_folders import written_run

if TYPE_CHECKING:
    from pathlib import Path

ROW = re.compile(r'<li><p><a class="of" href="/evidence/([^"]+)">')
HOSTILE = "</script><script>alert(1)</script>\x1b[31m\u202e"


def rows(page: str) -> list[str]:
    """Names of the evidence that a list shows, as their links have them."""
    return ROW.findall(page)


def many(root: Path, number: int) -> list[Path]:
    """The same evidence so often; its files are links of one another."""
    original = written_run(root)
    made = [original]
    for at in range(1, number):
        folder = root / f"20250101-{at:012x}-1"
        shutil.copytree(original, folder, copy_function=os.link)
        made.append(folder)
    return made
