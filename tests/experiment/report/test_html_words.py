"""What the report says in words: a sentence for each verdict, what is unstable, and how it is all made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from support import experiment_records
from support.html_pages import Reader, assert_sound, rendered
from weigh.experiment.report.in_words import in_words
from weigh.experiment.report.terminal import plain
from weigh.experiment.results.results import experiment_results
from weigh.model.verdict import VerdictName
from weigh.render.sentences import sentence

if TYPE_CHECKING:
    from weigh.experiment.record import Record

CALM, WILD = experiment_records.record(), experiment_records.record(noise=0.3)


def remembering(record: Record, metric: str, **values: float) -> Record:
    """The record with other values of a metric, by contender."""
    samples = tuple(
        msgspec.structs.replace(one, **{metric: values[one.contender] * (1 + 1e-3 * (one.block % 3))})
        if one.contender in values
        else one
        for one in record.samples
    )
    return msgspec.structs.replace(record, samples=samples)


def test_every_verdict_on_time_is_a_sentence_on_the_page() -> None:
    for record in (CALM, WILD):
        text = rendered(record)
        assert_sound(text)
        read, results = Reader(text).text, experiment_results([record])
        assert results.headline.verdicts
        for one in results.headline.verdicts:
            assert sentence(one, record.spec.rules) in read
        for said in results.statements:
            assert said.text[1:] in read


def test_a_reason_that_the_sentence_tells_keeps_its_code() -> None:
    text = rendered(WILD)
    parts = text.split('<details class="op">')[1:]
    assert len(parts) == 2
    for part in parts:
        said = part.split('<ul class="say">')[1].split("</ul>")[0]
        assert said.count("<li>") == 2
        assert "<code>T7.unstable</code>" in said


def test_how_verdicts_are_made_is_folded_and_has_references() -> None:
    text = rendered(CALM)
    method = text.split('<details class="method">')[1].split("</details>")[0]
    references = re.findall(r"<li>", method.split("<ol")[1])
    cited = {int(number) for group in re.findall(r"\[([\d, ]+)\]", method) for number in group.split(", ")}
    assert cited == set(range(1, len(references) + 1))
    assert 'class="method"' not in rendered(experiment_records.record(samples=(), blocks=()))


def test_the_terminal_has_one_sentence_a_kind_and_names_all_that_is_unstable() -> None:
    results = experiment_results([WILD])
    said = in_words(results)
    kinds = {one.verdict for one in results.headline.verdicts}
    unstable = [one for one in results.headline.verdicts if one.verdict is VerdictName.REFUSED]
    assert unstable
    named = ", ".join(f"{one.operation} on {one.contender}" for one in unstable)
    assert f"Unstable, so neither passed nor failed: {named}." in said
    assert sum(line.endswith((".", "SLOWER.", "REFUSED.")) for line in said) == len(kinds) + 1
    text = " ".join(plain(results, "e").split())
    assert all(" ".join(line.split()) in text for line in said)


def test_a_price_is_named() -> None:
    """The third contender takes twice the time of the first; now it needs a tenth of the memory."""
    record = remembering(CALM, "peak_memory", **{"duckdb@2.0.0": 1e9, "chdb@4.4.0": 1e8})
    (one, other) = (one for one in experiment_results([record]).statements if one.code == "M.against")
    assert (one.operation, other.operation) == ("q1", "q2")
    assert one.text == "2.01 times the time, and yet 0.10 times the memory at the peak (0.10 to 0.10)"
    assert f"M.against q1, chdb@4.4.0: {one.text}" in in_words(experiment_results([record]))
    assert one.text in Reader(rendered(record)).text


def test_bytes_that_nobody_read_are_said_once() -> None:
    text = rendered(remembering(CALM, "bytes_read", **dict.fromkeys(experiment_records.names(3), 0)))
    assert Reader(text).text.count("M.zero bytes read: zero in every execution") == 1
    assert "bytes read</th>" not in text
    read = rendered(remembering(CALM, "bytes_read", **dict.fromkeys(experiment_records.names(3), 4096)))
    assert "bytes read</th>" in read
