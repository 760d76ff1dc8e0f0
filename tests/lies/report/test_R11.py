"""R11: a published result whose own figures contradict each other: a validation that never ran."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from audit import facts

if TYPE_CHECKING:
    from support.command import Run, Weigh


def test_a_validation_that_never_ran_is_named(weigh: Weigh) -> None:
    (weigh.folder / "liar.json").write_text(facts.benchbox(validation="NOT_RUN"))
    run = weigh("audit", "liar.json", "--json")
    assert (run.code, run.codes) == (1, {"R11.figures"})
    (finding,) = run.json["findings"]
    assert "its phase of validation is NOT_RUN" in finding["text"]


def test_its_honest_twin_is_not_accused(weigh: Weigh) -> None:
    (weigh.folder / "twin.json").write_text(facts.benchbox(validation="PASSED"))
    run = weigh("audit", "twin.json", "--json")
    assert (run.code, run.codes) == (0, set())


@pytest.mark.parametrize("form", ["clickbench", "bencher"])
def test_an_honest_export_of_weigh_contradicts_nothing(whole: Run, weigh: Weigh, form: str) -> None:
    name = json.loads((whole.evidence / "verdicts.json").read_text())["contenders"][0]["name"]
    exported = weigh("export", str(whole.evidence), "--format", form, "--contender", name, "--out", "export.json")
    assert exported.code == 0, exported.err
    run = weigh("audit", "export.json", "--json")
    # Bencher's form holds figures alone, and is none of a published result.
    assert run.code == (0 if form == "clickbench" else 2), run.err
    assert not run.out or run.codes == set()
