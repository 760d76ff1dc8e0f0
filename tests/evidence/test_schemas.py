"""The JSON Schemas that weigh prints are those of what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from golden import made
from support.command import Weigh
from support.evidence_folders import sealed_run, written_load
from weigh.kinds import schemas

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", schemas.DOCUMENTS)
def test_every_document_has_a_schema_with_its_number(name: str) -> None:
    found = schemas.schema(name)
    assert found["properties"]["schema"] == {"const": name}
    assert found["$id"] == f"urn:weigh:{name.replace('/', ':')}"
    for reference in _references(found):
        assert reference.removeprefix("#/$defs/") in found["$defs"]


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        mine = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return [*mine, *(one for value in part.values() for one in _references(value))]
    return [one for value in part for one in _references(value)] if isinstance(part, list) else []


def test_what_is_printed_has_the_fields_of_its_schema(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    run, load = sealed_run(tmp_path / "runs", made.agreed()), written_load(tmp_path / "loads")
    for evidence in (run, load):
        document = weigh("report", str(evidence), "--json").json
        found = weigh("schema", document["schema"]).json
        assert set(found["required"]) <= document.keys()
        assert document.keys() <= found["properties"].keys()
    assert "did you mean 'weigh/1'" in weigh("schema", "weigh/2").err
