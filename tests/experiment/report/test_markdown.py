"""The first screen as Markdown, for a pull request: as short, as true, and nothing of it is obeyed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import experiment_records
from support.hostile_records import hostile
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.first_screen.markdown import markdown
from weigh.experiment.report.html.many import chosen
from weigh.experiment.results.results import experiment_results
from weigh.model.build import BuildRead

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults

from support.screen_forms import EVIDENCE, FORMS, form, results, verdict

replace = msgspec.structs.replace


@pytest.mark.parametrize("name", FORMS)
def test_markdown_is_short_and_says_the_same(name: str) -> None:
    screen = first_screen(form(name), EVIDENCE)
    text = markdown(screen)
    assert len(text.splitlines()) <= 25
    unescaped = text.replace("\\", "")
    assert all(said in unescaped for said in screen.says[1:])
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")}
    assert len(widths) <= 1, "every row has as many cells"


@pytest.mark.promise("those that are slower come first, then those that differ most")
def test_what_fails_a_run_comes_before_what_differs_more() -> None:
    """The summary of a large suite has room for four rows: they are those for which the job is red."""
    faster = [verdict(f"fast_{at}", "faster", 0.3) for at in range(100)]
    found = results([*faster, *(verdict(f"slow_{at}", "slower", 1.1 + at / 100) for at in range(100))])
    spec = replace(found.record.spec, baseline_declared=True)
    declared = replace(found, record=replace(found.record, spec=spec))

    def rows(one: ExperimentResults) -> list[str]:
        lines = [line for line in markdown(first_screen(one, EVIDENCE)).splitlines() if line.startswith("| ")]
        return [line.split()[1] for line in lines[2:6]]

    def full(one: ExperimentResults) -> set[str]:
        return {*chosen(one, [verdict.operation for verdict in one.headline.verdicts])}

    assert rows(declared) == [r"slow\_99", r"slow\_98", r"slow\_97", r"slow\_96"]
    assert {name.partition("_")[0].rstrip("\\") for name in rows(found)} == {"fast"}
    assert {"slow_99", "slow_70"} <= full(declared)
    assert "slow_99" not in full(found)


@pytest.mark.long
@pytest.mark.promise("Its first line answers the question, and it has less than 60 lines")
def test_markdown_of_a_large_suite_answers_in_the_first_line() -> None:
    """Of every kind of verdict some, with names as long as they come, read from several attempts."""
    operations = 300
    kinds = (("slower", 1.2), ("same", 1.0), ("small", 1.04), ("unresolved", 1.03), ("refused", None), ("faster", 0.8))
    made = [
        verdict(f"{number:04d}_a_name_that_says_what_is_asked_of_the_engine", *kinds[number % len(kinds)])
        for number in range(operations)
    ]
    found = results(made, attempts=3)
    lines = markdown(first_screen(found, EVIDENCE)).splitlines()
    assert lines[0].startswith(f"**new is SLOWER than old on {operations // 6} of {operations} operations")
    assert any("3 attempts are read together" in line for line in lines)
    assert len(lines) < 60
    assert sum(map(len, lines)) < 10_000
    # Nobody mines it for green: what is open is counted, and said to be.
    assert any(f"{operations // 3} are open" in line or f"open on {operations // 3}" in line for line in lines)


def test_what_a_pull_request_shows_leaks_and_injects_nothing() -> None:
    """Names and words of a run whose author wants the reader's browser, or his terminal."""
    found = experiment_results(
        [hostile(experiment_records.record(operations=("q1", "q2"), contenders=("a", "b", "c")))]
    )
    text = markdown(first_screen(found, EVIDENCE))
    # Code is shown as it is.
    assert "<script" not in re.sub(r"`[^`]*`", "", text).replace("\\<", "")
    assert not [char for char in text if not char.isprintable() and char != "\n"]


@pytest.mark.promise("It names the builds that were measured")
def test_markdown_names_the_builds() -> None:
    """Where a build fails there is no new evidence, and ``latest`` is that of another commit."""
    whole = experiment_records.record(contenders=("main", "pr"))
    assert whole.environment
    asked = {"main": ("revision", "1a2b3c4d5e6f7081"), "pr": ("wheel", "")}
    read = tuple(
        msgspec.structs.replace(one, build=BuildRead(kind=kind, content="c", commit=commit, sha256="9c8b7a6f5e4d" * 5))
        for one, (kind, commit) in zip(whole.environment.contenders, asked.values(), strict=True)
    )
    built = msgspec.structs.replace(whole, environment=msgspec.structs.replace(whole.environment, contenders=read))
    text = markdown(first_screen(experiment_results([built]), EVIDENCE))
    assert "Measured: main git 1a2b3c4d5e6f, pr sha256 9c8b7a6f5e4d." in text
    assert "Measured:" not in markdown(first_screen(experiment_results([whole]), EVIDENCE))


def test_markdown_shows_names_as_they_are() -> None:
    made = markdown(first_screen(results([verdict("a|b_*c*", "slower", 1.5, contender="x`y@me")]), EVIDENCE))
    assert r"a\|b\_\*c\*" in made
    assert r"x\`y\@me" in made
