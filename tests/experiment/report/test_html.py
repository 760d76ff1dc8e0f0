"""The report as a page: complete, escaped, the same everywhere, and self-contained."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support import experiment_records
from support.html_pages import Reader, assert_codes_explained, assert_sound, rendered
from weigh.evidence.sealing import End
from weigh.experiment.report import summary
from weigh.experiment.report.html import page
from weigh.experiment.results.results import experiment_results
from weigh.model import codes, units
from weigh.model.finding import Code, Finding
from weigh.model.sample import Outcome
from weigh.model.verdict import VerdictName
from weigh.render import words

if TYPE_CHECKING:
    from weigh.experiment.record import Record


def part_of(text: str, operation: str) -> str:
    """The part of a page that tells about one operation."""
    (found,) = [part for part in text.split('<details class="op">')[1:] if f"<h3>{operation}</h3>" in part]
    return found.split('<details class="part"')[0]


def diverged(record: Record, operation: str, contender: str) -> Record:
    """The record with one contender contradicted on one operation, which nobody was timed on."""
    assert record.workload is not None
    gate = experiment_records.gate(
        record.workload, [one.name for one in record.spec.contenders], [(operation, contender)]
    )
    samples = tuple(sample for sample in record.samples if sample.operation != operation)
    return msgspec.structs.replace(record, gate=gate, samples=samples)


COMPLETE = experiment_records.record()
NOTHING: dict[str, Any] = {"samples": (), "blocks": (), "end": None}
RECORDS = {
    "complete": (COMPLETE,),
    "two attempts": (COMPLETE, msgspec.structs.replace(COMPLETE, attempt=2)),
    "one contender": (experiment_records.record(contenders=experiment_records.names(1)),),
    "six contenders": (experiment_records.record(contenders=experiment_records.names(6), starts=5, runs=1),),
    "too few starts": (experiment_records.record(starts=2),),
    "diverged": (diverged(COMPLETE, "q2", "chdb@4.4.0"),),
    "diverged later": (experiment_records.with_outcome(COMPLETE, Outcome.WRONG, "q2", "chdb@4.4.0"),),
    "crashed": (experiment_records.with_outcome(COMPLETE, Outcome.CRASH, "q2", "chdb@4.4.0"),),
    "gate only": (experiment_records.record(**{**NOTHING, "end": End(how="complete")}),),
    "killed while measuring": (experiment_records.record(end=None, samples=COMPLETE.samples[:100]),),
    "killed in the first turn": (experiment_records.record(end=None, samples=(), blocks=COMPLETE.blocks[:1]),),
    "killed before the gate": (experiment_records.record(**NOTHING, gate=None),),
    "killed before the data": (experiment_records.record(**NOTHING, gate=None, manifest=None, workload=None),),
    "killed at once": (
        experiment_records.record(**NOTHING, gate=None, manifest=None, workload=None, environment=None),
    ),
    "interrupted": (
        experiment_records.record(**{**NOTHING, "end": End(how="stopped", reason="interrupted")}, gate=None),
    ),
}


@pytest.mark.long
@pytest.mark.promise("The page loads nothing and runs no script.")
@pytest.mark.parametrize("name", RECORDS)
def test_every_record_makes_a_well_formed_page_that_loads_nothing(name: str) -> None:
    text = rendered(*RECORDS[name])
    assert_sound(text)
    reader = Reader(text)
    assert summary.summary(experiment_results(RECORDS[name])) in reader.text
    assert "weigh verify 20261121-aaaaaaaaaaaa-1" in reader.text


@pytest.mark.long
@pytest.mark.parametrize("name", ["complete", "two attempts", "six contenders", "diverged", "crashed"])
def test_every_operation_contender_and_verdict_is_there(name: str) -> None:
    attempts = RECORDS[name]
    results = experiment_results(attempts)
    text = rendered(*attempts)
    table = text[text.index('<table class="vt">') :].split("</table>")[0]
    rows = table.split("<tr")
    assert attempts[-1].workload is not None
    for verdict in results.headline.verdicts:
        part = Reader(f"<details>{part_of(text, verdict.operation)}")
        assert f"{verdict.contender} {words.verdict(verdict)}" in part.text
        said = [row for row in rows if f">{verdict.contender}" in row and f">{words.verdict(verdict)}</td>" in row]
        assert said, f"{verdict.contender} on {verdict.operation}"
    for operation in attempts[-1].workload.operations:
        part = Reader(f"<details>{part_of(text, operation.name)}")
        assert " ".join(operation.text(operation.timed()[0]).split()) in part.text
        for contender in attempts[-1].spec.contenders:
            assert contender.name in part.text
        for timing in results.headline.timings:
            if timing.operation == operation.name:
                assert units.seconds(timing.min) in part.text
    reader = Reader(text)
    assert results.tier is not None
    for reason in results.tier.reasons:
        assert f"{reason.code} {reason.text}" in reader.text
    for contender in attempts[-1].spec.contenders:
        assert reader.text.count(contender.name) > 5


def test_every_execution_is_a_vertex_of_its_arm() -> None:
    """Ten starts of three timed and one untimed execution, of four arms."""
    part = part_of(rendered(COMPLETE), "q1")
    samples = part[part.index("<figure ") :].split("</figure>")[0]
    for kind, count in (("m", 30), ("h", 10)):
        for arm in range(4):
            (data,) = re.findall(rf'<path class="{kind}{arm}" d="m([^"]*)h0"', samples)
            assert len(re.findall(r"-?\d+", data)) == 2 * count
    assert "30" not in samples.split("<figcaption>")[1].split("</figcaption>")[0]
    assert "120 timed (filled), 40 untimed (hollow)" in samples


def test_a_diverged_operation_shows_no_time() -> None:
    for name in ("diverged", "diverged later"):
        part = part_of(rendered(*RECORDS[name]), "q2")
        assert "<svg" not in part
        assert not re.search(r"\d (ms|us|s)\b", part), "a time of an operation that diverged"
        assert "No time is shown" in part
    assert "samples.parquet" in part


def test_a_failed_execution_is_marked_and_its_contender_has_no_dots() -> None:
    part = part_of(rendered(*RECORDS["crashed"]), "q2")
    assert part.count('class="fail"') == 1
    assert 'class="m3"' not in part
    assert 'class="m2"' in part
    assert "signal SIGSEGV" in part
    assert "1 failed (crosses)" in part


def test_a_disqualified_contender_has_no_dots() -> None:
    finding = Finding(
        code="A5.lazy", severity="error", text="lazy", remedy="consume", contender="chdb@4.4.0", operation="q1"
    )
    text = rendered(msgspec.structs.replace(COMPLETE, findings=(finding,)))
    assert 'class="m3"' not in text.split("<body>")[1]


@pytest.mark.parametrize("name", RECORDS)
def test_every_code_is_a_link_to_its_meaning_at_the_end(name: str) -> None:
    text = rendered(*RECORDS[name])
    assert_codes_explained(text)
    results = experiment_results(RECORDS[name])
    named = {one.code for one in (*results.findings, *(results.tier.reasons if results.tier else ()))}
    for verdict in results.headline.verdicts:
        named |= {reason.code for reason in verdict.reasons}
    assert named <= {code for code in codes.REGISTRY if f'href="#{code}"' in text}


def test_a_code_that_the_registry_does_not_know_stays_text() -> None:
    strange = Finding(code=Code("Z9.<b>\x1b"), severity="note", text="from the future", remedy="none")
    text = rendered(msgspec.structs.replace(COMPLETE, findings=(strange,)))
    assert_codes_explained(text)
    assert "<code>Z9.&lt;b&gt;\\x1b</code>" in text


def test_two_attempts_are_drawn_together() -> None:
    assert "240 timed" in part_of(rendered(*RECORDS["two attempts"]), "q1")
    assert "2 attempts read together" in rendered(*RECORDS["two attempts"])


def test_many_executions_are_thinned_by_whole_starts_and_that_is_said() -> None:
    record = experiment_records.record(operations=["q1"], contenders=experiment_records.names(2), starts=20, runs=99)
    part = part_of(rendered(record), "q1")
    assert "2,970 timed (filled), 30 untimed (hollow); of 20 starts one in 2 is drawn" in part


@pytest.mark.long
def test_the_same_bytes_whatever_the_surroundings() -> None:
    """Hashes of strings, the locale and the time zone differ from process to process."""
    script = (
        "import sys; from support import experiment_records as reporting; "
        "from weigh.experiment.report.html import page; "
        "from weigh.experiment.results.results import experiment_results; "
        "r = reporting.record(); sys.stdout.buffer.write(page(experiment_results([r]), r.samples, 'e').encode())"
    )
    tests = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    pages = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, **extra, "PYTHONPATH": tests, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=True,
        ).stdout
        for extra in (
            {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "UTC"},
            {"PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Auckland", "COLUMNS": "40"},
        )
    }
    assert len(pages) == 1
    assert len(pages.pop()) > 10_000


def test_the_order_of_samples_in_memory_does_not_matter() -> None:
    shuffled = list(COMPLETE.samples)
    random.Random(3).shuffle(shuffled)
    assert page(experiment_results([COMPLETE]), shuffled, "e") == page(
        experiment_results([COMPLETE]), COMPLETE.samples, "e"
    )


@pytest.mark.parametrize("noise", [0.02, 0.3])
def test_a_large_experiment_is_a_small_page(noise: float) -> None:
    """22 operations, 5 contenders (6 arms), 10 starts, 3 runs: 5,280 executions."""
    record = experiment_records.record(
        operations=[f"q{number}" for number in range(1, 23)], contenders=experiment_records.names(5), noise=noise
    )
    assert len(record.samples) == 5280
    results = experiment_results([record])
    text = page(results, record.samples, "20261121-aaaaaaaaaaaa-1")
    assert len(text.encode()) < 320_000
    if noise > 0.1:
        assert VerdictName.REFUSED in {verdict.verdict for verdict in results.headline.verdicts}


def test_another_text_is_shown_where_somebody_here_gets_it() -> None:
    assert COMPLETE.workload is not None
    first, *others = COMPLETE.workload.operations
    first = msgspec.structs.replace(
        first, dialect={"duckdb": "SELECT {region} -- ours", "sqlite": "SELECT 0 -- theirs"}
    )
    workload = msgspec.structs.replace(COMPLETE.workload, operations=(first, *others))
    part = Reader(f"<details>{part_of(rendered(msgspec.structs.replace(COMPLETE, workload=workload)), 'q1')}")
    assert "The text that duckdb gets SELECT 'ASIA' -- ours" in part.text
    assert "theirs" not in part.text
    assert "Another text for sqlite is in workload.json." in part.text
