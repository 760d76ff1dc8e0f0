"""Write the JSON Schema of weigh.toml that the package ships; a test fails when it is out of date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from reference.weigh_toml import TABLES, meanings_of
from weigh.cli.keys import with_default
from weigh.experiment.config.file import File, schema

TARGET = Path(__file__).parents[1] / "src" / "weigh" / "experiment" / "config" / "weigh-toml.schema.json"


def text() -> str:
    """The schema as it is shipped: every key with its meaning, which editors show."""
    found = schema()
    for kind in (File, *TABLES.values()):
        part = found["$defs"][kind.__name__]
        part["description"] = part["description"].split("\n")[0].replace("``", "")
        for name, meaning in meanings_of(kind).items():
            # Other layouts are no key of the file: their tables stand in that of the default one.
            if name in part["properties"]:
                _describe(part["properties"][name], meaning)
    return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"


def _describe(key: dict[str, Any], meaning: str) -> None:
    text_of_field, default = with_default(meaning.replace("``", ""))
    key["description"] = f"{text_of_field}; default: {default}" if default else text_of_field


if __name__ == "__main__":
    TARGET.write_text(text())
