"""JSON Schemas of the documents that weigh writes and prints, made from the classes that they are of."""

from __future__ import annotations

import importlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weigh._version import __version__
from weigh.machine.use_method import Resource

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = {
    "weigh/1": "weigh.experiment.report.document:RunDocument",
    "weigh/ladder/1": "weigh.ladder.report.document:LadderDocument",
    "weigh/load-ladder/1": "weigh.ladder.load.report.document:LoadLadderDocument",
    "weigh/load/1": "weigh.load.report.document:LoadDocument",
    "weigh/load-comparison/1": "weigh.load.comparison.report.document:LoadComparisonDocument",
    "weigh/compare/1": "weigh.compare.document:CompareDocument",
    "weigh/reproduction/1": "weigh.reproduce.report:ReproductionDocument",
    "weigh/streams/1": "weigh.streams.report:StreamsDocument",
    "weigh/runs/1": "weigh.evidence.listing:RunsDocument",
    "weigh/bundle/1": "weigh.evidence.bundle:Head",
    "weigh/audit-results/1": "weigh.audit.report:AuditDocument",
    "weigh/verify/1": "weigh.experiment.verify.verify:Verification",
    "weigh/verify-ladder/1": "weigh.ladder.verify:LadderVerification",
    "weigh/verify-load/1": "weigh.load.verify:LoadVerification",
    "weigh/verify-load-comparison/1": "weigh.load.comparison.verify:LoadComparisonVerification",
    "weigh/verify-streams/1": "weigh.streams.files:StreamsVerification",
    "weigh/verify-reproduction/1": "weigh.reproduce.files:ReproductionVerification",
}
"""The class of each document, by its schema: all that it has but ``schema``; of ``verify`` its ``verification``."""
_VERIFIED = "weigh/verify"


@contextmanager
def _moments() -> Iterator[None]:
    """While a moment of a resource is what JSON has of it: msgspec tells two kinds of arrays in one place not apart."""
    annotations = Resource.__annotations__
    retained = annotations["first"]
    annotations["first"] = "list[int | float | str] | None"
    try:
        yield
    finally:
        annotations["first"] = retained


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a document.

    Args:
        name: of :data:`DOCUMENTS`.
    """
    import msgspec

    module, _, kind = DOCUMENTS[name].partition(":")
    document_class = getattr(importlib.import_module(module), kind)
    with _moments():
        made = msgspec.json.schema(document_class)
    definitions = made.pop("$defs")
    document = definitions[kind]
    # What may be left out and has no default msgspec takes for required.
    may_lack = {field for field, kind_of in document_class.__annotations__.items() if "UnsetType" in str(kind_of)}
    document["required"] = [field for field in document.get("required", ()) if field not in may_lack]
    if name.startswith(_VERIFIED):
        document = {
            "type": "object",
            "properties": {"passed": {"type": "boolean"}, "verification": {"$ref": f"#/$defs/{kind}"}},
            "required": ["passed", "verification"],
        }
    properties = {**document["properties"], "schema": {"const": name}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:weigh:{name.replace('/', ':')}",
        "$comment": f"written by weigh {__version__}; where a field goes or means something else the number rises",
        **document,
        "properties": properties,
        "required": [*dict.fromkeys(("schema", *document["required"]))],
        "$defs": definitions,
    }
