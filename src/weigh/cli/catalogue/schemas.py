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
    "weigh/judge/1": "weigh.judge.results:JudgeDocument",
    "weigh/why/1": "weigh.experiment.profile.results:WhyResults",
    "weigh/plan/1": "weigh.experiment.preview:Preview",
    "weigh/history/1": "weigh.history.report.document:HistoryDocument",
    "weigh/history-add/1": "weigh.history.report.added:AddedDocument",
    "weigh/history-confirm/1": "weigh.history.report.confirmed:ConfirmDocument",
    "weigh/capture/1": "weigh.capture.results:CaptureResults",
    "weigh/doctor/1": "weigh.doctor.report:DoctorDocument,RestoredDocument",
    "weigh/doctor-storage/1": "weigh.doctor.unused_disks_model:Examination",
    "weigh/effect/1": "weigh.doctor.effect_analysis:Effect",
    "weigh/manifest/1": "weigh.data.documents:MadeDocument",
    "weigh/obfuscation/1": "weigh.obfuscation.results:ObfuscationResults",
    "weigh/digest/1": "weigh.data.documents:DigestDocument",
    "weigh/files/1": "weigh.data.documents:FilesDocument",
    "weigh/diff/1": "weigh.data.layout.difference:DiffDocument",
    "weigh/check/1": "weigh.data.documents:CheckDocument",
    "weigh/runs/1": "weigh.evidence.listing:RunsDocument",
    "weigh/bundle/1": "weigh.evidence.bundle:Head",
    "weigh/audit-results/1": "weigh.audit.report:AuditDocument",
    "weigh/engines/1": "weigh.cli.catalogue.documents:EnginesDocument",
    "weigh/workloads/1": "weigh.cli.catalogue.documents:WorkloadsDocument",
    "weigh/audit/1": "weigh.cli.catalogue.documents:WorkloadAuditDocument",
    "weigh/lies/1": "weigh.cli.catalogue.documents:LiesDocument",
    "weigh/lies-run/1": "weigh.cli.catalogue.documents:LiesRunDocument",
    "weigh/registered/1": "weigh.cli.catalogue.documents:RegisteredDocument",
    "weigh/loaded/1": "weigh.cli.catalogue.documents:LoadedDocument",
    "weigh/witness/1": "weigh.cli.catalogue.documents:WitnessDocument",
    "weigh/checksums/1": "weigh.cli.catalogue.documents:ChecksumsDocument",
    "weigh/parts/1": "weigh.data.parts.make:MadeByParts",
    "weigh/plan-parts/1": "weigh.cli.catalogue.documents:PlanPartsDocument",
    "weigh/check-parts/1": "weigh.cli.catalogue.documents:CheckPartsDocument",
    "weigh/digest-parts/1": "weigh.cli.catalogue.documents:DigestPartsDocument",
    "weigh/diff-parts/1": "weigh.cli.catalogue.documents:DiffPartsDocument",
    "weigh/site/1": "weigh.publish.site:SiteDocument",
    "weigh/history-entry/1": "weigh.history.entry:Entry",
    "weigh/doctor-snapshot/1": "weigh.doctor.tuning:Snapshot",
    "weigh/pins/1": "weigh.experiment.gate.pinned:Pins",
    "weigh/load-pins/1": "weigh.load.gate_events:Pins",
    "weigh/trace/1": "weigh.capture.trace:Header",
    "weigh/verify/1": "weigh.experiment.verify.verify:Verification",
    "weigh/verify-ladder/1": "weigh.ladder.verify:LadderVerification",
    "weigh/verify-load-ladder/1": "weigh.ladder.load.verify:LoadLadderVerification",
    "weigh/verify-load/1": "weigh.load.verify:LoadVerification",
    "weigh/verify-load-comparison/1": "weigh.load.comparison.verify:LoadComparisonVerification",
    "weigh/verify-streams/1": "weigh.streams.files:StreamsVerification",
    "weigh/verify-reproduction/1": "weigh.reproduce.files:ReproductionVerification",
}
"""The class of each document, by its schema: all that it has but ``schema``; of ``verify`` its ``verification``.

Of two classes a document is one or the other.
"""
_VERIFIED = "weigh/verify"
_OBJECT = {"type": "object"}
_WHERE_WANTED = {
    "sql": {"anyOf": [_OBJECT, {"type": "null"}]},
    "signature": _OBJECT,
    "anchors": {"type": "array", "items": _OBJECT},
    "not_compared": {"type": "array", "items": {"type": "string"}},
}
"""What a document of ``verify`` also has where it was wanted: ``--sql``, ``--key``, ``--witness``, an older weigh."""


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

    module, _, kinds = DOCUMENTS[name].partition(":")
    classes = [getattr(importlib.import_module(module), kind) for kind in kinds.split(",")]
    with _moments():
        parts, definitions = msgspec.json.schema_components(classes, ref_template="#/$defs/{name}")
    document, *others = [_document(definitions[one.__name__], one) for one in classes]
    if others:
        whole = [document, *others]
        document = {
            "type": "object",
            "properties": {name: kind for one in whole for name, kind in one["properties"].items()},
            "required": [],
            "anyOf": [{"required": one["required"]} for one in whole],
        }
    if name.startswith(_VERIFIED):
        document = {
            "type": "object",
            "properties": {"passed": {"type": "boolean"}, "verification": parts[0], **_WHERE_WANTED},
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


def _document(document: dict[str, Any], document_class: Any) -> dict[str, Any]:
    # What may be left out and has no default msgspec takes for required.
    may_lack = {field for field, kind_of in document_class.__annotations__.items() if "UnsetType" in str(kind_of)}
    return {**document, "required": [field for field in document.get("required", ()) if field not in may_lack]}
