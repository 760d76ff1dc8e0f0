"""Names of questions: short, printable, without what separates names elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_UNFIT = re.compile(r"[^\w.+\-*/<>=!%()]+")
_LONGEST = 24
"""Characters of a value in a name. Equal beginnings are distinguished by a number."""


def of_file(folder: Path, file: Path) -> str:
    """Its path in the folder, without its ending, with points for slashes."""
    return _UNFIT.sub("_", ".".join(file.relative_to(folder).with_suffix("").parts))


def with_values(name: str, values: Mapping[str, object]) -> str:
    """The name of a question with the values that it is asked with: ``by_city(city=Rome n=10)``."""
    pairs = " ".join(f"{key}={_short(str(value))}" for key, value in values.items())
    return f"{name}({pairs})" if pairs else name


def _short(text: str) -> str:
    plain = _UNFIT.sub("_", text.strip())
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
