"""Write the JSON Schema of weigh.toml that the package ships; a test fails when it is out of date."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weigh.experiment.config.spec import schema

TARGET = Path(__file__).parents[1] / "src" / "weigh" / "experiment" / "config" / "weigh-toml.schema.json"


def text() -> str:
    """The schema as it is shipped."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=2).decode() + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())
