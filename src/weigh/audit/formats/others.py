"""What a file is that has none of the forms: other commands read it, or nobody does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weigh.audit.text import Text

_JUDGE = "it has raw numbers: weigh judge gives verdicts on them"
_WHOLE = 1 << 16
"""Characters in which a form that is no JSON document is looked for."""


class Other(NamedTuple):
    """A file that is of a known tool, and is not audited.

    Attributes:
        what: it is.
        remedy: what to do with it.
    """

    what: str
    remedy: str


def other(text: Text) -> Other | None:
    """What a file is; None where nothing is known of it."""
    found = text.json
    first = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else {}
    if "jmhVersion" in first:
        return Other("it is a result of JMH", _JUDGE)
    fields = text.object
    if "machine_info" in fields and "benchmarks" in fields:
        return Other("it is a result of pytest-benchmark", _JUDGE)
    if "context" in fields and "benchmarks" in fields:
        return Other("it is a result of Google Benchmark", _JUDGE)
    results = fields.get("results")
    if isinstance(results, list) and results and isinstance(results[0], dict) and "times" in results[0]:
        return Other("it is a result of hyperfine", _JUDGE)
    if "fio version" in fields or '"fio version"' in text.text[:_WHOLE]:
        return Other(
            "it is a result of fio: of a disk, and of no system that answers anything",
            "weigh doctor storage says how fast data is read here",
        )
    page = '<meta name="generator" content="weigh ' in text.text[:_WHOLE]
    if page or "\n  Again:   weigh " in text.text:
        return Other(
            "it is a report of weigh's own", "weigh verify checks the evidence that it is of; --json is audited"
        )
    if fields.get("schema") and str(fields["schema"]).startswith("weigh/"):
        return Other("it is a document of weigh's own", "weigh verify checks the evidence that it is of")
    return None
