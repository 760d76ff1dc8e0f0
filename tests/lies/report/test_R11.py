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


@pytest.mark.parametrize("form", ["clickbench", "bencher", "csv", "junit", "openmetrics"])
def test_an_honest_export_of_weigh_contradicts_nothing(whole: Run, weigh: Weigh, form: str) -> None:
    name = json.loads((whole.evidence / "verdicts.json").read_text())["contenders"][0]["name"]
    exported = weigh("export", str(whole.evidence), "--format", form, "--contender", name, "--out", "export.json")
    assert exported.code == 0, exported.err
    run = weigh("audit", "export.json", "--json")
    assert (run.code, run.codes) == (0, set()), run.err


def test_an_edited_export_of_weigh_is_named(whole: Run, weigh: Weigh) -> None:
    """Times x 0.7 of one contender, and nothing else."""
    made = json.loads((whole.evidence / "verdicts.json").read_text())
    (weigh.folder / "twin.json").write_text(json.dumps(made))
    for one in made["timings"]:
        if one["contender"] != made["experiment"]["baseline"]:
            one |= {name: one[name] * 0.7 for name in ("min", "median", "max")}
    (weigh.folder / "liar.json").write_text(json.dumps(made))
    twin, liar = weigh("audit", "twin.json", "--json"), weigh("audit", "liar.json", "--json")
    assert (twin.code, twin.codes) == (0, set())
    assert (liar.code, liar.codes) == (1, {"R11.figures"})
