"""JUnit XML, as CI servers read it: a comparison is a suite, an operation a test, and so is a template of operations.

SLOWER beyond the margin and a wrong answer are failures, an engine that failed is an error. What has no verdict is
skipped with the reason: a green check would say more than is known. A wrong answer fails once, where answers are told:
nobody is timed on that operation, and whoever was right has not failed. Findings that forbid something are a suite of
their own, and so is a run that did not end by itself. There is no official schema; the elements and attributes are
those of the one that Jenkins publishes (github.com/jenkinsci/xunit-plugin, junit-10.xsd).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from weigh.experiment.report.export.exported import operation
from weigh.experiment.report.first_screen.agreement import counted
from weigh.model.answer import GateStatus
from weigh.model.text import visible
from weigh.model.verdict import VerdictName
from weigh.render.sentences import sentence

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from weigh.experiment.report.export.exported import Exported

_FAILS = {VerdictName.SLOWER: "failure", VerdictName.ERROR: "error"}
_OPEN = (VerdictName.UNRESOLVED, VerdictName.REFUSED, VerdictName.DIVERGED)
_WRONG = {GateStatus.DIVERGED: "failure", GateStatus.ERROR: "error"}
_UNCHECKED = (GateStatus.LEFT_OPEN, GateStatus.UNVERIFIED, GateStatus.UNSUPPORTED)
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(exported: Exported) -> bytes:
    """The whole file."""
    root = ElementTree.Element("testsuites", name=visible(f"weigh {exported.evidence}"))
    _answers(root, exported)
    _verdicts(root, exported)
    _findings(root, exported)
    _end(root, exported)
    for suite in root:
        suite.set("tests", str(len(suite)))
        for attribute, tag in _COUNTED.items():
            suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _suite(root: Element, name: str) -> Element:
    return ElementTree.SubElement(root, "testsuite", name=visible(name))


def _case(suite: Element, classname: str, name: str, tag: str = "", kind: str = "", text: str = "") -> Element:
    """A test; one with a tag did not pass."""
    case = ElementTree.SubElement(suite, "testcase", classname=visible(classname), name=visible(name))
    if tag == "skipped":
        ElementTree.SubElement(case, tag, message=visible(text))
    elif tag:
        ElementTree.SubElement(case, tag, type=kind, message=visible(text))
    return case


def _answers(root: Element, exported: Exported) -> None:
    gate = exported.results.gate
    if gate is None:
        return
    suite = _suite(root, "answers")
    for who in exported.results.answered:
        if exported.includes(who.contender) and (lacking := counted([who])):
            _case(suite, f"answers.{who.contender}", "questions answered", "skipped", text=f"{lacking} questions")
    for one in gate.operations:
        for contender, status in one.contenders.items():
            if not exported.includes(contender):
                continue
            tag = _WRONG.get(status, "skipped" if status in _UNCHECKED else "")
            text = one.detail or f"the answer is {status.value}"
            _case(suite, f"answers.{contender}", one.operation, tag, f"answer.{status.value}", text)


def _verdicts(root: Element, exported: Exported) -> None:
    rules = exported.results.record.spec.rules
    medians = {(one.contender, operation(one)): one.median for one in exported.timings() if one.metric == "wall_s"}
    suites: dict[str, Element] = {}
    timed = [("time", one) for one in exported.verdicts() if one.metric == "wall_s"]
    pooled = [row.verdict for row in exported.results.templates if exported.includes(row.verdict.contender)]
    baseline = exported.results.record.spec.baseline
    overall = [
        row.verdict
        for row in exported.results.overall.verdicts
        if exported.includes(row.verdict.contender) and row.verdict.baseline == baseline
    ]
    pools = (*(("template", one) for one in pooled), *(("mean", one) for one in overall))
    for about, one in (*timed, *pools):
        against = f"{one.contender} against {one.baseline}"
        if against not in suites:
            suites[against] = _suite(root, against)
        tag = _FAILS.get(one.verdict, "skipped" if one.verdict in _OPEN else "")
        reasons = "; ".join(f"{reason.code}: {reason.text}" for reason in one.reasons)
        text = f"{sentence(one, rules)} {reasons}".rstrip()
        case = _case(
            suites[against], f"{about}.{one.contender}", operation(one), tag, f"verdict.{one.verdict.value}", text
        )
        # What the test took, as CI servers show it: the median of one execution.
        median = medians.get((one.contender, operation(one)))
        if median is not None and about == "time":
            case.set("time", f"{median:.9f}")
        if not tag:
            ElementTree.SubElement(case, "system-out").text = visible(text)


def _findings(root: Element, exported: Exported) -> None:
    errors = [
        one
        for one in exported.results.findings
        if one.severity == "error" and (one.contender is None or exported.includes(one.contender))
    ]
    if not errors:
        return
    suite = _suite(root, "findings")
    for one in errors:
        about = ".".join(word for word in ("findings", one.contender, one.operation) if word)
        _case(suite, about, one.code, "failure", one.code, f"{one.text} {one.remedy}".strip())


def _end(root: Element, exported: Exported) -> None:
    """What was killed or stopped has said nothing wrong, and would be green."""
    end = exported.results.record.end
    if end is not None and end.how == "complete":
        return
    why = "it was killed, or is still running" if end is None else end.reason
    _case(_suite(root, "run"), "run", "complete", "error", "run.incomplete", f"Not complete: {why}.")
