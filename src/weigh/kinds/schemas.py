"""JSON Schemas of the documents that weigh writes and prints, made from the classes that they are of."""

from __future__ import annotations

import importlib
from typing import Any

from weigh._version import __version__

DOCUMENTS = {
    "weigh/1": "weigh.experiment.report.document:RunDocument",
    "weigh/ladder/1": "weigh.ladder.report.document:LadderDocument",
    "weigh/load-ladder/1": "weigh.ladder.load.report.document:LoadLadderDocument",
    "weigh/load/1": "weigh.load.report.document:LoadDocument",
    "weigh/load-comparison/1": "weigh.load.comparison.report.document:LoadComparisonDocument",
    "weigh/compare/1": "weigh.compare.document:CompareDocument",
    "weigh/reproduction/1": "weigh.reproduce.report:ReproductionDocument",
    "weigh/runs/1": "weigh.evidence.listing:RunsDocument",
    "weigh/bundle/1": "weigh.evidence.bundle:Head",
    "weigh/audit-results/1": "weigh.audit.report:AuditDocument",
    "weigh/verify/1": "weigh.experiment.verify.verify:Verification",
    "weigh/verify-ladder/1": "weigh.ladder.verify:LadderVerification",
    "weigh/verify-load/1": "weigh.load.verify:LoadVerification",
    "weigh/verify-load-comparison/1": "weigh.load.comparison.verify:LoadComparisonVerification",
    "weigh/verify-reproduction/1": "weigh.reproduce.files:ReproductionVerification",
}
"""The class of each document, by its schema: all that it has but ``schema``; of ``verify`` its ``verification``."""
_VERIFIED = "weigh/verify"


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a document.

    Args:
        name: of :data:`DOCUMENTS`.
    """
    import msgspec

    module, _, kind = DOCUMENTS[name].partition(":")
    made = msgspec.json.schema(getattr(importlib.import_module(module), kind))
    definitions = made.pop("$defs")
    document = definitions[kind]
    if name.startswith(_VERIFIED):
        document = {
            "type": "object",
            "properties": {"passed": {"type": "boolean"}, "verification": {"$ref": f"#/$defs/{kind}"}},
            "required": ["passed", "verification"],
        }
    properties = {"schema": {"const": name}, **document["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:weigh:{name.replace('/', ':')}",
        "$comment": f"written by weigh {__version__}; where a field goes or means something else the number rises",
        **document,
        "properties": properties,
        "required": ["schema", *document.get("required", ())],
        "$defs": definitions,
    }
