"""The shipped JSON Schema of weigh.toml is the one that the code reads by."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import write_schema


def test_the_shipped_schema_is_up_to_date() -> None:
    assert write_schema.TARGET.read_text() == write_schema.text(), "run: python scripts/write_schema.py"
