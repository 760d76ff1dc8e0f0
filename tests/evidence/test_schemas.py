"""The JSON Schemas that weigh prints are those of what it prints."""

from __future__ import annotations

import importlib
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from golden import made
from support.command import Weigh
from support.evidence_folders import sealed_run, written_load
from weigh.cli.catalogue import schemas
from weigh.evidence.anchoring import log
from weigh.evidence.anchoring.anchor import Anchor


@pytest.mark.parametrize("name", schemas.DOCUMENTS)
def test_every_document_has_a_schema_with_its_number(name: str) -> None:
    found = schemas.schema(name)
    assert found["properties"]["schema"] == {"const": name}
    assert found["$id"] == f"urn:weigh:{name.replace('/', ':')}"
    for reference in _references(found):
        assert reference.removeprefix("#/$defs/") in found["$defs"]


_NAME = re.compile(r"weigh/[a-z-]+/\d+|weigh/\d+\b")
_NOT_OF_DOCUMENTS = {"weigh/2"}
"""Names in the sources that no document has."""


def test_every_document_that_the_sources_name_has_a_schema() -> None:
    """Whatever a command prints or writes with a name can be read by a program: `weigh schema` has what it holds."""
    sources = Path(schemas.__file__).parents[2]
    named = {name for path in sources.rglob("*.py") for name in _NAME.findall(path.read_text())}
    assert len(named) > 50
    assert sorted(named - set(schemas.DOCUMENTS) - _NOT_OF_DOCUMENTS) == []


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        mine = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return [*mine, *(one for value in part.values() for one in _references(value))]
    return [one for value in part for one in _references(value)] if isinstance(part, list) else []


def test_what_other_commands_print_is_of_the_class_of_its_schema(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    run = sealed_run(tmp_path / "runs", made.agreed())
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "t.parquet")
    (tmp_path / "none.parquet").write_bytes(b"PAR1")
    log.Log(tmp_path / "witness.jsonl").add(Anchor(experiment="a", attempt=1, line=1, head="0" * 32))
    shutil.copy(Path(__file__).parents[1] / "fixtures/judge/hyperfine/fixed-order.json", tmp_path / "times.json")
    for command in (
        ("data", "digest", "t.parquet"),
        ("data", "describe", "t.parquet", "none.parquet"),
        ("data", "check", "t.parquet"),
        ("data", "diff", "t.parquet", "t.parquet"),
        ("doctor",),
        ("history", "add", str(run), "none.parquet"),
        ("history", "show"),
        ("judge", "times.json"),
        ("gate", "--contender", "duckdb", "--contender", "sqlite", "--plan"),
        ("lies", "A1"),
        ("engines",),
        ("workloads",),
        ("data", "register", "t.parquet", "--name", "of-schemas", "--force"),
        ("data", "list"),
        ("data", "loaded"),
        ("witness", "list", "witness.jsonl"),
    ):
        _check(weigh(*command, "--json").json)
    # The cache is everybody's.
    assert weigh("data", "unregister", "of-schemas").code == 0


def _check(document: dict[str, Any]) -> None:
    """It has what the schema demands, nothing else, and decodes as the class that the schema is made from."""
    found = schemas.schema(document["schema"])
    assert document.keys() <= found["properties"].keys()
    demanded = [one["required"] for one in found.get("anyOf", [found])]
    assert any(document.keys() >= set(one) for one in demanded)
    module, _, kinds = schemas.DOCUMENTS[document.pop("schema")].partition(":")
    classes = [getattr(importlib.import_module(module), kind) for kind in kinds.split(",")]
    (fits,) = [one for one in classes if document.keys() <= set(one.__struct_fields__)]
    msgspec.convert(document, fits)


def test_what_is_printed_has_the_fields_of_its_schema(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    run, load = sealed_run(tmp_path / "runs", made.agreed()), written_load(tmp_path / "loads")
    for evidence in (run, load):
        document = weigh("report", str(evidence), "--json").json
        found = weigh("schema", document["schema"]).json
        assert set(found["required"]) <= document.keys()
        assert document.keys() <= found["properties"].keys()
    assert "did you mean 'weigh/1'" in weigh("schema", "weigh/2").err
