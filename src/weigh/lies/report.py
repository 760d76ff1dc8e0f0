"""Lies about what is reported."""

from __future__ import annotations

from weigh.lies.lie import rows
from weigh.model.codes.code import Page

_SUITE = Page("reference/lies.md", "R1 and R2: the suite")

ROWS = rows(
    (
        "R1",
        _SUITE,
        "the query that failed is dropped, and the mean of the rest is published",
        "a suite with a missing, failed, refused or diverged member has no geometric mean; the members are named",
    ),
    (
        "R2",
        _SUITE,
        "one number",
        "ratios of single operations first; a mean only of a whole suite, and only alongside its spread",
    ),
    (
        "R3",
        Page("reference/evidence.md", "weigh verify"),
        "figures without configuration, versions or question",
        "all of it is in the evidence and the report; a report without it cannot be made",
    ),
    (
        "R4",
        Page("reference/lies.md", "R4: what an unkeyed seal can do"),
        "results edited afterwards",
        "verify hashes every file and recomputes every printed number from the journal",
    ),
    (
        "R5",
        Page("concept/method.md", "Tiers"),
        "suggestive evidence presented as conclusive",
        "a tier computed from what was done, with every reason, in every report",
    ),
    (
        "R6",
        Page("guide/history.md", "Where a series is split"),
        "a history whose machine changed under it",
        "series are split where the machine, the data, the query or a setting changed, with what changed; a change of "
        "level is a candidate until both versions were measured side by side",
    ),
    (
        "R7",
        Page("reference/workloads.md", "The notice"),
        "a TPC name or metric on a run that is not a TPC result",
        "every report on such a workload, of a run or a load, and on a user's queries that are called so, says it: "
        "derived, not comparable to published results; no TPC metric appears",
    ),
    (
        "R8",
        Page("reference/lies.md"),
        "publishing what a licence forbids to publish",
        "an engine's plug-in states its vendor's terms with the source, and every report on it says so; none that "
        "comes with weigh has such terms. Of servers under load weigh knows some by their name or address",
    ),
    (
        "R9",
        Page("reference/evidence.md", "The seal, and what it cannot stop"),
        "evidence forged as a whole: consistent and sealed, and never measured",
        "a seal does not tell, and `weigh verify` says so; `weigh sign` vouches for it with a signature, which "
        "`weigh verify --key` checks",
    ),
    (
        "R10",
        Page("concept/method.md", "One engine under two names"),
        "two names, one engine: versions that load the same files are compared",
        "the version that two running engines give and SHA-256 of the native files that they loaded (of a server or a "
        "build, of all files of its package) are compared: `weigh run` refuses the same with exit code 2, or calls it "
        "an A/A with --same-engine; `weigh gate`, which has no clock, warns",
    ),
    (
        "R11",
        Page("guide/audit.md"),
        "a published validation that never ran, a question that was never stated: figures that contradict each other",
        "`weigh audit` reads the published file: what it shows, what it does not show, and which of its own figures "
        "cannot all be true",
    ),
)
