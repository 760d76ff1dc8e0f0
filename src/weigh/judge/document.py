"""The JSON document of ``weigh judge`` (docs/reference/json.md)."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.judge.results import SCHEMA, JudgeResults


def document(results: JudgeResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    plain: dict[str, Any] = msgspec.to_builtins(results)
    for one in plain["series"]:
        one["quantiles"] = [{"q": q, "value": value} for q, value in one["quantiles"]]
    return {
        "schema": SCHEMA,
        **{key: plain[key] for key in ("format", "tool", "events", "files", "baseline", "interleaved")},
        **{key: plain[key] for key in ("rules", "tier", "timings", "verdicts", "series", "findings")},
        "how": results.how or None,
    }
